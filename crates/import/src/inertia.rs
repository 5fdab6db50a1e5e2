//! Which mass properties a body can have.
//!
//! ```text
//! [possible]   m ≥ 0,   J1, J2, J3 ≥ 0,   J1 + J2 ≥ J3 for the principal moments in every order
//! ```
//!
//! Moments that are rounding for a body of its mass are none. The last says that J1 + J2 - J3 = 2 ∫ z² dm is not negative.

use cardan_model::mass_bounds::rounding_of_inertia;

/// Moments and products: xx, yy, zz, xy, xz, yz.
pub(crate) type Moments = [f64; 6];

/// Relative slack of the comparisons: data rounded to a dozen digits passes.
pub(crate) const SLACK: f64 = 1e-9;

/// Why no body can have these mass properties, in mechanical words; nothing if one can.
pub(crate) fn impossible(mass: f64, moments: &Moments) -> Option<String> {
    if mass < 0.0 {
        return Some(format!("the mass {mass} is negative"));
    }
    let [a, b, c] = principal(moments);
    let none = rounding_of_inertia(mass);
    if mass == 0.0 && c > 0.0 {
        return Some("a body without mass has an inertia".into());
    }
    if a < -SLACK * c.abs() - none {
        return Some(format!("the principal moment {} is negative", rounded(a)));
    }
    if a + b < c * (1.0 - SLACK) - none {
        let [a, b, c] = [a, b, c].map(rounded);
        return Some(format!("the principal moments {a} and {b} add up to less than {c}"));
    }
    None
}

/// Six digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}

/// The principal moments in ascending order.
fn principal(moments: &Moments) -> [f64; 3] {
    let (mut out, _) = principal_axes(moments);
    out.sort_by(f64::total_cmp);
    out
}

/// The principal moments and their axes, which are the columns, by Jacobi rotations.
pub(crate) fn principal_axes(moments: &Moments) -> ([f64; 3], [[f64; 3]; 3]) {
    let [xx, yy, zz, xy, xz, yz] = *moments;
    let mut m = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..20 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for k in 0..3 {
                let (a, b) = (m[k][p], m[k][q]);
                m[k][p] = c * a - s * b;
                m[k][q] = s * a + c * b;
            }
            for k in 0..3 {
                let (a, b) = (m[p][k], m[q][k]);
                m[p][k] = c * a - s * b;
                m[q][k] = s * a + c * b;
            }
            for row in &mut axes {
                let (a, b) = (row[p], row[q]);
                row[p] = c * a - s * b;
                row[q] = s * a + c * b;
            }
        }
    }
    ([m[0][0], m[1][1], m[2][2]], axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_moments_of_a_turned_tensor() {
        // diag(1, 2, 3) turned by 30 degrees about z, then about x.
        let (s, c) = (0.5, 0.75f64.sqrt());
        let (xx, yy, xy) = (c * c + 2.0 * s * s, s * s + 2.0 * c * c, -s * c);
        let moments =
            [xx, c * c * yy + 3.0 * s * s, s * s * yy + 3.0 * c * c, c * xy, s * xy, s * c * (yy - 3.0)];
        let found = principal(&moments);
        for (a, b) in found.iter().zip([1.0, 2.0, 3.0]) {
            assert!((a - b).abs() < 1e-14, "{found:?}");
        }
    }

    #[test]
    fn principal_axes_give_the_tensor_back() {
        let moments = [2.0, 3.0, 4.0, 0.5, -0.7, 0.3];
        let (J, V) = principal_axes(&moments);
        let entry = |i: usize, j: usize| (0..3).map(|k| V[i][k] * J[k] * V[j][k]).sum::<f64>();
        let again = [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)];
        for (a, b) in again.iter().zip(moments) {
            assert!((a - b).abs() < 1e-14, "{again:?}");
        }
    }

    #[test]
    fn a_thin_disc_is_possible_and_more_is_not() {
        assert_eq!(impossible(1.0, &[1.0, 1.0, 2.0, 0.0, 0.0, 0.0]), None);
        assert!(impossible(1.0, &[1.0, 1.0, 2.001, 0.0, 0.0, 0.0]).unwrap().contains("add up"));
        assert!(impossible(1.0, &[1.0, 1.0, 1.0, 2.0, 0.0, 0.0]).unwrap().contains("negative"));
        assert!(impossible(-1.0, &[0.0; 6]).unwrap().contains("mass"));
        assert_eq!(impossible(2.0, &[0.0; 6]), None);
        // Rounding beside ten grams, which a mass of nothing does not excuse.
        assert_eq!(impossible(0.01, &[5e-20, -5e-20, 2e-20, 0.0, 7e-20, 0.0]), None);
        assert!(impossible(0.01, &[5e-8, -5e-8, 2e-8, 0.0, 0.0, 0.0]).is_some());
        assert!(impossible(0.0, &[5e-20, 5e-20, 5e-20, 0.0, 0.0, 0.0]).is_some());
        assert!(impossible(0.0, &[1.0, 1.0, 1.0, 0.0, 0.0, 0.0]).is_some());
    }
}
