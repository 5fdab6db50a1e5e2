//! The codes of this crate's diagnostics: one constant and one title each.
//!
//! Every code has a page `docs/errors/M0xx.md` whose example is resolved by a test, and whose rendered
//! diagnostic is compared with what is said today. Mistakes in unit texts keep the codes of `cardan-units`.

use cardan_base::Code;

/// A name that nothing has.
pub const UNKNOWN_NAME: Code = Code("M001");
/// A name that two things have.
pub const DUPLICATE: Code = Code("M002");
/// A definition that needs itself.
pub const CYCLE: Code = Code("M003");
/// A body that hangs on itself.
pub const OWN_ANCESTOR: Code = Code("M004");
/// A value of another kind than its place needs.
pub const KIND: Code = Code("M005");
/// A number without a unit where one is needed.
pub const BARE: Code = Code("M006");
/// An argument that is missing, unknown or too many.
pub const ARGUMENT: Code = Code("M007");
/// A joint, element, property or setting that does not exist.
pub const UNKNOWN_WORD: Code = Code("M008");
/// A statement that is understood but not supported yet.
pub const UNSUPPORTED: Code = Code("M009");
/// A text with more than one model.
pub const SEVERAL_MODELS: Code = Code("M010");
/// A value that is undefined.
pub const UNDEFINED: Code = Code("M011");
/// A quantity of the wrong dimension.
pub const DIMENSION: Code = Code("M012");
/// Quantities that cannot be added or compared.
pub const MIXED_DIMENSIONS: Code = Code("M013");
/// A value that varies where it must not.
pub const VARIES: Code = Code("M014");
/// A velocity where velocities are not known yet.
pub const TOO_EARLY: Code = Code("M015");
/// An axis or a sequence of axes that is none.
pub const AXIS: Code = Code("M016");
/// Speeds that do not determine the motion.
pub const SPEEDS: Code = Code("M017");
/// A start value for something that cannot have one.
pub const START: Code = Code("M018");
/// Parameters that have no value yet.
pub const NO_VALUE: Code = Code("M019");
/// Data of a table that do not make sense.
pub const TABLE: Code = Code("M020");
/// Something larger than the compiler accepts.
pub const TOO_LARGE: Code = Code("M021");
/// A state without an equation, or with two.
pub const STATE: Code = Code("M022");
/// A statement where it means nothing.
pub const MISPLACED: Code = Code("M023");
/// An exponent that gives no dimension.
pub const EXPONENT: Code = Code("M024");
/// A tuple whose frame is not known.
pub const FRAME: Code = Code("M025");
/// A unit that belongs to the divisor.
pub const DIVISOR_UNIT: Code = Code("M026");
/// A joint between a body and itself.
pub const OWN_JOINT: Code = Code("M027");
/// A constraint that can never hold.
pub const CONTRADICTION: Code = Code("M028");
/// A constraint that is not linear in the velocities.
pub const NOT_LINEAR: Code = Code("M029");
/// Something that cannot be assigned where it is.
pub const TARGET: Code = Code("M030");
/// A block that never happens.
pub const NEVER: Code = Code("M031");
/// A procedure whose parts do not fit.
pub const PROCEDURE: Code = Code("M032");
/// A body that no joint connects to the ground.
pub const LOOSE: Code = Code("M033");
/// Limits of a joint that do not fit.
pub const LIMIT: Code = Code("M034");
/// Something that is declared and never used.
pub const UNUSED: Code = Code("M035");
/// Cycles where radians are meant, or the other way round.
pub const CYCLES: Code = Code("M036");
/// A number of degrees where radians are meant.
pub const DEGREES: Code = Code("M037");
/// Something of which results hold no column.
pub const SHOWN: Code = Code("M038");
/// A statement that a model lacks as a rule.
pub const OMISSION: Code = Code("M039");

/// An angle that jumps at 180° in a load.
pub const PRINCIPAL_VALUE: Code = Code("M040");
/// Bodies that overlap where a motion begins.
pub const OVERLAP: Code = Code("M041");

/// Every code with its title, which heads its page.
pub const ALL: &[(Code, &str)] = &[
    (UNKNOWN_NAME, "a name that nothing has"),
    (DUPLICATE, "a name that two things have"),
    (CYCLE, "a definition that needs itself"),
    (OWN_ANCESTOR, "a body that hangs on itself"),
    (KIND, "a value of another kind"),
    (BARE, "a number without a unit"),
    (ARGUMENT, "an argument that does not fit"),
    (UNKNOWN_WORD, "a joint, element or setting that does not exist"),
    (UNSUPPORTED, "a statement that is not supported yet"),
    (SEVERAL_MODELS, "more than one model in a text"),
    (UNDEFINED, "a value that is undefined"),
    (DIMENSION, "a quantity of the wrong dimension"),
    (MIXED_DIMENSIONS, "quantities that cannot be added or compared"),
    (VARIES, "a value that varies where it must not"),
    (TOO_EARLY, "a velocity where velocities are not known yet"),
    (AXIS, "an axis that is none"),
    (SPEEDS, "speeds that do not determine the motion"),
    (START, "a start value for something that cannot have one"),
    (NO_VALUE, "parameters without a value"),
    (TABLE, "a table whose data do not make sense"),
    (TOO_LARGE, "something too large"),
    (STATE, "a state without its equation"),
    (MISPLACED, "a statement in a place where it means nothing"),
    (EXPONENT, "an exponent that gives no dimension"),
    (FRAME, "components in an unknown frame"),
    (DIVISOR_UNIT, "a unit that belongs to the divisor"),
    (OWN_JOINT, "a joint between a body and itself"),
    (CONTRADICTION, "a constraint that can never hold"),
    (NOT_LINEAR, "a constraint that is not linear in the velocities"),
    (TARGET, "something that cannot be assigned"),
    (NEVER, "a block that never happens"),
    (PROCEDURE, "a procedure whose parts do not fit"),
    (LOOSE, "a body that nothing holds"),
    (LIMIT, "limits of a joint that do not fit"),
    (UNUSED, "something that nothing uses"),
    (CYCLES, "cycles where radians are meant"),
    (DEGREES, "a number of degrees where radians are meant"),
    (SHOWN, "something that results do not hold by themselves"),
    (OMISSION, "no gravity, or no degree of freedom"),
    (PRINCIPAL_VALUE, "an angle that jumps at 180° in a load"),
    (OVERLAP, "bodies that overlap at the start"),
];
