//! The jump of a mechanism by impulses, and under constraints, in a complete program, as in a run.
//!
//! ```text
//! [close]    q ← q + δq, a fixed number of times, with assigned coordinates kept
//! [jump]     u ← u + Δu in the position that is reached, by which assigned speeds get their values
//! [overwrite] u is the overwritten speed before the jump already
//! [refuse]   a demand that the constraints contradict is told to the program, which ends
//! ```
//!
//! The program of events is spliced in once more for each stage of this; what is equal is computed once.

use cardan_base::Id;
use cardan_lower::{EventProgram, ImpactPlaces};
use cardan_model::Target;
use cardan_program::{Binary, Compare, Unary, ValueId};

use crate::error::Error;
use crate::link::Composer;

/// Corrections of the position: Newton's method, each squares the gap.
const CORRECTIONS: usize = 8;
/// More than this is no closed loop, or no coordinate kept.
const CLOSED: f64 = 1e-7;

/// What a block makes of the state.
pub(crate) struct Jump {
    /// All coordinates, then all speeds.
    pub state: Vec<ValueId>,
    /// Whether the constraints contradict it.
    pub refused: ValueId,
}

/// The block that happens, of all.
pub(crate) struct Happening<'h> {
    pub found: &'h EventProgram,
    /// The outputs of the event program in the state before.
    pub values: &'h [ValueId],
    /// Per event whether it happens.
    pub happens: &'h [ValueId],
}

impl Happening<'_> {
    /// The first of the given outputs whose block happens, else `other`.
    fn chosen(
        &self,
        composer: &mut Composer,
        list: impl Fn(usize) -> Option<usize>,
        other: ValueId,
    ) -> ValueId {
        let mut value = other;
        for (event, happens) in self.happens.iter().enumerate() {
            if let Some(output) = list(event) {
                value = composer.builder.select(*happens, self.values[output], value);
            }
        }
        value
    }

    fn value(&self, event: usize, target: Target) -> Option<usize> {
        let mut list = self.found.events[event].assignments.iter();
        list.find(|(t, _)| t.quantity() == target).map(|(_, output)| *output)
    }

    fn mark(&self, event: usize, target: Target) -> Option<usize> {
        self.found.events[event].marks.iter().find(|(t, _)| t.quantity() == target).map(|(_, output)| *output)
    }

    /// The value of a speed that a block overwrites or has struck. [overwrite]
    fn overwritten(&self, event: usize, speed: usize) -> Option<usize> {
        let id = Id::from_index(speed);
        let is_this = |t: Target| t == Target::Overwrite(id) || t == Target::Struck(id);
        self.found.events[event].assignments.iter().find(|(t, _)| is_this(*t)).map(|(_, output)| *output)
    }

    /// The state after the block that happens.
    pub fn jump(&self, composer: &mut Composer, impact: &ImpactPlaces) -> Result<Jump, Error> {
        let layout = &self.found.inputs;
        let n_common = layout.discretes.end;
        let zero = composer.builder.constant(0.0);
        let mut further = vec![zero; self.found.program.inputs().len() - n_common];
        for c in &impact.coordinates {
            let target = Target::Coordinate(c.id);
            further[c.mark - n_common] = self.chosen(composer, |e| self.mark(e, target), zero);
        }
        for s in &impact.speeds {
            let target = Target::Speed(s.id);
            further[s.mark - n_common] = self.chosen(composer, |e| self.mark(e, target), zero);
            further[s.value - n_common] = self.chosen(composer, |e| self.value(e, target), zero);
        }
        let mut before: Vec<ValueId> = layout.state().map(|k| composer.common(k)).collect();
        let n = layout.coordinates.len();
        let mut moves = composer.builder.truth(false);
        for (place, happens) in self.found.events.iter().zip(self.happens) {
            let struck = |(t, _): &(Target, usize)| matches!(t, Target::Struck(_));
            if !place.marks.is_empty() || place.assignments.iter().any(struck) {
                moves = composer.builder.or(moves, *happens);
            }
        }

        let mut places: Vec<(usize, ValueId)> = vec![];
        for (k, before) in before[..n].iter().enumerate() {
            let target = Target::Coordinate(Id::from_index(k));
            let value = self.chosen(composer, |e| self.value(e, target), *before);
            places.push((layout.coordinates.start + k, value));
        }
        let assigned: Vec<ValueId> = places.iter().map(|(_, v)| *v).collect();
        for k in layout.discretes.clone() {
            let target = Target::Discrete(Id::from_index(k - layout.discretes.start));
            let common = composer.common(k);
            places.push((k, self.chosen(composer, |e| self.value(e, target), common)));
        }
        let old = before.clone();
        for k in 0..layout.speeds.len() {
            before[n + k] = self.chosen(composer, |e| self.overwritten(e, k), before[n + k]);
            if before[n + k] != old[n + k] {
                places.push((layout.speeds.start + k, before[n + k]));
            }
        }
        let program = &self.found.program;
        if !impact.coordinates.is_empty() {
            for _ in 0..CORRECTIONS {
                let values = composer.add_with(program, &places, &further, "events")?;
                for (place, change) in places.iter_mut().zip(impact.position.clone()) {
                    place.1 = composer.builder.add(place.1, values[change]); // [close]
                }
            }
        }
        let values = composer.add_with(program, &places, &further, "events")?;
        let b = &mut composer.builder;
        // What must not be positive, the worst of all.
        let mut excess = b.constant(-1.0);
        for s in &impact.speeds {
            excess = b.binary(Binary::Max, excess, values[s.unmet]);
        }
        if !impact.coordinates.is_empty() {
            let limit = b.constant(CLOSED);
            let mut open: Vec<ValueId> = impact.gaps.clone().map(|gap| values[gap]).collect();
            for c in &impact.coordinates {
                let k = c.id.index();
                let shift = b.sub(places[k].1, assigned[k]);
                open.push(b.mul(shift, further[c.mark - n_common]));
            }
            for gap in open {
                let size = b.unary(Unary::Abs, gap);
                let over = b.sub(size, limit);
                excess = b.binary(Binary::Max, excess, over);
            }
        }
        let refused = b.compare(Compare::Lt, zero, excess); // [refuse]
        let mut after: Vec<ValueId> = places[..n].iter().map(|(_, value)| *value).collect();
        for (k, change) in impact.velocity.clone().enumerate() {
            let mut new = b.add(before[n + k], values[change]); // [jump]
            if let Some(s) = impact.speeds.iter().find(|s| s.id.index() == k) {
                let marked = b.compare(Compare::Lt, zero, further[s.mark - n_common]);
                new = b.select(marked, further[s.value - n_common], new);
            }
            after.push(new);
        }
        let state = after.into_iter().zip(old).map(|(new, old)| b.select(moves, new, old)).collect();
        Ok(Jump { state, refused })
    }
}
