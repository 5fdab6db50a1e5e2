//! Compliant contacts: forces at each point of overlap.
//!
//! ```text
//! [normal]    N = max(0, k δ^p (1 + d δ̇))           Hertz with p = 3/2, Hunt and Crossley (1975) with d
//! [friction]  F = -μ N v_t/√(v_t² + v_s²)            Coulomb's law, smooth below the sliding speed v_s
//! ```

use crate::geometry as g;
use crate::mechanism::Mechanism;
use crate::parts::GROUND;
use crate::template::STATE;

impl Mechanism<'_> {
    /// Adds the forces of compliant contacts at a state.
    pub(crate) fn apply_compliant_contacts(&mut self, y: &[f64]) {
        let Some(mut contacts) = self.contacts.take() else { return };
        if contacts.pairs.laws.iter().all(|l| l.compliance.is_none()) {
            self.contacts = Some(contacts);
            return;
        }
        contacts.detect(y, 0.0);
        for (sums, law) in contacts.sums.iter_mut().zip(&contacts.pairs.laws) {
            if law.compliance.is_some() {
                *sums = Default::default();
            }
        }
        for point in &contacts.found {
            let [a, b] = point.colliders;
            let Some(k) = contacts.pairs.of(a, b) else { continue };
            let law = &contacts.pairs.laws[k];
            let Some(c) = law.compliance else { continue };
            let [a, b] = [a, b].map(|c| contacts.pairs.parts[c]);
            let depth = (-point.gap).max(0.0);
            let place = g::scale(0.5, g::add(point.at[0], point.at[1]));
            let relative = g::sub(velocity_at(y, a, place), velocity_at(y, b, place));
            let rate = g::dot(relative, point.normal);
            let normal = (c.stiffness * depth.powf(c.exponent) * (1.0 - c.damping * rate)).max(0.0);
            let sliding = g::sub(relative, g::scale(rate, point.normal));
            let speed = (g::dot(sliding, sliding) + c.regularisation * c.regularisation).sqrt();
            let force =
                g::sub(g::scale(normal, point.normal), g::scale(law.friction * normal / speed, sliding));
            let power = self.push(y, a, force, place) + self.push(y, b, g::scale(-1.0, force), place);
            let sums = &mut contacts.sums[k];
            sums.points += 1.0;
            sums.normal += normal;
            sums.depth = sums.depth.max(depth);
            sums.power += power;
        }
        self.contacts = Some(contacts);
    }
}

/// The velocity of a part at a place.
fn velocity_at(y: &[f64], part: usize, place: g::Vec3) -> g::Vec3 {
    if part == GROUND {
        return [0.0; 3];
    }
    let s = &y[STATE * part..][..STATE];
    let w = g::apply(&g::matrix([s[3], s[4], s[5], s[6]]), [s[10], s[11], s[12]]);
    g::add([s[7], s[8], s[9]], g::cross(w, g::sub(place, [s[0], s[1], s[2]])))
}
