//! Expressions in the native language.
//!
//! Bare numbers take the dimension that their place wants: AUTOSIM's `"2*q(1)"` as a moment is `2 [N*m/rad] * q1`.

use cardan_base::{Span, nearest};
use cardan_units::Dimension;

use crate::autosim::codes;
use crate::autosim::declare::bracket;
use crate::autosim::dimension::{Found, power_of};
use crate::autosim::reader::infix::{Expr, Term};
use crate::autosim::scene::{Role, Scene, native};
use crate::autosim::unit_fit::{argument, is_choice};

/// Functions by their name in AUTOSIM, number of arguments, and name in the native language; an empty name is written by hand.
#[rustfmt::skip]
const FUNCTIONS: &[(&str, std::ops::RangeInclusive<usize>, &str)] = &[
    ("SIN", 1..=1, "sin"), ("COS", 1..=1, "cos"), ("TAN", 1..=1, "tan"), ("ASIN", 1..=1, "asin"), ("ACOS", 1..=1, "acos"),
    ("ATAN", 1..=2, ""), ("ATAN2", 2..=2, "atan2"), ("SINH", 1..=1, "sinh"), ("COSH", 1..=1, "cosh"), ("TANH", 1..=1, "tanh"),
    ("EXP", 1..=1, "exp"), ("LN", 1..=1, "ln"), ("LOG", 1..=1, "ln"), ("LOG10", 1..=1, "log10"), ("SQRT", 1..=1, "sqrt"),
    ("ABS", 1..=1, "abs"), ("SIGN", 1..=1, "sign"), ("FLOOR", 1..=1, "floor"), ("MIN", 2..=99, "min"), ("MAX", 2..=99, "max"),
    ("DOT", 2..=2, "dot"), ("CROSS", 2..=2, "cross"), ("MAG", 1..=1, "mag"), ("DIR", 1..=1, "dir"), ("ANGLE", 2..=3, "angle"),
    ("DXDT", 1..=1, "der"), ("PARTIAL", 2..=2, "partial"), ("ADD", 2..=2, ""), ("SUB", 2..=2, ""), ("MUL", 2..=2, ""),
    ("DIV", 2..=2, ""), ("NEG", 1..=1, ""), ("INV", 1..=1, ""), ("NOMINAL", 1..=1, "nominal"), ("DOT-PLANE", 2..=2, "dot_plane"),
    ("GCF", 2..=2, "gcf"), ("CONSTANT-PART", 1..=1, "constant_part"), ("CONST-OR-VAR", 1..=1, "is_constant"), ("CONVERT-COORDINATES", 3..=3, ""),
    ("POS", 1..=2, ""), ("VEL", 1..=2, ""), ("ROT", 1..=2, ""), ("Q", 1..=1, ""), ("U", 1..=1, ""),
];

/// How tightly a text holds together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Sum,
    Product,
    Power,
    Atom,
}

pub(super) fn bracketed((text, rank): (String, Rank), least: Rank) -> String {
    if rank < least { format!("({text})") } else { text }
}

impl Scene {
    /// Makes parameters of the names in an expression that nothing declares.
    pub fn register(&mut self, e: &Expr) {
        match &e.term {
            Term::Name(name) => {
                if !matches!(name.as_str(), "T" | "PI") {
                    self.symbol(name, e.span);
                }
            }
            Term::Call(name, arguments) => {
                let named = if name == "CONVERT-COORDINATES" { 2 } else { 0 };
                if !matches!(name.as_str(), "POS" | "VEL" | "ROT" | "Q" | "U") {
                    arguments[..arguments.len().saturating_sub(named)].iter().for_each(|a| self.register(a));
                }
            }
            Term::Minus(e) => self.register(e),
            Term::Sum(es) | Term::Product(es) => es.iter().for_each(|(_, e)| self.register(e)),
            Term::Power(a, b) => {
                self.register(a);
                self.register(b);
            }
            Term::List(es) => es.iter().for_each(|e| self.register(e)),
            Term::Number(_) | Term::Direction(_) => {}
        }
    }

    /// The text of an expression where this dimension is wanted.
    pub fn text(&mut self, e: &Expr, wanted: Dimension) -> String {
        self.fit(e, wanted).0
    }
    /// The text of an expression as a factor.
    pub fn factor(&mut self, e: &Expr, wanted: Option<Dimension>) -> String {
        bracketed(self.fitted(e, wanted), Rank::Product)
    }
    /// The text of an expression, of a dimension if one is wanted.
    fn fitted(&mut self, e: &Expr, wanted: Option<Dimension>) -> (String, Rank) {
        match wanted {
            Some(wanted) => self.fit(e, wanted),
            None => self.write(e, None),
        }
    }
    /// The text of an expression of whatever dimension.
    pub fn plain(&mut self, e: &Expr) -> String {
        self.write(e, None).0
    }

    /// The text of an expression whose numbers take the dimension wanted where they can.
    pub fn write(&mut self, e: &Expr, wanted: Option<Dimension>) -> (String, Rank) {
        match &e.term {
            Term::Number(digits) => match wanted.filter(|d| !d.is_dimensionless()) {
                Some(_) if e.is_zero() => ("0".into(), Rank::Atom),
                Some(d) => (format!("{digits} {}", bracket(d)), Rank::Product),
                None => (digits.clone(), Rank::Atom),
            },
            Term::Name(name) => (self.name_text(name), Rank::Atom),
            Term::Direction(name) => (self.unit_vector(name, e.span), Rank::Atom),
            Term::Minus(inner) => {
                let text = bracketed(self.write(inner, wanted), Rank::Product);
                (format!("-{text}"), Rank::Sum)
            }
            Term::Sum(terms) => {
                let dimension = self.shared(terms.iter().map(|(_, e)| e), wanted);
                let mut text = String::new();
                for (k, (minus, term)) in terms.iter().enumerate() {
                    let written = self.fitted(term, dimension);
                    let begins = written.0.starts_with('-');
                    let part = if *minus || (k > 0 && begins) {
                        bracketed(written, Rank::Product)
                    } else {
                        written.0
                    };
                    text += match (k, *minus) {
                        (0, true) => "-",
                        (0, false) => "",
                        (_, true) => " - ",
                        (_, false) => " + ",
                    };
                    text += &part;
                }
                (text, Rank::Sum)
            }
            Term::Product(factors) => self.product(factors, wanted),
            Term::Power(base, exponent) => {
                let plain = power_of(exponent).is_none().then_some(Dimension::ONE);
                let base = bracketed(self.fitted(base, plain), Rank::Atom);
                let exponent = bracketed(self.fit(exponent, Dimension::ONE), Rank::Atom);
                (format!("{base}^{exponent}"), Rank::Power)
            }
            Term::Call(name, arguments) => self.call(name, arguments, e, wanted),
            Term::List(list) => {
                let parts: Vec<String> = list.iter().map(|e| self.write(e, wanted).0).collect();
                (format!("({})", parts.join(", ")), Rank::Atom)
            }
        }
    }

    fn product(&mut self, factors: &[(bool, Expr)], wanted: Option<Dimension>) -> (String, Rank) {
        let mut missing = self.missing(factors, wanted);
        let mut text = String::new();
        for (k, (divides, factor)) in factors.iter().enumerate() {
            let unit = match factor.term {
                Term::Number(_) if !divides => missing.take(),
                _ => None,
            };
            let least = if *divides { Rank::Power } else { Rank::Product };
            let mut part = bracketed(self.write(factor, unit), least);
            if k > 0 && part.starts_with('-') {
                part = format!("({part})");
            }
            match (k, divides) {
                (0, true) => text += &format!("1 / {part}"),
                (0, false) => text += &part,
                (_, true) => text += &format!(" / {part}"),
                (_, false) => text += &format!(" * {part}"),
            }
        }
        (text, Rank::Product)
    }

    /// A scalar as the native text calls it.
    pub fn name_text(&mut self, name: &str) -> String {
        match name {
            "T" => "t".into(),
            "PI" => "pi".into(),
            _ => match (self.routines.get(name), self.symbols.get(name).map(|s| &s.role)) {
                (Some(spelt), _) => spelt.clone(),
                (None, Some(Role::Rate(state))) => format!("der({})", native(state)),
                (None, _) => native(name),
            },
        }
    }

    /// `[b1]` as `B.x`.
    fn unit_vector(&mut self, name: &str, span: Span) -> String {
        let axes = [("1", "x"), ("2", "y"), ("3", "z"), ("X", "x"), ("Y", "y"), ("Z", "z")];
        let split = axes.iter().find_map(|(suffix, axis)| Some((name.strip_suffix(suffix)?, *axis)));
        match split {
            Some((body, _)) if body.starts_with(['-', '+']) => {
                let lower = name.to_lowercase();
                let (sign, rest) = lower.split_at(1);
                let message = format!("`[{lower}]` has its sign inside the brackets");
                self.refuse(codes::UNKNOWN_NAME, message, span, format!("write `\"{sign}[{rest}]\"`"));
                "N.x".into()
            }
            Some((body, axis)) if !body.is_empty() => {
                let body = self.body(body, span);
                format!("{}.{axis}", native(&body.unwrap_or_default()))
            }
            _ => {
                let message = format!("`[{}]` is not a unit vector", name.to_lowercase());
                self.refuse(codes::UNKNOWN_NAME, message, span, "write a body and 1, 2 or 3: `[b1]`");
                "N.x".into()
            }
        }
    }

    fn call(
        &mut self,
        name: &str,
        arguments: &[Expr],
        e: &Expr,
        wanted: Option<Dimension>,
    ) -> (String, Rank) {
        let found = FUNCTIONS.iter().find(|(n, _, _)| *n == name);
        let Some((_, counts, spelt)) = found else { return self.external(name, arguments, e.span) };
        if !counts.contains(&arguments.len()) {
            let message = format!("`{}` cannot have {} arguments", name.to_lowercase(), arguments.len());
            let help = format!(
                "give it {}",
                if counts.start() == counts.end() {
                    counts.start().to_string()
                } else {
                    format!("{} or more", counts.start())
                }
            );
            self.refuse(codes::EXPRESSION, message, e.span, help);
            return ("0".into(), Rank::Atom);
        }
        let each = match argument(name) {
            Some(d) if arguments.len() == 1 => Some(d),
            _ if is_choice(name) => self.shared(arguments.iter(), wanted),
            _ if arguments.len() == 2 && matches!(name, "ATAN" | "ATAN2") => {
                self.shared(arguments.iter(), None)
            }
            _ => None,
        };
        let spelt = match (name, arguments.len()) {
            ("ATAN", 1) => "atan",
            ("ATAN", _) => "atan2",
            _ => spelt,
        };
        if name == "SQRT" {
            let (text, _) = self.write(&arguments[0], wanted.map(|w| w.powi(2)));
            return (format!("sqrt({text})"), Rank::Atom);
        }
        if !spelt.is_empty() {
            return (format!("{spelt}({})", self.list(arguments, each)), Rank::Atom);
        }
        self.kinematic(name, arguments, e.span, wanted)
    }

    fn list(&mut self, arguments: &[Expr], each: Option<Dimension>) -> String {
        let texts: Vec<String> = arguments.iter().map(|a| self.fitted(a, each).0).collect();
        texts.join(", ")
    }

    /// Positions, velocities and what else needs more than another name.
    fn kinematic(
        &mut self,
        name: &str,
        arguments: &[Expr],
        span: Span,
        wanted: Option<Dimension>,
    ) -> (String, Rank) {
        let words = |e: &Expr| match &e.term {
            Term::Name(n) => n.clone(),
            _ => String::new(),
        };
        match name {
            "Q" | "U" => match self.coordinate(arguments) {
                Some(k) => (format!("{}{}", name.to_lowercase(), k + 1), Rank::Atom),
                None => {
                    self.no_such_coordinate(span);
                    ("0".into(), Rank::Atom)
                }
            },
            "CONVERT-COORDINATES" => {
                let bodies: Option<Vec<String>> =
                    arguments[1..].iter().map(|a| self.body(&words(a), a.span).map(|b| native(&b))).collect();
                let list = match (&arguments[0].term, bodies.as_deref()) {
                    (Term::List(list), Some([old, new])) if list.len() == 3 => {
                        let wanted = match self.dimension(&arguments[0]) {
                            Found::Known(d) => Some(d),
                            _ => wanted,
                        };
                        let parts: Vec<String> = list.iter().map(|e| self.fitted(e, wanted).0).collect();
                        return (format!("components({old}({}), in = {new})", parts.join(", ")), Rank::Atom);
                    }
                    (_, None) => return ("0".into(), Rank::Atom),
                    _ => arguments[0].span,
                };
                let help = "write `(convert-coordinates (1 0 L) b c)`";
                self.refuse(codes::VALUE, "coordinates are a list of three", list, help);
                ("0".into(), Rank::Atom)
            }
            "ROT" => {
                let bodies: Option<Vec<String>> =
                    arguments.iter().map(|a| self.body(&words(a), a.span).map(|b| native(&b))).collect();
                match bodies.as_deref() {
                    Some([body]) => (format!("omega({body})"), Rank::Atom),
                    Some([body, other]) => (format!("omega({body}, in = {other})"), Rank::Atom),
                    _ => ("0".into(), Rank::Atom),
                }
            }
            _ => {
                let points: Option<Vec<String>> =
                    arguments.iter().map(|a| self.point(&words(a), a.span)).collect();
                match (name, points.as_deref()) {
                    ("POS", Some([p])) => (format!("position({p})"), Rank::Atom),
                    ("POS", Some([p, q])) => (format!("position({q}, {p})"), Rank::Atom),
                    (_, Some([p])) => (format!("velocity({p})"), Rank::Atom),
                    (_, Some([p, q])) => (format!("velocity({p}) - velocity({q})"), Rank::Sum),
                    _ => ("0".into(), Rank::Atom),
                }
            }
        }
    }

    /// A function that is not AUTOSIM's: one of the routines, or nothing.
    fn external(&mut self, name: &str, arguments: &[Expr], span: Span) -> (String, Rank) {
        if let Some(spelt) = self.routines.get(name).cloned() {
            let heads = self.signatures.get(name).map_or(vec![], |s| s.arguments.clone());
            let wanted = heads.into_iter().chain(std::iter::repeat(None));
            let texts: Vec<String> = arguments.iter().zip(wanted).map(|(a, d)| self.fitted(a, d).0).collect();
            return (format!("{spelt}({})", texts.join(", ")), Rank::Atom);
        }
        self.missing.entry(name.to_string()).or_insert((arguments.len(), span));
        ("0".into(), Rank::Atom)
    }
}

/// The function of AUTOSIM that an unknown one probably means.
pub(super) fn nearest_function(name: &str) -> Option<String> {
    let longer = FUNCTIONS
        .iter()
        .map(|(n, _, _)| *n)
        .filter(|n| n.len() > 1 && n.as_bytes().first() == name.as_bytes().first());
    nearest(name, longer).map(str::to_lowercase)
}
