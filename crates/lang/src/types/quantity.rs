//! A single quantity from a text, as on a command line: `12 [N/m]`, `(1/2) [m]`, `30 [deg]`.

use cardan_base::{Diagnostic, Diagnostics, Sources};
use cardan_expr::Depends;
use cardan_model::Builder;
use cardan_units::Dimension;

use crate::codes;
use crate::context::{Env, Resolver};

/// A number with its dimension.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReadQuantity {
    /// In SI units.
    pub value: f64,
    /// What kind of quantity.
    pub dimension: Dimension,
    /// Written without any unit: it takes the SI unit that its place needs.
    pub bare: bool,
}

impl ReadQuantity {
    /// The value where a dimension is expected; nothing if it has another one.
    pub fn expect(&self, dimension: &Dimension) -> Option<f64> {
        (self.bare || self.dimension.compatible(dimension)).then_some(self.value)
    }
}

/// Reads one quantity made of numbers, units and functions of them. The name is shown in the findings.
pub fn read_quantity(name: &str, text: &str) -> (Option<ReadQuantity>, Sources, Diagnostics) {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let (expr, mut diagnostics) = cardan_syntax::parse_expression(file, text);
    let mut resolver = Resolver::new(&sources, Builder::new("quantity", "N"));
    resolver.incomplete = diagnostics.has_errors();
    let read = resolver.any_scalar(&expr, &Env::default());
    let read = read.and_then(|s| {
        if resolver.pool().depends(s.expr) != Depends::NOTHING {
            let d = Diagnostic::error(codes::VARIES, "a value given from outside must not vary")
                .at(expr.span, "");
            resolver.report(d.hint("write a number with its unit, such as `12 [N/m]`"));
            return None;
        }
        let value = resolver.number_of(s.expr);
        Some(ReadQuantity { value, dimension: s.dimension, bare: s.bare })
    });
    diagnostics.append(std::mem::take(&mut resolver.diagnostics));
    let read = read.filter(|_| !diagnostics.has_errors());
    (read, sources, diagnostics)
}

#[cfg(test)]
mod tests {
    use crate::types::quantity::*;

    fn read(text: &str) -> Option<ReadQuantity> {
        read_quantity("--set", text).0
    }

    #[test]
    fn units_and_arithmetic_are_understood() {
        let k = read("12 [kN/m]").expect("a quantity");
        assert_eq!((k.value, k.expect(&Dimension::STIFFNESS)), (12_000.0, Some(12_000.0)));
        assert_eq!(k.expect(&Dimension::LENGTH), None);
        let angle = read("-30 [deg]").expect("a quantity");
        assert!((angle.value + std::f64::consts::PI / 6.0).abs() < 1e-16);
        let bare = read("2*sqrt(4) + pi - pi").expect("a quantity");
        assert!(bare.bare && bare.expect(&Dimension::FORCE) == Some(4.0));
    }

    #[test]
    fn everything_else_is_refused_with_a_reason() {
        for text in ["", "x", "t", "N.x", "(1, 2)", "1 [m] + 1 [s]", "1 [foo]", "1/0", "\"a\"", "1 2", "N"] {
            let (read, _, diagnostics) = read_quantity("--set", text);
            assert!(read.is_none() && diagnostics.has_errors(), "{text}");
        }
    }
}
