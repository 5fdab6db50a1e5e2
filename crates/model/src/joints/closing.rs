//! Joints that close loops, as constraint rows between two markers.
//!
//! Marker A is fixed in one body, marker B in another; x, y, z are their axes, the joint's own axis is z. `p` runs from A to
//! B, w is the angular velocity of B's body in A's.
//!
//! ```text
//! [coincide]   p·e = 0                rate v·e                      e an axis of A
//! [normal]     b·a = 0                rate w·(b × a)                a an axis of A, b an axis of B
//! [aligned]    2 sin(θ/2) k·e = 0     rate w·e                      B is turned from A by θ about k:  Σ a_i × b_i = 2 sin θ k
//! [over]       4 (sin(θ/2) k_i)² = 1 + r_ii - r_jj - r_kk           r_ij = a_i·b_j; at half a turn, where sin θ says nothing
//! [apart]      (p·p - L²)/(2L) = 0    rate (v_B - v_A)·p/L - L̇     L fixed or a function of time
//! ```
//!
//! [normal] also holds where z of B points the other way; [facing], z·z > 0, tells the two apart, and assembly takes the right one. [aligned] holds nowhere else, and grows all the way to half a turn. So a weld closes by the
//! shortest turn, however far apart its bodies are at first.
//!
//! with v = v_B - v_A where the points coincide and the velocity of B seen from A where they may part: the rates leave out only
//! terms that vanish where the constraint holds.

use cardan_base::Span;
use cardan_expr::{Expr, Function, Rational};
use cardan_kinematics::{FrameId, Matrix3, Point, Space, Vector, rotation};
use cardan_units::Dimension;

use crate::constraint::{Constraint, Row, RowAction};
use crate::constraint_kind::ConstraintKind;

/// A point with axes, fixed in a frame.
#[derive(Clone, PartialEq, Debug)]
pub struct Marker {
    /// Where.
    pub point: Point,
    /// Axes: row i holds the components of axis i in the point's frame.
    pub axes: Matrix3,
}

impl Marker {
    /// A marker with the axes of its frame.
    pub fn plain(space: &Space, point: Point) -> Marker {
        Marker { point, axes: rotation::identity(space.pool()) }
    }
    /// The frame in which it is fixed.
    pub fn frame(&self) -> FrameId {
        self.point.frame
    }
    /// Axis i as a vector.
    pub fn axis(&self, space: &Space, i: usize) -> Vector {
        space.vector(self.point.frame, self.axes[i])
    }
    /// Axis i in words of its body: `y of coupler`, or with components where it is none of the body's own axes.
    pub fn axis_in_words(&self, space: &Space, i: usize) -> String {
        let pool = space.pool();
        let body = &space.frame(self.point.frame).name;
        let components = self.axes[i].map(|e| pool.evaluate(e, &|_| f64::NAN));
        let own = |k: usize| components[k].abs() == 1.0 && (0..3).all(|j| j == k || components[j] == 0.0);
        match (0..3).find(|k| own(*k)) {
            Some(k) => format!("{} of {body}", ["x", "y", "z"][k]),
            None if components.iter().all(|c| c.is_finite()) => {
                let [x, y, z] = components.map(|c| (c * 1e3).round() / 1e3 + 0.0);
                format!("({x}, {y}, {z}) of {body}")
            }
            None => {
                let [x, y, z] = self.axes[i].map(|e| pool.text(e));
                format!("({x}, {y}, {z}) of {body}")
            }
        }
    }
}

/// What a closing joint leaves free.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Closing {
    /// Nothing.
    Fixed,
    /// A turn about z.
    Revolute,
    /// A shift along z.
    Prismatic,
    /// Both.
    Cylindrical,
    /// Shifts along x and y and a turn about z.
    Planar,
    /// Turns about z of A and x of B, which stay normal to each other.
    Universal,
    /// All turns.
    Spherical,
    /// Everything but the distance from the plane normal to z.
    InPlane,
    /// A shift along z and all turns.
    OnLine,
    /// Directions z stay parallel; everything else is free.
    Parallel,
    /// Directions z stay normal to each other.
    Perpendicular,
}

impl Closing {
    /// All of them.
    pub const ALL: [Closing; 11] = [
        Closing::Fixed,
        Closing::Revolute,
        Closing::Prismatic,
        Closing::Cylindrical,
        Closing::Planar,
        Closing::Universal,
        Closing::Spherical,
        Closing::InPlane,
        Closing::OnLine,
        Closing::Parallel,
        Closing::Perpendicular,
    ];
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Closing::Fixed => "fixed",
            Closing::Revolute => "revolute",
            Closing::Prismatic => "prismatic",
            Closing::Cylindrical => "cylindrical",
            Closing::Planar => "planar",
            Closing::Universal => "universal",
            Closing::Spherical => "spherical",
            Closing::InPlane => "in_plane",
            Closing::OnLine => "on_line",
            Closing::Parallel => "parallel",
            Closing::Perpendicular => "perpendicular",
        }
    }
    /// Number of constraint rows.
    pub fn n_rows(self) -> usize {
        let aligned = if self == Closing::Fixed { 3 } else { 0 };
        self.coincident().len() + self.normal().len() + aligned
    }
    /// Which axes of A the point B may not leave along.
    fn coincident(self) -> &'static [usize] {
        match self {
            Closing::Fixed | Closing::Revolute | Closing::Universal | Closing::Spherical => &[0, 1, 2],
            Closing::Prismatic | Closing::Cylindrical | Closing::OnLine => &[0, 1],
            Closing::Planar | Closing::InPlane => &[2],
            Closing::Parallel | Closing::Perpendicular => &[],
        }
    }
    /// Pairs (axis of B, axis of A) that stay normal to each other.
    fn normal(self) -> &'static [(usize, usize)] {
        match self {
            Closing::Prismatic => &[(2, 0), (2, 1), (0, 1)],
            Closing::Revolute | Closing::Cylindrical | Closing::Planar | Closing::Parallel => {
                &[(2, 0), (2, 1)]
            }
            Closing::Universal => &[(0, 2)],
            Closing::Perpendicular => &[(2, 2)],
            Closing::Fixed | Closing::Spherical | Closing::InPlane | Closing::OnLine => &[],
        }
    }
}

impl Closing {
    /// Axes of the two markers that point the same way, though the rows hold as well where they point opposite ways.
    fn alike(self) -> &'static [usize] {
        match self {
            Closing::Prismatic => &[2, 0],
            Closing::Revolute | Closing::Cylindrical | Closing::Planar | Closing::Parallel => &[2],
            _ => &[],
        }
    }
}

impl Constraint {
    /// Cosines between axes of a joint that its rows do not tell from their opposites; positive where it is put together rightly. [facing]
    pub fn facing(&self, space: &Space) -> Vec<Expr> {
        let (Some(markers), ConstraintKind::Closing(closing)) = (&self.markers, self.kind) else {
            return vec![];
        };
        let [a, b] = &**markers;
        closing.alike().iter().map(|i| space.dot(&a.axis(space, *i), &b.axis(space, *i))).collect()
    }
}

/// The rows that keep two markers parallel, axis by axis. [aligned]
fn aligned(space: &Space, a: &Marker, b: &Marker) -> Vec<Row> {
    let pool = space.pool();
    let w = space.w_in(b.frame(), a.frame());
    let axes = |m: &Marker| [0, 1, 2].map(|i| m.axis(space, i));
    let (ea, eb) = (axes(a), axes(b));
    // r_ij = a_i·b_j: the trace is 1 + 2 cos θ, the opposite differences are 2 sin θ k_i.
    let r: Matrix3 = std::array::from_fn(|i| std::array::from_fn(|j| pool.define(space.dot(&ea[i], &eb[j]))));
    let trace = pool.sum([pool.one(), r[0][0], r[1][1], r[2][2]]);
    let square = pool.scale(Rational::Small(1, 4), trace);
    // Rounding at half a turn leaves a number that is neither negative nor zero.
    let least = pool.powi(pool.int(2), -106);
    let half = pool.define(pool.sqrt(pool.call(Function::Max, &[square, least]))); // cos θ/2
    let row = |k: usize| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let sine = pool.scale(Rational::Small(1, 2), pool.sub(r[j][i], r[i][j]));
        let rest = pool.sub(pool.add(pool.one(), r[k][k]), pool.add(r[i][i], r[j][j]));
        let turned = pool.sqrt(pool.call(Function::Max, &[rest, least])); // [over]
        let near = pool.call(Function::Less, &[square, pool.powi(pool.int(2), -40)]);
        // Where the bodies cannot turn about this axis, they are not turned over about it either.
        let angle = match pool.is_zero(sine) {
            true => sine,
            false => pool.call(Function::Select, &[near, turned, pool.div(sine, half)]),
        };
        Row {
            position: Some(pool.define(angle)),
            velocity: pool.define(space.dot(&w, &ea[k])),
            dimension: Dimension::ANGLE,
            what: format!("rotation about {}", a.axis_in_words(space, k)),
            action: Some(RowAction::Torque(ea[k].clone())),
        }
    };
    (0..3).map(row).collect()
}

/// The velocity of a point as seen from the body of a marker.
pub(crate) fn seen_from(space: &Space, a: &Marker, b: &Point) -> Vector {
    let pool = space.pool();
    let swept = space.cross(&space.w(a.frame()), &space.position(&a.point, b));
    space.velocity(b).sub(pool, &space.velocity(&a.point)).sub(pool, &swept)
}

/// The rows of a joint between two markers.
pub fn close(
    space: &Space,
    name: &str,
    closing: Closing,
    a: &Marker,
    b: &Marker,
    span: Option<Span>,
) -> Constraint {
    let pool = space.pool();
    let p = space.position(&a.point, &b.point);
    // A point that may leave A along an axis of it is seen from A; one that stays there may be seen from anywhere.
    let v = match closing.coincident().len() {
        3 => space.velocity(&b.point).sub(pool, &space.velocity(&a.point)),
        _ => seen_from(space, a, &b.point),
    };
    let w = space.w_in(b.frame(), a.frame());
    let mut rows = vec![];
    for i in closing.coincident() {
        let e = a.axis(space, *i);
        rows.push(Row {
            position: Some(pool.define(space.dot(&p, &e))), // [coincide]
            velocity: pool.define(space.dot(&v, &e)),
            dimension: Dimension::LENGTH,
            what: format!("translation along {}", a.axis_in_words(space, *i)),
            action: Some(RowAction::Force(e)),
        });
    }
    for (i, j) in closing.normal() {
        let (eb, ea) = (b.axis(space, *i), a.axis(space, *j));
        let lever = space.cross(&eb, &ea).define(pool);
        rows.push(Row {
            position: Some(pool.define(space.dot(&eb, &ea))), // [normal]
            velocity: pool.define(space.dot(&w, &lever)),
            dimension: Dimension::ANGLE,
            what: format!(
                "rotation of {} towards {}",
                b.axis_in_words(space, *i),
                a.axis_in_words(space, *j)
            ),
            action: Some(RowAction::Torque(lever)),
        });
    }
    if closing == Closing::Fixed {
        rows.extend(aligned(space, a, b));
    }
    let markers = Some(Box::new([a.clone(), b.clone()]));
    let constraint = Constraint::new(name, ConstraintKind::Closing(closing), rows, span);
    let constraint = constraint.between(a.frame(), b.frame(), &b.point);
    Constraint { markers, ..constraint }
}

/// Two points at a given distance: a massless rod on ball joints, or a cylinder where its length is a function of time. The multiplier pushes
/// the points apart.
pub fn distance(
    space: &Space,
    name: &str,
    a: &Point,
    b: &Point,
    length: Expr,
    span: Option<Span>,
) -> Constraint {
    let pool = space.pool();
    let p = space.position(a, b);
    let v = space.velocity(b).sub(pool, &space.velocity(a));
    let e = p.scale(pool, pool.powi(length, -1)).define(pool);
    let square = pool.sub(space.square(&p), pool.powi(length, 2));
    let stretch = pool.div(pool.scale(Rational::Small(1, 2), square), length);
    let row = Row {
        position: Some(pool.define(stretch)), // [apart]
        velocity: pool.define(pool.sub(space.dot(&v, &e), space.dt(length))),
        dimension: Dimension::LENGTH,
        what: format!("distance from {} to {}", a.name, b.name),
        action: Some(RowAction::Force(e)),
    };
    let markers = Some(Box::new([a, b].map(|p| Marker::plain(space, p.clone()))));
    let constraint =
        Constraint::new(name, ConstraintKind::Distance, vec![row], span).between(a.frame, b.frame, b);
    Constraint { markers, size: Some(length), ..constraint }
}
