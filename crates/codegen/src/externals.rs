//! Functions that the user of the generated code provides, as the model declares them.

use cardan_base::Id;
use cardan_program::{Function, FunctionId, Op};

use crate::plan::Plan;
use crate::writer::expression::unit_suffix;
use crate::writer::layout::plain;
use crate::writer::name_table::Vocabulary;

/// What is known of such a function besides the number of its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Provided {
    /// Its name in the program.
    pub name: String,
    /// What it is, in words; may be empty.
    pub doc: String,
    /// Names and units of its arguments.
    pub arguments: Vec<(String, String)>,
    /// The unit of its value.
    pub unit: String,
}

/// The declaration of a function of the program, if there is one that fits.
pub(crate) fn declared<'a>(plan: &'a Plan, function: &Function) -> Option<&'a Provided> {
    let fits = |p: &&Provided| p.name == function.name && p.arguments.len() == function.arity as usize;
    plan.library.provided.iter().find(fits)
}

/// The functions of the host that a plan calls.
pub(crate) fn called<'a>(plan: &'a Plan) -> Vec<(FunctionId, &'a Function)> {
    let is_called = |id| plan.any(|op| matches!(op, Op::Call { function, .. } if *function == id));
    plan.program.functions().iter().filter(|(id, _)| is_called(*id)).collect()
}

/// One of them as people read it: `drag(v [m/s]) [N]: measured in the tunnel`.
pub(crate) fn described(plan: &Plan, words: &Vocabulary, id: FunctionId) -> String {
    let name = &words.external[id.index()];
    let names = &words.external_arguments[id.index()];
    let Some(about) = declared(plan, &plan.program.functions()[id]) else {
        return format!("{name}({})", names.join(", "));
    };
    let units = about.arguments.iter().map(|(_, unit)| unit_suffix(unit));
    let arguments: Vec<String> = names.iter().zip(units).map(|(name, unit)| name.clone() + &unit).collect();
    let colon = if about.doc.is_empty() { "" } else { ": " };
    plain(&format!("{name}({}){}{colon}{}", arguments.join(", "), unit_suffix(&about.unit), about.doc))
}

/// What the header says of all of them; nothing if there are none.
pub(crate) fn section(plan: &Plan, words: &Vocabulary) -> String {
    let list = called(plan);
    if list.is_empty() {
        return String::new();
    }
    let lines = list.iter().map(|(id, _)| format!("  {}\n", described(plan, words, *id)));
    let lines: String = lines.collect();
    format!("\nFunctions that the user provides, with the units of what they take and give:\n{lines}")
}
