//! Texts expanded for tests.

use cardan_base::{Sources, render};
use cardan_expand::{Expanded, Found, Refusal, Settings, expand};

/// A text expanded with settings and other texts.
pub fn expanded(text: &str, settings: &Settings, files: &[(&str, &str)]) -> (Expanded, Sources) {
    let mut sources = Sources::new();
    let file = sources.add("example.mbs", text);
    let (tree, findings) = cardan_syntax::parse(file, text);
    let said: String = findings.iter().map(|d| render(d, &sources, false)).collect();
    assert!(!findings.has_errors(), "{said}");
    let files: Vec<(String, String)> =
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let mut read = move |wanted: &str, _: &str| match files.iter().find(|(name, _)| name == wanted) {
        Some((name, text)) => Ok(Found { name: name.clone(), text: text.clone() }),
        None => Err(Refusal::Missing),
    };
    let expanded = expand(tree, &mut sources, settings, &mut read);
    (expanded, sources)
}

/// What is said about a text.
pub fn said(text: &str) -> String {
    let (expanded, sources) = expanded(text, &Settings::default(), &[]);
    let all: String = expanded.diagnostics.iter().map(|d| render(d, &sources, false)).collect();
    all.lines().map(|l| format!("{}\n", l.trim_end())).collect()
}

/// The flat text of a text without errors.
pub fn flat(text: &str) -> String {
    flat_with(text, &Settings::default(), &[])
}

/// The same with settings and other texts.
pub fn flat_with(text: &str, settings: &Settings, files: &[(&str, &str)]) -> String {
    let (expanded, sources) = expanded(text, settings, files);
    let said: String = expanded.diagnostics.iter().map(|d| render(d, &sources, false)).collect();
    assert!(!expanded.diagnostics.has_errors(), "{said}");
    cardan_syntax::print(&expanded.tree)
}

/// Asserts that a text expands to what another one says, in the words of the outline.
pub fn assert_expands(text: &str, by_hand: &str) {
    let by_hand = cardan_syntax::format(by_hand).expect("the text by hand is correct");
    let found = flat(text);
    let outline = |text: &str| {
        let mut sources = Sources::new();
        let file = sources.add("flat", text);
        let (tree, findings) = cardan_syntax::parse(file, text);
        assert!(!findings.has_errors(), "{text}");
        tree.to_string()
    };
    assert_eq!(outline(&found), outline(&by_hand), "{found}");
    assert_eq!(outline(&flat(&found)), outline(&found), "a flat text stays as it is");
}
