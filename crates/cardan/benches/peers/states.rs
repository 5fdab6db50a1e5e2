//! States with reference values, as a peer wrote them.

use cardan::prelude::*;

/// Values of one state in the peer's order.
pub struct Reference {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub forward: Vec<f64>,
    pub given: Vec<f64>,
    pub force: Vec<f64>,
}

/// All states, and where each of the peer's numbers is among ours.
pub struct States {
    pub states: Vec<Reference>,
    pub coordinates: Vec<usize>,
    pub speeds: Vec<usize>,
}

impl States {
    pub fn read(file: &str, model: &Model) -> States {
        let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{file}: {e}"));
        let mut lines = text.lines();
        let root = model.bodies.iter().next().map_or("", |(_, b)| b.name.as_str());
        let name = |word: &str, letter: &str| match word.strip_prefix('@') {
            Some(part) => format!("{root}.{part}"),
            None => format!("{word}.{letter}"),
        };
        let mut names = |letter: &str| -> Vec<String> {
            lines.next().unwrap_or("").split_whitespace().map(|w| name(w, letter)).collect()
        };
        let (q, u) = (names("q"), names("u"));
        let place = |name: &String, all: &[&str]| {
            all.iter().position(|n| n == name).unwrap_or_else(|| panic!("nothing is called {name}"))
        };
        let ours_q: Vec<&str> = model.coordinates.iter().map(|(_, q)| q.quantity.name.as_str()).collect();
        let ours_u: Vec<&str> = model.speeds.iter().map(|(_, u)| u.quantity.name.as_str()).collect();
        assert_eq!((q.len(), u.len()), (ours_q.len(), ours_u.len()), "as many coordinates and speeds");
        let rows: Vec<Vec<f64>> =
            lines.map(|l| l.split_whitespace().map(|w| w.parse().unwrap_or(f64::NAN)).collect()).collect();
        let states = rows.chunks_exact(5).map(|r| Reference {
            q: r[0].clone(),
            v: r[1].clone(),
            forward: r[2].clone(),
            given: r[3].clone(),
            force: r[4].clone(),
        });
        States {
            states: states.collect(),
            coordinates: q.iter().map(|n| place(n, &ours_q)).collect(),
            speeds: u.iter().map(|n| place(n, &ours_u)).collect(),
        }
    }
}

/// Mass matrix and derivatives of the accelerations at one state, in the peer's order, row by row.
pub struct Slopes {
    pub mass: Vec<f64>,
    pub by_turn: Vec<f64>,
    pub by_speed: Vec<f64>,
    pub by_force: Vec<f64>,
}

impl Slopes {
    /// Those of the first states.
    pub fn read(file: &str) -> Vec<Slopes> {
        let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{file}: {e}"));
        let row = |l: &str| l.split_whitespace().map(|w| w.parse().unwrap_or(f64::NAN)).collect();
        let rows: Vec<Vec<f64>> = text.lines().map(row).collect();
        let four = |r: &[Vec<f64>]| Slopes {
            mass: r[0].clone(),
            by_turn: r[1].clone(),
            by_speed: r[2].clone(),
            by_force: r[3].clone(),
        };
        rows.chunks_exact(4).map(four).collect()
    }
}

/// The largest difference, relative to the largest reference.
pub fn difference(ours: &[f64], theirs: &[f64]) -> f64 {
    let scale = theirs.iter().fold(1e-300f64, |m, x| m.max(x.abs()));
    ours.iter()
        .zip(theirs)
        .map(|(a, b)| (a - b).abs() / scale)
        .fold(0.0, |m: f64, d| if d > m || d.is_nan() { d } else { m })
}
