//! The complete program in Rust. Functions of the host come from a file `external.rs` that defines a type
//! `Functions` with the library's trait `External`.

use cardan_program::Program;

use super::Rust;
use crate::library::EmitError;
use crate::plan::Plan;
use crate::simulation::{Filling, Simulation, defaults, fill};
use crate::source::SourceFile;
use crate::writer::expression::digits;

const TEMPLATE: &str = include_str!("simulation.rs.txt");

/// Library and main file.
pub(crate) fn simulation(program: &Program, simulation: &Simulation) -> Result<Vec<SourceFile>, EmitError> {
    let library = simulation.library(program);
    let plan = Plan::new(program, &library)?;
    let writer = Rust::new(&plan);
    let name = &writer.words.library;
    let filling = Filling::new(program, simulation, &plan).providing(&plan, &writer.words);
    let calls_host = |k: usize| writer.calls_host(&plan.functions[k]);
    let call = |k: usize| {
        let host = calls_host(k).then_some("&external::Functions".to_owned());
        let spelled = |argument: &&str| match *argument {
            "t" => "t".to_owned(),
            "p" => "&p".to_owned(),
            "x" => if k == 0 { "&x" } else { "x" }.to_owned(),
            "d" => "&self.d".to_owned(),
            "w" if plan.functions[k].writes_work() => "&mut self.w".to_owned(),
            "w" => "&self.w".to_owned(),
            result => format!("&mut {result}"),
        };
        let arguments: Vec<String> = host.into_iter().chain(filling.calls[k].iter().map(spelled)).collect();
        format!("{name}::{}({})", writer.words.functions[k], arguments.join(", "))
    };
    let pairs = filling.names.iter().zip(&filling.values);
    let starts = filling.starts.iter().enumerate().filter_map(|(i, start)| {
        let k = (*start)?;
        Some(format!("if !self.given[N_PARAMETERS + {i}] {{\n            x[{i}] = start[{k}];\n        }}"))
    });
    let line = |wanted: bool, text: &str| if wanted { text.to_owned() } else { String::new() };
    let lines = |list: Vec<String>| list.join(",\n    ") + ",";
    let replacements = [
        ("NAME", name.clone()),
        ("EXTERNAL", line((0..plan.functions.len()).any(calls_host), "mod external;\n")),
        ("NAMES", lines(pairs.map(|(n, v)| format!("({n:?}, {})", digits(*v))).collect())),
        ("COLUMNS", lines(filling.columns.iter().map(|c| format!("{c:?}")).collect())),
        ("BLOCKS", lines(filling.blocks.iter().map(|b| format!("{b:?}")).collect())),
        ("WORK_FIELD", line(filling.n_work > 0, &format!("w: [f64; {}],", filling.n_work))),
        ("WORK_VALUE", line(filling.n_work > 0, &format!("w: [0.0; {}],", filling.n_work))),
        ("T", if simulation.time.is_some() { "t".into() } else { "_".into() }),
        ("STARTS", starts.collect::<Vec<_>>().join("\n        ")),
        ("SETUP", call(0)),
        ("DERIVATIVES", call(1)),
        ("OUTPUTS", call(2)),
    ];
    let (_, which) = filling.of_the_user("rs", "//!");
    let which = [("WHICH", which)];
    let replacements: Vec<_> =
        replacements.into_iter().chain(which).chain(filling.rare_calls(call)).collect();
    let text = fill(TEMPLATE, "//=", &filling, &replacements);
    let text: Vec<&str> = text.lines().map(str::trim_end).collect();
    let main = text.join("\n").replace("\n\n\n", "\n\n").replace("\n\n    }", "\n    }") + "\n";
    Ok(vec![
        SourceFile::text(format!("{name}.rs"), writer.file()),
        SourceFile::text(format!("{name}_main.rs"), main),
        defaults(program, simulation, &filling, name),
    ])
}
