//! Mass, inertia, mass centre and shapes of a body.

use cardan_base::{Diagnostic, Span, nearest};
use cardan_expr::Expr;
use cardan_kinematics::Point;
use cardan_model::ShapeKind;
use cardan_syntax::{self as syntax, BodyKind, StatementKind};
use cardan_units::Dimension;

use crate::bodies::shapes::Part;
use crate::bodies::volume_moments::{Moments, gap, moments};
use crate::codes;
use crate::context::{Env, Resolver};
use crate::names::scope::{ItemKind, Status};
use crate::types::synonyms;
use crate::types::value::Value;

/// What a body is made of, in its own frame.
struct Matter {
    mass: Expr,
    inertia: [[Expr; 3]; 3],
    center: [Expr; 3],
    density: Option<Expr>,
}

/// A negative moment of inertia above this, in kg*m^2, is refused where it is written.
const LEAST_NEGATIVE_MOMENT: f64 = 1e-15;

/// How far a surface that has a volume may be from being closed.
const MOST_OPEN: f64 = 1e-6;

impl Matter {
    /// Sets a component of the inertia and its mirror image.
    fn set_inertia(&mut self, (i, j): (usize, usize), value: Expr) {
        (self.inertia[i][j], self.inertia[j][i]) = (value, value);
    }
}

impl<'t> Resolver<'t> {
    /// Mass, inertia, mass centre and shapes. The value is the mass centre.
    pub fn body_data(&mut self, b: usize) -> Option<Value> {
        let entry = &self.names.bodies[b];
        let (tree, inner) = (entry.tree, entry.inner);
        let Status::Done(Value::Frame(frame)) = self.names.items[entry.frame].status.clone() else {
            return None;
        };
        let id = self.builder.model().body_in(frame)?;
        let env = Env { scope: Some(inner), frame: Some(frame), ..Env::default() };
        let zero = self.pool().zero();
        let mut matter = Matter { mass: zero, inertia: [[zero; 3]; 3], center: [zero; 3], density: None };
        let mut solids: Vec<Part> = vec![];
        let defaults = self.default_names(b);
        for (name, dimension) in &defaults {
            let item = self.names.find(self.root, name)?;
            let Some(Value::Scalar(s)) = self.item_value(item, tree.name.span) else { continue };
            if !s.dimension.compatible(dimension) {
                let known = matches!(self.names.items[item].kind, ItemKind::Parameter(_));
                let span = self.names.items[item].span.filter(|_| known).unwrap_or(tree.name.span);
                let message =
                    format!("`{name}` stands for data of `{}`, and has another dimension", tree.name.text);
                let d = Diagnostic::error(codes::DIMENSION, message);
                let d = d.at(span, format!("[{}], expected [{dimension}]", s.dimension));
                self.report(d.hint("give it the right unit, or another name"));
                continue;
            }
            match name.chars().last() {
                _ if *dimension == Dimension::MASS => matter.mass = s.expr,
                Some(digit) => {
                    let k = (digit as usize).wrapping_sub('1' as usize).min(2);
                    matter.set_inertia((k, k), s.expr);
                }
                None => {}
            }
        }
        let mut seen: Vec<(String, Span)> = vec![];
        let mut failed = false;
        for statement in &tree.content {
            let done = match &statement.kind {
                StatementKind::Assign(a) => {
                    let target = self.text(a.target.span);
                    if let Some((_, first)) = seen.iter().find(|(t, _)| *t == target) {
                        let d = Diagnostic::error(codes::DUPLICATE, format!("`{target}` is given twice"));
                        self.report(
                            d.at(a.target.span, "here again")
                                .also(*first, "first here")
                                .hint("remove one of them"),
                        );
                        continue;
                    }
                    seen.push((target, a.target.span));
                    self.body_property(tree, a, &env, &mut matter)
                }
                StatementKind::Shape(shape) => {
                    self.solids_of(&shape.form, &env).map(|parts| solids.extend(parts))
                }
                _ => Some(()),
            };
            failed |= done.is_none();
        }
        if !failed {
            failed = self.weigh(tree, &solids, &seen, &mut matter).is_none();
        }
        let body = self.builder.body_mut(id);
        body.shapes.extend(solids.into_iter().filter(|p| !p.is_hole).map(|p| p.shape));
        (body.mass, body.inertia, body.center) = (matter.mass, matter.inertia, matter.center);
        let name = format!("{}cm", self.names.scopes[inner].prefix);
        (!failed).then_some(Value::Point(Point { name, frame, coordinates: matter.center }))
    }

    /// Mass, mass centre and inertia from solids with densities; what the text gives itself is kept. The inertia of a body whose mass is
    /// given is that of its solids with this mass.
    fn weigh(
        &mut self,
        tree: &'t syntax::Body,
        solids: &[Part],
        seen: &[(String, Span)],
        matter: &mut Matter,
    ) -> Option<()> {
        if matter.density.is_none() && solids.iter().all(|p| p.density.is_none()) {
            return Some(());
        }
        let given = |what: &str| seen.iter().any(|(t, _)| t.split('.').next() == Some(what));
        let mut sum = Moments::none(self.pool());
        for part in solids {
            let Some(density) = part.density.or(matter.density) else { continue };
            if let ShapeKind::Mesh(vertices, triangles) = &part.shape.kind
                && gap(vertices, triangles) > MOST_OPEN
            {
                let help = "close its holes, and let all triangles turn the same way round seen from outside";
                self.error(codes::UNDEFINED, "a surface of this body is not closed", tree.name.span, help);
                return None;
            }
            let pool = self.pool();
            let factor = if part.is_hole { pool.neg(density) } else { density };
            sum = sum.with(pool, factor, &moments(pool, &part.shape));
        }
        let weight = self.at_defaults(sum.volume);
        if solids.is_empty() || weight.is_some_and(|m| m <= 0.0) {
            let place = seen.iter().find(|(t, _)| t == "density").map_or(tree.name.span, |(_, span)| *span);
            let (message, help) = match solids.is_empty() {
                true => {
                    ("a density needs a solid", "write `shape box(size = (1, 1, 1) [m])` into the braces")
                }
                false => ("these solids weigh nothing", "let the holes be smaller than the solids"),
            };
            self.error(codes::ARGUMENT, message, place, help);
            return None;
        }
        let pool = self.pool();
        if !given("inertia") {
            let inertia = sum.inertia(pool);
            let scale = if given("mass") { pool.div(matter.mass, sum.volume) } else { pool.one() };
            matter.inertia = inertia.map(|row| row.map(|e| pool.mul(scale, e)));
        }
        if !given("center") {
            matter.center = sum.center(pool);
        }
        if !given("mass") {
            matter.mass = sum.volume;
        }
        Some(())
    }

    fn body_property(
        &mut self,
        tree: &'t syntax::Body,
        a: &'t syntax::Assign,
        env: &Env<'t>,
        matter: &mut Matter,
    ) -> Option<()> {
        let parts: Vec<&str> = a.target.segments.iter().map(|s| s.name.text.as_str()).collect();
        let allowed: &[&'static str] = match tree.kind {
            BodyKind::Body => &["mass", "inertia", "center", "density"],
            BodyKind::Particle => &["mass", "center"],
            BodyKind::Frame => &[],
        };
        match (parts.as_slice(), allowed.contains(parts.first().unwrap_or(&""))) {
            (["mass"], true) => {
                let value = self.scalar(&a.value, Dimension::MASS, "this mass", env)?;
                matter.mass = self.constant(value, a.value.span, "a mass")?;
            }
            (["density"], true) => matter.density = Some(self.density(&a.value, env)?),
            (["center"], true) => {
                let p = self.point(&a.value, env, "")?;
                let frame = env.frame?;
                let c = self.fixed_place(&p, frame);
                for x in c {
                    self.constant(x, a.value.span, "a mass centre")?;
                }
                matter.center = c;
            }
            (["inertia"], true) => self.inertia(tree, a, env, matter)?,
            (["inertia", component], true) => {
                let axes: Vec<usize> = component.chars().filter_map(|c| "xyz".find(c)).collect();
                let (&[i, j], 2) = (axes.as_slice(), component.len()) else {
                    self.error(
                        codes::UNKNOWN_WORD,
                        format!("there is no inertia `{component}`"),
                        a.target.span,
                        "components are xx, yy, zz, xy, xz, yz",
                    );
                    return None;
                };
                let value = self.scalar(&a.value, Dimension::INERTIA, "this inertia", env)?;
                let value = self.constant(value, a.value.span, "an inertia")?;
                matter.set_inertia((i, j), value);
            }
            _ => {
                let target = self.text(a.target.span);
                let what = match tree.kind {
                    BodyKind::Body => "a body",
                    BodyKind::Particle => "a particle",
                    BodyKind::Frame => "a frame",
                };
                let d = Diagnostic::error(codes::UNKNOWN_WORD, format!("{what} has no `{target}`"))
                    .at(a.target.span, "");
                let word = parts.first().unwrap_or(&"");
                let near = synonyms::property(word, allowed);
                self.report(match near.or_else(|| nearest(word, allowed.iter().copied())) {
                    Some(near) => d.hint(format!("write `{near} = {}`", self.text(a.value.span))),
                    None if allowed.is_empty() => d.hint("write `body` instead of `frame` if it has mass"),
                    None => d.hint(format!("there is {}", allowed.join(", "))),
                });
                return None;
            }
        }
        Some(())
    }

    /// Refuses a moment of inertia that is written as a negative number.
    fn moment_above_zero(&mut self, moment: Expr, span: Span) -> Option<()> {
        // Smaller ones may be rounding, which only the mass of the body tells.
        let is_meant = |n: &cardan_expr::Rational| n.to_f64() < -LEAST_NEGATIVE_MOMENT;
        let Some(number) = self.pool().as_number(moment).filter(is_meant) else { return Some(()) };
        let message =
            format!("a moment of inertia is never negative, and this is {} kg*m^2", number.to_f64());
        let help = match self.text(span).strip_prefix('-') {
            Some(positive) => {
                format!("write `{}`; products of inertia stand behind the moments", positive.trim())
            }
            None => "write `(xx, yy, zz, xy, xz, yz) [kg*m^2]`, the moments first".to_owned(),
        };
        self.error(codes::UNDEFINED, message, span, help);
        None
    }

    /// `inertia = (xx, yy, zz)` or `(xx, yy, zz, xy, xz, yz)`, or that of a solid: `sphere(m, r)`.
    fn inertia(
        &mut self,
        tree: &'t syntax::Body,
        a: &'t syntax::Assign,
        env: &Env<'t>,
        matter: &mut Matter,
    ) -> Option<()> {
        if let Some(solid) = self.solid(&a.value, env) {
            for (k, value) in solid?.into_iter().enumerate() {
                matter.set_inertia((k, k), value);
            }
            return Some(());
        }
        let parts = match self.evaluate(&a.value, env)? {
            Value::Tuple(parts) if parts.len() == 3 || parts.len() == 6 => parts,
            Value::Vector(_) => {
                let help = "a factor goes into each of them: `(m*L^2/12, m*L^2/12, 0 [kg*m^2])`";
                self.error(codes::KIND, "an inertia is no vector", a.value.span, help);
                return None;
            }
            Value::Scalar(_) => {
                let text = self.text(a.value.span);
                let (number, unit) = match text.strip_suffix(']').and_then(|t| t.rsplit_once('[')) {
                    Some((number, unit)) if !number.contains('[') => (number.trim(), format!(" [{unit}]")),
                    _ => (text.as_str(), String::new()),
                };
                let help = format!(
                    "give one for each axis of the body: `({number}, {number}, {number}){unit}`, those about \
                     axes that it cannot turn about may be anything plausible"
                );
                self.error(codes::KIND, "an inertia is three or six numbers", a.value.span, help);
                return None;
            }
            _ => {
                let help = "write `(xx, yy, zz) [kg*m^2]` or `(xx, yy, zz, xy, xz, yz) [kg*m^2]`";
                self.error(codes::KIND, "an inertia is three or six numbers", a.value.span, help);
                return None;
            }
        };
        let n = parts.len();
        let places: Vec<Span> = parts.iter().map(|(_, span)| *span).collect();
        let (values, dimension, bare) = self.components(parts, n, a.value.span)?;
        self.expect_components(&values, dimension, bare, Dimension::INERTIA, a.value.span, "this inertia")?;
        for value in &values {
            self.constant(*value, a.value.span, "an inertia")?;
        }
        // A body of negative mass that is fixed to another is a hole in it.
        let moments = if tree.joints.is_empty() { 0 } else { 3 };
        for (value, place) in values.iter().zip(places).take(moments) {
            self.moment_above_zero(*value, place)?;
        }
        for (value, place) in values.iter().zip([(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]) {
            matter.set_inertia(place, *value);
        }
        Some(())
    }
}
