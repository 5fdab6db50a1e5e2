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
//! Ignorable coordinates, and positions that several coordinates make up and nothing feels (`ignorable_coordinates`), are left out before eigenvalues are sought: each would add a zero, and chains of zeros (position follows
//! heading follows lean) are the worst that an eigenvalue iteration can be given.

use cardan_solve::linear::ComplexLu;

use crate::AnalysisError;
use crate::linear::higher_order_terms::decides;
use crate::linear::ignorable_coordinates::{Turned, turned};
use crate::linear::linearize::{Linearization, part};
use crate::linear::nonsmooth_points::Kink;
use crate::linear::stability::{Root, Stability, roots, verdict};
use crate::numeric_model::{Named, StateKind, Study};

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
    /// The verdict in words, with the eigenvalues that decide it and the ignorable coordinates.
    pub verdict: String,
}

/// The modes of a linearisation.
pub fn modes(study: &Study, linear: &Linearization) -> Result<Modes, AnalysisError> {
    let turned = turned(linear);
    let roots = roots(&turned)?; // [eigen]
    let eigenvalues: Vec<Complex> = roots.iter().map(|r| r.value).collect();
    let stability = Stability::of(&linear.independent, &turned, &roots);
    let decided = decides(linear, turned.unfelt.len(), &eigenvalues, stability);
    let verdict = verdict(linear, &turned, &eigenvalues, (stability, decided));
    let mut modes = vec![];
    for (eigenvalue, vector) in roots.into_iter().flat_map(told_apart) {
        let x = complete(&turned, eigenvalue, &vector);
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
        modes.push(described(study, eigenvalue, shape, shares));
    }
    let size = |m: &Mode| m.eigenvalue.0.hypot(m.eigenvalue.1);
    modes.sort_by(|a, b| size(a).total_cmp(&size(b)).then(a.eigenvalue.0.total_cmp(&b.eigenvalue.0)));
    let (ignorable, flat) = (linear.unfelt(), linear.flat());
    let kinks = linear.kinks.clone();
    Ok(Modes {
        modes,
        ignorable,
        flat,
        together: turned.together(linear),
        kinks,
        stability,
        decided,
        verdict,
    })
}

/// A pair of eigenvalues that is not told from two real ones is two real modes; of other pairs the
/// one with positive imaginary part is kept.
fn told_apart(root: Root) -> Vec<(Complex, Vec<Complex>)> {
    let Root { value, computed: (_, im), vector, .. } = root;
    match (value.1, im) {
        (_, 0.0) => vec![(value, vector)],
        (0.0, im) => {
            // Both parts of the vector are eigenvectors; each of the pair keeps one of them. Of a pair with one vector only there is one part.
            let size = |f: fn(&Complex) -> f64| vector.iter().map(|z| f(z).powi(2)).sum::<f64>().sqrt();
            let (first, second) = (size(|z| z.0), size(|z| z.1));
            let one = second <= 1e-6 * first || (im > 0.0 && first > 1e-6 * second);
            vec![(value, vector.iter().map(|z| (if one { z.0 } else { z.1 }, 0.0)).collect())]
        }
        (told, _) if told > 0.0 => vec![(value, vector)],
        _ => vec![],
    }
}

/// x of all independent states. [complete], [drift]
pub(crate) fn complete(turned: &Turned, eigenvalue: Complex, vector: &[Complex]) -> Vec<Complex> {
    let (a, felt, unfelt) = (&turned.a, &turned.felt, &turned.unfelt);
    let mut x = vec![(0.0, 0.0); a.n_rows()];
    felt.iter().zip(vector).for_each(|(k, z)| x[*k] = *z);
    let side = |f: fn(&Complex) -> f64| -> Vec<f64> {
        let row = |i: &usize| felt.iter().map(|j| a[(*i, *j)] * f(&x[*j])).sum();
        unfelt.iter().map(row).collect()
    };
    let (mut re, mut im) = (side(|z| z.0), side(|z| z.1));
    if eigenvalue != (0.0, 0.0)
        && let Some(mut lu) = ComplexLu::shifted(&part(a, unfelt, unfelt), eigenvalue.0, eigenvalue.1)
    {
        lu.solve(&mut re, &mut im);
    }
    unfelt.iter().enumerate().for_each(|(n, k)| x[*k] = (re[n], im[n]));
    turned.back(&mut x);
    x
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

fn described(study: &Study, eigenvalue: Complex, shape: Vec<Complex>, shares: Vec<(usize, f64)>) -> Mode {
    let (re, im) = eigenvalue;
    let size = re.hypot(im);
    let hertz = std::f64::consts::TAU;
    let zero = eigenvalue == (0.0, 0.0);
    let damping = if re == 0.0 { 0.0 } else { -re / size };
    let time_constant = if re == 0.0 { f64::INFINITY } else { -1.0 / re };
    let oscillates = im > 0.0 && !zero;
    let doubling = std::f64::consts::LN_2 / re;
    let kind = match (oscillates, damping) {
        _ if zero => "neutral".to_string(),
        (true, 0.0) => format!("{} Hz, undamped", short(size / hertz)),
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
    // 9.9999 is 10.0.
    let rounded = format!("{x:.2e}").parse().unwrap_or(x);
    let digits = 2 - f64::abs(rounded).log10().floor() as i32;
    match digits {
        d if d > 6 => format!("{x:.2e}"),
        d if d < -3 => format!("{x:.2e}"),
        d => format!("{x:.*}", d.max(0) as usize),
    }
}

#[cfg(test)]
mod tests {
    use crate::linear::modes::*;

    #[test]
    fn pairs_that_rounding_made_are_two_real_modes() {
        let (a, b) = ((1.0, 0.2), (-0.3, 0.9));
        let root = |value: Complex, im: f64, vector: [Complex; 2]| Root {
            value,
            computed: (value.0, im),
            error: 0.0,
            vector: vector.to_vec(),
        };
        let pair = [
            root((9.041_571, 0.0), 1.2e-14, [a, b]),
            root((9.041_571, 0.0), -1.2e-14, [(a.0, -a.1), (b.0, -b.1)]),
        ];
        let found: Vec<_> = pair.into_iter().flat_map(told_apart).collect();
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|(z, _)| *z == (9.041_571, 0.0)), "{found:?}");
        // The two shapes are not the same.
        let [(_, x), (_, y)] = &found[..] else { panic!("two modes") };
        assert!((x[0].0 * y[1].0 - x[1].0 * y[0].0).abs() > 0.5, "{found:?}");
        // A true oscillation stays one, and is listed once.
        let slow = (-1.0, 1e-3);
        assert_eq!(told_apart(root(slow, 1e-3, [a, b])), vec![(slow, vec![a, b])]);
        assert!(told_apart(root((-1.0, -1e-3), -1e-3, [a, b])).is_empty());
    }
}
