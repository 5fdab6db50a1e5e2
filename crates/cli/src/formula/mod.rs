//! Expressions for people: a small tree of formulas, printed as text or as MathML.
//!
//! Equations come with names for intermediate results (`z12`), each computed once. A reader wants fewer of them: a name
//! that is used once and stands for something short is replaced by it.

mod mathml;
mod text;

use cardan::base::{Map, Set};
use cardan::expr::{Expr, Function, Kind, Node, Pool, Rational, SymbolId};

pub use mathml::mathml_equation;
pub use text::text;

/// A formula.
#[derive(Clone, Debug, PartialEq)]
pub enum Formula {
    /// Digits, without a sign.
    Number(String),
    /// A symbol.
    Name(String),
    /// Terms with their signs: `true` is subtracted.
    Sum(Vec<(bool, Formula)>),
    /// Factors.
    Product(Vec<Formula>),
    /// Numerator and denominator.
    Fraction(Box<Formula>, Box<Formula>),
    /// Base and exponent.
    Power(Box<Formula>, Box<Formula>),
    /// Square root.
    Root(Box<Formula>),
    /// A function of arguments.
    Call(String, Vec<Formula>),
    /// `left op right`.
    Relation(Box<Formula>, &'static str, Box<Formula>),
    /// Condition, value if it holds, value otherwise.
    If(Box<[Formula; 3]>),
}

/// Formulas with the definitions of the names in them.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Left side and right side of what was asked for.
    pub results: Vec<(String, Formula)>,
    /// Names and what they stand for, in an order in which they can be computed.
    pub definitions: Vec<(String, Formula)>,
}

/// A name that stands for no more than this many symbols and numbers may be replaced by it.
const SHORT: usize = 16;

/// The formulas of some expressions, each with the name it goes by.
pub fn listing(pool: &Pool, asked: Vec<(String, Expr)>) -> Listing {
    let roots: Vec<Expr> = asked.iter().map(|(_, e)| *e).collect();
    let parts = pool.reachable(roots.iter().copied());
    let mut uses: Map<Expr, usize> = Map::default();
    for e in roots.iter().copied().chain(parts.iter().flat_map(|e| operands(pool, *e))) {
        *uses.entry(e).or_default() += 1;
    }
    // Parts come before wholes, so the sizes of inlined names are known when they are needed.
    let mut size: Map<Expr, usize> = Map::default();
    let mut inlined: Set<Expr> = Set::default();
    for e in &parts {
        let below: usize = operands(pool, *e).iter().map(|o| size.get(o).copied().unwrap_or(1)).sum();
        let own = below.max(1);
        if pool.definition(*e).is_some() && own <= SHORT && uses.get(e) == Some(&1) {
            inlined.insert(*e);
            size.insert(*e, own);
        } else {
            size.insert(*e, if pool.definition(*e).is_some() { 1 } else { own });
        }
    }
    let maker = Maker { pool, inlined: &inlined };
    let definitions = parts.iter().filter(|e| !inlined.contains(e)).filter_map(|e| {
        let definition = pool.definition(*e)?;
        Some((symbol_name(pool, pool.as_symbol(*e)?), maker.formula(definition)))
    });
    Listing {
        definitions: definitions.collect(),
        results: asked.into_iter().map(|(name, e)| (name, maker.formula(e))).collect(),
    }
}

fn symbol_name(pool: &Pool, symbol: SymbolId) -> String {
    pool.symbol_data(symbol).name
}

/// What an expression is made of, definitions included.
fn operands(pool: &Pool, e: Expr) -> Vec<Expr> {
    match pool.node(e) {
        Node::Number(_) | Node::Undefined => vec![],
        Node::Symbol(_) => pool.definition(e).into_iter().collect(),
        Node::Sum(terms) => terms.iter().map(|(_, m)| *m).collect(),
        Node::Product(_, factors) => factors.iter().map(|(b, _)| *b).collect(),
        Node::Call(_, arguments) => arguments.to_vec(),
    }
}

struct Maker<'p> {
    pool: &'p Pool,
    inlined: &'p Set<Expr>,
}

impl Maker<'_> {
    fn formula(&self, e: Expr) -> Formula {
        match self.pool.node(e) {
            Node::Undefined => Formula::Name("undefined".into()),
            Node::Number(r) => signed(r.is_negative(), number(&r.abs())),
            Node::Symbol(s) => match self.pool.definition(e) {
                Some(definition) if self.inlined.contains(&e) => self.formula(definition),
                _ if self.pool.symbol_data(s).kind == Kind::Constant => Formula::Name("pi".into()),
                _ => Formula::Name(symbol_name(self.pool, s)),
            },
            Node::Sum(terms) => self.sum(&terms),
            Node::Product(c, factors) => signed(c.is_negative(), self.product(&c.abs(), &factors)),
            Node::Call(f, arguments) => self.call(f, &arguments),
        }
    }

    fn sum(&self, terms: &[(Rational, Expr)]) -> Formula {
        let mut out: Vec<(bool, Formula)> = Vec::new();
        // Numbers read best at the end of a sum.
        let (numbers, rest): (Vec<_>, Vec<_>) = terms.iter().partition(|(_, m)| *m == self.pool.one());
        for (c, monomial) in rest.into_iter().chain(numbers) {
            let term = self.scaled(&c.abs(), *monomial);
            match term {
                Formula::Sum(inner) => out.extend(inner.into_iter().map(|(s, f)| (s ^ c.is_negative(), f))),
                other => out.push((c.is_negative(), other)),
            }
        }
        plus_first(out)
    }

    fn scaled(&self, c: &Rational, monomial: Expr) -> Formula {
        match self.pool.node(monomial) {
            _ if c.is_one() => self.formula(monomial),
            Node::Number(r) => number(&c.mul(&r)),
            Node::Product(d, factors) => self.product(&c.mul(&d), &factors),
            _ => self.product(c, &[(monomial, Rational::ONE)]),
        }
    }

    /// A product with a positive coefficient.
    fn product(&self, c: &Rational, factors: &[(Expr, Rational)]) -> Formula {
        let (mut above, mut below) = (vec![], vec![]);
        let text = c.to_string();
        let decimal = number(c);
        match (text.split_once('/'), &decimal) {
            // A fraction goes above and below the line rather than in front of it.
            (Some((n, d)), Formula::Fraction(..)) => {
                if n != "1" {
                    above.push(Formula::Number(n.into()));
                }
                below.push(Formula::Number(d.into()));
            }
            _ if c.is_one() => {}
            _ => above.push(decimal),
        }
        let mut minus = false;
        for (base, n) in factors {
            let side = if n.is_negative() { &mut below } else { &mut above };
            let (negative, factor) = match self.power(*base, &n.abs()) {
                Formula::Sum(terms) if matches!(terms.as_slice(), [(true, _)]) => {
                    (true, terms.into_iter().next().map_or(Formula::Sum(vec![]), |(_, f)| f))
                }
                other => (false, other),
            };
            minus ^= negative;
            match factor {
                Formula::Product(inner) => side.extend(inner),
                other => side.push(other),
            }
        }
        let top = bundle(above);
        let whole =
            if below.is_empty() { top } else { Formula::Fraction(Box::new(top), Box::new(bundle(below))) };
        signed(minus, whole)
    }

    fn power(&self, base: Expr, n: &Rational) -> Formula {
        let base = self.formula(base);
        if n.is_one() {
            base
        } else if *n == Rational::Small(1, 2) {
            Formula::Root(Box::new(base))
        } else {
            Formula::Power(Box::new(base), Box::new(number(n)))
        }
    }

    fn call(&self, f: Function, arguments: &[Expr]) -> Formula {
        let parts: Vec<Formula> = arguments.iter().map(|a| self.formula(*a)).collect();
        let relation = match f {
            Function::Less => Some("<"),
            Function::LessEqual => Some("≤"),
            Function::Equal => Some("="),
            Function::And => Some("and"),
            Function::Or => Some("or"),
            _ => None,
        };
        match (relation, <[Formula; 2]>::try_from(parts)) {
            (Some(sign), Ok([a, b])) => Formula::Relation(Box::new(a), sign, Box::new(b)),
            (_, Ok(parts)) => Formula::Call(f.name().into(), parts.into()),
            (_, Err(parts)) => match (f, <[Formula; 3]>::try_from(parts)) {
                (Function::Select, Ok(parts)) => Formula::If(Box::new(parts)),
                (_, Ok(parts)) => Formula::Call(f.name().into(), parts.into()),
                (_, Err(parts)) => Formula::Call(f.name().into(), parts),
            },
        }
    }
}

fn signed(minus: bool, formula: Formula) -> Formula {
    match formula {
        other if !minus => other,
        Formula::Sum(terms) => plus_first(terms.into_iter().map(|(s, f)| (!s, f)).collect()),
        other => Formula::Sum(vec![(true, other)]),
    }
}

/// A sum that begins with a plus sign is easier to read.
fn plus_first(mut terms: Vec<(bool, Formula)>) -> Formula {
    if let Some(first) = terms.iter().position(|(minus, _)| !minus) {
        let plus = terms.remove(first);
        terms.insert(0, plus);
    }
    Formula::Sum(terms)
}

fn bundle(mut factors: Vec<Formula>) -> Formula {
    match factors.len() {
        0 => Formula::Number("1".into()),
        1 => factors.remove(0),
        _ => Formula::Product(factors),
    }
}

/// A number from zero on: as a decimal where that is exact and short, else as a fraction.
fn number(r: &Rational) -> Formula {
    let decimal = r.to_f64().to_string();
    if decimal.len() <= 14 && Rational::from_decimal(&decimal).as_ref() == Some(r) {
        return Formula::Number(decimal);
    }
    match r.to_string().split_once('/') {
        Some((n, d)) => {
            Formula::Fraction(Box::new(Formula::Number(n.into())), Box::new(Formula::Number(d.into())))
        }
        None => Formula::Number(r.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of an expression of `a`, `b`, `c`.
    fn shown(expression: &str) -> String {
        let pool = Pool::new();
        let symbols = ["a", "b", "c"].map(|n| (n, pool.symbol(n, Kind::Parameter)));
        let find = |name: &str| symbols.iter().find(|(n, _)| *n == name).map(|(_, e)| *e);
        let e = pool.parse(expression, &find).unwrap();
        text(&listing(&pool, vec![("x".into(), e)]).results[0].1)
    }

    #[test]
    fn formulas_read_like_a_notebook() {
        assert_eq!(shown("(981/100)*a*b"), "9.81*a*b");
        assert_eq!(shown("(1/2)*a*b^2"), "0.5*a*b^2");
        assert_eq!(shown("(1/3)*a"), "a/3");
        assert_eq!(shown("a*b/(c*(a+b))"), "a*b/(c*(a + b))");
        assert_eq!(shown("c - a - 2"), "c - a - 2");
        assert_eq!(shown("-a*(b - c)"), "-a*(b - c)");
        assert_eq!(shown("(a+b)^(1/2)"), "sqrt(a + b)");
        assert_eq!(shown("sin(a)^2*cos(b)"), "sin(a)^2*cos(b)");
        assert_eq!(shown("select(less(a, b), a, c)"), "if a < b then a else c");
    }

    #[test]
    fn a_name_used_once_is_replaced_and_one_used_twice_is_kept() {
        let pool = Pool::new();
        let [a, b] = ["a", "b"].map(|n| pool.symbol(n, Kind::Coordinate));
        let once = pool.define(pool.add(a, b));
        let twice = pool.define(pool.mul(a, pool.sin(b)));
        let asked = vec![("x".into(), pool.mul(once, twice)), ("y".into(), pool.add(twice, b))];
        let listing = listing(&pool, asked);
        assert_eq!(listing.definitions.len(), 1);
        let name = &listing.definitions[0].0;
        assert_eq!(text(&listing.definitions[0].1), "a*sin(b)");
        assert_eq!(text(&listing.results[1].1), format!("b + {name}"));
        assert!(text(&listing.results[0].1).contains("(a + b)"));
    }
}
