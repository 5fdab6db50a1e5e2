//! What must hold of every program.
//!
//! 1. There is a stage; stage names are distinct words (no spaces, quotes, parentheses, semicolons); stages
//!    cover all values in order.
//! 2. A value reads only values before it.
//! 3. Operands have the types that the operation takes; a block is read only by `Extract`, within its bounds.
//! 4. Tables, functions and inputs referred to exist; a call has as many arguments as the function; an input
//!    is read not before its stage.
//! 5. A linear system has at least one equation and right-hand side, and fitting numbers of entries.
//! 6. A function has one place per argument for derivatives, and these take the same arguments.
//! 7. An output delivers a real or a truth value, not before the stage that computes it.

use std::fmt;

use cardan_base::{Id, Set};

use crate::op::{Op, OutputId, Type, ValueId};
use crate::program::Program;

/// Why a program is not well formed. Always a mistake of whoever made it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VerifyError {
    /// The stages are missing, share a name, or do not cover the values.
    Stages,
    /// A value breaks a rule.
    Value(ValueId, Flaw),
    /// A function breaks rule 6.
    Function(String),
    /// An output breaks rule 7.
    Output(OutputId),
}

/// What is wrong with a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// It reads a value that is not computed before it.
    Order,
    /// An operand has the wrong type.
    Type,
    /// It refers to a table, function or input that does not exist, or reads an input too early.
    Reference,
    /// The number of operands is wrong, or an index is out of bounds.
    Shape,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifyError::Stages => write!(f, "stages must be distinct words and cover all values in order"),
            VerifyError::Value(v, Flaw::Order) => {
                write!(f, "{v:?} reads a value that is not computed before it")
            }
            VerifyError::Value(v, Flaw::Type) => write!(f, "an operand of {v:?} has the wrong type"),
            VerifyError::Value(v, Flaw::Reference) => {
                write!(f, "{v:?} refers to something that does not exist or is not known yet")
            }
            VerifyError::Value(v, Flaw::Shape) => write!(f, "{v:?} has a wrong number of operands or index"),
            VerifyError::Function(name) => write!(f, "derivatives of function `{name}` do not fit it"),
            VerifyError::Output(o) => {
                write!(f, "{o:?} delivers a block, or delivers before its value is computed")
            }
        }
    }
}

impl std::error::Error for VerifyError {}

/// Checks the rules above.
pub fn verify(program: &Program) -> Result<(), VerifyError> {
    check_stages(program)?;
    for (_, function) in program.functions.iter() {
        let fits = |d: &Option<_>| {
            d.is_none_or(|d| program.functions.get(d).is_some_and(|g| g.arity == function.arity))
        };
        if function.derivatives.len() != function.arity as usize || !function.derivatives.iter().all(fits) {
            return Err(VerifyError::Function(function.name.clone()));
        }
    }
    let mut types: Vec<Type> = Vec::with_capacity(program.values.len());
    for (id, op) in program.values.iter() {
        check_value(program, &types, id, op).map_err(|flaw| VerifyError::Value(id, flaw))?;
        types.push(crate::program::op_type(op, |v| types[v.index()]));
    }
    for (id, output) in program.outputs.iter() {
        let sound = types.get(output.value.index()).is_some_and(|t| !matches!(t, Type::Block(_)))
            && output.stage.index() < program.stages.len()
            && program.stage_of(output.value) <= output.stage;
        if !sound {
            return Err(VerifyError::Output(id));
        }
    }
    Ok(())
}

fn check_stages(program: &Program) -> Result<(), VerifyError> {
    let stages = program.stages.as_slice();
    let mut names = Set::default();
    let awkward = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"' | ';');
    let distinct =
        stages.iter().all(|s| !s.name.is_empty() && !s.name.contains(awkward) && names.insert(&s.name));
    let ordered = stages.windows(2).all(|p| p[0].end <= p[1].end);
    let complete = stages.last().is_some_and(|s| s.end == program.values.len());
    let inputs_known = program.inputs.iter().all(|(_, i)| i.stage.index() < stages.len());
    if distinct && ordered && complete && inputs_known { Ok(()) } else { Err(VerifyError::Stages) }
}

fn check_value(program: &Program, types: &[Type], id: ValueId, op: &Op) -> Result<(), Flaw> {
    let mut ordered = true;
    op.for_each_operand(|v| ordered &= v < id);
    if !ordered {
        return Err(Flaw::Order);
    }
    let real = |v: &ValueId| types[v.index()] == Type::Real;
    let truth = |v: &ValueId| types[v.index()] == Type::Bool;
    let require = |holds: bool, flaw: Flaw| if holds { Ok(()) } else { Err(flaw) };
    match op {
        Op::Const(_) | Op::Truth(_) => Ok(()),
        Op::Input(i) => {
            let input = program.inputs.get(*i).ok_or(Flaw::Reference)?;
            require(input.stage <= program.stage_of(id), Flaw::Reference)
        }
        Op::Unary(_, a) | Op::Powi(a, _) => require(real(a), Flaw::Type),
        Op::Binary(_, a, b) | Op::Compare(_, a, b) => require(real(a) && real(b), Flaw::Type),
        Op::Fma(a, b, c) => require(real(a) && real(b) && real(c), Flaw::Type),
        Op::Logic(_, a, b) => require(truth(a) && truth(b), Flaw::Type),
        Op::Not(a) => require(truth(a), Flaw::Type),
        Op::Select(c, a, b) => {
            require(truth(c) && ((real(a) && real(b)) || (truth(a) && truth(b))), Flaw::Type)
        }
        Op::Lookup1 { table, x, .. } => {
            require(program.curves.get(*table).is_some(), Flaw::Reference)?;
            require(real(x), Flaw::Type)
        }
        Op::Lookup2 { table, x, y, .. } => {
            require(program.surfaces.get(*table).is_some(), Flaw::Reference)?;
            require(real(x) && real(y), Flaw::Type)
        }
        Op::Call { function, args } => {
            let function = program.functions.get(*function).ok_or(Flaw::Reference)?;
            require(args.len() == function.arity as usize, Flaw::Shape)?;
            require(args.iter().all(real), Flaw::Type)
        }
        Op::Solve(s) => {
            let n = s.n as usize;
            let fits = n > 0
                && n.checked_mul(n) == Some(s.matrix.len())
                && !s.rhs.is_empty()
                && s.rhs.len().is_multiple_of(n);
            require(fits, Flaw::Shape)?;
            require(s.matrix.iter().chain(&s.rhs).all(real), Flaw::Type)
        }
        Op::Extract { solve, index } => match types[solve.index()] {
            Type::Block(n) => require(*index < n, Flaw::Shape),
            _ => Err(Flaw::Type),
        },
    }
}
