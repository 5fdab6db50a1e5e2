//! Pairs of factors that occur in more than one product are named; so are reciprocals.

use std::ops::Range;
use std::rc::Rc;

use cardan_base::{Id, Map};
use cardan_expr::Expr;
use smallvec::smallvec;

use super::graph::{Graph, Node, NodeId, Term};
use super::pairs::{Element, List, extract};

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
    if products.iter().any(|t| t.factors.iter().any(|(_, n)| *n < 0)) {
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

/// The distinct products of a graph, without sign, and where each occurs.
struct Products {
    list: Vec<(Term, Range<usize>)>,
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
        graph.parts_first().into_iter().for_each(|n| add(Some(n), graph.terms(n)));
        add(None, &graph.roots);
        let term = |k: u32| found[k as usize].0;
        let mut order: Vec<(u128, u32)> = (0..).zip(&found).map(|(k, (t, ..))| (beginning(t), k)).collect();
        order.sort_unstable_by(|(x, j), (y, k)| {
            x.cmp(y).then_with(|| {
                let (a, b) = (term(*j), term(*k));
                (&a.factors, a.constant).cmp(&(&b.factors, b.constant))
            })
        });
        let mut products =
            Products { list: Vec::with_capacity(found.len()), places: Vec::with_capacity(found.len()) };
        let is_same = |(x, j): &(u128, u32), (y, k): &(u128, u32)| {
            let (a, b) = (term(*j), term(*k));
            x == y && a.constant == b.constant && a.factors == b.factors
        };
        for same in order.chunk_by(is_same) {
            let first = products.places.len();
            products.places.extend(same.iter().map(|(_, k)| (found[*k as usize].1, found[*k as usize].2)));
            let product = Term { negative: false, ..term(same[0].1).clone() };
            products.list.push((product, first..products.places.len()));
        }
        products
    }

    fn iter(&self) -> impl Iterator<Item = &Term> {
        self.list.iter().map(|(product, _)| product)
    }

    /// Replaces the k-th product by an equal one throughout.
    fn replace(&self, graph: &mut Graph<'_>, k: usize, new: &Term) {
        let own_name = new.as_node(graph.pool);
        for (owner, position) in &self.places[self.list[k].1.clone()] {
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

/// Whether anything changed.
fn share_pairs(graph: &mut Graph<'_>, products: &Products, side: Side) -> bool {
    let one = graph.pool.one();
    let mut items = Items::new(graph);
    let mut lists: Vec<List> = Vec::with_capacity(products.list.len());
    for term in products.iter() {
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
        list.sort_unstable();
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
    for (k, (old, list)) in products.iter().zip(lists).enumerate() {
        if list.iter().all(|e| e.item < n_items) {
            continue;
        }
        let kept = old.factors.iter().filter(|(_, n)| (*n > 0) != (side == Side::Above));
        let constant = if side == Side::Above { one } else { old.constant };
        let mut new = Term { factors: kept.copied().collect(), constant, negative: false };
        for element in list {
            let times = if side == Side::Above { element.times as i32 } else { -(element.times as i32) };
            let factor = match items.items[element.item as usize] {
                Item::Constant(k) => graph.constant(k),
                Item::Node(node) => Term { factors: smallvec![(node, times)], ..graph.just(node) },
            };
            new = graph.multiply(&new, &factor);
        }
        products.replace(graph, k, &new);
    }
    !found.is_empty()
}

/// A quantity by which several products are divided is inverted once. Whether anything changed.
fn share_reciprocals(graph: &mut Graph<'_>, products: &Products) -> bool {
    let mut divided: Map<NodeId, u32> = Map::default();
    for (node, _) in products.iter().flat_map(|t| &t.factors).filter(|(_, n)| *n < 0) {
        *divided.entry(*node).or_default() += 1;
    }
    let mut changed = false;
    for (k, old) in products.iter().enumerate() {
        let mut new = old.clone();
        for (node, n) in old.factors.iter().filter(|(node, n)| *n < 0 && divided[node] > 1) {
            let inverse = Term { factors: smallvec![(*node, -1)], ..graph.just(*node) };
            let inverse = graph.intern(Node::Sum(Rc::new([inverse])));
            let back = Term { factors: smallvec![(*node, -n)], ..graph.just(*node) };
            let power = Term { factors: smallvec![(inverse, -n)], ..graph.just(inverse) };
            new = graph.multiply(&graph.multiply(&new, &back), &power);
        }
        if new != *old {
            products.replace(graph, k, &new);
            changed = true;
        }
    }
    changed
}
