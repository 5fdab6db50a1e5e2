//! The complete program in Fortran 77. File names are fixed: the language has no arguments of programs.

use cardan_program::Program;

use super::{Fortran77, double};
use crate::library::EmitError;
use crate::plan::Plan;
use crate::simulation::{Filling, Simulation, defaults, fill};
use crate::source::SourceFile;
use crate::writer::layout::BLANK;

const TEMPLATE: &str = include_str!("simulation.f.txt");

/// Library and main file.
pub(crate) fn simulation(program: &Program, simulation: &Simulation) -> Result<Vec<SourceFile>, EmitError> {
    let library = simulation.library(program);
    let plan = Plan::new(program, &library)?;
    let writer = Fortran77::new(&plan);
    let file = writer.words.library.to_lowercase();
    let filling = Filling::new(program, simulation, &plan).providing(&plan, &writer.words);
    let statement = |head: &str, text: &str| {
        let mut page = Fortran77::page();
        page.statement(6, head, text, "");
        page.finish().trim_end().to_owned()
    };
    let call = |k: usize| {
        let spelled = |a: &&str| if *a == "p" { "VALUES".to_owned() } else { a.to_uppercase() };
        let arguments: Vec<String> = filling.calls[k].iter().map(spelled).collect();
        let name = &writer.words.functions[k];
        statement("CALL ", &format!("{name}({})", arguments.join(&format!(",{BLANK}"))))
    };
    let texts = |array: &str, list: &[String]| -> Vec<String> {
        let one = |(i, text): (usize, &String)| statement(&format!("{array}({}) = ", i + 1), &quoted(text));
        list.iter().enumerate().map(one).collect()
    };
    let mut names = texts("NAMES", &filling.names);
    let value = |(i, v): (usize, &f64)| format!("      VALUES({}) = {}", i + 1, double(*v));
    names.extend(filling.values.iter().enumerate().map(value));
    let starts = filling.starts.iter().enumerate().filter_map(|(i, start)| {
        let k = (*start)?;
        Some(format!("      IF (.NOT. GIVEN(NP + {})) X({}) = START({})", i + 1, i + 1, k + 1))
    });
    let replacements = [
        ("NAME", writer.words.library.clone()),
        ("FILE", file.clone()),
        ("LENGTH", filling.longest_name().max(10).to_string()),
        ("NAMES", names.join("\n")),
        ("COLUMNS", texts("COLUMN", &filling.columns).join("\n")),
        ("BLOCKS", texts("BLOCKS", &filling.blocks).join("\n")),
        ("STARTS", starts.collect::<Vec<_>>().join("\n")),
        ("SETUP", call(0)),
        ("DERIVATIVES", call(1)),
        ("OUTPUTS", call(2)),
    ];
    let (own, which) = filling.of_the_user("f", "C    ");
    let own = [("OWN", own), ("WHICH", which)];
    let replacements: Vec<_> = replacements.into_iter().chain(own).chain(filling.rare_calls(call)).collect();
    Ok(vec![
        SourceFile::text(format!("{file}.f"), writer.file()),
        SourceFile::text(format!("{file}_main.f"), fill(TEMPLATE, "C=", &filling, &replacements)),
        defaults(program, simulation, &filling, &file),
    ])
}

/// A text in pieces that fit on a line.
fn quoted(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let piece = |c: &[char]| format!("'{}'", c.iter().collect::<String>().replace('\'', "''"));
    let pieces: Vec<String> = letters.chunks(20).map(piece).collect();
    if pieces.is_empty() { "' '".into() } else { pieces.join(&format!("{BLANK}// ")) }
}
