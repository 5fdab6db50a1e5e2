//! Which names a text mentions.
//!
//! Whether a joint is kept or cut is decided before anything is resolved, and depends on who speaks of its coordinates and of its force.

use std::collections::BTreeSet;
use std::ops::Range;

/// The dotted names of a text outside comments and strings, leaving out some stretches of it.
pub fn mentioned(text: &str, without: &[Range<usize>]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut word = String::new();
    let (mut comment, mut string, mut escaped) = (false, false, false);
    for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
        let plain = !comment && !string && !without.iter().any(|r| r.contains(&at));
        if plain && (c.is_ascii_alphanumeric() || c == '_' || (c == '.' && !word.is_empty())) {
            word.push(c);
        } else if !word.is_empty() {
            found.insert(std::mem::take(&mut word));
        }
        match c {
            '\n' => (comment, string, escaped) = (false, false, false),
            '"' if !comment && !escaped => string = !string,
            '#' if !string => comment = true,
            _ => {}
        }
        escaped = string && c == '\\' && !escaped;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::mentioned;

    #[test]
    fn words_in_comments_strings_and_left_out_stretches_are_not_mentioned() {
        let text = "output a.q \"phi # x\", b # psi\ntheta = 2.5*s";
        let found = mentioned(text, std::slice::from_ref(&(30..35)));
        for word in ["output", "a.q", "b", "s"] {
            assert!(found.contains(word), "{word}");
        }
        for word in ["phi", "psi", "theta", "x"] {
            assert!(!found.contains(word), "{word}");
        }
    }
}
