//! Switching functions: where a program is not smooth, known from its operations.
//!
//! ```text
//! [switch]     g = level     g = a - b for a < b, min(a, b), max(a, b);  x for |x|, sign x, floor x, table(x)
//! [singular]   g = 0         g = x for √x and x^y;  y for atan2(y, x)
//! ```
//!
//! Everywhere else operations are analytic. At a switch an operation changes its branch: the value
//! or one of its derivatives may jump. At a singular argument the derivative is infinite or
//! undefined, though a product with it may have one: |v| v at rest.

use cardan_base::{Arena, Id};

use crate::op::{Binary, CurveId, Op, OutputId, SurfaceId, Unary, ValueId};
use crate::passes::remove_dead;
use crate::program::{Label, Output, Program};
use crate::table::{Curve, Surface};

/// The values of a switching function at which its operation is not smooth.
#[derive(Clone, PartialEq, Debug)]
pub enum Levels {
    /// Zero.
    Zero,
    /// All whole numbers.
    Integers,
    /// The knots of a table.
    These(Vec<f64>),
}

/// The difference of two values, or one value, and the levels at which an operation on them is not
/// smooth.
#[derive(Clone, PartialEq, Debug)]
pub struct SwitchingFunction {
    /// a of a - b, or the value itself.
    pub first: ValueId,
    /// b of a - b.
    pub second: Option<ValueId>,
    /// Where the operation is not smooth.
    pub levels: Levels,
}

/// The switching functions of an operation. [switch]
pub fn switching_functions(
    op: &Op,
    curves: &Arena<CurveId, Curve>,
    surfaces: &Arena<SurfaceId, Surface>,
) -> Vec<SwitchingFunction> {
    let one = |x: &ValueId, levels: Levels| SwitchingFunction { first: *x, second: None, levels };
    match op {
        Op::Compare(_, x, y) | Op::Binary(Binary::Min | Binary::Max, x, y) => {
            vec![SwitchingFunction { first: *x, second: Some(*y), levels: Levels::Zero }]
        }
        Op::Unary(Unary::Abs | Unary::Sign, x) => vec![one(x, Levels::Zero)],
        Op::Unary(Unary::Floor, x) => vec![one(x, Levels::Integers)],
        Op::Lookup1 { table, x, .. } => vec![one(x, Levels::These(curves[*table].knots().to_vec()))],
        Op::Lookup2 { table, x, y, .. } => {
            let surface = &surfaces[*table];
            let knots = |list: &[f64]| Levels::These(list.to_vec());
            vec![one(x, knots(surface.x())), one(y, knots(surface.y()))]
        }
        _ => vec![],
    }
}

/// The argument at whose zero an operation has no derivative. [singular]
fn singular_argument(op: &Op) -> Option<SwitchingFunction> {
    match op {
        Op::Unary(Unary::Sqrt, x) | Op::Binary(Binary::Pow | Binary::Atan2, x, _) => {
            Some(SwitchingFunction { first: *x, second: None, levels: Levels::Zero })
        }
        _ => None,
    }
}

/// A program that delivers the switching functions and singular arguments on which outputs of
/// another depend.
#[derive(Clone, PartialEq, Debug)]
pub struct SwitchingProgram {
    /// Inputs and stages are those of the other.
    pub program: Program,
    /// The outputs whose difference is the function, and its levels.
    pub functions: Vec<(OutputId, Option<OutputId>, Levels)>,
}

impl SwitchingProgram {
    /// Of these outputs; nothing where they are smooth everywhere.
    pub fn of(program: &Program, outputs: &[OutputId]) -> Option<SwitchingProgram> {
        let mut needed = vec![false; program.values.len()];
        outputs.iter().for_each(|o| needed[program.outputs[*o].value.index()] = true);
        for (id, op) in program.values.iter().rev() {
            if needed[id.index()] {
                op.for_each_operand(|v| needed[v.index()] = true);
            }
        }
        let mut found: Vec<SwitchingFunction> = vec![];
        for (_, op) in program.values.iter().filter(|(id, _)| needed[id.index()]) {
            let switches = switching_functions(op, &program.curves, &program.surfaces);
            let new = switches.into_iter().chain(singular_argument(op));
            found.extend(new.filter(|f| !is_constant(program, f)));
        }
        found.dedup();
        let mut delivered: Arena<OutputId, Output> = Arena::new();
        let mut deliver = |value: ValueId| {
            let stage = program.stage_of(value);
            delivered.push(Output { label: Label::named("switching function"), value, stage })
        };
        let functions: Vec<_> =
            found.into_iter().map(|f| (deliver(f.first), f.second.map(&mut deliver), f.levels)).collect();
        if functions.is_empty() {
            return None;
        }
        let program = remove_dead(&Program { outputs: delivered, ..program.clone() });
        Some(SwitchingProgram { program, functions })
    }

    /// The values of the switching functions, from the outputs of the program.
    pub fn values(&self, outputs: &[f64]) -> Vec<f64> {
        let value = |o: &OutputId| outputs[o.index()];
        self.functions.iter().map(|(a, b, _)| value(a) - b.as_ref().map_or(0.0, value)).collect()
    }

    /// Which functions reach or pass a level between the values `a` and `b`.
    pub fn passed(&self, a: &[f64], b: &[f64]) -> Vec<bool> {
        let pairs = a.iter().zip(b).zip(&self.functions);
        pairs
            .map(|((a, b), (.., levels))| {
                let (low, high) = (a.min(*b), a.max(*b));
                low < high
                    && match levels {
                        Levels::Zero => low <= 0.0 && 0.0 <= high,
                        Levels::Integers => low.ceil() <= high,
                        Levels::These(knots) => knots.iter().any(|k| low <= *k && *k <= high),
                    }
            })
            .collect()
    }
}

fn is_constant(program: &Program, function: &SwitchingFunction) -> bool {
    let constant = |v: &ValueId| matches!(program.values[*v], Op::Const(_));
    constant(&function.first) && function.second.as_ref().is_none_or(constant)
}
