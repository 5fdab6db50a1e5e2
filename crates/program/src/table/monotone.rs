//! Bicubic surfaces without overshoot.
//!
//! Every grid point has a value f, slopes fx and fy, and a twist fxy. In the Bernstein form of a patch of size h × k the sixteen control
//! values are, from the corner (0, 0) and likewise from the others,
//!
//! ```text
//! [net]   b₀₀ = f,   b₁₀ = f + h fx/3,   b₀₁ = f + k fy/3,   b₁₁ = f + h fx/3 + k fy/3 + h k fxy/9
//! ```
//!
//! and a patch rises in x if each row of the net does (its derivative is a mean of the differences with positive weights). Slopes begin
//! as those of the one-dimensional monotone tables along the grid lines. Where the values at the corners of a patch rise, or fall, along
//! both of its edges but the net does not, slopes and twists of its corners shrink until it does: without slopes the net repeats the
//! corners, so this ends.

use super::segments::{Beyond, Cubic, hermite, monotone_slopes};

/// Each time a patch fails, the slopes of its corners shrink by this factor.
const SHRINK: f64 = 0.75;

/// The corners of a patch, in steps of the grid from its first.
const CORNERS: [(usize, usize); 4] = [(0, 0), (1, 0), (0, 1), (1, 1)];

/// Rounds of shrinking, after which slopes are as good as zero.
const ROUNDS: usize = 120;

/// What is known at the points of a grid, running through y for each x in turn.
struct Grid<'a> {
    x: &'a [f64],
    y: &'a [f64],
    f: &'a [f64],
    fx: Vec<f64>,
    fy: Vec<f64>,
    fxy: Vec<f64>,
}

/// The patches of the surface, in the order that [`super::Surface`] has.
pub(super) fn patches(beyond: Beyond, x: &[f64], y: &[f64], values: &[f64]) -> Vec<[Cubic; 4]> {
    let mut grid = Grid::new(x, y, values);
    grid.shrink();
    grid.patches(beyond)
}

/// Slopes along x of quantities on the grid.
fn along_x(x: &[f64], width: usize, values: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; values.len()];
    for j in 0..width {
        let line: Vec<f64> = (0..x.len()).map(|i| values[i * width + j]).collect();
        for (i, slope) in monotone_slopes(x, &line).into_iter().enumerate() {
            out[i * width + j] = slope;
        }
    }
    out
}

/// Slopes along y.
fn along_y(y: &[f64], values: &[f64]) -> Vec<f64> {
    values.chunks(y.len()).flat_map(|line| monotone_slopes(y, line)).collect()
}

impl<'a> Grid<'a> {
    fn new(x: &'a [f64], y: &'a [f64], f: &'a [f64]) -> Self {
        let (fx, fy) = (along_x(x, y.len(), f), along_y(y, f));
        let twists = along_x(x, y.len(), &fy).into_iter().zip(along_y(y, &fx));
        let fxy = twists.map(|(a, b)| 0.5 * (a + b)).collect();
        Grid { x, y, f, fx, fy, fxy }
    }

    fn at(&self, i: usize, j: usize) -> usize {
        i * self.y.len() + j
    }

    /// [net] of the patch from the point (i, j), by rows of equal y.
    fn net(&self, i: usize, j: usize) -> [[f64; 4]; 4] {
        let (h, k) = ((self.x[i + 1] - self.x[i]) / 3.0, (self.y[j + 1] - self.y[j]) / 3.0);
        let mut net = [[0.0; 4]; 4];
        for (a, b) in CORNERS {
            let p = self.at(i + a, j + b);
            let (u, v) = (if a == 0 { h } else { -h }, if b == 0 { k } else { -k });
            // The corner itself and its three neighbours inwards.
            let (column, inwards) = if a == 0 { (0, 1) } else { (3, 2) };
            let (row, upwards) = if b == 0 { (0, 1) } else { (3, 2) };
            net[row][column] = self.f[p];
            net[row][inwards] = self.f[p] + u * self.fx[p];
            net[upwards][column] = self.f[p] + v * self.fy[p];
            net[upwards][inwards] = self.f[p] + u * self.fx[p] + v * self.fy[p] + u * v * self.fxy[p];
        }
        net
    }

    /// Whether a patch rises and falls with its corners.
    fn follows(&self, i: usize, j: usize, slack: f64) -> bool {
        let net = self.net(i, j);
        let in_x = net;
        let in_y: [[f64; 4]; 4] = std::array::from_fn(|c| std::array::from_fn(|r| net[r][c]));
        [in_x, in_y].iter().all(|lines| {
            let ends = [lines[0][3] - lines[0][0], lines[3][3] - lines[3][0]];
            let goes = |sign: f64| lines.iter().all(|l| l.windows(2).all(|w| sign * (w[1] - w[0]) >= -slack));
            (!ends.iter().all(|d| *d >= 0.0) || goes(1.0)) && (!ends.iter().all(|d| *d <= 0.0) || goes(-1.0))
        })
    }

    fn shrink(&mut self) {
        let (low, high) = self.f.iter().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
        let slack = 1e-13 * (high - low).max(low.abs()).max(high.abs());
        for _ in 0..ROUNDS {
            let mut failing = vec![false; self.f.len()];
            for i in 0..self.x.len() - 1 {
                for j in 0..self.y.len() - 1 {
                    if !self.follows(i, j, slack) {
                        CORNERS.iter().for_each(|(a, b)| failing[self.at(i + a, j + b)] = true);
                    }
                }
            }
            if !failing.contains(&true) {
                return;
            }
            for (p, _) in failing.iter().enumerate().filter(|(_, fails)| **fails) {
                self.fx[p] *= SHRINK;
                self.fy[p] *= SHRINK;
                self.fxy[p] *= SHRINK;
            }
        }
    }

    fn patches(&self, beyond: Beyond) -> Vec<[Cubic; 4]> {
        let (n, m) = (self.x.len(), self.y.len());
        let outwards =
            |value: f64, slope: f64| [value, if beyond == Beyond::Extend { slope } else { 0.0 }, 0.0, 0.0];
        // Along x, of values (f, fx) or of their slopes in y (fy, fxy).
        let in_x = |values: &[f64], slopes: &[f64], i: usize, j: usize| -> Cubic {
            match i {
                0 => outwards(values[self.at(0, j)], slopes[self.at(0, j)]),
                i if i == n => outwards(values[self.at(n - 1, j)], slopes[self.at(n - 1, j)]),
                i => {
                    let (p, q) = (self.at(i - 1, j), self.at(i, j));
                    hermite(self.x[i] - self.x[i - 1], values[p], values[q], slopes[p], slopes[q])
                }
            }
        };
        let mut patches = vec![[[0.0; 4]; 4]; (n + 1) * (m + 1)];
        for i in 0..=n {
            let value: Vec<Cubic> = (0..m).map(|j| in_x(self.f, &self.fx, i, j)).collect();
            let slope: Vec<Cubic> = (0..m).map(|j| in_x(&self.fy, &self.fxy, i, j)).collect();
            for j in 0..=m {
                patches[i * (m + 1) + j] = std::array::from_fn(|power| {
                    let at = |j: usize| (value[j][power], slope[j][power]);
                    let ((v, s), k) = match j {
                        0 => return outwards(at(0).0, at(0).1),
                        j if j == m => return outwards(at(m - 1).0, at(m - 1).1),
                        j => (at(j - 1), self.y[j] - self.y[j - 1]),
                    };
                    let (w, r) = at(j);
                    hermite(k, v, w, s, r)
                });
            }
        }
        patches
    }
}
