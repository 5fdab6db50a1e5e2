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
//! Reading order: [`rational`], [`symbol`], [`node`], [`pool`] with its table `known`, then the canonical constructors
//! [`sum`], [`product`], [`function`] with its rule table [`rules`], then what is done with
//! expressions: [`small`], [`derive`](mod@derive), [`parts`], [`evaluate`], [`print`], [`parse`]; [`handle`] lets derivations be
//! written with operators.

pub mod derive;
pub mod evaluate;
pub mod fingerprint;
pub mod function;
pub mod handle;
mod known;
pub mod node;
pub mod parse;
pub mod parts;
pub mod pool;
pub mod print;
pub mod product;
pub mod rational;
pub mod rules;
pub mod small;
pub mod sum;
pub mod symbol;

pub use derive::Derivation;
pub use handle::Ex;
pub use node::{Expr, ExternalId, Function, Node, TableId};
pub use pool::Pool;
pub use print::{Layout, Listing, Names};
pub use rational::Rational;
pub use symbol::{Depends, Kind, Symbol, SymbolId};
