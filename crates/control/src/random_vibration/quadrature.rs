//! Adaptive quadrature of functions of frequency.

use crate::error::ControlError;

/// Nodes of Kronrod's rule of 15 points, from the end to the middle (QUADPACK, qk15).
const NODES: [f64; 8] = [
    0.991_455_371_120_812_6,
    0.949_107_912_342_758_5,
    0.864_864_423_359_769_1,
    0.741_531_185_599_394_4,
    0.586_087_235_467_691_1,
    0.405_845_151_377_397_2,
    0.207_784_955_007_898_47,
    0.0,
];
const KRONROD: [f64; 8] = [
    0.022_935_322_010_529_224,
    0.063_092_092_629_978_56,
    0.104_790_010_322_250_18,
    0.140_653_259_715_525_92,
    0.169_004_726_639_267_9,
    0.190_350_578_064_785_4,
    0.204_432_940_075_298_9,
    0.209_482_141_084_727_82,
];
/// Weights of Gauss's rule at every second node.
const GAUSS: [f64; 4] =
    [0.129_484_966_168_869_7, 0.279_705_391_489_276_64, 0.381_830_050_505_118_9, 0.417_959_183_673_469_4];
/// Intervals at most.
const MAX_INTERVALS: usize = 20_000;

/// ∫ f over (0, ∞), cut at the given marks, to a relative tolerance.
///
/// Beyond the last mark the variable is 1/t. The interval of the largest error is halved until the
/// sum of the errors is small. Source: Piessens et al., QUADPACK, 1983, qag and qagi.
pub fn over_frequencies(
    f: impl Fn(f64) -> Result<f64, ControlError>,
    marks: &[f64],
    tolerance: f64,
) -> Result<f64, ControlError> {
    let mut cuts: Vec<f64> = marks.iter().copied().filter(|w| w.is_finite() && *w > 0.0).collect();
    if cuts.is_empty() {
        cuts.push(1.0);
    }
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    let last = 4.0 * cuts[cuts.len() - 1];
    cuts.push(last);
    // Both ends get the variable 1/t or t of one interval; the tail is stored with negative ends.
    let whole = |x: f64| if x >= 0.0 { f(x) } else { f(-last / x).map(|y| y * last / (x * x)) };
    let mut parts = vec![part(&whole, -1.0, 0.0)?];
    let mut start = 0.0;
    for cut in cuts {
        parts.push(part(&whole, start, cut)?);
        start = cut;
    }
    loop {
        let sum: f64 = parts.iter().map(|p| p.value).sum();
        let error: f64 = parts.iter().map(|p| p.error).sum();
        // A divergent integral grows with every cut until it is infinite.
        if parts.len() > MAX_INTERVALS || !sum.is_finite() || !error.is_finite() {
            return Err(ControlError::NoConvergence { what: "the integral over the frequencies" });
        }
        if error <= tolerance * sum.abs() {
            return Ok(sum);
        }
        // All parts with more than their share are halved at once.
        let share = tolerance * sum.abs() / parts.len() as f64;
        let mut next = Vec::with_capacity(2 * parts.len());
        for p in parts {
            let middle = 0.5 * (p.from + p.to);
            if p.error <= share || middle <= p.from || middle >= p.to {
                next.push(p);
                continue;
            }
            next.push(part(&whole, p.from, middle)?);
            next.push(part(&whole, middle, p.to)?);
        }
        parts = next;
    }
}

struct Part {
    from: f64,
    to: f64,
    value: f64,
    error: f64,
}

fn part(f: &impl Fn(f64) -> Result<f64, ControlError>, from: f64, to: f64) -> Result<Part, ControlError> {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let (mut kronrod, mut gauss, mut size) = (0.0, 0.0, 0.0);
    for (i, node) in NODES.iter().enumerate() {
        let sides: &[f64] = if *node == 0.0 { &[0.0] } else { &[-1.0, 1.0] };
        for side in sides {
            let value = f(middle + side * half * node)?;
            kronrod += KRONROD[i] * value;
            size += KRONROD[i] * value.abs();
            if i % 2 == 1 {
                gauss += GAUSS[i / 2] * value;
            }
        }
    }
    // The difference of both rules, not below what rounding leaves.
    let difference = (kronrod - gauss).abs();
    let error = if difference <= 20.0 * f64::EPSILON * size { 0.0 } else { difference };
    Ok(Part { from, to, value: half * kronrod, error: half * error })
}
