//! Whether matter can have the masses and inertias that a model gives.
//!
//! ```text
//! [second-moments]   S = ½ tr(I) 1 - I = ∫ r r^T dm,   hence S is positive semidefinite
//! ```
//!
//! For principal moments this is the triangle rule: each is at most the sum of the other two. Inertias of which a moment is left at zero are
//! not judged; they belong to planar models, where the others never matter.

use cardan_model::mass_bounds::rounding_of_inertia;
use cardan_model::{Body, BodyId, Model};

use cardan_assembly::parameter_values::ParameterValues;

/// A moment may exceed the sum of the others by this part of it: data are rounded.
const ROUNDING: f64 = 1e-3;

/// What is wrong with the mass or inertia of a body.
#[derive(Clone, PartialEq, Debug)]
pub struct Doubt {
    /// Which body.
    pub body: BodyId,
    /// Whether no motion makes sense with it; otherwise only no matter is so distributed.
    pub impossible: bool,
    /// In a sentence without full stop.
    pub sentence: String,
}

/// What is wrong with the mass or inertia of each body.
pub fn implausible(model: &Model, values: &ParameterValues) -> Vec<Doubt> {
    let doubt = |(id, body): (BodyId, &Body)| {
        let (negative, sentence) = complaint(model, values, body)?;
        // A body of negative mass that is fixed to another is a hole in it.
        let moves = body.joint.is_none_or(|j| !model.joints[j].coordinates.is_empty());
        let impossible = negative && moves;
        Some(Doubt { body: id, impossible, sentence })
    };
    model.bodies.iter().filter_map(doubt).collect()
}

fn complaint(model: &Model, values: &ParameterValues, body: &Body) -> Option<(bool, String)> {
    let mass = values.evaluate(model, body.mass);
    if mass < 0.0 {
        return Some((true, format!("the mass of `{}` is negative: {mass} kg", body.name)));
    }
    if mass.is_infinite() {
        return Some((true, format!("the mass of `{}` is infinite", body.name)));
    }
    let i = body.inertia.map(|row| row.map(|e| values.evaluate(model, e)));
    let moments = [i[0][0], i[1][1], i[2][2]];
    let none = rounding_of_inertia(mass);
    if let Some((negative, axis)) = moments.iter().zip(["xx", "yy", "zz"]).find(|(m, _)| **m < -none) {
        let sentence =
            format!("a moment of inertia of `{}` is negative: {axis} = {negative} kg*m^2", body.name);
        return Some((true, sentence));
    }
    if moments.iter().any(|m| m.is_infinite()) {
        return Some((true, format!("a moment of inertia of `{}` is infinite", body.name)));
    }
    if !positive(i, none) {
        let sentence = format!(
            "the inertia of `{}` is not positive: its products are too large for its moments",
            body.name
        );
        return Some((true, sentence));
    }
    if moments.iter().any(|m| m.abs() <= none) || possible(i, none) {
        return None;
    }
    let [xx, yy, zz] = moments;
    Some((
        false,
        format!(
            "the inertia of `{}`, ({xx}, {yy}, {zz}) kg*m^2, violates the triangle inequality: each principal moment is at most the sum of the other two",
            body.name
        ),
    ))
}

/// Whether an inertia is positive semidefinite, with room for rounded data and for moments that are none.
fn positive(mut i: [[f64; 3]; 3], none: f64) -> bool {
    let trace = i[0][0] + i[1][1] + i[2][2];
    (0..3).for_each(|k| i[k][k] += ROUNDING * trace.abs() + none);
    semidefinite(i)
}

/// Whether the second moments are positive semidefinite, with room for rounded data and for moments that are none.
fn possible(i: [[f64; 3]; 3], none: f64) -> bool {
    let trace = i[0][0] + i[1][1] + i[2][2];
    let mut s = i.map(|row| row.map(|x| -x)); // [second-moments]
    for (k, row) in s.iter_mut().enumerate() {
        row[k] += trace / 2.0 + ROUNDING * trace + none;
    }
    semidefinite(s)
}

/// All principal minors.
fn semidefinite(s: [[f64; 3]; 3]) -> bool {
    let minor = |a: usize, b: usize| s[a][a] * s[b][b] - s[a][b] * s[b][a];
    let determinant = s[0][0] * minor(1, 2) - s[0][1] * (s[1][0] * s[2][2] - s[1][2] * s[2][0])
        + s[0][2] * (s[1][0] * s[2][1] - s[1][1] * s[2][0]);
    let all = [s[0][0], s[1][1], s[2][2], minor(0, 1), minor(0, 2), minor(1, 2), determinant];
    !all.iter().any(|m| *m < 0.0)
}

#[cfg(test)]
mod tests {
    use crate::checks::mass_properties::{positive, possible};

    fn diagonal(xx: f64, yy: f64, zz: f64) -> [[f64; 3]; 3] {
        [[xx, 0.0, 0.0], [0.0, yy, 0.0], [0.0, 0.0, zz]]
    }

    #[test]
    fn the_triangle_rule() {
        assert!(possible(diagonal(1.0, 1.0, 2.0), 0.0), "a plate");
        assert!(possible(diagonal(1.0, 1.0, 1e-9), 0.0), "a rod");
        assert!(!possible(diagonal(1.0, 1.0, 3.0), 0.0));
        assert!(!possible(diagonal(5.0, 1.0, 1.0), 0.0));
    }

    #[test]
    fn rounding_is_no_inertia() {
        let none = cardan_model::mass_bounds::rounding_of_inertia(0.01);
        assert!(positive(diagonal(5e-20, -5e-20, 5e-20), none));
        assert!(possible(diagonal(5e-20, 1e-21, 1e-21), none));
        assert!(!positive(diagonal(5e-8, -5e-8, 5e-8), none));
    }

    /// Point masses have possible inertias in any axes; more mass on the axes than off them has not.
    #[test]
    fn sums_of_points_are_possible_and_too_large_products_are_not() {
        let points = [[1.0, 2.0, -0.5], [-0.3, 0.7, 1.1], [2.0, -1.0, 0.4], [0.1, 0.1, 3.0]];
        let mut i = [[0.0; 3]; 3];
        for p in points {
            let square: f64 = p.iter().map(|x| x * x).sum();
            for (a, row) in i.iter_mut().enumerate() {
                for (b, entry) in row.iter_mut().enumerate() {
                    *entry += if a == b { square } else { 0.0 } - p[a] * p[b];
                }
            }
        }
        assert!(possible(i, 0.0));
        assert!(positive(i, 0.0));
        (i[0][1], i[1][0]) = (i[0][0], i[0][0]);
        assert!(!possible(i, 0.0));
        (i[0][1], i[1][0]) = (1e3, 1e3);
        assert!(!positive(i, 0.0));
    }
}
