//! Sums that are used once join the sum that uses them (the second pass of Sayers).
//!
//! Then terms cancel or collect across what used to be names, and constants meet. A coefficient is
//! multiplied into the joining terms where that saves operations. Larger sums are joined, too, where most of their terms
//! cancel.

use std::rc::Rc;

use cardan_base::Id;
use smallvec::smallvec;

use crate::cse::graph::{Graph, Node, NodeId, Term, sum_cost};

/// Sums do not grow beyond this by joining.
const LONGEST: usize = 100;

/// Joins sums where it does not cost operations.
pub(crate) fn inline(graph: &mut Graph<'_>) {
    let mut uses = graph.use_counts();
    for id in graph.parts_first() {
        if let Node::Sum(terms) = &graph.nodes[id.index()] {
            if terms.len() < 2 {
                continue;
            }
            let mut terms = Rc::clone(terms);
            let mut changed = false;
            let mut k = 0;
            while k < terms.len() {
                match joined(graph, &uses, &terms, k) {
                    Some(better) => {
                        let node = terms[k].factors[0].0;
                        if uses[node.index()] > 1 {
                            // What it is made of is now used here as well.
                            uses[node.index()] -= 1;
                            let parts = graph.terms(node).iter().flat_map(|t| &t.factors);
                            parts.for_each(|(part, _)| uses[part.index()] += 1);
                        }
                        terms = better.into();
                        changed = true;
                        k = 0;
                    }
                    None => k += 1,
                }
            }
            if changed {
                graph.nodes[id.index()] = Node::Sum(terms);
            }
        }
    }
}

/// The sum with its k-th term opened, if that is better.
fn joined(graph: &Graph<'_>, uses: &[u32], terms: &[Term], k: usize) -> Option<Vec<Term>> {
    let pool = graph.pool;
    let outer = &terms[k];
    let node: NodeId = match outer.factors[..] {
        [(node, 1)] => node,
        _ => return None,
    };
    let Node::Sum(inner) = &graph.nodes[node.index()] else { return None };
    if inner.len() < 2 || inner.len() + terms.len() > LONGEST {
        return None;
    }
    let is_single = uses[node.index()] == 1;
    // Used by others as well, it stays; only cancelling could make it worth while to open it here, too.
    if !is_single && !inner.iter().any(|t| terms.iter().any(|o| o.factors == t.factors)) {
        return None;
    }
    let scale = Term { factors: smallvec![], ..outer.clone() };
    let mut opened: Vec<Term> = terms.to_vec();
    opened.remove(k);
    opened.extend(inner.iter().map(|t| graph.multiply(&scale, t)));
    let opened = graph.collect(opened);
    let before = sum_cost(pool, terms) + if is_single { sum_cost(pool, inner) } else { 0 };
    let after = sum_cost(pool, &opened);
    let is_plain = is_single && outer.constant == pool.one();
    (after < before || (is_plain && after == before)).then_some(opened)
}
