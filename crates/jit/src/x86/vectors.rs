//! Which packs a program has, in which order they run, and where their numbers are.
//!
//! Scalars that packs read wait in memory: one number for all lanes in its own place, numbers that are gathered in a row, where each is stored when
//! it is computed and constants stand from the start. A pack whose lanes are read one by one is stored as a row.

use cardan_base::{Id, Map};
use cardan_program::{Op, Program, StageId, ValueId};

use crate::allocation::layout::Layout;
use crate::allocation::registers::Registers;
use crate::allocation::value_locations::NO_PLACE;
use crate::engine::Packing;
use crate::instructions::{Analysis, Steps};
use crate::slp::encode::FIRST;
use crate::slp::find;
use crate::slp::find::{LANES, Lanes, NONE, Origin, Packs};
use crate::x86::order::{Item, order};
use crate::x86::width::Width;

/// Registers that hold packs; one more is for the moment.
pub(crate) const N_REGISTERS: u8 = 31 - FIRST;
/// Stages with fewer steps are left as they are.
const FEWEST_STEPS: usize = 300;

/// A row in which numbers are put side by side.
pub(crate) struct Gathered {
    pub(crate) place: u32,
    /// Lanes that are there.
    pub(crate) filled: [bool; LANES],
}

/// The packs of a program, and where their numbers are.
pub(crate) struct Vectors {
    pub(crate) packs: Packs,
    /// For each stage that has packs: what runs in which order, and the steps that stay scalar.
    stages: Vec<Option<(Vec<Item>, Steps)>>,
    pub(crate) gathered: Map<Lanes, Gathered>,
    /// Where scalars are stored besides, when they are computed: the row and the lane.
    pub(crate) homes: Map<ValueId, Vec<(Lanes, usize)>>,
    /// For each pack: whether it is stored when it is computed, and where it is.
    pub(crate) is_stored: Vec<bool>,
    pub(crate) row: Vec<u32>,
    pub(crate) is_spilled: Vec<bool>,
    pub(crate) registers: Registers,
    pub(crate) free_rows: Vec<u32>,
    pub(crate) mask: Option<u8>,
}

impl Vectors {
    /// Finds packs and plans their memory. Marks in `analysis` what must be stored for them.
    pub(crate) fn plan(
        program: &Program,
        packing: Packing,
        analysis: &mut Analysis,
        layout: &mut Layout,
    ) -> Vectors {
        let is_supported = is_x86_feature_detected!("avx512vl") && Width::Eight.is_supported();
        let is_wanted = |stage: &StageId| match packing {
            Packing::Never => false,
            // What depends on parameters alone runs once.
            Packing::WhereItPays => stage.index() > 0 && program.stage_values(*stage).len() >= FEWEST_STEPS,
            Packing::Always => true,
        };
        let lists: Vec<Option<Steps>> = program
            .stages()
            .ids()
            .map(|s| (is_supported && is_wanted(&s)).then(|| analysis.steps(program, s)))
            .collect();
        let mut packs = if lists.iter().any(Option::is_some) {
            find::find(program, &lists, packing)
        } else {
            Packs::none(program)
        };
        let mut step_of = vec![NONE; program.values().len()];
        let stages: Vec<Option<(Vec<Item>, Steps)>> = lists
            .into_iter()
            .map(|list| {
                let steps = list.filter(|steps| steps.steps.iter().any(|s| packs.of(s.value).is_some()))?;
                let items = order(program, &steps, &mut packs, &mut step_of);
                Some((items, steps))
            })
            .collect();
        let n = packs.packs.len();
        let mut vectors = Vectors {
            packs,
            stages: vec![],
            gathered: Map::default(),
            homes: Map::default(),
            is_stored: vec![false; n],
            row: vec![NO_PLACE; n],
            is_spilled: vec![false; n],
            registers: Registers::new(N_REGISTERS, n),
            free_rows: vec![],
            mask: None,
        };
        vectors.plan_memory(program, analysis, layout, &stages);
        vectors.stages =
            stages.into_iter().map(|s| s.map(|(items, steps)| scalar_part(items, steps))).collect();
        vectors
    }

    fn plan_memory(
        &mut self,
        program: &Program,
        analysis: &mut Analysis,
        layout: &mut Layout,
        stages: &[Option<(Vec<Item>, Steps)>],
    ) {
        for (items, steps) in stages.iter().flatten() {
            for item in items {
                match item {
                    Item::Step(k) => {
                        for operand in steps.operands(&steps.steps[*k as usize]) {
                            self.store_pack_of(operand.value);
                        }
                    }
                    Item::Pack(pack) => self.plan_operands(program, *pack, analysis, layout),
                }
            }
        }
        for (pack, own) in self.packs.packs.iter().enumerate() {
            self.is_stored[pack] |= own.values().any(|v| analysis.crosses[v.index()]);
        }
    }

    fn store_pack_of(&mut self, value: ValueId) {
        if let Some((pack, _)) = self.packs.of(value) {
            self.is_stored[pack as usize] = true;
        }
    }

    fn plan_operands(&mut self, program: &Program, pack: u32, analysis: &mut Analysis, layout: &mut Layout) {
        for k in 0..self.packs.packs[pack as usize].operands.len() {
            let lanes = self.packs.packs[pack as usize].operands[k];
            match self.packs.origin(&lanes) {
                Origin::Pack(_) => {}
                Origin::Same(value) => {
                    analysis.crosses[value.index()] = true;
                    self.store_pack_of(value);
                }
                Origin::Scattered => {
                    if self.gathered.contains_key(&lanes) {
                        continue;
                    }
                    let place = layout.allocate_row(LANES as u32);
                    let mut filled = lanes.map(|v| v.is_none());
                    for (lane, value) in lanes.iter().enumerate() {
                        let Some(value) = *value else { continue };
                        if let Op::Const(c) = &program.values()[value] {
                            layout.stand(place + lane as u32, c.value().to_bits());
                            filled[lane] = true;
                            continue;
                        }
                        self.homes.entry(value).or_default().push((lanes, lane));
                        self.store_pack_of(value);
                    }
                    self.gathered.insert(lanes, Gathered { place, filled });
                }
            }
        }
    }

    /// The order of a stage with packs, and its scalar steps.
    pub(crate) fn take(&mut self, stage: StageId) -> Option<(Vec<Item>, Steps)> {
        self.mask = None;
        self.stages[stage.index()].take()
    }
}

/// The steps that are not packed, in their new order, and items that refer to them.
fn scalar_part(items: Vec<Item>, steps: Steps) -> (Vec<Item>, Steps) {
    let kept: Vec<u32> =
        items.iter().filter_map(|i| if let Item::Step(k) = i { Some(*k) } else { None }).collect();
    let mut next = 0;
    let renumber = |item: Item| match item {
        Item::Step(_) => {
            next += 1;
            Item::Step(next - 1)
        }
        pack => pack,
    };
    (items.into_iter().map(renumber).collect(), steps.keep(&kept))
}
