//! A set of equations with the intermediates worth naming.
//!
//! Intermediates that are used once, or that are as short as their name, are written out where they are used
//! (Sayers' second pass); the others are numbered afresh in the order in which they are needed.

use cardan_base::{Id, Map};

use super::{Layout, Names};
use crate::{Expr, Function, Node, Pool};

/// Equations ready to be read: constants first, then variables, then the results.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Intermediates that depend on parameters only: name and definition.
    pub constants: Vec<(String, Layout)>,
    /// The other intermediates.
    pub variables: Vec<(String, Layout)>,
    /// What was asked for.
    pub results: Vec<(String, Layout)>,
}

/// An intermediate is written out only while what it stands for has at most so many operations.
const LONGEST_WRITTEN_OUT: u32 = 24;

impl Listing {
    /// The listing of named expressions.
    pub fn of(pool: &Pool, results: &[(String, Expr)]) -> Listing {
        let parts = pool.reachable(results.iter().map(|(_, e)| *e));
        let uses = count_uses(pool, &parts, results);
        let mut names = Names::default();
        let mut shown: Vec<Expr> = vec![];
        // Operations of a definition with what is written out inside it.
        let mut size: Map<Expr, u32> = Map::default();
        let (mut n_constants, mut n_variables) = (0, 0);
        for e in parts {
            let inner = |x: Expr| size.get(&x).copied().unwrap_or(0);
            let own = match pool.node(e) {
                Node::Symbol(s) => {
                    let Some(definition) = pool.definition(e) else { continue };
                    let length = inner(definition);
                    let once = uses.get(&e).copied().unwrap_or(0) <= 1;
                    if length <= 1 && is_short(pool, definition) || once && length <= LONGEST_WRITTEN_OUT {
                        names.written_out.insert(s);
                        length
                    } else {
                        let constant = pool.is_constant(e);
                        let count = if constant { &mut n_constants } else { &mut n_variables };
                        *count += 1;
                        names.renamed.insert(s, format!("{}{count}", if constant { 'p' } else { 'z' }));
                        shown.push(e);
                        0
                    }
                }
                Node::Sum(terms) => {
                    terms.iter().map(|(_, m)| inner(*m)).sum::<u32>() + terms.len() as u32 - 1
                }
                Node::Product(_, factors) => {
                    factors.iter().map(|(b, _)| inner(*b)).sum::<u32>() + factors.len() as u32 - 1
                }
                Node::Call(_, arguments) => arguments.iter().map(|a| inner(*a)).sum::<u32>() + 1,
                Node::Number(_) | Node::Undefined => 0,
            };
            size.insert(e, own);
        }
        let mut listing = Listing::default();
        for e in shown {
            let (Some(s), Some(definition)) = (pool.as_symbol(e), pool.definition(e)) else { continue };
            let line = (names.renamed[&s].clone(), Layout::of(pool, definition, &names));
            if pool.is_constant(e) { listing.constants.push(line) } else { listing.variables.push(line) }
        }
        listing.results =
            results.iter().map(|(name, e)| (name.clone(), Layout::of(pool, *e, &names))).collect();
        listing
    }
}

/// sin(q), a negative, a square: no longer than a name with an index.
fn is_short(pool: &Pool, definition: Expr) -> bool {
    match pool.node(definition) {
        Node::Call(Function::Sin | Function::Cos, a) => pool.as_symbol(a[0]).is_some(),
        Node::Product(..) => true,
        _ => false,
    }
}

fn count_uses(pool: &Pool, parts: &[Expr], results: &[(String, Expr)]) -> Map<Expr, usize> {
    let mut uses: Map<Expr, usize> = Map::default();
    // Every mention counts, through unnamed nodes as often as these are mentioned themselves.
    let mut count = |e: Expr, n: usize| *uses.entry(e).or_default() += n;
    for (_, e) in results {
        count(*e, 1);
    }
    for e in parts.iter().rev() {
        let mine = uses_of(&uses, *e);
        let mut count = |x: Expr| *uses.entry(x).or_default() += mine;
        match pool.node(*e) {
            Node::Symbol(_) => {
                if let Some(definition) = pool.definition(*e) {
                    uses.entry(definition).or_insert(1);
                }
            }
            Node::Sum(terms) => terms.iter().for_each(|(_, m)| count(*m)),
            Node::Product(_, factors) => factors.iter().for_each(|(b, _)| count(*b)),
            Node::Call(_, arguments) => arguments.iter().for_each(|a| count(*a)),
            Node::Number(_) | Node::Undefined => {}
        }
    }
    debug_assert!(parts.windows(2).all(|w| w[0].index() < w[1].index()));
    uses
}

fn uses_of(uses: &Map<Expr, usize>, e: Expr) -> usize {
    uses.get(&e).copied().unwrap_or(1).min(1000)
}
