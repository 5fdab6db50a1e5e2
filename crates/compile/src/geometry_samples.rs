//! Numbers of expressions along a curve or over a surface, for drawings.
//!
//! [`Letters`] knows the numbers of parameters and the data of tables; what else an expression holds is given point by point.

use cardan_base::{Id, Map};
use cardan_expr::{Expr, Function, Node, evaluate::apply};
use cardan_model::{Interpolation, Model, Table};
use cardan_program::{Beyond, Curve, Kind, Surface};

use cardan_assembly::parameter_values::ParameterValues;

/// A table that can be looked up.
enum Shape {
    Curve(Curve),
    Surface(Surface),
}

/// The numbers of a model's parameters and tables.
pub struct Letters<'a> {
    model: &'a Model,
    values: &'a ParameterValues,
    tables: Vec<Option<Shape>>,
}

fn shape(table: &Table) -> Option<Shape> {
    let kind = match table.interpolation {
        Interpolation::Steps => Kind::Steps,
        Interpolation::Linear => Kind::Linear,
        Interpolation::Monotone => Kind::Monotone,
        Interpolation::Spline => Kind::Spline,
    };
    let (x, y) = (table.x.clone(), table.y.clone());
    if y.is_empty() {
        return Curve::new(&table.name, kind, Beyond::Clamp, x, table.values.clone()).ok().map(Shape::Curve);
    }
    // The model runs through x for each y; the program through y for each x.
    let (nx, ny) = (x.len(), y.len());
    let values = (0..nx * ny).map(|k| table.values.get(k % ny * nx + k / ny).copied().unwrap_or(f64::NAN));
    Surface::new(&table.name, kind, Beyond::Clamp, x, y, values.collect()).ok().map(Shape::Surface)
}

impl<'a> Letters<'a> {
    /// Of a model with these values.
    pub fn new(model: &'a Model, values: &'a ParameterValues) -> Self {
        Letters { model, values, tables: model.tables.iter().map(|(_, t)| shape(t)).collect() }
    }

    /// The number of an expression where these letters have these numbers; NaN if it holds anything else that moves.
    pub fn at(&self, e: Expr, letters: &[(Expr, f64)]) -> f64 {
        let pool = self.model.space.pool();
        let mut known: Map<Expr, f64> = Map::default();
        for part in pool.reachable([e]) {
            let at = |x: &Expr| known.get(x).copied().unwrap_or(f64::NAN);
            let given = letters.iter().find(|(letter, _)| *letter == part).map(|(_, x)| *x);
            let value = given.unwrap_or_else(|| match pool.node(part) {
                Node::Number(r) => r.to_f64(),
                Node::Undefined => f64::NAN,
                Node::Symbol(_) => match pool.definition(part) {
                    Some(definition) => at(&definition),
                    None => self.values.evaluate(self.model, part),
                },
                Node::Sum(terms) => terms.iter().map(|(c, m)| c.to_f64() * at(m)).sum(),
                Node::Product(c, factors) => {
                    factors.iter().fold(c.to_f64(), |v, (b, n)| v * at(b).powf(n.to_f64()))
                }
                Node::Call(Function::Table(id, [dx, dy]), arguments) => {
                    let x: Vec<f64> = arguments.iter().map(at).collect();
                    match (self.tables.get(id.index()).and_then(Option::as_ref), x.as_slice()) {
                        (Some(Shape::Curve(c)), [x]) => c.eval(*x, dx),
                        (Some(Shape::Surface(s)), [x, y]) => s.eval(*x, *y, dx, dy),
                        _ => f64::NAN,
                    }
                }
                Node::Call(f, arguments) => apply(f, &arguments.iter().map(at).collect::<Vec<_>>()),
            });
            known.insert(part, value);
        }
        known.get(&e).copied().unwrap_or(f64::NAN)
    }
}
