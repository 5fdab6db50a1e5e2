//! Which steps pay: found by trying.
//!
//! Greedy steps may stand in one another's way, so a few orders of them are tried, and the plain translation too;
//! the cheapest program is taken. Sharing therefore never costs operations. A search can be broken off after each effort, to be
//! compared with others, and goes on from there.

use cardan_base::Id;
use cardan_expr::Expr;
use cardan_program::cost_model::{price, price_of_counts};
use cardan_program::{Counts, ProgramBuilder, StageId, ValueId, count_operations};

use crate::arithmetic::Signed;
use crate::cse::emit::emit;
use crate::cse::expand::expand;
use crate::cse::factor::factor;
use crate::cse::graph::Graph;
use crate::cse::inline::inline;
use crate::cse::products::share_products;
use crate::cse::sums::share_sums;
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

/// The best order on average, tried first.
const FIRST: Order = Order::ProductsFirst;

/// The others, tried for the degree of multiplying out that did best, and the most operations for which each is worth it. Where nothing
/// is factored two operations are saved at most, and that only in small graphs.
const OTHERS: [(Order, u32); 3] =
    [(Order::FactorsFirst, 10_000), (Order::FactorsWithRespect, 10_000), (Order::ProductsOnly, 250)];

/// Sums with at most so many terms are multiplied out; at first all are left as they are.
const LIMITS: [usize; 3] = [2, 8, 64];

/// Graphs with more operations than this are not multiplied out.
const LARGEST_EXPANDED: u32 = 1_000;

/// Operations of every step, in multiplications, then those of the first stage, which is run once.
type Cost = (u64, u64);

/// A search for the cheapest program that computes some expressions.
pub(crate) struct Search<'p> {
    /// The program before.
    start: Lowering<'p>,
    expressions: Vec<Expr>,
    /// What has been tried.
    tried: Effort,
    /// About how many values will be added.
    n_values: usize,
    /// The cheapest that has been found, and the values of the expressions in it.
    best: (Cost, Lowering<'p>, Vec<Signed>),
    /// The graph as it was read, where it is small enough to be multiplied out.
    read: Option<Graph<'p>>,
    /// The graph, multiplied out or not, that did best in the first order.
    promising: Option<(Cost, Graph<'p>)>,
}

impl<'p> Search<'p> {
    /// The plain translation.
    pub fn new(start: Lowering<'p>, expressions: Vec<Expr>) -> Result<Self, LowerError> {
        let mut plain = start.clone();
        // In the end there are about half as many values as expressions.
        plain.builder.reserve((start.pool.len() / 2).saturating_sub(start.builder.n_values()));
        let values = expressions.iter().map(|e| plain.value(*e)).collect::<Result<Vec<_>, _>>()?;
        let n_values = plain.builder.n_values() - start.builder.n_values();
        let best = (cost(&plain.builder), plain, values);
        Ok(Search { start, expressions, tried: Effort::Plain, n_values, best, read: None, promising: None })
    }

    /// Goes on until this effort has been made.
    pub fn pursue(&mut self, effort: Effort) -> Result<(), LowerError> {
        if self.expressions.is_empty() {
            return Ok(());
        }
        if self.tried < effort && self.tried == Effort::Plain {
            self.share()?;
        }
        if self.tried < effort {
            self.vary()?;
        }
        Ok(())
    }

    /// The cheapest program so far.
    pub fn best(&self) -> (&Lowering<'p>, &[Signed]) {
        (&self.best.1, &self.best.2)
    }
    /// What the arithmetic of one step of it costs, in multiplications. Functions are much the same by every formalism, so that they would only
    /// hide how far these are apart.
    pub fn arithmetic(&self) -> u64 {
        let (_, lowering, _) = &self.best;
        let builder = &lowering.builder;
        let of_step = |v: &ValueId| builder.stage_of(*v) != StageId::from_index(0);
        let values = (0..builder.n_values()).map(ValueId::from_index).filter(of_step);
        let counts = count_operations(values.map(|v| builder.operation(v)));
        price_of_counts(&Counts { trig: 0, other: 0, ..counts })
    }
    /// The cheapest program, and the values of the expressions in it.
    pub fn finish(self) -> (Lowering<'p>, Vec<Signed>) {
        (self.best.1, self.best.2)
    }

    /// The graph as it is, in the first order.
    fn share(&mut self) -> Result<(), LowerError> {
        let mut graph = Graph::of(&self.start, &self.expressions)?;
        self.read = (graph.cost() <= LARGEST_EXPANDED).then(|| graph.clone());
        inline(&mut graph);
        let cost = self.try_order(graph.clone(), FIRST)?;
        self.promising = Some((cost, graph));
        self.tried = Effort::Little;
        Ok(())
    }

    /// Where the graph is small, multiplied out in several degrees; then the other orders for the degree that did best.
    fn vary(&mut self) -> Result<(), LowerError> {
        let Some((mut least, first)) = self.promising.take() else { return Ok(()) };
        let mut graphs = vec![first];
        if let Some(read) = self.read.take() {
            multiply_out(&read, &mut graphs);
        }
        let mut promising = 0;
        for k in 1..graphs.len() {
            let cost = self.try_order(graphs[k].clone(), FIRST)?;
            if cost < least {
                (least, promising) = (cost, k);
            }
        }
        let graph = graphs.swap_remove(promising);
        let size = graph.cost();
        for (order, largest) in OTHERS {
            if size <= largest {
                self.try_order(graph.clone(), order)?;
            }
        }
        self.tried = Effort::Full;
        Ok(())
    }

    fn try_order(&mut self, graph: Graph<'p>, order: Order) -> Result<Cost, LowerError> {
        let graph = shared(graph, order);
        let mut lowering = self.start.clone();
        lowering.builder.reserve(self.n_values);
        let values = emit(&mut lowering, &graph)?;
        let cost = cost(&lowering.builder);
        if cost < self.best.0 {
            self.best = (cost, lowering, values);
        }
        Ok(cost)
    }
}

/// Adds the graph multiplied out in several degrees that differ. What has grown by half will not become cheapest.
fn multiply_out<'p>(read: &Graph<'p>, graphs: &mut Vec<Graph<'p>>) {
    let size = read.cost();
    let bound = size.saturating_add(size / 2);
    for limit in LIMITS {
        let mut graph = read.clone();
        if expand(&mut graph, limit, bound) {
            inline(&mut graph);
            if graph.cost() <= bound && !graphs.iter().any(|other| graph.is_like(other)) {
                graphs.push(graph);
            }
        }
    }
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

/// What a program costs.
fn cost(builder: &ProgramBuilder) -> Cost {
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
