//! What both formats build with: named data, places, bodies, forces in joints, the last checks.

use std::collections::BTreeSet;

use cardan_base::{Diagnostic, Diagnostics, Id, Span};
use cardan_expr::{Expr, Pool, Rational};
use cardan_kinematics::rotation::identity;
use cardan_kinematics::{FrameId, Matrix3, RateId};
use cardan_kinematics::{Motion, Point};
use cardan_model::{
    Body, BodyId, Builder, CoordinateSpec, Element, ElementEnds, ElementKind, ElementPart, Freedom, JointId,
    JointKind, Load, LoadId, Model, PropertyValue, Quantity, Rotor, Shape, Step,
};
use cardan_units::Dimension;

use crate::codes;
use crate::findings::Findings;
use crate::options::ImportOptions;
use crate::orientation::Triple;

/// A model in the making, with the findings so far.
pub(crate) struct Assembly<'o> {
    pub builder: Builder,
    pub findings: Findings,
    pub options: &'o ImportOptions,
    parameters: BTreeSet<String>,
}

/// Mass properties about the mass centre, in the body's axes.
pub(crate) struct MassProperties {
    pub mass: Expr,
    pub center: [Expr; 3],
    pub inertia: Matrix3,
}

impl<'o> Assembly<'o> {
    /// An empty model. The ground is called `N` unless something else is.
    pub fn new(name: &str, taken: &BTreeSet<&str>, options: &'o ImportOptions) -> Assembly<'o> {
        let ground = ["N", "ground"].into_iter().find(|n| !taken.contains(n)).unwrap_or("ground_");
        let name = if name.trim().is_empty() { "imported" } else { name };
        Assembly {
            builder: Builder::new(name, ground),
            findings: Findings::new(options.strict),
            options,
            parameters: BTreeSet::new(),
        }
    }
    pub fn pool(&self) -> &Pool {
        self.builder.space().pool()
    }
    /// A datum: a parameter with this value, or the value itself where that is zero or numbers are asked for.
    pub fn datum(&mut self, name: String, dimension: Dimension, value: Expr, span: Option<Span>) -> Expr {
        if self.options.numeric || self.pool().is_zero(value) {
            return value;
        }
        let mut unique = name.clone();
        let mut n = 2;
        while !self.parameters.insert(unique.clone()) {
            unique = format!("{name}{n}");
            n += 1;
        }
        let mut quantity = Quantity::new(unique, dimension);
        quantity.span = span;
        let id = self.builder.add_parameter(quantity, Some(value));
        self.builder.model().parameters[id].symbol
    }
    pub fn number_datum(&mut self, name: String, dimension: Dimension, value: &Rational, span: Span) -> Expr {
        let value = self.pool().number(value.clone());
        self.datum(name, dimension, value, Some(span))
    }
    /// A length that is zero where options allow.
    pub fn length(&mut self, value: &Rational, span: Span) -> Rational {
        match self.options.snap_lengths {
            Some(tolerance) if !value.is_zero() && value.to_f64().abs() < tolerance => {
                let one = Diagnostic::note(codes::SNAPPED, "a length is taken as zero")
                    .at(span, "nearly zero")
                    .because(format!(
                        "it is shorter than {tolerance:e} m; exact zeros make the equations smaller"
                    ))
                    .hint("`--exact` takes every number as written");
                self.findings.tally(one, "{n} lengths are taken as zero");
                Rational::ZERO
            }
            _ => value.clone(),
        }
    }
    pub fn lengths(&mut self, values: &Triple, span: Span) -> [Expr; 3] {
        let values = values.clone().map(|v| self.length(&v, span));
        values.map(|v| self.pool().number(v))
    }
    /// The steps to a constant place.
    pub fn place(&self, p: [Expr; 3], R: Matrix3) -> Vec<Step> {
        let pool = self.pool();
        let mut steps = vec![];
        if p.iter().any(|c| !pool.is_zero(*c)) {
            steps.push(Step::Shift(p));
        }
        if R != identity(pool) {
            steps.push(Step::Turn(R));
        }
        steps
    }
    /// Sets the acceleration of free fall, by parameters `gravity.x` and so on.
    pub fn set_gravity(&mut self, g: &Triple) {
        let components = [0, 1, 2].map(|i| {
            let value = self.pool().number(g[i].clone());
            let name = format!("gravity.{}", ["x", "y", "z"][i]);
            self.datum(name, Dimension::ACCELERATION, value, None)
        });
        let ground = self.builder.space().newtonian();
        let gravity = self.builder.space().vector(ground, components);
        self.builder.set_gravity(gravity);
    }
    /// The last frame of a joint: that of the body that it carries.
    pub fn frame_of(&self, joint: JointId) -> FrameId {
        let joint = &self.builder.model().joints[joint];
        joint.frames.last().copied().unwrap_or(joint.parent)
    }
    /// The degrees of freedom of a joint, in order.
    pub fn freedoms(&self, joint: JointId) -> Vec<Freedom> {
        self.builder.model().freedoms(joint)
    }
    pub fn add_body(
        &mut self,
        name: &str,
        joint: JointId,
        mass: Option<MassProperties>,
        span: Span,
    ) -> BodyId {
        let o = self.pool().zero();
        let mass = mass.unwrap_or(MassProperties { mass: o, center: [o; 3], inertia: [[o; 3]; 3] });
        self.builder.add_body(Body {
            name: name.into(),
            description: String::new(),
            frame: self.frame_of(joint),
            joint: Some(joint),
            mass: mass.mass,
            inertia: mass.inertia,
            center: mass.center,
            shapes: vec![],
            span: Some(span),
        })
    }
    /// Draws a solid that is turned in its body. Boxes and ellipsoids that a permutation of axes does not describe get
    /// a massless frame of their own.
    pub fn add_shape(&mut self, body: BodyId, shape: Shape, turn: Option<Matrix3>, span: Span) {
        let Some(R) = turn else {
            self.builder.body_mut(body).shapes.push(shape);
            return;
        };
        let host = &self.builder.model().bodies[body];
        let name = format!("{}.shape{}", host.name, host.shapes.len() + 1);
        let steps = self.place(shape.at, R);
        let joint = self.builder.add_joint(&name, JointKind::Fixed, host.frame, steps, Some(span));
        let own = self.add_body(&name, joint, None, span);
        let at = [self.pool().zero(); 3];
        self.builder.body_mut(own).shapes.push(Shape { at, ..shape });
    }
    /// An inertia added to one degree of freedom.
    pub fn add_rotor(&mut self, name: String, freedom: Freedom, inertia: Expr) {
        self.builder.add_rotor(Rotor { name, rate: freedom.rate, inertia });
    }
    /// A force or torque in a joint along one of its degrees of freedom, with the opposite on the frame before it. Speeds
    /// are fixed by then.
    pub fn add_effort(
        &mut self,
        name: String,
        freedom: Freedom,
        effort: Expr,
        potential: Option<Expr>,
        span: Option<Span>,
    ) {
        let _ = self.effort(name, freedom, effort, potential, span);
    }

    fn effort(
        &mut self,
        name: String,
        freedom: Freedom,
        effort: Expr,
        potential: Option<Expr>,
        span: Option<Span>,
    ) -> Option<LoadId> {
        let kind = self.builder.model().effort_along(freedom, effort)?;
        let conservative = potential.is_some();
        let load = Load { name, description: String::new(), kind, potential, conservative, span };
        Some(self.builder.add_load(load))
    }

    /// A linear spring along one degree of freedom, relaxed at a position: a torsion spring about the axis of a rotation, a
    /// bushing along the direction of a translation.
    ///
    /// ```text
    /// [single]   Q = -k (x - rest)      V = k (x - rest)²/2
    /// ```
    pub fn add_spring(
        &mut self,
        name: String,
        freedom: Freedom,
        k: Expr,
        [x, rest]: [Expr; 2],
        span: Option<Span>,
    ) {
        let pool = self.pool();
        let stretch = pool.sub(x, rest);
        let effort = pool.neg(pool.mul(k, stretch)); // [single]
        let potential = pool.scale(Rational::Small(1, 2), pool.mul(k, pool.powi(stretch, 2)));
        let Some(load) = self.effort(name.clone(), freedom, effort, Some(potential), span) else { return };
        let space = self.builder.space();
        let pool = space.pool();
        let frame = space.frame(freedom.frame);
        let parent = frame.parent.unwrap_or(space.newtonian());
        let made = match &frame.motion {
            Motion::Rotation { direction, .. } => {
                let ends = ElementEnds::Frames(freedom.frame, parent);
                let axis = space.vector(freedom.frame, *direction);
                let made = Element::new(name, ElementKind::TorsionSpring, ends, span);
                let made = made.with_scalar("stiffness", Dimension::ANGULAR_STIFFNESS, k);
                let made = made.with_scalar("rest", Dimension::ANGLE, rest);
                let made = made.with_scalar("angle", Dimension::ANGLE, x);
                made.with("axis", Dimension::ONE, PropertyValue::Axis(axis))
            }
            Motion::Translation { direction, .. } => {
                let relaxed =
                    std::array::from_fn(|i| pool.sub(frame.p_PoBo_P[i], pool.mul(direction[i], stretch)));
                let relaxed = Point { name: String::new(), frame: parent, coordinates: relaxed };
                let stiffness = direction.map(|d| if pool.is_zero(d) { d } else { k });
                let ends = ElementEnds::Points(space.origin(freedom.frame), relaxed);
                let made = Element::new(name.trim_end_matches(".spring"), ElementKind::Bushing, ends, span);
                made.with("stiffness", Dimension::STIFFNESS, PropertyValue::Triple(stiffness))
            }
            _ => return,
        };
        self.builder.add_element(Element { loads: vec![(ElementPart::Spring, load)], ..made });
    }

    /// The model, if nothing speaks against it.
    pub fn finish(mut self) -> (Option<Model>, Diagnostics) {
        if !self.findings.has_errors() {
            self.find_unresisted();
        }
        let mut diagnostics = self.findings.finish();
        if diagnostics.has_errors() {
            return (None, diagnostics);
        }
        let model = self.builder.finish();
        if let Err(reason) = &model {
            let d = Diagnostic::error(codes::UNKNOWN_NAME, format!("the robot is not complete: {reason}"));
            diagnostics.push(d.hint("leave out the part that was added last"));
        }
        (model.ok(), diagnostics)
    }

    /// Reports joints whose motion neither mass nor rotor resists.
    fn find_unresisted(&mut self) {
        let model = self.builder.model();
        let space = &model.space;
        let mut heavy = vec![false; space.frames().len()];
        for (_, body) in model.bodies.iter().filter(|(_, b)| !b.is_massless(space)) {
            heavy[body.frame.index()] = true;
        }
        // Children come after their parents.
        let parents: Vec<Option<FrameId>> = space.frames().iter().map(|(_, f)| f.parent).collect();
        for k in (0..heavy.len()).rev() {
            if let (true, Some(parent)) = (heavy[k], parents[k]) {
                heavy[parent.index()] = true;
            }
        }
        let mut found = vec![];
        for (_, joint) in model.joints.iter() {
            let idle = joint.frames.iter().find(|f| {
                let rates = space.frame(**f).motion.rates();
                let rotor = |r: &RateId| model.rotors.iter().any(|rotor| rotor.rate == *r);
                !heavy[f.index()] && rates.iter().any(|r| !rotor(r) && !space.pool().is_zero(space.rate(*r)))
            });
            if idle.is_some() {
                let message = format!("no mass resists the joint of `{}`", joint.name);
                let d = Diagnostic::warning(codes::NO_INERTIA, message)
                    .because("neither the body nor what hangs on it has mass, so no equation fixes its acceleration")
                    .hint("give the body a mass and an inertia, or fix the joint");
                found.push(match joint.span {
                    Some(span) => d.at(span, "moves only what has no mass"),
                    None => d,
                });
            }
        }
        found.into_iter().for_each(|d| self.findings.doubtful(d));
    }
}

/// A coordinate called `joint.q` with the speed `joint.u`, or with another letter in place of `q`.
pub(crate) fn coordinate(joint: &str, letter: &str, dimension: Dimension, span: Span) -> CoordinateSpec {
    let mut quantity = Quantity::new(format!("{joint}.{letter}"), dimension);
    quantity.span = Some(span);
    let speed = if letter == "q" { format!("{joint}.u") } else { format!("{joint}.v{letter}") };
    CoordinateSpec::new(quantity, speed)
}

/// The seven coordinates of a body that moves freely.
pub(crate) fn free_coordinates(joint: &str, span: Span) -> Vec<CoordinateSpec> {
    let place = ["x", "y", "z"].map(|c| coordinate(joint, c, Dimension::LENGTH, span));
    place.into_iter().chain(ball_coordinates(joint, span)).collect()
}

/// Euler parameters.
pub(crate) fn ball_coordinates(joint: &str, span: Span) -> Vec<CoordinateSpec> {
    ["e0", "e1", "e2", "e3"].map(|c| coordinate(joint, c, Dimension::ONE, span)).into()
}

/// Velocity components in the moving body.
pub(crate) fn free_speeds(joint: &str) -> Vec<Quantity> {
    let along = ["vx", "vy", "vz"].map(|c| Quantity::new(format!("{joint}.{c}"), Dimension::VELOCITY));
    along.into_iter().chain(ball_speeds(joint)).collect()
}

/// Angular velocity components in the moving body.
pub(crate) fn ball_speeds(joint: &str) -> Vec<Quantity> {
    ["wx", "wy", "wz"].map(|c| Quantity::new(format!("{joint}.{c}"), Dimension::ANGULAR_VELOCITY)).into()
}
