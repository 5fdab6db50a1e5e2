//! Any text at all: no panic, bounded depth, linear work, few diagnostics, and a formatter that keeps
//! the meaning of whatever has one.

use crate::common;

use cardan_base::{Diagnostics, FileId, Id};
use cardan_syntax::{format, parse, parse_expression};
use common::{files, folder, outline, parsed};

/// A small deterministic generator (xorshift64*), so a failure repeats itself.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    ":=",
    "=",
    "==",
    "!=",
    "<",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "^",
    ".",
    "..",
    "...",
    "->",
    "\n",
    "\n\n",
    " ",
    "# c\n",
    "\"s\"",
    "\"",
    "\\",
    "1",
    "2.5e-3",
    ".5",
    "1.",
    "3x",
    "[m]",
    "[N*m/rad]",
    "if",
    "then",
    "else",
    "and",
    "or",
    "not",
    "on",
    "by",
    "at",
    "from",
    "between",
    "in",
    "body",
    "frame",
    "model",
    "m ",
    "subsystem",
    "parameter",
    "table",
    "linear",
    "state",
    "der",
    "when",
    "every",
    "start",
    "output",
    "simulate",
    "joint",
    "point",
    "port",
    "slot",
    "force",
    "spring",
    "x",
    "B.x",
    "f(",
    "é",
    "∂",
    "@",
    "\u{feff}",
    "\r\n",
    "\t",
    "\0",
];

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Inserts, removes, repeats or swaps a few parts of the text.
fn mutate(random: &mut Random, text: &str) -> String {
    let mut text = text.to_string();
    for _ in 0..=random.below(6) {
        let a = boundary(&text, random.below(text.len() + 1));
        let b = boundary(&text, (a + random.below(40)).min(text.len()));
        match random.below(4) {
            0 => text.insert_str(a, PIECES[random.below(PIECES.len())]),
            1 => text.replace_range(a..b, ""),
            2 => {
                let part = text[a..b].to_string();
                text.insert_str(a, &part);
            }
            _ => text.replace_range(a..b, PIECES[random.below(PIECES.len())]),
        }
    }
    text
}

#[test]
fn twenty_thousand_mutated_samples() {
    let samples: Vec<String> =
        files(&folder("tests/samples"), "mbs").into_iter().map(|(_, text)| text).collect();
    let mut random = Random(0x00C0_FFEE);
    for round in 0..20_000 {
        let sample = &samples[round % samples.len()];
        let from = boundary(sample, random.below(sample.len()));
        let to = boundary(sample, (from + 20 + random.below(600)).min(sample.len()));
        let text = mutate(&mut random, &sample[from..to]);
        let (tree, diagnostics, _) = parsed(&text);
        assert!(diagnostics.len() <= Diagnostics::LIMIT);
        assert!(tree.to_string().len() < 1000 + 100 * text.len(), "{text}");
        assert_eq!(check_formatted(&text), !diagnostics.has_errors());
    }
}

/// Breaks, joins and sprinkles lines of whole samples: most stay valid, and their layout is wild.
#[test]
fn wild_layouts_are_tamed() {
    let samples = files(&folder("tests/samples"), "mbs");
    let mut random = Random(0xBADC_0DE5);
    let mut n_clean = 0;
    for round in 0..3_000 {
        let mut text = samples[round % samples.len()].1.clone();
        for _ in 0..=random.below(5) {
            let gaps: Vec<usize> =
                text.match_indices([' ', '(', ')', ',', '{', '}']).map(|(i, _)| i).collect();
            let gap = gaps[random.below(gaps.len())];
            let pieces =
                [" ", "\n", "\n\n\n", "  # note\n", ";", "\r\n", "\t", "\n# own line\n\n", ",", "\n;\n"];
            text.insert_str(gap, pieces[random.below(pieces.len())]);
        }
        n_clean += usize::from(check_formatted(&text));
    }
    assert!(n_clean > 700, "only {n_clean} texts without errors");
}

/// Whether the text is free of errors; if so, its formatted form must say the same, and be settled.
fn check_formatted(text: &str) -> bool {
    let (tree, diagnostics, _) = parsed(text);
    if diagnostics.has_errors() {
        assert!(format(text).is_err());
        return false;
    }
    let formatted = format(text).expect("a text without errors can be formatted");
    assert_eq!(outline(&formatted), tree.to_string(), "meaning changed\n{text}\n---\n{formatted}");
    assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "not settled\n{text}\n---\n{formatted}");
    assert_eq!(comments(&formatted), comments(text), "comments changed\n{text}");
    assert!(formatted.lines().all(|l| l.trim_end() == l), "space at the end of a line\n{formatted}");
    assert!(!formatted.contains("\n\n\n"), "two blank lines\n{formatted}");
    true
}

fn comments(text: &str) -> Vec<String> {
    // A `#` inside a string is no comment; the samples and pieces have none.
    text.lines().filter_map(|l| l.split_once('#')).map(|(_, c)| c.trim_end().to_string()).collect()
}

#[test]
fn random_pieces() {
    let mut random = Random(7);
    for _ in 0..5_000 {
        let n = random.below(60);
        let text: String = (0..n).map(|_| [PIECES[random.below(PIECES.len())], " "].concat()).collect();
        let (tree, diagnostics, _) = parsed(&text);
        assert!(tree.to_string().len() < 1000 + 100 * text.len());
        assert_eq!(diagnostics.has_errors(), format(&text).is_err());
        let (_, diagnostics) = parse_expression(FileId::from_index(0), &text);
        assert!(diagnostics.len() <= Diagnostics::LIMIT);
    }
}

#[test]
fn deep_nesting_is_refused_with_one_complaint() {
    let n = 100_000;
    for (open, close) in [
        ("(", ")"),
        ("-", ""),
        ("not ", ""),
        ("f(", ")"),
        ("a[", "]"),
        ("a^", ""),
        ("if a then ", ""),
        ("if ", ""),
        ("(1, ", ")"),
        ("1 + (", ")"),
    ] {
        let text = format!("x = {}1{}\ny = 2", open.repeat(n), close.repeat(n));
        let (tree, diagnostics, _) = parsed(&text);
        let codes: Vec<&str> = diagnostics.iter().map(|d| d.code.0).collect();
        assert_eq!(codes, ["S011"], "{open}");
        assert!(tree.to_string().ends_with("\ny = 2\n"), "{open}");
    }
    let text = format!("{}x = 1{}\ny = 2", "start { ".repeat(n), " }".repeat(n));
    let (tree, diagnostics, _) = parsed(&text);
    assert_eq!(diagnostics.len(), 1);
    assert!(tree.to_string().ends_with("\ny = 2\n"));
    let (_, diagnostics, _) = parsed(&"start {\n".repeat(n));
    assert!(diagnostics.len() <= Diagnostics::LIMIT);
}

#[test]
fn deepest_allowed_nesting_fits_the_stack() {
    let expression = format!("{}1{}", "(".repeat(200), ")".repeat(200));
    let text = format!("{}x = {expression}{}", "start { ".repeat(64), " }".repeat(64));
    assert!(outline(&text).ends_with("x = 1\n"));
    assert!(format(&text).is_ok());
    let deeper = text.replace("(1)", "((1))");
    assert_eq!(parsed(&deeper).1.n_errors(), 1);
    let deeper = format!("start {{ {text} }}");
    assert_eq!(parsed(&deeper).1.n_errors(), 1);
}

#[test]
fn long_chains_are_flat() {
    let n = 200_000;
    let text = format!("x = 1{}\ny = {}0", " + 2 * 3".repeat(n), "if a then 1 else ".repeat(n));
    let (tree, diagnostics, _) = parsed(&text);
    assert!(diagnostics.is_empty());
    assert_eq!(tree.clone(), tree);
    assert_eq!(tree.to_string().matches('+').count(), n);
}

/// Doubling the text must not quadruple the time; the bound is loose because machines are busy.
#[test]
fn work_is_linear() {
    for unit in ["(", "{", "}", "a = (1\n", "x = [m] ]\n", "\"", "body b {\n", "a.", "[", "if ", "1 2\n", "@"]
    {
        let text = unit.repeat(400_000);
        let start = std::time::Instant::now();
        let (_, diagnostics) = parse(FileId::from_index(0), &text);
        assert!(diagnostics.has_errors(), "{unit}");
        assert!(start.elapsed().as_secs() < 20, "{unit} took {:?}", start.elapsed());
    }
}
