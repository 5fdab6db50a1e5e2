//! The page of a run: what was understood, the motion, plots, energy, equations, text.

pub(crate) mod attachments;
pub(crate) mod png;

mod curves;
mod modules;
mod paths;
mod plots;
mod scene;
mod tables;

use cardan::assembly::rank::redundancy::NOT_UNIQUE;
use cardan::base::{Diagnostics, Severity, Sources, render};
use cardan::document::chapters::topology::Drawing;
use cardan::document::formats::figure::svg;
use cardan::expr::print::mathml;
use cardan::sim::{Column, ColumnKind, Verdict};
use cardan_viewer::{
    Energy, EnergyKind, EnergyRow, EquationBlock, Grade, Level, Notice, Report, Series, render_page,
};

use crate::arguments::Texts;
use crate::run::Story;
use crate::run::absolute::Derived;
use crate::run::summary::facts;
use crate::show::{Section, sections};
use crate::terminal::short_number;

pub use crate::report::plots::figures;
pub use crate::report::scene::scene_of;

/// A finding about the text, ready for the page.
pub type Finding = Notice;

/// More equations than this are not put on the page.
const MAX_EQUATIONS: usize = 300;
/// The folder of figures within that of the results.
pub const FIGURES: &str = "figures";
/// More results than this are left to the plots.
const MAX_RESULTS: usize = 9;
/// More bodies than this are not drawn.
const MAX_DRAWN: usize = 100;

/// The whole page; the subsystems are those of the text that was read.
pub fn page(story: &Story, texts: &Texts) -> String {
    let structure = modules::modules(&story.file, &story.text, texts, story.model());
    render_page(&Report { structure, ..assemble(story) })
}

/// Findings about the text for the page.
pub fn findings(diagnostics: &Diagnostics, sources: &Sources) -> Vec<Finding> {
    diagnostics
        .iter()
        .map(|d| Notice {
            level: match d.severity {
                Severity::Error => Level::Error,
                Severity::Warning => Level::Warning,
                Severity::Note => Level::Note,
            },
            code: d.code.0.to_string(),
            message: d.message.clone(),
            detail: render(d, sources, false),
            line: d.span().map(|s| sources.line_column(s.file, s.start as usize).0),
        })
        .collect()
}

fn assemble(story: &Story) -> Report {
    let t = &story.trajectory;
    let model = story.model();
    let mut summary = facts(&story.derived, &story.settings);
    let s = &t.statistics;
    summary.push(("end".into(), format!("{} at t = {} s: {}", t.ending, short_number(t.reached), t.reason)));
    summary.push((
        "steps".into(),
        format!("{} accepted, {} rejected, {} evaluations", s.accepted, s.rejected, s.evaluations),
    ));
    let mut warnings = story.notices.clone();
    warnings.extend(t.warnings.iter().map(|w| Notice { message: w.clone(), ..Notice::default() }));
    let level = match t.ending {
        cardan::sim::Ending::Finished => None,
        cardan::sim::Ending::Stopped => Some(Level::Note),
        _ => Some(Level::Error),
    };
    if let Some(level) = level {
        warnings.insert(0, Notice { level, message: t.reason.clone(), ..Notice::default() });
    }
    Report {
        title: model.name.clone(),
        description: model.description.clone(),
        generated_by: format!("cardan {}", env!("CARGO_PKG_VERSION")),
        results: results(story),
        summary,
        warnings,
        time: t.times(),
        series: series(story),
        scene: scene::scene(story),
        equations: equations(story),
        drawing: drawing(model),
        model_text: story.text.clone(),
        energy: energy(story),
        tables: tables::tables(story),
        ..Report::default()
    }
}

/// The last values of what was asked for, or of the coordinates where nothing was.
fn results(story: &Story) -> Vec<(String, String)> {
    let t = &story.trajectory;
    let Some(last) = t.rows.iter().next_back() else { return vec![] };
    let of = |kind: ColumnKind| t.columns.iter().enumerate().filter(move |(_, c)| c.kind == kind);
    let kind =
        if of(ColumnKind::Output).next().is_some() { ColumnKind::Output } else { ColumnKind::Coordinate };
    let value = |(k, c): (usize, &Column)| {
        let unit = if c.unit == "1" { "" } else { &c.unit };
        (c.name.clone(), format!("{} {unit}", short_number(last[k] * c.scale)).trim_end().to_string())
    };
    let when = ("at the end".to_string(), format!("t = {} s", short_number(t.reached)));
    std::iter::once(when).chain(of(kind).take(MAX_RESULTS).map(value)).collect()
}

/// Bodies and joints; nothing for more bodies than a drawing has room for.
fn drawing(model: &cardan::model::Model) -> String {
    if model.bodies.len() > MAX_DRAWN { String::new() } else { svg(&Drawing::of(model)) }
}

/// The part of the model that a name belongs to: series of one owner share a plot.
fn group(kind: ColumnKind, name: &str) -> String {
    match kind {
        ColumnKind::Coordinate => "Coordinates".into(),
        ColumnKind::Speed => "Speeds".into(),
        ColumnKind::State => "Auxiliary states".into(),
        ColumnKind::Discrete => "Discrete states".into(),
        ColumnKind::Output => match name.rsplit_once('.') {
            // The components of a vector belong together.
            Some((owner, "x" | "y" | "z")) => owner.to_string(),
            _ => "Outputs".into(),
        },
        _ => "Energy".into(),
    }
}

fn series(story: &Story) -> Vec<Series> {
    let t = &story.trajectory;
    let shown = |kind: ColumnKind| {
        !matches!(kind, ColumnKind::Time | ColumnKind::Energy | ColumnKind::Work | ColumnKind::Residual)
    };
    let columns = t.columns.iter().enumerate().filter(|(_, c)| shown(c.kind));
    // Outputs are what was asked for: they come first.
    let (outputs, states): (Vec<_>, Vec<_>) = columns.partition(|(_, c)| c.kind == ColumnKind::Output);
    // What the motion leaves open has plots of its own that say so.
    let title = |c: &Column| match group(c.kind, &c.name) {
        group if story.not_unique().contains(&c.name) => format!("{group} ({NOT_UNIQUE})"),
        group => group,
    };
    let made = outputs.into_iter().chain(states).map(|(k, c)| Series {
        name: c.name.clone(),
        unit: if c.unit == "1" { String::new() } else { c.unit.clone() },
        description: c.description.clone(),
        group: title(c),
        steps: c.kind == ColumnKind::Discrete,
        values: t.rows.iter().map(|row| row[k] * c.scale).collect(),
    });
    made.collect()
}

fn energy(story: &Story) -> Energy {
    let t = &story.trajectory;
    let mut energy = Energy { unit: "J".into(), ..Energy::default() };
    for (k, c) in t.columns.iter().enumerate() {
        let values = t.rows.column(k);
        let kind = match c.kind {
            ColumnKind::Energy if c.name == "energy.kinetic" => EnergyKind::Kinetic,
            ColumnKind::Energy => EnergyKind::Potential,
            ColumnKind::Work => EnergyKind::Work,
            ColumnKind::Residual => {
                energy.residual = values;
                continue;
            }
            _ => continue,
        };
        // Gravity that is not there needs no curve.
        if kind == EnergyKind::Potential && values.iter().all(|v| *v == 0.0) {
            continue;
        }
        energy.rows.push(EnergyRow { name: c.description.clone(), kind, values });
    }
    let grade = match t.audit.verdict() {
        Verdict::Holds => Grade::Good,
        Verdict::Doubtful => Grade::Fair,
        Verdict::Fails => Grade::Poor,
        Verdict::Open => Grade::Open,
    };
    if grade == Grade::Open {
        energy.residual = vec![];
    }
    let words = format!("{}.", capitalised(&t.audit.to_string()));
    energy.verdict = Some(cardan_viewer::Verdict { grade, relative: t.audit.relative(), words });
    energy
}

fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn equations(story: &Story) -> Vec<EquationBlock> {
    let Derived::Equations(compiled) = &story.derived else { return vec![] };
    let all = sections(compiled.model(), &compiled.choice.equations);
    let n: usize = all.iter().map(|s| s.equations.len()).sum();
    if n > MAX_EQUATIONS {
        let note = format!(
            "<p>There are {n} equations, too many for this page; <code>cardan show equations</code> prints them.</p>"
        );
        return vec![EquationBlock { title: "Equations of motion".into(), html: note }];
    }
    let block = |s: &Section| EquationBlock {
        title: s.title.clone(),
        html: s.equations.iter().map(|(left, right)| mathml::equation(left, right)).collect(),
    };
    all.iter().map(block).collect()
}
