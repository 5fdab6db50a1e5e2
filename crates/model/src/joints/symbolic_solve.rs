//! Linear systems in the algebra: small ones, whose solution must be finite wherever the matrix is regular.
//!
//! Elimination divides by entries that may vanish while the determinant does not: a rotation by 90° has cos = 0 and is as regular as any
//! other. So a system is taken apart until what is left is divided by its determinant alone:
//!
//! ```text
//! [order]     equations that do not wait for one another, then those that wait for them: blocks in the order of the strong components
//! [number]    in a block, unknowns whose factor is a number are eliminated: a number does not vanish
//! [common]    factors that a row or a column has in common are taken out
//! [cramer]    x_j = Σ_i (-1)^(i+j) M_ij b_i / det A,   M_ij the minor without row i and column j,  in blocks of at most six unknowns
//! ```
//!
//! A larger block without numbers is eliminated by the entry whose constant part does not vanish and that is cheapest.
//! Duff, Erisman & Reid, Direct Methods for Sparse Matrices (2nd ed.), 6.2 to 6.6, for the order of blocks.

use cardan_base::Map;
use cardan_expr::{Expr, Pool};

/// Minors grow as 2^n.
const MOST_BY_MINORS: usize = 6;

/// Solves `A x = b` for all columns of b. Nothing if the matrix is singular as written.
pub fn solve_linear(pool: &Pool, a: Vec<Vec<Expr>>, b: Vec<Vec<Expr>>) -> Option<Vec<Vec<Expr>>> {
    let width = b.first().map_or(0, Vec::len);
    let mut x = vec![vec![pool.zero(); width]; a.len()];
    let mut known: Vec<usize> = vec![];
    for Block { rows, columns } in blocks(pool, &a)? {
        let within = rows.iter().map(|i| columns.iter().map(|j| a[*i][*j]).collect()).collect();
        let right = |i: usize, c: usize| {
            let found = pool.sum(known.iter().map(|j| pool.mul(a[i][*j], x[*j][c])));
            pool.sub(b[i][c], found)
        };
        let right = rows.iter().map(|i| (0..width).map(|c| right(*i, c)).collect()).collect();
        let solved = solve_block(pool, within, right)?;
        columns.iter().zip(solved).for_each(|(j, row)| x[*j] = row);
        known.extend(columns);
    }
    Some(x)
}

/// Equations and as many unknowns, which follow from them and from what was found before.
struct Block {
    rows: Vec<usize>,
    columns: Vec<usize>,
}

/// The order in which blocks can be solved; nothing if some equations have too few unknowns. [order]
fn blocks(pool: &Pool, a: &[Vec<Expr>]) -> Option<Vec<Block>> {
    let unknowns: Vec<Vec<usize>> =
        a.iter().map(|row| (0..a.len()).filter(|j| !pool.is_zero(row[*j])).collect()).collect();
    // Each equation is made responsible for one of its unknowns.
    let mut row_of: Vec<Option<usize>> = vec![None; a.len()];
    for row in 0..a.len() {
        if !assign(row, &unknowns, &mut row_of, &mut vec![false; a.len()]) {
            return None;
        }
    }
    let mut column_of = vec![0; a.len()];
    row_of.iter().enumerate().for_each(|(j, row)| row.iter().for_each(|i| column_of[*i] = j));
    // An equation waits for those that are responsible for its other unknowns.
    let waits: Vec<Vec<usize>> =
        unknowns.iter().map(|list| list.iter().filter_map(|j| row_of[*j]).collect()).collect();
    let components = Components::of(&waits);
    let block = |rows: Vec<usize>| Block { columns: rows.iter().map(|i| column_of[*i]).collect(), rows };
    Some(components.into_iter().map(block).collect())
}

/// Gives a row an unknown, if need be by giving other rows other ones.
fn assign(row: usize, unknowns: &[Vec<usize>], row_of: &mut [Option<usize>], looked_at: &mut [bool]) -> bool {
    for &j in &unknowns[row] {
        if std::mem::replace(&mut looked_at[j], true) {
            continue;
        }
        if row_of[j].is_none_or(|other| assign(other, unknowns, row_of, looked_at)) {
            row_of[j] = Some(row);
            return true;
        }
    }
    false
}

/// Strong components of a graph, those that are waited for first: Tarjan's algorithm.
struct Components<'g> {
    waits: &'g [Vec<usize>],
    /// When each was met, from 1; the earliest that each leads back to.
    met: Vec<usize>,
    earliest: Vec<usize>,
    stack: Vec<usize>,
    found: Vec<Vec<usize>>,
}

impl Components<'_> {
    fn of(waits: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let n = waits.len();
        let mut all = Components {
            waits,
            met: vec![0; n],
            earliest: vec![usize::MAX; n],
            stack: vec![],
            found: vec![],
        };
        let mut clock = 0;
        for node in 0..n {
            if all.met[node] == 0 {
                all.visit(node, &mut clock);
            }
        }
        all.found
    }

    fn visit(&mut self, node: usize, clock: &mut usize) {
        *clock += 1;
        (self.met[node], self.earliest[node]) = (*clock, *clock);
        self.stack.push(node);
        for &next in &self.waits[node] {
            if self.met[next] == 0 {
                self.visit(next, clock);
                self.earliest[node] = self.earliest[node].min(self.earliest[next]);
            } else if self.stack.contains(&next) {
                self.earliest[node] = self.earliest[node].min(self.met[next]);
            }
        }
        if self.earliest[node] == self.met[node] {
            let from = self.stack.iter().rposition(|n| *n == node).unwrap_or(0);
            let mut component = self.stack.split_off(from);
            component.sort_unstable();
            self.found.push(component);
        }
    }
}

/// A block that cannot be taken apart by its zeros.
fn solve_block(pool: &Pool, a: Vec<Vec<Expr>>, b: Vec<Vec<Expr>>) -> Option<Vec<Vec<Expr>>> {
    let n = a.len();
    if n == 1 {
        return Some(vec![b[0].iter().map(|b| pool.div(*b, a[0][0])).collect()]);
    }
    let entries =
        || (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| !pool.is_zero(a[*i][*j]));
    let filled = |i: usize, j: usize| {
        let row = a[i].iter().filter(|e| !pool.is_zero(**e)).count();
        let column = a.iter().filter(|row| !pool.is_zero(row[j])).count();
        (row - 1) * (column - 1)
    };
    let number = entries().filter(|(i, j)| pool.as_number(a[*i][*j]).is_some());
    if let Some((i, j)) = number.min_by_key(|(i, j)| (filled(*i, *j), *i, *j)) {
        return eliminate(pool, a, b, i, j); // [number]
    }
    if n <= MOST_BY_MINORS {
        return cramer(pool, a, b);
    }
    let (i, j) = entries().min_by_key(|(i, j)| {
        let e = a[*i][*j];
        (pool.is_zero(pool.constant_part(e)), pool.cost(e), *i, *j)
    })?;
    eliminate(pool, a, b, i, j)
}

/// Solves row i for unknown j, which the other rows then do without.
fn eliminate(
    pool: &Pool,
    mut a: Vec<Vec<Expr>>,
    mut b: Vec<Vec<Expr>>,
    i: usize,
    j: usize,
) -> Option<Vec<Vec<Expr>>> {
    let (mut row, right) = (a.remove(i), b.remove(i));
    let pivot = row.remove(j);
    for (others, right_of) in a.iter_mut().zip(&mut b) {
        let entry = others.remove(j);
        if pool.is_zero(entry) {
            continue;
        }
        let factor = pool.div(entry, pivot);
        let take = |x: &mut Expr, y: &Expr| *x = pool.sub(*x, pool.mul(factor, *y));
        others.iter_mut().zip(&row).for_each(|(x, y)| take(x, y));
        right_of.iter_mut().zip(&right).for_each(|(x, y)| take(x, y));
    }
    let mut x = solve_linear(pool, a, b)?;
    let found = |(c, right): (usize, &Expr)| {
        let others = pool.sum(row.iter().zip(&x).map(|(a, x)| pool.mul(*a, x[c])));
        pool.div(pool.sub(*right, others), pivot)
    };
    let found = right.iter().enumerate().map(found).collect();
    x.insert(j, found);
    Some(x)
}

/// By minors. [common], [cramer]
fn cramer(pool: &Pool, mut a: Vec<Vec<Expr>>, mut b: Vec<Vec<Expr>>) -> Option<Vec<Vec<Expr>>> {
    let n = a.len();
    for (row, right) in a.iter_mut().zip(&mut b) {
        let common = common_factor(pool, row.iter().copied());
        row.iter_mut().chain(right).for_each(|e| *e = pool.div(*e, common));
    }
    let common: Vec<Expr> = (0..n).map(|j| common_factor(pool, a.iter().map(|row| row[j]))).collect();
    for row in &mut a {
        row.iter_mut().zip(&common).for_each(|(e, common)| *e = pool.div(*e, *common));
    }
    let mut minors = Minors { pool, a: &a, known: Map::default() };
    let all = (1u32 << n) - 1;
    let det = minors.of(all, all);
    if pool.is_zero(det) {
        return None;
    }
    let width = b.first().map_or(0, Vec::len);
    let mut x = vec![];
    for j in 0..n {
        let cofactors: Vec<Expr> = (0..n)
            .map(|i| {
                let minor = minors.of(all & !(1 << i), all & !(1 << j));
                if (i + j) % 2 == 0 { minor } else { pool.neg(minor) }
            })
            .collect();
        let numerator = |c: usize| pool.sum((0..n).map(|i| pool.mul(cofactors[i], b[i][c])));
        x.push((0..width).map(|c| pool.div(pool.div(numerator(c), det), common[j])).collect());
    }
    Some(x)
}

/// What all expressions but zeros have in common as a factor; one for none.
fn common_factor(pool: &Pool, of: impl Iterator<Item = Expr>) -> Expr {
    of.filter(|e| !pool.is_zero(*e)).reduce(|a, b| pool.gcf(a, b)).unwrap_or_else(|| pool.one())
}

/// Determinants of some rows and as many columns, given as bits, each found once.
struct Minors<'m> {
    pool: &'m Pool,
    a: &'m [Vec<Expr>],
    known: Map<(u32, u32), Expr>,
}

impl Minors<'_> {
    /// Expanded by the first of the rows.
    fn of(&mut self, rows: u32, columns: u32) -> Expr {
        if rows == 0 {
            return self.pool.one();
        }
        if let Some(known) = self.known.get(&(rows, columns)) {
            return *known;
        }
        let i = rows.trailing_zeros() as usize;
        let mut terms = vec![];
        let chosen = (0..self.a.len()).filter(|j| columns & (1 << j) != 0);
        for (place, j) in chosen.enumerate().filter(|(_, j)| !self.pool.is_zero(self.a[i][*j])) {
            let minor = self.of(rows & (rows - 1), columns & !(1 << j));
            let term = self.pool.mul(self.a[i][j], minor);
            terms.push(if place % 2 == 0 { term } else { self.pool.neg(term) });
        }
        let minor = self.pool.sum(terms);
        self.known.insert((rows, columns), minor);
        minor
    }
}

#[cfg(test)]
mod tests {
    use crate::symbolic_solve::*;
    use cardan_expr::Kind;

    fn product(pool: &Pool, a: &[Vec<Expr>], x: &[Vec<Expr>]) -> Vec<Vec<Expr>> {
        let entry = |row: &[Expr], c: usize| pool.sum(row.iter().zip(x).map(|(a, x)| pool.mul(*a, x[c])));
        a.iter().map(|row| (0..x[0].len()).map(|c| entry(row, c)).collect()).collect()
    }

    fn identity(pool: &Pool, n: usize) -> Vec<Vec<Expr>> {
        let entry = |i: usize, j: usize| if i == j { pool.one() } else { pool.zero() };
        (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
    }

    /// The inverse of a rotation is its transpose, without a quotient.
    #[test]
    fn a_rotation_is_inverted_without_quotients() {
        let pool = Pool::new();
        let q = pool.symbol("q", Kind::Coordinate);
        let (c, s) = (pool.cos(q), pool.sin(q));
        let a = vec![vec![c, s], vec![pool.neg(s), c]];
        let x = solve_linear(&pool, a, identity(&pool, 2)).unwrap();
        assert_eq!(x, [vec![c, pool.neg(s)], vec![s, c]]);
    }

    /// A matrix of symbols with zeros: times its inverse it is one, whichever entries vanish.
    #[test]
    fn whatever_entries_vanish_the_product_with_the_inverse_is_one() {
        let mut random = 7u64;
        let mut next = |n: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % n
        };
        let mut regular = 0;
        for n in [1, 2, 3, 4, 5, 8] {
            for _ in 0..12 {
                let pool = Pool::new();
                let mut entry = |i: usize, j: usize| match next(4) {
                    0 if i != j => pool.zero(),
                    1 => pool.int(1 + next(3) as i64),
                    _ if next(2) == 0 || i == j => pool.symbol(format!("a{i}{j}"), Kind::Parameter),
                    _ => pool.zero(),
                };
                let a: Vec<Vec<Expr>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
                let Some(x) = solve_linear(&pool, a.clone(), identity(&pool, n)) else { continue };
                assert_eq!(product(&pool, &a, &x), identity(&pool, n), "{n}");
                regular += 1;
            }
        }
        assert!(regular > 50, "{regular}");
    }

    #[test]
    fn a_matrix_without_inverse_has_none() {
        let pool = Pool::new();
        let [x, y] = ["x", "y"].map(|n| pool.symbol(n, Kind::Parameter));
        let (zero, twice) = (pool.zero(), |e: Expr| pool.add(e, e));
        for a in [vec![vec![x, y], vec![twice(x), twice(y)]], vec![vec![x, zero], vec![y, zero]]] {
            assert!(solve_linear(&pool, a, identity(&pool, 2)).is_none());
        }
    }
}
