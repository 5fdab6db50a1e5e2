//! The program of motion with its sides told: where a motion may be held, `sign(v)` and `v < 0` become what a further input says.
//!
//! ```text
//! [number]   σ = x for sign x,  σ = a - b for a < b and a ≤ b
//! [told]     sign x ← s,  a < b ← s < 0       s = -1 below the surface σ = 0, 1 above
//! [one]      numbers that are equal, or opposite, are one surface: sign(v), v > 0 and v < 0
//! [reach]    a motion can be held only where σ depends on a state whose rate depends on the switch
//! ```
//!
//! By [reach] a force that begins where bodies touch is not told: it changes accelerations, and a gap is made of coordinates.
//! |x|, min and max do not jump. Floors and tables of steps are left as they are.

use cardan_base::Id;
use cardan_program::{
    Compare, InputId, Label, Math, Op, OutputId, Program, ProgramBuilder, StageId, Unary, ValueId,
};
use cardan_sim::switch_words;

/// A program that is told on which side of each surface the motion is.
pub(crate) struct Frozen {
    /// Its inputs are those of the program, then one side per surface; its outputs are those of the program, then the numbers of the surfaces.
    pub program: Program,
    pub switches: Vec<Switch>,
}

/// What switches at a surface.
pub(crate) struct Switch {
    /// As people write it.
    pub words: String,
    /// Whether it is told as a number everywhere, and never as a truth.
    pub is_number: bool,
    number: ValueId,
    side: ValueId,
}

/// The program with sides told; nothing where nothing can hold its motion. `states` are inputs, `rates` their derivatives.
pub(crate) fn frozen(
    program: &Program,
    states: &[InputId],
    rates: &[OutputId],
    stage: StageId,
) -> Option<Frozen> {
    let holding: Vec<ValueId> =
        program.values().ids().filter(|v| reaches(program, *v, states, rates)).collect();
    if holding.is_empty() {
        return None;
    }
    let mut b = ProgramBuilder::like(program, Math::Finite);
    let mut switches: Vec<Switch> = vec![];
    let mut map: Vec<ValueId> = Vec::with_capacity(program.values().len());
    for (id, op) in program.values().iter() {
        let moved = op.map_operands(|v| map[v.index()]);
        if !holding.contains(&id) {
            map.push(b.op(moved));
            continue;
        }
        let (number, is_number) = match moved {
            Op::Compare(_, x, y) => (b.sub(x, y), false),
            moved => (moved.operands().first().copied()?, true),
        };
        let opposite = b.neg(number);
        let place = switches.iter().position(|s| s.number == number || s.number == opposite);
        let place = place.unwrap_or_else(|| {
            let label = Label::new(format!("side {}", switches.len() + 1), "", "-1 below, 1 above");
            let side = b.input(label, stage);
            switches.push(Switch { words: switch_words(program, op), is_number: true, number, side });
            switches.len() - 1
        });
        let switch = &mut switches[place];
        switch.is_number &= is_number;
        let along = if switch.number == number { switch.side } else { b.neg(switch.side) };
        let zero = b.constant(0.0);
        map.push(if is_number { along } else { b.compare(Compare::Lt, along, zero) });
    }
    for (_, output) in program.outputs().iter() {
        b.output(output.label.clone(), output.stage, map[output.value.index()]);
    }
    for (k, switch) in switches.iter().enumerate() {
        b.output(Label::named(format!("number {}", k + 1)), stage, switch.number);
    }
    Some(Frozen { program: b.finish().ok()?, switches })
}

/// Whether a value is a switch that can hold the motion. [reach]
fn reaches(program: &Program, value: ValueId, states: &[InputId], rates: &[OutputId]) -> bool {
    let operands = match &program.values()[value] {
        Op::Unary(Unary::Sign, x) => vec![*x],
        Op::Compare(Compare::Lt | Compare::Le, x, y) => vec![*x, *y],
        _ => return false,
    };
    // Operands come before what is made of them: one pass down finds what the number depends on, one pass up what depends on the switch.
    let mut below = vec![false; value.index()];
    operands.iter().for_each(|v| below[v.index()] = true);
    let mut numbers: Vec<usize> = vec![];
    for k in (0..value.index()).rev() {
        if below[k] {
            let op = &program.values()[ValueId::from_index(k)];
            op.for_each_operand(|v| below[v.index()] = true);
            if let Op::Input(i) = op {
                numbers.extend(states.iter().position(|s| s == i));
            }
        }
    }
    let mut above = vec![false; program.values().len()];
    above[value.index()] = true;
    for (id, op) in program.values().iter() {
        op.for_each_operand(|v| above[id.index()] |= above[v.index()]);
    }
    numbers.iter().any(|k| above[program.outputs()[rates[*k]].value.index()])
}
