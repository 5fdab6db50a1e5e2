//! Cycles, degrees and radians: what the written unit of a number says beside its dimension.
//!
//! Angles are dimensionless, so `Hz` agrees in dimension with `rad/s` and a number of degrees with a number of radians, and the
//! values differ by 2 pi. What was written tells them apart wherever they meet directly.
//!
//! ```text
//! [cycles]   f [Hz] and f t are cycles;  2 f t too;  2 pi f t, f t 360 [deg], 1/f and k f are not
//! [radians]  sqrt(k/m) is in radians per time, though nothing in it is an angle;  sqrt(f1 f2) is not
//! ```

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Depends, Expr, Rational};
use cardan_syntax as syntax;
use cardan_units::{Dimension, Scale, Unit};

use crate::codes;
use crate::context::{Env, Resolver};
use crate::types::value::{Scalar, Value};

/// What the written unit of a number says about turns.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Written {
    /// Nothing beside its dimension.
    #[default]
    Nothing,
    /// A frequency in hertz or per minute, or a number of cycles, `[cycles]`.
    Cycles,
    /// A letter of a function that is a plain number in a unit of angle: its name and its unit.
    Turned(Span, Span),
    /// A letter of a function that is a plain number in any other unit.
    Letter,
    /// A root whose square is a stiffness over an inertia, or anything else per time squared: radians per time, `[radians]`.
    Radians,
    /// Multiplied by a number such as 2 pi, or made of several frequencies, so that its dimension no longer tells whether radians or cycles are meant.
    Converted,
}

/// Fractions of this denominator count nothing but parts of cycles; 6.28, 57.3 and 0.159 are conversions.
const PARTS: i64 = 8;

/// Whether a unit counts cycles per time: `Hz`, `kHz`, `1/min`, but not the SI unit `1/s`, in which rates of decay are given.
pub fn counts_cycles(unit: &Unit) -> bool {
    unit.dimension() == Dimension::FREQUENCY && (unit.scale() != Scale::ONE || unit.text().contains("Hz"))
}

/// Whether a dimension is an angle or its rate.
fn is_angular(dimension: &Dimension) -> bool {
    *dimension == Dimension::ANGULAR_VELOCITY || *dimension == Dimension::ANGLE
}

impl Scalar {
    /// The same number, counted in cycles if the unit does so.
    pub fn written_in(self, unit: Option<&Unit>) -> Scalar {
        let Some(unit) = unit else { return self };
        if self.dimension == Dimension::FREQUENCY && counts_cycles(unit) {
            return Scalar { written: Written::Cycles, ..self };
        }
        // Powers of hertz and what is per hertz count cycles in their own way.
        let hertz = unit.text().contains("Hz") && self.dimension != Dimension::FREQUENCY;
        if hertz { Scalar { written: Written::Converted, ..self } } else { self }
    }
    fn counts_cycles(&self) -> bool {
        self.written == Written::Cycles
    }
    /// Written as an angle or as an angular velocity.
    fn is_turning(&self) -> bool {
        is_angular(&self.dimension) && !self.bare && self.written != Written::Converted
    }
}

/// What is written in a sum; where cycles and radians are added, that has been said.
pub fn of_sum(scalars: &[(Scalar, Span)]) -> Written {
    let mut written = scalars.iter().map(|(s, _)| s.written);
    let has = |wanted: Written| scalars.iter().any(|(s, _)| s.written == wanted);
    let said =
        has(Written::Cycles) && scalars.iter().any(|(s, _)| s.is_turning() || s.written == Written::Radians);
    if has(Written::Converted) || said {
        return Written::Converted;
    }
    written.find(|w| *w != Written::Nothing).unwrap_or_default()
}

/// What is written in a power of a number with this dimension. `[radians]`
pub fn of_power(base: &Scalar, exponent: &Rational, dimension: &Dimension) -> Written {
    let is_root = *exponent == Rational::Small(1, 2);
    match base.written {
        Written::Nothing if is_root && *dimension == Dimension::FREQUENCY && !base.bare => Written::Radians,
        Written::Cycles | Written::Converted => Written::Converted,
        _ => Written::Nothing,
    }
}

/// The dimension of a product without an angle that means nothing any more, `[idle]`.
///
/// ```text
/// [idle]   I α is a torque, though α is in rad/s²;  r ω/v is a plain number, though ω is in rad/s
/// ```
pub fn without_idle_angle(product: Dimension, factors: &[Dimension]) -> Dimension {
    let once = product == product.angle_free() * Dimension::ANGLE;
    let turning = |d: &Dimension| {
        *d == Dimension::ANGULAR_VELOCITY || *d == Dimension::LENGTH * Dimension::ANGULAR_VELOCITY
    };
    let is_ratio = product == Dimension::ANGLE && factors.iter().any(turning);
    let is_torque =
        product.compatible(&Dimension::TORQUE) && factors.contains(&Dimension::ANGULAR_ACCELERATION);
    if once && (is_ratio || is_torque) { product.angle_free() } else { product }
}

/// The factors of a product, one after the other.
#[derive(Default)]
pub struct Factors {
    converted: bool,
    foreign: bool,
    found: Vec<Written>,
}

impl Factors {
    /// What is written in the product of these factors, `[cycles]`.
    pub fn product(self) -> Written {
        match self.found.as_slice() {
            _ if self.converted => Written::Converted,
            _ if self.foreign => Written::Nothing,
            [] => Written::Nothing,
            found => {
                let mut telling = found.iter().filter(|w| **w != Written::Letter);
                match (telling.next(), telling.next()) {
                    (Some(one), None) => *one,
                    (None, _) => Written::Letter,
                    _ => Written::Converted,
                }
            }
        }
    }
}

impl<'t> Resolver<'t> {
    /// One more factor of a product.
    pub fn add_factor(&self, factors: &mut Factors, s: &Scalar, divides: bool) {
        let is_number = s.dimension.is_dimensionless() && self.pool().depends(s.expr) == Depends::NOTHING;
        match s.written {
            Written::Converted => factors.converted = true,
            Written::Cycles | Written::Turned(..) | Written::Radians if divides => factors.foreign = true,
            Written::Cycles | Written::Turned(..) | Written::Radians | Written::Letter => {
                factors.found.push(s.written)
            }
            Written::Nothing if is_number => match self.pool().as_number(s.expr) {
                Some(Rational::Small(_, d)) if d <= PARTS => {}
                _ => factors.converted = true,
            },
            Written::Nothing if s.dimension == Dimension::TIME && !divides => {}
            Written::Nothing => factors.foreign = true,
        }
    }

    /// Speaks up where cycles stand for an angle or an angular velocity.
    pub fn cycles_for_angle(&mut self, s: &Scalar, span: Span, expected: &Dimension) {
        if s.counts_cycles() && s.dimension.compatible(expected) && is_angular(expected) {
            self.cycles(span, None, expected);
        }
    }

    /// The same where quantities are added or compared.
    pub fn cycles_beside_angles(&mut self, scalars: &[(Scalar, Span)]) {
        let Some((cycles, span)) = scalars.iter().find(|(s, _)| s.counts_cycles()) else { return };
        let meets = |s: &Scalar| s.is_turning() && s.dimension.compatible(&cycles.dimension);
        if let Some((other, place)) = scalars.iter().find(|(s, _)| meets(s)) {
            self.cycles(*span, Some(*place), &other.dimension);
        }
    }

    /// The same where a quantity is given or shown in a unit.
    pub fn cycles_in_unit(&mut self, s: &Scalar, span: Span, unit: &Unit, place: Span) {
        if s.counts_cycles() {
            self.cycles_for_angle(s, span, &unit.dimension());
        } else if s.is_turning() && s.dimension == Dimension::ANGULAR_VELOCITY && counts_cycles(unit) {
            let message = "an angular velocity in radians is taken for a frequency";
            let d = self.doubt(message).at(place, "cycles").also(span, "[rad/s]");
            let text = self.bracketed(span);
            self.report(d.hint(format!("write `{text}/(2*pi)`, or the unit `[rev/s]` or `[rpm]`")));
        } else if s.written == Written::Radians && s.dimension == Dimension::FREQUENCY && counts_cycles(unit)
        {
            let message = "a natural frequency in radians is taken for one in cycles";
            let d = self.doubt(message).at(place, "cycles").also(span, "radians per second");
            let text = self.bracketed(span);
            self.report(d.hint(format!("write `{text}/(2*pi)`, or the unit `[rad/s]`")));
        }
    }

    /// The same for the argument of a trigonometric function, where numbers of degrees are no better.
    pub fn turns_of_argument(&mut self, name: &str, s: &Scalar, span: Span) {
        match s.written {
            Written::Cycles => self.cycles(span, None, &Dimension::ANGLE),
            Written::Turned(letter, unit) => {
                let (letter_text, unit_text) = (self.text(letter), self.text(unit));
                let message = format!("`{name}` takes radians, and this is a plain number in [{unit_text}]");
                let d = self.doubt_about(codes::DEGREES, message).at(span, "");
                let d = d.also(letter, format!("a number of [{unit_text}]"));
                let si = Unit::parse(&unit_text).map_or(Dimension::ANGLE, |u| u.dimension());
                let head = format!("write `{letter_text} [{si}]` in the head of the function");
                self.report(match self.text(span) == letter_text {
                    true => d.hint(format!("{head}, or `{name}({letter_text} * 1 [{unit_text}])` here")),
                    false => d.hint(head),
                });
            }
            _ => {}
        }
    }

    /// The lead of a thread: a length per turn, also where it is written per angle, `5 [mm/rev]`.
    pub fn lead(&mut self, e: &syntax::Expr, what: &str, env: &Env<'t>) -> Option<Expr> {
        let s = self.any_scalar(e, env)?;
        let lead = self.expect(&s, e, Dimension::LENGTH, what, env)?;
        let per_angle = s.dimension == Dimension::LENGTH / Dimension::ANGLE;
        let turn =
            if per_angle { self.pool().mul(self.pool().int(2), self.pool().pi()) } else { self.pool().one() };
        Some(self.pool().mul(turn, lead))
    }

    /// A letter of a function that is read as a plain number in a unit.
    pub fn letter_in(&self, value: Value, input: &syntax::Input, unit: &Unit) -> Value {
        let Value::Scalar(s) = value else { return value };
        let written = match &input.unit {
            _ if counts_cycles(unit) => Written::Cycles,
            Some(text) if is_angular(&unit.dimension()) && unit.scale() != Scale::ONE => {
                Written::Turned(input.name.span, text.span)
            }
            _ => Written::Letter,
        };
        Value::Scalar(Scalar { written, ..s })
    }

    fn cycles(&mut self, span: Span, other: Option<Span>, meant: &Dimension) {
        let message = match *meant == Dimension::ANGULAR_VELOCITY {
            true => "a frequency in cycles is taken for an angular velocity",
            false => "a number of cycles is taken for an angle",
        };
        let label = if *meant == Dimension::ANGLE { "cycles" } else { "cycles per time" };
        let d = self.doubt(message).at(span, label);
        let d = match other {
            Some(place) => d.also(place, format!("[{meant}]")),
            None => d,
        };
        let text = self.text(span);
        let units = [("[Hz]", "[rev/s]"), ("[1/min]", "[rpm]")];
        let as_turns = units.iter().find_map(|(hertz, turns)| {
            let number = text.strip_suffix(hertz)?;
            number.trim().parse::<f64>().ok().map(|_| format!("{number}{turns}"))
        });
        let help = as_turns.unwrap_or_else(|| format!("2*pi*{}", self.bracketed(span)));
        self.report(d.because("one cycle is 2 pi radians").hint(format!("write `{help}`")));
    }

    /// The text under a span as a factor.
    fn bracketed(&self, span: Span) -> String {
        let text = self.text(span);
        let mut depth = 0;
        let is_sum = text.chars().any(|c| {
            depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
            depth == 0 && matches!(c, '+' | '-')
        });
        if is_sum { format!("({text})") } else { text }
    }

    fn doubt(&self, message: &str) -> Diagnostic {
        self.doubt_about(codes::CYCLES, message)
    }

    /// A warning, which is an error under `strict units`.
    pub fn doubt_about(&self, code: cardan_base::Code, message: impl Into<String>) -> Diagnostic {
        match self.strict {
            true => Diagnostic::error(code, message).because("the text says `strict units`"),
            false => Diagnostic::warning(code, message),
        }
    }
}
