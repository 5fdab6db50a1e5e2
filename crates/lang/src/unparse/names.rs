//! Names of a model as names of a text.
//!
//! A model's names are paths such as `arm.mass` or `front.left.q`. A text can declare only single words, so paths that are not given by the
//! language itself (`B.q4`, `der(q)`) become words, and two that would become the same word are kept apart by numbers.

use cardan_base::{Map, Set};
use cardan_syntax::words;

/// Words given so far.
#[derive(Default)]
pub(crate) struct Names {
    taken: Set<String>,
    given: Map<String, String>,
}

impl Names {
    /// A word that nothing else has, as near to the path as possible.
    pub fn word(&mut self, path: &str) -> String {
        let word = spelt(path);
        let mut k = 1;
        let mut candidate = word.clone();
        while is_reserved(&candidate) || !self.taken.insert(candidate.clone()) {
            k += 1;
            candidate = format!("{word}_{k}");
        }
        candidate
    }
    /// Gives a path its word and remembers it.
    pub fn give(&mut self, path: &str) -> String {
        let word = self.word(path);
        self.given.insert(path.to_string(), word.clone());
        word
    }
    /// Lets a path stand for something that the language names itself.
    pub fn set(&mut self, path: &str, text: impl Into<String>) {
        self.given.insert(path.to_string(), text.into());
    }
    /// What stands for a path.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.given.get(path).map(String::as_str)
    }
}

/// A path as one word.
pub(crate) fn spelt(path: &str) -> String {
    let mut word: String =
        path.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if !word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        word.insert(0, '_');
    }
    word
}

/// Words that mean something to the language or are given to every model.
fn is_reserved(word: &str) -> bool {
    words::RESERVED.contains(&word) || matches!(word, "t" | "pi" | "small" | "lock" | "locked")
}

/// A string of the language.
pub(crate) fn quoted(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !c.is_control()).collect();
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A description after a blank; nothing if there is none.
pub(crate) fn described(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" {}", quoted(text)) }
}
