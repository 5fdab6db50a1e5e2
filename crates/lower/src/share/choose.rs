//! Which steps pay: found by trying.
//!
//! Greedy steps may stand in one another's way, so a few orders of them are tried, and the plain translation too;
//! the cheapest program is taken. Sharing therefore never costs operations.

use cardan_base::Id;
use cardan_expr::Expr;
use cardan_program::{Binary, Op, ProgramBuilder, StageId, Unary, ValueId};

use super::emit::emit;
use super::factor::factor;
use super::graph::Graph;
use super::inline::inline;
use super::products::share_products;
use super::sums::share_sums;
use crate::LowerError;
use crate::arithmetic::Signed;
use crate::translate::Lowering;

/// How factoring and the naming of products follow one another.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// Products are named, nothing is factored.
    ProductsOnly,
    /// All sums are factored first.
    FactorsFirst,
    /// Sums are factored first, but for products that others need.
    FactorsWithRespect,
    /// Products are named first, then sums are factored.
    ProductsFirst,
}

const ORDERS: [Order; 4] =
    [Order::ProductsOnly, Order::FactorsFirst, Order::FactorsWithRespect, Order::ProductsFirst];

/// The cheapest program in the making that has been found, and the values of the expressions in it.
pub(crate) fn cheapest<'p>(
    start: &Lowering<'p>,
    expressions: &[Expr],
) -> Result<(Lowering<'p>, Vec<Signed>), LowerError> {
    let mut plain = start.clone();
    let values = expressions.iter().map(|e| plain.value(*e)).collect::<Result<Vec<_>, _>>()?;
    let mut best = (cost(&plain.builder), plain, values);
    let mut graph = Graph::of(start, expressions)?;
    inline(&mut graph);
    for order in ORDERS {
        let mut graph = graph.clone();
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
        let mut lowering = start.clone();
        let values = emit(&mut lowering, &graph)?;
        let cost = cost(&lowering.builder);
        if cost < best.0 {
            best = (cost, lowering, values);
        }
    }
    Ok((best.1, best.2))
}

/// What a program costs at every step, in multiplications. The first stage is free; what it costs decides between
/// programs that are otherwise equal.
fn cost(builder: &ProgramBuilder) -> (u64, u64) {
    let mut total = (0, 0);
    for v in (0..builder.n_values()).map(ValueId::from_index) {
        let price = match builder.operation(v) {
            Op::Const(_) | Op::Truth(_) | Op::Input(_) | Op::Unary(Unary::Neg, _) => 0,
            Op::Binary(Binary::Div, ..) => 4,
            Op::Binary(Binary::Add | Binary::Sub | Binary::Mul, ..) => 1,
            _ => 10,
        };
        if builder.stage_of(v) == StageId::from_index(0) {
            total.1 += price;
        } else {
            total.0 += price;
        }
    }
    total
}
