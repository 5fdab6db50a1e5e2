//! The events of a model as part of its complete program.
//!
//! Which comparisons hold, which conditions have become true, which block is due and what it changes is computed by the program
//! itself, one block per call; the main file holds the memory. The meaning is that of a run:
//!
//! ```text
//! [due]     a sampled block:  t + 8 ε |t| ≥ offset + k period    then k ← k + 1
//!           a block `when`:   its condition holds and did not before       then it is remembered that it held
//!           the clock:        t + 8 ε |t| ≥ its switching time
//! [order]   sampled blocks before others, else the order of the text; one per call
//! [side]    a watched number that is exactly zero counts to the side that its comparison says
//! ```
//!
//! Instants at which functions of time switch ([`crate::hybrid::discontinuities`]) are known or watched like others, but no block belongs to them.

use cardan_base::Id;
use cardan_codegen::{Events, Memory, Watched};
use cardan_lower::{Condition, EventPlace, EventProgram, Happens, Holds, Watch};
use cardan_model::{Model, Target};
use cardan_program::{Compare, InputId, Label, OutputId, Unary, ValueId};

use crate::error::Error;
use crate::functions::{setup, time};
use crate::hybrid::discontinuities::{NEVER, Switches};
use crate::hybrid::reset::{Happening, Jump};
use crate::hybrid::time_events::clocks;
use crate::link::Composer;
use crate::nonsmooth::sliding::Sliding;

/// Times closer than this part of their size are one, as in a run.
const SAME: f64 = 8.0 * f64::EPSILON;
/// Stands for a number that is zero.
const TINY: f64 = 1e-300;

/// A sampled block: how often it has happened, and when it happens next.
struct Sampled {
    event: usize,
    count: ValueId,
    at: ValueId,
    due: ValueId,
}

struct Writer<'c, 'm> {
    composer: &'c mut Composer,
    model: &'m Model,
    found: &'m EventProgram,
    /// The outputs of the event program.
    values: Vec<ValueId>,
    t: ValueId,
    /// The latest time that is one instant with `t`.
    late: ValueId,
    zero: ValueId,
    one: ValueId,
    switches: Switches,
    sliding: Option<&'m Sliding>,
    /// What stands instead of which common inputs after the block that is due.
    after: Vec<(usize, ValueId)>,
}

/// The events, spliced into the program; and what stands instead of which common inputs after the block that is due.
pub(crate) fn events<'m>(
    model: &'m Model,
    found: &'m EventProgram,
    mut switches: Switches,
    sliding: Option<&'m Sliding>,
    composer: &mut Composer,
) -> Result<(Events, Vec<(usize, ValueId)>), Error> {
    if let Some(event) = found.events.iter().find(|e| !e.stops.is_empty()) {
        return Err(Error::Stop(event.name.clone()));
    }
    let zero = composer.builder.constant(0.0);
    let unused = vec![zero; found.program.inputs().len() - found.inputs.discretes.end];
    let values = composer.add_with(&found.program, &[], &unused, "events")?;
    let watched = found.comparisons.iter().filter_map(|c| match c.watch {
        Watch::Root(output) => Some(values[output]),
        Watch::Clock { .. } | Watch::Held(_) => None,
    });
    clocks(composer, &watched.collect::<Vec<_>>(), &mut switches);
    let t = composer.builder.input_value(composer.time);
    let [zero, one, same] = [0.0, 1.0, SAME].map(|x| composer.builder.constant(x));
    let size = composer.builder.unary(Unary::Abs, t);
    let slack = composer.builder.mul(size, same);
    let late = composer.builder.add(t, slack);
    let after = vec![];
    Writer { composer, model, found, values, t, late, zero, one, switches, sliding, after }.write()
}

/// The instants at which nothing happens but that functions of time switch, or that surfaces begin and cease to hold the motion; nothing if there are none.
pub(crate) fn switching(
    switches: &Switches,
    sliding: Option<&Sliding>,
    composer: &mut Composer,
) -> Result<Option<Events>, Error> {
    if switches.times.is_empty() && switches.curves.is_empty() && sliding.is_none() {
        return Ok(None);
    }
    let mut watched = curves(&switches.curves, 0, composer);
    let next = next(switches.times.iter().copied(), composer);
    let states = (0..composer.states.len()).map(|k| {
        let value = composer.builder.input_value(composer.states[k]);
        composer.output(Label::named(format!("state {}", k + 1)), value, time())
    });
    let states = states.collect();
    let mut due = composer.builder.constant(0.0);
    let (mut memory, mut blocks, mut about) = (vec![], vec![], "no block ever is");
    if let Some(sliding) = sliding {
        about = "0 if no switch is, else four times its number, and 1";
        let moved = composer.builder.truth(false);
        due = sliding.join(composer, (due, moved), (&mut memory, &mut watched, &mut blocks))?;
    }
    let due = composer.output(Label::new("due", "", about), due, time());
    Ok(Some(Events { memory, n_discretes: 0, watched, next, states, due, blocks, may_refuse: false }))
}

/// Functions of time that are watched for their sign, after so many other comparisons.
fn curves(numbers: &[ValueId], n_before: usize, composer: &mut Composer) -> Vec<Watched> {
    let mut list = vec![];
    for (k, g) in numbers.iter().enumerate() {
        let name = format!("comparison {}", n_before + k + 1);
        let (_, holds) = composer.memory(Label::new(&name, "", "1 where it holds"));
        let b = &mut composer.builder;
        let [zero, tiny] = [0.0, TINY].map(|x| b.constant(x));
        let vanishes = b.compare(Compare::Eq, *g, zero);
        let number = b.select(vanishes, tiny, *g);
        let number = composer.output(Label::new(&name, "", "negative where it holds"), number, time());
        list.push(Watched { holds, number });
    }
    list
}

/// The first of some times that is later than now.
fn next(times: impl IntoIterator<Item = ValueId>, composer: &mut Composer) -> OutputId {
    let t = composer.builder.input_value(composer.time);
    let b = &mut composer.builder;
    let never = b.constant(NEVER);
    let mut next = never;
    for at in times {
        let later = b.compare(Compare::Lt, t, at);
        let at = b.select(later, at, never);
        next = b.binary(cardan_program::Binary::Min, at, next);
    }
    composer.output(Label::new("next instant", "s", ""), next, time())
}

impl Writer<'_, '_> {
    fn write(mut self) -> Result<(Events, Vec<(usize, ValueId)>), Error> {
        let found = self.found;
        let (mut watched, comparisons) = self.comparisons()?;
        watched.extend(curves(&self.switches.curves, watched.len(), self.composer));
        let sampled = self.sampled()?;
        let held = self.held();
        let b = &mut self.composer.builder;

        // Which block happens: the first sampled one that is due, else the first whose condition has become true.
        let mut taken = b.truth(false);
        let mut happens = vec![taken; found.events.len()];
        for (s, _) in &sampled {
            let free = b.not(taken);
            happens[s.event] = b.and(s.due, free);
            taken = b.or(taken, s.due);
        }
        let any_sampled = taken;
        let mut conditions = vec![taken; found.events.len()];
        for ((event, place), remembered) in found.events.iter().enumerate().zip(&held) {
            let (Happens::When(condition), Some((held, _))) = (&place.happens, remembered) else { continue };
            conditions[event] = truth(b, condition, &comparisons);
            let before = b.compare(Compare::Lt, self.zero, *held);
            let fresh = b.not(before);
            let free = b.not(taken);
            let ready = b.and(conditions[event], fresh);
            happens[event] = b.and(ready, free);
            taken = b.or(taken, happens[event]);
        }

        let mut memory = self.discretes(&happens)?;
        for (event, remembered) in held.into_iter().enumerate() {
            let Some((held, input)) = remembered else { continue };
            let b = &mut self.composer.builder;
            let kept = b.select(conditions[event], held, self.zero);
            let new = b.select(happens[event], self.one, kept);
            let new = b.select(any_sampled, held, new);
            memory.push(self.remember(input, self.zero, new));
        }
        let minus_one = self.composer.builder.constant(-1.0);
        for (s, input) in &sampled {
            let b = &mut self.composer.builder;
            let more = b.add(s.count, self.one);
            let new = b.select(happens[s.event], more, s.count);
            memory.push(self.remember(*input, minus_one, new));
        }
        let next = self.next(&sampled);
        let happening = Happening { found, values: &self.values, happens: &happens };
        let impact = found.impact.as_ref();
        let jump = impact.map(|impact| happening.jump(self.composer, impact)).transpose()?;
        let states = self.states(&happens, jump.as_ref());
        let mut due = self.due(&happens, jump.as_ref());
        let mut blocks = self.found.events.iter().map(|e| e.name.clone()).collect();
        if let Some(sliding) = self.sliding {
            let b = &mut self.composer.builder;
            let none = b.truth(false);
            let moving = found.events.iter().zip(&happens).filter(|(place, _)| moves(place));
            let moved = moving.fold(none, |any, (_, happens)| b.or(any, *happens));
            due = sliding.join(self.composer, (due, moved), (&mut memory, &mut watched, &mut blocks))?;
        }
        let due = self.output("due", "0 if no block is, else four times its number, and 1 if the state is to be corrected after it, 2 if it cannot be", due);
        let (n_discretes, may_refuse) = (self.model.hybrid.discretes.len(), jump.is_some());
        Ok((Events { memory, n_discretes, watched, next, states, due, blocks, may_refuse }, self.after))
    }

    fn output(&mut self, name: &str, description: &str, value: ValueId) -> OutputId {
        self.composer.output(Label::new(name, "", description), value, time())
    }

    fn remember(&mut self, input: InputId, start: ValueId, new: ValueId) -> Memory {
        let start = self.composer.output(Label::named("start of what is remembered"), start, setup());
        Memory { input, start, new: self.output("what is remembered", "", new) }
    }

    /// The watched comparisons, and the truth of all.
    fn comparisons(&mut self) -> Result<(Vec<Watched>, Vec<ValueId>), Error> {
        let mut watched = vec![];
        let mut truths = vec![];
        for comparison in &self.found.comparisons {
            let truth = match comparison.watch {
                Watch::Clock { at, after } => {
                    let reached = self.composer.builder.compare(Compare::Le, self.values[at], self.late);
                    if after { reached } else { self.composer.builder.not(reached) }
                }
                Watch::Held(output) => {
                    let kind = match comparison.holds {
                        Holds::Negative => Compare::Lt,
                        Holds::NotPositive => Compare::Le,
                        Holds::Zero => Compare::Eq,
                    };
                    self.composer.builder.compare(kind, self.values[output], self.zero)
                }
                Watch::Root(output) => {
                    // Where a number that moves equals another one is an instant, which nothing can hold.
                    let side = match comparison.holds {
                        Holds::Negative => TINY,
                        Holds::NotPositive => -TINY,
                        Holds::Zero => return Err(Error::MovingEquality),
                    };
                    let b = &mut self.composer.builder;
                    let g = self.values[output];
                    let side = b.constant(side);
                    let vanishes = b.compare(Compare::Eq, g, self.zero);
                    let number = b.select(vanishes, side, g);
                    let name = format!("comparison {}", watched.len() + 1);
                    let (holds, input) = self.composer.memory(Label::new(&name, "", "1 where it holds"));
                    let number = self.output(&name, "negative where it holds", number);
                    watched.push(Watched { holds: input, number });
                    self.composer.builder.compare(Compare::Lt, self.zero, holds)
                }
            };
            truths.push(truth);
        }
        Ok((watched, truths))
    }

    /// The sampled blocks. The count begins at -1: it is not known before the first call what the start has passed. [due]
    fn sampled(&mut self) -> Result<Vec<(Sampled, InputId)>, Error> {
        let mut list = vec![];
        for (event, place) in self.found.events.iter().enumerate() {
            let Happens::Every { period, offset } = place.happens else { continue };
            let (period, offset) = (self.values[period], self.values[offset]);
            let label = Label::new(format!("samples of {}", place.name), "", "how many there were");
            let (known, input) = self.composer.memory(label);
            let (t, zero) = (self.t, self.zero);
            let b = &mut self.composer.builder;
            let since = b.sub(offset, t);
            let since = b.div(since, period);
            let nearly = b.constant(1.0 - SAME);
            let since = b.mul(since, nearly);
            let passed = b.unary(Unary::Floor, since);
            let passed = b.neg(passed);
            let passed = b.binary(cardan_program::Binary::Max, passed, zero);
            let unknown = b.compare(Compare::Lt, known, zero);
            let count = b.select(unknown, passed, known);
            let at = b.mul(count, period);
            let at = b.add(offset, at);
            let due = b.compare(Compare::Le, at, self.late);
            list.push((Sampled { event, count, at, due }, input));
        }
        Ok(list)
    }

    /// Whether the condition of each event held when it was last looked at; nothing for sampled blocks.
    fn held(&mut self) -> Vec<Option<(ValueId, InputId)>> {
        let when = |place: &EventPlace| matches!(place.happens, Happens::When(_));
        let mut list = vec![];
        for place in &self.found.events {
            let label = Label::new(format!("held: {}", place.name), "", "1 if its condition held before");
            list.push(when(place).then(|| self.composer.memory(label)));
        }
        list
    }

    /// The discrete states with what blocks make of them.
    fn discretes(&mut self, happens: &[ValueId]) -> Result<Vec<Memory>, Error> {
        let mut memory = vec![];
        for (id, discrete) in self.model.hybrid.discretes.iter() {
            let input = self.composer.discretes[id.index()];
            let start = self.values[self.found.start.start + id.index()];
            let new = self.assigned(Target::Discrete(id), input, happens);
            self.after.push((self.found.inputs.discretes.start + id.index(), new));
            let q = &discrete.quantity;
            let label = |kind: &str| Label::new(format!("{kind} {}", q.name), q.dimension.to_string(), "");
            let start = self.composer.output(label("start of"), start, setup());
            let new = self.composer.output(label("new"), new, time());
            memory.push(Memory { input, start, new });
        }
        Ok(memory)
    }

    /// What the block that happens makes of an input.
    fn assigned(&mut self, target: Target, input: InputId, happens: &[ValueId]) -> ValueId {
        let mut value = self.composer.builder.input_value(input);
        for (place, happens) in self.found.events.iter().zip(happens) {
            for (_, output) in place.assignments.iter().filter(|(t, _)| t.quantity() == target) {
                value = self.composer.builder.select(*happens, self.values[*output], value);
            }
        }
        value
    }

    /// The state with what blocks make of it.
    fn states(&mut self, happens: &[ValueId], jump: Option<&Jump>) -> Vec<OutputId> {
        let m = self.model;
        let q = m.coordinates.iter().map(|(id, q)| (Target::Coordinate(id), &q.quantity));
        let u = m.speeds.iter().map(|(id, u)| (Target::Speed(id), &u.quantity));
        let s = m.states.iter().map(|(id, s)| (Target::State(id), &s.quantity));
        let mut outputs = vec![];
        for (k, (target, quantity)) in q.chain(u).chain(s).enumerate() {
            let value = match jump.and_then(|jump| jump.state.get(k)) {
                Some(value) => *value,
                None => self.assigned(target, self.composer.states[k], happens),
            };
            self.after.push((self.found.inputs.state().start + k, value));
            let label = Label::new(format!("new {}", quantity.name), quantity.dimension.to_string(), "");
            outputs.push(self.composer.output(label, value, time()));
        }
        outputs
    }

    /// The next instant that is known: a sample or a switch of the clock.
    fn next(&mut self, sampled: &[(Sampled, InputId)]) -> OutputId {
        let clocks = self.found.comparisons.iter().filter_map(|c| match c.watch {
            Watch::Clock { at, .. } => Some(self.values[at]),
            _ => None,
        });
        let samples = sampled.iter().map(|(s, _)| s.at);
        let times: Vec<ValueId> = samples.chain(clocks).chain(self.switches.times.iter().copied()).collect();
        next(times, self.composer)
    }

    /// 0 if nothing happens, else four times the number of the block, and 1 if it changes the state so that it needs to be corrected: a jump of speeds alone is
    /// on the constraints already, and leaves positions as they are to the last digit. 2 where the constraints do not allow what happens.
    fn due(&mut self, happens: &[ValueId], jump: Option<&Jump>) -> ValueId {
        let b = &mut self.composer.builder;
        let mut due = self.zero;
        for (k, (place, happens)) in self.found.events.iter().zip(happens).enumerate() {
            let moves = moves(place);
            let shifts = place.assignments.iter().any(|(t, _)| matches!(t, Target::Coordinate(_)));
            let number = 4.0 * (k + 1) as f64;
            let corrects = moves && (shifts || jump.is_none());
            let mut new = b.constant(if corrects { number + 1.0 } else { number });
            if let Some(jump) = jump.filter(|_| moves) {
                let refused = b.constant(number + 2.0);
                new = b.select(jump.refused, refused, new);
            }
            due = b.select(*happens, new, due);
        }
        due
    }
}

/// Whether a block changes the state.
fn moves(place: &EventPlace) -> bool {
    place.assignments.iter().any(|(t, _)| !matches!(t, Target::Discrete(_)))
}

/// The truth of a condition, given that of the comparisons.
fn truth(b: &mut cardan_program::ProgramBuilder, condition: &Condition, comparisons: &[ValueId]) -> ValueId {
    match condition {
        Condition::Constant(value) => b.truth(*value),
        Condition::Comparison(k) => comparisons[*k],
        Condition::Not(a) => {
            let a = truth(b, a, comparisons);
            b.not(a)
        }
        Condition::And(both) => {
            let [x, y] = [0, 1].map(|i| truth(b, &both[i], comparisons));
            b.and(x, y)
        }
        Condition::Or(either) => {
            let [x, y] = [0, 1].map(|i| truth(b, &either[i], comparisons));
            b.or(x, y)
        }
        Condition::Select(three) => {
            let [c, x, y] = [0, 1, 2].map(|i| truth(b, &three[i], comparisons));
            let chosen = b.and(c, x);
            let not = b.not(c);
            let other = b.and(not, y);
            b.or(chosen, other)
        }
    }
}
