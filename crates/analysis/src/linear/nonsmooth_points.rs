//! Corners and jumps in a state about which equations are made linear.
//!
//! ```text
//! [sides]     D± = ± (f(y ± h z) - f(y)) / h        along each independent departure z, for two steps h
//! [misses]    E± = D± - f_y z                       goes to zero with h where f is smooth; stays where it has a kink, and grows where it jumps
//! ```
//!
//! Only departures along which a switching function of the program passes a level are looked at: a
//! program without such functions is smooth, whatever its differences are.
//!
//! Tables of straight lines, `abs`, `if` and dry friction have one-sided slopes where they switch. A derivative there is that of one side, or of
//! neither, and so are the frequencies that follow from it.

use std::fmt;

use cardan_solve::Matrix;

use crate::linear::linearize::Independent;
use crate::numeric_model::{Named, Study};

/// h, in radians, metres and their rates.
const STEPS: [f64; 2] = [1e-4, 1e-6];
/// What E keeps of itself from one step to the other where there is a kink: a smooth one keeps a hundredth, a root a tenth.
const STAYS: f64 = 0.5;
/// What it grows by where there is a jump, at least.
const GROWS: f64 = 10.0;
/// A kink is at least this part of the slopes.
const LEAST: f64 = 1e-4;
/// Differences of rates below this part of the largest rate are rounding.
const ROUNDING: f64 = 1e-12;

/// A state at a corner or a jump of the equations.
#[derive(Clone, PartialEq, Debug)]
pub struct Kink {
    /// The state along which it is met.
    pub along: Named,
    /// Its value.
    pub at: f64,
    /// The state whose rate has it.
    pub of: Named,
    /// Whether the rate itself jumps, not only its slope.
    pub jumps: bool,
    /// The slope of the rate below, or the rate where it jumps, in SI units.
    pub below: f64,
    /// The same above.
    pub above: f64,
    /// The same in the linear equations.
    pub taken: f64,
}

impl fmt::Display for Kink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (along, of) = (&self.along.name, &self.of.name);
        let [at, below, above, taken] = [self.at, self.below, self.above, self.taken].map(short);
        if self.jumps {
            return write!(
                f,
                "the rate of `{of}` jumps at `{along}` = {at}, from {below} below to {above} above: the linear equations know nothing of it"
            );
        }
        write!(
            f,
            "the rate of `{of}` has a kink at `{along}` = {at}: its slope is {below} below and {above} above; the linear equations have {taken}"
        )
    }
}

/// The kinks in a state, one at most per independent departure; `slopes` is f_y Z. What cannot be evaluated beside the state is passed over.
pub(crate) fn kinks(
    study: &mut Study,
    t: f64,
    y: &[f64],
    (basis, slopes): (&Matrix, &Matrix),
    independent: &[Independent],
) -> Vec<Kink> {
    let Ok(here) = study.rates(t, y) else { return vec![] };
    let mut found = vec![];
    for (j, x) in independent.iter().enumerate() {
        let place = |h: f64| -> Vec<f64> { y.iter().zip(basis.column(j)).map(|(y, z)| y + h * z).collect() };
        if !study.switches_between(t, [&place(-STEPS[1]), y, &place(STEPS[1])]) {
            continue;
        }
        let mut beside =
            |h: f64| study.rates(t, &place(h)).ok().filter(|rates| rates.iter().all(|r| r.is_finite()));
        let [Some(below), Some(above)] = [-1.0, 1.0].map(|side| {
            let [far, near] = STEPS.map(|h| beside(side * h));
            far.zip(near)
        }) else {
            continue;
        };
        let sides = [(-1.0, &below), (1.0, &above)];
        let slope = |side: f64, rates: &[f64], h: f64, i: usize| side * (rates[i] - here[i]) / h;
        let worst = (0..here.len()).filter_map(|i| {
            let misses = sides.iter().map(|(side, (far, near))| {
                let miss = |rates: &[f64], h: f64| (slope(*side, rates, h, i) - slopes[(i, j)]).abs();
                (miss(far, STEPS[0]), miss(near, STEPS[1]))
            });
            let (far, near) = misses.max_by(|a, b| a.1.total_cmp(&b.1))?;
            let steepest = sides.iter().map(|(side, (_, near))| slope(*side, near, STEPS[1], i).abs());
            let scale = steepest.fold(slopes[(i, j)].abs(), f64::max);
            let fastest = here.iter().fold(1.0, |m: f64, r| r.abs().max(m));
            let is_kink = near > STAYS * far && near > LEAST * scale && near > ROUNDING * fastest / STEPS[1];
            is_kink.then_some((i, near, near > GROWS * far))
        });
        let Some((i, _, jumps)) = worst.max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        let values = match jumps {
            true => [below.1[i], above.1[i], here[i]],
            false => [slope(-1.0, &below.1, STEPS[1], i), slope(1.0, &above.1, STEPS[1], i), slopes[(i, j)]],
        };
        let [below, above, taken] = values;
        let (along, of) = (x.named.clone(), study.state(i).0);
        found.push(Kink { along, at: y[x.place], of, jumps, below, above, taken });
    }
    found
}

/// A number of a few digits.
fn short(x: f64) -> String {
    let rounded = format!("{x:.5e}").parse::<f64>().unwrap_or(x);
    match rounded.abs() {
        a if a == 0.0 || (1e-4..1e6).contains(&a) => (rounded + 0.0).to_string(),
        _ => format!("{rounded:e}"),
    }
}
