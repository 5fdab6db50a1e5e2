//! The grammar of unit texts.
//!
//! ```text
//! unit     = "" | "-" | product
//! product  = power { ("*" | "·" | " " | "/") power }          from left to right
//! power    = factor [ "^" exponent | superscripts ]
//! factor   = name | "1" | "(" product ")"
//! exponent = ["+"|"-"] digits [ "." digits ]  |  "(" ["+"|"-"] digits [ ("." | "/") digits ] ")"
//! ```
//!
//! `N m` is `N*m`; but after a stroke a blank does not tell what is below it, so `J/kg K` is refused and
//! `J/(kg*K)` or `J/kg*K` has to say which is meant.

use cardan_base::nearest;

use crate::{Dimension, Exponent, Scale, UnitError, UnitErrorKind, table};

/// Parentheses deeper than this are refused.
const MAX_DEPTH: usize = 16;

/// The dimension of a unit text and its factor to SI.
pub fn quantity(text: &str) -> Result<(Dimension, Scale), UnitError> {
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed == "-" {
        return Ok((Dimension::ONE, Scale::ONE));
    }
    let mut parser = Parser { text, at: 0, depth: 0 };
    let result = parser.product()?;
    match parser.peek() {
        None => Ok(result),
        Some(')') => Err(parser
            .error(UnitErrorKind::Parenthesis, "this parenthesis closes nothing")
            .hint("remove `)`")),
        Some(_) => Err(parser.unexpected()),
    }
}

type Quantity = (Dimension, Scale);

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn product(&mut self) -> Result<Quantity, UnitError> {
        let start = self.skip_blanks();
        let mut result = self.power()?;
        let mut stroke = None;
        loop {
            let before = self.at;
            self.skip_blanks();
            let at = self.at;
            match self.peek() {
                Some('*' | '·' | '⋅') => {
                    self.bump();
                    let right = self.power()?;
                    result = self.combine(result, right, start)?;
                    stroke = None;
                }
                Some('/') => {
                    self.bump();
                    let (dimension, scale) = self.power()?;
                    let below = (dimension.recip(), self.exact(scale.checked_recip(), start)?);
                    result = self.combine(result, below, start)?;
                    stroke = Some(at);
                }
                Some(c) if begins_factor(c) && (before < at || c == '(') => {
                    let right = self.power()?;
                    if let Some(stroke) = stroke {
                        let next = self.text.get(at..self.at).unwrap_or("");
                        let place = stroke..self.at;
                        let message =
                            format!("it is not clear whether `{next}` is above or below the stroke");
                        let below = self.text.get(stroke + 1..at).unwrap_or("").trim();
                        let hint = format!("write `/({below}*{next})` or `/{below}*{next}`");
                        return Err(UnitError::new(UnitErrorKind::UnclearStroke, place, message).hint(hint));
                    }
                    result = self.combine(result, right, start)?;
                }
                _ => return Ok(result),
            }
        }
    }

    fn power(&mut self) -> Result<Quantity, UnitError> {
        let start = self.skip_blanks();
        let (dimension, scale) = self.factor()?;
        let after = self.at;
        self.skip_blanks();
        let exponent = match self.peek() {
            Some('^') => {
                self.bump();
                self.exponent()?
            }
            Some(c) if superscript(c).is_some() => self.superscripts()?,
            _ => {
                self.at = after;
                return Ok((dimension, scale));
            }
        };
        let scale = self.exact(scale.checked_pow(exponent), start)?;
        Ok((dimension.pow(exponent), scale))
    }

    fn factor(&mut self) -> Result<Quantity, UnitError> {
        match self.peek() {
            Some('(') => self.parenthesis(),
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(c) if begins_factor(c) => self.name(),
            Some(_) => Err(self.unexpected()),
            None => Err(self.error(UnitErrorKind::UnexpectedSign, "a unit is missing at the end")),
        }
    }

    fn parenthesis(&mut self) -> Result<Quantity, UnitError> {
        let open = self.at;
        self.bump();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} parentheses inside one another");
            return Err(UnitError::new(UnitErrorKind::Parenthesis, open..self.at, message));
        }
        let result = self.product()?;
        self.skip_blanks();
        if self.peek() != Some(')') {
            if self.peek().is_some() {
                return Err(self.unexpected());
            }
            let message = "this parenthesis is not closed";
            return Err(UnitError::new(UnitErrorKind::Parenthesis, open..open + 1, message).hint("add `)`"));
        }
        self.bump();
        self.depth -= 1;
        Ok(result)
    }

    fn number(&mut self) -> Result<Quantity, UnitError> {
        let start = self.at;
        let digits = self.take(|c| c.is_ascii_digit() || c == '.');
        if digits == "1" {
            return Ok((Dimension::ONE, Scale::ONE));
        }
        let message = format!("the number {digits} stands among the units");
        let hint = "write the number before the bracket; inside it only 1 is allowed, as in `[1/s]`";
        Err(UnitError::new(UnitErrorKind::NumberInside, start..self.at, message).hint(hint))
    }

    fn name(&mut self) -> Result<Quantity, UnitError> {
        let start = self.at;
        let name = self.take(|c| is_name_letter(c) || c.is_ascii_digit());
        table::resolve(name).ok_or_else(|| unknown(name, start))
    }

    fn exponent(&mut self) -> Result<Exponent, UnitError> {
        let start = self.skip_blanks();
        let inside = self.peek() == Some('(');
        if inside {
            self.bump();
        }
        let sign = self.take_sign();
        self.skip_blanks();
        let whole = self.digits();
        let mut value = whole.and_then(|n| Exponent::new(n, 1));
        if self.peek() == Some('.') {
            self.bump();
            let from = self.at;
            let fraction = self.digits();
            let places = u32::try_from(self.at - from).unwrap_or(u32::MAX);
            value = whole.zip(fraction).zip(10_i64.checked_pow(places)).and_then(|((n, f), ten)| {
                let num = n.checked_mul(ten)?.checked_add(f)?;
                Exponent::new(num, ten)
            });
        } else if inside {
            self.skip_blanks();
            if self.peek() == Some('/') {
                self.bump();
                self.skip_blanks();
                value = whole.zip(self.digits()).and_then(|(n, d)| Exponent::new(n, d));
            }
        }
        if inside {
            self.skip_blanks();
            if self.peek() == Some(')') {
                self.bump();
            } else {
                value = None;
            }
        }
        let place = start..self.at.max(start);
        value.map(|v| if sign < 0 { -v } else { v }).ok_or_else(|| {
            let message = "what follows `^` is not an exponent";
            let hint = "write a small whole number or a fraction in parentheses: `m^2`, `s^-1`, `m^(3/2)`";
            UnitError::new(UnitErrorKind::BadExponent, place, message).hint(hint)
        })
    }

    fn superscripts(&mut self) -> Result<Exponent, UnitError> {
        let start = self.at;
        let mut negative = false;
        let mut value = Some(0_i64);
        let mut n_digits = 0;
        while let Some(sign) = self.peek().and_then(superscript) {
            match sign {
                Superscript::Minus if self.at == start => negative = true,
                Superscript::Minus => value = None,
                Superscript::Digit(d) => {
                    value = value.and_then(|v| v.checked_mul(10)?.checked_add(d));
                    n_digits += 1;
                }
            }
            self.bump();
        }
        let value = value.filter(|_| n_digits > 0).map(|v| if negative { -v } else { v });
        value.and_then(|v| Exponent::new(v, 1)).ok_or_else(|| {
            let message = "these raised signs are not an exponent";
            UnitError::new(UnitErrorKind::BadExponent, start..self.at, message).hint("write `m²` or `m^2`")
        })
    }

    fn take_sign(&mut self) -> i32 {
        match self.peek() {
            Some('-' | '−') => {
                self.bump();
                -1
            }
            Some('+') => {
                self.bump();
                1
            }
            _ => 1,
        }
    }

    fn digits(&mut self) -> Option<i64> {
        self.take(|c| c.is_ascii_digit()).parse().ok()
    }

    fn combine(&self, left: Quantity, right: Quantity, start: usize) -> Result<Quantity, UnitError> {
        Ok((left.0 * right.0, self.exact(left.1.checked_mul(right.1), start)?))
    }

    fn exact(&self, scale: Option<Scale>, start: usize) -> Result<Scale, UnitError> {
        scale.ok_or_else(|| {
            let message = "the factor of this unit cannot be held exactly";
            let hint = "use SI units here, or smaller powers";
            UnitError::new(UnitErrorKind::Inexact, start..self.at, message).hint(hint)
        })
    }

    /// Skips blanks and says where they end.
    fn skip_blanks(&mut self) -> usize {
        self.take(char::is_whitespace);
        self.at
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or("");
        let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    /// An error about the next sign, or about the end.
    fn error(&self, kind: UnitErrorKind, message: impl Into<String>) -> UnitError {
        UnitError::new(kind, self.at..self.at + self.peek().map_or(0, char::len_utf8), message)
    }

    fn unexpected(&self) -> UnitError {
        let sign = self.peek().unwrap_or(' ');
        let error = self.error(UnitErrorKind::UnexpectedSign, format!("`{sign}` means nothing here"));
        match sign {
            '*' | '·' | '⋅' | '/' => error.hint("a unit is missing beside it"),
            '.' | '×' | ',' | ';' | '-' | '−' => error.hint("write `*` between units: `N*m`"),
            '^' => error.hint("an exponent follows a unit: `m^2`"),
            '\'' | '"' | '′' | '″' => error.hint("write `arcmin`, `arcsec`, `ft` or `in`"),
            _ => error,
        }
    }
}

fn is_name_letter(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '°' | '%' | '_' | '℃' | '℉')
}

fn begins_factor(c: char) -> bool {
    is_name_letter(c) || c.is_ascii_digit() || c == '('
}

enum Superscript {
    Minus,
    Digit(i64),
}

fn superscript(c: char) -> Option<Superscript> {
    if c == '⁻' {
        return Some(Superscript::Minus);
    }
    let digit = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|s| s == c)?;
    i64::try_from(digit).ok().map(Superscript::Digit)
}

/// The error about a name that is not in the table, with the best guess at what was meant.
fn unknown(name: &str, start: usize) -> UnitError {
    let place = start..start + name.len();
    let offset = ["degC", "°C", "℃", "celsius", "Celsius", "degF", "°F", "℉", "fahrenheit", "Fahrenheit"];
    if offset.contains(&name) {
        let message = format!("`{name}` has its zero elsewhere, so it is not a factor times kelvin");
        let hint = "write kelvin: 20 degC is `293.15 [K]`, and a difference of 1 degC is `1 [K]`";
        return UnitError::new(UnitErrorKind::OffsetScale, place, message).hint(hint);
    }
    let error = UnitError::new(UnitErrorKind::UnknownName, place, format!("`{name}` is not a known unit"));
    match guess(name) {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

fn guess(name: &str) -> Option<String> {
    match name {
        "G" | "gee" | "gees" => return Some("write `gn` for standard gravity, `g` for gram".into()),
        "ton" | "tons" => return Some("write `t` for 1000 kg; 2000 lb is a number times `lb`".into()),
        "gal" | "gallon" | "gallons" => return Some("write litres: a gallon is `3.785411784 [L]`".into()),
        "lbs" | "pound" | "pounds" => return Some("write `lb` for the mass, `lbf` for the force".into()),
        _ => {}
    }
    let lower = name.to_lowercase();
    let singular = lower.strip_suffix('s').filter(|word| word.len() > 2);
    if let Some((_, symbol)) = WORDS.iter().find(|(word, _)| lower == *word || singular == Some(word)) {
        return Some(format!("write `{symbol}`"));
    }
    if let Some(word) = name.strip_suffix('s').filter(|w| w.len() > 2 && table::resolve(w).is_some()) {
        return Some(format!("write `{word}`"));
    }
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if letters.len() < name.len() && table::resolve(letters).is_some() {
        return Some(format!("write `{letters}^{}`", &name[letters.len()..]));
    }
    let glued = name.char_indices().skip(1).find_map(|(i, _)| {
        let (left, right) = name.split_at(i);
        let both = GLUED.contains(&left) && GLUED.contains(&right);
        both.then(|| format!("write `{left}*{right}`"))
    });
    glued.or_else(|| nearest(name, table::names()).map(|n| format!("perhaps `{n}`")))
}

/// Units that people spell out.
#[rustfmt::skip]
const WORDS: &[(&str, &str)] = &[
    ("metre", "m"), ("meter", "m"), ("gram", "g"), ("kilogram", "kg"), ("second", "s"), ("minute", "min"),
    ("hour", "h"), ("newton", "N"), ("joule", "J"), ("watt", "W"), ("pascal", "Pa"), ("hertz", "Hz"), ("volt", "V"),
    ("radian", "rad"), ("degree", "deg"), ("kelvin", "K"), ("ampere", "A"), ("amp", "A"), ("litre", "L"),
    ("liter", "L"), ("feet", "ft"), ("inches", "in"), ("gravity", "gn"), ("ounce", "oz"), ("revolution", "rev"),
];

/// Units that are often written without the sign between them.
const GLUED: &[&str] = &[
    "N", "kN", "mN", "MN", "kg", "m", "mm", "s", "Pa", "rad", "J", "kJ", "W", "kW", "A", "V", "lbf", "ft",
    "in",
];
