//! The unit that was probably meant where one of another dimension stands.
//!
//! Masses and forces share their everyday names, and `g` is a gram to a scale and an acceleration to a driver. A
//! checker that expected a force and found `lb` can say `lbf`.

use crate::{Dimension, Unit};

/// Names that people take for one another.
#[rustfmt::skip]
const TAKEN_FOR: &[(&str, &str)] = &[
    ("lb", "lbf"), ("lbm", "lbf"), ("oz", "ozf"), ("kg", "kgf"), ("g", "gn"),
    ("lbf", "lb"), ("ozf", "oz"),  ("kgf", "kg"), ("kp", "kg"),  ("gn", "g"), ("g0", "g"),
    ("C", "K"),    ("F", "K"),     ("S", "s"),    ("h", "hp"),
];

/// The text with one name replaced by one that is often mistaken for it, if that gives the dimension `expected`.
pub fn probably_meant(text: &str, expected: &Dimension) -> Option<String> {
    let found = Unit::parse(text).ok()?;
    if found.dimension().compatible(expected) {
        return None;
    }
    names(text).find_map(|(start, name)| {
        let (before, after) = (&text[..start], &text[start + name.len()..]);
        TAKEN_FOR.iter().filter(|(said, _)| *said == name).find_map(|(_, meant)| {
            let other = format!("{before}{meant}{after}");
            let unit = Unit::parse(&other).ok()?;
            unit.dimension().compatible(expected).then(|| unit.text().to_owned())
        })
    })
}

/// The names in a unit text, with their offsets.
fn names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text.get(at..)?.find(char::is_alphabetic)?;
        let rest = &text[start..];
        let length = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        at = start + length;
        Some((start, &rest[..length]))
    })
}

#[cfg(test)]
mod tests {
    use crate::unit_suggestion::*;

    #[test]
    fn masses_and_forces_are_told_apart() {
        let cases = [
            ("lb", Dimension::FORCE, Some("lbf")),
            ("lb/in", Dimension::STIFFNESS, Some("lbf/in")),
            ("in*lb/deg", Dimension::ANGULAR_STIFFNESS, Some("in*lbf/deg")),
            ("lbf", Dimension::MASS, Some("lb")),
            ("g", Dimension::ACCELERATION, Some("gn")),
            ("kg/m", Dimension::STIFFNESS, Some("kgf/m")),
            ("C", Dimension::TEMPERATURE, Some("K")),
            ("lbf", Dimension::FORCE, None),
            ("m", Dimension::FORCE, None),
            ("no unit", Dimension::FORCE, None),
        ];
        for (text, expected, meant) in cases {
            assert_eq!(probably_meant(text, &expected).as_deref(), meant, "{text}");
        }
    }

    #[test]
    fn every_pair_names_two_units_of_different_dimension() {
        for (said, meant) in TAKEN_FOR {
            let dimension = |name: &str| Unit::parse(name).map(|u| u.dimension());
            if let (Ok(said), Ok(meant)) = (dimension(said), dimension(meant)) {
                assert!(!said.compatible(&meant));
            } else {
                panic!("{said} or {meant} is not a unit");
            }
        }
    }
}
