//! Mass properties as `compiler` mends them: `boundmass`, `boundinertia`, `balanceinertia`.
//!
//! ```text
//! [bound]     m ≥ boundmass,   J1, J2, J3 ≥ boundinertia for the principal moments, whose axes stay
//! [balance]   where J1 + J2 < J3 even then, all three become (J1 + J2 + J3) / 3
//! ```
//!
//! A body without mass properties of its own gets the bounds as its mass and moments. Its mass centre is then its `pos`, taken in the body itself,
//! which is what MuJoCo does. Exact numbers stay where nothing is mended.

use cardan_expr::{Expr, Pool, Rational};

use super::geom::Lump;
use super::settings::Settings;
use crate::inertia::principal_axes;

/// The mass properties of a body that sits at `p` in its parent.
pub(super) fn mended(pool: &Pool, lump: Option<Lump>, p: [Expr; 3], settings: &Settings) -> Option<Lump> {
    let zero = pool.zero();
    let bounds = !settings.least_mass.is_zero() || !settings.least_moment.is_zero();
    let mut lump = match lump {
        Some(lump) => lump,
        None if bounds => Lump { mass: zero, center: p, inertia: [[zero; 3]; 3] },
        None => return None,
    };
    let pi = pool.as_symbol(pool.pi());
    let value = |e: Expr| pool.evaluate(e, &|s| if Some(s) == pi { std::f64::consts::PI } else { f64::NAN });
    if value(lump.mass) < settings.least_mass.to_f64() {
        lump.mass = pool.number(settings.least_mass.clone()); // [bound]
    }
    let [x, y, z] = lump.inertia.map(|row| row.map(value));
    let (mut J, V) = principal_axes(&[x[0], y[1], z[2], x[1], x[2], y[2]]);
    let least = settings.least_moment.to_f64();
    let low = J.map(|j| j < least);
    J = J.map(|j| j.max(least)); // [bound]
    if low.contains(&true) {
        let plain = (0..3).all(|i| (0..3).all(|j| i == j || V[i][j] == 0.0));
        let number = |x: f64| pool.number(Rational::from_f64(x).unwrap_or(Rational::ZERO));
        lump.inertia = std::array::from_fn(|i| {
            std::array::from_fn(|j| match plain {
                true if i == j && low[i] => pool.number(settings.least_moment.clone()),
                true => lump.inertia[i][j],
                false => number((0..3).map(|k| V[i][k] * J[k] * V[j][k]).sum()),
            })
        });
    }
    let sum: f64 = J.iter().sum();
    if settings.balanced && J.iter().any(|j| sum - j < *j) {
        let trace = pool.sum([0, 1, 2].map(|k| lump.inertia[k][k]));
        let mean = pool.scale(Rational::Small(1, 3), trace); // [balance]
        lump.inertia = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { mean } else { zero }));
    }
    Some(lump)
}
