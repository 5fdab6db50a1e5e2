//! Contacts between bodies, and inequalities between positions.
//!
//! A `contact` lies between a ball around one of its points and a plane through the other, or,
//! without a `normal`, between two balls. With n the normal, out of the second body, and r the radii,
//!
//! ```text
//! [gap]        g = n·(P - Q) - r      or  |P - Q| - r₁ - r₂
//! [carrier]    n turns with one of the bodies, which carries the plane: the second if it may be
//! [place]      forces act where the ball of the other body touches: there both part with ġ
//! [compliant]  N = max(0, k δ^p (1 + d δ̇)),   δ = max(0, -g)         Hertz with p = 3/2, Hunt and Crossley with d
//! [rigid]      g ≥ 0, N ≥ 0, g N = 0: a constraint that is held while it is closed
//! [coulomb]    F = -μ N sign v_t;  at rest up to μ₀ N                  v_t the sliding velocity of the material points in contact
//! ```
//!
//! A rigid contact that meets with ġ < 0 gets the impulses p_n, p_t at once (Newton's hypothesis, Coulomb's law for impulses),
//! J the derivatives of ġ and v_t by the speeds, R what a unit of each impulse adds to the speeds, W = J R:
//!
//! ```text
//! [impact]     u⁺ = u + R p,    ġ⁺ = -e ġ⁻
//! [sticks]     v_t⁺ = -e_t v_t⁻               where that takes |p_t| ≤ μ p_n, else
//! [slips]      p_t = -μ p_n s,  s the direction of v_t⁺, against what sticking would take
//! [loses]      p_n ≤ -2 dᵀu⁻/dᵀW d,  d = (1, -μ s), but at least that of e = 0
//!              where it slips: Newton's e bounces by less where it would bring energy in, as in
//!              eccentric impacts; where it sticks with e_t = 0, e² W_tt ġ² ≤ det W u⁻ᵀ W⁻¹ u⁻
//! [rests]      where e |ġ⁻| is below the speed `rest`, e = 0 and the contact is closed: what is left of endless bounces
//! [opens]      a closed contact opens where N becomes negative, and where another impact throws it
//!              off by more than 1e-9 m/s, however large `rest` is; if pressed by more it is struck again
//! [touches]    bodies that touch and approach more slowly than a millionth of `rest` have not met:
//!              where nothing presses, N is rounding, whose sign would open and close without end
//! ```
//!
//! `restitution = poisson(e)` chooses Poisson's law instead, see `impact_laws`.
//!
//! Several contacts that meet at one instant are struck one after the other in the order of the text, until all part or rest.
//! Pfeiffer, Glocker: Multibody Dynamics with Unilateral Contacts, chapter 8.

use cardan_base::{Diagnostic, Map, Span, without_noise};
use cardan_expr::{Derivation, Expr, Function, Rational, SymbolId};
use cardan_kinematics::{FrameId, Point, Vector};
use cardan_model::{
    ElementEnds, ElementKind, ElementPart, Event, Load, LoadId, LoadKind, PropertyValue, Quantity, Reaction,
    Target, Trigger,
};
use cardan_syntax as syntax;
use cardan_units::Dimension;

use crate::codes;
use crate::context::{Env, Resolver};
use crate::statements::elements::{Given, Property, Told, element_description, ends};
use crate::statements::impact_laws::{self, Approach};
use crate::types::value::Value;

/// What a contact tells about itself.
pub const SIGNALS: &[&str] = &["gap", "rate", "normal", "slip", "closed", "meets"];

/// The properties of a contact.
pub const CONTACT: &[Property] = &[
    ("normal", Dimension::ONE, false),
    ("tangent", Dimension::ONE, false),
    ("radius", Dimension::LENGTH, false),
    ("counter_radius", Dimension::LENGTH, false),
    ("restitution", Dimension::ONE, false),
    ("tangential_restitution", Dimension::ONE, false),
    ("friction", Dimension::ONE, false),
    ("static_friction", Dimension::ONE, false),
    ("rest", Dimension::VELOCITY, false),
    ("stiffness", Dimension::ONE, false),
    ("exponent", Dimension::ONE, false),
    ("damping", Dimension::ONE, false),
    ("regularisation", Dimension::VELOCITY, false),
    ("collide", Dimension::ONE, false),
];

/// Impacts that leave less than this speed, in m/s or rad/s, end in rest unless the text says otherwise. [rests]
const REST: Rational = Rational::Small(1, 1_000_000_000);

/// Bodies that touch and approach with less than this part of `rest` have not met. [touches]
const TOUCHES: Rational = Rational::Small(1, 1_000_000);

/// What an impulse leaves of a speed, as a part of it and of its change, is rounding below this.
const ROUNDING: Rational = Rational::Small(1, 10_000_000_000_000);

/// A gap below this is an overlap, in SI units; less is rounding.
const OVERLAP: f64 = 1e-9;

/// What two bodies do to each other where they touch.
struct Touch {
    gap: Expr,
    rate: Expr,
    normal: Vector,
    at: Point,
    /// The sliding velocity.
    slip: Vector,
}

/// Directions in which friction acts: unit vectors, and the sliding speed along each.
type Slips = Vec<(Vector, Expr)>;

/// How a rigid contact is struck.
pub(crate) struct Impact {
    pub restitution: Expr,
    /// Whether Poisson's law counts instead of Newton's; see `impact_laws`.
    pub is_poisson: bool,
    pub tangential: Expr,
    pub friction: Option<Expr>,
    pub rest: Expr,
}

impl<'t> Resolver<'t> {
    /// `contact NAME between P and Q { … }`
    pub fn touching(
        &mut self,
        element: &'t syntax::Element,
        given: &Given<'t>,
        (p, q): (&Point, &Point),
        span: Span,
    ) -> Option<Told> {
        let touch = self.touch(element, given, p, q)?;
        let slips = self.slips(given, &touch, (p.frame, q.frame))?;
        let name = self.element_name(element);
        let friction = match given.get("friction") {
            Some(_) => Some(self.property(given, "friction")?),
            None => None,
        };
        let compliant = given.get("stiffness").is_some();
        let mut loads = vec![];
        let (normal, closed, meets) = if compliant {
            let force = self.penalty(given, &touch)?;
            loads.push(self.push(element, ".normal", (&touch, p, q), &touch.normal, force, span));
            self.rub(element, given, (&touch, p, q), (force, friction), &slips, (&mut loads, span))?;
            let pool = self.pool();
            let pressed = pool.call(Function::LessEqual, &[touch.gap, pool.zero()]);
            let closed = pool.call(Function::Select, &[pressed, pool.one(), pool.zero()]);
            (force, closed, pressed)
        } else {
            let closed = self.closed(&name, given.get("restitution").map_or(span, |e| e.span));
            let law = self.builder.hold(&name, (Some(touch.gap), touch.rate), closed.1, true);
            let force = self.builder.model().laws[law].symbol;
            loads.push(self.push(element, ".normal", (&touch, p, q), &touch.normal, force, span));
            let (restitution, is_poisson) = self.restitution(given)?;
            let impact = Impact {
                restitution,
                is_poisson,
                tangential: self.property(given, "tangential_restitution")?,
                friction,
                rest: match given.get("rest") {
                    Some(_) => self.property(given, "rest")?,
                    None => self.pool().number(REST),
                },
            };
            let rubs =
                self.rub(element, given, (&touch, p, q), (force, friction), &slips, (&mut loads, span))?;
            let (gap, rate) = (touch.gap, touch.rate);
            let meets = self.strike(&name, (gap, rate, law), &rubs, closed, &impact, span);
            (force, closed.1, meets)
        };
        let ends = ElementEnds::Points(p.clone(), q.clone());
        let mut made = cardan_model::Element::new(name, ElementKind::Contact, ends, Some(span));
        made.description = element_description(element);
        made.loads = loads.into_iter().map(|l| (ElementPart::Whole, l)).collect();
        for (name, dimension, _) in CONTACT {
            if given.get(name).is_none() {
                continue;
            }
            let value = match *name {
                "normal" => PropertyValue::Axis(touch.normal.clone()),
                "tangent" => PropertyValue::Axis(slips.first().map_or(Vector::ZERO, |(v, _)| v.clone())),
                "stiffness" | "damping" => PropertyValue::Scalar(self.raw(given, name)?.0),
                "restitution" => PropertyValue::Scalar(self.restitution(given)?.0),
                _ => PropertyValue::Scalar(self.property(given, name)?),
            };
            made = made.with(name, *dimension, value);
        }
        self.builder.add_element(made);
        let slip = match &slips[..] {
            [(_, v)] => *v,
            _ => self.space().magnitude(&touch.slip),
        };
        Some(vec![
            ("gap", Value::quantity(touch.gap, Dimension::LENGTH)),
            ("rate", Value::quantity(touch.rate, Dimension::VELOCITY)),
            ("normal", Value::quantity(normal, Dimension::FORCE)),
            ("slip", Value::quantity(slip, Dimension::VELOCITY)),
            ("closed", Value::quantity(closed, Dimension::ONE)),
            ("meets", Value::Boolean(meets)),
        ])
    }

    /// A direction among the properties.
    fn given_direction(&mut self, given: &Given<'t>, name: &str) -> Option<Option<Vector>> {
        let Some(e) = given.get(name) else { return Some(None) };
        let v = self.vector(e, Dimension::ONE, &format!("this {name}"), &Env::default())?;
        if v.is_zero() {
            self.error(codes::AXIS, "this direction has no length", e.span, "give one, such as `N.z`");
            return None;
        }
        Some(Some(self.space().direction(&v)))
    }

    /// Whether a direction is fixed in a frame. [carrier]
    fn turns_with(&self, direction: &Vector, frame: FrameId) -> bool {
        let (space, pool) = (self.space(), self.pool());
        let components = space.components(direction, frame);
        components.into_iter().all(|e| pool.is_zero(pool.define(space.dt(pool.define(e)))))
    }

    /// Where two bodies touch. [gap]
    fn touch(
        &mut self,
        element: &'t syntax::Element,
        given: &Given<'t>,
        p: &Point,
        q: &Point,
    ) -> Option<Touch> {
        let normal = self.given_direction(given, "normal")?;
        let radius = self.property(given, "radius")?;
        let other = self.property(given, "counter_radius")?;
        let (space, pool) = (self.space(), self.pool());
        let offset = space.position(q, p);
        if normal.is_none() && pool.is_zero(radius) && pool.is_zero(other) {
            let help = "write `normal = N.z` for a plane, or `radius = …` and `counter_radius = …` for balls";
            let message = "two points touch nowhere";
            self.error(codes::ARGUMENT, message, ends(element).0.span, help);
            return None;
        }
        let is_given = normal.is_some();
        if let Some(n) = &normal
            && ![p, q].iter().any(|body| self.turns_with(n, body.frame))
        {
            let e = given.get("normal")?;
            let message = "this normal turns with neither body";
            let help = "take an axis of the body that has the plane, such as `normal = table.z`";
            self.error(codes::AXIS, message, e.span, help);
            return None;
        }
        let (space, pool) = (self.space(), self.pool());
        let (distance, normal) = match normal {
            Some(n) => (space.dot(&offset, &n), n),
            None => (space.magnitude(&offset), space.direction(&offset)),
        };
        let gap = pool.define(pool.sub(pool.sub(distance, radius), other));
        let rate = pool.define(space.dt(gap));
        // [place], from the first point.
        let arm = match is_given && !self.turns_with(&normal, q.frame) {
            true => normal.scale(pool, other).sub(pool, &offset),
            false => normal.scale(pool, pool.neg(radius)),
        };
        let local = space.components(&arm, p.frame);
        let coordinates = std::array::from_fn(|i| pool.define(pool.add(p.coordinates[i], local[i])));
        let at = Point { coordinates, ..p.clone() };
        // Velocities of the particles that are there, of which the place itself moves on.
        let first = space.velocity(p).add(pool, &space.cross(&space.w(p.frame), &arm));
        let lever = space.position(q, &at);
        let second = space.velocity(q).add(pool, &space.cross(&space.w(q.frame), &lever));
        let relative = first.sub(pool, &second);
        let along = space.dot(&relative, &normal);
        let slip = relative.sub(pool, &normal.scale(pool, along));
        Some(Touch { gap, rate, normal, at, slip })
    }

    /// The directions in which friction acts: one where there is a `tangent` or the bodies can slide along one line only.
    ///
    /// ```text
    /// [planar]     v_t·e = 0 and n·e = 0 for an axis e of a body:   along e × n, as on a slope in a vertical plane
    /// [line]       v_t = u s with one speed u and a vector s that does not move:   along s
    /// ```
    fn slips(
        &mut self,
        given: &Given<'t>,
        touch: &Touch,
        (first, second): (FrameId, FrameId),
    ) -> Option<Slips> {
        let tangent = self.given_direction(given, "tangent")?;
        let (space, pool) = (self.space(), self.pool());
        if let Some(t) = tangent {
            let speed = pool.define(space.dot(&touch.slip, &t));
            return Some(vec![(t, speed)]);
        }
        let along = |frame: FrameId| -> Slips {
            let speeds = space.components(&touch.slip, frame).map(|e| pool.define(e));
            let axes = (0..3).filter(|i| !pool.is_zero(speeds[*i]));
            axes.map(|i| (space.axis(frame, i), speeds[i])).collect()
        };
        let ground = space.newtonian();
        let found = [ground, second, first].map(&along);
        if let Some(one) = found.iter().find(|slips| slips.len() <= 1) {
            return Some(one.clone());
        }
        // [planar]
        let across = [ground, second, first].into_iter().flat_map(|f| (0..3).map(move |i| (f, i)));
        for axis in across.map(|(frame, i)| space.axis(frame, i)) {
            let is_across = |v: &Vector| pool.is_zero(pool.define(space.dot(v, &axis)));
            if is_across(&touch.slip) && is_across(&touch.normal) {
                let t = space.cross(&axis, &touch.normal);
                let speed = pool.define(space.dot(&touch.slip, &t));
                return Some(vec![(t, speed)]);
            }
        }
        // [line]
        let speeds: Vec<Expr> = self.builder.model().speeds.iter().map(|(_, u)| u.symbol).collect();
        let components = along(ground);
        let parts = |u: Expr| -> Vec<Expr> {
            let mut by = Derivation::partial(pool, u);
            components.iter().map(|(_, v)| pool.define(by.apply(pool, *v))).collect()
        };
        let moving: Vec<(Expr, Vec<Expr>)> = speeds
            .into_iter()
            .map(|u| (u, parts(u)))
            .filter(|(_, parts)| parts.iter().any(|p| !pool.is_zero(*p)))
            .collect();
        if let [(u, parts)] = &moving[..]
            && parts.iter().all(|p| pool.depends(*p).is_constant())
            && components
                .iter()
                .zip(parts)
                .all(|((_, v), p)| pool.is_zero(pool.define(pool.sub(*v, pool.mul(*p, *u)))))
        {
            let vector = components
                .iter()
                .zip(parts)
                .fold(Vector::ZERO, |sum, ((axis, _), p)| sum.add(pool, &axis.scale(pool, *p)));
            let speed = pool.define(pool.mul(*u, space.magnitude(&vector)));
            return Some(vec![(space.direction(&vector), speed)]);
        }
        found.into_iter().min_by_key(Vec::len)
    }

    /// A number whose unit depends on an exponent.
    pub(super) fn raw(&mut self, given: &Given<'t>, name: &str) -> Option<(Expr, Dimension)> {
        let e = given.get(name)?;
        match self.evaluate(e, &Env::default())? {
            Value::Scalar(s) => Some((s.expr, s.dimension)),
            other => {
                self.wrong_kind(&other, e.span, "a number");
                None
            }
        }
    }

    /// The force of a compliant contact. [compliant]
    fn penalty(&mut self, given: &Given<'t>, touch: &Touch) -> Option<Expr> {
        let exponent = match given.get("exponent") {
            Some(_) => self.property(given, "exponent")?,
            None => self.pool().number(Rational::Small(3, 2)),
        };
        let (k, _) = self.raw(given, "stiffness")?;
        let damping = match given.get("damping") {
            Some(_) => self.raw(given, "damping")?.0,
            None => self.pool().zero(),
        };
        let pool = self.pool();
        let depth = pool.call(Function::Max, &[pool.zero(), pool.neg(touch.gap)]);
        let power = match pool.as_number(exponent) {
            Some(n) => pool.pow(depth, n),
            None => pool.call(Function::Pow, &[depth, exponent]),
        };
        let more = pool.sub(pool.one(), pool.mul(damping, touch.rate));
        let force = pool.product([k, power, more]);
        let never_pulls =
            if pool.is_zero(damping) { force } else { pool.call(Function::Max, &[pool.zero(), force]) };
        Some(pool.define(never_pulls))
    }

    /// A force on the first body, and its opposite on the second.
    fn push(
        &mut self,
        element: &'t syntax::Element,
        part: &str,
        (touch, _, q): (&Touch, &Point, &Point),
        direction: &Vector,
        force: Expr,
        span: Span,
    ) -> LoadId {
        let vector = direction.scale(self.pool(), force);
        let reaction = self.moving_frame(q.frame).map(|frame| Reaction { frame, at: None });
        let kind = LoadKind::Force { vector, at: touch.at.clone(), reaction };
        let name = format!("{}{part}", self.element_name(element));
        let description = element_description(element);
        self.builder.add_load(Load {
            name,
            description,
            kind,
            potential: None,
            conservative: false,
            span: Some(span),
        })
    }

    /// Friction by a normal force; the efforts with their directions. [coulomb]
    #[allow(clippy::too_many_arguments, reason = "an element, its place, its force and where its loads go")]
    fn rub(
        &mut self,
        element: &'t syntax::Element,
        given: &Given<'t>,
        place: (&Touch, &Point, &Point),
        (normal, friction): (Expr, Option<Expr>),
        slips: &Slips,
        (loads, span): (&mut Vec<LoadId>, Span),
    ) -> Option<Vec<(usize, Expr)>> {
        let Some(mu) = friction else { return Some(vec![]) };
        let resting = match given.get("static_friction") {
            Some(_) => Some(self.property(given, "static_friction")?),
            None => None,
        };
        let name = self.element_name(element);
        let mut efforts = vec![];
        let pool = self.pool();
        let size = self.space().magnitude(&place.0.slip);
        let values: Vec<(Vector, Expr, Expr)> = slips
            .iter()
            .map(|(axis, speed)| {
                // The size of the sliding velocity, and what shows its direction.
                let (rests, way) = match slips.len() {
                    1 => (*speed, pool.call(Function::Sign, &[*speed])),
                    _ => (size, pool.div(*speed, size)),
                };
                let level = resting.map_or(mu, |more| {
                    let rests = pool.call(Function::Equal, &[rests, pool.zero()]);
                    pool.call(Function::Select, &[rests, more, mu])
                });
                let value = pool.neg(pool.product([level, normal, way]));
                (axis.clone(), *speed, value)
            })
            .collect();
        for (k, (axis, speed, value)) in values.into_iter().enumerate() {
            let part = format!(".friction{}", if k == 0 { String::new() } else { (k + 1).to_string() });
            let law = self.builder.effort(&format!("{name}{part}"), value);
            let symbol = self.builder.model().laws[law].symbol;
            loads.push(self.push(element, &part, place, &axis, symbol, span));
            efforts.push((law, speed));
        }
        Some(efforts)
    }

    /// The discrete state that says whether a contact is closed.
    pub fn closed(&mut self, name: &str, span: Span) -> (Target, Expr) {
        let quantity = Quantity {
            description: "1 while closed".into(),
            span: Some(span),
            ..Quantity::new(format!("{name}.closed"), Dimension::ONE)
        };
        let zero = self.pool().zero();
        let id = self.builder.add_discrete(quantity, zero);
        (Target::Discrete(id), self.builder.model().hybrid.discretes[id].symbol)
    }

    /// The derivatives of a rate by the speeds.
    pub fn by_speeds(&self, rate: Expr) -> Vec<Expr> {
        let pool = self.pool();
        let speeds = self.builder.model().speeds.iter();
        speeds.map(|(_, u)| pool.define(Derivation::partial(pool, u.symbol).apply(pool, rate))).collect()
    }

    /// A speed after an impulse. What is left of the speed by rounding is none, so that what rests does so exactly.
    pub fn struck(&self, speed: Expr, change: Expr) -> Expr {
        let pool = self.pool();
        let size = |e: Expr| pool.call(Function::Abs, &[e]);
        let change = pool.define(change);
        let new = pool.define(pool.add(speed, change));
        let rounding = pool.scale(ROUNDING, pool.add(size(speed), size(change)));
        let rests = pool.call(Function::LessEqual, &[size(new), rounding]);
        pool.define(pool.call(Function::Select, &[rests, pool.zero(), new]))
    }

    /// The events of a contact that is rigid, and when it meets. Blocks of the text that ask for the meeting happen before them, in the
    /// state before the impact; all others behind. [impact], [opens]
    pub fn strike(
        &mut self,
        name: &str,
        (gap, rate, law): (Expr, Expr, usize),
        rubs: &[(usize, Expr)],
        (closed, is_closed): (Target, Expr),
        impact: &Impact,
        span: Span,
    ) -> Expr {
        self.one_sided.push((name.into(), gap, span));
        let along = self.by_speeds(rate);
        let mut across = vec![self.pool().zero(); along.len()];
        let mut aside = across.clone();
        let mut slip = self.pool().zero();
        // Along the direction of sliding.
        if impact.friction.is_some() {
            let pool = self.pool();
            let squares = rubs.iter().map(|(_, v)| pool.powi(*v, 2)).collect::<Vec<_>>();
            slip = if let [(_, v)] = rubs { *v } else { pool.sqrt(pool.sum(squares)) };
            for (law, speed) in rubs {
                let responses = self.builder.responses(*law);
                let pool = self.pool();
                let part = if rubs.len() == 1 { pool.one() } else { pool.div(*speed, slip) };
                for (r, (j, u)) in self.by_speeds(*speed).into_iter().zip(responses).enumerate() {
                    across[r] = pool.define(pool.add(across[r], pool.mul(part, j)));
                    aside[r] = pool.define(pool.add(aside[r], pool.mul(part, u)));
                }
            }
        }
        let away = self.builder.responses(law);
        let normal = self.builder.model().laws[law].symbol;
        let pool = self.pool();
        let inner = |a: &[Expr], b: &[Expr]| {
            pool.define(pool.sum(a.iter().zip(b).map(|(a, b)| pool.mul(*a, *b)).collect::<Vec<_>>()))
        };
        let (wnn, wnt) = (inner(&along, &away), inner(&along, &aside));
        let (wtn, wtt) = (inner(&across, &away), inner(&across, &aside));
        let call = |f: Function, a: &[Expr]| pool.call(f, a);
        let less = |a: Expr, b: Expr| call(Function::Less, &[a, b]);
        let choose = |c: Expr, a: Expr, b: Expr| call(Function::Select, &[c, a, b]);
        let bounces = less(impact.rest, pool.neg(pool.mul(impact.restitution, rate)));
        let e = choose(bounces, impact.restitution, pool.zero());
        let b_n = pool.define(pool.neg(pool.mul(pool.add(pool.one(), e), rate)));
        // What cannot slide has no friction.
        let (p_n, p_t) = match impact.friction.filter(|_| !rubs.is_empty()) {
            mu if impact.is_poisson => {
                let approach = Approach { rate, slip, wnn, wnt, wtn, wtt };
                impact_laws::poisson(pool, &approach, e, mu)
            }
            None => (pool.define(pool.div(b_n, wnn)), pool.zero()),
            Some(mu) => {
                let e_t = choose(bounces, impact.tangential, pool.zero());
                let b_t = pool.neg(pool.mul(pool.add(pool.one(), e_t), slip));
                let det = pool.define(pool.sub(pool.mul(wnn, wtt), pool.mul(wnt, wtn)));
                // [loses]
                let normal = pool.mul(wtt, pool.powi(rate, 2));
                let mixed = pool.product([pool.add(wnt, wtn), rate, slip]);
                let energy = pool.add(pool.sub(normal, mixed), pool.mul(wnn, pool.powi(slip, 2)));
                let part = call(Function::Max, &[pool.zero(), pool.div(energy, normal)]);
                let held = call(Function::Min, &[e, pool.sqrt(part)]);
                let b_s = pool.define(pool.neg(pool.mul(pool.add(pool.one(), held), rate)));
                let first = pool.sub(pool.mul(b_s, wtt), pool.mul(wnt, b_t));
                let second = pool.sub(pool.mul(wnn, b_t), pool.mul(wtn, b_s));
                let sticking = [pool.define(pool.div(first, det)), pool.define(pool.div(second, det))];
                // [slips], [loses]
                let way = pool.neg(pool.mul(mu, call(Function::Sign, &[sticking[1]])));
                let reach = pool.define(pool.sub(wnn, pool.mul(way, wnt)));
                let both = pool.mul(way, pool.add(wnt, wtn));
                let whole = pool.add(pool.sub(wnn, both), pool.mul(pool.powi(way, 2), wtt));
                let approach = pool.sub(pool.mul(way, slip), rate);
                let most = pool.div(pool.scale(Rational::Small(2, 1), approach), whole);
                let least = pool.div(pool.neg(rate), reach);
                let bounded = call(Function::Max, &[least, most]);
                let slipping = call(Function::Min, &[pool.div(b_n, reach), bounded]);
                let slipping = pool.define(slipping);
                let needed = call(Function::Abs, &[sticking[1]]);
                let sticks = call(Function::LessEqual, &[needed, pool.mul(mu, sticking[0])]);
                let p_n = pool.define(choose(sticks, sticking[0], slipping));
                let p_t = choose(sticks, sticking[1], pool.neg(pool.mul(way, slipping)));
                (p_n, pool.define(p_t))
            }
        };
        let half = pool.number(Rational::Small(1, 2));
        let zero = pool.zero();
        let open = less(is_closed, half);
        let shut = less(half, is_closed);
        let both = |a: Expr, b: Expr| call(Function::And, &[a, b]);
        let approaches = less(rate, pool.neg(pool.scale(TOUCHES, impact.rest)));
        let meets = both(open, both(call(Function::LessEqual, &[gap, zero]), approaches));
        // What another impact leaves of the rate of a closed contact opens a gap before it decays.
        let least = call(Function::Min, &[impact.rest, pool.number(REST)]);
        let pressed = both(shut, less(rate, pool.neg(least)));
        let hit = call(Function::Or, &[meets, pressed]);
        let speeds: Vec<_> = self.builder.model().speeds.iter().map(|(id, u)| (id, u.symbol)).collect();
        let mut assignments = vec![(closed, choose(bounces, zero, pool.one()))];
        for (r, (id, symbol)) in speeds.into_iter().enumerate() {
            let change = pool.add(pool.mul(away[r], p_n), pool.mul(aside[r], p_t));
            if !pool.is_zero(change) {
                assignments.push((Target::Struck(id), self.struck(symbol, change)));
            }
        }
        let thrown = less(least, rate);
        let leaves = both(shut, call(Function::Or, &[less(normal, zero), thrown]));
        let event = |name: String, condition: Expr, assignments: Vec<(Target, Expr)>| Event {
            name,
            trigger: Trigger::When(condition),
            assignments,
            stops: vec![],
            of_element: true,
            span: Some(span),
        };
        let hits = event(format!("{name} meets"), hit, assignments);
        let parts = event(format!("{name} opens"), leaves, vec![(closed, zero)]);
        self.events_of_elements.extend([hits, parts]);
        self.meetings.push(meets);
        meets
    }

    /// `constraint a >= b`: a constraint that acts where the difference would become negative; tells its multiplier, and whether it acts.
    pub fn inequality(&mut self, name: &str, gap: Expr, span: Span) -> Option<(Expr, Expr)> {
        let rate = self.pool().define(self.space().dt(gap));
        let closed = self.closed(name, span);
        let law = self.builder.hold(name, (Some(gap), rate), closed.1, true);
        let symbol = self.builder.model().laws[law].symbol;
        self.act_along(name, rate, symbol, span)?;
        let pool = self.pool();
        let impact = Impact {
            restitution: pool.zero(),
            is_poisson: false,
            tangential: pool.zero(),
            friction: None,
            rest: pool.number(REST),
        };
        self.strike(name, (gap, rate, law), &[], closed, &impact, span);
        Some((symbol, closed.1))
    }

    /// Refuses a start at which bodies overlap. Where loops are closed first, the start is not known here.
    pub fn check_overlaps(&mut self) {
        let model = self.builder.model();
        if self.one_sided.is_empty() || !model.constraints.is_empty() {
            return;
        }
        let pool = self.pool();
        let known = self.values_at_start();
        let look = |s: SymbolId| known.get(&s).copied().unwrap_or(f64::NAN);
        let mover = |gap: Expr| {
            let moves = |q: &Expr| !pool.is_zero(pool.define(Derivation::partial(pool, *q).apply(pool, gap)));
            let mover = model.coordinates.iter().find(|(_, q)| moves(&q.symbol));
            mover.map(|(_, q)| q.quantity.name.clone())
        };
        let found: Vec<(String, f64, Option<String>, Span)> = self
            .one_sided
            .iter()
            .map(|(name, gap, span)| (name, *gap, -pool.evaluate(*gap, &look), *span))
            .filter(|(_, _, depth, _)| *depth > OVERLAP)
            .map(|(name, gap, depth, span)| (name.clone(), depth, mover(gap), span))
            .collect();
        for (name, depth, mover, span) in found {
            let depth = without_noise(depth);
            let is_contact = self.builder.model().elements.iter().any(|(_, e)| e.name == name);
            let unit = if is_contact { " m" } else { "" };
            let message = format!("`{name}` begins with an overlap of {depth}{unit}");
            let d = Diagnostic::error(codes::OVERLAP, message);
            let d =
                d.at(span, "").because("what is rigid cannot go into one another, so no motion begins here");
            let start = mover.map_or(String::new(), |q| format!(", `start {{ {q} = … }}`"));
            self.report(d.hint(match is_contact {
                true => format!(
                    "move a body out of the other{start}; turn the `normal` round if it points into the second body; or give \
                     the contact a `stiffness`"
                ),
                false => format!("begin where the first side is the larger one{start}"),
            }));
        }
    }

    /// The numbers of parameters, time and coordinates where a motion begins.
    pub fn values_at_start(&self) -> Map<SymbolId, f64> {
        let (model, pool) = (self.builder.model(), self.pool());
        let mut known: Map<SymbolId, f64> = Map::default();
        let parameters = model.parameters.iter().map(|(_, p)| (p.symbol, p.default));
        let starts = model.coordinates.iter().map(|(_, q)| (q.symbol, Some(q.start)));
        let time = (model.space.time(), Some(pool.zero()));
        for (symbol, value) in parameters.chain([time]).chain(starts) {
            let look = |s: SymbolId| known.get(&s).copied().unwrap_or(f64::NAN);
            let value = value.map_or(f64::NAN, |e| pool.evaluate(e, &look));
            known.extend(pool.as_symbol(symbol).map(|s| (s, value)));
        }
        known
    }

    /// Loads of an effort whose power is the effort times a rate: along the freedoms of joints on which the rate depends.
    pub fn act_along(&mut self, name: &str, rate: Expr, effort: Expr, span: Span) -> Option<()> {
        let parts = self.by_speeds(rate);
        let speeds: Vec<Expr> = self.builder.model().speeds.iter().map(|(_, u)| u.symbol).collect();
        for (k, (u, part)) in speeds.into_iter().zip(parts).enumerate() {
            if self.pool().is_zero(part) {
                continue;
            }
            let model = self.builder.model();
            let found = model.joints.ids().find_map(|j| model.freedom_at(j, u));
            let load = found.and_then(|f| model.effort_along(f, self.pool().mul(part, effort)));
            let Some(kind) = load else {
                let message = "this constraint moves a speed that is no rate of a joint";
                self.error(codes::KIND, message, span, "leave the speeds of the joints as they are");
                return None;
            };
            self.builder.add_load(Load {
                name: format!("{name}.{}", k + 1),
                description: String::new(),
                kind,
                potential: None,
                conservative: false,
                span: Some(span),
            });
        }
        Some(())
    }
}
