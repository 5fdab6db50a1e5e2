//! The complete program in Fortran 2008.

use cardan_program::Program;

use super::Fortran;
use crate::library::EmitError;
use crate::plan::Plan;
use crate::simulation::{Filling, Simulation, defaults, fill};
use crate::source::SourceFile;
use crate::writer::expression::digits;

const TEMPLATE: &str = include_str!("simulation.f90.txt");

/// Names under which the main program knows the functions that every library has.
const FUNCTIONS: [&str; 3] = ["model_setup", "model_derivatives", "model_outputs"];

/// Library and main file.
pub(crate) fn simulation(program: &Program, simulation: &Simulation) -> Result<Vec<SourceFile>, EmitError> {
    let library = simulation.library(program);
    let plan = Plan::new(program, &library)?;
    let writer = Fortran::new(&plan);
    let name = &writer.words.library;
    let filling = Filling::new(program, simulation, &plan).providing(&plan, &writer.words);
    let mut known = FUNCTIONS.to_vec();
    known.extend(simulation.correction.as_ref().map(|_| "model_correct"));
    known.extend(simulation.passes().then_some("model_regular"));
    known.extend(simulation.events.iter().flat_map(|_| ["model_watch", "model_happen"]));
    let call = |k: usize| format!("{}({})", known[k], filling.calls[k].join(", "));
    let renames: Vec<String> =
        known.iter().zip(&writer.words.functions).map(|(own, f)| format!("{own} => {f}")).collect();
    let starts = filling.starts.iter().enumerate().filter_map(|(i, start)| {
        let k = (*start)?;
        Some(format!("if (.not. given(n_parameters + {})) x({}) = start({})", i + 1, i + 1, k + 1))
    });
    let indented = |list: Vec<String>| list.join("\n        ");
    let named = |array: &str, list: &[String]| -> Vec<String> {
        let assign = |(i, text): (usize, &String)| assignment(&format!("{array}({})", i + 1), text);
        list.iter().enumerate().map(assign).collect()
    };
    let mut names = named("names", &filling.names);
    names.extend(
        filling.values.iter().enumerate().map(|(i, v)| format!("values({}) = {}_dp", i + 1, digits(*v))),
    );
    let replacements = [
        ("NAME", name.clone()),
        ("RENAMES", renames.join(", &\n        ")),
        ("LENGTH", filling.longest_name().max(10).to_string()),
        ("NAMES", indented(names)),
        ("COLUMNS", indented(named("columns", &filling.columns))),
        ("BLOCKS", indented(named("blocks", &filling.blocks))),
        ("STARTS", indented(starts.collect())),
        ("SETUP", call(0)),
        ("DERIVATIVES", call(1)),
        ("OUTPUTS", call(2)),
    ];
    let (own, which) = filling.of_the_user("f90", "!");
    let own = [("OWN", own), ("WHICH", which)];
    let replacements: Vec<_> = replacements.into_iter().chain(own).chain(filling.rare_calls(call)).collect();
    let text = fill(TEMPLATE, "!=", &filling, &replacements);
    let text: Vec<&str> = text.lines().map(str::trim_end).collect();
    Ok(vec![
        SourceFile::text(format!("{name}.f90"), writer.file()),
        SourceFile::text(format!("{name}_main.f90"), text.join("\n") + "\n"),
        defaults(program, simulation, &filling, name),
    ])
}

/// A text assigned in pieces that fit on a line.
fn assignment(place: &str, text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = letters
        .chunks(60)
        .map(|c| format!("\"{}\"", c.iter().collect::<String>().replace('"', "\"\"")))
        .collect();
    format!(
        "{place} = {}",
        if pieces.is_empty() { "\"\"".into() } else { pieces.join(" // &\n            ") }
    )
}
