//! Factors that several terms of a sum share are taken out: a x + a y + z = a (x + y) + z.
//!
//! Greedy, as in Horner's rule for several variables: the factor whose removal saves most goes first, then what
//! is left inside and outside is searched again. A division saved counts as many multiplications.

use cardan_base::{Id, Map};
use cardan_expr::Expr;
use smallvec::{SmallVec, smallvec};

use crate::cse::graph::{Factors, Graph, Node, NodeId, Term};

/// What may be taken out.
#[derive(Clone, Copy, Debug)]
enum Factor {
    Constant(Expr),
    Above(NodeId),
    Below(NodeId),
}

/// The cost of a division in multiplications.
const DIVISION: u32 = cardan_program::cost_model::DIVISION as u32;

/// Takes common factors out of all sums. With `respect`, products that several sums need are left in peace, because
/// they are computed anyway.
pub(crate) fn factor(graph: &mut Graph<'_>, respect: bool) {
    let mut needed: Map<Factors, u32> = Map::default();
    let order = graph.parts_first();
    if respect {
        for term in order.iter().flat_map(|n| graph.terms(*n)).filter(|t| t.factors.len() > 1) {
            *needed.entry(Factors::from_slice(&term.factors)).or_default() += 1;
        }
    }
    let mut work = order;
    while let Some(id) = work.pop() {
        let Node::Sum(terms) = &graph.nodes[id.index()] else { continue };
        if terms.len() < 2 {
            continue;
        }
        let mut best = best_factor(graph, terms, &needed);
        if best.is_none() {
            continue;
        }
        let mut terms = terms.to_vec();
        while let Some(factor) = best {
            let (with, without): (Vec<Term>, Vec<Term>) =
                terms.into_iter().partition(|t| contains(t, factor));
            let rest = with.iter().map(|t| without_factor(graph, t, factor)).collect();
            let rest = graph.collect(rest);
            let sum = graph.sum(rest);
            work.extend(sum.as_node(graph.pool));
            let taken = Term { negative: false, ..with_factor(graph, factor) };
            let product = graph.multiply(&taken, &sum);
            terms = without;
            terms.push(product);
            terms = graph.collect(terms);
            best = if terms.len() > 1 { best_factor(graph, &terms, &needed) } else { None };
        }
        graph.nodes[id.index()] = Node::Sum(terms.into());
    }
}

fn contains(term: &Term, factor: Factor) -> bool {
    match factor {
        Factor::Constant(k) => term.constant == k && !term.factors.is_empty(),
        Factor::Above(node) => term.factors.iter().any(|(n, e)| *n == node && *e > 0),
        Factor::Below(node) => term.factors.iter().any(|(n, e)| *n == node && *e < 0),
    }
}

fn with_factor(graph: &Graph<'_>, factor: Factor) -> Term {
    match factor {
        Factor::Constant(k) => graph.constant(k),
        Factor::Above(node) => graph.just(node),
        Factor::Below(node) => Term { factors: smallvec![(node, -1)], ..graph.just(node) },
    }
}

fn without_factor(graph: &Graph<'_>, term: &Term, factor: Factor) -> Term {
    let inverse = match factor {
        Factor::Constant(_) => return Term { constant: graph.pool.one(), ..term.clone() },
        Factor::Above(node) => Term { factors: smallvec![(node, -1)], ..graph.just(node) },
        Factor::Below(node) => graph.just(node),
    };
    graph.multiply(term, &inverse)
}

/// A factor and how many products become cheaper without it in one word, in the order of factors: quick to sort.
type Saving = u64;

fn saving(factor: Factor, saved: u32) -> Saving {
    let (kind, index) = match factor {
        Factor::Constant(k) => (0, k.index()),
        Factor::Above(node) => (1, node.index()),
        Factor::Below(node) => (2, node.index()),
    };
    (kind << 32 | index as u64) << 8 | u64::from(saved)
}

fn factor_of(saving: Saving) -> Factor {
    let index = (saving >> 8) as u32 as usize;
    match saving >> 40 {
        0 => Factor::Constant(Expr::from_index(index)),
        1 => Factor::Above(NodeId::from_index(index)),
        _ => Factor::Below(NodeId::from_index(index)),
    }
}

/// The factor that saves most, if any does.
fn best_factor(graph: &Graph<'_>, terms: &[Term], needed: &Map<Factors, u32>) -> Option<Factor> {
    let one = graph.pool.one();
    let mut cheaper: SmallVec<[Saving; 64]> = SmallVec::new();
    for term in terms {
        let is_needed = needed.get(&term.factors).is_some_and(|n| *n > 1);
        let alone = term.factors.len() == 1 && term.constant == one;
        for (node, n) in &term.factors {
            let trivial = alone && n.abs() == 1;
            cheaper.push(if *n > 0 {
                saving(Factor::Above(*node), u32::from(!trivial && !is_needed))
            } else {
                saving(Factor::Below(*node), DIVISION)
            });
        }
        if term.constant != one && !term.factors.is_empty() {
            cheaper.push(saving(Factor::Constant(term.constant), 1));
        }
    }
    cheaper.sort_unstable();
    let price = |f: Saving| if f >> 40 == 2 { DIVISION } else { 1 };
    let totals = cheaper.chunk_by(|a, b| a >> 8 == b >> 8);
    let totals = totals.map(|same| (same[0], same.iter().map(|s| *s as u8 as u32).sum::<u32>()));
    let worth = totals.filter(|(f, n)| *n > price(*f));
    worth.max_by_key(|(f, n)| (*n - price(*f), std::cmp::Reverse(*f))).map(|(f, _)| factor_of(f))
}
