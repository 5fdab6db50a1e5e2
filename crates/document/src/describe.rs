//! The whole document of a model.

use std::collections::BTreeSet;

use cardan_compile::formalism_selection::not_worth_it;
use cardan_compile::{Choice, ChoiceError, choose};
use cardan_equations::Formalism;
use cardan_model::{ExperimentKind, Model};
use cardan_program::Counts;

use crate::abbreviations::shorten;
use crate::chapters::topology::Drawing;
use crate::chapters::{bodies, hybrid, linear, listing, scalars, symbols, vectors};
use crate::document::{Block, Cell, Document, Section};
use crate::numbering::number;

/// How the scalar equations are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// Formulas with named intermediate quantities.
    #[default]
    Formulas,
    /// M, k, q as NEWEUL lists them: M ÿ + k = q.
    Neweul,
    /// Recursive assignments in the order of evaluation, as Robotran lists them.
    Robotran,
}

impl Style {
    /// All of them with the names by which people choose them.
    pub const ALL: [(Style, &'static str); 3] =
        [(Style::Formulas, "formulas"), (Style::Neweul, "neweul"), (Style::Robotran, "robotran")];
}

/// What a document holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DocumentContents {
    /// How the scalar equations are written.
    pub style: Style,
    /// Whether the linear equations are among them; they are where the model has a `linearize`
    /// block.
    pub linear: bool,
}

impl From<Style> for DocumentContents {
    fn from(style: Style) -> Self {
        DocumentContents { style, linear: false }
    }
}

/// The equations that are easiest to read: by the formalism `wanted`, else by Kane's where they are not too large, else by the
/// cheapest. Formalisms that may be the cheapest are counted, and the one shown, unless one is wanted.
pub fn readable(model: &Model, wanted: Option<Formalism>) -> Result<Choice, ChoiceError> {
    let cheapest = choose(model, wanted)?;
    let kane = Formalism::Kane;
    if wanted.is_some() || cheapest.equations.formalism == kane || not_worth_it(model, kane, true).is_some() {
        return Ok(cheapest);
    }
    match choose(model, Some(kane)) {
        Ok(choice) => {
            let own = |f: Formalism| choice.considered.iter().find(|c| c.formalism == f).cloned();
            let considered = cheapest.considered.into_iter().map(|c| own(c.formalism).unwrap_or(c)).collect();
            Ok(Choice { considered, ..choice })
        }
        Err(_) => Ok(cheapest),
    }
}

/// The document of a model and its equations.
pub fn describe(choice: &Choice, contents: impl Into<DocumentContents>) -> Document {
    let DocumentContents { style, linear } = contents.into();
    // Formulas are written in other forms than those derived, which must not show in the equations.
    let model = &choice.model.clone();
    let mut topology = Section::new("Topology");
    topology.blocks.push(Block::Figure(Drawing::of(model)));
    let mut sections =
        vec![symbols::section(model), topology, bodies::section(model), vectors::kinematics(model)];
    sections.push(vectors::motion(model));
    match style {
        Style::Formulas => sections.push(scalars::motion(model, &choice.equations)),
        Style::Neweul => sections.push(listing::neweul(model)),
        Style::Robotran => sections.push(listing::robotran(model)),
    }
    sections.extend(scalars::constraints(model, &choice.equations));
    if linear || model.experiments.iter().any(|e| e.kind == ExperimentKind::Linearize) {
        sections.extend(linear::section(model, &choice.equations));
    }
    sections.extend(hybrid::events(model));
    sections.extend(hybrid::functions(model));
    sections.extend(scalars::outputs(model));
    sections.push(costs(choice));
    sections.retain(|s| !s.blocks.is_empty());
    let title = model.name.replace('_', " ");
    let mut document = Document { title, subtitle: model.description.clone(), sections };
    shorten(&mut document);
    number(&mut document, &names(model));
    document
}

/// Names that scalars of a model have.
fn names(model: &Model) -> BTreeSet<&str> {
    let p = model.parameters.iter().map(|(_, p)| &p.quantity);
    let q = model.coordinates.iter().map(|(_, q)| &q.quantity);
    let u = model.speeds.iter().map(|(_, u)| &u.quantity);
    let s = model.states.iter().map(|(_, s)| &s.quantity);
    let d = model.hybrid.discretes.iter().map(|(_, d)| &d.quantity);
    let o = model.outputs.iter().map(|o| &o.quantity);
    p.chain(q).chain(u).chain(s).chain(d).chain(o).map(|quantity| quantity.name.as_str()).collect()
}

/// Operations of one evaluation by each formalism.
fn costs(choice: &Choice) -> Section {
    let mut section = Section::new("Operation counts");
    section.text(format!(
        "Operations of one evaluation of the time derivatives. The equations above were derived by the formalism {}.",
        choice.equations.formalism.name()
    ));
    let row = |c: &cardan_compile::Considered| {
        let mut cells = vec![Cell::Words(c.formalism.name().into())];
        match &c.result {
            Ok(Counts { mul, add, div, sqrt, trig, compare, other }) => {
                cells.extend([mul, add, div, sqrt, trig, compare, other].map(|n| Cell::Words(n.to_string())));
            }
            Err(reason) => {
                section.text(format!("{}: {reason}.", c.formalism.name()));
                return None;
            }
        }
        Some(cells)
    };
    let rows: Vec<_> = choice.considered.iter().filter_map(row).collect();
    let heads = ["formalism", "multiply", "add", "divide", "root", "sin, cos", "compare", "other"];
    section.table(heads, rows);
    section
}
