//! The complete program in C and C++.

use cardan_program::Program;

use super::{C, Flavour};
use crate::library::EmitError;
use crate::plan::Plan;
use crate::simulation::{Filling, Simulation, defaults, fill};
use crate::source::SourceFile;
use crate::writer::expression::digits;

const TEMPLATE: &str = include_str!("simulation.c.txt");

/// Library and main file.
pub(crate) fn simulation(
    program: &Program,
    simulation: &Simulation,
    flavour: Flavour,
) -> Result<Vec<SourceFile>, EmitError> {
    let library = simulation.library(program);
    let plan = Plan::new(program, &library)?;
    let writer = C::new(&plan, flavour);
    let name = &writer.words.library;
    let filling = Filling::new(program, simulation, &plan).providing(&plan, &writer.words);
    let (header, source) = writer.extension();
    let call = |k: usize| {
        let scope = if flavour == Flavour::Cpp17 { format!("{name}::") } else { String::new() };
        format!("{scope}{}({})", writer.words.functions[k], filling.calls[k].join(", "))
    };
    let compiler = if flavour == Flavour::Cpp17 { "c++ -std=c++17" } else { "cc" };
    let (own, which) = filling.of_the_user(source, "//");
    let build = format!("{compiler} -O2 {name}.{source} {name}_main.{source}{own} -o {name}_main -lm{which}");
    let lines = |list: Vec<String>| list.join(",\n    ") + ",";
    let starts = filling.starts.iter().enumerate().filter_map(|(i, start)| {
        let k = (*start)?;
        Some(format!("if (!given[N_PARAMETERS + {i}]) {{\n        x[{i}] = start[{k}];\n    }}\n"))
    });
    let replacements = [
        ("NAME", name.clone()),
        ("HEADER", format!("{name}.{header}")),
        ("NAMES", lines(filling.names.iter().map(|n| quoted(n)).collect())),
        ("VALUES", lines(filling.values.iter().map(|v| digits(*v)).collect())),
        ("COLUMNS", lines(filling.columns.iter().map(|c| quoted(c)).collect())),
        ("BLOCKS", lines(filling.blocks.iter().map(|b| quoted(b)).collect())),
        ("STARTS", starts.collect::<Vec<_>>().join("    ").trim_end().to_owned()),
        ("SETUP", call(0)),
        ("DERIVATIVES", call(1)),
        ("OUTPUTS", call(2)),
    ];
    let replacements: Vec<_> = replacements.into_iter().chain(filling.rare_calls(call)).collect();
    let replacements = [replacements, vec![("BUILD", build)]].concat();
    let mut text = fill(TEMPLATE, "//=", &filling, &replacements);
    if filling.n_work == 0 {
        text = text.replace("// What setup leaves for the other functions.\nstatic double w[1];\n\n", "");
    }
    let mut files = writer.files();
    files.push(SourceFile::text(format!("{name}_main.{source}"), text));
    files.push(defaults(program, simulation, &filling, name));
    Ok(files)
}

/// A string literal; letters beyond ASCII stand as they are.
fn quoted(text: &str) -> String {
    // Two question marks could begin a trigraph.
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace("??", "?\\?"))
}
