//! The plots of the page as figures.

use cardan_viewer::{Curve, Plot, Series, panels, svg_plot};

use super::{FIGURES, energy, series};
use crate::arguments::Figures;
use crate::exit::Problem;
use crate::files;
use crate::report::png;
use crate::run::Story;
use crate::run::artifacts::Saved;

/// Writes the figures.
pub fn figures(story: &Story, format: Figures, saved: &mut Saved) {
    for (k, plot) in plots(story).into_iter().enumerate() {
        let stem = files::file_name(&plot.y_label.to_lowercase()).replace([' ', '_'], "-");
        let svg = svg_plot(&plot);
        let (ending, bytes) = match format {
            Figures::Svg => ("svg", Ok(svg.into_bytes())),
            Figures::Png => ("png", png::png(&svg)),
        };
        match bytes {
            Ok(bytes) => saved.write(&format!("{FIGURES}/{:02}-{stem}.{ending}", k + 1), &bytes),
            Err(reason) => saved.problems.push(Problem::failed(reason)),
        }
    }
}

/// The plots of the page, and one of all energies.
fn plots(story: &Story) -> Vec<Plot> {
    let time = story.trajectory.times();
    let all = series(story);
    let curve = |s: &Series| {
        let (x, y) = if s.steps { stairs(&time, &s.values) } else { (time.clone(), s.values.clone()) };
        Curve::line(s.name.clone(), x, y)
    };
    let shown = panels(&all).into_iter().map(|panel| Plot {
        y_label: panel.members.first().map_or(String::new(), |k| all[*k].group.clone()),
        curves: panel.members.iter().map(|k| curve(&all[*k])).collect(),
        title: panel.title,
        y_unit: panel.unit,
        ..Plot::default()
    });
    let mut plots: Vec<Plot> = shown.collect();
    let rows = energy(story).rows.into_iter();
    plots.push(Plot {
        title: "Energy".into(),
        y_label: "Energy".into(),
        y_unit: "J".into(),
        curves: rows.map(|r| Curve::line(r.name, time.clone(), r.values)).collect(),
        ..Plot::default()
    });
    plots
}

/// A curve whose values hold until the next sample.
fn stairs(time: &[f64], values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let corners = time.iter().zip(values).zip(time.iter().skip(1).chain(time.last()));
    corners.flat_map(|((from, value), to)| [(*from, *value), (*to, *value)]).unzip()
}
