//! A program as text.

use std::fmt;

use cardan_base::Id;

use crate::op::{Binary, Compare, Logic, Op, Unary, ValueId};
use crate::program::{Label, Program};

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "program {}", Quoted(&self.name))?;
        write!(f, "stages")?;
        for (_, stage) in self.stages.iter() {
            write!(f, " {}", stage.name)?;
        }
        writeln!(f)?;
        for (id, input) in self.inputs.iter() {
            let stage = &self.stages[input.stage].name;
            writeln!(f, "input {id:?} {stage} {}", Words(&input.label))?;
        }
        for (id, c) in self.curves.iter() {
            write!(f, "curve {id:?} {} {} {}", Quoted(c.name()), c.kind().name(), c.beyond().name())?;
            for (x, y) in c.knots().iter().zip(c.values()) {
                write!(f, " ({x:?} {y:?})")?;
            }
            writeln!(f)?;
        }
        for (id, s) in self.surfaces.iter() {
            write!(f, "surface {id:?} {} {} {}", Quoted(s.name()), s.kind().name(), s.beyond().name())?;
            for (axis, numbers) in [("x", s.x()), ("y", s.y()), ("z", s.values())] {
                write!(f, " {axis}({})", List(numbers))?;
            }
            writeln!(f)?;
        }
        for (id, function) in self.functions.iter() {
            write!(f, "function {id:?} {} {} (", Quoted(&function.name), function.arity)?;
            for (k, derivative) in function.derivatives.iter().enumerate() {
                let space = if k == 0 { "" } else { " " };
                match derivative {
                    Some(d) => write!(f, "{space}{d:?}")?,
                    None => write!(f, "{space}-")?,
                }
            }
            writeln!(f, ")")?;
        }
        for (id, stage) in self.stages.iter() {
            writeln!(f, "stage {}", stage.name)?;
            for index in self.stage_values(id) {
                let value = ValueId::from_index(index);
                writeln!(f, "  {value:?} = {}", self.values[value])?;
            }
        }
        for (id, output) in self.outputs.iter() {
            let stage = &self.stages[output.stage].name;
            writeln!(f, "output {id:?} {stage} {:?} {}", output.value, Words(&output.label))?;
        }
        Ok(())
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Const(c) => write!(f, "const {c:?}"),
            Op::Truth(b) => write!(f, "truth {b}"),
            Op::Input(i) => write!(f, "input {i:?}"),
            Op::Unary(op, a) => write!(f, "{} {a:?}", op.name()),
            Op::Binary(op, a, b) => write!(f, "{} {a:?} {b:?}", op.name()),
            Op::Fma(a, b, c) => write!(f, "fma {a:?} {b:?} {c:?}"),
            Op::Powi(a, n) => write!(f, "powi {a:?} {n}"),
            Op::Compare(op, a, b) => write!(f, "{} {a:?} {b:?}", op.name()),
            Op::Logic(op, a, b) => write!(f, "{} {a:?} {b:?}", op.name()),
            Op::Not(a) => write!(f, "not {a:?}"),
            Op::Select(c, a, b) => write!(f, "select {c:?} {a:?} {b:?}"),
            Op::Lookup1 { table, x, order } => write!(f, "lookup {table:?} {x:?} d{order}"),
            Op::Lookup2 { table, x, y, dx, dy } => write!(f, "lookup2 {table:?} {x:?} {y:?} d{dx} d{dy}"),
            Op::Call { function, args } => write!(f, "call {function:?} ({})", List(args)),
            Op::Solve(s) => write!(f, "solve {} ({}) ({})", s.n, List(&s.matrix), List(&s.rhs)),
            Op::Extract { solve, index } => write!(f, "extract {solve:?} {index}"),
        }
    }
}

/// The name of an operation in the text form.
macro_rules! named {
    ($type:ty) => {
        impl $type {
            /// The name in the text form.
            pub fn name(self) -> &'static str {
                Self::ALL.iter().find(|(op, _)| *op == self).map_or("", |(_, name)| name)
            }
        }
    };
}
named!(Unary);
named!(Binary);
named!(Compare);
named!(Logic);

struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let escaped = self.0.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        write!(f, "\"{escaped}\"")
    }
}

struct Words<'a>(&'a Label);

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Label { name, unit, description } = self.0;
        write!(f, "{} {} {}", Quoted(name), Quoted(unit), Quoted(description))
    }
}

struct List<'a, T>(&'a [T]);

impl<T: fmt::Debug> fmt::Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, item) in self.0.iter().enumerate() {
            let space = if k == 0 { "" } else { " " };
            write!(f, "{space}{item:?}")?;
        }
        Ok(())
    }
}
