//! Sums and products in the order in which their parts become known.
//!
//! A processor works on many operations at once, but each waits for its operands: what counts in small programs is the longest chain of
//! operations that wait for one another. A sum of several terms is such a chain. If the term that is known last comes last, only one operation
//! follows it; if it comes first, all do. The same holds for products of several factors.
//!
//! ```text
//! [late-term]        (x + a) + b  →  (a + b) + x         if x is known later than a and b
//! [late-factor]      (x a) b      →  (a b) x
//! ```
//!
//! Only sums and products that nobody else reads are taken apart, only within one stage, and only where the result is then known earlier; the number
//! of sums and products stays the same. Products that join a sum are taken to be fused with it ([`fuse`](crate::passes::fuse())); a few more stay by
//! themselves. So programs in which there is always enough to do while something waits are left as they are.

use cardan_base::{Arena, Id};

use crate::op::{Binary, Op, ValueId};
use crate::passes::cost::latency;
use crate::passes::{checked, remove_dead};
use crate::program::Program;

/// Cycles of one sum, product, or fused operation.
const STEP: f64 = 4.0;

/// A program is left as it is if its longest chain takes less than this part of the time of its operations, two to a cycle. A processor sees only some
/// hundred operations ahead, so chains that are much shorter than the whole still make it wait: with a third instead of a fifth, forward dynamics of a
/// humanoid took 8 % longer and derivatives of an arm of seven joints 13 %.
const SHORT_CHAIN: f64 = 0.2;

/// The program with sums and products reassociated where that lets their results be known earlier.
pub fn hasten(program: &Program) -> Program {
    if !waits(program) {
        return remove_dead(program);
    }
    let uses = program.use_counts();
    let mut result = program.clone();
    let mut new = New { values: Arena::new(), known: vec![], map: Vec::with_capacity(program.values.len()) };
    for (first, stage) in program.stages.ids().enumerate() {
        let range = program.stage_values(stage);
        let is_inner = |v: ValueId| uses[v.index()] == 1 && range.contains(&v.index());
        for value in range.clone().map(ValueId::from_index) {
            let op = &program.values[value];
            let plain = op.map_operands(|v| new.map[v.index()]);
            let id = new.push(plain, first == 0);
            new.map.push(id);
            let parts = match op {
                Op::Binary(Binary::Add | Binary::Sub, ..) => {
                    Parts::Sum(terms(program, value, &is_inner, &new))
                }
                Op::Binary(Binary::Mul, ..) => Parts::Product(factors(program, value, &is_inner, &new)),
                _ => continue,
            };
            if let Some(better) = new.rebuild(parts, id) {
                new.map[value.index()] = better;
            }
        }
        result.stages[stage].end = new.values.len();
    }
    for (_, output) in result.outputs.iter_mut() {
        output.value = new.map[output.value.index()];
    }
    result.values = new.values;
    remove_dead(&checked(result))
}

/// One term of a sum, in the new program.
#[derive(Clone, Copy)]
struct Term {
    /// A product that would be fused, or a number.
    value: ValueId,
    is_negative: bool,
    is_product: bool,
    /// When it is known; of a product, when its factors are.
    known: f64,
}

enum Parts {
    Sum(Vec<Term>),
    Product(Vec<ValueId>),
}

struct New {
    values: Arena<ValueId, Op>,
    /// When each value is known, in cycles; products as if by themselves.
    known: Vec<f64>,
    /// From old values.
    map: Vec<ValueId>,
}

impl New {
    fn push(&mut self, op: Op, is_setup: bool) -> ValueId {
        let mut known: f64 = 0.0;
        op.for_each_operand(|v| known = known.max(self.known[v.index()]));
        // A product that joins a sum costs no time of its own.
        if let Op::Binary(Binary::Add | Binary::Sub, x, y) = op {
            known = known.min(self.known_of_sum(x, y)).max(0.0);
        }
        self.known.push(if is_setup { 0.0 } else { known + latency(&op) });
        self.values.push(op)
    }

    /// When both operands of a sum are known if the second, or else the first, is a product that is fused with it.
    fn known_of_sum(&self, x: ValueId, y: ValueId) -> f64 {
        let at = |v: ValueId| self.known[v.index()];
        let fused = |product: ValueId, other: ValueId| self.factors_known(product).map(|k| k.max(at(other)));
        fused(y, x).or_else(|| fused(x, y)).unwrap_or_else(|| at(x).max(at(y)))
    }

    /// When the factors of a product are known.
    fn factors_known(&self, v: ValueId) -> Option<f64> {
        match self.values[v] {
            Op::Binary(Binary::Mul, a, b) => Some(self.known[a.index()].max(self.known[b.index()])),
            _ => None,
        }
    }

    /// The same sum or product in a better order, if there is one.
    fn rebuild(&mut self, parts: Parts, plain: ValueId) -> Option<ValueId> {
        match parts {
            Parts::Sum(mut terms) if terms.len() > 2 => {
                terms.sort_by(|a, b| a.known.total_cmp(&b.known));
                if !terms.iter().any(|t| t.is_product) || !self.sum_is_earlier(&terms, plain) {
                    return None;
                }
                let start = terms.remove(beginning(&terms)?);
                let mut sum = start.value;
                for term in terms {
                    let op = if term.is_negative { Binary::Sub } else { Binary::Add };
                    sum = self.push(Op::Binary(op, sum, term.value), false);
                }
                Some(sum)
            }
            Parts::Product(mut factors) if factors.len() > 2 => {
                factors.sort_by(|a, b| self.known[a.index()].total_cmp(&self.known[b.index()]));
                let mut end = self.known[factors[0].index()];
                for factor in &factors[1..] {
                    end = end.max(self.known[factor.index()]) + STEP;
                }
                if end >= self.known[plain.index()] {
                    return None;
                }
                let first = factors[0];
                Some(factors[1..].iter().fold(first, |product, factor| {
                    self.push(Op::Binary(Binary::Mul, product, *factor), false)
                }))
            }
            Parts::Sum(_) | Parts::Product(_) => None,
        }
    }

    fn sum_is_earlier(&self, terms: &[Term], plain: ValueId) -> bool {
        let Some(begin) = beginning(terms) else { return false };
        let start = &terms[begin];
        let mut end = start.known + if start.is_product { STEP } else { 0.0 };
        for (_, term) in terms.iter().enumerate().filter(|(k, _)| *k != begin) {
            end = end.max(term.known) + STEP;
        }
        end < self.known[plain.index()]
    }
}

/// Whether the longest chain of operations after the setup takes a good part of the time of all of them.
fn waits(program: &Program) -> bool {
    let mut known = vec![0.0f64; program.values.len()];
    let mut n = 0.0;
    let setup = program.stages.ids().next().map_or(0, |stage| program.stage_values(stage).end);
    for (value, op) in program.values.iter().skip(setup).filter(|(_, op)| !op.is_leaf()) {
        let mut start: f64 = 0.0;
        op.for_each_operand(|v| start = start.max(known[v.index()]));
        known[value.index()] = start + latency(op);
        n += 1.0;
    }
    let longest = known.iter().fold(0.0, |a: f64, b| a.max(*b));
    longest > SHORT_CHAIN * n / 2.0
}

/// With which of the terms, sorted by when they are known, a sum begins: one that is added; rather a number than a product, which then is a
/// product by itself.
fn beginning(terms: &[Term]) -> Option<usize> {
    let first = terms.iter().position(|t| !t.is_negative)?;
    let is_soon = |t: &Term| t.known <= terms[first].known + STEP;
    let number = terms.iter().position(|t| !t.is_negative && !t.is_product && is_soon(t));
    Some(number.unwrap_or(first))
}

/// The terms of a sum, in the new program.
fn terms(program: &Program, sum: ValueId, is_inner: &impl Fn(ValueId) -> bool, new: &New) -> Vec<Term> {
    let mut found = vec![];
    let mut waiting = vec![(sum, false)];
    while let Some((value, is_negative)) = waiting.pop() {
        match program.values[value] {
            Op::Binary(op @ (Binary::Add | Binary::Sub), x, y) if value == sum || is_inner(value) => {
                waiting.push((y, is_negative != (op == Binary::Sub)));
                waiting.push((x, is_negative));
            }
            ref op => {
                let is_product = matches!(op, Op::Binary(Binary::Mul, ..)) && is_inner(value);
                let own = new.map[value.index()];
                let known = new.factors_known(own).filter(|_| is_product);
                let known = known.unwrap_or(new.known[own.index()]);
                found.push(Term { value: own, is_negative, is_product, known });
            }
        }
    }
    found
}

/// The factors of a product, in the new program.
fn factors(
    program: &Program,
    product: ValueId,
    is_inner: &impl Fn(ValueId) -> bool,
    new: &New,
) -> Vec<ValueId> {
    let mut found = vec![];
    let mut waiting = vec![product];
    while let Some(value) = waiting.pop() {
        match program.values[value] {
            Op::Binary(Binary::Mul, a, b) if value == product || is_inner(value) => waiting.extend([b, a]),
            _ => found.push(new.map[value.index()]),
        }
    }
    found
}
