//! Coordinates and speeds of joints, measured between parts.

use cardan_base::Id;

use crate::geometry::{self as g, Pose, Vec3};
use crate::joint_chain::Relative;
use crate::mechanism::Mechanism;
use crate::parts::GROUND;
use crate::template::{FREEDOMS, STATE};

impl Mechanism<'_> {
    /// The pose of a part's frame.
    pub fn pose(&self, y: &[f64], part: usize) -> Pose {
        match self.structure.parts.get(part) {
            None => Pose::IDENTITY,
            Some(data) => {
                let s = &y[STATE * part..];
                let r = g::matrix([s[3], s[4], s[5], s[6]]);
                Pose { p: g::sub([s[0], s[1], s[2]], g::apply(&r, data.center)), r }
            }
        }
    }

    /// Motion of one part's frame relative to another's.
    pub fn relative(&self, y: &[f64], a: usize, b: usize) -> Relative {
        let (pa, pb) = (self.pose(y, a), self.pose(y, b));
        let (va, wa, aa) = self.motion_of_origin(y, a, &pa);
        let (vb, wb, ab) = self.motion_of_origin(y, b, &pb);
        let d = g::sub(pb.p, pa.p);
        let into = |v: Vec3| g::apply_transposed(&pa.r, v);
        let slide = g::sub(g::sub(vb, va), g::cross(wa, d));
        let spin = g::sub(wb, wa);
        let centripetal = g::cross(wa, g::cross(wa, d));
        let coriolis = g::scale(2.0, g::cross(wa, slide));
        let bias = g::sub(g::sub(g::sub(ab, aa), centripetal), coriolis);
        let turning = g::scale(-1.0, g::cross(wa, spin));
        let join = |u: Vec3, v: Vec3| [u[0], u[1], u[2], v[0], v[1], v[2]];
        Relative {
            pose: pa.inverse().then(&pb),
            twist: join(into(slide), into(spin)),
            bias: join(into(bias), into(turning)),
        }
    }

    /// Velocity and acceleration (at constant v and w) of a part's origin, and its angular velocity, in inertial axes.
    pub(super) fn motion_of_origin(&self, y: &[f64], part: usize, pose: &Pose) -> (Vec3, Vec3, Vec3) {
        let Some(data) = self.structure.parts.get(part) else { return ([0.0; 3], [0.0; 3], [0.0; 3]) };
        let s = &y[STATE * part..];
        let w = g::apply(&pose.r, [s[10], s[11], s[12]]);
        let r = g::scale(-1.0, g::apply(&pose.r, data.center));
        let v = g::add([s[7], s[8], s[9]], g::cross(w, r));
        (v, w, g::cross(w, g::cross(w, r)))
    }

    /// Measures coordinates and speeds of a state. With `keep`, angles are counted on from here.
    pub fn measure(&mut self, y: &[f64], keep: bool) {
        for k in 0..self.structure.chains.len() {
            let chain = &self.structure.chains[k];
            let relative = self.relative(y, chain.a, chain.b);
            let (first, n) = (chain.first, chain.freedoms());
            let mut travels = self.travels[first..first + n].to_vec();
            let mut balls = self.balls[k].clone();
            chain.locate(&relative.pose, &mut travels, &mut balls);
            self.measured[k] = chain.rates(&relative, &travels, &balls);
            crate::initial_pose::read_coordinates(self.model, chain, &travels, &mut self.q);
            if keep {
                self.travels[first..first + n].copy_from_slice(&travels);
                self.balls[k].copy_from_slice(&balls);
            }
            crate::initial_pose::read_balls(self.model, &self.euler_coordinates, k, &balls, &mut self.q);
        }
        for (speed, freedom) in self.freedoms.iter().enumerate() {
            self.u[speed] = self.rate(*freedom);
        }
    }

    pub(super) fn chain_of(&self, freedom: usize) -> (usize, usize) {
        let k = self.structure.chains.partition_point(|c| c.first <= freedom) - 1;
        (k, freedom - self.structure.chains[k].first)
    }

    pub(super) fn rate(&self, freedom: usize) -> f64 {
        let (k, i) = self.chain_of(freedom);
        self.measured[k].rates[i]
    }

    pub(super) fn bias(&self, freedom: usize) -> f64 {
        let (k, i) = self.chain_of(freedom);
        self.measured[k].bias[i]
    }

    /// The displacement of a freedom at the state that was measured last, relative to what is kept.
    pub(super) fn travel(&self, y: &[f64], freedom: usize) -> f64 {
        let (k, i) = self.chain_of(freedom);
        let chain = &self.structure.chains[k];
        let relative = self.relative(y, chain.a, chain.b);
        let mut travels = self.travels[chain.first..chain.first + chain.freedoms()].to_vec();
        let mut balls = self.balls[k].clone();
        chain.locate(&relative.pose, &mut travels, &mut balls);
        match crate::initial_pose::ball_error(chain, i, &self.balls[k], &balls) {
            Some(error) => error,
            None => travels[i],
        }
    }

    /// Derivatives of a freedom's rate by the velocities of its parts.
    pub(crate) fn rate_gradient(&self, y: &[f64], freedom: usize) -> [(usize, [f64; 6]); 2] {
        let (k, i) = self.chain_of(freedom);
        let chain = &self.structure.chains[k];
        let row = self.measured[k].inverse[i];
        let (pa, pb) = (self.pose(y, chain.a), self.pose(y, chain.b));
        let linear = g::apply(&pa.r, [row[0], row[1], row[2]]);
        let angular = g::apply(&pa.r, [row[3], row[4], row[5]]);
        let center = |part: usize| match part {
            GROUND => [0.0; 3],
            _ => [y[STATE * part], y[STATE * part + 1], y[STATE * part + 2]],
        };
        // Both sides are seen at the origin of the second part.
        let (ra, rb) = (g::sub(pb.p, center(chain.a)), g::sub(pb.p, center(chain.b)));
        let ta = g::apply_transposed(&pa.r, g::add(g::cross(ra, linear), angular));
        let tb = g::apply_transposed(&pb.r, g::add(g::cross(rb, linear), angular));
        let join = |s: f64, u: Vec3, v: Vec3| [s * u[0], s * u[1], s * u[2], s * v[0], s * v[1], s * v[2]];
        [(chain.a, join(-1.0, linear, ta)), (chain.b, join(1.0, linear, tb))]
    }

    /// Accelerations of the freedoms at the last evaluation, by speed.
    pub fn accelerations_of_speeds(&mut self, y: &[f64]) -> Vec<f64> {
        let mut found = vec![];
        for freedom in &self.freedoms {
            let mut sum = self.bias(*freedom);
            for (part, gradient) in self.rate_gradient(y, *freedom) {
                if part != GROUND {
                    let a = &self.acceleration[FREEDOMS * part..][..FREEDOMS];
                    sum += gradient.iter().zip(a).map(|(x, y)| x * y).sum::<f64>();
                }
            }
            found.push(sum);
        }
        found
    }

    /// Changes of the freedoms by small displacements of the parts at the state that was measured last, by speed.
    pub fn rates_of_displacements(&self, y: &[f64], d: &[f64]) -> Vec<f64> {
        let along = |freedom: &usize| {
            let sides = self.rate_gradient(y, *freedom);
            let moving = sides.iter().filter(|(part, _)| *part != GROUND);
            moving.map(|(p, row)| row.iter().zip(&d[FREEDOMS * p..]).map(|(x, y)| x * y).sum::<f64>()).sum()
        };
        self.freedoms.iter().map(along).collect()
    }

    /// Coordinates at the last evaluation, in the order of the model.
    pub fn coordinates(&self) -> &[f64] {
        &self.q
    }

    /// Poses of the bodies of the model.
    pub fn poses_of_bodies(&self, y: &[f64]) -> Vec<Pose> {
        let pose = |body: &cardan_model::Body| match self.structure.frames[body.frame.index()] {
            Some(at) => self.pose(y, at.part).then(&at.pose),
            None => Pose::IDENTITY,
        };
        self.model.bodies.iter().map(|(_, body)| pose(body)).collect()
    }

    /// All parts at rest.
    pub fn bring_to_rest(&self, y: &mut [f64]) {
        (0..self.n_parts()).for_each(|p| y[STATE * p + 7..][..FREEDOMS].fill(0.0));
    }

    /// The distance of the farthest mass centre from the mean of all, or one where there is none.
    pub fn size(&self, y: &[f64]) -> f64 {
        let n = self.n_parts();
        let place = |p: usize| [y[STATE * p], y[STATE * p + 1], y[STATE * p + 2]];
        let sum = (0..n).fold([0.0; 3], |sum, p| g::add(sum, place(p)));
        let mean = g::scale(1.0 / n.max(1) as f64, sum);
        let far = (0..n).map(|p| g::norm(g::sub(place(p), mean))).fold(0.0, f64::max);
        if far > 0.0 { far } else { 1.0 }
    }
}
