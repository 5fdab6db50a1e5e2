//! Operations that do the same to different numbers, found in the code of one state and packed into vector instructions.
//!
//! Superword-level parallelism (Larsen and Amarasinghe, PLDI 2000), bottom up: results that are delivered side by side and computed
//! alike (a row of a matrix whose columns follow one rule) form a pack; so do their operands, and the operands of those, as long as
//! all lanes have one kind of operation. An operand that is the same in all lanes is broadcast. Lanes of a pack keep their order in those who
//! read it, with gaps where a lane has no such reader. A pack whose operands must be gathered for less than it saves is taken apart again.

use cardan_base::{Id, Map};
use cardan_program::{Binary, Op, Program, Unary, ValueId};

use crate::engine::Packing;
use crate::instructions::{Step, Steps};
use crate::x86::assembler::Arithmetic;

/// Most numbers that an instruction treats.
pub(crate) const LANES: usize = 8;
/// "In no pack", "no step of this stage".
pub(crate) const NONE: u32 = u32::MAX;
/// Fewer lanes are not worth it.
const FEWEST: f64 = 3.0;
/// A stage with fewer packed steps, or a smaller part of them (one in so many), is left as it is: numbers that change between scalar and
/// vector registers wait on their way.
const FEWEST_PACKED: usize = 250;
const SMALLEST_SHARE: usize = 10;

/// One value for each lane; gaps may hold anything.
pub(crate) type Lanes = [Option<ValueId>; LANES];

/// What a pack does in every lane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    /// a op b.
    Arithmetic(Arithmetic),
    /// ±a b ± c.
    Fused { minus_product: bool, minus_addend: bool },
    /// -a.
    Opposite,
}

impl Kind {
    /// The kind of a step, if there is a vector instruction for it.
    pub(crate) fn of(program: &Program, step: &Step) -> Option<Kind> {
        match &program.values()[step.value] {
            Op::Unary(Unary::Neg, _) => Some(Kind::Opposite),
            Op::Binary(Binary::Add, ..) => Some(Kind::Arithmetic(Arithmetic::Add)),
            Op::Binary(Binary::Sub, ..) => Some(Kind::Arithmetic(Arithmetic::Sub)),
            Op::Binary(Binary::Mul, ..) => Some(Kind::Arithmetic(Arithmetic::Mul)),
            Op::Binary(Binary::Div, ..) => Some(Kind::Arithmetic(Arithmetic::Div)),
            Op::Fma(..) => {
                Some(Kind::Fused { minus_product: step.minus_product, minus_addend: step.minus_addend })
            }
            _ => None,
        }
    }

    /// Whether the first two operands may be exchanged.
    fn is_commutative(self) -> bool {
        matches!(self, Kind::Arithmetic(Arithmetic::Add | Arithmetic::Mul) | Kind::Fused { .. })
    }
}

/// One vector instruction.
#[derive(Clone, Debug)]
pub(crate) struct Pack {
    pub(crate) kind: Kind,
    pub(crate) results: Lanes,
    /// By operand.
    pub(crate) operands: Vec<Lanes>,
    /// The steps of its lanes.
    pub(crate) steps: Vec<u32>,
}

impl Pack {
    /// Its lanes that are no gaps.
    pub(crate) fn values(&self) -> impl Iterator<Item = ValueId> {
        self.results.iter().flatten().copied()
    }

    /// One past the last lane in use.
    pub(crate) fn n_lanes(&self) -> usize {
        self.results.iter().rposition(Option::is_some).map_or(0, |lane| lane + 1)
    }
}

/// Where an operand of a pack comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// One number for all lanes.
    Same(ValueId),
    /// The result of another pack.
    Pack(u32),
    /// Numbers that are put side by side first.
    Scattered,
}

/// The packs of a program.
#[derive(Debug, Default)]
pub(crate) struct Packs {
    pub(crate) packs: Vec<Pack>,
    /// For each value its pack and lane.
    place: Vec<(u32, u8)>,
}

impl Packs {
    /// No packs.
    pub(crate) fn none(program: &Program) -> Packs {
        Packs { packs: vec![], place: vec![(NONE, 0); program.values().len()] }
    }

    /// Whether there are any that have not been taken apart.
    pub(crate) fn are_any(&self) -> bool {
        self.packs.iter().any(|pack| pack.values().next().is_some())
    }

    /// The pack of a value.
    pub(crate) fn of(&self, value: ValueId) -> Option<(u32, usize)> {
        let (pack, lane) = self.place[value.index()];
        (pack != NONE).then_some((pack, lane as usize))
    }

    /// Takes a pack apart.
    pub(crate) fn dissolve(&mut self, pack: u32) {
        for value in self.packs[pack as usize].results.iter_mut().filter_map(Option::take) {
            self.place[value.index()].0 = NONE;
        }
        self.packs[pack as usize].operands.clear();
    }

    /// Where an operand comes from.
    pub(crate) fn origin(&self, operand: &Lanes) -> Origin {
        let mut lanes = operand.iter().enumerate().filter_map(|(lane, v)| Some((lane, (*v)?)));
        let Some((lane, first)) = lanes.next() else { return Origin::Scattered };
        let pack = self.of(first).filter(|(_, own)| *own == lane).map(|(pack, _)| pack);
        let (mut same, mut aligned) = (true, pack.is_some());
        for (lane, value) in lanes {
            same &= value == first;
            aligned &= self.of(value).is_some_and(|(p, own)| Some(p) == pack && own == lane);
        }
        match pack {
            _ if same => Origin::Same(first),
            Some(pack) if aligned => Origin::Pack(pack),
            _ => Origin::Scattered,
        }
    }

    fn add(&mut self, pack: Pack) -> u32 {
        let index = self.packs.len() as u32;
        for (lane, value) in (0..).zip(&pack.results) {
            if let Some(value) = value {
                self.place[value.index()] = (index, lane);
            }
        }
        self.packs.push(pack);
        index
    }
}

/// Looks for the packs of one stage.
struct Search<'a> {
    program: &'a Program,
    steps: &'a Steps,
    /// By value.
    step_of: Vec<u32>,
    uses: Vec<u32>,
    packs: Packs,
}

/// Finds packs in the stages that have steps here.
pub(crate) fn find(program: &Program, stages: &[Option<Steps>], packing: Packing) -> Packs {
    let n = program.values().len();
    let mut packs = Packs::none(program);
    let uses = program.use_counts();
    let mut step_of = vec![NONE; n];
    let mut all_uses = uses;
    for steps in stages.iter().flatten() {
        for (k, step) in steps.steps.iter().enumerate() {
            step_of[step.value.index()] = k as u32;
        }
        let first = packs.packs.len();
        let mut search = Search { program, steps, step_of, uses: all_uses, packs };
        search.pack_outputs();
        search.keep_what_pays(first);
        let packed: usize = search.packs.packs[first..].iter().map(|pack| pack.values().count()).sum();
        let is_little = packed < FEWEST_PACKED || packed * SMALLEST_SHARE < steps.steps.len();
        if is_little && packing != Packing::Always {
            (first..search.packs.packs.len()).for_each(|pack| search.packs.dissolve(pack as u32));
        }
        Search { step_of, uses: all_uses, packs, .. } = search;
        steps.steps.iter().for_each(|step| step_of[step.value.index()] = NONE);
    }
    packs
}

impl Search<'_> {
    fn step(&self, value: ValueId) -> Option<&Step> {
        self.steps.steps.get(self.step_of[value.index()] as usize)
    }

    fn kind(&self, value: ValueId) -> Option<Kind> {
        self.step(value).and_then(|step| Kind::of(self.program, step))
    }

    fn operands(&self, value: ValueId) -> [Option<ValueId>; 3] {
        let mut all = [None; 3];
        if let Some(step) = self.step(value) {
            all.iter_mut().zip(self.steps.operands(step)).for_each(|(a, o)| *a = Some(o.value));
        }
        all
    }

    /// The operands of `value`, the first two exchanged if they then look more like those of `model`.
    fn operands_like(
        &self,
        model: &[Option<ValueId>; 3],
        kind: Kind,
        value: ValueId,
    ) -> [Option<ValueId>; 3] {
        let mut own = self.operands(value);
        let likeness = |a: Option<ValueId>, b: Option<ValueId>| match (a, b) {
            (Some(a), Some(b)) if a == b => 4,
            (Some(a), Some(b)) => match (self.packs.of(a), self.packs.of(b)) {
                (Some((p, _)), Some((q, _))) if p == q => 2,
                (None, None) if self.kind(a) == self.kind(b) => 1,
                _ => 0,
            },
            _ => 0,
        };
        if kind.is_commutative() {
            let straight = likeness(own[0], model[0]) + likeness(own[1], model[1]);
            let crossed = likeness(own[1], model[0]) + likeness(own[0], model[1]);
            if crossed > straight {
                own.swap(0, 1);
            }
        }
        own
    }

    /// Whether two results are computed alike: by one factor and otherwise from the same packs, or from what is in none.
    fn are_alike(&self, a: ValueId, b: ValueId) -> bool {
        let is_free = |v: ValueId| self.packs.of(v).is_none();
        let Some(kind) = self.kind(a).filter(|kind| a != b && self.kind(b) == Some(*kind)) else {
            return false;
        };
        if !is_free(a) || !is_free(b) {
            return false;
        }
        let model = self.operands(a);
        let own = self.operands_like(&model, kind, b);
        let pairs = || model.iter().zip(&own).filter_map(|(x, y)| (*x).zip(*y));
        let may_stand_together = |x: ValueId, y: ValueId| match (self.packs.of(x), self.packs.of(y)) {
            (Some((p, i)), Some((q, j))) => p == q && i < j,
            (None, None) => true,
            _ => false,
        };
        (kind == Kind::Opposite || pairs().any(|(x, y)| x == y))
            && pairs().all(|(x, y)| x == y || may_stand_together(x, y))
    }

    /// Packs of results that are delivered side by side.
    fn pack_outputs(&mut self) {
        let outputs: Vec<ValueId> = self.program.outputs().iter().map(|(_, o)| o.value).collect();
        let mut k = 0;
        while k < outputs.len() {
            let first = outputs[k];
            let mut group = vec![first];
            while group.len() < LANES
                && let Some(next) = outputs.get(k + group.len())
                && self.are_alike(group[group.len() - 1], *next)
            {
                group.push(*next);
            }
            k += group.len();
            if group.len() > 1 {
                self.pack(&group);
            }
        }
    }

    /// The lane that a value of a group takes: that of its operands, or the next.
    fn own_lane(&self, value: ValueId) -> Option<usize> {
        self.operands(value).iter().flatten().find_map(|v| self.packs.of(*v)).map(|(_, lane)| lane)
    }

    /// Packs a group of results, their operands, and so on.
    fn pack(&mut self, group: &[ValueId]) {
        let mut lanes: Lanes = [None; LANES];
        for (k, value) in group.iter().enumerate() {
            let lane = self.own_lane(*value).unwrap_or(k);
            if lanes[lane].replace(*value).is_some() {
                return;
            }
        }
        let mut waiting = vec![lanes];
        while let Some(lanes) = waiting.pop() {
            if let Some(pack) = self.pack_alone(&lanes) {
                let operands = &self.packs.packs[pack as usize].operands;
                waiting.extend(operands.iter().filter(|o| self.packs.origin(o) == Origin::Scattered));
            }
        }
    }

    /// One pack, if all lanes have one kind and no other pack.
    fn pack_alone(&mut self, lanes: &Lanes) -> Option<u32> {
        let first = lanes.iter().flatten().next().copied()?;
        let kind = self.kind(first)?;
        let model = self.operands(first);
        let n = 3 - model.iter().filter(|o| o.is_none()).count();
        let mut operands = vec![[None; LANES]; n];
        for (lane, value) in lanes.iter().enumerate() {
            let Some(value) = *value else { continue };
            let is_repeated = lanes[..lane].contains(&Some(value));
            if is_repeated || self.packs.of(value).is_some() || self.kind(value) != Some(kind) {
                return None;
            }
            let own = self.operands_like(&model, kind, value);
            operands.iter_mut().zip(own).for_each(|(o, v)| o[lane] = v);
        }
        let steps = lanes.iter().flatten().map(|v| self.step_of[v.index()]).collect();
        Some(self.packs.add(Pack { kind, results: *lanes, operands, steps }))
    }

    /// Takes packs apart that cost more than they save, until all that are left pay. To gather an operand costs a store for each lane,
    /// shared by the packs that read it. To take a pack apart costs as many stores if other packs read it, and as many deliveries if its results
    /// leave the program.
    fn keep_what_pays(&mut self, first: usize) {
        let mut is_output = vec![false; self.program.values().len()];
        self.program.outputs().iter().for_each(|(_, o)| is_output[o.value.index()] = true);
        let n = self.packs.packs.len() - first;
        let mut readers: Vec<Vec<u32>> = vec![vec![]; n];
        let mut n_readers = vec![0u32; n];
        let mut gathers: Map<Lanes, u32> = Map::default();
        for pack in first..first + n {
            for operand in &self.packs.packs[pack].operands {
                match self.packs.origin(operand) {
                    Origin::Pack(read) if read as usize >= first => {
                        readers[read as usize - first].push(pack as u32);
                        n_readers[read as usize - first] += 1;
                    }
                    Origin::Scattered => *gathers.entry(*operand).or_default() += 1,
                    Origin::Pack(_) | Origin::Same(_) => {}
                }
            }
        }
        let mut waiting: Vec<u32> = (first as u32..(first + n) as u32).rev().collect();
        while let Some(pack) = waiting.pop() {
            let own = &self.packs.packs[pack as usize];
            let lanes = own.values().count() as f64;
            if lanes == 0.0 {
                continue;
            }
            let cost = |o: &Lanes| match self.packs.origin(o) {
                Origin::Scattered => lanes / f64::from(gathers.get(o).copied().unwrap_or(0).max(1)),
                Origin::Pack(_) | Origin::Same(_) => 0.0,
            };
            let costs: f64 = own.operands.iter().map(cost).sum();
            let delivered = own.values().filter(|v| is_output[v.index()]).count() as f64;
            let gain = lanes - 1.0 + if n_readers[pack as usize - first] > 0 { lanes } else { delivered };
            if lanes >= FEWEST && gain > costs {
                continue;
            }
            for operand in &own.operands {
                match self.packs.origin(operand) {
                    Origin::Pack(read) if read as usize >= first => {
                        n_readers[read as usize - first] -= 1;
                        waiting.push(read);
                    }
                    Origin::Scattered => {
                        gathers.entry(*operand).and_modify(|n| *n = n.saturating_sub(1));
                    }
                    Origin::Pack(_) | Origin::Same(_) => {}
                }
            }
            let results = own.results;
            for reader in std::mem::take(&mut readers[pack as usize - first]) {
                let reads = |o: &&Lanes| o.iter().flatten().any(|v| results.contains(&Some(*v)));
                for operand in self.packs.packs[reader as usize].operands.iter().filter(reads) {
                    *gathers.entry(*operand).or_default() += 1;
                }
                waiting.push(reader);
            }
            self.packs.dissolve(pack);
        }
    }
}
