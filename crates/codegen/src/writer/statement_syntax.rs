//! How the statements of each language look, as far as that is a matter of spelling: one line per language.

use Element::{Brackets, Parentheses};

/// The spelling of statements.
pub(crate) struct StatementSyntax {
    /// What begins a comment.
    pub comment: &'static str,
    /// What ends a statement.
    pub end: &'static str,
    /// What stands before the name of a new number, of a new truth value.
    pub define: (&'static str, &'static str),
    /// Elements of arrays.
    pub element: Element,
    /// What stands behind a kept number to ask whether it stands for true.
    pub holds: &'static str,
    /// Columns before a statement.
    pub indent: usize,
}

/// How an element of an array is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Element {
    /// In brackets, from zero.
    Brackets,
    /// In parentheses, from one.
    Parentheses,
}

const fn row(
    comment: &'static str,
    end: &'static str,
    define: (&'static str, &'static str),
    element: Element,
    holds: &'static str,
    indent: usize,
) -> StatementSyntax {
    StatementSyntax { comment, end, define, element, holds, indent }
}

#[rustfmt::skip]
mod table {
    use super::*;
    //                                        comment  end  define                            element      holds         indent
    pub(crate) const C99: StatementSyntax       = row("//",    ";", ("const double ", "const int "),  Brackets,    "!= 0.0",     4);
    pub(crate) const CPP17: StatementSyntax     = row("//",    ";", ("const double ", "const bool "), Brackets,    "!= 0.0",     4);
    pub(crate) const RUST: StatementSyntax      = row("//",    ";", ("let ", "let "),                 Brackets,    "!= 0.0",     4);
    pub(crate) const PYTHON: StatementSyntax    = row("#",     "",  ("", ""),                         Brackets,    "!= 0.0",     4);
    pub(crate) const MATLAB: StatementSyntax    = row("%",     ";", ("", ""),                         Parentheses, "~= 0",       4);
    pub(crate) const FORTRAN: StatementSyntax   = row("!",     "",  ("", ""),                         Parentheses, "> 0.5_dp",   8);
    pub(crate) const FORTRAN77: StatementSyntax = row("C",     "",  ("", ""),                         Parentheses, ".GT. 0.5D0", 6);
}

pub(crate) use table::*;
