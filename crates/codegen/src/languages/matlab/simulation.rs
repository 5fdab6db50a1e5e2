//! The complete program in MATLAB and Octave.

use cardan_program::Program;

use super::Matlab;
use crate::library::EmitError;
use crate::plan::Plan;
use crate::simulation::{Filling, Simulation, defaults, fill};
use crate::source::SourceFile;
use crate::writer::expression::digits;

const TEMPLATE: &str = include_str!("simulation.m.txt");

/// Library and main file.
pub(crate) fn simulation(program: &Program, simulation: &Simulation) -> Result<Vec<SourceFile>, EmitError> {
    let library = simulation.library(program);
    let plan = Plan::new(program, &library)?;
    let writer = Matlab::new(&plan);
    let name = &writer.words.library;
    let filling = Filling::new(program, simulation, &plan).providing(&plan, &writer.words);
    let call = |k: usize| {
        let (result, arguments) = filling.calls[k].split_last().unwrap_or((&"", &[]));
        let left =
            if plan.functions[k].writes_work() { format!("[w, {result}]") } else { (*result).to_owned() };
        format!("{left} = {}({})", writer.words.functions[k], arguments.join(", "))
    };
    let starts = filling.starts.iter().enumerate().filter_map(|(i, start)| {
        let k = (*start)?;
        let test = format!("if ~model.given(model.n_parameters + {})", i + 1);
        Some(format!("{test}\n        x({}) = start({});\n    end", i + 1, k + 1))
    });
    let lines = |list: Vec<String>| list.join(", ...\n        ") + " ...";
    let replacements = [
        ("NAME", name.clone()),
        ("NAMES", lines(filling.names.iter().map(|n| quoted(n)).collect())),
        ("VALUES", lines(filling.values.iter().map(|v| digits(*v)).collect())),
        ("COLUMNS", lines(filling.columns.iter().map(|c| quoted(c)).collect())),
        ("BLOCKS", lines(filling.blocks.iter().map(|b| quoted(b)).collect())),
        ("STARTS", starts.collect::<Vec<_>>().join("\n    ")),
        ("SETUP", call(0)),
        ("DERIVATIVES", call(1)),
        ("OUTPUTS", call(2)),
    ];
    let (_, which) = filling.of_the_user("m", "%");
    let which = [("WHICH", which)];
    let replacements: Vec<_> =
        replacements.into_iter().chain(which).chain(filling.rare_calls(call)).collect();
    let text = fill(TEMPLATE, "%=", &filling, &replacements);
    let text: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut files = writer.files();
    files.push(SourceFile::text(format!("{name}_main.m"), text.join("\n") + "\n"));
    files.push(defaults(program, simulation, &filling, name));
    Ok(files)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
