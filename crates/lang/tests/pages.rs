//! The pages under `docs/errors` show what is really said; `BLESS=1` refreshes them.

use cardan_base::{Severity, render};
use cardan_lang::{codes, compile_text};

/// The fenced blocks of a page that begin with ` ```kind `.
fn blocks<'a>(page: &'a str, kind: &str) -> Vec<&'a str> {
    let fence = format!("```{kind}\n");
    let closed = |rest: &'a str| rest.split_once("```").expect("every block is closed").0;
    page.split(&fence).skip(1).map(closed).collect()
}

/// All findings as plain text, without blanks at the ends of lines.
fn said(text: &str) -> String {
    let compiled = compile_text("example.mbs", text);
    let rendered: String = compiled.diagnostics.iter().map(|d| render(d, &compiled.sources, false)).collect();
    rendered.lines().map(|l| format!("{}\n", l.trim_end())).collect()
}

fn pages() -> Vec<(String, &'static str, String)> {
    let page = |(code, title): &(cardan_base::Code, &'static str)| {
        let path = format!("{}/../../docs/errors/{}.md", env!("CARGO_MANIFEST_DIR"), code.0);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        let heading = format!("# {}: {title}\n", code.0);
        assert!(text.starts_with(&heading), "the heading should be {heading}");
        (path, code.0, text)
    };
    codes::ALL.iter().map(page).collect()
}

#[test]
fn each_page_shows_its_own_finding_and_a_text_that_mends_it() {
    for (path, code, page) in pages() {
        let examples = blocks(&page, "mbs");
        let (example, mended) = (examples[0], examples[examples.len() - 1]);
        let compiled = compile_text("example.mbs", example);
        assert!(!compiled.diagnostics.is_empty(), "{code}: nothing is said about the example");
        assert!(compiled.diagnostics.iter().all(|d| d.code.0 == code), "{code}\n{}", said(example));
        assert_eq!(said(mended), "", "{code}: something is still said about the mended text");

        let shown = blocks(&page, "text")[0];
        let now = said(example);
        if std::env::var_os("BLESS").is_some() {
            let new = page.replacen(
                &format!("```text\n{shown}```"),
                &format!("```text\n{}\n```", now.trim_end()),
                1,
            );
            std::fs::write(&path, new).expect("the page can be written");
        } else {
            assert_eq!(shown.trim_end(), now.trim_end(), "{code} differs; refresh with BLESS=1");
        }
    }
}

#[test]
fn codes_are_numbered_without_gaps() {
    for (k, (code, _)) in codes::ALL.iter().enumerate() {
        assert_eq!(code.0, format!("M{:03}", k + 1));
    }
}

/// The voice: no "you", no compiler words, a place and help for every finding.
#[test]
fn findings_keep_the_voice() {
    for (_, code, page) in pages() {
        let compiled = compile_text("example.mbs", blocks(&page, "mbs")[0]);
        for d in &compiled.diagnostics {
            assert!(!d.help.is_empty() && d.span().is_some(), "{code}: {}", d.message);
            let words = [d.message.as_str(), &d.notes.join(" "), &d.help.join(" ")].join(" ").to_lowercase();
            for word in ["you", "token", "identifier", "invalid", "illegal", "unexpected", "symbol", "scope"]
            {
                assert!(!words.split(|c: char| !c.is_alphanumeric()).any(|w| w == word), "{code}: `{word}`");
            }
            assert!(d.severity != Severity::Error || compiled.model.is_none());
        }
    }
}
