//! Inverse dynamics of the handbook robot against the equations that ROBOTRAN printed for it.
//!
//! Multibody Systems Handbook (Schiehlen ed., 1990), chapter of AUTODYN and ROBOTRAN, "Test example: Five degrees of freedom
//! robot". The joints there are R3(q1) T3(q2) R2(q3) T2(q4) R1(q5): our GA1, Z1, BE2, Y2, AL3. Products written `qpp_i * qpp_j`
//! in the print are products of velocities. M5 lacks one term, `+ K533 qp1² C3² C5 S5`; it is added here (the other four
//! equations are as printed).

use cardan_base::Map;
use cardan_equations::{Formalism, inverse};
use cardan_expr::{Expr, SymbolId};
use cardan_model::{Body, Builder, CoordinateSpec, Model, Quantity, Step};
use cardan_testkit::Random;
use cardan_units::Dimension;

const NAMES: [&str; 13] = ["g", "l", "c", "m1", "I1x", "I1y", "I1z", "m2", "I2x", "I2y", "I2z", "m3", "I3x"];

fn robot() -> Model {
    let mut b = Builder::new("robot", "N");
    let mut names: Vec<String> = NAMES.iter().map(ToString::to_string).collect();
    names.extend(["I3y".to_string(), "I3z".to_string()]);
    for name in &names {
        b.add_parameter(Quantity::new(name, Dimension::ONE), None);
    }
    let p = |b: &Builder, name: &str| -> Expr {
        let found = b.model().parameters.iter().find(|(_, p)| p.quantity.name == name);
        found.map(|(_, p)| p.symbol).expect("declared above")
    };
    let (o, i) = (b.space().pool().zero(), b.space().pool().one());
    let ground = b.space().newtonian();
    let down = b.space().pool().neg(p(&b, "g"));
    let gravity = b.space().vector(ground, [o, o, down]);
    b.set_gravity(gravity);
    let (x, y, z) = ([i, o, o], [o, i, o], [o, o, i]);
    let spec = |name: &str| CoordinateSpec::new(Quantity::new(name, Dimension::ONE), format!("der({name})"));
    let (l, c) = (p(&b, "l"), p(&b, "c"));
    let joints = [
        vec![Step::Rotate(z, spec("q1")), Step::Translate(z, spec("q2"))],
        vec![Step::Rotate(y, spec("q3")), Step::Translate(y, spec("q4"))],
        vec![Step::Shift([o, l, o]), Step::Rotate(x, spec("q5"))],
    ];
    let mut parent = ground;
    for (k, steps) in joints.into_iter().enumerate() {
        let name = format!("B{}", k + 1);
        let joint = b.add_joint(&name, cardan_model::JointKind::Revolute, parent, steps, None);
        parent = *b.model().joints[joint].frames.last().expect("joints have frames");
        let axis = |a: &str| p(&b, &format!("I{}{a}", k + 1));
        let inertia = [[axis("x"), o, o], [o, axis("y"), o], [o, o, axis("z")]];
        let mass = p(&b, &format!("m{}", k + 1));
        let center = if k == 2 { [o, c, o] } else { [o; 3] };
        let body = Body {
            name,
            description: String::new(),
            frame: parent,
            joint: Some(joint),
            mass,
            inertia,
            center,
            shapes: vec![],
            span: None,
        };
        b.add_body(body);
    }
    b.fix_speeds(vec![]).expect("no user speeds");
    b.finish().expect("a whole model")
}

/// The printed equations: M1, F2, M3, F4, M5.
fn printed(p: &dyn Fn(&str) -> f64, q: [f64; 5], qp: [f64; 5], qpp: [f64; 5]) -> [f64; 5] {
    let (g, l, c) = (p("g"), p("l"), p("c"));
    let (mb1, mb3, mb5) = (p("m1") + p("m2") + p("m3"), p("m2") + p("m3"), p("m3"));
    let (b42, b52) = (mb5 * l, mb5 * c);
    let k233 = p("I1z");
    let (k411, k422, k433) = (p("I2x") + mb5 * l * l, p("I2y"), p("I2z") + mb5 * l * l);
    let (k511, k522, k533) = (p("I3x") + mb5 * c * c, p("I3y"), p("I3z") + mb5 * c * c);
    let [_, _, q3, q4, q5] = q;
    let [qp1, _, qp3, qp4, qp5] = qp;
    let [qpp1, qpp2, qpp3, qpp4, qpp5] = qpp;
    let (c3, s3, c5, s5) = (q3.cos(), q3.sin(), q5.cos(), q5.sin());
    let (c55, s55) = (c5 * c5 - s5 * s5, 2.0 * s5 * c5);
    let bb42 = b42 + mb3 * q4;
    let kb411 = k411 + b42 * 2.0 * q4 + mb3 * q4 * q4;
    let kb433 = k433 + b42 * 2.0 * q4 + mb3 * q4 * q4;
    let m5 = -k511 * qpp1 * s3 - b52 * qpp1 * c5 * s3 * (q4 + l) + b52 * qpp2 * c3 * c5 - b52 * qpp4 * s5 + k511 * qpp5
        - k522 * qp1 * qp1 * c3 * c3 * c5 * s5
        + k533 * qp1 * qp1 * c3 * c3 * c5 * s5 // the term that the print lacks
        + b52 * qp1 * qp1 * s5 * (q4 + l)
        + k522 * qp3 * qp3 * c5 * s5
        - k533 * qp3 * qp3 * c5 * s5
        - k511 * qp1 * qp3 * c3
        - k522 * qp1 * qp3 * c3 * c55
        + k533 * qp1 * qp3 * c3 * c55
        - b52 * 2.0 * qp1 * qp4 * c5 * s3
        + b52 * g * c3 * c5;
    let f4 = b52 * qpp1 * s3 * s5 + mb3 * qpp4 - b52 * qpp5 * s5 - bb42 * qp1 * qp1 - b52 * qp1 * qp1 * c5
        + b52 * 2.0 * qp1 * qp3 * c3 * s5
        + b52 * 2.0 * qp1 * qp5 * c5 * s3
        - b52 * qp5 * qp5 * c5;
    let m3 = k522 * qpp1 * c3 * c5 * s5
        - k533 * qpp1 * c3 * c5 * s5
        - b52 * qpp1 * c3 * s5 * (q4 + l)
        - b52 * qpp2 * s3 * s5
        + k422 * qpp3
        + k522 * qpp3 * c5 * c5
        + k533 * qpp3 * s5 * s5
        - kb411 * qp1 * qp1 * c3 * s3
        + kb433 * qp1 * qp1 * c3 * s3
        - k511 * qp1 * qp1 * c3 * s3
        + k522 * qp1 * qp1 * c3 * s3 * s5 * s5
        + k533 * qp1 * qp1 * c3 * c5 * c5 * s3
        - b52 * 2.0 * qp1 * qp4 * c3 * s5
        + k511 * qp1 * qp5 * c3
        + k522 * qp1 * qp5 * c3 * c55
        - k533 * qp1 * qp5 * c3 * c55
        - k522 * qp3 * qp5 * s55
        + k533 * qp3 * qp5 * s55
        - b52 * g * s3 * s5;
    let f2 = mb1 * qpp2 - b52 * qpp3 * s3 * s5 + b52 * qpp5 * c3 * c5
        - b52 * qp3 * qp3 * c3 * s5
        - b52 * 2.0 * qp3 * qp5 * c5 * s3
        - b52 * qp5 * qp5 * c3 * s5
        + mb1 * g;
    let m1 = k233 * qpp1
        + kb411 * qpp1 * s3 * s3
        + kb433 * qpp1 * c3 * c3
        + k511 * qpp1 * s3 * s3
        + k522 * qpp1 * c3 * c3 * s5 * s5
        + k533 * qpp1 * c3 * c3 * c5 * c5
        + b52 * 2.0 * qpp1 * c5 * (q4 + l)
        + k522 * qpp3 * c3 * c5 * s5
        - k533 * qpp3 * c3 * c5 * s5
        - b52 * qpp3 * c3 * s5 * (q4 + l)
        + b52 * qpp4 * s3 * s5
        - k511 * qpp5 * s3
        - b52 * qpp5 * c5 * s3 * (q4 + l)
        - k522 * qp3 * qp3 * c5 * s3 * s5
        + k533 * qp3 * qp3 * c5 * s3 * s5
        + b52 * qp3 * qp3 * s3 * s5 * (q4 + l)
        + kb411 * 2.0 * qp1 * qp3 * c3 * s3
        - kb433 * 2.0 * qp1 * qp3 * c3 * s3
        + k511 * 2.0 * qp1 * qp3 * c3 * s3
        - k522 * 2.0 * qp1 * qp3 * c3 * s3 * s5 * s5
        - k533 * 2.0 * qp1 * qp3 * c3 * c5 * c5 * s3
        + bb42 * 2.0 * qp1 * qp4
        + b52 * 2.0 * qp1 * qp4 * c5
        + b52 * qp5 * qp5 * s3 * s5 * (q4 + l)
        + k522 * 2.0 * qp1 * qp5 * c3 * c3 * c5 * s5
        - k533 * 2.0 * qp1 * qp5 * c3 * c3 * c5 * s5
        - b52 * 2.0 * qp1 * qp5 * (q4 + l) * s5
        - k511 * qp3 * qp5 * c3
        + k522 * qp3 * qp5 * c3 * c55
        - k533 * qp3 * qp5 * c3 * c55
        - b52 * 2.0 * qp3 * qp5 * c3 * c5 * (q4 + l);
    [m1, f2, m3, f4, m5]
}

#[test]
fn inverse_dynamics_is_what_robotran_printed() {
    for formalism in [Formalism::Kane, Formalism::Recursive] {
        let model = robot();
        let pool = model.space.pool();
        let tau = inverse(&model, formalism).expect("all bodies have mass");
        let mut random = Random::new(7);
        for _ in 0..200 {
            let mut values: Map<SymbolId, f64> = Map::default();
            let mut set = |e: Expr, v: f64| {
                values.insert(pool.as_symbol(e).expect("a symbol"), v);
            };
            let parameters: Vec<(String, f64)> = model
                .parameters
                .iter()
                .map(|(_, p)| (p.quantity.name.clone(), random.between(0.2, 2.0)))
                .collect();
            model.parameters.iter().zip(&parameters).for_each(|((_, p), (_, v))| set(p.symbol, *v));
            let mut draw = |es: Vec<Expr>| -> [f64; 5] {
                let v: [f64; 5] = std::array::from_fn(|_| random.between(-2.0, 2.0));
                es.into_iter().zip(v).for_each(|(e, x)| set(e, x));
                v
            };
            let q = draw(model.coordinates.iter().map(|(_, q)| q.symbol).collect());
            let qp = draw(model.speeds.iter().map(|(_, u)| u.symbol).collect());
            let qpp = draw(model.speeds.iter().map(|(_, u)| u.rate).collect());
            let by_name =
                |n: &str| parameters.iter().find(|(name, _)| name == n).map(|(_, v)| *v).expect("declared");
            let expected = printed(&by_name, q, qp, qpp);
            let ours = pool.evaluate_all(&tau, &|s| values[&s]);
            for k in 0..5 {
                let scale = 1.0 + expected.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                assert!(
                    (ours[k] - expected[k]).abs() < 1e-12 * scale,
                    "{formalism:?}, equation {k}: {} against {}",
                    ours[k],
                    expected[k]
                );
            }
        }
    }
}
