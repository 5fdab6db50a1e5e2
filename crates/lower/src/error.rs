//! Why expressions could not be lowered.

use std::fmt;

use cardan_program::VerifyError;

/// Why expressions could not be lowered.
#[derive(Clone, PartialEq, Debug)]
pub enum LowerError {
    /// A symbol that is neither an input nor given by an expression.
    NoMeaning {
        /// Its name.
        symbol: String,
    },
    /// A symbol whose expression leads back to itself, such as a parameter given in terms of itself.
    Circular {
        /// Its name.
        symbol: String,
    },
    /// A division by zero that is visible in the expression.
    Undefined {
        /// The output that contains it.
        output: String,
    },
    /// A table that cannot be interpolated as asked.
    Table {
        /// Its name.
        table: String,
        /// What is wrong.
        reason: String,
    },
    /// The model has not the structure that was to be used, in words.
    NoStructure(String),
    /// The program is not well formed: a mistake in this crate.
    Unsound(VerifyError),
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LowerError::NoMeaning { symbol } => write!(f, "nothing says what `{symbol}` is"),
            LowerError::Circular { symbol } => write!(f, "`{symbol}` is given in terms of itself"),
            LowerError::Undefined { output } => write!(f, "`{output}` contains a division by zero"),
            LowerError::Table { table, reason } => write!(f, "the table `{table}` cannot be used: {reason}"),
            LowerError::NoStructure(reason) => f.write_str(reason),
            LowerError::Unsound(error) => write!(f, "the program is not well formed: {error}"),
        }
    }
}

impl std::error::Error for LowerError {}
