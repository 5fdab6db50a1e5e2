//! The parameter file that says nothing new: every name that a complete program knows, with its meaning and the value that it has unless another one is
//! given. Lines of it can be copied; the file can also be given to the program as it is.
//!
//! A state that begins at what `setup` computes stands behind a `#`: given as a number it would not follow the parameters any more.

use cardan_base::Id;
use cardan_program::{Execute, Host, InputId, Interpreter, Program};

use crate::simulation::{Filling, Simulation};
use crate::source::SourceFile;
use crate::writer::expression::{digits, unit_suffix};
use crate::writer::layout::plain;

/// What settings mean, by name.
const SETTINGS: [(&str, &str); 6] = [
    ("t_start", "begin of the simulation [s]"),
    ("t_end", "its end [s]"),
    ("every", "time between lines of the table [s]"),
    ("step", "longest step [s]"),
    ("relative", "relative tolerance"),
    ("absolute", "absolute tolerance, in SI units"),
];

/// The file beside a main file.
pub(crate) fn defaults(
    program: &Program,
    simulation: &Simulation,
    filling: &Filling,
    name: &str,
) -> SourceFile {
    let computed = computed(program, simulation);
    let inputs =
        simulation.parameters.iter().map(|p| p.input).chain(simulation.states.iter().map(|s| s.input));
    let inputs = inputs.chain(simulation.discretes().iter().map(|m| m.input));
    // Where each state begins, of what the setup computes.
    let discretes = (0..filling.n_discretes).map(|k| Some(filling.n_starts + k));
    let starts: Vec<Option<usize>> = filling.starts.iter().copied().chain(discretes).collect();
    let mut text = format!(
        "# What {name}_main reads from {name}.par, with the values that\n# things have unless they are given there. Units are SI.\n"
    );
    let mut meanings: Vec<String> = inputs
        .map(|i| {
            let label = &program.inputs()[i].label;
            plain(&format!("{}{}", label.description, unit_suffix(&label.unit))).trim().to_owned()
        })
        .collect();
    let known = |name: &String| SETTINGS.iter().find(|(n, _)| n == name).map_or("", |(_, meaning)| meaning);
    meanings.extend(filling.names[meanings.len()..].iter().map(|name| known(name).to_owned()));
    for (k, (name, value)) in filling.names.iter().zip(&filling.values).enumerate() {
        text += "\n";
        for line in lines(&meanings[k]) {
            text += &format!("# {line}\n");
        }
        let start = k.checked_sub(simulation.parameters.len()).and_then(|s| starts.get(s)).copied().flatten();
        text += &match (start, &computed) {
            (None, _) => format!("{name} = {}\n", digits(*value)),
            (Some(n), Some(all)) if all[n].is_finite() => format!("#{name} = {}\n", digits(all[n])),
            (Some(_), _) => format!("#{name} =\n"),
        };
    }
    SourceFile::text(format!("{name}_defaults.par"), text)
}

/// Words in lines of at most 68 letters.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < 68 => *line += &format!(" {word}"),
            _ => lines.push(word.into()),
        }
    }
    lines
}

/// The first values that `setup` computes, at the default parameters. Functions of the host are unknown here: what takes
/// them is not a number.
fn computed(program: &Program, simulation: &Simulation) -> Option<Vec<f64>> {
    let mut host = Host::new();
    program.functions().iter().for_each(|(_, f)| host.bind(f.name.clone(), |_| f64::NAN));
    let mut interpreter = Interpreter::with_host(program, &host).ok()?;
    let mut inputs = vec![0.0; program.inputs().len()];
    simulation.parameters.iter().for_each(|p| inputs[InputId::index(p.input)] = p.default);
    let mut outputs = vec![0.0; program.outputs().len()];
    interpreter.run(simulation.setup.into(), &inputs, &mut outputs).ok()?;
    Some(simulation.start_outputs().iter().map(|o| outputs[o.index()]).collect())
}
