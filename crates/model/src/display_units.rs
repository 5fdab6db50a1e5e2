//! How results show what they hold without being asked: coordinates, speeds, states, energies, works.

use cardan_units::Dimension;

use crate::{Model, Quantity};

impl Model {
    /// The energies and works that results hold, by name.
    pub fn energies(&self) -> Vec<String> {
        let mut names: Vec<String> = ["kinetic", "gravity", "residual"].map(|e| format!("energy.{e}")).into();
        for (_, load) in self.loads.iter() {
            if load.potential.is_some() {
                names.push(format!("energy.{}", load.name));
            }
            if !load.conservative {
                names.push(format!("work.{}", load.name));
            }
        }
        let drives = self.constraints.iter().filter(|(_, c)| c.kind.is_motion());
        names.extend(drives.map(|(_, c)| format!("work.{}", c.name)));
        if !self.hybrid.events.is_empty() {
            names.push("events.work".into());
        }
        names
    }

    /// What results hold under this name: a coordinate, a speed, a state, a parameter that stands for a locked coordinate, or an energy of which
    /// something was said.
    fn held_mut(&mut self, name: &str) -> Option<&mut Quantity> {
        let coordinates = self.coordinates.iter_mut().map(|(_, q)| &mut q.quantity);
        let speeds = self.speeds.iter_mut().map(|(_, u)| &mut u.quantity);
        let states = self.states.iter_mut().map(|(_, s)| &mut s.quantity);
        let discretes = self.hybrid.discretes.iter_mut().map(|(_, d)| &mut d.quantity);
        let parameters = self.parameters.iter_mut().map(|(_, p)| &mut p.quantity);
        let all = coordinates.chain(speeds).chain(states).chain(discretes).chain(parameters);
        all.chain(&mut self.shown).find(|q| q.name == name)
    }

    /// Says in which unit and with which words results show what they hold under this name; false if they hold nothing so.
    pub fn show(&mut self, name: &str, unit: Option<&str>, description: Option<&str>) -> bool {
        if self.held_mut(name).is_none() && self.energies().iter().any(|e| e == name) {
            self.shown.push(Quantity::new(name, Dimension::ENERGY));
        }
        let Some(quantity) = self.held_mut(name) else { return false };
        if let Some(unit) = unit {
            quantity.display_unit = Some(unit.to_owned());
        }
        if let Some(description) = description {
            quantity.description = description.to_owned();
        }
        true
    }
}
