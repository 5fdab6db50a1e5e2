//! Bounds that keep any text within reasonable time and memory.

/// Statements of the flat tree.
pub const STATEMENTS: usize = 100_000;
/// Repetitions of all loops together, with those that leave no part behind.
pub const ROUNDS: usize = 1_000_000;
/// Instances inside instances.
pub const NESTING: usize = 32;
/// Terms of one sum, and repetitions of one loop.
pub const REPETITIONS: i64 = 200_000;
/// Texts that one model imports.
pub const FILES: usize = 500;
/// Connections that lead to connections.
pub const CONNECTIONS: usize = 64;
