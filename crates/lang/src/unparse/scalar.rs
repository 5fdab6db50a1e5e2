//! Expressions of a model as text whose dimensions agree.
//!
//! The algebra has forgotten which numbers carried units: `2 [N*m/rad] * q` is two times `q`. The dimension that a place wants goes down to
//! the terms of a sum; a product that misses it gets the missing unit on its number, or on a number one in front.

use cardan_expr::{Expr, Function, Kind, Node, Pool, Rational};
use cardan_units::{Dimension, Exponent};

use crate::unparse::Writer;

/// How tightly a text holds together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Choice,
    Relation,
    Sum,
    Product,
    Power,
    Atom,
}

/// Expressions longer than this become variables.
const LONG: u64 = 120;

/// A text and how tightly it holds together.
type Text = (String, Rank);

fn bracketed((text, rank): Text, least: Rank) -> String {
    if rank < least { format!("({text})") } else { text }
}

/// A number from zero on: a decimal where that is exact, else a fraction.
fn digits(r: &Rational) -> Text {
    let value = r.to_f64();
    let plain = value.to_string();
    let decimal = if plain.len() > 14 { format!("{value:e}") } else { plain };
    if Rational::from_decimal(&decimal).as_ref() == Some(r) {
        return (decimal, Rank::Atom);
    }
    let text = r.to_string();
    if text.len() > 20
        && let Some(decimal) = long_decimal(r)
    {
        return (decimal, Rank::Atom);
    }
    let rank = if text.contains('/') { Rank::Product } else { Rank::Atom };
    (text.replace('/', " / "), rank)
}

/// All digits of a number from zero on that a decimal gives exactly.
fn long_decimal(r: &Rational) -> Option<String> {
    let mut whole = r.clone();
    for places in 0..60 {
        if whole.is_int() {
            let digits = format!("{:0>width$}", whole.to_string(), width = places + 1);
            let (before, after) = digits.split_at(digits.len() - places);
            return Some(if after.is_empty() { before.to_string() } else { format!("{before}.{after}") });
        }
        whole = whole.mul(&Rational::int(10));
    }
    None
}

impl Writer<'_> {
    fn pool(&self) -> &Pool {
        self.model.space.pool()
    }

    /// The text of a scalar where this dimension is wanted.
    pub fn scalar(&mut self, e: Expr, wanted: Dimension) -> String {
        self.write(e, wanted).0
    }
    /// The same, as a factor.
    pub fn factor(&mut self, e: Expr, wanted: Dimension) -> String {
        bracketed(self.write(e, wanted), Rank::Product)
    }

    /// The dimension of an expression; nothing if it is made of numbers only.
    fn dimension(&mut self, e: Expr) -> Option<Dimension> {
        if let Some(known) = self.dimensions.get(&e) {
            return *known;
        }
        let found = self.find_dimension(e);
        self.dimensions.insert(e, found);
        found
    }

    fn find_dimension(&mut self, e: Expr) -> Option<Dimension> {
        match self.pool().node(e) {
            Node::Number(_) | Node::Undefined => None,
            Node::Symbol(s) => match self.symbols.get(&s) {
                Some((_, dimension)) => Some(*dimension),
                None => match self.pool().definition(e) {
                    Some(definition) => self.dimension(definition),
                    None => (self.pool().symbol_data(s).kind != Kind::Constant).then_some(Dimension::ONE),
                },
            },
            Node::Sum(terms) => terms.iter().find_map(|(_, m)| self.dimension(*m)),
            Node::Product(_, factors) => {
                let mut product = None;
                for (base, n) in factors.iter() {
                    if let Some(d) = self.dimension(*base) {
                        product = Some(product.unwrap_or(Dimension::ONE) * d.pow(exponent(n)));
                    }
                }
                product
            }
            Node::Call(f, arguments) => match f {
                Function::Abs | Function::Min | Function::Max => {
                    arguments.iter().find_map(|a| self.dimension(*a))
                }
                Function::Select => arguments[1..].iter().find_map(|a| self.dimension(*a)),
                Function::Asin | Function::Acos | Function::Atan | Function::Atan2 => Some(Dimension::ANGLE),
                _ => Some(Dimension::ONE),
            },
        }
    }

    /// How many names and numbers an expression has when everything in it is written out.
    fn size(&mut self, e: Expr) -> u64 {
        if let Some(size) = self.sizes.get(&e) {
            return *size;
        }
        let parts: Vec<Expr> = match self.pool().node(e) {
            Node::Number(_) | Node::Undefined => vec![],
            Node::Symbol(s) if self.symbols.contains_key(&s) => vec![],
            Node::Symbol(_) => self.pool().definition(e).into_iter().collect(),
            Node::Sum(terms) => terms.iter().map(|(_, m)| *m).collect(),
            Node::Product(_, factors) => factors.iter().map(|(b, _)| *b).collect(),
            Node::Call(_, arguments) => arguments.to_vec(),
        };
        let size = parts.into_iter().fold(1u64, |n, p| n.saturating_add(self.size(p)));
        self.sizes.insert(e, size);
        size
    }

    /// A long expression is written once, as a variable.
    fn share(&mut self, e: Expr) -> Option<String> {
        let is_truth = matches!(
            self.pool().node(e),
            Node::Call(
                Function::Less
                    | Function::LessEqual
                    | Function::Equal
                    | Function::And
                    | Function::Or
                    | Function::Not,
                _
            )
        );
        if is_truth || self.size(e) <= LONG || self.pool().depends(e).is_constant() {
            return None;
        }
        if let Some(name) = self.shared.get(&e) {
            return Some(name.clone());
        }
        let dimension = self.dimension(e).unwrap_or(Dimension::ONE);
        let text = self.compound(e, dimension).0;
        let name = self.names.word("z");
        self.variables += &format!("variable {name} = {text}\n");
        self.shared.insert(e, name.clone());
        Some(name)
    }

    fn write(&mut self, e: Expr, wanted: Dimension) -> Text {
        let found = self.dimension(e);
        if let Some(name) = self.share(e) {
            let own = found.unwrap_or(Dimension::ONE);
            return match own.compatible(&wanted) {
                true => (name, Rank::Atom),
                false => (format!("1 [{}] * {name}", wanted / own), Rank::Product),
            };
        }
        self.compound(e, wanted)
    }

    fn compound(&mut self, e: Expr, wanted: Dimension) -> Text {
        let found = self.dimension(e);
        if let Some(d) = found
            && !d.compatible(&wanted)
            && !matches!(self.pool().node(e), Node::Sum(_) | Node::Product(..))
        {
            // A name or function of another dimension: the unit that is missing goes in front.
            let text = bracketed(self.compound(e, d), Rank::Power);
            return (format!("1 [{}] * {text}", wanted / d), Rank::Product);
        }
        match self.pool().node(e) {
            Node::Number(r) => {
                let (text, rank) = digits(&r.abs());
                let (text, rank) = if wanted.is_dimensionless() || r.is_zero() {
                    (text, rank)
                } else {
                    (format!("{} [{wanted}]", bracketed((text, rank), Rank::Atom)), Rank::Product)
                };
                if r.is_negative() {
                    (format!("-{}", bracketed((text, rank), Rank::Product)), Rank::Sum)
                } else {
                    (text, rank)
                }
            }
            Node::Undefined => ("0 / 0".into(), Rank::Product),
            Node::Symbol(s) => match (self.symbols.get(&s), self.pool().definition(e)) {
                (Some((name, _)), _) => (name.clone(), Rank::Atom),
                (None, Some(definition)) => self.write(definition, wanted),
                (None, None) if self.pool().symbol_data(s).kind == Kind::Constant => {
                    if wanted.is_dimensionless() {
                        ("pi".into(), Rank::Atom)
                    } else {
                        (format!("pi * 1 [{wanted}]"), Rank::Product)
                    }
                }
                (None, None) => {
                    let name = self.pool().symbol_data(s).name;
                    self.leave_out(format!("`{name}` has no name in the native language"));
                    ("0".into(), Rank::Atom)
                }
            },
            Node::Sum(terms) => self.sum(&terms, wanted),
            Node::Product(c, factors) => self.product(&c, &factors, wanted),
            Node::Call(f, arguments) => self.call(f, &arguments, wanted),
        }
    }

    fn sum(&mut self, terms: &[(Rational, Expr)], wanted: Dimension) -> Text {
        let mut order: Vec<&(Rational, Expr)> = terms.iter().collect();
        let one = self.pool().one();
        order.sort_by_key(|(_, m)| *m == one);
        if let Some(k) = order.iter().position(|(c, _)| !c.is_negative()) {
            let head = order.remove(k);
            order.insert(0, head);
        }
        let mut out = String::new();
        for (k, (c, monomial)) in order.into_iter().enumerate() {
            let term = match self.pool().node(*monomial) {
                Node::Product(d, factors) => self.product(&c.abs().mul(&d), &factors, wanted),
                Node::Number(r) => {
                    let e = self.pool().number(c.abs().mul(&r));
                    self.write(e, wanted)
                }
                _ => self.product(&c.abs(), &[(*monomial, Rational::ONE)], wanted),
            };
            let minus = c.is_negative();
            let text = bracketed(term, Rank::Product);
            let text = if text.starts_with('-') { format!("({text})") } else { text };
            out += match (k, minus) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            out += &text;
        }
        (out, Rank::Sum)
    }

    fn product(&mut self, c: &Rational, factors: &[(Expr, Rational)], wanted: Dimension) -> Text {
        let mut dimension = Dimension::ONE;
        for (base, n) in factors {
            dimension = dimension * self.dimension(*base).unwrap_or(Dimension::ONE).pow(exponent(n));
        }
        let unit = (!dimension.compatible(&wanted)).then(|| wanted / dimension);
        let (mut above, mut below) = (vec![], vec![]);
        let number = digits(&c.abs());
        match unit {
            Some(unit) => above.push((format!("{} [{unit}]", bracketed(number, Rank::Atom)), Rank::Product)),
            None if c.abs().is_one() => {}
            None => above.push(number),
        }
        for (base, n) in factors {
            let own = self.dimension(*base).unwrap_or(Dimension::ONE);
            let text = self.write(*base, own);
            let size = n.abs();
            let text = if size.is_one() {
                text
            } else if size == Rational::Small(1, 2) {
                (format!("sqrt({})", text.0), Rank::Atom)
            } else {
                let power = bracketed(digits(&size), Rank::Atom);
                (format!("{}^{power}", bracketed(text, Rank::Atom)), Rank::Power)
            };
            if n.is_negative() { below.push(text) } else { above.push(text) }
        }
        if above.is_empty() {
            above.push(("1".into(), Rank::Atom));
        }
        let mut out = String::new();
        for (k, factor) in above.into_iter().enumerate() {
            let least = if k == 0 { Rank::Product } else { Rank::Power };
            out += if k == 0 { "" } else { " * " };
            out += &bracketed(factor, least);
        }
        for factor in below {
            out += &format!(" / {}", bracketed(factor, Rank::Power));
        }
        if c.is_negative() { (format!("-{out}"), Rank::Sum) } else { (out, Rank::Product) }
    }

    fn call(&mut self, f: Function, arguments: &[Expr], wanted: Dimension) -> Text {
        let common =
            |w: &mut Self, list: &[Expr]| list.iter().find_map(|a| w.dimension(*a)).unwrap_or(Dimension::ONE);
        let relation = match f {
            Function::Less => Some("<"),
            Function::LessEqual => Some("<="),
            Function::Equal => Some("=="),
            _ => None,
        };
        if let (Some(sign), [a, b]) = (relation, arguments) {
            let d = common(self, arguments);
            let (a, b) = (self.write(*a, d), self.write(*b, d));
            return (
                format!("{} {sign} {}", bracketed(a, Rank::Sum), bracketed(b, Rank::Sum)),
                Rank::Relation,
            );
        }
        match (f, arguments) {
            (Function::And | Function::Or, [a, b]) => {
                let word = if f == Function::And { "and" } else { "or" };
                let (a, b) = (self.write(*a, Dimension::ONE), self.write(*b, Dimension::ONE));
                (format!("({}) {word} ({})", a.0, b.0), Rank::Choice)
            }
            (Function::Not, [a]) => {
                let a = self.write(*a, Dimension::ONE).0;
                (format!("not ({a})"), Rank::Choice)
            }
            (Function::Select, [condition, a, b]) => {
                let condition = self.write(*condition, Dimension::ONE).0;
                let (a, b) = (self.write(*a, wanted), self.write(*b, wanted));
                let text = format!("if {condition} then {} else {}", bracketed(a, Rank::Relation), b.0);
                (text, Rank::Choice)
            }
            (Function::Pow, [a, b]) => {
                let (a, b) = (self.write(*a, Dimension::ONE), self.write(*b, Dimension::ONE));
                (format!("{}^{}", bracketed(a, Rank::Atom), bracketed(b, Rank::Atom)), Rank::Power)
            }
            (Function::Table(id, [0, 0]), _) => {
                let name = self.tables.get(&id).cloned().unwrap_or_default();
                let list: Vec<String> = arguments.iter().map(|a| self.write(*a, Dimension::ONE).0).collect();
                (format!("{name}({})", list.join(", ")), Rank::Atom)
            }
            (Function::External(id), _) => {
                let name = self.externals.get(&id).cloned().unwrap_or_default();
                let list: Vec<String> = arguments.iter().map(|a| self.write(*a, Dimension::ONE).0).collect();
                (format!("{name}({})", list.join(", ")), Rank::Atom)
            }
            (Function::Table(..) | Function::Solve(..), _) => {
                self.leave_out("the derivative of a table cannot be written".into());
                ("0".into(), Rank::Atom)
            }
            _ => {
                let same = matches!(
                    f,
                    Function::Abs | Function::Min | Function::Max | Function::Sign | Function::Atan2
                );
                let d = if same { common(self, arguments) } else { Dimension::ONE };
                let list: Vec<String> = arguments.iter().map(|a| self.write(*a, d).0).collect();
                (format!("{}({})", f.name(), list.join(", ")), Rank::Atom)
            }
        }
    }
}

/// An exponent of the algebra as one of dimensions.
pub fn exponent(n: &Rational) -> Exponent {
    match n {
        Rational::Small(a, b) => Exponent::new(*a, *b).unwrap_or(Exponent::ONE),
        _ => Exponent::ONE,
    }
}
