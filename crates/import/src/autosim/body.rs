//! `add-body`: a body, its joint and its default symbols.

use cardan_base::Span;
use cardan_units::Dimension;

use crate::autosim::axis::own_axis;
use crate::autosim::codes;
use crate::autosim::command::Command;
use crate::autosim::reader::infix::{self, Expr, Term};
use crate::autosim::reader::lisp::{Form, FormKind};
use crate::autosim::scene::{Body, Coordinate, Item, Place, Scene, native};

/// The forms of an inertia.
const INERTIA: &str =
    "write `(ixx iyy izz)` or three rows of three, `((ixx ixy ixz) (ixy iyy iyz) (ixz iyz izz))`";

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
        let base = parent.clone().unwrap_or("N".into());
        let translate = self.directions(command.get("translate"), &base)?;
        let rotate = self.rotations(command.get("body-rotation-axes"))?;
        let orient = self.nominal(command, &rotate, &base)?;
        let first = self.coordinates.len();
        let small_translations = self.flags(command.get("small-translations"), translate.len())?;
        let small_angles = self.flags(command.get("small-angles"), rotate.len())?;
        let dimensions =
            translate.iter().map(|_| Dimension::LENGTH).chain(rotate.iter().map(|_| Dimension::ANGLE));
        for (dimension, small) in dimensions.zip(small_translations.into_iter().chain(small_angles)) {
            self.coordinates.push(Coordinate { dimension, small, of: Default::default() });
        }
        let zero = Place([(); 3].map(|()| Expr::int(0, span)).to_vec());
        let joint = match command.get("joint-coordinates") {
            Some(form) => self.place(form)?,
            None => zero.clone(),
        };
        let center = match command.get("cm-coordinates") {
            Some(form) => self.place(form)?,
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
        let description = command.words("name", self);
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

    /// Three coordinates.
    pub fn triple(&mut self, form: &Form) -> Option<[Expr; 3]> {
        self.three(form, "coordinates", "write `(0 0 L1)`")
    }

    /// Three expressions, which are called so.
    fn three(&mut self, form: &Form, what: &str, help: &str) -> Option<[Expr; 3]> {
        let FormKind::List(parts) = &form.kind else {
            self.refuse(codes::VALUE, format!("{what} are a list of three"), form.span, help);
            return None;
        };
        let parts: Option<Vec<Expr>> =
            parts.iter().map(|p| infix::expression(p, &mut self.findings)).collect();
        let parts = parts?;
        let n = parts.len();
        match <[Expr; 3]>::try_from(parts) {
            Ok(parts) => Some(parts),
            Err(_) => {
                let message = format!("{what} are three, and {n} are given");
                self.refuse(codes::VALUE, message, form.span, help);
                None
            }
        }
    }

    /// Three expressions, or a vector: `"L*[b1]"`, `(convert-coordinates (1 0 0) c b)`.
    pub fn place(&mut self, form: &Form) -> Option<Place> {
        if is_vector(form) {
            return Some(Place(vec![infix::expression(form, &mut self.findings)?]));
        }
        self.triple(form).map(|t| Place(t.to_vec()))
    }

    /// `0`, `(xx yy zz)` or three rows of three.
    fn inertia(&mut self, form: &Form) -> Option<[Expr; 6]> {
        let zero = || Expr::int(0, form.span);
        let FormKind::List(parts) = &form.kind else {
            let e = infix::expression(form, &mut self.findings)?;
            return Some([e.clone(), e.clone(), e, zero(), zero(), zero()]);
        };
        if parts.iter().all(|p| !matches!(p.kind, FormKind::List(_))) {
            let [xx, yy, zz] = self.three(form, "moments of inertia", INERTIA)?;
            return Some([xx, yy, zz, zero(), zero(), zero()]);
        }
        let rows: Option<Vec<[Expr; 3]>> = parts
            .iter()
            .map(|p| self.three(p, "the numbers in a row of an inertia matrix", INERTIA))
            .collect();
        let Ok([a, b, c]) = <[[Expr; 3]; 3]>::try_from(rows?) else {
            self.refuse(codes::VALUE, "an inertia matrix has three rows", form.span, INERTIA);
            return None;
        };
        for (above, below, (i, j)) in [(&a[1], &b[0], (1, 2)), (&a[2], &c[0], (1, 3)), (&b[2], &c[1], (2, 3))]
        {
            if !above.is_like(below) {
                let message =
                    format!("the inertia matrix is not symmetric: ({i}, {j}) differs from ({j}, {i})");
                self.refuse(
                    codes::VALUE,
                    message,
                    below.span,
                    "write the same product of inertia in both places",
                );
                return None;
            }
        }
        let [xx, xy, xz] = a;
        let [_, yy, yz] = b;
        let [_, _, zz] = c;
        Some([xx, yy, zz, xy, xz, yz])
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
            match own_axis(part) {
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
}

/// Functions whose value is a vector or three components.
const VECTORIAL: [&str; 14] = [
    "+",
    "-",
    "*",
    "/",
    "ADD",
    "SUB",
    "MUL",
    "DIV",
    "NEG",
    "CROSS",
    "DIR",
    "DOT-PLANE",
    "POS",
    "CONVERT-COORDINATES",
];

/// Whether a form is a vector in one expression rather than a list of components.
pub(super) fn is_vector(form: &Form) -> bool {
    match &form.kind {
        FormKind::Text(_) | FormKind::Direction(_) => true,
        FormKind::Indexed(name, _) => VECTORIAL.contains(&name.as_str()),
        FormKind::List(parts) => parts.first().and_then(Form::symbol).is_some_and(|f| VECTORIAL.contains(&f)),
        _ => false,
    }
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
