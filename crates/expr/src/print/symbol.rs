//! How a name is set: dots of a derivative, a stem, an index.
//!
//! `der(x)` has a dot, `der(der(x))` two. Trailing digits, and what follows an underscore, are an index; the owner in a path
//! comes first in it: `arm.q1` is q with the index `arm,1`. `M(1,2)` is M with the index `1,2`. `f''` has two primes. Greek letters go by their
//! names.

/// Greek letters by name.
const GREEK: [(&str, &str); 34] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("epsilon", "ε"),
    ("zeta", "ζ"),
    ("eta", "η"),
    ("theta", "θ"),
    ("iota", "ι"),
    ("kappa", "κ"),
    ("lambda", "λ"),
    ("mu", "μ"),
    ("nu", "ν"),
    ("xi", "ξ"),
    ("pi", "π"),
    ("rho", "ρ"),
    ("sigma", "σ"),
    ("tau", "τ"),
    ("upsilon", "υ"),
    ("phi", "φ"),
    ("chi", "χ"),
    ("psi", "ψ"),
    ("omega", "ω"),
    ("Gamma", "Γ"),
    ("Delta", "Δ"),
    ("Theta", "Θ"),
    ("Lambda", "Λ"),
    ("Xi", "Ξ"),
    ("Pi", "Π"),
    ("Sigma", "Σ"),
    ("Upsilon", "Υ"),
    ("Phi", "Φ"),
    ("Psi", "Ψ"),
    ("Omega", "Ω"),
];

/// The letter of this name.
pub fn greek(name: &str) -> Option<&'static str> {
    GREEK.iter().find(|(n, _)| *n == name).map(|(_, letter)| *letter)
}

/// What a name is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark<'n> {
    /// Derivatives with respect to time.
    pub dots: usize,
    /// The letter or word.
    pub stem: &'n str,
    /// Derivatives of a function by its argument.
    pub primes: usize,
    /// What stands below it, empty if nothing does.
    pub index: String,
}

impl<'n> Mark<'n> {
    /// Takes a name apart.
    pub fn of(name: &'n str) -> Mark<'n> {
        let (mut name, mut dots) = (name, 0);
        while let Some(inner) = name.strip_prefix("der(").and_then(|n| n.strip_suffix(')')) {
            (name, dots) = (inner, dots + 1);
        }
        let unprimed = name.trim_end_matches('\'');
        let primes = if unprimed.is_empty() { 0 } else { name.len() - unprimed.len() };
        name = &name[..name.len() - primes];
        if let Some((stem, index)) = name.strip_suffix(')').and_then(|n| n.split_once('(')) {
            return Mark { dots, stem, primes, index: index.into() };
        }
        let (owner, last) = name.rsplit_once('.').unwrap_or(("", name));
        let letters = last.trim_end_matches(|c: char| c.is_ascii_digit());
        let (stem, own) = match last.split_once('_') {
            Some((stem, index)) if !stem.is_empty() && !index.is_empty() => (stem, index),
            _ if letters.is_empty() => (last, ""),
            _ => last.split_at(letters.len()),
        };
        let parts = [owner, own].into_iter().filter(|part| !part.is_empty());
        Mark { dots, stem, primes, index: parts.collect::<Vec<_>>().join(",") }
    }
}

#[cfg(test)]
mod tests {
    use super::Mark;

    #[test]
    fn names_have_dots_and_indices() {
        let table = [
            ("omega", 0, "omega", ""),
            ("q12", 0, "q", "12"),
            ("der(x)", 1, "x", ""),
            ("der(der(x1))", 2, "x", "1"),
            ("arm.q1", 0, "q", "arm,1"),
            ("hand.arm.q", 0, "q", "hand.arm"),
            ("L_rod", 0, "L", "rod"),
            ("_x", 0, "_x", ""),
            ("12", 0, "12", ""),
            ("M(1,2)", 0, "M", "1,2"),
        ];
        for (name, dots, stem, index) in table {
            assert_eq!(Mark::of(name), Mark { dots, stem, primes: 0, index: index.into() }, "{name}");
        }
    }

    #[test]
    fn derivatives_of_functions_have_primes() {
        let mark = Mark::of("road.z1''");
        assert_eq!((mark.stem, mark.primes, mark.index.as_str()), ("z", 2, "road,1"));
    }
}
