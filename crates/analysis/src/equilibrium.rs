//! Equilibrium: a position in which nothing wants to move.
//!
//! ```text
//! [balance]      Q(q, s) = M u̇ = 0 at u = 0,  ṡ = 0,  g(q) = 0      Newton's method with shortest steps and exact derivatives
//! [alongside]    u = w where drives turn or shift single coordinates at constant rates w: a relative equilibrium, u̇ = 0
//! [held]         the start itself where dry friction holds it: M u̇ = 0 with the friction of a motion that begins there
//! [relaxation]   (1/h - W P Q_q) δq = W P Q,   h grows as |Q| falls
//! ```
//!
//! With the constraints solved, M u̇ is the load that nothing balances, whether constraints repeat one another or not. Loads behave better than
//! accelerations where some masses are next to nothing. Newton's method finds an equilibrium near the guess, stable or not. Where it fails, or
//! where a stable one is wanted, the system relaxes first: it follows the load along the admissible velocities (P projects on them), downhill,
//! by implicit steps that end as Newton's method (pseudo-transient continuation; Kelley and Keyes 1998).

use cardan_assembly::RowName;
use cardan_solve::Matrix;
use cardan_solve::linear::{Lu, least_norm};
use cardan_solve::nonlinear::{self, Equations, NewtonOptions};
use cardan_solve::system::Failure;

use crate::AnalysisError;
use crate::kinematics::singular_configuration::{borne_outputs, lost_constraints};
use crate::linear::higher_order_terms::decides;
use crate::linear::ignorable_coordinates::turned;
use crate::linear::linearize::{LinearOptions, linearize};
use crate::linear::modes::Complex;
use crate::linear::nonsmooth_points::Kink;
use crate::linear::stability::{Stability, roots, verdict};
use crate::numeric_model::{Named, RANK_TOLERANCE, Study};

/// What is wanted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EquilibriumOptions {
    /// Loads and residuals of constraints below this are balance, in SI units.
    pub tolerance: f64,
    /// Whether to roll downhill from the start rather than to look for the nearest equilibrium of any kind.
    pub stable: bool,
}

impl Default for EquilibriumOptions {
    fn default() -> Self {
        EquilibriumOptions { tolerance: 1e-10, stable: false }
    }
}

/// How an equilibrium was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// From the guess directly.
    Newton,
    /// After relaxation.
    Relaxation,
    /// At the start, which dry friction holds.
    Held,
}

/// Why a position is no rest.
#[derive(Clone, PartialEq, Debug)]
pub enum Obstacle {
    /// A constraint moves by itself: a drive. Its rate, and its acceleration where the rate is zero, in SI units.
    Moves {
        /// Which row.
        row: RowName,
        /// How fast.
        rate: f64,
        /// How fast that changes.
        acceleration: f64,
    },
    /// A constraint is violated by so much, in SI units.
    Open {
        /// Which row; nothing for the norm of Euler parameters.
        row: Option<RowName>,
        /// By how much.
        gap: f64,
    },
    /// A load is not balanced.
    Load {
        /// The place of its speed among the speeds.
        speed: usize,
        /// The generalised force.
        force: f64,
    },
    /// An auxiliary state goes on changing.
    Drifts {
        /// Its place in y.
        state: usize,
        /// How fast.
        rate: f64,
    },
}

/// Where nothing wants to move, or the best that was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Equilibrium {
    /// y, with speeds zero but for those that drives keep constant.
    pub state: Vec<f64>,
    /// Places in y of speeds that drives keep constant, with their rates: the equilibrium is relative to this motion.
    pub carried: Vec<(usize, f64)>,
    /// Largest load or residual of a constraint that is left.
    pub residual: f64,
    /// Whether that is small enough.
    pub balanced: bool,
    /// Iterations of relaxation and of Newton's method.
    pub iterations: usize,
    /// How it was found.
    pub found: Found,
    /// What becomes of small departures; nothing where there is no balance, and in a singular position.
    pub stability: Option<Stability>,
    /// The same in words, with the eigenvalues that decide it and the ignorable coordinates; empty
    /// where nothing is known.
    pub verdict: String,
    /// Whether that holds of the position as well, or of the linear equations only.
    pub decided: bool,
    /// The constraints that say nothing new in this position although they do at the start: it is singular, and what they bear is not
    /// determined.
    pub singular: Vec<String>,
    /// The places of the outputs that look at what is borne and so have no value in a singular position.
    pub undetermined: Vec<usize>,
    /// What dry friction holds there, as equations (`der(x) = 0`): places nearby are equilibria, too, and stability means nothing. Empty where the position
    /// needs no friction.
    pub held: Vec<String>,
    /// Of the linear equations, without ignorable coordinates.
    pub eigenvalues: Vec<Complex>,
    /// Coordinates that nothing feels.
    pub ignorable: Vec<Named>,
    /// Coordinates that are felt, though not to first order.
    pub flat: Vec<Named>,
    /// Corners and jumps of the equations in the position.
    pub kinks: Vec<Kink>,
    /// Generalised forces that are left, per speed: M u̇.
    pub left: Vec<f64>,
    /// Potential energy.
    pub potential: f64,
    /// What keeps the position from being a rest, the gravest reason; nothing where there is balance.
    pub obstacle: Option<Obstacle>,
}

/// q and s as unknowns.
pub(crate) struct Balance<'a> {
    pub study: &'a mut Study,
    pub t: f64,
    /// The speeds. [alongside]
    pub u: &'a [f64],
}

impl Balance<'_> {
    pub fn state(&self, x: &[f64]) -> Vec<f64> {
        let (n_q, ..) = self.study.sizes();
        [&x[..n_q], self.u, &x[n_q..]].concat()
    }
    fn unknowns(&self, y: &[f64]) -> Vec<f64> {
        let (n_q, n_u, _) = self.study.sizes();
        y[..n_q].iter().chain(&y[n_q + n_u..]).copied().collect()
    }
}

fn recoverable(error: &AnalysisError) -> Failure {
    Failure::recoverable(error.to_string())
}

impl Equations for Balance<'_> {
    fn n_unknowns(&self) -> usize {
        let (n_q, _, n_s) = self.study.sizes();
        n_q + n_s
    }

    fn n_equations(&self) -> usize {
        let (_, n_u, n_s) = self.study.sizes();
        n_u + n_s + self.study.n_position_rows()
    }

    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), Failure> {
        let y = self.state(x);
        let (n_q, ..) = self.study.sizes();
        let (_, n_u, _) = self.study.sizes();
        let rates = self.study.rates(self.t, &y).map_err(|e| recoverable(&e))?;
        let mut loads = vec![0.0; n_u];
        let mass = self.study.mass(self.t, &y).map_err(|e| recoverable(&e))?;
        mass.multiply(&rates[n_q..n_q + n_u], &mut loads);
        let found = self.study.residuals(self.t, &y).map_err(|e| recoverable(&e))?;
        let all = loads.iter().chain(&rates[n_q + n_u..]).chain(&found.positions); // [balance]
        r.iter_mut().zip(all).for_each(|(r, x)| *r = *x);
        Ok(())
    }

    fn jacobian(&mut self, x: &[f64], j: &mut Matrix) -> Result<bool, Failure> {
        let y = self.state(x);
        let (n_q, n_u, n_s) = self.study.sizes();
        let local = self.study.local(self.t, &y).map_err(|e| recoverable(&e))?;
        let (_, slope) = self.study.loads(self.t, &y, &local).map_err(|e| recoverable(&e))?;
        let columns = (0..n_q).chain(n_q + n_u..n_q + n_u + n_s);
        for (c, from) in columns.enumerate() {
            let column = j.column_mut(c);
            let (above, below) = column.split_at_mut(n_u + n_s);
            above[..n_u].copy_from_slice(slope.column(from));
            above[n_u..].copy_from_slice(&local.field.column(from)[n_q + n_u..n_q + n_u + n_s]);
            below.copy_from_slice(local.positions.column(from));
        }
        Ok(true)
    }
}

/// An equilibrium near the start that the model gives, at the time `t`; relative to the motion of drives that leave everything else at rest.
pub fn equilibrium(
    study: &mut Study,
    t: f64,
    options: &EquilibriumOptions,
) -> Result<Equilibrium, AnalysisError> {
    let start = study.start(t)?;
    let (_, n_u, _) = study.sizes();
    let carried = carried(study, t, &start)?;
    if !carried.is_empty() {
        let mut u = vec![0.0; n_u];
        carried.iter().for_each(|(k, rate)| u[*k] = *rate);
        if let Some(found) = held(study, t, &start, &u, options)? {
            return Ok(found);
        }
        let found = search(study, t, start.clone(), &u, options)?;
        if found.balanced {
            return Ok(found);
        }
    }
    let rest = vec![0.0; n_u];
    if let Some(found) = held(study, t, &start, &rest, options)? {
        return Ok(found);
    }
    let found = search(study, t, start, &rest, options)?;
    match study.fork() {
        // From a singular position there is no way to an equilibrium that deserves preference.
        Some(fork) if !found.balanced => Err(AnalysisError::Fork(Box::new(fork.clone()))),
        _ => Ok(found),
    }
}

/// The start with these speeds, if it is an equilibrium because dry friction makes it one. [held]
fn held(
    study: &mut Study,
    t: f64,
    start: &[f64],
    u: &[f64],
    options: &EquilibriumOptions,
) -> Result<Option<Equilibrium>, AnalysisError> {
    let (n_q, n_u, _) = study.sizes();
    let mut y = start.to_vec();
    y[n_q..n_q + n_u].copy_from_slice(u);
    let Ok(Some(hold)) = study.held(t, &y) else { return Ok(None) };
    let without = study.rates(t, &y)?;
    let mut judge = |rates| judged(study, t, y.clone(), rates, &hold.surfaces, (0, Found::Held), options);
    if judge(without)?.balanced {
        return Ok(None);
    }
    let found = judge(hold.rates)?;
    Ok(found.balanced.then_some(found))
}

/// The speeds that drives keep constant, with their rates, where all others can be zero with them; nothing else is a relative rest. [alongside]
fn carried(study: &mut Study, t: f64, start: &[f64]) -> Result<Vec<(usize, f64)>, AnalysisError> {
    let (n_q, n_u, _) = study.sizes();
    if !study.row_names().iter().any(|row| row.drives) {
        return Ok(vec![]);
    }
    let mut y = start.to_vec();
    y[n_q..n_q + n_u].fill(0.0);
    let rates = study.residuals(t, &y)?.velocities;
    let velocities = study.local(t, &y)?.velocities;
    let mut carried = vec![];
    for (row, _) in study.row_names().iter().enumerate().filter(|(_, name)| name.drives) {
        let moves: Vec<usize> = (0..n_u).filter(|k| velocities[(row, n_q + k)] != 0.0).collect();
        match moves[..] {
            [k] if rates[row] != 0.0 => carried.push((k, -rates[row] / velocities[(row, n_q + k)])),
            _ if rates[row].abs() > 1e-12 => return Ok(vec![]),
            _ => {}
        }
    }
    carried.iter().for_each(|(k, rate)| y[n_q + k] = *rate);
    let open = study.residuals(t, &y)?.velocities.iter().fold(0.0, |m: f64, x| x.abs().max(m));
    let fastest = carried.iter().fold(0.0, |m: f64, (_, rate)| rate.abs().max(m));
    let accelerations = study.rates(t, &y)?;
    let steady = carried.iter().all(|(k, rate)| accelerations[n_q + k].abs() <= 1e-9 * (1.0 + rate.abs()));
    Ok(if open <= 1e-9 * (1.0 + fastest) && steady { carried } else { vec![] })
}

/// An equilibrium with these speeds near a state.
fn search(
    study: &mut Study,
    t: f64,
    mut y: Vec<f64>,
    u: &[f64],
    options: &EquilibriumOptions,
) -> Result<Equilibrium, AnalysisError> {
    let (n_q, n_u, _) = study.sizes();
    y[n_q..n_q + n_u].copy_from_slice(u);
    let newton = NewtonOptions {
        residual: options.tolerance,
        max_step: 0.5,
        rank_tolerance: 1e-11,
        ..NewtonOptions::default()
    };
    let mut balance = Balance { study, t, u };
    let guess = balance.unknowns(&y);
    if !options.stable
        && let Ok(root) = nonlinear::solve(&mut balance, &guess, &newton)
    {
        let state = balance.state(&root.x);
        let rates = study.rates(t, &state)?;
        return judged(study, t, state, rates, &[], (root.iterations, Found::Newton), options);
    }
    if options.stable {
        // Beside an unstable equilibrium the way down is found; on it, it is not.
        nudge(balance.study, &mut y);
    }
    let from = y.clone();
    let mut relaxed = relax(balance.study, t, &mut y, u, Reach::Fixed)?;
    let guess = balance.unknowns(&y);
    let mut end = nonlinear::solve(&mut balance, &guess, &newton);
    if end.is_err() {
        y = from;
        relaxed += relax(balance.study, t, &mut y, u, Reach::Halved)?;
        let guess = balance.unknowns(&y);
        // The first end is as good as the second where neither is balance.
        end = nonlinear::solve(&mut balance, &guess, &newton).or(end);
    }
    let (state, iterations) = match end {
        Ok(root) => (balance.state(&root.x), root.iterations),
        Err(failure) => (balance.state(&failure.x), failure.iterations),
    };
    let rates = study.rates(t, &state)?;
    judged(study, t, state, rates, &[], (relaxed + iterations, Found::Relaxation), options)
}

fn nudge(study: &Study, y: &mut [f64]) {
    let (n_q, ..) = study.sizes();
    for (k, q) in y[..n_q].iter_mut().enumerate() {
        *q += 1e-4 * (1.0 + k as f64 * 2.399_963).sin();
    }
}

/// How far a step of relaxation may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reach {
    /// `LONGEST`.
    Fixed,
    /// Half of the last step where the load has turned against it: on both sides of what is sought
    /// loads may have no slope, as those of saturated actuators.
    Halved,
}

/// [relaxation] Moves y downhill; gives the number of steps.
fn relax(study: &mut Study, t: f64, y: &mut [f64], u: &[f64], reach: Reach) -> Result<usize, AnalysisError> {
    let (n_q, n_u, n_s) = study.sizes();
    let n = n_q + n_s;
    study.close(t, y)?;
    y[n_q..n_q + n_u].copy_from_slice(u);
    let (mut h, mut before) = (0.0, f64::INFINITY);
    let (mut longest_step, mut last): (f64, Vec<f64>) = (LONGEST, vec![0.0; n]);
    for step in 0..MAX_RELAXATIONS {
        let rates = study.rates(t, y)?;
        let local = study.local(t, y)?;
        let (mut loads, mut slopes) = study.loads(t, y, &local)?;
        let mut g = Matrix::zeros(local.velocities.n_rows(), n_u);
        (0..n_u).for_each(|k| g.column_mut(k).copy_from_slice(local.velocities.column(n_q + k)));
        project(&g, &mut loads)?;
        for c in 0..slopes.n_cols() {
            project(&g, slopes.column_mut(c))?;
        }
        // W is how coordinates change with speeds.
        let w = |i: usize, k: usize| local.field[(i, n_q + k)];
        let mut flow = vec![0.0; n];
        for (i, x) in flow.iter_mut().enumerate() {
            *x = if i < n_q { (0..n_u).map(|k| w(i, k) * loads[k]).sum() } else { rates[n_u + i] };
        }
        let now = flow.iter().map(|x| x * x).sum::<f64>().sqrt();
        if now < 1e-8 {
            return Ok(step);
        }
        let along = flow.iter().zip(&last).map(|(x, s)| x * s).sum::<f64>();
        if reach == Reach::Halved {
            let size = last.iter().fold(0.0, |m: f64, x| x.abs().max(m));
            longest_step = if along < 0.0 { 0.5 * size } else { (1.5 * longest_step).min(LONGEST) };
        }
        let place = |j: usize| if j < n_q { j } else { n_u + j };
        let mut slope = Matrix::zeros(n, n);
        for j in 0..n {
            for i in 0..n {
                slope[(i, j)] = match i {
                    i if i < n_q => (0..n_u).map(|k| w(i, k) * slopes[(k, place(j))]).sum(),
                    i => local.field[(n_u + i, place(j))],
                };
            }
        }
        let steepest = slope.as_slice().iter().fold(1e-6, |m: f64, x| x.abs().max(m));
        h = match step {
            0 => 0.5 / steepest,
            // Switched evolution: longer steps as the flow dies down.
            _ => (h * (before / now).clamp(0.5, 3.0)).clamp(1e-3 / steepest, 1e12),
        };
        before = now;
        let Some(lu) = Lu::shifted(&slope, 1.0 / h) else {
            h *= 0.5;
            continue;
        };
        lu.solve(&mut flow);
        let longest = flow.iter().fold(0.0, |m: f64, x| x.abs().max(m));
        let fraction = if longest > longest_step { longest_step / longest } else { 1.0 };
        last = flow.iter().map(|x| fraction * x).collect();
        (0..n).for_each(|j| y[place(j)] += last[j]);
        study.close(t, y)?;
        y[n_q..n_q + n_u].copy_from_slice(u);
    }
    Ok(MAX_RELAXATIONS)
}

/// Takes away what constraints carry: the part of a load in the span of the rows of G.
fn project(g: &Matrix, load: &mut [f64]) -> Result<(), AnalysisError> {
    if g.n_rows() == 0 {
        return Ok(());
    }
    let mut image = vec![0.0; g.n_rows()];
    g.multiply(load, &mut image);
    let carried = least_norm(g, &image, RANK_TOLERANCE)?.x;
    load.iter_mut().zip(carried).for_each(|(l, c)| *l -= c);
    Ok(())
}

const MAX_RELAXATIONS: usize = 500;
/// No relaxation step moves a coordinate farther than this.
const LONGEST: f64 = 0.2;

/// A state whose rates are these as an answer, with what friction holds in it.
fn judged(
    study: &mut Study,
    t: f64,
    state: Vec<f64>,
    rates: Vec<f64>,
    held: &[String],
    (iterations, found): (usize, Found),
    options: &EquilibriumOptions,
) -> Result<Equilibrium, AnalysisError> {
    let (n_q, n_u, _) = study.sizes();
    let open = study.residuals(t, &state)?.largest();
    let mass = study.mass(t, &state)?;
    let mut left = vec![0.0; n_u];
    mass.multiply(&rates[n_q..n_q + n_u], &mut left);
    let residual = left.iter().chain(&rates[n_q + n_u..]).fold(open, |m: f64, x| x.abs().max(m));
    // What weighs much is balanced to fewer digits after the point.
    let weight = 10.0 * mass.as_slice().iter().fold(0.0, |m: f64, x| x.abs().max(m));
    let balanced = residual <= (100.0 * options.tolerance).max(1e-11 * weight);
    let singular = lost_constraints(study, t, &state).unwrap_or_default();
    let undetermined = if singular.is_empty() { vec![] } else { borne_outputs(study.model()) };
    let moving = (n_q..n_q + n_u).filter(|k| state[*k] != 0.0).map(|k| (k, state[k]));
    let mut answer = Equilibrium {
        carried: moving.collect(),
        residual,
        balanced,
        iterations,
        found,
        stability: None,
        verdict: String::new(),
        decided: false,
        singular,
        undetermined,
        held: held.to_vec(),
        eigenvalues: vec![],
        ignorable: vec![],
        flat: vec![],
        kinks: vec![],
        left,
        potential: study.potential(t, &state)?,
        obstacle: None,
        state,
    };
    if balanced && answer.singular.is_empty() && held.is_empty() {
        let linear = linearize(study, t, &answer.state, &LinearOptions::default())?;
        (answer.ignorable, answer.flat) = (linear.unfelt(), linear.flat());
        answer.kinks.clone_from(&linear.kinks);
        let turned = turned(&linear);
        let roots = roots(&turned)?;
        let stability = Stability::of(&linear.independent, &turned, &roots);
        answer.eigenvalues = roots.into_iter().map(|r| r.value).collect();
        answer.decided = decides(&linear, turned.unfelt.len(), &answer.eigenvalues, stability);
        answer.stability = Some(stability);
        answer.verdict = verdict(&linear, &turned, &answer.eigenvalues, (stability, answer.decided));
    } else if !balanced {
        answer.obstacle = obstacle(study, t, &answer.state, &rates, &answer.left, options.tolerance)?;
    }
    Ok(answer)
}

/// Why a position is no rest. A drive that moves comes first: nothing else can be mended then.
fn obstacle(
    study: &mut Study,
    t: f64,
    state: &[f64],
    rates: &[f64],
    left: &[f64],
    tolerance: f64,
) -> Result<Option<Obstacle>, AnalysisError> {
    let (n_q, n_u, _) = study.sizes();
    let found = study.residuals(t, state)?;
    let largest = |list: &[f64]| -> Option<(usize, f64)> {
        let all = list.iter().copied().enumerate();
        all.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).filter(|(_, x)| x.abs() > tolerance)
    };
    let velocities = study.local(t, state)?.velocities;
    let bends: Vec<f64> = (0..velocities.n_rows())
        .map(|i| (0..n_u).map(|k| velocities[(i, n_q + k)] * rates[n_q + k]).sum())
        .collect();
    let row = |k: usize| study.row_names().get(k).cloned();
    let driven = |list: &[f64]| -> Vec<f64> {
        let is_drive = |k: usize| study.row_names().get(k).is_some_and(|row| row.drives);
        list.iter().enumerate().map(|(k, x)| if is_drive(k) { *x } else { 0.0 }).collect()
    };
    if let Some((k, rate)) = largest(&driven(&found.velocities))
        && let Some(row) = row(k)
    {
        return Ok(Some(Obstacle::Moves { row, rate, acceleration: bends[k] }));
    }
    if let Some((k, acceleration)) = largest(&driven(&bends)).filter(|(_, a)| a.abs() > 1e-6)
        && let Some(row) = row(k)
    {
        return Ok(Some(Obstacle::Moves { row, rate: 0.0, acceleration }));
    }
    if let Some((k, gap)) = largest(&found.positions) {
        let row = study.holonomic_rows().get(k).and_then(|k| row(*k));
        return Ok(Some(Obstacle::Open { row, gap }));
    }
    let load = largest(left).map(|(speed, force)| Obstacle::Load { speed, force });
    let drift = largest(&rates[n_q + n_u..]).map(|(k, rate)| Obstacle::Drifts { state: n_q + n_u + k, rate });
    Ok(load.or(drift))
}
