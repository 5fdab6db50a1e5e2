//! The graph as values of a program.

use cardan_base::Id;
use cardan_expr::Rational;

use crate::LowerError;
use crate::arithmetic::{self, Factors, Signed};
use crate::cse::graph::{Graph, Node, Term};
use crate::translate::Lowering;

/// The values of the roots. The values of all expressions that have one are remembered.
pub(crate) fn emit(lowering: &mut Lowering<'_>, graph: &Graph<'_>) -> Result<Vec<Signed>, LowerError> {
    let mut values: Vec<Option<Signed>> = vec![None; graph.nodes.len()];
    for id in graph.parts_first() {
        let value = match &graph.nodes[id.index()] {
            Node::Input(value) => Signed::plus(*value),
            Node::Call(function, terms) => {
                let arguments: Result<Factors, _> =
                    terms.iter().map(|t| term(lowering, &values, t)).collect();
                lowering.call(*function, &arguments?)
            }
            Node::Power(base, exponent) => {
                let base = number(lowering, &values, base)?;
                let (mut above, mut below) = (Factors::new(), Factors::new());
                arithmetic::power(&mut lowering.builder, base, exponent, &mut above, &mut below);
                arithmetic::quotient(&mut lowering.builder, &above, &below)
            }
            Node::Sum(terms) => {
                let mut added = Factors::new();
                for t in terms.iter() {
                    added.push(number(lowering, &values, t)?);
                }
                arithmetic::sum(&mut lowering.builder, added)
            }
        };
        values[id.index()] = Some(value);
    }
    for (e, node, negative) in graph.forms.iter() {
        if let Some(value) = values[node.index()] {
            lowering.remember(*e, Signed { negative: value.negative != *negative, ..value });
        }
    }
    graph.roots.iter().map(|t| term(lowering, &values, t)).collect()
}

/// A term as a number, even if it is true or false.
fn number(lowering: &mut Lowering<'_>, values: &[Option<Signed>], t: &Term) -> Result<Signed, LowerError> {
    let value = term(lowering, values, t)?;
    Ok(Signed { value: arithmetic::real(&mut lowering.builder, value.value), ..value })
}

fn term(lowering: &mut Lowering<'_>, values: &[Option<Signed>], term: &Term) -> Result<Signed, LowerError> {
    let value_of = |n: usize| values[n].expect("parts are emitted before what they are parts of");
    let signed = |value: Signed| Signed { negative: value.negative != term.negative, ..value };
    let is_scaled = term.constant != lowering.pool.one();
    match term.factors[..] {
        [] => return Ok(signed(lowering.value(term.constant)?)),
        [(node, 1)] if !is_scaled => return Ok(signed(value_of(node.index()))),
        _ => {}
    }
    let (mut above, mut below) = (Factors::new(), Factors::new());
    if is_scaled {
        let constant = lowering.value(term.constant)?;
        above.push(Signed { value: arithmetic::real(&mut lowering.builder, constant.value), ..constant });
    }
    for (node, n) in &term.factors {
        let base = value_of(node.index());
        let base = Signed { value: arithmetic::real(&mut lowering.builder, base.value), ..base };
        match n {
            1 => above.push(base),
            -1 => below.push(base),
            _ => {
                let exponent = Rational::int(i64::from(*n));
                arithmetic::power(&mut lowering.builder, base, &exponent, &mut above, &mut below);
            }
        }
    }
    Ok(signed(arithmetic::quotient(&mut lowering.builder, &above, &below)))
}
