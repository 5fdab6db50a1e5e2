//! The codes of this crate's diagnostics: one constant and one title each.
//!
//! Every code has a page `docs/errors/I0xx.md` whose example is imported by a test, and whose rendered diagnostic is
//! compared with what the importer says today.

use cardan_base::Code;

/// The text is not XML.
pub const NOT_XML: Code = Code("I001");
/// The outermost element belongs to another format.
pub const FORMAT: Code = Code("I002");
/// A value is not the number, list or word that it should be.
pub const VALUE: Code = Code("I003");
/// An attribute or element that is needed is not there.
pub const MISSING: Code = Code("I004");
/// Two things with one name.
pub const DUPLICATE: Code = Code("I005");
/// A name that nothing has.
pub const UNKNOWN_NAME: Code = Code("I006");
/// The joints do not make a tree.
pub const TREE: Code = Code("I007");
/// A direction of no length, or directions that do not make a frame.
pub const DIRECTION: Code = Code("I008");
/// Mass properties that no body can have.
pub const IMPOSSIBLE: Code = Code("I009");
/// An element or attribute that the format does not have.
pub const UNKNOWN_ELEMENT: Code = Code("I010");
/// Something that is understood but left out.
pub const LEFT_OUT: Code = Code("I011");
/// Angles and lengths taken as exact.
pub const SNAPPED: Code = Code("I012");
/// A coordinate that cannot follow another.
pub const FOLLOWER: Code = Code("I013");
/// A joint that nothing resists.
pub const NO_INERTIA: Code = Code("I014");
/// Elements nested too deeply.
pub const DEPTH: Code = Code("I015");
/// An included file that cannot be read.
pub const FILE: Code = Code("I016");
/// A soft constraint taken as rigid.
pub const RIGID: Code = Code("I017");
/// Something without which the model would be another one.
pub const NOT_IMPORTED: Code = Code("I018");

/// Every code with its title, which heads its page.
pub const ALL: &[(Code, &str)] = &[
    (NOT_XML, "the text is not well-formed"),
    (FORMAT, "another format than expected"),
    (VALUE, "a value that cannot be read"),
    (MISSING, "something is missing"),
    (DUPLICATE, "two things with one name"),
    (UNKNOWN_NAME, "a name that nothing has"),
    (TREE, "joints that do not make a tree"),
    (DIRECTION, "a direction without length"),
    (IMPOSSIBLE, "mass properties that no body can have"),
    (UNKNOWN_ELEMENT, "an element that the format does not have"),
    (LEFT_OUT, "something is left out"),
    (SNAPPED, "angles and lengths taken as exact"),
    (FOLLOWER, "a coordinate that cannot follow"),
    (NO_INERTIA, "a joint that nothing resists"),
    (DEPTH, "nesting that is too deep"),
    (FILE, "a file that cannot be read"),
    (RIGID, "a soft constraint taken as rigid"),
    (NOT_IMPORTED, "something that cannot be imported"),
];
