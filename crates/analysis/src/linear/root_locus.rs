//! Eigenvalues while a parameter varies: the root locus, and where it crosses the imaginary axis.
//!
//! ```text
//! [mac]        MAC(x, y) = |xᴴ y|² / (xᴴx yᴴy)                  1 for equal shapes, 0 for strangers
//! [branches]   pairs of least 1 − MAC + |λ − μ|/(|λ| + |μ| + ρ),   the least first
//! [critical]   Re λ_k(p) = 0          by secants between bisections, on one branch
//! [resonance]  Im λ_k(p) = n p        the critical speeds of a rotor, order n
//! ```
//!
//! A step over which the shape of a branch turns too far is halved. Where branches cross, their
//! shapes differ and tell which is which; where a pair meets and parts, its shapes agree and
//! either order is right. Source of the criterion: Allemang & Brown, 1st Int. Modal Analysis
//! Conf. (1982) 110.

use crate::AnalysisError;
use crate::equilibrium::{EquilibriumOptions, equilibrium};
use crate::linear::ignorable_coordinates::turned_axes;
use crate::linear::linearize::{LinearMatrices, LinearOptions, linear_matrices, linearize};
use crate::linear::modes::{Complex, complete};
use crate::linear::stability::{Root, Stability, roots};
use crate::linear::uncertainty::Seen;
use crate::numeric_model::Study;

/// Eigenvalues at one value of the parameter, in the order of the branches.
#[derive(Clone, PartialEq, Debug)]
pub struct LocusPoint {
    /// The parameter.
    pub value: f64,
    /// One per branch; parts that are not told from zero are zero.
    pub eigenvalues: Vec<Complex>,
    /// What they say.
    pub stability: Stability,
    branches: Vec<Branch>,
}

/// An eigenvalue as computed, with its shape.
#[derive(Clone, PartialEq, Debug)]
struct Branch {
    told: Complex,
    computed: Complex,
    /// All states, of length one.
    shape: Vec<Complex>,
}

/// About which state a locus is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// The start that the model gives for each value.
    Start,
    /// The equilibrium for each value.
    Equilibrium,
}

/// What is varied, and about which state.
#[derive(Clone, PartialEq, Debug)]
pub struct LocusQuestion {
    /// The parameter.
    pub parameter: String,
    /// The state.
    pub about: About,
    /// The time.
    pub t: f64,
    /// States that are to be independent.
    pub keep: Vec<String>,
}

/// A value at which an eigenvalue is on the imaginary axis, or a resonance.
#[derive(Clone, PartialEq, Debug)]
pub struct Critical {
    /// The parameter.
    pub value: f64,
    /// The eigenvalue there, with an imaginary part that is not negative.
    pub eigenvalue: Complex,
    /// Its branch; nothing where no branch alone decides.
    pub branch: Option<usize>,
    /// What holds beyond.
    pub after: Stability,
}

/// The root locus over a parameter, without what nothing feels.
#[derive(Clone, PartialEq, Debug)]
pub struct RootLocus {
    /// One per value.
    pub points: Vec<LocusPoint>,
    question: LocusQuestion,
}

impl RootLocus {
    /// The locus over these values, in their order.
    pub fn of(
        study: &mut Study,
        question: LocusQuestion,
        values: &[f64],
    ) -> Result<RootLocus, AnalysisError> {
        if let Some(first) = values.first() {
            study.set(&question.parameter, *first)?;
            refuse_singular(study, &question)?;
        }
        let samples = samples(study, &question, values)?;
        let mut points: Vec<LocusPoint> = vec![];
        // Exactly at a critical value an eigenvalue may be lost among ignorable coordinates.
        let mut full: Option<LocusPoint> = None;
        for mut sample in samples {
            let next = match &full {
                Some(before) => arranged(study, &question, before, sample, 0)?,
                None => {
                    sample.branches.sort_by(|a, b| {
                        let (a, b) = (a.told, b.told);
                        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
                    });
                    sample.ordered()
                }
            };
            if full.as_ref().is_none_or(|f| next.branches.len() >= f.branches.len()) {
                full = Some(next.clone());
            }
            points.push(next);
        }
        Ok(RootLocus { points, question })
    }

    /// The values at which stability is won or lost. [critical]
    pub fn critical(&self, study: &mut Study) -> Result<Vec<Critical>, AnalysisError> {
        let mut found = self.crossings(study, |branch, _| branch.told.0, |branch, _| branch.computed.0)?;
        for pair in self.points.windows(2) {
            let (a, b) = (&pair[0], &pair[1]);
            let explained = found.iter().any(|c| within(c.value, a.value, b.value));
            if a.stability != b.stability && !explained {
                found.push(self.change(study, a, b)?);
            }
        }
        found.sort_by(|a, b| a.value.total_cmp(&b.value));
        Ok(found)
    }

    /// The values at which a mode swings `order` times while the parameter, an angular velocity,
    /// goes round once. [resonance]
    pub fn resonances(&self, study: &mut Study, order: f64) -> Result<Vec<Critical>, AnalysisError> {
        let lag = |im: f64, value: f64| if im > 0.0 { im - order * value.abs() } else { f64::NAN };
        self.crossings(
            study,
            |branch, value| lag(branch.told.1, value),
            |branch, value| lag(branch.computed.1, value),
        )
    }

    /// Where a function of a branch changes its sign, each conjugate pair once.
    fn crossings(
        &self,
        study: &mut Study,
        told: impl Fn(&Branch, f64) -> f64,
        f: impl Fn(&Branch, f64) -> f64,
    ) -> Result<Vec<Critical>, AnalysisError> {
        let mut found: Vec<Critical> = vec![];
        let n = self.points.iter().map(|p| p.branches.len()).max().unwrap_or(0);
        let whole = || self.points.iter().filter(|p| p.branches.len() == n);
        for k in 0..n {
            // The last point at which the sign was known.
            let mut from: Option<(&LocusPoint, f64)> = None;
            for point in whole() {
                let sign = told(&point.branches[k], point.value);
                if sign.is_nan() {
                    from = None;
                    continue;
                }
                if sign == 0.0 {
                    continue;
                }
                if let Some((before, old)) = from
                    && old * sign < 0.0
                {
                    let upper = point.branches[k].told.1.max(before.branches[k].told.1);
                    if upper >= 0.0 && point.branches[k].told.1 + before.branches[k].told.1 >= 0.0 {
                        found.push(self.refine(study, k, before, point, &f)?);
                    }
                }
                from = Some((point, sign));
            }
        }
        found.sort_by(|a, b| a.value.total_cmp(&b.value));
        // Both of a real pair that has just become complex.
        found.dedup_by(|a, b| a.value == b.value && a.branch != b.branch && a.eigenvalue == b.eigenvalue);
        Ok(found)
    }

    /// The root of f on a branch between two points with different signs.
    fn refine(
        &self,
        study: &mut Study,
        k: usize,
        before: &LocusPoint,
        after: &LocusPoint,
        f: &impl Fn(&Branch, f64) -> f64,
    ) -> Result<Critical, AnalysisError> {
        // A point without this branch is the critical one itself.
        let n = before.branches.len();
        let of = |p: &LocusPoint| if p.branches.len() == n { f(&p.branches[k], p.value) } else { 0.0 };
        let (mut low, mut high) = (before.clone(), after.clone());
        let (mut f_low, mut f_high) = (of(&low), of(&high));
        for step in 0..MAX_STEPS {
            let width = (high.value - low.value).abs();
            let size = low.value.abs().max(high.value.abs());
            if width <= 4.0 * f64::EPSILON * size || f_low == 0.0 || f_high == 0.0 {
                break;
            }
            // Secants, and a bisection where they are slow or lead out.
            let secant = low.value - f_low * (high.value - low.value) / (f_high - f_low);
            let middle = 0.5 * (low.value + high.value);
            let next = if step % 3 == 2 || !within(secant, low.value, high.value) { middle } else { secant };
            if next == low.value || next == high.value {
                break;
            }
            let nearer = if (next - low.value).abs() < (next - high.value).abs() { &low } else { &high };
            let point = advance(study, &self.question, nearer, next, 0)?;
            let value = of(&point);
            if value.is_nan() {
                break;
            }
            if value == 0.0 {
                (low, f_low) = (point, value);
                break;
            }
            if value * f_low > 0.0 {
                (low, f_low) = (point, value);
            } else {
                (high, f_high) = (point, value);
            }
        }
        let best = if f_low.abs() < f_high.abs() { &low } else { &high };
        let im = if best.branches.len() == n { best.branches[k].computed.1.abs() } else { 0.0 };
        let eigenvalue = (0.0, im);
        Ok(Critical { value: best.value, eigenvalue, branch: Some(k), after: after.stability })
    }

    /// Where the verdict changes although no branch changes its sign: pairs that meet.
    fn change(
        &self,
        study: &mut Study,
        before: &LocusPoint,
        after: &LocusPoint,
    ) -> Result<Critical, AnalysisError> {
        let (mut low, mut high) = (before.value, after.clone());
        for _ in 0..MAX_STEPS {
            let middle = 0.5 * (low + high.value);
            if middle == low || middle == high.value {
                break;
            }
            let point = sample(study, &self.question, middle)?.ordered();
            if point.stability == before.stability {
                low = middle;
            } else {
                high = point;
            }
        }
        let rightmost = high.eigenvalues.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0));
        let (_, im) = rightmost.unwrap_or((0.0, 0.0));
        let eigenvalue = (0.0, im.abs());
        Ok(Critical { value: high.value, eigenvalue, branch: None, after: after.stability })
    }
}

/// Evaluations of a search at most.
const MAX_STEPS: usize = 120;
/// A step is halved so often at most.
const MAX_HALVINGS: usize = 6;
/// Shapes that agree less than this are looked at again in half a step.
const ENOUGH: f64 = 0.5;

fn within(x: f64, a: f64, b: f64) -> bool {
    x >= a.min(b) && x <= a.max(b)
}

impl LocusPoint {
    fn ordered(mut self) -> LocusPoint {
        self.eigenvalues = self.branches.iter().map(|b| b.told).collect();
        self
    }

    /// The largest real part without the zeros at all values.
    pub(crate) fn abscissa(&self, n_zeros: usize) -> f64 {
        let mut sizes: Vec<(f64, f64)> =
            self.branches.iter().map(|b| (b.computed.0.hypot(b.computed.1), b.computed.0)).collect();
        sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
        sizes.iter().skip(n_zeros).map(|s| s.1).fold(f64::NEG_INFINITY, f64::max)
    }

    pub(crate) fn n_zeros(&self) -> usize {
        self.eigenvalues.iter().filter(|z| **z == (0.0, 0.0)).count()
    }
}

/// Refuses a start in a singular position, which has no linear equations.
fn refuse_singular(study: &mut Study, question: &LocusQuestion) -> Result<(), AnalysisError> {
    let y = study.start(question.t)?;
    linearize(study, question.t, &y, &LinearOptions::default()).map(drop)
}

/// Values that share the roundings seen at the first of them.
const BLOCK: usize = 16;
/// Bounds that come from a value near decide nothing within this factor.
const DOUBT: f64 = 100.0;

/// The eigenvalues at many values, each in no order. Blocks of values are independent of one
/// another and are shared among the processors; the answer does not depend on how many there are.
fn samples(
    study: &Study,
    question: &LocusQuestion,
    values: &[f64],
) -> Result<Vec<LocusPoint>, AnalysisError> {
    let blocks: Vec<&[f64]> = values.chunks(BLOCK).collect();
    let n_threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(blocks.len()).max(1);
    let run = |mut study: Study, blocks: &[&[f64]]| -> Result<Vec<LocusPoint>, AnalysisError> {
        let mut points = vec![];
        for block in blocks {
            let mut near = None;
            for value in *block {
                points.push(sample_near(&mut study, question, *value, &mut near)?);
            }
        }
        Ok(points)
    };
    let shares: Vec<&[&[f64]]> = blocks.chunks(blocks.len().div_ceil(n_threads).max(1)).collect();
    let found = std::thread::scope(|scope| {
        let start = |share| {
            let own = study.clone();
            scope.spawn(move || run(own, share))
        };
        let threads: Vec<_> = shares.into_iter().map(start).collect();
        threads.into_iter().map(|t| t.join()).collect::<Vec<_>>()
    });
    let mut points = vec![];
    for part in found {
        points.extend(part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
    }
    Ok(points)
}

/// The eigenvalues at one value, in no order.
pub(crate) fn sample(
    study: &mut Study,
    question: &LocusQuestion,
    value: f64,
) -> Result<LocusPoint, AnalysisError> {
    sample_near(study, question, value, &mut None)
}

/// The same, with the roundings seen at a value near where they decide nothing; those seen here are
/// left there.
fn sample_near(
    study: &mut Study,
    question: &LocusQuestion,
    value: f64,
    near: &mut Option<Near>,
) -> Result<LocusPoint, AnalysisError> {
    let LocusQuestion { parameter, about, t, keep } = question;
    study.set(parameter, value)?;
    let y = match about {
        About::Start => study.start(*t)?,
        About::Equilibrium => {
            let found = equilibrium(study, *t, &EquilibriumOptions::default())?;
            if !found.balanced {
                let message = format!("no equilibrium was found for `{parameter}` = {value}");
                return Err(AnalysisError::Evaluation(message));
            }
            found.state
        }
    };
    let keep = keep.iter().map(|n| study.place(n)).collect::<Result<Vec<_>, _>>()?;
    if let Some(Near { seen, told }) = near {
        let (linear, _) = linear_matrices(study, *t, &y, &keep, Some(seen))?;
        let (point, roots) = eigenvalues(&linear, value)?;
        let doubtful = |x: f64, error: f64| x != 0.0 && x.abs() <= DOUBT * error;
        let is_doubtful = |r: &Root| doubtful(r.computed.0, r.error) || doubtful(r.computed.1, r.error);
        if *told == told_entries(&linear) && !roots.iter().any(is_doubtful) {
            return Ok(point);
        }
    }
    let (linear, seen) = linear_matrices(study, *t, &y, &keep, None)?;
    *near = Some(Near { seen, told: told_entries(&linear) });
    Ok(eigenvalues(&linear, value)?.0)
}

/// What was seen at a value.
struct Near {
    seen: Seen,
    /// Which entries of A are told from zero.
    told: Vec<bool>,
}

fn told_entries(linear: &LinearMatrices) -> Vec<bool> {
    let entries = linear.a.as_slice().iter().zip(linear.uncertainty.as_slice());
    entries.map(|(x, limit)| x.abs() > *limit).collect()
}

/// The eigenvalues of linear equations with their shapes.
fn eigenvalues(linear: &LinearMatrices, value: f64) -> Result<(LocusPoint, Vec<Root>), AnalysisError> {
    let turned = turned_axes(&linear.independent, &linear.ignorable, (&linear.a, &linear.uncertainty));
    let roots = roots(&turned)?;
    let mut branches = vec![];
    for root in &roots {
        let x = complete(&turned, root.computed, &root.vector);
        let mut shape: Vec<Complex> = vec![(0.0, 0.0); linear.basis.n_rows()];
        for (j, z) in x.iter().enumerate() {
            for (s, basis) in shape.iter_mut().zip(linear.basis.column(j)) {
                s.0 += basis * z.0;
                s.1 += basis * z.1;
            }
        }
        let size = shape.iter().map(|z| z.0 * z.0 + z.1 * z.1).sum::<f64>().sqrt();
        if size > 0.0 {
            shape.iter_mut().for_each(|z| *z = (z.0 / size, z.1 / size));
        }
        branches.push(Branch { told: root.value, computed: root.computed, shape });
    }
    let eigenvalues: Vec<Complex> = branches.iter().map(|b| b.told).collect();
    let stability = Stability::of(&linear.independent, &turned, &roots);
    Ok((LocusPoint { value, eigenvalues, stability, branches }, roots))
}

/// The eigenvalues at a value in the order of those before it.
fn advance(
    study: &mut Study,
    question: &LocusQuestion,
    before: &LocusPoint,
    value: f64,
    halvings: usize,
) -> Result<LocusPoint, AnalysisError> {
    let next = sample(study, question, value)?;
    arranged(study, question, before, next, halvings)
}

/// Eigenvalues in the order of those before them.
fn arranged(
    study: &mut Study,
    question: &LocusQuestion,
    before: &LocusPoint,
    mut next: LocusPoint,
    halvings: usize,
) -> Result<LocusPoint, AnalysisError> {
    let value = next.value;
    if next.branches.len() != before.branches.len() {
        return Ok(next.ordered());
    }
    let (order, agreement) = follow(&before.branches, &next.branches);
    if agreement < ENOUGH && halvings < MAX_HALVINGS {
        let middle = 0.5 * (before.value + value);
        if middle != before.value && middle != value {
            let between = advance(study, question, before, middle, halvings + 1)?;
            return arranged(study, question, &between, next, halvings + 1);
        }
    }
    next.branches = order.into_iter().map(|j| next.branches[j].clone()).collect();
    Ok(next.ordered())
}

/// [mac]
fn mac(x: &[Complex], y: &[Complex]) -> f64 {
    let (mut re, mut im) = (0.0, 0.0);
    for (a, b) in x.iter().zip(y) {
        re += a.0 * b.0 + a.1 * b.1;
        im += a.0 * b.1 - a.1 * b.0;
    }
    re * re + im * im
}

/// For each branch the place of its successor, and the least agreement of shapes. [branches]
fn follow(before: &[Branch], after: &[Branch]) -> (Vec<usize>, f64) {
    let size = |z: Complex| z.0.hypot(z.1);
    let radius = before.iter().chain(after).map(|b| size(b.computed)).fold(f64::MIN_POSITIVE, f64::max);
    let mut pairs: Vec<(f64, usize, usize)> = vec![];
    for (i, a) in before.iter().enumerate() {
        for (j, b) in after.iter().enumerate() {
            let (p, q) = (a.computed, b.computed);
            let apart = (p.0 - q.0).hypot(p.1 - q.1) / (size(p) + size(q) + 0.02 * radius);
            pairs.push((1.0 - mac(&a.shape, &b.shape) + apart, i, j));
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut place: Vec<Option<usize>> = vec![None; before.len()];
    let mut taken = vec![false; after.len()];
    let mut agreement = 1.0_f64;
    for (_, i, j) in pairs {
        if place[i].is_none() && !taken[j] {
            agreement = agreement.min(mac(&before[i].shape, &after[j].shape));
            place[i] = Some(j);
            taken[j] = true;
        }
    }
    (place.into_iter().flatten().collect(), agreement)
}
