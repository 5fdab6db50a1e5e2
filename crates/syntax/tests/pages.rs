//! The pages about diagnostics and the page about the grammar say what the parser does.

use crate::common;

use cardan_base::{Sources, render};
use cardan_syntax::{codes, format};
use common::{blessing, check_file, complaints, files, folder, outline, parsed};

/// The fenced blocks of a page that begin with ` ```kind `.
fn blocks<'a>(page: &'a str, kind: &str) -> Vec<&'a str> {
    let fence = format!("```{kind}\n");
    let mut found = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find(&fence) {
        let body = &rest[start + fence.len()..];
        let end = body.find("```").expect("every block is closed");
        found.push(&body[..end]);
        rest = &body[end + 3..];
    }
    found
}

#[test]
fn error_pages_show_what_the_parser_says() {
    let pages = files(&folder("../../docs/errors"), "md");
    let mut n_pages = 0;
    for (path, page) in pages {
        let code = path.file_stem().expect("a page has a name").to_string_lossy().to_string();
        if !code.starts_with('S') {
            continue;
        }
        n_pages += 1;
        let title = codes::ALL.iter().find(|(c, _)| c.0 == code).map(|(_, title)| *title);
        let heading = format!("# {code}: {}\n", title.expect("every page has a code"));
        assert!(page.starts_with(&heading), "{code}: the heading should be {heading}");

        let examples = blocks(&page, "mbs");
        let (example, mended) = (examples[0], examples[examples.len() - 1]);
        let (_, diagnostics, _) = parsed(example);
        assert!(!diagnostics.is_empty(), "{code}: the example has no errors");
        assert!(diagnostics.iter().all(|d| d.code.0 == code), "{code}\n{}", complaints(example));
        assert_eq!(complaints(mended), "", "{code}: the mended text still has errors");

        let shown = blocks(&page, "text")[0];
        let said = complaints(example);
        if blessing() {
            let refreshed = page.replacen(
                &format!("```text\n{shown}```"),
                &format!("```text\n{}\n```", said.trim_end()),
                1,
            );
            check_file(&path, &refreshed);
        } else {
            assert_eq!(shown.trim_end(), said.trim_end(), "{code} differs; refresh with BLESS=1");
        }
    }
    assert_eq!(n_pages, codes::ALL.len(), "every code has a page");
}

/// The voice: no "you", one line of message, and help for every diagnostic.
#[test]
fn diagnostics_keep_the_voice() {
    for (path, page) in files(&folder("../../docs/errors"), "md") {
        if !path.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with('S')) {
            continue;
        }
        let (_, diagnostics, _) = parsed(blocks(&page, "mbs")[0]);
        for diagnostic in &diagnostics {
            assert!(!diagnostic.help.is_empty(), "{}: no help", diagnostic.message);
            assert!(diagnostic.span().is_some(), "{}: no place", diagnostic.message);
            let text = render(diagnostic, &Sources::new(), false).to_lowercase();
            for word in ["you", "token", "syntax", "parse", "invalid", "illegal", "unexpected"] {
                assert!(!text.split(|c: char| !c.is_alphanumeric()).any(|w| w == word), "`{word}` in {text}");
            }
        }
    }
}

#[test]
fn every_sample_of_the_grammar_is_read_and_formatted() {
    let page = std::fs::read_to_string(folder("../../docs/grammar.md")).expect("the page exists");
    let samples = blocks(&page, "mbs");
    assert!(samples.len() >= 9);
    for sample in samples {
        assert_eq!(complaints(sample), "", "{sample}");
        let formatted = format(sample).expect("a sample has no errors");
        assert_eq!(outline(&formatted), outline(sample), "{sample}");
    }
}

/// Every word of the language occurs in the grammar.
#[test]
fn the_grammar_knows_every_word() {
    let page = std::fs::read_to_string(folder("../../docs/grammar.md")).expect("the page exists");
    use cardan_syntax::words::*;
    for word in [RESERVED, STATEMENTS, EXPERIMENTS, TABLE_METHODS, PORT_KINDS].concat() {
        assert!(page.contains(&format!("\"{word}\"")), "{word}");
    }
}
