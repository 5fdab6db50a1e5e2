//! Names that a language accepts, each used once.
//!
//! Labels are free text: `der(Z1)`, `wheel.slip`, `θ`. They become words of letters, digits and single
//! underscores, of bounded length, that start with a letter, are no keyword and are not taken yet.

use std::collections::BTreeSet;

/// Longest name; Fortran allows 63 characters.
const LONGEST: usize = 48;

/// What the Greek letters and signs of labels are called.
const SPELLED: [(char, &str); 27] = [
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('δ', "delta"),
    ('ε', "epsilon"),
    ('ζ', "zeta"),
    ('η', "eta"),
    ('θ', "theta"),
    ('κ', "kappa"),
    ('λ', "lambda"),
    ('μ', "mu"),
    ('ν', "nu"),
    ('ξ', "xi"),
    ('π', "pi"),
    ('ρ', "rho"),
    ('σ', "sigma"),
    ('τ', "tau"),
    ('φ', "phi"),
    ('χ', "chi"),
    ('ψ', "psi"),
    ('ω', "omega"),
    ('Δ', "Delta"),
    ('Θ', "Theta"),
    ('Φ', "Phi"),
    ('Ψ', "Psi"),
    ('Ω', "Omega"),
    ('\'', "_dot"),
];

/// The names taken so far in one file.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
    case_matters: bool,
}

impl Names {
    /// With these words taken.
    pub fn new<'a>(reserved: impl IntoIterator<Item = &'a str>, case_matters: bool) -> Self {
        let mut names = Names { taken: BTreeSet::new(), case_matters };
        for word in reserved {
            names.taken.insert(names.key(word));
        }
        names
    }

    fn key(&self, name: &str) -> String {
        if self.case_matters { name.to_owned() } else { name.to_ascii_lowercase() }
    }

    /// A free name as near to the label as possible; it is taken from now on.
    pub fn take(&mut self, label: &str) -> String {
        let word = sanitize(label);
        let mut name = word.clone();
        let mut k = 1;
        while !self.taken.insert(self.key(&name)) {
            k += 1;
            name = format!("{word}_{k}");
        }
        name
    }
}

/// The label as a word.
pub(crate) fn sanitize(label: &str) -> String {
    let mut label = label.trim();
    let mut n_dots = 0;
    while let Some(inner) = label.strip_prefix("der(").and_then(|rest| rest.strip_suffix(')')) {
        label = inner.trim();
        n_dots += 1;
    }
    let mut word = String::new();
    for c in label.chars() {
        let spelled = SPELLED.iter().find(|(greek, _)| *greek == c).map(|(_, name)| *name);
        match spelled {
            Some(name) => {
                word.push_str(if word.ends_with('_') { name.trim_start_matches('_') } else { name })
            }
            None if c.is_ascii_alphanumeric() => word.push(c),
            None if !word.is_empty() && !word.ends_with('_') => word.push('_'),
            None => {}
        }
    }
    let mut word = word.trim_matches('_').to_owned();
    if !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
        word.insert(0, 'v');
    }
    word.push_str(&"_dot".repeat(n_dots.min(4)));
    word.truncate(LONGEST);
    word.trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_become_words() {
        let cases = [
            ("der(Z1)", "Z1_dot"),
            ("der(der(θ))", "theta_dot_dot"),
            ("wheel.slip [front]", "wheel_slip_front"),
            ("2nd", "v2nd"),
            ("", "v"),
            ("x'", "x_dot"),
            ("_a__b_", "a_b"),
        ];
        for (label, word) in cases {
            assert_eq!(sanitize(label), word);
        }
    }

    #[test]
    fn names_are_given_once() {
        let mut names = Names::new(["int"], true);
        assert_eq!(
            [names.take("m"), names.take("M"), names.take("m"), names.take("int")],
            ["m", "M", "m_2", "int_2"]
        );
        let mut names = Names::new([], false);
        assert_eq!([names.take("m"), names.take("M")], ["m", "M_2"]);
    }

    proptest! {
        #[test]
        fn any_text_becomes_a_word(label in "\\PC*") {
            let word = sanitize(&label);
            prop_assert!(word.starts_with(|c: char| c.is_ascii_alphabetic()));
            prop_assert!(word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
            prop_assert!(!word.contains("__") && !word.ends_with('_') && word.len() <= LONGEST);
        }
    }
}
