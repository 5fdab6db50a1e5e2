//! Another program of the same mechanism, frozen on the sides where the simulation program is.
//!
//! Constraints with unknown multipliers are lowered to a program of their own, in which the same operations switch. Two sets of events would differ by rounding in
//! where they end a side, so there is one, that of `modes`, and the other program is told:
//!
//! ```text
//! [same]       a switch of the other program is the one of the simulation program whose number has the same values in several states
//! [alone]      one that has no partner follows the state
//! [weighted]   on surfaces its outputs are weighted like rates: f⁻ + Σ α_i (f_i - f⁻)
//! ```

use cardan_base::Id;
use cardan_program::{Execute, Host, OutputId, Program, Stages};
use cardan_solve::Failure;

use crate::nonsmooth::mode_program::{Frozen, Scope};
use crate::nonsmooth::modes::{Modes, failed};
use crate::nonsmooth::sliding::weighted;
use crate::nonsmooth::switch::Kind;
use cardan_compile::Plan;
use cardan_jit::{Engine, EngineKind};

/// Numbers of two switches that differ by less than this part of themselves are the same.
const SAME: f64 = 1e-9;
/// In so many states.
const STATES: usize = 3;
/// How far these are from the start.
const APART: f64 = 0.1;

/// Makes inputs of a time and a state, all switches on the sides where the state is.
type Place<'p> = dyn FnMut(f64, &[f64], &mut Told) -> Result<Vec<f64>, Failure> + 'p;
/// The outputs of a program that is told these sides.
type Outputs<'o> = dyn FnMut(&[f64]) -> Result<Vec<f64>, Failure> + 'o;

/// The switches of a frozen program.
#[derive(Clone, Debug)]
pub(crate) struct Telling {
    /// What each is, and the first input that tells its side.
    switches: Vec<(Kind, usize)>,
    /// Delivers their numbers.
    watch: Engine,
    stages: Stages,
}

impl Telling {
    /// Freezes some outputs of a program whose inputs begin with those of the simulation program, and that switch with the state and some `more` inputs. All
    /// outputs stay where they are; sides are further inputs. Nothing where nothing switches.
    pub fn freeze(
        program: &mut Program,
        plan: &Plan,
        (outputs, more, stages): (std::ops::Range<usize>, std::ops::Range<usize>, Stages),
        (kind, host): (EngineKind, &Host),
    ) -> Option<Telling> {
        let scope = Scope {
            outputs: outputs.map(OutputId::from_index).collect(),
            inputs: plan.states.iter().map(|s| s.input).chain(more).collect(),
            stages,
            // Multipliers are such that velocities meet their constraints: as if these were differentiated.
            differentiated: 1,
            discs: false,
        };
        let frozen = Frozen::within(program, plan, &scope).filter(|f| !f.switches.is_empty())?;
        let watch = Engine::with_host(&frozen.watch, kind, host).ok()?;
        *program = frozen.report;
        let switches = frozen.switches.into_iter().map(|s| (s.kind, s.input)).collect();
        Some(Telling { switches, watch, stages })
    }
}

/// The switches of a frozen program during a motion.
pub(crate) struct Told {
    telling: Telling,
    /// Their partners.
    partners: Vec<Option<usize>>,
    numbers: Vec<f64>,
}

impl Told {
    /// Runs the setup with the parameters among `inputs`.
    pub fn new(telling: &Telling, setup: Stages, inputs: &[f64]) -> Result<Told, Failure> {
        let mut telling = telling.clone();
        let mut numbers = vec![0.0; telling.watch.n_outputs()];
        telling.watch.run(setup, inputs, &mut numbers).map_err(failed)?;
        let partners = vec![None; telling.switches.len()];
        Ok(Told { telling, partners, numbers })
    }

    fn set(&self, switch: usize, side: f64, inputs: &mut [f64]) {
        let (kind, first) = &self.telling.switches[switch];
        kind.tell(side, &mut inputs[*first..*first + kind.n_inputs()]);
    }

    fn look(&mut self, inputs: &[f64]) -> Result<(), Failure> {
        self.telling.watch.run(self.telling.stages, inputs, &mut self.numbers).map_err(failed)
    }

    /// Lets those that are `asked` follow the state among `inputs`.
    fn follow(&mut self, inputs: &mut [f64], asked: &dyn Fn(usize) -> bool) -> Result<(), Failure> {
        let n = self.telling.switches.len();
        let mut sides = vec![f64::NAN; n];
        for _ in 0..=n {
            self.look(inputs)?;
            let mut settled = true;
            for k in (0..n).filter(|k| asked(*k)) {
                let side = self.telling.switches[k].0.side(self.numbers[k]);
                if !self.numbers[k].is_nan() && side != sides[k] {
                    sides[k] = side;
                    self.set(k, side, inputs);
                    settled = false;
                }
            }
            if settled {
                break;
            }
        }
        Ok(())
    }

    /// Lets all follow the state among `inputs`.
    pub fn follow_all(&mut self, inputs: &mut [f64]) -> Result<(), Failure> {
        self.follow(inputs, &|_| true)
    }

    /// Finds the partners among the switches of a mechanism, in states around `y`; `place` makes inputs of a state. [same]
    pub fn find_partners(
        &mut self,
        modes: &mut Modes<'_>,
        (t, y): (f64, &[f64]),
        place: &mut Place<'_>,
    ) -> Result<(), Failure> {
        let mut fits = vec![vec![0; modes.len()]; self.telling.switches.len()];
        let mut looks = 0;
        for k in 0..STATES {
            // Irrational steps: no two states and no two coordinates have the same distance.
            let off = |i: usize| {
                APART * (2.0 * ((1 + i + k * y.len()) as f64 * 0.618_033_988_749_894_9).fract() - 1.0)
            };
            let state: Vec<f64> = y.iter().enumerate().map(|(i, y)| y + off(i) * (1.0 + y.abs())).collect();
            let Ok(mut inputs) = place(t, &state, self) else { continue };
            if self.follow_all(&mut inputs).is_err() {
                continue;
            }
            let Ok(numbers) = modes.numbers_at(t, &state) else { continue };
            looks += 1;
            for (fits, a) in fits.iter_mut().zip(&self.numbers) {
                for (fits, b) in fits.iter_mut().zip(&numbers) {
                    let same = (a - b).abs() <= SAME * (a.abs() + b.abs()) || a.is_nan() && b.is_nan();
                    *fits += usize::from(same);
                }
            }
        }
        for (k, fits) in fits.iter().enumerate() {
            let is_partner =
                |m: &usize| looks > 0 && fits[*m] == looks && modes.kind(*m) == &self.telling.switches[k].0;
            self.partners[k] = (0..fits.len()).find(is_partner);
        }
        Ok(())
    }

    /// Tells the sides to the inputs of the frozen program, which hold a state.
    pub fn tell(&mut self, sides: &[f64], inputs: &mut [f64]) -> Result<(), Failure> {
        for k in 0..self.partners.len() {
            if let Some(side) = self.partners[k].and_then(|m| sides.get(m)) {
                self.set(k, *side, inputs);
            }
        }
        if self.partners.contains(&None) {
            let alone: Vec<bool> = self.partners.iter().map(Option::is_none).collect();
            self.follow(inputs, &|k| alone[k])?; // [alone]
        }
        Ok(())
    }
}

impl Modes<'_> {
    /// What a switch is.
    fn kind(&self, k: usize) -> &Kind {
        &self.compiled.frozen.switches[k].kind
    }

    /// The numbers of the switches in a state, each on the side where it is.
    fn numbers_at(&mut self, t: f64, y: &[f64]) -> Result<Vec<f64>, Failure> {
        self.place(t, y);
        self.follow(&|_| true)?;
        Ok(self.numbers[..self.len()].to_vec())
    }

    /// Outputs of a program that is told the sides of a state, weighted on surfaces. [weighted]
    pub fn by_sides(&mut self, t: f64, y: &[f64], outputs: &mut Outputs<'_>) -> Result<Vec<f64>, Failure> {
        self.place(t, y);
        self.follow_free()?;
        if !self.is_sliding() {
            return outputs(&self.sides);
        }
        let (_, alpha) = self.sliding_blend()?;
        let surfaces = self.surfaces.clone();
        if surfaces.iter().any(|s| s.signed) {
            surfaces.iter().zip(&alpha).for_each(|(s, alpha)| self.tell_held(s, *alpha));
            let found = outputs(&self.sides);
            surfaces.iter().for_each(|s| self.tell_held(s, 0.0));
            return found;
        }
        let base = outputs(&self.sides)?;
        let mut changes = vec![];
        for surface in &surfaces {
            self.tell_held(surface, 1.0);
            let above = outputs(&self.sides)?;
            self.tell_held(surface, 0.0);
            changes.push(above.iter().zip(&base).map(|(a, b)| a - b).collect::<Vec<f64>>());
        }
        let mut found = base.clone();
        weighted(&base, &changes, &alpha, &mut found);
        Ok(found)
    }
}
