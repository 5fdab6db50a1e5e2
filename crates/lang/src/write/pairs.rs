//! Wheels on planes and points on curves, found again from their rows.
//!
//! ```text
//! [radius]   a wheel: R = (g + p·n) / s, a ball: r = g + p·n       with the row g = R s + r - p·n of `cardan_model::rolling`
//! [curve]    a point on a curve: r(φ) = ρ - g                      with the row g = ρ - r(φ) of `cardan_model::pairs`
//! ```
//!
//! Axes and centres are looked for among those that a text names. What is found is believed only if it gives the rows back.

use cardan_expr::{Depends, Expr, Function, Kind};
use cardan_kinematics::{Point, Vector, rotation};
use cardan_model::closing::{Closing, Marker};
use cardan_model::pairs::on_curve;
use cardan_model::rolling::{Wheel, rolling};
use cardan_model::{Constraint, Figure, RowAction};
use cardan_units::Dimension;

use super::Writer;
use super::names::described;
use crate::closures::triad;

/// How a constraint is written.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// Row by row.
    Rows,
    /// A joint between two markers.
    Closing,
    /// A wheel or ball on a plane.
    Rolling(Box<(Wheel, Marker)>),
    /// What the model remembers the curve or surface of.
    Figure,
    /// A point on a curve: the marker, the point, the symbol of the polar angle, the radius in it.
    Curve(Box<(Marker, Point, Expr, Expr)>),
}

impl Writer<'_> {
    /// The form in which a constraint says all that it is. The axes of a joint are those of frames that the text can name.
    pub(super) fn form(&self, c: &Constraint) -> Form {
        let markers = c.markers.iter().flat_map(|m| m.iter().map(|m| m.point.frame));
        let mut frames = markers.chain(c.ends.iter().flat_map(|e| [e.first, e.second]));
        if frames.any(|f| !self.frames.contains_key(&f)) {
            return Form::Rows;
        }
        if c.markers.is_some() && Closing::named(&c.kind).is_some() {
            return Form::Closing;
        }
        if c.figure.as_ref().is_some_and(|f| !matches!(**f, Figure::Cam(_, None))) {
            return Form::Figure;
        }
        let found = match c.kind.as_str() {
            "rolling" => self.wheel(c),
            "on_curve" => self.curve(c),
            _ => None,
        };
        found.unwrap_or(Form::Rows)
    }

    /// [radius]
    fn wheel(&self, c: &Constraint) -> Option<Form> {
        let space = &self.model.space;
        let pool = space.pool();
        let ends = c.ends.as_ref()?;
        let first = c.rows.first()?;
        let Some(RowAction::Force(n)) = &first.action else { return None };
        let [(up, one)] = n.terms() else { return None };
        let k = space.frame(ends.second).axes.iter().position(|u| u == up).filter(|_| *one == pool.one())?;
        let unit = rotation::identity(pool);
        let plane = Marker { point: space.origin(ends.second), axes: triad(pool, unit[k]) };
        let gap = first.position.map(|g| pool.definition(g).unwrap_or(g))?;
        let center = self.model.body_in(ends.first).map(|b| self.model.bodies[b].center_point());
        for centre in std::iter::once(space.origin(ends.first)).chain(center) {
            let p = space.position(&plane.point, &centre);
            let reach = pool.add(gap, space.dot(&p, n));
            let mut wheels =
                vec![Wheel { centre: centre.clone(), axis: None, ring: pool.zero(), tyre: reach }];
            for axis in unit {
                let axis = space.vector(centre.frame, axis);
                let tilt = pool.define(space.dot(n, &axis));
                let s = pool.define(pool.sqrt(pool.sub(pool.one(), pool.powi(tilt, 2))));
                let ring = pool.div(reach, s);
                wheels.push(Wheel { centre: centre.clone(), axis: Some(axis), ring, tyre: pool.zero() });
            }
            for wheel in wheels {
                let size = if wheel.axis.is_some() { wheel.ring } else { wheel.tyre };
                if pool.is_constant(size) && same_rows(&rolling(space, &c.name, &wheel, &plane, None).0, c) {
                    return Some(Form::Rolling(Box::new((wheel, plane))));
                }
            }
        }
        None
    }

    /// [curve]
    fn curve(&self, c: &Constraint) -> Option<Form> {
        let space = &self.model.space;
        let pool = space.pool();
        let ends = c.ends.as_ref()?;
        let gap = c.rows.first()?.position.map(|g| pool.definition(g).unwrap_or(g))?;
        let angle = pool.symbol(format!("{}.angle", c.name), Kind::Parameter);
        for axis in rotation::identity(pool) {
            let a = Marker { point: space.origin(ends.first), axes: triad(pool, axis) };
            let p = space.position(&a.point, &ends.at);
            let [x, y] = [0, 1].map(|i| pool.define(space.dot(&p, &a.axis(space, i))));
            let phi = pool.define(pool.call(Function::Atan2, &[y, x]));
            let rho = pool.define(pool.sqrt(pool.add(pool.powi(x, 2), pool.powi(y, 2))));
            let here = pool.as_symbol(phi).map(|s| (s, angle)).into_iter().collect();
            let radius = pool.substitute(pool.sub(rho, gap), &here, &mut Default::default());
            let moving = Depends::COORDINATES | Depends::SPEEDS | Depends::STATES | Depends::TIME;
            if pool.depends_on(radius, moving) {
                continue;
            }
            if same_rows(&on_curve(space, &c.name, &a, &ends.at, angle, radius, None), c) {
                return Some(Form::Curve(Box::new((a, ends.at.clone(), angle, radius))));
            }
        }
        None
    }

    /// What stands for the multipliers of a joint that is written as a whole: the parts of its force and torque along the actions of its
    /// rows; nothing if these are not perpendicular to one another.
    pub(super) fn multipliers(&mut self, c: &Constraint, word: &str) -> Option<Vec<(String, Dimension)>> {
        let space = &self.model.space;
        let pool = space.pool();
        let mut kinds: [Vec<&Vector>; 2] = [vec![], vec![]];
        let mut list = vec![];
        for row in &c.rows {
            let (kind, e) = match row.action.as_ref()? {
                RowAction::Force(e) => (0, e),
                RowAction::Torque(e) => (1, e),
                RowAction::Wrench(..) => return None,
            };
            let is_new = kinds[kind].iter().all(|other| pool.is_zero(space.dot(other, e)));
            let square = space.dot(e, e);
            if !is_new || square != pool.one() && c.rows.len() > 1 {
                return None;
            }
            kinds[kind].push(e);
            list.push((kind, e.clone(), square));
        }
        let before = (self.variables.clone(), self.shared.clone(), self.left_out.len());
        let mut texts = vec![];
        for (kind, e, square) in list {
            let along = self.vector(&e, Dimension::ONE);
            let (part, dimension) =
                [("force", Dimension::FORCE), ("torque", Dimension::TORQUE.without_angle())][kind];
            let over = if square == self.model.space.pool().one() {
                String::new()
            } else {
                format!(" / dot({along}, {along})")
            };
            texts.push((format!("(-dot({word}.{part}, {along}){over})"), dimension));
        }
        // A direction that cannot be written, or not in one piece, is none.
        if self.left_out.len() > before.2 || self.variables != before.0 {
            self.left_out.truncate(before.2);
            (self.variables, self.shared) = (before.0, before.1);
            return None;
        }
        Some(texts)
    }

    /// `joint NAME = rolling(P, Q, axis = y, radius = R)`
    pub(super) fn rolling(&mut self, c: &Constraint, word: &str, wheel: &Wheel, plane: &Marker) -> String {
        let points = format!("{}, {}", self.point(&wheel.centre), self.point(&plane.point));
        let space = &self.model.space;
        let radius =
            self.scalar(if wheel.axis.is_some() { wheel.ring } else { wheel.tyre }, Dimension::LENGTH);
        let unit = rotation::identity(space.pool());
        let normal = if plane.axes[2] == unit[2] {
            String::new()
        } else {
            format!(", normal = {}", self.axis(plane.axes[2]))
        };
        let axis = wheel.axis.as_ref().map_or(String::new(), |axis| {
            let components = self.model.space.components(axis, wheel.centre.frame);
            format!(", axis = {}", self.axis(components))
        });
        let about = described(&c.description);
        format!("joint {word} = rolling({points}{axis}{normal}, radius = {radius}){about}\n")
    }

    /// `joint NAME = on_curve(P, Q, axis = z, radius = NAME_radius)`, with the function that the radius is of the polar angle.
    pub(super) fn on_curve(
        &mut self,
        c: &Constraint,
        word: &str,
        form: &(Marker, Point, Expr, Expr),
    ) -> String {
        let (a, b, angle, radius) = form;
        self.set_symbol(*angle, "angle".into(), Dimension::ANGLE);
        let before = (self.variables.clone(), self.shared.clone());
        let law = self.scalar(*radius, Dimension::LENGTH);
        if self.variables != before.0 {
            (self.variables, self.shared) = before;
            self.leave_out(format!("the curve of `{}`, which is too long to be one formula", c.name));
        }
        let function = self.names.word(&format!("{word}_radius"));
        let points = format!("{}, {}", self.point(&a.point), self.point(b));
        let axis = self.axis(a.axes[2]);
        let about = described(&c.description);
        format!(
            "function {function}(angle [rad]) [m] = {law}\njoint {word} = on_curve({points}, axis = {axis}, radius = {function}){about}\n"
        )
    }
}

/// Whether two constraints demand the same.
fn same_rows(a: &Constraint, b: &Constraint) -> bool {
    let same = |(a, b): (&cardan_model::Row, &cardan_model::Row)| {
        a.position == b.position && a.velocity == b.velocity
    };
    a.rows.len() == b.rows.len() && a.rows.iter().zip(&b.rows).all(same)
}
