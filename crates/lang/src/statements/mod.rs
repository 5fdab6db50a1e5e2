//! Statements of a text.
//!
//! - `declarations`: parameters, constants, variables, states, points; `signals`: speeds, outputs,
//!   initial values; `display_units`: units in results;
//! - `loads`, `elements`, `contacts`, `shape_contacts`: gravity, forces, springs and their kin, what
//!   touches; `impact_laws`: Poisson's law; `locks`, `attachments`: joints and bodies that are held;
//! - `events`: blocks that change discrete states; `experiments`: analyses asked for in the text.

pub(crate) mod attachments;
pub(crate) mod contacts;
pub(crate) mod declarations;
pub(crate) mod display_units;
pub(crate) mod elements;
pub(crate) mod events;
pub(crate) mod experiments;
pub(crate) mod impact_laws;
pub(crate) mod loads;
pub(crate) mod locks;
pub(crate) mod shape_contacts;
pub(crate) mod signals;
