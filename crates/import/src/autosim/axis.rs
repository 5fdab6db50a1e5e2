//! Directions fixed in the parent, and the nominal axes of a body.
//!
//! The nominal axes of the body follow from the axis of its first rotation and a reference direction, both fixed in the parent
//! (Sayers 1991, Eq. 8 and Table 10):
//!
//! ```text
//! [nominal]   b_k = d_rot,  b_j = b_k × d_ref,  b_i = b_j × b_k,   (i, j, k) the cyclic order that ends with the first index
//! ```

use crate::autosim::body::is_vector;
use crate::autosim::codes;
use crate::autosim::command::Command;
use crate::autosim::reader::infix::{self, Expr};
use crate::autosim::reader::lisp::{Form, FormKind};
use crate::autosim::scene::{Axis, Orient, Scene};

impl Scene {
    /// `1`, `(1 2)`, or directions by components or vectors.
    pub fn directions(&mut self, form: Option<&Form>, parent: &str) -> Option<Vec<Axis>> {
        let Some(form) = form else { return Some(vec![]) };
        let parts = match &form.kind {
            FormKind::List(parts) if !is_vector(form) => parts.as_slice(),
            FormKind::Symbol(s) if s == "NIL" => &[],
            _ => std::slice::from_ref(form),
        };
        if parts.len() > 3 {
            let message = "a body translates along three directions at most";
            self.refuse(codes::VALUE, message, form.span, "write `(1 2 3)`");
            return None;
        }
        parts.iter().map(|p| self.direction(p, parent)).collect()
    }

    /// An index, three components, or any vector.
    fn direction(&mut self, form: &Form, parent: &str) -> Option<Axis> {
        if let Some((k, negative)) = axis_index(form, parent) {
            return Some(Axis::Index(k, negative));
        }
        if is_vector(form) {
            return infix::expression(form, &mut self.findings).map(Axis::Vector);
        }
        if matches!(form.kind, FormKind::List(_)) {
            return self.triple(form).map(Axis::Components);
        }
        let help = "axes are 1, 2, 3, a direction such as `(1 1 0)`, or a vector such as `[b1]`";
        self.refuse(codes::VALUE, "this is not an axis", form.span, help);
        None
    }

    /// The nominal axes of a body where they are not its parent's, [nominal].
    pub fn nominal(
        &mut self,
        command: &Command<'_>,
        rotate: &[usize],
        parent: &str,
    ) -> Option<Option<Orient>> {
        let (axis, reference) = (command.get("parent-rotation-axis"), command.get("reference-axis"));
        if axis.is_none() && reference.is_none() {
            return Some(None);
        }
        let k = rotate.first().copied().unwrap_or(2);
        let along = match axis {
            None => Axis::Index(k, false),
            Some(form) => self.direction(form, parent)?,
        };
        let towards = match (reference, &along) {
            (Some(form), _) => self.direction(form, parent)?,
            (None, Axis::Index(p, _)) => Axis::Index((p + 1) % 3, false),
            (None, _) => {
                let message = "a rotation axis between the parent's axes needs `:reference-axis`";
                self.refuse(codes::MISSING, message, command.span, "write `:reference-axis 1`");
                return None;
            }
        };
        let i = (k + 1) % 3;
        let (Some(d_rot), Some(d_ref)) = (numbers(&along), numbers(&towards)) else {
            return Some(Some(Orient::Axes(k, Box::new(along), i, Box::new(towards))));
        };
        let b_k = normalized(d_rot);
        let b_j = b_k.and_then(|b_k| normalized(cross(b_k, d_ref)));
        let (Some(b_k), Some(b_j)) = (b_k, b_j) else {
            let span = reference.or(axis).map_or(command.span, |f| f.span);
            let message = if b_k.is_none() {
                "this direction has no length"
            } else {
                "the reference axis is parallel to the axis of rotation"
            };
            self.refuse(codes::VALUE, message, span, "give a direction across the axis of rotation");
            return None;
        };
        let b_i = cross(b_j, b_k);
        let mut rows = [[0.0; 3]; 3];
        (rows[k], rows[i], rows[(k + 2) % 3]) = (b_k, b_i, b_j);
        let degrees = angles_xyz(&rows).map(f64::to_degrees);
        let whole = degrees.map(|a| a.round() + 0.0);
        let exact = degrees.iter().zip(whole).all(|(a, b)| (a - b).abs() < 1e-9);
        Some(match exact {
            true if whole == [0.0; 3] => None,
            true => Some(Orient::Degrees(whole)),
            false => Some(Orient::Axes(k, Box::new(along), i, Box::new(towards))),
        })
    }
}

/// An axis of 1, 2, 3 as number from zero, and whether it points backwards; `[b1]` counts where `b` is the parent.
fn axis_index(form: &Form, parent: &str) -> Option<(usize, bool)> {
    match &form.kind {
        FormKind::Number(_) => own_axis(form),
        FormKind::Direction(text) => digit(text.strip_prefix(parent)?).map(|k| (k, false)),
        _ => None,
    }
}

/// An axis of 1, 2, 3 of the body itself as number from zero, and whether it points backwards.
pub(super) fn own_axis(form: &Form) -> Option<(usize, bool)> {
    let FormKind::Number(text) = &form.kind else { return None };
    digit(text.trim_start_matches(['-', '+'])).map(|k| (k, text.starts_with('-')))
}

fn digit(text: &str) -> Option<usize> {
    ["1", "2", "3"].iter().position(|d| *d == text)
}

/// A direction in numbers.
fn numbers(axis: &Axis) -> Option<[f64; 3]> {
    match axis {
        Axis::Index(k, negative) => {
            Some([0, 1, 2].map(|i| if i == *k { if *negative { -1.0 } else { 1.0 } } else { 0.0 }))
        }
        Axis::Components(c) => {
            let list: Option<Vec<f64>> = c.iter().map(Expr::number).collect();
            <[f64; 3]>::try_from(list?).ok()
        }
        Axis::Vector(_) => None,
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn normalized(v: [f64; 3]) -> Option<[f64; 3]> {
    let size = v.iter().map(|c| c * c).sum::<f64>().sqrt();
    (size > 1e-9 && size.is_finite()).then(|| v.map(|c| c / size))
}

/// Angles of successive rotations about x, y, z that give these rows `b_i · a_j`.
fn angles_xyz(rows: &[[f64; 3]; 3]) -> [f64; 3] {
    let sine = rows[2][0].clamp(-1.0, 1.0);
    if sine.abs() > 1.0 - 1e-12 {
        return [(sine * rows[0][1]).atan2(rows[1][1]), sine.asin(), 0.0];
    }
    [(-rows[2][1]).atan2(rows[2][2]), sine.asin(), (-rows[1][0]).atan2(rows[0][0])].map(|a| a + 0.0)
}

#[cfg(test)]
mod tests {
    use super::angles_xyz;

    /// Three successive rotations, as the native language has them.
    fn rows([a, b, c]: [f64; 3]) -> [[f64; 3]; 3] {
        let (s4, c4) = a.sin_cos();
        let (s5, c5) = b.sin_cos();
        let (s6, c6) = c.sin_cos();
        [
            [c5 * c6, c4 * s6 + c6 * s5 * s4, s4 * s6 - c4 * c6 * s5],
            [-c5 * s6, c4 * c6 - s5 * s4 * s6, c6 * s4 + c4 * s5 * s6],
            [s5, -c5 * s4, c4 * c5],
        ]
    }

    #[test]
    fn angles_give_the_rows_back() {
        let quarter = std::f64::consts::FRAC_PI_2;
        for angles in [[0.3, -0.4, 1.2], [-2.0, 1.1, 3.0], [0.7, quarter, 0.0], [0.7, -quarter, 0.4]] {
            let wanted = rows(angles);
            let found = rows(angles_xyz(&wanted));
            for (a, b) in wanted.iter().flatten().zip(found.iter().flatten()) {
                assert!((a - b).abs() < 1e-12, "{angles:?}");
            }
        }
    }
}
