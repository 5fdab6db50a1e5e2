//! Fewer samples without losing the extremes.
//!
//! A screen has a few thousand columns; a run may have a million samples. [`min_max`] cuts the samples into
//! buckets and keeps, in each, the least and the greatest value in the order in which they occur, so that a spike
//! of one sample is still seen. [`even_frames`] serves the 3D view, which interpolates and needs no extremes.

/// One curve reduced to at most `limit` points: first, last, and each bucket's extremes. Points where either
/// coordinate is not finite are gaps: a bucket that holds nothing else becomes one point that is not a number.
pub fn min_max(x: &[f64], y: &[f64], limit: usize) -> Vec<(f64, f64)> {
    let n = x.len().min(y.len());
    if n <= limit.max(4) {
        return (0..n).map(|i| (x[i], y[i])).collect();
    }
    let buckets = (limit.max(4) - 2) / 2;
    let mut kept = vec![(x[0], y[0])];
    for bucket in buckets_of(1, n - 1, buckets) {
        match extremes(x, y, bucket.clone()) {
            Some((a, b)) if a == b => kept.push((x[a], y[a])),
            Some((a, b)) => kept.extend([(x[a], y[a]), (x[b], y[b])]),
            None => kept.push((x[bucket.start], f64::NAN)),
        }
    }
    kept.push((x[n - 1], y[n - 1]));
    kept
}

/// Several curves over one time, reduced together to at most `limit` samples (at least 4).
///
/// Each bucket keeps two times, its first and its last, and puts there each curve's two extremes in the order in
/// which they occur; an extreme is thus displaced by less than a bucket's width. Curves shorter than the time
/// are filled up with NaN.
pub fn min_max_together(time: &[f64], curves: &[&[f64]], limit: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = time.len();
    let value = |curve: &[f64], i: usize| curve.get(i).copied().unwrap_or(f64::NAN);
    if n <= limit.max(4) {
        let full = curves.iter().map(|c| (0..n).map(|i| value(c, i)).collect()).collect();
        return (time.to_vec(), full);
    }
    let buckets: Vec<_> = buckets_of(1, n - 1, (limit.max(4) - 2) / 2).collect();
    let around = |inner: Vec<f64>, first: f64, last: f64| {
        let mut all = vec![first];
        all.extend(inner);
        all.push(last);
        all
    };
    let inner = buckets.iter().flat_map(|b| [time[b.start], time[b.end - 1]]).collect();
    let thinned = curves
        .iter()
        .map(|curve| {
            let inner = buckets
                .iter()
                .flat_map(|b| match extremes(time, curve, b.clone()) {
                    Some((i, j)) => [curve[i], curve[j]],
                    None => [f64::NAN; 2],
                })
                .collect();
            around(inner, value(curve, 0), value(curve, n - 1))
        })
        .collect();
    (around(inner, time[0], time[n - 1]), thinned)
}

/// At most `limit` frame indices (at least 2), evenly spread in time, with the first and the last frame.
pub fn even_frames(times: &[f64], limit: usize) -> Vec<usize> {
    let n = times.len();
    if n <= limit.max(2) {
        return (0..n).collect();
    }
    let (first, last) = (times[0], times[n - 1]);
    let step = (last - first) / (limit.max(2) - 1) as f64;
    let mut kept = vec![0];
    let mut due = first + step;
    for i in 1..n - 1 {
        if times[i] >= due - 1e-9 * step.abs() {
            kept.push(i);
            due = due.max(times[i] - step) + step;
        }
    }
    kept.truncate(limit.max(2) - 1);
    kept.push(n - 1);
    kept
}

/// `count` neighbouring ranges of nearly equal size that cover `start..end`, which has at least `count` members.
fn buckets_of(start: usize, end: usize, count: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let n = end - start;
    (0..count).map(move |k| start + k * n / count..start + (k + 1) * n / count)
}

/// Indices of the least and the greatest finite value of `y` within `range`, the earlier one first.
fn extremes(x: &[f64], y: &[f64], range: std::ops::Range<usize>) -> Option<(usize, usize)> {
    let mut found: Option<(usize, usize)> = None;
    for i in range.start..range.end.min(y.len()) {
        if !(x[i].is_finite() && y[i].is_finite()) {
            continue;
        }
        let (low, high) = found.unwrap_or((i, i));
        found = Some((if y[i] < y[low] { i } else { low }, if y[i] > y[high] { i } else { high }));
    }
    found.map(|(low, high)| (low.min(high), low.max(high)))
}

#[cfg(test)]
mod tests {
    use crate::decimate::*;

    fn time(n: usize) -> Vec<f64> {
        (0..n).map(|i| i as f64 * 0.001).collect()
    }

    #[test]
    fn a_spike_of_one_sample_survives() {
        let x = time(1_000_000);
        let mut y = vec![0.0; x.len()];
        y[654_321] = 7.0;
        y[123_456] = -3.0;
        let kept = min_max(&x, &y, 2000);
        assert!(kept.len() <= 2000, "{}", kept.len());
        assert!(kept.contains(&(x[654_321], 7.0)) && kept.contains(&(x[123_456], -3.0)));
        assert_eq!((kept[0].0, kept[kept.len() - 1].0), (x[0], x[999_999]));
        assert!(kept.windows(2).all(|w| w[0].0 <= w[1].0));
    }

    #[test]
    fn few_points_stay_as_they_are() {
        assert_eq!(min_max(&[0.0, 1.0], &[5.0, 6.0], 100), vec![(0.0, 5.0), (1.0, 6.0)]);
        assert_eq!(min_max(&[], &[], 100), vec![]);
    }

    #[test]
    fn gaps_stay_gaps() {
        let x = time(10_000);
        let y: Vec<f64> = x.iter().map(|t| if *t > 3.0 && *t < 6.0 { f64::NAN } else { 1.0 }).collect();
        let kept = min_max(&x, &y, 100);
        assert!(kept.iter().any(|p| p.1.is_nan()));
        assert!(kept.iter().filter(|p| p.0 < 2.8).all(|p| p.1 == 1.0));
    }

    #[test]
    fn curves_thin_together() {
        let t = time(100_000);
        let a: Vec<f64> = t.iter().map(|t| t.sin()).collect();
        let mut b = vec![0.0; 50_000];
        b[777] = 9.0;
        let (time, curves) = min_max_together(&t, &[&a, &b], 1000);
        assert!(time.len() <= 1000 && curves.iter().all(|c| c.len() == time.len()));
        assert!(time.windows(2).all(|w| w[0] <= w[1]));
        assert!(curves[1].contains(&9.0) && curves[1][999.min(time.len() - 1)].is_nan());
        for (t, v) in time.iter().zip(&curves[0]) {
            assert!((t.sin() - v).abs() < 0.25, "displaced by more than a bucket at {t}");
        }
    }

    #[test]
    fn frames_spread_evenly_in_time() {
        let mut times = time(90_000);
        times.extend((1..10_000).map(|i| 90.0 + i as f64));
        let kept = even_frames(&times, 1000);
        assert!(kept.len() <= 1000 && kept.len() > 900, "{}", kept.len());
        assert_eq!((kept[0], kept[kept.len() - 1]), (0, times.len() - 1));
        assert!(kept.windows(2).all(|w| w[0] < w[1]));
        let widest = kept.windows(2).map(|w| times[w[1]] - times[w[0]]).fold(0.0, f64::max);
        assert!(widest < 25.0, "{widest}");
        assert_eq!(even_frames(&[], 10), Vec::<usize>::new());
        assert_eq!(even_frames(&[1.0], 10), vec![0]);
    }
}
