//! The jump of a mechanism by impulses, and under constraints.
//!
//! ```text
//! [close]      q ← q + δq with assigned coordinates kept, until the loops are closed
//! [jump]       u ← u + Δu, the least change in the metric of the masses by which assigned speeds get their values, in the position that is reached
//! ```
//!
//! Both come from the program of events; a demand that the constraints contradict is told with the numbers that they allow.

use cardan_base::Id;
use cardan_lower::ImpactPlaces;
use cardan_model::Target;
use cardan_program::InputId;
use cardan_solve::Failure;

use crate::events::Logic;
use cardan_base::without_noise;

/// More corrections do not close a loop either.
const MOST: usize = 60;
/// Gaps below this are closed, in SI units.
const CLOSED: f64 = 1e-9;
/// No correction makes a gap below this smaller.
const ROUNDING: f64 = 1e-15;
/// An assigned coordinate that differs by more than this part of its size has not been kept.
const KEPT: f64 = 1e-9;

/// A jump on its way.
pub(crate) struct Jump<'i> {
    impact: &'i ImpactPlaces,
    event: usize,
    /// Numbers of the coordinates that the block assigns, and their values.
    coordinates: Vec<(usize, f64)>,
    /// Places of the speeds among those of the impact, and their values.
    speeds: Vec<(usize, f64)>,
}

impl<'i> Jump<'i> {
    /// Looks at what a block assigns, in the state before it, which has been computed.
    pub fn begin(logic: &mut Logic<'_>, impact: &'i ImpactPlaces, event: usize) -> Self {
        let place = &logic.program.events[event];
        let value = |target: Target| {
            let is_this = |t: &Target| t.quantity() == target;
            let marked = place.marks.iter().any(|(t, mark)| is_this(t) && logic.outputs[*mark] != 0.0);
            let found = place.assignments.iter().find(|(t, _)| is_this(t));
            found.filter(|_| marked).map(|(_, output)| logic.outputs[*output])
        };
        let coordinates = impact.coordinates.iter();
        let coordinates = coordinates.filter_map(|c| Some((c.id.index(), value(Target::Coordinate(c.id))?)));
        let speeds = impact.speeds.iter().enumerate();
        let speeds = speeds.filter_map(|(k, s)| Some((k, value(Target::Speed(s.id))?)));
        Jump { impact, event, coordinates: coordinates.collect(), speeds: speeds.collect() }
    }

    /// The state after the block, of one whose assigned coordinates have their values and whose speeds are those before.
    pub fn end(self, logic: &mut Logic<'_>, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        let impact = self.impact;
        for c in &impact.coordinates {
            let assigned = self.coordinates.iter().any(|(k, _)| *k == c.id.index());
            logic.inputs[c.mark] = f64::from(u8::from(assigned));
        }
        for (k, s) in impact.speeds.iter().enumerate() {
            let assigned = self.speeds.iter().find(|(j, _)| *j == k);
            logic.inputs[s.mark] = f64::from(u8::from(assigned.is_some()));
            logic.inputs[s.value] = assigned.map_or(0.0, |(_, value)| *value);
        }
        if !self.coordinates.is_empty() {
            self.close(logic, t, y)?;
        }
        self.share(logic, t, y)
    }

    /// [close]
    fn close(&self, logic: &mut Logic<'_>, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        let mut gap = f64::INFINITY;
        for k in 0..MOST {
            logic.compute(t, y)?;
            let gaps = &logic.outputs[self.impact.gaps.clone()];
            let now = gaps.iter().fold(0.0, |m: f64, g| if g.abs() > m || g.is_nan() { g.abs() } else { m });
            if now <= ROUNDING || now <= CLOSED && now >= 0.5 * gap || now.is_nan() {
                gap = now;
                break;
            }
            gap = now;
            if k + 1 < MOST {
                let changes = &logic.outputs[self.impact.position.clone()];
                y.iter_mut().zip(changes).for_each(|(q, change)| *q += change);
            }
        }
        let lost = |(k, value): &&(usize, f64)| (y[*k] - value).abs() > KEPT * (1.0 + value.abs());
        let lost: Vec<usize> = self.coordinates.iter().filter(lost).map(|(k, _)| *k).collect();
        if gap <= CLOSED && lost.is_empty() {
            self.coordinates.iter().for_each(|(k, value)| y[*k] = *value);
            return Ok(());
        }
        let first = logic.program.inputs.coordinates.start;
        let assigned = self.coordinates.iter().map(|(k, value)| (first + k, *value));
        let words = said(logic, assigned);
        let why = match lost.first() {
            Some(k) if gap <= CLOSED => {
                format!("they keep `{}` at {}", label(logic, first + k), without_noise(y[*k]))
            }
            _ => "the loops do not close there".into(),
        };
        Err(Failure::fatal(format!(
            "`{}` assigns {words}, a position that the constraints do not allow: {why}",
            logic.name(self.event)
        )))
    }

    /// [jump]
    fn share(&self, logic: &mut Logic<'_>, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        logic.compute(t, y)?;
        let n = logic.program.inputs.coordinates.len();
        let first = logic.program.inputs.speeds.start;
        let changes = &logic.outputs[self.impact.velocity.clone()];
        y[n..].iter_mut().zip(changes).for_each(|(u, change)| *u += change);
        let places = &self.impact.speeds;
        // What is not a number is not met either.
        let met = |k: usize| logic.outputs[places[k].unmet] <= 0.0;
        if let Some((k, _)) = self.speeds.iter().find(|(k, _)| !met(*k)) {
            let assigned = self.speeds.iter().map(|(k, value)| (first + places[*k].id.index(), *value));
            let id = places[*k].id.index();
            return Err(Failure::fatal(format!(
                "`{}` assigns {}, which the constraints do not allow: with them `{}` is {}; let it assign speeds that are free, and no more than there are freedoms",
                logic.name(self.event),
                said(logic, assigned),
                label(logic, first + id),
                without_noise((y[n + id] * 1e12).round() / 1e12),
            )));
        }
        for (k, value) in &self.speeds {
            y[n + places[*k].id.index()] = *value;
        }
        Ok(())
    }
}

fn label<'l>(logic: &'l Logic<'_>, input: usize) -> &'l str {
    &logic.program.program.inputs()[InputId::from_index(input)].label.name
}

/// What a block assigns, in words.
fn said(logic: &Logic<'_>, assigned: impl Iterator<Item = (usize, f64)>) -> String {
    let words: Vec<String> = assigned
        .map(|(input, value)| format!("`{}` := {}", label(logic, input), without_noise(value)))
        .collect();
    words.join(", ")
}
