//! An instance of a unit: a session, and what other programs may do with it.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use cardan::analysis::{StateArguments, StateFunction, StateQuestion, Study};
use cardan::assembly::ParameterValues;
use cardan::compile::Choice;
use cardan::model::Causality;
use cardan::sim::{Session, SessionError, Settings, Settled};
use cardan::{Options, compile_model, parse, resolve};

use crate::variables::{Variable, variables};

/// The text of the model among the resources of a unit.
pub const MODEL: &str = "model.mbs";

/// A state of an instance that can be taken and given back.
#[derive(Clone, Debug)]
pub struct Snapshot {
    session: Session,
    starts: Vec<Option<f64>>,
    is_begun: bool,
}

/// An instance of a unit. Numbers are in SI units.
#[derive(Clone, Debug)]
pub struct Instance {
    variables: Vec<Variable>,
    /// Shared by the copies of one component alone, which one thread uses at a time.
    choice: Rc<Choice>,
    session: Session,
    /// The exact derivatives of rates and outputs by states and inputs, made when they are first asked for.
    slopes: Option<Box<[StateFunction; 2]>>,
    /// Starts of states that were given from outside.
    starts: Vec<Option<f64>>,
    /// Whether the motion has begun: parameters and starts are settled.
    is_begun: bool,
    /// Whether something was given since the motion was last started.
    is_stale: bool,
    /// Outputs and derivatives of the present state.
    outputs: Option<Vec<f64>>,
    derivatives: Option<Vec<f64>>,
}

impl Instance {
    /// An instance of the model in a folder of resources.
    pub fn load(resources: &Path) -> Result<Instance, String> {
        let path = resources.join(MODEL);
        let text =
            std::fs::read_to_string(&path).map_err(|e| format!("{} cannot be read: {e}", path.display()))?;
        Instance::of_text(&text)
    }

    /// An instance of the model of a text.
    pub fn of_text(text: &str) -> Result<Instance, String> {
        let model = resolve(parse(MODEL, text)).into_model().map_err(|e| e.to_string())?;
        let settings = Settings::of(&model, &ParameterValues::of(&model)).map_err(|e| e.to_string())?;
        let options = Options { formalism: settings.formalism, ..Options::default() };
        let compiled = compile_model(&model, options).map_err(|e| e.to_string())?;
        let session = Session::begin(Arc::new(compiled.simulation), &settings).map_err(|e| e.to_string())?;
        let plan = session.simulation().plan();
        Ok(Instance {
            variables: variables(plan, session.n_indicators().map_err(words)?),
            starts: vec![None; plan.states.len()],
            choice: Rc::new(compiled.choice),
            slopes: None,
            session,
            is_begun: false,
            is_stale: false,
            outputs: None,
            derivatives: None,
        })
    }

    /// How many continuous states there are.
    pub fn n_states(&self) -> usize {
        self.starts.len()
    }

    /// The present time.
    pub fn time(&self) -> f64 {
        self.session.time()
    }

    /// The time at which the motion begins.
    pub fn start_at(&mut self, from: f64) -> Result<(), String> {
        self.session.start_at(from).map_err(words)?;
        self.is_stale = true;
        Ok(())
    }

    /// Settles parameters and starts.
    pub fn begin(&mut self) -> Result<(), String> {
        self.settle_start()?;
        self.is_begun = true;
        Ok(())
    }

    /// Back to before the beginning, with the values that the model has.
    pub fn reset(&mut self, fresh: &Instance) {
        *self = fresh.clone();
    }

    /// Starts the motion anew where something was given before it has begun.
    fn settle_start(&mut self) -> Result<(), String> {
        if !std::mem::take(&mut self.is_stale) {
            return Ok(());
        }
        self.forget();
        self.session.restart().map_err(words)?;
        if self.starts.iter().any(Option::is_some) {
            let state = self.session.state().iter().zip(&self.starts);
            let state: Vec<f64> = state.map(|(own, given)| given.unwrap_or(*own)).collect();
            self.session.set_state(&state).map_err(words)?;
        }
        Ok(())
    }

    fn forget(&mut self) {
        (self.outputs, self.derivatives) = (None, None);
    }

    fn variable(&self, reference: u32) -> Result<Variable, String> {
        let place = usize::try_from(reference).ok();
        let found = place.and_then(|k| self.variables.get(k)).copied();
        found.ok_or_else(|| format!("there is no variable with the value reference {reference}"))
    }

    /// The value of a variable.
    pub fn get(&mut self, reference: u32) -> Result<f64, String> {
        let variable = self.variable(reference)?;
        self.settle_start()?;
        Ok(match variable {
            Variable::Time => self.session.time(),
            Variable::State(k) => self.session.state()[k],
            Variable::Derivative(k) => self.derivatives()?[k],
            Variable::Given(k, _) => self.session.value_at(k),
            Variable::Output(k) => {
                if self.outputs.is_none() {
                    self.outputs = Some(self.session.outputs().map_err(words)?);
                }
                self.outputs.as_ref().map_or(f64::NAN, |list| list[k])
            }
            Variable::Discrete(k) => self.session.discretes()[k],
            Variable::Indicator(k) => self.indicators()?[k],
        })
    }

    /// Gives a variable a value: a parameter or the start of a state before the motion, an input at any time.
    pub fn set(&mut self, reference: u32, value: f64) -> Result<(), String> {
        match self.variable(reference)? {
            Variable::Given(k, causality) => {
                if self.is_begun && causality == Causality::Parameter && self.session.value_at(k) != value {
                    return Err("a parameter is fixed once the motion has begun".to_owned());
                }
                self.session.set_place(k, value).map_err(words)?;
                self.is_stale |= !self.is_begun;
            }
            Variable::State(k) if !self.is_begun => {
                if !value.is_finite() {
                    return Err("a start is not a finite number".to_owned());
                }
                self.starts[k] = Some(value);
                self.is_stale = true;
            }
            _ => return Err("this variable is computed and cannot be set".to_owned()),
        }
        self.forget();
        Ok(())
    }

    /// The continuous states.
    pub fn states(&mut self) -> Result<&[f64], String> {
        self.settle_start()?;
        Ok(self.session.state())
    }

    /// The time derivatives of the continuous states.
    pub fn derivatives(&mut self) -> Result<&[f64], String> {
        self.settle_start()?;
        if self.derivatives.is_none() {
            self.derivatives = Some(self.session.derivatives().map_err(words)?);
        }
        Ok(self.derivatives.as_deref().unwrap_or(&[]))
    }

    /// Puts an integrator's time and states into the instance, as they are.
    pub fn place(&mut self, t: f64, states: Option<&[f64]>) -> Result<(), String> {
        self.session.place_at(t, states).map_err(words)?;
        self.forget();
        Ok(())
    }

    /// Numbers whose signs tell of events.
    pub fn indicators(&mut self) -> Result<Vec<f64>, String> {
        self.settle_start()?;
        self.session.indicators().map_err(words)
    }

    /// How many of them there are.
    pub fn n_indicators(&self) -> usize {
        self.variables.iter().filter(|v| matches!(v, Variable::Indicator(_))).count()
    }

    /// Lets everything happen that is due now.
    pub fn happen(&mut self) -> Result<Settled, String> {
        self.settle_start()?;
        self.forget();
        self.session.settle().map_err(words)
    }

    /// Whether an event is needed after a step, because constraints have been left.
    pub fn has_drifted(&self) -> Result<bool, String> {
        self.session.has_drifted().map_err(words)
    }

    /// Follows the motion to a time. `Ok(false)`: a block of the model has ended it before.
    pub fn advance(&mut self, to: f64) -> Result<bool, String> {
        self.forget();
        match self.session.advance(to) {
            Ok(()) => Ok(true),
            Err(SessionError::Ended(_)) => Ok(false),
            Err(error) => Err(words(error)),
        }
    }

    /// ∂(unknown)/∂(known) along a direction: exactly where rates and outputs are asked for by states and inputs of equations without
    /// switches, by central differences else.
    pub fn directional(&mut self, unknown: &[u32], known: &[u32], seed: &[f64]) -> Result<Vec<f64>, String> {
        self.settle_start()?;
        match self.exact(unknown, known, seed)? {
            Some(found) => Ok(found),
            None => self.differences(unknown, known, seed),
        }
    }

    fn exact(&mut self, unknown: &[u32], known: &[u32], seed: &[f64]) -> Result<Option<Vec<f64>>, String> {
        let simulation = self.session.simulation();
        let n = simulation.plan().states.len();
        let inputs: Vec<usize> = simulation.plan().inputs();
        if !simulation.is_smooth_tree() {
            return Ok(None);
        }
        let mut direction = vec![0.0; n + inputs.len()];
        for (reference, seed) in known.iter().zip(seed) {
            match self.variable(*reference)? {
                Variable::State(k) => direction[k] += seed,
                Variable::Given(k, Causality::Input) => match inputs.iter().position(|place| *place == k) {
                    Some(place) => direction[n + place] += seed,
                    None => return Ok(None),
                },
                _ => return Ok(None),
            }
        }
        let unknown: Vec<Variable> = unknown.iter().map(|r| self.variable(*r)).collect::<Result<_, _>>()?;
        if !unknown.iter().all(|v| matches!(v, Variable::Derivative(_) | Variable::Output(_))) {
            return Ok(None);
        }
        // Parameters are fixed once the motion has begun: before, the functions would have to be made anew.
        if !self.is_begun {
            return Ok(None);
        }
        if self.slopes.is_none() {
            let mut study = Study::of(&self.choice, &[]).map_err(|e| e.to_string())?;
            for (k, slot) in self.session.simulation().plan().parameters.iter().enumerate() {
                study.set(&slot.label.name, self.session.value_at(k)).map_err(|e| e.to_string())?;
            }
            let make =
                |question| StateFunction::of(&self.choice, &study, question).map_err(|e| e.to_string());
            self.slopes =
                Some(Box::new([make(StateQuestion::Jacobian)?, make(StateQuestion::OutputJacobian)?]));
        }
        let u: Vec<f64> = inputs.iter().map(|k| self.session.value_at(*k)).collect();
        let arguments = StateArguments {
            t: self.session.time(),
            x: self.session.state(),
            u: Some(&u),
            accelerations: &[],
        };
        let mut products = [vec![], vec![]];
        for (function, products) in self.slopes.iter_mut().flat_map(|s| s.iter_mut()).zip(&mut products) {
            let mut matrix = vec![0.0; function.len()];
            function.at(&arguments, &mut matrix).map_err(|e| e.to_string())?;
            let row = |row: &[f64]| row.iter().zip(&direction).map(|(a, b)| a * b).sum();
            *products = matrix.chunks(direction.len().max(1)).map(row).collect::<Vec<f64>>();
        }
        let place = |v: &Variable| match v {
            Variable::Derivative(k) => products[0][*k],
            Variable::Output(k) => products[1][*k],
            _ => f64::NAN,
        };
        Ok(Some(unknown.iter().map(place).collect()))
    }

    fn differences(&mut self, unknown: &[u32], known: &[u32], seed: &[f64]) -> Result<Vec<f64>, String> {
        let here = self.snapshot();
        let size = seed.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
        if size == 0.0 {
            return Ok(vec![0.0; unknown.len()]);
        }
        let mut at = |part: f64| -> Result<Vec<f64>, String> {
            self.restore(&here);
            let mut states = self.states()?.to_vec();
            for (reference, seed) in known.iter().zip(seed) {
                match self.variable(*reference)? {
                    Variable::State(k) => states[k] += part * seed,
                    Variable::Given(k, _) => {
                        let value = self.session.value_at(k) + part * seed;
                        self.session.set_place(k, value).map_err(words)?;
                    }
                    _ => return Err("derivatives are by states, inputs and parameters".to_owned()),
                }
            }
            let t = self.session.time();
            self.place(t, Some(&states))?;
            unknown.iter().map(|r| self.get(*r)).collect()
        };
        let h = DIFFERENCE / size;
        let found = at(h).and_then(|above| Ok((above, at(-h)?)));
        self.restore(&here);
        let (above, below) = found?;
        Ok(above.iter().zip(&below).map(|(a, b)| (a - b) / (2.0 * h)).collect())
    }

    /// The present state of everything.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { session: self.session.clone(), starts: self.starts.clone(), is_begun: self.is_begun }
    }

    /// Gives a state back that was taken before.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.session = snapshot.session.clone();
        self.starts.clone_from(&snapshot.starts);
        self.is_begun = snapshot.is_begun;
        self.is_stale = false;
        self.forget();
    }

    /// A state as bytes.
    pub fn save(snapshot: &Snapshot) -> Vec<u8> {
        let mut bytes = vec![u8::from(snapshot.is_begun)];
        bytes.extend(snapshot.session.save());
        bytes
    }

    /// A state from its bytes.
    pub fn read(&self, bytes: &[u8]) -> Result<Snapshot, String> {
        let (first, rest) = bytes.split_first().ok_or_else(|| words(SessionError::Foreign))?;
        let mut session = self.session.clone();
        session.restore(rest).map_err(words)?;
        Ok(Snapshot { session, starts: vec![None; self.starts.len()], is_begun: *first != 0 })
    }
}

/// The width of central differences, in SI units.
const DIFFERENCE: f64 = 1e-6;

fn words(error: SessionError) -> String {
    error.to_string()
}
