//! The tableaux against the theory: every order condition of every rooted tree.
//!
//! A method with weights b and stages A has order p when, for each rooted tree τ with at most p nodes,
//!
//! ```text
//! [order]         Σ_i b_i Φ_i(τ) = 1/γ(τ),         Φ_i([τ₁ … τ_m]) = Π_k Σ_j a_ij Φ_j(τ_k)
//! [dense-order]   Σ_i b_i(θ) Φ_i(τ) = θ^|τ| / γ(τ)
//! ```
//!
//! Butcher; Hairer, Nørsett & Wanner, Solving ODEs I, II.2 (Theorem 2.13) and II.6 (6.11).

use crate::dop853::tableau as dop853;
use crate::tableau::Row;
use crate::{dopri5, radau5, rk4};

/// A rooted tree: its branches in canonical (sorted) order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Tree(Vec<Tree>);

impl Tree {
    fn size(&self) -> usize {
        1 + self.0.iter().map(Tree::size).sum::<usize>()
    }

    /// γ(τ) = |τ| Π γ(τ_k).
    fn gamma(&self) -> f64 {
        self.size() as f64 * self.0.iter().map(Tree::gamma).product::<f64>()
    }

    fn weights(&self, a: &[Vec<f64>]) -> Vec<f64> {
        let branches: Vec<Vec<f64>> = self.0.iter().map(|branch| branch.weights(a)).collect();
        a.iter()
            .map(|row| {
                branches.iter().map(|phi| row.iter().zip(phi).map(|(a, phi)| a * phi).sum::<f64>()).product()
            })
            .collect()
    }
}

/// All trees with at most `max` nodes, by number of nodes.
fn trees(max: usize) -> Vec<Tree> {
    let mut by_size: Vec<Vec<Tree>> = vec![Vec::new(), vec![Tree(Vec::new())]];
    for size in 2..=max {
        let mut found: Vec<Tree> = Vec::new();
        // Graft a new branch onto the root of a smaller tree.
        for branch_size in 1..size {
            for branch in &by_size[branch_size] {
                for rest in &by_size[size - branch_size] {
                    let mut branches = rest.0.clone();
                    branches.push(branch.clone());
                    branches.sort();
                    found.push(Tree(branches));
                }
            }
        }
        found.sort();
        found.dedup();
        by_size.push(found);
    }
    by_size.concat()
}

fn dense_row(row: Row, n: usize) -> Vec<f64> {
    let mut out = vec![0.0; n];
    for &(j, a) in row {
        out[j] += a;
    }
    out
}

fn matrix(rows: &[Row]) -> Vec<Vec<f64>> {
    rows.iter().map(|row| dense_row(row, rows.len())).collect()
}

/// The largest violation among trees with exactly `size` nodes.
fn violation(a: &[Vec<f64>], b: &[f64], theta: f64, size: usize) -> f64 {
    trees(size)
        .iter()
        .filter(|tree| tree.size() == size)
        .map(|tree| {
            let found: f64 = tree.weights(a).iter().zip(b).map(|(phi, b)| phi * b).sum();
            (found - theta.powi(size as i32) / tree.gamma()).abs()
        })
        .fold(0.0, f64::max)
}

/// Order exactly `order`: all conditions up to it hold to rounding and one of the next does not.
fn assert_order(a: &[Vec<f64>], b: &[f64], theta: f64, order: usize, rounding: f64) {
    for size in 1..=order {
        let violation = violation(a, b, theta, size);
        assert!(violation < rounding, "order {size} at {theta}: {violation:e}");
    }
    let violation = violation(a, b, theta, order + 1);
    assert!(violation > 1e-8, "order {} at {theta}: {violation:e}", order + 1);
}

fn assert_row_sums(a: &[Vec<f64>], c: &[f64]) {
    for (row, c) in a.iter().zip(c) {
        assert!((row.iter().sum::<f64>() - c).abs() < 2e-14, "{c}");
    }
}

#[test]
fn the_trees_are_all_there() {
    let counts: Vec<usize> = (1..=9).map(|n| trees(n).iter().filter(|t| t.size() == n).count()).collect();
    assert_eq!(counts, [1, 1, 2, 4, 9, 20, 48, 115, 286]);
}

#[test]
fn rk4_has_order_4() {
    let a = matrix(&rk4::A);
    assert_row_sums(&a, &rk4::C);
    assert_order(&a, &dense_row(rk4::B, 4), 1.0, 4, 1e-15);
}

#[test]
fn dopri5_has_order_5_with_4_embedded_and_4_dense() {
    let a = matrix(&dopri5::A);
    assert_row_sums(&a, &dopri5::C);
    let b = dense_row(dopri5::B, 7);
    assert_order(&a, &b, 1.0, 5, 1e-15);
    let embedded: Vec<f64> = b.iter().zip(dense_row(dopri5::ERROR, 7)).map(|(b, e)| b - e).collect();
    assert_order(&a, &embedded, 1.0, 4, 1e-15);
    for theta in [0.1, 0.37, 0.5, 0.8, 0.95] {
        let weights = hermite_weights(&b, &[dense_row(dopri5::DENSE, 7)], 6, theta);
        assert_order(&a, &weights, theta, 4, 1e-14);
    }
}

#[test]
fn dop853_has_order_8_with_5_and_3_embedded_and_7_dense() {
    let a = matrix(&dop853::A);
    assert_row_sums(&a, &dop853::C);
    let b = dense_row(dop853::B, 16);
    assert_order(&a, &b, 1.0, 8, 1e-14);
    let embedded: Vec<f64> = b.iter().zip(dense_row(dop853::ERROR_5, 16)).map(|(b, e)| b - e).collect();
    assert_order(&a, &embedded, 1.0, 5, 1e-14);
    assert_order(&a, &dense_row(dop853::B_3, 16), 1.0, 3, 1e-14);
    let terms = dop853::DENSE.map(|row| dense_row(row, 16));
    for theta in [0.05, 0.3, 0.5, 0.77, 0.95] {
        let weights = hermite_weights(&b, &terms, 12, theta);
        assert_order(&a, &weights, theta, 7, 1e-13);
    }
}

/// b(θ) of the cubic Hermite polynomial and the terms that follow it, each with one more factor 1 − θ or θ.
fn hermite_weights(b: &[f64], terms: &[Vec<f64>], last: usize, theta: f64) -> Vec<f64> {
    let rest = 1.0 - theta;
    (0..b.len())
        .map(|i| {
            let (first, final_) = (f64::from(i == 0), f64::from(i == last));
            let bend = first - b[i];
            let mut sum = theta * b[i] + theta * rest * bend + theta * theta * rest * (b[i] - final_ - bend);
            let mut factor = theta * theta * rest * rest;
            for (k, term) in terms.iter().enumerate() {
                sum += factor * term[i];
                factor *= if k % 2 == 0 { theta } else { rest };
            }
            sum
        })
        .collect()
}

#[test]
fn radau5_diagonalises_its_own_tableau() {
    // The collocation conditions Σ_j a_ij c_j^(k−1) = c_i^k / k give A; A⁻¹ T = T Λ and T T⁻¹ = 1 check the constants.
    let c = radau5::C;
    let powers: [[f64; 3]; 3] = std::array::from_fn(|j| std::array::from_fn(|k| c[j].powi(k as i32)));
    let integrals: [[f64; 3]; 3] =
        std::array::from_fn(|i| std::array::from_fn(|k| c[i].powi(k as i32 + 1) / (k as f64 + 1.0)));
    let product = |a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]| -> [[f64; 3]; 3] {
        std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
    };
    let unit = product(&radau5::T, &radau5::T_INVERSE);
    let lambda =
        [[radau5::GAMMA, 0.0, 0.0], [0.0, radau5::ALPHA, -radau5::BETA], [0.0, radau5::BETA, radau5::ALPHA]];
    let a_inverse = product(&product(&radau5::T, &lambda), &radau5::T_INVERSE);
    // A V = W with V the powers and W the integrals, so V = A⁻¹ W.
    let found = product(&a_inverse, &integrals);
    for i in 0..3 {
        for j in 0..3 {
            assert!((unit[i][j] - f64::from(i == j)).abs() < 1e-15);
            assert!((found[i][j] - powers[i][j]).abs() < 1e-14, "{i} {j}");
        }
    }
}
