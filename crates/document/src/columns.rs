//! Tables and how wide their columns are.

use crate::document::{Cell, Formula};
use crate::line_breaking::{symbol_width, width};

/// Letters on a line of a page.
const LINE: f64 = 92.0;
/// No column is narrower than this.
const LEAST: f64 = 3.0;
/// Letters of space between two columns.
const GAP: f64 = 3.6;

/// Rows of cells under heads.
#[derive(Clone, Debug)]
pub struct Grid {
    /// One for each column.
    pub heads: Vec<String>,
    /// As many cells as heads.
    pub rows: Vec<Vec<Cell>>,
}

impl Grid {
    /// A table without the columns in which nothing stands.
    pub fn new(heads: &[&str], rows: Vec<Vec<Cell>>) -> Grid {
        let empty = |c: &Cell| matches!(c, Cell::Words(text) if text.is_empty());
        let used: Vec<bool> =
            (0..heads.len()).map(|k| rows.iter().any(|row| row.get(k).is_some_and(|c| !empty(c)))).collect();
        let keep = |k: &usize| used[*k];
        Grid {
            heads: (0..heads.len()).filter(keep).map(|k| heads[k].to_owned()).collect(),
            rows: rows
                .into_iter()
                .map(|row| row.into_iter().enumerate().filter(|(k, _)| used[*k]).map(|(_, c)| c).collect())
                .collect(),
        }
    }

    /// The share of the line that each column gets.
    pub(crate) fn shares(&self) -> Vec<f64> {
        let natural: Vec<f64> = (0..self.heads.len())
            .map(|k| {
                let cells = self.rows.iter().filter_map(|row| row.get(k)).map(extent);
                cells.fold(self.heads[k].chars().count() as f64, f64::max).max(LEAST) + GAP
            })
            .collect();
        let total: f64 = natural.iter().sum();
        if total <= LINE {
            return natural.iter().map(|w| w / LINE).collect();
        }
        // The widest give way: all columns wider than a common bound get that bound.
        let sum = |bound: f64| natural.iter().map(|w| w.min(bound)).sum::<f64>();
        let (mut low, mut high) = (0.0, LINE);
        for _ in 0..50 {
            let middle = (low + high) / 2.0;
            if sum(middle) > LINE { high = middle } else { low = middle }
        }
        natural.iter().map(|w| w.min(low) / LINE).collect()
    }
}

/// About how wide a cell is, in letters.
fn extent(cell: &Cell) -> f64 {
    let letters = match cell {
        Cell::Words(text) => return 1.1 * text.chars().count() as f64,
        Cell::Symbol(name) => symbol_width(name),
        Cell::Formula(Formula::Scalar(layout)) => width(layout),
        Cell::Formula(Formula::Vector(terms)) => {
            terms.iter().map(|(t, unit)| width(t) + unit.len() + 3).sum()
        }
        Cell::Formula(_) => 8,
    };
    letters as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(n: usize) -> Cell {
        Cell::Words("x".repeat(n))
    }

    #[test]
    fn wide_columns_give_way_and_empty_ones_vanish() {
        let grid = Grid::new(&["a", "b", "c"], vec![vec![words(200), words(0), words(4)]]);
        assert_eq!(grid.heads, ["a", "c"]);
        let shares = grid.shares();
        assert!((shares[1] * LINE - 4.4 - GAP).abs() < 1e-9, "{shares:?}");
        assert!((shares[0] + shares[1] - 1.0).abs() < 1e-9, "{shares:?}");
    }
}
