//! The robot of the Multibody Systems Handbook: five degrees of freedom, three bodies.

use cardan_expr::{Expr, Rational};
use cardan_kinematics::FrameId;
use cardan_model::{Body, Builder, CoordinateSpec, Model, Quantity, Step};
use cardan_units::Dimension;

struct Maker {
    builder: Builder,
}

impl Maker {
    fn parameter(&mut self, name: &str, thousandths: i64) -> Expr {
        let value = self.builder.space().pool().number(Rational::new(thousandths, 1000).unwrap());
        let id = self.builder.add_parameter(Quantity::new(name, Dimension::ONE), Some(value));
        self.builder.model().parameters[id].symbol
    }
    fn along(&self, axis: usize, length: Expr) -> [Expr; 3] {
        let zero = self.builder.space().pool().zero();
        std::array::from_fn(|i| if i == axis { length } else { zero })
    }
    fn coordinate(name: &str) -> CoordinateSpec {
        CoordinateSpec::new(Quantity::new(name, Dimension::ONE), format!("der({name})"))
    }
    fn body(
        &mut self,
        name: &str,
        parent: FrameId,
        steps: Vec<Step>,
        data: [i64; 4],
        center: [Expr; 3],
    ) -> FrameId {
        let joint = self.builder.add_joint(name, cardan_model::JointKind::Revolute, parent, steps, None);
        let frame = *self.builder.model().joints[joint].frames.last().unwrap();
        let mass = self.parameter(&format!("m_{name}"), data[0] * 1000);
        let zero = self.builder.space().pool().zero();
        let mut inertia = [[zero; 3]; 3];
        for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
            inertia[i][i] = self.parameter(&format!("I_{name}_{axis}"), data[i + 1]);
        }
        self.builder.add_body(Body {
            name: name.into(),
            description: String::new(),
            frame,
            joint: Some(joint),
            mass,
            inertia,
            center,
            shapes: vec![],
            span: None,
        });
        frame
    }
}

/// The robot with every number a parameter and no drives.
pub fn robot() -> Model {
    let mut maker = Maker { builder: Builder::new("robot", "N") };
    let one = maker.builder.space().pool().one();
    let zero = maker.builder.space().pool().zero();
    let ground = maker.builder.space().newtonian();
    let (c, l, g) = (maker.parameter("c", 50), maker.parameter("l", 500), maker.parameter("g", 9810));
    let down = maker.builder.space().pool().neg(g);
    let gravity = maker.builder.space().vector(ground, maker.along(2, down));
    maker.builder.set_gravity(gravity);
    let (y, z) = (maker.along(1, one), maker.along(2, one));
    let steps = vec![Step::Translate(z, Maker::coordinate("Z1")), Step::Rotate(z, Maker::coordinate("GA1"))];
    let post = maker.body("post", ground, steps, [250, 90_000, 10_000, 90_000], [zero; 3]);
    let steps = vec![Step::Translate(y, Maker::coordinate("Y2")), Step::Rotate(y, Maker::coordinate("BE2"))];
    let arm = maker.body("arm", post, steps, [150, 13_000, 750, 13_000], [zero; 3]);
    let steps =
        vec![Step::Shift(maker.along(1, l)), Step::Rotate(maker.along(0, one), Maker::coordinate("AL3"))];
    let center = maker.along(1, c);
    maker.body("hand", arm, steps, [100, 4_000, 1_000, 4_300], center);
    maker.builder.fix_speeds(vec![]).unwrap();
    maker.builder.finish().expect("a whole model")
}
