//! Impulses of a large heap of bodies without joints: accelerated sweeps over contacts that are stored compactly.
//!
//! A sweep F, [sweep] in `cone`, is a fixed-point iteration. Silcowitz-Hansen, Niebe and Erleben (2010) take what a sweep changes for
//! a gradient, and go on along conjugate directions of Fletcher and Reeves:
//!
//! ```text
//! [gradient]   p⁺ = F(p),    g = p⁺ - p,    |g|² = Σ W_ii g_i²
//! [conjugate]  β = |g|²/|g_before|²;    where β ≤ 1:  p ← p⁺ + β d,  d ← g + β d;    else  p ← p⁺,  d ← 0
//! ```
//!
//! Velocities are linear in the impulses, so their direction goes the same way without another loop over contacts. The last step is
//! always a plain sweep: its impulses obey the laws of each contact.

use crate::contact::cone::{ConeRow, own_impulse};
use crate::geometry::{self as g, Mat3, Vec3};
use crate::parts::{GROUND, Part};
use crate::template::FREEDOMS;

/// Turns of the direction of sliding of one contact in one sweep: the next sweep goes on from there.
const TURNS: usize = 3;

/// A contact point, with the last part for the ground.
#[derive(Clone, Debug)]
struct Touch {
    parts: [u32; 2],
    /// Normal and tangents; with the opposite sign for the second part.
    directions: [Vec3; 3],
    /// What a turn of each part adds to the velocity, in its own axes.
    turns: [[Vec3; 3]; 2],
    w: Mat3,
    friction: f64,
    bias: f64,
    impulse: Vec3,
}

#[derive(Clone, Copy, Debug)]
struct Inertia {
    /// Inverses of mass and inertia, zero for the ground.
    mass: f64,
    turn: Mat3,
}

/// Velocity and angular velocity in the axes of the part.
type Speed = [Vec3; 2];

/// A heap.
#[derive(Debug)]
pub(super) struct Heap {
    touches: Vec<Touch>,
    inertias: Vec<Inertia>,
    speeds: Vec<Speed>,
}

impl Touch {
    fn relative(&self, speeds: &[Speed], direction: usize) -> f64 {
        let [a, b] = self.parts.map(|k| &speeds[k as usize]);
        g::dot(self.directions[direction], g::sub(a[0], b[0]))
            + g::dot(self.turns[0][direction], a[1])
            + g::dot(self.turns[1][direction], b[1])
    }

    fn push(&self, speeds: &mut [Speed], inertias: &[Inertia], p: Vec3) {
        let along = |rows: &[Vec3; 3]| -> Vec3 {
            std::array::from_fn(|j| rows[0][j] * p[0] + rows[1][j] * p[1] + rows[2][j] * p[2])
        };
        let force = along(&self.directions);
        for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
            let part = self.parts[side] as usize;
            let (inertia, speed) = (&inertias[part], &mut speeds[part]);
            speed[0] = g::add(speed[0], g::scale(sign * inertia.mass, force));
            speed[1] = g::add(speed[1], g::apply(&inertia.turn, along(&self.turns[side])));
        }
    }
}

impl Heap {
    /// The contacts of a step. Joints must not carry impulses on.
    pub fn new(rows: &[ConeRow], parts: &[Part]) -> Heap {
        let ground = parts.len();
        let touches = rows.iter().map(|row| Touch {
            parts: row.parts.map(|p| if p == GROUND { ground as u32 } else { p as u32 }),
            directions: [row.normal, row.tangents[0], row.tangents[1]],
            turns: row.jacobian.map(|side| side.map(|r| [r[3], r[4], r[5]])),
            w: row.w,
            friction: row.friction,
            bias: row.bias,
            impulse: row.impulse,
        });
        let inertias = parts.iter().map(|p| Inertia { mass: 1.0 / p.mass, turn: p.inverse });
        let still = Inertia { mass: 0.0, turn: [[0.0; 3]; 3] };
        Heap {
            touches: touches.collect(),
            inertias: inertias.chain([still]).collect(),
            speeds: vec![[[0.0; 3]; 2]; ground + 1],
        }
    }

    /// Six numbers for each part.
    fn take_speeds(&mut self, v: &[f64]) {
        for (speed, v) in self.speeds.iter_mut().zip(v.chunks_exact(FREEDOMS)) {
            *speed = [[v[0], v[1], v[2]], [v[3], v[4], v[5]]];
        }
    }

    /// Impulses from those of the rows on, with the velocities v that belong to them: the largest change of a velocity in the last
    /// sweep, and how many there were. [gradient], [conjugate]
    pub fn settle(&mut self, v: &[f64], most: usize, tolerance: f64) -> (f64, u64) {
        self.take_speeds(v);
        let n = self.touches.len();
        let mut old = self.speeds.clone();
        let mut speed_direction = vec![[[0.0; 3]; 2]; self.speeds.len()];
        let mut impulses: Vec<Vec3> = self.touches.iter().map(|t| t.impulse).collect();
        let mut direction = vec![[0.0; 3]; n];
        let mut before = 0.0;
        for sweep in 1..=most {
            let (change, size) = self.sweep();
            if change <= tolerance || sweep == most {
                return (change, sweep as u64);
            }
            let beta = if before > 0.0 { size / before } else { 0.0 };
            before = size;
            let beta = if beta <= 1.0 { beta } else { 0.0 };
            for ((touch, old), d) in self.touches.iter_mut().zip(&mut impulses).zip(&mut direction) {
                conjugate(&mut touch.impulse, old, d, beta);
            }
            let speeds = self.speeds.iter_mut().flatten().zip(old.iter_mut().flatten());
            for ((speed, old), d) in speeds.zip(speed_direction.iter_mut().flatten()) {
                conjugate(speed, old, d, beta);
            }
        }
        (0.0, 0)
    }

    /// The largest change of a velocity, and |g|².
    fn sweep(&mut self) -> (f64, f64) {
        let (mut largest, mut size): (f64, f64) = (0.0, 0.0);
        for touch in &mut self.touches {
            let normal = touch.relative(&self.speeds, 0);
            if touch.impulse == [0.0; 3] && normal + touch.bias >= 0.0 {
                continue;
            }
            let u = [normal, touch.relative(&self.speeds, 1), touch.relative(&self.speeds, 2)];
            let next = own_impulse(&touch.w, touch.impulse, touch.friction, touch.bias, u, TURNS);
            let change = g::sub(next, touch.impulse);
            touch.impulse = next;
            touch.push(&mut self.speeds, &self.inertias, change);
            for i in 0..3 {
                let speed = (touch.w[i][i] * change[i]).abs();
                largest = largest.max(speed);
                size += speed * change[i].abs();
            }
        }
        (largest, size)
    }

    /// The impulses, in the order of the rows.
    pub fn impulses(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.touches.iter().map(|t| t.impulse)
    }

    /// Velocities s that let overlaps out: 0 ≤ π ⊥ own + n·J s ≥ 0, by plain sweeps.
    pub fn push_apart(&mut self, own: &[f64], shift: &mut [f64], most: usize, tolerance: f64) {
        shift.fill(0.0);
        self.take_speeds(shift);
        let mut pushed = vec![0.0; own.len()];
        for _ in 0..most {
            let mut change: f64 = 0.0;
            for ((touch, own), pushed) in self.touches.iter().zip(own).zip(&mut pushed) {
                let rate = own + touch.relative(&self.speeds, 0);
                let next = f64::max(0.0, *pushed - rate / touch.w[0][0]);
                if next != *pushed {
                    touch.push(&mut self.speeds, &self.inertias, [next - *pushed, 0.0, 0.0]);
                    change = change.max((next - *pushed).abs() * touch.w[0][0]);
                    *pushed = next;
                }
            }
            if change <= tolerance {
                break;
            }
        }
        for (speed, s) in self.speeds.iter().zip(shift.chunks_exact_mut(FREEDOMS)) {
            s[..3].copy_from_slice(&speed[0]);
            s[3..].copy_from_slice(&speed[1]);
        }
    }
}

/// x ← x⁺ + β d, d ← x⁺ - x + β d; the new x is kept for the next. [conjugate]
fn conjugate(new: &mut Vec3, old: &mut Vec3, d: &mut Vec3, beta: f64) {
    for i in 0..3 {
        let gone = beta * d[i];
        d[i] = new[i] - old[i] + gone;
        new[i] += gone;
        old[i] = new[i];
    }
}
