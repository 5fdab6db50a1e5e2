//! The complete program in Python. Functions of the host come from a module `external`.

use cardan_program::{Op, Program};

use super::Python;
use crate::library::EmitError;
use crate::plan::Plan;
use crate::simulation::{Filling, Simulation, defaults, fill};
use crate::source::SourceFile;
use crate::writer::expression::digits;

const TEMPLATE: &str = include_str!("simulation.py.txt");

/// Library and main file.
pub(crate) fn simulation(program: &Program, simulation: &Simulation) -> Result<Vec<SourceFile>, EmitError> {
    let library = simulation.library(program);
    let plan = Plan::new(program, &library)?;
    let writer = Python::new(&plan);
    let name = &writer.words.library;
    let filling = Filling::new(program, simulation, &plan).providing(&plan, &writer.words);
    let calls_host =
        |k: usize| plan.functions[k].live.iter().any(|v| matches!(program.values()[*v], Op::Call { .. }));
    let call = |k: usize| {
        let (_, arguments) = filling.calls[k].split_last().unwrap_or((&"", &[]));
        let host = calls_host(k).then_some("external");
        let arguments: Vec<&str> = host.into_iter().chain(arguments.iter().copied()).collect();
        format!("{name}.{}({})", writer.words.functions[k], arguments.join(", "))
    };
    let starts =
        filling.starts.iter().enumerate().filter_map(|(i, start)| start.map(|k| format!("({i}, {k})")));
    let lines = |list: Vec<String>| list.join(",\n    ") + ",";
    let (_, which) = filling.of_the_user("py", "#");
    let external =
        if which.is_empty() { String::new() } else { format!("{}\nimport external\n", which.trim_start()) };
    let replacements = [
        ("NAME", name.clone()),
        ("EXTERNAL", external),
        ("NAMES", lines(filling.names.iter().map(|n| quoted(n)).collect())),
        ("VALUES", lines(filling.values.iter().map(|v| digits(*v)).collect())),
        ("COLUMNS", lines(filling.columns.iter().map(|c| quoted(c)).collect())),
        ("BLOCKS", lines(filling.blocks.iter().map(|b| quoted(b)).collect())),
        ("STARTS", rows(&starts.collect::<Vec<_>>())),
        ("SETUP", call(0)),
        ("DERIVATIVES", call(1)),
        ("OUTPUTS", call(2)),
    ];
    let replacements: Vec<_> = replacements.into_iter().chain(filling.rare_calls(call)).collect();
    Ok(vec![
        SourceFile::text(format!("{name}.py"), writer.file()),
        SourceFile::text(format!("{name}_main.py"), fill(TEMPLATE, "#=", &filling, &replacements)),
        defaults(program, simulation, &filling, name),
    ])
}

/// What stands in a list, in rows where it is long.
fn rows(list: &[String]) -> String {
    const ROW: usize = 8;
    if list.len() <= ROW {
        return list.join(", ");
    }
    let rows: String = list.chunks(ROW).map(|row| format!("\n            {},", row.join(", "))).collect();
    rows + "\n        "
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
