//! The `cardan` command: files, terminal, exit codes. The program `cardan` runs it, and so does the Python package.
//!
//! Absent by design: mechanics. Each verb is one module that asks the library and says what came of it.
//!
//! In reading order:
//!
//! - `arguments`: the command line; `program`: what runs it; `exit`: how a command ends; `terminal`: how it speaks; `files`: reading and writing,
//!   `transaction`: results as a whole, `parquet`: tables, `checksum`: contents told apart;
//! - `load`: a file to a model, with its findings; `search`: where imported texts are found;
//! - the verbs `new`, `check`, `show`, `run`, `sweep`, `count`, `emit`, `fmu`, `document`, `import`, `fmt`;
//! - `analyze`: the questions `equilibrium`, `linearize`, `modes`, `kinematics`, `inverse`, `verify`, and its `frequency`: those about
//!   inputs and outputs;
//! - `report`: the page of a run.

pub(crate) mod analyze;
pub(crate) mod exit;
pub(crate) mod import;
pub(crate) mod load;

mod arguments;
mod files;
mod program;
mod terminal;

mod check;
mod count;
mod document;
mod emit;
mod fmt;
mod fmu;
mod new;
mod run;
mod show;
mod sweep;

mod report;

pub(crate) use crate::files::{checksum, parquet, transaction};
pub(crate) use crate::load::search;
pub use crate::load::search::Search;
pub use crate::program::RunningProgram;

use std::ffi::OsString;

use crate::arguments::{Arguments, Verb};
use crate::exit::{Outcome, Problem};
use crate::terminal::Terminal;
use clap::Parser;

/// Chains of ten thousand bodies are walked from the tip to the ground.
const STACK: usize = 256 << 20;

/// Runs a command on a stack that is deep enough, and gives its exit code. `words` are those of the command line, the name of the
/// command first; `program` is what runs it.
pub fn run_command(words: Vec<OsString>, program: RunningProgram) -> u8 {
    let command = move || {
        program.remember();
        match Arguments::try_parse_from(words) {
            Ok(arguments) => command(&arguments),
            Err(said) => {
                // Help and versions are asked for, and go to standard output.
                let _ = said.print();
                if let Some(help) = arguments::meant(&said) {
                    eprintln!("  = help: {help}");
                }
                u8::try_from(said.exit_code()).unwrap_or(Outcome::Usage.code())
            }
        }
    };
    match std::thread::Builder::new().stack_size(STACK).spawn(command) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(_) => Outcome::Failed.code(),
    }
}

fn command(arguments: &Arguments) -> u8 {
    let terminal = Terminal::new(arguments.json);
    let result = match &arguments.verb {
        Verb::New(a) => new::run(&terminal, a),
        Verb::Check(a) => check::run(&terminal, a),
        Verb::Show(a) => show::run(&terminal, a),
        Verb::Run(a) => run::run(&terminal, a),
        Verb::Equilibrium(a) => analyze::equilibrium::run(&terminal, a),
        Verb::Linearize(a) => analyze::linearize::run(&terminal, a),
        Verb::Modes(a) => analyze::modes::run(&terminal, a),
        Verb::RootLocus(a) => analyze::locus::root_locus::run(&terminal, a),
        Verb::Stability(a) => analyze::locus::stability::run(&terminal, a),
        Verb::Response(a) => analyze::frequency::response::run(&terminal, a),
        Verb::RandomResponse(a) => analyze::frequency::random_response::run(&terminal, a),
        Verb::Lqr(a) => analyze::frequency::feedback::run_lqr(&terminal, a),
        Verb::Kalman(a) => analyze::frequency::feedback::run_kalman(&terminal, a),
        Verb::PolePlacement(a) => analyze::frequency::feedback::run_pole_placement(&terminal, a),
        Verb::Kinematics(a) => analyze::kinematics::run(&terminal, a),
        Verb::Inverse(a) => analyze::inverse::run(&terminal, a),
        Verb::Trim(a) => analyze::statics::trim::run(&terminal, a),
        Verb::Handling(a) => analyze::frequency::handling::run(&terminal, a),
        Verb::Sensitivity(a) => analyze::sensitivity::run(&terminal, a),
        Verb::Verify(a) => analyze::verify::run(&terminal, a),
        Verb::Sweep(a) => sweep::run(&terminal, a),
        Verb::Count(a) => count::run(&terminal, a),
        Verb::Emit(a) => emit::run(&terminal, a),
        Verb::Fmu(a) => fmu::run(&terminal, a),
        Verb::Document(a) => document::run(&terminal, a),
        Verb::Import(a) => import::run(&terminal, a),
        Verb::Fmt(a) => fmt::run(&terminal, a),
        Verb::CommitResults { folder } => transaction::commit_in(folder)
            .map(|()| Outcome::Done)
            .map_err(|e| Problem::file("written", folder, &e)),
    };
    let outcome = result.unwrap_or_else(|problem| {
        terminal.problem(&problem);
        if terminal.json && !problem.message.is_empty() {
            terminal.print_json(&serde_json::json!({
                "ok": false,
                "error": problem.message,
                "help": problem.help,
            }));
        }
        problem.outcome
    });
    if let Some(reason) = terminal.unwritten() {
        terminal.problem(&Problem::failed(format!("standard output cannot be written: {reason}")));
        return Outcome::Failed.code();
    }
    outcome.code()
}
