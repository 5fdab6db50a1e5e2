//! A compiled model: set parameters, simulate.

use std::sync::Arc;

use cardan_compile::ChoiceError;
use cardan_compile::{Choice, ClosedForm, closed_form};
use cardan_equations::{ggl_form, implicit_form};
use cardan_lower::{implicit_program, residual_program};
use cardan_model::{ConstraintId, Model};
use cardan_sim::{
    ConstraintForm, Ending, Observer, Parting, Session, SessionError, Settings, Simulation, Trajectory,
    Verdict,
};

use crate::{Error, Options, Results, compile_keeping};

/// A model with its equations, ready to run.
#[derive(Debug)]
pub struct Compiled {
    /// The model, its equations, their program, and the formalisms that were compared.
    pub choice: Choice,
    /// The program in an engine.
    pub simulation: Simulation,
    /// How it was compiled.
    pub options: Options,
    /// The closed form of its loops, where it was looked for and there is one.
    pub closed: Option<ClosedForm>,
}

impl Compiled {
    /// The model.
    pub fn model(&self) -> &Model {
        &self.choice.model
    }

    /// The same, ready for a form of the constraints that a run asks for.
    pub fn for_constraints(mut self, form: ConstraintForm) -> Result<Compiled, Error> {
        let (model, equations) = (&self.choice.model, &self.choice.equations);
        match form {
            ConstraintForm::Projected | ConstraintForm::Positions => {}
            ConstraintForm::Auto | ConstraintForm::Closed => {
                self.closed = closed_form(&self.choice)?;
                let taken = |c: &&ClosedForm| form == ConstraintForm::Closed || c.is_better();
                if let Some(found) = self.closed.as_ref().filter(taken) {
                    let name = |id: &ConstraintId| model.constraints[*id].name.clone();
                    let dyads = found.program.dyads.iter().map(name).collect();
                    self.simulation = self.simulation.with_closed(found.program.clone(), dyads)?;
                }
            }
            ConstraintForm::Stabilised => {
                let program = ggl_form(model, equations).map(|form| residual_program(model, &form));
                let program = program.transpose().map_err(ChoiceError::Lower)?;
                self.simulation = self.simulation.with_stabilised(program)?;
            }
            ConstraintForm::Partitioned | ConstraintForm::Baumgarte => {
                let program = implicit_form(model, equations).map(|form| implicit_program(model, &form));
                let program = program.transpose().map_err(ChoiceError::Lower)?;
                self.simulation = self.simulation.with_partition(program)?;
            }
        }
        Ok(self)
    }

    /// Gives an independent parameter a value in SI units; dependent ones follow.
    pub fn set(&mut self, name: &str, value: f64) -> Result<&mut Compiled, Error> {
        self.simulation.set(name, value)?;
        Ok(self)
    }

    /// A motion that is advanced piece by piece, with inputs that change between the pieces.
    ///
    /// ```
    /// # use cardan::prelude::*;
    /// let text = "
    ///     input F [N] = 0
    ///     particle block on N by translate(x = x) { mass = 2 [kg] }
    ///     force push on block.cm = F * N.x
    /// ";
    /// let mut session = cardan::compile("pushed.mbs", text)?.session(&Settings::default())?;
    /// session.set("F", 4.0)?;
    /// session.advance(1.0)?;
    /// session.set("F", 0.0)?;
    /// session.advance(2.0)?;
    /// assert!((session.state()[0] - 3.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn session(&self, settings: &Settings) -> Result<Session, SessionError> {
        Session::begin(Arc::new(self.simulation.clone()), settings)
    }

    /// Simulates as `settings` asks.
    pub fn simulate(&self, settings: &Settings) -> Result<Results, Error> {
        self.simulate_observed(settings, &mut ())
    }

    /// Simulates, and hands every row to an observer as soon as it is computed.
    ///
    /// A constraint row that is redundant at the start is left out. Where it is not redundant later,
    /// the motion is followed once more with that row kept; the observer is told by
    /// [`Observer::repeat`] and [`Observer::repeated`]. Where even that motion is not sound, the first
    /// one stays, and its `parting` says why.
    pub fn simulate_observed(
        &self,
        settings: &Settings,
        observer: &mut dyn Observer,
    ) -> Result<Results, Error> {
        let first = self.simulation.run(settings, observer)?;
        let Some(parting) = first.parting.clone() else { return Ok(Results::new(first, None)) };
        observer.repeat();
        let second = self.simulate_keeping(settings, &parting, observer);
        observer.repeated(second.is_some());
        Ok(match second {
            Some((compiled, motion)) => Results::new(motion, Some((Box::new(compiled), parting))),
            None => Results::new(first, None),
        })
    }

    /// The motion with one more constraint row kept, if it is sound.
    fn simulate_keeping(
        &self,
        settings: &Settings,
        parting: &Parting,
        observer: &mut dyn Observer,
    ) -> Option<(Compiled, Trajectory)> {
        let (model, host) = (&self.choice.model, self.simulation.host().clone());
        let mut kept = compile_keeping(model, self.options, host, &[parting.place]).ok()?;
        kept.simulation.take_values(&self.simulation);
        let kept = kept.for_constraints(settings.constraints).ok()?;
        let motion = kept.simulation.run(settings, observer).ok()?;
        let is_sound = motion.ending == Ending::Finished
            && !matches!(motion.audit.verdict(), Verdict::Fails | Verdict::Doubtful);
        is_sound.then_some((kept, motion))
    }
}
