//! An engine's memory: numbers that begin at a cache line, so that no vector of eight, four or two straddles two lines.

/// A cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([f64; 8]);

/// Numbers side by side.
#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    lines: Vec<Line>,
}

impl Numbers {
    /// At least `n` zeros.
    pub(crate) fn zeros(n: usize) -> Self {
        Numbers { lines: vec![Line([0.0; 8]); n.div_ceil(8)] }
    }

    /// The address of the first.
    #[inline]
    pub(crate) fn as_mut_ptr(&mut self) -> *mut f64 {
        self.lines.as_mut_ptr().cast()
    }

    /// All of them.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [f64] {
        // SAFETY: a line is eight numbers without padding (64 bytes, aligned to 64), lines of a vector stand side by side, and the
        // borrow of `self` is handed on.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), 8 * self.lines.len()) }
    }
}

#[cfg(test)]
mod tests {
    use crate::allocation::work_memory::Numbers;

    #[test]
    fn they_begin_at_a_line_and_stay_there_when_copied() {
        let mut numbers = Numbers::zeros(19);
        numbers.as_mut_slice()[18] = 1.5;
        let mut copy = numbers.clone();
        assert!(copy.as_mut_slice().len() >= 19 && copy.as_mut_slice()[18] == 1.5);
        for n in [&mut numbers, &mut copy] {
            assert_eq!(n.as_mut_slice().as_ptr() as usize % 64, 0);
        }
    }
}
