//! Plots as figures: one per group of series with the same unit.

use std::path::PathBuf;

use cardan_viewer::{Curve, Plot, Series, svg_plot};

use super::{energy, figure_folder, raster, series};
use crate::arguments::Figures;
use crate::files;
use crate::outcome::Problem;
use crate::run::Story;

/// Writes the figures; their paths.
pub fn figures(story: &Story, format: Figures) -> Result<Vec<PathBuf>, Problem> {
    let folder = figure_folder(story);
    files::make_folder(&folder)?;
    let time = story.trajectory.times();
    let mut plots: Vec<(String, String, Vec<Curve>)> = Vec::new();
    for s in series(story) {
        let Series { name, unit, group, steps, values, .. } = s;
        let (x, y) = if steps { stairs(&time, &values) } else { (time.clone(), values) };
        let curve = Curve { name, x, y };
        match plots.iter_mut().find(|(g, u, _)| *g == group && *u == unit) {
            Some((_, _, curves)) => curves.push(curve),
            None => plots.push((group, unit, vec![curve])),
        }
    }
    let energy = energy(story);
    let rows = energy.rows.into_iter().map(|r| Curve { name: r.name, x: time.clone(), y: r.values });
    plots.push(("Energy".into(), "J".into(), rows.collect()));
    let mut paths = Vec::new();
    for (k, (group, unit, curves)) in plots.into_iter().enumerate() {
        let stem: String =
            group.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let plot = Plot { title: group.clone(), y_label: group, y_unit: unit, curves, ..Plot::default() };
        let svg = svg_plot(&plot);
        let (ending, bytes) = match format {
            Figures::Svg => ("svg", svg.into_bytes()),
            Figures::Png => ("png", raster::png(&svg).map_err(Problem::failed)?),
        };
        let path = folder.join(format!("{:02}-{stem}.{ending}", k + 1));
        files::write(&path, &bytes)?;
        paths.push(path);
    }
    Ok(paths)
}

/// A curve whose values hold until the next sample.
fn stairs(time: &[f64], values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let corners = time.iter().zip(values).zip(time.iter().skip(1).chain(time.last()));
    corners.flat_map(|((from, value), to)| [(*from, *value), (*to, *value)]).unzip()
}
