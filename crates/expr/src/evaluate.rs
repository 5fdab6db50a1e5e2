//! Numeric values of expressions, for tests and for constants; programs compute faster.

use cardan_base::Map;

use crate::{Expr, Function, Node, Pool, SymbolId};

impl Pool {
    /// The value of an expression, given the values of its symbols. Intermediates are computed; pi is known.
    /// Tables are not known here and give NaN.
    pub fn evaluate(&self, e: Expr, value: &dyn Fn(SymbolId) -> f64) -> f64 {
        match self.as_number(e) {
            Some(number) => number.to_f64(),
            None => self.evaluate_all(&[e], value)[0],
        }
    }

    /// The values of several expressions, their common parts computed once.
    pub fn evaluate_all(&self, roots: &[Expr], value: &dyn Fn(SymbolId) -> f64) -> Vec<f64> {
        let mut known: Map<Expr, f64> = Map::default();
        for e in self.reachable(roots.iter().copied()) {
            let at = |x: &Expr| known.get(x).copied().unwrap_or(f64::NAN);
            let v = match self.node(e) {
                Node::Number(r) => r.to_f64(),
                Node::Undefined => f64::NAN,
                Node::Symbol(s) => match self.definition(e) {
                    Some(definition) => at(&definition),
                    None if e == self.pi() => std::f64::consts::PI,
                    None => value(s),
                },
                Node::Sum(terms) => terms.iter().map(|(c, m)| c.to_f64() * at(m)).sum(),
                Node::Product(c, factors) => factors.iter().fold(c.to_f64(), |v, (b, n)| {
                    v * match n.to_int().and_then(|n| i32::try_from(n).ok()) {
                        Some(n) => at(b).powi(n),
                        None => at(b).powf(n.to_f64()),
                    }
                }),
                Node::Call(f, arguments) => apply(f, &arguments.iter().map(at).collect::<Vec<_>>()),
            };
            known.insert(e, v);
        }
        roots.iter().map(|e| known[e]).collect()
    }
}

/// The value of a function; NaN for a table.
pub fn apply(function: Function, a: &[f64]) -> f64 {
    let truth = |b: bool| f64::from(u8::from(b));
    match (function, a) {
        (Function::Sin, [x]) => x.sin(),
        (Function::Cos, [x]) => x.cos(),
        (Function::Tan, [x]) => x.tan(),
        (Function::Asin, [x]) => x.asin(),
        (Function::Acos, [x]) => x.acos(),
        (Function::Atan, [x]) => x.atan(),
        (Function::Atan2, [y, x]) => y.atan2(*x),
        (Function::Sinh, [x]) => x.sinh(),
        (Function::Cosh, [x]) => x.cosh(),
        (Function::Tanh, [x]) => x.tanh(),
        (Function::Exp, [x]) => x.exp(),
        (Function::Ln, [x]) => x.ln(),
        (Function::Pow, [x, y]) => x.powf(*y),
        (Function::Abs, [x]) => x.abs(),
        (Function::Sign, [x]) if *x == 0.0 => 0.0,
        (Function::Sign, [x]) => x.signum(),
        (Function::Min, [x, y]) => x.min(*y),
        (Function::Max, [x, y]) => x.max(*y),
        (Function::Floor, [x]) => x.floor(),
        (Function::Less, [x, y]) => truth(x < y),
        (Function::LessEqual, [x, y]) => truth(x <= y),
        (Function::Equal, [x, y]) => truth(x == y),
        (Function::And, [x, y]) => truth(*x != 0.0 && *y != 0.0),
        (Function::Or, [x, y]) => truth(*x != 0.0 || *y != 0.0),
        (Function::Not, [x]) => truth(*x == 0.0),
        (Function::Select, [c, x, y]) => {
            if *c != 0.0 {
                *x
            } else {
                *y
            }
        }
        (Function::Solve(n, k), a) => {
            solve_symmetric(usize::from(n), a).get(usize::from(k)).copied().unwrap_or(f64::NAN)
        }
        _ => f64::NAN,
    }
}

/// The unknowns of a symmetric system given by its lower triangle and right-hand side, by elimination with pivots from
/// anywhere; empty if the matrix is singular.
fn solve_symmetric(n: usize, arguments: &[f64]) -> Vec<f64> {
    let triangle = n * (n + 1) / 2;
    let mut m: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let entry = |j: usize| {
                if i >= j { arguments[i * (i + 1) / 2 + j] } else { arguments[j * (j + 1) / 2 + i] }
            };
            (0..n).map(entry).chain([arguments[triangle + i]]).collect()
        })
        .collect();
    let mut order: Vec<usize> = (0..n).collect();
    for k in 0..n {
        let positions = (k..n).flat_map(|i| (k..n).map(move |j| (i, j)));
        let Some((i, j)) = positions.max_by(|a, b| m[a.0][a.1].abs().total_cmp(&m[b.0][b.1].abs())) else {
            break;
        };
        if m[i][j] == 0.0 {
            return vec![];
        }
        m.swap(k, i);
        order.swap(k, j);
        m.iter_mut().for_each(|row| row.swap(k, j));
        for r in k + 1..n {
            let factor = m[r][k] / m[k][k];
            (k..=n).for_each(|c| m[r][c] -= factor * m[k][c]);
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| m[k][j] * x[order[j]]).sum();
        x[order[k]] = (m[k][n] - known) / m[k][k];
    }
    x
}
