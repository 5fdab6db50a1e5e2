//! The state of a resolution: the model in the making, the names, the findings.

use std::collections::BTreeMap;

use cardan_base::{Code, Diagnostic, Diagnostics, Map, Set, Sources, Span, nearest};
use cardan_expr::{Expr, Pool, Rational};
use cardan_kinematics::{FrameId, Space};
use cardan_model::{Builder, CoordinateId};
use cardan_syntax::{Path, UnitText};
use cardan_units::{Scale, Unit};

use crate::eval::functions::BUILTINS;
use crate::joints::nonsmooth_motion::Kinked;
use crate::joints::plan::JointPlan;
use crate::names::scope::{ItemId, ItemKind, ScopeId, Scopes};
use crate::topology::joint_graph::Mount;
use crate::types::value::Value;
use crate::{codes, resource_limits};

/// What other programs call the time.
const TIMES: &[&str] = &["time", "tsim", "t_sim", "simtime", "clock"];

/// How far the model is built; decides which questions have an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Phase {
    /// Bodies are being placed; positions are known only of those already placed.
    Structure,
    /// User-defined speeds are being read; the coordinates' rates stand for themselves.
    Speeds,
    /// Everything moves.
    Motion,
}

/// How a function with units in its head is to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// Its letters are plain numbers in the units of the head.
    Numbers,
    /// Its letters are quantities.
    Quantities,
}

/// Where an expression is read.
#[derive(Clone, Default)]
pub struct Env<'t> {
    /// The names known there; the model's if nothing.
    pub scope: Option<ScopeId>,
    /// The frame in which tuples are components.
    pub frame: Option<FrameId>,
    /// Arguments of the function being unfolded.
    pub locals: Vec<(&'t str, Value)>,
    /// How deep functions are unfolded.
    pub depth: usize,
}

/// What stands for one coordinate of a joint after it is built.
#[derive(Clone, Copy, Debug)]
pub enum BuiltCoordinate {
    /// A coordinate of the model.
    Free(CoordinateId),
    /// A parameter, because it is locked.
    Locked(cardan_model::ParameterId),
    /// A given motion.
    Prescribed(Expr),
}

/// What the inertial frame is called elsewhere.
const GROUNDS: [&str; 6] = ["ground", "world", "inertial", "newtonian", "earth", "global"];

/// The state of a resolution.
pub struct Resolver<'t> {
    /// The texts.
    pub sources: &'t Sources,
    /// The model in the making.
    pub builder: Builder,
    /// Names and items.
    pub names: Scopes<'t>,
    /// The scope of the model.
    pub root: ScopeId,
    /// How bodies without `on` are held.
    pub mounts: Option<&'t BTreeMap<String, Mount>>,
    /// The frames of contacts, by joint.
    pub contacts: Option<&'t BTreeMap<String, cardan_syntax::Body>>,
    /// Joints as planned, by body.
    pub plans: Vec<JointPlan<'t>>,
    /// Coordinates as built, by body.
    pub built: Vec<Vec<BuiltCoordinate>>,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// How far the model is built.
    pub phase: Phase,
    /// `strict units`
    pub strict: bool,
    /// The first bare number that took a unit from its place, and how many there were.
    pub bare: Option<(Span, String, usize)>,
    /// Parts of expressions evaluated so far.
    pub steps: usize,
    /// How deep in an expression the evaluation stands.
    pub nesting: usize,
    /// How functions with units are read.
    pub readings: Map<ItemId, Reading>,
    /// Whether nothing is taken as small, whatever the text says.
    pub is_whole: bool,
    /// Parameters and states that are small.
    pub small_items: Set<ItemId>,
    /// Functions that something calls.
    pub called: Set<ItemId>,
    /// The item of each state's rate.
    pub state_rates: Map<ItemId, ItemId>,
    /// The start value of each state for which `start { … }` gives one.
    pub state_starts: Map<ItemId, &'t cardan_syntax::Expr>,
    /// The right side of each state's equation.
    pub state_equations: Map<ItemId, &'t cardan_syntax::Expr>,
    /// States of the model by item.
    pub state_ids: Map<ItemId, cardan_model::StateId>,
    /// External functions of the model by item.
    pub external_ids: Map<ItemId, cardan_expr::ExternalId>,
    /// What `start { … }` gave a value, and where.
    pub started: Map<Expr, Span>,
    /// Names of outputs and where they were first given.
    pub output_names: Map<String, Span>,
    /// What `show` spoke of, by the names in results, and where.
    pub shown: Map<String, Span>,
    /// Prescribed motions by body and coordinate.
    pub motions: Map<(usize, usize), Expr>,
    /// Prescribed motions whose rate may jump.
    pub kinked: Vec<Kinked>,
    /// Names of bodies that hide a name of the model, and are known to do so.
    pub hiding: Set<ItemId>,
    /// A name that nothing has, and the unit that its place asks for.
    pub wanted: Option<(String, String)>,
    /// Angles made by `angle(u, v, about)`, and where.
    pub principal: Vec<(Expr, Span)>,
    /// Angles whose turns are counted, by sine and cosine.
    pub unwrapped: Vec<((Expr, Expr), Expr)>,
    /// Joints that events lock or release, and the names of those that are locked at the start.
    pub locks: Vec<crate::statements::locks::Lock>,
    pub starts_locked: Set<String>,
    /// What events attach and detach.
    pub attachments: crate::statements::attachments::Attachments<'t>,
    /// Rigid contacts and inequalities: names, gaps and places.
    pub one_sided: Vec<(String, Expr, Span)>,
    /// Coordinates whose start value is given, and where.
    pub given_starts: Vec<(CoordinateId, Span)>,
    /// Blocks of contacts and inequalities, and when these meet.
    pub events_of_elements: Vec<cardan_model::Event>,
    pub meetings: Vec<Expr>,
    /// How many names were looked for in vain.
    pub n_unknown: usize,
    /// Whether statements are missing because they could not be read: then missing names are no news.
    pub incomplete: bool,
}

impl<'t> Resolver<'t> {
    /// A resolution that knows time, pi and the ground.
    pub fn new(sources: &'t Sources, builder: Builder) -> Self {
        let mut names = Scopes::default();
        let root = names.open(None, None);
        let mut resolver = Resolver {
            sources,
            builder,
            names,
            root,
            mounts: None,
            contacts: None,
            plans: vec![],
            built: vec![],
            diagnostics: Diagnostics::new(),
            phase: Phase::Structure,
            strict: false,
            bare: None,
            steps: 0,
            nesting: 0,
            readings: Map::default(),
            is_whole: false,
            small_items: Set::default(),
            called: Set::default(),
            state_rates: Map::default(),
            state_equations: Map::default(),
            state_starts: Map::default(),
            state_ids: Map::default(),
            external_ids: Map::default(),
            motions: Map::default(),
            kinked: vec![],
            output_names: Map::default(),
            shown: Map::default(),
            started: Map::default(),
            hiding: Set::default(),
            principal: vec![],
            unwrapped: vec![],
            locks: vec![],
            starts_locked: Set::default(),
            attachments: crate::statements::attachments::Attachments::default(),
            one_sided: vec![],
            given_starts: vec![],
            events_of_elements: vec![],
            meetings: vec![],
            n_unknown: 0,
            wanted: None,
            incomplete: false,
        };
        let ground = resolver.ground().to_owned();
        for (name, kind) in
            [(ground.as_str(), ItemKind::Newtonian), ("t", ItemKind::Time), ("pi", ItemKind::Pi)]
        {
            let item = resolver.names.add(kind, root, name, None);
            resolver.names.scopes[root].entries.insert(name.to_owned(), item);
            resolver.evaluate_item(item);
        }
        resolver
    }
    /// The frames.
    pub fn space(&self) -> &Space {
        self.builder.space()
    }
    /// The scalars.
    pub fn pool(&self) -> &Pool {
        self.builder.space().pool()
    }
    /// Adds a finding.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
    /// Adds an error with one place and one line of help.
    pub fn error(&mut self, code: Code, message: impl Into<String>, span: Span, help: impl Into<String>) {
        self.report(Diagnostic::error(code, message).at(span, "").hint(help));
    }
    /// Does something and keeps its findings apart.
    pub fn quietly<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> (T, Diagnostics) {
        let before = std::mem::take(&mut self.diagnostics);
        let bare = self.bare.clone();
        let result = f(self);
        self.bare = bare;
        (result, std::mem::replace(&mut self.diagnostics, before))
    }
    /// The text under a span with a unit behind it, as it can be typed.
    pub fn text_with_unit(&self, span: Span, unit: &str) -> String {
        let text = self.text(span);
        let is_number = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
        let is_bracket = text.starts_with('(') && text.find(')') == Some(text.len() - 1);
        if is_number || is_bracket { format!("{text} [{unit}]") } else { format!("({text}) [{unit}]") }
    }
    /// The name of the ground.
    pub fn ground(&self) -> &str {
        &self.space().frame(self.space().newtonian()).name
    }
    /// The text under a span on one line.
    pub fn text(&self, span: Span) -> String {
        self.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }
    /// The right side of a state's equation.
    pub fn rate_expression(&self, state: ItemId) -> Option<&'t cardan_syntax::Expr> {
        self.state_equations.get(&state).copied()
    }
    /// Counts a unit of work; nothing when there has been too much of it.
    pub fn step(&mut self, span: Span) -> Option<()> {
        self.steps += 1;
        if self.steps == resource_limits::STEPS
            || (self.steps < resource_limits::STEPS && self.pool().len() > resource_limits::NODES)
        {
            self.steps = resource_limits::STEPS;
            let help = "shorten sums and chains of functions that call functions";
            self.error(codes::TOO_LARGE, "the expressions of this text are too large", span, help);
        }
        (self.steps < resource_limits::STEPS).then_some(())
    }

    /// A unit as written.
    pub fn unit(&mut self, unit: &UnitText) -> Option<Unit> {
        match Unit::parse(&unit.text) {
            Ok(unit) => Some(unit),
            Err(error) => {
                let start = unit.span.start as usize;
                let place = Span::new(unit.span.file, start + error.start, start + error.end);
                let d = Diagnostic::error(error.kind.code(), error.message).at(place, "");
                self.report(match error.hint {
                    Some(hint) => d.hint(hint),
                    None => d,
                });
                None
            }
        }
    }
    /// An exact factor as an expression.
    pub fn factor(&self, scale: Scale) -> Expr {
        let pool = self.pool();
        // A whole number of at most 39 digits is always a decimal.
        let whole = |n: i128| pool.number(Rational::from_decimal(&n.to_string()).unwrap_or(Rational::ONE));
        let rational = pool.div(whole(scale.numerator()), whole(scale.denominator()));
        pool.mul(rational, pool.powi(pool.pi(), scale.pi().into()))
    }

    /// Says that nothing has this name.
    pub fn unknown(&mut self, scope: ScopeId, path: &Path, what: &str, more: &[&str]) {
        if self.incomplete {
            return;
        }
        let name = path.segments.first().map_or("", |s| s.name.text.as_str());
        let span = path.segments.first().map_or(path.span, |s| s.name.span);
        let d = Diagnostic::error(codes::UNKNOWN_NAME, format!("nothing is called `{name}`")).at(span, "");
        // Beyond what is shown nobody reads the hints, and looking for them takes time.
        self.n_unknown += 1;
        let known = if self.n_unknown > Diagnostics::LIMIT { vec![] } else { self.names.names(scope) };
        let near = nearest(name, known.iter().chain(more).copied());
        let owner = self.names.owner_of(name).filter(|_| path.segments.len() == 1);
        let d = match owner.filter(|_| !known.contains(&name)) {
            Some(owner) => return self.report(d.hint(format!("write `{owner}.{name}`"))),
            None if near.is_none() && GROUNDS.contains(&name.to_lowercase().as_str()) => {
                let help = format!("the inertial frame is called `{}`", self.ground());
                return self.report(d.hint(help));
            }
            None if near.is_none() && TIMES.contains(&name.to_lowercase().as_str()) => {
                return self.report(d.hint("the time is called `t`"));
            }
            None => d,
        };
        let rate = ["_dot", "_d", "dot", "d"].iter().find_map(|end| name.strip_suffix(end));
        if let Some((_, _, form)) = BUILTINS.iter().find(|(n, _, _)| *n == name) {
            return self.report(d.hint(format!("`{name}` is a function: write `{form}`")));
        }
        if ["x", "y", "z"].contains(&name) {
            let help = format!("directions belong to a frame: `{}.{name}`", self.ground());
            return self.report(d.hint(help));
        }
        let d = match (near, rate.filter(|base| known.contains(base))) {
            (_, Some(base)) => d.hint(format!("a rate is written `der({base})`")),
            (Some(near), None) => d.hint(format!("write `{near}`")),
            (None, None) if what.is_empty() => {
                let unit =
                    self.wanted.as_ref().filter(|(wanted, _)| wanted == name).map(|(_, unit)| unit.clone());
                let unit = unit.unwrap_or_else(|| "m".to_owned());
                d.hint(format!("declare it: `parameter {name} = 1 [{unit}]`"))
            }
            (None, None) => d.hint(what),
        };
        self.report(d);
    }
}
