//! What the header of emitted code says of the model: its description, the units, the formalism, its tables, what is fixed.

use cardan_codegen::Provided;
use cardan_compile::Choice;
use cardan_model::{External, Model};
use cardan_program::Label;

/// Functions that are written elsewhere, as the model declares them.
pub(crate) fn provided(model: &Model) -> Vec<Provided> {
    let one = |e: &External| Provided {
        name: e.name.clone(),
        doc: e.description.clone(),
        arguments: e.arguments.clone(),
        unit: e.unit.clone(),
    };
    model.hybrid.externals.iter().map(|(_, e)| one(e)).collect()
}

/// Paragraphs for the header; `fixed` are the parameters that are numbers in the code.
pub(crate) fn about(choice: &Choice, fixed: &[(Label, f64)]) -> String {
    let model = &choice.model;
    let mut text = format!(
        "{}\n\nUnits are SI. The equations were derived by the formalism `{}`.",
        model.description,
        choice.equations.formalism.name()
    );
    if !model.tables.is_empty() {
        text += "\n\nTables:";
    }
    for (_, table) in model.tables.iter() {
        let colon = if table.description.is_empty() { "" } else { ": " };
        text += &format!("\n  {}{colon}{}", table.head(), table.description);
    }
    if !fixed.is_empty() {
        text += "\n\nParameters that are numbers in this code:";
    }
    for (label, value) in fixed {
        let unit = if label.unit.is_empty() { String::new() } else { format!(" [{}]", label.unit) };
        text += format!("\n  {} = {value}{unit} {}", label.name, label.description).trim_end();
    }
    text.trim().into()
}
