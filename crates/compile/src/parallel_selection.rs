//! Parallel selection of the formalism: candidates on threads and copies of the model of their own.
//!
//! Deriving equations is quick, and so is counting their operations as they are written. Searching for common parts is not; so it goes in
//! rounds, and only what may win enters the next one. Each goes on from where it was; reports, energies and corrections are made for the winner
//! alone. How far behind is too far was found on the library's models and on some seventy robots, and a test holds it to that.

use std::sync::mpsc::{self, Receiver, Sender};

use cardan_equations::{ConstraintRows, Equations, Formalism, derive_motion};
use cardan_lower::{CorrectionProgram, Effort, LowerError, SimulationDraft, correction_program};
use cardan_model::Model;
use cardan_program::Counts;
use cardan_program::cost_model::price_of_counts;

use crate::formalism_selection::{Choice, ChoiceError};

/// How far behind a formalism may be and go on.
struct Round {
    effort: Effort,
    /// In words.
    how: &'static str,
    /// In per cent of the least.
    far: u64,
    /// The same for Kane's equations: much of what they are written with is common.
    far_for_kane: u64,
}

const ROUNDS: [Round; 2] = [
    // The cheapest in the end starts with at most 107, by Kane's equations with 145.
    Round { effort: Effort::Plain, how: "as written", far: 118, far_for_kane: 165 },
    // There the cheapest in the end has at most 107.
    Round { effort: Effort::Little, how: "with common parts shared", far: 107, far_for_kane: 107 },
];

/// So many operations may be found by the search in any program: what is behind by no more is searched.
const NEAR: u64 = 20;

/// What became of a formalism.
pub(crate) enum Outcome {
    /// It does not apply or was given up: why, in words.
    Against(String),
    /// Another one costs less.
    Beaten(Counts),
    /// It is taken, with the program of the corrections where there are constraints.
    Taken(Box<(Choice, Option<CorrectionProgram>)>),
}

/// A copy of a model with its equations, from which corrections are made.
type Copied = Box<(Model, Equations)>;

/// Messages of a candidate to the judge.
enum Said {
    /// The price of its program in the present round.
    Price(u64),
    /// It has won or is alone: its model and equations, from which the judge makes the corrections
    /// while the candidate finishes its program.
    Corrections(Copied),
    /// It has ended, with or without an outcome.
    Gone,
}

/// Orders of the judge to a candidate.
enum Order {
    /// Enter the next round.
    Continue,
    /// Finish: the other candidates have ended.
    Finish,
    /// End, for this reason.
    End(Outcome),
}

/// Lets formalisms compete; the later ones win ties. What became of each.
///
/// Each candidate derives and lowers on a thread of its own, because expressions cannot change
/// threads. Rounds of new threads would derive the survivors again: derivations and first drafts of
/// all candidates are 13 % of the instructions of `show program` for the squeezer, 40 % for the
/// humanoid. After each round the judge, on the calling thread, compares prices and sends orders;
/// what it decides depends on prices alone, not on timing.
pub(crate) fn race(
    model: &Model,
    kept: &ConstraintRows,
    formalisms: &[Formalism],
) -> Result<Vec<(Formalism, Outcome)>, ChoiceError> {
    std::thread::scope(|scope| {
        let (voice, ears) = mpsc::channel();
        let (mut orders, mut threads) = (vec![], vec![]);
        for (seat, formalism) in formalisms.iter().copied().enumerate() {
            let (order, obeyed) = mpsc::channel();
            let candidate = Candidate {
                formalism,
                is_alone: formalisms.len() == 1,
                voice: Voice { judge: voice.clone(), seat },
                orders: obeyed,
            };
            let (model, kept) = (model.clone(), kept.clone());
            let thread = std::thread::Builder::new().stack_size(STACK);
            let spawned =
                thread.spawn_scoped(scope, move || candidate.compete(&model, kept).map(|o| o.of(model)));
            threads.push(spawned.map_err(|e| ChoiceError::NoThread(e.to_string()))?);
            orders.push(order);
        }
        drop(voice);
        let corrections = judge(formalisms, &ears, &orders);
        drop(orders);
        let mut outcomes = vec![];
        for (formalism, thread) in formalisms.iter().zip(threads) {
            let outcome = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            outcomes.push((*formalism, outcome));
        }
        let made = corrections.transpose().map_err(ChoiceError::Lower)?.flatten();
        for (_, outcome) in &mut outcomes {
            if let Outcome::Taken(taken) = outcome {
                taken.1.clone_from(&made);
            }
        }
        Ok(outcomes)
    })
}

/// Compares prices round by round and makes the corrections of the winner.
fn judge(
    formalisms: &[Formalism],
    ears: &Receiver<(usize, Said)>,
    orders: &[Sender<Order>],
) -> Option<Result<Option<CorrectionProgram>, LowerError>> {
    let mut present: Vec<usize> = (0..formalisms.len()).collect();
    let mut rounds = ROUNDS.iter();
    while present.len() > 1 {
        let mut prices = vec![];
        while prices.len() < present.len() {
            match ears.recv() {
                Ok((seat, Said::Price(price))) => prices.push((seat, price)),
                Ok((seat, _)) => present.retain(|s| *s != seat),
                Err(_) => present.clear(),
            }
        }
        prices.sort_unstable();
        let decided: Vec<(usize, Order)> = match rounds.next() {
            Some(round) => {
                let near = round.near(formalisms, &prices);
                let order = |seat: usize| match near.as_slice() {
                    [alone] if *alone == seat => Order::Finish,
                    _ if near.contains(&seat) => Order::Continue,
                    _ => Order::End(Outcome::Against(round.reason(formalisms, &prices, seat))),
                };
                let decided = present.iter().map(|seat| (*seat, order(*seat))).collect();
                present = near;
                decided
            }
            // The last round is that of the full search: the more readable formalism wins a tie.
            None => {
                let winner = prices.iter().rev().min_by_key(|(_, price)| *price).map(|(seat, _)| *seat);
                let order = |seat: usize| match Some(seat) == winner {
                    true => Order::Finish,
                    false => Order::End(Outcome::Beaten(Counts::default())),
                };
                let decided = present.iter().map(|seat| (*seat, order(*seat))).collect();
                present = winner.into_iter().collect();
                decided
            }
        };
        for (seat, order) in decided {
            // A candidate that has ended meanwhile needs no order.
            let _ = orders[seat].send(order);
        }
    }
    loop {
        match ears.recv() {
            Ok((_, Said::Corrections(copied))) => return Some(correction_program(&copied.0, &copied.1)),
            Ok(_) => {}
            Err(_) => return None,
        }
    }
}

/// A formalism that competes.
struct Candidate {
    formalism: Formalism,
    is_alone: bool,
    voice: Voice,
    orders: Receiver<Order>,
}

/// The channel to the judge; it says `Gone` when it is dropped, also by a panic.
struct Voice {
    judge: Sender<(usize, Said)>,
    seat: usize,
}

impl Voice {
    fn say(&self, said: Said) {
        // The judge listens as long as a candidate has something to say.
        let _ = self.judge.send((self.seat, said));
    }
}

impl Drop for Voice {
    fn drop(&mut self) {
        self.say(Said::Gone);
    }
}

/// What became of a candidate, before its model joins it.
enum Ended {
    Lost(Outcome),
    Won(Box<(Equations, cardan_lower::SimulationProgram)>),
}

impl Ended {
    fn of(self, model: Model) -> Outcome {
        match self {
            Ended::Lost(outcome) => outcome,
            Ended::Won(made) => {
                let (equations, lowered) = *made;
                let choice =
                    Choice { model, lowered, loops: None, events: None, considered: vec![], equations };
                Outcome::Taken(Box::new((choice, None)))
            }
        }
    }
}

impl Candidate {
    fn compete(self, model: &Model, kept: ConstraintRows) -> Result<Ended, ChoiceError> {
        let motion = match derive_motion(model, self.formalism, kept) {
            Ok(motion) => motion,
            Err(failure) => return Ok(Ended::Lost(Outcome::Against(failure.message(model)))),
        };
        let mut draft = SimulationDraft::new(model, motion.equations()).map_err(ChoiceError::Lower)?;
        // The search adds to the pool, so the copy for corrections is taken before it where the
        // candidate is alone by then.
        let offer = || {
            if motion.equations().augmented.is_some() {
                self.voice.say(Said::Corrections(Box::new((model.clone(), motion.equations().clone()))));
            }
        };
        let (mut is_alone, mut effort_spent) = (self.is_alone, None);
        let efforts = ROUNDS.iter().map(|round| round.effort).chain([Effort::Full]);
        for effort in efforts {
            if is_alone {
                break;
            }
            let price = draft.pursue(effort).map_err(ChoiceError::Lower)?;
            effort_spent = Some(effort);
            let price = if effort == Effort::Full { price_of_counts(&draft.counts()) } else { price };
            self.voice.say(Said::Price(price));
            match self.orders.recv() {
                Ok(Order::Continue) => {}
                Ok(Order::Finish) => is_alone = true,
                Ok(Order::End(Outcome::Beaten(_))) => {
                    return Ok(Ended::Lost(Outcome::Beaten(draft.counts())));
                }
                Ok(Order::End(outcome)) => return Ok(Ended::Lost(outcome)),
                Err(_) => return Ok(Ended::Lost(Outcome::Against("the comparison was stopped".into()))),
            }
        }
        offer();
        if effort_spent != Some(Effort::Full) {
            draft.pursue(Effort::Full).map_err(ChoiceError::Lower)?;
        }
        let equations = match motion.balanced(model) {
            Ok(equations) => equations,
            Err(failure) => return Ok(Ended::Lost(Outcome::Against(failure.message(model)))),
        };
        let lowered = draft.finish(&equations).map_err(ChoiceError::Lower)?;
        Ok(Ended::Won(Box::new((equations, lowered))))
    }
}

impl Round {
    /// The seats whose offers are near enough to the least.
    fn near(&self, all: &[Formalism], offers: &[(usize, u64)]) -> Vec<usize> {
        let least = offers.iter().map(|(_, n)| *n).min().unwrap_or(0);
        let is_near = |(k, n): &&(usize, u64)| {
            let far = if all[*k] == Formalism::Kane { self.far_for_kane } else { self.far };
            n.saturating_mul(100) <= least.saturating_mul(far).saturating_add(100 * NEAR)
        };
        offers.iter().filter(is_near).map(|(k, _)| *k).collect()
    }

    /// Why a seat is given up.
    fn reason(&self, all: &[Formalism], offers: &[(usize, u64)], seat: usize) -> String {
        let own = offers.iter().find(|(k, _)| *k == seat).map_or(0, |(_, n)| *n);
        let least = offers.iter().map(|(k, n)| (*n, all[*k])).min();
        let (least, by) = least.map_or((0, ""), |(n, f)| (n, f.name()));
        format!("stopped at {own} operations {} ({by} needs {least})", self.how)
    }
}

/// Derivations climb long chains of frames.
const STACK: usize = 64 << 20;
