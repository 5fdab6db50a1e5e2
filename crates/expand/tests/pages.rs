//! The pages under `docs/errors` show what is really said; `BLESS=1` refreshes them.

use cardan_base::render;
use cardan_expand::{Settings, codes};

use crate::common::expanded;

/// Texts that the examples of pages import.
const FILES: &[(&str, &str)] = &[
    ("gears@1.0/spur.mbs", "subsystem spur { parameter teeth = 20 }"),
    ("gears@2.0/worm.mbs", "subsystem worm { parameter threads = 1 }"),
    ("gears@1.0/worm.mbs", "subsystem worm { parameter threads = 1 }"),
    ("motor.mbs", "import gear from \"gear.mbs\"\nsubsystem motor { parameter k = 1 }"),
    ("gear.mbs", "import motor from \"motor.mbs\"\nsubsystem gear { parameter n = 2 }"),
    ("road.csv", "s [m], z [mm]\n0, 0\n1, 20\n2, 5\n"),
    ("spring.mbs", "subsystem coil { parameter k = 1 }"),
];

fn blocks<'a>(page: &'a str, kind: &str) -> Vec<&'a str> {
    let fence = format!("```{kind}\n");
    let closed = |rest: &'a str| rest.split_once("```").expect("every block is closed").0;
    page.split(&fence).skip(1).map(closed).collect()
}

fn said(text: &str) -> (String, Vec<String>) {
    let (found, sources) = expanded(text, &Settings::default(), FILES);
    let rendered: String = found.diagnostics.iter().map(|d| render(d, &sources, false)).collect();
    for d in &found.diagnostics {
        assert!(!d.help.is_empty() && d.span().is_some(), "{}", d.message);
        let words = [d.message.as_str(), &d.notes.join(" "), &d.help.join(" ")].join(" ").to_lowercase();
        for word in ["you", "token", "identifier", "invalid", "illegal", "unexpected", "symbol", "scope"] {
            assert!(!words.split(|c: char| !c.is_alphanumeric()).any(|w| w == word), "`{word}`: {words}");
        }
    }
    let found = found.diagnostics.iter().map(|d| d.code.0.to_owned()).collect();
    (rendered.lines().map(|l| format!("{}\n", l.trim_end())).collect(), found)
}

#[test]
fn each_page_shows_its_own_finding_and_a_text_that_mends_it() {
    for (k, (code, title)) in codes::ALL.iter().enumerate() {
        assert_eq!(code.0, format!("X{:03}", k + 1), "codes are numbered without gaps");
        let path = format!("{}/../../docs/errors/{}.md", env!("CARGO_MANIFEST_DIR"), code.0);
        let page = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        assert!(page.starts_with(&format!("# {}: {title}\n", code.0)), "{}: {title}", code.0);
        let examples = blocks(&page, "mbs");
        let (example, mended) = (examples[0], examples[examples.len() - 1]);
        let (now, found) = said(example);
        assert!(!found.is_empty() && found.iter().all(|c| c == code.0), "{}\n{now}", code.0);
        assert_eq!(said(mended).0, "", "{}: something is still said about the mended text", code.0);
        let shown = blocks(&page, "text")[0];
        if std::env::var_os("BLESS").is_some() {
            let new = page.replacen(
                &format!("```text\n{shown}```"),
                &format!("```text\n{}\n```", now.trim_end()),
                1,
            );
            std::fs::write(&path, new).expect("the page can be written");
        } else {
            assert_eq!(shown.trim_end(), now.trim_end(), "{} differs; refresh with BLESS=1", code.0);
        }
    }
}
