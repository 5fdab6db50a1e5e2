//! The algebra of scalars and vectors, from strings in infix notation and from forms.
//!
//! ```text
//! sum     = product { ( "+" | "-" ) product }
//! product = "-" product | prefix { ( "*" | "/" ) prefix }
//! prefix  = "-" prefix | "+" prefix | power
//! power   = primary [ ( "^" | "**" ) prefix ]
//! primary = number | name [ "(" sum { "," sum } ")" ] | "[" name "]" | "(" sum ")"
//! ```

use cardan_base::{Diagnostic, Diagnostics, Span};

use crate::autosim::codes;
use crate::autosim::reader::lisp::{Form, FormKind};

/// Expressions deeper than this are refused.
const MAX_DEPTH: usize = 100;

/// Functions whose names have a hyphen, which is a minus sign elsewhere.
const HYPHENATED: [&str; 4] = ["DOT-PLANE", "CONSTANT-PART", "CONST-OR-VAR", "CONVERT-COORDINATES"];

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::autosim) enum Term {
    /// Digits, without sign.
    Number(String),
    /// A symbol in capitals.
    Name(String),
    /// A unit vector as written between brackets, in capitals.
    Direction(String),
    /// A function, or an indexed symbol.
    Call(String, Vec<Expr>),
    /// The opposite.
    Minus(Box<Expr>),
    /// Terms; true for those that are subtracted.
    Sum(Vec<(bool, Expr)>),
    /// Factors; true for those that divide.
    Product(Vec<(bool, Expr)>),
    /// Base and exponent.
    Power(Box<Expr>, Box<Expr>),
    /// Components.
    List(Vec<Expr>),
}

/// An expression and its place.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::autosim) struct Expr {
    pub term: Term,
    pub span: Span,
}

impl Expr {
    pub fn new(term: Term, span: Span) -> Expr {
        Expr { term, span }
    }
    /// A whole number.
    pub fn int(n: usize, span: Span) -> Expr {
        Expr::new(Term::Number(n.to_string()), span)
    }
    /// A function of expressions; those that are operators become what they mean.
    pub fn call(name: &str, arguments: Vec<Expr>, span: Span) -> Expr {
        let both = |inverse: bool, list: &[Expr]| vec![(false, list[0].clone()), (inverse, list[1].clone())];
        let term = match (name, arguments.as_slice()) {
            ("ADD" | "SUB", list @ [_, _]) => Term::Sum(both(name == "SUB", list)),
            ("MUL" | "DIV", list @ [_, _]) => Term::Product(both(name == "DIV", list)),
            ("NEG", [e]) => Term::Minus(Box::new(e.clone())),
            ("INV", [e]) => Term::Product(vec![(false, Expr::int(1, span)), (true, e.clone())]),
            _ => Term::Call(name.into(), arguments),
        };
        Expr::new(term, span)
    }
    /// A symbol.
    pub fn name(name: impl Into<String>, span: Span) -> Expr {
        Expr::new(Term::Name(name.into()), span)
    }
    /// Whether it is written as zero.
    pub fn is_zero(&self) -> bool {
        matches!(&self.term, Term::Number(n) if n.parse::<f64>() == Ok(0.0))
    }
    /// Its value, if it is a number with a sign perhaps.
    pub fn number(&self) -> Option<f64> {
        match &self.term {
            Term::Number(n) => n.parse().ok(),
            Term::Minus(e) => e.number().map(|x: f64| -x),
            _ => None,
        }
    }
    /// Whether it is written like another, wherever that stands.
    pub fn is_like(&self, other: &Expr) -> bool {
        let placeless = |e: &Expr| {
            let span = Span::new(e.span.file, 0, 0);
            e.rewrite(&mut |part| Some(Expr::new(part.term.clone(), span)))
        };
        match (self.number(), other.number()) {
            (Some(a), Some(b)) => a == b,
            _ => placeless(self).term == placeless(other).term,
        }
    }
    /// With every part replaced for which `change` gives another, parts first.
    pub fn rewrite(&self, change: &mut dyn FnMut(&Expr) -> Option<Expr>) -> Expr {
        let list = |es: &[Expr], change: &mut dyn FnMut(&Expr) -> Option<Expr>| {
            es.iter().map(|e| e.rewrite(change)).collect::<Vec<_>>()
        };
        let signed = |es: &[(bool, Expr)], change: &mut dyn FnMut(&Expr) -> Option<Expr>| {
            es.iter().map(|(s, e)| (*s, e.rewrite(change))).collect::<Vec<_>>()
        };
        let term = match &self.term {
            t @ (Term::Number(_) | Term::Name(_) | Term::Direction(_)) => t.clone(),
            Term::Call(f, args) => Term::Call(f.clone(), list(args, change)),
            Term::Minus(e) => Term::Minus(Box::new(e.rewrite(change))),
            Term::Sum(es) => Term::Sum(signed(es, change)),
            Term::Product(es) => Term::Product(signed(es, change)),
            Term::Power(b, x) => Term::Power(Box::new(b.rewrite(change)), Box::new(x.rewrite(change))),
            Term::List(es) => Term::List(list(es, change)),
        };
        let whole = Expr::new(term, self.span);
        change(&whole).unwrap_or(whole)
    }
}

/// The length of the decimal number at the beginning of a text.
pub(in crate::autosim) fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(0);
    let mut end = whole;
    if bytes.get(end) == Some(&b'.') {
        let part = digits(end + 1);
        if whole + part == 0 {
            return 0;
        }
        end += 1 + part;
    }
    if end == 0 {
        return 0;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E' | b'd' | b'D')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let power = if bytes.len() > end + 1 + sign { digits(end + 1 + sign) } else { 0 };
        if power > 0 {
            end += 1 + sign + power;
        }
    }
    end
}

/// The expression that a form stands for.
pub(in crate::autosim) fn expression(form: &Form, findings: &mut Diagnostics) -> Option<Expr> {
    let span = form.span;
    match &form.kind {
        FormKind::Number(text) => Some(number(text, span)),
        FormKind::Symbol(name) => Some(match name.strip_prefix('-') {
            Some(rest) if !rest.is_empty() => Expr::new(Term::Minus(Box::new(Expr::name(rest, span))), span),
            _ => Expr::name(name.clone(), span),
        }),
        FormKind::Direction(name) => Some(Expr::new(Term::Direction(name.clone()), span)),
        FormKind::Text(text) => parse(text, Span { start: span.start + 1, ..span }, findings),
        FormKind::Indexed(name, forms) => {
            let arguments: Option<Vec<Expr>> = forms.iter().map(|f| expression(f, findings)).collect();
            Some(Expr::call(name, arguments?, span))
        }
        FormKind::List(forms) => prefix_form(forms, span, findings),
        FormKind::Keyword(word) => {
            let d = Diagnostic::error(codes::EXPRESSION, format!("`:{word}` is a keyword, not a value"));
            findings.push(d.at(span, "").hint("give a number, a symbol or an expression in quotes"));
            None
        }
    }
}

/// A number with a sign, perhaps a ratio.
fn number(text: &str, span: Span) -> Expr {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let plain = |t: &str| Expr::new(Term::Number(t.replace(['d', 'D', 'E'], "e")), span);
    let value = match digits.split_once('/') {
        Some((a, b)) => Expr::new(Term::Product(vec![(false, plain(a)), (true, plain(b))]), span),
        None => plain(digits),
    };
    if negative { Expr::new(Term::Minus(Box::new(value)), span) } else { value }
}

/// `(+ a b)`, `(sin x)`: Lisp's own notation.
fn prefix_form(forms: &[Form], span: Span, findings: &mut Diagnostics) -> Option<Expr> {
    let Some((first, rest)) = forms.split_first() else {
        let d = Diagnostic::error(codes::EXPRESSION, "an empty list has no value").at(span, "");
        findings.push(d.hint("write an expression, such as `(* k x)` or `\"k*x\"`"));
        return None;
    };
    let Some(name) = first.symbol() else {
        let d = Diagnostic::error(codes::EXPRESSION, "this list does not begin with a function");
        findings.push(d.at(first.span, "").hint("write `(* k x)`, or `\"k*x\"` in quotes"));
        return None;
    };
    let value = |k: usize, form: &Form, findings: &mut Diagnostics| match &form.kind {
        // Components stand in a list of their own.
        FormKind::List(parts) if name == "CONVERT-COORDINATES" && k == 0 => {
            let parts: Option<Vec<Expr>> = parts.iter().map(|f| expression(f, findings)).collect();
            Some(Expr::new(Term::List(parts?), form.span))
        }
        _ => expression(form, findings),
    };
    let arguments: Option<Vec<Expr>> = rest.iter().enumerate().map(|(k, f)| value(k, f, findings)).collect();
    let mut arguments = arguments?;
    let signed = |inverse: bool, arguments: Vec<Expr>| {
        arguments.into_iter().enumerate().map(|(k, e)| (inverse && k > 0, e)).collect::<Vec<_>>()
    };
    let term = match (name, arguments.len()) {
        ("-", 1) => Term::Minus(Box::new(arguments.remove(0))),
        ("+" | "*", 1) => return arguments.pop(),
        ("/", 1) => Term::Product(vec![(false, Expr::int(1, span)), (true, arguments.remove(0))]),
        ("+" | "-", n) if n > 1 => Term::Sum(signed(name == "-", arguments)),
        ("*" | "/", n) if n > 1 => Term::Product(signed(name == "/", arguments)),
        ("EXPT" | "**" | "^", 2) => {
            let exponent = Box::new(arguments.remove(1));
            Term::Power(Box::new(arguments.remove(0)), exponent)
        }
        ("+" | "-" | "*" | "/" | "EXPT" | "**" | "^", n) => {
            let d = Diagnostic::error(codes::EXPRESSION, format!("`{name}` cannot have {n} arguments"));
            findings.push(d.at(span, "").hint("write an expression, such as `(* k x)`"));
            return None;
        }
        _ => return Some(Expr::call(name, arguments, span)),
    };
    Some(Expr::new(term, span))
}

/// The expression in a string whose first character is at the start of `span`.
fn parse(text: &str, span: Span, findings: &mut Diagnostics) -> Option<Expr> {
    let mut parser = Parser { text, at: 0, base: span, findings };
    let e = parser.sum(0)?;
    parser.blanks();
    if parser.at < text.len() {
        parser.stray("the expression should end here", "write an operator, or end the string");
        return None;
    }
    Some(e)
}

struct Parser<'a, 'd> {
    text: &'a str,
    at: usize,
    base: Span,
    findings: &'d mut Diagnostics,
}

impl<'a> Parser<'a, '_> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }
    fn place(&self, start: usize, end: usize) -> Span {
        let base = self.base.start as usize;
        Span::new(self.base.file, base + start, base + end)
    }
    fn here(&self) -> Span {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        self.place(self.at, self.at + length)
    }
    fn refuse(&mut self, span: Span, message: &str, help: &str) {
        self.findings.push(Diagnostic::error(codes::EXPRESSION, message).at(span, "").hint(help));
    }
    fn take(&mut self, mark: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(mark);
        if found {
            self.at += mark.len();
        }
        found
    }

    fn too_deep(&mut self) -> Option<Expr> {
        let place = self.here();
        self.refuse(place, "this expression is nested too deeply", "name parts of it with `add-equation`");
        None
    }

    fn sum(&mut self, depth: usize) -> Option<Expr> {
        if depth > MAX_DEPTH {
            return self.too_deep();
        }
        self.blanks();
        let start = self.at;
        let mut terms = vec![(false, self.product(depth)?)];
        loop {
            let minus = if self.take("+") {
                false
            } else if self.take("-") {
                true
            } else {
                break;
            };
            terms.push((minus, self.product(depth)?));
        }
        let span = self.place(start, self.at);
        Some(if terms.len() == 1 { terms.remove(0).1 } else { Expr::new(Term::Sum(terms), span) })
    }

    /// A minus sign in front belongs to the whole product.
    fn product(&mut self, depth: usize) -> Option<Expr> {
        self.blanks();
        let start = self.at;
        if depth > MAX_DEPTH {
            return self.too_deep();
        }
        if self.take("-") {
            let e = self.product(depth + 1)?;
            return Some(Expr::new(Term::Minus(Box::new(e)), self.place(start, self.at)));
        }
        let mut factors = vec![(false, self.prefix(depth)?)];
        loop {
            let divides = if self.take("*") {
                false
            } else if self.take("/") {
                true
            } else {
                break;
            };
            factors.push((divides, self.prefix(depth)?));
        }
        let span = self.place(start, self.at);
        Some(if factors.len() == 1 { factors.remove(0).1 } else { Expr::new(Term::Product(factors), span) })
    }

    fn prefix(&mut self, depth: usize) -> Option<Expr> {
        self.blanks();
        let start = self.at;
        if depth > MAX_DEPTH {
            return self.too_deep();
        }
        if self.take("-") {
            let e = self.prefix(depth + 1)?;
            return Some(Expr::new(Term::Minus(Box::new(e)), self.place(start, self.at)));
        }
        if self.take("+") {
            return self.prefix(depth + 1);
        }
        let base = self.primary(depth)?;
        if self.take("**") || self.take("^") {
            let exponent = self.prefix(depth + 1)?;
            let span = self.place(start, self.at);
            return Some(Expr::new(Term::Power(Box::new(base), Box::new(exponent)), span));
        }
        Some(base)
    }

    fn primary(&mut self, depth: usize) -> Option<Expr> {
        self.blanks();
        let start = self.at;
        let digits = number_length(self.rest());
        if digits > 0 {
            let text = &self.rest()[..digits];
            self.at += digits;
            return Some(number(text, self.place(start, self.at)));
        }
        if self.take("(") {
            let mut list = vec![self.sum(depth + 1)?];
            while self.take(",") {
                list.push(self.sum(depth + 1)?);
            }
            let closed = self.closed(")", start);
            let place = self.place(start, self.at);
            let e = if list.len() == 1 { list.remove(0) } else { Expr::new(Term::List(list), place) };
            return closed.then_some(e);
        }
        if self.take("[") {
            let name = self.word().to_uppercase();
            let closed = self.closed("]", start);
            return closed.then(|| Expr::new(Term::Direction(name), self.place(start, self.at)));
        }
        let name = self.word().to_uppercase();
        if name.is_empty() {
            let place = self.here();
            let message =
                if self.rest().is_empty() { "something is missing here" } else { "this has no meaning here" };
            self.refuse(place, message, "write a number, a symbol, `q(1)`, `[b1]` or a function");
            return None;
        }
        if !self.take("(") {
            return Some(Expr::name(name, self.place(start, self.at)));
        }
        let mut arguments = vec![];
        if !self.take(")") {
            loop {
                arguments.push(self.sum(depth + 1)?);
                if !self.take(",") {
                    break;
                }
            }
            if !self.closed(")", start) {
                return None;
            }
        }
        Some(Expr::call(&name, arguments, self.place(start, self.at)))
    }

    fn closed(&mut self, mark: &str, start: usize) -> bool {
        let closed = self.take(mark);
        if !closed && !self.rest().is_empty() {
            let help = format!("write an operator, or `{mark}` for the one that is open");
            self.stray("this has no meaning here", &help);
        } else if !closed {
            let place = self.place(start, (start + 1).min(self.text.len()));
            self.refuse(place, "this is opened and never closed", &format!("write `{mark}` where it ends"));
        }
        closed
    }

    /// Says that the expression cannot go on with the character reached.
    fn stray(&mut self, message: &str, help: &str) {
        let place = self.here();
        if self.rest().starts_with(['<', '>', '=']) {
            let help = "write `min`, `max` or `sign`, or `function f(x) = if x > 0 then 1 else 2` in a text beside this one, and `(load \"routines.mbs\")` here";
            self.refuse(place, "the algebra has no comparisons", help);
        } else {
            self.refuse(place, message, help);
        }
    }

    /// A name at the place reached, which may be empty.
    fn word(&mut self) -> &'a str {
        self.blanks();
        let rest = self.rest();
        for name in HYPHENATED {
            let is_prefix = rest.get(..name.len()).is_some_and(|r| r.eq_ignore_ascii_case(name));
            if is_prefix && rest[name.len()..].trim_start().starts_with('(') {
                self.at += name.len();
                return &rest[..name.len()];
            }
        }
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }
}
