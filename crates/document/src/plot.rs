//! A function that points give, as a small plot.

use cardan_model::{Interpolation, Table};

/// The points of a curve in a frame.
#[derive(Clone, PartialEq, Debug)]
pub struct Plot {
    /// Name of the function.
    pub name: String,
    /// From the smallest to the largest argument, drawn with straight lines between.
    pub points: Vec<[f64; 2]>,
}

impl Plot {
    /// The plot of a table with one argument.
    pub fn of(table: &Table) -> Plot {
        let mut points: Vec<[f64; 2]> = vec![];
        for (x, value) in table.x.iter().zip(&table.values) {
            if let (Interpolation::Steps, Some(last)) = (table.interpolation, points.last().copied()) {
                points.push([*x, last[1]]);
            }
            points.push([*x, *value]);
        }
        Plot { name: table.name.clone(), points }
    }

    /// Smallest and largest argument and value.
    pub fn bounds(&self) -> [[f64; 2]; 2] {
        let range = |k: usize| {
            let values = self.points.iter().map(|p| p[k]);
            let low = values.clone().fold(f64::INFINITY, f64::min);
            [low, values.fold(f64::NEG_INFINITY, f64::max)]
        };
        [range(0), range(1)]
    }

    /// The points in a frame of this width and height, measured from the lower left corner.
    pub fn placed(&self, width: f64, height: f64) -> Vec<[f64; 2]> {
        let [x, y] = self.bounds();
        let part = |v: f64, r: [f64; 2]| if r[1] > r[0] { (v - r[0]) / (r[1] - r[0]) } else { 0.5 };
        self.points.iter().map(|p| [width * part(p[0], x), height * part(p[1], y)]).collect()
    }
}

/// A number at the end of an axis, short.
pub(crate) fn short(x: f64) -> String {
    let rounded = format!("{x:.3e}").parse::<f64>().unwrap_or(x);
    rounded.to_string()
}
