//! Expressions for people.
//!
//! - [`layout`]: an expression as a tree of what is written, intermediates shown by name or written out;
//! - [`text`]: on one line, `2*m*l^2*u1 - g*sin(q1)`;
//! - [`mathml`], [`latex`]: for pages and papers;
//! - [`listing`]: a set of equations with the intermediates worth naming;
//! - `cancel`: sums without terms that cancel.

mod cancel;
pub mod latex;
pub mod layout;
pub mod listing;
pub mod mathml;
mod number;
mod order;
mod symbol;
pub mod text;

pub use crate::print::layout::{Layout, Names};
pub use crate::print::listing::Listing;
pub use crate::print::symbol::{Mark, greek};

use crate::{Expr, Pool};

impl Pool {
    /// The expression as one line of text; intermediates appear by name.
    pub fn text(&self, e: Expr) -> String {
        text::render(&Layout::of(self, e, &Names::default()))
    }
}
