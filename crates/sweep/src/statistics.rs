//! What the results of many members have in common.
//!
//! ```text
//! [spearman]   ρ = correlation of the ranks of two lists; ±1 where one rises or falls with the other
//! ```

/// The spread of a list of numbers; those that are not finite are left out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    /// How many counted.
    pub count: usize,
    /// Mean.
    pub mean: f64,
    /// Standard deviation of the sample.
    pub deviation: f64,
    /// Least.
    pub least: f64,
    /// The value that a twentieth undercuts.
    pub low: f64,
    /// The value that a half undercuts.
    pub median: f64,
    /// The value that a twentieth exceeds.
    pub high: f64,
    /// Greatest.
    pub greatest: f64,
}

/// The spread of a list; nothing if no number in it is finite.
pub fn spread(values: &[f64]) -> Option<Spread> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let (least, greatest) = (*sorted.first()?, *sorted.last()?);
    let n = sorted.len() as f64;
    let mean = sorted.iter().map(|v| v / n).sum::<f64>();
    let squares: f64 = sorted.iter().map(|v| (v - mean).powi(2)).sum();
    let deviation = if sorted.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
    let at = |p: f64| {
        let place = p * (n - 1.0);
        let k = place as usize;
        let next = sorted[(k + 1).min(sorted.len() - 1)];
        sorted[k] + (place - k as f64) * (next - sorted[k])
    };
    Some(Spread {
        count: sorted.len(),
        mean,
        deviation,
        least,
        low: at(0.05),
        median: at(0.5),
        high: at(0.95),
        greatest,
    })
}

/// Ranks; equal numbers share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|i, j| values[*i].total_cmp(&values[*j]));
    let mut ranks = vec![0.0; values.len()];
    let mut k = 0;
    while k < order.len() {
        let same = order[k..].iter().take_while(|i| values[**i] == values[order[k]]).count().max(1);
        let shared = k as f64 + 0.5 * (same - 1) as f64;
        order[k..k + same].iter().for_each(|i| ranks[*i] = shared);
        k += same;
    }
    ranks
}

/// How strongly one list rises with another, between -1 and 1; nothing where either does not change or fewer than three pairs
/// are finite. `[spearman]`
pub fn influence(cause: &[f64], effect: &[f64]) -> Option<f64> {
    let pairs: Vec<(f64, f64)> = cause
        .iter()
        .copied()
        .zip(effect.iter().copied())
        .filter(|(a, b)| a.is_finite() && b.is_finite())
        .collect();
    if pairs.len() < 3 {
        return None;
    }
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    let (a, b) = (ranks(&a), ranks(&b));
    let middle = 0.5 * (a.len() - 1) as f64;
    let product =
        |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - middle) * (y - middle)).sum::<f64>();
    let (aa, bb, ab) = (product(&a, &a), product(&b, &b), product(&a, &b));
    (aa > 0.0 && bb > 0.0).then(|| ab / (aa * bb).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_of_a_small_list() {
        let s = spread(&[4.0, 1.0, f64::NAN, 3.0, 2.0]).unwrap();
        assert_eq!((s.count, s.mean, s.least, s.median, s.greatest), (4, 2.5, 1.0, 2.5, 4.0));
        assert!((s.deviation - (5.0 / 3f64).sqrt()).abs() < 1e-15);
        assert!((s.low - 1.15).abs() < 1e-12 && (s.high - 3.85).abs() < 1e-12);
        assert_eq!(spread(&[f64::INFINITY]), None);
    }

    #[test]
    fn ranks_see_any_rising_function() {
        let x: Vec<f64> = (0..50).map(|k| f64::from(k) * 0.1).collect();
        let up: Vec<f64> = x.iter().map(|x| x.exp()).collect();
        let down: Vec<f64> = x.iter().map(|x| -x.powi(3)).collect();
        assert!((influence(&x, &up).unwrap() - 1.0).abs() < 1e-12);
        assert!((influence(&x, &down).unwrap() + 1.0).abs() < 1e-12);
        assert_eq!(influence(&x, &[2.0; 50]), None);
        // Ties: the textbook value of Spearman's coefficient with mean ranks.
        let rho = influence(&[1.0, 2.0, 2.0, 3.0], &[1.0, 3.0, 2.0, 4.0]).unwrap();
        assert!((rho - 0.9486832980505138).abs() < 1e-12, "{rho}");
    }
}
