//! Modes: eigenvalues of the linear equations, what moves in each, and what people call them.
//!
//! ```text
//! [eigen]        A φ = λ φ
//! [complete]     φ_S = (λ - A_SS)⁻¹ A_SF φ_F          what nothing feels, S, follows what is felt, F
//! [drift]        φ_S = A_SF φ_F where λ = 0            how far it goes in unit time
//! [share]        e_k = Re φ̄_k (M φ)_k / Σ |·|          kinetic energy of each independent speed, whatever the units
//! [ratio]        ζ = -Re λ / |λ|
//! ```
//!
//! Ignorable coordinates, and positions that several coordinates make up and nothing feels (`unfelt`), are left out before eigenvalues are sought: each would add a zero, and chains of zeros (position follows
//! heading follows lean) are the worst that an eigenvalue iteration can be given.

use cardan_solve::linear::{ComplexLu, eigenpairs};

use crate::AnalysisError;
use crate::beyond::decides;
use crate::kink::Kink;
use crate::linearize::{Linearization, part};
use crate::study::{Named, StateKind, Study};
use crate::unfelt::{Turned, turned};

/// A complex number: real and imaginary part.
pub type Complex = (f64, f64);

/// A mode of small motion.
#[derive(Clone, PartialEq, Debug)]
pub struct Mode {
    /// λ; of a pair the one with positive imaginary part. Exactly zero where it cannot be told from zero.
    pub eigenvalue: Complex,
    /// |λ| / 2π in hertz; zero for a mode that does not oscillate.
    pub frequency: f64,
    /// Im λ / 2π in hertz.
    pub damped_frequency: f64,
    /// ζ: one for a mode that decays without oscillating, negative where it grows.
    pub damping: f64,
    /// -1 / Re λ: the time in which it falls to 1/e; negative where it grows, infinite where it does neither.
    pub time_constant: f64,
    /// One entry per state, the largest coordinate scaled to one.
    pub shape: Vec<Complex>,
    /// Independent speeds (or auxiliary states) by their share of the motion, largest first: place in y, share.
    pub shares: Vec<(usize, f64)>,
    /// In words.
    pub words: String,
}

/// All modes about a state.
#[derive(Clone, PartialEq, Debug)]
pub struct Modes {
    /// By magnitude of the eigenvalue.
    pub modes: Vec<Mode>,
    /// Coordinates that nothing feels, left out.
    pub ignorable: Vec<Named>,
    /// Coordinates that are felt, though not to first order: left out as well.
    pub flat: Vec<Named>,
    /// Coordinates that nothing feels while they move together, group by group: one position of each group is left out.
    pub together: Vec<Vec<Named>>,
    /// Corners and jumps of the equations in the state.
    pub kinks: Vec<Kink>,
    /// What the eigenvalues say of the state.
    pub stability: Stability,
    /// Whether that holds of the state as well, or of the linear equations only.
    pub decided: bool,
}

/// What becomes of small departures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stability {
    /// They die out.
    Asymptotic,
    /// They neither die out nor grow.
    Stable,
    /// Some motion is free to go on.
    Indifferent,
    /// Some grow.
    Unstable,
}

impl Stability {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Stability::Asymptotic => "stable: departures die out",
            Stability::Stable => "stable: departures neither die out nor grow",
            Stability::Indifferent => "indifferent: some departures neither return nor grow",
            Stability::Unstable => "unstable: some departures grow",
        }
    }
    /// The same, as it holds of the linear equations alone where these do not decide.
    pub fn verdict(self, decided: bool) -> String {
        let said = self.words();
        let (_, departures) = said.split_once(": ").unwrap_or(("", said));
        match decided {
            true => said.to_string(),
            false => format!("not decided by the linear equations, in which {departures}"),
        }
    }
    /// For programs.
    pub fn name(self) -> &'static str {
        match self {
            Stability::Asymptotic => "asymptotic",
            Stability::Stable => "stable",
            Stability::Indifferent => "indifferent",
            Stability::Unstable => "unstable",
        }
    }
    /// What eigenvalues say. Numbers below a millionth of the largest are rounding: a double zero is known to half the digits only.
    pub fn of(eigenvalues: &[Complex]) -> Stability {
        let size = |z: &Complex| z.0.hypot(z.1);
        let zero = 1e-6 * eigenvalues.iter().map(size).fold(1e-3, f64::max);
        let largest = eigenvalues.iter().map(|z| z.0).fold(f64::NEG_INFINITY, f64::max);
        if eigenvalues.is_empty() || largest > zero {
            return if eigenvalues.is_empty() { Stability::Stable } else { Stability::Unstable };
        }
        if eigenvalues.iter().any(|z| size(z) <= zero) {
            return Stability::Indifferent;
        }
        if largest > -zero * 1e-3 { Stability::Stable } else { Stability::Asymptotic }
    }
}

/// The modes of a linearisation.
pub fn modes(study: &Study, linear: &Linearization) -> Result<Modes, AnalysisError> {
    let turned = turned(linear);
    let pairs = eigenpairs(&turned.felt_part())?; // [eigen]
    let eigenvalues: Vec<Complex> = pairs.iter().map(|p| p.0).collect();
    let stability = Stability::of(&eigenvalues);
    let decided = decides(linear, turned.unfelt.len(), &eigenvalues, stability);
    let scale = pairs.iter().map(|(z, _)| z.0.hypot(z.1)).fold(0.0, f64::max);
    let mut modes = vec![];
    let norm = linear.a.as_slice().iter().map(|x| x * x).sum::<f64>().sqrt();
    for (eigenvalue, vector) in pairs.into_iter().flat_map(|(z, v)| told_apart(z, v, norm)) {
        let x = complete(&turned, eigenvalue, &vector, scale);
        let mut shape: Vec<Complex> = (0..linear.basis.n_rows())
            .map(|i| {
                let sum = |f: fn(&Complex) -> f64| {
                    x.iter().enumerate().map(|(j, z)| linear.basis[(i, j)] * f(z)).sum()
                };
                (sum(|z| z.0), sum(|z| z.1))
            })
            .collect();
        normalise(&mut shape, study, linear, &linear.felt());
        let shares = shares(linear, &x);
        modes.push(described(study, eigenvalue, shape, shares, scale));
    }
    let size = |m: &Mode| m.eigenvalue.0.hypot(m.eigenvalue.1);
    modes.sort_by(|a, b| size(a).total_cmp(&size(b)).then(a.eigenvalue.0.total_cmp(&b.eigenvalue.0)));
    let (ignorable, flat) = (linear.unfelt(), linear.flat());
    let kinks = linear.kinks.clone();
    Ok(Modes { modes, ignorable, flat, together: turned.together(linear), kinks, stability, decided })
}

/// A pair of eigenvalues that differs from a real one by rounding, or dies or grows millions of times before it would have turned once, is two
/// real modes; of other pairs the one with positive imaginary part is kept.
fn told_apart((re, im): Complex, vector: Vec<Complex>, norm: f64) -> Vec<(Complex, Vec<Complex>)> {
    let real = im.abs() <= REAL_OF_NORM * norm || im.abs() <= REAL_OF_SIZE * re.abs();
    match (real, im) {
        (_, 0.0) => vec![((re, 0.0), vector)],
        (false, im) if im > 0.0 => vec![((re, im), vector)],
        (true, im) => {
            // Both parts of the vector are eigenvectors; each of the pair keeps one of them. Of a pair with one vector only there is one part.
            let size = |f: fn(&Complex) -> f64| vector.iter().map(|z| f(z).powi(2)).sum::<f64>().sqrt();
            let (first, second) = (size(|z| z.0), size(|z| z.1));
            let one = second <= 1e-6 * first || (im > 0.0 && first > 1e-6 * second);
            vec![((re, 0.0), vector.iter().map(|z| (if one { z.0 } else { z.1 }, 0.0)).collect())]
        }
        _ => vec![],
    }
}

/// Imaginary parts below this part of the norm of A are rounding.
const REAL_OF_NORM: f64 = 1e-13;
/// Imaginary parts below this part of the real part are never seen.
const REAL_OF_SIZE: f64 = 1e-6;

/// x of all independent states. [complete], [drift]
fn complete(turned: &Turned, eigenvalue: Complex, vector: &[Complex], scale: f64) -> Vec<Complex> {
    let (a, felt, unfelt) = (&turned.a, &turned.felt, &turned.unfelt);
    let mut x = vec![(0.0, 0.0); a.n_rows()];
    felt.iter().zip(vector).for_each(|(k, z)| x[*k] = *z);
    let side = |f: fn(&Complex) -> f64| -> Vec<f64> {
        let row = |i: &usize| felt.iter().map(|j| a[(*i, *j)] * f(&x[*j])).sum();
        unfelt.iter().map(row).collect()
    };
    let (mut re, mut im) = (side(|z| z.0), side(|z| z.1));
    if !is_zero(eigenvalue, scale)
        && let Some(mut lu) = ComplexLu::shifted(&part(a, unfelt, unfelt), eigenvalue.0, eigenvalue.1)
    {
        lu.solve(&mut re, &mut im);
    }
    unfelt.iter().enumerate().for_each(|(n, k)| x[*k] = (re[n], im[n]));
    turned.back(&mut x);
    x
}

/// Whether an eigenvalue cannot be told from zero beside the largest.
fn is_zero((re, im): Complex, scale: f64) -> bool {
    re.hypot(im) <= 1e-6 * scale.max(1e-3)
}

/// Divides by the largest coordinate that is felt, or by the largest of all where no such coordinate moves.
fn normalise(shape: &mut [Complex], study: &Study, linear: &Linearization, felt: &[usize]) {
    let size = |z: &Complex| z.0.hypot(z.1);
    let (n_q, ..) = study.sizes();
    let all = shape.iter().map(size).fold(0.0, f64::max);
    let places = felt.iter().map(|k| linear.independent[*k].place).filter(|k| *k < n_q);
    let by = |list: &mut dyn Iterator<Item = usize>| {
        list.max_by(|i, j| size(&shape[*i]).total_cmp(&size(&shape[*j])))
    };
    let largest = by(&mut places.into_iter()).filter(|k| size(&shape[*k]) > 1e-6 * all);
    let Some(pivot) = largest.or_else(|| by(&mut (0..shape.len()))).map(|k| shape[k]) else { return };
    let square = pivot.0 * pivot.0 + pivot.1 * pivot.1;
    if square > 0.0 {
        for z in shape {
            *z = ((z.0 * pivot.0 + z.1 * pivot.1) / square, (z.1 * pivot.0 - z.0 * pivot.1) / square);
        }
    }
}

/// [share]
fn shares(linear: &Linearization, x: &[Complex]) -> Vec<(usize, f64)> {
    let felt = linear.felt();
    let of_kind = |kind: StateKind| -> Vec<usize> {
        felt.iter().copied().filter(|k| linear.independent[*k].kind == kind).collect()
    };
    let u = of_kind(StateKind::Speed);
    let mass = &linear.second_order.mass;
    let energy = |i: usize| -> f64 {
        let momentum = |f: fn(&Complex) -> f64| -> f64 {
            u.iter().enumerate().map(|(j, k)| mass[(i, j)] * f(&x[*k])).sum()
        };
        x[u[i]].0 * momentum(|z| z.0) + x[u[i]].1 * momentum(|z| z.1)
    };
    let place = |k: usize| linear.independent[k].place;
    let size = |k: &usize| x[*k].0.hypot(x[*k].1);
    let mut list: Vec<(usize, f64)> = (0..u.len()).map(|i| (place(u[i]), energy(i).abs())).collect();
    let moving: f64 = list.iter().map(|s| s.1).sum();
    let largest = felt.iter().map(size).fold(0.0, f64::max);
    // A mode in which nothing with mass moves is one of the auxiliary states or of positions.
    if moving <= 1e-20 * largest * largest {
        let auxiliary = of_kind(StateKind::Auxiliary);
        let still = if auxiliary.iter().any(|k| size(k) > 1e-6 * largest) { auxiliary } else { felt };
        list = still.iter().map(|k| (place(*k), size(k))).collect();
    }
    let total: f64 = list.iter().map(|s| s.1).sum();
    if total > 0.0 {
        list.iter_mut().for_each(|s| s.1 /= total);
    }
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    list.retain(|s| s.1 > 1e-6);
    list
}

fn described(
    study: &Study,
    eigenvalue: Complex,
    shape: Vec<Complex>,
    shares: Vec<(usize, f64)>,
    scale: f64,
) -> Mode {
    let (re, im) = eigenvalue;
    let size = re.hypot(im);
    let hertz = std::f64::consts::TAU;
    let zero = is_zero(eigenvalue, scale);
    let eigenvalue = if zero { (0.0, 0.0) } else { eigenvalue };
    let damping = if zero { 0.0 } else { -re / size };
    let time_constant = if zero || re.abs() < 1e-12 * size { f64::INFINITY } else { -1.0 / re };
    let oscillates = im > 0.0 && !zero;
    let doubling = std::f64::consts::LN_2 / re;
    let kind = match (oscillates, damping) {
        _ if zero => "neutral".to_string(),
        (true, z) if z.abs() < 1e-9 => format!("{} Hz, undamped", short(size / hertz)),
        (true, z) if z < 0.0 => {
            format!("{} Hz, growing, doubles in {} s", short(size / hertz), short(doubling))
        }
        (true, z) => format!("{} Hz, damped {} %", short(size / hertz), short(100.0 * z)),
        (false, z) if z < 0.0 => format!("grows, doubles in {} s", short(doubling)),
        (false, _) => format!("decays with time constant {} s", short(time_constant)),
    };
    let mostly = mostly(study, &shares);
    Mode {
        eigenvalue,
        frequency: if oscillates { size / hertz } else { 0.0 },
        damped_frequency: if oscillates { im / hertz } else { 0.0 },
        damping,
        time_constant,
        words: format!("{kind}{mostly}"),
        shape,
        shares,
    }
}

/// What moves, in words: one name where it has most of the motion, two or three where they share it.
fn mostly(study: &Study, shares: &[(usize, f64)]) -> String {
    let (n_q, ..) = study.sizes();
    let coordinate_of = study.coordinate_of_speed();
    let name = |k: usize| {
        let (named, kind) = study.state(k);
        let coordinate = if kind == StateKind::Speed { coordinate_of[k - n_q] } else { None };
        format!("`{}`", coordinate.map_or(named.name, |q| study.state(q).0.name))
    };
    let mut named = vec![];
    let mut covered = 0.0;
    for (k, share) in shares.iter().take(3) {
        if covered > 0.7 || *share < 0.1 {
            break;
        }
        named.push(name(*k));
        covered += share;
    }
    match &named[..] {
        [] => String::new(),
        [one] => format!(", mostly {one}"),
        [first @ .., last] => format!(", {} and {last}", first.join(", ")),
    }
}

/// Three digits that people can read.
pub(crate) fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let digits = 2 - x.abs().log10().floor() as i32;
    match digits {
        d if d > 6 => format!("{x:.2e}"),
        d if d < -3 => format!("{x:.2e}"),
        d => format!("{x:.*}", d.max(0) as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_rounding_made_are_two_real_modes() {
        let (a, b) = ((1.0, 0.2), (-0.3, 0.9));
        let pair = [(9.041_571, 1.2e-14, [a, b]), (9.041_571, -1.2e-14, [(a.0, -a.1), (b.0, -b.1)])];
        let found: Vec<_> =
            pair.into_iter().flat_map(|(re, im, v)| told_apart((re, im), v.to_vec(), 18.1)).collect();
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|(z, _)| *z == (9.041_571, 0.0)), "{found:?}");
        // The two shapes are not the same.
        let [(_, x), (_, y)] = &found[..] else { panic!("two modes") };
        assert!((x[0].0 * y[1].0 - x[1].0 * y[0].0).abs() > 0.5, "{found:?}");
        // Critical damping splits by the root of the rounding error; a true oscillation stays one, and is listed once.
        assert_eq!(told_apart((-1.0, 3e-8), vec![a, b], 2.0)[0].0, (-1.0, 0.0));
        assert_eq!(told_apart((-1.0, 1e-3), vec![a, b], 2.0), vec![((-1.0, 1e-3), vec![a, b])]);
        assert!(told_apart((-1.0, -1e-3), vec![a, b], 2.0).is_empty());
    }
}
