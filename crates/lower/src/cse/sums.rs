//! Pairs of terms that occur in more than one sum are named.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use cardan_base::{Id, Map};

use crate::cse::graph::{Graph, Node, NodeId, Term};
use crate::cse::pairs::{Element, List, extract};

/// A term whatever its sign.
struct Unsigned<'t>(&'t Term);

impl PartialEq for Unsigned<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.constant == other.0.constant && self.0.factors == other.0.factors
    }
}

impl Eq for Unsigned<'_> {}

impl Hash for Unsigned<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.factors.hash(state);
        self.0.constant.hash(state);
    }
}

/// Names pairs of terms that occur, with the same or with opposite signs, in more than one sum.
pub(crate) fn share_sums(graph: &mut Graph<'_>) {
    let is_sum = |n: &NodeId| matches!(&graph.nodes[n.index()], Node::Sum(terms) if terms.len() > 1);
    let sums: Vec<NodeId> = graph.parts_first().into_iter().filter(is_sum).collect();
    let n_terms = sums.iter().map(|id| graph.terms(*id).len()).sum();
    let mut numbers: Map<Unsigned<'_>, u32> = Map::with_capacity_and_hasher(n_terms, Default::default());
    let mut items: Vec<Term> = vec![];
    let mut lists: Vec<List> = vec![];
    for id in &sums {
        let mut list = List::new();
        for term in graph.terms(*id) {
            let item = *numbers.entry(Unsigned(term)).or_insert_with(|| {
                items.push(Term { negative: false, ..term.clone() });
                items.len() as u32 - 1
            });
            list.push(Element { item, negative: term.negative, times: 1 });
        }
        list.sort_unstable();
        lists.push(list);
    }
    let ranks = items.iter().map(|t| u32::from(!t.factors.is_empty())).collect();
    let found = extract(&mut lists, ranks);
    if found.is_empty() {
        return;
    }
    for (a, b, differ) in found {
        let second = Term { negative: differ, ..items[b as usize].clone() };
        let node = graph.intern(Node::Sum(Rc::new([items[a as usize].clone(), second])));
        items.push(graph.just(node));
    }
    for (id, list) in sums.into_iter().zip(lists) {
        let terms = list.iter().map(|e| Term { negative: e.negative, ..items[e.item as usize].clone() });
        let terms: Rc<[Term]> = terms.collect();
        // A sum of exactly the two terms that were named is that name's own definition.
        if terms.len() > 1 || terms.iter().any(|t| t.as_node(graph.pool) != Some(id)) {
            graph.nodes[id.index()] = Node::Sum(terms);
        }
    }
}
