//! Nodes that the pool has already, found before anything is made of them.
//!
//! Most of what a derivation builds exists. So a node is looked for while its parts are still borrowed; only what is new gets memory of
//! its own, a fingerprint and an id.

use std::hash::{Hash, Hasher};

use cardan_base::{FxHasher, Id};

use crate::layers::Layers;
use crate::pool::{Inner, Meta};
use crate::{Expr, Function, Node, Rational, SymbolId};

/// A node whose parts are borrowed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Shape<'n> {
    Number(&'n Rational),
    Symbol(SymbolId),
    Product(&'n Rational, &'n [(Expr, Rational)]),
    Sum(&'n [(Rational, Expr)]),
    Call(Function, &'n [Expr]),
    Undefined,
}

impl Shape<'_> {
    fn hash(&self) -> u32 {
        let mut hasher = FxHasher::default();
        Hash::hash(self, &mut hasher);
        hasher.finish() as u32
    }
}

impl Node {
    /// The node with its parts borrowed.
    pub(crate) fn shape(&self) -> Shape<'_> {
        match self {
            Node::Number(r) => Shape::Number(r),
            Node::Symbol(s) => Shape::Symbol(*s),
            Node::Product(c, factors) => Shape::Product(c, factors),
            Node::Sum(terms) => Shape::Sum(terms),
            Node::Call(function, arguments) => Shape::Call(*function, arguments),
            Node::Undefined => Shape::Undefined,
        }
    }
}

/// That a node is not there, and its hash.
#[derive(Clone, Copy)]
pub(crate) struct New(u32);

/// Where nodes are, by their hashes: open addressing with linear probing. A copy of it is a copy of plain words.
#[derive(Clone)]
struct Table {
    /// The hash in the upper half, one more than the entry in the lower; zero where there is none. A power of two, at least half of them free.
    slots: Vec<u64>,
    n_entries: usize,
}

impl Table {
    fn find(&self, hash: u32, mut is_it: impl FnMut(usize) -> bool) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != 0 {
            let slot = self.slots[at];
            let entry = (slot as u32 - 1) as usize;
            if (slot >> 32) as u32 == hash && is_it(entry) {
                return Some(entry);
            }
            at = (at + 1) & mask;
        }
        None
    }

    fn insert(&mut self, hash: u32, entry: usize) {
        if 2 * (self.n_entries + 1) > self.slots.len() {
            let larger = vec![0; 2 * self.slots.len()];
            let before = std::mem::replace(&mut self.slots, larger);
            before.into_iter().filter(|slot| *slot != 0).for_each(|slot| self.put(slot));
        }
        let entry = u32::try_from(entry + 1).expect("a pool holds fewer than 2^31 nodes");
        self.put(u64::from(hash) << 32 | u64::from(entry));
        self.n_entries += 1;
    }

    fn put(&mut self, slot: u64) {
        let mask = self.slots.len() - 1;
        let mut at = (slot >> 32) as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }
}

/// The nodes of a pool, and those that turned out to equal an expression of another form.
#[derive(Clone)]
pub(crate) struct Known {
    table: Table,
    /// Nodes that are not in the pool, and what stands there for them.
    others: Layers<(Node, Expr)>,
}

impl Known {
    pub fn new() -> Self {
        Known { table: Table { slots: vec![0; 256], n_entries: 0 }, others: Layers::new() }
    }

    /// Nodes that some expressions stand for are no longer known.
    pub fn forget(&mut self, is_gone: &dyn Fn(Expr) -> bool) {
        if self.others.iter().any(|(_, e)| is_gone(*e)) {
            for (node, _) in self.others.thawed().iter_mut().filter(|(_, e)| is_gone(*e)) {
                *node = Node::Undefined;
            }
        }
    }

    /// Lets copies share what is known by now.
    pub fn freeze(&mut self) {
        self.others.freeze();
    }
}

impl Inner {
    /// The expression for a node in canonical form, if that was built before. A name given later to the same thing is cheaper still.
    pub fn known(&self, shape: Shape<'_>) -> Result<Expr, New> {
        let hash = shape.hash();
        let others = &self.known.others;
        // Even entries are nodes of the pool, odd ones are others.
        let is_it = |entry: usize| match entry % 2 {
            0 => self.nodes[entry / 2].shape() == shape,
            _ => others[entry / 2].0.shape() == shape,
        };
        match self.known.table.find(hash, is_it) {
            Some(entry) if entry % 2 == 0 => Ok(self.named(Expr::from_index(entry / 2))),
            Some(entry) => Ok(self.named(others[entry / 2].1)),
            None => Err(New(hash)),
        }
    }

    /// The expression for a node in canonical form: the same node if it exists, else as [`add`](Self::add) has it.
    pub fn intern(&mut self, node: Node, meta: Meta) -> Expr {
        match self.known(node.shape()) {
            Ok(known) => known,
            Err(new) => self.add(new, node, meta),
        }
    }

    /// The expression for a node that is not there yet: an equal one if that exists and is no dearer, else a new one.
    pub fn add(&mut self, new: New, node: Node, meta: Meta) -> Expr {
        if let Some(fingerprint) = meta.fingerprint {
            if let Some(&equal) = self.semantic.get(&fingerprint)
                && self.meta(equal).cost <= meta.cost
            {
                return self.stand_for(new, node, equal);
            }
            // A product and its negative differ in the coefficient only; anything else is the negative
            // of what the pool already has.
            if let Some(&opposite) = self.semantic.get(&fingerprint.neg()) {
                let both_products =
                    matches!(node, Node::Product(..)) && matches!(self.node(opposite), Node::Product(..));
                let is_negative_of =
                    matches!(&node, Node::Product(c, f) if *c == Rational::MINUS_ONE && f.len() == 1);
                if !both_products && !is_negative_of && meta.cost > 0 && self.meta(opposite).cost <= meta.cost
                {
                    let e = self.scale(Rational::MINUS_ONE, opposite);
                    return self.stand_for(new, node, e);
                }
            }
        }
        let e = self.push(node, meta);
        self.known.table.insert(new.0, 2 * e.index());
        if let Some(fingerprint) = meta.fingerprint {
            self.semantic.insert(fingerprint, e);
        }
        e
    }

    fn stand_for(&mut self, New(hash): New, node: Node, equal: Expr) -> Expr {
        self.known.table.insert(hash, 2 * self.known.others.len() + 1);
        self.known.others.push((node, equal));
        equal
    }
}

#[cfg(test)]
mod tests {
    use crate::{Kind, Pool};

    #[test]
    fn what_was_built_is_found_after_the_table_has_grown() {
        let pool = Pool::new();
        let x = pool.symbol("x", Kind::Parameter);
        let build = |n: i64| pool.add(pool.powi(x, n), pool.int(n));
        let first: Vec<_> = (1..5000).map(build).collect();
        let n_nodes = pool.len();
        let again: Vec<_> = (1..5000).map(build).collect();
        assert_eq!(first, again);
        assert_eq!(pool.len(), n_nodes);
        let copy = pool.clone();
        let in_copy: Vec<_> = (1..5000).map(|n| copy.add(copy.powi(x, n), copy.int(n))).collect();
        assert_eq!(first, in_copy);
    }

    #[test]
    fn another_form_is_found_as_what_it_equals() {
        let pool = Pool::new();
        let [a, b] = ["a", "b"].map(|name| pool.symbol(name, Kind::Parameter));
        let sum = pool.add(a, b);
        let product = pool.mul(pool.sub(a, b), sum);
        let difference = || pool.sub(pool.powi(a, 2), pool.powi(b, 2));
        let first = difference();
        let n_nodes = pool.len();
        assert_eq!(difference(), first);
        assert_eq!(pool.len(), n_nodes);
        assert_eq!(pool.cost(first), pool.cost(product));
    }
}
