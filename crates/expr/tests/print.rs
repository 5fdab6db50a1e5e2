//! Expressions for people: what a reader sees.

use cardan_base::Id;
use cardan_expr::print::{latex, mathml, text};
use cardan_expr::{Expr, ExternalId, Function, Kind, Layout, Listing, Names, Pool, TableId};

/// A pool with parameters a, b, c and coordinates q, x.
struct Letters(Pool, Vec<(&'static str, Expr)>);

fn letters() -> Letters {
    let pool = Pool::new();
    let parameters = ["a", "b", "c"].map(|n| (n, pool.symbol(n, Kind::Parameter)));
    let coordinates = ["q", "x"].map(|n| (n, pool.symbol(n, Kind::Coordinate)));
    let all = parameters.into_iter().chain(coordinates).collect();
    Letters(pool, all)
}

impl std::ops::Deref for Letters {
    type Target = Pool;

    fn deref(&self) -> &Pool {
        &self.0
    }
}

fn read(pool: &Letters, expression: &str) -> Expr {
    let find = |n: &str| pool.1.iter().find(|(name, _)| *name == n).map(|(_, e)| *e);
    pool.parse(expression, &find).unwrap_or_else(|| panic!("cannot read {expression}"))
}

fn layout(expression: &str) -> Layout {
    let pool = letters();
    Layout::of(&pool, read(&pool, expression), &Names::default())
}

#[test]
fn formulas_read_like_a_notebook() {
    let table = [
        ("(981/100)*a*b", "9.81*a*b"),
        ("(1/2)*a*b^2", "0.5*a*b^2"),
        ("(1/3)*a", "a/3"),
        ("a*b/(c*(a+b))", "a*b/(c*(a + b))"),
        ("c - a - 2", "c - a - 2"),
        ("-a*(b - c)", "-a*(b - c)"),
        ("(a+b)^(1/2)", "sqrt(a + b)"),
        ("sin(a)^2*cos(b)", "sin(a)^2*cos(b)"),
        ("select(less(a, b), a, c)", "if a < b then a else c"),
        ("a*select(less(a, b), a, c)", "a*(if a < b then a else c)"),
        ("0.000000000066743*a", "6.6743e-11*a"),
        ("200000000000*a", "2e11*a"),
    ];
    for (given, shown) in table {
        assert_eq!(text::render(&layout(given)), shown, "from {given}");
    }
}

/// Like terms are collected where intermediates that are written out bring them together.
#[test]
fn like_terms_are_collected() {
    let pool = letters();
    let double = pool.define(read(&pool, "2*q"));
    let shifted = pool.define(read(&pool, "a*q + b"));
    let names = Names {
        written_out: [double, shifted].iter().filter_map(|e| pool.as_symbol(*e)).collect(),
        ..Names::default()
    };
    let shown = |e: Expr| text::render(&Layout::of(&pool, e, &names));
    let [x, q] = ["x", "q"].map(|n| read(&pool, n));
    let products = pool.sub(pool.mul(double, x), read(&pool, "3.5*x*q"));
    assert_eq!(shown(products), "-1.5*x*q");
    assert_eq!(shown(pool.mul(x, pool.sub(q, double))), "-q*x");
    assert_eq!(shown(pool.sub(read(&pool, "a*q + c"), shifted)), "c - b");
    assert_eq!(shown(pool.add(double, pool.mul(q, q))), "2*q + q^2");
}

/// What is printed is read back as the same expression.
#[test]
fn text_can_be_read_back() {
    for given in ["6.6743e-11*a + 3e20", "a/(b*c) - (2/3)*x^2", "(a + b)^(3/2)/c", "sin(a*q)^2 - cos(x)"] {
        let pool = letters();
        let e = read(&pool, given);
        assert_eq!(read(&pool, &pool.text(e)), e, "{given} became {}", pool.text(e));
    }
}

#[test]
fn cases_inside_of_cases_become_one_list() {
    let ladder = "select(less(x, 1.5), select(less(x, 0.5), a, b), c)";
    assert_eq!(
        text::lines(&layout(ladder)),
        ["if x < 0.5 then a", "else if x < 1.5 then b", "else c"],
        "the inner condition implies the outer one"
    );
    let apart = "select(less(x, 0.5), select(less(x, 1.5), a, b), c)";
    assert_eq!(text::lines(&layout(apart)), ["if x < 0.5 then (if x < 1.5 then a else b)", "else c"]);
}

#[test]
fn an_intermediate_used_once_is_written_out_and_one_used_twice_is_named() {
    let pool = letters();
    let (q, x) = (read(&pool, "q"), read(&pool, "x"));
    let once = pool.define(pool.add(q, x));
    let twice = pool.define(pool.mul(q, pool.sin(pool.add(x, read(&pool, "1")))));
    let asked = [("f".to_string(), pool.mul(once, twice)), ("g".to_string(), pool.add(twice, x))];
    let listing = Listing::of(&pool, &asked);
    let shown: Vec<String> =
        listing.definitions().map(|(n, l)| format!("{n} = {}", text::render(l))).collect();
    assert_eq!(shown, ["z1 = q*sin(x + 1)"]);
    assert_eq!(text::render(&listing.results[1].1), "x + z1");
    assert_eq!(text::render(&listing.results[0].1), "(q + x)*z1");
}

/// A part that was built before it got its name goes by it all the same, and its line comes first.
#[test]
fn what_has_a_name_is_nowhere_in_full() {
    let pool = letters();
    let sine = read(&pool, "sin(q + 2*x)");
    let early = pool.define(pool.add(pool.mul(read(&pool, "a"), sine), read(&pool, "b*q*x")));
    let named = pool.define(sine);
    let asked = [
        ("f".to_string(), pool.mul(early, read(&pool, "c"))),
        ("g".to_string(), pool.mul(early, named)),
        ("h".to_string(), pool.mul(named, read(&pool, "x"))),
    ];
    let listing = Listing::of(&pool, &asked);
    let all: Vec<String> = listing
        .definitions()
        .chain(&listing.results)
        .map(|(n, l)| format!("{n} = {}", text::render(l)))
        .collect();
    let full = all.iter().filter(|line| line.contains("sin(")).count();
    assert_eq!(full, 1, "{all:#?}");
    for (k, line) in all.iter().enumerate() {
        for (j, later) in all.iter().enumerate().skip(k) {
            let name = later.split(' ').next().unwrap();
            let right = line.split_once(" = ").unwrap().1;
            assert!(!name.starts_with('z') || !right.contains(name), "line {k} needs line {j}: {all:#?}");
        }
    }
}

#[test]
fn a_name_of_the_model_is_not_given_away() {
    let pool = Pool::new();
    let z1 = pool.symbol("z1", Kind::Coordinate);
    let twice = pool.define(pool.mul(z1, pool.add(z1, pool.one())));
    let asked = [("f".to_string(), pool.sin(twice)), ("g".to_string(), pool.add(twice, z1))];
    let listing = Listing::of(&pool, &asked);
    assert_eq!(listing.variables[0].0, "z2");
}

#[test]
fn a_choice_inside_a_sum_gets_a_line_of_its_own() {
    let pool = letters();
    let asked = [("f".to_string(), read(&pool, "a*x + select(less(x, 1), q, 2)"))];
    let listing = Listing::of(&pool, &asked);
    assert_eq!(text::render(&listing.variables[0].1), "if x < 1 then q else 2");
    assert_eq!(text::render(&listing.results[0].1), "a*x + z1");
    let alone = [("f".to_string(), read(&pool, "select(less(x, 1), q, 2)"))];
    assert!(Listing::of(&pool, &alone).variables.is_empty());
}

#[test]
fn parts_that_meet_are_gathered() {
    let pool = letters();
    let x = read(&pool, "x");
    let sum = pool.define(read(&pool, "x + 90"));
    let product = pool.define(read(&pool, "3*q*x"));
    let names = Names {
        written_out: [sum, product].iter().filter_map(|e| pool.as_symbol(*e)).collect(),
        ..Names::default()
    };
    let shown = |e| text::render(&Layout::of(&pool, e, &names));
    assert_eq!(shown(pool.sum([sum, read(&pool, "q + 13")])), "q + x + 103");
    assert_eq!(shown(pool.product([product, x, read(&pool, "2")])), "6*x^2*q");
}

#[test]
fn pages_and_papers_set_names_and_powers() {
    assert_eq!(mathml::symbol("omega"), "<mi>ω</mi>");
    assert_eq!(mathml::symbol("a<b"), "<mi>a&lt;b</mi>");
    assert_eq!(mathml::symbol("M(1,2)"), "<msub><mi>M</mi><mtext>1,2</mtext></msub>");
    assert_eq!(latex::symbol("der(arm.q1)"), "\\dot{q}_{\\mathrm{arm,1}}");
    let squared = layout("sin(q)^2");
    assert!(mathml::render(&squared).starts_with("<mrow><msup><mi>sin</mi><mn>2</mn></msup>"));
    assert_eq!(latex::render(&squared), "\\sin^{2} q");
    assert_eq!(latex::render(&layout("2e20*a")), "2 \\times 10^{20}\\,a");
    // Functions stand behind other factors, an exponent above an index, brackets are as high as what they hold.
    assert_eq!(latex::render(&layout("sin(q)*a*(b + x)")), "a\\,(b + x)\\,\\sin q");
    assert_eq!(
        latex::render(&layout("sin(b + x)*(a + sin(b + x)*c)")),
        "\\bigl(a + c\\,\\sin(b + x)\\bigr)\\,\\sin(b + x)"
    );
    assert_eq!(latex::symbol("epsilon"), "\\varepsilon");
}

#[test]
fn conditions_are_set_as_mathematics() {
    let table = [
        ("not(equal(q, a))", "q != a", "q \\ne a"),
        ("not(less(q, a))", "q >= a", "q \\ge a"),
        ("less_equal(a, q)", "q >= a", "q \\ge a"),
        ("less(abs(x), b)", "abs(x) < b", "\\left|x\\right| < b"),
        (
            "and(or(less(q, a), less(x, b)), less(x, c))",
            "((q < a) or (x < b)) and (x < c)",
            "(q < a \\vee x < b) \\wedge x < c",
        ),
        ("floor(x)", "floor(x)", "\\left\\lfloor x\\right\\rfloor"),
        ("sign(x + a)", "sign(a + x)", "\\operatorname{sgn}(a + x)"),
    ];
    for (given, plain, set) in table {
        let layout = layout(given);
        assert_eq!(text::render(&layout), plain, "from {given}");
        assert_eq!(latex::render(&layout), set, "from {given}");
    }
    assert!(mathml::render(&layout("not(equal(q, a))")).contains("<mo>≠</mo>"));
    assert!(mathml::render(&layout("abs(x)")).contains("<mo>|</mo><mrow><mi>x</mi></mrow><mo>|</mo>"));
}

/// Tables and functions from elsewhere go by the names that people gave them; a derivative of a table has a prime.
#[test]
fn tables_have_names() {
    let pool = letters();
    let (x, id) = (read(&pool, "x"), TableId::from_index(0));
    let outside = Function::External(ExternalId::from_index(0));
    let table = Function::Table(id, [0, 0]);
    assert_eq!(pool.text(pool.call(table, &[x])), "table(x)", "nobody has named it");
    pool.call_function(table, "road.z1");
    pool.call_function(outside, "tyre");
    let slope = pool.call(Function::Table(id, [1, 0]), &[x]);
    assert_eq!(pool.text(pool.call(table, &[x])), "road.z1(x)");
    assert_eq!(pool.text(pool.call(outside, &[x])), "tyre(x)");
    assert_eq!(pool.text(slope), "road.z1'(x)");
    let slope = Layout::of(&pool, slope, &Names::default());
    assert_eq!(latex::render(&slope), "z'_{\\mathrm{road,1}}(x)");
}

/// An intermediate that is asked for goes by the name under which it is asked for.
#[test]
fn results_lend_their_names() {
    let pool = letters();
    let long = pool.define(read(&pool, "a*sin(q)*cos(x) + b*q*x^2 + c"));
    let asked = [
        ("M(1,1)".to_string(), long),
        ("M(2,1)".to_string(), pool.neg(long)),
        ("f(1)".to_string(), pool.mul(long, read(&pool, "x"))),
    ];
    let listing = Listing::of_quantities(&pool, &asked);
    let shown: Vec<String> = listing.results.iter().map(|(_, l)| text::render(l)).collect();
    assert!(listing.variables.is_empty() && shown[0].contains("sin(q)"), "{shown:?}");
    assert_eq!(shown[1..], ["-M(1,1)".to_owned(), "x*M(1,1)".to_owned()]);
    let plain = Listing::of(&pool, &asked);
    assert_eq!(text::render(&plain.results[0].1), "z1");
}

/// Each part is used twice by the next: as a tree the last one has 2^60 leaves.
#[test]
fn a_listing_is_no_longer_than_the_graph() {
    let pool = letters();
    let mut e = read(&pool, "sin(x)");
    for _ in 0..60 {
        e = pool.add(pool.mul(e, read(&pool, "a")), pool.call(Function::Sin, &[e]));
    }
    let listing = Listing::of(&pool, &[("y".into(), e)]);
    let length = |(name, layout): &(String, Layout)| name.len() + text::render(layout).len();
    let all: usize = listing.definitions().chain(&listing.results).map(length).sum();
    assert!(all < 6000, "{all} characters");
}

/// Names from other formats hold any letter, and none of them is a command.
#[test]
fn names_are_no_commands() {
    let names =
        ["\\input secret.txt ", "\\immediate\\write18^^7btouch pwned^^7d", "a~b%c#d$e", "line\nbreak\u{1b}"];
    for name in names {
        let written = latex::symbol(name);
        let known = [
            "{\\backslash}",
            "{\\wedge}",
            "{\\sim}",
            "\\mathit",
            "\\mathrm",
            "\\_",
            "\\%",
            "\\#",
            "\\$",
            "\\ ",
        ];
        let rest = known.iter().fold(written.clone(), |text, command| text.replace(command, ""));
        assert!(!rest.contains(['\\', '^', '~', '%', '#', '$', '\n', '\u{1b}']), "{written}");
    }
}
