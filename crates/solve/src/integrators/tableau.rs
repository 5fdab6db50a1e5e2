//! Rows of Butcher tableaux and how they are applied.

/// The nonzero coefficients of one row: pairs (stage, coefficient).
pub(crate) type Row = &'static [(usize, f64)];

/// Σ a_j k_j into `out`.
pub(crate) fn combine(row: Row, k: &[Vec<f64>], out: &mut [f64]) {
    out.fill(0.0);
    for &(j, a) in row {
        for (o, k) in out.iter_mut().zip(&k[j]) {
            *o += a * k;
        }
    }
}

/// y + h Σ a_j k_j into `out`. The sum comes first: its rounding errors are then scaled by h.
pub(crate) fn stage(y: &[f64], h: f64, row: Row, k: &[Vec<f64>], out: &mut [f64]) {
    combine(row, k, out);
    for (o, y) in out.iter_mut().zip(y) {
        *o = y + h * *o;
    }
}
