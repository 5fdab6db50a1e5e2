//! Routines in the native language: what they declare, and what their functions take and give.

use cardan_syntax::{Input, StatementKind, Tree, UnitText};
use cardan_units::{Dimension, Unit};

/// The dimensions of a function's arguments and of its value, as far as its head tells them.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::autosim) struct Signature {
    pub arguments: Vec<Option<Dimension>>,
    pub value: Option<Dimension>,
}

/// A name that a native text declares, with what is known if it is a function.
pub(in crate::autosim) type Declared = (String, Option<Signature>);

/// Scalars, functions and tables that a native text declares.
pub(in crate::autosim) fn declared(tree: &Tree) -> Vec<Declared> {
    let mut names: Vec<Declared> = vec![];
    for statement in &tree.statements {
        match &statement.kind {
            StatementKind::Parameter(list)
            | StatementKind::Input(list)
            | StatementKind::Constant(list)
            | StatementKind::Variable(list)
            | StatementKind::Discrete(list) => {
                names.extend(list.iter().map(|d| (d.name.text.clone(), None)));
            }
            StatementKind::State(list) => {
                names.extend(list.iter().map(|s| (s.declaration.name.text.clone(), None)));
            }
            StatementKind::Function(f) => {
                names.push((f.name.text.clone(), signature(&f.inputs, f.unit.as_ref())));
            }
            StatementKind::Table(t) => {
                names.push((t.name.text.clone(), signature(&t.inputs, t.unit.as_ref())));
            }
            StatementKind::Procedure(p) => {
                let [result] = p.results.as_slice() else { continue };
                names.push((p.name.text.clone(), signature(&p.inputs, result.unit.as_ref())));
            }
            StatementKind::External(f) => {
                names.push((f.name.text.clone(), signature(&f.inputs, f.unit.as_ref())));
            }
            _ => {}
        }
    }
    names
}

fn signature(inputs: &[Input], unit: Option<&UnitText>) -> Option<Signature> {
    let dimension = |u: Option<&UnitText>| u.and_then(|u| Unit::parse(&u.text).ok()).map(|u| u.dimension());
    let arguments = inputs.iter().map(|i| dimension(i.unit.as_ref())).collect();
    Some(Signature { arguments, value: dimension(unit) })
}
