//! A set of equations with the intermediates worth naming.
//!
//! Intermediates that are used once, or that are as short as their name, are written out where they are used
//! (Sayers' second pass); the others are numbered afresh in the order in which they are needed. What has a name goes by it
//! everywhere, also where it was built without mention of the name. A choice between cases is never part of a longer formula:
//! it gets a line of its own.

use cardan_base::{Map, Set};

use super::cancel::cancelled;
use super::{Layout, Names};
use crate::{Expr, Function, Node, Pool, Rational};

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
    /// The listing of expressions.
    pub fn of(pool: &Pool, results: &[(String, Expr)]) -> Listing {
        Self::lending(pool, results, &Map::default())
    }

    /// The listing of quantities that their names define: an intermediate that is one of them goes by its name. Names that are empty define
    /// nothing.
    pub fn of_quantities(pool: &Pool, results: &[(String, Expr)]) -> Listing {
        let mut lent: Map<Expr, String> = Map::default();
        for (name, e) in results.iter().filter(|(name, e)| !name.is_empty() && pool.definition(*e).is_some())
        {
            lent.entry(*e).or_insert_with(|| name.clone());
        }
        Self::lending(pool, results, &lent)
    }

    fn lending(pool: &Pool, results: &[(String, Expr)], lent: &Map<Expr, String>) -> Listing {
        let short = cancelled(pool, &results.iter().map(|(_, e)| *e).collect::<Vec<_>>());
        let was = results.iter().map(|(_, e)| *e).zip(short.iter().copied());
        let lent: &Map<Expr, String> =
            &was.filter_map(|(old, new)| Some((new, lent.get(&old)?.clone()))).collect();
        let results: &[(String, Expr)] =
            &results.iter().zip(short).map(|((name, _), e)| (name.clone(), e)).collect::<Vec<_>>();
        let parts = pool.reachable(results.iter().map(|(_, e)| *e));
        let mut names = Names::default();
        let shown = in_order(pool, &shown(pool, &parts, results, &mut names));
        number(pool, &parts, &shown, lent, &mut names);
        let mut listing = Listing::default();
        for e in shown {
            let definition = pool.definition(e).unwrap_or(e);
            let Some(name) = names.named.get(&definition).filter(|_| !lent.contains_key(&e)) else {
                continue;
            };
            let line = (name.clone(), Layout::inside(pool, definition, &names));
            if pool.is_constant(e) { listing.constants.push(line) } else { listing.variables.push(line) }
        }
        let result = |(name, e): &(String, Expr)| {
            let own = lent.get(e).is_some_and(|n| n == name);
            let layout = match pool.definition(*e).filter(|_| own) {
                Some(definition) => Layout::inside(pool, definition, &names),
                None => Layout::of(pool, *e, &names),
            };
            (name.clone(), layout)
        };
        listing.results = results.iter().map(result).collect();
        listing
    }

    /// Constants and variables, in an order in which they can be computed.
    pub fn definitions(&self) -> impl Iterator<Item = &(String, Layout)> {
        self.constants.iter().chain(&self.variables)
    }
}

/// The parts that get a line: intermediates, and choices between cases. The intermediates that do not are marked as written out.
fn shown(pool: &Pool, parts: &[Expr], results: &[(String, Expr)], names: &mut Names) -> Set<Expr> {
    let uses = count_uses(pool, parts, results.iter().map(|(_, e)| *e));
    let n_uses = |e: Expr| uses.get(&e).copied().unwrap_or(0);
    let choices = choices_within(pool, parts);
    // A result that is nothing but an intermediate, or its opposite, has a line already.
    let whole: Set<Expr> = results.iter().map(|(_, e)| without_sign(pool, *e)).collect();
    let defined: Set<Expr> = parts.iter().filter_map(|e| pool.definition(*e)).collect();
    let mut shown: Set<Expr> = Set::default();
    // Operations of a part with what is written out inside it.
    let mut size: Map<Expr, u32> = Map::default();
    for e in parts {
        let inner = |x: Expr| size.get(&x).copied().unwrap_or(0);
        let own = match pool.node(*e) {
            Node::Symbol(s) => {
                let Some(definition) = pool.definition(*e) else { continue };
                let length = inner(definition);
                // The definition itself mentions its parts once; other mentions go by the name too.
                let once = n_uses(*e) + n_uses(definition).saturating_sub(1) <= 1;
                let short = length <= 1 && is_short(pool, definition);
                let whole =
                    whole.contains(e) && !matches!(pool.node(definition), Node::Call(Function::Select, _));
                if short || once && (length <= LONGEST_WRITTEN_OUT && !choices.contains(e) || whole) {
                    names.written_out.insert(s);
                    length
                } else {
                    shown.insert(*e);
                    0
                }
            }
            _ if choices.contains(e) && !defined.contains(e) => {
                shown.insert(*e);
                0
            }
            Node::Sum(terms) => terms.iter().map(|(_, m)| inner(*m)).sum::<u32>() + terms.len() as u32 - 1,
            Node::Product(_, factors) => {
                factors.iter().map(|(b, _)| inner(*b)).sum::<u32>() + factors.len() as u32 - 1
            }
            Node::Call(_, arguments) => arguments.iter().map(|a| inner(*a)).sum::<u32>() + 1,
            Node::Number(_) | Node::Undefined => 0,
        };
        // What is long and mentioned again gets a line as well: a listing is no longer than the graph, whatever the tree is.
        let again = n_uses(*e) > 1 && !defined.contains(e);
        let own = if own > LONGEST_WRITTEN_OUT && again && pool.as_symbol(*e).is_none() {
            shown.insert(*e);
            0
        } else {
            own
        };
        size.insert(*e, own);
    }
    shown
}

/// Choices between cases, and intermediates that are one, which stand inside a sum, a product or a function.
fn choices_within(pool: &Pool, parts: &[Expr]) -> Set<Expr> {
    let is_choice = |e: &Expr| {
        let behind = pool.definition(*e).unwrap_or(*e);
        matches!(pool.node(behind), Node::Call(Function::Select, _))
    };
    let outside = |e: &&Expr| {
        !matches!(pool.node(**e), Node::Call(Function::Select, _)) && pool.definition(**e).is_none()
    };
    parts.iter().filter(outside).flat_map(|e| operands(pool, *e)).filter(is_choice).collect()
}

/// What is shown, each after what it needs.
fn in_order(pool: &Pool, shown: &Set<Expr>) -> Vec<Expr> {
    let mut lines: Vec<Expr> = shown.iter().copied().collect();
    lines.sort_unstable();
    // What has a name goes by it even where only its definition is mentioned.
    let line_of: Map<Expr, Expr> = lines.iter().filter_map(|e| Some((pool.definition(*e)?, *e))).collect();
    let mut seen: Set<Expr> = Set::default();
    let mut out = vec![];
    for line in lines {
        // A line is written when everything below it is: parts are opened on the way down and lines closed on the way up.
        let mut stack = vec![(line, false)];
        while let Some((e, done)) = stack.pop() {
            if done {
                out.push(e);
                continue;
            }
            if !seen.insert(e) {
                continue;
            }
            if shown.contains(&e) {
                stack.push((e, true));
            }
            let behind = pool.definition(e).unwrap_or(e);
            let below = operands(pool, behind).into_iter().map(|x| line_of.get(&x).copied().unwrap_or(x));
            stack.extend(below.map(|x| (x, false)));
        }
    }
    out
}

/// Gives every line a name that nothing else has.
fn number(pool: &Pool, parts: &[Expr], shown: &[Expr], lent: &Map<Expr, String>, names: &mut Names) {
    let own = parts.iter().filter(|e| pool.definition(**e).is_none()).filter_map(|e| pool.as_symbol(*e));
    let taken: Set<String> = own.map(|s| pool.symbol_data(s).name).collect();
    let (mut n_constants, mut n_variables) = (0, 0);
    for e in shown {
        if let Some(name) = lent.get(e) {
            names.renamed.extend(pool.as_symbol(*e).map(|s| (s, name.clone())));
            names.named.extend(pool.definition(*e).map(|d| (d, name.clone())));
            continue;
        }
        let (letter, count) =
            if pool.is_constant(*e) { ('p', &mut n_constants) } else { ('z', &mut n_variables) };
        let name = loop {
            *count += 1;
            let name = format!("{letter}{count}");
            if !taken.contains(&name) {
                break name;
            }
        };
        if let Some(s) = pool.as_symbol(*e) {
            names.renamed.insert(s, name.clone());
        }
        names.named.insert(pool.definition(*e).unwrap_or(*e), name);
    }
}

/// What an expression is the opposite of, or itself.
fn without_sign(pool: &Pool, e: Expr) -> Expr {
    match pool.node(e) {
        Node::Product(c, factors) if c == Rational::int(-1) => match factors.as_ref() {
            [(base, n)] if n.is_one() => *base,
            _ => e,
        },
        _ => e,
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

fn operands(pool: &Pool, e: Expr) -> Vec<Expr> {
    match pool.node(e) {
        Node::Sum(terms) => terms.iter().map(|(_, m)| *m).collect(),
        Node::Product(_, factors) => factors.iter().map(|(b, _)| *b).collect(),
        Node::Call(_, arguments) => arguments.to_vec(),
        Node::Symbol(_) | Node::Number(_) | Node::Undefined => vec![],
    }
}

/// How often each part is mentioned, through unnamed parts as often as these are mentioned themselves.
pub(super) fn count_uses(
    pool: &Pool,
    parts: &[Expr],
    results: impl IntoIterator<Item = Expr>,
) -> Map<Expr, usize> {
    let mut uses: Map<Expr, usize> = Map::default();
    for e in results {
        *uses.entry(e).or_default() += 1;
    }
    for e in parts.iter().rev() {
        match pool.definition(*e) {
            Some(definition) => *uses.entry(definition).or_default() += 1,
            None => {
                let mine = uses.get(e).copied().unwrap_or(1).min(1000);
                operands(pool, *e).into_iter().for_each(|x| *uses.entry(x).or_default() += mine);
            }
        }
    }
    uses
}
