//! Models built by hand, and the way from a model to a run.

#![allow(dead_code, clippy::unwrap_used, reason = "each test file uses its part; what fails fails the test")]

use cardan_compile::choose;
use cardan_expr::{Expr, Function, Rational};
use cardan_jit::EngineKind;
use cardan_model::{
    Body, Builder, CoordinateSpec, Load, LoadKind, Model, Orientation, Quantity, SpeedChoice, Step,
};
use cardan_program::Host;
use cardan_sim::{Settings, Simulation, Trajectory};
use cardan_units::Dimension;

/// A bob of mass `m` on a massless rod of length `L`, turning about y; q = 0 hangs down, gravity along -z.
pub struct Pendulum {
    pub builder: Builder,
    pub mass: Expr,
    pub length: Expr,
}

fn spec(name: &str) -> CoordinateSpec {
    CoordinateSpec::new(Quantity::new(name, Dimension::ANGLE), format!("der({name})"))
}

impl Pendulum {
    pub fn new(length: Option<i64>) -> Self {
        let mut b = Builder::new("pendulum", "N");
        let number = |b: &Builder, n: i64, d: i64| b.space().pool().number(Rational::Small(n, d));
        let g = number(&b, -981, 100);
        let zero = number(&b, 0, 1);
        let ground = b.space().newtonian();
        let gravity = b.space().vector(ground, [zero, zero, g]);
        b.set_gravity(gravity);
        let one = number(&b, 1, 1);
        let mass = b.add_parameter(Quantity::new("m", Dimension::MASS), Some(one));
        let default = length.map(|l| number(&b, l, 1));
        let length = b.add_parameter(Quantity::new("L", Dimension::LENGTH), default);
        let (mass, length) = (b.model().parameters[mass].symbol, b.model().parameters[length].symbol);
        let joint = b.add_joint(
            "rod",
            cardan_model::JointKind::Revolute,
            ground,
            vec![Step::Rotate([zero, one, zero], spec("q"))],
            None,
        );
        let frame = *b.model().joints[joint].frames.last().unwrap();
        let down = b.space().pool().neg(length);
        b.add_body(Body {
            name: "rod".into(),
            description: String::new(),
            frame,
            joint: Some(joint),
            mass,
            inertia: [[zero; 3]; 3],
            center: [zero, zero, down],
            shapes: vec![],
            span: None,
        });
        b.fix_speeds(vec![]).unwrap();
        Pendulum { builder: b, mass, length }
    }

    /// Starts at q = n/d · π.
    pub fn start(mut self, n: i64, d: i64) -> Self {
        let pool = self.builder.space().pool();
        let angle = pool.scale(Rational::Small(n, d), pool.pi());
        let q = self.builder.model().coordinates.ids().next().unwrap();
        self.builder.start_coordinate(q, angle);
        self
    }

    /// Adds a torque about y that is `before` newton metres until t = n/d seconds and `after` from then on.
    pub fn stepped_torque(mut self, (n, d): (i64, i64), before: i64, after: i64) -> Self {
        let pool = self.builder.space().pool();
        let limit = pool.number(Rational::Small(n, d));
        let early = pool.call(Function::Less, &[self.builder.space().time(), limit]);
        let value = pool.call(Function::Select, &[early, pool.int(before), pool.int(after)]);
        let zero = pool.zero();
        let ground = self.builder.space().newtonian();
        let vector = self.builder.space().vector(ground, [zero, value, zero]);
        let on = self.builder.model().bodies.iter().next().unwrap().1.frame;
        self.builder.add_load(Load {
            name: "drive".into(),
            description: String::new(),
            kind: LoadKind::Torque { vector, on, reaction: None },
            potential: None,
            conservative: false,
            span: None,
        });
        self
    }

    pub fn finish(self) -> Model {
        self.builder.finish().expect("a whole model")
    }
}

/// The heavy top of the IFToMM benchmark library: a body on a ball joint, described by Euler parameters.
pub fn heavy_top() -> Model {
    let mut b = Builder::new("heavy_top", "N");
    let number = |b: &Builder, text: &str| {
        let size = b.space().pool().number(Rational::from_decimal(text.trim_start_matches('-')).unwrap());
        if text.starts_with('-') { b.space().pool().neg(size) } else { size }
    };
    let zero = number(&b, "0");
    let ground = b.space().newtonian();
    let gravity = b.space().vector(ground, [zero, zero, number(&b, "-9.81")]);
    b.set_gravity(gravity);
    let specs = (0..4)
        .map(|i| CoordinateSpec::new(Quantity::new(format!("e{i}"), Dimension::ONE), format!("der(e{i})")));
    let speeds = ["wx", "wy", "wz"].map(|n| Quantity::new(n, Dimension::ANGLE / Dimension::TIME));
    let step =
        Step::Ball(Orientation::EulerParameters, SpeedChoice::BodyFixed, specs.collect(), speeds.to_vec());
    let joint = b.add_joint("top", cardan_model::JointKind::Spherical, ground, vec![step], None);
    let frame = *b.model().joints[joint].frames.last().unwrap();
    let [jx, jy] = ["0.234375", "0.46875"].map(|t| number(&b, t));
    b.add_body(Body {
        name: "top".into(),
        description: String::new(),
        frame,
        joint: Some(joint),
        mass: number(&b, "15"),
        inertia: [[jx, zero, zero], [zero, jy, zero], [zero, zero, jx]],
        center: [zero, number(&b, "1"), zero],
        shapes: vec![],
        span: None,
    });
    b.fix_speeds(vec![]).unwrap();
    let ids: Vec<_> = b.model().speeds.ids().collect();
    let (wy, wz) = (number(&b, "150"), number(&b, "-4.61538"));
    b.start_speed(ids[1], wy);
    b.start_speed(ids[2], wz);
    b.finish().expect("a whole model")
}

/// A chain of `n` links of unit length and mass, turning about y.
pub fn chain(n: usize) -> Model {
    let mut b = Builder::new("chain", "N");
    let (zero, one, down) = (b.space().pool().zero(), b.space().pool().one(), b.space().pool().int(-1));
    let mut parent = b.space().newtonian();
    let gravity = b.space().vector(parent, [zero, zero, down]);
    b.set_gravity(gravity);
    for k in 0..n {
        let offset = if k == 0 { zero } else { down };
        let name = format!("b{k}");
        let steps =
            vec![Step::Shift([zero, zero, offset]), Step::Rotate([zero, one, zero], spec(&format!("q{k}")))];
        let joint = b.add_joint(&name, cardan_model::JointKind::Revolute, parent, steps, None);
        parent = *b.model().joints[joint].frames.last().unwrap();
        b.add_body(Body {
            name,
            description: String::new(),
            frame: parent,
            joint: Some(joint),
            mass: one,
            inertia: [[zero; 3]; 3],
            center: [zero, zero, down],
            shapes: vec![],
            span: None,
        });
    }
    b.fix_speeds(vec![]).unwrap();
    b.finish().expect("a whole model")
}

pub fn compile(model: &Model, kind: EngineKind) -> Simulation {
    let choice = choose(model, None).unwrap();
    Simulation::of(&choice, kind, Host::new()).unwrap()
}

pub fn run(model: &Model, settings: &Settings) -> Trajectory {
    compile(model, EngineKind::Native).run(settings, &mut ()).unwrap()
}
