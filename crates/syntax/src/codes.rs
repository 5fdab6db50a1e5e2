//! The codes of this crate's diagnostics: one constant and one title each.
//!
//! Every code has a page `docs/errors/S0xx.md` whose example is parsed by a test, and whose rendered
//! diagnostic is compared with what the parser says today.

use cardan_base::Code;

/// A character that the language does not use.
pub const CHARACTER: Code = Code("S001");
/// A string that is not closed on its line.
pub const OPEN_TEXT: Code = Code("S002");
/// Digits, points and letters that run together.
pub const NUMBER: Code = Code("S003");
/// A name with letters outside a to z, or a word that the language keeps for itself.
pub const NAME: Code = Code("S004");
/// A name is missing.
pub const MISSING_NAME: Code = Code("S005");
/// A statement that begins with an unknown word.
pub const STATEMENT: Code = Code("S006");
/// A value is missing.
pub const MISSING_VALUE: Code = Code("S007");
/// Something is left over after a complete statement.
pub const LEFT_OVER: Code = Code("S008");
/// A bracket that is never closed.
pub const OPEN_BRACKET: Code = Code("S009");
/// A closing bracket without its opening one.
pub const STRAY_BRACKET: Code = Code("S010");
/// Brackets or blocks nested too deeply.
pub const DEPTH: Code = Code("S011");
/// A unit that is empty or stands after a name.
pub const UNIT: Code = Code("S012");
/// A sign or a connecting word is missing.
pub const MISSING_SIGN: Code = Code("S013");
/// A body without a parent, or a load without a place.
pub const ATTACHMENT: Code = Code("S014");
/// Two comparisons in one.
pub const COMPARISON: Code = Code("S015");
/// The rows of a table do not fit its head.
pub const TABLE: Code = Code("S016");
/// A word that is not one of the few allowed there.
pub const CHOICE: Code = Code("S017");
/// `=` where values are compared.
pub const EQUALS: Code = Code("S018");
/// A joint, shape or instance that is not written as `kind(...)`.
pub const CALL: Code = Code("S019");
/// A line that begins with a minus sign.
pub const MINUS_LINE: Code = Code("S020");
/// `if` without `then` or `else`.
pub const BRANCH: Code = Code("S021");
/// `...` stands for something that is not written.
pub const ELLIPSIS: Code = Code("S022");
/// Two descriptions or two units for one thing.
pub const TWICE: Code = Code("S023");

/// Every code with its title, which heads its page.
pub const ALL: &[(Code, &str)] = &[
    (CHARACTER, "a character that the language does not use"),
    (OPEN_TEXT, "a string that is not closed"),
    (NUMBER, "a number that cannot be read"),
    (NAME, "a name that cannot be used"),
    (MISSING_NAME, "a name is missing"),
    (STATEMENT, "an unknown statement"),
    (MISSING_VALUE, "a value is missing"),
    (LEFT_OVER, "something is left over"),
    (OPEN_BRACKET, "a bracket that is not closed"),
    (STRAY_BRACKET, "a closing bracket too many"),
    (DEPTH, "nesting that is too deep"),
    (UNIT, "a unit that is empty or misplaced"),
    (MISSING_SIGN, "a sign or a word is missing"),
    (ATTACHMENT, "a body or a load that hangs on nothing"),
    (COMPARISON, "two comparisons in one"),
    (TABLE, "a table whose rows do not fit"),
    (CHOICE, "a word that is not among the choices"),
    (EQUALS, "`=` where values are compared"),
    (CALL, "a joint, shape or instance without its kind"),
    (MINUS_LINE, "a line that begins with a minus sign"),
    (BRANCH, "`if` without `then` or `else`"),
    (ELLIPSIS, "something is not written yet"),
    (TWICE, "the same thing said twice"),
];
