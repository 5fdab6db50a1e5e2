//! Pairs of factors that occur in more than one product are named; so are reciprocals.

use std::ops::Range;
use std::rc::Rc;

use cardan_base::{Id, Map};
use cardan_expr::Expr;
use smallvec::smallvec;

use crate::cse::graph::{Factors, Graph, Node, NodeId, Term};
use crate::cse::pairs::{Element, List, extract};

/// What a factor is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Item {
    Constant(Expr),
    Node(NodeId),
}

/// Numbers for factors.
struct Items {
    items: Vec<Item>,
    constants: Map<Expr, u32>,
    /// By node; `NONE` if it has no number yet.
    nodes: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Items {
    fn new(graph: &Graph<'_>) -> Self {
        Items { items: vec![], constants: Map::default(), nodes: vec![NONE; graph.nodes.len()] }
    }

    fn number(&mut self, item: Item) -> u32 {
        let next = self.items.len() as u32;
        let number = match item {
            Item::Constant(k) => self.constants.entry(k).or_insert(NONE),
            Item::Node(node) => &mut self.nodes[node.index()],
        };
        if *number == NONE {
            *number = next;
            self.items.push(item);
        }
        *number
    }
}

/// Names pairs of factors that occur in more than one product.
pub(crate) fn share_products(graph: &mut Graph<'_>) {
    let mut products = Products::of(graph);
    if products.iter(graph).any(|t| t.factors.iter().any(|(_, n)| *n < 0)) {
        for share in [|g: &mut Graph<'_>, p: &Products| share_pairs(g, p, Side::Below), share_reciprocals] {
            if share(graph, &products) {
                products = Products::of(graph);
            }
        }
    }
    share_pairs(graph, &products, Side::Above);
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Above,
    Below,
}

/// The first two factors of a term in one word, in the order of lists of factors: most comparisons need no more.
fn beginning(term: &Term) -> u128 {
    let factor = |k: usize| {
        let word =
            |(node, n): &(NodeId, i32)| ((node.index() as u64 + 1) << 32) | u64::from(*n as u32 ^ 1 << 31);
        term.factors.get(k).map_or(0, word)
    };
    u128::from(factor(0)) << 64 | u128::from(factor(1))
}

/// The distinct products of a graph, whatever their signs, in the order of their factors and constants.
struct Products {
    /// Per product where its places are.
    list: Vec<Range<usize>>,
    /// The node, none for a root, and the position among its terms.
    places: Vec<(Option<NodeId>, u32)>,
}

impl Products {
    fn of(graph: &Graph<'_>) -> Products {
        let mut found: Vec<(&Term, Option<NodeId>, u32)> = Vec::with_capacity(2 * graph.nodes.len());
        let mut add = |owner: Option<NodeId>, terms| {
            let products = (0..)
                .zip(terms)
                .filter(|(_, t): &(u32, &Term)| !t.factors.is_empty() && t.as_node(graph.pool).is_none());
            found.extend(products.map(|(k, t)| (t, owner, k)));
        };
        graph.reached().into_iter().for_each(|n| add(Some(n), graph.terms(n)));
        add(None, &graph.roots);
        let term = |k: u32| found[k as usize].0;
        let order = sorted(&found, graph.nodes.len());
        let mut products =
            Products { list: Vec::with_capacity(found.len()), places: Vec::with_capacity(found.len()) };
        let is_same = |(x, j): &(u128, u32), (y, k): &(u128, u32)| {
            let (a, b) = (term(*j), term(*k));
            x == y && a.constant == b.constant && a.factors == b.factors
        };
        for same in order.chunk_by(is_same) {
            let first = products.places.len();
            products.places.extend(same.iter().map(|(_, k)| (found[*k as usize].1, found[*k as usize].2)));
            products.list.push(first..products.places.len());
        }
        products
    }

    /// The k-th product as it stands at its first place, with the sign that it has there.
    fn get<'g>(&self, graph: &'g Graph<'_>, k: usize) -> &'g Term {
        let (owner, position) = self.places[self.list[k].start];
        let terms = owner.map_or(&graph.roots[..], |node| graph.terms(node));
        &terms[position as usize]
    }

    fn iter<'g>(&self, graph: &'g Graph<'_>) -> impl Iterator<Item = &'g Term> {
        (0..self.list.len()).map(|k| self.get(graph, k))
    }

    /// Replaces the k-th product by an equal one throughout.
    fn replace(&self, graph: &mut Graph<'_>, k: usize, new: &Term) {
        let own_name = new.as_node(graph.pool);
        for (owner, position) in &self.places[self.list[k].clone()] {
            let terms = match owner {
                // A product that has a name must not be replaced by that name in its own definition.
                Some(node) if own_name == Some(*node) => continue,
                Some(node) => graph.terms_mut(*node),
                None => &mut graph.roots[..],
            };
            let term = &mut terms[*position as usize];
            *term = Term { negative: term.negative, ..new.clone() };
        }
    }
}

/// Products in the order of their factors and constants: their beginnings and places. Those with the same first factor are brought together by
/// counting, which leaves few to compare.
fn sorted(found: &[(&Term, Option<NodeId>, u32)], n_nodes: usize) -> Vec<(u128, u32)> {
    let first = |t: &Term| t.factors[0].0.index();
    let mut ends = vec![0; n_nodes + 1];
    found.iter().for_each(|(t, ..)| ends[first(t) + 1] += 1);
    (0..n_nodes).for_each(|n| ends[n + 1] += ends[n]);
    let mut order = vec![(0, 0); found.len()];
    for (k, (t, ..)) in (0..).zip(found) {
        let place = &mut ends[first(t)];
        order[*place] = (beginning(t), k);
        *place += 1;
    }
    let term = |k: u32| found[k as usize].0;
    for same in order.chunk_by_mut(|(x, _), (y, _)| x >> 96 == y >> 96) {
        same.sort_unstable_by(|(x, j), (y, k)| {
            x.cmp(y).then_with(|| {
                let (a, b) = (term(*j), term(*k));
                (&a.factors, a.constant).cmp(&(&b.factors, b.constant))
            })
        });
    }
    order
}

/// Whether anything changed.
fn share_pairs(graph: &mut Graph<'_>, products: &Products, side: Side) -> bool {
    let one = graph.pool.one();
    let mut items = Items::new(graph);
    let mut lists: Vec<List> = Vec::with_capacity(products.list.len());
    for term in products.iter(graph) {
        let mut list = List::new();
        if side == Side::Above && term.constant != one {
            let item = items.number(Item::Constant(term.constant));
            list.push(Element { item, negative: false, times: 1 });
        }
        let mine = term.factors.iter().filter(|(_, n)| (*n > 0) == (side == Side::Above));
        for (node, n) in mine {
            let item = items.number(Item::Node(*node));
            list.push(Element { item, negative: false, times: n.unsigned_abs() });
        }
        list.sort_unstable_by_key(|e| e.item);
        lists.push(list);
    }
    let ranks = items.items.iter().map(|i| u32::from(matches!(i, Item::Node(_)))).collect();
    let n_items = items.items.len() as u32;
    let found = extract(&mut lists, ranks);
    for (a, b, _) in &found {
        let [a, b] = [a, b].map(|i| match items.items[*i as usize] {
            Item::Constant(k) => graph.constant(k),
            Item::Node(node) => graph.just(node),
        });
        let product = graph.multiply(&a, &b);
        let node = graph.intern(Node::Sum(Rc::new([product])));
        items.items.push(Item::Node(node));
    }
    for (k, list) in lists.into_iter().enumerate() {
        if list.iter().all(|e| e.item < n_items) {
            continue;
        }
        let old = products.get(graph, k);
        let mut constant = if side == Side::Above { one } else { old.constant };
        let mut factors = Factors::new();
        factors.extend(old.factors.iter().copied().filter(|(_, n)| (*n > 0) != (side == Side::Above)));
        for element in list {
            let times = if side == Side::Above { element.times as i32 } else { -(element.times as i32) };
            match items.items[element.item as usize] {
                // A product has one constant, which is not negative.
                Item::Constant(k) => constant = k,
                Item::Node(node) => factors.push((node, times)),
            }
        }
        let new = Term { factors: joined(factors), constant, negative: false };
        products.replace(graph, k, &new);
    }
    !found.is_empty()
}

/// Factors in order, equal ones as one.
fn joined(mut factors: Factors) -> Factors {
    factors.sort_unstable();
    factors.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0 };
        is_same
    });
    factors.retain(|(_, n)| *n != 0);
    factors
}

/// A quantity by which several products are divided is inverted once. Whether anything changed.
fn share_reciprocals(graph: &mut Graph<'_>, products: &Products) -> bool {
    let mut divided: Map<NodeId, u32> = Map::default();
    for (node, _) in products.iter(graph).flat_map(|t| &t.factors).filter(|(_, n)| *n < 0) {
        *divided.entry(*node).or_default() += 1;
    }
    let mut changed = false;
    for k in 0..products.list.len() {
        let old = products.get(graph, k);
        let is_shared = |(node, n): &&(NodeId, i32)| *n < 0 && divided[node] > 1;
        let below: Factors = old.factors.iter().filter(is_shared).copied().collect();
        if below.is_empty() {
            continue;
        }
        let mut new = Term { negative: false, ..old.clone() };
        for (node, n) in below {
            let inverse = Term { factors: smallvec![(node, -1)], ..graph.just(node) };
            let inverse = graph.intern(Node::Sum(Rc::new([inverse])));
            let back = Term { factors: smallvec![(node, -n)], ..graph.just(node) };
            let power = Term { factors: smallvec![(inverse, -n)], ..graph.just(inverse) };
            new = graph.multiply(&graph.multiply(&new, &back), &power);
        }
        products.replace(graph, k, &new);
        changed = true;
    }
    changed
}
