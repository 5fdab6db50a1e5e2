//! Departures that nothing feels, in whatever coordinates they are written.
//!
//! ```text
//! [unfelt]      S = { s : A s in S, s among the coordinates },  the largest such space
//! [observed]    s in S  where  R s = R Q s = R Q² s = … = 0       R: other states by coordinates, Q: coordinates by coordinates
//! [turned]      x = T x',  T = 1 + N:  x_p = x'_p + N x'_f,  x_f = x'_f        the axes of f span S
//! ```
//!
//! A mechanism that may float as a whole has one motion of frequency zero, which is a double eigenvalue: the position in which it stands and the
//! speed with which it goes on. An ignorable coordinate leaves the first of them out where the position is a coordinate of its own; here it
//! is left out where several coordinates make it up, such as the two places of two masses on one spring. The number of modes then
//! does not depend on how the system is described.

use cardan_solve::Matrix;

use crate::linear::linearize::{Independent, Linearization, part};
use crate::numeric_model::{Named, StateKind};

/// Linear equations whose axes are turned so that what nothing feels has axes of its own.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Turned {
    /// T⁻¹ A T.
    pub a: Matrix,
    /// The uncertainty of its entries.
    pub uncertainty: Matrix,
    /// The places of what is felt.
    pub felt: Vec<usize>,
    /// The places of what nothing feels.
    pub unfelt: Vec<usize>,
    /// N: what a departure along the second axis moves with it, as place, axis, factor. [turned]
    with: Vec<(usize, usize, f64)>,
}

impl Turned {
    /// The equations of what is felt.
    pub fn felt_part(&self) -> Matrix {
        part(&self.a, &self.felt, &self.felt)
    }
    /// A departure in the axes of the linearisation.
    pub fn back(&self, x: &mut [(f64, f64)]) {
        for (p, f, n) in &self.with {
            let (re, im) = x[*f];
            x[*p].0 += n * re;
            x[*p].1 += n * im;
        }
    }
    /// The coordinates that nothing feels while they move together, group by group; none that nothing feels alone.
    pub fn together(&self, linear: &Linearization) -> Vec<Vec<Named>> {
        let named = |k: usize| linear.independent[k].named.clone();
        let others = self.unfelt.iter().filter(|k| !linear.ignorable.contains(k));
        let group = |f: &usize| {
            let partners = self.with.iter().filter(|(_, axis, n)| axis == f && n.abs() > 1e-9);
            std::iter::once(*f).chain(partners.map(|(p, ..)| *p)).map(named).collect()
        };
        others.map(group).collect()
    }
}

/// Turns the axes of a linearisation.
pub(crate) fn turned(linear: &Linearization) -> Turned {
    turned_axes(&linear.independent, &linear.ignorable, (&linear.a, &linear.uncertainty))
}

/// Turns the axes of A, of which some are ignorable already.
pub(crate) fn turned_axes(
    independent: &[Independent],
    ignorable: &[usize],
    (a, uncertainty): (&Matrix, &Matrix),
) -> Turned {
    let felt: Vec<usize> = (0..independent.len()).filter(|k| !ignorable.contains(k)).collect();
    let is_coordinate = |k: &usize| independent[*k].kind == StateKind::Coordinate;
    let (q, rest): (Vec<usize>, Vec<usize>) = felt.iter().copied().partition(is_coordinate);
    let own = |rows: &[usize]| (part(a, rows, &q), part(uncertainty, rows, &q));
    let kernel = kernel(observed(own(&rest), own(&q)));
    let with: Vec<_> = kernel.iter().flat_map(|(f, p)| p.iter().map(|(p, n)| (q[*p], q[*f], *n))).collect();
    let mut unfelt: Vec<usize> = kernel.iter().map(|(f, _)| q[*f]).chain(ignorable.iter().copied()).collect();
    unfelt.sort_unstable();
    let (mut a, mut uncertainty) = (a.clone(), uncertainty.clone());
    let rounding = |x: f64, y: f64| 2.0 * f64::EPSILON * (x.abs() + y.abs());
    for (p, f, n) in &with {
        for i in 0..a.n_rows() {
            let (x, y) = (a[(i, *f)], n * a[(i, *p)]);
            uncertainty[(i, *f)] += n.abs() * uncertainty[(i, *p)] + rounding(x, y);
            a[(i, *f)] = x + y;
        }
    }
    for (p, f, n) in &with {
        for j in 0..a.n_cols() {
            let (x, y) = (a[(*p, j)], n * a[(*f, j)]);
            uncertainty[(*p, j)] += n.abs() * uncertainty[(*f, j)] + rounding(x, y);
            a[(*p, j)] = x - y;
        }
    }
    let felt = (0..independent.len()).filter(|k| !unfelt.contains(k)).collect();
    Turned { a, uncertainty, felt, unfelt, with }
}

/// A row of numbers and of their uncertainties, the largest number one.
type Row = Vec<(f64, f64)>;

/// The rows of R, R Q, R Q², …, each scaled to one, without those that are not told from zero.
/// [observed]
fn observed((r, r_error): (Matrix, Matrix), (q, q_error): (Matrix, Matrix)) -> Vec<Row> {
    let n = q.n_cols();
    let row = |i: usize| (0..n).map(|j| (r[(i, j)], r_error[(i, j)])).collect();
    let mut next: Vec<Row> = (0..r.n_rows()).map(row).collect();
    let mut rows = vec![];
    for _ in 0..n {
        next = next.into_iter().filter_map(normalised).collect();
        if next.is_empty() {
            break;
        }
        rows.extend(next.iter().cloned());
        let times_q = |row: &Row| -> Row {
            let entry = |j: usize| {
                row.iter().enumerate().fold((0.0, 0.0), |(sum, error), (k, (x, e))| {
                    let (q, q_e) = (q[(k, j)], q_error[(k, j)]);
                    let rounding = n as f64 * f64::EPSILON * (x * q).abs();
                    (sum + x * q, error + x.abs() * q_e + e * q.abs() + rounding)
                })
            };
            (0..n).map(entry).collect()
        };
        next = next.iter().map(times_q).collect();
    }
    rows
}

/// A row whose largest number is one; nothing where all are below their uncertainties.
fn normalised(row: Row) -> Option<Row> {
    let size = row.iter().filter(|(x, e)| x.abs() > *e).fold(0.0, |m: f64, (x, _)| x.abs().max(m));
    (size > 0.0).then(|| row.into_iter().map(|(x, e)| (x / size, e / size)).collect())
}

/// What rows of one length leave free, by elimination with complete pivoting: each free column, and
/// the others that follow it with their factors. A pivot is a number above its uncertainty, which
/// the elimination carries along.
fn kernel(mut rows: Vec<Row>) -> Vec<(usize, Vec<(usize, f64)>)> {
    let Some(n) = rows.first().map(Vec::len) else { return vec![] };
    let mut pivots: Vec<usize> = vec![];
    for k in 0..n.min(rows.len()) {
        let places = (k..rows.len()).flat_map(|i| (0..n).map(move |j| (i, j)));
        let open = places.filter(|(i, j)| !pivots.contains(j) && rows[*i][*j].0.abs() > rows[*i][*j].1);
        let Some((i, j)) = open.max_by(|a, b| rows[a.0][a.1].0.abs().total_cmp(&rows[b.0][b.1].0.abs()))
        else {
            break;
        };
        rows.swap(i, k);
        let divisor = rows[k][j].0;
        let pivot: Row = rows[k].iter().map(|(x, e)| (x / divisor, e / divisor.abs())).collect();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let (factor, factor_error) = row[j];
            for ((x, e), (p, p_e)) in row.iter_mut().zip(&pivot) {
                let product = factor * p;
                *e += factor.abs() * p_e
                    + factor_error * p.abs()
                    + 2.0 * f64::EPSILON * (x.abs() + product.abs());
                *x -= product;
            }
            row[j] = (0.0, 0.0);
        }
        rows[k] = pivot;
        pivots.push(j);
    }
    let free = (0..n).filter(|j| !pivots.contains(j));
    free.map(|f| (f, pivots.iter().enumerate().map(|(k, p)| (*p, -rows[k][f].0)).collect())).collect()
}
