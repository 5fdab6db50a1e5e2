//! What the header of emitted code says of the model: its description, the units, the formalism, its tables.

use cardan_sim::Choice;

/// Paragraphs for the header.
pub(crate) fn about(choice: &Choice) -> String {
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
    text.trim().into()
}
