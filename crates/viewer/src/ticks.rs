//! Round numbers along an axis: steps of 1, 2 or 5 times a power of ten.

/// The ticks of an axis: their positions and how many decimals their labels need.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// Positions, increasing, within the axis' range.
    pub at: Vec<f64>,
    /// Distance between neighbours.
    pub step: f64,
}

/// About `count` (at least 3) round positions within `low..=high`; never none, because a step is at most 2.5 times
/// a `count`-th of the range. An empty or reversed range is widened first.
pub fn nice_ticks(low: f64, high: f64, count: usize) -> Ticks {
    let (low, high) = widened(low, high);
    let step = nice_step((high - low) / count.max(3) as f64);
    let slack = 1e-9;
    let first = (low / step - slack).ceil() as i64;
    let last = (high / step + slack).floor() as i64;
    Ticks { at: (first..=last).map(|k| k as f64 * step).collect(), step }
}

/// The smallest of 1, 2, 5, 10 times a power of ten that is not less than `rough`.
pub fn nice_step(rough: f64) -> f64 {
    let power = 10f64.powi(rough.log10().floor() as i32);
    let factor =
        [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= rough * (1.0 - 1e-9)).unwrap_or(10.0);
    factor * power
}

/// Whether a value has a place on an axis: finite, and small enough for differences to be finite.
pub fn drawable(value: f64) -> bool {
    value.abs() < 1e300
}

/// Ranges below this are none: a step of a hundredth of it still divides what it measures.
const SMALLEST: f64 = 1e-290;

/// A range of positive, representable width around `low..=high`; 0 to 1 if a bound is not drawable.
pub fn widened(low: f64, high: f64) -> (f64, f64) {
    if !(drawable(low) && drawable(high)) {
        return (0.0, 1.0);
    }
    let (low, high) = (low.min(high), low.max(high));
    let size = low.abs().max(high.abs());
    if high - low > 1e-12 * size && high - low > SMALLEST {
        return (low, high);
    }
    let half = if size > SMALLEST { 0.05 * size } else { 0.5 };
    (low - half, high + half)
}

/// A tick's label with as many decimals as the step needs; powers of ten beyond six digits.
pub fn label(value: f64, step: f64) -> String {
    let value = if value.abs() < 1e-9 * step { 0.0 } else { value };
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    if value == 0.0 && decimals > 5 {
        return "0".into();
    }
    if value != 0.0 && (value.abs() >= 1e6 || decimals > 5) {
        let digits = (value.abs().log10().floor() - step.log10().floor()).clamp(0.0, 12.0) as usize;
        let text = format!("{value:.digits$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mantissa = mantissa.replace('-', "−");
        return format!("{mantissa}e{exponent}");
    }
    format!("{value:.decimals$}").replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, count: usize) -> Vec<String> {
        let ticks = nice_ticks(low, high, count);
        ticks.at.iter().map(|t| label(*t, ticks.step)).collect()
    }

    #[test]
    fn ranges_too_small_for_a_step_are_widened() {
        for (low, high) in [(0.0, 1e-310), (-1e-300, 1e-305), (0.0, 5e-324), (1e299, 9e299)] {
            let ticks = nice_ticks(low, high, 5);
            assert!((2..20).contains(&ticks.at.len()), "{low:e} {high:e}: {:?}", ticks.at);
        }
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(0.0, 10.0, 5), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(-0.13, 0.31, 4), ["0.0", "0.2"]);
        assert_eq!(labels(-1.0, 1.0, 4), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(0.0, 3e7, 3), ["0", "1e7", "2e7", "3e7"]);
        assert_eq!(labels(0.0, 2e-8, 2), ["0", "1e-8", "2e-8"]);
    }

    #[test]
    fn any_range_has_a_few_ticks() {
        for (low, high) in
            [(0.0, 0.0), (5.0, 5.0), (1.0, -1.0), (f64::NAN, 1.0), (1e9, 1e9 + 1.0), (-3e-20, 5e-20)]
        {
            let ticks = nice_ticks(low, high, 5);
            assert!((1..=12).contains(&ticks.at.len()), "{low} {high}: {ticks:?}");
            assert!(ticks.at.windows(2).all(|w| w[0] < w[1]), "{low} {high}: {ticks:?}");
        }
    }
}
