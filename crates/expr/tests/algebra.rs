//! The canonical forms, on the examples of Sayers' paper and on random expressions.

use cardan_expr::{Derivation, Expr, Kind, Pool};
use proptest::prelude::*;

struct Letters(Pool, Vec<(String, Expr)>);

impl Letters {
    fn new() -> Self {
        let pool = Pool::new();
        let mut all = vec![];
        for name in ["a", "b", "c", "d"] {
            all.push((name.to_string(), pool.symbol(name, Kind::Parameter)));
        }
        for name in ["x", "y", "z"] {
            all.push((name.to_string(), pool.symbol(name, Kind::Coordinate)));
        }
        for name in ["e1", "e2", "e3"] {
            all.push((name.to_string(), pool.small_symbol(name, Kind::Coordinate, 1)));
        }
        Letters(pool, all)
    }
    fn get(&self, name: &str) -> Option<Expr> {
        self.1.iter().find(|(n, _)| n == name).map(|(_, e)| *e)
    }
    fn e(&self, text: &str) -> Expr {
        self.0.parse(text, &|n| self.get(n)).unwrap_or_else(|| panic!("cannot read {text}"))
    }
    fn text(&self, text: &str) -> String {
        self.0.text(self.e(text))
    }
}

/// Left is built and printed; it must look like right.
#[test]
fn canonical_forms() {
    let table = [
        ("b*a*c", "a*b*c"),
        ("(a + b) + c", "a + b + c"),
        ("-a - b - c", "-(a + b + c)"),
        ("a*x + a*y", "a*(x + y)"),
        ("2*a + 2*b", "2*(a + b)"),
        ("a - a", "0"),
        ("a*b/b", "a"),
        ("(a^2)^3", "a^6"),
        ("(a^2)^(1/2)", "sqrt(a^2)"),
        ("(a^(1/2))^2", "a"),
        ("sin(x)^2 + cos(x)^2", "1"),
        ("1 - sin(x)^2", "cos(x)^2"),
        ("a*sin(x)^2 + b + a*cos(x)^2", "a + b"),
        ("b - b*cos(x)^2 + a*x", "a*x + b*sin(x)^2"),
        ("sin(-x)", "-sin(x)"),
        ("cos(y - x)", "cos(x - y)"),
        ("sin(asin(a))", "a"),
        ("sin(x + pi)", "-sin(x)"),
        ("cos(x - pi/2)", "sin(x)"),
        ("sin(pi/6)", "0.5"),
        ("(x + a)*(x - a) - x^2 + a^2", "0"),
        ("sin(x)*cos(y) + cos(x)*sin(y) - sin(x + y)", "0"),
        ("2*sin(x)*cos(x) - sin(2*x)", "0"),
        ("(4)^(1/2)", "2"),
        ("0.1 + 0.2", "0.3"),
        ("1/3 + 1/6", "0.5"),
        ("atan2(3*x, 3*y)", "atan2(x, y)"),
        ("select(less(1, 2), x, y)", "x"),
        ("1/0", "undefined"),
        ("a + 1/(x - x)", "undefined"),
    ];
    let l = Letters::new();
    for (left, right) in table {
        assert_eq!(l.text(left), right, "from {left}");
    }
}

/// Small quantities: e1, e2, e3 are of order 1; the threshold is 2.
#[test]
fn negligible_terms_vanish() {
    let table = [
        ("1 - e1^2", "1"),
        ("sin(e1)", "e1"),
        ("cos(e1)", "1"),
        ("a + b*e1", "a + b*e1"),
        ("a + b*e1*e2", "a"),
        ("e1 + e1*e2*e3", "e1"),
        ("e1*e2 + e3", "e3 + e1*e2"),
        ("tan(2*e1)", "2*e1"),
    ];
    let l = Letters::new();
    for (left, right) in table {
        assert_eq!(l.text(left), right, "from {left}");
    }
    l.0.set_smallness_threshold(5);
    assert_eq!(l.text("sin(e1)"), "e1*(e1^4/120 - e1^2/6 + 1)");
    assert_eq!(l.text("cos(e1)"), "e1^4/24 - 0.5*e1^2 + 1");
}

#[test]
fn an_intermediate_is_found_again_in_any_form() {
    let l = Letters::new();
    let p = &l.0;
    let z = p.define(l.e("a*x + b*x"));
    assert_eq!(p.text(z), "z1");
    assert_eq!(l.e("x*(b + a)"), z);
    assert_eq!(l.e("-x*a - x*b"), p.neg(z));
    assert_eq!(p.mul(z, l.e("y")), l.e("a*x*y + b*x*y"));
    assert!(p.depends(z) == p.depends(l.e("a*x")));
}

#[test]
fn constant_part_and_gcf_and_nominal() {
    let l = Letters::new();
    let p = &l.0;
    assert_eq!(p.constant_part(l.e("a + b + c*sin(x)")), l.e("a + b"));
    assert_eq!(p.constant_part(l.e("c*sin(x)")), p.zero());
    let factored = [
        ("2*x + 2", "2"),
        ("3*(x + a)", "3*a"),
        ("b*x + b*a + y", "a*b"),
        ("(x + a)*(y + b)", "a*b"),
        ("(x + 2)^2 - y", "4"),
        ("a*(x + b)^(1/2)", "0"),
        ("a/(x + b)", "0"),
        ("(x + b)/a", "b/a"),
    ];
    for (e, part) in factored {
        assert_eq!(p.constant_part(l.e(e)), l.e(part), "of {e}");
    }
    assert_eq!(p.constant_part(p.define(l.e("2*x + 2*a"))), l.e("2*a"));
    assert_eq!(p.gcf(l.e("2*a*x^2*y"), l.e("2*b*x*y^3")), l.e("2*x*y"));
    assert_eq!(p.gcf(l.e("6*a*x"), l.e("3*a*x^2")), l.e("3*a*x"));
    assert_eq!(p.gcf(l.e("4*a"), l.e("6*b + 2")), l.e("2"));
    assert_eq!(p.gcf(l.e("2*x + 4*y"), l.e("3*x + 6*y")), l.e("x + 2*y"));
    let x = p.as_symbol(l.e("x")).unwrap();
    let z = p.define(l.e("a*cos(x) + b*sin(x)"));
    assert_eq!(p.nominal(z, &[x]), l.e("a"));
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("a".to_string()),
        Just("b".to_string()),
        Just("x".to_string()),
        Just("y".to_string()),
        (1..7i32).prop_map(|n| n.to_string()),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} + {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} - {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})*({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})/({b} + 11)")),
            inner.clone().prop_map(|a| format!("({a})^2")),
            inner.clone().prop_map(|a| format!("sin({a})")),
            inner.clone().prop_map(|a| format!("cos({a})")),
            inner.clone().prop_map(|a| format!("atan({a})")),
            inner.clone().prop_map(|a| format!("(({a})^2 + 1)^(1/2)")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("select(less({a}, {b}), {a}, {b})")),
        ]
    })
}

/// The value of a text computed by plain recursion, without the pool.
fn plain(text: &str, value: &dyn Fn(&str) -> f64) -> f64 {
    // A fresh pool per operation would still be the pool; a separate reader keeps the check honest.
    let mut chars = text.chars().filter(|c| *c != ' ').collect::<Vec<_>>();
    chars.push('\0');
    let mut at = 0;
    sum(&chars, &mut at, value)
}

fn sum(t: &[char], at: &mut usize, value: &dyn Fn(&str) -> f64) -> f64 {
    let mut v = term(t, at, value);
    loop {
        match t[*at] {
            '+' => {
                *at += 1;
                v += term(t, at, value);
            }
            '-' => {
                *at += 1;
                v -= term(t, at, value);
            }
            _ => return v,
        }
    }
}

fn term(t: &[char], at: &mut usize, value: &dyn Fn(&str) -> f64) -> f64 {
    let mut v = power(t, at, value);
    loop {
        match t[*at] {
            '*' => {
                *at += 1;
                v *= power(t, at, value);
            }
            '/' => {
                *at += 1;
                v /= power(t, at, value);
            }
            _ => return v,
        }
    }
}

fn power(t: &[char], at: &mut usize, value: &dyn Fn(&str) -> f64) -> f64 {
    let v = atom(t, at, value);
    if t[*at] != '^' {
        return v;
    }
    *at += 1;
    let n = if t[*at] == '(' {
        *at += "(1/2)".len();
        0.5
    } else {
        *at += 1;
        2.0
    };
    v.powf(n)
}

fn atom(t: &[char], at: &mut usize, value: &dyn Fn(&str) -> f64) -> f64 {
    if t[*at] == '(' {
        *at += 1;
        let v = sum(t, at, value);
        *at += 1;
        return v;
    }
    let start = *at;
    while t[*at].is_alphanumeric() {
        *at += 1;
    }
    let name: String = t[start..*at].iter().collect();
    if t[*at] != '(' {
        return name.parse().unwrap_or_else(|_| value(&name));
    }
    let mut arguments = vec![];
    while t[*at] != ')' {
        *at += 1;
        arguments.push(sum(t, at, value));
    }
    *at += 1;
    let (function, _) =
        cardan_expr::Function::named(&name).expect("the generator writes known functions only");
    cardan_expr::evaluate::apply(function, &arguments)
}

/// Texts of polynomials, factored in all ways.
fn polynomial() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop_oneof![Just("a"), Just("b"), Just("x"), Just("y")].prop_map(str::to_string),
        (1..7i32).prop_map(|n| n.to_string()),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} + {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} - {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})*({b})")),
            inner.prop_map(|a| format!("({a})^2")),
        ]
    })
}

proptest! {
    /// The constant part of a polynomial is its value with everything that moves at zero, and so is `nominal`; the greatest
    /// common factor divides both without a remainder in the exact values.
    #[test]
    fn parts_of_polynomials(text in polynomial(), other in polynomial(), a in 1..9i64, b in 1..9i64) {
        let l = Letters::new();
        let p = &l.0;
        let e = l.e(&text);
        let at = |e: Expr, moving: f64| {
            p.evaluate(e, &|s| match p.symbol_data(s).name.as_str() { "a" => a as f64, "b" => b as f64, _ => moving })
        };
        let expected = plain(&text, &|n| match n { "a" => a as f64, "b" => b as f64, _ => 0.0 });
        prop_assume!(expected.abs() < 1e9);
        for (name, part) in [("constant part", p.constant_part(e)), ("constant part of a name", p.constant_part(p.define(e)))] {
            prop_assert!(p.is_constant(part));
            prop_assert!((at(part, 0.0) - expected).abs() <= 1e-9 * (1.0 + expected.abs()), "{name} of {text}: {}", p.text(part));
        }
        let zeros = ["x", "y"].map(|n| p.as_symbol(l.e(n)).unwrap());
        prop_assert!((at(p.nominal(e, &zeros), 3.0) - expected).abs() <= 1e-9 * (1.0 + expected.abs()));
        let second = l.e(&other);
        let factor = p.gcf(e, second);
        prop_assert_eq!(factor, p.gcf(second, e));
        for whole in [e, second] {
            let (value, divisor) = (at(whole, 5.0), at(factor, 5.0));
            prop_assume!(value.abs() < 1e9 && divisor != 0.0);
            let quotient = value / divisor;
            prop_assert!((quotient - quotient.round()).abs() < 1e-6, "{} does not divide {}", p.text(factor), p.text(whole));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn building_keeps_the_value(text in expression(), a in 0.3..2.0f64, b in -2.0..2.0f64, x in -3.0..3.0f64, y in 0.1..1.0f64) {
        let l = Letters::new();
        let by_name = |n: &str| match n { "a" => a, "b" => b, "x" => x, _ => y };
        let e = l.e(&text);
        let built = l.0.evaluate(e, &|s| by_name(&l.0.symbol_data(s).name));
        let naive = plain(&text, &by_name);
        prop_assume!(naive.is_finite() && naive.abs() < 1e6);
        // Cancellation may differ between the forms; values are of moderate size by construction.
        prop_assert!((built - naive).abs() <= 1e-7 * (1.0 + naive.abs()), "{text} -> {}: {built} against {naive}", l.0.text(e));
    }

    #[test]
    fn derivatives_agree_with_differences(text in expression(), a in 0.3..2.0f64, b in -2.0..2.0f64, x in -3.0..3.0f64, y in 0.1..1.0f64) {
        let l = Letters::new();
        let p = &l.0;
        let e = p.define(l.e(&text));
        let d = Derivation::partial(p, l.e("x")).apply(p, e);
        let at = |e: Expr, x: f64| p.evaluate(e, &|s| match p.symbol_data(s).name.as_str() { "a" => a, "b" => b, "x" => x, _ => y });
        let h = 1e-4;
        // Two steps: where they disagree the function is not smooth enough to be compared.
        let coarse = (at(e, x + h) - at(e, x - h)) / (2.0 * h);
        let fine = (at(e, x + h / 2.0) - at(e, x - h / 2.0)) / h;
        let exact = at(d, x);
        prop_assume!((coarse - fine).abs() < 1e-5 * (1.0 + fine.abs()));
        let extrapolated = fine + (fine - coarse) / 3.0;
        prop_assert!((exact - extrapolated).abs() < 1e-4 * (1.0 + exact.abs()), "d/dx {text} = {}: {exact} against {extrapolated}", p.text(d));
    }
}

/// Zero and one are recognised without the general way, with the same result: expressions that have been named since included.
#[test]
fn short_cuts_agree_with_the_general_way() {
    let letters = Letters::new();
    let pool = &letters.0;
    let mut all: Vec<Expr> =
        ["0", "1", "-1", "2/3", "x", "-x", "a*x", "x + y", "2*(x + y)", "sin(x)", "a*sin(x) + b", "-(x - y)"]
            .map(|t| letters.e(t))
            .to_vec();
    all.push(pool.div(pool.one(), pool.zero()));
    all.push(pool.define(letters.e("a*sin(x) + b")));
    pool.define(letters.e("2*(x + y)"));
    for a in &all {
        for b in &all {
            assert_eq!(pool.mul(*a, *b), pool.product([*a, *b]), "{} * {}", pool.text(*a), pool.text(*b));
            assert_eq!(pool.add(*a, *b), pool.sum([*a, *b]), "{} + {}", pool.text(*a), pool.text(*b));
            let minus = pool.sum([*a, pool.neg(*b)]);
            assert_eq!(pool.sub(*a, *b), minus, "{} - {}", pool.text(*a), pool.text(*b));
        }
    }
}
