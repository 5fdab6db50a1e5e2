//! What rounding leaves of a state on invariants: the tolerance that can be kept there.
//!
//! A state is rounded in each of its components, and the projection onto the invariants hands the rounding of the large ones on to the small ones: where six of seven
//! links of a mechanism are about to turn round while the crank does 1000 rad/s, their speeds are known to 1e-13 rad/s, whatever tolerance is asked for. This is
//! measured, not estimated:
//!
//! ```text
//! [rounded]    y' = y (1 ± 2ε), signs without pattern
//! [noise]      n_i = max |P(y')_i - y'_i| over some y', P the projection
//! [floor]      s_i = atol_i + c n_i + rtol |y_i|   where c n_i > atol_i + rtol |y_i|
//! ```
//!
//! With algebraic unknowns the noise is in the values that a multistep method takes differences of, and one of order seven of numbers with an error n has an
//! error of √(14 over 7) n = 59 n: c = 64. Otherwise it is in the beginning of each step only: c = 2.
//!
//! Near a state at which the invariants do not determine the projection, noise has no bounds, and neither would the floor: there it is not laid.

use crate::control::Tolerance;
use crate::evaluate::{Evaluator, Trouble};
use crate::options::Absolute;
use crate::outcome::Coarser;

/// So many times the rounding is what steps can be judged by, with algebraic unknowns and without. [floor]
const JUDGED: (f64, f64) = (64.0, 2.0);
/// A floor is no more than so many times what is asked for.
const MOST: f64 = 1e5;
/// The number of rounded states.
const LOOKS: u32 = 2;

/// The tolerance that can be kept at (t, y) where `asked` is asked for; the first loss of digits is noted.
pub(crate) fn attainable(
    evaluator: &mut Evaluator<'_>,
    asked: &Tolerance,
    t: f64,
    y: &[f64],
) -> Result<Tolerance, Trouble> {
    let mut noise = vec![0.0f64; y.len()];
    for look in 0..LOOKS {
        let sign = |i: usize| {
            if (i as u32 * 2 + 1).wrapping_mul(0x9e37_79b9) >> (29 - look) & 1 == 0 { 1.0 } else { -1.0 }
        };
        let rounded: Vec<f64> =
            y.iter().enumerate().map(|(i, y)| y * (1.0 + 2.0 * f64::EPSILON * sign(i))).collect();
        let mut moved = rounded.clone();
        evaluator.project_unseen(t, &mut moved)?;
        for (noise, (a, b)) in noise.iter_mut().zip(moved.iter().zip(&rounded)) {
            *noise = noise.max((a - b).abs()); // [noise]
        }
    }
    let judged = if evaluator.has_algebraic() { JUDGED.0 } else { JUDGED.1 };
    let mut worst: Option<Coarser> = None;
    let mut atol = Vec::with_capacity(y.len());
    for (component, noise) in noise.into_iter().enumerate() {
        let (wanted, kept) = (asked.scale(component, y[component], y[component]), judged * noise);
        let more = if kept > wanted && kept <= MOST * wanted { kept } else { 0.0 };
        atol.push(asked.atol.at(component) + more); // [floor]
        if more > 0.0 && worst.is_none_or(|w| more * w.asked > w.kept * wanted) {
            worst = Some(Coarser { t, component, asked: wanted, kept: more });
        }
    }
    if evaluator.coarser.is_none() {
        evaluator.coarser = worst;
    }
    Ok(Tolerance { rtol: asked.rtol, atol: Absolute::Each(atol) })
}

#[cfg(test)]
mod tests {
    use crate::roundoff_tolerance::*;
    use crate::system::{Failure, System};

    /// A small number that is what a large one has beyond 1000.
    struct Tied;

    impl System for Tied {
        fn dim(&self) -> usize {
            2
        }
        fn derivative(&mut self, _: f64, _: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
            dy.fill(0.0);
            Ok(())
        }
        fn project(&mut self, _: f64, y: &mut [f64]) -> Result<bool, Failure> {
            y[1] = y[0] - 1000.0;
            Ok(true)
        }
    }

    #[test]
    fn rounding_of_the_large_is_noise_of_the_small() {
        let y = [1000.0 + 2f64.powi(-10), 2f64.powi(-10)];
        let ulp = 1000.0 * f64::EPSILON;
        for (rtol, atol, is_too_fine) in [(1e-12, 1e-15, true), (1e-8, 1e-10, false)] {
            let mut system = Tied;
            let mut evaluator = Evaluator::new(&mut system);
            let asked = Tolerance { rtol, atol: Absolute::Uniform(atol) };
            let kept = attainable(&mut evaluator, &asked, 3.0, &y).expect("it projects");
            assert_eq!(kept.atol.at(0), atol);
            let Some(coarser) = evaluator.coarser else {
                assert!(!is_too_fine && kept.atol.at(1) == atol);
                continue;
            };
            assert!(is_too_fine && (coarser.t, coarser.component) == (3.0, 1), "{coarser:?}");
            assert!(coarser.kept > ulp && coarser.kept < 16.0 * ulp, "{coarser:?}");
            assert_eq!(kept.atol.at(1), atol + coarser.kept);
        }
    }
}
