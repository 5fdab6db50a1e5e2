//! An operation as people write it: `x > 5`, `max(0, -z)`, `floor((crank + 3.14159) / 6.28319)`.

use cardan_program::{Binary, Compare, Op, Program, Unary, ValueId};

/// Deeper expressions are not spelled out.
const DEPTH: usize = 7;
/// Longer texts are cut.
const LENGTH: usize = 100;

/// How tightly an expression holds together.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Loose,
    Sum,
    Product,
    Tight,
}

/// The text of an operation of a program.
pub fn words(program: &Program, op: &Op) -> String {
    cut(spell(program, op, 0).0)
}

/// The text of a value of a program.
pub(crate) fn operand(program: &Program, value: ValueId) -> String {
    cut(spell(program, &program.values()[value], 1).0)
}

fn cut(text: String) -> String {
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}

fn spell(program: &Program, op: &Op, depth: usize) -> (String, Binding) {
    use Binding::{Loose, Product, Sum, Tight};
    if depth > DEPTH {
        return ("…".into(), Tight);
    }
    let at = |v: &ValueId, least: Binding| {
        let (text, binding) = spell(program, &program.values()[*v], depth + 1);
        if binding < least { format!("({text})") } else { text }
    };
    let loose = |v: &ValueId| at(v, Loose);
    let infix = |a: &ValueId, sign: &str, b: &ValueId, left: Binding, right: Binding| {
        format!("{} {sign} {}", at(a, left), at(b, right))
    };
    let call = |name: &str, list: &[ValueId]| {
        format!("{name}({})", list.iter().map(loose).collect::<Vec<_>>().join(", "))
    };
    match op {
        Op::Const(c) => (short(c.value()), if c.value() < 0.0 { Sum } else { Tight }),
        Op::Truth(b) => (b.to_string(), Tight),
        Op::Input(i) => (program.inputs()[*i].label.name.clone(), Tight),
        Op::Unary(Unary::Neg, x) => (format!("-{}", at(x, Product)), Sum),
        Op::Unary(unary, x) => {
            let name = Unary::ALL.iter().find(|(u, _)| u == unary).map_or("", |(_, name)| *name);
            (call(name, &[*x]), Tight)
        }
        Op::Binary(Binary::Add, a, b) => (infix(a, "+", b, Sum, Sum), Sum),
        Op::Binary(Binary::Sub, a, b) => (infix(a, "-", b, Sum, Product), Sum),
        Op::Binary(Binary::Mul, a, b) => (infix(a, "*", b, Product, Product), Product),
        Op::Binary(Binary::Div, a, b) => (infix(a, "/", b, Product, Tight), Product),
        Op::Binary(Binary::Pow, a, b) => (format!("{}^{}", at(a, Tight), at(b, Tight)), Tight),
        Op::Binary(binary, a, b) => {
            let name = Binary::ALL.iter().find(|(o, _)| o == binary).map_or("", |(_, name)| *name);
            (call(name, &[*a, *b]), Tight)
        }
        Op::Fma(a, b, c) => (format!("{} + {}", infix(a, "*", b, Product, Product), at(c, Sum)), Sum),
        Op::Powi(x, n) => (format!("{}^{n}", at(x, Tight)), Tight),
        Op::Compare(compare, a, b) => {
            // `x > 5` is kept as `5 < x`.
            let turned = matches!(program.values()[*a], Op::Const(_));
            let (first, second) = if turned { (b, a) } else { (a, b) };
            let sign = match (compare, turned) {
                (Compare::Lt, false) => "<",
                (Compare::Lt, true) => ">",
                (Compare::Le, false) => "<=",
                (Compare::Le, true) => ">=",
                (Compare::Eq, _) => "==",
                (Compare::Ne, _) => "!=",
            };
            (infix(first, sign, second, Sum, Sum), Loose)
        }
        Op::Logic(logic, a, b) => {
            let name = match logic {
                cardan_program::Logic::And => "and",
                cardan_program::Logic::Or => "or",
            };
            (infix(a, name, b, Sum, Sum), Loose)
        }
        Op::Not(a) => (format!("not {}", at(a, Tight)), Loose),
        Op::Select(c, a, b) => (format!("if {} then {} else {}", loose(c), loose(a), loose(b)), Loose),
        Op::Lookup1 { table, x, order: 0 } => (call(program.curves()[*table].name(), &[*x]), Tight),
        Op::Lookup1 { table, x, .. } => {
            (format!("the slope of {}", call(program.curves()[*table].name(), &[*x])), Loose)
        }
        Op::Lookup2 { table, x, y, .. } => (call(program.surfaces()[*table].name(), &[*x, *y]), Tight),
        Op::Call { function, args } => (call(&program.functions()[*function].name, args), Tight),
        Op::Solve(_) | Op::Extract { .. } => ("…".into(), Tight),
    }
}

/// A number of six digits.
pub fn short(x: f64) -> String {
    let rounded = format!("{x:.5e}").parse::<f64>().unwrap_or(x);
    match rounded.abs() {
        a if a == 0.0 || (1e-4..1e6).contains(&a) => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

#[cfg(test)]
mod tests {
    use cardan_program::{Label, Math, ProgramBuilder};

    use crate::nonsmooth::print::*;

    fn spelled(build: impl FnOnce(&mut ProgramBuilder, [ValueId; 2]) -> ValueId) -> String {
        let mut b = ProgramBuilder::new("p", ["main"], Math::Strict);
        let stage = b.stage("main").expect("it has one stage");
        let inputs = ["x", "a"].map(|name| b.input(Label::named(name), stage));
        let value = build(&mut b, inputs);
        let op = b.operation(value).clone();
        words(&b.finish().expect("a sound program"), &op)
    }

    #[test]
    fn operations_read_as_they_are_written() {
        let above = spelled(|b, [x, _]| {
            let five = b.constant(5.0);
            b.compare(Compare::Lt, five, x)
        });
        assert_eq!(above, "x > 5");
        let inside = spelled(|b, [x, a]| {
            let sum = b.add(x, a);
            let product = b.mul(sum, a);
            let negative = b.neg(x);
            b.binary(Binary::Max, negative, product)
        });
        assert_eq!(inside, "max(-x, a * (x + a))");
        let endless = spelled(|b, [mut x, a]| {
            for _ in 0..40 {
                let ratio = b.div(x, a);
                x = b.unary(Unary::Sin, ratio);
            }
            b.unary(Unary::Sign, x)
        });
        assert_eq!(endless, "sign(sin(sin(sin(sin(…) / a) / a) / a))");
    }
}
