//! A program whose stages are functions of a shared library: source code of ours that a compiler has turned into machine code.
//!
//! Each stage is a C function `void f(const double *inputs, double *work, double *outputs)`, without the middle argument where
//! the stage needs no work array. The outputs are those of the stage alone. Who opens a library vouches that it was made from
//! the description: C tells nobody.

use std::path::Path;
use std::sync::Arc;

use cardan_base::Id;
use cardan_program::execute::check_run;
use cardan_program::{EvalError, Execute, Stages, ValueId};

use crate::foreign::{Address, ForeignError, find};

/// What a library computes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Description {
    /// Length of the input vector.
    pub n_inputs: usize,
    /// Length of the output vector.
    pub n_outputs: usize,
    /// Length of the work array, which carries values from one stage to the next.
    pub n_work: usize,
    /// The stages in order.
    pub stages: Vec<StageFunction>,
}

/// The function of one stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StageFunction {
    /// Its name in the library.
    pub name: String,
    /// Whether it takes the work array.
    pub takes_work: bool,
    /// Where its outputs are in the output vector.
    pub outputs: Vec<usize>,
    /// A linear system of the stage, to be named if an output is not a number.
    pub system: Option<ValueId>,
}

/// A program in a library. Copies share the library and have work arrays of their own.
#[derive(Clone, Debug)]
pub struct Loaded {
    shared: Arc<Shared>,
    work: Vec<f64>,
    delivered: Vec<f64>,
}

#[derive(Debug)]
struct Shared {
    description: Description,
    addresses: Vec<Address>,
}

impl Loaded {
    /// Opens a library; it stays open as long as the process lives.
    pub fn open(path: &Path, description: Description) -> Result<Loaded, ForeignError> {
        let addresses =
            description.stages.iter().map(|s| find(path, &s.name)).collect::<Result<Vec<_>, _>>()?;
        let most = description.stages.iter().map(|s| s.outputs.len()).max().unwrap_or(0);
        let work = vec![0.0; description.n_work];
        Ok(Loaded { shared: Arc::new(Shared { description, addresses }), work, delivered: vec![0.0; most] })
    }
}

impl Execute for Loaded {
    fn run(&mut self, stages: Stages, inputs: &[f64], outputs: &mut [f64]) -> Result<(), EvalError> {
        let Shared { description, addresses } = &*self.shared;
        let expected = (description.n_inputs, description.n_outputs);
        check_run(addresses.len(), stages, expected, (inputs.len(), outputs.len()))?;
        let mut result = Ok(());
        for k in stages.first.index()..=stages.last.index() {
            let stage = &description.stages[k];
            let (x, w, y) = (inputs.as_ptr(), self.work.as_mut_ptr(), self.delivered.as_mut_ptr());
            let Address(at) = addresses[k];
            // SAFETY: `at` is the address of a function that the description, for which the opener vouches, gives this type; it reads
            // `n_inputs` numbers, reads and writes `n_work`, and writes as many outputs as the stage has, which the three arrays hold.
            unsafe {
                if stage.takes_work {
                    let function: extern "C" fn(*const f64, *mut f64, *mut f64) = std::mem::transmute(at);
                    function(x, w, y);
                } else {
                    let function: extern "C" fn(*const f64, *mut f64) = std::mem::transmute(at);
                    function(x, y);
                }
            }
            let mut undefined = false;
            for (place, y) in stage.outputs.iter().zip(&self.delivered) {
                outputs[*place] = *y;
                undefined |= y.is_nan();
            }
            if let (true, Some(solve), Ok(())) = (undefined, stage.system, &result) {
                result = Err(EvalError::NotFinite { solve });
            }
        }
        result
    }
    fn n_inputs(&self) -> usize {
        self.shared.description.n_inputs
    }
    fn n_outputs(&self) -> usize {
        self.shared.description.n_outputs
    }
}
