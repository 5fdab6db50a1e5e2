//! How a run ends: the trajectory with all that is to be said of it.

use cardan_solve::{Coarser, StopReason};

use super::Simulation;
use crate::constraints::dead_point_switching::Handover;
use crate::events::Followed;
use crate::monitors::small_angle_check;
use crate::record::energy_balance::Verdict;
use crate::record::recorder::Recorder;
use crate::record::step_observer::Follower;
use crate::record::trajectory::{Beginning, Ending, Trajectory};
use crate::rhs::Mechanism;
use crate::settings::Settings;
use cardan_base::without_noise;

/// All that took part in a motion, after its end.
pub(super) struct Ended<'r, 's> {
    pub mechanism: &'s mut Mechanism<'r>,
    pub follower: Follower<'r>,
    pub followed: Followed,
    pub partitions: usize,
    pub handovers: Vec<Handover>,
    pub beginning: Beginning,
    pub breakpoints: Vec<f64>,
    /// What was to be said before the motion.
    pub warnings: Vec<String>,
    pub settings: &'s Settings,
}

/// Steps and projections may leave so many times the relative tolerance.
const TOLERANCES: f64 = 10.0;

impl Simulation {
    /// What is left of a motion.
    pub(super) fn trajectory(&self, ended: Ended<'_, '_>) -> Trajectory {
        let Ended { mechanism, follower, followed, beginning, mut warnings, settings, .. } = ended;
        let Followed { outcome, happenings, reason } = followed;
        let Follower { mut recorder, observer, trouble, parting, locks, lock, n_recorded, .. } = follower;
        let is_stuck = lock.is_some() || ending(&outcome.stop) == Ending::Failed;
        let locked = || locks.blamed(outcome.t_reached, &outcome.y_reached);
        let lock = lock.or_else(|| if is_stuck { locked() } else { None });
        let blamed = if is_stuck { mechanism.blamed(outcome.t_reached, &outcome.y_reached) } else { None };
        // The last state is worth keeping wherever the motion ended.
        if recorder.last_time() != Some(outcome.t_reached)
            && outcome.y_reached.iter().all(|y| y.is_finite())
            && let Ok(row) = recorder.record(outcome.t_reached, &outcome.y_reached[..n_recorded], true)
        {
            observer.row(row);
        }
        // Where a law has no one solution there is no one motion, however far the integrator went.
        let doubt = recorder.doubt.take();
        let doubted = doubt.map(|(t, words)| format!("at t = {} s {words}", without_noise(t)));
        if let Some((t, failure)) = trouble {
            warnings.push(format!("outputs could not be computed from t = {t} s on: {failure}"));
        }
        if let Some(t) = outcome.stiff_at.filter(|_| outcome.switches.is_empty()) {
            let cause = "stability, not accuracy, limits the steps";
            warnings
                .push(format!("the motion is stiff from t = {t:.6} s on: {cause}; compare `method = auto`"));
        }
        warnings.extend(outcome.coarser.map(|c| self.coarser(&c)));
        let crossings = mechanism.crossings(outcome.t_reached);
        for (verdict, t) in &crossings.given_up {
            warnings.push(format!(
                "{verdict}; from t = {} s on these switches are not located, and small steps alone follow them",
                without_noise(*t)
            ));
        }
        for (column, since) in recorder.columns.iter().zip(&recorder.not_finite) {
            if let Some(t) = since {
                warnings.push(format!(
                    "`{}` is not finite, first at t = {} s",
                    column.name,
                    without_noise(*t)
                ));
            }
        }
        warnings.extend(small_angle_check::warning(&self.plan, &recorder.rows));
        let doubtful = |r: &Recorder<'_>| matches!(r.audit.verdict(), Verdict::Doubtful | Verdict::Fails);
        let (y, rtol) = (&outcome.y_reached[..n_recorded], settings.rtol.max(f64::EPSILON));
        if doubtful(&recorder)
            && let Ok(exchange) = recorder.exchange(outcome.t_reached, y, settings.atol / rtol)
        {
            recorder.audit.allow(TOLERANCES * rtol, exchange);
        }
        if doubtful(&recorder) {
            warnings.push(recorder.audit.to_string());
        }
        Trajectory {
            ending: if parting.is_some() || is_stuck || doubted.is_some() {
                Ending::Failed
            } else {
                ending(&outcome.stop)
            },
            reason: match (&parting, lock) {
                _ if doubted.is_some() => doubted.unwrap_or_default(),
                (Some(parting), _) => parting.to_string(),
                (None, Some(lock)) => lock.to_string(),
                (None, None) => reason.unwrap_or_else(|| match blamed {
                    Some(near) => near.in_the_way(),
                    None => self.reason(&outcome.stop),
                }),
            },
            parting,
            happenings,
            columns: recorder.columns,
            rows: recorder.rows,
            beginning,
            frames: recorder.frames,
            audit: recorder.audit,
            reached: outcome.t_reached,
            statistics: outcome.stats,
            switches: outcome.switches,
            passages: mechanism.passages(),
            partitions: ended.partitions,
            handovers: ended.handovers,
            breakpoints: ended.breakpoints,
            crossings: crossings.located,
            slides: crossings.slides,
            norm_drift: mechanism.norm_drift,
            left_open: mechanism.left_open(),
            contacts: None,
            warnings,
        }
    }

    /// What a component of the integrator's state is.
    fn component(&self, k: usize) -> String {
        match self.plan.states.get(k) {
            Some(state) => format!("`{}`", state.label.name),
            None => match self.plan.powers.get(k - self.plan.states.len()) {
                Some((load, _)) => format!("the work of `{load}`"),
                None => "an acceleration or multiplier".to_string(),
            },
        }
    }

    /// That a tolerance cannot be kept.
    fn coarser(&self, found: &Coarser) -> String {
        format!(
            "the tolerances ask for an error of {:.1e} in {} at t = {} s, less than numbers can tell there, because the constraints tie it to larger ones; \
             its steps are judged by {:.1e} where rounding is above the tolerance",
            found.asked,
            self.component(found.component),
            without_noise(found.t),
            found.kept
        )
    }

    /// Why the integration ended, with the names of states.
    pub(super) fn reason(&self, stop: &StopReason) -> String {
        let name = |k: usize| self.component(k);
        match stop {
            StopReason::StepTooSmall { t, h, component } => {
                let where_ =
                    component.map_or(String::new(), |k| format!("; {} is the hardest to follow", name(k)));
                format!("the step size fell to {h:.1e} s at t = {} s{where_}", without_noise(*t))
            }
            StopReason::NonFinite { t, component } => {
                format!(
                    "the time derivative of {} is not finite near t = {} s",
                    name(*component),
                    without_noise(*t)
                )
            }
            other => other.to_string(),
        }
    }
}

fn ending(stop: &StopReason) -> Ending {
    match stop {
        StopReason::ReachedEnd => Ending::Finished,
        StopReason::Event { .. } => Ending::Stopped,
        StopReason::StoppedByObserver => Ending::Interrupted,
        _ => Ending::Failed,
    }
}
