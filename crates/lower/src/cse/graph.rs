//! The graph that sharing works on: sums of products of varying quantities with constant coefficients.
//!
//! ```text
//! [term]      ± K · Π x^n      K depends on parameters only and is computed once; the x are nodes of the graph
//! [sum]       Σ terms          the first term is positive
//! ```
//!
//! Constants are expressions of the pool, where their arithmetic is exact; they cost nothing while a simulation
//! runs. Products are always taken apart into terms, so that equal parts of different products can meet.

use std::collections::hash_map::Entry;
use std::rc::Rc;

use cardan_base::{Id, Map, define_id};
use cardan_expr::{Expr, Function, Node as Shape, Pool, Rational};
use cardan_program::{StageId, ValueId};
use smallvec::{SmallVec, smallvec};

use crate::LowerError;
use crate::translate::{Lowering, Meaning};

define_id!(NodeId, "n", "A varying quantity of the graph.");

/// Varying quantities and their exponents; few as a rule, and there are very many terms.
pub(crate) type Factors = SmallVec<[(NodeId, i32); 4]>;

/// See [term].
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Term {
    /// Sorted by node; exponents are not zero.
    pub factors: Factors,
    pub constant: Expr,
    pub negative: bool,
}

impl Clone for Term {
    fn clone(&self) -> Self {
        // Factors are plain numbers: copied as a whole.
        Term { factors: Factors::from_slice(&self.factors), constant: self.constant, negative: self.negative }
    }
}

/// A varying quantity. Copies share their terms: graphs are copied for every way that is tried.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    Input(ValueId),
    Call(Function, Rc<[Term]>),
    /// A power that is not whole, or too high to be spelled out.
    Power(Term, Rational),
    /// See [sum]. A single term is a product that several others share.
    Sum(Rc<[Term]>),
}

/// Products of a higher degree are not taken apart when they are used in other products.
const LARGEST_DEGREE: i32 = 24;

/// The varying quantities that some expressions are made of.
#[derive(Clone, Debug)]
pub(crate) struct Graph<'p> {
    pub pool: &'p Pool,
    pub nodes: Vec<Node>,
    pub roots: Vec<Term>,
    /// Expressions that are nodes of the graph, and whether they are its negatives.
    pub forms: Rc<[(Expr, NodeId, bool)]>,
    known: Map<Node, NodeId>,
}

impl Term {
    /// Operations to compute it, were nothing shared.
    pub fn cost(&self, pool: &Pool) -> u32 {
        let factors: u32 = self.factors.iter().map(|(_, n)| n.unsigned_abs()).sum();
        let scaled = u32::from(self.constant != pool.one() && factors > 0);
        (factors + scaled).saturating_sub(1)
    }
    fn degree(&self) -> i32 {
        self.factors.iter().map(|(_, n)| n.abs()).sum()
    }
    /// The node, if the term is one as it stands.
    pub fn as_node(&self, pool: &Pool) -> Option<NodeId> {
        match self.factors[..] {
            [(node, 1)] if self.constant == pool.one() => Some(node),
            _ => None,
        }
    }
}

/// The factors of a product: both lists are sorted by node, and so is the result.
fn merged(a: &[(NodeId, i32)], b: &[(NodeId, i32)]) -> Factors {
    let mut out = Factors::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let ((x, n), (y, m)) = (a[i], b[j]);
        if x == y {
            if n + m != 0 {
                out.push((x, n + m));
            }
            i += 1;
            j += 1;
        } else if x < y {
            out.push(a[i]);
            i += 1;
        } else {
            out.push(b[j]);
            j += 1;
        }
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    out
}

/// Operations to compute a sum of terms, were nothing shared.
pub(crate) fn sum_cost(pool: &Pool, terms: &[Term]) -> u32 {
    terms.iter().map(|t| t.cost(pool)).sum::<u32>() + (terms.len() as u32).saturating_sub(1)
}

impl<'p> Graph<'p> {
    /// The graph of the given expressions. What has been computed already is a quantity like an input.
    pub fn of(lowering: &Lowering<'p>, roots: &[Expr]) -> Result<Self, LowerError> {
        let pool = lowering.pool;
        let order = lowering.parts_first(roots)?;
        // About a third of the expressions become nodes.
        let known = Map::with_capacity_and_hasher(order.len() / 3, Default::default());
        let graph = Graph { pool, nodes: vec![], roots: vec![], forms: Rc::new([]), known };
        let forms = Vec::with_capacity(order.len());
        let mut reader = Reader { lowering, graph, forms, places: vec![NONE; pool.len()] };
        let mut nodes = vec![];
        for e in order {
            let form = reader.form(e);
            nodes.extend(form.as_node(pool).map(|node| (e, node, form.negative)));
            reader.places[e.index()] = reader.forms.len() as u32;
            reader.forms.push(form);
        }
        let roots = roots.iter().map(|e| reader.part(*e)).collect();
        Ok(Graph { roots, forms: nodes.into(), ..reader.graph })
    }

    /// The node of this shape; an equal one if there is one.
    pub fn intern(&mut self, node: Node) -> NodeId {
        let new = match self.known.entry(node) {
            Entry::Occupied(known) => return *known.get(),
            Entry::Vacant(new) => new,
        };
        let id = NodeId::from_index(self.nodes.len());
        self.nodes.push(new.key().clone());
        *new.insert(id)
    }

    /// A constant.
    pub fn constant(&self, e: Expr) -> Term {
        let (negative, constant) = self.split_sign(e);
        Term { factors: smallvec![], constant, negative }
    }
    /// A node by itself.
    pub fn just(&self, node: NodeId) -> Term {
        Term { factors: smallvec![(node, 1)], constant: self.pool.one(), negative: false }
    }

    fn split_sign(&self, e: Expr) -> (bool, Expr) {
        let negative = match self.pool.node(e) {
            Shape::Number(r) => r.is_negative(),
            Shape::Product(c, _) => c.is_negative(),
            _ => false,
        };
        if negative { (true, self.pool.neg(e)) } else { (false, e) }
    }

    /// The product of two terms.
    pub fn multiply(&self, a: &Term, b: &Term) -> Term {
        let one = self.pool.one();
        for (unit, other) in [(a, b), (b, a)] {
            if unit.factors.is_empty() && unit.constant == one {
                return Term { negative: unit.negative != other.negative, ..other.clone() };
            }
        }
        let (flip, constant) = match (a.constant == one, b.constant == one) {
            (true, _) => (false, b.constant),
            (_, true) => (false, a.constant),
            _ => self.split_sign(self.pool.mul(a.constant, b.constant)),
        };
        Term {
            factors: merged(&a.factors, &b.factors),
            constant,
            negative: (a.negative != b.negative) != flip,
        }
    }

    /// Sorts terms and joins those that differ in their constants only.
    pub fn collect(&self, mut terms: Vec<Term>) -> Vec<Term> {
        // Most are sorted already, or two sorted lists, which a stable sort makes use of.
        terms.sort();
        let mut out: Vec<Term> = Vec::with_capacity(terms.len());
        for term in terms {
            match out.last_mut() {
                Some(last) if last.factors == term.factors => {
                    let signed = |t: &Term| if t.negative { self.pool.neg(t.constant) } else { t.constant };
                    let total = self.pool.add(signed(last), signed(&term));
                    (last.negative, last.constant) = self.split_sign(total);
                    if self.pool.is_zero(total) {
                        out.pop();
                    }
                }
                _ if self.pool.is_zero(term.constant) => {}
                _ => out.push(term),
            }
        }
        out
    }

    /// The sum of collected terms as one term.
    pub fn sum(&mut self, mut terms: Vec<Term>) -> Term {
        match &terms[..] {
            [] => return self.constant(self.pool.zero()),
            [only] => return only.clone(),
            _ => {}
        }
        let negative = terms[0].negative;
        if negative {
            terms.iter_mut().for_each(|t| t.negative = !t.negative);
        }
        let node = self.intern(Node::Sum(terms.into()));
        Term { negative, ..self.just(node) }
    }

    /// All terms of a node.
    pub fn terms(&self, node: NodeId) -> &[Term] {
        match &self.nodes[node.index()] {
            Node::Input(_) => &[],
            Node::Call(_, terms) | Node::Sum(terms) => terms,
            Node::Power(term, _) => std::slice::from_ref(term),
        }
    }
    /// All terms of a node, to be replaced by equal ones.
    pub fn terms_mut(&mut self, node: NodeId) -> &mut [Term] {
        match &mut self.nodes[node.index()] {
            Node::Input(_) => &mut [],
            Node::Call(_, terms) | Node::Sum(terms) => Rc::make_mut(terms),
            Node::Power(term, _) => std::slice::from_mut(term),
        }
    }

    /// The nodes that the roots are made of, in no order that means anything.
    pub fn reached(&self) -> Vec<NodeId> {
        let mut seen = vec![false; self.nodes.len()];
        let mut found: Vec<NodeId> = Vec::with_capacity(self.nodes.len());
        let mut reach = |terms: &[Term], found: &mut Vec<NodeId>| {
            for (part, _) in terms.iter().flat_map(|t| &t.factors) {
                if !std::mem::replace(&mut seen[part.index()], true) {
                    found.push(*part);
                }
            }
        };
        reach(&self.roots, &mut found);
        let mut next = 0;
        while let Some(node) = found.get(next) {
            reach(self.terms(*node), &mut found);
            next += 1;
        }
        found
    }

    /// The nodes that the roots are made of, parts first.
    pub fn parts_first(&self) -> Vec<NodeId> {
        let mut seen = vec![false; self.nodes.len()];
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut stack: Vec<(NodeId, bool)> = Vec::with_capacity(64);
        for (root, _) in self.roots.iter().flat_map(|t| &t.factors) {
            stack.push((*root, false));
            while let Some((node, is_complete)) = stack.pop() {
                if is_complete {
                    order.push(node);
                } else if !std::mem::replace(&mut seen[node.index()], true) {
                    let terms = self.terms(node);
                    if terms.is_empty() {
                        order.push(node);
                        continue;
                    }
                    stack.push((node, true));
                    for (part, _) in terms.iter().rev().flat_map(|t| t.factors.iter().rev()) {
                        if !seen[part.index()] {
                            stack.push((*part, false));
                        }
                    }
                }
            }
        }
        order
    }

    /// Whether the roots of another copy of the same graph are made of the same.
    pub fn is_like(&self, other: &Graph<'_>) -> bool {
        let same = |n: NodeId| self.nodes.get(n.index()) == other.nodes.get(n.index());
        self.roots == other.roots && self.reached().into_iter().all(same)
    }

    /// Operations to compute everything, were products not shared.
    pub fn cost(&self) -> u32 {
        let sums = self.reached().into_iter().map(|n| sum_cost(self.pool, self.terms(n)));
        sums.fold(0, u32::saturating_add)
    }

    /// How many terms each node is a factor of, roots included.
    pub fn use_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.nodes.len()];
        let nodes = self.reached();
        let terms = nodes.iter().flat_map(|n| self.terms(*n)).chain(&self.roots);
        terms.flat_map(|t| &t.factors).for_each(|(node, _)| counts[node.index()] += 1);
        counts
    }
}

/// Reads expressions into a graph.
struct Reader<'l, 'p> {
    lowering: &'l Lowering<'p>,
    graph: Graph<'p>,
    /// What each expression is that has been read.
    forms: Vec<Term>,
    /// Where its form is, by expression; `NONE` if it has none.
    places: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Reader<'_, '_> {
    /// What a part is that has been read or computed before.
    fn part(&mut self, e: Expr) -> Term {
        // Constants that came up in reading have no place.
        let place = self.places.get(e.index()).copied().unwrap_or(NONE);
        if let Some(form) = self.forms.get(place as usize) {
            return form.clone();
        }
        match self.lowering.known(e) {
            Some(known) if self.lowering.builder.stage_of(known.value) != StageId::from_index(0) => {
                let node = self.graph.intern(Node::Input(known.value));
                Term { negative: known.negative, ..self.graph.just(node) }
            }
            _ => self.graph.constant(e),
        }
    }

    fn form(&mut self, e: Expr) -> Term {
        let pool = self.graph.pool;
        match pool.node(e) {
            Shape::Number(_) | Shape::Undefined => self.graph.constant(e),
            Shape::Symbol(_) => match (self.lowering.meaning(e), self.lowering.stands_for(e)) {
                (Some(Meaning::Input(value)), _) => {
                    if self.lowering.builder.stage_of(value) == StageId::from_index(0) {
                        return self.graph.constant(e);
                    }
                    let node = self.graph.intern(Node::Input(value));
                    self.graph.just(node)
                }
                (_, Some(other)) => self.part(other),
                _ => self.graph.constant(e),
            },
            Shape::Sum(terms) => {
                let scaled = terms.iter().map(|(c, m)| {
                    let part = self.part(*m);
                    if c.abs().is_one() {
                        return Term { negative: part.negative != c.is_negative(), ..part };
                    }
                    let number = self.graph.constant(pool.number(c.clone()));
                    self.graph.multiply(&number, &part)
                });
                let scaled = scaled.collect();
                let terms = self.graph.collect(scaled);
                self.graph.sum(terms)
            }
            Shape::Product(c, factors) => {
                let mut product = match c {
                    Rational::Small(n @ (1 | -1), 1) => {
                        Term { factors: smallvec![], constant: pool.one(), negative: n < 0 }
                    }
                    c => self.graph.constant(pool.number(c)),
                };
                for (base, exponent) in factors.iter() {
                    let power = self.power(*base, exponent);
                    product = self.graph.multiply(&product, &power);
                    if product.degree() > LARGEST_DEGREE {
                        let negative = std::mem::take(&mut product.negative);
                        let node = self.graph.intern(Node::Sum(Rc::new([product])));
                        product = Term { negative, ..self.graph.just(node) };
                    }
                }
                product
            }
            Shape::Call(function, arguments) => {
                let terms: Rc<[Term]> = arguments.iter().map(|a| self.part(*a)).collect();
                if terms.iter().all(|t| t.factors.is_empty()) {
                    return self.graph.constant(e);
                }
                let node = self.graph.intern(Node::Call(function, terms));
                self.graph.just(node)
            }
        }
    }

    fn power(&mut self, base: Expr, exponent: &Rational) -> Term {
        let form = self.part(base);
        let graph = &mut self.graph;
        let pool = graph.pool;
        if form.factors.is_empty() {
            let signed = if form.negative { pool.neg(form.constant) } else { form.constant };
            return graph.constant(pool.pow(signed, exponent.clone()));
        }
        if let Some(n) = exponent.to_int().and_then(|n| i32::try_from(n).ok()) {
            return self.whole_power(form, n);
        }
        // x^(k + 1/2) = x^k sqrt(x), and so below the fraction line.
        let size = exponent.abs();
        let below = exponent.is_negative();
        let half = Rational::Small(1, 2);
        let whole = size.sub(&half).to_int().and_then(|n| i32::try_from(n).ok()).filter(|n| *n >= 0);
        let (n, fraction) = whole.map_or((0, size), |n| (n, half));
        let root = graph.intern(Node::Power(form.clone(), fraction));
        let mut root = graph.just(root);
        if below {
            root.factors[0].1 = -1;
        }
        if n == 0 {
            return root;
        }
        let rest = self.whole_power(form, if below { -n } else { n });
        self.graph.multiply(&root, &rest)
    }

    fn whole_power(&mut self, form: Term, n: i32) -> Term {
        let graph = &mut self.graph;
        if form.degree().saturating_mul(n.saturating_abs()) > LARGEST_DEGREE {
            let node = graph.intern(Node::Power(form, Rational::int(n.into())));
            return graph.just(node);
        }
        let one = graph.pool.one();
        let power = if form.constant == one { one } else { graph.pool.powi(form.constant, n.into()) };
        let constant = graph.constant(power);
        let negative = constant.negative != (form.negative && n % 2 != 0);
        Term { factors: form.factors.iter().map(|(node, m)| (*node, m * n)).collect(), negative, ..constant }
    }
}
