//! Packs to instructions, between the steps that stay scalar.
//!
//! Packs live in registers of their own and give way to memory like scalars. Scalars that packs read wait in memory: one number for all lanes
//! in its own place, numbers that are gathered in a row, where each is stored when it is computed. A pack whose
//! lanes are read one by one is stored as a row.

use cardan_base::{Id, Map};
use cardan_program::{Program, StageId, ValueId};

use crate::assembler::{Arithmetic, Bits, FusedForm, Memory, Xmm};
use crate::engine::Packing;
use crate::instructions::{Analysis, NEVER, Steps};
use crate::layout::Layout;
use crate::order::{Item, order};
use crate::packed::{FIRST, Length, Operand};
use crate::packs::{self, Kind, LANES, Lanes, NONE, Origin, Packs};
use crate::registers::Registers;
use crate::translate::{NO_PLACE, Translator};
use crate::width::Width;

/// Registers that hold packs; one more is for the moment.
const N_REGISTERS: u8 = 15;
const SCRATCH: Xmm = Xmm(FIRST + N_REGISTERS);
/// Stages with fewer steps are left as they are.
const FEWEST_STEPS: usize = 300;

/// A row in which numbers are put side by side.
struct Gathered {
    place: u32,
    /// Lanes that are there.
    filled: [bool; LANES],
}

/// The packs of a program, and where their numbers are.
pub(crate) struct Vectors {
    packs: Packs,
    /// For each stage that has packs: what runs in which order, and the steps that stay scalar.
    stages: Vec<Option<(Vec<Item>, Steps)>>,
    gathered: Map<Lanes, Gathered>,
    /// Where scalars are stored besides, when they are computed: the row and the lane.
    homes: Map<ValueId, Vec<(Lanes, usize)>>,
    /// For each pack: whether it is stored when it is computed, and where it is.
    is_stored: Vec<bool>,
    row: Vec<u32>,
    is_spilled: Vec<bool>,
    registers: Registers,
    free_rows: Vec<u32>,
    mask: Option<u8>,
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
            packs::find(program, &lists, packing)
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
        vectors.plan_memory(analysis, layout, &stages);
        vectors.stages =
            stages.into_iter().map(|s| s.map(|(items, steps)| scalar_part(items, steps))).collect();
        vectors
    }

    fn plan_memory(
        &mut self,
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
                    Item::Pack(pack) => self.plan_operands(*pack, analysis, layout),
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

    fn plan_operands(&mut self, pack: u32, analysis: &mut Analysis, layout: &mut Layout) {
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
                    self.gathered.insert(lanes, Gathered { place, filled: lanes.map(|v| v.is_none()) });
                    for (lane, value) in lanes.iter().enumerate() {
                        let Some(value) = *value else { continue };
                        self.homes.entry(value).or_default().push((lanes, lane));
                        self.store_pack_of(value);
                    }
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

/// When each operand of each pack of a stage is used next, and its result first, by positions among items.
pub(crate) struct NextUses {
    of: Vec<(u32, [u32; 3])>,
}

impl Translator<'_> {
    /// Next uses of packs, for items in this order.
    pub(crate) fn next_uses(&self, items: &[Item]) -> NextUses {
        let packs = &self.vectors.packs;
        let mut last = vec![NEVER; packs.packs.len()];
        let mut of = vec![(NEVER, [NEVER; 3]); items.len()];
        for (position, item) in items.iter().enumerate().rev() {
            let Item::Pack(pack) = item else { continue };
            of[position].0 = last[*pack as usize];
            let origins: Vec<Origin> =
                packs.packs[*pack as usize].operands.iter().map(|o| packs.origin(o)).collect();
            for (k, origin) in origins.iter().enumerate() {
                if let Origin::Pack(read) = origin {
                    of[position].1[k] = last[*read as usize];
                }
            }
            for origin in origins {
                if let Origin::Pack(read) = origin {
                    last[read as usize] = position as u32;
                }
            }
        }
        NextUses { of }
    }

    /// One pack.
    pub(crate) fn pack(&mut self, pack: u32, position: usize, uses: &NextUses) {
        let own = self.vectors.packs.packs[pack as usize].clone();
        let length = Length::of(own.n_lanes());
        let (result_use, operand_uses) = uses.of[position];
        let origins: Vec<Origin> = own.operands.iter().map(|o| self.vectors.packs.origin(o)).collect();
        for (origin, next_use) in origins.iter().zip(operand_uses) {
            if let Origin::Pack(read) = origin
                && let Some(register) = self.vectors.registers.of(key(*read))
            {
                self.vectors.registers.touch(register, next_use);
            }
        }
        let sources: Vec<Operand> = own
            .operands
            .iter()
            .zip(&origins)
            .map(|(lanes, origin)| self.vector_source(lanes, *origin))
            .collect();
        let dies = |k: usize| operand_uses[k] == NEVER && matches!(origins[k], Origin::Pack(_));
        let d = match own.kind {
            Kind::Opposite => {
                let a = self.vector_in_register(length, &origins, &sources, 0, operand_uses[0]);
                let d = self.vector_result();
                let sign = Operand::Broadcast(Memory::Work(self.layout.patterns.sign_bit));
                self.asm.packed_bits(Bits::Xor, length, d, a, sign);
                d
            }
            Kind::Arithmetic(op) => {
                let swap = matches!(op, Arithmetic::Add | Arithmetic::Mul)
                    && !matches!(sources[0], Operand::Register(_))
                    && (matches!(sources[1], Operand::Register(_))
                        || matches!(sources[0], Operand::Broadcast(_)));
                let (first, second) = if swap { (1, 0) } else { (0, 1) };
                let a = self.vector_in_register(length, &origins, &sources, first, operand_uses[first]);
                let d = self.vector_result();
                self.asm.packed_arithmetic(op, length, d, a, sources[second]);
                d
            }
            Kind::Fused { minus_product, minus_addend } => {
                let in_register = |k: usize| matches!(sources[k], Operand::Register(_));
                let dying = |k: usize| dies(k) && in_register(k);
                // The addend is overwritten unless only a factor may be.
                let factor = (0..2).find(|k| !dying(2) && dying(*k));
                match factor {
                    Some(own_factor) => {
                        let Operand::Register(d) = sources[own_factor] else {
                            unreachable!("a dying operand is in a register")
                        };
                        let other = 1 - own_factor;
                        match (in_register(other), in_register(2)) {
                            (false, true) => {
                                let Operand::Register(addend) = sources[2] else {
                                    unreachable!("in a register")
                                };
                                self.asm.packed_fused(
                                    FusedForm::F132,
                                    minus_product,
                                    minus_addend,
                                    length,
                                    d,
                                    addend,
                                    sources[other],
                                );
                            }
                            _ => {
                                let other = self.vector_in_register(
                                    length,
                                    &origins,
                                    &sources,
                                    other,
                                    operand_uses[other],
                                );
                                self.asm.packed_fused(
                                    FusedForm::F213,
                                    minus_product,
                                    minus_addend,
                                    length,
                                    d,
                                    other,
                                    sources[2],
                                );
                            }
                        }
                        d
                    }
                    None => {
                        let (first, second) = if in_register(0) || matches!(sources[1], Operand::Broadcast(_))
                        {
                            (0, 1)
                        } else {
                            (1, 0)
                        };
                        let a =
                            self.vector_in_register(length, &origins, &sources, first, operand_uses[first]);
                        let d = match sources[2] {
                            Operand::Register(d) if dies(2) => d,
                            addend => {
                                let d = self.vector_free();
                                self.asm.packed_load(length, d, addend);
                                d
                            }
                        };
                        self.asm.packed_fused(
                            FusedForm::F231,
                            minus_product,
                            minus_addend,
                            length,
                            d,
                            a,
                            sources[second],
                        );
                        d
                    }
                }
            }
        };
        self.vectors.registers.clear(index_of(d));
        self.define_pack(pack, d, length, result_use);
        self.vectors.registers.unlock();
        self.vectors.registers.drop_dead();
        for (origin, next_use) in origins.iter().zip(operand_uses) {
            if let Origin::Pack(read) = origin
                && next_use == NEVER
                && self.vectors.is_spilled[*read as usize]
            {
                self.vectors.is_spilled[*read as usize] = false;
                self.vectors.free_rows.push(self.vectors.row[*read as usize]);
            }
        }
    }

    /// Where an operand is now; numbers are gathered if they must be.
    fn vector_source(&mut self, lanes: &Lanes, origin: Origin) -> Operand {
        match origin {
            Origin::Same(value) => Operand::Broadcast(self.memory(value)),
            Origin::Pack(read) => match self.vectors.registers.of(key(read)) {
                Some(register) => Operand::Register(register_of(register)),
                None => Operand::Row(Memory::Work(self.vectors.row[read as usize])),
            },
            Origin::Scattered => {
                let gathered = &self.vectors.gathered[lanes];
                let (place, filled) = (gathered.place, gathered.filled);
                for (lane, value) in lanes.iter().enumerate().filter(|(lane, _)| !filled[*lane]) {
                    let Some(value) = *value else { continue };
                    let register = match self.source(value) {
                        crate::assembler::Source::Register(register) => register,
                        crate::assembler::Source::Memory(memory) => {
                            self.asm.load(self.scratch, memory);
                            self.scratch
                        }
                    };
                    self.asm.store(Memory::Work(place + lane as u32), register);
                }
                if let Some(gathered) = self.vectors.gathered.get_mut(lanes) {
                    gathered.filled = [true; LANES];
                }
                Operand::Row(Memory::Work(place))
            }
        }
    }

    /// Stores a scalar wherever packs gather it.
    pub(crate) fn bring_home(&mut self, value: ValueId, register: Xmm) {
        let Some(homes) = self.vectors.homes.remove(&value) else { return };
        for (lanes, lane) in homes {
            if let Some(gathered) = self.vectors.gathered.get_mut(&lanes) {
                gathered.filled[lane] = true;
                let place = gathered.place + lane as u32;
                self.asm.store(Memory::Work(place), register);
            }
        }
    }

    /// An operand in a register; one that is used again stays there.
    fn vector_in_register(
        &mut self,
        length: Length,
        origins: &[Origin],
        sources: &[Operand],
        k: usize,
        next_use: u32,
    ) -> Xmm {
        match (sources[k], origins[k]) {
            (Operand::Register(register), _) => register,
            (source, Origin::Pack(read)) if next_use != NEVER => {
                let register = self.vector_free();
                // All lanes, for whoever reads more of them later.
                self.asm.packed_load(
                    Length::of(self.vectors.packs.packs[read as usize].n_lanes()),
                    register,
                    source,
                );
                self.vectors.registers.put(index_of(register), key(read), next_use);
                register
            }
            (source, _) => {
                self.asm.packed_load(length, SCRATCH, source);
                SCRATCH
            }
        }
    }

    /// An empty register, locked.
    fn vector_free(&mut self) -> Xmm {
        let index = self.vectors.registers.free().unwrap_or_else(|| {
            let index = self.vectors.registers.victim();
            self.evict_pack(index);
            index
        });
        self.vectors.registers.lock(index);
        register_of(index)
    }

    fn vector_result(&mut self) -> Xmm {
        self.vectors.registers.drop_dead();
        self.vector_free()
    }

    fn evict_pack(&mut self, index: Xmm) {
        let Some((held, next_use)) = self.vectors.registers.held(index) else { return };
        let pack = held.index();
        if next_use != NEVER && self.vectors.row[pack] == NO_PLACE {
            let row = match self.vectors.free_rows.pop() {
                Some(row) => row,
                None => self.layout.allocate_row(LANES as u32),
            };
            self.vectors.row[pack] = row;
            self.vectors.is_spilled[pack] = true;
            let length = Length::of(self.vectors.packs.packs[pack].n_lanes());
            self.asm.packed_store(length, Memory::Work(row), register_of(index));
        }
        self.vectors.registers.clear(index);
    }

    /// Empties all registers of packs, before calls.
    pub(crate) fn evict_packs(&mut self) {
        for r in 0..N_REGISTERS {
            self.evict_pack(Xmm(r));
        }
        self.vectors.mask = None;
    }

    /// The result of a pack is in a register: remember it, store it where others need it, deliver it.
    fn define_pack(&mut self, pack: u32, d: Xmm, length: Length, next_use: u32) {
        let results = self.vectors.packs.packs[pack as usize].results;
        if self.vectors.is_stored[pack as usize] {
            let row = self.layout.allocate_row(LANES as u32);
            self.vectors.row[pack as usize] = row;
            self.asm.packed_store(length, Memory::Work(row), d);
            for (lane, value) in (0..).zip(&results) {
                value.iter().for_each(|v| self.place[v.index()] = row + lane);
            }
        }
        self.deliver_pack(&results, length, d);
        self.vectors.registers.put(index_of(d), key(pack), next_use);
    }

    /// Delivers the lanes that are outputs of this stage: those side by side at once.
    fn deliver_pack(&mut self, results: &Lanes, length: Length, d: Xmm) {
        // Lanes by the output at which lane 0 would stand.
        let mut rows: Vec<(usize, u8)> = vec![];
        for (lane, value) in results.iter().enumerate() {
            let Some(value) = *value else { continue };
            let stage = self.program.stage_of(value);
            for output in &self.outputs_of[value.index()] {
                if self.program.outputs()[*output].stage != stage {
                    continue;
                }
                let start = (output.index() + LANES).wrapping_sub(lane);
                match rows.iter_mut().find(|(other, _)| *other == start) {
                    Some((_, lanes)) => *lanes |= 1 << lane,
                    None => rows.push((start, 1 << lane)),
                }
            }
        }
        for (start, lanes) in rows {
            let full = if length == Length::Four { 0x0F } else { 0xFF };
            match u32::try_from(start).ok().and_then(|s| s.checked_sub(LANES as u32)) {
                Some(first) if lanes == full => self.asm.packed_store(length, Memory::Output(first), d),
                Some(first) => {
                    if self.vectors.mask != Some(lanes) {
                        self.asm.select_lanes(lanes);
                        self.vectors.mask = Some(lanes);
                    }
                    self.asm.packed_store_some(length, Memory::Output(first), d);
                }
                None => {
                    // Before the first output: lanes that are no outputs would stand outside, which a mask allows but an address does not.
                    self.asm.select_lanes(lanes);
                    self.vectors.mask = Some(lanes);
                    let skipped = (LANES - start) as u32;
                    self.asm.packed_store_before(length, skipped, d);
                }
            }
        }
    }
}

/// How registers name a pack.
fn key(pack: u32) -> ValueId {
    ValueId::from_index(pack as usize)
}

/// The register behind an index of [`Registers`].
fn register_of(index: Xmm) -> Xmm {
    Xmm(FIRST + index.0)
}

fn index_of(register: Xmm) -> Xmm {
    Xmm(register.0 - FIRST)
}
