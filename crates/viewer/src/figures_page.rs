//! The page of figures: plots with their captions, then tables, then the model text. Nothing moves
//! on it, and it needs no scripts.

use crate::figure::{Plot, svg_plot};
use crate::page::markup::escape;
use crate::page::{STYLE, data_image, fill, model, notices, summary, tables};
use crate::report::{Notice, Table};

const TEMPLATE: &str = include_str!("../assets/figures.html");

/// All that a page of figures shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FiguresReport {
    /// The model's name and the question.
    pub title: String,
    /// One sentence about the model.
    pub description: String,
    /// Program and version that made the page.
    pub generated_by: String,
    /// What was found, as label and value.
    pub summary: Vec<(String, String)>,
    /// What needs a second look.
    pub warnings: Vec<Notice>,
    /// The figures.
    pub figures: Vec<PlotFigure>,
    /// Further results.
    pub tables: Vec<Table>,
    /// The model's source text.
    pub model_text: String,
}

/// A plot with its caption.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotFigure {
    /// What is seen.
    pub title: String,
    /// How to read it; may be empty.
    pub note: String,
    /// The plot.
    pub plot: Plot,
}

/// The page as one HTML text that needs nothing else to be shown.
pub fn render_figures(report: &FiguresReport) -> String {
    let badges = match report.warnings.len() {
        0 => String::new(),
        1 => "<span class=\"badge fair\">1 warning</span>".to_string(),
        n => format!("<span class=\"badge fair\">{n} warnings</span>"),
    };
    let figures: String = report.figures.iter().map(figure).collect();
    let text = model(&report.model_text);
    let text = if text.is_empty() { text } else { format!("<section class=\"card\">{text}</section>") };
    fill(
        TEMPLATE,
        &[
            ("title", &escape(&report.title)),
            ("description", &escape(&report.description)),
            ("generated_by", &escape(&report.generated_by)),
            ("badges", &badges),
            ("summary", &summary(&report.summary)),
            ("figures", &figures),
            ("warnings", &notices(&report.warnings)),
            ("tables", &tables(&report.tables)),
            ("model", &text),
            ("style", STYLE),
        ],
    )
}

fn figure(figure: &PlotFigure) -> String {
    let note = match figure.note.as_str() {
        "" => String::new(),
        note => format!("<p class=\"fine\">{}</p>", escape(note)),
    };
    let title = escape(&figure.title);
    let image = data_image(&svg_plot(&figure.plot));
    format!(
        "<figure class=\"card\"><figcaption><h3>{title}</h3>{note}</figcaption><img alt=\"{title}\" src=\"{image}\"></figure>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Curve;

    #[test]
    fn hostile_texts_stay_texts() {
        let evil = || "\"><img src=x onerror=\"alert(1)\">{{style}}".to_string();
        let plot = Plot {
            title: evil(),
            curves: vec![Curve::line(evil(), vec![0.0], vec![1.0])],
            ..Plot::default()
        };
        let page = render_figures(&FiguresReport {
            title: evil(),
            description: evil(),
            summary: vec![(evil(), evil())],
            warnings: vec![Notice { message: evil(), ..Notice::default() }],
            figures: vec![PlotFigure { title: evil(), note: evil(), plot }],
            model_text: evil(),
            ..FiguresReport::default()
        });
        assert!(!page.contains("<img src=x") && page.contains("default-src 'none'"));
        assert_eq!(page.matches("<img ").count(), 1);
    }
}
