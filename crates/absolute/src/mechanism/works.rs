//! Works of loads, drives and contacts, which the energy balance counts.

use cardan_base::Id;
use cardan_model::ConstraintId;

use crate::implicit::Step;
use crate::mechanism::Mechanism;

/// Loads, drives and contacts whose work is recorded, by index.
#[derive(Clone, Debug, Default)]
pub struct Works {
    /// Loads without a potential.
    pub loads: Vec<usize>,
    /// Drives.
    pub drives: Vec<usize>,
    /// The number of contacts between shapes, all of which do work.
    pub n_contacts: usize,
}

impl Works {
    /// Of a mechanism.
    pub fn of(mechanism: &Mechanism<'_>) -> Works {
        let model = mechanism.model;
        let loads = model.loads.iter().filter(|(_, l)| l.potential.is_none() && !l.conservative);
        let drives = model.constraints.iter().filter(|(_, c)| c.kind.is_drive());
        Works {
            loads: loads.map(|(id, _)| id.index()).collect(),
            drives: drives.map(|(id, _)| id.index()).collect(),
            n_contacts: mechanism.contact_laws().len(),
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.loads.len() + self.drives.len() + self.n_contacts
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their powers at the last evaluation.
    pub fn powers(&self, m: &Mechanism<'_>) -> Vec<f64> {
        let loads = self.loads.iter().map(|l| m.powers[*l]);
        let drives = self.drives.iter().map(|d| m.drive_power(ConstraintId::from_index(*d)));
        let contacts = m.contacts.iter().flat_map(|c| &c.sums).map(|sums| sums.power);
        loads.chain(drives).chain(contacts).collect()
    }
}

/// Works by the trapezoidal rule, beside a method that does not integrate them.
#[derive(Clone, Debug)]
pub struct Trapezoids {
    works: Works,
    before: Vec<f64>,
    after: Vec<f64>,
    powers: Option<Vec<f64>>,
}

impl Trapezoids {
    /// From these works on.
    pub fn new(works: Works, from: &[f64]) -> Trapezoids {
        Trapezoids { works, before: from.to_vec(), after: from.to_vec(), powers: None }
    }

    /// Adds a step.
    pub fn add(&mut self, m: &mut Mechanism<'_>, step: &Step<'_>) -> Result<(), String> {
        self.before.clone_from(&self.after);
        if self.works.is_empty() {
            return Ok(());
        }
        let mut at = |k: usize| {
            m.accelerate(step.times[k], step.states[k])?;
            Ok::<_, String>(self.works.powers(m))
        };
        let old = match self.powers.take() {
            Some(old) => old,
            None => at(0)?,
        };
        let new = at(1)?;
        let h = step.times[1] - step.times[0];
        for ((w, p), q) in self.after.iter_mut().zip(&old).zip(&new) {
            *w += 0.5 * h * (p + q);
        }
        self.powers = Some(new);
        Ok(())
    }

    /// At a part of the last step.
    pub fn at(&self, part: f64) -> impl Iterator<Item = f64> + '_ {
        self.before.iter().zip(&self.after).map(move |(w, z)| w + part * (z - w))
    }
}
