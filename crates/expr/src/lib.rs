//! Scalar algebra: a shared, hash-consed graph of exact expressions.
//!
//! An [`Expr`] is a small id into a [`Pool`]; equal expressions are the same id. Constructors
//! canonicalise (Sayers, "Symbolic computer language for multibody systems", Table 5), so nothing is
//! ever expanded or simplified afterwards. Numbers are exact rationals.
//!
//! Two expressions are *the same* not only when they are built alike but when they have the same
//! value as functions: see [`fingerprint`].
//!
//! Absent by design: frames, bodies, time, floats (but for [`evaluate`]), input and output. A derivative
//! is taken with respect to a [`Derivation`], a map that the caller supplies.
//!
//! Reading order: [`rational`], [`symbol`], [`node`], [`pool`] with its table `intern` and its `layers`, then the [`canonical`] constructors
//! of sums, products, surds and functions with their rule table, then what is done with
//! expressions: [`small`], [`derive`](mod@derive), [`traversal`], [`evaluate`], [`branch`], [`print`]; [`operators`] lets derivations be
//! written with operators.

pub mod branch;
pub mod canonical;
pub(crate) mod intern;
pub(crate) mod layers;
pub mod operators;
pub mod traversal;

pub mod derive;
pub mod evaluate;
pub mod fingerprint;
pub mod node;
pub mod pool;
pub mod print;
pub mod rational;
pub mod small;
pub mod symbol;

pub use crate::derive::Derivation;
pub use crate::node::{Expr, ExternalId, Function, Node, TableId};
pub use crate::operators::Ex;
pub use crate::pool::Pool;
pub use crate::print::{Layout, Listing, Names};
pub use crate::rational::Rational;
pub use crate::symbol::{Depends, Kind, Symbol, SymbolId};
