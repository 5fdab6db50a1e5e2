//! Impulses of rigid contacts with Coulomb friction, contact by contact (Jean and Moreau's nonsmooth contact dynamics).
//!
//! ```text
//! [slip]       u = J v,    v = v_free + Σ B p,    B = M⁻¹ Jᵀ           through the joints where there are any
//! [signorini]  0 ≤ p_n  ⊥  u_n + b ≥ 0
//! [coulomb]    |p_t| ≤ μ p_n;  p_t = -μ p_n u_t/|u_t| where u_t ≠ 0
//! [subspace]   J B Δp = -(u + b) among the contacts that stick, by conjugate gradients; as much of Δp as the cones allow
//! [sweep]      each contact solves its own 3 × 3 problem with the others as they are, forward and backward in turn
//! ```

use crate::geometry::{Mat3, Vec3};
use crate::parts::GROUND;
use crate::template::FREEDOMS;

/// Three rows of six numbers.
pub(super) type Rows3 = [[f64; FREEDOMS]; 3];

/// Iterations of the direction of sliding of one contact.
const SLIDING_ITERATIONS: usize = 12;

/// A contact point in a step.
#[derive(Clone, Debug)]
pub(super) struct ConeRow {
    /// Which law, and which colliders.
    pub law: usize,
    pub colliders: [usize; 2],
    /// Where it is, in the axes of the first part that moves.
    pub local: Vec3,
    pub parts: [usize; 2],
    /// J for both parts: normal, two tangents.
    pub jacobian: [Rows3; 2],
    /// B for both parts, or for all that joints reach.
    pub response: [Rows3; 2],
    pub reached: Vec<(usize, Rows3)>,
    /// J B
    pub w: Mat3,
    pub friction: f64,
    /// b
    pub bias: f64,
    pub gap: f64,
    /// u before the step.
    pub before: Vec3,
    /// p
    pub impulse: Vec3,
    pub normal: Vec3,
    pub tangents: [Vec3; 2],
}

impl ConeRow {
    /// u [slip]
    pub fn velocity(&self, v: &[f64]) -> Vec3 {
        let mut u = [0.0; 3];
        for (part, rows) in self.parts.iter().zip(&self.jacobian) {
            if *part == GROUND {
                continue;
            }
            let v = &v[FREEDOMS * part..][..FREEDOMS];
            for (u, row) in u.iter_mut().zip(rows) {
                *u += row.iter().zip(v).map(|(a, b)| a * b).sum::<f64>();
            }
        }
        u
    }

    /// v += B p [slip]
    pub fn push(&self, v: &mut [f64], p: Vec3) {
        let mut add = |part: usize, rows: &Rows3| {
            let v = &mut v[FREEDOMS * part..][..FREEDOMS];
            for j in 0..FREEDOMS {
                v[j] += rows[0][j] * p[0] + rows[1][j] * p[1] + rows[2][j] * p[2];
            }
        };
        if self.reached.is_empty() {
            let both = self.parts.iter().zip(&self.response);
            both.filter(|(part, _)| **part != GROUND).for_each(|(part, rows)| add(*part, rows));
        } else {
            self.reached.iter().for_each(|(part, rows)| add(*part, rows));
        }
    }

    /// Whether it presses and does not slide, so that its whole velocity is given.
    fn sticks(&self) -> bool {
        let [n, s, t] = self.impulse;
        n > 0.0 && (self.friction <= 0.0 || s.hypot(t) < self.friction * n)
    }

    /// What the velocity of a contact that sticks lacks; without friction its normal part alone.
    fn lack(&self, u: Vec3, bias: f64) -> Vec3 {
        if self.friction > 0.0 { [-(u[0] + bias), -u[1], -u[2]] } else { [-(u[0] + bias), 0.0, 0.0] }
    }

    /// Whether an impulse lies in the friction cone.
    fn allows(&self, p: Vec3) -> bool {
        p[0] >= 0.0 && (self.friction <= 0.0 || p[1].hypot(p[2]) <= self.friction * p[0])
    }

    /// One step of [sweep]; the largest change of a velocity.
    pub fn relax(&mut self, v: &mut [f64]) -> f64 {
        let u = self.velocity(v);
        if self.impulse == [0.0; 3] && u[0] + self.bias >= 0.0 {
            return 0.0;
        }
        let next = own_impulse(&self.w, self.impulse, self.friction, self.bias, u, SLIDING_ITERATIONS);
        let change: Vec3 = std::array::from_fn(|i| next[i] - self.impulse[i]);
        self.impulse = next;
        self.push(v, change);
        (0..3).map(|i| (change[i] * self.w[i][i]).abs()).fold(0.0, f64::max)
    }
}

/// The impulse that satisfies the laws of a contact with the velocity u under the impulse p; with so many turns of the direction of sliding. [signorini], [coulomb]
pub(super) fn own_impulse(w: &Mat3, p: Vec3, mu: f64, bias: f64, u: Vec3, turns: usize) -> Vec3 {
    let free: Vec3 = std::array::from_fn(|i| u[i] - w[i][0] * p[0] - w[i][1] * p[1] - w[i][2] * p[2]);
    let approach = -(free[0] + bias);
    if approach <= 0.0 {
        return [0.0; 3];
    }
    if mu <= 0.0 {
        return [approach / w[0][0], 0.0, 0.0];
    }
    if let Some(p) = solve3(w, [approach, -free[1], -free[2]])
        && p[0] >= 0.0
        && length(p[1], p[2]) <= mu * p[0]
    {
        return p;
    }
    // The direction of friction: that of the projection onto the disc.
    let stiffest = 0.5 * (w[1][1] + w[2][2]) + (0.5 * (w[1][1] - w[2][2])).hypot(w[1][2]);
    let mut d = unit(p[1], p[2]).or_else(|| unit(-free[1], -free[2])).unwrap_or([0.0; 2]);
    let mut found = [0.0; 3];
    for _ in 0..turns {
        let effective = w[0][0] + mu * (w[0][1] * d[0] + w[0][2] * d[1]);
        let n = approach / effective.max(0.05 * w[0][0]);
        found = [n, mu * n * d[0], mu * n * d[1]];
        let sliding: [f64; 2] = std::array::from_fn(|i| {
            let row = w[i + 1];
            free[i + 1] + row[0] * found[0] + row[1] * found[1] + row[2] * found[2]
        });
        let Some(next) = unit(found[1] - sliding[0] / stiffest, found[2] - sliding[1] / stiffest) else {
            break;
        };
        let turned = length(next[0] - d[0], next[1] - d[1]);
        d = next;
        if turned < 1e-13 {
            break;
        }
    }
    found
}

fn inner(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a[0] * b[0] + a[1] * b[1] + a[2] * b[2]).sum()
}

/// Solves for all contacts that stick at once, which sweeps alone do slowly where many bodies stand on each other. [subspace]
pub(super) fn solve_sticking(rows: &mut [ConeRow], v: &mut [f64], iterations: usize, tolerance: f64) {
    let active: Vec<usize> = (0..rows.len()).filter(|k| rows[*k].sticks()).collect();
    if active.is_empty() {
        return;
    }
    let mut r: Vec<Vec3> =
        active.iter().map(|k| rows[*k].lack(rows[*k].velocity(v), rows[*k].bias)).collect();
    let scaled = |r: &[Vec3]| -> Vec<Vec3> {
        let each = active.iter().zip(r).map(|(k, r)| (&rows[*k].w, r));
        each.map(|(w, r)| std::array::from_fn(|i| r[i] / w[i][i])).collect()
    };
    let mut x = vec![[0.0; 3]; active.len()];
    let mut z = scaled(&r);
    let mut d = z.clone();
    let mut rho = inner(&r, &z);
    let mut change = vec![0.0; v.len()];
    for _ in 0..iterations {
        if r.iter().flatten().all(|e| e.abs() <= tolerance) {
            break;
        }
        change.fill(0.0);
        active.iter().zip(&d).for_each(|(k, d)| rows[*k].push(&mut change, *d));
        // Minus what the direction adds to the velocities.
        let q: Vec<Vec3> = active.iter().map(|k| rows[*k].lack(rows[*k].velocity(&change), 0.0)).collect();
        let curvature = -inner(&d, &q);
        if curvature.is_nan() || curvature <= 0.0 {
            break;
        }
        let step = rho / curvature;
        for k in 0..active.len() {
            for i in 0..3 {
                x[k][i] += step * d[k][i];
                r[k][i] += step * q[k][i];
            }
        }
        z = scaled(&r);
        let next = inner(&r, &z);
        let ratio = next / rho;
        rho = next;
        for k in 0..active.len() {
            (0..3).for_each(|i| d[k][i] = z[k][i] + ratio * d[k][i]);
        }
    }
    let moved = |part: f64, k: usize| -> Vec3 {
        let p = rows[active[k]].impulse;
        std::array::from_fn(|i| p[i] + part * x[k][i])
    };
    let parts = [1.0, 0.5, 0.25, 0.125];
    let fits = |part: &f64| (0..active.len()).all(|k| rows[active[k]].allows(moved(*part, k)));
    let Some(part) = parts.into_iter().find(fits) else { return };
    for (k, x) in active.iter().zip(&x) {
        let p: Vec3 = x.map(|x| part * x);
        let row = &mut rows[*k];
        (0..3).for_each(|i| row.impulse[i] += p[i]);
        row.push(v, p);
    }
}

/// Impulses and speeds are far from the ends of the range of numbers, so that squares will do.
fn length(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

fn unit(x: f64, y: f64) -> Option<[f64; 2]> {
    let n = length(x, y);
    (n > 0.0 && n.is_finite()).then(|| [x / n, y / n])
}

/// The solution of a 3 × 3 system by Cramer's rule; nothing where it is singular.
fn solve3(w: &Mat3, b: Vec3) -> Option<Vec3> {
    let minor = |i: usize, j: usize| w[1][i] * w[2][j] - w[1][j] * w[2][i];
    let determinant = w[0][0] * minor(1, 2) - w[0][1] * minor(0, 2) + w[0][2] * minor(0, 1);
    let size = w[0][0] * w[1][1] * w[2][2];
    if determinant <= 1e-12 * size || determinant.is_nan() {
        return None;
    }
    let column = |k: usize| {
        let mut m = *w;
        (0..3).for_each(|i| m[i][k] = b[i]);
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    Some([column(0) / determinant, column(1) / determinant, column(2) / determinant])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(w: Mat3, friction: f64, bias: f64) -> ConeRow {
        ConeRow {
            law: 0,
            colliders: [0, 1],
            local: [0.0; 3],
            parts: [GROUND; 2],
            jacobian: [[[0.0; 6]; 3]; 2],
            response: [[[0.0; 6]; 3]; 2],
            reached: vec![],
            w,
            friction,
            bias,
            gap: 0.0,
            before: [0.0; 3],
            impulse: [0.0; 3],
            normal: [0.0, 0.0, 1.0],
            tangents: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        }
    }

    /// The impulse of one contact satisfies Signorini's condition and Coulomb's law to rounding, whether it sticks or slides.
    #[test]
    fn one_contact_satisfies_its_laws() {
        let w = [[2.0, 0.3, -0.2], [0.3, 1.5, 0.1], [-0.2, 0.1, 1.0]];
        let mut random = cardan_testkit::Random::new(3);
        let (mut slid, mut stuck) = (0, 0);
        for _ in 0..400 {
            let mu = random.between(0.0, 1.5);
            let row = row(w, mu, random.between(-0.2, 0.2));
            let free = [random.between(-1.0, 0.3), random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
            let p = own_impulse(&w, row.impulse, mu, row.bias, free, SLIDING_ITERATIONS);
            let u: Vec3 = std::array::from_fn(|i| free[i] + (0..3).map(|j| w[i][j] * p[j]).sum::<f64>());
            assert!(p[0] >= 0.0 && u[0] + row.bias > -1e-12 && (p[0] * (u[0] + row.bias)).abs() < 1e-12);
            let (rubs, slides) = (p[1].hypot(p[2]), u[1].hypot(u[2]));
            assert!(rubs <= mu * p[0] + 1e-12);
            if p[0] > 0.0 && slides > 1e-9 {
                // Against the sliding velocity, and as large as it may be.
                assert!((rubs - mu * p[0]).abs() < 1e-12);
                assert!((p[1] * u[1] + p[2] * u[2] + rubs * slides).abs() < 1e-6, "{p:?} {u:?}");
                slid += 1;
            } else if p[0] > 0.0 {
                stuck += 1;
            }
        }
        assert!(slid > 50 && stuck > 10, "{slid} {stuck}");
    }
}
