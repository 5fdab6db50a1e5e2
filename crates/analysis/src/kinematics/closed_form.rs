//! A position from its drives, one dyad after the other, without iteration.

use cardan_compile::Choice;
use cardan_equations::minimal_form::dyads;
use cardan_equations::minimal_form::dyads::{Step, sequence};
use cardan_program::{Host, Label};

use cardan_expr::Expr;
use cardan_lower::expressions_program;

use crate::AnalysisError;
use crate::kinematics::dyads::{Action, in_parallel, in_series};
use crate::numeric_model::Evaluator;

/// The steps of a mechanism whose drives determine it.
#[derive(Clone, Debug)]
pub(crate) struct ClosedForm {
    evaluator: Evaluator,
    steps: Vec<Step>,
}

impl ClosedForm {
    /// The closed form of a mechanism, if it has one.
    pub fn of(choice: &Choice, host: &Host) -> Result<Option<ClosedForm>, AnalysisError> {
        let model = &choice.model;
        let nothing = vec![false; model.coordinates.len()];
        let found = sequence(model, &choice.equations.constraints, &nothing);
        let Some(steps) = found.filter(|s| s.iter().any(|s| matches!(s, Step::Dyad(_)))) else {
            return Ok(None);
        };
        let named = steps.iter().flat_map(numbers).map(|e| (Label::named("closed form"), e));
        let program = expressions_program(model, "closed form", named)?.program;
        Ok(Some(ClosedForm { evaluator: Evaluator::new(&program, host)?, steps }))
    }

    /// Moves the coordinates onto the constraints; `place` makes inputs of a state. Gives whether no dead point is near.
    pub fn apply(
        &mut self,
        y: &mut [f64],
        place: impl Fn(&[f64]) -> Vec<f64>,
    ) -> Result<bool, AnalysisError> {
        let mut first = 0;
        for step in &self.steps {
            let numbers = &self.evaluator.run(&place(y))?[first..first + numbers(step).len()];
            first += numbers.len();
            match step {
                Step::Drive(q, ..) => y[*q] -= numbers[0] / numbers[1],
                Step::Dyad(dyad) => {
                    let pair = |k: usize| [numbers[2 * k], numbers[2 * k + 1]];
                    let action = |k: usize| match dyad.legs[k].action {
                        dyads::Action::Turn(_) => Action::Turn(pair(k)),
                        dyads::Action::Slide(_) => Action::Slide(pair(k)),
                    };
                    let (joints, points) = ([action(0), action(1)], [pair(2), pair(3)]);
                    let found = match dyad.legs.map(|l| l.on_second) {
                        [false, false] => in_series(joints, points[0], points[1]),
                        [true, true] => in_series(joints, points[1], points[0]),
                        _ => in_parallel(joints, points),
                    };
                    let Some(found) = found else { return Ok(false) };
                    for (leg, by) in dyad.legs.iter().zip(found) {
                        y[leg.coordinate] += if leg.backwards { -by } else { by };
                    }
                }
            }
        }
        Ok(y.iter().all(|x| x.is_finite()))
    }
}

/// The numbers of a step: residual and slope of a drive; joints and points of a dyad.
fn numbers(step: &Step) -> Vec<Expr> {
    match step {
        Step::Drive(_, residual, slope, _) => vec![*residual, *slope],
        Step::Dyad(dyad) => {
            let joint = |l: &dyads::Leg| match l.action {
                dyads::Action::Turn(place) | dyads::Action::Slide(place) => place,
            };
            let joints = dyad.legs.iter().map(joint);
            joints.chain(dyad.points).flatten().collect()
        }
    }
}
