//! An expression as a tree of what is written.
//!
//! Written out, parts meet that were built apart: `13 + (90 + x)`, `2*(3*y)`, `z*(z*w)`, `2*x - 3*x`. Numbers are added and multiplied again,
//! like terms collected, equal factors become powers, and cases inside of cases become one list of them, so that a reader sees one formula.

use cardan_base::{Map, Set};

use super::number::{number, value};
use crate::{Expr, Function, Node, Pool, Rational, SymbolId};

/// How symbols appear.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Names that replace the symbols' own.
    pub renamed: Map<SymbolId, String>,
    /// Intermediates that are written out.
    pub written_out: Set<SymbolId>,
    /// Parts that go by a name wherever they stand.
    pub named: Map<Expr, String>,
}

/// What is written.
#[derive(Clone, PartialEq, Debug)]
pub enum Layout {
    /// A number without sign: integer, decimal, or numerator and denominator.
    Number(String, Option<String>),
    /// A symbol.
    Symbol(String),
    /// Terms; true marks a term that is subtracted.
    Sum(Vec<(bool, Layout)>),
    /// Minus something.
    Minus(Box<Layout>),
    /// Factors over factors.
    Product(Vec<Layout>, Vec<Layout>),
    /// A base with an exponent; an exponent of 1/2 is a root.
    Power(Box<Layout>, Rational),
    /// Two sides of a comparison, or of `and`, `or`.
    Relation(Box<Layout>, &'static str, Box<Layout>),
    /// Values with their conditions, and the value otherwise.
    Cases(Vec<(Layout, Layout)>, Box<Layout>),
    /// A function of its arguments.
    Call(String, Vec<Layout>),
}

impl Layout {
    /// The layout of an expression.
    pub fn of(pool: &Pool, e: Expr, names: &Names) -> Layout {
        match names.named.get(&e) {
            Some(name) => Layout::Symbol(name.clone()),
            None => Layout::inside(pool, e, names),
        }
    }

    /// The layout of what an expression consists of, even if the whole goes by a name.
    pub fn inside(pool: &Pool, e: Expr, names: &Names) -> Layout {
        match pool.node(e) {
            Node::Undefined => Layout::Symbol("undefined".into()),
            Node::Number(r) => signed(r.is_negative(), number(&r.abs())),
            Node::Symbol(s) => {
                if let (true, Some(definition)) = (names.written_out.contains(&s), pool.definition(e)) {
                    return Layout::of(pool, definition, names);
                }
                Layout::Symbol(names.renamed.get(&s).cloned().unwrap_or_else(|| pool.symbol_data(s).name))
            }
            Node::Sum(terms) => {
                // Numbers read best at the end of a sum.
                let mut order: Vec<&(Rational, Expr)> = terms.iter().collect();
                order.sort_by_key(|(_, m)| *m == pool.one());
                let term = |(c, m): &(Rational, Expr)| {
                    let magnitude = product(c.abs(), [(Layout::of(pool, *m, names), Rational::ONE)]);
                    (c.is_negative(), magnitude)
                };
                sum(order.into_iter().map(term))
            }
            Node::Product(c, factors) => {
                product(c, factors.iter().map(|(b, n)| (Layout::of(pool, *b, names), n.clone())))
            }
            Node::Call(f, arguments) => {
                let parts: Vec<Layout> = arguments.iter().map(|a| Layout::of(pool, *a, names)).collect();
                // What varies stands at the left of what it is compared with.
                let turned = matches!(f, Function::Less | Function::LessEqual)
                    && pool.is_constant(arguments[0])
                    && !pool.is_constant(arguments[1]);
                call(pool, f, parts, turned)
            }
        }
    }

    /// A vector: coefficients with the names of unit vectors.
    pub fn vector(terms: impl IntoIterator<Item = (Layout, String)>) -> Layout {
        let term = |(c, unit)| {
            (false, product(Rational::ONE, [c, Layout::Symbol(unit)].map(|f| (f, Rational::ONE))))
        };
        sum(terms.into_iter().map(term))
    }
}

fn signed(negative: bool, body: Layout) -> Layout {
    match body {
        body if !negative => body,
        // Turned round, a sum that subtracts something adds it.
        Layout::Sum(terms) if terms.iter().any(|(minus, _)| *minus) => {
            sum(terms.into_iter().map(|(minus, term)| (!minus, term)))
        }
        body => Layout::Minus(Box::new(body)),
    }
}

/// A sum of terms; sums inside it are opened, numbers added and like terms collected.
fn sum(terms: impl IntoIterator<Item = (bool, Layout)>) -> Layout {
    let mut out = vec![];
    for (minus, body) in terms {
        push_term(&mut out, minus, body);
    }
    let mut out = collected(out);
    let mut total = Rational::ZERO;
    out.retain(|(minus, term)| match value(term) {
        Some(r) => {
            total = if *minus { total.sub(&r) } else { total.add(&r) };
            false
        }
        None => true,
    });
    if !total.is_zero() {
        out.push((total.is_negative(), number(&total.abs())));
    }
    // A positive term reads best at the head.
    if let Some(k) = out.iter().position(|(minus, _)| !minus) {
        let head = out.remove(k);
        out.insert(0, head);
    }
    match out.len() {
        0 => number(&Rational::ZERO),
        1 => {
            let (minus, only) = out.remove(0);
            signed(minus, only)
        }
        _ => Layout::Sum(out),
    }
}

fn push_term(out: &mut Vec<(bool, Layout)>, minus: bool, term: Layout) {
    match term {
        Layout::Minus(inner) => push_term(out, !minus, *inner),
        Layout::Sum(inner) => inner.into_iter().for_each(|(m, t)| push_term(out, m != minus, t)),
        other => out.push((minus, other)),
    }
}

/// The terms with those that differ in their number only added: `2*x*y - 3.5*y*x` is `-1.5*x*y`.
fn collected(terms: Vec<(bool, Layout)>) -> Vec<(bool, Layout)> {
    let mut kinds: Vec<(Gathered, bool, Option<Layout>)> = vec![];
    for (minus, term) in terms {
        let mut own = Gathered { number: Rational::ONE, factors: vec![] };
        own.push(term.clone(), Rational::ONE);
        own.number = if minus { own.number.neg() } else { own.number };
        match kinds.iter_mut().find(|(kind, ..)| !own.factors.is_empty() && kind.has_factors_of(&own)) {
            Some((kind, _, written)) => {
                kind.number = kind.number.add(&own.number);
                *written = None;
            }
            None => kinds.push((own, minus, Some(term))),
        }
    }
    let mut out = vec![];
    for (kind, minus, written) in kinds {
        match written {
            // A term that stands alone stays as it was written.
            Some(term) => out.push((minus, term)),
            None if kind.number.is_zero() => {}
            None => push_term(&mut out, kind.number.is_negative(), product(kind.number.abs(), kind.factors)),
        }
    }
    out
}

/// A number times factors with exponents; products inside it are opened, numbers multiplied, equal factors gathered.
fn product(c: Rational, factors: impl IntoIterator<Item = (Layout, Rational)>) -> Layout {
    let mut gathered = Gathered { number: c, factors: vec![] };
    for (factor, exponent) in factors {
        gathered.push(factor, exponent);
    }
    let (mut top, mut bottom) = (vec![], vec![]);
    let size = gathered.number.abs();
    match number(&size) {
        Layout::Number(n, Some(d)) => {
            if n != "1" {
                top.push(Layout::Number(n, None));
            }
            bottom.push(Layout::Number(d, None));
        }
        n if !size.is_one() => top.push(n),
        _ => {}
    }
    for (base, exponent) in gathered.factors {
        let size = exponent.abs();
        let written = if size.is_one() { base } else { Layout::Power(Box::new(base), size) };
        if exponent.is_negative() { bottom.push(written) } else { top.push(written) }
    }
    let product = match (top.len(), bottom.len()) {
        (0, 0) => Layout::Number("1".into(), None),
        (1, 0) => top.remove(0),
        _ => Layout::Product(top, bottom),
    };
    signed(gathered.number.is_negative(), product)
}

struct Gathered {
    number: Rational,
    factors: Vec<(Layout, Rational)>,
}

impl Gathered {
    fn push(&mut self, factor: Layout, exponent: Rational) {
        let whole = exponent.to_int();
        let power = |r: &Rational| whole.and_then(|n| r.powi(n));
        match factor {
            Layout::Minus(inner) if whole.is_some() => {
                if whole.is_some_and(|n| n % 2 != 0) {
                    self.number = self.number.neg();
                }
                self.push(*inner, exponent);
            }
            Layout::Number(..) if value(&factor).as_ref().and_then(power).is_some() => {
                let scale = value(&factor).as_ref().and_then(power).unwrap_or(Rational::ONE);
                self.number = self.number.mul(&scale);
            }
            Layout::Product(top, bottom) if whole.is_some() => {
                top.into_iter().for_each(|f| self.push(f, exponent.clone()));
                bottom.into_iter().for_each(|f| self.push(f, exponent.neg()));
            }
            Layout::Power(base, n) if whole.is_some() => self.push_power(*base, n.mul(&exponent)),
            other => self.push_power(other, exponent),
        }
    }

    /// Whether another product differs in its number only.
    fn has_factors_of(&self, other: &Gathered) -> bool {
        let occurs =
            |list: &Gathered, f: &(Layout, Rational)| list.factors.iter().filter(|g| *g == f).count();
        let is_as_often = |f: &(Layout, Rational)| occurs(self, f) == occurs(other, f);
        self.factors.len() == other.factors.len() && self.factors.iter().all(is_as_often)
    }

    /// Equal factors above the line, or below it, become one power.
    fn push_power(&mut self, base: Layout, exponent: Rational) {
        let same = |(b, n): &&mut (Layout, Rational)| {
            *b == base && n.is_int() && exponent.is_int() && n.is_negative() == exponent.is_negative()
        };
        match self.factors.iter_mut().find(same) {
            Some((_, n)) => *n = n.add(&exponent),
            None => self.factors.push((base, exponent)),
        }
    }
}

fn call(pool: &Pool, f: Function, parts: Vec<Layout>, turned: bool) -> Layout {
    let relation = match f {
        Function::Less if turned => Some(">"),
        Function::LessEqual if turned => Some(">="),
        Function::Less => Some("<"),
        Function::LessEqual => Some("<="),
        Function::Equal => Some("=="),
        Function::And => Some("and"),
        Function::Or => Some("or"),
        _ => None,
    };
    let parts = match (relation, <[Layout; 2]>::try_from(parts)) {
        (Some(sign), Ok([b, a])) if turned => return Layout::Relation(Box::new(a), sign, Box::new(b)),
        (Some(sign), Ok([a, b])) => return Layout::Relation(Box::new(a), sign, Box::new(b)),
        (_, Ok(two)) => two.into(),
        (_, Err(parts)) => parts,
    };
    let parts = match <[Layout; 1]>::try_from(parts) {
        Ok([Layout::Relation(a, sign, b)]) if f == Function::Not && opposite(sign).is_some() => {
            return Layout::Relation(a, opposite(sign).unwrap_or(sign), b);
        }
        Ok(one) => one.into(),
        Err(parts) => parts,
    };
    let name = called(pool, f, parts.len());
    match <[Layout; 3]>::try_from(parts) {
        Ok([condition, value, otherwise]) if f == Function::Select => cases(condition, value, otherwise),
        Ok(three) => Layout::Call(name, three.into()),
        Err(parts) => Layout::Call(name, parts),
    }
}

/// The comparison that holds where another does not.
fn opposite(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "<" => ">=",
        "<=" => ">",
        ">" => "<=",
        ">=" => "<",
        "==" => "!=",
        _ => return None,
    })
}

/// The name of a function; a derivative of a table has primes, or the letters of the arguments by which it is taken.
fn called(pool: &Pool, f: Function, arity: usize) -> String {
    let name = pool.function_name(f);
    match f {
        Function::Table(_, [0, 0]) => name,
        Function::Table(_, [n, _]) if arity == 1 => name + &"'".repeat(n.into()),
        Function::Table(_, [n, m]) => {
            format!("{name}_{}{}", "x".repeat(n.into()), "y".repeat(m.into()))
        }
        _ => name,
    }
}

/// One list of cases: those of the value first where their conditions imply the outer one, then those of the rest.
fn cases(condition: Layout, value: Layout, otherwise: Layout) -> Layout {
    let mut arms = match value {
        Layout::Cases(mut inner, last) if inner.iter().all(|(_, c)| implies(c, &condition)) => {
            inner.push((*last, condition));
            inner
        }
        value => vec![(value, condition)],
    };
    match otherwise {
        Layout::Cases(more, last) => {
            arms.extend(more);
            Layout::Cases(arms, last)
        }
        otherwise => Layout::Cases(arms, Box::new(otherwise)),
    }
}

/// Whether `x < a` implies `x < b`, or `x > a` implies `x > b`, seen from the numbers.
fn implies(inner: &Layout, outer: &Layout) -> bool {
    let (Layout::Relation(x, s, a), Layout::Relation(y, r, b)) = (inner, outer) else { return false };
    let (Some(a), Some(b)) = (value(a), value(b)) else { return false };
    let narrower = match *s {
        "<" | "<=" => a <= b,
        ">" | ">=" => a >= b,
        _ => false,
    };
    x == y && s == r && narrower
}
