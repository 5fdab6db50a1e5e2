//! Where numbers live in an engine's memory.
//!
//! ```text
//! | constants | arguments of calls | results and spilled values ... | padding |
//! ```
//!
//! Constants include the few bit patterns that the code itself needs. The padding lets 16-byte reads of the
//! last number stay inside. With several lanes every place holds that many numbers. Places of values that no
//! later operation reads are used again. Inputs stay where the caller has them.

use cardan_base::Map;
use cardan_program::{Op, Program, math};

use crate::allocation::work_memory::Numbers;

/// Bit patterns and numbers that the code needs besides the program's own constants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patterns {
    pub(crate) sign_bit: u32,
    pub(crate) all_but_sign: u32,
    pub(crate) all_ones: u32,
    pub(crate) zero: u32,
    pub(crate) one: u32,
    pub(crate) minus_one: u32,
    pub(crate) integer_one: u32,
    pub(crate) half: u32,
    pub(crate) main_range: u32,
    pub(crate) two_over_pi: u32,
    pub(crate) rounder: u32,
    /// First of three.
    pub(crate) half_pi: u32,
    /// First of six.
    pub(crate) sine: u32,
    /// First of six.
    pub(crate) cosine: u32,
}

impl Patterns {
    /// The same for code whose places are rows of the constants' repetitions: see [`Layout::repeat_patterns`].
    fn moved(self, by: u32) -> Patterns {
        Patterns {
            sign_bit: self.sign_bit + by,
            all_but_sign: self.all_but_sign + by,
            all_ones: self.all_ones + by,
            zero: self.zero + by,
            one: self.one + by,
            minus_one: self.minus_one + by,
            integer_one: self.integer_one + by,
            half: self.half + by,
            main_range: self.main_range + by,
            two_over_pi: self.two_over_pi + by,
            rounder: self.rounder + by,
            half_pi: self.half_pi + by,
            sine: self.sine + by,
            cosine: self.cosine + by,
        }
    }
}

/// The plan of the memory.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Constants, by their bits.
    pub(crate) constants: Vec<u64>,
    index: Map<u64, u32>,
    pub(crate) patterns: Patterns,
    /// Numbers that stand at other places from the start.
    standing: Vec<(u32, u64)>,
    end: u32,
    free: Vec<u32>,
    /// Most arguments that a call needs; not fewer than two and a result.
    n_arguments: u32,
}

impl Layout {
    /// The plan for a program: constants have places, values do not yet.
    pub(crate) fn new(program: &Program) -> Self {
        let mut layout = Layout {
            constants: Vec::new(),
            index: Map::default(),
            patterns: Patterns {
                sign_bit: 0,
                all_but_sign: 0,
                all_ones: 0,
                zero: 0,
                one: 0,
                minus_one: 0,
                integer_one: 0,
                half: 0,
                main_range: 0,
                two_over_pi: 0,
                rounder: 0,
                half_pi: 0,
                sine: 0,
                cosine: 0,
            },
            standing: Vec::new(),
            end: 0,
            free: Vec::new(),
            n_arguments: 3,
        };
        layout.patterns = Patterns {
            sign_bit: layout.constant(1 << 63),
            all_but_sign: layout.constant(!(1 << 63)),
            all_ones: layout.constant(u64::MAX),
            zero: layout.constant(0),
            one: layout.constant(1f64.to_bits()),
            minus_one: layout.constant((-1f64).to_bits()),
            integer_one: layout.constant(1),
            half: layout.constant(0.5f64.to_bits()),
            main_range: layout.constant(math::MAIN_RANGE.to_bits()),
            two_over_pi: layout.constant(math::TWO_OVER_PI.to_bits()),
            rounder: layout.constant(math::ROUNDER.to_bits()),
            half_pi: layout.row(&math::HALF_PI),
            sine: layout.row(&math::SINE),
            cosine: layout.row(&math::COSINE),
        };
        for (_, op) in program.values().iter() {
            match op {
                Op::Const(c) => {
                    layout.constant(c.value().to_bits());
                }
                Op::Call { args, .. } => layout.n_arguments = layout.n_arguments.max(args.len() as u32 + 1),
                Op::Solve(s) => layout.n_arguments = layout.n_arguments.max(s.matrix.len() as u32),
                _ => {}
            }
        }
        layout.end = layout.constants.len() as u32;
        layout
    }

    /// The place of a constant.
    pub(crate) fn constant(&mut self, bits: u64) -> u32 {
        let constants = &mut self.constants;
        *self.index.entry(bits).or_insert_with(|| {
            constants.push(bits);
            constants.len() as u32 - 1
        })
    }

    /// Places of constants that the code itself needs. No values may have been planned yet.
    pub(crate) fn constants_of_code<const N: usize>(&mut self, bits: [u64; N]) -> [u32; N] {
        let places = bits.map(|bits| self.constant(bits));
        self.end = self.constants.len() as u32;
        places
    }

    /// The first place of a row of constants.
    fn row(&mut self, numbers: &[f64]) -> u32 {
        let first = self.constants.len() as u32;
        self.constants.extend(numbers.iter().map(|x| x.to_bits()));
        first
    }

    /// Repeats every pattern `lanes` times in a plan for scalar code, and gives their places in rows of so many. Nothing else may have
    /// been planned yet.
    pub(crate) fn repeat_patterns(&mut self, lanes: u32) -> Patterns {
        let first = self.constants.len().next_multiple_of(lanes as usize);
        self.constants.resize(first, 0);
        let patterns = self.constants[..self.patterns.cosine as usize + math::COSINE.len()].to_vec();
        self.constants.extend(patterns.iter().flat_map(|bits| std::iter::repeat_n(*bits, lanes as usize)));
        self.end = self.constants.len() as u32;
        self.patterns.moved(first as u32 / lanes)
    }

    /// A row of `lanes` places that begins at a multiple of them.
    pub(crate) fn allocate_row(&mut self, lanes: u32) -> u32 {
        self.end = self.end.next_multiple_of(lanes);
        self.allocate_block(lanes)
    }

    /// The place of a truth value: all ones or all zeros.
    pub(crate) fn truth(&self, truth: bool) -> u32 {
        if truth { self.patterns.all_ones } else { self.patterns.zero }
    }

    /// A place for one value.
    pub(crate) fn allocate(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| self.allocate_block(1))
    }

    /// Places for several values in a row.
    pub(crate) fn allocate_block(&mut self, n: u32) -> u32 {
        let place = self.end;
        self.end += n;
        place
    }

    /// A number stands at a place from the start, which is never written to.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn stand(&mut self, place: u32, bits: u64) {
        self.standing.push((place, bits));
    }

    /// The place may be used for another value.
    pub(crate) fn release(&mut self, place: u32) {
        self.free.push(place);
    }

    /// Places for the arguments of calls, in a row. They stand where the memory begins to grow.
    pub(crate) fn reserve_arguments(&mut self) -> u32 {
        let n = self.n_arguments;
        self.allocate_block(n)
    }

    /// The memory at the start: constants, then zeros but for what stands there; each number `lanes` times.
    pub(crate) fn memory(&self, lanes: usize) -> Numbers {
        let mut memory = Numbers::zeros((self.end as usize + 2) * lanes);
        for (place, bits) in memory.as_mut_slice().chunks_exact_mut(lanes).zip(&self.constants) {
            place.fill(f64::from_bits(*bits));
        }
        for (place, bits) in &self.standing {
            let first = *place as usize * lanes;
            memory.as_mut_slice()[first..first + lanes].fill(f64::from_bits(*bits));
        }
        memory
    }
}
