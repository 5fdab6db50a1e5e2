//! The `cardan` command: files, terminal, exit codes.
//!
//! Absent by design: mechanics. Each verb is one module that asks the library and says what came of it.
//!
//! In reading order:
//!
//! - `arguments`: the command line; `outcome`: how a command ends; `terminal`: how it speaks; `files`: reading and writing, `parquet`: tables;
//! - `loading`: a file to a model, with its findings;
//! - the verbs `new`, `check`, `show`, `run`, `sweep`, `count`, `emit`, `document`, `importing`, `fmt`;
//! - `ask`: the questions `equilibrium`, `linearize`, `modes`, `kinematics`, `inverse`, `verify`;
//! - `report`: the page of a run.

mod arguments;
mod files;
mod loading;
mod outcome;
mod parquet;
mod terminal;

mod ask;
mod check;
mod count;
mod document;
mod emit;
mod fmt;
mod importing;
mod new;
mod run;
mod show;
mod sweep;

mod report;

use std::process::ExitCode;

use arguments::{Arguments, Verb};
use clap::Parser;
use outcome::{Outcome, Problem};
use terminal::Terminal;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let terminal = Terminal::new(arguments.json);
    let result = match &arguments.verb {
        Verb::New(a) => new::run(&terminal, a),
        Verb::Check(a) => check::run(&terminal, a),
        Verb::Show(a) => show::run(&terminal, a),
        Verb::Run(a) => run::run(&terminal, a),
        Verb::Equilibrium(a) => ask::equilibrium::run(&terminal, a),
        Verb::Linearize(a) => ask::linearize::run(&terminal, a),
        Verb::Modes(a) => ask::modes::run(&terminal, a),
        Verb::Kinematics(a) => ask::kinematics::run(&terminal, a),
        Verb::Inverse(a) => ask::inverse::run(&terminal, a),
        Verb::Verify(a) => ask::verify::run(&terminal, a),
        Verb::Sweep(a) => sweep::run(&terminal, a),
        Verb::Count(a) => count::run(&terminal, a),
        Verb::Emit(a) => emit::run(&terminal, a),
        Verb::Document(a) => document::run(&terminal, a),
        Verb::Import(a) => importing::run(&terminal, a),
        Verb::Fmt(a) => fmt::run(&terminal, a),
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
        return Outcome::Failed.into();
    }
    outcome.into()
}
