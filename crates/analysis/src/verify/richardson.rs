//! Derivatives by differences whose error is known: Ridders' tableau.
//!
//! ```text
//! [first-difference]      D(h) = (f(h) - f(-h)) / 2h            = f'(0)  + c₂ h² + c₄ h⁴ + …
//! [second-difference]     D(h) = (f(h) - 2 f(0) + f(-h)) / h²   = f''(0) + c₂ h² + c₄ h⁴ + …
//! [neville]    D_jk = (r^2k D_j,k-1 - D_j-1,k-1) / (r^2k - 1),   h_j = h₀ / r^j
//! ```
//!
//! Of all entries of the tableau the one that differs least from its two neighbours is the estimate, and that difference is its error: large steps
//! suffer from truncation, small ones from rounding, and neither needs to be known beforehand. The steps are few, as among many that suffer from
//! rounding some agree by chance. Numbers that are not finite, beyond the
//! reach of f, are passed over.

/// Steps, each shorter than the one before by this ratio.
const LEVELS: usize = 10;
const RATIO: f64 = 1.6;

/// A derivative and how far it may be off.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    pub value: f64,
    pub error: f64,
}

/// f'(0) of every component; `at(h)` is f, and `step` where f still resembles a polynomial: far beyond, differences of a bounded f are as small
/// as their errors. [first-difference]
pub fn first(mut at: impl FnMut(f64) -> Vec<f64>, step: f64) -> Vec<Estimate> {
    extrapolate(step, |h| first_difference(&mut at, h))
}

/// D(h) for one step. [first-difference]
pub fn first_difference(mut at: impl FnMut(f64) -> Vec<f64>, h: f64) -> Vec<f64> {
    let (forward, back) = (at(h), at(-h));
    forward.iter().zip(&back).map(|(a, b)| (a - b) / (2.0 * h)).collect()
}

/// f''(0) of every component. [second-difference]
pub fn second(mut at: impl FnMut(f64) -> Vec<f64>, step: f64) -> Vec<Estimate> {
    extrapolate(step, |h| second_difference(&mut at, h))
}

/// D(h) for one step. [second-difference]
pub fn second_difference(mut at: impl FnMut(f64) -> Vec<f64>, h: f64) -> Vec<f64> {
    let (forward, middle, back) = (at(h), at(0.0), at(-h));
    let around = forward.iter().zip(&back).zip(&middle);
    around.map(|((a, b), m)| ((a - m) - (m - b)) / (h * h)).collect()
}

/// [neville]
fn extrapolate(step: f64, mut differences: impl FnMut(f64) -> Vec<f64>) -> Vec<Estimate> {
    let mut best: Vec<Estimate> = vec![];
    let mut before: Vec<Vec<f64>> = vec![];
    for level in 0..LEVELS {
        let now = differences(step / RATIO.powi(level as i32));
        if level == 0 {
            best = now.iter().map(|x| Estimate { value: *x, error: f64::INFINITY }).collect();
            before = now.into_iter().map(|x| vec![x]).collect();
            continue;
        }
        for ((x, row), best) in now.into_iter().zip(&mut before).zip(&mut best) {
            let mut next = vec![x];
            for (k, older) in row.iter().enumerate() {
                let weight = RATIO.powi(2 * (k as i32 + 1));
                let newer = next[k];
                let value = (weight * newer - older) / (weight - 1.0);
                let error = (value - newer).abs().max((value - older).abs());
                if error < best.error {
                    *best = Estimate { value, error };
                }
                next.push(value);
            }
            *row = next;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use crate::verify::richardson::*;

    fn ok(f: impl Fn(f64) -> f64) -> impl FnMut(f64) -> Vec<f64> {
        move |h| vec![f(h)]
    }

    #[test]
    fn smooth_functions_have_both_derivatives_to_many_digits() {
        let f = |h: f64| (1.0 + h).sin() * (3.0 * h).exp();
        let (sin, cos) = 1f64.sin_cos();
        let found = first(ok(f), 0.5);
        assert!((found[0].value - (cos + 3.0 * sin)).abs() < 1e-11, "{found:?}");
        let found = second(ok(f), 0.5);
        assert!((found[0].value - (8.0 * sin + 6.0 * cos)).abs() < 1e-8, "{found:?}");
        assert!(found[0].error < 1e-7, "{found:?}");
    }

    #[test]
    fn a_kink_beside_the_place_is_no_hindrance_and_one_in_it_shows() {
        let found = first(ok(|h| (h - 0.05).abs() + h * h), 0.5);
        assert!((found[0].value + 1.0).abs() < 1e-9, "{found:?}");
        let found = second(ok(f64::abs), 0.5);
        assert!(found[0].error > 1.0, "{found:?}");
    }
}
