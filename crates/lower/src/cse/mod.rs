//! Fewer operations: equal parts of different sums and products are computed once.
//!
//! - [`graph`]: sums of products of varying quantities, constants set aside;
//! - [`inline`]: sums that are used once join the sum that uses them;
//! - [`expand`]: short sums are multiplied out;
//! - [`factor`]: factors that several terms of a sum share are taken out of them;
//! - [`pairs`]: the most frequent pair of lists, again and again;
//! - [`products`], [`sums`]: pairs of factors and of terms that occur more than once are named;
//! - [`emit`]: the graph as values of a program;
//! - [`choose`]: which of these steps pay, found by trying.

pub(crate) mod choose;
pub(crate) mod emit;
pub(crate) mod expand;
pub(crate) mod factor;
pub(crate) mod graph;
pub(crate) mod inline;
pub(crate) mod pairs;
pub(crate) mod products;
pub(crate) mod sums;
