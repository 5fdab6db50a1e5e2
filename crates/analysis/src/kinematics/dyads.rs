//! Positions in closed form: a dyad solved by the intersection of two circles, or of a circle and a line.
//!
//! Two joints bring a point P to a point Q. Everything is measured in the present position, whose other coordinates are right already; the
//! two joints then turn and slide by
//!
//! ```text
//! [two-turns]    |b - a|, |P - b| and |Q - a| are the sides of a triangle: the angle at a by the law of cosines
//! [turn-slide]   |w + δ e| = r:   δ = -w·e ± √((w·e)² - w·w + r²)
//! ```
//!
//! The sign of the square root and the side on which the triangle lies are those of the present position, so a prediction near enough
//! keeps the branch. Near a dead point, where the branches meet, the closed form loses digits and declines.
//! Wittenburg, Dynamics of Multibody Systems, 2nd ed. 2008, ch. 5.

/// How a joint moves its point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Action {
    /// About this place.
    Turn([f64; 2]),
    /// Along this unit direction.
    Slide([f64; 2]),
}

/// Declines where the branches are nearer than this fraction of the lengths, squared.
const DEAD: f64 = 1e-6;

fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}
fn plus(a: [f64; 2], s: f64, b: [f64; 2]) -> [f64; 2] {
    [a[0] + s * b[0], a[1] + s * b[1]]
}
fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}
fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}
/// The angle from one direction to another.
fn angle(a: [f64; 2], b: [f64; 2]) -> f64 {
    cross(a, b).atan2(dot(a, b))
}
fn turned(a: [f64; 2], by: f64) -> [f64; 2] {
    let (s, c) = by.sin_cos();
    [c * a[0] - s * a[1], s * a[0] + c * a[1]]
}

/// The angle at the first corner of a triangle with these sides, the last one opposite.
fn corner(b: f64, c: f64, opposite: f64) -> Option<f64> {
    let cosine = (b * b + c * c - opposite * opposite) / (2.0 * b * c);
    // Half the angle, because a cosine knows little of small angles.
    let (above, below) = (1.0 - cosine, 1.0 + cosine);
    (above > DEAD && below > DEAD).then(|| 2.0 * above.sqrt().atan2(below.sqrt()))
}

/// δ of |w + δ e| = r with (w + δ e)·e of this sign. [turn-slide]
fn slide(w: [f64; 2], e: [f64; 2], r: f64, sign: f64) -> Option<f64> {
    let (along, across) = (dot(w, e), cross(e, w));
    let square = (r - across) * (r + across);
    (square > DEAD * r * r).then(|| sign.signum() * square.sqrt() - along)
}

/// Two joints that move the same point, the outer one second: how far they move it onto `to`.
pub fn in_series(joints: [Action; 2], point: [f64; 2], to: [f64; 2]) -> Option<[f64; 2]> {
    match joints {
        [Action::Turn(a), Action::Turn(b)] => {
            let (arm, wanted) = (minus(b, a), minus(to, a));
            let (r, d, l) = (dot(arm, arm).sqrt(), dot(wanted, wanted).sqrt(), minus(point, b));
            let lift = corner(r, d, dot(l, l).sqrt())?; // [two-turns]
            let side = cross(minus(point, a), arm).signum();
            let knee = plus(a, r / d, turned(wanted, side * lift));
            let first = angle(arm, minus(knee, a));
            Some([first, wrapped(angle(l, minus(to, knee)) - first)])
        }
        [Action::Turn(a), Action::Slide(e)] => {
            let (w, wanted) = (minus(point, a), minus(to, a));
            let along = slide(w, e, dot(wanted, wanted).sqrt(), dot(w, e))?;
            Some([angle(plus(w, along, e), wanted), along])
        }
        [Action::Slide(e), Action::Turn(b)] => {
            let (arm, w) = (minus(point, b), minus(b, to));
            let along = slide(w, e, dot(arm, arm).sqrt(), -dot(arm, e))?;
            Some([along, angle(arm, minus(to, plus(b, along, e)))])
        }
        [Action::Slide(e), Action::Slide(f)] => crossing(e, f, minus(to, point)),
    }
}

/// Two joints, each of which moves a point of its own: how far they bring them together.
pub fn in_parallel(joints: [Action; 2], points: [[f64; 2]; 2]) -> Option<[f64; 2]> {
    let [p, q] = points;
    match joints {
        [Action::Turn(a), Action::Turn(b)] => {
            let (first, second, base) = (minus(p, a), minus(q, b), minus(b, a));
            let (r, d) = (dot(first, first).sqrt(), dot(base, base).sqrt());
            let lift = corner(r, d, dot(second, second).sqrt())?; // [two-turns]
            let side = cross(base, first).signum();
            let pin = plus(a, r / d, turned(base, side * lift));
            Some([angle(first, minus(pin, a)), angle(second, minus(pin, b))])
        }
        [Action::Turn(a), Action::Slide(e)] => {
            let (arm, w) = (minus(p, a), minus(q, a));
            let along = slide(w, e, dot(arm, arm).sqrt(), dot(arm, e))?;
            Some([angle(arm, plus(w, along, e)), along])
        }
        [Action::Slide(_), Action::Turn(_)] => {
            let [second, first] = in_parallel([joints[1], joints[0]], [q, p])?;
            Some([first, second])
        }
        [Action::Slide(e), Action::Slide(f)] => crossing(e, [-f[0], -f[1]], minus(q, p)),
    }
}

/// x e + y f = gap.
fn crossing(e: [f64; 2], f: [f64; 2], gap: [f64; 2]) -> Option<[f64; 2]> {
    let area = cross(e, f);
    (area.abs() > DEAD).then(|| [cross(gap, f) / area, cross(e, gap) / area])
}

/// An angle between -π and π.
fn wrapped(angle: f64) -> f64 {
    let turn = std::f64::consts::TAU;
    angle - turn * (angle / turn).round()
}

#[cfg(test)]
mod tests {
    use crate::kinematics::dyads::*;

    fn moved(action: Action, by: f64, p: [f64; 2]) -> [f64; 2] {
        match action {
            Action::Turn(a) => plus(a, 1.0, turned(minus(p, a), by)),
            Action::Slide(e) => plus(p, by, e),
        }
    }
    /// Each pair of joints, in places of no special kind.
    fn pairs() -> impl Iterator<Item = [Action; 2]> {
        let turns = [Action::Turn([0.2, -0.1]), Action::Turn([1.1, 0.4])];
        let slides = [Action::Slide([0.6, 0.8]), Action::Slide([0.8, -0.6])];
        let kinds = [[0, 0], [0, 1], [1, 0], [1, 1]];
        kinds.into_iter().map(move |k| [[turns[0], slides[0]][k[0]], [turns[1], slides[1]][k[1]]])
    }

    #[test]
    fn joints_in_series_bring_their_point_home() {
        for joints in pairs() {
            for (da, db) in [(0.3, -0.2), (-0.25, 0.1), (0.0, 0.0)] {
                let point = [1.6, 1.3];
                // Where the point comes by known motions, the outer joint first.
                let to = moved(joints[0], da, moved(joints[1], db, point));
                let [a, b] = in_series(joints, point, to).expect("no dead point");
                assert!((a - da).abs() < 1e-14 && (b - db).abs() < 1e-14, "{joints:?}: {a} {b}");
            }
        }
    }

    #[test]
    fn joints_in_parallel_bring_their_points_together() {
        for joints in pairs() {
            let points = [[0.8, 1.3], [0.8, 1.2]];
            let [a, b] = in_parallel(joints, points).expect("no dead point");
            let (p, q) = (moved(joints[0], a, points[0]), moved(joints[1], b, points[1]));
            assert!((p[0] - q[0]).hypot(p[1] - q[1]) < 1e-14, "{joints:?}");
            assert!(a.abs() < 0.7 && b.abs() < 0.7, "{joints:?} left its branch: {a} {b}");
        }
    }

    #[test]
    fn dead_points_are_declined() {
        let stretched = [Action::Turn([0.0, 0.0]), Action::Turn([1.0, 0.0])];
        assert_eq!(in_series(stretched, [1.5, 0.9], [3.06, 0.0]), None);
        assert_eq!(in_series(stretched, [2.0, 0.0], [2.0, 0.0]), None);
    }
}
