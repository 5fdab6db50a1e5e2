//! Many motions of one system, several at a time: each lane has its own time, step size and error control.
//!
//! One evaluation treats all lanes at once. A lane whose motion has ended takes the next member of the ensemble, so that
//! no lane waits for a slow neighbour. What happens in one lane does not depend on the others: every member comes out
//! as it would alone, whatever shares the lanes with it.
//!
//! ```text
//! [lane-step]     y_l ← y_l + h_l Σ b_j k_jl,   k_jl = f(t_l + c_j h_l, …)
//! [lane-accept]   |e_l| ≤ 1 per lane; a rejected lane repeats with a shorter step while the others go on
//! ```
//!
//! The methods are those of `dop853` and `rk4`; steps end at the sample times, and `step_control` says how long they are.

pub(crate) mod kernels;
pub(crate) mod step_control;

use crate::control::Tolerance;
use crate::dop853::tableau::{A, C};
use crate::lanes::kernels::Slopes;
use crate::lanes::step_control::{Pace, first_step};
use crate::options::Absolute;
use crate::tableau::Row;

/// An ensemble of motions of one system of ordinary differential equations.
pub trait LaneSystem<const L: usize> {
    /// The number of states.
    fn dim(&self) -> usize;

    /// Prepares a lane for a member of the ensemble and writes where it starts; `false` if it cannot start.
    fn begin(&mut self, lane: usize, member: usize, y: &mut [f64]) -> bool;

    /// Writes f(t, y) of all lanes into `dy`. What is not finite fails that lane's step.
    fn derivative(&mut self, t: &[f64; L], y: &[[f64; L]], dy: &mut [[f64; L]]);

    /// Whether there are invariants, and so anything to [`project`](LaneSystem::project).
    fn has_invariants(&self) -> bool {
        true
    }

    /// Pulls the state of a lane back onto its invariants after an accepted step; `false` if that fails.
    fn project(&mut self, _y: &mut [f64]) -> bool {
        true
    }
}

/// How steps are chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum LaneMethod {
    /// Order 8, with steps that keep the local error below these tolerances.
    Adaptive {
        /// Relative tolerance.
        rtol: f64,
        /// Absolute tolerance.
        atol: Absolute,
    },
    /// Order 4, with steps of about this size: a whole number of equal steps between two samples.
    Fixed {
        /// The longest step.
        step: f64,
    },
}

impl LaneMethod {
    /// The tolerances; those of fixed steps are never asked for.
    fn tolerance(&self) -> Tolerance {
        match self {
            LaneMethod::Adaptive { rtol, atol } => Tolerance { rtol: *rtol, atol: atol.clone() },
            LaneMethod::Fixed { .. } => Tolerance { rtol: 0.0, atol: Absolute::Uniform(0.0) },
        }
    }
}

/// What is asked of an ensemble.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneProblem {
    /// Where all motions begin.
    pub from: f64,
    /// The times after `from` at which states are wanted, rising; the last one is the end.
    pub times: Vec<f64>,
    /// How steps are chosen.
    pub method: LaneMethod,
    /// No adaptive step is longer than this.
    pub max_step: f64,
    /// A motion ends after so many steps.
    pub max_steps: u64,
}

/// What an ensemble tells about a member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LaneNews<'a> {
    /// The state at a wanted time, the start included.
    Sample {
        /// When.
        t: f64,
        /// The state.
        y: &'a [f64],
    },
    /// The end was reached after this many accepted steps.
    Done {
        /// Accepted steps.
        steps: u64,
    },
    /// The motion could not be followed beyond this time.
    Lost {
        /// When.
        t: f64,
    },
}

/// One lane's motion.
struct Lane {
    member: Option<usize>,
    t: f64,
    h: f64,
    /// The next of the wanted times.
    next: usize,
    steps: u64,
    pace: Pace,
}

/// The working memory.
struct Walk<'p, const L: usize> {
    problem: &'p LaneProblem,
    tolerance: Tolerance,
    lanes: [Lane; L],
    y: Vec<[f64; L]>,
    end: Vec<[f64; L]>,
    k: Slopes<L>,
    column: Vec<f64>,
}

/// Follows every member from the first on; `tell` hears of samples and ends, members in no particular order, and answers
/// whether to go on. Members that were not begun when it says no are left out.
pub fn integrate_lanes<const L: usize>(
    system: &mut dyn LaneSystem<L>,
    members: &mut dyn Iterator<Item = usize>,
    problem: &LaneProblem,
    tell: &mut dyn FnMut(usize, LaneNews<'_>) -> bool,
) {
    let n = system.dim();
    let mut walk = Walk {
        problem,
        tolerance: problem.method.tolerance(),
        lanes: std::array::from_fn(|_| Lane {
            member: None,
            t: problem.from,
            h: 0.0,
            next: 0,
            steps: 0,
            pace: Pace::new(),
        }),
        y: vec![[0.0; L]; n],
        end: vec![[0.0; L]; n],
        k: Slopes::new(13, n),
        column: vec![0.0; n],
    };
    let mut goes_on = true;
    loop {
        let begun = walk.fill(system, members, tell, &mut goes_on);
        if walk.lanes.iter().all(|lane| lane.member.is_none()) {
            return;
        }
        // One evaluation gives the slopes of new members, of lanes that moved on, and again of those that repeat.
        walk.slopes(system);
        match problem.method {
            LaneMethod::Adaptive { .. } => {
                if begun {
                    walk.first_steps();
                }
                walk.step_adaptive(system);
            }
            LaneMethod::Fixed { .. } => walk.step_fixed(system),
        };
        walk.report(tell, &mut goes_on);
        if !goes_on {
            return;
        }
    }
}

impl<const L: usize> Walk<'_, L> {
    /// Gives idle lanes new members; whether any lane has one.
    fn fill(
        &mut self,
        system: &mut dyn LaneSystem<L>,
        members: &mut dyn Iterator<Item = usize>,
        tell: &mut dyn FnMut(usize, LaneNews<'_>) -> bool,
        goes_on: &mut bool,
    ) -> bool {
        let mut begun = false;
        for l in 0..L {
            while self.lanes[l].member.is_none() && *goes_on {
                let Some(member) = members.next() else { break };
                let from = self.problem.from;
                if !system.begin(l, member, &mut self.column) || self.column.iter().any(|y| !y.is_finite()) {
                    *goes_on = tell(member, LaneNews::Lost { t: from });
                    continue;
                }
                self.y.iter_mut().zip(&self.column).for_each(|(y, x)| y[l] = *x);
                let lane = &mut self.lanes[l];
                (lane.member, lane.t, lane.h, lane.next, lane.steps) = (Some(member), from, 0.0, 0, 0);
                lane.pace = Pace::new();
                *goes_on = tell(member, LaneNews::Sample { t: from, y: &self.column });
                begun = true;
                if self.problem.times.is_empty() {
                    lane.member = None;
                    *goes_on &= tell(member, LaneNews::Done { steps: 0 });
                }
            }
        }
        begun
    }

    /// f at the beginning of the step.
    fn slopes(&mut self, system: &mut dyn LaneSystem<L>) {
        let t = std::array::from_fn(|l| self.lanes[l].t);
        system.derivative(&t, &self.y, self.k.stage_mut(0));
    }

    /// A first step for lanes that have none.
    fn first_steps(&mut self) {
        let (states, slopes) = (&self.y, self.k.stage(0));
        for (l, lane) in self.lanes.iter_mut().enumerate().filter(|(_, lane)| lane.h == 0.0) {
            lane.h = first_step(&self.tolerance, states.iter().zip(slopes).map(|(y, k)| (y[l], k[l])));
        }
    }

    fn evaluate(&mut self, system: &mut dyn LaneSystem<L>, c: f64, h: &[f64; L], j: usize) {
        let t = std::array::from_fn(|l| self.lanes[l].t + c * h[l]);
        system.derivative(&t, &self.end, self.k.stage_mut(j));
    }

    /// One step of order 8 in every lane that moves.
    fn step_adaptive(&mut self, system: &mut dyn LaneSystem<L>) {
        // A step ends at the next sample; one that would end shortly before it is halved.
        let mut lands = [false; L];
        let h: [f64; L] = std::array::from_fn(|l| {
            let lane = &self.lanes[l];
            if lane.member.is_none() {
                return 0.0;
            }
            let rest = self.problem.times[lane.next] - lane.t;
            let wanted = lane.h.min(self.problem.max_step);
            lands[l] = wanted >= rest;
            if lands[l] {
                rest
            } else if wanted > 0.5 * rest {
                0.5 * rest
            } else {
                wanted
            }
        });
        for j in 1..12 {
            self.k.advance(&self.y, &h, A[j], &mut self.end);
            self.evaluate(system, C[j], &h, j);
        }
        self.k.advance(&self.y, &h, A[12], &mut self.end);
        let errors = self.k.errors(&self.tolerance, &h, &self.y, &self.end);
        let mut moves = [false; L];
        for (l, lane) in self.lanes.iter_mut().enumerate().filter(|(_, lane)| lane.member.is_some()) {
            // [lane-accept]
            if errors[l] <= 1.0 {
                // A step that was cut short to meet a sample says little about the next one.
                let next = h[l] * lane.pace.accepted(errors[l]);
                lane.h = if h[l] < lane.h { next.max(lane.h) } else { next };
                moves[l] = true;
            } else {
                let error = if errors[l].is_nan() { f64::INFINITY } else { errors[l] };
                lane.h = h[l] * lane.pace.rejected(error);
                lane.steps += 1;
                if lane.h.abs() < 16.0 * f64::EPSILON * lane.t.abs().max(1e-12) {
                    lane.h = f64::NAN;
                }
            }
        }
        self.accept(system, &moves, &h, &lands);
    }

    /// One step of order 4 in every lane that moves.
    fn step_fixed(&mut self, system: &mut dyn LaneSystem<L>) {
        let LaneMethod::Fixed { step } = self.problem.method else { return };
        let mut lands = [false; L];
        let h: [f64; L] = std::array::from_fn(|l| {
            let lane = &self.lanes[l];
            if lane.member.is_none() {
                return 0.0;
            }
            let rest = self.problem.times[lane.next] - lane.t;
            let left = (rest / step - 1e-9).ceil().max(1.0);
            lands[l] = left == 1.0;
            rest / left
        });
        const HALF: Row = &[(0, 0.5)];
        const MIDDLE: Row = &[(1, 0.5)];
        const WHOLE: Row = &[(2, 1.0)];
        const SUM: Row = &[(0, 1.0 / 6.0), (1, 1.0 / 3.0), (2, 1.0 / 3.0), (3, 1.0 / 6.0)];
        for (j, (row, c)) in [(HALF, 0.5), (MIDDLE, 0.5), (WHOLE, 1.0)].into_iter().enumerate() {
            self.k.advance(&self.y, &h, row, &mut self.end);
            self.evaluate(system, c, &h, j + 1);
        }
        self.k.advance(&self.y, &h, SUM, &mut self.end);
        let moves = std::array::from_fn(|l| self.lanes[l].member.is_some());
        self.accept(system, &moves, &h, &lands);
    }

    /// The end of the step becomes the place of the lanes that move.
    fn accept(&mut self, system: &mut dyn LaneSystem<L>, moves: &[bool; L], h: &[f64; L], lands: &[bool; L]) {
        // Zero as long as all components are finite.
        let mut broken = [0.0; L];
        for (y, end) in self.y.iter_mut().zip(&self.end) {
            for l in 0..L {
                y[l] = if moves[l] { end[l] } else { y[l] };
                broken[l] += 0.0 * end[l];
            }
        }
        let projects = system.has_invariants();
        for l in (0..L).filter(|l| moves[*l]) {
            let mut holds = broken[l] == 0.0;
            if projects && holds {
                self.column.iter_mut().zip(&self.y).for_each(|(x, y)| *x = y[l]);
                holds = system.project(&mut self.column) && self.column.iter().all(|y| y.is_finite());
                self.y.iter_mut().zip(&self.column).for_each(|(y, x)| y[l] = *x);
            }
            let lane = &mut self.lanes[l];
            lane.steps += 1;
            lane.t = if lands[l] { self.problem.times[lane.next] } else { lane.t + h[l] };
            if !holds {
                lane.h = f64::NAN;
            }
        }
    }

    /// Tells of samples that were met and of motions that ended.
    fn report(&mut self, tell: &mut dyn FnMut(usize, LaneNews<'_>) -> bool, goes_on: &mut bool) {
        for l in 0..L {
            let lane = &mut self.lanes[l];
            let Some(member) = lane.member else { continue };
            if lane.h.is_nan() || lane.steps >= self.problem.max_steps {
                lane.member = None;
                *goes_on &= tell(member, LaneNews::Lost { t: lane.t });
                continue;
            }
            if lane.t == self.problem.times[lane.next] {
                self.column.iter_mut().zip(&self.y).for_each(|(x, y)| *x = y[l]);
                *goes_on &= tell(member, LaneNews::Sample { t: lane.t, y: &self.column });
                lane.next += 1;
                if lane.next == self.problem.times.len() {
                    lane.member = None;
                    *goes_on &= tell(member, LaneNews::Done { steps: lane.steps });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ÿ = -k² y with a k of each member's own; y(0) = 1, ẏ(0) = 0.
    struct Oscillators {
        k: [f64; 4],
        evaluations: usize,
    }

    fn stiffness(member: usize) -> f64 {
        1.0 + 0.37 * member as f64
    }

    impl LaneSystem<4> for Oscillators {
        fn dim(&self) -> usize {
            2
        }
        fn begin(&mut self, lane: usize, member: usize, y: &mut [f64]) -> bool {
            self.k[lane] = stiffness(member);
            y.copy_from_slice(&[1.0, 0.0]);
            member != 5
        }
        fn derivative(&mut self, _t: &[f64; 4], y: &[[f64; 4]], dy: &mut [[f64; 4]]) {
            self.evaluations += 1;
            for l in 0..4 {
                dy[0][l] = y[1][l];
                dy[1][l] = -self.k[l] * self.k[l] * y[0][l];
            }
        }
    }

    /// A member, its samples, and whether it reached the end.
    type Heard = (usize, Vec<(f64, Vec<f64>)>, bool);

    fn follow(members: &[usize], method: LaneMethod) -> Vec<Heard> {
        let mut system = Oscillators { k: [1.0; 4], evaluations: 0 };
        let problem = LaneProblem {
            from: 0.0,
            times: vec![0.5, 2.0, 7.25],
            method,
            max_step: f64::INFINITY,
            max_steps: 1_000_000,
        };
        let mut found: Vec<Heard> = members.iter().map(|m| (*m, vec![], false)).collect();
        integrate_lanes(&mut system, &mut members.iter().copied(), &problem, &mut |member, news| {
            let own = found.iter_mut().find(|(m, ..)| *m == member).expect("a member that was asked for");
            match news {
                LaneNews::Sample { t, y } => own.1.push((t, y.to_vec())),
                LaneNews::Done { .. } => own.2 = true,
                LaneNews::Lost { .. } => {}
            }
            true
        });
        assert!(system.evaluations > 0);
        found
    }

    fn adaptive() -> LaneMethod {
        LaneMethod::Adaptive { rtol: 1e-11, atol: Absolute::Uniform(1e-13) }
    }

    #[test]
    fn every_member_reaches_its_closed_form() {
        for (method, tolerance) in [(adaptive(), 1e-8), (LaneMethod::Fixed { step: 1e-3 }, 1e-6)] {
            for (member, samples, done) in follow(&(0..23).collect::<Vec<_>>(), method) {
                if member == 5 {
                    assert!(!done && samples.is_empty(), "it could not start");
                    continue;
                }
                assert!(done);
                assert_eq!(samples.iter().map(|s| s.0).collect::<Vec<_>>(), [0.0, 0.5, 2.0, 7.25]);
                let k = stiffness(member);
                for (t, y) in samples {
                    assert!((y[0] - (k * t).cos()).abs() < tolerance, "{member} at {t}: {}", y[0]);
                }
            }
        }
    }

    /// Neighbours in other lanes change nothing, not even the last bit.
    #[test]
    fn a_member_comes_out_as_it_would_alone() {
        let together = follow(&(6..31).collect::<Vec<_>>(), adaptive());
        for (member, samples, _) in together {
            assert_eq!(follow(&[member], adaptive())[0].1, samples, "{member}");
        }
    }

    #[test]
    fn whoever_listens_can_end_it() {
        let mut system = Oscillators { k: [1.0; 4], evaluations: 0 };
        let problem = LaneProblem {
            from: 0.0,
            times: vec![1.0],
            method: adaptive(),
            max_step: f64::INFINITY,
            max_steps: 1000,
        };
        let mut done = 0;
        integrate_lanes(&mut system, &mut (10..1000), &problem, &mut |_, news| {
            done += usize::from(matches!(news, LaneNews::Done { .. }));
            done < 3
        });
        assert!((3..=6).contains(&done), "{done}");
    }
}
