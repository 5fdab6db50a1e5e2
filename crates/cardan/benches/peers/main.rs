//! Our side of the comparisons that `./bench` makes: `cargo bench -p cardan --bench peers -- QUESTION …`.
//!
//! ```text
//! dynamics ROBOT fixed|free STATES REPETITIONS [SLOPES]    times per evaluation, and agreement with the values in the files
//! code ROBOT fixed|free STATES FOLDER TIMES [FORMALISM]    machine code of forward dynamics, its operations, and TIMES evaluations
//! accelerations MODEL                              accelerations at the states on standard input, by name
//! compile MODEL REPETITIONS                        text to machine code
//! generate ROBOT fixed|free REPETITIONS            text to machine code by question, and operations
//! ensemble MODEL STARTS STEP|rtol=TOLERANCE TO THREADS REPETITIONS ENDS [LANES]    many motions
//! run MODEL TO METHOD RTOL REPETITIONS             one motion: time and final state; METHOD is a method, or one and a form of constraints, as bdf/stabilised
//! response SYSTEM REPETITIONS                      frequency responses of A, B, C, D at the frequencies in a file
//! locus MODEL PARAMETER FROM TO N REPETITIONS [NAME=VALUE …]    eigenvalues over a parameter
//! stabilised MODEL FOLDER                          the equations with multipliers as C
//! vehicle MODEL TO REPETITIONS [set:NAME=VALUE] [use:SLOT=NAME]    compiling, evaluating, a motion, steps of a millisecond
//! ```
//!
//! Each prints JSON objects, one per line.

mod accelerations;
mod code;
mod compile;
mod dynamics;
mod ensemble;
mod frequency;
mod generate;
mod reading;
mod run;
mod stabilised;
mod states;
mod vehicle;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|w| w != "--bench").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let number = |w: &str| w.parse::<usize>().unwrap_or_else(|e| panic!("{w}: {e}"));
    match words.as_slice() {
        ["dynamics", robot, base, states, repetitions, slopes @ ..] => {
            dynamics::answer(robot, *base == "free", states, number(repetitions), slopes.first().copied());
        }
        ["code", robot, base, states, folder, times, rest @ ..] => {
            code::answer(robot, *base == "free", states, folder, number(times), rest.first().copied());
        }
        ["accelerations", model] => accelerations::answer(model),
        ["compile", model, repetitions] => compile::answer(model, number(repetitions)),
        ["generate", robot, base, repetitions] => {
            generate::answer(robot, *base == "free", number(repetitions))
        }
        ["ensemble", model, starts, step, to, threads, repetitions, ends, lanes @ ..] => {
            let lanes = lanes.first().map(|w| number(w));
            ensemble::answer(model, starts, step, to, number(threads), number(repetitions), ends, lanes);
        }
        ["run", model, to, method, rtol, repetitions] => {
            run::answer(model, to, method, rtol, number(repetitions));
        }
        ["response", system, repetitions] => frequency::response(system, number(repetitions)),
        ["locus", model, parameter, from, to, n, repetitions, set @ ..] => {
            let end = |w: &str| w.parse::<f64>().unwrap_or_else(|e| panic!("{w}: {e}"));
            let range = (end(from), end(to), number(n));
            frequency::locus(model, parameter, range, set, number(repetitions));
        }
        ["stabilised", model, folder] => stabilised::answer(model, folder),
        ["vehicle", model, to, repetitions, words @ ..] => {
            vehicle::answer(model, to, number(repetitions), words);
        }
        // `cargo test` starts every benchmark without words.
        [] => {}
        other => panic!("no such question: {other:?}"),
    }
}
