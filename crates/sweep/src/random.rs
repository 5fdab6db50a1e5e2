//! Random numbers without a state: each is a function of a seed and a place.
//!
//! The mixing function is that of splitmix64 (Steele, Lea & Flood, OOPSLA 2014), applied once per coordinate.

fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Sixty-four random bits at a place.
pub fn bits(seed: u64, stream: u64, index: u64) -> u64 {
    mix(mix(mix(seed).wrapping_add(stream)).wrapping_add(index))
}

/// A number strictly between 0 and 1 at a place.
pub fn unit(seed: u64, stream: u64, index: u64) -> f64 {
    ((bits(seed, stream, index) >> 12) as f64 + 0.5) / (1u64 << 52) as f64
}

/// The numbers below `n` in a random order (Fisher and Yates).
pub fn permutation(seed: u64, stream: u64, n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for k in (1..n).rev() {
        let other = (unit(seed, stream, k as u64) * (k + 1) as f64) as usize;
        order.swap(k, other.min(k));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fill_the_unit_interval_evenly() {
        let n = 100_000u64;
        let (mut sum, mut squares, mut tenths) = (0.0, 0.0, [0u32; 10]);
        for k in 0..n {
            let x = unit(7, 3, k);
            assert!(x > 0.0 && x < 1.0);
            sum += x;
            squares += x * x;
            tenths[(x * 10.0) as usize] += 1;
        }
        assert!((sum / n as f64 - 0.5).abs() < 5e-3);
        assert!((squares / n as f64 - 1.0 / 3.0).abs() < 5e-3);
        assert!(tenths.iter().all(|c| (9_500..10_500).contains(c)), "{tenths:?}");
    }

    #[test]
    fn seeds_and_streams_are_independent() {
        let correlation = |a: (u64, u64), b: (u64, u64)| {
            (0..10_000).map(|k| (unit(a.0, a.1, k) - 0.5) * (unit(b.0, b.1, k) - 0.5)).sum::<f64>() * 12.0
                / 1e4
        };
        assert!(correlation((1, 0), (2, 0)).abs() < 0.05);
        assert!(correlation((1, 0), (1, 1)).abs() < 0.05);
        assert!((correlation((1, 0), (1, 0)) - 1.0).abs() < 0.05);
    }

    #[test]
    fn a_permutation_has_every_number_once() {
        let mut order = permutation(5, 0, 1000);
        assert_ne!(order, (0..1000).collect::<Vec<_>>());
        assert_ne!(order, permutation(6, 0, 1000));
        order.sort_unstable();
        assert_eq!(order, (0..1000).collect::<Vec<_>>());
    }
}
