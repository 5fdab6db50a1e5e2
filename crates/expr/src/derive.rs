//! Exact derivatives on the shared graph.
//!
//! A [`Derivation`] D is a linear map with D(xy) = D(x) y + x D(y), fixed by what it does to symbols.
//! With D(q) = q̇, D(u) = u̇, D(t) = 1 it is the time derivative; with D(x) = 1 and zero elsewhere
//! the partial derivative by x. An intermediate symbol is differentiated through its definition, and the
//! result is given a name again, so the graph never unfolds.

use cardan_base::{Id, Map};

use crate::{Depends, Expr, Function, Node, Pool, Rational, SymbolId};

/// A derivation of a pool, and what it has already been applied to.
#[derive(Clone, Debug, Default)]
pub struct Derivation {
    rates: Map<SymbolId, Expr>,
    /// What it has been applied to, within reach.
    known: Map<Expr, Expr>,
    /// What may have a derivative that is not zero; nothing if that is not known yet.
    reach: Option<Reach>,
}

/// Which expressions a derivation may not send to zero.
#[derive(Clone, Copy, Debug)]
enum Reach {
    All,
    /// Those that depend on some of these.
    On(Depends),
}

impl Reach {
    fn covers(self, depends: Depends) -> bool {
        match self {
            Reach::All => true,
            Reach::On(kinds) => depends.intersects(kinds),
        }
    }
}

impl Derivation {
    /// The derivation that sends every symbol to zero.
    pub fn new() -> Self {
        Self::default()
    }
    /// The partial derivative with respect to a symbol; zero map if `x` is not a symbol.
    pub fn partial(pool: &Pool, x: Expr) -> Self {
        let mut d = Self::new();
        if let Some(s) = pool.as_symbol(x) {
            d.set(s, pool.one());
        }
        d
    }
    /// Fixes the derivative of a symbol.
    pub fn set(&mut self, symbol: SymbolId, rate: Expr) {
        self.rates.insert(symbol, rate);
        self.known.clear();
        self.reach = None;
    }
    /// The derivative of a symbol, if it was set.
    pub fn rate(&self, symbol: SymbolId) -> Option<Expr> {
        self.rates.get(&symbol).copied()
    }

    /// The derivative of an expression.
    pub fn apply(&mut self, pool: &Pool, e: Expr) -> Expr {
        if let Some(&d) = self.known.get(&e) {
            return d;
        }
        let reach = *self.reach.get_or_insert_with(|| {
            let symbols = self.rates.keys().map(|s| pool.depends(pool.symbol_expr(*s)));
            symbols.fold(Reach::On(Depends::NOTHING), |reach, depends| match reach {
                // A symbol that depends on nothing may be part of anything.
                Reach::On(kinds) if depends != Depends::NOTHING => Reach::On(kinds | depends),
                _ => Reach::All,
            })
        });
        for part in self.unknown_parts(pool, e, reach) {
            let d = self.derive_node(pool, part);
            self.known.insert(part, d);
        }
        self.known.get(&e).copied().unwrap_or(pool.zero())
    }

    /// What `e` is made of within `reach` and was not differentiated yet, parts first.
    fn unknown_parts(&self, pool: &Pool, e: Expr, reach: Reach) -> Vec<Expr> {
        pool.with(|p| {
            let mut found = vec![];
            let mut seen = cardan_base::Set::default();
            let mut stack = vec![e];
            while let Some(e) = stack.pop() {
                let is_within = reach.covers(p.meta(e).depends) || *p.node(e) == Node::Undefined;
                if !is_within || self.known.contains_key(&e) || !seen.insert(e) {
                    continue;
                }
                found.push(e);
                match p.node(e) {
                    Node::Number(_) | Node::Undefined => {}
                    Node::Symbol(s) if self.rates.contains_key(s) => {}
                    Node::Symbol(s) => stack.extend(p.symbol_of(*s).definition),
                    Node::Product(_, factors) => stack.extend(factors.iter().map(|(base, _)| *base)),
                    Node::Sum(terms) => stack.extend(terms.iter().map(|(_, monomial)| *monomial)),
                    Node::Call(_, arguments) => stack.extend(arguments.iter()),
                }
            }
            found.sort_unstable_by_key(|e| e.index());
            found
        })
    }

    fn derive_node(&self, pool: &Pool, e: Expr) -> Expr {
        let zero = pool.zero();
        let d = |x: Expr| self.known.get(&x).copied().unwrap_or(zero);
        match pool.node(e) {
            Node::Number(_) => zero,
            Node::Undefined => e,
            Node::Symbol(s) => match (self.rates.get(&s), pool.definition(e)) {
                (Some(rate), _) => *rate,
                (None, Some(definition)) => pool.define(d(definition)),
                (None, None) => zero,
            },
            Node::Sum(terms) => {
                // Most terms of most sums do not depend on most symbols.
                let changing = terms.iter().map(|(c, m)| (c, d(*m))).filter(|(_, rate)| *rate != zero);
                let terms: Vec<Expr> = changing.map(|(c, rate)| pool.scale(c.clone(), rate)).collect();
                if terms.is_empty() { zero } else { pool.sum(terms) }
            }
            Node::Product(c, factors) => {
                let mut terms = vec![];
                for (k, (base, exponent)) in factors.iter().enumerate() {
                    if pool.is_zero(d(*base)) {
                        continue;
                    }
                    let power = |b: Expr, n: &Rational| if n.is_one() { b } else { pool.pow(b, n.clone()) };
                    let mut parts = vec![d(*base)];
                    if !exponent.is_one() {
                        parts.push(pool.pow(*base, exponent.sub(&Rational::ONE)));
                    }
                    let others = factors.iter().enumerate().filter(|(j, _)| *j != k);
                    parts.extend(others.map(|(_, (b, n))| power(*b, n)));
                    terms.push(pool.scale(c.mul(exponent), pool.product(parts)));
                }
                if terms.is_empty() { zero } else { pool.sum(terms) }
            }
            Node::Call(Function::Solve(n, k), arguments) => self.derive_solution(pool, n, k, &arguments),
            Node::Call(function, arguments) => {
                let terms: Vec<Expr> = (0..arguments.len())
                    .filter(|k| !pool.is_zero(d(arguments[*k])))
                    .map(|k| match (function, k) {
                        (Function::Select, 0) => zero,
                        _ => pool.mul(slope(pool, function, &arguments, k), d(arguments[k])),
                    })
                    .collect();
                pool.sum(terms)
            }
        }
    }
}

impl Derivation {
    /// The derivative of an unknown of A x = b is that unknown of A x' = b' - A' x.
    fn derive_solution(&self, pool: &Pool, n: u16, k: u16, arguments: &[Expr]) -> Expr {
        let size = usize::from(n);
        let d = |x: Expr| self.known.get(&x).copied().unwrap_or(pool.zero());
        let entry = |i: usize, j: usize| {
            let (i, j) = if i >= j { (i, j) } else { (j, i) };
            arguments[i * (i + 1) / 2 + j]
        };
        let triangle = size * (size + 1) / 2;
        if arguments.iter().all(|a| pool.is_zero(d(*a))) {
            return pool.zero();
        }
        let x: Vec<Expr> = (0..n).map(|j| pool.define(pool.call(Function::Solve(n, j), arguments))).collect();
        let mut next = arguments[..triangle].to_vec();
        for i in 0..size {
            let moved = (0..size).map(|j| pool.neg(pool.mul(d(entry(i, j)), x[j])));
            next.push(pool.define(pool.sum(moved.chain([d(arguments[triangle + i])]).collect::<Vec<_>>())));
        }
        pool.call(Function::Solve(n, k), &next)
    }
}

/// ∂f/∂(argument k).
fn slope(pool: &Pool, function: Function, a: &[Expr], k: usize) -> Expr {
    let (one, zero) = (pool.one(), pool.zero());
    let square = |x| pool.powi(x, 2);
    let over_root = |x| pool.pow(x, Rational::Small(-1, 2));
    let call = |f, arguments: &[Expr]| pool.call(f, arguments);
    match function {
        Function::Sin => pool.cos(a[0]),
        Function::Cos => pool.neg(pool.sin(a[0])),
        Function::Tan => pool.add(one, square(call(Function::Tan, &[a[0]]))),
        Function::Asin => over_root(pool.sub(one, square(a[0]))),
        Function::Acos => pool.neg(over_root(pool.sub(one, square(a[0])))),
        Function::Atan => pool.powi(pool.add(one, square(a[0])), -1),
        Function::Atan2 => {
            let (y, x) = (a[0], a[1]);
            let numerator = if k == 0 { x } else { pool.neg(y) };
            pool.div(numerator, pool.add(square(x), square(y)))
        }
        Function::Sinh => call(Function::Cosh, &[a[0]]),
        Function::Cosh => call(Function::Sinh, &[a[0]]),
        Function::Tanh => pool.sub(one, square(call(Function::Tanh, &[a[0]]))),
        Function::Exp => call(Function::Exp, &[a[0]]),
        Function::Ln => pool.powi(a[0], -1),
        Function::Pow if k == 0 => pool.mul(a[1], call(Function::Pow, &[a[0], pool.sub(a[1], one)])),
        Function::Pow => pool.mul(call(Function::Ln, &[a[0]]), call(Function::Pow, &[a[0], a[1]])),
        Function::Abs => call(Function::Sign, &[a[0]]),
        Function::Min | Function::Max => {
            let first = call(Function::Less, &[a[0], a[1]]);
            let chosen_first = (function == Function::Min) == (k == 0);
            if chosen_first {
                call(Function::Select, &[first, one, zero])
            } else {
                call(Function::Select, &[first, zero, one])
            }
        }
        Function::Select => {
            if k == 1 {
                call(Function::Select, &[a[0], one, zero])
            } else {
                call(Function::Select, &[a[0], zero, one])
            }
        }
        Function::Table(id, orders) => {
            let mut next = orders;
            next[k] = next[k].saturating_add(1);
            call(Function::Table(id, next), a)
        }
        Function::External(_) => pool.div(one, zero),
        // Differentiated as a whole, not by arguments: see derive_solution.
        Function::Solve(..) => zero,
        Function::Sign
        | Function::Floor
        | Function::Less
        | Function::LessEqual
        | Function::Equal
        | Function::And
        | Function::Or
        | Function::Not => zero,
    }
}
