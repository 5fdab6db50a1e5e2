//! What to write: the functions, their arguments and results, as the caller wants to see them.
//!
//! A program has one flat input vector and one flat output vector. A library groups them into named arrays and
//! cuts the stages into functions. What one function computes and a later one needs travels in a work array,
//! whose layout is ours; its length is a constant of the generated file.

use std::fmt;

use cardan_base::Id;
use cardan_program::{InputId, OutputId, Program, Stages, ValueId};

use crate::externals::Provided;

/// A set of functions to be written in some language.
#[derive(Clone, PartialEq, Debug)]
pub struct Library {
    /// Name of the file or module, and prefix of functions where a language has no modules.
    pub name: String,
    /// The model's version, for the header; may be empty.
    pub version: String,
    /// Paragraphs for the header.
    pub doc: String,
    /// The functions, in the order in which they are called.
    pub functions: Vec<FunctionSpec>,
    /// What the model says of functions that the user provides.
    pub provided: Vec<Provided>,
}

/// One function: a range of stages with its arguments and results.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionSpec {
    /// Name.
    pub name: String,
    /// What it computes.
    pub doc: String,
    /// The stages that it runs. Earlier stages must have been run by other functions.
    pub stages: Stages,
    /// Arguments in order. A function without any delivers constants, and keeps nothing for the functions after it.
    pub arguments: Vec<Argument>,
    /// Results in order.
    pub results: Vec<Results>,
}

/// Numbers that the caller of a function provides.
#[derive(Clone, PartialEq, Debug)]
pub struct Argument {
    /// Name of the array or scalar.
    pub name: String,
    /// What it holds.
    pub doc: String,
    /// One number or an array.
    pub passing: Passing,
    /// The inputs in the order of the array.
    pub inputs: Vec<InputId>,
}

/// How an argument is handed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passing {
    /// As one number; the argument has exactly one input.
    Scalar,
    /// As an array.
    Array,
}

/// Numbers that a function delivers in one array.
#[derive(Clone, PartialEq, Debug)]
pub struct Results {
    /// Name of the array.
    pub name: String,
    /// What it holds.
    pub doc: String,
    /// The outputs in the order of the array.
    pub outputs: Vec<OutputId>,
}

impl Argument {
    /// An array of these inputs.
    pub fn array(name: impl Into<String>, inputs: Vec<InputId>, doc: impl Into<String>) -> Self {
        Argument { name: name.into(), doc: doc.into(), passing: Passing::Array, inputs }
    }
    /// A single number.
    pub fn scalar(name: impl Into<String>, input: InputId, doc: impl Into<String>) -> Self {
        Argument { name: name.into(), doc: doc.into(), passing: Passing::Scalar, inputs: vec![input] }
    }
}

impl Results {
    /// An array of these outputs.
    pub fn new(name: impl Into<String>, outputs: Vec<OutputId>, doc: impl Into<String>) -> Self {
        Results { name: name.into(), doc: doc.into(), outputs }
    }
}

impl Library {
    /// One function `evaluate` from all inputs `x` to all outputs `y`.
    pub fn whole(program: &Program) -> Self {
        let function = FunctionSpec {
            name: "evaluate".into(),
            doc: "Computes all outputs from all inputs.".into(),
            stages: program.all_stages(),
            arguments: vec![Argument::array("x", program.inputs().ids().collect(), "inputs")],
            results: vec![Results::new("y", program.outputs().ids().collect(), "outputs")],
        };
        Library {
            name: program.name().into(),
            version: String::new(),
            doc: String::new(),
            functions: vec![function],
            provided: vec![],
        }
    }

    /// One function per stage, named after it: each takes all inputs `x` and delivers the stage's own outputs
    /// `y`.
    pub fn by_stage(program: &Program) -> Self {
        let function = |stage: cardan_program::StageId| {
            let own = program.outputs().iter().filter(|(_, o)| o.stage == stage).map(|(id, _)| id);
            FunctionSpec {
                name: program.stages()[stage].name.clone(),
                doc: format!("Runs stage {}.", program.stages()[stage].name),
                stages: stage.into(),
                arguments: vec![Argument::array("x", program.inputs().ids().collect(), "inputs")],
                results: vec![Results::new("y", own.collect(), "outputs of this stage")],
            }
        };
        Library {
            name: program.name().into(),
            version: String::new(),
            doc: String::new(),
            functions: program.stages().ids().map(function).collect(),
            provided: vec![],
        }
    }
}

/// Why a library cannot be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EmitError {
    /// There are no functions.
    NoFunctions,
    /// Two functions have the same name.
    DuplicateFunction(String),
    /// A function names stages that the program does not have, or runs backwards.
    NoSuchStages(String),
    /// An input or output of a function does not exist in the program.
    NoSuchNumber(String),
    /// A scalar argument does not have exactly one input.
    NotOneNumber {
        /// The function.
        function: String,
        /// The argument.
        argument: String,
    },
    /// A function needs an input that no argument provides, its own or of a function that runs before.
    MissingInput {
        /// The function.
        function: String,
        /// Name of the input.
        input: String,
    },
    /// A function needs a value of a stage that neither it nor an earlier function runs.
    NotComputed {
        /// The function.
        function: String,
        /// The value.
        value: ValueId,
        /// Name of its stage.
        stage: String,
    },
    /// A result is computed in a later stage than the function runs.
    TooLate {
        /// The function.
        function: String,
        /// Name of the output.
        output: String,
    },
    /// A number of a simulation is infinite or not a number.
    NotFinite(String),
    /// The target has no form of this kind.
    Unsupported {
        /// The target.
        target: &'static str,
        /// What it cannot express.
        what: &'static str,
    },
}

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EmitError::NoFunctions => write!(f, "there is no function to write"),
            EmitError::DuplicateFunction(name) => write!(f, "two functions are called `{name}`"),
            EmitError::NoSuchStages(name) => {
                write!(f, "function `{name}` runs stages that the program does not have")
            }
            EmitError::NoSuchNumber(name) => {
                write!(f, "function `{name}` has an input or output that the program does not have")
            }
            EmitError::NotOneNumber { function, argument } => {
                write!(f, "argument `{argument}` of `{function}` is a scalar, so it must have one input")
            }
            EmitError::MissingInput { function, input } => {
                write!(f, "function `{function}` needs the input `{input}`, but no argument provides it")
            }
            EmitError::NotComputed { function, value, stage } => {
                let name = function;
                write!(
                    f,
                    "function `{name}` needs {value:?} of stage `{stage}`, which no function before it runs"
                )
            }
            EmitError::TooLate { function, output } => {
                write!(f, "function `{function}` ends before the stage that computes `{output}`")
            }
            EmitError::NotFinite(what) => write!(f, "{what} is not a finite number"),
            EmitError::Unsupported { target, what } => write!(f, "{target} code cannot be {what}"),
        }
    }
}

impl std::error::Error for EmitError {}

/// Refuses libraries that refer to what the program does not have.
pub(crate) fn check(program: &Program, library: &Library) -> Result<(), EmitError> {
    if library.functions.is_empty() {
        return Err(EmitError::NoFunctions);
    }
    for (i, function) in library.functions.iter().enumerate() {
        let name = || function.name.clone();
        if library.functions[..i].iter().any(|f| f.name == function.name) {
            return Err(EmitError::DuplicateFunction(name()));
        }
        let Stages { first, last } = function.stages;
        if first > last || last.index() >= program.stages().len() {
            return Err(EmitError::NoSuchStages(name()));
        }
        for argument in &function.arguments {
            if argument.inputs.iter().any(|i| program.inputs().get(*i).is_none()) {
                return Err(EmitError::NoSuchNumber(name()));
            }
            if argument.passing == Passing::Scalar && argument.inputs.len() != 1 {
                return Err(EmitError::NotOneNumber { function: name(), argument: argument.name.clone() });
            }
        }
        for id in function.results.iter().flat_map(|r| &r.outputs) {
            let Some(output) = program.outputs().get(*id) else {
                return Err(EmitError::NoSuchNumber(name()));
            };
            if program.stage_of(output.value) > last {
                return Err(EmitError::TooLate { function: name(), output: output.label.name.clone() });
            }
        }
    }
    Ok(())
}
