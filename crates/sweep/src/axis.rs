//! What one value may be: some numbers, a range, or a distribution.

use crate::normal;

/// The possible values of one quantity.
#[derive(Clone, PartialEq, Debug)]
pub enum SweepAxis {
    /// These numbers.
    Values(Vec<f64>),
    /// Anything between two ends, each number as likely as the others; in a grid, `levels` numbers at equal distances, the
    /// ends among them.
    Range {
        /// One end.
        from: f64,
        /// The other.
        to: f64,
        /// How many numbers a grid takes.
        levels: Option<usize>,
    },
    /// Normally distributed.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        deviation: f64,
    },
    /// A positive quantity whose logarithm is normally distributed.
    LogNormal {
        /// The value that half of the numbers undercut.
        median: f64,
        /// Standard deviation of the natural logarithm.
        deviation: f64,
    },
    /// Between two ends, most likely at a place between them.
    Triangular {
        /// The lower end.
        low: f64,
        /// The most likely value.
        mode: f64,
        /// The upper end.
        high: f64,
    },
}

impl SweepAxis {
    /// What is wrong with it, if anything, as a sentence without full stop.
    pub fn fault(&self) -> Option<String> {
        let fault = match self {
            SweepAxis::Values(values) if values.is_empty() => "there are no values",
            SweepAxis::Values(values) if values.iter().any(|v| !v.is_finite()) => "a value is not finite",
            SweepAxis::Range { from, to, .. } if !(from.is_finite() && to.is_finite()) => {
                "an end is not finite"
            }
            SweepAxis::Range { levels: Some(0), .. } => "a range has at least one level",
            SweepAxis::Range { from, to, levels: Some(1) } if from != to => {
                "a range of one level would leave out one of its two ends"
            }
            SweepAxis::Range { levels: Some(n), .. } if *n > 1_000_000 => {
                "a range has at most 1000000 levels"
            }
            SweepAxis::Normal { mean, .. } if !mean.is_finite() => "the mean is not finite",
            SweepAxis::Normal { deviation, .. } | SweepAxis::LogNormal { deviation, .. }
                if !(*deviation >= 0.0 && deviation.is_finite()) =>
            {
                "a standard deviation is a number from 0 on"
            }
            SweepAxis::LogNormal { median, .. } if !(*median > 0.0 && median.is_finite()) => {
                "the median of a lognormal quantity is positive"
            }
            SweepAxis::Triangular { low, mode, high }
                if !(low <= mode && mode <= high && low.is_finite() && high.is_finite()) =>
            {
                "the ends and the most likely value stand in rising order"
            }
            _ => return None,
        };
        Some(fault.to_string())
    }

    /// The numbers of a grid; nothing for a distribution or a range without levels.
    pub fn levels(&self) -> Option<usize> {
        match self {
            SweepAxis::Values(values) => Some(values.len()),
            SweepAxis::Range { levels, .. } => *levels,
            _ => None,
        }
    }

    /// Number `k` of a grid.
    pub fn level(&self, k: usize) -> f64 {
        match self {
            SweepAxis::Values(values) => values[k],
            SweepAxis::Range { from, to, levels } => match levels.unwrap_or(1) {
                0 | 1 => *from,
                // Both ends come out exactly.
                n => {
                    let part = k as f64 / (n - 1) as f64;
                    from * (1.0 - part) + to * part
                }
            },
            other => other.quantile(0.5),
        }
    }

    /// The number with this probability of being undercut.
    pub fn quantile(&self, p: f64) -> f64 {
        match self {
            SweepAxis::Values(values) => values[((p * values.len() as f64) as usize).min(values.len() - 1)],
            SweepAxis::Range { from, to, .. } => from + (to - from) * p,
            SweepAxis::Normal { mean, deviation } => mean + deviation * normal::quantile(p),
            SweepAxis::LogNormal { median, deviation } => median * libm::exp(deviation * normal::quantile(p)),
            SweepAxis::Triangular { low, mode, high } => {
                let (width, rise) = (high - low, mode - low);
                if width == 0.0 {
                    *low
                } else if p * width < rise {
                    low + (p * width * rise).sqrt()
                } else {
                    high - ((1.0 - p) * width * (high - mode)).sqrt()
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means and deviations of many quantiles against the closed forms.
    #[test]
    fn quantiles_have_the_moments_of_their_distribution() {
        let e = std::f64::consts::E;
        let cases = [
            (SweepAxis::Range { from: 2.0, to: 6.0, levels: None }, 4.0, 4.0 / 12f64.sqrt()),
            (SweepAxis::Normal { mean: -1.0, deviation: 0.5 }, -1.0, 0.5),
            (SweepAxis::LogNormal { median: 1.0, deviation: 1.0 }, e.sqrt(), ((e - 1.0) * e).sqrt()),
            (
                SweepAxis::Triangular { low: 0.0, mode: 1.0, high: 3.0 },
                4.0 / 3.0,
                ((9.0 + 1.0 - 3.0) / 18f64).sqrt(),
            ),
            (SweepAxis::Values(vec![1.0, 2.0, 6.0]), 3.0, (14.0 / 3f64).sqrt()),
        ];
        for (axis, mean, deviation) in cases {
            assert_eq!(axis.fault(), None);
            let n = 300_000;
            let numbers = (0..n).map(|k| axis.quantile((f64::from(k) + 0.5) / f64::from(n)));
            let (sum, squares) = numbers.fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
            let found = sum / f64::from(n);
            assert!((found - mean).abs() < 1e-3 * mean.abs(), "{axis:?}: {found}");
            let spread = (squares / f64::from(n) - found * found).sqrt();
            assert!((spread - deviation).abs() < 5e-3 * deviation, "{axis:?}: {spread}");
        }
    }

    #[test]
    fn nonsense_is_named() {
        for axis in [
            SweepAxis::Values(vec![]),
            SweepAxis::Normal { mean: 0.0, deviation: -1.0 },
            SweepAxis::LogNormal { median: 0.0, deviation: 1.0 },
            SweepAxis::Triangular { low: 0.0, mode: 4.0, high: 3.0 },
            SweepAxis::Range { from: 0.0, to: f64::NAN, levels: None },
            SweepAxis::Range { from: 2.0, to: 18.0, levels: Some(1) },
        ] {
            assert!(axis.fault().is_some(), "{axis:?}");
        }
    }
}
