//! Singular positions: where rows that are usually independent repeat one another for an instant.
//!
//! ```text
//! [least]    σ² = least eigenvalue of D^-½ S D^-½,   S = G W Gᵀ, D its usual diagonal          W: parts taken as round; by inverse iteration
//! [signed]   Gᵀ w turns round where σ vanishes: the sign of (Gᵀ w)·(Gᵀ w)_marked tells the side
//! [margin]   ± σ / its largest value so far
//! ```
//!
//! The measure is that of the formalisms of the tree, with the sparse factors; `cardan_solve` leaps across.

use cardan_sim::Passage;

use crate::mechanism::Mechanism;
use crate::template::FREEDOMS;

/// Iterations that find w, and those that keep it.
const FIRST_ITERATIONS: usize = 40;
const ITERATIONS: usize = 2;
/// Directions with smaller cosines than this are not the same one a little later.
const SAME: f64 = 0.5;
/// Rows that never have a larger σ than this repeat one another for ever.
const EVER: f64 = 1e-6;
/// Rows with a smaller part than this of the largest in w take no part.
const PART: f64 = 0.1;
/// A motion that cannot go on with a margin below this ends because of it.
const TO_BLAME: f64 = 0.03;
/// More constraints than this are counted and not named.
const MOST_NAMED: usize = 6;

/// The least singular value in a state. [least]
#[derive(Clone, Debug, Default)]
struct Least {
    w: Vec<f64>,
    /// Gᵀ w.
    v: Vec<f64>,
    sigma: f64,
}

/// Where a motion is relative to singular positions.
#[derive(Clone, Debug, Default)]
pub struct Regularity {
    usual: Vec<f64>,
    marked: Least,
    last: Least,
    most: f64,
    /// What the motion went through.
    pub met: Vec<Passage>,
}

impl Regularity {
    /// [margin]
    pub fn margin(&mut self, m: &mut Mechanism<'_>, t: f64, y: &[f64]) -> Result<f64, String> {
        m.evaluate(t, y)?;
        let Some((w, v, sigma)) = self.least(m) else {
            return Err("the constraints have no finite directions".into());
        };
        let turned = dot(&v, &self.marked.v);
        let is_same = self.marked.w.len() == w.len()
            && dot(&w, &self.marked.w).abs() > SAME
            && turned.abs() > SAME * norm(&v) * norm(&self.marked.v);
        let side = if is_same && turned < 0.0 { -1.0 } else { 1.0 }; // [signed]
        self.last = Least { w, v, sigma };
        let most = self.most.max(sigma);
        Ok(if most > EVER { side * sigma / most } else { f64::INFINITY })
    }

    /// w, Gᵀ w and σ at the last evaluation.
    fn least(&mut self, m: &mut Mechanism<'_>) -> Option<(Vec<f64>, Vec<f64>, f64)> {
        let diagonal = m.fill_round();
        if self.usual.len() != diagonal.len() {
            self.usual = vec![0.0; diagonal.len()];
        }
        self.usual.iter_mut().zip(&diagonal).for_each(|(u, d)| *u = u.max(*d));
        let root: Vec<f64> = self.usual.iter().map(|u| u.sqrt()).collect();
        let n = root.len();
        let is_new = self.marked.w.len() != n;
        let mut w: Vec<f64> = match is_new {
            true => (0..n).map(|k| 1.0 + 0.5 * (1.0 + k as f64 * 2.399_963).sin()).collect(),
            false => self.marked.w.clone(),
        };
        for _ in 0..if is_new { FIRST_ITERATIONS } else { ITERATIONS } {
            w.iter_mut().zip(&root).for_each(|(w, r)| *w *= r);
            m.ldl.solve(&mut w);
            w.iter_mut().zip(&root).for_each(|(w, r)| *w *= r);
            let length = norm(&w);
            if !(length > 0.0 && length.is_finite()) {
                return None;
            }
            w.iter_mut().for_each(|x| *x /= length);
        }
        let scaled: Vec<f64> = w.iter().zip(&root).map(|(w, r)| if *r > 0.0 { w / r } else { 0.0 }).collect();
        let mut v = vec![0.0; FREEDOMS * m.n_parts()];
        m.pull(&scaled, &mut v);
        // In the measure of the round parts.
        for (k, part) in m.structure.parts.iter().enumerate() {
            let moment = (0..3).map(|i| part.inertia[i][i] + part.lent[i][i]).fold(0.0, f64::max);
            for (i, x) in v[FREEDOMS * k..][..FREEDOMS].iter_mut().enumerate() {
                *x /= if i < 3 { part.mass } else { moment }.sqrt();
            }
        }
        let sigma = norm(&v);
        Some((w, v, sigma))
    }

    /// Signs are counted from the state that was looked at last.
    pub fn mark(&mut self) {
        self.marked.clone_from(&self.last);
        self.most = self.most.max(self.last.sigma);
    }

    /// Notes a singular position that the motion went through.
    pub fn passed(&mut self, m: &mut Mechanism<'_>, t: f64, y: &[f64]) -> Result<(), String> {
        self.margin(m, t, y)?;
        let found = self.passage(m, t);
        self.met.push(found);
        Ok(())
    }

    /// What keeps a motion from going on in this state, if it is near a singular position.
    pub fn blamed(&mut self, m: &mut Mechanism<'_>, t: f64, y: &[f64]) -> Option<Passage> {
        let margin = self.margin(m, t, y).ok()?;
        (margin.abs() < TO_BLAME).then(|| self.passage(m, t))
    }

    /// The constraints whose rows make up w: those that close loops, if there are any among them.
    fn passage(&self, m: &Mechanism<'_>, t: f64) -> Passage {
        let largest = self.last.w.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let part = |first: usize, rows: usize| {
            self.last.w[first..first + rows].iter().any(|x| x.abs() > PART * largest)
        };
        let named = |closes: bool| {
            let blocks = m.blocks.iter().filter(|b| b.constraint.is_some() == closes);
            let mut names: Vec<String> = vec![];
            for block in blocks.filter(|b| part(b.first, b.rows)) {
                if !names.contains(&block.name) {
                    names.push(block.name.clone());
                }
            }
            names
        };
        let closing = named(true);
        let mut constraints = if closing.is_empty() { named(false) } else { closing };
        let is_empty = constraints.len() == 1;
        if constraints.len() > MOST_NAMED {
            let more = constraints.len() - MOST_NAMED;
            constraints.truncate(MOST_NAMED);
            constraints.push(format!("{more} more"));
        }
        Passage { t, is_empty, constraints }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
