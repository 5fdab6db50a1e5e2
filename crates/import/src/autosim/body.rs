//! `add-body`: a body, its joint and its default symbols.
//!
//! The nominal axes of the body follow from the axis of its first rotation and a reference direction, both fixed in the parent
//! (Sayers 1991, Eq. 8 and Table 10):
//!
//! ```text
//! [nominal]   b_k = d_rot,  b_j = b_k × d_ref,  b_i = b_j × b_k,   (i, j, k) the cyclic order that ends with the first index
//! ```

use cardan_base::Span;
use cardan_units::Dimension;

use super::codes;
use super::command::Command;
use super::infix::{self, Expr, Term};
use super::lisp::{Form, FormKind};
use super::scene::{Axis, Body, Coordinate, Item, Scene, native};

impl Scene {
    /// `(add-body b :parent a …)`
    pub fn add_body(&mut self, command: &Command<'_>) -> Option<()> {
        let (name, span) = command.subject(self)?;
        let fresh = self.declare(&name, span);
        let parent = match command.get("parent") {
            Some(form) => match form.symbol() {
                Some(parent) => self.body(parent, form.span),
                None => {
                    self.refuse(codes::VALUE, "a parent is a body", form.span, "write `:parent b`");
                    None
                }
            },
            None => Some("N".into()),
        };
        if fresh {
            self.bodies.push(name.clone());
        }
        let translate = self.directions(command.get("translate"))?;
        let rotate = self.rotations(command.get("body-rotation-axes"))?;
        let orient = self.nominal(command, &rotate)?;
        let first = self.coordinates.len();
        let small_translations = self.flags(command.get("small-translations"), translate.len())?;
        let small_angles = self.flags(command.get("small-angles"), rotate.len())?;
        let dimensions =
            translate.iter().map(|_| Dimension::LENGTH).chain(rotate.iter().map(|_| Dimension::ANGLE));
        for (dimension, small) in dimensions.zip(small_translations.into_iter().chain(small_angles)) {
            self.coordinates.push(Coordinate { dimension, small, start: None, start_speed: None });
        }
        let zero = [(); 3].map(|()| Expr::int(0, span));
        let joint = match command.get("joint-coordinates") {
            Some(form) => self.triple(form)?,
            None => zero.clone(),
        };
        let center = match command.get("cm-coordinates") {
            Some(form) => self.triple(form)?,
            None => zero,
        };
        let mass = match command.get("mass") {
            Some(form) => infix::expression(form, &mut self.findings)?,
            None => {
                self.default_symbol(&format!("M{name}"), format!("mass of {name}"), Dimension::MASS, span)
            }
        };
        let inertia = match command.get("inertia-matrix") {
            Some(form) => self.inertia(form)?,
            None => {
                let pairs = [(1, 1), (2, 2), (3, 3), (1, 2), (1, 3), (2, 3)];
                pairs.map(|(i, j)| {
                    let what = if i == j { "moment" } else { "product" };
                    let description = format!("{what} of inertia of {name}");
                    self.default_symbol(&format!("I{name}{i}{j}"), description, Dimension::INERTIA, span)
                })
            }
        };
        let description = command.words("name");
        let body = Body {
            name: native(&name),
            description,
            parent: native(&parent?),
            joint,
            translate,
            rotate,
            orient,
            first,
            center,
            mass,
            inertia,
        };
        if fresh {
            self.items.push((Item::Body(Box::new(body)), command.span));
        }
        Some(())
    }

    /// A parameter that exists because nothing else was said.
    fn default_symbol(&mut self, name: &str, description: String, dimension: Dimension, span: Span) -> Expr {
        let symbol = self.symbol(name, span);
        symbol.dimension.get_or_insert(dimension);
        if symbol.description.is_empty() {
            symbol.description = description;
        }
        Expr::name(name, span)
    }

    /// Three expressions.
    pub fn triple(&mut self, form: &Form) -> Option<[Expr; 3]> {
        let FormKind::List(parts) = &form.kind else {
            self.refuse(codes::VALUE, "coordinates are a list of three", form.span, "write `(0 0 L1)`");
            return None;
        };
        let parts: Option<Vec<Expr>> =
            parts.iter().map(|p| infix::expression(p, &mut self.findings)).collect();
        let parts = parts?;
        let n = parts.len();
        match <[Expr; 3]>::try_from(parts) {
            Ok(parts) => Some(parts),
            Err(_) => {
                let message = format!("coordinates are three, and {n} are given");
                self.refuse(codes::VALUE, message, form.span, "write `(0 0 L1)`");
                None
            }
        }
    }

    /// `0`, `(xx yy zz)` or three rows of three.
    fn inertia(&mut self, form: &Form) -> Option<[Expr; 6]> {
        let zero = || Expr::int(0, form.span);
        let FormKind::List(parts) = &form.kind else {
            let e = infix::expression(form, &mut self.findings)?;
            return Some([e.clone(), e.clone(), e, zero(), zero(), zero()]);
        };
        if parts.iter().all(|p| !matches!(p.kind, FormKind::List(_))) {
            let [xx, yy, zz] = self.triple(form)?;
            return Some([xx, yy, zz, zero(), zero(), zero()]);
        }
        let rows: Option<Vec<[Expr; 3]>> = parts.iter().map(|p| self.triple(p)).collect();
        let Ok([a, b, c]) = <[[Expr; 3]; 3]>::try_from(rows?) else {
            let help = "write `(ixx iyy izz)` or three rows of three";
            self.refuse(codes::VALUE, "an inertia matrix has three rows", form.span, help);
            return None;
        };
        let [xx, xy, xz] = a;
        let [_, yy, yz] = b;
        let [_, _, zz] = c;
        Some([xx, yy, zz, xy, xz, yz])
    }

    /// `1`, `(1 2)`, or directions by components.
    fn directions(&mut self, form: Option<&Form>) -> Option<Vec<Axis>> {
        let Some(form) = form else { return Some(vec![]) };
        let parts = match &form.kind {
            FormKind::List(parts) => parts.as_slice(),
            FormKind::Symbol(s) if s == "NIL" => &[],
            _ => std::slice::from_ref(form),
        };
        if parts.len() > 3 {
            let message = "a body translates along three directions at most";
            self.refuse(codes::VALUE, message, form.span, "write `(1 2 3)`");
            return None;
        }
        parts.iter().map(|p| self.direction(p)).collect()
    }

    fn direction(&mut self, form: &Form) -> Option<Axis> {
        match axis_index(form) {
            Some((k, negative)) => Some(Axis::Index(k, negative)),
            None if matches!(form.kind, FormKind::List(_)) => self.triple(form).map(Axis::Components),
            None => {
                self.not_an_axis(form);
                None
            }
        }
    }

    fn not_an_axis(&mut self, form: &Form) {
        let help = "axes are 1, 2, 3, or a direction such as `(1 1 0)`";
        self.refuse(codes::VALUE, "this is not an axis", form.span, help);
    }

    /// Axis indices of successive rotations: none, one or three.
    fn rotations(&mut self, form: Option<&Form>) -> Option<Vec<usize>> {
        let Some(form) = form else { return Some(vec![]) };
        let parts = match &form.kind {
            FormKind::List(parts) => parts.as_slice(),
            FormKind::Symbol(s) if s == "NIL" => &[],
            _ => std::slice::from_ref(form),
        };
        let mut axes = vec![];
        for part in parts {
            match axis_index(part) {
                Some((k, false)) => axes.push(k),
                _ => {
                    let message = "an axis of rotation is 1, 2 or 3";
                    self.refuse(codes::VALUE, message, part.span, "write `:body-rotation-axes 3`");
                    return None;
                }
            }
        }
        if !matches!(axes.len(), 0 | 1 | 3) || axes.windows(2).any(|w| w[0] == w[1]) {
            let message = "a body turns about no axis, one axis or three, neighbours different";
            self.refuse(
                codes::VALUE,
                message,
                form.span,
                "write `(1 2 3)`, or a massless body between two rotations",
            );
            return None;
        }
        Some(axes)
    }

    /// `t`, `nil` or a list of them.
    fn flags(&mut self, form: Option<&Form>, n: usize) -> Option<Vec<bool>> {
        let Some(form) = form else { return Some(vec![false; n]) };
        let parts = match &form.kind {
            FormKind::List(parts) => parts.as_slice(),
            _ => std::slice::from_ref(form),
        };
        let read = |f: &Form| match f.symbol() {
            Some("T") => Some(true),
            Some("NIL") => Some(false),
            _ => None,
        };
        let flags: Option<Vec<bool>> = parts.iter().map(read).collect();
        let Some(flags) = flags else {
            self.refuse(codes::VALUE, "smallness is `t` or `nil`", form.span, "write `t`, or `(t t nil)`");
            return None;
        };
        if !matches!(&form.kind, FormKind::List(_)) {
            return Some(vec![flags[0]; n]);
        }
        if flags.len() != n {
            let message = format!("the body moves in {n} such ways, and {} are given", flags.len());
            self.refuse(codes::VALUE, message, form.span, "write `t` for all, or one for each");
            return None;
        }
        Some(flags)
    }

    /// The turn from the parent's axes to the nominal axes of the body, [nominal].
    fn nominal(&mut self, command: &Command<'_>, rotate: &[usize]) -> Option<Option<[f64; 3]>> {
        let (axis, reference) = (command.get("parent-rotation-axis"), command.get("reference-axis"));
        if axis.is_none() && reference.is_none() {
            return Some(None);
        }
        let k = rotate.first().copied().unwrap_or(2);
        let unit = |k: usize| [0, 1, 2].map(|i| if i == k { 1.0 } else { 0.0 });
        let (d_rot, index) = match axis {
            None => (unit(k), Some(k)),
            Some(form) => self.numbers(form)?,
        };
        let d_ref = match (reference, index) {
            (Some(form), _) => self.numbers(form)?.0,
            (None, Some(p)) => unit((p + 1) % 3),
            (None, None) => {
                let message = "a rotation axis between the parent's axes needs `:reference-axis`";
                self.refuse(codes::MISSING, message, command.span, "write `:reference-axis 1`");
                return None;
            }
        };
        let b_k = normalized(d_rot);
        let b_j = b_k.and_then(|b_k| normalized(cross(b_k, d_ref)));
        let (Some(b_k), Some(b_j)) = (b_k, b_j) else {
            let span = reference.or(axis).map_or(command.span, |f| f.span);
            let message = "the reference axis is parallel to the axis of rotation";
            self.refuse(codes::VALUE, message, span, "give a direction across the axis of rotation");
            return None;
        };
        let b_i = cross(b_j, b_k);
        let mut rows = [[0.0; 3]; 3];
        (rows[k], rows[(k + 1) % 3], rows[(k + 2) % 3]) = (b_k, b_i, b_j);
        let angles = angles_xyz(&rows);
        Some(angles.iter().any(|a| *a != 0.0).then_some(angles))
    }

    /// A direction in numbers, and the axis that it is.
    fn numbers(&mut self, form: &Form) -> Option<([f64; 3], Option<usize>)> {
        let unit = |k: usize, s: f64| [0, 1, 2].map(|i| if i == k { s } else { 0.0 });
        if let Some((k, negative)) = axis_index(form) {
            return Some((unit(k, if negative { -1.0 } else { 1.0 }), Some(k)));
        }
        if !matches!(form.kind, FormKind::List(_)) {
            self.not_an_axis(form);
            return None;
        }
        let triple = self.triple(form)?;
        let numbers: Option<Vec<f64>> = triple.iter().map(Expr::number).collect();
        match numbers.as_deref() {
            Some(&[x, y, z]) if [x, y, z].iter().any(|c| *c != 0.0) => Some(([x, y, z], None)),
            _ => {
                let message = "this direction is not three numbers, one of them not zero";
                self.refuse(codes::VALUE, message, form.span, "write numbers, such as `(0 1 1)`");
                None
            }
        }
    }
}

/// An axis of 1, 2, 3 as number from zero, and whether it points backwards; `[b1]` counts too.
fn axis_index(form: &Form) -> Option<(usize, bool)> {
    let (text, negative) = match &form.kind {
        FormKind::Number(text) => (text.trim_start_matches(['-', '+']), text.starts_with('-')),
        FormKind::Direction(text) => (text.get(text.len().checked_sub(1)?..)?, false),
        _ => return None,
    };
    match text {
        "1" => Some((0, negative)),
        "2" => Some((1, negative)),
        "3" => Some((2, negative)),
        _ => None,
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

impl Body {
    /// Whether it has neither mass nor inertia.
    pub fn is_massless(&self) -> bool {
        self.mass.is_zero() && self.inertia.iter().all(Expr::is_zero)
    }
    /// Whether its inertia has no products.
    pub fn is_diagonal(&self) -> bool {
        self.inertia[3..].iter().all(|e| matches!(&e.term, Term::Number(n) if n == "0"))
    }
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
