//! How each value of a program depends on time: not at all, affinely, otherwise, or on more than time.

use cardan_base::Id;
use cardan_program::{Binary, InputId, Op, Program, Unary, ValueId, semantics};

/// What is known of a value during a motion. A truth value is 1 or 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Form {
    /// Fixed at this number.
    Known(f64),
    /// c + d t.
    Affine(f64, f64),
    /// Another function of time alone.
    Curve,
    /// Depends on the state, or on what is not looked into.
    Other,
}

/// The forms of all values.
pub(super) struct Forms {
    forms: Vec<Form>,
}

impl Forms {
    /// Goes through the values in order.
    pub fn of(program: &Program, time: InputId, known: &dyn Fn(InputId) -> Option<f64>) -> Self {
        let mut forms: Vec<Form> = Vec::with_capacity(program.values().len());
        for (_, op) in program.values().iter() {
            let form = match op {
                Op::Input(i) if *i == time => Form::Affine(0.0, 1.0),
                Op::Input(i) => known(*i).map_or(Form::Other, Form::Known),
                _ => form_of(program, op, &forms),
            };
            forms.push(form);
        }
        Forms { forms }
    }

    /// The form of `a`, or of `a - b`.
    pub fn of_difference(&self, (a, b): (ValueId, Option<ValueId>)) -> Form {
        let at = |v: ValueId| self.forms[v.index()];
        match b {
            None => at(a),
            Some(b) => combine(Binary::Sub, at(a), at(b)),
        }
    }
}

fn form_of(program: &Program, op: &Op, forms: &[Form]) -> Form {
    let at = |v: ValueId| forms[v.index()];
    match op {
        Op::Unary(Unary::Neg, x) => combine(Binary::Sub, Form::Known(0.0), at(*x)),
        Op::Binary(operation, a, b) => combine(*operation, at(*a), at(*b)),
        Op::Fma(a, b, c) => combine(Binary::Add, combine(Binary::Mul, at(*a), at(*b)), at(*c)),
        Op::Select(c, a, b) => match at(*c) {
            Form::Known(c) => at(if c != 0.0 { *a } else { *b }),
            other => join(&[other, at(*a), at(*b)]),
        },
        _ => {
            let operands: Vec<Form> = op.operands().into_iter().map(at).collect();
            let number = |v: ValueId| match at(v) {
                Form::Known(x) => x,
                _ => f64::NAN,
            };
            match join(&operands) {
                Form::Known(_) => evaluate(program, op, &number).map_or(Form::Other, Form::Known),
                Form::Curve if is_simple(op) => Form::Curve,
                _ => Form::Other,
            }
        }
    }
}

/// The form of a function of values with these forms, of which nothing more is known.
fn join(forms: &[Form]) -> Form {
    if forms.contains(&Form::Other) {
        Form::Other
    } else if forms.iter().all(|f| matches!(f, Form::Known(_))) {
        Form::Known(0.0)
    } else {
        Form::Curve
    }
}

fn combine(operation: Binary, a: Form, b: Form) -> Form {
    use Form::{Affine, Known};
    let line = |form: Form| match form {
        Known(x) => Some((x, 0.0)),
        Affine(c, d) => Some((c, d)),
        _ => None,
    };
    match (operation, a, b) {
        (_, Known(x), Known(y)) => Known(semantics::binary(operation, x, y)),
        (Binary::Add | Binary::Sub, ..) => match (line(a), line(b)) {
            (Some((c, d)), Some((e, f))) => {
                Affine(semantics::binary(operation, c, e), semantics::binary(operation, d, f))
            }
            _ => join(&[a, b]),
        },
        (Binary::Mul, Affine(c, d), Known(k)) | (Binary::Mul, Known(k), Affine(c, d)) => Affine(c * k, d * k),
        (Binary::Div, Affine(c, d), Known(k)) => Affine(c / k, d / k),
        _ => join(&[a, b]),
    }
}

/// Whether [`evaluate`] knows the operation.
fn is_simple(op: &Op) -> bool {
    !matches!(op, Op::Input(_) | Op::Call { .. } | Op::Solve(_) | Op::Extract { .. })
}

/// The value of an operation on numbers; nothing for what is not looked into.
pub(super) fn evaluate(program: &Program, op: &Op, at: &dyn Fn(ValueId) -> f64) -> Option<f64> {
    let truth = |b: bool| f64::from(u8::from(b));
    Some(match op {
        Op::Const(c) => c.value(),
        Op::Truth(b) => truth(*b),
        Op::Unary(operation, x) => semantics::unary(*operation, at(*x)),
        Op::Binary(operation, a, b) => semantics::binary(*operation, at(*a), at(*b)),
        Op::Fma(a, b, c) => at(*a).mul_add(at(*b), at(*c)),
        Op::Powi(x, n) => at(*x).powi(*n),
        Op::Compare(comparison, a, b) => truth(semantics::compare(*comparison, at(*a), at(*b))),
        Op::Logic(logic, a, b) => truth(semantics::logic(*logic, at(*a) != 0.0, at(*b) != 0.0)),
        Op::Not(a) => truth(at(*a) == 0.0),
        Op::Select(c, a, b) => at(if at(*c) != 0.0 { *a } else { *b }),
        Op::Lookup1 { table, x, order } => program.curves()[*table].eval(at(*x), *order),
        Op::Lookup2 { table, x, y, dx, dy } => program.surfaces()[*table].eval(at(*x), at(*y), *dx, *dy),
        Op::Input(_) | Op::Call { .. } | Op::Solve(_) | Op::Extract { .. } => return None,
    })
}
