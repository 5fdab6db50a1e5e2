//! What a text has declared so far: bodies, points, coordinates, symbols, and the statements to be written.

use std::collections::BTreeMap;

use cardan_base::{Diagnostic, Diagnostics, FileId, Span, nearest};
use cardan_units::Dimension;

use crate::autosim::codes;
use crate::autosim::command::Word;
use crate::autosim::reader::infix::Expr;
use crate::autosim::reader::lisp::Form;
use crate::autosim::reader::routine::Signature;

/// A body and how it hangs on its parent.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub name: String,
    pub description: String,
    /// The parent as the native text calls it.
    pub parent: String,
    /// The place of the joint in the parent.
    pub joint: Place,
    /// Directions of translation in the parent.
    pub translate: Vec<Axis>,
    /// Indices of the axes of rotation in the body, from zero.
    pub rotate: Vec<usize>,
    /// How the body's nominal axes lie in the parent, where they differ.
    pub orient: Option<Orient>,
    /// Number of its first coordinate, from zero.
    pub first: usize,
    pub center: Place,
    pub mass: Expr,
    /// xx, yy, zz, xy, xz, yz.
    pub inertia: [Expr; 6],
}

/// A direction fixed in the parent.
#[derive(Clone, Debug)]
pub(super) enum Axis {
    /// Number of the axis from zero, and whether it points backwards.
    Index(usize, bool),
    /// Components in the parent.
    Components([Expr; 3]),
    /// Any vector.
    Vector(Expr),
}

impl Axis {
    /// The expressions in it.
    pub fn expressions(&self) -> &[Expr] {
        match self {
            Axis::Index(..) => &[],
            Axis::Components(c) => c,
            Axis::Vector(v) => std::slice::from_ref(v),
        }
    }
}

/// A place in a body: three components or one vector.
#[derive(Clone, Debug)]
pub(super) struct Place(pub Vec<Expr>);

impl Place {
    /// Whether it is written as the origin.
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(Expr::is_zero)
    }
}

/// The nominal axes of a body in its parent.
#[derive(Clone, Debug)]
pub(super) enum Orient {
    /// Whole degrees about x, y, z.
    Degrees([f64; 3]),
    /// The number of the axis of rotation and its direction, the number of the reference axis and its direction.
    Axes(usize, Box<Axis>, usize, Box<Axis>),
}

/// A generalised coordinate with its speed.
#[derive(Clone, Debug)]
pub(super) struct Coordinate {
    pub dimension: Dimension,
    pub small: bool,
    /// Of the coordinate, then of its speed.
    pub of: [Aspect; 2],
}

/// What is said about a coordinate or a speed.
#[derive(Clone, Default, Debug)]
pub(super) struct Aspect {
    pub start: Option<Expr>,
    /// The unit in which its value is given and shown.
    pub unit: Option<String>,
    pub description: String,
    /// A constraint determines it.
    pub follows: bool,
    /// Where unit or description was given.
    pub span: Option<Span>,
}

/// What a symbol stands for.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Role {
    /// Fixed during a motion.
    Parameter,
    /// Computed by an equation of the text.
    Variable,
    /// Computed by a subroutine.
    External,
    /// An auxiliary state.
    State,
    /// The rate of the auxiliary state with this name.
    Rate(String),
}

/// A scalar with a name.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub role: Role,
    pub dimension: Option<Dimension>,
    /// The unit in which its value is given.
    pub unit: Option<String>,
    pub default: Option<Expr>,
    pub description: String,
    /// Declared small.
    pub small: bool,
    /// In the order of first mention.
    pub order: usize,
    pub span: Span,
}

/// A statement to be written.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Body(Box<Body>),
    Point {
        name: String,
        description: String,
        body: String,
        coordinates: Place,
    },
    /// Force or torque: what it acts on, where its opposite acts.
    Load {
        name: String,
        description: String,
        is_force: bool,
        on: Expr,
        from: Option<Expr>,
        direction: Expr,
        magnitude: Expr,
    },
    Gravity {
        direction: Expr,
        magnitude: Expr,
    },
    /// A symbol and its value.
    Equation {
        name: String,
        value: Expr,
    },
    Constraint {
        name: String,
        description: String,
        value: Expr,
        /// Whether the text says which coordinate and which speed follow from it.
        resolved: [bool; 2],
    },
    Output {
        name: String,
        description: String,
        unit: Option<String>,
        value: Expr,
    },
    Linearize,
}

/// Everything declared.
pub(super) struct Scene {
    pub file: FileId,
    pub findings: Diagnostics,
    pub title: String,
    /// How the text is called.
    pub path: String,
    pub bodies: Vec<String>,
    /// Points by name, as the native text calls them.
    pub points: BTreeMap<String, String>,
    pub coordinates: Vec<Coordinate>,
    pub symbols: BTreeMap<String, Symbol>,
    /// Statements with the commands that they come from.
    pub items: Vec<(Item, Span)>,
    /// Names of everything, with where it was declared.
    pub declared: BTreeMap<String, Span>,
    /// Subroutines: name, arguments that may be results, place.
    pub subroutines: Vec<(String, Vec<String>, Span)>,
    /// What routines written in the native language declare: in capitals, and as written.
    pub routines: BTreeMap<String, String>,
    /// What the functions among them take and give.
    pub signatures: BTreeMap<String, Signature>,
    /// Values of settings of the run: STARTT, STOPT, STEP, IPRINT.
    pub settings: BTreeMap<String, Expr>,
    /// The units in which they are given.
    pub setting_units: BTreeMap<String, String>,
    /// Functions that nothing declares, with the place of the first call.
    pub missing: BTreeMap<String, (usize, Span)>,
    /// Expressions that were taken as numbers, which has been said.
    pub in_numbers: Vec<Span>,
    /// What was said of coordinates that no body had yet: a command, the coordinate, the value.
    pub later: Vec<(&'static Word, Form, Option<Form>)>,
}

/// Symbols that set the run instead of the model.
pub(super) const SETTINGS: [&str; 4] = ["STARTT", "STOPT", "STEP", "IPRINT"];

impl Scene {
    pub fn new(file: FileId) -> Scene {
        Scene {
            file,
            findings: Diagnostics::new(),
            title: String::new(),
            path: String::new(),
            bodies: vec!["N".into()],
            points: BTreeMap::from([("N0".into(), "N.o".into()), ("O".into(), "N.o".into())]),
            coordinates: vec![],
            symbols: BTreeMap::new(),
            items: vec![],
            declared: BTreeMap::new(),
            subroutines: vec![],
            routines: BTreeMap::new(),
            signatures: BTreeMap::new(),
            settings: BTreeMap::new(),
            setting_units: BTreeMap::new(),
            missing: BTreeMap::new(),
            in_numbers: vec![],
            later: vec![],
        }
    }
    /// Forgets everything that was declared.
    pub fn reset(&mut self) {
        let findings = std::mem::replace(&mut self.findings, Diagnostics::new());
        let (routines, signatures) = (self.routines.clone(), self.signatures.clone());
        *self = Scene { findings, path: self.path.clone(), routines, signatures, ..Scene::new(self.file) };
    }
    /// A finding.
    pub fn refuse(
        &mut self,
        code: cardan_base::Code,
        message: impl Into<String>,
        span: Span,
        help: impl Into<String>,
    ) {
        self.findings.push(Diagnostic::error(code, message).at(span, "").hint(help));
    }
    /// Words for people: a string or a symbol.
    pub fn words(&mut self, form: &Form) -> String {
        if let Some(words) = form.words() {
            return words.to_string();
        }
        self.refuse(
            codes::VALUE,
            "words for people are wanted here",
            form.span,
            "write them in quotes: `\"boom\"`",
        );
        String::new()
    }
    /// Takes a name; false if something else has it.
    pub fn declare(&mut self, name: &str, span: Span) -> bool {
        match self.declared.get(name).copied() {
            Some(first) => {
                let d = Diagnostic::error(codes::DUPLICATE, format!("`{name}` is declared twice"));
                let d = d.at(span, "here again").also(first, "first here");
                self.findings.push(d.hint(format!("choose another name, such as `{name}2`")));
                false
            }
            None => {
                self.declared.insert(name.to_string(), span);
                true
            }
        }
    }
    /// The symbol with this name, made a parameter if it is new.
    pub fn symbol(&mut self, name: &str, span: Span) -> &mut Symbol {
        let order = self.symbols.len();
        self.symbols.entry(name.to_string()).or_insert_with(|| Symbol {
            role: Role::Parameter,
            dimension: None,
            unit: None,
            default: None,
            description: String::new(),
            small: false,
            order,
            span,
        })
    }
    /// A body or the ground, or a finding.
    pub fn body(&mut self, name: &str, span: Span) -> Option<String> {
        if self.bodies.iter().any(|b| b == name) {
            return Some(name.to_string());
        }
        let d = Diagnostic::error(codes::UNKNOWN_NAME, format!("there is no body `{name}`")).at(span, "");
        let known = self.bodies.iter().map(String::as_str);
        self.findings.push(match nearest(name, known) {
            Some(near) => d.hint(format!("write `{near}`")),
            None => d.hint(format!("declare it first: `(add-body {name})`")),
        });
        None
    }
    /// A point as the native text calls it, or a finding: a point, the origin `B0` or the mass centre `BCM` of a body.
    pub fn point(&mut self, name: &str, span: Span) -> Option<String> {
        if let Some(point) = self.find_point(name) {
            return Some(point);
        }
        let d = Diagnostic::error(codes::UNKNOWN_NAME, format!("there is no point `{name}`")).at(span, "");
        let d = match nearest(name, self.points.keys().map(String::as_str)) {
            Some(near) => d.hint(format!("write `{near}`")),
            None => d.hint(format!("declare it first: `(add-point {name} :body b :coordinates (0 0 1))`")),
        };
        self.findings.push(d);
        None
    }
    /// A point, if there is one of this name.
    pub fn find_point(&self, name: &str) -> Option<String> {
        if let Some(point) = self.points.get(name) {
            return Some(point.clone());
        }
        let known = |b: &str| self.bodies.iter().any(|k| k == b);
        match (name.strip_suffix('0'), name.strip_suffix("CM")) {
            (Some(body), _) if known(body) => Some(format!("{}.o", native(body))),
            (_, Some(body)) if known(body) && body != "N" => Some(format!("{}.cm", native(body))),
            _ if known(name) => Some(format!("{}.o", native(name))),
            _ => None,
        }
    }
}

/// A name as the native text spells it.
pub(super) fn native(name: &str) -> String {
    let spelt: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if spelt.starts_with(|c: char| c.is_ascii_digit()) { format!("_{spelt}") } else { spelt }
}
