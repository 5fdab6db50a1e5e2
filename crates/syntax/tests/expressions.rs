//! Expressions: rank and direction of the operators against an independent reading, places against
//! the text, and the outline against the parser.

use crate::common;

use cardan_base::{FileId, Id};
use cardan_syntax::{ChainOp, Expr, ExprKind, UnaryOp, parse_expression};
use proptest::prelude::*;

fn read(text: &str) -> Expr {
    let (expr, diagnostics) = parse_expression(FileId::from_index(0), text);
    assert!(diagnostics.is_empty(), "{text}\n{diagnostics:?}");
    expr
}

#[track_caller]
fn check(text: &str, outline: &str) {
    assert_eq!(read(text).to_string(), outline, "{text}");
}

#[test]
fn ranks() {
    check("-a^2", "(-(a^2))");
    check("a^-b^c", "(a^(-(b^c)))");
    check("2^3^4", "(2^(3^4))");
    check("-a*b", "((-a) * b)");
    check("a - -b", "(a - (-b))");
    check("a - b - c*d/e", "(a - b - (c * d / e))");
    check("a - (b - c)", "(a - (b - c))");
    check("(a - b) - c", "((a - b) - c)");
    check("not a < b and c or d", "(((not (a < b)) and c) or d)");
    check("2 * if a then b else c + d", "(2 * (if a then b else (c + d)))");
    check("if a then if b then c else d else e", "(if a then (if b then c else d) else e)");
}

#[test]
fn units_and_calls() {
    check("-9.81 [m/s^2] * N.z", "((-9.81 [m/s^2]) * N.z)");
    check("(1, 2, 3) [ m ]", "(1, 2, 3) [m]");
    check("N(0, 0, 1)[N*m]", "N(0, 0, 1) [N*m]");
    check("(a + b) [°/√s]", "((a + b)) [°/√s]");
    check("(L) [1]", "(L) [1]");
    check("links[i + 1, 2].P.x", "links[(i + 1), 2].P.x");
    check("f()", "f()");
    check("sweep(k = 0 .. 10 [N/m], by = 2,)", "sweep(k = 0 .. 10 [N/m], by = 2)");
    check("table(\"a \\\" b\")", "table(\"a \\\" b\")");
    check("B.in.on", "B.in.on");
}

#[test]
fn numbers_keep_their_digits() {
    for digits in ["0.50", "2.194e-6", ".5", "1E+06", "00012", "3.14159265358979323846264338327950288"] {
        check(digits, digits);
    }
}

#[test]
fn parts_of_a_call_are_found() {
    let ExprKind::Call(call) = read("revolute(K2.E, z, axis = N.z)").kind else { panic!("a call") };
    assert!(call.function.is("revolute"));
    let positional: Vec<String> = call.positional().map(Expr::to_string).collect();
    assert_eq!(positional, ["K2.E", "z"]);
    assert_eq!(
        call.positional().filter_map(Expr::as_name).map(|n| n.text.as_str()).collect::<Vec<_>>(),
        ["z"]
    );
    assert_eq!(call.named("axis").and_then(Expr::as_path).map(|p| p.segments.len()), Some(2));
    assert_eq!(call.named("z"), None);
}

/// The value by the tree.
fn value(expr: &Expr) -> f64 {
    match &expr.kind {
        ExprKind::Number(digits) => digits.parse().expect("digits are a number"),
        ExprKind::Unary { op: UnaryOp::Minus, operand } => -value(operand),
        ExprKind::Power { base, exponent } => value(base).powf(value(exponent)),
        ExprKind::Chain { first, rest } => rest.iter().fold(value(first), |left, (op, right)| match op {
            ChainOp::Add => left + value(right),
            ChainOp::Subtract => left - value(right),
            ChainOp::Multiply => left * value(right),
            ChainOp::Divide => left / value(right),
            other => panic!("{other:?} was not generated"),
        }),
        other => panic!("{other:?} was not generated"),
    }
}

/// The value by two stacks (Dijkstra's shunting yard), which shares nothing with the parser.
fn yard(tokens: &[&str]) -> f64 {
    fn rank(op: &str) -> u8 {
        match op {
            "+" | "-" => 1,
            "*" | "/" => 2,
            "neg" => 3,
            "^" => 4,
            _ => 0,
        }
    }
    fn apply(op: &str, values: &mut Vec<f64>) {
        let right = values.pop().expect("an operand");
        if op == "neg" {
            values.push(-right);
            return;
        }
        let left = values.pop().expect("an operand");
        values.push(match op {
            "+" => left + right,
            "-" => left - right,
            "*" => left * right,
            "/" => left / right,
            _ => left.powf(right),
        });
    }
    let (mut values, mut ops): (Vec<f64>, Vec<&str>) = (vec![], vec![]);
    let mut operand_expected = true;
    for &token in tokens {
        match token {
            "(" => ops.push("("),
            ")" => {
                while let Some(op) = ops.pop() {
                    if op == "(" {
                        break;
                    }
                    apply(op, &mut values);
                }
            }
            "-" if operand_expected => ops.push("neg"),
            "+" | "-" | "*" | "/" | "^" => {
                let tighter =
                    |top: &str| rank(top) > rank(token) || (rank(top) == rank(token) && token != "^");
                while ops.last().is_some_and(|top| tighter(top)) {
                    let op = ops.pop().expect("just seen");
                    apply(op, &mut values);
                }
                ops.push(token);
            }
            number => values.push(number.parse().expect("a number")),
        }
        operand_expected = !matches!(token, ")") && token.parse::<f64>().is_err();
    }
    while let Some(op) = ops.pop() {
        apply(op, &mut values);
    }
    values.pop().expect("a value")
}

/// Token lists of arithmetic: numbers, signs, operators and brackets.
fn arithmetic() -> impl Strategy<Value = Vec<&'static str>> {
    let number = prop::sample::select(vec!["1", "2", "3", "0.5", "7", "1.25"]).prop_map(|n| vec![n]);
    number.prop_recursive(6, 60, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|e| [vec!["("], e, vec![")"]].concat()),
            inner.clone().prop_map(|e| [vec!["-"], e].concat()),
            (inner.clone(), prop::sample::select(vec!["+", "-", "*", "/", "^"]), inner)
                .prop_map(|(a, op, b)| [a, vec![op], b].concat()),
        ]
    })
}

/// Any expression as text, brackets where they are needed and sometimes where they are not.
fn any_expression() -> impl Strategy<Value = String> {
    let atom =
        prop::sample::select(vec!["x", "1.50", "A.x", "2 [N*m]", "(1, 2) [m]", "\"s\"", "q[2].u", "f()"]);
    atom.prop_map(str::to_string).prop_recursive(6, 50, 3, |inner| {
        let op = prop::sample::select(vec!["+", "-", "*", "/", "^", "and", "or"]);
        prop_oneof![
            inner.clone().prop_map(|e| format!("({e})")),
            inner.clone().prop_map(|e| format!("-{e}")),
            inner.clone().prop_map(|e| format!("not {e}")),
            (inner.clone(), op, inner.clone()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| format!("({a}) <= ({b})"))
                .prop_map(|c| format!("({c})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("if {a} then {b} else {c}")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("f({a}, y = {b})")),
        ]
    })
}

/// Calls `visit` with every expression below this one.
fn visit_all(expr: &Expr, visit: &mut impl FnMut(&Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Missing => {}
        ExprKind::Name(path) => path.segments.iter().flat_map(|s| &s.index).for_each(|e| visit_all(e, visit)),
        ExprKind::Call(call) => call.arguments.iter().for_each(|a| visit_all(&a.value, visit)),
        ExprKind::Tuple(items) => items.iter().for_each(|e| visit_all(e, visit)),
        ExprKind::Quantity { value, .. } | ExprKind::Part { of: value, .. } => visit_all(value, visit),
        ExprKind::Unary { operand, .. } => visit_all(operand, visit),
        ExprKind::Chain { first, rest } => {
            visit_all(first, visit);
            rest.iter().for_each(|(_, e)| visit_all(e, visit));
        }
        ExprKind::Power { base: a, exponent: b }
        | ExprKind::Compare { left: a, right: b, .. }
        | ExprKind::Range { low: a, high: b }
        | ExprKind::Sum { range: a, term: b, .. } => {
            visit_all(a, visit);
            visit_all(b, visit);
        }
        ExprKind::If { arms, otherwise } => {
            for (condition, value) in arms {
                visit_all(condition, visit);
                visit_all(value, visit);
            }
            visit_all(otherwise, visit);
        }
    }
}

proptest! {
    #[test]
    fn the_tree_computes_what_two_stacks_compute(tokens in arithmetic()) {
        let (a, b) = (value(&read(&tokens.join(" "))), yard(&tokens));
        prop_assert!(a == b || (a.is_nan() && b.is_nan()), "{} = {a} or {b}", tokens.join(" "));
    }

    #[test]
    fn the_outline_is_read_back(text in any_expression()) {
        let outline = read(&text).to_string();
        prop_assert_eq!(read(&outline).to_string(), outline);
    }

    #[test]
    fn what_is_printed_is_read_back(text in any_expression()) {
        let expr = read(&text);
        let printed = cardan_syntax::print_expression(&expr);
        prop_assert_eq!(read(&printed).to_string(), expr.to_string(), "{}", printed);
    }

    #[test]
    fn every_place_holds_what_was_read_there(text in any_expression()) {
        let whole = read(&text);
        let mut n_visited = 0;
        visit_all(&whole, &mut |part| {
            n_visited += 1;
            assert_eq!(read(&text[part.span.range()]).to_string(), part.to_string(), "in {text}");
        });
        prop_assert!(n_visited > 0);
    }

    #[test]
    fn any_characters_are_survived(text in any::<String>()) {
        let (_, diagnostics, _) = common::parsed(&text);
        prop_assert_eq!(diagnostics.has_errors(), cardan_syntax::format(&text).is_err());
    }
}
