//! The vocabulary of joints: from the calls after `by` to a plan.

use cardan_base::{Diagnostic, Diagnostics, Span, nearest};
use cardan_kinematics::{Axis, Sequence};
use cardan_model::{JointKind, Orientation, SpeedChoice};
use cardan_syntax::{Argument, Call, Expr, ExprKind, Name, UnaryOp};
use cardan_units::Dimension;

use crate::codes;
use crate::joints::plan::{
    AxisPlan, Degree, JointPlan, PlannedSpeed, PlannedStep, n_entries, parts_of, word_of,
};
use crate::types::synonyms;

/// A word of the vocabulary: kind, arguments by position, further arguments by name, an example.
pub struct Word {
    pub kind: JointKind,
    positional: &'static [&'static str],
    named: &'static [&'static str],
    pub example: &'static str,
}

/// Arguments of every joint that moves.
const MOVING: &[&str] = &["q", "speed", "small", "lock", "motion", "orient", "limit", "armature"];
/// Arguments of every joint with an orientation of three degrees of freedom.
const TURNING: &[&str] = &["rotate", "speeds"];

/// Every joint of a body.
#[rustfmt::skip]
pub const WORDS: &[Word] = &[
    Word { kind: JointKind::Fixed,       positional: &[],                named: &["rotate", "angles"], example: "fixed(rotate = xyz, angles = (0, 0, 90) [deg])" },
    Word { kind: JointKind::Revolute,    positional: &["axis"],          named: MOVING,  example: "revolute(z, q = phi)" },
    Word { kind: JointKind::Prismatic,   positional: &["axis"],          named: MOVING,  example: "prismatic(x, q = s)" },
    Word { kind: JointKind::Cylindrical, positional: &["axis"],          named: MOVING,  example: "cylindrical(z, q = (s, phi))" },
    Word { kind: JointKind::Screw,       positional: &["axis", "lead"],  named: MOVING,  example: "screw(z, lead = 5 [mm])" },
    Word { kind: JointKind::Planar,      positional: &["normal"],        named: MOVING,  example: "planar(z, q = (x, y, phi))" },
    Word { kind: JointKind::Universal,   positional: &["axes", "second"], named: MOVING, example: "universal(xy)" },
    Word { kind: JointKind::Spherical,   positional: &[],                named: TURNING, example: "spherical(rotate = zxz, speeds = body)" },
    Word { kind: JointKind::Free,        positional: &[],                named: TURNING, example: "free(rotate = xyz)" },
    Word { kind: JointKind::Translate,   positional: &["axis", "axis 2", "axis 3"], named: &["x", "y", "z"], example: "translate(x = X1, z = Z1)" },
    Word { kind: JointKind::Rotate,      positional: &["axis", "axis 2", "axis 3"], named: &["x", "y", "z"], example: "rotate(z = PSI)" },
];

/// Reads the joint of a body.
pub fn plan<'t>(calls: &'t [Call], diagnostics: &mut Diagnostics) -> JointPlan<'t> {
    let mut planner = Planner { plan: JointPlan::default(), diagnostics };
    for call in calls {
        planner.call(call);
    }
    let mut plan = planner.plan;
    let words = calls.iter().filter_map(|c| c.function.as_name());
    plan.kinds = words.filter_map(|n| JointKind::named(&n.text)).collect();
    if plan.kinds.is_empty() {
        plan.kinds.push(JointKind::Fixed);
    }
    plan
}

struct Planner<'t, 'd> {
    plan: JointPlan<'t>,
    diagnostics: &'d mut Diagnostics,
}

/// The arguments of one call, sorted.
#[derive(Default)]
struct Arguments<'t> {
    given: Vec<(&'static str, &'t Expr)>,
    small: bool,
    locked: bool,
}

impl<'t> Arguments<'t> {
    fn get(&self, name: &str) -> Option<&'t Expr> {
        self.given.iter().find(|(n, _)| *n == name).map(|(_, e)| *e)
    }
}

impl<'t> Planner<'t, '_> {
    fn call(&mut self, call: &'t Call) {
        let parts: Vec<&str> = call.function.segments.iter().map(|s| s.name.text.as_str()).collect();
        let name = &*parts.join(".");
        let Some(word) = WORDS.iter().find(|w| w.kind.name() == name) else {
            let names: Vec<&str> = WORDS.iter().map(|w| w.kind.name()).collect();
            let d = Diagnostic::error(codes::UNKNOWN_WORD, format!("there is no joint called `{name}`"));
            let d = d.at(call.function.span, "");
            let near = synonyms::joint(name).or_else(|| nearest(name, names.iter().copied()));
            self.diagnostics.push(match near {
                Some(near) => d.hint(format!("write `{near}`")),
                None => d.hint(format!("joints are {}", names.join(", "))),
            });
            return;
        };
        let Some(arguments) = self.sort(call, word) else { return };
        let (first, first_speed) = (self.plan.degrees.len(), self.plan.speeds.len());
        if let Some(angles) = arguments.get("orient") {
            self.plan.steps.push(PlannedStep::Turn(Sequence([Axis::X, Axis::Y, Axis::Z]), angles));
        }
        if self.steps(call, word, &arguments).is_some() {
            self.decorate(call, &arguments, first, first_speed);
        }
    }

    fn refuse(&mut self, word: &Word, span: Span, message: String) {
        self.refuse_for(word, span, message, format!("write it like `{}`", word.example));
    }

    fn refuse_for(&mut self, word: &Word, span: Span, message: String, help: String) {
        let mut allowed: Vec<&str> = word.positional.iter().chain(word.named).copied().collect();
        if word.named != MOVING && !word.named.contains(&"angles") {
            allowed.extend(MOVING);
        }
        let d = Diagnostic::error(codes::ARGUMENT, message).at(span, "");
        let d = d.because(format!("`{}` takes {}", word.kind, allowed.join(", ")));
        self.diagnostics.push(d.hint(help));
    }

    fn sort(&mut self, call: &'t Call, word: &Word) -> Option<Arguments<'t>> {
        let mut out = Arguments::default();
        let mut positional = word.positional.iter();
        for Argument { name, value } in &call.arguments {
            let Some(name) = name else {
                match word_of(value) {
                    Some("small") => out.small = true,
                    Some("lock" | "locked") => out.locked = true,
                    _ => match positional.next() {
                        Some(slot) => out.given.push((slot, value)),
                        None => {
                            let message = format!("`{}` has one argument too many", word.kind);
                            let axes: Vec<&str> =
                                call.arguments.iter().filter_map(|a| word_of(&a.value)).collect();
                            match (word.kind, &axes[..]) {
                                (
                                    JointKind::Revolute,
                                    [first @ ("x" | "y" | "z"), second @ ("x" | "y" | "z")],
                                ) => {
                                    let help = format!(
                                        "two axes are two hinges, one after the other: `by revolute({first}) revolute({second})`"
                                    );
                                    self.refuse_for(word, value.span, message, help);
                                }
                                _ => self.refuse(word, value.span, message),
                            }
                            return None;
                        }
                    },
                }
                continue;
            };
            let general = if word.kind == JointKind::Fixed { &[] } else { MOVING };
            let mut slots = word.positional.iter().chain(word.named).chain(general);
            match slots.find(|s| **s == name.text) {
                Some(slot) if out.get(slot).is_some() => {
                    self.refuse(word, name.span, format!("`{slot}` is given twice"));
                    return None;
                }
                Some(slot) => out.given.push((slot, value)),
                None => {
                    let message = format!("`{}` has no argument `{}`", word.kind, name.text);
                    match synonyms::argument(&name.text) {
                        Some(instead) => self.refuse_for(word, name.span, message, instead.to_owned()),
                        None => self.refuse(word, name.span, message),
                    }
                    return None;
                }
            }
        }
        Some(out)
    }

    /// The steps of one call with their coordinates and speeds, without names.
    fn steps(&mut self, call: &'t Call, word: &Word, arguments: &Arguments<'t>) -> Option<()> {
        let span = call.span;
        match word.kind {
            JointKind::Fixed => match (arguments.get("angles"), arguments.get("rotate")) {
                (Some(angles), rotate) => {
                    let sequence = match rotate {
                        Some(e) => self.sequence(e)?,
                        None => Sequence([Axis::X, Axis::Y, Axis::Z]),
                    };
                    self.plan.steps.push(PlannedStep::Turn(sequence, angles));
                }
                (None, Some(rotate)) => {
                    self.refuse(word, rotate.span, "a fixed turn needs its angles".into());
                    return None;
                }
                (None, None) => {}
            },
            JointKind::Revolute | JointKind::Prismatic | JointKind::Cylindrical | JointKind::Screw => {
                let axis = self.required(call, word, arguments, "axis")?;
                let axis = self.axis(axis)?;
                if matches!(word.kind, JointKind::Prismatic | JointKind::Cylindrical) {
                    self.translate(axis, span);
                }
                if matches!(word.kind, JointKind::Revolute | JointKind::Cylindrical) {
                    self.rotate(axis, span);
                }
                if word.kind == JointKind::Screw {
                    let lead = self.required(call, word, arguments, "lead")?;
                    let k = self.single(Dimension::ANGLE, span);
                    self.plan.steps.push(PlannedStep::Screw(axis, lead, k));
                }
            }
            JointKind::Planar => {
                let normal = self.required(call, word, arguments, "normal")?;
                let AxisPlan::Axis(axis, negative) = self.axis(normal)? else {
                    let message = "the normal of a plane is x, y or z";
                    let d = Diagnostic::error(codes::AXIS, message).at(normal.span, "");
                    let help = "turn the joint for another direction: `planar(z, orient = (45 [deg], 0, 0))`";
                    self.diagnostics.push(d.hint(help));
                    return None;
                };
                let k = axis.index();
                self.translate(AxisPlan::Axis(Axis::ALL[(k + 1) % 3], false), span);
                self.translate(AxisPlan::Axis(Axis::ALL[(k + 2) % 3], false), span);
                self.rotate(AxisPlan::Axis(axis, negative), span);
            }
            JointKind::Universal => {
                let first = self.required(call, word, arguments, "axes")?;
                let axes = match (arguments.get("second"), &first.kind) {
                    (Some(second), _) => vec![self.axis(first)?, self.axis(second)?],
                    (None, ExprKind::Tuple(parts)) => {
                        parts.iter().map(|p| self.axis(p)).collect::<Option<_>>()?
                    }
                    (None, _) => {
                        let letters = word_of(first).unwrap_or("");
                        let axes: Option<Vec<Axis>> = letters.chars().map(Axis::named).collect();
                        let axes = axes.filter(|a| a.len() == 2 && a[0] != a[1]);
                        let Some(axes) = axes else {
                            self.no_axis(
                                first.span,
                                "a universal joint has two different axes, such as `xy`",
                            );
                            return None;
                        };
                        axes.into_iter().map(|a| AxisPlan::Axis(a, false)).collect()
                    }
                };
                if axes.len() != 2 {
                    self.no_axis(first.span, "a universal joint has two axes");
                    return None;
                }
                axes.into_iter().for_each(|a| self.rotate(a, span));
            }
            JointKind::Spherical | JointKind::Free => self.turning(word, arguments, span)?,
            _ => self.sequence_of_axes(call, word)?,
        }
        Some(())
    }

    fn turning(&mut self, word: &Word, arguments: &Arguments<'t>, span: Span) -> Option<()> {
        // A joint that is locked as a whole needs angles and their rates, of which each can be held.
        let locked = arguments.locked || arguments.get("lock").is_some();
        let orientation = match arguments.get("rotate") {
            None if locked => Orientation::Angles(Sequence([Axis::X, Axis::Y, Axis::Z])),
            None => Orientation::EulerParameters,
            Some(e) if word_of(e) == Some("euler_parameters") => Orientation::EulerParameters,
            Some(e) => Orientation::Angles(self.sequence(e)?),
        };
        let choice = match arguments.get("speeds").map(|e| (e, word_of(e))) {
            None if locked && orientation != Orientation::EulerParameters => SpeedChoice::CoordinateRates,
            None | Some((_, Some("body"))) => SpeedChoice::BodyFixed,
            Some((e, Some("rates"))) if orientation == Orientation::EulerParameters => {
                let message = "four Euler parameters cannot have their rates as speeds";
                let d = Diagnostic::error(codes::ARGUMENT, message).at(e.span, "");
                let help =
                    format!("take angles: write it like `{}(rotate = xyz, speeds = rates)`", word.kind);
                self.diagnostics.push(d.hint(help));
                return None;
            }
            Some((_, Some("rates"))) => SpeedChoice::CoordinateRates,
            Some((e, _)) => {
                self.refuse(word, e.span, "speeds are `body` (components in the body) or `rates`".into());
                return None;
            }
        };
        let is_free = word.kind == JointKind::Free;
        let (first, first_speed) = (self.plan.degrees.len(), self.plan.speeds.len());
        if choice == SpeedChoice::CoordinateRates {
            if is_free {
                Axis::ALL.into_iter().for_each(|a| self.translate(AxisPlan::Axis(a, false), span));
            }
            let first = self.plan.degrees.len();
            let first_speed = self.plan.speeds.len();
            (0..3).for_each(|_| {
                self.single(Dimension::ANGLE, span);
            });
            self.plan.steps.push(PlannedStep::Ball(orientation, choice, first, first_speed));
            return Some(());
        }
        if is_free {
            (0..3).for_each(|_| self.degree(Dimension::LENGTH, false, span));
            (0..3).for_each(|_| self.own_speed(Dimension::VELOCITY));
        }
        match orientation {
            Orientation::Angles(_) => (0..3).for_each(|_| self.degree(Dimension::ANGLE, false, span)),
            Orientation::EulerParameters => (0..4).for_each(|_| self.degree(Dimension::ONE, false, span)),
        }
        (0..3).for_each(|_| self.own_speed(Dimension::ANGULAR_VELOCITY));
        self.plan.steps.push(if is_free {
            PlannedStep::Free(orientation, first, first_speed)
        } else {
            PlannedStep::Ball(orientation, choice, first, first_speed)
        });
        Some(())
    }

    /// `translate(x = X1, z)`: every axis in the order written.
    fn sequence_of_axes(&mut self, call: &'t Call, word: &Word) -> Option<()> {
        let before = self.plan.degrees.len();
        for Argument { name, value } in &call.arguments {
            let axis = match name.as_ref().map(|n| n.text.as_str()) {
                None if matches!(word_of(value), Some("small" | "lock" | "locked")) => continue,
                None | Some("axis" | "axis 2" | "axis 3") => self.axis(value)?,
                Some(letter @ ("x" | "y" | "z")) => {
                    let axis = Axis::named(letter.chars().next().unwrap_or('x')).unwrap_or(Axis::X);
                    AxisPlan::Axis(axis, false)
                }
                Some(_) => continue,
            };
            if word.kind == JointKind::Translate {
                self.translate(axis, value.span)
            } else {
                self.rotate(axis, value.span)
            }
            if name.as_ref().is_some_and(|n| n.text.len() == 1) {
                let name = self.name(value)?;
                if let Some(degree) = self.plan.degrees.last_mut() {
                    degree.name = Some(name);
                    degree.span = name.span;
                }
            }
        }
        if self.plan.degrees.len() == before {
            self.refuse(word, call.span, format!("`{}` needs an axis", word.kind));
            return None;
        }
        Some(())
    }

    /// Names, smallness, locks and prescribed motions of one call.
    fn decorate(&mut self, call: &'t Call, arguments: &Arguments<'t>, first: usize, first_speed: usize) {
        if let Some(e) = arguments.get("q") {
            let n = self.plan.degrees.len() - first;
            if let Some(names) = self.names(e, n, "coordinates") {
                for (degree, name) in self.plan.degrees[first..].iter_mut().zip(names) {
                    degree.name = Some(name);
                    degree.span = name.span;
                }
            }
        }
        if let Some(e) = arguments.get("speed") {
            let n = self.plan.speeds.len() - first_speed;
            if let Some(names) = self.names(e, n, "speeds") {
                for (speed, name) in self.plan.speeds[first_speed..].iter_mut().zip(names) {
                    speed.name = Some(name);
                }
            }
        }
        if arguments.small {
            self.plan.degrees[first..].iter_mut().for_each(|d| d.small = 1);
        }
        if let Some(e) = arguments.get("small") {
            let parts = parts_of(e);
            for (k, degree) in self.plan.degrees[first..].iter_mut().enumerate() {
                let part = if parts.len() == 1 { parts[0] } else { parts.get(k).copied().unwrap_or(e) };
                match &part.kind {
                    ExprKind::Number(text) if matches!(text.as_str(), "0" | "1" | "2" | "3" | "4" | "5") => {
                        degree.small = text.parse().unwrap_or(1);
                    }
                    _ => {
                        let message = "an order of smallness is a whole number from 0 to 5";
                        let d = Diagnostic::error(codes::ARGUMENT, message).at(part.span, "");
                        self.diagnostics
                            .push(d.hint("write `small`, `small = 2`, or one number for each degree"));
                        return;
                    }
                }
            }
        }
        if arguments.locked || arguments.get("lock").is_some() {
            for k in first..self.plan.degrees.len() {
                self.plan.lock(k, call.span, self.diagnostics);
            }
        }
        self.bound(arguments, first, first_speed);
        if let Some(e) = arguments.get("motion") {
            match (self.plan.degrees.len() - first, self.plan.degrees.get_mut(first)) {
                (1, Some(degree)) => degree.motion = Some(e),
                _ => {
                    let message = "a prescribed motion belongs to a joint with one coordinate";
                    let d = Diagnostic::error(codes::ARGUMENT, message).at(e.span, "");
                    self.diagnostics
                        .push(d.hint("write a sequence, such as `translate(x, motion = s) rotate(z)`"));
                }
            }
        }
    }

    /// Limits and rotor inertias of one call.
    fn bound(&mut self, arguments: &Arguments<'t>, first: usize, first_speed: usize) {
        let refuse = |planner: &mut Self, e: &Expr, message: &str, help: &str| {
            planner.diagnostics.push(Diagnostic::error(codes::ARGUMENT, message).at(e.span, "").hint(help));
        };
        if let Some(e) = arguments.get("limit") {
            match (&mut self.plan.degrees[first..], &e.kind) {
                ([degree], ExprKind::Range { .. }) => degree.limit = Some(e),
                ([_], _) => {
                    let message = "limits are a smallest and a largest value";
                    refuse(self, e, message, "write a range, such as `limit = -10 [deg] .. 120 [deg]`");
                }
                _ => {
                    let message = "limits in a joint belong to a single coordinate";
                    let help =
                        "name the coordinates and write `limit NAME on q { lower = …; upper = … }` for each";
                    refuse(self, e, message, help);
                }
            }
        }
        if let Some(e) = arguments.get("armature") {
            let speeds = &mut self.plan.speeds[first_speed..];
            let n = n_entries(e);
            let alike = speeds.windows(2).all(|w| w[0].dimension == w[1].dimension);
            if n == speeds.len() || (n == 1 && alike) {
                for (k, speed) in speeds.iter_mut().enumerate() {
                    speed.armature = Some((e, k.min(n - 1)));
                }
                return;
            }
            let message = format!("this joint has {} freedoms, and {n} armatures", speeds.len());
            refuse(
                self,
                e,
                &message,
                "give as many in brackets as there are freedoms, translations first as masses",
            );
        }
    }

    fn degree(&mut self, dimension: Dimension, single: bool, span: Span) {
        self.plan.degrees.push(Degree {
            name: None,
            dimension,
            small: 0,
            locked: false,
            motion: None,
            limit: None,
            single,
            span,
        });
    }
    fn own_speed(&mut self, dimension: Dimension) {
        self.plan.speeds.push(PlannedSpeed { name: None, rate_of: None, dimension, armature: None });
    }
    fn single(&mut self, dimension: Dimension, span: Span) -> usize {
        let k = self.plan.degrees.len();
        self.degree(dimension, true, span);
        let dimension = dimension / Dimension::TIME;
        self.plan.speeds.push(PlannedSpeed { name: None, rate_of: Some(k), dimension, armature: None });
        k
    }
    fn translate(&mut self, axis: AxisPlan<'t>, span: Span) {
        let k = self.single(Dimension::LENGTH, span);
        self.plan.steps.push(PlannedStep::Translate(axis, k));
    }
    fn rotate(&mut self, axis: AxisPlan<'t>, span: Span) {
        let k = self.single(Dimension::ANGLE, span);
        self.plan.steps.push(PlannedStep::Rotate(axis, k));
    }

    fn required(
        &mut self,
        call: &'t Call,
        word: &Word,
        arguments: &Arguments<'t>,
        name: &str,
    ) -> Option<&'t Expr> {
        let given = arguments.get(name);
        if given.is_none() {
            self.refuse(word, call.span, format!("`{}` needs its {name}", word.kind));
        }
        given
    }

    fn no_axis(&mut self, span: Span, message: &str) {
        let d = Diagnostic::error(codes::AXIS, message).at(span, "");
        self.diagnostics
            .push(d.hint("axes are `x`, `y`, `z`, `-x`, `-y`, `-z`, or a direction such as `(1, 1, 0)`"));
    }

    fn axis(&mut self, e: &'t Expr) -> Option<AxisPlan<'t>> {
        let (inner, negative) = match &e.kind {
            ExprKind::Unary { op: UnaryOp::Minus, operand } => (&**operand, true),
            _ => (e, false),
        };
        if let Some(word) = word_of(inner) {
            let mut letters = word.chars();
            if let (Some(axis), None) = (letters.next().and_then(Axis::named), letters.next()) {
                return Some(AxisPlan::Axis(axis, negative));
            }
        }
        match inner.kind {
            ExprKind::Number(_) | ExprKind::Text(_) => {
                self.no_axis(e.span, "this is not an axis");
                None
            }
            ExprKind::Missing => None,
            _ => Some(AxisPlan::Direction(e)),
        }
    }

    fn sequence(&mut self, e: &Expr) -> Option<Sequence> {
        let sequence = word_of(e).and_then(Sequence::named);
        if sequence.is_none() {
            let message = "a sequence of rotations is three axes, neighbours different";
            let d = Diagnostic::error(codes::AXIS, message).at(e.span, "");
            self.diagnostics
                .push(d.hint("write `xyz`, `zyx`, `zxz` or another of the twelve, or `euler_parameters`"));
        }
        sequence
    }

    fn name(&mut self, e: &'t Expr) -> Option<&'t Name> {
        match &e.kind {
            ExprKind::Name(path) if path.as_name().is_some() => path.as_name(),
            ExprKind::Missing => None,
            _ => {
                let d = Diagnostic::error(codes::ARGUMENT, "this is not a name for a coordinate");
                let d = d.at(e.span, "").because("the coordinate starts at the value in `start { … }`");
                self.diagnostics.push(d.hint("write one word, such as `rotate(z = PSI)`"));
                None
            }
        }
    }

    fn names(&mut self, e: &'t Expr, n: usize, what: &str) -> Option<Vec<&'t Name>> {
        let parts = parts_of(e);
        // What is wrong there has been said.
        if parts.iter().any(|p| matches!(p.kind, ExprKind::Missing)) {
            return None;
        }
        if parts.len() != n {
            let message = format!("this joint has {n} {what}, and {} are named", parts.len());
            let d = Diagnostic::error(codes::ARGUMENT, message).at(e.span, "");
            self.diagnostics.push(d.hint("give one name, or as many names in brackets as there are"));
            return None;
        }
        parts.into_iter().map(|p| self.name(p)).collect()
    }
}
