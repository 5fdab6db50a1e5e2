//! Mutations: small damages of a text as hands, editors, programs and attackers make them.

use super::corpus::Seed;

/// Random numbers by the generator of Steele, Lea and Flood (SplitMix64).
pub struct Random(u64);

impl Random {
    /// The numbers of a case.
    pub fn new(seed: u64, case: u64) -> Random {
        let mut random = Random(seed ^ case.wrapping_mul(0xd134_2543_de82_ef95));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number below `n`; 0 if there is none.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }

    /// One of a list that is not empty.
    pub fn pick<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[self.below(list.len())]
    }
}

/// The largest input that mutations make, in bytes.
const MOST: usize = 200_000;

/// Numbers at which arithmetic breaks.
const NUMBERS: [&str; 18] = [
    "0",
    "-0",
    "1",
    "-1",
    "1e308",
    "-1e308",
    "1e-308",
    "1e400",
    "1e-400",
    "5e-324",
    "9007199254740993",
    "nan",
    "inf",
    "99999999999999999999999999",
    "0x10",
    "1e",
    ".5.5",
    "123456789012345678901234567890e-20",
];

/// Words and signs that open, close, repeat or escape something.
const WORDS: [&str; 34] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "\"",
    "#",
    "=",
    ":=",
    "~",
    "..",
    ",",
    ";",
    "\n",
    "[m]",
    "[1/0]",
    "der(",
    "partial(",
    "sum(",
    "if ",
    "for ",
    "every 1e-9 [s] { }",
    "when ",
    "repeat ",
    "<",
    "/>",
    "<!--",
    "&lt;",
    "&#x0;",
    "\u{1b}[2J",
    "\u{202e}",
    "\u{0}",
    "ä",
];

/// A text with one to six mutations.
pub fn mutate(random: &mut Random, text: &[u8], others: &[Seed]) -> Vec<u8> {
    let mut out = text.to_vec();
    for _ in 0..=random.below(6) {
        once(random, &mut out, others);
        out.truncate(MOST);
    }
    out
}

fn once(random: &mut Random, text: &mut Vec<u8>, others: &[Seed]) {
    match random.below(13) {
        0 => {
            let at = random.below(text.len());
            if let Some(byte) = text.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => drop(text.drain(range(random, text.len(), 40))),
        2 => {
            let part = text[range(random, text.len(), 200)].to_vec();
            insert(random, text, &part);
        }
        3 => {
            let word = random.pick(&WORDS).as_bytes();
            insert(random, text, word);
        }
        4 | 5 => replace_number(random, text),
        6 => {
            // A name or word in the place of another.
            let (from, to) = (word_at(random, text), word_at(random, text));
            let word = text[from].to_vec();
            drop(text.splice(to, word));
        }
        7 => {
            let from = line_at(random, text);
            let line = text[from].to_vec();
            insert_line(random, text, &line);
        }
        8 => drop(text.drain(line_at(random, text))),
        9 => {
            let other = random.pick(others);
            let line = other.bytes[line_at(random, &other.bytes)].to_vec();
            insert_line(random, text, &line);
        }
        10 => {
            // Many of one thing.
            let from = line_at(random, text);
            let line = text[from].repeat(1 + random.below(60));
            insert_line(random, text, &line);
        }
        11 => {
            let sign = *random.pick(&["(", "{", "-", "[", "<a>", "partial(", "sqrt("]);
            let many = sign.repeat(1 + random.below(500));
            insert(random, text, many.as_bytes());
        }
        _ => {
            let at = random.below(text.len() + 1);
            text.truncate(at);
        }
    }
}

fn range(random: &mut Random, length: usize, most: usize) -> std::ops::Range<usize> {
    let from = random.below(length);
    from..(from + 1 + random.below(most)).min(length)
}

fn insert(random: &mut Random, text: &mut Vec<u8>, part: &[u8]) {
    let at = random.below(text.len() + 1);
    drop(text.splice(at..at, part.iter().copied()));
}

fn insert_line(random: &mut Random, text: &mut Vec<u8>, line: &[u8]) {
    let at = line_at(random, text).start;
    drop(text.splice(at..at, line.iter().copied()));
}

/// A line with its end.
fn line_at(random: &mut Random, text: &[u8]) -> std::ops::Range<usize> {
    let at = random.below(text.len());
    let from = text[..at].iter().rposition(|b| *b == b'\n').map_or(0, |k| k + 1);
    let to = text[at..].iter().position(|b| *b == b'\n').map_or(text.len(), |k| at + k + 1);
    from..to
}

/// A word near some place; nothing where there is none.
fn word_at(random: &mut Random, text: &[u8]) -> std::ops::Range<usize> {
    let is_letter = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let at = random.below(text.len());
    let from = text[at..].iter().position(is_letter).map_or(text.len(), |k| at + k);
    let from = text[..from].iter().rposition(|b| !is_letter(b)).map_or(0, |k| k + 1);
    let to = text[from..].iter().position(|b| !is_letter(b)).map_or(text.len(), |k| from + k);
    from..to
}

fn replace_number(random: &mut Random, text: &mut Vec<u8>) {
    let at = random.below(text.len());
    let Some(from) = text[at..].iter().position(u8::is_ascii_digit).map(|k| at + k) else { return };
    let is_part = |b: &u8| b.is_ascii_digit() || *b == b'.';
    let to = text[from..].iter().position(|b| !is_part(b)).map_or(text.len(), |k| from + k);
    let number = random.pick(&NUMBERS).bytes();
    drop(text.splice(from..to, number));
}

#[cfg(test)]
mod tests {
    use super::super::corpus::Kind;
    use super::*;

    /// Every mutation of every length is in bounds, and a case is always the same.
    #[test]
    fn cases_are_reproducible() {
        let seeds: Vec<Seed> = ["", "a", "model m\nparameter a = 1.5 [m]\n"]
            .map(|text| Seed { kind: Kind::Model, bytes: text.into() })
            .into();
        let mut changed = 0;
        for case in 0..3000 {
            for seed in &seeds {
                let made = || mutate(&mut Random::new(7, case), &seed.bytes, &seeds);
                assert_eq!(made(), made(), "{case}");
                changed += usize::from(made() != seed.bytes);
            }
        }
        assert!(changed > 6000, "{changed}");
    }
}
