//! Table 8 of Sayers, "Symbolic computer language for multibody systems" (J. Guidance 14, 1991), row by row, from the bodies that
//! his own text of Fig. 6 makes: what the slots of bus, clock and camera hold. The fourteenth row, abs-v0, is written for speeds of
//! another point and stands in `crates/kinematics/tests/sayers.rs`, as do Eqs. 1, 2 and 13; Eqs. 14 to 23 in `crates/lower/tests/sayers.rs`.

use cardan::base::Id;
use cardan::expr::{Derivation, Expr};
use cardan::kinematics::{Dyadic, FrameId, Point, Vector};
use cardan::model::{Body, Joint};
use cardan::prelude::*;

/// The satellite without what is underlined in Fig. 6: the table shows no smallness.
fn satellite() -> Model {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let text = read("spacecraft.lsp")
        .expect("the text of Fig. 6")
        .replace(":small-angles (t t t) :small-translations (t t t)", "")
        .replace(":small-angles t", "");
    let (resolved, _) = cardan::resolve_autosim("spacecraft.lsp", &text, &mut |path| read(path));
    resolved.into_model().expect("Fig. 6 is a model")
}

/// The columns of the table.
const SYMBOLS: [&str; 3] = ["B", "C", "D"];

fn body<'m>(model: &'m Model, symbol: &str) -> &'m Body {
    model.bodies.iter().map(|(_, b)| b).find(|b| b.name == symbol).expect("a body of the table")
}

fn joint<'m>(model: &'m Model, symbol: &str) -> &'m Joint {
    &model.joints[body(model, symbol).joint.expect("a body that moves")]
}

/// The body whose frame carries another body's joint, or the ground.
fn parent(model: &Model, symbol: &str) -> String {
    let space = &model.space;
    let mut frame = joint(model, symbol).parent;
    loop {
        match model.bodies.iter().find(|(_, b)| b.frame == frame) {
            Some((_, carrier)) => return carrier.name.clone(),
            None if frame == space.newtonian() => return space.frame(frame).name.clone(),
            None => frame = space.frame(frame).parent.expect("a frame that is not the ground"),
        }
    }
}

/// Symbols of a column that stand as `c7`, `s7`, `q7`, `u7`.
fn parsed(model: &Model, text: &str) -> Expr {
    let pool = model.space.pool();
    let find = |name: &str| {
        let k = name[1..].parse::<usize>().ok()? - 1;
        let q = model.coordinates.iter().nth(k)?.1.symbol;
        match &name[..1] {
            "c" => Some(pool.cos(q)),
            "s" => Some(pool.sin(q)),
            "q" => Some(q),
            "u" => Some(model.speeds.iter().nth(k)?.1.symbol),
            _ => None,
        }
    };
    pool.parse(text, &find).unwrap_or_else(|| panic!("{text} is an expression"))
}

/// A unit vector by the name that the paper gives it: `b3`, `n1`.
fn unit(model: &Model, name: &str) -> Vector {
    let letter = name[..1].to_uppercase();
    let axis = name[1..].parse::<usize>().expect("1, 2 or 3") - 1;
    let frame = if letter == "N" { model.space.newtonian() } else { body(model, &letter).frame };
    model.space.axis(frame, axis)
}

/// A sum of factors and unit vectors.
fn vector(model: &Model, terms: &[(&str, &str)]) -> Vector {
    let pool = model.space.pool();
    let term = |(factor, name): &(&str, &str)| unit(model, name).scale(pool, parsed(model, factor));
    terms.iter().map(term).fold(Vector::ZERO, |sum, v| sum.add(pool, &v))
}

fn names(model: &Model, frame: FrameId) -> [String; 3] {
    let spelt = |name: String| name.to_lowercase().replace(".x", "1").replace(".y", "2").replace(".z", "3");
    model.space.frame(frame).axes.map(|u| spelt(model.space.unit_vector_name(u)))
}

/// Rows symbol, name, parent, level, children.
#[test]
fn the_tree_of_the_table() {
    let model = satellite();
    let rows =
        [("B", "Bus", "N", 1, vec!["C"]), ("C", "Clock", "B", 2, vec!["D"]), ("D", "Camera", "C", 3, vec![])];
    for (symbol, name, above, level, children) in rows {
        assert_eq!(body(&model, symbol).description, name);
        assert_eq!(parent(&model, symbol), above);
        let steps =
            std::iter::successors(Some(symbol.to_string()), |s| (s != "N").then(|| parent(&model, s)));
        assert_eq!(steps.take_while(|s| s != "N").count(), level, "{symbol}");
        let found: Vec<&str> = SYMBOLS.into_iter().filter(|s| parent(&model, s) == symbol).collect();
        assert_eq!(found, children, "{symbol}");
    }
    // The table leaves out the boom, whose hinge the bus carries too.
    assert_eq!(model.joints.iter().filter(|(_, j)| j.parent == body(&model, "B").frame).count(), 2);
}

/// Rows translation-coordinates and rotation-coordinates.
#[test]
fn the_coordinates_of_the_table() {
    let model = satellite();
    let rows: [(&str, &[&str], &[&str]); 3] =
        [("B", &["q1", "q2", "q3"], &["q4", "q5", "q6"]), ("C", &[], &["q7"]), ("D", &[], &["q8"])];
    for (symbol, translations, rotations) in rows {
        let listed = joint(&model, symbol).coordinates.iter().map(|q| &model.coordinates[*q].quantity);
        let expected: Vec<&str> = translations.iter().chain(rotations).copied().collect();
        let (found, units): (Vec<_>, Vec<_>) = listed.map(|q| (q.name.as_str(), q.unit())).unzip();
        assert_eq!(found, expected, "{symbol}");
        assert!(units[..translations.len()].iter().all(|u| u == "m"), "{units:?}");
        assert!(units[translations.len()..].iter().all(|u| u == "rad"), "{units:?}");
    }
}

/// Row translation-directions: where the origin goes when a coordinate grows.
#[test]
fn the_translations_of_the_table() {
    let model = satellite();
    let (space, pool) = (&model.space, model.space.pool());
    let ground = space.origin(space.newtonian());
    let place = |symbol: &str| space.position(&ground, &space.origin(body(&model, symbol).frame));
    for (q, direction) in ["q1", "q2", "q3"].iter().zip(["n1", "n2", "n3"]) {
        let mut by = Derivation::partial(pool, parsed(&model, q));
        let terms = place("B").terms().iter().map(|(u, e)| (*u, by.apply(pool, *e))).collect::<Vec<_>>();
        assert_eq!(Vector::new(pool, terms), unit(&model, direction));
    }
    // The clock turns about the origin of the bus; the hinge of the camera stays where it is in the clock.
    let offset = |symbol: &str| space.offset(body(&model, symbol).frame);
    assert!(offset("C").is_zero());
    let moves = |v: &Vector| {
        v.terms()
            .iter()
            .any(|(_, e)| Derivation::partial(pool, parsed(&model, "q8")).apply(pool, *e) != pool.zero())
    };
    assert!(!moves(&offset("D")));
}

/// Rows uvs and basis: an axis of rotation is the parent's own, and the dyadic that turns a vector into the basis says so.
#[test]
fn the_bases_of_the_table() {
    let model = satellite();
    let (space, pool) = (&model.space, model.space.pool());
    let rows = [("B", ["b1", "b2", "b3"]), ("C", ["c1", "c2", "b3"]), ("D", ["c1", "d2", "d3"])];
    for (symbol, axes) in rows {
        let frame = body(&model, symbol).frame;
        assert_eq!(names(&model, frame), axes);
        let identity = std::array::from_fn(|i| std::array::from_fn(|j| pool.int(i64::from(i == j))));
        let printed = axes.map(|a| unit(&model, a));
        let sum = printed
            .iter()
            .map(|a| Dyadic::outer(pool, a, a))
            .reduce(|a, b| a.add(pool, &b))
            .expect("three dyads");
        assert_eq!(space.dyadic(frame, &identity), sum, "{symbol}");
        // Table 9: it transforms any vector into the basis of the body, and changes none.
        let mixed = vector(&model, &[("u1", "n1"), ("u2", "b2"), ("u3", "d3")]);
        let turned = space.dyadic_dot(&sum, &mixed);
        let own = space.frame(frame).axes;
        assert!(turned.terms().iter().all(|(u, _)| own.contains(u)), "{symbol}");
        assert_eq!(turned, space.vector(frame, space.components(&mixed, frame)));
    }
}

/// Coefficients and unit vectors of a sum.
type Terms = &'static [(&'static str, &'static str)];

/// Row rotation-directions: about what a body turns in its parent when an angle grows.
#[test]
fn the_rotations_of_the_table() {
    let model = satellite();
    let (space, pool) = (&model.space, model.space.pool());
    let bus: [(&str, Terms); 3] =
        [("q4", &[("1", "n1")]), ("q5", &[("c6", "b2"), ("s6", "b1")]), ("q6", &[("1", "b3")])];
    let others: [(&str, &str, Terms); 2] = [("C", "q7", &[("1", "b3")]), ("D", "q8", &[("1", "c1")])];
    let rows = bus.into_iter().map(|(q, d)| ("B", q, d)).chain(others);
    for (symbol, angle, terms) in rows {
        let frame = body(&model, symbol).frame;
        let above =
            if symbol == "B" { space.newtonian() } else { body(&model, &parent(&model, symbol)).frame };
        let direction = vector(&model, terms);
        // ∂b/∂q = d × b for each axis b, seen in the parent.
        let mut by = Derivation::partial(pool, parsed(&model, angle));
        for axis in 0..3 {
            let seen = space.components(&space.axis(frame, axis), above);
            let turned = space.components(&space.cross(&direction, &space.axis(frame, axis)), above);
            for (component, expected) in seen.into_iter().zip(turned) {
                let found = by.apply(pool, component);
                assert!(pool.is_zero(pool.sub(found, expected)), "{symbol} {angle}");
            }
        }
    }
}

/// Row cos-matrix.
#[test]
fn the_cosines_of_the_table() {
    let model = satellite();
    let space = &model.space;
    let rows = [
        (
            "B",
            [
                ["c5*c6", "c4*s6 + c6*s5*s4", "s4*s6 - c4*c6*s5"],
                ["-c5*s6", "c4*c6 - s5*s4*s6", "c6*s4 + c4*s5*s6"],
                ["s5", "-c5*s4", "c4*c5"],
            ],
        ),
        ("C", [["c7", "s7", "0"], ["-s7", "c7", "0"], ["0", "0", "1"]]),
        ("D", [["1", "0", "0"], ["0", "c8", "s8"], ["0", "-s8", "c8"]]),
    ];
    for (symbol, matrix) in rows {
        let above = if symbol == "B" { "n".to_string() } else { parent(&model, symbol).to_lowercase() };
        for (i, row) in matrix.iter().enumerate() {
            for (j, text) in row.iter().enumerate() {
                let own = space.axis(body(&model, symbol).frame, i);
                let found = space.dot(&own, &unit(&model, &format!("{above}{}", j + 1)));
                assert_eq!(found, parsed(&model, text), "{symbol} {i} {j}");
            }
        }
    }
}

/// Row abs-w, and Eq. 5 on it: the rate of a unit vector.
#[test]
fn the_angular_velocities_of_the_table() {
    let model = satellite();
    let (space, pool) = (&model.space, model.space.pool());
    let bus: [(&str, &str); 2] = [("u4", "b1"), ("u5", "b2")];
    let rows: [(&str, &[(&str, &str)]); 3] =
        [("B", &[("u6", "b3")]), ("C", &[("u6 + u7", "b3")]), ("D", &[("u6 + u7", "b3"), ("u8", "c1")])];
    for (symbol, own) in rows {
        let frame = body(&model, symbol).frame;
        let printed = vector(&model, &[&bus, own].concat());
        let found = space.w(frame);
        let axes = |v: &Vector| v.terms().iter().map(|(u, _)| *u).collect::<Vec<_>>();
        assert_eq!(axes(&found), axes(&printed), "{symbol}");
        for ((_, a), (_, b)) in found.terms().iter().zip(printed.terms()) {
            // Sums that others use too have a name of their own: the numbers tell.
            let value =
                |e: Expr, seed: u32| pool.evaluate(e, &|s| f64::from(s.index() as u32 * 7 + seed).sin());
            assert!((1..4).all(|seed| (value(*a, seed) - value(*b, seed)).abs() < 1e-14), "{symbol}");
        }
        for axis in 0..3 {
            let b = space.axis(frame, axis);
            let difference = space.dt_vector(&b).sub(pool, &space.cross(&printed, &b));
            let left = space.components(&difference, frame);
            assert!(left.iter().all(|e| pool.is_zero(*e)), "{symbol} {axis}");
        }
    }
}

/// Eq. 11 on the points of the table: the velocity of the camera's mass centre from that of its origin.
#[test]
fn velocities_of_points_follow_from_the_table() {
    let model = satellite();
    let (space, pool) = (&model.space, model.space.pool());
    let camera = body(&model, "D");
    let (origin, center): (Point, Point) = (space.origin(camera.frame), camera.center_point());
    let arm = space.position(&origin, &center);
    let expected = space.velocity(&origin).add(pool, &space.cross(&space.w(camera.frame), &arm));
    let left = space.components(&space.velocity(&center).sub(pool, &expected), camera.frame);
    assert!(left.iter().all(|e| pool.is_zero(*e)));
}
