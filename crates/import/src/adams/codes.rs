//! The codes of findings in ADAMS data sets: one constant and one title each.
//!
//! Every code has a page `docs/errors/D0xx.md` whose example is read by a test, and whose rendered diagnostic is compared
//! with what is said today.

use cardan_base::Code;

/// A line that is no statement.
pub const STATEMENT: Code = Code("D001");
/// A statement or an argument that the model language has nothing for.
pub const UNSUPPORTED: Code = Code("D002");
/// An argument that is needed is not there.
pub const MISSING: Code = Code("D003");
/// A part, marker or joint that does not exist.
pub const UNKNOWN: Code = Code("D004");
/// A number, word or expression that cannot be read.
pub const VALUE: Code = Code("D005");
/// Something that is understood and taken otherwise.
pub const TAKEN: Code = Code("D006");

/// Every code with its title, which heads its page.
pub const ALL: &[(Code, &str)] = &[
    (STATEMENT, "a line that is no statement"),
    (UNSUPPORTED, "a statement that cannot be imported"),
    (MISSING, "an argument is missing"),
    (UNKNOWN, "a number that nothing has"),
    (VALUE, "a value that cannot be read"),
    (TAKEN, "something taken otherwise"),
];
