//! Motions by absolute coordinates and by the tree, column by column.

use cardan::prelude::*;
use cardan_absolute::AbsoluteMotion;

/// The model of a text.
pub fn model(text: &str) -> Model {
    let flat = cardan::expand_with(parse("test.mbs", text), &Default::default(), &mut |_, _| {
        Err(cardan::expand::Refusal::Missing)
    });
    resolve(flat).into_model().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The text of a model of the library.
pub fn library(name: &str) -> String {
    let path = format!("{}/../../models/{name}.mbs", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a model of the library")
}

/// The largest relative difference of both motions in anything.
pub fn difference(model: &Model, to: f64) -> Result<f64, String> {
    difference_of(model, to, false)
}

/// The same in absolute or in natural coordinates.
pub fn difference_of(model: &Model, to: f64, natural: bool) -> Result<f64, String> {
    let settings = Settings { to, every: Some(to / 8.0), natural, ..Settings::default() };
    let compiled = compile_model(model, Options::default()).map_err(|e| format!("tree: {e}"))?;
    let tree = compiled.simulate(&settings).map_err(|e| format!("tree: {e}"))?.into_trajectory();
    if tree.ending != Ending::Finished {
        return Err(format!("tree: {}", tree.reason));
    }
    let mut absolute = AbsoluteMotion::of(model, 0.0).map_err(|e| e.to_string())?;
    let own = absolute.run(&settings, &mut ()).map_err(|e| e.to_string())?;
    if own.ending != Ending::Finished {
        return Err(own.reason);
    }
    let open = compiled.choice.loops.as_ref().map_or(&[][..], |found| &found.not_unique);
    let mut worst: f64 = 0.0;
    for (k, column) in tree.columns.iter().enumerate() {
        if column.name == "energy.residual" || open.contains(&column.name) {
            continue;
        }
        let place = own.index_of(&column.name).ok_or_else(|| format!("no column {}", column.name))?;
        let size = tree.rows.iter().map(|row| row[k].abs()).fold(1.0, f64::max);
        for (a, b) in tree.rows.iter().zip(own.rows.iter()) {
            let (x, y) = (a[k], b[place]);
            let gap = (x - y).abs() / size;
            if gap.is_nan() || gap > 1e-5 {
                return Err(format!("{} at t = {}: {x} by the tree, {y} here", column.name, a[0]));
            }
            worst = worst.max(gap);
        }
    }
    Ok(worst)
}

/// The largest relative difference of both motions in anything; both must reach the end.
pub fn gap(name: &str, model: &Model, to: f64) -> f64 {
    difference(model, to).unwrap_or_else(|why| panic!("{name}: {why}"))
}

/// The same in absolute and in natural coordinates, whichever is worse.
pub fn gap_of_both(name: &str, model: &Model, to: f64) -> f64 {
    let natural = difference_of(model, to, true).unwrap_or_else(|why| panic!("natural, {name}: {why}"));
    gap(name, model, to).max(natural)
}
