//! Which steps pay: found by trying.
//!
//! Greedy steps may stand in one another's way, so a few orders of them are tried, and the plain translation too;
//! the cheapest program is taken. Sharing therefore never costs operations.

use cardan_base::Id;
use cardan_expr::Expr;
use cardan_program::{Binary, Op, ProgramBuilder, StageId, Unary, ValueId};

use super::emit::emit;
use super::expand::expand;
use super::factor::factor;
use super::graph::Graph;
use super::inline::inline;
use super::products::share_products;
use super::sums::share_sums;
use crate::arithmetic::Signed;
use crate::translate::Lowering;
use crate::{Effort, LowerError};

/// How factoring and the naming of products follow one another.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// Products are named first, then sums are factored.
    ProductsFirst,
    /// All sums are factored first.
    FactorsFirst,
    /// Sums are factored first, but for products that others need.
    FactorsWithRespect,
    /// Products are named, nothing is factored.
    ProductsOnly,
}

/// The best order on average first.
const ORDERS: [Order; 4] =
    [Order::ProductsFirst, Order::FactorsFirst, Order::FactorsWithRespect, Order::ProductsOnly];

/// Sums with at most so many terms are multiplied out; 0 leaves all as they are.
const LIMITS: [usize; 4] = [0, 2, 8, 64];

/// Graphs with more operations than this are not multiplied out.
const LARGEST_EXPANDED: u32 = 1_000;

/// For graphs with more operations than this one order is enough.
const LARGEST_TRIED: u32 = 10_000;

/// The cheapest program in the making that has been found, and the values of the expressions in it.
pub(crate) fn cheapest<'p>(
    start: &Lowering<'p>,
    expressions: &[Expr],
    effort: Effort,
) -> Result<(Lowering<'p>, Vec<Signed>), LowerError> {
    let mut plain = start.clone();
    let values = expressions.iter().map(|e| plain.value(*e)).collect::<Result<Vec<_>, _>>()?;
    if effort == Effort::Plain || expressions.is_empty() {
        return Ok((plain, values));
    }
    let mut best = (cost(&plain.builder), plain, values);
    // One order for every degree of multiplying out; the others for the degree that did best.
    let mut try_order = |graph: &Graph<'p>, order: Order| {
        let graph = shared(graph.clone(), order);
        let mut lowering = start.clone();
        let values = emit(&mut lowering, &graph)?;
        let cost = cost(&lowering.builder);
        if cost < best.0 {
            best = (cost, lowering, values);
        }
        Ok::<_, LowerError>(cost)
    };
    let [first, others @ ..] = ORDERS;
    let mut promising: Option<((u64, u64), Graph<'p>)> = None;
    for graph in candidates(Graph::of(start, expressions)?, effort) {
        let cost = try_order(&graph, first)?;
        if promising.as_ref().is_none_or(|(least, _)| cost < *least) {
            promising = Some((cost, graph));
        }
    }
    if let Some((_, graph)) = promising.filter(|(_, g)| effort == Effort::Full && g.cost() <= LARGEST_TRIED) {
        for order in others {
            try_order(&graph, order)?;
        }
    }
    Ok((best.1, best.2))
}

/// The graph as it was read and, where it is small, multiplied out in several degrees. What has grown by half
/// will not become cheapest.
fn candidates(read: Graph<'_>, effort: Effort) -> Vec<Graph<'_>> {
    let size = read.cost();
    let may_expand = effort == Effort::Full && size <= LARGEST_EXPANDED;
    let bound = size.saturating_add(size / 2);
    let mut graphs = vec![];
    for limit in LIMITS.into_iter().filter(|limit| *limit == 0 || may_expand) {
        let mut graph = read.clone();
        if limit > 0 && !expand(&mut graph, limit, bound) {
            continue;
        }
        inline(&mut graph);
        if limit == 0 || graph.cost() <= bound {
            graphs.push(graph);
        }
    }
    graphs
}

/// The steps in one order.
fn shared(mut graph: Graph<'_>, order: Order) -> Graph<'_> {
    match order {
        Order::ProductsOnly => share_products(&mut graph),
        Order::FactorsFirst | Order::FactorsWithRespect => {
            factor(&mut graph, matches!(order, Order::FactorsWithRespect));
            share_products(&mut graph);
        }
        Order::ProductsFirst => {
            share_products(&mut graph);
            factor(&mut graph, false);
            share_products(&mut graph);
        }
    }
    share_sums(&mut graph);
    graph
}

/// What a program costs after the first stage, in multiplications, then what the first stage costs, which is run once.
pub(crate) fn cost(builder: &ProgramBuilder) -> (u64, u64) {
    let (mut step, mut setup) = (0, 0);
    for v in (0..builder.n_values()).map(ValueId::from_index) {
        let price = price(builder.operation(v));
        if builder.stage_of(v) == StageId::from_index(0) {
            setup += price;
        } else {
            step += price;
        }
    }
    (step, setup)
}

fn price(op: &Op) -> u64 {
    match op {
        Op::Const(_) | Op::Truth(_) | Op::Input(_) | Op::Unary(Unary::Neg, _) => 0,
        Op::Binary(Binary::Add | Binary::Sub | Binary::Mul, ..) => 1,
        Op::Binary(Binary::Div, ..) => 4,
        _ => 10,
    }
}
