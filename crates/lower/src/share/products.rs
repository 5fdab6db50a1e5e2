//! Pairs of factors that occur in more than one product are named; so are reciprocals.

use cardan_base::Map;
use cardan_expr::Expr;
use smallvec::smallvec;

use super::graph::{Graph, Node, NodeId, Term};
use super::pairs::{Element, extract};

/// What a factor is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Item {
    Constant(Expr),
    Node(NodeId),
}

/// Numbers for factors.
#[derive(Default)]
struct Items {
    items: Vec<Item>,
    numbers: Map<Item, u32>,
}

impl Items {
    fn number(&mut self, item: Item) -> u32 {
        let next = self.items.len() as u32;
        let number = *self.numbers.entry(item).or_insert(next);
        if number == next {
            self.items.push(item);
        }
        number
    }
}

/// Names pairs of factors that occur in more than one product.
pub(crate) fn share_products(graph: &mut Graph<'_>) {
    share_pairs(graph, Side::Below);
    share_reciprocals(graph);
    share_pairs(graph, Side::Above);
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Above,
    Below,
}

/// The distinct products of the graph, without sign.
fn products(graph: &Graph<'_>) -> Vec<Term> {
    let nodes = graph.parts_first();
    let terms = nodes.iter().flat_map(|n| graph.terms(*n)).chain(&graph.roots);
    let products = terms.filter(|t| !t.factors.is_empty() && t.as_node(graph.pool).is_none());
    let mut list: Vec<Term> = products.map(|t| Term { negative: false, ..t.clone() }).collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// Replaces products by equal ones throughout.
fn replace(graph: &mut Graph<'_>, better: &Map<Term, Term>) {
    if better.is_empty() {
        return;
    }
    let pool = graph.pool;
    let improve = |term: &mut Term, own: Option<NodeId>| {
        let negative = std::mem::take(&mut term.negative);
        // A product that has a name must not be replaced by that name in its own definition.
        if let Some(new) = better.get(term).filter(|new| own.is_none() || new.as_node(pool) != own) {
            *term = new.clone();
        }
        term.negative = negative;
    };
    for id in graph.parts_first() {
        graph.terms_mut(id).iter_mut().for_each(|t| improve(t, Some(id)));
    }
    graph.roots.iter_mut().for_each(|t| improve(t, None));
}

fn share_pairs(graph: &mut Graph<'_>, side: Side) {
    let products = products(graph);
    let one = graph.pool.one();
    let mut items = Items::default();
    let mut lists: Vec<Vec<Element>> = vec![];
    for term in &products {
        let mut list = vec![];
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
    let found = extract(&mut lists, ranks);
    if found.is_empty() {
        return;
    }
    for (a, b, _) in found {
        let [a, b] = [a, b].map(|i| match items.items[i as usize] {
            Item::Constant(k) => graph.constant(k),
            Item::Node(node) => graph.just(node),
        });
        let product = graph.multiply(&a, &b);
        let node = graph.intern(Node::Sum(vec![product]));
        items.items.push(Item::Node(node));
    }
    let mut better: Map<Term, Term> = Map::default();
    for (old, list) in products.into_iter().zip(lists) {
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
        if new != old {
            better.insert(old, new);
        }
    }
    replace(graph, &better);
}

/// A quantity by which several products are divided is inverted once.
fn share_reciprocals(graph: &mut Graph<'_>) {
    let products = products(graph);
    let mut divided: Map<NodeId, u32> = Map::default();
    for (node, _) in products.iter().flat_map(|t| &t.factors).filter(|(_, n)| *n < 0) {
        *divided.entry(*node).or_default() += 1;
    }
    let mut better: Map<Term, Term> = Map::default();
    for old in products {
        let mut new = old.clone();
        for (node, n) in old.factors.iter().filter(|(node, n)| *n < 0 && divided[node] > 1) {
            let inverse = Term { factors: smallvec![(*node, -1)], ..graph.just(*node) };
            let inverse = graph.intern(Node::Sum(vec![inverse]));
            let back = Term { factors: smallvec![(*node, -n)], ..graph.just(*node) };
            let power = Term { factors: smallvec![(inverse, -n)], ..graph.just(inverse) };
            new = graph.multiply(&graph.multiply(&new, &back), &power);
        }
        if new != old {
            better.insert(old, new);
        }
    }
    replace(graph, &better);
}
