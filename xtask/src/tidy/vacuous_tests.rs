//! A test asserts something that could fail.
//!
//! A `#[test]` function passes this check if its body asserts, expects, checks, propagates with `?` or panics, or
//! calls a function of the same file that does.

use std::collections::BTreeSet;

use super::repository::{Finding, Repository};
use super::rust_text::{closing, code_only, line_of, word_positions};

/// Parts of the words with which a body can fail.
const FAILING: [&str; 6] = ["assert", "expect", "check", "panic!", "unwrap", "?"];

/// Tests that cannot fail.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in repository.rust().filter(|f| f.text.contains("#[test]")) {
        let code = code_only(&file.text);
        let functions = functions(&code);
        let failing = failing(&functions);
        for function in functions.iter().filter(|f| f.is_test && !can_fail(f, &failing)) {
            let message = format!("the test `{}` asserts nothing", function.name);
            let line = line_of(&code, function.at);
            findings.push(Finding::at(&file.path, line, message, "assert what it computes, or remove it"));
        }
    }
    findings
}

struct Function<'a> {
    name: &'a str,
    body: &'a str,
    at: usize,
    is_test: bool,
}

/// The functions with bodies, nested ones too.
fn functions(code: &str) -> Vec<Function<'_>> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let function = |at: usize| {
        let rest = code[at + 2..].trim_start();
        let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
        let open = body_start(code, at)?;
        // What stands between the last item and `fn` are its attributes and modifiers.
        let before = &code[..at];
        let item_start = before.rfind(['{', '}', ';']).map_or(0, |i| i + 1);
        let is_test = before[item_start..].contains("#[test]");
        (!name.is_empty()).then(|| Function { name, body: &code[open..closing(code, open)], at, is_test })
    };
    word_positions(code, "fn").filter_map(function).collect()
}

/// The brace that opens the body of the function at `at`; a declaration has none.
fn body_start(code: &str, at: usize) -> Option<usize> {
    let mut i = at;
    while i < code.len() {
        match code.as_bytes()[i] {
            b'{' => return Some(i),
            b';' | b'}' | b',' | b')' => return None,
            b'(' | b'[' => i = closing(code, i),
            _ => i += 1,
        }
    }
    None
}

/// The names of the functions that can fail, by themselves or through one another.
fn failing<'a>(functions: &[Function<'a>]) -> BTreeSet<&'a str> {
    let mut failing = BTreeSet::new();
    loop {
        let more: Vec<&str> = functions
            .iter()
            .filter(|f| !failing.contains(f.name) && can_fail(f, &failing))
            .map(|f| f.name)
            .collect();
        if more.is_empty() {
            return failing;
        }
        failing.extend(more);
    }
}

fn can_fail(function: &Function, failing: &BTreeSet<&str>) -> bool {
    FAILING.iter().any(|word| function.body.contains(word))
        || failing.iter().any(|name| {
            word_positions(function.body, name).any(|at| function.body[at + name.len()..].starts_with('('))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        check(&Repository::of(&[("a.rs", text)])).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_test_that_cannot_fail_is_found() {
        let text = "#[test]\nfn runs() {\n    // assert!(true)\n    let s = \"assert\";\n    f(s);\n}\n";
        let found = names(text);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("a.rs:2: the test `runs` asserts nothing"));
    }

    #[test]
    fn honest_tests_pass() {
        let text = r#"
            fn agrees(x: [f64; 3]) where f64: Copy { if x[0] > 1.0 { panic!("no") } }
            fn both(x: f64) { agrees([x; 3]) }
            #[test] fn direct() { assert_eq!(1, 1) }
            #[test] fn through_another() { both(2.0) }
            #[test] fn fallible() -> Result<(), E> { run()?; Ok(()) }
            #[test] #[should_panic(expected = "x")] fn panics() { expect_something() }
            proptest! { #[test] fn law(a in 0..3, b in f(1)) { prop_assert!(a < 3) } }
        "#;
        assert_eq!(names(text), Vec::<String>::new());
    }

    #[test]
    fn a_function_that_cannot_fail_does_not_help() {
        assert_eq!(names("fn f(x: i32) { g(x) }\n#[test]\nfn t() { f(1) }\n").len(), 1);
    }
}
