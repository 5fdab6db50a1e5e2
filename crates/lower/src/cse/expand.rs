//! Sums multiplied out, so that terms meet that the derivation kept apart.
//!
//! A derivation names what it computes on the way, and some of what it names cancels or collects later on. Multiplied out,
//! the equations are polynomials in sines, cosines, coordinates, speeds and accelerations; common factors are
//! then taken out afresh (the way of SYM in the Multibody Systems Handbook). Sums that would grow too long stay closed.
//!
//! Sums are multiplied with single factors only. That does no harm to accuracy: the result is as if the summands were a
//! rounding error off. The product of two sums is another matter, as (x - y)² shows when x and y are close.
//!
//! ```text
//! [one-sum]     a (x + y) = a x + a y,   but (x + y) (v + w) stays
//! [squares]     A M sin² + B M cos² = A M + (B - A) M cos²
//! ```

use std::rc::Rc;

use cardan_base::{Id, Map};
use cardan_expr::Function;
use smallvec::smallvec;

use crate::cse::graph::{Graph, Node, NodeId, Term, sum_cost};

/// Multiplies out every sum that has at most `limit` terms afterwards. Gives up, with `false`, when all sums on the way,
/// also those that are no longer needed then, take more than four times `bound` operations.
pub(crate) fn expand(graph: &mut Graph<'_>, limit: usize, bound: u32) -> bool {
    let mut cost: u32 = 0;
    // Per node its terms, if it may be opened where it is used.
    let mut open: Map<NodeId, Rc<[Term]>> = Map::default();
    for id in graph.parts_first() {
        match &graph.nodes[id.index()] {
            Node::Sum(terms) => {
                let terms = Rc::clone(terms);
                if is_shifted(graph, &terms) {
                    continue;
                }
                if let Some(expanded) = expand_terms(graph, &open, &terms, limit) {
                    let expanded: Rc<[Term]> = join_squares(graph, expanded).into();
                    cost += sum_cost(graph.pool, &expanded);
                    if cost / 4 > bound {
                        return false;
                    }
                    graph.nodes[id.index()] = Node::Sum(Rc::clone(&expanded));
                    open.insert(id, expanded);
                }
            }
            Node::Input(_) => {}
            Node::Call(..) | Node::Power(..) => {
                for k in 0..graph.terms(id).len() {
                    let term = graph.terms(id)[k].clone();
                    let closed = close(graph, &open, &term, limit);
                    graph.terms_mut(id)[k] = closed;
                }
            }
        }
    }
    for k in 0..graph.roots.len() {
        let root = graph.roots[k].clone();
        graph.roots[k] = close(graph, &open, &root, limit);
    }
    true
}

/// A coordinate measured from elsewhere, l + q: as good as a coordinate.
fn is_shifted(graph: &Graph<'_>, terms: &[Term]) -> bool {
    matches!(terms, [k, x] if k.factors.is_empty() && x.as_node(graph.pool).is_some())
}

/// A term multiplied out and put together again.
fn close(graph: &mut Graph<'_>, open: &Map<NodeId, Rc<[Term]>>, term: &Term, limit: usize) -> Term {
    match expand_terms(graph, open, std::slice::from_ref(term), limit) {
        Some(expanded) => {
            let expanded = join_squares(graph, expanded);
            graph.sum(expanded)
        }
        None => term.clone(),
    }
}

/// The terms multiplied out and collected; nothing if there are more than `limit`.
fn expand_terms(
    graph: &Graph<'_>,
    open: &Map<NodeId, Rc<[Term]>>,
    terms: &[Term],
    limit: usize,
) -> Option<Vec<Term>> {
    let mut all = vec![];
    for term in terms {
        let is_sum = |n: &&(NodeId, i32)| open.get(&n.0).is_some_and(|terms| terms.len() > 1);
        let n_sums: i32 = term.factors.iter().filter(is_sum).map(|(_, n)| n.abs()).sum();
        let mut product = vec![Term { factors: smallvec![], ..term.clone() }];
        for (node, n) in &term.factors {
            match open.get(node) {
                // [one-sum]
                Some(factor) if *n == 1 && (factor.len() == 1 || n_sums == 1) => {
                    let pairs = product.iter().flat_map(|a| factor.iter().map(|b| graph.multiply(a, b)));
                    product = graph.collect(pairs.collect());
                }
                _ => {
                    let kept = Term { factors: smallvec![(*node, *n)], ..graph.just(*node) };
                    product.iter_mut().for_each(|t| *t = graph.multiply(t, &kept));
                }
            }
        }
        all.extend(product);
        if all.len() > 4 * limit {
            return None;
        }
    }
    let all = graph.collect(all);
    (all.len() <= limit).then_some(all)
}

/// [squares], and K M - K M cos² = K M sin².
fn join_squares(graph: &mut Graph<'_>, mut terms: Vec<Term>) -> Vec<Term> {
    let mut k = 0;
    while k < terms.len() {
        match joined_at(graph, &terms, k) {
            Some(better) => {
                terms = better;
                k = 0;
            }
            None => k += 1,
        }
    }
    terms
}

fn joined_at(graph: &mut Graph<'_>, terms: &[Term], k: usize) -> Option<Vec<Term>> {
    let squares: Vec<(NodeId, Function, Term)> = terms[k]
        .factors
        .iter()
        .filter_map(|(node, n)| {
            let Node::Call(function @ (Function::Sin | Function::Cos), arguments) =
                &graph.nodes[node.index()]
            else {
                return None;
            };
            (*n >= 2).then(|| (*node, *function, arguments[0].clone()))
        })
        .collect();
    for (node, function, argument) in squares {
        let other = if function == Function::Sin { Function::Cos } else { Function::Sin };
        let partner = graph.intern(Node::Call(other, Rc::new([argument])));
        let square = |n: NodeId, e: i32| Term { factors: smallvec![(n, e)], ..graph.just(n) };
        let without = graph.multiply(&terms[k], &square(node, -2));
        let mirrored = graph.multiply(&without, &square(partner, 2));
        let position = |t: &Term| terms.iter().position(|o| o.factors == t.factors);
        // A M sin² + B M cos²: the sine goes.
        if let (Function::Sin, Some(_)) = (function, position(&mirrored)) {
            let mut better = terms.to_vec();
            better.remove(k);
            better.push(Term { negative: !mirrored.negative, ..mirrored });
            better.push(without);
            return Some(graph.collect(better));
        }
        // K M - K M f²
        let opposite = |o: &Term| {
            o.factors == without.factors && o.constant == without.constant && o.negative != without.negative
        };
        if let Some(j) = terms.iter().position(opposite) {
            let mut better = terms.to_vec();
            better[k] = Term { negative: !mirrored.negative, ..mirrored };
            better.remove(j);
            return Some(graph.collect(better));
        }
    }
    None
}
