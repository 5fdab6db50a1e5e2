//! What natural coordinates ask of a mechanism: its pairs, measured values that they know better,
//! reactions of a given motion.

use crate::geometry::Vec3;
use crate::joint_chain::Segment;
use crate::mechanism::{Mechanism, SINGULAR};
use crate::natural::form::Level;
use crate::pairing::Pair;
use crate::scalar_rows::RowLaw;
use crate::template::{FREEDOMS, STATE};

impl Mechanism<'_> {
    /// Pairs of markers with their names, and whether their sizes vary.
    pub(crate) fn pairs(&self) -> Vec<(String, Pair, bool)> {
        let mut found = vec![];
        for group in &self.groups {
            for (k, block) in group.blocks.iter().enumerate() {
                let block = &self.blocks[*block];
                let Some([a, b]) = block.places.as_deref() else { continue };
                let size = group.kernel.input(k, 2 * STATE + 24);
                let pair = Pair { kind: group.kind, a: *a, b: *b, size };
                found.push((block.name.clone(), pair, group.sizes[k].is_some()));
            }
        }
        found
    }

    /// Velocity of the origin of a part's frame and its angular velocity, in inertial axes.
    pub(crate) fn velocity(&self, y: &[f64], part: usize) -> (Vec3, Vec3) {
        let (v, w, _) = self.motion_of_origin(y, part, &self.pose(y, part));
        (v, w)
    }

    /// The rate of a freedom that was measured last.
    pub(crate) fn rate_of(&self, freedom: usize) -> f64 {
        self.rate(freedom)
    }

    /// Takes an angle or displacement, and its rate, for what was measured.
    pub(crate) fn set_measured(&mut self, freedom: usize, value: f64, rate: f64) {
        let (k, i) = self.chain_of(freedom);
        self.measured[k].rates[i] = rate;
        let chain = &self.structure.chains[k];
        let mut at = 0;
        for segment in &chain.segments {
            if let Segment::Translation { travel, .. } | Segment::Rotation { travel, .. } = segment
                && at == i
            {
                travel.coordinate.into_iter().for_each(|c| self.q[c] = value);
                travel.speed.into_iter().for_each(|s| self.u[s] = rate);
            }
            at += segment.freedoms();
        }
    }

    /// Evaluates the expressions with what is measured.
    pub(crate) fn run_scalars(&mut self, t: f64, states: &[f64]) -> Result<(), String> {
        let states = &states[..self.model.states.len()];
        self.scalars.run(t, [&self.q, &self.u, states], &[], &[])
    }

    /// A row between freedoms that are coordinates: values of these at `places`, their rates, and
    /// the gradient.
    pub(crate) fn between(&self, k: usize, places: &[usize], x: [&[f64]; 2], gradient: &mut [f64]) -> Level {
        let row = &self.rows[k];
        gradient.fill(0.0);
        for (d, (_, factor, place)) in gradient.iter_mut().zip(&row.terms) {
            *d = factor * place.map_or(1.0, |p| self.scalars.value(p));
        }
        let value = |p: usize| self.scalars.value(p);
        match &row.law {
            RowLaw::Stated { position, velocity, bias, .. } => {
                Level { value: position.map_or(0.0, value), rate: value(*velocity), gamma: value(*bias) }
            }
            RowLaw::Follows { freedom, places: law } => {
                let own = row.terms.iter().position(|(f, ..)| f == freedom).map_or(0, |i| places[i]);
                Level {
                    value: x[0][own] - value(law[0]),
                    rate: x[1][own] - value(law[1]),
                    gamma: -value(law[2]),
                }
            }
            RowLaw::Held { .. } => Level::default(),
        }
    }

    /// Takes a multiplier of a row between freedoms.
    pub(crate) fn set_multiplier(&mut self, k: usize, lambda: f64) {
        let at = self.blocks[self.first_scalar + k].first;
        self.lambda[at] = lambda;
    }

    /// Rates of auxiliary states at the last evaluation.
    pub(crate) fn rates_of_states(&self, out: &mut [f64]) {
        for (rate, place) in out.iter_mut().zip(&self.state_rates) {
            *rate = self.scalars.value(*place);
        }
    }

    /// What joints bear in a motion with these accelerations of the parts: G M⁻¹ Gᵀ λ = G (a - M⁻¹
    /// (Q - h)).
    pub(crate) fn bear(&mut self, t: f64, y: &[f64], a: &[f64]) -> Result<(), String> {
        self.evaluate(t, y)?;
        self.apply_loads(y)?;
        let mut free = vec![0.0; FREEDOMS * self.n_parts()];
        self.fall(&mut free);
        if self.n_rows > 0 {
            self.factorise(SINGULAR);
            self.add_lent(a, &mut free);
            let missing: Vec<f64> = a.iter().zip(&free).map(|(a, f)| a - f).collect();
            let mut rhs = std::mem::take(&mut self.lambda);
            self.gather(&missing, &mut rhs);
            self.ldl.solve(&mut rhs);
            self.lambda = rhs;
        }
        self.acceleration.copy_from_slice(a);
        Ok(())
    }
}
