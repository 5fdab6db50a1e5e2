//! Which names a text mentions.
//!
//! Whether a joint is kept or cut is decided before anything is resolved, and depends on who speaks of its coordinates and of its force.

use std::collections::BTreeSet;
use std::ops::Range;

/// The dotted names of a text, such as `rod[3].q`, outside comments and strings, leaving out some stretches of it.
pub fn mentioned(text: &str, without: &[Range<usize>]) -> BTreeSet<String> {
    let mut without: Vec<&Range<usize>> = without.iter().collect();
    without.sort_by_key(|r| r.start);
    let mut coming = without.into_iter().peekable();
    // Up to here everything is left out.
    let mut resumes = 0;
    let mut found = BTreeSet::new();
    let mut word = String::new();
    let (mut comment, mut string, mut escaped) = (false, false, false);
    for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
        while let Some(stretch) = coming.next_if(|r| r.start <= at) {
            resumes = resumes.max(stretch.end);
        }
        let plain = !comment && !string && at >= resumes;
        // An index touches its name; a unit stands apart.
        let index = !word.is_empty() && (matches!(c, '[' | ']') || (c == ',' && inside_brackets(&word)));
        if plain && (c.is_ascii_alphanumeric() || c == '_' || (c == '.' && !word.is_empty()) || index) {
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

fn inside_brackets(word: &str) -> bool {
    word.rfind('[') > word.rfind(']')
}

#[cfg(test)]
mod tests {
    use crate::names::name_usage::mentioned;

    #[test]
    fn stretches_may_overlap_and_come_in_any_order() {
        let text = "a b c d e f";
        let found = mentioned(text, &[8..9, 2..3, 2..7, 4..5, 10..10]);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "f"]);
    }

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
