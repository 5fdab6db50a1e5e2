//! Dotted names: what they stand for, and what stands behind the dot.

use cardan_base::{Diagnostic, Span, nearest};
use cardan_kinematics::FrameId;
use cardan_syntax as syntax;
use cardan_units::Dimension;

use crate::codes;
use crate::context::{Env, Phase, Resolver};
use crate::eval::energies;
use crate::eval::functions;
use crate::joints::higher_pairs;
use crate::joints::loop_joints::both_sides;
use crate::names::scope::{ItemId, ItemKind, Status};
use crate::types::synonyms;
use crate::types::value::{Arrow, Scalar, Value};

/// What a rate is called elsewhere.
const RATES: [&str; 6] = ["dot", "d", "der", "rate", "speed", "u"];

impl<'t> Resolver<'t> {
    /// The value of a dotted name.
    pub fn path(&mut self, path: &syntax::Path, env: &Env<'t>) -> Option<Value> {
        if let Some(segment) = path.segments.iter().find(|s| !s.index.is_empty()) {
            self.not_flat(segment.name.span);
            return None;
        }
        let scope = env.scope.unwrap_or(self.root);
        let first = path.segments.first()?;
        let local = env.locals.iter().rev().find(|(n, _)| *n == first.name.text).map(|(_, v)| v.clone());
        let (mut value, n, mut body) = match local {
            Some(value) => (value, 1, None),
            None => {
                let Some((item, n)) = self.names.find_path(scope, path) else {
                    if let Some(kind) = energies::asked(path) {
                        return self.energy(path, kind);
                    }
                    self.unknown(scope, path, "", &functions::names());
                    return None;
                };
                if let (1, Some(outer)) = (n, self.names.hidden(scope, &first.name.text)) {
                    self.hides(item, outer, path.span);
                }
                let n = n + usize::from(self.names_own_vector(item, path.segments.get(n)));
                (self.item_value(item, path.span)?, n, self.names.body_of(item))
            }
        };
        for (k, segment) in path.segments.iter().enumerate().skip(n) {
            let before: Vec<&str> = path.segments[..k].iter().map(|s| s.name.text.as_str()).collect();
            value = self.member(value, body, &before.join("."), &segment.name)?;
            body = None;
        }
        Some(value)
    }

    /// Whether a segment behind a load names the load itself: `friction.force` is `friction`, as the force of an
    /// element is `strut.force`.
    fn names_own_vector(&self, item: ItemId, segment: Option<&syntax::Segment>) -> bool {
        let (ItemKind::Load(load, _), Some(segment)) = (self.names.items[item].kind, segment) else {
            return false;
        };
        let own = match load.kind {
            syntax::LoadKind::Force => "force",
            syntax::LoadKind::Torque => "torque",
        };
        segment.name.text == own
    }

    /// A coordinate or speed of a body bears the name of something in the model: said once for each.
    fn hides(&mut self, item: ItemId, outer: ItemId, span: Span) {
        if !self.hiding.insert(item) {
            return;
        }
        let (inner, outer) = (&self.names.items[item], &self.names.items[outer]);
        let (noun, hidden) = (crate::names::scope::noun(&inner.kind), crate::names::scope::noun(&outer.kind));
        let message = format!("`{}` is {noun} here and not {hidden}", outer.name);
        let d = Diagnostic::warning(codes::DUPLICATE, message);
        let d = d.at(span, format!("this is `{}`", inner.name));
        let d = match outer.span {
            Some(place) => d.also(place, "hidden inside the body"),
            None => d,
        };
        let bare = |noun: &'static str| noun.trim_start_matches("an ").trim_start_matches("a ");
        let moving = matches!(inner.kind, ItemKind::Coordinate(..) | ItemKind::JointSpeed(..));
        let hint = match moving {
            true => format!(
                "give the {} another name, or name the {} in the joint: `revolute(z, q = phi, speed = w)`",
                bare(hidden),
                bare(noun)
            ),
            false => format!("give the {} or the {} another name", bare(hidden), bare(noun)),
        };
        self.report(d.hint(hint));
    }

    /// What an item stands for, once it is known.
    pub fn item_value(&mut self, item: ItemId, span: Span) -> Option<Value> {
        let entry = &self.names.items[item];
        match (&entry.status, entry.kind) {
            (Status::Done(value), _) => Some(value.clone()),
            (Status::Failed, _) => None,
            (
                Status::Pending | Status::Built,
                ItemKind::Function(_) | ItemKind::Procedure(_) | ItemKind::External(_) | ItemKind::Table(_),
            ) => {
                let (name, noun) = (entry.name.clone(), crate::names::scope::noun(&entry.kind));
                self.error(
                    codes::KIND,
                    format!("`{name}` is {noun} and needs its arguments"),
                    span,
                    format!("write `{name}(t)`"),
                );
                None
            }
            (Status::Built, ItemKind::Element(index)) => {
                let (name, inner) = (entry.name.clone(), self.names.elements[index].inner);
                let signals: Vec<String> =
                    self.names.scopes[inner].entries.keys().map(|k| format!("`{name}.{k}`")).collect();
                let help = match signals.is_empty() {
                    true => "define what is meant as a variable".to_owned(),
                    false => format!("write {}", signals.join(" or ")),
                };
                self.error(codes::KIND, format!("`{name}` is an element and has no value"), span, help);
                None
            }
            (Status::Pending, ItemKind::JointSpeed(..) | ItemKind::Speed(_) | ItemKind::Variable(_)) => {
                self.too_early(span);
                None
            }
            (Status::Built, kind) => {
                let (name, noun) = (entry.name.clone(), crate::names::scope::noun(&kind));
                let help = "define what is meant as a variable";
                self.error(codes::KIND, format!("`{name}` is {noun} and has no value"), span, help);
                None
            }
            (Status::Pending, kind) => {
                let (name, noun) = (entry.name.clone(), crate::names::scope::noun(&kind));
                self.error(
                    codes::TOO_EARLY,
                    format!("`{name}` ({noun}) is not known yet here"),
                    span,
                    "use parameters here",
                );
                None
            }
        }
    }

    /// A part of a value: `B.x`, `B.cm`, `P.x`.
    pub fn member(
        &mut self,
        value: Value,
        body: Option<usize>,
        owner: &str,
        name: &syntax::Name,
    ) -> Option<Value> {
        let axis = ["x", "y", "z"].iter().position(|a| *a == name.text);
        let newtonian = self.space().newtonian();
        match (&value, axis, name.text.as_str()) {
            (Value::Frame(frame), Some(k), _) => {
                let vector = self.space().axis(*frame, k);
                return Some(Value::Vector(Arrow {
                    vector,
                    dimension: Dimension::ONE,
                    bare: true,
                    frame: None,
                }));
            }
            (Value::Frame(frame), None, "o") => return Some(Value::Point(self.space().origin(*frame))),
            (Value::Frame(_), None, "cm" | "mass") if body.is_some() => {
                let data = self.names.bodies[body?].data;
                let Status::Done(center) = self.names.items[data].status.clone() else { return None };
                return match (center, name.text.as_str()) {
                    (center @ Value::Point(_), "cm") => Some(center),
                    (Value::Point(p), _) => {
                        let id = self.builder.model().body_in(p.frame)?;
                        Some(Value::quantity(self.builder.model().bodies[id].mass, Dimension::MASS))
                    }
                    _ => None,
                };
            }
            (Value::Frame(frame), None, word)
                if higher_pairs::REACTIONS.contains(&word) && *frame != newtonian =>
            {
                return self.joint_reaction(*frame, name);
            }
            (Value::Frame(frame), None, "holding") if body.is_some() && self.phase == Phase::Motion => {
                return self.holding_effort(*frame, name.span);
            }
            (Value::Frame(frame), None, "locked") if body.is_some() && self.phase == Phase::Motion => {
                return self.lock_state(*frame, name.span);
            }
            (Value::Frame(frame), None, "attached") if body.is_some() && self.phase == Phase::Motion => {
                return self.attachment_state(*frame, name.span);
            }
            (Value::Frame(frame), None, word @ ("attachment_force" | "attachment_torque"))
                if body.is_some() && self.phase == Phase::Motion =>
            {
                return self.attachment_effort(*frame, word == "attachment_torque", name.span);
            }
            (Value::Point(p), Some(k), _) => {
                let position = self.space().position(&self.space().origin(newtonian), p);
                let expr = self.space().components(&position, newtonian)[k];
                return Some(Value::quantity(expr, Dimension::LENGTH));
            }
            (Value::Vector(a), Some(k), _) => {
                let expr = self.space().components(&a.vector, newtonian)[k];
                return Some(Value::Scalar(Scalar::new(expr, a.dimension, a.bare)));
            }
            _ => {}
        }
        let mut known: Vec<&str> = match &value {
            Value::Frame(_) => vec!["x", "y", "z", "o"],
            Value::Point(_) | Value::Vector(_) => vec!["x", "y", "z"],
            _ => vec![],
        };
        if let Some(b) = body {
            known.extend(["cm", "mass"]);
            known.extend(higher_pairs::REACTIONS);
            known.extend(self.names.scopes[self.names.bodies[b].inner].entries.keys().map(String::as_str));
        }
        let message = format!("`{owner}` has nothing called `{}`", name.text);
        let d = Diagnostic::error(codes::UNKNOWN_NAME, message).at(name.span, "");
        let component = match (&value, body) {
            (Value::Point(_), _) => self.component_of_motion(owner, &name.text, false),
            (Value::Frame(_), Some(_)) => self.component_of_motion(owner, &name.text, true),
            _ => None,
        };
        let points: Vec<String> = body.map_or(vec![], |b| {
            let entries = &self.names.scopes[self.names.bodies[b].inner].entries;
            let is_point = |item: &ItemId| matches!(self.names.items[*item].kind, ItemKind::Point(..));
            let points = entries.iter().filter(|(_, item)| is_point(item));
            points.map(|(name, _)| format!("`{owner}.{name}`")).collect()
        });
        let rate = matches!(value, Value::Scalar(_)) && RATES.contains(&name.text.as_str());
        let several = body.and_then(|b| self.names_of_motion(b, &name.text));
        let in_model = matches!(value, Value::Frame(_)) && self.names.find(self.root, &name.text).is_some();
        let function = synonyms::part_of_body(&name.text).filter(|f| match value {
            Value::Frame(_) => body.is_some(),
            Value::Point(_) => !matches!(*f, "omega" | "alpha"),
            _ => false,
        });
        let d = match nearest(&name.text, known.iter().copied()) {
            _ if component.is_some() => d.hint(component.unwrap_or_default()),
            _ if function == Some("position") => d.hint(format!(
                "a place is a function of two points: `position({}.o, {owner})`",
                self.ground()
            )),
            _ if function.is_some() => {
                d.hint(format!("it is given by a function: `{}({owner})`", function.unwrap_or_default()))
            }
            _ if rate => d.hint(format!("a rate is written `der({owner})`")),
            _ if several.is_some() => d.hint(several.unwrap_or_default()),
            _ if in_model => d.hint(format!("it is a name of the model: write `{}`", name.text)),
            Some(near) => d.hint(format!("write `{near}`")),
            None if known.is_empty() => d.hint("remove it"),
            None if !points.is_empty() => d.hint(format!(
                "its points are {}, `{owner}.o` and `{owner}.cm`; there is {}",
                points.join(", "),
                known.join(", ")
            )),
            None => d.hint(format!("there is {}", known.join(", "))),
        };
        if !self.incomplete {
            self.report(d);
        }
        None
    }

    /// What to write for `vx`, `ay` or `wz`: the component of a velocity, an acceleration or an angular velocity.
    fn component_of_motion(&self, owner: &str, name: &str, turns: bool) -> Option<String> {
        let function = match name.get(..name.len().checked_sub(1)?)? {
            "v" | "vel" | "v_" | "d" => "velocity",
            "a" | "acc" | "a_" => "acceleration",
            "w" | "om" | "omega" | "omega_" | "w_" if turns => "omega",
            _ => return None,
        };
        let axis = name.chars().next_back().filter(|c| "xyz".contains(*c))?;
        Some(format!(
            "write its component along an axis: `dot({function}({owner}), {}.{axis})`",
            self.ground()
        ))
    }

    /// Which coordinates or speeds a body has, where `q` or `u` alone names none of several.
    fn names_of_motion(&self, b: usize, word: &str) -> Option<String> {
        let plan = &self.plans[b];
        let names: Vec<String> = match word {
            "u" => (0..plan.speeds.len()).map(|k| format!("`{}`", self.speed_name(b, k))).collect(),
            "q" => plan.degrees.iter().filter_map(|d| d.name).map(|n| format!("`{}`", n.text)).collect(),
            _ => return None,
        };
        let body = &self.names.bodies[b].tree.name.text;
        let noun = if word == "u" { "speeds" } else { "coordinates" };
        (names.len() > 1).then(|| format!("`{body}` has several {noun}: write one of {}", names.join(", ")))
    }

    /// `arm.force`, `arm.torque`: what the joint of a body does to it, at the origin of its frame; `arm.counterforce`,
    /// `arm.countertorque`: what it does there to the body that carries it.
    fn joint_reaction(&mut self, frame: FrameId, name: &syntax::Name) -> Option<Value> {
        if self.phase != Phase::Motion {
            self.too_early(name.span);
            return None;
        }
        let joint = self.builder.model().joint_of(frame)?;
        let reaction = self.builder.reaction_of(joint).clone();
        let (force, torque) = reaction.vectors(self.space());
        let told = both_sides(self.pool(), &force, &torque);
        told.into_iter().find(|(word, _)| *word == name.text).map(|(_, value)| value)
    }

    /// Says that velocities cannot be used here.
    pub fn too_early(&mut self, span: Span) {
        if self.phase == Phase::Speeds {
            let message = "this velocity is not known where speeds are defined";
            let d = Diagnostic::error(codes::TOO_EARLY, message).at(span, "");
            let d = d.because("a `speed` is a sum of factors times rates `der(q)` of coordinates, and of velocities that consist of these; other speeds, and joints with speeds of their own (Euler parameters, `free`), come later");
            let hint = "write it by `der(q)`, give the joint angles, such as `rotate(x, y, z)`, or make it a `variable` instead of a `speed`";
            self.report(d.hint(hint));
            return;
        }
        let d = Diagnostic::error(codes::TOO_EARLY, "velocities are not known yet here").at(span, "");
        let d = d.because("bodies are placed first; then speeds are defined; then velocities follow");
        self.report(d.hint("use parameters, coordinates and time"));
    }
}
