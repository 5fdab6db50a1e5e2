//! Wheels on planes, roads and surfaces; points, rollers and faces on curves.

use cardan_base::{Map, Span};
use cardan_expr::{Expr, Function, Kind, Node, Rational};
use cardan_kinematics::Point;
use cardan_model::cam::{Follower, Profile, on_cam};
use cardan_model::closing::Marker;
use cardan_model::constraint::Constraint;
use cardan_model::contact_geometry::Track;
use cardan_model::pairs::on_curve;
use cardan_model::rolling::{Wheel, rolling};
use cardan_model::surface::{Surface, Touching, on_surface};
use cardan_model::track::on_track;
use cardan_syntax::{self as syntax, ExprKind};
use cardan_units::{Dimension, Unit};

use crate::context::{Env, Resolver};
use crate::joints::higher_pairs::Given;
use crate::names::scope::ItemKind;
use crate::types::value::Value;

/// Rounding of lengths and angles: a table that goes this little beyond half a turn ends there.
const ROUNDING: f64 = 1e-9;

/// A constraint and the point that it tells.
type Touch = (Constraint, Option<Point>);

impl<'t> Resolver<'t> {
    /// The coordinates of the contact of a joint, if as many have names as there are.
    pub(crate) fn contact_of(&mut self, given: &Given<'t>, joint: &syntax::Joint) -> Option<Vec<Expr>> {
        let found = self.contact(&joint.name.text);
        let Some(e) = given.get("q") else { return Some(found) };
        let n = crate::joints::plan::parts_of(e).len();
        if n != found.len() {
            let message = match found.len() {
                0 => "this joint has no coordinates of its own".to_owned(),
                1 => format!("this joint has one coordinate of its own, and {n} are named"),
                all => format!("this joint has {all} coordinates of its own, and {n} are named"),
            };
            self.refuse_pair(given.pair, e.span, message);
            return None;
        }
        Some(found)
    }

    /// What rolls, without slip.
    pub(crate) fn rolling_joint(
        &mut self,
        given: &Given<'t>,
        contact: &[Expr],
        name: &str,
        span: Span,
    ) -> Option<Touch> {
        let (centre, ground) = self.two_places(given)?;
        let size = self.required(given, "radius")?;
        let radius = self.fixed(size, Dimension::LENGTH, "radius")?;
        self.above_zero(size, radius, "what rolls has a radius", "give a radius above zero")?;
        let tyre = match given.get("tyre") {
            Some(e) => {
                let tyre = self.fixed(e, Dimension::LENGTH, "tyre")?;
                let help = "`tyre` is the radius of its cross-section; without it the wheel is a sharp disc";
                self.above_zero(e, tyre, "a tyre has a radius of its own", help)?;
                let ring = self.pool().sub(radius, tyre);
                if self.value_now(ring, 0).is_some_and(|ring| ring < -ROUNDING) {
                    let help = "`radius` counts from the centre to the tread, and `tyre` is a part of it";
                    self.error(crate::codes::UNDEFINED, "a wheel is no smaller than its tyre", e.span, help);
                    return None;
                }
                tyre
            }
            None => self.pool().zero(),
        };
        let axis = match given.get("axis") {
            Some(e) => {
                let components = self.body_axis(e, centre.frame)?;
                Some(self.space().vector(centre.frame, components))
            }
            None => None,
        };
        let (ring, tyre) = match (&axis, given.get("tyre")) {
            (Some(_), _) => (self.pool().sub(radius, tyre), tyre),
            (None, None) => (self.pool().zero(), radius),
            (None, Some(e)) => {
                self.refuse_pair(given.pair, e.span, "a tyre sits on a wheel, which has an axis");
                return None;
            }
        };
        let normal = match given.get("normal") {
            Some(e) => self.body_axis(e, ground.frame)?,
            None => cardan_kinematics::rotation::identity(self.pool())[2],
        };
        let marker = Marker { point: ground, axes: self.triad(normal) };
        let wheel = Wheel { centre, axis, ring, tyre };
        let e = match (given.get("surface"), given.get("road")) {
            (None, None) => {
                let (constraint, point) = rolling(self.space(), name, &wheel, &marker, Some(span));
                return Some((constraint, Some(point)));
            }
            (Some(_), Some(e)) => {
                let message =
                    "a road is what is touched, a surface the path of the centre: one of them is enough";
                self.refuse_pair(given.pair, e.span, message);
                return None;
            }
            (Some(e), None) | (None, Some(e)) => e,
        };
        let places = ["x", "y"].map(|l| self.pool().symbol(format!("{name}.{l}"), Kind::Parameter));
        let height = self.profile(given, e, &places, Dimension::LENGTH)?;
        let touching = match *contact {
            [] => Touching::default(),
            [turn] => Touching { turn: Some(turn), beside: None },
            [x, y] => Touching { turn: None, beside: Some([x, y]) },
            [x, y, turn, ..] => Touching { turn: Some(turn), beside: Some([x, y]) },
        };
        let ground = Surface { marker, places, height };
        let (constraint, point) = on_surface(self.space(), name, &wheel, &ground, touching, Some(span));
        Some((constraint, Some(point)))
    }

    /// A point, a roller or a face on a curve.
    pub(crate) fn curve_joint(
        &mut self,
        given: &Given<'t>,
        contact: &[Expr],
        name: &str,
        span: Span,
    ) -> Option<Touch> {
        if ["x", "y", "z"].iter().any(|l| given.get(l).is_some()) {
            return self.track_joint(given, contact, name, span);
        }
        let (p, q) = self.two_places(given)?;
        let axis = self.required(given, "axis")?;
        let axis = self.body_axis(axis, p.frame)?;
        let marker = Marker { point: p, axes: self.triad(axis) };
        let radius = self.required(given, "radius")?;
        let angle = self.pool().symbol(format!("{name}.angle"), Kind::Parameter);
        let radius = self.profile(given, radius, &[angle], Dimension::ANGLE)?;
        let radius = self.in_the_turn_of_its_table(radius, angle);
        let follower = match (given.get("roller"), given.get("face")) {
            (None, None) => {
                let point = q.clone();
                return Some((
                    on_curve(self.space(), name, &marker, &q, angle, radius, Some(span)),
                    Some(point),
                ));
            }
            (Some(_), Some(e)) => {
                let message = "a follower touches the cam with a roller or with a face, not with both";
                self.refuse_pair(given.pair, e.span, message);
                return None;
            }
            (Some(e), None) => Follower::Roller(q, self.fixed(e, Dimension::LENGTH, "roller")?),
            (None, Some(e)) => {
                let across = self.body_axis(e, q.frame)?;
                let across = self.space().vector(q.frame, across);
                Follower::Face(q, across)
            }
        };
        let &[place] = contact else { return None };
        let cam = Profile { marker, angle, radius };
        let (constraint, point) = on_cam(self.space(), name, &cam, &follower, place, Some(span));
        Some((constraint, Some(point)))
    }

    /// A point on a curve in space.
    fn track_joint(&mut self, given: &Given<'t>, contact: &[Expr], name: &str, span: Span) -> Option<Touch> {
        for other in ["radius", "roller", "face", "axis"] {
            if let Some(e) = given.get(other) {
                let message = format!("a curve given by x, y and z has no {other}");
                self.refuse_pair(given.pair, e.span, message);
                return None;
            }
        }
        let (p, q) = self.two_places(given)?;
        let &[s] = contact else { return None };
        let model = self.builder.model();
        let free = model.coordinates.iter().map(|(_, c)| (c.symbol, &c.quantity));
        let locked = model.parameters.iter().map(|(_, p)| (p.symbol, &p.quantity));
        let own = free.chain(locked).find(|(symbol, _)| *symbol == s);
        let dimension = own.map_or(Dimension::ANGLE, |(_, quantity)| quantity.dimension);
        let parameter = self.pool().symbol(format!("{name}.parameter"), Kind::Parameter);
        let mut places = [self.pool().zero(); 3];
        for (place, letter) in places.iter_mut().zip(["x", "y", "z"]) {
            if let Some(e) = given.get(letter) {
                *place = self.profile(given, e, &[parameter], dimension)?;
            }
        }
        if !places.iter().any(|c| self.pool().reachable([*c]).contains(&parameter)) {
            self.refuse_pair(
                given.pair,
                given.span,
                "x, y and z are numbers, so this curve is a single point",
            );
            return None;
        }
        let marker = Marker::plain(self.space(), p);
        let track = Track { marker, parameter, places, coordinate: s };
        Some((on_track(self.space(), name, &track, &q, Some(span)), Some(q)))
    }

    /// A profile whose table goes beyond half a turn to one side, such as 0 .. 360°, with the polar angle, which is between half a turn to
    /// either side, moved into the turn around the middle of the table.
    fn in_the_turn_of_its_table(&self, radius: Expr, angle: Expr) -> Expr {
        let pool = self.pool();
        let tables = &self.builder.model().tables;
        let range = |e: Expr| match pool.node(e) {
            Node::Call(Function::Table(id, _), arguments) if arguments[..] == [angle] => {
                tables[id].x.first().copied().zip(tables[id].x.last().copied())
            }
            _ => None,
        };
        let half = std::f64::consts::PI;
        let beyond = |(low, high): &(f64, f64)| *low < -half - ROUNDING || *high > half + ROUNDING;
        let found = pool.reachable([radius]).into_iter().find_map(range).filter(beyond);
        let start = found.and_then(|(low, high)| Rational::from_f64(0.5 * (low + high) - half));
        let (Some(start), Some(symbol)) = (start, pool.as_symbol(angle)) else { return radius };
        let turn = pool.mul(pool.int(2), pool.pi());
        let turns = pool.call(Function::Floor, &[pool.div(pool.sub(angle, pool.number(start)), turn)]);
        let moved = pool.sub(angle, pool.mul(turn, turns));
        pool.substitute(radius, &Map::from_iter([(symbol, moved)]), &mut Map::default())
    }

    /// The length that shapes a curve or surface: a table or function by name at these arguments, or a number.
    fn profile(
        &mut self,
        given: &Given<'t>,
        e: &'t syntax::Expr,
        arguments: &[Expr],
        dimension: Dimension,
    ) -> Option<Expr> {
        let path = match &e.kind {
            ExprKind::Name(path) => self.names.find_path(self.root, path).map(|(item, _)| item),
            _ => None,
        };
        let values: Vec<Value> = arguments.iter().map(|a| Value::quantity(*a, dimension)).collect();
        let fits = |inputs: &[syntax::Input]| {
            let of = |i: &syntax::Input| i.unit.as_ref().and_then(|u| Unit::parse(&u.text).ok());
            let same = |u: Unit| u.dimension().without_angle() == dimension.without_angle();
            inputs.len() == arguments.len() && inputs.iter().all(|i| of(i).is_none_or(same))
        };
        let value = match path.map(|item| (item, self.names.items[item].kind)) {
            Some((item, ItemKind::Function(f))) if fits(&f.inputs) => {
                self.called.insert(item);
                self.unfold_with(item, f, values, &Env::default())?
            }
            Some((item, ItemKind::Table(t))) if fits(&t.inputs) => {
                self.look_up_with(item, t, values.into_iter().map(|v| (v, e.span)).collect())?
            }
            Some((_, ItemKind::Function(_) | ItemKind::Table(_))) => {
                let message = match (arguments.len(), given.get("radius").is_some()) {
                    (1, true) => "the radius of a curve depends on its polar angle alone",
                    (1, false) => {
                        "x, y and z of a curve depend on one parameter, the same length or angle for all of them"
                    }
                    _ => "a surface is a height above two coordinates, x and y",
                };
                self.refuse_pair(given.pair, e.span, message);
                return None;
            }
            _ => Value::quantity(self.fixed(e, Dimension::LENGTH, "length")?, Dimension::LENGTH),
        };
        let Value::Scalar(s) = value else {
            self.wrong_kind(&value, e.span, "a number");
            return None;
        };
        let length = self.expect(&s, e, Dimension::LENGTH, "this length", &Env::default())?;
        self.constant(length, e.span, "the shape of a curve or surface")
    }
}
