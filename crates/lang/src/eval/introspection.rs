//! Functions that look at an expression while the text is read: parts, factors, the nominal configuration
//! (Sayers 1991, Table 6).

use cardan_base::{Map, Span};
use cardan_expr::{Expr, Function, Kind, Node};
use cardan_kinematics::Vector;
use cardan_units::Dimension;

use crate::context::Resolver;
use crate::types::value::{Arrow, Scalar, Value};
use crate::unparse::exponent;

/// Their names.
pub const NAMES: [&str; 6] = ["nominal", "constant_part", "gcf", "is_constant", "zero", "si"];

impl Resolver<'_> {
    /// The value of one of [`NAMES`].
    pub fn look_at(&mut self, name: &str, values: &[(Value, Span)]) -> Option<Value> {
        let (first, span) = &values[0];
        match (name, first) {
            ("gcf", _) => {
                let (a, b) = (self.number_argument(&values[0])?, self.number_argument(&values[1])?);
                let factor = self.pool().gcf(a.expr, b.expr);
                let dimension = self.measure(factor);
                Some(Value::Scalar(Scalar::new(factor, dimension, a.bare && b.bare)))
            }
            (_, Value::Scalar(s)) => {
                let expr = self.part_of(name, s.expr);
                let is_plain = matches!(name, "is_constant" | "si");
                let dimension = if is_plain { Dimension::ONE } else { s.dimension };
                Some(Value::Scalar(Scalar::new(expr, dimension, s.bare)))
            }
            ("is_constant", Value::Vector(a)) => {
                let pool = self.pool();
                let still = a.vector.terms().iter().all(|(u, c)| {
                    pool.is_constant(*c) && self.space().unit_vector(*u).frame == self.space().newtonian()
                });
                Some(Value::quantity(if still { pool.one() } else { pool.zero() }, Dimension::ONE))
            }
            (_, Value::Vector(a)) => {
                let terms: Vec<_> =
                    a.vector.terms().iter().map(|(u, c)| (*u, self.part_of(name, *c))).collect();
                Some(Value::Vector(Arrow { vector: Vector::new(self.pool(), terms), ..a.clone() }))
            }
            (_, other) => {
                self.wrong_kind(&other.clone(), *span, "a number");
                None
            }
        }
    }

    /// What an expression measures, from its symbols.
    fn measure(&self, e: Expr) -> Dimension {
        let pool = self.pool();
        let model = self.builder.model();
        match pool.node(e) {
            Node::Number(_) | Node::Undefined => Dimension::ONE,
            Node::Symbol(_) if e == model.space.time() => Dimension::TIME,
            Node::Symbol(_) => {
                let parameters = model.parameters.iter().map(|(_, p)| (p.symbol, &p.quantity));
                let coordinates = model.coordinates.iter().map(|(_, c)| (c.symbol, &c.quantity));
                let speeds = model.speeds.iter().map(|(_, u)| (u.symbol, &u.quantity));
                let states = model.states.iter().map(|(_, s)| (s.symbol, &s.quantity));
                let mut all = parameters.chain(coordinates).chain(speeds).chain(states);
                match (all.find(|(symbol, _)| *symbol == e), pool.definition(e)) {
                    (Some((_, quantity)), _) => quantity.dimension,
                    (None, Some(definition)) => self.measure(definition),
                    (None, None) => Dimension::ONE,
                }
            }
            Node::Sum(terms) => terms.first().map_or(Dimension::ONE, |(_, m)| self.measure(*m)),
            Node::Product(_, factors) => factors
                .iter()
                .fold(Dimension::ONE, |product, (base, n)| product * self.measure(*base).pow(exponent(n))),
            Node::Call(Function::Abs | Function::Min | Function::Max, list) => self.measure(list[0]),
            Node::Call(Function::Select, list) => self.measure(list[1]),
            Node::Call(..) => Dimension::ONE,
        }
    }

    /// One of [`NAMES`] of a number.
    fn part_of(&self, name: &str, e: Expr) -> Expr {
        let pool = self.pool();
        match name {
            "constant_part" => pool.constant_part(e),
            "zero" => pool.zero(),
            "si" => e,
            "is_constant" if pool.is_constant(e) => pool.one(),
            "is_constant" => pool.zero(),
            _ => {
                let parts = pool.reachable([e]);
                let symbols = parts.iter().filter_map(|p| pool.as_symbol(*p));
                let is_coordinate = |s: &_| pool.symbol_data(*s).kind == Kind::Coordinate;
                let zeros = symbols.filter(is_coordinate).map(|q| (q, pool.zero())).collect();
                pool.substitute(e, &zeros, &mut Map::default())
            }
        }
    }
}
