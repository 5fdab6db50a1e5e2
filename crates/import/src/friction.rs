//! Dry friction in joints.
//!
//! ```text
//! [dry]     Q = -F sign(u)      along a degree of freedom with the rate u
//! ```
//!
//! The force jumps with the sense of the motion. Where both senses push the joint back to rest a run holds it there, with a force between -F and F, until
//! more pulls at it; the energy that it takes is in the audit.

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Function, Rational};
use cardan_model::Freedom;
use cardan_units::Dimension;

use crate::assembly::Assembly;
use crate::codes;

/// Adds dry friction of the size `size` along each of some degrees of freedom, all translations or all rotations.
pub(crate) fn add(
    assembly: &mut Assembly<'_>,
    joint: &str,
    freedoms: &[Freedom],
    dimension: Dimension,
    size: &Rational,
    span: Span,
) {
    let size = assembly.number_datum(format!("{joint}.friction"), dimension, size, span);
    for freedom in freedoms {
        let pool = assembly.pool();
        let sense = pool.call(Function::Sign, &[assembly.builder.space().rate(freedom.rate)]);
        let effort = pool.neg(pool.mul(size, sense)); // [dry]
        assembly.add_effort(format!("{joint}.dry"), *freedom, effort, None, Some(span));
    }
}

/// Says that the dry friction of a joint is left out, which both slides and turns.
pub(crate) fn left_out(assembly: &mut Assembly<'_>, joint: &str, span: Span) {
    let message = format!("the dry friction of joint `{joint}` is left out");
    let mut one = Diagnostic::warning(codes::LEFT_OUT, message)
        .at(span, "slides and turns")
        .because("one number cannot be both a force and a torque")
        .hint("add the friction to the model as loads, or import it as damping");
    one.severity = assembly.findings.severity();
    assembly.findings.tally(one, "the dry friction of {n} joints that slide and turn is left out");
}
