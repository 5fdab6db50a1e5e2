//! The pool: where expressions live and are made the same.
//!
//! Ids grow: the parts of an expression, and the definition of an intermediate, have smaller ids than
//! the expression itself. Walks over the graph therefore go in order of ids and never recurse.

use std::cell::RefCell;

use cardan_base::{Id, Map};
use smallvec::smallvec;

use crate::canonical::sum::Terms;
use crate::fingerprint::Fingerprint;
use crate::intern::{Known, Shape};
use crate::layers::Layers;
use crate::{Depends, Expr, Function, Kind, Node, Rational, Symbol, SymbolId};

/// What is known about a node without looking inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meta {
    pub depends: Depends,
    /// Order of smallness.
    pub small: i32,
    /// Operations to compute it, were nothing shared; saturates.
    pub cost: u32,
    pub fingerprint: Option<Fingerprint>,
}

#[derive(Clone)]
pub(crate) struct Inner {
    pub nodes: Layers<Node>,
    pub meta: Layers<Meta>,
    pub known: Known,
    /// The cheapest expression of each value.
    pub semantic: Map<Fingerprint, Expr>,
    /// Of numbers that are not integers: their inverses modulo primes are dear.
    numbers: Map<Rational, Fingerprint>,
    symbols: Layers<Symbol>,
    /// What people call tables and functions that are written elsewhere.
    called: Map<Function, String>,
    /// Whether any symbol was declared small.
    any_small: bool,
    pub symbol_exprs: Vec<Expr>,
    pub threshold: i32,
    n_constants: usize,
    n_variables: usize,
}

/// A graph of expressions. All methods take `&self`: a pool only ever grows.
///
/// It returns what it already has for whatever equals it. So that a derivation does not depend on
/// what was derived before, each works on an overlay of its own: a clone, which shares what was
/// there when the pool was frozen.
#[derive(Clone)]
pub struct Pool(RefCell<Inner>);

impl Default for Pool {
    fn default() -> Self {
        Pool::new()
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pool({} nodes)", self.len())
    }
}

impl Pool {
    /// A pool with the numbers 0 and 1 and the constant pi.
    pub fn new() -> Self {
        let mut inner = Inner {
            nodes: Layers::new(),
            meta: Layers::new(),
            known: Known::new(),
            semantic: Map::default(),
            numbers: Map::default(),
            symbols: Layers::new(),
            called: Map::default(),
            any_small: false,
            symbol_exprs: vec![],
            threshold: 2,
            n_constants: 0,
            n_variables: 0,
        };
        for n in [0, 1, -1, 2, -2] {
            inner.number(Rational::int(n));
        }
        inner.symbol(Symbol { name: "pi".into(), kind: Kind::Constant, small: 0, definition: None });
        Pool(RefCell::new(inner))
    }
    #[inline]
    pub(crate) fn with<T>(&self, f: impl FnOnce(&mut Inner) -> T) -> T {
        f(&mut self.0.borrow_mut())
    }
    /// Terms whose order of smallness exceeds that of the largest term of a sum by this much are
    /// dropped. 2 unless set.
    pub fn set_smallness_threshold(&self, threshold: u8) {
        self.with(|p| p.threshold = threshold.max(1).into());
    }
    /// See [`set_smallness_threshold`](Self::set_smallness_threshold).
    pub fn smallness_threshold(&self) -> i32 {
        self.with(|p| p.threshold)
    }
    /// Says what people call a table or a function that is written elsewhere.
    pub fn call_function(&self, function: Function, name: &str) {
        self.with(|p| p.called.insert(function.undifferentiated(), name.into()));
    }
    /// What people call a function; the derivatives of a table go by the name of the table.
    pub fn function_name(&self, function: Function) -> String {
        let called = self.with(|p| p.called.get(&function.undifferentiated()).cloned());
        called.unwrap_or_else(|| function.name().into())
    }
    /// Lets clones made from now on share all expressions that are there.
    pub fn freeze(&mut self) {
        let inner = self.0.get_mut();
        inner.nodes.freeze();
        inner.meta.freeze();
        inner.symbols.freeze();
        inner.known.freeze();
    }
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.with(|p| p.nodes.len())
    }
    /// Never: a pool is born with numbers in it.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Zero.
    #[inline]
    pub fn zero(&self) -> Expr {
        Expr::from_index(0)
    }
    /// One.
    #[inline]
    pub fn one(&self) -> Expr {
        Expr::from_index(1)
    }
    /// The ratio of a circle's circumference to its diameter.
    pub fn pi(&self) -> Expr {
        self.with(|p| p.symbol_exprs[0])
    }
    /// An integer.
    pub fn int(&self, n: i64) -> Expr {
        self.number(Rational::int(n))
    }
    /// An exact number.
    pub fn number(&self, r: Rational) -> Expr {
        self.with(|p| p.number(r))
    }
    /// A new symbol; two symbols may have the same name and are still different.
    pub fn symbol(&self, name: impl Into<String>, kind: Kind) -> Expr {
        self.small_symbol(name, kind, 0)
    }
    /// A new symbol with an order of smallness.
    pub fn small_symbol(&self, name: impl Into<String>, kind: Kind, small: u8) -> Expr {
        self.with(|p| p.symbol(Symbol { name: name.into(), kind, small, definition: None }))
    }

    /// Sum of two.
    pub fn add(&self, a: Expr, b: Expr) -> Expr {
        self.with(|p| p.plus(a, Rational::ONE, b))
    }
    /// Difference.
    pub fn sub(&self, a: Expr, b: Expr) -> Expr {
        self.with(|p| p.plus(a, Rational::MINUS_ONE, b))
    }
    /// Sum of many.
    pub fn sum(&self, terms: impl IntoIterator<Item = Expr>) -> Expr {
        let zero = self.zero();
        let terms: Terms = terms.into_iter().filter(|e| *e != zero).map(|e| (Rational::ONE, e)).collect();
        self.with(|p| match &terms[..] {
            [] => zero,
            [(_, only)] => p.alone(*only).unwrap_or_else(|| p.sum(terms)),
            _ => p.sum(terms),
        })
    }
    /// Minus an expression.
    pub fn neg(&self, a: Expr) -> Expr {
        self.with(|p| p.scale(Rational::MINUS_ONE, a))
    }
    /// Product of two.
    pub fn mul(&self, a: Expr, b: Expr) -> Expr {
        self.with(|p| p.times(a, b))
    }
    /// Product of many.
    pub fn product(&self, factors: impl IntoIterator<Item = Expr>) -> Expr {
        let factors = factors.into_iter().map(|e| (e, Rational::ONE)).collect();
        self.with(|p| p.product(Rational::ONE, factors))
    }
    /// Quotient; undefined if `b` is zero.
    pub fn div(&self, a: Expr, b: Expr) -> Expr {
        self.with(|p| p.product(Rational::ONE, smallvec![(a, Rational::ONE), (b, Rational::MINUS_ONE)]))
    }
    /// A number times an expression.
    pub fn scale(&self, coefficient: Rational, a: Expr) -> Expr {
        self.with(|p| p.scale(coefficient, a))
    }
    /// An integer power.
    pub fn powi(&self, a: Expr, n: i64) -> Expr {
        self.pow(a, Rational::int(n))
    }
    /// A rational power.
    pub fn pow(&self, a: Expr, exponent: Rational) -> Expr {
        self.with(|p| p.product(Rational::ONE, smallvec![(a, exponent)]))
    }
    /// The square root.
    pub fn sqrt(&self, a: Expr) -> Expr {
        self.pow(a, Rational::Small(1, 2))
    }
    /// A function of arguments.
    pub fn call(&self, function: Function, arguments: &[Expr]) -> Expr {
        self.with(|p| p.call(function, arguments.to_vec()))
    }
    /// Sine.
    pub fn sin(&self, a: Expr) -> Expr {
        self.call(Function::Sin, &[a])
    }
    /// Cosine.
    pub fn cos(&self, a: Expr) -> Expr {
        self.call(Function::Cos, &[a])
    }

    /// The « » of Sayers: a name for an expression, so that it is computed once and never taken
    /// apart again. Numbers, their roots, symbols and their negatives need no name and are returned as they are.
    pub fn define(&self, e: Expr) -> Expr {
        self.with(|p| p.define(e))
    }

    /// Forgets by their values all expressions that contain some symbols. What is made from now on is not written by means of these
    /// symbols where its value does not depend on them.
    pub fn forget(&self, symbols: &[Expr]) {
        self.with(|p| p.forget(symbols));
    }

    /// The node behind an id.
    pub fn node(&self, e: Expr) -> Node {
        self.with(|p| p.nodes[e.index()].clone())
    }
    /// Calls `visit` with the expressions that a node is made of, the last first; a symbol has none. `visit` must not
    /// use the pool.
    pub fn parts_backwards(&self, e: Expr, mut visit: impl FnMut(Expr)) {
        self.with(|p| match p.node(e) {
            Node::Number(_) | Node::Symbol(_) | Node::Undefined => {}
            Node::Product(_, factors) => factors.iter().rev().for_each(|(base, _)| visit(*base)),
            Node::Sum(terms) => terms.iter().rev().for_each(|(_, monomial)| visit(*monomial)),
            Node::Call(_, arguments) => arguments.iter().rev().for_each(|a| visit(*a)),
        })
    }
    /// The symbol behind an id.
    pub fn symbol_data(&self, s: SymbolId) -> Symbol {
        self.with(|p| p.symbol_of(s).clone())
    }
    /// The expression that is just this symbol.
    pub fn symbol_expr(&self, s: SymbolId) -> Expr {
        self.with(|p| p.symbol_exprs[s.index()])
    }
    /// The symbol, if the expression is one.
    pub fn as_symbol(&self, e: Expr) -> Option<SymbolId> {
        self.with(|p| match p.nodes[e.index()] {
            Node::Symbol(s) => Some(s),
            _ => None,
        })
    }
    /// The number, if the expression is one.
    pub fn as_number(&self, e: Expr) -> Option<Rational> {
        self.with(|p| p.as_number(e).cloned())
    }
    /// What an intermediate symbol is a name for.
    pub fn definition(&self, e: Expr) -> Option<Expr> {
        self.with(|p| match p.nodes[e.index()] {
            Node::Symbol(s) => p.symbol_of(s).definition,
            _ => None,
        })
    }
    /// Whether the expression is the number zero.
    #[inline]
    pub fn is_zero(&self, e: Expr) -> bool {
        e == self.zero()
    }
    /// Whether a division by zero is hidden in the expression.
    pub fn is_undefined(&self, e: Expr) -> bool {
        self.with(|p| p.nodes[e.index()] == Node::Undefined)
    }
    /// On which kinds of symbols the expression depends.
    pub fn depends(&self, e: Expr) -> Depends {
        self.with(|p| p.meta[e.index()].depends)
    }
    /// The order of smallness; 0 for an ordinary quantity.
    pub fn small_order(&self, e: Expr) -> i32 {
        self.with(|p| p.meta[e.index()].small)
    }
    /// Whether any symbol was declared small, so that expressions may have orders of smallness.
    pub fn has_small_symbols(&self) -> bool {
        self.with(|p| p.any_small)
    }
    /// Operations to compute it, were nothing shared but the intermediates.
    pub fn cost(&self, e: Expr) -> u32 {
        self.with(|p| p.meta[e.index()].cost)
    }
    /// Everything that the roots are made of, the definitions of intermediates included, parts first.
    pub fn reachable(&self, roots: impl IntoIterator<Item = Expr>) -> Vec<Expr> {
        self.with(|p| p.reachable(roots))
    }
}

impl Inner {
    #[inline]
    pub fn node(&self, e: Expr) -> &Node {
        &self.nodes[e.index()]
    }
    #[inline]
    pub fn meta(&self, e: Expr) -> &Meta {
        &self.meta[e.index()]
    }
    #[inline]
    pub fn symbol_of(&self, s: SymbolId) -> &Symbol {
        &self.symbols[s.index()]
    }
    pub fn add_symbol(&mut self, symbol: Symbol) -> SymbolId {
        self.symbols.push(symbol);
        SymbolId::from_index(self.symbols.len() - 1)
    }
    pub fn as_number(&self, e: Expr) -> Option<&Rational> {
        match self.node(e) {
            Node::Number(r) => Some(r),
            _ => None,
        }
    }
    /// The key by which operands are sorted: what becomes known first comes first.
    pub fn sort_key(&self, e: Expr) -> (u32, Expr) {
        (self.meta(e).depends.rank(), e)
    }
    /// The fingerprint of a number.
    pub fn number_fingerprint(&mut self, r: &Rational) -> Fingerprint {
        if r.is_int() {
            return Fingerprint::number(r);
        }
        if let Some(known) = self.numbers.get(r) {
            return *known;
        }
        let fingerprint = Fingerprint::number(r);
        self.numbers.insert(r.clone(), fingerprint);
        fingerprint
    }
    pub fn number(&mut self, r: Rational) -> Expr {
        let new = match self.known(Shape::Number(&r)) {
            Ok(known) => return known,
            Err(new) => new,
        };
        let fingerprint = self.number_fingerprint(&r);
        let meta = Meta { depends: Depends::NOTHING, small: 0, cost: 0, fingerprint: Some(fingerprint) };
        self.add(new, Node::Number(r), meta)
    }
    pub fn undefined(&mut self) -> Expr {
        let meta = Meta { depends: Depends::NOTHING, small: 0, cost: 0, fingerprint: None };
        self.intern(Node::Undefined, meta)
    }
    pub fn symbol(&mut self, symbol: Symbol) -> Expr {
        let small = symbol.small.into();
        self.any_small |= small != 0;
        let depends = Depends::on(symbol.kind);
        let id = self.add_symbol(symbol);
        let fingerprint = Fingerprint::opaque(&[0x5eed, id.index() as u64]);
        let e =
            self.intern(Node::Symbol(id), Meta { depends, small, cost: 0, fingerprint: Some(fingerprint) });
        self.symbol_exprs.push(e);
        e
    }
    pub fn define(&mut self, e: Expr) -> Expr {
        let e = self.named(e);
        match self.node(e).clone() {
            Node::Number(_) | Node::Symbol(_) | Node::Undefined => return e,
            Node::Product(c, factors) if c == Rational::MINUS_ONE => {
                // The pool may know the opposite in a form that is itself a negative; then neither is taken apart.
                let opposite = self.product(Rational::ONE, factors.iter().cloned().collect());
                if !matches!(self.node(opposite), Node::Product(c, _) if *c == Rational::MINUS_ONE) {
                    let named = self.define(opposite);
                    return self.scale(Rational::MINUS_ONE, named);
                }
            }
            // A root of a number is a number: named, it would no longer meet its like. What depends on parameters
            // only is computed once, so that a root beside it costs nothing.
            Node::Product(c, factors)
                if self.meta(e).depends.is_constant()
                    && factors.iter().any(|(base, _)| self.as_number(*base).is_some()) =>
            {
                let is_number = |f: &&(Expr, Rational)| self.as_number(f.0).is_some();
                let numbers: crate::canonical::product::Factors =
                    factors.iter().filter(is_number).cloned().collect();
                if numbers.len() == factors.len() {
                    return e;
                }
                let rest = factors.iter().filter(|f| !is_number(f)).cloned().collect();
                let rest = self.product(c, rest);
                let named = self.define(rest);
                let mut all = numbers;
                all.push((named, Rational::ONE));
                return self.product(Rational::ONE, all);
            }
            _ => {}
        }
        let meta = *self.meta(e);
        let name = if meta.depends.is_constant() {
            self.n_constants += 1;
            format!("p{}", self.n_constants)
        } else {
            self.n_variables += 1;
            format!("z{}", self.n_variables)
        };
        let symbol = Symbol { name, kind: Kind::Intermediate, small: 0, definition: Some(e) };
        let id = self.add_symbol(symbol);
        let named = self.push(Node::Symbol(id), Meta { cost: 0, ..meta });
        self.symbol_exprs.push(named);
        if let Some(fingerprint) = meta.fingerprint {
            self.semantic.insert(fingerprint, named);
        }
        named
    }
    pub fn push(&mut self, node: Node, meta: Meta) -> Expr {
        let e = Expr::from_index(self.nodes.len());
        self.nodes.push(node);
        self.meta.push(meta);
        e
    }
    pub fn named(&self, e: Expr) -> Expr {
        let meta = self.meta(e);
        match meta.fingerprint.and_then(|f| self.semantic.get(&f)) {
            Some(&equal) if self.meta(equal).cost < meta.cost => equal,
            _ => e,
        }
    }
    pub fn forget(&mut self, symbols: &[Expr]) {
        let mut holds = vec![false; self.nodes.len()];
        for k in 0..self.nodes.len() {
            let e = Expr::from_index(k);
            let has = |e: &Expr| holds[e.index()];
            holds[k] = symbols.contains(&e)
                || match self.node(e) {
                    Node::Number(_) | Node::Undefined => false,
                    Node::Symbol(s) => self.symbol_of(*s).definition.as_ref().is_some_and(has),
                    Node::Product(_, factors) => factors.iter().any(|(base, _)| has(base)),
                    Node::Sum(terms) => terms.iter().any(|(_, monomial)| has(monomial)),
                    Node::Call(_, arguments) => arguments.iter().any(has),
                };
        }
        self.semantic.retain(|_, e| !holds[e.index()]);
        self.known.forget(&|e| holds[e.index()]);
    }
    pub fn reachable(&self, roots: impl IntoIterator<Item = Expr>) -> Vec<Expr> {
        let mut stack: Vec<Expr> = roots.into_iter().collect();
        // Parts have smaller ids than what they are parts of.
        let mut seen = vec![false; stack.iter().max().map_or(0, |e| e.index() + 1)];
        let mut found = vec![];
        while let Some(e) = stack.pop() {
            if std::mem::replace(&mut seen[e.index()], true) {
                continue;
            }
            found.push(e);
            match self.node(e) {
                Node::Number(_) | Node::Undefined => {}
                Node::Symbol(s) => stack.extend(self.symbol_of(*s).definition),
                Node::Product(_, factors) => stack.extend(factors.iter().map(|(base, _)| *base)),
                Node::Sum(terms) => stack.extend(terms.iter().map(|(_, monomial)| *monomial)),
                Node::Call(_, arguments) => stack.extend(arguments.iter()),
            }
        }
        found.sort_unstable();
        found
    }
}
