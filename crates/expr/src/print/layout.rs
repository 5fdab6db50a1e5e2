//! An expression as a tree of what is written.

use cardan_base::{Map, Set};

use crate::{Expr, Function, Node, Pool, Rational, SymbolId};

/// How symbols appear.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Names that replace the symbols' own.
    pub renamed: Map<SymbolId, String>,
    /// Intermediates that are written out.
    pub written_out: Set<SymbolId>,
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
        match pool.node(e) {
            Node::Undefined => Layout::Symbol("undefined".into()),
            Node::Number(r) => signed(r.is_negative(), number(&r.abs())),
            Node::Symbol(s) => {
                if let (true, Some(definition)) = (names.written_out.contains(&s), pool.definition(e)) {
                    return Layout::of(pool, definition, names);
                }
                Layout::Symbol(names.renamed.get(&s).cloned().unwrap_or_else(|| pool.symbol_data(s).name))
            }
            Node::Sum(terms) => Layout::of_sum(pool, &terms, names),
            Node::Product(c, factors) => Layout::of_product(pool, &c, &factors, names),
            Node::Call(f, arguments) => {
                let parts: Vec<Layout> = arguments.iter().map(|a| Layout::of(pool, *a, names)).collect();
                Layout::of_call(f, parts)
            }
        }
    }

    fn of_sum(pool: &Pool, terms: &[(Rational, Expr)], names: &Names) -> Layout {
        // Numbers read best at the end of a sum, and a positive term at its head.
        let mut order: Vec<&(Rational, Expr)> = terms.iter().collect();
        order.sort_by_key(|(_, m)| *m == pool.one());
        if let Some(k) = order.iter().position(|(c, _)| !c.is_negative()) {
            let head = order.remove(k);
            order.insert(0, head);
        }
        let mut out = vec![];
        for (c, monomial) in order {
            let magnitude = c.abs();
            let body = if *monomial == pool.one() {
                number(&magnitude)
            } else {
                let factor = Layout::of(pool, *monomial, names);
                if magnitude.is_one() { factor } else { times(number(&magnitude), factor) }
            };
            match body {
                Layout::Minus(inner) => out.push((!c.is_negative(), *inner)),
                Layout::Sum(inner) => {
                    out.extend(inner.into_iter().map(|(minus, t)| (minus != c.is_negative(), t)))
                }
                body => out.push((c.is_negative(), body)),
            }
        }
        Layout::Sum(out)
    }

    fn of_product(pool: &Pool, c: &Rational, factors: &[(Expr, Rational)], names: &Names) -> Layout {
        let mut negative = c.is_negative();
        let (mut top, mut bottom) = (vec![], vec![]);
        match number(&c.abs()) {
            Layout::Number(n, Some(d)) => {
                if n != "1" {
                    top.push(Layout::Number(n, None));
                }
                bottom.push(Layout::Number(d, None));
            }
            n if c.abs().is_one() => drop(n),
            n => top.push(n),
        }
        for (base, exponent) in factors {
            let mut part = Layout::of(pool, *base, names);
            if let (Layout::Minus(inner), Some(n)) = (&part, exponent.to_int()) {
                negative ^= n % 2 != 0;
                part = (**inner).clone();
            }
            let side = if exponent.is_negative() { &mut bottom } else { &mut top };
            let size = exponent.abs();
            match (part, size.is_one()) {
                (Layout::Product(a, b), true) => {
                    let (over, under) = if exponent.is_negative() { (b, a) } else { (a, b) };
                    top.extend(over);
                    bottom.extend(under);
                }
                (part, true) => side.push(part),
                (part, false) => side.push(Layout::Power(Box::new(part), size)),
            }
        }
        let product = match (top.len(), bottom.len()) {
            (0, 0) => Layout::Number("1".into(), None),
            (1, 0) => top.remove(0),
            _ => Layout::Product(top, bottom),
        };
        signed(negative, product)
    }

    fn of_call(f: Function, mut parts: Vec<Layout>) -> Layout {
        let relation = match f {
            Function::Less => Some("<"),
            Function::LessEqual => Some("<="),
            Function::Equal => Some("=="),
            Function::And => Some("and"),
            Function::Or => Some("or"),
            _ => None,
        };
        if let (Some(sign), [a, b]) = (relation, &parts[..]) {
            return Layout::Relation(Box::new(a.clone()), sign, Box::new(b.clone()));
        }
        if f == Function::Select && parts.len() == 3 {
            let otherwise = parts.pop();
            let value = parts.pop();
            let condition = parts.pop();
            if let (Some(condition), Some(value), Some(otherwise)) = (condition, value, otherwise) {
                return match otherwise {
                    Layout::Cases(mut arms, last) => {
                        arms.insert(0, (value, condition));
                        Layout::Cases(arms, last)
                    }
                    otherwise => Layout::Cases(vec![(value, condition)], Box::new(otherwise)),
                };
            }
        }
        Layout::Call(f.name().into(), parts)
    }
}

fn signed(negative: bool, body: Layout) -> Layout {
    if negative { Layout::Minus(Box::new(body)) } else { body }
}

fn times(number: Layout, factor: Layout) -> Layout {
    let (mut top, mut bottom) = match factor {
        Layout::Product(top, bottom) => (top, bottom),
        Layout::Minus(inner) => return signed(true, times(number, *inner)),
        factor => (vec![factor], vec![]),
    };
    match number {
        Layout::Number(n, Some(d)) => {
            if n != "1" {
                top.insert(0, Layout::Number(n, None));
            }
            bottom.insert(0, Layout::Number(d, None));
        }
        number => top.insert(0, number),
    }
    Layout::Product(top, bottom)
}

fn number(r: &Rational) -> Layout {
    let text = r.to_string();
    match text.split_once('/') {
        Some((n, d)) => Layout::Number(n.into(), Some(d.into())),
        None => Layout::Number(text, None),
    }
}
