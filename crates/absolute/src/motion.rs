//! A motion in absolute coordinates: explicit integration of the accelerations, each step projected onto the constraints.
//!
//! Results are those of the other formalisms: coordinates and speeds of the joints are measured, outputs, energies, works and
//! reactions stand beside them.

use cardan_base::{Id, without_noise};
use cardan_compile::layout::Closure;
use cardan_expr::{Depends, Expr};
use cardan_model::{ConstraintId, LoadId, Model, Quantity};
use cardan_program::Label;
use cardan_sim::record::contact_report::ContactReport;
use cardan_sim::record::energy_balance::Balance;
use cardan_sim::record::trajectory::Pose as BodyPose;
use cardan_sim::{
    Audit, Beginning, Column, ColumnKind, ConstraintForm, Ending, Frames, Happenings, Observer, Rows,
    Settings, Trajectory, Verdict,
};
use cardan_solve::{
    Absolute as Tolerance, Control, Failure, Kind, Method, Options, Outcome, Output, Problem, StopReason,
    System, integrate,
};

use crate::contact::Contacts;
use crate::error::AbsoluteError;
use crate::geometry as g;
use crate::implicit::bdf::{Bdf, Index};
use crate::implicit::generalised_alpha::GeneralisedAlpha;
use crate::implicit::{Step, Walk};
use crate::initial_pose::assemble;
use crate::mechanism::Mechanism;
use crate::mechanism::singularity::Regularity;
use crate::mechanism::works::{Trapezoids, Works};
use crate::scalar_rows::Scalars;

/// Why absolute coordinates are the cheaper choice for a model, in words; nothing where they are not.
///
/// Straight-line code of a whole model grows with the square of the bodies between two closings and more, and its derivation with
/// the cube; kernels do not grow at all.
pub fn is_worth_it(model: &Model) -> Option<String> {
    if let Some((_, contact)) = model.shape_contacts().next() {
        return Some(format!("`{}` is a contact between shapes", contact.name));
    }
    const MANY_BODIES: usize = 150;
    const SOME_LOOPS: usize = 8;
    const MANY_UNKNOWNS: usize = 180;
    let bodies = model.bodies.iter().filter(|(_, b)| !b.is_massless(&model.space)).count();
    let loops = model.constraints.iter().filter(|(_, c)| c.markers.is_some()).count();
    let rows: usize = model.constraints.iter().map(|(_, c)| c.rows.len()).sum();
    let instead = "one kernel per kind of element instead of straight-line code";
    if bodies > MANY_BODIES {
        return Some(format!("{bodies} bodies: {instead}"));
    }
    let is_looped = loops > SOME_LOOPS && model.speeds.len() + rows > MANY_UNKNOWNS;
    is_looped.then(|| format!("{loops} joints close loops: {instead}"))
}

/// So many steps in a row that lead less than this part of the interval further end a motion.
const CREEPS: (usize, f64) = (2000, 1e-6);

/// Up to so many numbers of a state implicit methods take dense matrices, found by differences.
const SMALL: usize = 400;

/// A model in absolute coordinates, put together and ready to move.
pub struct AbsoluteMotion<'m> {
    /// The equations.
    pub mechanism: Mechanism<'m>,
    /// The state at the start.
    pub start: Vec<f64>,
    /// Rows that repeat others, in words.
    pub redundant: Vec<String>,
    pub(crate) works: Works,
    /// Loads with a potential.
    stored: Vec<usize>,
    outputs: Scalars,
    places: Vec<(Label, usize)>,
    /// Unknowns of the outputs and where their values come from.
    unknowns: Vec<Unknown>,
}

/// An unknown of an output.
#[derive(Clone, Copy, Debug)]
enum Unknown {
    /// A multiplier: constraint and row.
    Multiplier(usize, usize),
    /// A component of the force or torque of a joint of the tree: reaction, torque, axis.
    Reaction(usize, bool, usize),
}

fn label(quantity: &Quantity) -> Label {
    Label::new(&quantity.name, quantity.unit(), &quantity.description)
}

impl<'m> AbsoluteMotion<'m> {
    /// Derives a model and puts it together at a time.
    pub fn of(model: &'m Model, from: f64) -> Result<AbsoluteMotion<'m>, AbsoluteError> {
        let mut mechanism = Mechanism::new(model, !model.constraints.is_empty())?;
        let (start, redundant) = assemble(&mut mechanism, from)?;
        let redundant = redundant.iter().map(|row| mechanism.row_name(*row)).collect();
        let stored =
            model.loads.iter().filter(|(_, l)| l.potential.is_some()).map(|(id, _)| id.index()).collect();
        let works = Works::of(&mechanism);
        let mut outputs = Scalars::default();
        let is_state = |l: &Label| {
            let coordinates = model.coordinates.iter().map(|(_, q)| &q.quantity);
            let speeds = model.speeds.iter().map(|(_, u)| &u.quantity);
            let states = model.states.iter().map(|(_, s)| &s.quantity);
            coordinates.chain(speeds).chain(states).any(|q| q.name == l.name && q.unit() == l.unit)
        };
        let mut places = vec![];
        for output in &model.outputs {
            let label = label(&output.quantity);
            if !is_state(&label) {
                places.push((label, outputs.ask(output.value)));
            }
        }
        let (symbols, unknowns) = unknowns(model);
        outputs.compile(model, &symbols)?;
        Ok(AbsoluteMotion { mechanism, start, redundant, works, stored, outputs, places, unknowns })
    }

    /// Degrees of freedom at the start.
    pub fn mobility(&self) -> usize {
        (6 * self.mechanism.n_parts()).saturating_sub(self.mechanism.n_independent())
    }

    /// The columns of the results, the time first.
    pub fn columns(&self) -> Vec<Column> {
        let model = self.mechanism.model;
        let mut columns = vec![Column::new(&Label::new("t", "s", "time"), ColumnKind::Time)];
        let mut add = |l: &Label, kind: ColumnKind| columns.push(Column::new(l, kind));
        model.coordinates.iter().for_each(|(_, q)| add(&label(&q.quantity), ColumnKind::Coordinate));
        model.speeds.iter().for_each(|(_, u)| add(&label(&u.quantity), ColumnKind::Speed));
        model.states.iter().for_each(|(_, s)| add(&label(&s.quantity), ColumnKind::State));
        self.places.iter().for_each(|(l, _)| add(l, ColumnKind::Output));
        for law in self.mechanism.contact_laws() {
            let column =
                |what: &str, unit: &str, about: &str| Label::new(format!("{}.{what}", law.name), unit, about);
            add(&column("points", "", "contact points that press"), ColumnKind::Output);
            add(&column("normal", "N", "sum of the normal forces"), ColumnKind::Output);
            add(&column("depth", "m", "deepest overlap"), ColumnKind::Output);
        }
        let mut energy = |name: String, description: String, kind: ColumnKind| {
            let mut label = Label::new(name, "J", description);
            if let Some(shown) = model.shown.iter().find(|s| s.name == label.name) {
                label.unit = shown.unit();
                if !shown.description.is_empty() {
                    label.description.clone_from(&shown.description);
                }
            }
            columns.push(Column::new(&label, kind));
        };
        energy("energy.kinetic".into(), "kinetic energy of all bodies".into(), ColumnKind::Energy);
        energy("energy.gravity".into(), "potential energy of gravity".into(), ColumnKind::Energy);
        for load in &self.stored {
            let name = &model.loads[LoadId::from_index(*load)].name;
            energy(format!("energy.{name}"), format!("potential energy of {name}"), ColumnKind::Energy);
        }
        let loads = self.works.loads.iter().map(|l| &model.loads[LoadId::from_index(*l)].name);
        let drives = self.works.drives.iter().map(|c| &model.constraints[ConstraintId::from_index(*c)].name);
        let contacts = self.mechanism.contact_laws().iter().map(|l| &l.name);
        for name in loads.chain(drives).chain(contacts) {
            energy(format!("work.{name}"), format!("work of {name} since the start"), ColumnKind::Work);
        }
        energy("energy.residual".into(), "energy that the audit cannot explain".into(), ColumnKind::Residual);
        columns
    }

    /// Moves the model.
    pub fn run(
        &mut self,
        settings: &Settings,
        observer: &mut dyn Observer,
    ) -> Result<Trajectory, AbsoluteError> {
        let wrong = |e: cardan_sim::SettingsError| AbsoluteError::Settings(e.to_string());
        settings.check().map_err(wrong)?;
        let is_small = self.start.len() <= SMALL;
        let is_rigid = self.mechanism.contacts.as_ref().is_some_and(Contacts::has_rigid);
        let is_stepped = settings.method == Method::Moreau || (is_rigid && settings.method == Method::Auto);
        if is_rigid && !is_stepped {
            let message = format!(
                "`{}` does not follow rigid contacts between shapes; take moreau, or give them a `stiffness`",
                settings.method
            );
            return Err(AbsoluteError::Settings(message));
        }
        let is_sparse = matches!(settings.method, Method::Alpha | Method::Bdf);
        if settings.natural && (is_sparse || is_stepped) {
            let message =
                format!("`{}` is a method for absolute coordinates, not natural ones", settings.method);
            return Err(AbsoluteError::Settings(message));
        }
        if let (Method::Alpha, Some((_, state))) =
            (settings.method, self.mechanism.model.states.iter().next())
        {
            let name = &state.quantity.name;
            let message = format!("the method alpha is for mechanical states alone, and `{name}` is none");
            return Err(AbsoluteError::Settings(message));
        }
        if settings.method.is_implicit() && !is_sparse && !is_small {
            return Err(AbsoluteError::Settings(format!(
                "`{}` has a dense matrix, too large for {} parts; take bdf, alpha, dopri5, dop853 or rk4",
                settings.method,
                self.mechanism.n_parts()
            )));
        }
        let columns = self.columns();
        settings.check_size(columns.len()).map_err(wrong)?;
        self.check_overlap()?;
        let n_works = self.works.len();
        let mut y0 = self.start.clone();
        y0.resize(y0.len() + n_works, 0.0);
        let problem = Problem {
            t0: settings.from,
            t1: settings.to,
            y0,
            output: Output::Times(settings.sample_times()),
            breakpoints: vec![],
        };
        let options = Options {
            method: match settings.method {
                // Its own choice of an implicit method has dense matrices.
                Method::Auto if is_small => Method::Auto,
                Method::Auto if settings.rtol > 1e-6 => Method::Dopri5,
                Method::Auto => Method::Dop853,
                method => method,
            },
            rtol: settings.rtol,
            atol: Tolerance::Uniform(settings.atol),
            fixed_step: settings.fixed_step(),
            max_step: settings.max_step.unwrap_or(f64::INFINITY),
            max_steps: settings.max_steps,
            ..Options::default()
        };
        let mut flow = Flow {
            mechanism: self.mechanism.clone(),
            works: self.works.clone(),
            regularity: Regularity::default(),
            is_looped: !self.mechanism.model.constraints.is_empty(),
            norm_drift: 0.0,
            left_open: (0.0, 0.0),
        };
        let samples = settings.sample_times().len();
        let stride = samples.div_ceil(settings.max_frames.max(1)).max(1);
        let span = settings.to - settings.from;
        let mut record = Record {
            rows: Rows::new(columns.len()),
            frames: Frames {
                times: vec![],
                bodies: vec![vec![]; self.mechanism.model.bodies.len()],
                loads: vec![],
            },
            audit: Audit::new(match is_stepped {
                true => Closure::Stepped,
                false => closure(self.mechanism.model),
            }),
            trouble: None,
            contacts: None,
            accelerations: vec![],
            marked: (0, f64::NEG_INFINITY),
            is_stuck: false,
            stride,
        };
        observer.begin(&columns);
        let this = self;
        let outcome = if settings.natural {
            this.follow_naturally(settings, (&problem, &options), &mut record, observer, &mut flow.left_open)?
        } else if is_sparse {
            this.follow_implicitly(settings, &problem, &mut record, observer)?
        } else if is_stepped {
            this.follow_by_moreau(settings, &problem, &mut record, observer)?
        } else {
            integrate(&mut flow, &problem, &options, &mut |sample| match sample.kind {
                Kind::Output => {
                    match record.add(this, sample.t, sample.y, None) {
                        Ok(()) => observer.row(record.rows.row(record.rows.len() - 1)),
                        Err(e) => _ = record.trouble.get_or_insert((sample.t, e)),
                    }
                    Control::Continue
                }
                Kind::Step { .. } => {
                    this.mechanism.measure(sample.y, true);
                    let done = if span == 0.0 { 1.0 } else { (sample.t - settings.from) / span };
                    if record.creeps(done) {
                        return Control::Stop;
                    }
                    if observer.progress(done) { Control::Continue } else { Control::Stop }
                }
                Kind::Event { .. } => Control::Continue,
            })
        };
        let mut warnings = vec![];
        if let Some((t, e)) = record.trouble {
            warnings.push(format!("outputs could not be computed from t = {t} s on: {e}"));
        }
        if let Some(t) = outcome.stiff_at {
            warnings.push(format!(
                "the motion is stiff from t = {t:.6} s on: stability, not accuracy, limits the steps"
            ));
        }
        if matches!(record.audit.verdict(), Verdict::Doubtful | Verdict::Fails) {
            warnings.push(record.audit.to_string());
        }
        let n = this.mechanism.n_states();
        let may_be_singular = flow.is_looped
            && (record.is_stuck
                || matches!(outcome.stop, StopReason::StepTooSmall { .. } | StopReason::SystemFailed { .. }));
        let blamed = may_be_singular
            .then(|| flow.regularity.blamed(&mut flow.mechanism, outcome.t_reached, &outcome.y_reached[..n]))
            .flatten()
            .map(|near| near.in_the_way());
        Ok(Trajectory {
            columns,
            rows: record.rows,
            beginning: Beginning { assembly: None, accelerations: record.accelerations },
            frames: record.frames,
            audit: record.audit,
            ending: match &outcome.stop {
                StopReason::ReachedEnd => Ending::Finished,
                StopReason::Event { .. } => Ending::Stopped,
                StopReason::StoppedByObserver if !record.is_stuck => Ending::Interrupted,
                _ => Ending::Failed,
            },
            reason: match record.is_stuck {
                true => blamed.unwrap_or_else(|| {
                    let t = without_noise(outcome.t_reached);
                    format!("steps become ever shorter at t = {t} s, as near a singular position")
                }),
                false => blamed.unwrap_or_else(|| reason(&this.mechanism, &outcome.stop)),
            },
            reached: outcome.t_reached,
            statistics: outcome.stats,
            switches: outcome.switches,
            passages: std::mem::take(&mut flow.regularity.met),
            parting: None,
            partitions: 0,
            handovers: vec![],
            happenings: Happenings::default(),
            breakpoints: vec![],
            crossings: 0,
            slides: vec![],
            norm_drift: flow.norm_drift,
            left_open: (this.mechanism.n_rows() > 0 && !is_sparse).then_some(flow.left_open),
            contacts: record.contacts,
            warnings,
        })
    }

    /// Generalised-α or backward differentiation on the sparse residual.
    fn follow_implicitly(
        &mut self,
        settings: &Settings,
        problem: &Problem,
        record: &mut Record,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, AbsoluteError> {
        let n = self.mechanism.n_states();
        let span = problem.t1 - problem.t0;
        let mut mechanism = self.mechanism.clone();
        let times = settings.sample_times();
        let mut next = 0;
        let walk = Walk {
            ends: (problem.t0, problem.t1),
            tolerances: (settings.rtol, settings.atol),
            first: settings.step,
            longest: settings.max_step.unwrap_or(f64::INFINITY),
            limit: settings.max_steps,
        };
        let mut trapezoids = Trapezoids::new(self.works.clone());
        let mut works_inside = settings.method == Method::Alpha;
        let mut each = |m: &mut Mechanism<'m>, step: &Step<'_>| {
            let [t0, t1] = step.times;
            if works_inside && let Err(e) = trapezoids.add(m, step) {
                record.trouble.get_or_insert((t1, e));
                works_inside = false;
            }
            while next < times.len() && (t1 - times[next]) * span >= 0.0 {
                let t = times[next];
                next += 1;
                let mut y = (step.inside)(t);
                if settings.method == Method::Alpha {
                    y.truncate(n);
                    y.extend(trapezoids.at((t - t0) / (t1 - t0)));
                }
                match record.add(self, t, &y, None) {
                    Ok(()) => observer.row(record.rows.row(record.rows.len() - 1)),
                    Err(e) => _ = record.trouble.get_or_insert((t, e)),
                }
            }
            self.mechanism.measure(&step.states[1][..n], true);
            observer.progress(if span == 0.0 { 1.0 } else { (t1 - problem.t0) / span })
        };
        let (stop, t_reached, y_reached, stats) = if settings.method == Method::Alpha {
            let mut method = GeneralisedAlpha::new(&mut mechanism)?;
            let (stop, t, y) = method.run(walk, &problem.y0[..n], &mut each);
            (stop, t, y, method.stats)
        } else {
            let index = match settings.constraints {
                ConstraintForm::Positions => Index::Three,
                ConstraintForm::Stabilised => Index::Two,
                _ => Index::One,
            };
            let works = Works::of(&mechanism);
            let mut method = Bdf::new(&mut mechanism, works, index)?;
            let (stop, t, y) = method.run(walk, &problem.y0, &mut each);
            (stop, t, y, method.stats)
        };
        Ok(Outcome {
            stop,
            stats,
            switches: vec![],
            passages: vec![],
            stiff_at: None,
            coarser: None,
            method: settings.method,
            t_reached,
            y_reached,
            continuation: None,
        })
    }

    /// Values of the unknowns of outputs at the last evaluation.
    fn values_of_unknowns(&self, y: &[f64]) -> Vec<f64> {
        let m = &self.mechanism;
        let mut by_constraint: cardan_base::Map<usize, Vec<f64>> = cardan_base::Map::default();
        let mut by_reaction: cardan_base::Map<usize, [g::Vec3; 2]> = cardan_base::Map::default();
        let mut found = vec![];
        for unknown in &self.unknowns {
            found.push(match *unknown {
                Unknown::Multiplier(c, row) => {
                    let list = by_constraint.entry(c).or_insert_with(|| m.multipliers(c).unwrap_or_default());
                    list.get(row).copied().unwrap_or(f64::NAN)
                }
                Unknown::Reaction(k, torque, axis) => {
                    let both = by_reaction.entry(k).or_insert_with(|| self.reaction(y, k));
                    both[usize::from(torque)][axis]
                }
            });
        }
        found
    }

    /// Force and torque of a joint of the tree on its body, at the origin of its frame and in its axes.
    fn reaction(&self, y: &[f64], k: usize) -> [g::Vec3; 2] {
        let m = &self.mechanism;
        let asked = &m.model.reactions[k];
        let chain = m.structure.chains.iter().position(|c| c.joint == asked.joint);
        let (Some(chain), Some(at)) = (chain, m.structure.frames[asked.frame.index()]) else {
            return [[f64::NAN; 3]; 2];
        };
        let pose = m.pose(y, at.part).then(&at.pose);
        let (force, torque) = m.chain_reaction(y, chain, pose.p);
        [g::apply_transposed(&pose.r, force), g::apply_transposed(&pose.r, torque)]
    }
}

/// What outputs of a model may name besides the state.
fn unknowns(model: &Model) -> (Vec<Expr>, Vec<Unknown>) {
    let pool = model.space.pool();
    let asks = model.outputs.iter().any(|o| pool.depends(o.value).intersects(Depends::UNKNOWNS));
    let (mut symbols, mut found) = (vec![], vec![]);
    if !asks {
        return (symbols, found);
    }
    for (id, c) in model.constraints.iter() {
        for (row, symbol) in c.multipliers.iter().enumerate() {
            symbols.push(*symbol);
            found.push(Unknown::Multiplier(id.index(), row));
        }
    }
    for (k, r) in model.reactions.iter().enumerate() {
        for (torque, list) in [(false, r.force), (true, r.torque)] {
            for (axis, symbol) in list.into_iter().enumerate() {
                symbols.push(symbol);
                found.push(Unknown::Reaction(k, torque, axis));
            }
        }
    }
    (symbols, found)
}

/// Whether the energy balance closes: a displacement that follows time does work that nobody records.
fn closure(model: &Model) -> Closure {
    let pool = model.space.pool();
    let prescribed = model.space.frames().iter().flat_map(|(_, f)| f.motion.rates()).any(|r| {
        let rate = model.space.rate(r);
        !pool.is_zero(rate) && !pool.depends(rate).intersects(Depends::SPEEDS)
    });
    let mut potentials = model.loads.iter().filter_map(|(_, load)| load.potential);
    let restless = potentials.any(|e| pool.depends(e).intersects(Depends::TIME));
    let sized = model.constraints.iter().filter_map(|(_, c)| c.size);
    let grows = sized.into_iter().any(|e| !pool.is_constant(e));
    if prescribed || restless || grows { Closure::Driven } else { Closure::Closed }
}

fn reason(mechanism: &Mechanism<'_>, stop: &StopReason) -> String {
    let part = |k: usize| {
        let name = mechanism.structure.parts.get(k / crate::template::STATE).map(|p| p.name.clone());
        name.map_or_else(|| "an auxiliary state or work".to_owned(), |n| format!("the motion of `{n}`"))
    };
    match stop {
        StopReason::StepTooSmall { t, h, component } => {
            let hardest =
                component.map_or(String::new(), |k| format!("; {} is the hardest to follow", part(k)));
            format!("the step size fell to {h:.1e} s at t = {} s{hardest}", without_noise(*t))
        }
        StopReason::NonFinite { t, component } => {
            format!("{} is not finite near t = {} s", part(*component), without_noise(*t))
        }
        other => other.to_string(),
    }
}

/// Rows and poses as they come.
pub(crate) struct Record {
    pub(crate) rows: Rows,
    frames: Frames,
    audit: Audit,
    pub(crate) trouble: Option<(f64, String)>,
    pub(crate) contacts: Option<ContactReport>,
    accelerations: Vec<f64>,
    /// Steps since a mark, and where it was set.
    marked: (usize, f64),
    is_stuck: bool,
    stride: usize,
}

impl Record {
    /// Whether steps have become so short that the end is out of reach.
    pub(crate) fn creeps(&mut self, done: f64) -> bool {
        self.marked.0 += 1;
        if self.marked.0 > CREEPS.0 {
            self.is_stuck = done - self.marked.1 < CREEPS.1;
            self.marked = (0, done);
        }
        self.is_stuck
    }

    /// Adds a row. Accelerations of the parts may be known already.
    pub(crate) fn add(
        &mut self,
        of: &mut AbsoluteMotion<'_>,
        t: f64,
        y: &[f64],
        known: Option<&[f64]>,
    ) -> Result<(), String> {
        let n = of.mechanism.n_states();
        let (state, works) = y.split_at(n);
        of.mechanism.measure(state, true);
        match known {
            Some(a) => of.mechanism.bear(t, state, a)?,
            None => of.mechanism.accelerate(t, state)?,
        }
        let (kinetic, gravity) = of.mechanism.energies(state);
        let m = &mut of.mechanism;
        if self.accelerations.is_empty() || !of.places.is_empty() {
            let rates = m.accelerations_of_speeds(state);
            if self.accelerations.is_empty() {
                self.accelerations.clone_from(&rates);
            }
            if !of.places.is_empty() {
                if !of.unknowns.is_empty() {
                    of.mechanism.share();
                }
                let unknowns = of.values_of_unknowns(state);
                let m = &of.mechanism;
                let s = &state[crate::template::STATE * m.n_parts()..];
                of.outputs.run(t, [&m.q, &m.u, s], &rates, &unknowns)?;
            }
        }
        let m = &of.mechanism;
        let mut row = vec![t];
        row.extend(&m.q);
        row.extend(&m.u);
        row.extend(&state[crate::template::STATE * m.n_parts()..]);
        row.extend(of.places.iter().map(|(_, p)| of.outputs.value(*p)));
        let sums = m.contacts.iter().flat_map(|c| &c.sums);
        row.extend(sums.flat_map(|s| [s.points, s.normal, s.depth]));
        row.extend([kinetic, gravity]);
        let potentials: Vec<f64> = of.stored.iter().map(|l| m.potentials[*l]).collect();
        row.extend(&potentials);
        row.extend(works);
        let balance = Balance {
            kinetic,
            potential: gravity + potentials.iter().sum::<f64>(),
            work: works.iter().sum(),
        };
        row.push(self.audit.add(t, balance));
        if self.rows.len().is_multiple_of(self.stride) {
            self.frames.times.push(t);
            for (track, pose) in self.frames.bodies.iter_mut().zip(m.poses_of_bodies(state)) {
                track.push(BodyPose { position: pose.p, rotation: pose.r });
            }
        }
        self.rows.push(&row);
        Ok(())
    }
}

/// The equations as an integrator sees them.
struct Flow<'m> {
    mechanism: Mechanism<'m>,
    works: Works,
    regularity: Regularity,
    /// Trees have no singular positions.
    is_looped: bool,
    norm_drift: f64,
    left_open: (f64, f64),
}

impl System for Flow<'_> {
    fn dim(&self) -> usize {
        self.mechanism.n_states() + self.works.len()
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        let n = self.mechanism.n_states();
        self.mechanism.derivative(t, &y[..n], &mut dy[..n]).map_err(Failure::recoverable)?;
        dy[n..].copy_from_slice(&self.works.powers(&self.mechanism));
        Ok(())
    }

    fn has_margin(&self) -> bool {
        self.is_looped
    }

    fn margin(&mut self, t: f64, y: &[f64]) -> Result<f64, Failure> {
        let n = self.mechanism.n_states();
        self.regularity.margin(&mut self.mechanism, t, &y[..n]).map_err(Failure::recoverable)
    }

    fn mark(&mut self) {
        self.regularity.mark();
    }

    fn passed(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        let n = self.mechanism.n_states();
        self.regularity.passed(&mut self.mechanism, t, &y[..n]).map_err(Failure::recoverable)
    }

    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        let n = self.mechanism.n_states();
        let size = |y: &[f64], k: usize| {
            let e = &y[crate::template::STATE * k + 3..][..4];
            (e.iter().map(|x| x * x).sum::<f64>().sqrt() - 1.0).abs()
        };
        let drift = (0..self.mechanism.n_parts()).map(|k| size(y, k)).fold(0.0, f64::max);
        self.norm_drift = self.norm_drift.max(drift);
        let left = self.mechanism.project(t, &mut y[..n]).map_err(Failure::recoverable)?;
        self.left_open = (self.left_open.0.max(left.0), self.left_open.1.max(left.1));
        if self.mechanism.measures() {
            self.mechanism.measure(&y[..n], true);
        }
        Ok(true)
    }
}
