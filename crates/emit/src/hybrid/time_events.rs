//! Instants at which conditions of the clock switch: `mod(t, T) > width`, `sin(w*t) > level`.
//!
//! A step must end between any two switches, or they are not seen. So steps end where what a condition is made of switches, and where its number
//! may turn back:
//!
//! ```text
//! [zero]     a number that is a line until the next switch: where it vanishes
//! [turn]     a number that is a curve of time:  sin x, cos x: x a multiple of π/2;   x², x⁴, …, cosh x: x = 0       for lines x
//! ```
//!
//! Between two such instants sin x is monotone, so a level that it reaches lies between numbers of both signs. Sums of several waves may turn elsewhere; they
//! are looked at within steps that are at most as long as this says.

use std::f64::consts::FRAC_2_PI;

use cardan_base::Id;
use cardan_program::{Levels, Op, Unary, ValueId};

use crate::hybrid::discontinuities::{Form, Switches, form, needed, next, switches};
use crate::link::Composer;

/// Adds the instants of conditions with these numbers.
pub(crate) fn clocks(composer: &mut Composer, numbers: &[ValueId], found: &mut Switches) {
    let inner = switches(composer, numbers);
    found.times.extend(inner.times);
    found.curves.extend(inner.curves);
    let (time, states) = (composer.time, composer.states.clone());
    let b = &mut composer.builder;
    let all = needed(b, numbers);
    let mut forms: Vec<Form> = Vec::with_capacity(all.len());
    for (k, needed) in all.into_iter().enumerate() {
        let value = ValueId::from_index(k);
        let op = b.operation(value).clone();
        forms.push(if needed { form(b, value, &op, &forms, (time, &states)) } else { Form::Other });
    }
    for number in numbers {
        match forms[number.index()] {
            Form::Line(c, Some(d)) => found.times.extend(next(b, (c, d), &Levels::Zero, time)), // [zero]
            Form::Line(_, None) | Form::Other => {}
            Form::Curve => {
                for (k, _) in needed(b, &[*number]).into_iter().enumerate().filter(|(_, needed)| *needed) {
                    let (x, levels, scale) = match b.operation(ValueId::from_index(k)) {
                        Op::Unary(Unary::Sin | Unary::Cos, x) => (*x, Levels::Integers, FRAC_2_PI),
                        Op::Unary(Unary::Cosh, x) => (*x, Levels::Zero, 1.0),
                        Op::Powi(x, n) if n % 2 == 0 => (*x, Levels::Zero, 1.0),
                        _ => continue,
                    };
                    if let Form::Line(c, Some(d)) = forms[x.index()] {
                        let scale = b.constant(scale);
                        let [c, d] = [c, d].map(|v| b.mul(v, scale));
                        found.times.extend(next(b, (c, d), &levels, time)); // [turn]
                    }
                }
            }
        }
    }
    found.times.sort_unstable();
    found.times.dedup();
    found.curves.sort_unstable();
    found.curves.dedup();
}
