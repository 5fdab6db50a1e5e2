//! The motion once more, by an integrator that works in another way.
//!
//! Explicit methods are compared with an implicit one and the other way round. Curves are compared relative to their range. Where a motion is
//! chaotic both are right and yet part; that is worth knowing, as then no digit of it can be believed afterwards. Steps are no longer than samples
//! are apart, so that a short load that the first motion stepped over shows.

use cardan_sim::{Settings, Simulation, Trajectory};
use cardan_solve::Method;

use crate::AnalysisError;
use crate::verify::{Check, Finding, Limits, idle, run, unfinished};

const MOTION: Limits = Limits { doubtful: 1e-6, wrong: f64::INFINITY };
/// Events are found to the tolerance of the motion: relative to its duration.
const EVENTS: Limits = Limits { doubtful: 1e-6, wrong: f64::INFINITY };
/// Above this many states an implicit method solves large systems at every step.
const LARGE: usize = 120;

/// A method of another kind.
fn other(method: Method, n: usize) -> Method {
    match method {
        Method::Radau5 => Method::Bdf,
        Method::Bdf => Method::Radau5,
        Method::Dopri5 if n > LARGE => Method::Dop853,
        _ if n > LARGE => Method::Dopri5,
        _ => Method::Radau5,
    }
}

pub fn checks(
    simulation: &Simulation,
    settings: &Settings,
    motion: &Trajectory,
    n: usize,
) -> Result<Vec<Check>, AnalysisError> {
    const NAME: &str = "integrators";
    if let Some(reason) = unfinished(motion) {
        let compared = format!("the motion ended at t = {} s: {reason}", motion.reached);
        let check = Check { name: NAME, compared, difference: None, limit: 0.0, finding: Finding::Fails };
        return Ok(vec![check]);
    }
    let method = other(settings.method, n);
    // What is shorter than a step may be stepped over; what is as long as samples are apart may not, this time.
    let max_step = Some(settings.interval()).filter(|h| *h > 0.0);
    let again = run(simulation, &Settings { method, max_step, ..settings.clone() })?;
    if let Some(reason) = unfinished(&again) {
        let compared = format!("{method} ends at t = {} s: {reason}", again.reached);
        return Ok(vec![Check {
            name: NAME,
            compared,
            difference: None,
            limit: 0.0,
            finding: Finding::Doubtful,
        }]);
    }
    let mut checks = vec![curves(motion, &again, method, (n, settings.atol))];
    checks.push(events(motion, &again, method));
    Ok(checks)
}

/// States that differ by so many absolute tolerances are the same.
const STILL: f64 = 100.0;

/// The states of both motions, relative to the range of each.
fn curves(motion: &Trajectory, again: &Trajectory, method: Method, (n, atol): (usize, f64)) -> Check {
    let mut range = vec![(f64::INFINITY, f64::NEG_INFINITY); n];
    for row in motion.rows.iter() {
        for (r, x) in range.iter_mut().zip(&row[1..=n]) {
            *r = (r.0.min(*x), r.1.max(*x));
        }
    }
    // What hardly changes is compared with the largest of its like, which is all that tolerances promise.
    let width = |k: usize| range[k].1 - range[k].0;
    let alike = |j: usize, k: usize| motion.columns[1 + j].unit == motion.columns[1 + k].unit;
    let size = |k: usize| {
        let most = |m: f64, j: usize| m.max(range[j].0.abs()).max(range[j].1.abs());
        let most = (0..n).filter(|j| alike(*j, k)).fold(0.0, most);
        width(k).max(1e-3 * most).max(1e-9).max(STILL * atol / MOTION.doubtful)
    };
    let sizes: Vec<f64> = (0..n).map(size).collect();
    let (mut worst, mut parted) = (0.0f64, None);
    for (a, b) in motion.rows.iter().zip(again.rows.iter()) {
        let differences = a[1..=n].iter().zip(&b[1..=n]).zip(&sizes).map(|((x, y), s)| (x - y).abs() / s);
        worst = differences.fold(worst, f64::max);
        if worst > MOTION.doubtful && parted.is_none() {
            parted = Some(a[0]);
        }
    }
    let until = match parted {
        None => String::new(),
        Some(t) => format!(
            "; they part at t = {t} s: a short load was stepped over, the motion is chaotic, or the tolerance is too coarse"
        ),
    };
    MOTION.judge("integrators", format!("{method} at the same tolerance, relative to ranges{until}"), worst)
}

/// The events of both motions, by name and time.
fn events(motion: &Trajectory, again: &Trajectory, method: Method) -> Check {
    const NAME: &str = "events";
    let (a, b) = (&motion.happenings, &again.happenings);
    if a.n_events() == 0 && b.n_events() == 0 {
        return idle(NAME, "nothing happens at instants");
    }
    let same = a.list.iter().zip(&b.list).take_while(|(x, y)| x.event == y.event).count();
    if same < a.list.len().max(b.list.len()) {
        let at = a.list.get(same).or(b.list.get(same)).map_or(0.0, |e| e.t);
        let compared = format!(
            "{method}: {} events instead of {}, in another order from t = {at} s on",
            b.n_events(),
            a.n_events()
        );
        return Check { name: NAME, compared, difference: None, limit: 0.0, finding: Finding::Doubtful };
    }
    let duration = (motion.reached - motion.rows.row(0)[0]).abs().max(f64::MIN_POSITIVE);
    let apart = a.list.iter().zip(&b.list).map(|(x, y)| (x.t - y.t).abs()).fold(0.0, f64::max);
    let compared =
        format!("{} events by {method}: the same order, times relative to the duration", a.list.len());
    EVENTS.judge(NAME, compared, apart / duration)
}
