//! Eigenvalues against spectra that are known by construction: A = T D T⁻¹ with whole numbers in T
//! and T⁻¹, exact in binary.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use cardan_solve::Matrix;
use cardan_solve::spectrum::{Eigenvalue, spectrum};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as i64
    }
}

type Whole = Vec<Vec<i64>>;

fn unit(n: usize) -> Whole {
    (0..n).map(|i| (0..n).map(|j| i64::from(i == j)).collect()).collect()
}

fn product(a: &Whole, b: &Whole) -> Whole {
    let entry = |i: usize, j: usize| (0..b.len()).map(|k| a[i][k] * b[k][j]).sum();
    (0..a.len()).map(|i| (0..b.len()).map(|j| entry(i, j)).collect()).collect()
}

/// Units of the numbers in D: 2^-14.
const UNIT: f64 = 1.0 / 16384.0;

/// D in units, with single values and pairs σ ± iω spread from 2^-14 to 2^13, and its eigenvalues.
fn diagonal(random: &mut Random, n: usize) -> (Whole, Vec<(f64, f64)>) {
    let mut d = vec![vec![0; n]; n];
    let (mut values, mut k) = (vec![], 0);
    while k < n {
        let mut number = || (1 + random.below(3)) << random.below(26);
        let (size, turn) = (number(), number());
        let sign = if random.below(2) == 0 { -1 } else { 1 };
        d[k][k] = sign * size;
        if k + 1 < n && random.below(2) == 0 {
            (d[k + 1][k + 1], d[k][k + 1], d[k + 1][k]) = (sign * size, -turn, turn);
            let (re, im) = ((sign * size) as f64 * UNIT, turn as f64 * UNIT);
            values.extend([(re, im), (re, -im)]);
            k += 1;
        } else {
            values.push(((sign * size) as f64 * UNIT, 0.0));
        }
        k += 1;
    }
    (d, values)
}

/// T and T⁻¹: products of elementary steps.
fn turn(random: &mut Random, n: usize) -> (Whole, Whole) {
    let (mut t, mut inverse) = (unit(n), unit(n));
    for _ in 0..2 * n {
        let (i, j) = (random.below(n as i64) as usize, random.below(n as i64) as usize);
        if i != j {
            let factor = if random.below(2) == 0 { -1 } else { 1 };
            let mut step = unit(n);
            step[i][j] = factor;
            t = product(&t, &step);
            step[i][j] = -factor;
            inverse = product(&step, &inverse);
        }
    }
    (t, inverse)
}

fn nearest(found: &[Eigenvalue], (re, im): (f64, f64)) -> (f64, &Eigenvalue) {
    let far = |e: &Eigenvalue| (e.value.0 - re).hypot(e.value.1 - im);
    let best = found.iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap();
    (far(best), best)
}

fn is_separate(values: &[(f64, f64)], z: (f64, f64)) -> bool {
    let far = |a: &(f64, f64)| (a.0 - z.0).hypot(a.1 - z.1);
    values.iter().filter(|a| far(a) < 1e-3 * z.0.hypot(z.1)).count() == 1
}

/// 200 systems with spectra spread over 1e8. Of a matrix that is exact every separate eigenvalue
/// has twelve digits, and the sign of its real part is told; of one that is known to rounding the
/// bound holds and tells what it can.
#[test]
fn spectra_spread_over_eight_decades_are_as_constructed() {
    let mut random = Random(7);
    let (mut n_separate, mut n_told) = (0, 0);
    for case in 0..200 {
        let n = 4 + random.below(9) as usize;
        let (d, known) = diagonal(&mut random, n);
        let (t, inverse) = turn(&mut random, n);
        let whole = product(&product(&t, &d), &inverse);
        let (mut a, mut rounding) = (Matrix::zeros(n, n), Matrix::zeros(n, n));
        for i in 0..n {
            for j in 0..n {
                assert!(whole[i][j].abs() < 1 << 53, "exact in binary");
                a[(i, j)] = whole[i][j] as f64 * UNIT;
                rounding[(i, j)] = 4.0 * f64::EPSILON * a[(i, j)].abs();
            }
        }
        let exact = spectrum(&a, &Matrix::zeros(n, n)).unwrap();
        let rounded = spectrum(&a, &rounding).unwrap();
        for z in known.iter().copied() {
            let (far, found) = nearest(&exact, z);
            assert!(far <= found.error + 1e-15 * z.0.hypot(z.1), "case {case}: {z:?} is not {found:?}");
            let (far, in_doubt) = nearest(&rounded, z);
            assert!(far <= in_doubt.error, "case {case}: {z:?} is not {in_doubt:?}");
            if is_separate(&known, z) {
                n_separate += 1;
                let (far, found) = nearest(&exact, z);
                assert!(far < 1e-12 * z.0.hypot(z.1), "case {case}: {z:?} is not {:?}", found.value);
                assert!(found.value.0.signum() == z.0.signum());
                n_told += usize::from(in_doubt.error < in_doubt.value.0.abs());
            }
        }
    }
    assert!(n_separate > 1000 && n_told > n_separate / 2, "{n_told} of {n_separate}");
}

fn matrix(rows: &[&[f64]]) -> Matrix {
    let mut a = Matrix::zeros(rows.len(), rows.len());
    rows.iter().enumerate().for_each(|(i, r)| r.iter().enumerate().for_each(|(j, x)| a[(i, j)] = *x));
    a
}

fn rounding_of(a: &Matrix) -> Matrix {
    let mut r = a.clone();
    r.as_mut_slice().iter_mut().for_each(|x| *x = 8.0 * f64::EPSILON * x.abs());
    r
}

/// A slow divergence beside a stiff oscillation that does not touch it keeps all its digits.
#[test]
fn what_is_not_coupled_does_not_share_its_error() {
    let a = matrix(&[
        &[0.0, 1.0, 0.0, 0.0],
        &[-1e18, 0.0, 0.0, 0.0],
        &[0.0, 0.0, 0.0, 1.0],
        &[0.0, 0.0, 2.5e-7, 0.0],
    ]);
    let found = spectrum(&a, &rounding_of(&a)).unwrap();
    let (far, slow) = nearest(&found, (5e-4, 0.0));
    assert!(far < 1e-18 && slow.error < 1e-17, "{found:?}");
}

/// Units do not matter: states in nanometres beside states in gigametres.
#[test]
fn scaling_the_states_changes_no_eigenvalue() {
    let a = [[-3.0, 1.0, 0.5, 0.0], [2.0, -4.0, 0.0, 1.0], [1e-5, 0.0, -1e-5, 3e-6], [0.0, 1.0, 2.0, -7.0]];
    let d = [1e-9, 1.0, 1e9, 1e-4];
    let rows = |d: [f64; 4]| -> Vec<Vec<f64>> {
        (0..4).map(|i| (0..4).map(|j| a[i][j] * d[j] / d[i]).collect()).collect()
    };
    let [plain, scaled] = [[1.0; 4], d].map(|d| {
        let rows = rows(d);
        let a = matrix(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
        spectrum(&a, &rounding_of(&a)).unwrap()
    });
    for e in &plain {
        let (far, other) = nearest(&scaled, e.value);
        assert!(far < 1e-13 * e.value.0.hypot(e.value.1), "{e:?} {other:?}");
    }
}

/// Critical damping is a double eigenvalue: its two halves are known to half the digits, and say
/// so.
#[test]
fn a_double_eigenvalue_is_known_to_half_the_digits() {
    let a = matrix(&[&[0.0, 1.0], &[-1.0 - 1e-16, -2.0]]);
    let found = spectrum(&a, &rounding_of(&a)).unwrap();
    for e in &found {
        assert!(e.value.1.abs() <= e.error && e.error < 1e-6, "{found:?}");
        assert!(e.value.0 < -e.error);
    }
}

/// A vector goes through the blocks that its own block pushes.
#[test]
fn vectors_of_triangular_systems_are_stretched_by_their_eigenvalues() {
    let a = matrix(&[
        &[-1.0, 0.0, 0.0, 0.0],
        &[3.0, 0.0, 2.0, 0.0],
        &[0.0, -2.0, 0.0, 0.0],
        &[1.0, 0.0, 1.0, -5.0],
    ]);
    for e in spectrum(&a, &rounding_of(&a)).unwrap() {
        for i in 0..4 {
            let image = (0..4).fold((0.0, 0.0), |s: (f64, f64), j| {
                (s.0 + a[(i, j)] * e.vector[j].0, s.1 + a[(i, j)] * e.vector[j].1)
            });
            let ((re, im), (x, y)) = (e.value, e.vector[i]);
            assert!(
                (image.0 - (re * x - im * y)).abs() < 1e-12 && (image.1 - (re * y + im * x)).abs() < 1e-12
            );
        }
    }
}

/// Two equal masses with a circulatory stiffness s at the border of flutter, where two pairs meet
/// in ±i√2 and have one vector: eigenvalues are known to the root of rounding there, no worse.
#[test]
fn eigenvalues_that_share_a_vector_are_not_refined_away() {
    for k in 0..200 {
        let s = 1.0 + (k as f64 - 100.0) * f64::EPSILON;
        let mut a = Matrix::zeros(4, 4);
        (a[(0, 2)], a[(1, 3)]) = (1.0, 1.0);
        (a[(2, 0)], a[(2, 1)], a[(3, 0)], a[(3, 1)]) = (-1.0, -s, s, -3.0);
        let mut uncertainty = Matrix::zeros(4, 4);
        for (u, a) in uncertainty.as_mut_slice().iter_mut().zip(a.as_slice()) {
            *u = 8.0 * f64::EPSILON * a.abs();
        }
        // λ² = -2 ± √((1 - s)(1 + s)), and to first order λ = i √2 (1 ∓ √(…)/4).
        let root = ((1.0 - s) * (1.0 + s)).abs().sqrt() * 2.0_f64.sqrt() / 4.0;
        let known = if s > 1.0 { [(root, 0.0), (-root, 0.0)] } else { [(0.0, root), (0.0, -root)] };
        for Eigenvalue { value: (re, im), error, .. } in spectrum(&a, &uncertainty).unwrap() {
            let along = im.abs() - 2.0_f64.sqrt();
            let away = known.iter().map(|z| (re - z.0).hypot(along - z.1)).fold(f64::INFINITY, f64::min);
            assert!(away < 3e-7, "{s} {re} {im} ± {error}");
            assert!(away <= error, "{s} {re} {im} ± {error}, {away} away");
        }
    }
}
