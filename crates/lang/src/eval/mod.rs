//! Evaluation of expressions, calls, procedures and statements that happen in order.
//!
//! - `expression`, `conditionals`, `calls`, `functions`, `introspection`: values of expressions;
//! - `procedures`, `execute`: statements one after the other; `externals`: functions of the host;
//! - `periodic`: tables that repeat; `unwrapped_angle`: angles whose turns are counted; `energies`:
//!   kinetic and potential energy of the model.

pub(crate) mod calls;
pub(crate) mod conditionals;
pub(crate) mod energies;
pub(crate) mod execute;
pub(crate) mod expression;
pub(crate) mod externals;
pub(crate) mod functions;
pub(crate) mod introspection;
pub(crate) mod periodic;
pub(crate) mod procedures;
mod unwrapped_angle;
