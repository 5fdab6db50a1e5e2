//! The next time at which a function of the clock switches, however short it holds what it switches to.
//!
//! A function of time, parameters and discrete states is computed for whole stretches of time at once, with bounds for what it can be. Where the bounds
//! leave no doubt there is no switch; where they do, the stretch is halved.
//!
//! ```text
//! [doubt]      cell(min g) ≠ cell(max g) over [a, b]:  halve;  else nothing switches there
//! [first]      the left half before the right one, down to stretches that are a part FINE of the time
//! [machine]    in the last stretch, the first number s of the machine with cell(g(s)) ≠ cell(g(a))
//! ```
//!
//! Bounds are far too wide where time occurs many times over; a search that does not come to an end for this reason goes on with stretches that are
//! a small part of the whole time.
//!
//! `cell` numbers the sides between which `g` switches: its sign, its whole part, the knots of a table below it. It does not decrease with `g`.

use cardan_base::{Id, Map};
use cardan_program::{InputId, Op, Program, ValueId};

use super::interval::{Interval, over};

/// Times that differ by this part of their size are one.
const SAME: f64 = 8.0 * f64::EPSILON;
/// Two switches closer than this part of the time may be missed.
const FINE: f64 = 1e-12;
/// So many halvings are allowed in search of any switch, …
const ALLOWED: usize = 1000;
/// … and so many more in all, for functions whose bounds are far too wide.
const MOST: usize = 1_000_000;
/// Then the time is looked at in so many stretches.
const COARSE: f64 = 4000.0;

/// Times between two others that differ by less than this are one.
pub(crate) fn rounding(from: f64, to: f64) -> f64 {
    SAME * from.abs().max(to.abs())
}

/// A switch to come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Next {
    /// From this time on, now or a rounding later, nothing switches before …
    pub since: f64,
    /// … this time, if ever.
    pub at: Option<f64>,
}

/// What a value needs to be computed, and nothing else.
#[derive(Clone, Debug)]
pub(crate) struct Cone {
    operations: Vec<Op>,
    time: InputId,
    inputs: Vec<InputId>,
    known: Vec<f64>,
    values: Vec<Interval>,
    result: (usize, Option<usize>),
    /// Halvings beyond those that any search is allowed.
    spent: usize,
}

impl Cone {
    /// Of `a`, or of `a - b`; nothing if that needs what is not looked into.
    pub fn of(program: &Program, (a, b): (ValueId, Option<ValueId>), time: InputId) -> Option<Cone> {
        let last = b.map_or(a, |b| b.max(a)).index();
        let mut needed = vec![false; last + 1];
        needed[a.index()] = true;
        b.iter().for_each(|b| needed[b.index()] = true);
        for k in (0..=last).rev().collect::<Vec<_>>() {
            if needed[k] {
                program.values()[ValueId::from_index(k)].for_each_operand(|v| needed[v.index()] = true);
            }
        }
        let mut places: Map<usize, usize> = Map::default();
        let mut operations = vec![];
        let mut inputs = vec![];
        for k in (0..=last).filter(|k| needed[*k]) {
            let op = &program.values()[ValueId::from_index(k)];
            match op {
                Op::Call { .. } | Op::Solve(_) | Op::Extract { .. } => return None,
                Op::Input(i) if *i != time => inputs.push(*i),
                _ => {}
            }
            places.insert(k, operations.len());
            operations.push(op.map_operands(|v| ValueId::from_index(places[&v.index()])));
        }
        let result = (places[&a.index()], b.map(|b| places[&b.index()]));
        let values = vec![Interval::point(0.0); operations.len()];
        let known = vec![f64::NAN; inputs.len()];
        Some(Cone { operations, time, inputs, known, values, result, spent: 0 })
    }

    /// What it depends on besides time.
    pub fn inputs(&self) -> &[InputId] {
        &self.inputs
    }

    /// Gives the inputs besides time their values; whether any has changed.
    pub fn give(&mut self, known: &dyn Fn(InputId) -> f64) -> bool {
        let mut changed = false;
        for (input, place) in self.inputs.iter().zip(&mut self.known) {
            let value = known(*input);
            changed |= value.to_bits() != place.to_bits();
            *place = value;
        }
        changed
    }

    fn over(&mut self, program: &Program, time: Interval) -> Interval {
        for k in 0..self.operations.len() {
            let op = &self.operations[k];
            self.values[k] = match op {
                Op::Input(i) if *i == self.time => time,
                Op::Input(i) => {
                    let place = self.inputs.iter().position(|input| input == i);
                    Interval::point(place.map_or(f64::NAN, |k| self.known[k]))
                }
                _ => over(program, op, &|v| self.values[v.index()]).unwrap_or(Interval::point(f64::NAN)),
            };
        }
        let a = self.values[self.result.0];
        let b = self.result.1.map_or(Interval::point(0.0), |b| self.values[b]);
        Interval { low: a.low - b.high, high: a.high - b.low }
    }

    /// Its value at a time.
    pub fn at(&mut self, program: &Program, t: f64) -> f64 {
        self.over(program, Interval::point(t)).low
    }

    /// The next switch after `from`, and not after `to`, that is no rounding after it.
    pub fn next(&mut self, program: &Program, cell: &dyn Fn(f64) -> f64, from: f64, to: f64) -> Next {
        let mut since = from;
        loop {
            let at = self.switch(program, cell, since, to);
            match at {
                Some(at) if at - from <= rounding(from, to) => since = at,
                _ => return Next { since, at },
            }
        }
    }

    /// The first time after `from`, and not after `to`, at which the cell is another than at `from`. [machine]
    fn switch(&mut self, program: &Program, cell: &dyn Fn(f64) -> f64, from: f64, to: f64) -> Option<f64> {
        let before = cell(self.at(program, from));
        let mut fine = FINE * from.abs().max(to.abs());
        let mut stretches = vec![(from, to)];
        let mut halvings = 0;
        while let Some((a, b)) = stretches.pop() {
            let bounds = self.over(program, Interval { low: a, high: b });
            if cell(bounds.low) == before && cell(bounds.high) == before {
                continue;
            }
            let middle = a + 0.5 * (b - a);
            if b - a <= fine || !(a < middle && middle < b) {
                if cell(self.at(program, b)) != before {
                    return Some(self.first(program, &|g| cell(g) == before, a, b));
                }
                continue;
            }
            halvings += 1;
            self.spent += usize::from(halvings > ALLOWED);
            if self.spent > MOST {
                fine = (to - from) / COARSE;
            }
            stretches.push((middle, b));
            stretches.push((a, middle)); // [first]
        }
        None
    }

    /// The first number of the machine between `a`, which is as before, and `b`, which is not, that is not as before.
    fn first(&mut self, program: &Program, is_before: &dyn Fn(f64) -> bool, mut a: f64, mut b: f64) -> f64 {
        loop {
            let middle = a + 0.5 * (b - a);
            if !(a < middle && middle < b) {
                return b;
            }
            let g = self.at(program, middle);
            *(if is_before(g) { &mut a } else { &mut b }) = middle;
        }
    }
}
