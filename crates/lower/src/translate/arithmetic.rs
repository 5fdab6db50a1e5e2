//! Sums, products and powers as operations of a program.
//!
//! Signs travel beside values, so that a sum subtracts instead of adding a negation. Operands are taken in the order
//! in which they become known, so that what depends on parameters alone is computed once, in the first stage.

use cardan_base::Id;
use cardan_expr::Rational;
use cardan_program::{Compare, Op, ProgramBuilder, StageId, Unary, ValueId};
use smallvec::SmallVec;

/// A value or its negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Signed {
    pub negative: bool,
    pub value: ValueId,
}

impl Signed {
    pub fn plus(value: ValueId) -> Signed {
        Signed { negative: false, value }
    }
    /// The value with its sign; the negative of a truth value is a number.
    pub fn settle(self, builder: &mut ProgramBuilder) -> ValueId {
        if !self.negative {
            return self.value;
        }
        let number = real(builder, self.value);
        builder.neg(number)
    }
}

/// A number.
pub(crate) fn number(builder: &mut ProgramBuilder, r: &Rational) -> Signed {
    Signed { negative: r.is_negative(), value: builder.constant(r.abs().to_f64()) }
}

/// A few values: there are very many products of a few factors.
pub(crate) type Factors = SmallVec<[Signed; 6]>;

/// The sum of all terms.
pub(crate) fn sum(builder: &mut ProgramBuilder, mut terms: Factors) -> Signed {
    terms.sort_by_key(|t| (builder.stage_of(t.value), t.value));
    let added = terms.into_iter().reduce(|a, b| match (a.negative, b.negative) {
        (false, true) => Signed::plus(builder.sub(a.value, b.value)),
        (true, false) => Signed::plus(builder.sub(b.value, a.value)),
        (negative, _) => Signed { negative, value: builder.add(a.value, b.value) },
    });
    added.unwrap_or_else(|| Signed::plus(builder.constant(0.0)))
}

/// The product of the numerators divided by that of the denominators, with one division at most. What is known
/// in the first stage is combined there.
pub(crate) fn quotient(
    builder: &mut ProgramBuilder,
    numerators: &[Signed],
    denominators: &[Signed],
) -> Signed {
    let negative = numerators.iter().chain(denominators).fold(false, |n, f| n != f.negative);
    if denominators.is_empty() {
        // In the order in which they become known, what the first stage knows is combined there by itself.
        let value = match numerators {
            [] => builder.constant(1.0),
            [only] => only.value,
            [a, b] => {
                let key = |f: &Signed| (builder.stage_of(f.value), f.value);
                let (a, b) = if key(a) <= key(b) { (a, b) } else { (b, a) };
                builder.mul(a.value, b.value)
            }
            more => {
                let values: Values = more.iter().map(|f| f.value).collect();
                product(builder, values).unwrap_or_else(|| builder.constant(1.0))
            }
        };
        return Signed { negative, value };
    }
    let first = StageId::from_index(0);
    let split = |b: &ProgramBuilder, factors: &[Signed]| -> (Values, Values) {
        let (mut early, mut late) = (Values::new(), Values::new());
        for f in factors {
            let list = if b.stage_of(f.value) == first { &mut early } else { &mut late };
            list.push(f.value);
        }
        (early, late)
    };
    let (early_n, late_n) = split(builder, numerators);
    let (early_d, late_d) = split(builder, denominators);
    let constant = match (product(builder, early_n), product(builder, early_d)) {
        (n, None) => n,
        (n, Some(d)) => {
            let n = n.unwrap_or_else(|| builder.constant(1.0));
            Some(builder.div(n, d))
        }
    };
    let numerator = product(builder, constant.into_iter().chain(late_n).collect());
    let value = match (numerator, product(builder, late_d)) {
        (Some(n), None) => n,
        (None, None) => builder.constant(1.0),
        (n, Some(d)) => {
            let n = n.unwrap_or_else(|| builder.constant(1.0));
            builder.div(n, d)
        }
    };
    Signed { negative, value }
}

type Values = SmallVec<[ValueId; 6]>;

fn product(builder: &mut ProgramBuilder, mut factors: Values) -> Option<ValueId> {
    // Equal keys are equal values: the order is the same on every run.
    factors.sort_unstable_by_key(|v| (builder.stage_of(*v), *v));
    factors.into_iter().reduce(|a, b| builder.mul(a, b))
}

/// The largest whole power that is spelled out as multiplications.
const LARGEST_SPELLED: u32 = 64;

/// A positive whole power, by squarings that other powers of the same base share.
pub(crate) fn whole_power(builder: &mut ProgramBuilder, base: ValueId, n: u32) -> ValueId {
    if n > LARGEST_SPELLED {
        return match i32::try_from(n) {
            Ok(n) => builder.powi(base, n),
            Err(_) => {
                let exponent = builder.constant(f64::from(n));
                builder.binary(cardan_program::Binary::Pow, base, exponent)
            }
        };
    }
    let mut result: Option<ValueId> = None;
    let mut square = base;
    let mut rest = n;
    while rest > 0 {
        if rest & 1 == 1 {
            result = Some(result.map_or(square, |r| builder.mul(r, square)));
        }
        rest >>= 1;
        if rest > 0 {
            square = builder.mul(square, square);
        }
    }
    result.unwrap_or_else(|| builder.constant(1.0))
}

/// A power as factors above and below the fraction line.
pub(crate) fn power(
    builder: &mut ProgramBuilder,
    base: Signed,
    exponent: &Rational,
    numerators: &mut Factors,
    denominators: &mut Factors,
) {
    if exponent.is_one() {
        numerators.push(base);
        return;
    }
    let above = !exponent.is_negative();
    let size = exponent.abs();
    let whole = size.to_int().and_then(|n| u32::try_from(n).ok());
    let twice = size.mul(&Rational::int(2)).to_int().and_then(|n| u32::try_from(n).ok());
    let list = if above { numerators } else { denominators };
    match (whole, twice) {
        (Some(n), _) => {
            let value = whole_power(builder, base.value, n);
            list.push(Signed { negative: base.negative && n % 2 == 1, value });
        }
        (None, Some(n)) => {
            // x^(k + 1/2) = x^k sqrt(x)
            let x = base.settle(builder);
            if n > 1 {
                let value = whole_power(builder, x, n / 2);
                list.push(Signed::plus(value));
            }
            list.push(Signed::plus(builder.unary(Unary::Sqrt, x)));
        }
        (None, None) => {
            let x = base.settle(builder);
            let n = builder.constant(size.to_f64());
            list.push(Signed::plus(builder.binary(cardan_program::Binary::Pow, x, n)));
        }
    }
}

/// Whether a value is true or false rather than a number.
pub(crate) fn is_truth(builder: &ProgramBuilder, value: ValueId) -> bool {
    matches!(builder.operation(value), Op::Truth(_) | Op::Compare(..) | Op::Logic(..) | Op::Not(_))
}

/// The truth of a value: a number is true unless it is zero.
pub(crate) fn truth(builder: &mut ProgramBuilder, value: ValueId) -> ValueId {
    if is_truth(builder, value) {
        return value;
    }
    let zero = builder.constant(0.0);
    builder.compare(Compare::Ne, value, zero)
}

/// A value as a number: true is 1, false is 0.
pub(crate) fn real(builder: &mut ProgramBuilder, value: ValueId) -> ValueId {
    if !is_truth(builder, value) {
        return value;
    }
    let (one, zero) = (builder.constant(1.0), builder.constant(0.0));
    builder.select(value, one, zero)
}
