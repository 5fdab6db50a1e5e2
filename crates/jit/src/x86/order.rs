//! The order of a stage's steps when some of them are packed.
//!
//! A pack runs when the last of its lanes would have run, everything else in its old order, as far as operands allow. Lanes that wait for one
//! another through other packs cannot run together: then a pack is taken apart.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use cardan_base::Id;
use cardan_program::{Op, Program, ValueId};

use crate::instructions::{Step, Steps};
use crate::slp::find::{NONE, Packs};

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Item {
    /// A step by its place in the list of steps.
    Step(u32),
    Pack(u32),
}

/// Who waits for whom, and for how many operands.
struct Waiting<'a> {
    steps: &'a Steps,
    packs: &'a mut Packs,
    /// For each step.
    n_operands: Vec<u32>,
    /// For each pack, the sum over its lanes, and its last step.
    n_pack: Vec<(u32, u32)>,
    ready: BinaryHeap<Reverse<(u32, Item)>>,
}

/// The items of a stage. `step_of` is a table by value, [`NONE`] everywhere, and left so.
pub(crate) fn order(program: &Program, steps: &Steps, packs: &mut Packs, step_of: &mut [u32]) -> Vec<Item> {
    let n = steps.steps.len();
    for (k, step) in steps.steps.iter().enumerate() {
        step_of[step.value.index()] = k as u32;
        step.partner.into_iter().for_each(|(partner, _)| step_of[partner.index()] = k as u32);
    }
    // Readers of each step, as one list with ranges.
    let mut start = vec![0u32; n + 1];
    let mut n_operands = vec![0u32; n];
    for (k, step) in steps.steps.iter().enumerate() {
        for value in sources(program, steps, step) {
            let from = step_of[value.index()];
            if from != NONE {
                start[from as usize + 1] += 1;
                n_operands[k] += 1;
            }
        }
    }
    (0..n).for_each(|k| start[k + 1] += start[k]);
    let mut next = start.clone();
    let mut readers = vec![0u32; start[n] as usize];
    for (k, step) in steps.steps.iter().enumerate() {
        for value in sources(program, steps, step) {
            let from = step_of[value.index()];
            if from != NONE {
                readers[next[from as usize] as usize] = k as u32;
                next[from as usize] += 1;
            }
        }
    }
    for step in &steps.steps {
        step_of[step.value.index()] = NONE;
        step.partner.into_iter().for_each(|(partner, _)| step_of[partner.index()] = NONE);
    }
    let mut waiting = Waiting {
        steps,
        n_pack: vec![(0, 0); packs.packs.len()],
        packs,
        n_operands,
        ready: BinaryHeap::new(),
    };
    for k in 0..n as u32 {
        waiting.enter(k);
    }
    for k in 0..n as u32 {
        waiting.release_if_ready(k);
    }
    let mut items = Vec::with_capacity(n);
    let mut is_done = vec![false; n];
    let mut first_left = 0;
    loop {
        while let Some(Reverse((_, item))) = waiting.ready.pop() {
            let done: Vec<u32> = match item {
                Item::Step(k) => vec![k],
                Item::Pack(pack) => waiting.lanes(pack),
            };
            // A pack is released once for each lane that had nothing to wait for.
            if done.iter().any(|k| is_done[*k as usize]) {
                continue;
            }
            items.push(item);
            for k in done {
                is_done[k as usize] = true;
                for reader in &readers[start[k as usize] as usize..start[k as usize + 1] as usize] {
                    waiting.advance(*reader);
                }
            }
        }
        while first_left < n && is_done[first_left] {
            first_left += 1;
        }
        if first_left == n {
            return items;
        }
        waiting.take_apart(first_left as u32, &is_done);
    }
}

/// What a step reads; an entry of a solution reads the solution.
fn sources<'a>(program: &'a Program, steps: &'a Steps, step: &Step) -> impl Iterator<Item = ValueId> {
    let solution = match program.values()[step.value] {
        Op::Extract { solve, .. } => Some(solve),
        _ => None,
    };
    steps.operands(step).iter().map(|operand| operand.value).chain(solution)
}

impl Waiting<'_> {
    fn pack(&self, k: u32) -> Option<u32> {
        self.packs.of(self.steps.steps[k as usize].value).map(|(pack, _)| pack)
    }

    fn lanes(&self, pack: u32) -> Vec<u32> {
        self.packs.packs[pack as usize].steps.clone()
    }

    fn enter(&mut self, k: u32) {
        if let Some(pack) = self.pack(k) {
            let (count, last) = &mut self.n_pack[pack as usize];
            *count += self.n_operands[k as usize];
            *last = (*last).max(k);
        }
    }

    fn release_if_ready(&mut self, k: u32) {
        match self.pack(k) {
            Some(pack) => {
                let (count, last) = self.n_pack[pack as usize];
                if count == 0 {
                    self.ready.push(Reverse((last, Item::Pack(pack))));
                }
            }
            None => {
                if self.n_operands[k as usize] == 0 {
                    self.ready.push(Reverse((k, Item::Step(k))));
                }
            }
        }
    }

    /// One operand less to wait for.
    fn advance(&mut self, k: u32) {
        self.n_operands[k as usize] -= 1;
        if let Some(pack) = self.pack(k) {
            self.n_pack[pack as usize].0 -= 1;
        }
        self.release_if_ready(k);
    }

    /// Takes the pack of a step that is stuck apart; if it is in none, the pack that it waits for.
    fn take_apart(&mut self, first: u32, is_done: &[bool]) {
        let left = (first..).take_while(|k| (*k as usize) < is_done.len()).filter(|k| !is_done[*k as usize]);
        let stuck = left.into_iter().find_map(|k| self.pack(k));
        let pack = stuck.expect("steps wait for one another only if some are packed");
        let lanes = self.lanes(pack);
        self.packs.dissolve(pack);
        for k in lanes {
            self.release_if_ready(k);
        }
    }
}
