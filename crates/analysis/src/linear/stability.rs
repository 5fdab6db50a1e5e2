//! Stability: what eigenvalues with error bounds say of small departures.
//!
//! ```text
//! [zero]     a real or imaginary part below the error bound of its eigenvalue is zero
//! [free-zeros]     zeros, no more than there are ignorable coordinates, are the free speeds of these where their vectors have
//!            no part in coordinates that are felt: a heading that stays where it was put is neutral
//! ```
//!
//! The rows of modes and the verdict come from the same rounded eigenvalues: a mode that is listed
//! as growing makes the state unstable.

use cardan_solve::spectrum;

use crate::AnalysisError;
use crate::linear::ignorable_coordinates::Turned;
use crate::linear::linearize::{Independent, Linearization, part};
use crate::linear::modes::{Complex, short};
use crate::numeric_model::StateKind;

/// What a vector has below this part of its largest component is rounding, also of a double zero.
const NO_PART: f64 = 1e-6;

/// An eigenvalue whose parts are exactly zero where they are not told from zero.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Root {
    /// λ, rounded. [zero]
    pub value: Complex,
    /// λ as computed.
    pub computed: Complex,
    /// How far the true one may be from it.
    pub error: f64,
    /// Its vector, in the axes of what is felt.
    pub vector: Vec<Complex>,
}

/// The eigenvalues of what is felt.
pub(crate) fn roots(turned: &Turned) -> Result<Vec<Root>, AnalysisError> {
    let uncertainty = part(&turned.uncertainty, &turned.felt, &turned.felt);
    let found = spectrum(&turned.felt_part(), &uncertainty)?;
    let told = |x: f64, error: f64| if x.abs() <= error { 0.0 } else { x };
    let root = |e: cardan_solve::Eigenvalue| Root {
        value: (told(e.value.0, e.error), told(e.value.1, e.error)),
        computed: e.value,
        error: e.error,
        vector: e.vector,
    };
    Ok(found.into_iter().map(root).collect())
}

/// What becomes of small departures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stability {
    /// They die out, but for free motions along ignorable coordinates.
    Asymptotic,
    /// They neither die out nor grow.
    Marginal,
    /// Some grow.
    Unstable,
}

impl Stability {
    /// The word of the textbooks.
    pub fn name(self) -> &'static str {
        match self {
            Stability::Asymptotic => "asymptotically stable",
            Stability::Marginal => "marginally stable",
            Stability::Unstable => "unstable",
        }
    }
    /// Of the eigenvalues of what is felt. [free-zeros]
    pub(crate) fn of(independent: &[Independent], turned: &Turned, roots: &[Root]) -> Stability {
        let felt = |k: usize| independent[turned.felt[k]].kind == StateKind::Coordinate;
        let eigenvalues: Vec<Complex> = roots.iter().map(|r| r.value).collect();
        let zeros = roots.iter().filter(|r| r.value == (0.0, 0.0));
        let is_free = zeros.into_iter().all(|r| r.has_no_part_in(felt));
        Self::by_free_zeros(&eigenvalues, if is_free { turned.unfelt.len() } else { 0 })
    }
    /// Of rounded eigenvalues, of which so many may be zeros that are free.
    fn by_free_zeros(eigenvalues: &[Complex], n_free: usize) -> Stability {
        if eigenvalues.iter().any(|z| z.0 > 0.0) {
            return Stability::Unstable;
        }
        let n_zero = eigenvalues.iter().filter(|z| **z == (0.0, 0.0)).count();
        let on_axis = eigenvalues.iter().filter(|z| z.0 == 0.0).count();
        let free = if n_zero <= n_free { n_zero } else { 0 };
        if on_axis > free || eigenvalues.len() == free { Stability::Marginal } else { Stability::Asymptotic }
    }
}

impl Root {
    /// Whether the vector has no part in these places but for rounding.
    fn has_no_part_in(&self, places: impl Fn(usize) -> bool) -> bool {
        let size = |z: &Complex| z.0.hypot(z.1);
        let largest = self.vector.iter().map(size).fold(0.0, f64::max);
        self.vector.iter().enumerate().all(|(k, z)| !places(k) || size(z) <= NO_PART * largest)
    }
}

/// The verdict in words: the textbook's, the eigenvalues that decide it, and the ignorable
/// coordinates.
pub(crate) fn verdict(
    linear: &Linearization,
    turned: &Turned,
    eigenvalues: &[Complex],
    (stability, decided): (Stability, bool),
) -> String {
    let ignorable = ignorable_words(linear, turned);
    let critical: Vec<Complex> = match stability {
        Stability::Asymptotic => vec![],
        Stability::Marginal => eigenvalues.iter().copied().filter(|z| z.0 == 0.0 && z.1 != 0.0).collect(),
        Stability::Unstable => eigenvalues.iter().copied().filter(|z| z.0 > 0.0).collect(),
    };
    let mut said = stability.name().to_string();
    let felt = felt_words(linear, turned);
    if stability == Stability::Asymptotic && !ignorable.is_empty() && !felt.is_empty() {
        said += &format!(" in {felt}");
    }
    said += &match (eigenvalue_words(&critical), stability) {
        (Some(list), _) => format!(" ({list})"),
        (None, Stability::Marginal) if eigenvalues.len() > turned.unfelt.len() => " (eigenvalue at 0)".into(),
        _ => String::new(),
    };
    if !decided {
        said = format!("not decided by the linear equations, which are {said}");
    }
    if ignorable.is_empty() {
        said
    } else {
        format!("{said}; ignorable coordinates: {}", ignorable.join(", "))
    }
}

/// More names or eigenvalues than this are counted.
const MAX_NAMED: usize = 4;

/// `pair at ±1.3i`, `eigenvalue at 0.3`, `pairs at ±1i, ±2i`.
fn eigenvalue_words(list: &[Complex]) -> Option<String> {
    let mut upper: Vec<Complex> = list.iter().copied().filter(|z| z.1 >= 0.0).collect();
    upper.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1)));
    let word = |z: &Complex| match z {
        (re, 0.0) => short(*re),
        (0.0, im) => format!("±{}i", short(*im)),
        (re, im) => format!("{} ± {}i", short(*re), short(*im)),
    };
    let noun = match (upper.len(), upper.iter().all(|z| z.1 > 0.0)) {
        (0, _) => return None,
        (1, true) => "pair",
        (_, true) => "pairs",
        (1, false) => "eigenvalue",
        _ => "eigenvalues",
    };
    let named: Vec<String> = upper.iter().take(MAX_NAMED).map(word).collect();
    let more = upper.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("{noun} at {}{more}", named.join(", ")))
}

/// The coordinates that are felt, or the speeds and states where there are none.
fn felt_words(linear: &Linearization, turned: &Turned) -> String {
    let of = |is: fn(StateKind) -> bool| -> Vec<&str> {
        let all = turned.felt.iter().map(|k| &linear.independent[*k]);
        all.filter(|x| is(x.kind)).map(|x| x.named.name.as_str()).collect()
    };
    let coordinates = of(|kind| kind == StateKind::Coordinate);
    let names = if coordinates.is_empty() { of(|_| true) } else { coordinates };
    match &names[..] {
        [] => String::new(),
        [one] => (*one).to_string(),
        names if names.len() > MAX_NAMED => format!("{} coordinates", names.len()),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The coordinates that nothing feels, alone or together.
fn ignorable_words(linear: &Linearization, turned: &Turned) -> Vec<String> {
    let alone = linear.unfelt().into_iter().map(|n| n.name);
    let group = |g: Vec<crate::Named>| g.into_iter().map(|n| n.name).collect::<Vec<_>>().join(" with ");
    alone.chain(turned.together(linear).into_iter().map(group)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_rule_gives_rows_and_verdict() {
        let cases = [
            (vec![(-1.0, 2.0), (-1.0, -2.0), (-3.0, 0.0)], 0, Stability::Asymptotic),
            (vec![(-1.0, 2.0), (-1.0, -2.0), (0.0, 0.0)], 1, Stability::Asymptotic),
            (vec![(-1.0, 2.0), (-1.0, -2.0), (0.0, 0.0)], 0, Stability::Marginal),
            (vec![(0.0, 2.0), (0.0, -2.0), (-1e-9, 0.0)], 0, Stability::Marginal),
            (vec![(-1e9, 0.0), (1.456e-5, 0.0)], 0, Stability::Unstable),
            (vec![(0.0, 0.0)], 1, Stability::Marginal),
        ];
        for (eigenvalues, n_ignorable, known) in cases {
            assert_eq!(Stability::by_free_zeros(&eigenvalues, n_ignorable), known, "{eigenvalues:?}");
        }
        let words = |list: &[Complex]| eigenvalue_words(list).unwrap_or_default();
        assert_eq!(words(&[(0.0, 1.3), (0.0, -1.3)]), "pair at ±1.30i");
        assert_eq!(words(&[(0.313, 0.0)]), "eigenvalue at 0.313");
        assert_eq!(words(&[]), "");
    }
}
