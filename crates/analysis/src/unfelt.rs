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

use crate::linearize::{Linearization, part, product};
use crate::study::{Named, StateKind};

/// Linear equations whose axes are turned so that what nothing feels has axes of its own.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Turned {
    /// T⁻¹ A T.
    pub a: Matrix,
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
    let felt = linear.felt();
    let is_coordinate = |k: &usize| linear.independent[*k].kind == StateKind::Coordinate;
    let (q, rest): (Vec<usize>, Vec<usize>) = felt.iter().copied().partition(is_coordinate);
    let kernel = kernel(observed(&part(&linear.a, &rest, &q), &part(&linear.a, &q, &q)));
    let with: Vec<_> = kernel.iter().flat_map(|(f, p)| p.iter().map(|(p, n)| (q[*p], q[*f], *n))).collect();
    let mut unfelt: Vec<usize> = kernel.iter().map(|(f, _)| q[*f]).chain(linear.ignorable.clone()).collect();
    unfelt.sort_unstable();
    let mut a = linear.a.clone();
    for (p, f, n) in &with {
        for i in 0..a.n_rows() {
            a[(i, *f)] += n * a[(i, *p)];
        }
    }
    for (p, f, n) in &with {
        for j in 0..a.n_cols() {
            a[(*p, j)] -= n * a[(*f, j)];
        }
    }
    let felt = (0..linear.independent.len()).filter(|k| !unfelt.contains(k)).collect();
    Turned { a, felt, unfelt, with }
}

fn largest(list: impl IntoIterator<Item = f64>) -> f64 {
    list.into_iter().fold(0.0, |m, x| x.abs().max(m))
}

/// Numbers below this part of what they are a difference of are rounding. A stiffness so small has a frequency of a millionth of the largest.
const ROUNDING: f64 = 1e-12;

/// The rows of R, R Q, R Q², …, each scaled to one, without those that vanish. [observed]
fn observed(r: &Matrix, q: &Matrix) -> Vec<Vec<f64>> {
    let (n, scale) = (q.n_cols(), largest(q.as_slice().iter().chain(r.as_slice()).copied()));
    let mut rows = vec![];
    let mut next = r.clone();
    for _ in 0..n {
        let mut alive = false;
        for i in 0..next.n_rows() {
            let row: Vec<f64> = (0..n).map(|j| next[(i, j)]).collect();
            let size = largest(row.iter().copied());
            let vanishes = size <= ROUNDING * scale;
            (0..n).for_each(|j| next[(i, j)] = if vanishes { 0.0 } else { row[j] / size });
            if !vanishes {
                alive = true;
                rows.push(row.into_iter().map(|x| x / size).collect());
            }
        }
        if !alive {
            break;
        }
        next = product(&next, q);
    }
    rows
}

/// What rows of one length leave free, by elimination with complete pivoting: each free column, and the others that follow it with their factors.
fn kernel(mut rows: Vec<Vec<f64>>) -> Vec<(usize, Vec<(usize, f64)>)> {
    let Some(n) = rows.first().map(Vec::len) else { return vec![] };
    let mut pivots: Vec<usize> = vec![];
    for k in 0..n.min(rows.len()) {
        let places = (k..rows.len()).flat_map(|i| (0..n).map(move |j| (i, j)));
        let open = places.filter(|(_, j)| !pivots.contains(j));
        let best = open.max_by(|a, b| rows[a.0][a.1].abs().total_cmp(&rows[b.0][b.1].abs()));
        let Some((i, j)) = best.filter(|(i, j)| rows[*i][*j].abs() > ROUNDING * n as f64) else { break };
        rows.swap(i, k);
        let pivot: Vec<f64> = rows[k].iter().map(|x| x / rows[k][j]).collect();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = row[j];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
        }
        rows[k] = pivot;
        pivots.push(j);
    }
    let free = (0..n).filter(|j| !pivots.contains(j));
    free.map(|f| (f, pivots.iter().enumerate().map(|(k, p)| (*p, -rows[k][f])).collect())).collect()
}
