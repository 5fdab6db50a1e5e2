//! Turns states into rows of results, poses and the energy audit, as they come.

use cardan_program::Label;
use cardan_solve::Failure;

use crate::events::impulse::Impulses;
use crate::record::energy_balance::{Audit, Balance};
use crate::record::one_sided_output::Corners;
use crate::record::trajectory::{Column, ColumnKind, Frames, LoadTrack, Pose, Rows};
use crate::rhs::Mechanism;
use cardan_compile::layout::Plan;

/// Who follows a simulation.
pub trait Observer {
    /// Called once, before the first row.
    fn begin(&mut self, _columns: &[Column]) {}
    /// A row of results in SI units, the time first.
    fn row(&mut self, _row: &[f64]) {}
    /// After each step: the part of the interval that is done. `false` stops the simulation, and keeps what was computed.
    fn progress(&mut self, _fraction: f64) -> bool {
        true
    }
    /// The motion is about to be followed once more from its start, under other constraint rows.
    fn repeat(&mut self) {}
    /// The repetition has ended: its rows count if `accepted`, else those before it.
    fn repeated(&mut self, _accepted: bool) {}
}

/// An observer that does not look.
impl Observer for () {}

/// The columns of the results, the time first.
pub fn columns(plan: &Plan) -> Vec<Column> {
    let mut columns = vec![Column::new(&Label::new("t", "s", "time"), ColumnKind::Time)];
    for (k, slot) in plan.states.iter().enumerate() {
        let kind = if k < plan.n_coordinates {
            ColumnKind::Coordinate
        } else if k < plan.n_coordinates + plan.n_speeds {
            ColumnKind::Speed
        } else {
            ColumnKind::State
        };
        columns.push(Column::new(&slot.label, kind));
    }
    columns.extend(plan.discretes.iter().map(|(label, _)| Column::new(label, ColumnKind::Discrete)));
    columns.extend(plan.outputs.iter().map(|(label, _)| Column::new(label, ColumnKind::Output)));
    let mut energy = |name: String, description: String, kind: ColumnKind| {
        let mut label = Label::new(name, "J", description);
        if let Some(shown) = plan.shown.iter().find(|s| s.name == label.name) {
            label.unit.clone_from(&shown.unit);
            if !shown.description.is_empty() {
                label.description.clone_from(&shown.description);
            }
        }
        columns.push(Column::new(&label, kind));
    };
    energy("energy.kinetic".into(), "kinetic energy of all bodies".into(), ColumnKind::Energy);
    energy("energy.gravity".into(), "potential energy of gravity".into(), ColumnKind::Energy);
    for (load, _) in &plan.potentials {
        energy(format!("energy.{load}"), format!("potential energy of {load}"), ColumnKind::Energy);
    }
    for (load, _) in &plan.powers {
        energy(format!("work.{load}"), format!("work of {load} since the start"), ColumnKind::Work);
    }
    if plan.jumps {
        energy("events.work".into(), "work of events since the start".into(), ColumnKind::Work);
    }
    energy("energy.residual".into(), "energy that the audit cannot explain".into(), ColumnKind::Residual);
    columns
}

/// Collects the results of one run.
pub(crate) struct Recorder<'a> {
    plan: &'a Plan,
    mechanism: Mechanism<'a>,
    pub columns: Vec<Column>,
    pub rows: Rows,
    pub frames: Frames,
    pub audit: Audit,
    /// The discrete states now.
    discretes: Vec<f64>,
    /// The work of events since the start.
    jumped: f64,
    /// The energy that impulses of constraints have brought, as far as no drive is charged with it.
    impulses: Impulses,
    /// Where rates may jump.
    corners: Corners,
    /// Which columns were not finite, and since when.
    pub not_finite: Vec<Option<f64>>,
    /// What is wrong with laws of loads, and since when.
    pub doubt: Option<(f64, String)>,
    /// A pose is kept at every so many rows.
    stride: usize,
    row: Vec<f64>,
}

/// What is wrong with laws that contain unknowns: [unique] and [residual] of `reaction_laws`.
fn doubt(plan: &Plan, out: &[f64]) -> Option<String> {
    let holds = |place: usize| out[place] > 0.0;
    let (name, pivot, _) =
        plan.laws.iter().find(|(_, pivot, solved)| !holds(*pivot) || !solved.is_none_or(holds))?;
    Some(match holds(*pivot) {
        false => format!(
            "nothing determines `{name}`: a lock at a dead point cannot hold the mechanism, and friction may depend on reactions so strongly that several motions fit its law, or none does (Painlevé); another joint, a smaller coefficient of friction or a compliant contact has one motion"
        ),
        true => format!(
            "the law of `{name}`, which depends on reactions, has no solution near the one without it"
        ),
    })
}

impl<'a> Recorder<'a> {
    pub fn new(
        plan: &'a Plan,
        mechanism: Mechanism<'a>,
        stride: usize,
        impulses: Impulses,
        corners: Corners,
    ) -> Self {
        let columns = columns(plan);
        let width = columns.len();
        let loads = plan.loads.iter().map(|slot| LoadTrack {
            load: slot.load,
            at: vec![],
            reaction: slot.reaction.map(|_| vec![]),
            vector: vec![],
        });
        let frames = Frames { times: vec![], bodies: vec![vec![]; plan.poses.len()], loads: loads.collect() };
        Recorder {
            plan,
            mechanism,
            rows: Rows::new(width),
            frames,
            audit: Audit::new(plan.closure),
            discretes: vec![0.0; plan.discretes.len()],
            jumped: 0.0,
            impulses,
            corners,
            not_finite: vec![None; width],
            doubt: None,
            stride: stride.max(1),
            row: Vec::with_capacity(width),
            columns,
        }
    }

    /// The discrete states change, and so does the energy.
    pub fn jump(&mut self, discretes: &[f64], work: f64) {
        self.mechanism.hold(discretes);
        self.discretes.copy_from_slice(discretes);
        self.jumped += work;
    }

    /// The last time recorded.
    pub fn last_time(&self) -> Option<f64> {
        self.rows.iter().next_back().map(|row| row[0])
    }

    /// The energy that loads with potentials could exchange about a state, a radian or `length`
    /// far. [exchange]
    pub fn exchange(&mut self, t: f64, y: &[f64], length: f64) -> Result<f64, Failure> {
        /// Of coordinates, in radians and metres.
        const STEP: f64 = 1e-6;
        let plan = self.plan;
        let places: Vec<usize> =
            std::iter::once(plan.gravity).chain(plan.potentials.iter().map(|p| p.1)).collect();
        let out = self.mechanism.report(t, y)?;
        let here: Vec<f64> = places.iter().map(|p| out[*p]).collect();
        let far = |first: &usize| out[*first].hypot(out[first + 1]).hypot(out[first + 2]);
        let length = plan.poses.iter().map(far).fold(length, f64::max);
        let mut sum = 0.0;
        let mut beside = y.to_vec();
        for (k, state) in plan.states[..plan.n_coordinates].iter().enumerate() {
            beside[k] = y[k] + STEP;
            let out = self.mechanism.report(t, &beside)?;
            let slopes = places.iter().zip(&here).map(|(p, v)| (out[*p] - v).abs() / STEP);
            sum += slopes.sum::<f64>() * if state.label.unit == "m" { length } else { 1.0 };
            beside[k] = y[k];
        }
        Ok(sum)
    }

    /// Records the state `y`, works included; the row is returned.
    pub fn record(&mut self, t: f64, y: &[f64], always_a_frame: bool) -> Result<&[f64], Failure> {
        let plan = self.plan;
        let n = plan.states.len();
        let side = self.corners.side(&mut self.mechanism, t, y);
        let out = self.mechanism.report(side, y)?;
        let (kinetic, gravity) = (out[plan.kinetic], out[plan.gravity]);
        let potentials = plan.potentials.iter().map(|(_, p)| out[*p]);
        let works = &y[n..];
        let balance = Balance {
            kinetic,
            potential: gravity + potentials.clone().sum::<f64>(),
            work: works.iter().sum::<f64>() + self.jumped + self.impulses.until(t),
        };
        if self.doubt.is_none() {
            self.doubt = doubt(plan, out).map(|words| (t, words));
        }
        self.row.clear();
        self.row.push(t);
        self.row.extend_from_slice(&y[..n]);
        self.row.extend_from_slice(&self.discretes);
        self.row.extend(plan.outputs.iter().map(|(_, o)| out[*o]));
        self.row.extend([kinetic, gravity]);
        self.row.extend(potentials);
        self.row.extend_from_slice(works);
        if plan.jumps {
            self.row.push(self.jumped);
        }
        self.row.push(self.audit.add(t, balance));
        for (k, value) in self.row.iter().enumerate() {
            if !value.is_finite() {
                self.not_finite[k].get_or_insert(t);
            }
        }
        if always_a_frame || self.rows.len().is_multiple_of(self.stride) {
            self.frames.times.push(t);
            for (track, first) in self.frames.bodies.iter_mut().zip(&plan.poses) {
                track.push(pose(out, *first));
            }
            let three = |first: usize| [out[first], out[first + 1], out[first + 2]];
            for (track, slot) in self.frames.loads.iter_mut().zip(&plan.loads) {
                track.at.push(three(slot.at));
                track.vector.push(three(slot.vector));
                if let (Some(places), Some(first)) = (&mut track.reaction, slot.reaction) {
                    places.push(three(first));
                }
            }
        }
        self.rows.push(&self.row);
        Ok(&self.row)
    }
}

fn pose(out: &[f64], first: usize) -> Pose {
    let three = |k: usize| [out[first + k], out[first + k + 1], out[first + k + 2]];
    Pose { position: three(0), rotation: [three(3), three(6), three(9)] }
}
