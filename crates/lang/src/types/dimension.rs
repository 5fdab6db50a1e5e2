//! Checks of dimension, and dimensions in words.

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Expr, Function, Node, Rational};
use cardan_kinematics::Vector;
use cardan_syntax::{self as syntax, ChainOp, ExprKind};
use cardan_units::{Dimension, Unit, probably_meant};

use crate::codes;
use crate::context::{Env, Resolver};
use crate::types::value::{Arrow, Scalar, Value};

/// Dimensions that have a name.
#[rustfmt::skip]
const NOUNS: &[(Dimension, &str)] = &[
    (Dimension::LENGTH, "a length"), (Dimension::MASS, "a mass"), (Dimension::TIME, "a time"),
    (Dimension::ANGLE, "an angle"), (Dimension::ONE, "a plain number"),
    (Dimension::VELOCITY, "a velocity"), (Dimension::ACCELERATION, "an acceleration"),
    (Dimension::ANGULAR_VELOCITY, "an angular velocity"), (Dimension::ANGULAR_ACCELERATION, "an angular acceleration"),
    (Dimension::FREQUENCY, "a frequency"), (Dimension::FORCE, "a force"), (Dimension::TORQUE, "a torque"),
    (Dimension::ENERGY, "an energy"), (Dimension::POWER, "a power"), (Dimension::INERTIA, "a moment of inertia"),
    (Dimension::STIFFNESS, "a stiffness"), (Dimension::DAMPING, "a damping constant"),
    (Dimension::ANGULAR_STIFFNESS, "a torsional stiffness"), (Dimension::ANGULAR_DAMPING, "a torsional damping constant"),
    (Dimension::MOMENTUM, "a momentum"), (Dimension::ANGULAR_MOMENTUM, "an angular momentum"),
    (Dimension::AREA, "an area"), (Dimension::VOLUME, "a volume"), (Dimension::PRESSURE, "a pressure"),
    (Dimension::CURRENT, "a current"), (Dimension::TEMPERATURE, "a temperature"),
];

/// A dimension in words.
pub fn noun(dimension: &Dimension) -> Option<&'static str> {
    let exact = NOUNS.iter().find(|(d, _)| d == dimension);
    exact.or_else(|| NOUNS.iter().find(|(d, _)| d.compatible(dimension))).map(|(_, noun)| *noun)
}

/// The first number without a unit among the factors of a product.
fn bare_number(e: &syntax::Expr) -> Option<Span> {
    let ExprKind::Chain { first, rest } = &e.kind else { return None };
    let factors = rest.iter().filter(|(op, _)| *op == ChainOp::Multiply).map(|(_, factor)| factor);
    let mut factors = std::iter::once(first.as_ref()).chain(factors);
    factors.find(|factor| matches!(factor.kind, ExprKind::Number(_))).map(|factor| factor.span)
}

impl<'t> Resolver<'t> {
    /// Remembers that a bare number took its unit from its place; refuses it under `strict units`.
    pub fn adopt(&mut self, span: Span, dimension: &Dimension) -> Option<()> {
        let unit = dimension.to_string();
        if self.strict {
            let text = self.text_with_unit(span, &unit);
            let d = Diagnostic::error(codes::BARE, "this number has no unit");
            let d = d.at(span, format!("expected [{unit}]")).because("the text says `strict units`");
            self.report(d.hint(format!("write `{text}`")));
            return None;
        }
        match &mut self.bare {
            Some((_, _, n)) => *n += 1,
            None => self.bare = Some((span, unit, 1)),
        }
        Some(())
    }

    /// Doubts a bare number of more than a turn that is given as an angle; refuses any under `strict units`. What is written with
    /// pi is in radians beyond doubt.
    fn bare_angle(&mut self, s: &Scalar, span: Span) -> Option<()> {
        let Some(number) = self.pool().as_number(s.expr) else {
            self.bare_amplitude(s, span);
            return Some(());
        };
        if self.strict && !number.is_zero() {
            return self.adopt(span, &Dimension::ANGLE);
        }
        let text = self.text(span);
        self.bare_turn(s, span, format!("this angle is {text} radians"));
        Some(())
    }

    /// Doubts an amplitude of more than a turn: `30*sin(2*pi*f*t)`.
    fn bare_amplitude(&mut self, s: &Scalar, span: Span) {
        let Node::Product(amplitude, factors) = self.pool().node(s.expr) else { return };
        let is_wave = |e: Expr| matches!(self.pool().node(e), Node::Call(Function::Sin | Function::Cos, _));
        let [(wave, power)] = factors.as_ref() else { return };
        let is_large = amplitude.to_f64().abs() > std::f64::consts::TAU;
        if !is_large || !is_wave(*wave) || *power != Rational::ONE {
            return;
        }
        let size = amplitude.to_f64().abs();
        let d = Diagnostic::warning(codes::BARE, format!("this angle reaches {size} radians"));
        let d = d.at(span, "more than a turn").because("an angle without a unit is in radians");
        self.report(d.hint(format!("write `{size} [deg]*…`, or `{size} [rad]*…` if that is meant")));
    }

    /// The same of every component of a tuple of angles.
    pub fn bare_angles(&mut self, parts: &[(Value, Span)]) -> Option<()> {
        for (value, span) in parts {
            if let Value::Scalar(s) = value
                && s.bare
            {
                self.bare_angle(s, *span)?;
            }
        }
        Some(())
    }

    /// Warns of a bare number of more than a turn where radians are taken: degrees are meant as a rule.
    pub fn bare_turn(&mut self, s: &Scalar, span: Span, message: String) {
        let number = self.pool().as_number(s.expr).filter(|_| s.bare);
        if !number.is_some_and(|n| n.to_f64().abs() > std::f64::consts::TAU) {
            return;
        }
        let d = Diagnostic::warning(codes::BARE, message);
        let d = d.at(span, "more than a turn").because("an angle without a unit is in radians");
        let [degrees, radians] = ["deg", "rad"].map(|unit| self.text_with_unit(span, unit));
        self.report(d.hint(format!("write `{degrees}`, or `{radians}` if that is meant")));
    }

    /// The number, if it has the dimension. `what` begins the message: "this torque".
    pub fn expect(
        &mut self,
        s: &Scalar,
        e: &syntax::Expr,
        dimension: Dimension,
        what: &str,
        env: &Env<'t>,
    ) -> Option<Expr> {
        if s.bare && !s.dimension.compatible(&dimension) {
            if !self.pool().is_zero(s.expr) {
                self.adopt(e.span, &dimension)?;
            }
            return Some(s.expr);
        }
        if s.dimension.compatible(&dimension) {
            self.cycles_for_angle(s, e.span, &dimension);
            if s.bare && dimension == Dimension::ANGLE {
                self.bare_angle(s, e.span)?;
            } else if dimension == Dimension::ANGLE && s.dimension == Dimension::ONE {
                self.bare_amplitude(s, e.span);
            }
            return Some(s.expr);
        }
        self.wrong_dimension(&s.dimension, e, dimension, what, env);
        None
    }

    /// The vector, if it has the dimension.
    pub fn expect_arrow(
        &mut self,
        a: &Arrow,
        e: &syntax::Expr,
        dimension: Dimension,
        what: &str,
        env: &Env<'t>,
    ) -> Option<Vector> {
        if a.dimension.compatible(&dimension) || a.vector.is_zero() {
            return Some(a.vector.clone());
        }
        if a.bare {
            self.adopt(e.span, &dimension)?;
            return Some(a.vector.clone());
        }
        self.wrong_dimension(&a.dimension, e, dimension, what, env);
        None
    }

    fn wrong_dimension(
        &mut self,
        found: &Dimension,
        e: &syntax::Expr,
        expected: Dimension,
        what: &str,
        env: &Env<'t>,
    ) {
        let message = match noun(found) {
            Some("a plain number") => format!("{what} has no dimension"),
            Some(noun) => format!("{what} has the dimension of {noun}"),
            None => format!("{what} has the wrong dimension"),
        };
        let d = Diagnostic::error(codes::DIMENSION, message);
        let d = d.at(e.span, format!("[{found}], expected [{expected}]"));
        let help = self.dimension_help(found, e, &expected, env);
        self.report(d.hint(help));
    }

    /// A unit that is often taken for another, in a number or in a factor of a product: `[lb]` for `[lbf]`.
    fn mistaken_unit(&self, found: &Dimension, e: &syntax::Expr, expected: &Dimension) -> Option<String> {
        let factors: Vec<&syntax::Expr> = match &e.kind {
            ExprKind::Chain { first, rest } if rest.iter().all(|(op, _)| *op == ChainOp::Multiply) => {
                std::iter::once(&**first).chain(rest.iter().map(|(_, e)| e)).collect()
            }
            _ => vec![e],
        };
        factors.into_iter().take(20).find_map(|factor| {
            let ExprKind::Quantity { unit, .. } = &factor.kind else { return None };
            let dimension = Unit::parse(&unit.text).ok()?.dimension();
            let meant = probably_meant(&unit.text, &(dimension * *expected / *found))?;
            Some(format!("write `[{meant}]`"))
        })
    }

    /// A factor whose removal mends the dimension, a unit that was meant, or what is missing.
    fn dimension_help(
        &mut self,
        found: &Dimension,
        e: &syntax::Expr,
        expected: &Dimension,
        env: &Env<'t>,
    ) -> String {
        if let Some(help) = self.mistaken_unit(found, e, expected) {
            return help;
        }
        if let ExprKind::Chain { rest, .. } = &e.kind {
            for (op, operand) in rest.iter().take(20) {
                let (value, _) = self.quietly(|r| r.evaluate(operand, env));
                let Some(Value::Scalar(s)) = value else { continue };
                let without = match op {
                    ChainOp::Multiply => *found / s.dimension,
                    ChainOp::Divide => *found * s.dimension,
                    _ => continue,
                };
                if without.compatible(expected) && !s.dimension.is_dimensionless() {
                    let text = self.text(operand.span);
                    if text == "t"
                        && let Some(number) = bare_number(e)
                    {
                        let rate = *expected / s.dimension;
                        return format!("the number has a unit: `{} [{rate}]`", self.text(number));
                    }
                    let made = noun(found).map_or(format!("[{found}]"), str::to_owned);
                    let how = if *op == ChainOp::Divide { "dividing" } else { "multiplying" };
                    return format!(
                        "{text} is [{}]; {how} by it makes {made}. Remove `{} {text}`",
                        s.dimension,
                        op.symbol()
                    );
                }
            }
        }
        if let ExprKind::Quantity { value, .. } = &e.kind {
            let number = self.text(value.span);
            return format!("write a value in [{expected}]: `{number} [{expected}]`");
        }
        let missing = *expected / *found;
        if found.is_dimensionless() {
            let text = self.text(e.span);
            return match e.kind {
                ExprKind::Name(_) => {
                    format!("give it its unit where it is declared: `{text} = 1 [{expected}]`")
                }
                _ => format!("a factor in [{expected}] is missing"),
            };
        }
        format!("a factor in [{missing}] is missing, or a factor too many")
    }

    /// The common dimension of numbers that are added, compared or chosen between.
    pub fn agree(&mut self, scalars: &[(Scalar, Span)], what: &str) -> Option<(Dimension, bool)> {
        self.cycles_beside_angles(scalars);
        let places: Vec<_> = scalars
            .iter()
            .map(|(s, span)| (s.dimension, s.bare, self.pool().is_zero(s.expr), *span))
            .collect();
        self.agree_on(&places, what)
    }

    /// As [`agree`](Self::agree), from dimension, bareness, vanishing and place of each.
    pub fn agree_on(
        &mut self,
        parts: &[(Dimension, bool, bool, Span)],
        what: &str,
    ) -> Option<(Dimension, bool)> {
        let Some((first, _, _, first_span)) = parts
            .iter()
            .find(|(_, bare, zero, _)| !bare && !zero)
            .or_else(|| parts.iter().find(|(_, bare, _, _)| !bare))
        else {
            return Some((Dimension::ONE, true));
        };
        let mut dimension = *first;
        for (d, bare, zero, span) in parts {
            if d.compatible(&dimension) {
                dimension = dimension.join(*d).unwrap_or(dimension);
            } else if *bare {
                if !zero {
                    self.adopt(*span, &dimension)?;
                }
            } else {
                let message = match (noun(first), noun(d)) {
                    (Some(a), Some(b)) => format!("{a} and {b} cannot be {what}"),
                    _ => format!("quantities of different dimension cannot be {what}"),
                };
                let diagnostic =
                    Diagnostic::error(codes::MIXED_DIMENSIONS, message).at(*span, format!("[{d}]"));
                let diagnostic = diagnostic.also(*first_span, format!("[{first}]"));
                let help = format!("a factor in [{}] is missing in one of them", *first / *d);
                self.report(diagnostic.hint(help));
                return None;
            }
        }
        Some((dimension, false))
    }

    /// Checks the dimension of several numbers at once.
    pub fn expect_components(
        &mut self,
        values: &[Expr],
        found: Dimension,
        bare: bool,
        expected: Dimension,
        span: Span,
        what: &str,
    ) -> Option<()> {
        let all_zero = values.iter().all(|v| self.pool().is_zero(*v));
        if found.compatible(&expected) || all_zero {
            return Some(());
        }
        if bare {
            return self.adopt(span, &expected);
        }
        let message = match noun(&found) {
            Some("a plain number") | None => format!("{what} has the wrong dimension"),
            Some(noun) => format!("{what} has the dimension of {noun}"),
        };
        let d = Diagnostic::error(codes::DIMENSION, message)
            .at(span, format!("[{found}], expected [{expected}]"));
        let text = self.text(span);
        let written =
            text.strip_suffix(']').and_then(|t| t.rsplit_once('[')).map(|(_, unit)| unit.to_owned());
        let missing = (expected / found).to_string();
        self.report(match written {
            Some(unit) if missing.starts_with("1/") => {
                d.hint(format!("write a value in [{expected}]: `[{unit}{}]`", &missing[1..]))
            }
            Some(unit) => d.hint(format!("write a value in [{expected}]: `[{unit}*{missing}]`")),
            None => d.hint(format!("write the unit after the bracket: `(1, 2, 3) [{expected}]`")),
        });
        None
    }
}
