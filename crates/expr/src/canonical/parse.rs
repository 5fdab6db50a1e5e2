//! The text form of expressions, for tests, for the rule table and for reading back what was printed.
//!
//! ```text
//! sum     = [-] term { (+|-) term }        term = power { (*|/) power }
//! power   = atom [ ^ exponent ]            exponent = [-] number | ( [-] number [/ number] )
//! atom    = number | name | name ( sum, ... ) | ( sum )
//! ```

use crate::canonical::rules::Pattern;
use crate::{Expr, Function, Pool, Rational};

/// A pattern of the rule table.
pub(crate) fn pattern(text: &str) -> Option<Pattern> {
    let mut reader = Reader { rest: text };
    let p = reader.sum()?;
    reader.space();
    reader.rest.is_empty().then_some(p)
}

impl Pool {
    /// Reads an expression whose one-letter or longer names are looked up by `symbol`.
    pub fn parse(&self, text: &str, symbol: &dyn Fn(&str) -> Option<Expr>) -> Option<Expr> {
        let mut names = vec![];
        let text = name_to_letter(text, &mut names);
        let p = pattern(&text)?;
        self.instantiate(&p, &|letter| symbol(names.get(letter as usize - 0xE000)?))
    }

    fn instantiate(&self, p: &Pattern, symbol: &dyn Fn(char) -> Option<Expr>) -> Option<Expr> {
        Some(match p {
            Pattern::Variable(c) => symbol(*c)?,
            Pattern::Number(r) => self.number(r.clone()),
            Pattern::Pi => self.pi(),
            Pattern::Sum(terms) => {
                let parts: Option<Vec<_>> = terms.iter().map(|(_, t)| self.instantiate(t, symbol)).collect();
                let terms = terms.iter().zip(parts?).map(|((c, _), e)| self.scale(c.clone(), e));
                self.sum(terms.collect::<Vec<_>>())
            }
            Pattern::Power(b, n) => self.pow(self.instantiate(b, symbol)?, n.clone()),
            Pattern::Product(parts) => {
                let parts: Option<Vec<_>> = parts.iter().map(|t| self.instantiate(t, symbol)).collect();
                self.product(parts?)
            }
            Pattern::Call(f, parts) => {
                let parts: Option<Vec<_>> = parts.iter().map(|t| self.instantiate(t, symbol)).collect();
                self.call(*f, &parts?)
            }
        })
    }
}

/// Replaces every name that is not a function by one private-use letter, which patterns can hold.
fn name_to_letter(text: &str, names: &mut Vec<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if !(c.is_alphabetic() || c == '_') {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        let (name, tail) = rest.split_at(end);
        let after_number = out.ends_with(|c: char| c.is_ascii_digit());
        if name == "pi"
            || (tail.trim_start().starts_with('(') && Function::named(name).is_some())
            || after_number
        {
            out.push_str(name);
        } else {
            let index = names.iter().position(|n| n == name).unwrap_or_else(|| {
                names.push(name.to_string());
                names.len() - 1
            });
            out.extend(char::from_u32(0xE000 + index as u32));
        }
        rest = tail;
    }
    out
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }
    fn eat(&mut self, c: char) -> bool {
        self.space();
        let found = self.rest.strip_prefix(c);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }
    fn take(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        self.space();
        let end = self.rest.find(|c| !accept(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
    fn sum(&mut self) -> Option<Pattern> {
        let sign = |minus: bool| if minus { Rational::MINUS_ONE } else { Rational::ONE };
        let negative = self.eat('-');
        let mut terms = vec![(sign(negative), self.term()?)];
        loop {
            if self.eat('+') {
                terms.push((Rational::ONE, self.term()?));
            } else if self.eat('-') {
                terms.push((Rational::MINUS_ONE, self.term()?));
            } else {
                break;
            }
        }
        match &mut terms[..] {
            [(c, _)] if c.is_one() => terms.pop().map(|(_, p)| p),
            _ => Some(Pattern::Sum(terms)),
        }
    }
    fn term(&mut self) -> Option<Pattern> {
        let mut factors = vec![self.power()?];
        loop {
            if self.eat('*') {
                factors.push(self.power()?);
            } else if self.eat('/') {
                factors.push(Pattern::Power(Box::new(self.power()?), Rational::MINUS_ONE));
            } else {
                break;
            }
        }
        if factors.len() == 1 { factors.pop() } else { Some(Pattern::Product(factors)) }
    }
    fn power(&mut self) -> Option<Pattern> {
        let base = self.atom()?;
        if !self.eat('^') {
            return Some(base);
        }
        let exponent = if self.eat('(') {
            let n = self.signed_number()?;
            let d = if self.eat('/') { self.signed_number()? } else { Rational::ONE };
            self.eat(')').then(|| d.recip().map(|r| n.mul(&r)))??
        } else {
            self.signed_number()?
        };
        Some(Pattern::Power(Box::new(base), exponent))
    }
    fn signed_number(&mut self) -> Option<Rational> {
        let negative = self.eat('-');
        let r = self.decimal()?;
        Some(if negative { r.neg() } else { r })
    }
    /// Digits with a point, and an exponent of ten where one follows.
    fn decimal(&mut self) -> Option<Rational> {
        self.space();
        let whole = self.rest;
        let mantissa = self.take(|c| c.is_ascii_digit() || c == '.').len();
        let exponent = |rest: &str| {
            let digits = rest.strip_prefix('e')?.trim_start_matches('-');
            let n = digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            (n > 0).then_some(rest.len() - digits.len() + n)
        };
        let length = mantissa + exponent(self.rest).unwrap_or(0);
        self.rest = &whole[length..];
        Rational::from_decimal(&whole[..length])
    }
    fn atom(&mut self) -> Option<Pattern> {
        if self.eat('(') {
            let inner = self.sum()?;
            return self.eat(')').then_some(inner);
        }
        self.space();
        let first = self.rest.chars().next()?;
        if first.is_ascii_digit() || first == '.' {
            return self.decimal().map(Pattern::Number);
        }
        let private = |c: char| ('\u{E000}'..='\u{F8FF}').contains(&c);
        let name = self.take(|c| c.is_alphanumeric() || c == '_' || private(c));
        if self.eat('(') {
            let (function, arity) = Function::named(name)?;
            let mut arguments = vec![self.sum()?];
            while self.eat(',') {
                arguments.push(self.sum()?);
            }
            return (self.eat(')') && arguments.len() == arity).then_some(Pattern::Call(function, arguments));
        }
        let mut letters = name.chars();
        match (name, letters.next(), letters.next()) {
            ("pi", ..) => Some(Pattern::Pi),
            (_, Some(letter), None) => Some(Pattern::Variable(letter)),
            _ => None,
        }
    }
}
