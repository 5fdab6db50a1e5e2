//! Any text at all: no panic, bounded work, few diagnostics, and a model exactly when there are no errors.

use cardan_base::Diagnostics;
use cardan_lang::compile_text;

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

/// Words and signs that mean something, so that many of the mutated texts still do.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "(", ")", "{", "}", ",", ";", "=", "==", "<", "+", "-", "*", "/", "^", ".", "..", "->", "\n", " ", "\"s\"", "0", "1",
    "2.5e-3", "1e300", "[m]", "[N*m/rad]", "[deg]", "[kg]", "[1/s]", "[foo]", " if ", " then ", " else ", " and ", "not ",
    " on ", " by ", " at ", " from ", " between ", " in ", "body ", "frame ", "particle ", "parameter ", "variable ",
    "state ", "speed ", "table ", "function ", "output ", "start ", "simulate ", "lock ", "small ", "gravity = ", "force ",
    "torque ", "spring ", "bushing ", "strict units\n", "newtonian G\n", "N", "N.x", "N.o", "t", "pi", "x", "y", "z", "q",
    "q1", "q2", "phi", "upper", "lower", "lower.cm", "upper.elbow", "rod", "rod.q", "rod.u", "arm", "B.q1", "B.u4", "m",
    "der(", "sin(", "sqrt(", "dot(", "cross(", "mag(", "position(", "velocity(", "omega(", "partial(", "angle(", "N(",
    "revolute(", "free(", "spherical(", "universal(", "screw(", "planar(", "translate(", "rotate(", "fixed(",
    "euler_parameters", "rates", "motion = ", "locked", "small", "orient = ", "speed = ", "axis = ", "cm", "mass",
];

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Inserts, removes, repeats, moves or replaces a few parts of the text.
fn mutate(random: &mut Random, text: &str) -> String {
    let mut text = text.to_string();
    for _ in 0..=random.below(5) {
        let a = boundary(&text, random.below(text.len() + 1));
        let b = boundary(&text, (a + random.below(30)).min(text.len()));
        match random.below(6) {
            0 => text.insert_str(a, PIECES[random.below(PIECES.len())]),
            1 => text.replace_range(a..b, ""),
            2 | 3 => swap_words(random, &mut text),
            4 => {
                let part = text[a..b].to_string();
                let c = boundary(&text, random.below(text.len() + 1));
                text.insert_str(c, &part);
            }
            _ => text.replace_range(a..b, PIECES[random.below(PIECES.len())]),
        }
    }
    text
}

/// Replaces a word by another word of the text or of the language.
fn swap_words(random: &mut Random, text: &mut String) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words: Vec<(usize, String)> = text
        .match_indices(is_word)
        .filter(|(i, _)| !text[..*i].ends_with(is_word))
        .map(|(i, _)| (i, text[i..].chars().take_while(|c| is_word(*c)).collect()))
        .collect();
    if words.is_empty() {
        return;
    }
    let (at, old) = words[random.below(words.len())].clone();
    let new = match random.below(2) {
        0 => words[random.below(words.len())].1.clone(),
        _ => PIECES[random.below(PIECES.len())].trim().to_string(),
    };
    text.replace_range(at..at + old.len(), &new);
}

fn samples() -> Vec<String> {
    let mut texts = vec![];
    for folder in ["tests/samples", "../syntax/tests/samples"] {
        let folder = format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"));
        let mut paths: Vec<_> = std::fs::read_dir(folder)
            .expect("the folder exists")
            .map(|e| e.expect("an entry").path())
            .collect();
        paths.sort();
        let models = paths.into_iter().filter(|p| p.extension().is_some_and(|e| e == "mbs"));
        texts.extend(models.map(|p| std::fs::read_to_string(p).expect("a readable file")));
    }
    texts
}

fn check(text: &str) -> bool {
    let compiled = compile_text("example.mbs", text);
    assert!(compiled.diagnostics.len() <= Diagnostics::LIMIT);
    assert_eq!(compiled.model.is_some(), !compiled.diagnostics.has_errors(), "{text}");
    for diagnostic in &compiled.diagnostics {
        assert!(!diagnostic.help.is_empty() || diagnostic.code.0.starts_with('U'), "{diagnostic:?}");
        assert!(diagnostic.labels.iter().all(|l| compiled.sources.get(l.span.file).is_some()));
    }
    compiled.model.is_some()
}

#[test]
fn thirty_thousand_mutated_texts() {
    let samples = samples();
    let mut random = Random(0x5EED_CAFE);
    let mut n_models = 0;
    for round in 0..30_000 {
        let text = mutate(&mut random, &samples[round % samples.len()]);
        n_models += usize::from(check(&text));
    }
    assert!(
        n_models > 1_000,
        "only {n_models} of the texts were models: the test looks at parse errors only"
    );
}
