//! The codes of this crate's diagnostics: one constant and one title each.
//!
//! Every code has a page `docs/errors/X0xx.md` whose example is expanded by a test.

use cardan_base::Code;

/// An instance of a subsystem that is not defined.
pub const UNKNOWN_KIND: Code = Code("X001");
/// A subsystem that contains itself.
pub const RECURSION: Code = Code("X002");
/// A name that two parts have.
pub const CLASH: Code = Code("X003");
/// A port without a connection.
pub const UNCONNECTED: Code = Code("X004");
/// A port with two connections.
pub const TWICE: Code = Code("X005");
/// A connection between ports that do not fit.
pub const MISMATCH: Code = Code("X006");
/// A connection of something that is not a port.
pub const NO_PORT: Code = Code("X007");
/// An argument that a subsystem does not take.
pub const ARGUMENT: Code = Code("X008");
/// An index that names no element.
pub const INDEX: Code = Code("X009");
/// A structural value that is not constant.
pub const NOT_CONSTANT: Code = Code("X010");
/// An instance that cannot be mirrored.
pub const MIRROR: Code = Code("X011");
/// A file that cannot be imported.
pub const IMPORT: Code = Code("X012");
/// Files that import one another.
pub const IMPORT_CYCLE: Code = Code("X013");
/// A name that a file does not define.
pub const NOT_EXPORTED: Code = Code("X014");
/// More parts than are expanded.
pub const TOO_LARGE: Code = Code("X015");
/// A slot that is filled with something that does not fit.
pub const SLOT: Code = Code("X016");
/// Two versions of one package.
pub const VERSIONS: Code = Code("X017");
/// A statement that does not belong into a subsystem.
pub const MISPLACED: Code = Code("X018");
/// A path that leads into an instance and names nothing there.
pub const UNKNOWN_PART: Code = Code("X019");
/// A file of numbers that does not fit its table.
pub const DATA: Code = Code("X020");

/// Every code with its title, which heads its page.
pub const ALL: &[(Code, &str)] = &[
    (UNKNOWN_KIND, "an instance of a subsystem that is not defined"),
    (RECURSION, "a subsystem that contains itself"),
    (CLASH, "a name that two parts have"),
    (UNCONNECTED, "a port without a connection"),
    (TWICE, "a port with two connections"),
    (MISMATCH, "a connection between ports that do not fit"),
    (NO_PORT, "a connection of something that is not a port"),
    (ARGUMENT, "an argument that a subsystem does not take"),
    (INDEX, "an index that names no element"),
    (NOT_CONSTANT, "a structural value that is not constant"),
    (MIRROR, "an instance that cannot be mirrored"),
    (IMPORT, "a file that cannot be imported"),
    (IMPORT_CYCLE, "files that import one another"),
    (NOT_EXPORTED, "a name that a file does not define"),
    (TOO_LARGE, "more parts than are expanded"),
    (SLOT, "a slot whose filling does not fit"),
    (VERSIONS, "two versions of one package"),
    (MISPLACED, "a statement that does not belong into a subsystem"),
    (UNKNOWN_PART, "a part that an instance does not have"),
    (DATA, "a file of numbers that does not fit its table"),
];
