//! Eigenvalues with error bounds: A x = λ x for a matrix whose entries are known to an uncertainty.
//!
//! ```text
//! [blocks]      the strongly connected components of the graph of A are the diagonal blocks of a triangular form
//! [balance]     B = D⁻¹ A D with powers of two in D, so that rows and columns of a block have like sums
//! [residual]    R = X⁻¹ (B X - X Λ), products and sums of B X - X Λ in twice the working precision
//! [refine]      λ_k += R_kk,   x_j += Σ_k x_k R_kj / (λ_j - λ_k)      unless |B x_k - λ_k x_k| / |x_k| grows
//! [condition]   |δλ_k| ≤ Σ_ij |w_ki| δB_ij |x_jk|          w_k: row k of X⁻¹, the left eigenvector with w_k x_k = 1
//! [elsner]      |δλ| ≤ (2 ‖B‖ + ‖δB‖)^(1-1/n) ‖δB‖^(1/n)   whatever the vectors are
//! ```
//!
//! An eigenvalue of one block does not depend on the entries of others, however large these are.
//! The bound by the left and right eigenvectors is of first order and does not depend on the
//! scaling (Stewart & Sun, Matrix Perturbation Theory, IV.2; the last bound is theorem IV.1.3). It
//! is doubled for the terms of second order: δ/(2√d) for ±√d with d known to δ then covers zero
//! where d does. Balancing: Parlett & Reinsch, Numer. Math. 13 (1969). Sums in twice the precision:
//! Ogita, Rump & Oishi, SIAM J. Sci. Comput. 26 (2005). Where vectors nearly coincide X is nearly
//! singular and its corrections are arbitrary; what makes a residual larger is not taken.

use crate::linear::{ComplexLu, Matrix, eigenpairs, inverse_of_columns};
use crate::system::Failure;

type Complex = (f64, f64);

/// An eigenvalue, how far the true one may be from it, and its vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigenvalue {
    /// Real and imaginary part.
    pub value: Complex,
    /// The radius of the disc that holds the true eigenvalue.
    pub error: f64,
    /// The right eigenvector.
    pub vector: Vec<Complex>,
}

/// The eigenvalues of a square matrix whose entries are known to `uncertainty`. Entries below
/// theirs count as zero.
pub fn spectrum(a: &Matrix, uncertainty: &Matrix) -> Result<Vec<Eigenvalue>, Failure> {
    if !a.is_finite() || !uncertainty.is_finite() {
        return Err(Failure::recoverable("the matrix has elements that are not finite"));
    }
    let n = a.n_rows();
    let mut clean = a.clone();
    for (x, limit) in clean.as_mut_slice().iter_mut().zip(uncertainty.as_slice()) {
        if x.abs() <= *limit {
            *x = 0.0;
        }
    }
    let blocks = components(&clean);
    let mut list = vec![];
    for (k, block) in blocks.iter().enumerate() {
        for mut found in of_block(&part(&clean, block, block), &part(uncertainty, block, block))? {
            let mut x = vec![(0.0, 0.0); n];
            block.iter().zip(&found.vector).for_each(|(i, z)| x[*i] = *z);
            for later in &blocks[k + 1..] {
                follow(&clean, later, found.value, &mut x);
            }
            found.vector = x;
            list.push(found);
        }
    }
    Ok(list)
}

/// Powers of two d by which D⁻¹ A D is balanced. [balance]
pub fn balance(a: &Matrix) -> Vec<f64> {
    let n = a.n_rows();
    let mut d = vec![1.0_f64; n];
    for _ in 0..MAX_SWEEPS {
        let mut settled = true;
        for i in 0..n {
            let sum = |f: &dyn Fn(usize) -> f64| (0..n).filter(|j| *j != i).map(f).sum::<f64>();
            let column = sum(&|j| (a[(j, i)] / d[j]).abs()) * d[i];
            let row = sum(&|j| (a[(i, j)] * d[j]).abs()) / d[i];
            if column == 0.0 || row == 0.0 {
                continue;
            }
            let factor = (0.5 * (row / column).log2()).round().exp2();
            if factor != 1.0 && factor * column + row / factor < 0.95 * (column + row) {
                d[i] *= factor;
                settled = false;
            }
        }
        if settled {
            break;
        }
    }
    d
}

const MAX_SWEEPS: usize = 100;
const MAX_REFINEMENTS: usize = 3;

/// The strongly connected components of the graph of A, each after all that it depends on: Tarjan's
/// algorithm. [blocks]
fn components(a: &Matrix) -> Vec<Vec<usize>> {
    struct Search<'a> {
        a: &'a Matrix,
        index: Vec<usize>,
        low: Vec<usize>,
        on_stack: Vec<bool>,
        stack: Vec<usize>,
        count: usize,
        found: Vec<Vec<usize>>,
    }
    impl Search<'_> {
        fn visit(&mut self, root: usize) {
            // A node, and the next column to look at.
            let mut path = vec![(root, 0)];
            while let Some((i, j)) = path.pop() {
                if j == 0 {
                    self.count += 1;
                    (self.index[i], self.low[i]) = (self.count, self.count);
                    self.stack.push(i);
                    self.on_stack[i] = true;
                }
                let next = (j..self.a.n_cols()).find(|j| *j != i && self.a[(i, *j)] != 0.0);
                match next {
                    Some(j) if self.index[j] == 0 => path.extend([(i, j + 1), (j, 0)]),
                    Some(j) => {
                        if self.on_stack[j] {
                            self.low[i] = self.low[i].min(self.index[j]);
                        }
                        path.push((i, j + 1));
                    }
                    None => self.close(i, path.last().map(|p| p.0)),
                }
            }
        }
        fn close(&mut self, i: usize, above: Option<usize>) {
            if self.low[i] == self.index[i] {
                let mut block = vec![];
                while let Some(k) = self.stack.pop() {
                    self.on_stack[k] = false;
                    block.push(k);
                    if k == i {
                        break;
                    }
                }
                block.sort_unstable();
                self.found.push(block);
            }
            if let Some(p) = above {
                self.low[p] = self.low[p].min(self.low[i]);
            }
        }
    }
    let n = a.n_rows();
    let (index, low, on_stack) = (vec![0; n], vec![0; n], vec![false; n]);
    let mut search = Search { a, index, low, on_stack, stack: vec![], count: 0, found: vec![] };
    for i in 0..n {
        if search.index[i] == 0 {
            search.visit(i);
        }
    }
    search.found
}

fn part(a: &Matrix, rows: &[usize], columns: &[usize]) -> Matrix {
    let mut out = Matrix::zeros(rows.len(), columns.len());
    for (j, c) in columns.iter().enumerate() {
        for (i, r) in rows.iter().enumerate() {
            out[(i, j)] = a[(*r, *c)];
        }
    }
    out
}

/// What a block adds to the vector of an eigenvalue of a block before it: (λ - A_mm) x_m = A_m x.
fn follow(a: &Matrix, block: &[usize], (re, im): Complex, x: &mut [Complex]) {
    let push = |f: fn(&Complex) -> f64| -> Vec<f64> {
        block.iter().map(|i| x.iter().enumerate().map(|(j, z)| a[(*i, j)] * f(z)).sum()).collect()
    };
    let (mut b_re, mut b_im) = (push(|z| z.0), push(|z| z.1));
    if b_re.iter().chain(&b_im).all(|b| *b == 0.0) {
        return;
    }
    let own = part(a, block, block);
    let size = own.as_slice().iter().fold(re.hypot(im), |m, x| x.abs().max(m)).max(f64::MIN_POSITIVE);
    // An eigenvalue that the block has too is moved by rounding: the vector is then one of the
    // block's own.
    let shifts = [0.0, 4.0 * f64::EPSILON * size, 64.0 * f64::EPSILON * size];
    if let Some(mut lu) = shifts.iter().find_map(|s| ComplexLu::shifted(&own, re + s, im)) {
        lu.solve(&mut b_re, &mut b_im);
    }
    block.iter().enumerate().for_each(|(n, i)| x[*i] = (b_re[n], b_im[n]));
    // Only directions count.
    let largest = x.iter().map(|z| z.0.hypot(z.1)).fold(0.0, f64::max);
    if largest > 1e100 {
        x.iter_mut().for_each(|z| *z = (z.0 / largest, z.1 / largest));
    }
}

/// The eigenvalues of an irreducible block.
fn of_block(a: &Matrix, uncertainty: &Matrix) -> Result<Vec<Eigenvalue>, Failure> {
    let n = a.n_rows();
    if n == 1 {
        return Ok(vec![Eigenvalue {
            value: (a[(0, 0)], 0.0),
            error: uncertainty[(0, 0)],
            vector: vec![(1.0, 0.0)],
        }]);
    }
    let d = balance(a);
    let scaled = |m: &Matrix| {
        let mut b = m.clone();
        (0..n).for_each(|j| (0..n).for_each(|i| b[(i, j)] *= d[j] / d[i]));
        b
    };
    let (b, delta) = (scaled(a), scaled(uncertainty));
    let (mut values, mut x): (Vec<Complex>, Vec<Vec<Complex>>) = eigenpairs(&b)?.into_iter().unzip();
    let mut errors = vec![f64::INFINITY; n];
    let rounding = 4.0 * n as f64 * f64::EPSILON * frobenius(&b);
    for step in 0..=MAX_REFINEMENTS {
        let Some(w) = inverse_of_columns(&x) else { break };
        let r = rotated_residual(&b, &values, &x, &w);
        for k in 0..n {
            let error = condition(&w[k], &delta, &x[k]) * 2.0 + numerical(k, &r, &values);
            errors[k] = error;
        }
        let settled = (0..n).all(|k| size(r[k][k]) <= f64::EPSILON * size(values[k]));
        if settled || step == MAX_REFINEMENTS {
            break;
        }
        let (mut new_values, mut new_x) = (values.clone(), x.clone());
        refine(&mut new_values, &mut new_x, &r);
        let mut better = false;
        for k in 0..n {
            if misfit(&b, new_values[k], &new_x[k]) <= misfit(&b, values[k], &x[k]).max(rounding) {
                values[k] = new_values[k];
                x[k] = std::mem::take(&mut new_x[k]);
                better = true;
            }
        }
        if !better {
            break;
        }
    }
    let cap = elsner(&b, &delta);
    let pair = |k: usize| Eigenvalue {
        value: values[k],
        error: errors[k].min(cap) + 2.0 * f64::EPSILON * size(values[k]),
        vector: x[k].iter().zip(&d).map(|(z, d)| (z.0 * d, z.1 * d)).collect(),
    };
    Ok((0..n).map(pair).collect())
}

fn size(z: Complex) -> f64 {
    z.0.hypot(z.1)
}

fn times(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

/// B x - λ x.
fn residual(b: &Matrix, (re, im): Complex, x: &[Complex]) -> Vec<Complex> {
    let n = x.len();
    let part = |i: usize, f: fn(&Complex) -> f64, by: [(f64, f64); 2]| {
        exact_sum((0..n).map(|l| (b[(i, l)], f(&x[l]))).chain(by))
    };
    (0..n)
        .map(|i| {
            let (p, q) = x[i];
            (part(i, |z| z.0, [(-re, p), (im, q)]), part(i, |z| z.1, [(-re, q), (-im, p)]))
        })
        .collect()
}

/// |B x - λ x| / |x|: no eigenvalue of a matrix that differs from B by this is farther.
fn misfit(b: &Matrix, value: Complex, x: &[Complex]) -> f64 {
    let norm = |v: &[Complex]| v.iter().map(|z| z.0 * z.0 + z.1 * z.1).sum::<f64>().sqrt();
    norm(&residual(b, value, x)) / norm(x)
}

/// [residual]: entry (k, j) is `r[k][j]`.
fn rotated_residual(
    b: &Matrix,
    values: &[Complex],
    x: &[Vec<Complex>],
    w: &[Vec<Complex>],
) -> Vec<Vec<Complex>> {
    let n = values.len();
    let residual = |j: usize| residual(b, values[j], &x[j]);
    let columns: Vec<Vec<Complex>> = (0..n).map(residual).collect();
    let entry = |k: usize, j: usize| {
        w[k].iter()
            .zip(&columns[j])
            .map(|(w, r)| times(*w, *r))
            .fold((0.0, 0.0), |s, z| (s.0 + z.0, s.1 + z.1))
    };
    (0..n).map(|k| (0..n).map(|j| entry(k, j)).collect()).collect()
}

/// Σ a b as if in twice the working precision.
fn exact_sum(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut sum, mut rest) = (0.0, 0.0);
    for (a, b) in pairs {
        let product = a * b;
        let total: f64 = sum + product;
        let back = total - sum;
        rest += a.mul_add(b, -product) + ((sum - (total - back)) + (product - back));
        sum = total;
    }
    sum + rest
}

/// [refine]: of a cluster the values alone. A real eigenvalue stays real, and of a pair both stay
/// conjugate.
fn refine(values: &mut [Complex], x: &mut [Vec<Complex>], r: &[Vec<Complex>]) {
    let n = values.len();
    let (old, vectors) = (values.to_vec(), x.to_vec());
    for j in 0..n {
        let is_real = old[j].1 == 0.0 && vectors[j].iter().all(|z| z.1 == 0.0);
        if old[j].1 < 0.0 && j > 0 && old[j - 1] == (old[j].0, -old[j].1) {
            values[j] = (values[j - 1].0, -values[j - 1].1);
            x[j] = x[j - 1].iter().map(|z| (z.0, -z.1)).collect();
            continue;
        }
        values[j].0 += r[j][j].0;
        values[j].1 += if is_real { 0.0 } else { r[j][j].1 };
        for k in (0..n).filter(|k| *k != j) {
            let gap = (old[j].0 - old[k].0, old[j].1 - old[k].1);
            if size(r[k][j]) > 0.1 * size(gap) {
                continue;
            }
            let square = gap.0 * gap.0 + gap.1 * gap.1;
            let factor = times(r[k][j], (gap.0 / square, -gap.1 / square));
            for (z, v) in x[j].iter_mut().zip(&vectors[k]) {
                let add = times(*v, factor);
                z.0 += add.0;
                z.1 += if is_real { 0.0 } else { add.1 };
            }
        }
    }
}

/// [condition]
fn condition(w: &[Complex], delta: &Matrix, x: &[Complex]) -> f64 {
    let column = |j: usize| w.iter().enumerate().map(|(i, w)| size(*w) * delta[(i, j)]).sum::<f64>();
    x.iter().enumerate().map(|(j, z)| column(j) * size(*z)).sum()
}

/// How far an eigenvalue of Λ + R is from λ_k: R_kk, and what the other rows add to second order,
/// or to first order in a cluster.
fn numerical(k: usize, r: &[Vec<Complex>], values: &[Complex]) -> f64 {
    let others = (0..values.len()).filter(|j| *j != k).map(|j| {
        let (gap, coupling) =
            (size((values[k].0 - values[j].0, values[k].1 - values[j].1)), size(r[k][j]) * size(r[j][k]));
        if 16.0 * coupling < gap * gap { 2.0 * coupling / gap } else { 2.0 * coupling.sqrt() }
    });
    size(r[k][k]) + others.sum::<f64>()
}

/// [elsner]
fn elsner(b: &Matrix, delta: &Matrix) -> f64 {
    let (n, size) = (1.0 / b.n_rows() as f64, frobenius(b));
    let delta = frobenius(delta).max(f64::EPSILON * size);
    (2.0 * size + delta).powf(1.0 - n) * delta.powf(n)
}

fn frobenius(m: &Matrix) -> f64 {
    m.as_slice().iter().map(|x| x * x).sum::<f64>().sqrt()
}
