//! The order of elimination: the symbolic analysis of a symmetric matrix, before anything is computed.
//!
//! ```text
//! [greedy]    next = argmin over rows that may go of the operations that eliminating and using it takes;  ties: the last row
//! [degree]    the same of the entries left in the row, operations breaking ties
//! [fill]      M_ij becomes an entry where M_ki and M_kj are entries
//! [ready]     a row that must wait goes after all rows that it had entries with at the beginning
//! ```
//!
//! [degree] is scheme 2 of Tinney and Walker (1967), the minimum degree; [greedy] weighs operations by kinds of entries, because what depends on parameters
//! alone costs nothing. Both are local: where constraints are many, the cheaper of the two is taken.

use cardan_expr::{Expr, Pool};

/// What an entry costs when it is multiplied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entry {
    Zero,
    Constant,
    Variable,
}

impl Entry {
    pub fn of(pool: &Pool, e: Expr) -> Entry {
        match (pool.is_zero(e), pool.is_constant(e)) {
            (true, _) => Entry::Zero,
            (_, true) => Entry::Constant,
            _ => Entry::Variable,
        }
    }
}

/// The kinds of the entries of a symmetric matrix.
#[derive(Clone)]
pub(crate) struct Pattern(pub Vec<Vec<Entry>>);

/// What goes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    /// [greedy]
    Operations,
    /// [degree]
    Degree,
}

/// An order and what it takes.
pub(crate) struct Order {
    pub rows: Vec<usize>,
    /// Operations to eliminate and to use every row once.
    pub cost: usize,
}

impl Pattern {
    pub fn of(pool: &Pool, matrix: &[Vec<Expr>]) -> Pattern {
        Pattern(matrix.iter().map(|row| row.iter().map(|e| Entry::of(pool, *e)).collect()).collect())
    }

    /// The cheaper order of the two rules.
    pub fn cheapest_order(&self, waits: impl Fn(usize) -> bool) -> Order {
        let [a, b] = [Rule::Operations, Rule::Degree].map(|rule| self.order(rule, &waits));
        if b.cost < a.cost { b } else { a }
    }

    /// The order by a rule; `waits` says which rows must wait. [ready]
    pub fn order(&self, rule: Rule, waits: impl Fn(usize) -> bool) -> Order {
        let mut m = self.0.clone();
        let n = m.len();
        let mut left: Vec<usize> = (0..n).collect();
        // How many rows each still waits for.
        let neighbours = |k: usize| (0..n).filter(|i| *i != k && self.0[k][*i] != Entry::Zero).count();
        let mut waiting: Vec<usize> = (0..n).map(|k| if waits(k) { neighbours(k) } else { 0 }).collect();
        let mut order = Order { rows: vec![], cost: 0 };
        let mut weights: Vec<Weight> = left.iter().map(|k| weight(&m, &left, *k)).collect();
        let next = |left: &[usize], waiting: &[usize], weights: &[Weight]| {
            let ready = left.iter().copied().filter(|k| waiting[*k] == 0);
            ready.min_by_key(|k| {
                let Weight { degree, cost } = weights[*k];
                (if rule == Rule::Degree { degree } else { 0 }, cost, std::cmp::Reverse(*k))
            })
        };
        while let Some(k) = next(&left, &waiting, &weights) {
            left.retain(|i| *i != k);
            order.rows.push(k);
            order.cost += weights[k].cost;
            for i in left.iter().filter(|i| waits(**i) && self.0[k][**i] != Entry::Zero) {
                waiting[*i] -= 1;
            }
            let coupled: Vec<usize> = left.iter().copied().filter(|i| m[k][*i] != Entry::Zero).collect();
            for i in &coupled {
                for j in &coupled {
                    m[*i][*j] = if product(&m, k, *i, *j) == Entry::Constant && m[*i][*j] != Entry::Variable {
                        Entry::Constant
                    } else {
                        Entry::Variable
                    };
                }
            }
            // Other rows cost what they did: neither they nor the entries between their neighbours have changed.
            for r in &left {
                if coupled.iter().any(|i| i == r || m[*r][*i] != Entry::Zero) {
                    weights[*r] = weight(&m, &left, *r);
                }
            }
        }
        order
    }
}

/// The kind of l_i M_kj.
fn product(m: &[Vec<Entry>], k: usize, i: usize, j: usize) -> Entry {
    if [m[k][k], m[k][i], m[k][j]].contains(&Entry::Variable) { Entry::Variable } else { Entry::Constant }
}

/// What speaks against a row.
#[derive(Clone, Copy)]
struct Weight {
    /// Entries left in it.
    degree: usize,
    /// Operations to eliminate it and, later, to use it: once forwards and once backwards.
    cost: usize,
}

fn weight(m: &[Vec<Entry>], left: &[usize], k: usize) -> Weight {
    let coupled: Vec<usize> = left.iter().copied().filter(|i| *i != k && m[k][*i] != Entry::Zero).collect();
    let mut total = 4 * coupled.len();
    for (a, i) in coupled.iter().enumerate() {
        total += usize::from(product(m, k, *i, *i) == Entry::Variable);
        for j in &coupled[..=a] {
            let update = product(m, k, *i, *j);
            let adds = update == Entry::Variable || m[*i][*j] == Entry::Variable;
            total += usize::from(update == Entry::Variable) + usize::from(adds && m[*i][*j] != Entry::Zero);
        }
    }
    Weight { degree: coupled.len(), cost: total }
}
