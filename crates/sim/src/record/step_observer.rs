//! Turns what the integrator shows into rows.

use cardan_solve::{Control, Failure, Kind, Sample};

use crate::monitors::redundancy_loss::{Parting, Watch};
use crate::record::recorder::{Observer, Recorder};
use cardan_assembly::gimbal_lock::{Lock, Locks};

/// Turns what the integrator shows into rows.
pub(crate) struct Follower<'a> {
    /// Rows that nothing keeps; nothing where there are none.
    pub watch: Option<Watch<'a>>,
    /// Where one of them parted from the others.
    pub parting: Option<Parting>,
    /// Joints that may lock.
    pub locks: Locks<'a>,
    /// The one in which the motion creeps.
    pub lock: Option<Lock>,
    pub recorder: Recorder<'a>,
    pub observer: &'a mut dyn Observer,
    pub trouble: Option<(f64, Failure)>,
    pub from: f64,
    pub span: f64,
    /// States and works: what comes before unknowns without derivative.
    pub n_recorded: usize,
}

/// What watches a motion on its way from instant to instant.
pub trait StepObserver {
    /// A sample of the integrator; whether to go on.
    fn see(&mut self, sample: Sample<'_>) -> Control;
    /// A wanted sample at an instant, after everything that happens then.
    fn record(&mut self, t: f64, y: &[f64]);
    /// The discrete states change, and so does the energy.
    fn jump(&mut self, discretes: &[f64], work: f64);
}

impl StepObserver for Follower<'_> {
    fn see(&mut self, sample: Sample<'_>) -> Control {
        match sample.kind {
            Kind::Output => {
                // What has parted is no result.
                if !self.parts(&sample) {
                    self.record(sample.t, &sample.y[..self.n_recorded]);
                }
                self.going_on()
            }
            Kind::Event { .. } => Control::Continue,
            Kind::Step { .. } => {
                self.lock = self.locks.look(sample.t, sample.y);
                if self.parts(&sample) || self.lock.is_some() {
                    return Control::Stop;
                }
                let fraction = if self.span == 0.0 { 1.0 } else { (sample.t - self.from) / self.span };
                if self.observer.progress(fraction) { Control::Continue } else { Control::Stop }
            }
        }
    }
    fn record(&mut self, t: f64, y: &[f64]) {
        match self.recorder.record(t, y, false) {
            Ok(row) => self.observer.row(row),
            Err(failure) => {
                self.trouble.get_or_insert((t, failure));
            }
        }
    }
    fn jump(&mut self, discretes: &[f64], work: f64) {
        self.recorder.jump(discretes, work);
    }
}

impl Follower<'_> {
    /// Whether constraints have parted.
    fn parts(&mut self, sample: &Sample<'_>) -> bool {
        if self.parting.is_none() {
            self.parting = self.watch.as_mut().and_then(|w| w.look(sample.t, &sample.y[..self.n_recorded]));
        }
        self.parting.is_some()
    }
    fn going_on(&self) -> Control {
        if self.parting.is_some() { Control::Stop } else { Control::Continue }
    }
}
