//! The plots of the page as figures.

use cardan_viewer::{Curve, Plot, Series, panels, svg_plot};

use super::{energy, figure_folder, raster, series};
use crate::arguments::Figures;
use crate::files;
use crate::outcome::Problem;
use crate::run::Story;
use crate::run::saving::Saved;

/// Writes the figures; one that cannot be written does not keep others from it.
pub fn figures(story: &Story, format: Figures, saved: &mut Saved) {
    let folder = figure_folder(story);
    if let Err(problem) = files::make_folder(&folder) {
        return saved.problems.push(problem);
    }
    for (k, plot) in plots(story).into_iter().enumerate() {
        let stem: String = (plot.y_label.to_lowercase().chars())
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let svg = svg_plot(&plot);
        let (ending, bytes) = match format {
            Figures::Svg => ("svg", Ok(svg.into_bytes())),
            Figures::Png => ("png", raster::png(&svg)),
        };
        match bytes {
            Ok(bytes) => saved.write(&folder.join(format!("{:02}-{stem}.{ending}", k + 1)), &bytes),
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
        Curve { name: s.name.clone(), x, y }
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
        curves: rows.map(|r| Curve { name: r.name, x: time.clone(), y: r.values }).collect(),
        ..Plot::default()
    });
    plots
}

/// A curve whose values hold until the next sample.
fn stairs(time: &[f64], values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let corners = time.iter().zip(values).zip(time.iter().skip(1).chain(time.last()));
    corners.flat_map(|((from, value), to)| [(*from, *value), (*to, *value)]).unzip()
}
