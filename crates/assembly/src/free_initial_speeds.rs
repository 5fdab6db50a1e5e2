//! Speeds that the start leaves open although the mechanism moves.
//!
//! Speeds that nobody gave are as small as the constraints allow. That decides them where nothing moves, and where no constraint feels them; elsewhere
//! the choice depends on the coordinates. With G the independent rows, and only the columns of speeds that were not given:
//!
//! ```text
//! [decided]   columns that elimination takes as pivots follow from the others; those at rest come first, so that they are the ones taken
//! [open]      a column that moves and is no pivot could have any value
//! ```

/// A pivot smaller than this part of its row's length is none.
const VANISHES: f64 = 1e-9;

/// The places of the speeds that are left open: of those not `given`, the ones that move. [open]
pub(crate) fn open_speeds(
    rows: &[Vec<f64>],
    given: &dyn Fn(usize) -> bool,
    moves: &dyn Fn(usize) -> bool,
) -> Vec<usize> {
    let n = rows.first().map_or(0, Vec::len);
    let asked: Vec<usize> = (0..n).filter(|k| !given(*k)).collect();
    let felt = |k: &usize| rows.iter().any(|row| row[*k] != 0.0);
    let (moving, resting): (Vec<usize>, Vec<usize>) = asked.into_iter().filter(felt).partition(|k| moves(*k));
    let mut rows: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| {
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            row.iter().map(|x| if length > 0.0 { x / length } else { 0.0 }).collect()
        })
        .collect();
    let mut open = vec![];
    let mut done = 0;
    // The first of those that move are left for the start to give.
    for k in resting.into_iter().chain(moving.into_iter().rev()) {
        let largest = (done..rows.len()).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs()));
        match largest.filter(|r| rows[*r][k].abs() > VANISHES) {
            Some(r) => {
                rows.swap(done, r);
                let (before, after) = rows.split_at_mut(done + 1);
                let pivot = &before[done];
                for row in after {
                    let factor = row[k] / pivot[k];
                    row.iter_mut().zip(pivot).for_each(|(x, p)| *x -= factor * p);
                }
                done += 1; // [decided]
            }
            None if moves(k) => open.push(k),
            None => {}
        }
    }
    open.reverse();
    open
}

#[cfg(test)]
mod tests {
    use crate::free_initial_speeds::open_speeds;

    /// A rod of length one holds x and y; nothing holds the third. With one of the two given the other follows.
    #[test]
    fn what_a_rod_decides_is_not_open() {
        let rows = [vec![0.6, 0.8, 0.0]];
        assert!(open_speeds(&rows, &|k| k == 0, &|k| k < 2).is_empty());
        assert_eq!(open_speeds(&rows, &|_| false, &|k| k < 2), [0]);
        assert!(open_speeds(&rows, &|_| false, &|_| false).is_empty());
    }

    /// Two rows over four speeds leave two open; the one at rest follows.
    #[test]
    fn speeds_at_rest_follow_before_those_that_move() {
        let rows = [vec![1.0, -1.0, 0.0, 0.0], vec![0.0, 1.0, -1.0, 1.0]];
        assert_eq!(open_speeds(&rows, &|_| false, &|k| k != 3), [0, 2]);
        assert_eq!(open_speeds(&rows, &|k| k == 0, &|k| k != 3), [2]);
        assert!(open_speeds(&rows, &|k| k == 0 || k == 3, &|k| k != 3).is_empty());
    }
}
