//! Runs programs by machine code and by the interpreter and compares every bit.
//!
//! ```text
//! cardan show program models/pendulum.mbs > pendulum.program
//! cargo run --release -p cardan-jit --example agree -- pendulum.program
//! ```
//!
//! Each program is run with all instructions and with those of every processor, alone and in two lanes, at random inputs. `tests/processors/run`
//! does so with the programs of all models on emulated processors.

use std::process::ExitCode;

use cardan_jit::{Backend, Batch, Instructions, MachineCode};
use cardan_program::testing::{host, random_inputs};
use cardan_program::{Execute, Interpreter, Program, parse};

/// Two inputs of each kind: of moderate size, and from anywhere.
const ROUNDS: [(u64, bool); 4] = [(1, false), (2, false), (3, true), (4, true)];

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// What differs, if anything does, and how many finite numbers were compared.
fn compare(program: &Program, instructions: Instructions) -> Result<usize, String> {
    let said = |e: &dyn std::fmt::Display| e.to_string();
    let host = host();
    let mut interpreter = Interpreter::with_host(program, &host).map_err(|e| said(&e))?;
    let mut engine = MachineCode::with_instructions(program, &host, instructions).map_err(|e| said(&e))?;
    let mut batch = Batch::<2>::with_instructions(program, &host, instructions).map_err(|e| said(&e))?;
    if engine.backend() != Backend::Native || batch.backend() != Backend::Native {
        return Err("there is no machine code on this processor".to_owned());
    }
    let n = program.outputs().len();
    let (mut expected, mut found, mut rows) = (vec![0.0; n], vec![0.0; n], vec![[0.0; 2]; n]);
    let mut finite = 0;
    for (seed, wild) in ROUNDS {
        let inputs = random_inputs(seed, program, wild);
        let both: Vec<[f64; 2]> = inputs.iter().map(|x| [1.0, *x]).collect();
        let outcome = interpreter.run(program.all_stages(), &inputs, &mut expected);
        let other = engine.run(program.all_stages(), &inputs, &mut found);
        if outcome != other {
            return Err(format!("{outcome:?} is expected, but {other:?} found"));
        }
        // The first lane has other inputs and may fail by itself.
        let _ = batch.run(program.all_stages(), &both, &mut rows);
        for (k, x) in expected.iter().enumerate() {
            if !same(*x, found[k]) || !same(*x, rows[k][1]) {
                return Err(format!(
                    "output {k}: {x:?} is expected, {:?} and {:?} are found",
                    found[k], rows[k][1]
                ));
            }
            finite += usize::from(x.is_finite());
        }
    }
    Ok(finite)
}

fn main() -> ExitCode {
    let (mut n_programs, mut n_finite, mut failures) = (0, 0, 0);
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).map_err(|e| e.to_string());
        let program = text.and_then(|text| parse(&text).map_err(|e| format!("{e:?}")));
        for instructions in [Instructions::All, Instructions::Baseline] {
            match program.as_ref().map_err(Clone::clone).and_then(|p| compare(p, instructions)) {
                Ok(finite) => n_finite += finite,
                Err(reason) => {
                    failures += 1;
                    eprintln!("{path}, {instructions:?}: {reason}");
                }
            }
        }
        n_programs += 1;
    }
    println!("{n_programs} programs, {n_finite} finite numbers compared on {}", std::env::consts::ARCH);
    println!("{} passed, {failures} failed", 2 * n_programs - failures);
    if failures == 0 && n_finite > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
