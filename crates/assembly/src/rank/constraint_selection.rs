//! Which of the constraints that repeat one another are kept.
//!
//! ```text
//! [walk]      positions along the free motion, either way from the start: q ← q + W (1 - G⁺G) x,  g = 0
//! [rest]      ρ_r = |G_r - its part in the span of the rows kept so far| / |G_r| at its longest
//! [firm]      positions whose least pivot, the largest rest coming first, is at least FIRM of what it is elsewhere
//! [worth]     σ_r = min over firm positions of  ρ_r / max_s ρ_s
//! [taken]     the first row with σ_r ≥ GOOD max_s σ_s, until there are as many as the rank
//! ```
//!
//! At the start any rows of full rank do. Elsewhere some of them may come to say the same while all together do not: of three cranks on one
//! rod, that the third holds the rod upright says nothing where the rod cannot fall over. Near positions in which everything is singular no
//! rows are good, so these count for nothing. The order of declaration decides among equals.

use cardan_solve::linear::{Matrix, least_norm};

use crate::newton::{Hold, RANK_TOLERANCE, Work, beside, close};

/// Positions looked at either way.
const STEPS: usize = 8;
/// How far apart they are, in radians or metres.
const STRIDE: f64 = 0.3;
/// A row that is so good as compared with the best is good enough. [taken]
const GOOD: f64 = 0.3;
/// [firm]
const FIRM: f64 = 0.3;

/// The rows to keep, `rank` of them, of an assembled state.
pub(crate) fn kept_rows(work: &mut Work<'_>, state: &[f64], rank: usize) -> Vec<usize> {
    let mut places = vec![];
    for way in [1.0, -1.0] {
        let mut here = state.to_vec();
        for step in 0..STEPS {
            if work.run(&here).is_err() {
                break;
            }
            if step > 0 || way > 0.0 {
                places.push(work.rows());
            }
            let Some(next) = farther(work, &here, way) else { break };
            here = next;
        }
    }
    let lengths: Vec<f64> = (0..work.loops.rows.len())
        .map(|r| places.iter().map(|rows| length(&rows[r])).fold(0.0, f64::max))
        .collect();
    for rows in &mut places {
        for (row, longest) in rows.iter_mut().zip(&lengths).filter(|(_, longest)| **longest > 0.0) {
            row.iter_mut().for_each(|x| *x /= longest);
        }
    }
    let all: Vec<usize> = (0..lengths.len()).filter(|r| !work.left_out.contains(r)).collect();
    let pivots: Vec<f64> = places.iter().map(|rows| least_pivot(rows.clone(), &all, rank)).collect();
    let firmest = pivots.iter().copied().fold(0.0, f64::max);
    let mut pivots = pivots.iter();
    places.retain(|_| pivots.next().is_some_and(|p| *p >= FIRM * firmest)); // [firm]
    let mut kept: Vec<usize> = vec![];
    while kept.len() < rank {
        let candidates: Vec<usize> = all.iter().copied().filter(|r| !kept.contains(r)).collect();
        let scores = scores(&places, &candidates);
        let best = scores.iter().copied().fold(0.0, f64::max);
        let Some(k) = scores.iter().position(|s| best > 0.0 && *s >= GOOD * best) else { break };
        let taken = candidates[k];
        kept.push(taken);
        places.iter_mut().for_each(|rows| take_out(rows, taken));
    }
    kept.sort_unstable();
    kept
}

/// A closed position a stride farther along the free motion; nothing where it ends. [walk]
fn farther(work: &mut Work<'_>, here: &[f64], way: f64) -> Option<Vec<f64>> {
    let n = work.n_speeds;
    let rows = work.rows();
    let mut g = Matrix::zeros(rows.len(), n);
    for (i, row) in rows.iter().enumerate() {
        row.iter().enumerate().for_each(|(k, x)| g[(i, k)] = *x);
    }
    let wish: Vec<f64> = (0..n).map(|k| beside(k, 1)).collect();
    let mut image = vec![0.0; rows.len()];
    g.multiply(&wish, &mut image);
    let across = least_norm(&g, &image, RANK_TOLERANCE).ok()?.x;
    let free: Vec<f64> = wish.iter().zip(across).map(|(x, y)| x - y).collect();
    let longest = free.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if longest < 1e-9 {
        return None;
    }
    let hold = Hold::nothing(n);
    let guess = work.displaced(here, &free, way * STRIDE / longest, &hold);
    let found = close(work, &guess, &hold).ok()?;
    let moved =
        (0..work.loops.coordinates.len()).map(|k| (found.state[k] - guess[k]).abs()).fold(0.0, f64::max);
    (found.closed && moved < STRIDE).then_some(found.state)
}

/// What is left of the best row after all better ones are taken out.
fn least_pivot(mut rows: Vec<Vec<f64>>, all: &[usize], rank: usize) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..rank {
        let best = all.iter().copied().max_by(|a, b| length(&rows[*a]).total_cmp(&length(&rows[*b])));
        let Some(best) = best else { return 0.0 };
        least = f64::min(least, length(&rows[best]));
        take_out(&mut rows, best);
    }
    least
}

/// [worth]
fn scores(places: &[Vec<Vec<f64>>], candidates: &[usize]) -> Vec<f64> {
    let mut scores = vec![f64::INFINITY; candidates.len()];
    for rows in places {
        let rest: Vec<f64> = candidates.iter().map(|r| length(&rows[*r])).collect();
        let best = rest.iter().copied().fold(0.0, f64::max);
        if best > RANK_TOLERANCE.sqrt() {
            scores.iter_mut().zip(rest).for_each(|(s, x)| *s = f64::min(*s, x / best));
        }
    }
    scores.into_iter().map(|s| if s.is_finite() { s } else { 0.0 }).collect()
}

/// Leaves of every row what is orthogonal to one of them. [rest]
fn take_out(rows: &mut [Vec<f64>], taken: usize) {
    let size = length(&rows[taken]);
    if size <= RANK_TOLERANCE {
        return;
    }
    let unit: Vec<f64> = rows[taken].iter().map(|x| x / size).collect();
    for row in rows.iter_mut() {
        // Twice is enough (Kahan and Parlett).
        for _ in 0..2 {
            let along: f64 = unit.iter().zip(&*row).map(|(x, y)| x * y).sum();
            row.iter_mut().zip(&unit).for_each(|(y, x)| *y -= along * x);
        }
    }
}

fn length(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}
