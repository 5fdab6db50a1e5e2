//! Constraints that repeat others at the start and part from them along the motion.
//!
//! ```text
//! [dropped]    a row r in the span of the kept rows at the start carries nothing, and nothing keeps it
//! [parted]     |g_r| > PARTED  or  |v_r| > PARTED (1 + |u|)      and far more than the kept rows leave
//! [loose]      where the kept rows nearly repeat one another, errors in them are as much larger in the others
//! [repeated]    g_r = Σ c_k g_k at the start: the constraints with c_k ≠ 0 are those that it repeats
//! ```
//!
//! Two drives of one shaft whose laws part, a curve and the circle that osculates it: at the start one of them says nothing new.
//! Every row is looked at after each step, so that a motion ends where they no longer agree.

use std::fmt;

use cardan_solve::Failure;
use cardan_solve::linear::{Matrix, least_norm};

use cardan_assembly::assemble::{Loops, RowName};
use cardan_assembly::assembly_error::AssemblyError;
use cardan_assembly::newton::{RANK_TOLERANCE, Residuals, Work};
use cardan_base::without_noise;
use cardan_jit::Engine;

/// A dropped row that is open by more than this has parted from the others, in SI units.
const PARTED: f64 = 1e-6;
/// … and by more than so many times what the kept rows leave.
const BEYOND_KEPT: f64 = 1e3;
/// Kept rows are loose where their least singular value is less than this part of the largest. [loose]
const LOOSE: f64 = 0.03;
/// Shares below this part of the largest are rounding.
const SHARE: f64 = 1e-6;

/// Where a constraint parted from those that it had repeated.
#[derive(Clone, PartialEq, Debug)]
pub struct Parting {
    /// When it was noticed, at the end of a step.
    pub t: f64,
    /// What is open.
    pub row: RowName,
    /// Its place among the rows that say something.
    pub place: usize,
    /// By how much, in SI units; a rate where only velocities disagree.
    pub gap: f64,
    /// Whether only velocities disagree.
    pub is_rate: bool,
    /// The constraints that it had repeated until then.
    pub others: Vec<String>,
}

impl Parting {
    /// The gap with its unit: `0.35 m`, `0.1 rad/s`.
    pub fn size(&self) -> String {
        if self.is_rate { self.row.size_of_rate(self.gap) } else { self.row.size(self.gap) }
    }

    /// The other constraints, `a`, `b` and `c`.
    pub fn against(&self) -> String {
        let list: Vec<String> = self.others.iter().map(|p| format!("`{p}`")).collect();
        match list.split_last() {
            Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
            Some((last, _)) => last.clone(),
            None => "the other constraints".into(),
        }
    }
}

impl fmt::Display for Parting {
    /// `\`m2\` parts from \`m1\` at t = 0.5 s: motion of r is off by 1 rad/s`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RowName { constraint, what, .. } = &self.row;
        let is = if self.is_rate { "is off by" } else { "opens by" };
        write!(f, "`{constraint}` parts from {} at t = {} s", self.against(), without_noise(self.t))?;
        write!(f, ": {what} {is} {}", self.size())
    }
}

/// The rows that nothing keeps, under observation.
pub(crate) struct Watch<'a> {
    work: Work<'a>,
    dropped: &'a [usize],
    /// Where the motion began.
    start: Option<(f64, Vec<f64>)>,
}

impl<'a> Watch<'a> {
    /// With the parameters among `inputs`; nothing where every row is kept.
    pub fn new(
        loops: &'a Loops,
        engine: &Engine,
        inputs: &[f64],
        dropped: &'a [usize],
    ) -> Result<Option<Self>, AssemblyError> {
        if dropped.is_empty() {
            return Ok(None);
        }
        Ok(Some(Watch { work: Work::new(loops, engine, inputs)?, dropped, start: None }))
    }

    /// What has parted in this state; a state that cannot be evaluated says nothing.
    pub fn look(&mut self, t: f64, y: &[f64]) -> Option<Parting> {
        let n = self.work.loops.closure.inputs.state().len();
        let state = &y[..n];
        self.work.at(t);
        self.work.run(state).ok()?;
        if self.start.is_none() {
            self.start = Some((t, state.to_vec()));
        }
        let first = self.work.loops.closure.rates.len();
        let speeds = &state[first..first + self.work.n_speeds];
        let fastest = speeds.iter().fold(1.0, |m: f64, u| m.max(u.abs()));
        let open = self.widest(self.work.positions(), 1.0).map(|(r, x)| (r, x, false));
        let (place, gap, is_rate) =
            open.or_else(|| self.widest(self.work.velocities(), fastest).map(|(r, x)| (r, x, true)))?;
        let row = self.work.loops.rows[place].clone();
        let others = self.parties(place).unwrap_or_default();
        Some(Parting { t, row, place, gap: gap.abs(), is_rate, others })
    }

    /// The dropped row that has parted the most. [parted]
    fn widest(&self, residuals: Residuals, scale: f64) -> Option<(usize, f64)> {
        let (dropped, kept): (Residuals, Residuals) =
            residuals.into_iter().partition(|(r, _)| self.dropped.contains(r));
        let limit = f64::max(PARTED * scale, BEYOND_KEPT * self.work.measure(&kept));
        let size = |row: &(usize, f64)| self.work.measure(&vec![*row]);
        let parted = dropped.into_iter().filter(|row| size(row) > limit);
        let widest = parted.max_by(|a, b| size(a).total_cmp(&size(b)));
        widest.filter(|row| size(row) * self.firmness() > limit)
    }

    /// One, or less where the kept rows determine little. [loose]
    fn firmness(&self) -> f64 {
        let rows = self.work.rows();
        let kept: Vec<&Vec<f64>> =
            (0..rows.len()).filter(|r| !self.dropped.contains(r)).map(|r| &rows[r]).collect();
        let mut g = Matrix::zeros(kept.len(), self.work.n_speeds);
        for (i, row) in kept.iter().enumerate() {
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            row.iter().enumerate().for_each(|(k, x)| g[(i, k)] = if length > 0.0 { x / length } else { 0.0 });
        }
        let found = least_norm(&g, &vec![0.0; kept.len()], 0.0).map(|f| f.singular_values);
        let part = found.map_or(1.0, |s| match (s.first(), s.last()) {
            (Some(most), Some(least)) if *most > 0.0 => least / most,
            _ => 1.0,
        });
        if part < LOOSE { part } else { 1.0 }
    }

    /// [repeated]
    fn parties(&mut self, place: usize) -> Result<Vec<String>, Failure> {
        if let Some((t, state)) = self.start.take() {
            self.work.at(t);
            self.work.run(&state).map_err(|e| Failure::recoverable(e.to_string()))?;
        }
        let rows = self.work.rows();
        let kept: Vec<usize> = (0..rows.len()).filter(|r| !self.dropped.contains(r)).collect();
        let mut transposed = Matrix::zeros(self.work.n_speeds, kept.len());
        for (j, r) in kept.iter().enumerate() {
            transposed.column_mut(j).copy_from_slice(&rows[*r]);
        }
        let shares = least_norm(&transposed, &rows[place], RANK_TOLERANCE)?.x;
        let largest = shares.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let mut others: Vec<String> = vec![];
        for (r, share) in kept.iter().zip(shares) {
            let name = &self.work.loops.rows[*r].constraint;
            if share.abs() > SHARE * largest
                && !others.contains(name)
                && *name != self.work.loops.rows[place].constraint
            {
                others.push(name.clone());
            }
        }
        Ok(others)
    }
}
