//! The program `cardan`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(cardan_cli::run_command(std::env::args_os().collect(), cardan_cli::RunningProgram::own()))
}
