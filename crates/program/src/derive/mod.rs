//! Exact derivatives of a program, as a program.
//!
//! The Jacobian of chosen outputs with respect to chosen inputs is accumulated on the graph of values by the
//! chain rule, either forward (each value carries its derivatives with respect to the inputs it depends on)
//! or in reverse (each output carries its derivatives with respect to the values it depends on). Both are
//! sparse: only entries that can be different from zero exist. The cheaper direction is chosen by counting.
//! See Griewank and Walther 2008, ch. 3 and 7.
//!
//! At kinks the derivative is that of the branch taken: `min`, `max`, `select` follow the chosen operand,
//! `|x|` has slope `sign x`, `floor` and `sign` have slope zero, tables are differentiated from the right.

mod forward;
mod partials;
mod reverse;

use std::fmt;

use cardan_base::Id;

use crate::builder::{Math, ProgramBuilder};
use crate::op::{InputId, Op, OutputId, Type, ValueId};
use crate::passes;
use crate::program::{Label, Program};
use crate::verify::VerifyError;

/// The structurally non-zero entries of a Jacobian, as a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Jacobian {
    /// Same inputs, stages and tables as the original. Its outputs are the original ones, if they were to be
    /// kept, then one per entry of `pattern`.
    pub program: Program,
    /// (row, column) of each entry, by rows: positions in the lists of outputs and inputs asked for.
    pub pattern: Vec<(usize, usize)>,
    /// The output that is the first entry.
    pub first: OutputId,
    /// The direction taken.
    pub direction: Direction,
}

/// In which direction derivatives are accumulated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From inputs to outputs.
    Forward,
    /// From outputs to inputs.
    Reverse,
}

/// How to differentiate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The direction; the cheaper one if none is given.
    pub direction: Option<Direction>,
    /// Whether the original outputs are delivered too, sharing all work.
    pub keep_outputs: bool,
    /// Which identities may be applied.
    pub math: Math,
    /// Whether the slope of a root is finite at zero, so that a factor that vanishes cancels it:
    /// |v| v at rest.
    pub bounded_roots: bool,
}

/// Why a program cannot be differentiated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeriveError {
    /// The output is a truth value.
    NotReal(OutputId),
    /// The output or input asked for does not exist.
    NoSuchPlace,
    /// A host function has no declared derivative with respect to an argument.
    NoDerivative {
        /// The function.
        function: String,
        /// The argument, from 0.
        argument: usize,
    },
    /// The derivative program is not well formed: a mistake in this module.
    Unsound(VerifyError),
}

impl fmt::Display for DeriveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeriveError::NotReal(o) => write!(f, "output {o:?} is a truth value and has no derivative"),
            DeriveError::NoSuchPlace => write!(f, "an output or input asked for does not exist"),
            DeriveError::NoDerivative { function, argument } => {
                write!(f, "function `{function}` has no declared derivative for argument {}", argument + 1)
            }
            DeriveError::Unsound(error) => write!(f, "the derivative program is not well formed: {error}"),
        }
    }
}

impl std::error::Error for DeriveError {}

/// The Jacobian of the outputs `of` with respect to the inputs `with_respect_to`.
pub fn jacobian(
    program: &Program,
    of: &[OutputId],
    with_respect_to: &[InputId],
) -> Result<Jacobian, DeriveError> {
    jacobian_with(program, of, with_respect_to, Options::default())
}

/// The same with options.
pub fn jacobian_with(
    program: &Program,
    of: &[OutputId],
    with_respect_to: &[InputId],
    options: Options,
) -> Result<Jacobian, DeriveError> {
    let question = Question::new(program, of, with_respect_to)?;
    let direction = options.direction.unwrap_or_else(|| question.cheaper_direction());
    let mut builder = ProgramBuilder::like(program, options.math);
    let map = passes::copy(program, &mut builder);
    let mut state =
        Derivation { program, question: &question, builder, map, bounded_roots: options.bounded_roots };
    let entries = match direction {
        Direction::Forward => forward::derive(&mut state)?,
        Direction::Reverse => reverse::derive(&mut state)?,
    };
    let Derivation { mut builder, map, .. } = state;
    builder.rename(format!("{} derivatives", program.name));
    if options.keep_outputs {
        for (_, output) in program.outputs.iter() {
            builder.output(output.label.clone(), output.stage, map[output.value.index()]);
        }
    }
    let first = OutputId::from_index(if options.keep_outputs { program.outputs.len() } else { 0 });
    let mut pattern = Vec::with_capacity(entries.len());
    for (row, column, value) in entries {
        let output = &program.outputs[of[row]];
        let label = entry_label(&output.label, &program.inputs[with_respect_to[column]].label);
        builder.output(label, output.stage, value);
        pattern.push((row, column));
    }
    let program = builder.finish().map_err(DeriveError::Unsound)?;
    Ok(Jacobian { program: passes::remove_dead(&program), pattern, first, direction })
}

fn entry_label(output: &Label, input: &Label) -> Label {
    let unit = match (output.unit.as_str(), input.unit.as_str()) {
        (unit, "") => unit.to_string(),
        (unit, per) => format!("({})/({per})", if unit.is_empty() { "1" } else { unit }),
    };
    Label::new(format!("d {} / d {}", output.name, input.name), unit, "")
}

/// What is asked of which program, and which values matter for it.
struct Question {
    /// The value of each row.
    rows: Vec<ValueId>,
    /// The column of each input, if it is asked for.
    column: Vec<Option<u32>>,
    n_columns: usize,
    /// For each value, the columns on which it depends; empty for values that reach no row.
    support: Vec<Vec<u32>>,
    /// Products and sums that the chain rule needs, forward and in reverse.
    cost: (usize, usize),
}

impl Question {
    fn new(program: &Program, of: &[OutputId], wrt: &[InputId]) -> Result<Self, DeriveError> {
        let mut rows = Vec::with_capacity(of.len());
        for id in of {
            let value = program.outputs.get(*id).ok_or(DeriveError::NoSuchPlace)?.value;
            if program.type_of(value) != Type::Real {
                return Err(DeriveError::NotReal(*id));
            }
            rows.push(value);
        }
        let mut column = vec![None; program.inputs.len()];
        for (k, id) in wrt.iter().enumerate() {
            *column.get_mut(id.index()).ok_or(DeriveError::NoSuchPlace)? = Some(k as u32);
        }
        let mut needed = vec![false; program.values.len()];
        rows.iter().for_each(|v| needed[v.index()] = true);
        for (id, op) in program.values.iter().rev() {
            if needed[id.index()] {
                op.for_each_operand(|v| needed[v.index()] = true);
            }
        }
        let mut question = Question { rows, column, n_columns: wrt.len(), support: Vec::new(), cost: (0, 0) };
        question.find_support(program, &needed);
        question.count_reverse(program);
        Ok(question)
    }

    fn find_support(&mut self, program: &Program, needed: &[bool]) {
        for (id, op) in program.values.iter() {
            let mut support: Vec<u32> = Vec::new();
            if needed[id.index()] {
                if let Op::Input(i) = op {
                    support.extend(self.column[i.index()]);
                } else if is_differentiable(op) {
                    op.for_each_operand(|v| support.extend(&self.support[v.index()]));
                    let n_terms = support.len();
                    support.sort_unstable();
                    support.dedup();
                    self.cost.0 += n_terms - support.len() + if needs_product(op) { n_terms } else { 0 };
                }
                if let Op::Solve(s) = op {
                    let n = s.n as usize;
                    self.cost.0 += n * n * n / 3 + n * s.rhs.len() * support.len();
                }
            }
            self.support.push(support);
        }
    }

    fn count_reverse(&mut self, program: &Program) {
        let mut reached_by = vec![usize::MAX; program.values.len()];
        for (row, value) in self.rows.iter().enumerate() {
            reached_by[value.index()] = row;
            for index in (0..=value.index()).rev() {
                if reached_by[index] != row || self.support[index].is_empty() {
                    continue;
                }
                let op = &program.values[ValueId::from_index(index)];
                op.for_each_operand(|v| {
                    if !self.support[v.index()].is_empty() {
                        let reached = std::mem::replace(&mut reached_by[v.index()], row) == row;
                        self.cost.1 += usize::from(reached) + usize::from(needs_product(op));
                    }
                });
                if let Op::Solve(s) = op {
                    let n = s.n as usize;
                    self.cost.1 += n * n * n / 3 + n * s.rhs.len();
                }
            }
        }
    }

    /// The direction with fewer products and sums to form.
    fn cheaper_direction(&self) -> Direction {
        if self.cost.1 < self.cost.0 { Direction::Reverse } else { Direction::Forward }
    }

    fn is_active(&self, value: ValueId) -> bool {
        !self.support[value.index()].is_empty()
    }
}

/// Whether derivatives pass through the operation.
fn is_differentiable(op: &Op) -> bool {
    use crate::op::Unary::{Floor, Sign};
    !matches!(op, Op::Compare(..) | Op::Logic(..) | Op::Not(_) | Op::Unary(Floor | Sign, _))
}

/// Whether the partial derivatives are other than 1 and −1.
fn needs_product(op: &Op) -> bool {
    use crate::op::{Binary, Unary};
    !matches!(
        op,
        Op::Binary(Binary::Add | Binary::Sub, ..)
            | Op::Unary(Unary::Neg, _)
            | Op::Select(..)
            | Op::Extract { .. }
    )
}

/// The work in progress.
struct Derivation<'a> {
    program: &'a Program,
    question: &'a Question,
    builder: ProgramBuilder,
    /// The value in the builder of each value of the program.
    map: Vec<ValueId>,
    bounded_roots: bool,
}

/// One entry of the Jacobian: row, column, value.
type Entry = (usize, usize, ValueId);
