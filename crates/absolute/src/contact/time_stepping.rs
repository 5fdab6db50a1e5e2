//! Moreau's time stepping: velocities jump from step to step, and impulses of contacts act together with all forces.
//!
//! ```text
//! [free]       v_free = v + h a(t + h/2, y + h ẏ/2)                     loads and joints, without contacts
//! [jump]       v⁺ = v_free + Σ B p                                       p by `cone`
//! [closing]    b = g/h            a gap may close within the step, and not more
//! [bounce]     b = e u_n          where bodies meet within the step faster than the speed of rest
//! [overlap]    s = Σ B π n,   0 ≤ π ⊥ n·J (v⁺ + s) + β g/h ≥ 0            g < 0: let out a part at a time, without speed
//! [places]     q⁺ = q + h (v⁺ + s) for parts that are pressed, q + h ((v + v⁺)/2 + s) for those in free flight
//! [work]       p · (u + u⁺)/2     exactly what the impulses add to the kinetic energy
//! ```
//!
//! Moreau 1988; Jean 1999; Anitescu and Potra 1997 for [closing]. The method is of first order. In free flight it is of second order,
//! and a parabola is exact. With a constant weight G and e = 0 the energy of parts that are pressed never grows, as
//!
//! ```text
//! [energy]     ΔT - h G·v⁺ = Σ p·u⁺ - ½ (v⁺ - v)ᵀ M (v⁺ - v),    p·u⁺ = -b p_n - μ p_n |u_t| ≤ 0 since b ≥ 0
//! ```

use cardan_base::without_noise;
use cardan_sim::record::contact_report::ContactReport;
use cardan_sim::{Observer, Settings};
use cardan_solve::{Failure, Method, Outcome, Problem, Stats, StopReason};

use crate::contact::cone::{ConeRow, Rows3, solve_sticking};
use crate::contact::heap::Heap;
use crate::contact::newton::{residual, solve_together};
use crate::contact::{ContactSums, Contacts};
use crate::error::AbsoluteError;
use crate::geometry::{self as g, Vec3};
use crate::mechanism::Mechanism;
use crate::motion::{AbsoluteMotion, Record};
use crate::parts::{GROUND, Part};
use crate::template::{FREEDOMS, STATE};

/// Rigid solids that overlap by more than this at the start, in metres, are refused.
const OVERLAP: f64 = 1e-9;
/// The part of an overlap that is let out in one step. [overlap]
const LET_OUT: f64 = 0.2;
/// Overlaps below this, in metres, are rounding. [overlap]
const LEAST_OVERLAP: f64 = 1e-12;
/// Sweeps of [overlap], at most.
const LET_OUT_SWEEPS: usize = 30;
/// Sweeps end where velocities change by less than this part of what the strongest load brings about in one step.
const TOLERANCE: f64 = 1e-8;
/// The same where so many contacts are swept that Newton's method would cost too much, and of [overlap].
const COARSE: f64 = 1e-4;
/// The same in a large heap: one of more contacts than this, and without joints. Its sweeps, at most.
const HEAP: (usize, f64, usize) = (500, 1e-2, 60);
/// Pairs of blocks that a factorisation of Newton's method may multiply, and for each part of a large heap: sweeps are cheaper above.
const MOST_PAIRS: (usize, usize) = (40_000, 2);
/// Sweeps before Newton's method is tried.
const FIRST_SWEEPS: usize = 20;
/// Contacts times sweeps of one step: what one step may cost.
const MOST_WORK: usize = 600_000;
/// At least, and at most, so many sweeps.
const SWEEPS: (usize, usize) = (60, 4000);
/// After so many sweeps all contacts that stick are solved for at once, where joints carry impulses on.
const TOGETHER: usize = 6;
/// Contacts times iterations of that, and at least and at most so many.
const KRYLOV: (usize, usize, usize) = (30_000, 20, 400);
/// Impulses of the last step are taken for points that moved less than this in their body, in metres.
const SAME_POINT: f64 = 1e-2;

/// An impulse of the last step.
#[derive(Clone, Copy, Debug)]
struct Remembered {
    colliders: [usize; 2],
    local: Vec3,
    normal: f64,
    friction: Vec3,
}

/// Time stepping of a mechanism with contacts.
#[derive(Debug)]
pub(crate) struct TimeStepping {
    contacts: Contacts,
    rows: Vec<ConeRow>,
    memory: Vec<Remembered>,
    /// Whether joints hold each part.
    is_held: Vec<bool>,
    /// Six numbers for each part.
    v: Vec<f64>,
    old: Vec<f64>,
    free: Vec<f64>,
    /// s [overlap]
    shift: Vec<f64>,
    /// Mean forces of contacts on parts in the last step.
    pub forces: Vec<f64>,
    /// Works of contacts since the start, by law.
    pub works: Vec<f64>,
    pub report: ContactReport,
    /// Impulse of the ground and of loads since the start, for the balance of momentum.
    impulse: Vec3,
    momentum_at_start: Option<Vec3>,
}

impl TimeStepping {
    pub fn new(mechanism: &Mechanism<'_>) -> Option<TimeStepping> {
        let contacts = mechanism.contacts.clone()?;
        let n = mechanism.n_parts();
        let mut is_held = vec![false; n];
        for block in &mechanism.blocks {
            block.sides.iter().for_each(|(part, _)| is_held[*part] = true);
        }
        Some(TimeStepping {
            works: vec![0.0; contacts.pairs.laws.len()],
            contacts,
            rows: vec![],
            memory: vec![],
            is_held,
            v: vec![0.0; FREEDOMS * n],
            old: vec![0.0; FREEDOMS * n],
            free: vec![0.0; FREEDOMS * n],
            shift: vec![0.0; FREEDOMS * n],
            forces: vec![0.0; FREEDOMS * n],
            report: ContactReport::default(),
            impulse: [0.0; 3],
            momentum_at_start: None,
        })
    }

    /// Goes from t to t + h.
    pub fn step(&mut self, m: &mut Mechanism<'_>, t: f64, h: f64, y: &mut [f64]) -> Result<(), String> {
        let n = m.n_parts();
        for k in 0..n {
            self.old[FREEDOMS * k..][..FREEDOMS].copy_from_slice(&y[STATE * k + 7..][..FREEDOMS]);
        }
        if self.momentum_at_start.is_none() {
            self.momentum_at_start = Some(momentum(m, &self.old));
        }
        let mut dy = vec![0.0; y.len()];
        m.derivative(t, y, &mut dy)?;
        let mut middle: Vec<f64> = y.iter().zip(&dy).map(|(y, d)| y + 0.5 * h * d).collect();
        for k in 0..n {
            let e = &mut middle[STATE * k + 3..][..4];
            let unit = g::normalised([e[0], e[1], e[2], e[3]]);
            e.copy_from_slice(&unit);
        }
        m.derivative(t + 0.5 * h, &middle, &mut dy)?; // [free]
        let strongest = (0..n).map(|k| g::norm([0, 1, 2].map(|i| m.acceleration[FREEDOMS * k + i])));
        let unit_speed = h * strongest.fold(1e-3, f64::max);
        for (v, (old, a)) in self.v.iter_mut().zip(self.old.iter().zip(&m.acceleration)) {
            *v = old + h * a;
        }
        for k in 0..n {
            (0..3).for_each(|i| self.impulse[i] += h * m.force[FREEDOMS * k + i]);
        }
        if let Some(contacts) = &m.contacts {
            for (k, sums) in contacts.sums.iter().enumerate() {
                self.contacts.sums[k] = *sums;
                self.works[k] += h * sums.power;
            }
        }
        self.find_rows(m, h, y, unit_speed)?;
        self.free.copy_from_slice(&self.v);
        self.warm_start();
        self.settle(m, unit_speed);
        self.let_out(&m.structure.parts, h, unit_speed);
        self.account(h);
        // Auxiliary states, then positions. [places]
        for k in STATE * n..y.len() {
            y[k] += h * dy[k];
        }
        let mut is_pressed = vec![false; n];
        for row in self.rows.iter().filter(|r| r.impulse[0] > 0.0) {
            row.parts.iter().filter(|p| **p != GROUND).for_each(|p| is_pressed[*p] = true);
        }
        for k in 0..n {
            let (new, old) = (&self.v[FREEDOMS * k..][..FREEDOMS], &self.old[FREEDOMS * k..][..FREEDOMS]);
            let shift = &self.shift[FREEDOMS * k..][..FREEDOMS];
            let way: [f64; 6] = match is_pressed[k] {
                true => std::array::from_fn(|i| h * (new[i] + shift[i])),
                false => std::array::from_fn(|i| h * (0.5 * (new[i] + old[i]) + shift[i])),
            };
            let s = &mut y[STATE * k..][..STATE];
            (0..3).for_each(|i| s[i] += way[i]);
            let e = g::turned([s[3], s[4], s[5], s[6]], [way[3], way[4], way[5]]);
            s[3..7].copy_from_slice(&e);
            s[7..].copy_from_slice(new);
        }
        m.project(t + h, y)?;
        m.measure(y, true);
        if m.n_rows() == 0 {
            let now = momentum(m, &self.v);
            let start = self.momentum_at_start.unwrap_or_default();
            let left = g::norm(g::sub(g::sub(now, start), self.impulse));
            self.report.momentum = self.report.momentum.max(left);
        }
        self.report.steps += 1;
        Ok(())
    }

    /// Contact points with what an impulse does at each of them.
    fn find_rows(&mut self, m: &mut Mechanism<'_>, h: f64, y: &[f64], unit_speed: f64) -> Result<(), String> {
        let n = m.n_parts();
        let speed = |v: &[f64]| {
            let size = |k: usize| g::norm([v[FREEDOMS * k], v[FREEDOMS * k + 1], v[FREEDOMS * k + 2]]);
            (0..n).map(size).fold(0.0, f64::max)
        };
        let margin = 2.0 * h * speed(&self.v).max(speed(&self.old)).max(unit_speed);
        self.contacts.detect(y, margin);
        self.rows.clear();
        let mut column = vec![0.0; FREEDOMS * n];
        for k in 0..self.contacts.found.len() {
            let point = self.contacts.found[k];
            let [a, b] = point.colliders;
            let Some(law) = self.contacts.pairs.of(a, b) else { continue };
            let data = &self.contacts.pairs.laws[law];
            if data.compliance.is_some() {
                continue;
            }
            let parts = [a, b].map(|c| self.contacts.pairs.parts[c]);
            let place = g::scale(0.5, g::add(point.at[0], point.at[1]));
            let (t1, t2) = g::normals(point.normal);
            let directions = [point.normal, t1, t2];
            let mut jacobian = [[[0.0; FREEDOMS]; 3]; 2];
            let mut response = jacobian;
            let mut local = place;
            for (side, part) in parts.into_iter().enumerate().filter(|(_, p)| *p != GROUND) {
                let s = &y[STATE * part..][..STATE];
                let r = g::matrix([s[3], s[4], s[5], s[6]]);
                let arm = g::sub(place, [s[0], s[1], s[2]]);
                if side == 0 || parts[0] == GROUND {
                    local = g::apply_transposed(&r, arm);
                }
                let sign = if side == 0 { 1.0 } else { -1.0 };
                let body = &m.structure.parts[part];
                for (i, direction) in directions.into_iter().enumerate() {
                    let d = g::scale(sign, direction);
                    let turn = g::apply_transposed(&r, g::cross(arm, d));
                    let turned = g::apply(&body.inverse, turn);
                    jacobian[side][i] = [d[0], d[1], d[2], turn[0], turn[1], turn[2]];
                    let f = 1.0 / body.mass;
                    response[side][i] = [f * d[0], f * d[1], f * d[2], turned[0], turned[1], turned[2]];
                }
            }
            let mut row = ConeRow {
                law,
                colliders: [a, b],
                local,
                parts,
                jacobian,
                response,
                reached: vec![],
                w: [[0.0; 3]; 3],
                friction: data.friction,
                bias: 0.0,
                gap: point.gap,
                before: [0.0; 3],
                impulse: [0.0; 3],
                normal: point.normal,
                tangents: [t1, t2],
            };
            if parts.iter().any(|p| *p != GROUND && self.is_held[*p]) {
                row.reached = reached(m, &row, &mut column);
            }
            for j in 0..3 {
                if row.reached.is_empty() {
                    // Only the two parts of the contact feel it.
                    for (jacobian, response) in row.jacobian.iter().zip(&row.response) {
                        for i in 0..3 {
                            let pairs = jacobian[i].iter().zip(&response[j]);
                            row.w[i][j] += pairs.map(|(a, b)| a * b).sum::<f64>();
                        }
                    }
                } else {
                    column.fill(0.0);
                    let mut one = [0.0; 3];
                    one[j] = 1.0;
                    row.push(&mut column, one);
                    let u = row.velocity(&column);
                    (0..3).for_each(|i| row.w[i][j] = u[i]);
                }
            }
            if row.w[0][0] <= 0.0 {
                continue; // The joints bear it.
            }
            row.before = row.velocity(&self.old);
            let approach = row.before[0];
            let rest = data.rest.max(2.0 * unit_speed);
            let meets = point.gap + h * approach.min(row.velocity(&self.v)[0]) <= 0.0;
            row.bias = if data.restitution > 0.0 && approach < -rest && meets {
                data.restitution * approach // [bounce]
            } else {
                point.gap.max(0.0) / h // [closing]
            };
            self.report.depth = self.report.depth.max(-point.gap);
            self.rows.push(row);
        }
        self.report.points = self.report.points.max(self.rows.len());
        Ok(())
    }

    /// The impulses of the last step as a first guess.
    fn warm_start(&mut self) {
        for row in &mut self.rows {
            let first = self.memory.partition_point(|r| r.colliders < row.colliders);
            let same = self.memory[first..].iter().take_while(|r| r.colliders == row.colliders);
            let distance = |r: &&Remembered| g::norm(g::sub(r.local, row.local));
            let nearest = same.min_by(|a, b| distance(a).total_cmp(&distance(b)));
            let Some(old) = nearest.filter(|r| distance(r) < SAME_POINT) else { continue };
            let [t1, t2] = row.tangents;
            let p = [old.normal, g::dot(old.friction, t1), g::dot(old.friction, t2)];
            row.impulse = p;
            row.push(&mut self.v, p);
        }
    }

    /// Impulses by sweeps, and by Newton's method where a few sweeps do not settle them and it is not too dear.
    fn settle(&mut self, m: &Mechanism<'_>, unit_speed: f64) {
        let n = self.rows.len();
        if n == 0 {
            return;
        }
        let parts = &m.structure.parts;
        if self.is_large() {
            return self.settle_heap(parts, HEAP.1 * unit_speed);
        }
        let tolerance = TOLERANCE * unit_speed;
        let mut change = self.sweep(FIRST_SWEEPS, tolerance);
        if change > tolerance
            && solve_together(&mut self.rows, &mut self.v, &self.free, parts, tolerance, MOST_PAIRS.0)
        {
            self.report.together += 1;
            change = 0.0;
        }
        let spreads = self.rows.iter().any(|r| !r.reached.is_empty());
        let coarse = if n * FIRST_SWEEPS > MOST_WORK / 100 { COARSE * unit_speed } else { tolerance };
        let most = (MOST_WORK / n).clamp(SWEEPS.0, SWEEPS.1);
        let mut done = FIRST_SWEEPS;
        while change > coarse && done < most {
            if spreads {
                let iterations = (KRYLOV.0 / n).clamp(KRYLOV.1, KRYLOV.2);
                solve_sticking(&mut self.rows, &mut self.v, iterations, 0.1 * tolerance);
            }
            change = self.sweep(TOGETHER, coarse);
            done += TOGETHER;
        }
        self.judge(change, coarse);
    }

    /// Whether the contacts of the step are a large heap.
    fn is_large(&self) -> bool {
        self.rows.len() > HEAP.0 && self.rows.iter().all(|r| r.reached.is_empty())
    }

    /// Impulses of a large heap; velocities of the impulses, so that momentum is balanced.
    fn settle_heap(&mut self, parts: &[Part], tolerance: f64) {
        let mut heap = Heap::new(&self.rows, parts);
        let (mut change, sweeps) = heap.settle(&self.v, HEAP.2, tolerance);
        self.report.sweeps += sweeps;
        self.rows.iter_mut().zip(heap.impulses()).for_each(|(r, p)| r.impulse = p);
        if change > tolerance {
            let swept: Vec<Vec3> = self.rows.iter().map(|r| r.impulse).collect();
            let most = MOST_PAIRS.1 * parts.len();
            if solve_together(&mut self.rows, &mut self.v, &self.free, parts, tolerance, most) {
                self.report.together += 1;
                change = 0.0;
            } else {
                self.rows.iter_mut().zip(swept).for_each(|(r, p)| r.impulse = p);
            }
        }
        self.v.copy_from_slice(&self.free);
        self.rows.iter().for_each(|r| r.push(&mut self.v, r.impulse));
        self.judge(change, tolerance);
    }

    /// What is left of the laws of contact.
    fn judge(&mut self, change: f64, tolerance: f64) {
        if change > tolerance {
            self.report.unsettled += 1;
            self.report.change = self.report.change.max(change);
        }
        let left = self.rows.iter().map(|r| residual(r, &self.v)).fold(0.0, f64::max);
        self.report.residual = self.report.residual.max(left);
    }

    /// Sweeps until velocities change by no more than the tolerance; the largest change of the last one. [sweep]
    fn sweep(&mut self, most: usize, tolerance: f64) -> f64 {
        let mut change = 0.0;
        for sweep in 0..most {
            change = 0.0;
            let mut relax = |row: &mut ConeRow| change = f64::max(change, row.relax(&mut self.v));
            match sweep % 2 {
                0 => self.rows.iter_mut().for_each(&mut relax),
                _ => self.rows.iter_mut().rev().for_each(&mut relax),
            }
            self.report.sweeps += 1;
            if change <= tolerance {
                break;
            }
        }
        change
    }

    /// Moves solids apart that overlap, with velocities that last for this step alone. [overlap]
    fn let_out(&mut self, parts: &[Part], h: f64, unit_speed: f64) {
        self.shift.fill(0.0);
        if self.rows.iter().all(|r| r.gap >= -LEAST_OVERLAP) {
            return;
        }
        let lack = |row: &ConeRow, v: &[f64]| {
            let allowed = if row.gap < 0.0 { LET_OUT * row.gap } else { row.gap };
            row.velocity(v)[0] + allowed / h
        };
        let own: Vec<f64> = self.rows.iter().map(|r| lack(r, &self.v)).collect();
        if self.is_large() {
            let mut heap = Heap::new(&self.rows, parts);
            return heap.push_apart(&own, &mut self.shift, LET_OUT_SWEEPS, HEAP.1 * unit_speed);
        }
        let mut pushed = vec![0.0; self.rows.len()];
        for _ in 0..LET_OUT_SWEEPS {
            let mut change: f64 = 0.0;
            for ((row, own), pushed) in self.rows.iter().zip(&own).zip(&mut pushed) {
                let rate = own + row.velocity(&self.shift)[0];
                let next = f64::max(0.0, *pushed - rate / row.w[0][0]);
                if next != *pushed {
                    row.push(&mut self.shift, [next - *pushed, 0.0, 0.0]);
                    change = change.max((next - *pushed).abs() * row.w[0][0]);
                    *pushed = next;
                }
            }
            if change <= COARSE * unit_speed {
                break;
            }
        }
    }

    /// Forces, works and impulses of the contacts of a step. [work]
    fn account(&mut self, h: f64) {
        self.memory.clear();
        self.forces.fill(0.0);
        for (sums, law) in self.contacts.sums.iter_mut().zip(&self.contacts.pairs.laws) {
            if law.compliance.is_none() {
                *sums = ContactSums::default();
            }
        }
        for row in &self.rows {
            let p = row.impulse;
            let sums = &mut self.contacts.sums[row.law];
            sums.depth = sums.depth.max(-row.gap);
            if p[0] <= 0.0 {
                continue;
            }
            let after = row.velocity(&self.v);
            let work: f64 = (0..3).map(|i| 0.5 * p[i] * (row.before[i] + after[i])).sum();
            self.works[row.law] += work;
            sums.points += 1.0;
            sums.normal += p[0] / h;
            let [t1, t2] = row.tangents;
            let friction = g::add(g::scale(p[1], t1), g::scale(p[2], t2));
            let force = g::add(g::scale(p[0], row.normal), friction);
            match row.parts {
                [GROUND, _] => self.impulse = g::sub(self.impulse, force),
                [_, GROUND] => self.impulse = g::add(self.impulse, force),
                _ => {}
            }
            for (part, rows) in row.parts.iter().zip(&row.jacobian).filter(|(p, _)| **p != GROUND) {
                for j in 0..FREEDOMS {
                    let push: f64 = (0..3).map(|i| rows[i][j] * p[i]).sum();
                    self.forces[FREEDOMS * part + j] += push / h;
                }
            }
            let old = Remembered { colliders: row.colliders, local: row.local, normal: p[0], friction };
            self.memory.push(old);
        }
    }
}

/// Momentum of all parts.
fn momentum(m: &Mechanism<'_>, v: &[f64]) -> Vec3 {
    let parts = m.structure.parts.iter().enumerate();
    parts.fold([0.0; 3], |sum, (k, part)| {
        g::add(sum, g::scale(part.mass, [0, 1, 2].map(|i| v[FREEDOMS * k + i])))
    })
}

/// What impulses at a contact do to all parts that joints reach.
fn reached(m: &mut Mechanism<'_>, row: &ConeRow, column: &mut [f64]) -> Vec<(usize, Rows3)> {
    let n = m.n_parts();
    let mut all = vec![[[0.0; FREEDOMS]; 3]; n];
    for j in 0..3 {
        column.fill(0.0);
        let mut one = [0.0; 3];
        one[j] = 1.0;
        row.push(column, one);
        m.constrain(column);
        for (part, rows) in all.iter_mut().enumerate() {
            rows[j].copy_from_slice(&column[FREEDOMS * part..][..FREEDOMS]);
        }
    }
    let felt = |rows: &Rows3| rows.iter().flatten().any(|x| *x != 0.0);
    all.into_iter().enumerate().filter(|(_, rows)| felt(rows)).collect()
}

impl<'m> AbsoluteMotion<'m> {
    /// Refuses rigid solids that overlap at the start.
    pub(crate) fn check_overlap(&mut self) -> Result<(), AbsoluteError> {
        let Some(contacts) = &mut self.mechanism.contacts else { return Ok(()) };
        match contacts.deepest(&self.start) {
            Some((depth, bodies)) if depth > OVERLAP => {
                Err(AbsoluteError::Overlap(bodies, without_noise(depth)))
            }
            _ => Ok(()),
        }
    }

    /// Moreau's method; rows stand at ends of steps.
    pub(crate) fn follow_by_moreau(
        &mut self,
        settings: &Settings,
        problem: &Problem,
        record: &mut Record,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, AbsoluteError> {
        let mut mechanism = self.mechanism.clone();
        let Some(mut method) = TimeStepping::new(&mechanism) else {
            let message = "the method moreau is for contacts between shapes: `contact c between A and B`";
            return Err(AbsoluteError::Settings(message.into()));
        };
        let n = mechanism.n_states();
        let n_loads = self.works.len() - self.works.n_contacts;
        let mut y = problem.y0[..n].to_vec();
        let mut works = vec![0.0; n_loads];
        let span = problem.t1 - problem.t0;
        let mut t = problem.t0;
        let mut stop = StopReason::ReachedEnd;
        mechanism.measure(&y, true);
        'samples: for sample in settings.sample_times() {
            let steps = ((sample - t).abs() / settings.fixed_step() - 1e-9).ceil().max(0.0);
            let h = (sample - t) / steps.max(1.0);
            let first = t;
            for k in 0..steps as u64 {
                t = first + h * k as f64;
                if let Err(e) = method.step(&mut mechanism, t, h, &mut y) {
                    stop = StopReason::SystemFailed { t, failure: Failure::fatal(e) };
                    break 'samples;
                }
                if let Some(k) = y.iter().position(|x| !x.is_finite()) {
                    stop = StopReason::NonFinite { t, component: k };
                    break 'samples;
                }
                for (w, p) in works.iter_mut().zip(self.works.powers(&mechanism)) {
                    *w += h * p;
                }
                t = first + h * (k + 1) as f64;
                let done = if span == 0.0 { 1.0 } else { (t - problem.t0) / span };
                if !observer.progress(done) {
                    stop = StopReason::StoppedByObserver;
                    break 'samples;
                }
            }
            t = sample;
            self.mechanism.contact_forces.clone_from(&method.forces);
            if let Some(contacts) = &mut self.mechanism.contacts {
                contacts.sums.clone_from(&method.contacts.sums);
            }
            let mut full = y.clone();
            full.extend(works.iter().chain(&method.works));
            match record.add(self, t, &full, None) {
                Ok(()) => observer.row(record.rows.row(record.rows.len() - 1)),
                Err(e) => _ = record.trouble.get_or_insert((t, e)),
            }
        }
        record.contacts = Some(method.report.clone());
        let stats = Stats { accepted: method.report.steps, ..Stats::default() };
        Ok(Outcome {
            stop,
            stats,
            switches: vec![],
            passages: vec![],
            stiff_at: None,
            coarser: None,
            method: Method::Moreau,
            t_reached: t,
            y_reached: y,
            continuation: None,
        })
    }
}
