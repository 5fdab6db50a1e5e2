//! Library elements: springs, dampers, bushings; prescribed motions stand in `prescribed_motion`, limits of joints in `joint_limits`. Each is a few lines of vector algebra.
//!
//! ```text
//! [spring]          F_P = k (L - L0) e          e from P to Q, L their distance; V = k (L - L0)²/2
//! [damper]          F_P = c dL/dt e
//! [torsion-spring]  T_B = -k (angle - rest) a   about the axis a, from body A; V = k (angle - rest)²/2
//! [torsion-damper]  T_B = -c ((w_B - w_A) · a) a
//! [bushing]         F_P = -Σ (k_i d_i + c_i ḋ_i) b_i      d from Q to P, in the frame of Q
//!                   T_P = -Σ (κ_i θ_i + γ_i w_i) b_i      θ = ½ Σ_j b_j × p_j, the turn of P's frame in Q's
//! ```

use cardan_base::{Span, nearest};
use cardan_expr::{Expr, Rational};
use cardan_kinematics::{FrameId, Motion, Point, Vector};
use cardan_model::{Element, ElementEnds, ElementKind, ElementPart, Load, LoadId, LoadKind, PropertyValue};
use cardan_syntax::{self as syntax, Ends, StatementKind};
use cardan_units::Dimension;

use crate::codes;
use crate::context::{BuiltCoordinate, Env, Resolver};
use crate::joints::{joint_limits, prescribed_motion};
use crate::names::scope::{ItemId, Status};
use crate::statements::contacts;
use crate::types::synonyms;
use crate::types::value::Value;

/// A property of an element: name, dimension, whether it must be given.
pub type Property = (&'static str, Dimension, bool);

const STIFFNESS: Property = ("stiffness", Dimension::STIFFNESS, true);
const DAMPING: Property = ("damping", Dimension::DAMPING, true);
const LENGTH: Property = ("length", Dimension::LENGTH, false);
const TORSION: Property = ("stiffness", Dimension::ANGULAR_STIFFNESS, true);
const TORSION_DAMPING: Property = ("damping", Dimension::ANGULAR_DAMPING, true);
const REST: Property = ("rest", Dimension::ANGLE, false);
const ANGLE: Property = ("angle", Dimension::ANGLE, false);
const AXIS: Property = ("axis", Dimension::ONE, false);

/// Every element with its properties.
#[rustfmt::skip]
pub const ELEMENTS: &[(ElementKind, &[Property])] = &[
    (ElementKind::Spring,                &[STIFFNESS, LENGTH]),
    (ElementKind::Damper,                &[DAMPING]),
    (ElementKind::SpringDamper,         &[STIFFNESS, DAMPING, LENGTH]),
    (ElementKind::TorsionSpring,        &[TORSION, REST, ANGLE, AXIS]),
    (ElementKind::TorsionDamper,        &[TORSION_DAMPING, AXIS]),
    (ElementKind::TorsionSpringDamper, &[TORSION, TORSION_DAMPING, REST, ANGLE, AXIS]),
    (ElementKind::Motion,                &[]),
    (ElementKind::Limit,                 joint_limits::LIMIT),
    (ElementKind::Stop,                  joint_limits::STOP),
    (ElementKind::Bushing,               &[("stiffness", Dimension::STIFFNESS, false), ("damping", Dimension::DAMPING, false),
                                ("torsion_stiffness", Dimension::ANGULAR_STIFFNESS, false), ("torsion_damping", Dimension::ANGULAR_DAMPING, false)]),
    (ElementKind::Contact,               contacts::CONTACT),
];

/// What an element tells about itself; tension counts as positive.
pub fn signals(kind: ElementKind) -> &'static [&'static str] {
    match kind {
        ElementKind::Spring | ElementKind::Damper | ElementKind::SpringDamper => &["length", "rate", "force"],
        ElementKind::TorsionSpring | ElementKind::TorsionSpringDamper => &["angle", "rate", "torque"],
        ElementKind::TorsionDamper => &["rate", "torque"],
        ElementKind::Bushing => &["force", "torque"],
        ElementKind::Motion => prescribed_motion::SIGNALS,
        ElementKind::Stop => joint_limits::SIGNALS,
        ElementKind::Contact => contacts::SIGNALS,
        ElementKind::Limit => &[],
    }
}

/// The two ends of an element; the second is the ground if it is missing.
pub fn ends(element: &syntax::Element) -> (&syntax::Expr, Option<&syntax::Expr>) {
    match &element.ends {
        Ends::Between(p, q) => (p, Some(q)),
        Ends::On { on, from } => (on, from.as_ref()),
    }
}

/// What an element is in words; may be empty.
pub fn element_description(element: &syntax::Element) -> String {
    element.description.as_ref().map_or(String::new(), |t| t.text.clone())
}

/// Signals of an element with their values.
pub type Told = Vec<(&'static str, Value)>;

/// The properties of one element, evaluated as far as they are numbers.
pub struct Given<'t> {
    properties: &'static [Property],
    expressions: Vec<(&'static str, &'t syntax::Expr)>,
}

impl<'t> Given<'t> {
    pub fn get(&self, name: &str) -> Option<&'t syntax::Expr> {
        self.expressions.iter().find(|(n, _)| *n == name).map(|(_, e)| *e)
    }
}

impl<'t> Resolver<'t> {
    /// `KIND NAME between P and Q { … }`: adds its loads, and tells its signals.
    pub fn element(&mut self, item: ItemId, index: usize) {
        let entry = &self.names.elements[index];
        let (tree, span) = (entry.tree, entry.span);
        let told = self.build_element(tree, span);
        self.tell(item, told);
    }

    fn build_element(&mut self, element: &'t syntax::Element, span: Span) -> Option<Told> {
        let word = element.kind.text.as_str();
        let Some(&(kind, properties)) = ELEMENTS.iter().find(|(k, _)| k.name() == word) else {
            let names: Vec<&str> = ELEMENTS.iter().map(|(k, _)| k.name()).collect();
            let load = matches!(word, "force" | "torque");
            if load && element.value.is_some() && !element.content.is_empty() {
                let message = format!("a {word} has nothing in braces but its energy");
                let help =
                    format!("write `{word} {} on P = … {{ energy = … }}`, or no braces", element.name.text);
                self.error(codes::MISPLACED, message, element.kind.span, help);
                return None;
            }
            let foreign = synonyms::element(word);
            let help =
                match foreign.or_else(|| nearest(word, names.iter().copied().chain(["force", "torque"]))) {
                    Some(_) if load => {
                        format!("a {word} acts on something: `{word} {} on P from Q = …`", element.name.text)
                    }
                    Some(near) => format!("write `{near}`"),
                    None => format!("elements are {}", names.join(", ")),
                };
            let help = synonyms::part(word).map_or(help, str::to_owned);
            self.error(
                codes::UNKNOWN_WORD,
                format!("there is no element called `{word}`"),
                element.kind.span,
                help,
            );
            return None;
        };
        if prescribed_motion::drives(element) {
            return self.motion(element, span);
        }
        if matches!(kind, ElementKind::Limit | ElementKind::Stop) {
            return self.bounds(element, kind, span);
        }
        if let Some(e) = &element.value {
            let help = "write its properties in braces: `{ stiffness = 100 [N/m] }`";
            self.error(codes::MISPLACED, "an element has properties, not a value", e.span, help);
            return None;
        }
        let given = self.properties(element, properties)?;
        let (first, second) = ends(element);
        let twists = matches!(
            kind,
            ElementKind::TorsionSpring | ElementKind::TorsionDamper | ElementKind::TorsionSpringDamper
        );
        let shapes = match kind {
            ElementKind::Contact => self.shape_ends((first, second), &given),
            _ => None,
        };
        if let Some(ends) = shapes {
            self.shape_contact(element, &given, ends, span)
        } else if twists {
            self.torsion((element, kind), first, second, &given, span)
        } else {
            let env = Env::default();
            let p = self.point(first, &env, "");
            let q = match second {
                Some(e) => self.point(e, &env, ""),
                None => Some(self.space().origin(self.space().newtonian())),
            };
            let (p, q) = (p?, q?);
            if kind == ElementKind::Contact {
                self.touching(element, &given, (&p, &q), span)
            } else if kind == ElementKind::Bushing {
                self.bushing(element, &p, &q, &given, span)
            } else {
                self.spring((element, kind), &p, &q, &given, span)
            }
        }
    }

    pub fn properties(
        &mut self,
        element: &'t syntax::Element,
        properties: &'static [Property],
    ) -> Option<Given<'t>> {
        let mut given = Given { properties, expressions: vec![] };
        let mut failed = false;
        for statement in &element.content {
            let StatementKind::Assign(a) = &statement.kind else {
                let help = "inside an element stand its properties, such as `stiffness = 100 [N/m]`";
                self.error(
                    codes::MISPLACED,
                    "this statement means nothing inside an element",
                    statement.span,
                    help,
                );
                failed = true;
                continue;
            };
            let name = a.target.as_name().map_or("", |n| n.text.as_str());
            match properties.iter().find(|(p, _, _)| *p == name) {
                Some((p, _, _)) if given.get(p).is_some() => {
                    self.error(
                        codes::DUPLICATE,
                        format!("`{p}` is given twice"),
                        a.target.span,
                        "remove one of them",
                    );
                    failed = true;
                }
                Some((p, _, _)) => given.expressions.push((p, &a.value)),
                None => {
                    let names: Vec<&str> = properties.iter().map(|(p, _, _)| *p).collect();
                    let message =
                        format!("`{}` has no property `{}`", element.kind.text, self.text(a.target.span));
                    let near = synonyms::property(name, &names);
                    let help = match near.or_else(|| nearest(name, names.iter().copied())) {
                        Some(near) => format!("write `{near} = {}`", self.text(a.value.span)),
                        None => format!("there is {}", names.join(", ")),
                    };
                    self.error(codes::UNKNOWN_WORD, message, a.target.span, help);
                    failed = true;
                }
            }
        }
        for (name, dimension, required) in properties {
            if *required && given.get(name).is_none() && !failed {
                let message = format!("this {} needs its {name}", element.kind.text.replace('_', " "));
                self.error(
                    codes::ARGUMENT,
                    message,
                    element.name.span,
                    format!("write `{name} = 1 [{dimension}]` in its braces"),
                );
                failed = true;
            }
        }
        (!failed).then_some(given)
    }

    /// A number among the properties; zero if it is not given.
    pub fn property(&mut self, given: &Given<'t>, name: &str) -> Option<Expr> {
        let dimension = given.properties.iter().find(|(p, _, _)| *p == name).map(|(_, d, _)| *d)?;
        match given.get(name) {
            Some(e) => {
                self.scalar(e, dimension, &format!("this {}", name.replace('_', " ")), &Env::default())
            }
            None => Some(self.pool().zero()),
        }
    }

    /// Three numbers among the properties: a tuple, or one for all axes.
    fn triple(&mut self, given: &Given<'t>, name: &str) -> Option<[Expr; 3]> {
        let dimension = given.properties.iter().find(|(p, _, _)| *p == name).map(|(_, d, _)| *d)?;
        let Some(e) = given.get(name) else { return Some([self.pool().zero(); 3]) };
        let what = format!("this {}", name.replace('_', " "));
        match self.evaluate(e, &Env::default())? {
            Value::Tuple(parts) => {
                let (c, found, bare) = self.components(parts, 3, e.span)?;
                self.expect_components(&c, found, bare, dimension, e.span, &what)?;
                Some([c[0], c[1], c[2]])
            }
            Value::Scalar(s) => self.expect(&s, e, dimension, &what, &Env::default()).map(|k| [k; 3]),
            other => {
                self.wrong_kind(&other, e.span, "a number");
                None
            }
        }
    }

    fn add_element_load(
        &mut self,
        element: &'t syntax::Element,
        part: &str,
        kind: LoadKind,
        potential: Option<Expr>,
        span: Span,
    ) -> Option<LoadId> {
        let name = format!("{}{part}", self.element_name(element));
        let description = element_description(element);
        let conservative = potential.is_some();
        let load = Load { name, description, kind, potential, conservative, span: Some(span) };
        Some(self.builder.add_load(load))
    }

    /// The path of an element.
    pub fn element_name(&self, element: &syntax::Element) -> String {
        format!("{}{}", self.names.scopes[self.root].prefix, element.name.text)
    }

    /// An element of the model that exerts nothing yet.
    fn recorded(
        &self,
        element: &syntax::Element,
        kind: ElementKind,
        ends: ElementEnds,
        span: Span,
    ) -> Element {
        let description = element_description(element);
        Element { description, ..Element::new(self.element_name(element), kind, ends, Some(span)) }
    }

    pub fn half_square(&self, k: Expr, x: Expr) -> Expr {
        self.pool().scale(Rational::Small(1, 2), self.pool().mul(k, self.pool().powi(x, 2)))
    }

    /// Whether a coefficient is fixed, so that the energy it stores is a potential.
    fn stores_energy(&self, exprs: &[Expr]) -> bool {
        exprs.iter().all(|e| self.pool().depends(*e).is_constant())
    }

    /// Whether points are fixed on their bodies.
    ///
    /// A force acts on the particle of the body that is at its point at this instant, and works along the velocity of that
    /// particle. Where the point moves on the body, with u relative to it, the energy of a spring changes by the
    /// power F·u besides, which moves the point and no body: then there is no potential, and the work is that of the force.
    fn are_fixed(&self, points: &[&Point]) -> bool {
        points.iter().all(|p| self.stores_energy(&p.coordinates))
    }

    fn spring(
        &mut self,
        (element, kind): (&'t syntax::Element, ElementKind),
        p: &Point,
        q: &Point,
        given: &Given<'t>,
        span: Span,
    ) -> Option<Told> {
        let offset = self.space().position(p, q);
        if offset.is_zero() {
            let help = "let it act between two different points";
            self.error(
                codes::UNDEFINED,
                "both ends of this element are the same place",
                element.name.span,
                help,
            );
            return None;
        }
        if p.frame == q.frame {
            let body = self.space().frame(p.frame).name.clone();
            let message = format!("both ends of this element are on `{body}`");
            let d = cardan_base::Diagnostic::warning(codes::OWN_JOINT, message)
                .at(element.name.span, "its length never changes, so it moves nothing");
            let other = if p.frame == self.space().newtonian() {
                "B.o".to_owned()
            } else {
                format!("{}.o", self.ground())
            };
            self.report(d.hint(format!("let one end be on another body: `and {other}`")));
        }
        let direction = self.space().direction(&offset);
        let length = self.space().magnitude(&offset);
        let approach = self.space().velocity(q).sub(self.pool(), &self.space().velocity(p));
        let rate = self.space().dot(&approach, &direction);
        let both = kind == ElementKind::SpringDamper;
        let mut tension = vec![];
        let ends = ElementEnds::Points(p.clone(), q.clone());
        let mut made = self.recorded(element, kind, ends, span);
        if kind.has_spring() {
            let k = self.property(given, "stiffness");
            let rest = self.property(given, "length");
            let (k, rest) = (k?, rest?);
            let stretch = self.pool().sub(length, rest);
            let pull = self.pool().mul(k, stretch); // [spring]
            let stores = self.stores_energy(&[k, rest]) && self.are_fixed(&[p, q]);
            let potential = stores.then(|| self.half_square(k, stretch));
            let load = self.force_between(direction.scale(self.pool(), pull), p, q);
            let load =
                self.add_element_load(element, if both { ".spring" } else { "" }, load, potential, span)?;
            made = made.with_scalar("stiffness", Dimension::STIFFNESS, k);
            if given.get("length").is_some() {
                made = made.with_scalar("length", Dimension::LENGTH, rest);
            }
            made.loads.push((ElementPart::Spring, load));
            tension.push(pull);
        }
        if kind.has_damper() {
            let c = self.property(given, "damping")?;
            let pull = self.pool().mul(c, rate); // [damper]
            let load = self.force_between(direction.scale(self.pool(), pull), p, q);
            let load = self.add_element_load(element, if both { ".damper" } else { "" }, load, None, span)?;
            made = made.with_scalar("damping", Dimension::DAMPING, c);
            made.loads.push((ElementPart::Damper, load));
            tension.push(pull);
        }
        self.builder.add_element(made);
        Some(vec![
            ("length", Value::quantity(length, Dimension::LENGTH)),
            ("rate", Value::quantity(rate, Dimension::VELOCITY)),
            ("force", Value::quantity(self.pool().sum(tension), Dimension::FORCE)),
        ])
    }

    fn torsion(
        &mut self,
        (element, kind): (&'t syntax::Element, ElementKind),
        on: &'t syntax::Expr,
        from: Option<&'t syntax::Expr>,
        given: &Given<'t>,
        span: Span,
    ) -> Option<Told> {
        let env = Env::default();
        let on = self.frame(on, &env);
        let from = match from {
            Some(e) => self.frame(e, &env),
            None => Some(self.space().newtonian()),
        };
        let (on, from) = (on?, from?);
        let joint = self.pin_between(on, from);
        let axis = match (given.get("axis"), &joint) {
            (Some(e), _) => {
                let v = self.vector(e, Dimension::ONE, "this axis", &env)?;
                if v.is_zero() {
                    self.error(
                        codes::AXIS,
                        "this axis has no length",
                        e.span,
                        "give a direction, such as `A.z`",
                    );
                    return None;
                }
                self.space().direction(&v)
            }
            (None, Some((axis, _))) => axis.clone(),
            (None, None) => {
                let message = "no joint with one axis lies between these bodies";
                self.error(codes::ARGUMENT, message, element.name.span, "write `axis = A.z` in the braces");
                return None;
            }
        };
        let both = kind == ElementKind::TorsionSpringDamper;
        let w = self.space().w_in(on, from);
        let rate = self.space().dot(&w, &axis);
        let mut told = vec![("rate", Value::quantity(rate, Dimension::ANGULAR_VELOCITY))];
        let mut torque = vec![];
        let mut made = self.recorded(element, kind, ElementEnds::Frames(on, from), span);
        if kind.has_spring() {
            let k = self.property(given, "stiffness")?;
            let rest = self.property(given, "rest")?;
            let angle = match (given.get("angle"), joint) {
                (Some(_), _) => self.property(given, "angle")?,
                (None, Some((_, q))) => q,
                (None, None) if self.reference_axis(&axis, from).is_some() => {
                    let k = self.reference_axis(&axis, from).unwrap_or(0);
                    let (a, b) = (self.space().axis(from, k), self.space().axis(on, k));
                    self.unwrapped_angle(&a, &b, &axis)
                }
                (None, None) => {
                    let message = "the angle of this spring is not known";
                    self.error(
                        codes::ARGUMENT,
                        message,
                        element.name.span,
                        "write `angle = …` in the braces",
                    );
                    return None;
                }
            };
            let twist = self.pool().sub(angle, rest);
            let pull = self.pool().neg(self.pool().mul(k, twist)); // [torsion-spring]
            let vector = axis.scale(self.pool(), pull);
            told.push(("angle", Value::quantity(angle, Dimension::ANGLE)));
            torque.push(pull);
            // What stands for the angle may be any expression: there is a potential only if it turns as the bodies do.
            let follows = self.pool().is_zero(self.pool().sub(self.space().dt(twist), rate));
            let stores = follows && self.stores_energy(&[k, rest]);
            let potential = stores.then(|| self.half_square(k, twist));
            let load = LoadKind::Torque { vector, on, reaction: self.moving_frame(from) };
            let load =
                self.add_element_load(element, if both { ".spring" } else { "" }, load, potential, span)?;
            made = made.with_scalar("stiffness", Dimension::ANGULAR_STIFFNESS, k);
            if given.get("rest").is_some() {
                made = made.with_scalar("rest", Dimension::ANGLE, rest);
            }
            made = made.with_scalar("angle", Dimension::ANGLE, angle);
            made.loads.push((ElementPart::Spring, load));
        }
        if kind.has_damper() {
            let c = self.property(given, "damping")?;
            let pull = self.pool().neg(self.pool().mul(c, rate)); // [torsion-damper]
            let vector = axis.scale(self.pool(), pull);
            torque.push(pull);
            let load = LoadKind::Torque { vector, on, reaction: self.moving_frame(from) };
            let load = self.add_element_load(element, if both { ".damper" } else { "" }, load, None, span)?;
            made = made.with_scalar("damping", Dimension::ANGULAR_DAMPING, c);
            made.loads.push((ElementPart::Damper, load));
        }
        self.builder.add_element(made.with("axis", Dimension::ONE, PropertyValue::Axis(axis)));
        told.push(("torque", Value::quantity(self.pool().sum(torque), Dimension::TORQUE)));
        Some(told)
    }

    /// The axis of a frame from which turns about a direction that is fixed in it are counted: the one that is the
    /// farthest from it.
    fn reference_axis(&self, direction: &Vector, frame: FrameId) -> Option<usize> {
        let components = self.space().components(direction, frame);
        let sizes = components.map(|c| self.pool().as_number(c).map(|n| n.to_f64().abs()));
        let known: Vec<f64> = sizes.into_iter().collect::<Option<_>>()?;
        (0..3).min_by(|a, b| known[*a].total_cmp(&known[*b]))
    }

    /// The axis and the angle of the pin by which one frame hangs on the other; signs as seen by the first.
    fn pin_between(&self, on: FrameId, from: FrameId) -> Option<(Vector, Expr)> {
        for (child, parent, sign) in [(on, from, 1), (from, on, -1)] {
            let body = self.names.bodies.iter().position(
                |b| matches!(self.names.items[b.frame].status, Status::Done(Value::Frame(f)) if f == child),
            );
            let Some(b) = body else { continue };
            let model = self.builder.model();
            let joint = model.body_in(child).and_then(|id| model.bodies[id].joint).map(|j| &model.joints[j]);
            let Some(joint) = joint.filter(|j| j.parent == parent && self.built[b].len() == 1) else {
                continue;
            };
            let BuiltCoordinate::Free(id) = self.built[b][0] else { continue };
            let moving = joint.frames.iter().find_map(|f| match &self.space().frame(*f).motion {
                Motion::Rotation { direction, .. } => Some((*f, *direction)),
                _ => None,
            });
            let Some((frame, direction)) = moving else { continue };
            let axis = self.space().vector(frame, direction);
            // A pin whose axis points along −z turns by the angle about −z; seen from the other side both signs
            // change, so the axis is kept and the angle changes sign.
            let q = self.pool().scale(Rational::int(sign), model.coordinates[id].symbol);
            return Some((axis, q));
        }
        None
    }

    fn bushing(
        &mut self,
        element: &'t syntax::Element,
        p: &Point,
        q: &Point,
        given: &Given<'t>,
        span: Span,
    ) -> Option<Told> {
        let k = self.triple(given, "stiffness");
        let c = self.triple(given, "damping");
        let kr = self.triple(given, "torsion_stiffness");
        let cr = self.triple(given, "torsion_damping");
        let (k, c, kr, cr) = (k?, c?, kr?, cr?);
        let (space, pool) = (self.space(), self.pool());
        let d = space.components(&space.position(q, p), q.frame);
        let elastic: [Expr; 3] = std::array::from_fn(|i| pool.neg(pool.mul(k[i], d[i])));
        let viscous: [Expr; 3] = std::array::from_fn(|i| pool.neg(pool.mul(c[i], space.dt(d[i]))));
        let mut turn = Vector::ZERO;
        for j in 0..3 {
            turn = turn.add(pool, &space.cross(&space.axis(q.frame, j), &space.axis(p.frame, j)));
        }
        let turn = turn.scale(pool, pool.number(Rational::Small(1, 2)));
        let theta = space.components(&turn, q.frame);
        let w = space.components(&space.w_in(p.frame, q.frame), q.frame);
        let moment: [Expr; 3] =
            std::array::from_fn(|i| pool.neg(pool.add(pool.mul(kr[i], theta[i]), pool.mul(cr[i], w[i]))));
        let force = |components| LoadKind::Force {
            vector: space.vector(q.frame, components),
            at: p.clone(),
            reaction: self.moving_frame(q.frame).map(|frame| cardan_model::Reaction { frame, at: None }),
        };
        let energy: Vec<Expr> = (0..3).map(|i| self.half_square(k[i], d[i])).collect();
        let stores = self.stores_energy(&k) && self.are_fixed(&[p, q]);
        let potential = stores.then(|| pool.sum(energy));
        let total = std::array::from_fn(|i| pool.add(elastic[i], viscous[i]));
        let told = vec![
            ("force", Value::vector(space.vector(q.frame, total), Dimension::FORCE)),
            ("torque", Value::vector(space.vector(q.frame, moment), Dimension::TORQUE)),
        ];
        let (elastic, viscous) = (force(elastic), force(viscous));
        let moment = LoadKind::Torque {
            vector: space.vector(q.frame, moment),
            on: p.frame,
            reaction: self.moving_frame(q.frame),
        };
        let ends = ElementEnds::Points(p.clone(), q.clone());
        let mut made = self.recorded(element, ElementKind::Bushing, ends, span);
        for ((name, dimension, _), value) in given.properties.iter().zip([k, c, kr, cr]) {
            if given.get(name).is_some() {
                made = made.with(name, *dimension, PropertyValue::Triple(value));
            }
        }
        for (part, name, load, potential) in [
            (ElementPart::Spring, ".spring", elastic, potential),
            (ElementPart::Damper, ".damper", viscous, None),
            (ElementPart::Whole, ".torque", moment, None),
        ] {
            let (LoadKind::Force { vector, .. } | LoadKind::Torque { vector, .. }) = &load;
            if !vector.is_zero() {
                let load = self.add_element_load(element, name, load, potential, span)?;
                made.loads.push((part, load));
            }
        }
        self.builder.add_element(made);
        Some(told)
    }
}
