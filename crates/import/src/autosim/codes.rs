//! The codes of findings in AUTOSIM texts: one constant and one title each.
//!
//! Every code has a page `docs/errors/A0xx.md` whose example is read by a test, and whose rendered diagnostic is compared
//! with what is said today.

use cardan_base::Code;

/// Parentheses, quotes or brackets that do not close.
pub const FORM: Code = Code("A001");
/// A command that AUTOSIM does not have.
pub const COMMAND: Code = Code("A002");
/// A keyword that the command does not have, or one without its value.
pub const KEYWORD: Code = Code("A003");
/// Something that the command needs is not there.
pub const MISSING: Code = Code("A004");
/// A body, point or coordinate that does not exist.
pub const UNKNOWN_NAME: Code = Code("A005");
/// Two things with one name.
pub const DUPLICATE: Code = Code("A006");
/// An expression that cannot be read.
pub const EXPRESSION: Code = Code("A007");
/// A value of the wrong kind.
pub const VALUE: Code = Code("A008");
/// A subroutine or function without a body.
pub const ROUTINE: Code = Code("A009");
/// Something that is understood but left out.
pub const LEFT_OUT: Code = Code("A010");
/// A string whose numbers take units.
pub const NUMBERS: Code = Code("A011");
/// A value that neither a keyword nor a place of the command takes.
pub const SURPLUS: Code = Code("A012");

/// Every code with its title, which heads its page.
pub const ALL: &[(Code, &str)] = &[
    (FORM, "a form that does not close"),
    (COMMAND, "a command that is not known"),
    (KEYWORD, "a keyword that is not known"),
    (MISSING, "something is missing from a command"),
    (UNKNOWN_NAME, "a name that nothing has"),
    (DUPLICATE, "two things with one name"),
    (EXPRESSION, "an expression that cannot be read"),
    (VALUE, "a value of the wrong kind"),
    (ROUTINE, "a routine without a body"),
    (LEFT_OUT, "a command without effect"),
    (NUMBERS, "a quantity taken as a number"),
    (SURPLUS, "a value that nothing takes"),
];
