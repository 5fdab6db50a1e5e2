//! Exact Jacobians of programs: rows of outputs by columns of inputs.

use cardan_base::Id;
use cardan_program::derive::{self, jacobian_with};
use cardan_program::{Host, InputId, Math, OutputId, Program, passes};
use cardan_solve::Matrix;

use crate::AnalysisError;
use crate::numeric_model::Evaluator;

/// A Jacobian as a program and where its entries go.
#[derive(Clone, Debug)]
pub(crate) struct Slopes {
    evaluator: Evaluator,
    pattern: Vec<(usize, usize)>,
    first: usize,
    shape: (usize, usize),
}

impl Slopes {
    /// Foreign functions without declared derivatives get differences.
    pub fn new(program: &Program, of: &[usize], by: &[usize], host: &Host) -> Result<Self, AnalysisError> {
        Slopes::with(program, of, by, host, true)
    }

    /// With roots whose slope is bounded at zero or not. The kinks of rates are found by their
    /// switching functions; outputs have none, so a root at zero must be told by its slope.
    pub fn with(
        program: &Program,
        of: &[usize],
        by: &[usize],
        host: &Host,
        bounded_roots: bool,
    ) -> Result<Self, AnalysisError> {
        let rows: Vec<OutputId> = of.iter().map(|o| OutputId::from_index(*o)).collect();
        let columns: Vec<InputId> = by.iter().map(|i| InputId::from_index(*i)).collect();
        let options = derive::Options { math: Math::Finite, bounded_roots, ..derive::Options::default() };
        let host = host.with_differences(program);
        let jacobian = jacobian_with(&program.with_derivatives(), &rows, &columns, options)?;
        let options = passes::Options { math: Math::Finite, fuse: false };
        let evaluator = Evaluator::new(&passes::optimize(&jacobian.program, options), &host)?;
        let shape = (of.len(), by.len());
        Ok(Slopes { evaluator, pattern: jacobian.pattern, first: jacobian.first.index(), shape })
    }

    /// The program, its pattern, the output of the first entry, and the shape.
    pub fn parts(&self) -> SlopeParts<'_> {
        (self.evaluator.program(), &self.pattern, self.first, self.shape)
    }

    pub fn run(&mut self, inputs: &[f64]) -> Result<Matrix, AnalysisError> {
        let mut j = Matrix::zeros(self.shape.0, self.shape.1);
        let outputs = self.evaluator.run(inputs)?;
        for (k, place) in self.pattern.iter().enumerate() {
            j[*place] = outputs[self.first + k];
        }
        Ok(j)
    }
}

/// A program, the places of its entries, the output of the first one, rows and columns.
pub(crate) type SlopeParts<'s> = (&'s Program, &'s [(usize, usize)], usize, (usize, usize));

/// One matrix above the other.
pub(crate) fn stacked(a: &Matrix, b: &Matrix) -> Matrix {
    let (n, width) = (a.n_rows(), a.n_cols());
    let mut all = Matrix::zeros(n + b.n_rows(), width);
    for j in 0..width {
        (0..n).for_each(|i| all[(i, j)] = a[(i, j)]);
        (0..b.n_rows()).for_each(|i| all[(n + i, j)] = b[(i, j)]);
    }
    all
}
