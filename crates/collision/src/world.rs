//! Solids fixed in bodies, and the points at which they touch.

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use parry3d_f64::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use parry3d_f64::shape::SharedShape;

use crate::solid::{ContactSolid, Placement, SolidError};

/// Points of one manifold that are nearer to each other than this, in metres, are one.
const SAME_PLACE: f64 = 1e-7;

/// A solid fixed in a body.
#[derive(Clone, Debug)]
pub struct Collider {
    /// The body, a number of the caller's.
    pub body: usize,
    shape: SharedShape,
    /// In the body.
    pose: Pose,
    is_unbounded: bool,
    /// The radius of a sphere.
    radius: Option<f64>,
}

impl Collider {
    /// A solid at a place of a body.
    pub fn new(body: usize, solid: &ContactSolid, at: Placement) -> Result<Collider, SolidError> {
        let (shape, own) = solid.shape()?;
        let radius = match solid {
            ContactSolid::Sphere(r) => Some(*r),
            _ => None,
        };
        let is_unbounded = *solid == ContactSolid::HalfSpace;
        Ok(Collider { body, shape, pose: at.pose() * own, is_unbounded, radius })
    }
}

/// A point at which two solids touch, nearly touch or overlap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ContactPoint {
    /// The two colliders.
    pub colliders: [usize; 2],
    /// A unit vector out of the second solid.
    pub normal: [f64; 3],
    /// The places on both surfaces.
    pub at: [[f64; 3]; 2],
    /// Their distance along the normal; negative where the solids overlap.
    pub gap: f64,
}

/// All solids that may touch.
#[derive(Clone, Debug)]
pub struct World {
    colliders: Vec<Collider>,
    /// Colliders with a bounding box, and those without.
    bounded: Vec<u32>,
    unbounded: Vec<u32>,
    poses: Vec<Pose>,
    boxes: Vec<Aabb>,
    pairs: Vec<[u32; 2]>,
}

impl World {
    /// A world of solids.
    pub fn new(colliders: Vec<Collider>) -> World {
        let all = 0..colliders.len() as u32;
        let (unbounded, bounded) = all.partition(|k| colliders[*k as usize].is_unbounded);
        let poses = vec![Pose::IDENTITY; colliders.len()];
        World { colliders, bounded, unbounded, poses, boxes: vec![], pairs: vec![] }
    }

    /// The solids.
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// The contact points whose gap is at most the margin, ordered by pairs of colliders. `may_touch` says which pairs of colliders
    /// count.
    pub fn contacts(
        &mut self,
        placement: impl Fn(usize) -> Placement,
        margin: f64,
        may_touch: impl Fn(usize, usize) -> bool,
        found: &mut Vec<ContactPoint>,
    ) {
        found.clear();
        for (pose, collider) in self.poses.iter_mut().zip(&self.colliders) {
            *pose = placement(collider.body).pose() * collider.pose;
        }
        self.broad_phase(margin, may_touch);
        for k in 0..self.pairs.len() {
            self.narrow_phase(self.pairs[k].map(|i| i as usize), margin, found);
        }
    }

    /// Pairs whose boxes come within the margin.
    fn broad_phase(&mut self, margin: f64, may_touch: impl Fn(usize, usize) -> bool) {
        let half = Vector::splat(0.5 * margin.max(0.0));
        self.boxes.clear();
        self.boxes.extend(self.bounded.iter().map(|k| {
            let b = self.colliders[*k as usize].shape.compute_aabb(&self.poses[*k as usize]);
            Aabb::new(b.mins - half, b.maxs + half)
        }));
        self.pairs.clear();
        let mut add = |a: u32, b: u32| {
            let [a, b] = if a < b { [a, b] } else { [b, a] };
            let apart = self.colliders[a as usize].body != self.colliders[b as usize].body;
            if apart && may_touch(a as usize, b as usize) {
                self.pairs.push([a, b]);
            }
        };
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &self.boxes);
        for (i, own) in self.boxes.iter().enumerate() {
            for j in tree.intersect_aabb(own).filter(|j| *j as usize > i) {
                add(self.bounded[i], self.bounded[j as usize]);
            }
        }
        for plane in &self.unbounded {
            let pose = &self.poses[*plane as usize];
            let normal = pose.transform_vector(Vector::Z);
            for (own, k) in self.boxes.iter().zip(&self.bounded) {
                let middle = 0.5 * (own.mins + own.maxs) - pose.translation;
                let reach = 0.5 * (own.maxs - own.mins).dot(normal.abs());
                if middle.dot(normal) - reach <= margin {
                    add(*plane, *k);
                }
            }
        }
        self.pairs.sort_unstable();
    }

    /// The point of a sphere and a sphere or a plane in closed form, which saves most of the time of a heap of spheres. Nothing for other
    /// pairs, and for spheres about one centre.
    fn sphere_contact(&self, [a, b]: [usize; 2]) -> Option<ContactPoint> {
        let [p, q] = [a, b].map(|k| self.poses[k].translation);
        let [first, second] = [a, b].map(|k| &self.colliders[k]);
        let (normal, at, gap) = match (first.radius, second.radius) {
            (Some(r), Some(s)) => {
                let between = p - q;
                let distance = between.length();
                if distance <= 1e-9 * (r + s) {
                    return None;
                }
                let normal = between / distance;
                (normal, [p - r * normal, q + s * normal], distance - r - s)
            }
            (None, Some(s)) if first.is_unbounded => {
                let out = self.poses[a].transform_vector(Vector::Z);
                let height = (q - p).dot(out);
                (-out, [q - height * out, q - s * out], height - s)
            }
            (Some(r), None) if second.is_unbounded => {
                let out = self.poses[b].transform_vector(Vector::Z);
                let height = (p - q).dot(out);
                (out, [p - r * out, p - height * out], height - r)
            }
            _ => return None,
        };
        Some(ContactPoint { colliders: [a, b], normal: normal.to_array(), at: at.map(|p| p.to_array()), gap })
    }

    fn narrow_phase(&self, [a, b]: [usize; 2], margin: f64, found: &mut Vec<ContactPoint>) {
        if let Some(point) = self.sphere_contact([a, b]) {
            if point.gap <= margin {
                found.push(point);
            }
            return;
        }
        let (first, second) = (&self.poses[a], &self.poses[b]);
        let mut manifolds: Vec<ContactManifold<(), ()>> = vec![];
        let shapes = (&*self.colliders[a].shape, &*self.colliders[b].shape);
        let between = first.inv_mul(second);
        let known = DefaultQueryDispatcher.contact_manifolds(
            &between,
            shapes.0,
            shapes.1,
            margin.max(0.0),
            &mut manifolds,
            &mut None,
        );
        if known.is_err() {
            return;
        }
        for manifold in &manifolds {
            let one = manifold.subshape_pos1().map_or(*first, |p| *first * *p);
            let two = manifold.subshape_pos2().map_or(*second, |p| *second * *p);
            let normal = -one.transform_vector(manifold.local_n1);
            let first_of_pair = found.len();
            for point in manifold.points.iter().filter(|p| p.dist <= margin) {
                let at = [one.transform_point(point.local_p1), two.transform_point(point.local_p2)];
                // Corners that coincide are found from both solids.
                let is_known = found[first_of_pair..]
                    .iter()
                    .any(|p| (Vector::from_array(p.at[0]) - at[0]).length() < SAME_PLACE);
                if !is_known {
                    found.push(ContactPoint {
                        colliders: [a, b],
                        normal: normal.to_array(),
                        at: at.map(|p| p.to_array()),
                        gap: point.dist,
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64, z: f64) -> Placement {
        Placement { origin: [x, y, z], ..Placement::IDENTITY }
    }

    /// The contact points of two solids, the second moved by a displacement.
    fn touching(first: &ContactSolid, second: &ContactSolid, by: Placement) -> Vec<ContactPoint> {
        let solids = [first, second].into_iter().enumerate();
        let colliders = solids.map(|(k, s)| Collider::new(k, s, Placement::IDENTITY).unwrap()).collect();
        let mut world = World::new(colliders);
        let mut found = vec![];
        let place = |k: usize| if k == 0 { Placement::IDENTITY } else { by };
        world.contacts(place, 0.01, |_, _| true, &mut found);
        found
    }

    /// Gaps of all pairs of solids with the ground are known in closed form, and normals point out of the second solid.
    #[test]
    fn solids_on_a_half_space_touch_where_they_stand() {
        let height = 0.2;
        let hull = vec![[0.3, 0.0, -height], [-0.3, 0.2, -height], [-0.3, -0.2, -height], [0.0, 0.0, 0.5]];
        for (solid, points) in [
            (ContactSolid::Sphere(height), 1),
            (ContactSolid::Box([1.0, 0.6, 2.0 * height]), 4),
            (ContactSolid::Capsule(0.1, 2.0 * (height - 0.1)), 1),
            (ContactSolid::Cylinder(0.1, 2.0 * height), 4),
            (ContactSolid::Hull(hull), 3),
        ] {
            for gap in [0.001, -0.001] {
                let found = touching(&ContactSolid::HalfSpace, &solid, at(0.3, 0.1, height + gap));
                assert_eq!(found.len(), points, "{solid:?}");
                for point in found {
                    assert!((point.gap - gap).abs() < 1e-12, "{solid:?}: {point:?}");
                    assert!((point.normal[2] + 1.0).abs() < 1e-12, "{point:?}");
                    assert!(point.at[0][2].abs() < 1e-12 && (point.at[1][2] - gap).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn a_box_stands_on_a_box_with_four_corners() {
        let unit = ContactSolid::Box([1.0; 3]);
        let found = touching(&unit, &unit, at(0.25, 0.0, 1.0 - 1e-4));
        assert_eq!(found.len(), 4);
        for point in &found {
            assert!((point.gap + 1e-4).abs() < 1e-12 && (point.normal[2] + 1.0).abs() < 1e-12);
            let [x, y, _] = point.at[0];
            assert!([-0.25, 0.5].iter().any(|e| (x - e).abs() < 1e-12) && (y.abs() - 0.5).abs() < 1e-12);
        }
    }

    #[test]
    fn spheres_and_capsules_touch_at_their_nearest_points() {
        let found = touching(&ContactSolid::Sphere(0.5), &ContactSolid::Sphere(0.3), at(0.48, 0.64, 0.0));
        assert_eq!(found.len(), 1);
        assert!(found[0].gap.abs() < 1e-12 && (found[0].normal[0] + 0.6).abs() < 1e-12);
        // A capsule along z beside a sphere.
        let found =
            touching(&ContactSolid::Sphere(0.5), &ContactSolid::Capsule(0.1, 4.0), at(0.605, 0.0, 1.0));
        assert_eq!(found.len(), 1);
        assert!((found[0].gap - 0.005).abs() < 1e-12, "{found:?}");
        assert!((found[0].at[0][2]).abs() < 1e-9);
    }

    #[test]
    fn a_ball_rests_in_a_height_map() {
        let map = ContactSolid::HeightMap(vec![vec![0.0, 0.0], vec![1.0, 1.0]], [2.0, 2.0]);
        // The plane z = (y + 1)/2: at y = 0 its normal is (0, -1, 2)/√5.
        let (s, c) = (1.0 / f64::sqrt(5.0), 2.0 / f64::sqrt(5.0));
        let found = touching(&map, &ContactSolid::Sphere(0.1), at(0.1, -0.1 * s, 0.5 + 0.1 * c));
        assert!(!found.is_empty());
        for point in found {
            assert!(point.gap.abs() < 1e-9, "{point:?}");
            assert!((point.normal[1] - s).abs() < 1e-9 && (point.normal[2] + c).abs() < 1e-9, "{point:?}");
        }
    }

    #[test]
    fn pairs_that_do_not_count_and_solids_of_one_body_are_left_out() {
        let ball = ContactSolid::Sphere(1.0);
        let make = |body| Collider::new(body, &ball, Placement::IDENTITY).unwrap();
        let mut world = World::new(vec![make(0), make(0), make(1)]);
        let mut found = vec![];
        world.contacts(|k| at(1.9 * k as f64, 0.0, 0.0), 0.0, |_, _| true, &mut found);
        assert_eq!(found.len(), 2);
        world.contacts(|k| at(1.9 * k as f64, 0.0, 0.0), 0.0, |a, _| a == 1, &mut found);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].colliders, [1, 2]);
        assert!(Collider::new(0, &ContactSolid::Sphere(0.0), Placement::IDENTITY).is_err());
        assert!(Collider::new(0, &ContactSolid::Hull(vec![[0.0; 3]; 5]), Placement::IDENTITY).is_err());
    }
}
