//! Pairs of terms that occur in more than one sum are named.

use std::rc::Rc;

use cardan_base::{Id, Map};

use super::graph::{Graph, Node, NodeId, Term};
use super::pairs::{Element, List, extract};

/// Names pairs of terms that occur, with the same or with opposite signs, in more than one sum.
pub(crate) fn share_sums(graph: &mut Graph<'_>) {
    let is_sum = |n: &NodeId| matches!(&graph.nodes[n.index()], Node::Sum(terms) if terms.len() > 1);
    let sums: Vec<NodeId> = graph.parts_first().into_iter().filter(is_sum).collect();
    let mut numbers: Map<Term, u32> = Map::default();
    let mut items: Vec<Term> = vec![];
    let mut lists: Vec<List> = vec![];
    for id in &sums {
        let element = |term: &Term| {
            let key = Term { negative: false, ..term.clone() };
            let item = match numbers.get(&key) {
                Some(item) => *item,
                None => {
                    items.push(key.clone());
                    numbers.insert(key, items.len() as u32 - 1);
                    items.len() as u32 - 1
                }
            };
            Element { item, negative: term.negative, times: 1 }
        };
        let mut list: List = graph.terms(*id).iter().map(element).collect();
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
