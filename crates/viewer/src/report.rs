//! What a page is made of. Everything is plain data with a JSON form; every part may be empty.
//!
//! Arrays over time (`series`, `energy`) stand beside [`Report::time`] sample by sample. A shorter array is drawn
//! as far as it goes, and a value that is not finite is drawn as a gap.

use serde::{Deserialize, Serialize};

use crate::scene::Scene;

/// All that one page shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// The model's name, shown as the heading and the window's title.
    pub title: String,
    /// One sentence about the model.
    pub description: String,
    /// Program and version that made the page.
    pub generated_by: String,
    /// Results that stand below the title, as label and value: final values, a verdict.
    pub results: Vec<(String, String)>,
    /// What was understood, as label and value: bodies, degrees of freedom, formalism, operation counts,
    /// integrator, stop reason. Folded until somebody asks.
    pub summary: Vec<(String, String)>,
    /// Diagnostics worth reading.
    pub warnings: Vec<Notice>,
    /// Sample times of `series` and `energy`, in seconds.
    pub time: Vec<f64>,
    /// Quantities over time.
    pub series: Vec<Series>,
    /// What moves.
    pub scene: Scene,
    /// Parts of the time to choose from, such as the modes of a model.
    pub chapters: Chapters,
    /// Equations of motion and other formulas.
    pub equations: Vec<EquationBlock>,
    /// Bodies and joints as a drawing, in SVG.
    pub drawing: String,
    /// The model as a module with its subsystems.
    pub structure: Module,
    /// The model's source text.
    pub model_text: String,
    /// The energy audit.
    pub energy: Energy,
    /// Further results as tables: modes, reactions, operation counts.
    pub tables: Vec<Table>,
}

/// A subsystem with what is in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Module {
    /// Its name in the one around it.
    pub name: String,
    /// What it is an instance of.
    pub kind: String,
    /// Its path.
    pub path: String,
    /// Its ports.
    pub ports: Vec<ModulePort>,
    /// Paths of the modules beside it whose signals it takes.
    pub signals_from: Vec<String>,
    /// Paths of the modules beside it to whose frames it is connected.
    pub frames_from: Vec<String>,
    /// Its bodies.
    pub parts: Vec<ModulePart>,
    /// The modules inside it.
    pub modules: Vec<Module>,
}

/// A port of a module.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModulePort {
    /// Its name.
    pub name: String,
    /// What passes through.
    pub passes: PortPasses,
    /// What it is connected to.
    pub with: String,
}

/// What passes through a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PortPasses {
    /// Motion and force.
    #[default]
    Mechanics,
    /// A signal that comes in.
    In,
    /// A signal that goes out.
    Out,
}

/// A body in a module.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModulePart {
    /// Its name in the module.
    pub name: String,
    /// Its path.
    pub path: String,
    /// The path of the body that carries it; nothing for the ground.
    pub on: String,
    /// The kind of its joint.
    pub joint: String,
}

/// Parts of the time that the reader chooses one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Chapters {
    /// Heading of the list.
    pub title: String,
    /// Column headings of the list.
    pub columns: Vec<String>,
    /// The parts, in the order of the list.
    pub chapters: Vec<Chapter>,
}

/// One part of the time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Chapter {
    /// What is shown, for the view.
    pub title: String,
    /// Its row in the list, one cell per column.
    pub cells: Vec<String>,
    /// Where it begins, in seconds.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

/// How much a [`Notice`] matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The results are wrong or incomplete.
    Error,
    /// The results need a second look.
    #[default]
    Warning,
    /// Good to know.
    Note,
}

/// One diagnostic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Notice {
    /// How much it matters.
    pub level: Level,
    /// The diagnostic's code, such as `M031`; may be empty.
    pub code: String,
    /// The first line: what is wrong.
    pub message: String,
    /// Notes, help, or the place in the text, as preformatted text; may be empty.
    pub detail: String,
    /// The line of the model text that it concerns, counted from 1.
    pub line: Option<usize>,
}

/// One quantity over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Series {
    /// Short name, as in the model.
    pub name: String,
    /// Unit as text, such as `m/s`; empty if dimensionless.
    pub unit: String,
    /// What it is, in words.
    pub description: String,
    /// Series with the same group and unit share a plot, if they are of like size ([`crate::panels`]).
    pub group: String,
    /// Whether it changes in jumps: each value holds until the next sample.
    pub steps: bool,
    /// One value per sample time.
    pub values: Vec<f64>,
}

/// A titled formula or set of formulas.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EquationBlock {
    /// Heading.
    pub title: String,
    /// MathML or simple HTML; `<mtable class="matrix">` draws its own brackets. Tags and attributes outside [`crate::page::markup::allow`]'s list appear as text.
    pub html: String,
}

/// What an [`EnergyRow`] measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EnergyKind {
    /// Kinetic energy.
    #[default]
    Kinetic,
    /// Potential energy of gravity or of a spring.
    Potential,
    /// Work done on the system since the first sample; negative where energy is dissipated.
    Work,
}

/// Energy of, or work done by, one source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EnergyRow {
    /// The source's name.
    pub name: String,
    /// What it measures.
    pub kind: EnergyKind,
    /// One value per sample time.
    pub values: Vec<f64>,
}

/// The energy audit: where the energy is, who put it there, and what is left unexplained.
///
/// ```text
/// [energy-residual]  r(t) = T(t) + V(t) - T(0) - V(0) - W(t)
/// ```
///
/// with kinetic energy T, potential energy V and the work W of all other forces since the first sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Energy {
    /// Unit as text; `J` if empty.
    pub unit: String,
    /// One row per source.
    pub rows: Vec<EnergyRow>,
    /// The unexplained energy, one value per sample time.
    pub residual: Vec<f64>,
    /// The judgement; none is shown if there is none.
    pub verdict: Option<Verdict>,
}

/// How good an energy audit is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// The energy is accounted for.
    Good,
    /// Nearly so.
    Fair,
    /// It is not.
    Poor,
    /// There is nothing to judge by.
    #[default]
    Open,
}

/// What an energy audit found. The page shows it and judges nothing itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Verdict {
    /// The judgement.
    pub grade: Grade,
    /// The largest unexplained energy as a part of the energy that moved.
    pub relative: f64,
    /// The finding as a sentence, with the numbers that led to it.
    pub words: String,
}

/// A table of texts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Table {
    /// Heading.
    pub title: String,
    /// One sentence below the heading; may be empty.
    pub note: String,
    /// Column headings.
    pub columns: Vec<String>,
    /// Rows of cells. A column of numbers is aligned to the right.
    pub rows: Vec<Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_survives_its_json_form() {
        let report = Report {
            title: "t".into(),
            summary: vec![("bodies".into(), "2".into())],
            time: vec![0.0, 1.0],
            ..Report::default()
        };
        let text = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
        assert_eq!(serde_json::from_str::<Report>("{}").unwrap(), Report::default());
    }
}
