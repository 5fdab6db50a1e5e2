//! The keywords of commands: how a value of each is written, and whether it may be a list.

/// What follows a keyword.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Kind {
    /// One value, or several in a list.
    Several,
    /// Words for people, in quotes.
    Words,
    /// A number, a name or an expression.
    One,
}

/// Keywords with a value as an example.
#[rustfmt::skip]
const KEYWORDS: &[(&str, Kind, &str)] = &[
    ("name",                 Kind::Words,   "\"Boom\""),
    ("long-name",            Kind::Words,   "\"roll angle\""),
    ("gen-name",             Kind::Words,   "\"angle\""),
    ("units",                Kind::Words,   "\"deg\""),
    ("parent",               Kind::One,     "n"),
    ("body",                 Kind::One,     "b"),
    ("body1",                Kind::One,     "b"),
    ("body2",                Kind::One,     "n"),
    ("point1",               Kind::One,     "b0"),
    ("point2",               Kind::One,     "n0"),
    ("translate",            Kind::Several, "(1 2 3)"),
    ("body-rotation-axes",   Kind::Several, "(1 2 3)"),
    ("parent-rotation-axis", Kind::Several, "1"),
    ("reference-axis",       Kind::Several, "1"),
    ("joint-coordinates",    Kind::Several, "(0 0 L1)"),
    ("cm-coordinates",       Kind::Several, "(0 0 L1)"),
    ("coordinates",          Kind::Several, "(0 0 L1)"),
    ("inertia-matrix",       Kind::Several, "(ixx iyy izz)"),
    ("small-angles",         Kind::Several, "t"),
    ("small-translations",   Kind::Several, "t"),
    ("mass",                 Kind::One,     "2"),
    ("direction",            Kind::One,     "[n3]"),
    ("magnitude",            Kind::One,     "\"-k*q(1)\""),
    ("gees",                 Kind::One,     "1"),
    ("q",                    Kind::One,     "q(1)"),
    ("u",                    Kind::One,     "u(1)"),
];

/// What follows a keyword.
pub(super) fn kind(keyword: &str) -> Kind {
    KEYWORDS.iter().find(|(name, ..)| *name == keyword).map_or(Kind::One, |(_, kind, _)| *kind)
}

/// A keyword with a value, as it can be typed.
pub(super) fn example(keyword: &str) -> String {
    let value = KEYWORDS.iter().find(|(name, ..)| *name == keyword).map_or("1", |(.., value)| value);
    format!(":{keyword} {value}")
}

#[cfg(test)]
mod tests {
    use super::KEYWORDS;
    use crate::autosim::command::WORDS;

    #[test]
    fn every_keyword_of_every_command_has_an_example() {
        for keyword in WORDS.iter().flat_map(|w| w.keywords) {
            assert_eq!(KEYWORDS.iter().filter(|(name, ..)| name == keyword).count(), 1, "{keyword}");
        }
    }
}
