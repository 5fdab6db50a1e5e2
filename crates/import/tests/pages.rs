//! The pages about diagnostics say what the importers say.
//!
//! `BLESS=1` writes what they say today into the pages.

use crate::common;

use cardan_base::{Diagnostics, Sources, render};
use cardan_import::{ImportOptions, codes, import};
use common::folder;

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

fn findings(text: &str) -> (Diagnostics, String) {
    let mut sources = Sources::new();
    let name = if text.contains("<mujoco") { "example.xml" } else { "example.urdf" };
    let file = sources.add(name, text);
    let (_, diagnostics) =
        import(file, &mut sources, &mut |_| None, &ImportOptions { loops: true, ..ImportOptions::default() });
    let said: Vec<String> =
        diagnostics.iter().map(|d| render(d, &sources, false).trim_end().to_string()).collect();
    (diagnostics, said.join("\n\n"))
}

#[test]
fn error_pages_show_what_the_importers_say() {
    for (code, title) in codes::ALL {
        let code = code.0;
        let path = folder("../../docs/errors").join(format!("{code}.md"));
        let page = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{code} has a page"));
        assert!(page.starts_with(&format!("# {code}: {title}\n")), "{code}: the heading should be {title}");

        let examples = blocks(&page, "xml");
        let (example, mended) = (examples[0], examples[examples.len() - 1]);
        let (diagnostics, said) = findings(example);
        assert!(!diagnostics.is_empty(), "{code}: nothing is found in the example");
        assert!(diagnostics.iter().all(|d| d.code.0 == code), "{code}\n{said}");
        assert_eq!(findings(mended).1, "", "{code}: the mended text still has findings");

        let shown = blocks(&page, "text")[0];
        if std::env::var_os("BLESS").is_some() {
            let refreshed =
                page.replacen(&format!("```text\n{shown}```"), &format!("```text\n{said}\n```"), 1);
            std::fs::write(&path, refreshed).expect("the page can be written");
        } else {
            assert_eq!(shown.trim_end(), said, "{code} differs; refresh with BLESS=1");
        }
    }
}

/// The voice: no "you", no jargon, a place and a line of help for every diagnostic.
#[test]
fn diagnostics_keep_the_voice() {
    for (code, _) in codes::ALL {
        let path = folder("../../docs/errors").join(format!("{}.md", code.0));
        let page = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{} has a page", code.0));
        for diagnostic in &findings(blocks(&page, "xml")[0]).0 {
            assert!(!diagnostic.help.is_empty(), "{}: no help", diagnostic.message);
            assert!(diagnostic.span().is_some(), "{}: no place", diagnostic.message);
            let text = render(diagnostic, &Sources::new(), false).to_lowercase();
            for word in ["you", "token", "syntax", "parse", "invalid", "illegal", "unexpected"] {
                assert!(!text.split(|c: char| !c.is_alphanumeric()).any(|w| w == word), "`{word}` in {text}");
            }
        }
    }
}
