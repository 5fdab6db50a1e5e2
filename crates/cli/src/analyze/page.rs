//! The page of an answer: what was found, as tables and as motion.

use cardan::sim::Frames;
use cardan_viewer::{Chapters, Notice, Report, Series, Table, render_page};

use crate::analyze::Asked;
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

/// A table of texts.
pub fn table(title: &str, note: &str, columns: &[&str], rows: Vec<Vec<String>>) -> Table {
    let columns = columns.iter().map(|c| c.to_string()).collect();
    Table { title: title.into(), note: note.into(), columns, rows }
}
