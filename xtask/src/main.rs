//! Chores of the repository: `cargo xtask tidy`, `cargo xtask fuzz`.

mod fuzz;
mod tidy;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["tidy"] => tidy::run(),
        ["fuzz", options @ ..] => fuzz::run(options),
        _ => {
            eprintln!("usage: cargo xtask tidy | fuzz");
            ExitCode::from(2)
        }
    }
}
