//! Several mistakes in one text: each gets one diagnostic, and what is right is still understood.

use crate::common;

use common::parsed;

#[track_caller]
fn check(text: &str, codes: &[&str], outline: &str) {
    let (tree, diagnostics, _) = parsed(text);
    let found: Vec<&str> = diagnostics.iter().map(|d| d.code.0).collect();
    assert_eq!(found, codes, "{text}\n{}", common::complaints(text));
    assert_eq!(tree.to_string(), outline, "{text}");
}

#[test]
fn statements_after_a_mistake_are_read() {
    check("a = \nb = 2 )\nc = 3", &["S007", "S010"], "a = ?\nb = 2\nc = 3\n");
}

#[test]
fn a_mistake_in_a_block_stays_in_the_block() {
    let text = "body A on N {\n  mass = * 2\n  center = (1, 2, 3\n  inertia = 4\n}\nb = 1";
    check(text, &["S007", "S009"], "body A on N\n  mass = ?\n  center = (1, 2, 3)\n  inertia = 4\nb = 1\n");
}

#[test]
fn a_mistake_in_a_head_skips_its_block() {
    check("bodi A on N by pin(z) {\n mass = = 2\n}\nb = 1", &["S006"], "b = 1\n");
}

#[test]
fn an_open_brace_is_found_at_the_end() {
    check("body A on N {\n mass = 2\n", &["S009"], "body A on N\n  mass = 2\n");
}

#[test]
fn a_stray_brace_is_skipped() {
    check("a = 1\n}\nb = 2", &["S010"], "a = 1\nb = 2\n");
}

#[test]
fn one_slip_in_a_list_keeps_the_others() {
    check("parameter a = 1, b = , c = 3\nd = 4", &["S007"], "parameter a = 1\nparameter b = ?\nd = 4\n");
}

#[test]
fn a_reserved_word_among_names_is_one_mistake() {
    let text = "body A on N by ball(q = (ax, by, cz)) { mass = 2 }\nx = 2*on + 1\ny = 3";
    check(
        text,
        &["S004", "S004"],
        "body A on N by ball(q = (ax, ?, cz))\n  mass = 2\nx = ((2 * ?) + 1)\ny = 3\n",
    );
    // A value that is missing before a word in its right place is still that.
    check("body A on by pin(z)\nforce F on A.cm = at N\nx = 1", &["S005", "S007"], "x = 1\n");
}

#[test]
fn forgotten_signs_are_named() {
    check("gravity -9.81 * N.z\nx = 1", &["S013"], "x = 1\n");
    check("torque t on A from N\nx = 1", &["S013"], "x = 1\n");
    check("output 2*arm = 3\nx = 1", &["S004"], "output = (2 * arm)\nx = 1\n");
    check("when x < 0 then y := 1\nx = 1", &["S013"], "when (x < 0)\nx = 1\n");
    check("function f(x = 3\nx = 1", &["S009"], "x = 1\n");
}

#[test]
fn places_of_statements_end_with_their_last_sign() {
    let text = "model a\nx = 1;\n\nstart { y = 2 }  # note\n;\n";
    let (tree, _, sources) = parsed(text);
    assert_eq!(sources.slice(tree.statements[0].span), "model a\nx = 1;\n\nstart { y = 2 }");
}

#[test]
fn models_follow_one_another() {
    check(
        "model a\nx = 1\nmodel b { y = 2 }\nmodel c\nz = 3",
        &[],
        "model a\n  x = 1\nmodel b\n  y = 2\nmodel c\n  z = 3\n",
    );
}

#[test]
fn words_of_statements_may_be_names() {
    check(
        "parameter state = 1, table = 2\nx = state + table\nframe.x = 3\ntable = 4",
        &[],
        "parameter state = 1\nparameter table = 2\nx = (state + table)\nframe.x = 3\ntable = 4\n",
    );
}

#[test]
fn many_mistakes_are_counted_and_few_are_kept() {
    let (_, diagnostics, _) = parsed(&"a = 1 2\n".repeat(5000));
    assert_eq!(diagnostics.n_errors(), 5000);
    assert_eq!(diagnostics.len(), cardan_base::Diagnostics::LIMIT);
}

/// Signs of other languages and of word processors are answered with ours.
#[test]
fn what_was_meant_is_said() {
    for (text, hint) in [
        ("a = 30°", "`30 [deg]`"),
        ("a = b − 1", "`-`"),
        ("a = b²", "`^2`"),
        ("a = 2 × b", "`*`"),
        ("a = b**2", "`L^2`"),
        ("// said\na = 1", "begins with `#`"),
        ("% said\na = 1", "begins with `#`"),
        ("a = 2 pi", "`2 * pi`"),
        ("a = 2 kg", "`2 [kg]`"),
        ("a = b'", "`der(b)`"),
    ] {
        let (_, diagnostics, _) = parsed(text);
        let hints: Vec<&String> = diagnostics.iter().flat_map(|d| &d.help).collect();
        assert!(hints.first().is_some_and(|h| h.contains(hint)), "{text}: {hints:?}");
    }
}
