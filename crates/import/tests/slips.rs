//! Slips of the pen in AUTOSIM texts: nothing that is written is lost without a word, and each slip is told once, with what to type.

use std::collections::BTreeMap;

use cardan_base::{Sources, render};
use cardan_import::autosim::translate;

/// The native text, and what is said. Other texts may be loaded by their names.
fn read_with(text: &str, others: &[(&str, &str)]) -> (Option<String>, Vec<String>) {
    let others: BTreeMap<&str, &str> =
        others.iter().copied().chain([("example.lsp", text), ("example.mbs", "")]).collect();
    let mut sources = Sources::new();
    let file = sources.add("folder/example.lsp", text);
    let mut reader = |path: &str| others.get(path).map(ToString::to_string);
    let (native, findings) = translate(file, "example", &mut sources, &mut reader);
    (native.map(|n| n.text), findings.iter().map(|d| render(d, &sources, false)).collect())
}

/// What is said about a text that must be refused.
fn refused(text: &str) -> Vec<String> {
    let (native, said) = read_with(text, &[]);
    assert!(native.is_none(), "{text}\nis taken without an error:\n{}", said.join("\n"));
    said
}

/// Each text is refused with one finding that holds these words.
fn told_once(cases: &[(&str, &[&str])]) {
    for (text, words) in cases {
        let said = refused(text);
        assert_eq!(said.len(), 1, "{text}\n{}", said.join("\n"));
        for word in *words {
            assert!(said[0].contains(word), "{text}\ndoes not say `{word}`:\n{}", said[0]);
        }
    }
}

#[test]
fn values_without_a_place_are_told() {
    told_once(&[
        (
            "(add-body b :body-rotation-axes 1 2 3 :mass 1 :inertia-matrix 0)",
            &[
                "A012",
                "`:body-rotation-axes` takes one value, and 3 are given",
                "write `:body-rotation-axes (1 2 3)`",
            ],
        ),
        ("(add-body b :translate 1 :mass 1 :inertia-matrix 1 2 3)", &["write `:inertia-matrix (1 2 3)`"]),
        ("(add-body b :translate 1 :mass 1 2 :inertia-matrix 0)", &["`:mass` takes one value", "remove `2`"]),
        ("(add-body b :translate 1 :mass 2 * m :inertia-matrix 0)", &["write `:mass \"2 * m\"`"]),
        ("(add-body b :translate 1 :name Boom hinge)", &["write `:name \"Boom hinge\"`"]),
        (
            "(add-body b foo \"bar\" 17 :translate 1)",
            &["`add-body` has no place for `foo \"bar\" 17`", "keyword"],
        ),
        (
            "(add-body b :translate 1)(dynamics foo)",
            &["`dynamics` has no place for `foo`", "write `(dynamics)`"],
        ),
        ("(add-body b :translate 1)(mks 3)", &["`mks` has no place for `3`", "write `(mks)`"]),
        (
            "(add-body b :translate 1)(add-gravity [n3] 3)",
            &["no place for `[n3] 3`", "(add-gravity :direction [n3])"],
        ),
        ("(add-body b :translate 1)(load \"example.mbs\" \"b.mbs\")", &["no place for `\"b.mbs\"`"]),
        ("(add-body b :translate 1)(add-out \"q(1)\" \"x\" \"m\")", &["no place for `\"m\"`"]),
        ("(add-body b :translate 1 :bodyname 1 2 3)", &["`add-body` has no keyword `:bodyname`"]),
    ]);
}

#[test]
fn keywords_without_colon_are_told() {
    told_once(&[
        ("(add-body b :translate 1 mass 3)", &["A012", "`mass` has no colon", "write `:mass 3`"]),
        ("(add-body b translate (1 2) :mass 3)", &["write `:translate (1 2)`"]),
        ("(add-body b :translate 1 mass)", &["`mass` has no colon", "write `:mass 2`"]),
        (
            "(add-body b :translate 1)(add-out \"q(1)\" units \"mm\")",
            &["`units` has no colon", "write `:units \"mm\"`"],
        ),
        // The value is taken for the keyword: the force wants no other direction.
        (
            "(add-body b :translate 1)(add-line-force f direction [n1] :magnitude 1 :point1 b0)",
            &["write `:direction [n1]`"],
        ),
    ]);
    // A body may be called like a keyword.
    assert!(read_with("(add-body mass :translate 1)", &[]).0.is_some());
}

#[test]
fn keywords_without_value_are_shown_with_one() {
    told_once(&[
        ("(add-body b :translate 1 :mass)", &["`:mass` has no value", "write `:mass 2`"]),
        ("(add-body b :mass :translate 1)", &["`:mass` has no value", "write `:mass 2`"]),
        (
            "(add-body b :translate 1)(add-line-force f :direction :magnitude 1 :point1 b0)",
            &["`:direction` has no value", "write `:direction [n3]`"],
        ),
    ]);
}

#[test]
fn pairs_lists_and_words_are_whole() {
    told_once(&[
        ("(add-body b :translate 1)(set-defaults mb 1 2)", &["`set-defaults` takes pairs"]),
        ("(add-body b :translate 1)(small)", &["`small` needs more"]),
        (
            "(add-body b :translate 1)(add-variables f1 f2 f3)",
            &["this is not a type", "(add-variables difeqn real x y)"],
        ),
        ("(add-body b :name 17 :translate 1)", &["words for people"]),
        ("(add-body b :translate 1)(set-names mb 3)", &["words for people"]),
        ("(add-body b :translate 1)(set-defaults \"q(1, mb)\" 3)", &["there is no such coordinate"]),
        (
            "(add-body b :translate 1) #| (add-body c :translate 1)",
            &["A001", "this comment is never closed", "write `|#`"],
        ),
    ]);
}

#[test]
fn values_of_what_has_an_equation_are_told() {
    let (native, said) = read_with(
        "(add-body b :translate 1 :mass 1 :inertia-matrix 0)(set-defaults y 3)(setsym y \"2*q(1)\")(add-out y z)",
        &[],
    );
    assert!(native.is_some() && said.len() == 1, "{}", said.join("\n"));
    assert!(said[0].contains("A010") && said[0].contains("`y` has an equation"), "{}", said[0]);
}

#[test]
fn strings_hold_quotes() {
    let (native, said) =
        read_with("(add-body b :name \"a \\\"q\\\" \\\\ b\" :translate 1 :mass 1 :inertia-matrix 0)", &[]);
    assert!(said.is_empty(), "{}", said.join("\n"));
    assert!(native.is_some_and(|n| n.contains("body B \"a \\\"q\\\" \\\\ b\" on N by translate(x")));
    told_once(&[("(add-body b :name \"a \\\" :translate 1)", &["this string is never closed"])]);
}

#[test]
fn expressions_are_refused_where_they_fail() {
    let force = |magnitude: &str| {
        format!(
            "(add-body b :translate 1)(add-line-force f :direction [n1] :magnitude \"{magnitude}\" :point1 b0)"
        )
    };
    for (magnitude, at, words) in [
        ("if(q(1)>0, 1, 2)", ">", "the algebra has no comparisons"),
        ("k*q(1) = 3", "=", "the algebra has no comparisons"),
        ("max(q(1) 2)", "2)\"", "this has no meaning here"),
        ("k*(q(1)", "(q(1)\"", "this is opened and never closed"),
        ("[n1 + 2", "+ 2\"", "this has no meaning here"),
    ] {
        let text = force(magnitude);
        let said = refused(&text);
        let column = text.find(at).expect("the text has it") + 1;
        assert!(said.len() == 1 && said[0].contains(words), "{}", said.join("\n"));
        assert!(said[0].contains(&format!(":1:{column}\n")), "{}", said[0]);
    }
}

#[test]
fn texts_that_load_themselves_are_told_once() {
    told_once(&[
        (
            "(load \"example.lsp\") (add-body b :translate 1)",
            &["A009", "`example.lsp` loads itself", "remove this command"],
        ),
        ("(add-body b :translate 1) (load \"./example.lsp\")", &["loads itself"]),
    ]);
    let body = "(add-body b :translate 1)";
    let (native, said) =
        read_with(&format!("{body}(load \"other.lsp\")"), &[("other.lsp", "(load \"example.lsp\")")]);
    assert!(native.is_none() && said.len() == 1, "{}", said.join("\n"));
    assert!(
        said[0].contains("`example.lsp` loads itself") && said[0].contains("by way of `other.lsp`"),
        "{}",
        said[0]
    );
    let twice = format!("{body}(load \"other.lsp\")(load \"other.lsp\")");
    let (native, said) =
        read_with(&twice, &[("other.lsp", "(add-body c :translate 1)(add-body d :translate 1)")]);
    assert!(native.is_none() && said.len() == 1, "{}", said.join("\n"));
    assert!(said[0].contains("A006") && said[0].contains("`other.lsp` is loaded twice"), "{}", said[0]);
}

#[test]
fn numbers_and_vectors_are_told_apart() {
    let body = "(add-body b :translate (1 2) :body-rotation-axes 3 :mass 1 :inertia-matrix 1)";
    let out = |e: &str| format!("{body}(add-out \"{e}\" x)");
    let force = |direction: &str, magnitude: &str| {
        format!("{body}(add-line-force f :direction {direction} :magnitude {magnitude} :point1 b0)")
    };
    for (text, words) in [
        (force("[n1]", "\"[b1]\""), &["a magnitude is a number, and this is a vector", "mag(…)"][..]),
        (force("n1", "3"), &["a direction is a vector, and this is a number", "write `[n1]`"]),
        (force("\"[n1]*[n2]\"", "3"), &["a vector times a vector has two meanings", "cross("]),
        (force("\"[n1] + 2\"", "3"), &["a number is added to a vector"]),
        (
            out("dot(convert-coordinates((0, l2, l3), b, n), [n1])"),
            &["what `dot` takes is a vector, and this is a list of components", "`L2*[b2] + L3*[b3]`"],
        ),
        (out("dot(q(1), [n1])"), &["what `dot` takes is a vector, and this is a number", "such as `[n1]`"]),
        (out("sin([n1])"), &["what `sin` takes is a number, and this is a vector"]),
        (out("3/[n1]"), &["divided by a vector"]),
        (out("[n1]^2"), &["a power of a vector"]),
        (format!("{body}(add-body c :mass \"[n1]\" :inertia-matrix 0)"), &["a mass is a number"]),
        (
            format!("{body}(add-point p :body b :coordinates \"3\")"),
            &["a place is a vector", "write `(0 0 L1)`"],
        ),
        (format!("{body}(set-defaults q(1) [n1])"), &["a value is a number, and this is a vector"]),
    ] {
        told_once(&[(&text, words)]);
    }
    let fine = format!(
        "{body}(setsym r \"2*[n1] + 0\") (add-out \"dot(dxdt(r), dir(r))\" y) (add-out \"dot(0, r)\" z)
        (add-point p :body b :coordinates (convert-coordinates (1 0 0) n b)) (add-out \"mag(pos(p) - 3*r)\" w)"
    );
    let (native, said) = read_with(&fine, &[]);
    assert!(native.is_some(), "{}", said.join("\n"));
}

#[test]
fn numbers_with_the_name_of_something_else_are_told_once() {
    let force = "(add-line-force f :direction [n1] :point1 b0 :magnitude \"-b*u(1) - 2*b*q(1)\")";
    let body = "(add-body b :translate 1 :mass 1 :inertia-matrix 0)";
    for (text, words) in [
        (format!("{body}{force}"), &["A006", "`b` is a body", "such as `b2`"][..]),
        (format!("(set-defaults b 3){body}{force}"), &["`b` is a body"]),
        (
            format!("{body}{}(set-defaults b2 1)", force.replace("-b*", "-n*").replace("*b*", "*b2*")),
            &["`n` is the ground"],
        ),
        (
            format!("{body}(add-point p :body b :coordinates (0 0 1)){}", force.replace("b*", "p*")),
            &["`p` is a point", "such as `p2`"],
        ),
        (format!("{body}{}", force.replace("b*", "f*")), &["`f` is a force"]),
        ("(add-body b :translate 1)(add-body mb :translate 1)".to_string(), &["`mb` is a body", "mass of B"]),
    ] {
        told_once(&[(&text, words)]);
    }
}

/// What is said about the native text, in the words of this language.
fn said_later(text: &str) -> String {
    let mut sources = Sources::new();
    let file = sources.add("example.lsp", text);
    let (native, _) = translate(file, "example", &mut sources, &mut |_| None);
    let native = native.expect("a text without errors is translated");
    let own = sources.add("native.mbs", native.text.as_str());
    let (tree, _) = cardan_syntax::parse(own, &native.text);
    let findings = native.back(own, cardan_lang::resolve(&tree, &sources).1);
    findings.iter().map(|d| render(d, &sources, false)).collect()
}

/// A scan of the satellite of Sayers reads `ifl` for `if1`.
#[test]
fn symbols_that_look_alike_are_offered() {
    let boom = |inertia: &str, values: &str| {
        said_later(&format!(
            "(add-body f :translate 1 :mass 1 :inertia-matrix {inertia})(set-defaults {values})"
        ))
    };
    let scan = boom("(ifl if2 if1)", "if1 27.2 if2 0.2");
    assert!(
        scan.contains("IFL has no value") && scan.contains("write `if1` for `ifl` if that is meant"),
        "{scan}"
    );
    let slip = boom("(ibom iboom 1)", "iboom 3");
    assert!(slip.contains("write `iboom` for `ibom`"), "{slip}");
    // Another number is another symbol.
    let other = boom("(i1 i2 i3)", "i1 1 i2 1");
    assert!(other.contains("I3 has no value") && !other.contains("if that is meant"), "{other}");
}
