//! Small quantities.
//!
//! A symbol may be declared small of some order. A product's order is the sum of its factors' orders,
//! a sum's is its largest term's (the lowest order). Two places act on it (Sayers, p. 1157 ff.):
//!
//! ```text
//! [negligible]   a sum drops terms whose order exceeds the lowest by the threshold (2 unless set)
//! [series]       f(x) of a small x becomes its Taylor series, to the same relative order
//! ```
//!
//! Both look at one operation only: (1 + ε) (1 + 2ε) keeps its hidden ε². [`Pool::truncate`] looks through products
//! and intermediates:
//!
//! ```text
//! [truncate]     a sum loses its terms of the given order and beyond; a factor of a product of lowest order o keeps
//!                as much slack, order - o, as the product has
//! [polynomial]   Σ ∂ⁿe/∂xⁿ at x = 0 · xⁿ/n!   over the small symbols x: what a sum of large terms that cancel holds as well
//! ```

use cardan_base::Map;
use smallvec::smallvec;

use crate::canonical::sum::Terms;
use crate::pool::Inner;
use crate::{Derivation, Expr, Function, Node, Pool, Rational, SymbolId};

impl Inner {
    /// [negligible]
    pub(crate) fn drop_negligible(&self, terms: &mut Terms) {
        let order = |e: &Expr| self.meta(*e).small;
        let Some(lowest) = terms.iter().map(|(_, e)| order(e)).min() else {
            return;
        };
        terms.retain(|(_, e)| order(e) < lowest + self.threshold);
    }

    /// [series] The Taylor series of `function` at 0, if the argument is small.
    pub(crate) fn series(&mut self, function: Function, x: Expr) -> Option<Expr> {
        let order = self.meta(x).small;
        if order <= 0 {
            return None;
        }
        // Order of the result's leading term: 0 for even functions, that of x for odd ones.
        let (first, lowest) = match function {
            Function::Cos | Function::Cosh | Function::Exp => (0, 0),
            Function::Sin
            | Function::Tan
            | Function::Asin
            | Function::Atan
            | Function::Sinh
            | Function::Tanh => (1, order),
            _ => return None,
        };
        let mut terms = Terms::new();
        let mut n = first;
        while i64::from(order) * n < i64::from(lowest + self.threshold) {
            let coefficient = taylor_coefficient(function, n)?;
            if !coefficient.is_zero() {
                let power = self.product(Rational::ONE, smallvec![(x, Rational::int(n))]);
                terms.push((coefficient, power));
            }
            n += 1;
        }
        Some(self.sum(terms))
    }
}

impl Pool {
    /// The expression without its parts of order `below` and beyond. `known` remembers what was done. [truncate]
    pub fn truncate(&self, e: Expr, below: i32, known: &mut Map<(Expr, i32), Expr>) -> Expr {
        let lowest = self.small_order(e);
        if lowest >= below {
            return self.zero();
        }
        if let Some(&done) = known.get(&(e, below)) {
            return done;
        }
        let result = match self.node(e) {
            Node::Number(_) | Node::Undefined => e,
            Node::Symbol(_) => match self.definition(e) {
                Some(definition) => {
                    let shorter = self.truncate(definition, below, known);
                    if shorter == definition { e } else { self.define(shorter) }
                }
                None => e,
            },
            Node::Sum(terms) => {
                let kept: Vec<Expr> = terms
                    .iter()
                    .map(|(c, m)| self.scale(c.clone(), self.truncate(*m, below, known)))
                    .collect();
                self.sum(kept)
            }
            Node::Product(c, factors) => {
                let slack = below - lowest;
                let kept: Vec<Expr> = factors
                    .iter()
                    .map(|(base, n)| {
                        let shorter = self.truncate(*base, self.small_order(*base) + slack, known);
                        self.pow(shorter, n.clone())
                    })
                    .collect();
                self.scale(c, self.product(kept))
            }
            Node::Call(f @ (Function::Sin | Function::Cos | Function::Select), arguments) => {
                let kept: Vec<Expr> =
                    arguments.iter().map(|a| self.truncate(*a, below.max(1), known)).collect();
                self.call(f, &kept)
            }
            Node::Call(..) => e,
        };
        known.insert((e, below), result);
        result
    }
}

impl Pool {
    /// The expression as a polynomial of its small symbols without the orders `below` and beyond; nothing where it has none,
    /// because it is not finite where they vanish. [polynomial]
    pub fn small_polynomial(&self, e: Expr, below: i32) -> Option<Expr> {
        let is_small = |part: &Expr| self.definition(*part).is_none() && self.small_order(*part) > 0;
        let symbols =
            self.reachable([e]).into_iter().filter(is_small).filter_map(|part| self.as_symbol(part));
        let symbols: Vec<SymbolId> = symbols.collect();
        self.expanded(e, below, &symbols)
    }

    fn expanded(&self, e: Expr, below: i32, symbols: &[SymbolId]) -> Option<Expr> {
        if self.is_undefined(e) {
            return None;
        }
        let Some((first, rest)) = symbols.split_first() else { return Some(e) };
        if !self.contains(e, *first) {
            return self.expanded(e, below, rest);
        }
        let symbol = self.symbol_expr(*first);
        let at_zero = [(*first, self.zero())].into_iter().collect();
        let mut slope = Derivation::partial(self, symbol);
        let (mut derivative, mut terms) = (e, vec![]);
        let mut factor = self.one();
        for n in 0.. {
            let order = n * self.small_order(symbol);
            if order >= below || self.is_zero(derivative) {
                break;
            }
            let coefficient = self.substitute(derivative, &at_zero, &mut Map::default());
            let coefficient = self.expanded(coefficient, below - order, rest)?;
            terms.push(self.mul(factor, coefficient));
            derivative = slope.apply(self, derivative);
            factor = self.div(self.mul(factor, symbol), self.int(i64::from(n) + 1));
        }
        Some(self.sum(terms))
    }
}

/// The coefficient of x^n in the Taylor series at 0; nothing beyond order 12.
fn taylor_coefficient(function: Function, n: i64) -> Option<Rational> {
    let n_half = n / 2;
    let alternating = if n_half % 2 == 0 { 1 } else { -1 };
    let inverse_factorial = |sign: i64| Rational::new(sign, (1..=n).product::<i64>());
    let odd = n % 2 == 1;
    match function {
        _ if n > 12 => None,
        Function::Sin if odd => inverse_factorial(alternating),
        Function::Sinh if odd => inverse_factorial(1),
        Function::Cos if !odd => inverse_factorial(alternating),
        Function::Cosh if !odd => inverse_factorial(1),
        Function::Exp => inverse_factorial(1),
        Function::Atan if odd => Rational::new(alternating, n),
        Function::Asin if odd => [(1, 1), (1, 6), (3, 40), (5, 112), (35, 1152), (63, 2816)]
            .get(n_half as usize)
            .and_then(|(a, b)| Rational::new(*a, *b)),
        Function::Tan | Function::Tanh if odd => {
            let (a, b) =
                *[(1, 1), (1, 3), (2, 15), (17, 315), (62, 2835), (1382, 155_925)].get(n_half as usize)?;
            Rational::new(if function == Function::Tan { a } else { a * alternating }, b)
        }
        _ => Some(Rational::ZERO),
    }
}
