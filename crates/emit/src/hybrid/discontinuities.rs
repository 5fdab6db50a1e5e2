//! Instants at which functions of time or of the state switch: `if t < 0.5 then …`, a table of steps, a square wave by `floor(t/T)`, the pin
//! of a Geneva drive that enters its slot.
//!
//! There the derivatives of the state jump, and an integrator that steps across loses its order. A run finds such times beforehand; a
//! complete program, whose parameters and discrete states may be others, computes at each instant when the next one comes.
//!
//! ```text
//! [switch]   g(t) = level     of the program's switching functions
//! [line]     g = c + d t, with c and d of parameters and discrete states    =>    t = (level - c) / d
//! [after]    of many levels, the first one beyond g a little later than now: so one that is reached is not met again
//! [piece]    floor, sign, |x|, min, max, if, a table of steps of such lines are lines themselves until one of them switches: the one that holds a little
//!            later than now
//! [curve]    g another function of time alone, level 0:  watched for its sign as comparisons of events are
//! [state]    g a function of the state: watched too, since a motion that is smooth before and after may go through a short stretch between two
//!            switches in one step; of a floor, sin πg is watched
//! ```
//!
//! Switches that may hold the motion are told their sides before they come here ([`crate::nonsmooth::sliding`]). |x| of the state and tables are left to the integrator's error
//! control.

use cardan_base::Id;
use cardan_program::{
    Beyond, Binary, Compare, Curve, InputId, Kind, Levels, Op, ProgramBuilder, SwitchingFunction, Unary,
    ValueId, switching_functions,
};

use crate::link::Composer;

/// "A little later": this part of the time's size.
const SOON: f64 = 16.0 * f64::EPSILON;

/// A time that never comes.
pub(crate) const NEVER: f64 = 1e300;

/// When functions of time switch next.
#[derive(Default)]
pub(crate) struct Switches {
    /// Times; those that are not later than now do not count.
    pub times: Vec<ValueId>,
    /// Functions of time or of the state that are watched for their sign.
    pub curves: Vec<ValueId>,
}

/// What is known of a value.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// c + d t until the next switch; without d it changes with switches and discrete states at most.
    Line(ValueId, Option<ValueId>),
    /// Another function of time, of parameters and discrete states.
    Curve,
    /// Depends on the state, or is not looked into.
    Other,
}

/// The switches of everything that `results` depend on.
pub(crate) fn switches(composer: &mut Composer, results: &[ValueId]) -> Switches {
    let (time, states) = (composer.time, composer.states.clone());
    let b = &mut composer.builder;
    let needed = needed(b, results);
    let mut forms: Vec<Form> = Vec::with_capacity(needed.len());
    let mut found = Switches::default();
    for (k, needed) in needed.into_iter().enumerate() {
        let value = ValueId::from_index(k);
        let op = b.operation(value).clone();
        forms.push(if needed { form(b, value, &op, &forms, (time, &states)) } else { Form::Other });
        if !needed {
            continue;
        }
        for SwitchingFunction { first: x, second: y, levels } in
            switching_functions(&op, b.curves(), b.surfaces())
        {
            let difference = match y {
                None => forms[x.index()],
                Some(y) => combine(b, Binary::Sub, forms[x.index()], forms[y.index()]),
            };
            match (difference, levels) {
                (Form::Line(c, Some(d)), levels) => found.times.extend(next(b, (c, d), &levels, time)),
                (Form::Curve, Levels::Zero) => found.curves.push(match y {
                    None => x,
                    Some(y) => b.sub(x, y),
                }),
                // [state]
                (Form::Other, Levels::Zero) if y.is_some() => found.curves.extend(y.map(|y| b.sub(x, y))),
                (Form::Other | Form::Curve, Levels::Integers) => {
                    let pi = b.constant(std::f64::consts::PI);
                    let angle = b.mul(x, pi);
                    found.curves.push(b.unary(Unary::Sin, angle));
                }
                _ => {}
            }
        }
    }
    found.times.sort_unstable();
    found.times.dedup();
    found.curves.sort_unstable();
    found.curves.dedup();
    found
}

/// Which values others depend on.
pub(crate) fn needed(b: &ProgramBuilder, results: &[ValueId]) -> Vec<bool> {
    let mut needed = vec![false; b.n_values()];
    results.iter().for_each(|v| needed[v.index()] = true);
    for k in (0..needed.len()).rev() {
        if needed[k] {
            b.operation(ValueId::from_index(k)).for_each_operand(|v| needed[v.index()] = true);
        }
    }
    needed
}

pub(crate) fn form(
    b: &mut ProgramBuilder,
    value: ValueId,
    op: &Op,
    forms: &[Form],
    (time, states): (InputId, &[InputId]),
) -> Form {
    let at = |v: ValueId| forms[v.index()];
    match op {
        Op::Input(i) if *i == time => {
            let [zero, one] = [0.0, 1.0].map(|x| b.constant(x));
            Form::Line(zero, Some(one))
        }
        Op::Input(i) if states.contains(i) => Form::Other,
        Op::Call { .. } | Op::Solve(_) | Op::Extract { .. } => Form::Other,
        Op::Unary(Unary::Neg, x) => {
            let zero = b.constant(0.0);
            combine(b, Binary::Sub, Form::Line(zero, None), at(*x))
        }
        Op::Unary(Unary::Floor, x) => match at(*x) {
            Form::Line(c, Some(d)) => {
                let g = soon(b, (c, d), time);
                Form::Line(b.unary(Unary::Floor, g), None) // [piece]
            }
            other => join(b, value, op, &[other]),
        },
        Op::Unary(operation @ (Unary::Abs | Unary::Sign), x) => match at(*x) {
            Form::Line(c, Some(d)) => {
                let g = soon(b, (c, d), time);
                let [zero, one, minus] = [0.0, 1.0, -1.0].map(|x| b.constant(x));
                let below = b.compare(Compare::Lt, g, zero);
                let sign = b.select(below, minus, one);
                if *operation == Unary::Sign {
                    Form::Line(sign, None)
                } else {
                    let [c, d] = [c, d].map(|v| b.mul(v, sign));
                    Form::Line(c, Some(d))
                }
            }
            other => join(b, value, op, &[other]),
        },
        Op::Binary(Binary::Min | Binary::Max, x, y) | Op::Compare(_, x, y) => {
            let (Form::Line(p, d), Form::Line(q, e)) = (at(*x), at(*y)) else {
                return join(b, value, op, &[at(*x), at(*y)]);
            };
            if d.is_none() && e.is_none() {
                return join(b, value, op, &[at(*x), at(*y)]);
            }
            let zero = b.constant(0.0);
            let (d, e) = (d.unwrap_or(zero), e.unwrap_or(zero));
            let [g, h] = [(p, d), (q, e)].map(|line| soon(b, line, time));
            if let Op::Compare(comparison, ..) = op {
                return Form::Line(b.compare(*comparison, g, h), None);
            }
            let less = b.compare(Compare::Lt, g, h);
            let first = if matches!(op, Op::Binary(Binary::Min, ..)) { less } else { b.not(less) };
            Form::Line(b.select(first, p, q), Some(b.select(first, d, e)))
        }
        Op::Lookup1 { table, x, order: 0 } if b.curves()[*table].kind() == Kind::Steps => match at(*x) {
            Form::Line(c, Some(d)) => {
                let g = soon(b, (c, d), time);
                Form::Line(b.lookup1(*table, g, 0), None)
            }
            other => join(b, value, op, &[other]),
        },
        Op::Binary(operation, x, y) => combine(b, *operation, at(*x), at(*y)),
        Op::Fma(x, y, z) => {
            let product = combine(b, Binary::Mul, at(*x), at(*y));
            combine(b, Binary::Add, product, at(*z))
        }
        Op::Select(c, x, y) => match (at(*c), at(*x), at(*y)) {
            (Form::Line(c, None), Form::Line(p, d), Form::Line(q, e)) if d.is_some() || e.is_some() => {
                let zero = b.constant(0.0);
                let slope = b.select(c, d.unwrap_or(zero), e.unwrap_or(zero));
                Form::Line(b.select(c, p, q), Some(slope))
            }
            (c, x, y) => join(b, value, op, &[c, x, y]),
        },
        _ => join(b, value, op, &op.operands().into_iter().map(at).collect::<Vec<_>>()),
    }
}

/// The form of an operation of which nothing more is known than what it depends on.
fn join(b: &mut ProgramBuilder, value: ValueId, op: &Op, forms: &[Form]) -> Form {
    if forms.iter().any(|f| matches!(f, Form::Other)) {
        return Form::Other;
    }
    let still = |f: &Form| if let Form::Line(v, None) = f { Some(*v) } else { None };
    let Some(values) = forms.iter().map(still).collect::<Option<Vec<_>>>() else { return Form::Curve };
    let operands = op.operands();
    if operands == values {
        return Form::Line(value, None);
    }
    // The same of what its operands are a little later than now.
    let later = |v: ValueId| operands.iter().position(|o| *o == v).map_or(v, |k| values[k]);
    Form::Line(b.op(op.map_operands(later)), None)
}

/// The form of a sum, a difference, a product, a quotient.
fn combine(b: &mut ProgramBuilder, operation: Binary, x: Form, y: Form) -> Form {
    match (operation, x, y) {
        (_, Form::Other, _) | (_, _, Form::Other) => Form::Other,
        (_, Form::Line(p, None), Form::Line(q, None)) => Form::Line(b.binary(operation, p, q), None),
        (Binary::Add | Binary::Sub, Form::Line(p, d), Form::Line(q, e)) => {
            let zero = b.constant(0.0);
            let slope = b.binary(operation, d.unwrap_or(zero), e.unwrap_or(zero));
            Form::Line(b.binary(operation, p, q), Some(slope))
        }
        (Binary::Mul, Form::Line(p, Some(d)), Form::Line(k, None))
        | (Binary::Mul, Form::Line(k, None), Form::Line(p, Some(d)))
        | (Binary::Div, Form::Line(p, Some(d)), Form::Line(k, None)) => {
            let [p, d] = [p, d].map(|v| b.binary(operation, v, k));
            Form::Line(p, Some(d))
        }
        _ => Form::Curve,
    }
}

/// When c + d t reaches its level, or the next of its levels. [line] [after]
pub(crate) fn next(
    b: &mut ProgramBuilder,
    (c, d): (ValueId, ValueId),
    levels: &Levels,
    time: InputId,
) -> Vec<ValueId> {
    let (above, below) = match levels {
        Levels::Zero => {
            let zero = b.constant(0.0);
            (Some(zero), Some(zero))
        }
        Levels::Integers => {
            let g = soon(b, (c, d), time);
            let one = b.constant(1.0);
            let whole = b.unary(Unary::Floor, g);
            let minus = b.neg(g);
            let under = b.unary(Unary::Floor, minus);
            let under = b.neg(under);
            (Some(b.add(whole, one)), Some(b.sub(under, one)))
        }
        Levels::These(knots) => {
            let g = soon(b, (c, d), time);
            (successor(b, knots, g), predecessor(b, knots, g))
        }
    };
    let (Some(above), Some(below)) = (above, below) else { return vec![] };
    let zero = b.constant(0.0);
    let grows = b.compare(Compare::Lt, zero, d);
    let level = b.select(grows, above, below);
    let gap = b.sub(level, c);
    if matches!(b.operation(d), Op::Const(_)) {
        return vec![b.div(gap, d)];
    }
    // A line may be level in some of its pieces: it switches never then.
    let [one, never] = [1.0, NEVER].map(|x| b.constant(x));
    let level = b.compare(Compare::Eq, d, zero);
    let slope = b.select(level, one, d);
    let at = b.div(gap, slope);
    vec![b.select(level, never, at)]
}

/// c + d t a little later than now.
fn soon(b: &mut ProgramBuilder, (c, d): (ValueId, ValueId), time: InputId) -> ValueId {
    let t = b.input_value(time);
    let (size, part) = (b.unary(Unary::Abs, t), b.constant(SOON));
    let shift = b.mul(size, part);
    let later = b.add(t, shift);
    let turn = b.mul(d, later);
    b.add(c, turn)
}

/// The first of the increasing knots that is greater than g; the last one where there is none.
fn successor(b: &mut ProgramBuilder, knots: &[f64], g: ValueId) -> Option<ValueId> {
    let (first, last) = (*knots.first()?, *knots.last()?);
    // Steps hold the value of the knot before: at knot k the value is knot k + 1.
    let following = knots.iter().skip(1).copied().chain([last]).collect();
    let steps = Curve::new("knots", Kind::Steps, Beyond::Clamp, knots.to_vec(), following).ok()?;
    let table = b.shared_curve(&steps);
    let inside = b.lookup1(table, g, 0);
    let first = b.constant(first);
    let before = b.compare(Compare::Lt, g, first);
    Some(b.select(before, first, inside))
}

/// The last of the increasing knots that is less than g; the first one where there is none.
fn predecessor(b: &mut ProgramBuilder, knots: &[f64], g: ValueId) -> Option<ValueId> {
    let mirrored: Vec<f64> = knots.iter().rev().map(|k| -k).collect();
    let minus = b.neg(g);
    let found = successor(b, &mirrored, minus)?;
    Some(b.neg(found))
}
