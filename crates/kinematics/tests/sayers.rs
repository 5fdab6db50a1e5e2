//! The worked examples of Sayers, "Symbolic computer language for multibody systems" (J. Guidance 14, 1991): Eqs. 1, 2 and 13, and the
//! bodies of Table 8, as printed.

use cardan_expr::{Expr, Kind};
use cardan_kinematics::{Axis, FrameId, Motion, Segment, Space, Vector, rotation};

/// A spring between a point of A and a point of B: the vector keeps the axes of both bodies.
#[test]
fn the_vector_of_a_spring_keeps_both_axes() {
    let mut space = Space::new("A");
    let a = space.newtonian();
    let parameter = |n: &str| space.pool().symbol(n, Kind::Parameter);
    let (l1, l2) = (parameter("L1"), parameter("L2"));
    let theta = space.pool().symbol("theta", Kind::Coordinate);
    // In Fig. 1 the product of a1 and b1 is the sine of the angle between the bodies.
    let pool = space.pool();
    let quarter = pool.div(pool.pi(), pool.int(2));
    let turn = pool.sub(quarter, theta);
    let [zero, one] = [pool.zero(), pool.one()];
    let b = space.add_segment("B", a, Segment::Rotation { direction: [zero, zero, one], q: turn });
    let pool = space.pool();
    let (a1, b1) = (space.axis(a, 0), space.axis(b, 0));
    let r = b1.scale(pool, l2).sub(pool, &a1.scale(pool, l1)); // Eq. 1
    assert_eq!(r.terms().len(), 2);
    assert_eq!(space.dot(&a1, &b1), pool.sin(theta));
    let square =
        pool.sum([pool.powi(l1, 2), pool.powi(l2, 2), pool.product([pool.int(-2), l1, l2, pool.sin(theta)])]);
    assert_eq!(space.magnitude(&r), pool.sqrt(square)); // Eq. 2
}

/// Bus, clock and camera, with the speeds of the paper.
struct Satellite {
    space: Space,
    bus: FrameId,
    clock: FrameId,
    camera: FrameId,
    q: Vec<Expr>,
    u: Vec<Expr>,
    /// P1, L1, L3.
    lengths: [Expr; 3],
}

fn satellite() -> Satellite {
    let mut space = Space::new("N");
    let pool = space.pool();
    let zero = pool.zero();
    let q: Vec<Expr> = (1..=8).map(|k| pool.symbol(format!("q{k}"), Kind::Coordinate)).collect();
    let u: Vec<Expr> = (1..=8).map(|k| pool.symbol(format!("u{k}"), Kind::Speed)).collect();
    let lengths = ["P1", "L1", "L3"].map(|n| pool.symbol(n, Kind::Parameter));
    let [p1, l1, l3] = lengths;
    let turns: Vec<_> =
        Axis::ALL.iter().zip(&q[3..6]).map(|(a, q)| rotation::about_axis(pool, *a, *q)).collect();
    let turned = rotation::compose(pool, &turns[2], &rotation::compose(pool, &turns[1], &turns[0]));
    // u1, u2, u3 are of the point P1 above the origin of the bus along -b3, where the paper's formalism puts a mass centre.
    let velocity = [pool.add(u[0], pool.mul(p1, u[4])), pool.sub(u[1], pool.mul(p1, u[3])), u[2]];
    let n = space.newtonian();
    let bus = space.add_segment("B", n, Segment::Free(turned, [q[0], q[1], q[2]]));
    let Motion::Free { rates } = space.frame(bus).motion.clone() else { panic!("a free body") };
    for (rate, value) in rates.into_iter().zip(velocity.into_iter().chain(u[3..6].iter().copied())) {
        space.set_rate(rate, value);
    }
    let unit = rotation::identity(space.pool());
    let clock = space.add_segment("C", bus, Segment::Rotation { direction: unit[2], q: q[6] });
    let joint = [zero, l3, space.pool().neg(l1)];
    let hinge = space.add_segment("D'", clock, Segment::Shift(joint));
    let camera = space.add_segment("D", hinge, Segment::Rotation { direction: unit[0], q: q[7] });
    for (frame, k) in [(clock, 6), (camera, 7)] {
        let rate = space.frame(frame).motion.rates()[0];
        space.set_rate(rate, u[k]);
    }
    Satellite { space, bus, clock, camera, q, u, lengths }
}

/// Table 8, uvs: a revolute joint shares its axis with the parent.
#[test]
fn revolute_joints_share_unit_vectors() {
    let s = satellite();
    let axes = |f: FrameId| s.space.frame(f).axes.map(|u| s.space.unit_vector_name(u));
    assert_eq!(axes(s.bus), ["B.x", "B.y", "B.z"]);
    assert_eq!(axes(s.clock), ["C.x", "C.y", "B.z"]);
    assert_eq!(axes(s.camera), ["C.x", "D.y", "D.z"]);
}

/// Table 8, cos-matrix.
#[test]
fn direction_cosines_are_those_of_the_table() {
    let Satellite { space, bus, clock, camera, q, .. } = satellite();
    let pool = space.pool();
    let find = |name: &str| {
        let k: usize = name[1..].parse().ok()?;
        let angle = *q.get(k - 1)?;
        Some(if name.starts_with('c') { pool.cos(angle) } else { pool.sin(angle) })
    };
    let check = |frame: FrameId, rows: [[&str; 3]; 3]| {
        let found = space.frame(frame).R_PB;
        for (row, texts) in found.iter().zip(rows) {
            for (entry, text) in row.iter().zip(texts) {
                assert_eq!(Some(*entry), pool.parse(text, &find), "{text}");
            }
        }
    };
    check(
        bus,
        [
            ["c5*c6", "c4*s6 + c6*s5*s4", "s4*s6 - c4*c6*s5"],
            ["-c5*s6", "c4*c6 - s5*s4*s6", "c6*s4 + c4*s5*s6"],
            ["s5", "-c5*s4", "c4*c5"],
        ],
    );
    check(clock, [["c7", "s7", "0"], ["-s7", "c7", "0"], ["0", "0", "1"]]);
    check(camera, [["1", "0", "0"], ["0", "c8", "s8"], ["0", "-s8", "c8"]]);
}

/// Table 8, abs-w and abs-v0.
#[test]
fn velocities_mix_unit_vectors_as_in_the_table() {
    let Satellite { space, bus, clock, camera, q, u, lengths: [p1, l1, l3] } = satellite();
    let pool = space.pool();
    let [b1, b2, b3] = space.frame(bus).axes;
    let c1 = space.frame(clock).axes[0];
    let turning = pool.add(u[5], u[6]);
    assert_eq!(space.w(bus), Vector::new(pool, [(b1, u[3]), (b2, u[4]), (b3, u[5])]));
    assert_eq!(space.w(clock), Vector::new(pool, [(b1, u[3]), (b2, u[4]), (b3, turning)]));
    assert_eq!(space.w(camera), Vector::new(pool, [(b1, u[3]), (b2, u[4]), (b3, turning), (c1, u[7])]));

    let bus_velocity = Vector::new(
        pool,
        [(b1, pool.add(pool.mul(p1, u[4]), u[0])), (b2, pool.sub(u[1], pool.mul(p1, u[3]))), (b3, u[2])],
    );
    for frame in [bus, clock] {
        assert!(space.v_origin(frame).sub(pool, &bus_velocity).is_zero());
    }
    let below = pool.sub(l1, p1);
    let swing = pool.add(pool.mul(u[3], pool.cos(q[6])), pool.mul(u[4], pool.sin(q[6])));
    let camera_velocity = Vector::new(
        pool,
        [
            (b1, pool.sub(u[0], pool.mul(below, u[4]))),
            (b2, pool.add(pool.mul(below, u[3]), u[1])),
            (c1, pool.neg(pool.mul(l3, turning))),
            (b3, pool.add(u[2], pool.mul(l3, swing))),
        ],
    );
    let difference = space.v_origin(camera).sub(pool, &camera_velocity);
    assert!(difference.is_zero(), "{difference:?}");
}

/// Eq. 13: of a vector, each unit vector appears once, with the sum of its factors.
#[test]
fn each_unit_vector_appears_once() {
    let s = satellite();
    let pool = s.space.pool();
    let (b1, c1) = (s.space.axis(s.bus, 0), s.space.axis(s.clock, 0));
    let [p1, l1, l3] = s.lengths;
    let parts = [(&b1, p1), (&c1, l1), (&b1, l3), (&b1, s.q[0]), (&c1, pool.neg(l1))];
    let v = parts.iter().fold(Vector::ZERO, |sum, (e, x)| sum.add(pool, &e.scale(pool, *x)));
    assert_eq!(v, b1.scale(pool, pool.sum([p1, l3, s.q[0]])));
    assert_eq!(v.terms().len(), 1);
}
