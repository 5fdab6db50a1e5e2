//! Chores of the repository: `cargo xtask tidy`.

fn main() {}
