//! The page of an answer: what was found, as tables and as motion.

use cardan::sim::Frames;
use std::path::PathBuf;

use cardan_viewer::{
    Chapters, FiguresReport, Notice, PlotFigure, Report, Series, Table, render_figures, render_page, svg_plot,
};

use crate::analyze::Asked;
use crate::exit::Problem;
use crate::files;
use crate::report::scene_of;

/// What a page shows besides the model.
#[derive(Default)]
pub struct Answer {
    pub title: String,
    pub summary: Vec<(String, String)>,
    pub warnings: Vec<String>,
    /// The values at which discrete states are held, in words.
    pub held: Option<String>,
    pub time: Vec<f64>,
    pub series: Vec<Series>,
    pub tables: Vec<Table>,
    pub chapters: Chapters,
}

/// The page.
pub fn page(asked: &Asked, frames: &Frames, answer: Answer) -> String {
    let model = asked.study.model();
    let warnings = answer.warnings.into_iter();
    let mut summary = answer.summary;
    summary.extend(answer.held.map(|values| ("discrete states held at".to_string(), values)));
    render_page(&Report {
        title: format!("{}: {}", model.name, answer.title),
        description: model.description.clone(),
        generated_by: format!("cardan {}", env!("CARGO_PKG_VERSION")),
        results: summary,
        warnings: warnings.map(|message| Notice { message, ..Notice::default() }).collect(),
        time: answer.time,
        series: answer.series,
        scene: scene_of(model, frames),
        model_text: asked.text.clone(),
        tables: answer.tables,
        chapters: answer.chapters,
        ..Report::default()
    })
}

/// The page of an answer that is seen in figures.
pub fn figures_page(
    asked: &Asked,
    question: &str,
    summary: Vec<(String, String)>,
    figures: Vec<PlotFigure>,
    tables: Vec<Table>,
) -> String {
    let model = asked.study.model();
    let held = asked.held_words().map(|values| ("discrete states held at".to_string(), values));
    render_figures(&FiguresReport {
        title: format!("{}: {question}", model.name),
        description: model.description.clone(),
        generated_by: format!("cardan {}", env!("CARGO_PKG_VERSION")),
        summary: summary.into_iter().chain(held).collect(),
        figures,
        tables,
        model_text: asked.text.clone(),
        ..FiguresReport::default()
    })
}

/// Writes each figure as a file of its own, named by its title.
pub fn write_figures(asked: &Asked, figures: &[PlotFigure]) -> Result<Vec<PathBuf>, Problem> {
    let write = |figure: &PlotFigure| {
        let stem = files::file_name(&figure.title.to_lowercase().replace(": ", "-")).replace([' ', '_'], "-");
        asked.write(&format!("{stem}.svg"), &svg_plot(&figure.plot))
    };
    figures.iter().map(write).collect()
}

/// A table of texts.
pub fn table(title: &str, note: &str, columns: &[&str], rows: Vec<Vec<String>>) -> Table {
    let columns = columns.iter().map(|c| c.to_string()).collect();
    Table { title: title.into(), note: note.into(), columns, rows }
}
