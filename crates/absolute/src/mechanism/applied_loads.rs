//! Forces on parts, energies and powers.

use crate::geometry::{self as g, Vec3};
use crate::loads::MovingPoint;
use crate::mechanism::{AT_REST, Mechanism};
use crate::parts::GROUND;
use crate::template::{FREEDOMS, STATE};

impl Mechanism<'_> {
    /// Forces on all parts at the last evaluation; potentials and powers of loads.
    pub(crate) fn apply_loads(&mut self, y: &[f64]) -> Result<(), String> {
        for (k, part) in self.structure.parts.iter().enumerate() {
            let s = &y[STATE * k..];
            let w = [s[10], s[11], s[12]];
            let gyroscopic = g::cross(w, g::apply(&part.inertia, w)); // [newton]
            let f = &mut self.force[FREEDOMS * k..][..FREEDOMS];
            for i in 0..3 {
                f[i] = part.mass * self.gravity[i];
                f[i + 3] = -gyroscopic[i];
            }
        }
        let state = |part: usize| if part == GROUND { &AT_REST[..] } else { &y[STATE * part..][..STATE] };
        for group in &mut self.loads.groups {
            for (k, instance) in group.instances.iter().enumerate() {
                group.kernel.set(k, 0, state(instance.parts[0]));
                group.kernel.set(k, STATE, state(instance.parts[1]));
            }
            group.kernel.run()?;
            for (k, instance) in group.instances.iter().enumerate() {
                for (s, part) in instance.parts.iter().enumerate().filter(|(_, p)| **p != GROUND) {
                    for j in 0..FREEDOMS {
                        self.force[FREEDOMS * part + j] += group.kernel.output(k, FREEDOMS * s + j);
                    }
                }
                if let Some(load) = instance.potential {
                    self.potentials[load] = group.kernel.output(k, 2 * FREEDOMS);
                }
                for (load, place) in &instance.powers {
                    self.powers[*load] = group.kernel.output(k, *place);
                }
            }
        }
        for k in 0..self.loads.stated.len() {
            self.apply_stated(y, k);
        }
        self.apply_compliant_contacts(y);
        self.force.iter_mut().zip(&self.contact_forces).for_each(|(f, c)| *f += c);
        for (load, place) in &self.loads.potentials {
            self.potentials[*load] = self.scalars.value(*place);
        }
        Ok(())
    }

    pub(super) fn apply_stated(&mut self, y: &[f64], k: usize) {
        let load = self.loads.stated[k].clone();
        let mut vector = [0.0; 3];
        for (part, axis, place) in &load.terms {
            let axis = g::apply(&self.pose(y, *part).r, *axis);
            vector = g::add(vector, g::scale(self.scalars.value(*place), axis));
        }
        let at = |m: &Mechanism<'_>, p: &MovingPoint| {
            let point = p.frame.pose.at(p.coordinates.map(|c| m.scalars.value(c)));
            m.pose(y, p.frame.part).at(point)
        };
        let mut power = 0.0;
        match &load.at {
            Some(point) => {
                let place = at(self, point);
                power += self.push(y, load.on, vector, place);
                if let Some((part, elsewhere)) = &load.reaction {
                    let place = elsewhere.as_ref().map_or(place, |p| at(self, p));
                    power += self.push(y, *part, g::scale(-1.0, vector), place);
                }
            }
            None => {
                power += self.twist(y, load.on, vector);
                if let Some((part, _)) = &load.reaction {
                    power += self.twist(y, *part, g::scale(-1.0, vector));
                }
            }
        }
        self.powers[load.load] = power;
    }

    /// A force on a part at a place; its power.
    pub(crate) fn push(&mut self, y: &[f64], part: usize, force: Vec3, place: Vec3) -> f64 {
        if part == GROUND {
            return 0.0;
        }
        let s = &y[STATE * part..];
        let r = g::matrix([s[3], s[4], s[5], s[6]]);
        let arm = g::sub(place, [s[0], s[1], s[2]]);
        let torque = g::apply_transposed(&r, g::cross(arm, force));
        let f = &mut self.force[FREEDOMS * part..][..FREEDOMS];
        (0..3).for_each(|i| {
            f[i] += force[i];
            f[i + 3] += torque[i];
        });
        g::dot(force, [s[7], s[8], s[9]]) + g::dot(torque, [s[10], s[11], s[12]])
    }

    pub(super) fn twist(&mut self, y: &[f64], part: usize, torque: Vec3) -> f64 {
        if part == GROUND {
            return 0.0;
        }
        let s = &y[STATE * part..];
        let r = g::matrix([s[3], s[4], s[5], s[6]]);
        let torque = g::apply_transposed(&r, torque);
        let f = &mut self.force[FREEDOMS * part..][..FREEDOMS];
        (0..3).for_each(|i| f[i + 3] += torque[i]);
        g::dot(torque, [s[10], s[11], s[12]])
    }

    /// Kinetic energy, and potential energy of gravity.
    pub fn energies(&self, y: &[f64]) -> (f64, f64) {
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for (k, part) in self.structure.parts.iter().enumerate() {
            let s = &y[STATE * k..][..STATE];
            let (v, w) = ([s[7], s[8], s[9]], [s[10], s[11], s[12]]);
            kinetic += 0.5 * (part.mass * g::dot(v, v) + g::dot(w, g::apply(&part.inertia, w)));
            potential -= part.mass * g::dot(self.gravity, [s[0], s[1], s[2]]);
        }
        (kinetic, potential)
    }
}
