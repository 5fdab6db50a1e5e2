//! Columns of two result files in one figure: `compare A.csv B.csv NAME… FIGURE.svg`.

use cardan_viewer::{Curve, Plot, svg_plot};

/// The columns of a file of results, by the names in their headings, with units.
fn columns(path: &str) -> Result<Vec<(String, String, Vec<f64>)>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let mut lines = text.lines();
    let headings = lines.next().ok_or(format!("{path} is empty"))?.split(',');
    let mut columns: Vec<(String, String, Vec<f64>)> = headings
        .map(|h| {
            let (name, unit) = h.split_once(" [").unwrap_or((h, "]"));
            (name.to_string(), unit.trim_end_matches(']').to_string(), vec![])
        })
        .collect();
    for line in lines {
        for (column, cell) in columns.iter_mut().zip(line.split(',')) {
            column.2.push(cell.parse().map_err(|_| format!("{path}: `{cell}` is not a number"))?);
        }
    }
    Ok(columns)
}

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [a, b, names @ .., figure] = &arguments[..] else {
        return Err("usage: compare A.csv B.csv NAME... FIGURE.svg".into());
    };
    let mut plot = Plot::default();
    for path in [a, b] {
        let all = columns(path)?;
        let label = std::path::Path::new(path)
            .parent()
            .and_then(|p| p.file_name())
            .map_or(path.as_str().into(), |n| n.to_string_lossy());
        for name in names {
            let found = all.iter().find(|c| c.0 == *name).ok_or(format!("{path} has no column {name}"))?;
            plot.y_unit.clone_from(&found.1);
            plot.curves.push(Curve::line(format!("{name}, {label}"), all[0].2.clone(), found.2.clone()));
        }
    }
    std::fs::write(figure, svg_plot(&plot)).map_err(|e| format!("{figure}: {e}"))
}
