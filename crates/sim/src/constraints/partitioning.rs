//! Coordinate partitioning, and Baumgarte's stabilisation for comparison.
//!
//! Over the sixty comparisons of `tests/costs.txt` partitioning takes 0.99 of the steps of projection
//! and Baumgarte's form 1.6 times as many. It is kept because published results use it.
//!
//! ```text
//! [partition]    u = (u_d, u_i),  G u̇ + γ = 0:    u̇_d = -G_d^-1 (G_i u̇_i + γ),   so  u̇ = Z u̇_i + z
//! [reduced]      Z^T M Z u̇_i = Z^T (f - M z)
//! [choice]       d are the pivots of an elimination of G with complete pivoting; chosen anew where the divisors
//!                of the present choice are less than SWITCH of the best
//! [singular]     where even the best divisor is less than SINGULAR of the largest entry of G, no choice determines the dependent
//!                speeds well: there the augmented form gives u̇, and the shortest correction is taken
//! [dependent]    G_d δ = -g,  q ← q + W δ_d;   G_d δ = -v,  u_d ← u_d + δ
//! [baumgarte]    G u̇ + γ + 2 α v + β² g = 0,  no correction
//! [switched]     what switches with the state is frozen in the mechanism: there u̇ is that of the mechanism, and [baumgarte] adds the u̇ for f = 0, γ = 0
//! ```
//!
//! Wehage & Haug, J. Mech. Design 104 (1982); Baumgarte, Comput. Methods Appl. Mech. Eng. 1 (1972), in APSYS with coefficients α
//! and β. The integrator follows all coordinates; after each step the dependent ones, and only these, are moved onto the constraints.

use cardan_base::Id;
use cardan_lower::{ImplicitProgram, Phase};
use cardan_program::{Execute, Host, Unbound};
use cardan_solve::linear::{Lu, Matrix};
use cardan_solve::{Failure, System};

use crate::rhs::{Mechanism, watched_by_mechanism};
use cardan_jit::{Engine, EngineKind};
use cardan_lower::stages;

/// A partition is given up when its smallest divisor falls below this part of the best one's.
const SWITCH: f64 = 0.1;
/// No partition is good where its smallest divisor is less than this part of the largest entry of G.
const SINGULAR: f64 = 1e-3;
const MAX_CORRECTIONS: usize = 10;
/// Residuals below this are rounding, in SI units.
const ROUNDING: f64 = 1e-16;
/// A step that leaves more than this is too long.
const STILL_CLOSED: f64 = 1e-8;

/// The compiled parts of the equations.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    program: ImplicitProgram,
    engine: Engine,
}

impl Compiled {
    pub fn new(program: ImplicitProgram, kind: EngineKind, host: &Host) -> Result<Self, Unbound> {
        let engine = Engine::with_host(&program.program, kind, host)?;
        Ok(Compiled { program, engine })
    }
}

/// The equations in motion, around the mechanism that they share their state with.
pub(crate) struct Partitioned<'m, 'a> {
    mechanism: &'m mut Mechanism<'a>,
    compiled: Compiled,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    /// α = β of [baumgarte], where that is asked for.
    stabilisation: Option<f64>,
    /// The dependent speeds; nothing before the first evaluation.
    dependent: Vec<usize>,
    /// As many rows that determine them; others repeat these in the present position.
    leading: Vec<usize>,
    /// Whether the last position looked at is near a singular one. [singular]
    is_singular: bool,
    /// How often the dependent speeds were chosen anew.
    pub switches: usize,
}

impl<'m, 'a> Partitioned<'m, 'a> {
    /// With the parameters among `inputs` of the simulation program; runs the setup.
    pub fn new(
        compiled: &Compiled,
        mechanism: &'m mut Mechanism<'a>,
        inputs: &[f64],
        stabilisation: Option<f64>,
    ) -> Result<Self, Failure> {
        let mut compiled = compiled.clone();
        let mut outputs = vec![0.0; compiled.engine.n_outputs()];
        let mut inputs = inputs[..compiled.program.decay_rate].to_vec();
        inputs.push(stabilisation.unwrap_or(0.0));
        let setup = stages(&compiled.program.program, Phase::Setup, Phase::Setup);
        compiled.engine.run(setup, &inputs, &mut outputs).map_err(|e| Failure::fatal(e.to_string()))?;
        mechanism.drifts = true;
        Ok(Partitioned {
            mechanism,
            compiled,
            inputs,
            outputs,
            stabilisation,
            dependent: vec![],
            leading: vec![],
            is_singular: false,
            switches: 0,
        })
    }

    fn evaluate(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        let program = &self.compiled.program;
        self.inputs[program.inputs.time.index()] = t;
        let state = program.inputs.state();
        let n = state.len();
        self.inputs[state].copy_from_slice(&y[..n]);
        let range = stages(&program.program, Phase::Time, Phase::Motion);
        let run = self.compiled.engine.run(range, &self.inputs, &mut self.outputs);
        run.map_err(|e| Failure::recoverable(e.to_string()))
    }

    fn n_speeds(&self) -> usize {
        self.compiled.program.forcing.len()
    }

    /// G, row by row.
    fn rows(&self) -> Vec<Vec<f64>> {
        let n = self.n_speeds();
        let dense = |columns: &Vec<(usize, usize)>| {
            let mut row = vec![0.0; n];
            columns.iter().for_each(|(k, output)| row[*k] = self.outputs[*output]);
            row
        };
        self.compiled.program.jacobian.iter().map(dense).collect()
    }

    /// The dependent speeds of the present position. [choice]
    fn choose(&mut self, g: &[Vec<f64>]) -> Result<(), Failure> {
        if g.iter().flatten().any(|x| !x.is_finite()) {
            return Err(Failure::recoverable("the constraints have no finite directions"));
        }
        let best = pivots(g, None);
        let largest = g.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
        self.is_singular = best.smallest < SINGULAR * largest;
        let present = pivots(g, Some(&self.dependent));
        if present.columns.len() < best.columns.len() || present.smallest < SWITCH * best.smallest {
            self.switches += usize::from(!self.dependent.is_empty());
            (self.leading, self.dependent) = (best.rows, best.columns);
        } else {
            (self.leading, self.dependent) = (present.rows, present.columns);
        }
        Ok(())
    }

    fn factor(&self, g: &[Vec<f64>]) -> Result<Lu, Failure> {
        let m = self.leading.len();
        let mut matrix = Matrix::zeros(m, m);
        for (i, row) in self.leading.iter().enumerate() {
            self.dependent.iter().enumerate().for_each(|(j, d)| matrix[(i, j)] = g[*row][*d]);
        }
        Lu::new(&matrix).ok_or_else(|| Failure::recoverable("the dependent speeds are not determined"))
    }

    /// u̇, or what Baumgarte's terms alone contribute to it. [partition], [reduced], [switched]
    fn accelerations(&mut self, only_pull: bool) -> Result<Vec<f64>, Failure> {
        let g = self.rows();
        if self.dependent.is_empty() {
            self.choose(&g)?;
        }
        let n = self.n_speeds();
        let lu = self.factor(&g)?;
        let program = &self.compiled.program;
        let independent: Vec<usize> = (0..n).filter(|k| !self.dependent.contains(k)).collect();
        let pull = |r: usize| self.outputs[program.stabilisation.start + r];
        let rest = |output: usize| if only_pull { 0.0 } else { self.outputs[output] };
        let mut z = vec![0.0; n];
        let mut drift: Vec<f64> =
            self.leading.iter().map(|r| -(rest(program.gamma.start + r) + pull(*r))).collect(); // [baumgarte]
        lu.solve(&mut drift);
        self.dependent.iter().zip(&drift).for_each(|(d, x)| z[*d] = *x);
        let columns: Vec<Vec<f64>> = independent
            .iter()
            .map(|k| {
                let mut x: Vec<f64> = self.leading.iter().map(|r| -g[*r][*k]).collect();
                lu.solve(&mut x);
                let mut column = vec![0.0; n];
                column[*k] = 1.0;
                self.dependent.iter().zip(&x).for_each(|(d, x)| column[*d] = *x);
                column
            })
            .collect();
        let mass = |i: usize, j: usize| {
            let (a, b) = (i.max(j), i.min(j));
            self.outputs[program.mass.start + a * (a + 1) / 2 + b]
        };
        let times =
            |x: &[f64]| -> Vec<f64> { (0..n).map(|i| (0..n).map(|j| mass(i, j) * x[j]).sum()).collect() };
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
        let mz = times(&z);
        let rest: Vec<f64> = (0..n).map(|k| rest(program.forcing.start + k) - mz[k]).collect();
        let mut reduced = Matrix::zeros(columns.len(), columns.len());
        for (j, column) in columns.iter().enumerate() {
            let moved = times(column);
            columns.iter().enumerate().for_each(|(i, other)| reduced[(i, j)] = dot(other, &moved));
        }
        let mut free: Vec<f64> = columns.iter().map(|c| dot(c, &rest)).collect();
        if !free.is_empty() {
            let lu = Lu::new(&reduced).ok_or_else(|| Failure::recoverable("the reduced mass is singular"))?;
            lu.solve(&mut free);
        }
        let moved = |k: usize| columns.iter().zip(&free).map(|(c, x)| c[k] * x).sum::<f64>();
        Ok((0..n).map(|k| z[k] + moved(k)).collect())
    }

    /// Moves the dependent coordinates and speeds, chosen where `y` is, onto the constraints. [dependent]
    fn close(&mut self, t: f64, y: &mut [f64]) -> Result<(f64, f64), Failure> {
        let n_coordinates = self.compiled.program.rates.len();
        let size = self.mechanism.size();
        let mut before = f64::INFINITY;
        for _ in 0..MAX_CORRECTIONS {
            let gaps: Vec<f64> =
                self.compiled.program.positions.iter().map(|p| p.map_or(0.0, |o| -self.outputs[o])).collect();
            let now = gaps.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            if !now.is_finite() {
                return Err(Failure::recoverable("the constraints have no finite residual"));
            }
            if now <= ROUNDING * size || now >= 0.5 * before {
                before = before.min(now);
                break;
            }
            before = now;
            let mut shift: Vec<f64> = self.leading.iter().map(|r| gaps[*r]).collect();
            self.factor(&self.rows())?.solve(&mut shift);
            for (i, row) in self.compiled.program.rates.iter().enumerate() {
                let along = |k: usize| self.dependent.iter().position(|d| *d == k).map_or(0.0, |j| shift[j]);
                y[i] += row.iter().map(|(k, w)| self.outputs[*w] * along(*k)).sum::<f64>();
            }
            self.evaluate(t, y)?;
        }
        if before > STILL_CLOSED * size {
            return Err(Failure::recoverable(format!("a loop opens by {before:.1e}")));
        }
        for _ in 0..2 {
            let mut shift: Vec<f64> = self
                .leading
                .iter()
                .map(|r| -self.outputs[self.compiled.program.velocities.start + r])
                .collect();
            self.factor(&self.rows())?.solve(&mut shift);
            self.dependent.iter().zip(&shift).for_each(|(d, x)| y[n_coordinates + d] += x);
            self.evaluate(t, y)?;
        }
        Ok(self.residuals())
    }

    /// The largest residuals of position and velocity.
    fn residuals(&self) -> (f64, f64) {
        let program = &self.compiled.program;
        let largest =
            |list: &mut dyn Iterator<Item = usize>| list.fold(0.0f64, |m, o| m.max(self.outputs[o].abs()));
        (largest(&mut program.positions.iter().filter_map(|p| *p)), largest(&mut program.velocities.clone()))
    }
}

/// What an elimination with complete pivoting finds.
struct Pivots {
    rows: Vec<usize>,
    columns: Vec<usize>,
    smallest: f64,
}

/// Eliminates with complete pivoting until only rounding is left. `only` restricts the columns.
fn pivots(g: &[Vec<f64>], only: Option<&[usize]>) -> Pivots {
    let mut a: Vec<Vec<f64>> = g.to_vec();
    let n = a.first().map_or(0, Vec::len);
    let mut rows: Vec<usize> = (0..a.len()).collect();
    let mut columns: Vec<usize> = only.map_or_else(|| (0..n).collect(), <[usize]>::to_vec);
    let mut found = Pivots { rows: vec![], columns: vec![], smallest: f64::INFINITY };
    let size = a.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    loop {
        let places = rows.iter().flat_map(|r| columns.iter().map(move |c| (*r, *c)));
        let Some((r, c)) = places.max_by(|x, y| a[x.0][x.1].abs().total_cmp(&a[y.0][y.1].abs())) else {
            break;
        };
        let pivot = a[r][c];
        if pivot.abs() <= 1e-10 * size {
            break;
        }
        found.smallest = found.smallest.min(pivot.abs());
        found.rows.push(r);
        found.columns.push(c);
        rows.retain(|x| *x != r);
        columns.retain(|x| *x != c);
        let row = a[r].clone();
        for i in &rows {
            let factor = a[*i][c] / pivot;
            a[*i].iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y);
        }
    }
    found
}

impl System for Partitioned<'_, '_> {
    watched_by_mechanism!();

    fn dim(&self) -> usize {
        self.mechanism.dim()
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        self.mechanism.derivative(t, y, dy)?;
        let is_frozen = self.mechanism.n_events() > 0;
        if (self.is_singular || is_frozen) && self.stabilisation.is_none() {
            return Ok(());
        }
        self.evaluate(t, y)?;
        let u_dot = self.accelerations(is_frozen)?;
        let first = self.compiled.program.rates.len();
        for (dy, u_dot) in dy[first..].iter_mut().zip(&u_dot) {
            *dy = if is_frozen { *dy + u_dot } else { *u_dot }; // [switched]
        }
        Ok(())
    }

    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        let scaled = self.mechanism.scale_quadruples(y)?;
        let left = match self.stabilisation {
            None => {
                self.evaluate(t, y)?;
                self.choose(&self.rows())?;
                if self.is_singular {
                    return self.mechanism.project(t, y);
                }
                self.close(t, y)?
            }
            Some(_) => {
                self.evaluate(t, y)?;
                self.choose(&self.rows())?;
                self.residuals()
            }
        };
        // Constraints that switch are not those of a state beyond the switch, where the step will be cut.
        if !self.mechanism.is_beyond_switch(t, y)? {
            self.mechanism.note_residuals(left);
        }
        let slides = self.mechanism.slide(t, y)?;
        Ok(scaled || slides || self.stabilisation.is_none())
    }

    // Interpolation errs in all coordinates alike: a sample takes the shortest way, whatever the partition.
    fn project_sample(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        match self.stabilisation {
            None => self.mechanism.project_sample(t, y),
            Some(_) => self.project(t, y),
        }
    }
}
