//! Joints in natural coordinates: what neighbours share, and the equations that sharing does not
//! spare.
//!
//! ```text
//! fixed          point, z and x shared          spherical       point shared
//! revolute       point and z shared             universal       point shared, x·z = 0
//! prismatic      z and x shared, p on z         in plane        z·p = 0
//! cylindrical    z shared, p on z               on line         p on z
//! planar         z shared, z·p = 0              distance        p·p = l²
//! parallel       z shared                       angle           z·z = cos α
//! screw          cylindrical, z·p = (h/2π) ψ    p from A to B
//! ```
//!
//! Angles and displacements of joints are coordinates where an equation names them ([angle],
//! [slide]): driven ones, gears, couplers.

use std::f64::consts::TAU;

use cardan_model::closing::Closing;

use crate::error::Unsupported;
use crate::geometry::{self as g, Vec3};
use crate::joint_chain::{Chain, Segment};
use crate::natural::coordinates::Coordinates;
use crate::natural::form::{Form, Row};
use crate::natural::sharing::{Kind, Sharing, Signed};
use crate::pairing::{Pair, PairKind, Place};

/// An angle or displacement of a joint that is a coordinate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scalar {
    /// The freedom of the mechanism that it is; nothing for the turn of a thread.
    pub freedom: Option<usize>,
    /// A part that it turns or shifts.
    pub part: usize,
    /// Where it starts.
    pub start: f64,
}

/// What a joint demands besides sharing.
enum Demand {
    /// A point stays on the line through another.
    OnLine { from: Signed, to: Signed, along: Signed },
    /// Two points keep a distance along a direction from one of them: none.
    InPlane { from: Signed, to: Signed, normal: Signed },
    /// Directions at an angle with this cosine.
    Angle(Signed, Signed, f64),
    /// Two points at a distance.
    Distance(Signed, Signed, f64),
    /// f turns from e towards h, by the scalar.
    Turn { e: Signed, h: Signed, f: Signed, scalar: usize },
    /// A point moves along a direction by a multiple of the scalar, from a place.
    Slide { from: Signed, to: Signed, along: Signed, scalar: usize, factor: f64, start: f64 },
}

/// The joints of a mechanism while its coordinates are chosen.
#[derive(Default)]
pub struct Joints {
    /// Who shares what.
    pub sharing: Sharing,
    demands: Vec<(String, Demand)>,
    /// Angles and displacements.
    pub scalars: Vec<Scalar>,
}

impl Joints {
    fn point(&mut self, place: &Place) -> Signed {
        self.sharing.ask(place.part, Kind::Point, place.point)
    }
    fn axis(&mut self, place: &Place, k: usize) -> Signed {
        self.sharing.ask(place.part, Kind::Vector, place.axes[k])
    }
    fn share_points(&mut self, pair: &Pair) {
        let (a, b) = (self.point(&pair.a), self.point(&pair.b));
        self.sharing.join(a, b);
    }
    /// Shares axis k of both markers; `now` gives a direction of a place in inertial axes.
    fn share_axes(&mut self, pair: &Pair, k: usize, now: &dyn Fn(&Place, usize) -> Vec3) {
        let (a, b) = (self.axis(&pair.a, k), self.axis(&pair.b, k));
        let sign = g::dot(now(&pair.a, k), now(&pair.b, k)).signum();
        self.sharing.join(a, Signed { node: b.node, sign: sign * b.sign });
    }
    fn demand(&mut self, name: &str, demand: Demand) {
        self.demands.push((name.to_owned(), demand));
    }

    /// Adds a pair of markers. `now` gives an axis of a place, `from_to` the way from A to B, both
    /// in inertial axes at the start.
    pub fn add(&mut self, name: &str, pair: &Pair, now: &dyn Fn(&Place, usize) -> Vec3, from_to: Vec3) {
        let kind = match pair.kind {
            PairKind::Closing(kind) => kind,
            PairKind::Distance => {
                let (a, b) = (self.point(&pair.a), self.point(&pair.b));
                return self.demand(name, Demand::Distance(a, b, pair.size));
            }
            PairKind::Angle => {
                let (a, b) = (self.axis(&pair.a, 2), self.axis(&pair.b, 2));
                return self.demand(name, Demand::Angle(a, b, pair.size.cos()));
            }
            PairKind::Screw => {
                self.thread(name, pair, now, from_to);
                Closing::Cylindrical
            }
        };
        let [points, z, x, line, plane] = match kind {
            Closing::Fixed => [true, true, true, false, false],
            Closing::Revolute => [true, true, false, false, false],
            Closing::Prismatic => [false, true, true, true, false],
            Closing::Cylindrical => [false, true, false, true, false],
            Closing::Planar => [false, true, false, false, true],
            Closing::Universal | Closing::Spherical => [true, false, false, false, false],
            Closing::InPlane => [false, false, false, false, true],
            Closing::OnLine => [false, false, false, true, false],
            Closing::Parallel => [false, true, false, false, false],
            Closing::Perpendicular => [false; 5],
        };
        if points {
            self.share_points(pair);
        }
        if z {
            self.share_axes(pair, 2, now);
        }
        if x {
            self.share_axes(pair, 0, now);
        }
        if line {
            let (from, to, along) = (self.point(&pair.a), self.point(&pair.b), self.axis(&pair.a, 2));
            self.demand(name, Demand::OnLine { from, to, along });
        }
        if plane {
            let (from, to, normal) = (self.point(&pair.a), self.point(&pair.b), self.axis(&pair.a, 2));
            self.demand(name, Demand::InPlane { from, to, normal });
        }
        let normal = match kind {
            Closing::Universal => Some((2, 0)),
            Closing::Perpendicular => Some((2, 2)),
            _ => None,
        };
        if let Some((i, j)) = normal {
            let (a, b) = (self.axis(&pair.a, i), self.axis(&pair.b, j));
            self.demand(name, Demand::Angle(a, b, 0.0));
        }
    }

    /// The turn of a thread is a coordinate, and its advance follows.
    fn thread(&mut self, name: &str, pair: &Pair, now: &dyn Fn(&Place, usize) -> Vec3, from_to: Vec3) {
        let pitch = pair.size / TAU;
        let scalar = self.scalars.len();
        let start = g::dot(from_to, now(&pair.a, 2)) / pitch;
        self.scalars.push(Scalar { freedom: None, part: pair.b.part, start });
        let (e, h, f) = (self.axis(&pair.a, 0), self.axis(&pair.a, 1), self.axis(&pair.b, 0));
        self.demand(name, Demand::Turn { e, h, f, scalar });
        let (from, to, along) = (self.point(&pair.a), self.point(&pair.b), self.axis(&pair.a, 2));
        self.demand(name, Demand::Slide { from, to, along, scalar, factor: pitch, start: 0.0 });
    }

    /// The coordinate of a freedom of a chain, which is added where there is none yet.
    pub fn scalar(&mut self, chain: &Chain, freedom: usize, start: f64) -> Result<usize, Unsupported> {
        if let Some(known) = self.scalars.iter().position(|s| s.freedom == Some(freedom)) {
            return Ok(known);
        }
        let refused = || Unsupported::Angle(chain.name.clone());
        let scalar = self.scalars.len();
        let (mut k, mut before, mut turned) = (chain.first, g::Pose::IDENTITY, None::<Vec3>);
        let mut found = None;
        for (s, segment) in chain.segments.iter().enumerate() {
            if k == freedom && segment.freedoms() == 1 {
                found = Some((s, segment, before));
                break;
            }
            match segment {
                Segment::Fixed(pose) => before = before.then(pose),
                Segment::Rotation { direction, .. } if turned.is_none() => {
                    turned = Some(g::apply(&before.r, *direction));
                }
                Segment::Translation { .. } => {}
                _ => return Err(refused()),
            }
            k += segment.freedoms();
        }
        let (s, segment, before) = found.ok_or_else(refused)?;
        let rest = &chain.segments[s + 1..];
        let turns = |s: &Segment| matches!(s, Segment::Rotation { .. } | Segment::Ball { .. });
        // From behind the segment to the end with all travels at zero.
        let after = rest.iter().filter_map(Segment::fixed).fold(g::Pose::IDENTITY, |p, next| p.then(&next));
        self.scalars.push(Scalar { freedom: Some(freedom), part: chain.b, start });
        match segment {
            Segment::Rotation { direction, .. } if turned.is_none() && !rest.iter().any(turns) => {
                let (e, h) = g::normals(*direction);
                let in_a = |v: Vec3| g::apply(&before.r, v);
                let e_a = self.sharing.ask(chain.a, Kind::Vector, in_a(e));
                let h_a = self.sharing.ask(chain.a, Kind::Vector, in_a(h));
                let f_b = self.sharing.ask(chain.b, Kind::Vector, g::apply_transposed(&after.r, e));
                self.demand(&chain.name, Demand::Turn { e: e_a, h: h_a, f: f_b, scalar });
            }
            Segment::Translation { direction, .. } => {
                let along = g::apply(&before.r, *direction);
                let parallel = |v: &Vec3| g::norm(g::cross(*v, along)) < 1e-12;
                if turned.is_some_and(|v| !parallel(&v)) {
                    return Err(refused());
                }
                self.slide(chain, (scalar, along))?;
            }
            _ => return Err(refused()),
        }
        Ok(scalar)
    }

    /// The displacement along a direction of the first part: that of a point of the second on the
    /// axis of rotation.
    fn slide(&mut self, chain: &Chain, (scalar, along): (usize, Vec3)) -> Result<(), Unsupported> {
        let mut at = g::Pose::IDENTITY;
        let mut center = None;
        let mut others = 0;
        for segment in &chain.segments {
            match segment {
                Segment::Fixed(pose) => at = at.then(pose),
                Segment::Rotation { .. } | Segment::Ball { .. } => _ = center.get_or_insert(at.p),
                Segment::Translation { direction, .. } => {
                    let d = g::apply(&at.r, *direction);
                    let is_own = g::norm(g::cross(d, along)) < 1e-12;
                    let is_normal = g::dot(d, along).abs() < 1e-12;
                    others += usize::from(is_own);
                    if !is_own && !is_normal {
                        return Err(Unsupported::Angle(chain.name.clone()));
                    }
                }
                _ => return Err(Unsupported::Angle(chain.name.clone())),
            }
        }
        if others > 1 {
            return Err(Unsupported::Angle(chain.name.clone()));
        }
        let place = center.unwrap_or(at.p);
        let from = self.sharing.ask(chain.a, Kind::Point, place);
        let to = self.sharing.ask(chain.b, Kind::Point, at.inverse().at(place));
        let along = self.sharing.ask(chain.a, Kind::Vector, along);
        let demand = Demand::Slide { from, to, along, scalar, factor: 1.0, start: 0.0 };
        self.demand(&chain.name, demand);
        Ok(())
    }

    /// Writes the equations, once all parts have their bases; `first` is the place of the first
    /// scalar.
    pub fn write(demands: Vec<(String, DemandOf)>, coordinates: &mut Coordinates, first: usize) {
        for (name, DemandOf(demand)) in demands {
            let form = |s: Signed| coordinates.form(s.node).unwrap_or_default().times(s.sign);
            let way = |from: Signed, to: Signed| form(to).plus(-1.0, &form(from));
            let rows: Vec<(&'static str, Row)> = match demand {
                Demand::OnLine { from, to, along } => {
                    let (u, d) = (form(along), way(from, to));
                    (0..3).map(|i| ("point on a line", Row::Cross(u.clone(), d.clone(), i))).collect()
                }
                Demand::InPlane { from, to, normal } => {
                    vec![("point in a plane", Row::Dot(way(from, to), form(normal), 0.0))]
                }
                Demand::Angle(a, b, cosine) => {
                    vec![("angle between directions", Row::Dot(form(a), form(b), cosine))]
                }
                Demand::Distance(a, b, length) => {
                    let d: Form = way(a, b).times(1.0 / length);
                    vec![("distance", Row::Dot(d.clone(), d, 1.0))]
                }
                Demand::Turn { e, h, f, scalar } => {
                    let list = Box::new([form(e), form(h), form(f)]);
                    vec![("angle of a joint", Row::Angle(list, first + scalar))]
                }
                Demand::Slide { from, to, along, scalar, factor, start } => {
                    let row = Row::Slide(way(from, to), form(along), first + scalar, [factor, start]);
                    vec![("displacement of a joint", row)]
                }
            };
            rows.into_iter().for_each(|(what, row)| coordinates.add_row(&name, what, row));
        }
    }

    /// Ends the sharing: what is demanded besides, and the scalars.
    pub fn finish(self) -> (Sharing, Vec<(String, DemandOf)>, Vec<Scalar>) {
        let demands = self.demands.into_iter().map(|(name, d)| (name, DemandOf(d))).collect();
        (self.sharing, demands, self.scalars)
    }
}

/// A demand that waits for the bases of the parts.
pub struct DemandOf(Demand);
