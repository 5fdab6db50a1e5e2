//! Programs made smaller and faster without changing what they mean.
//!
//! | pass | does | changes bits |
//! | --- | --- | --- |
//! | [`gvn`] | shares equal values, folds constants, hoists each value to its earliest stage | no (in strict mode) |
//! | [`remove_dead`] | drops values that reach no output | no |
//! | [`sink`] | moves values that only a late stage needs into it | no |
//! | [`reassociate`] | sums and multiplies first what is known first | yes: rounds elsewhere |
//! | [`fuse`] | turns `a b ± c` into a fused multiply-add | yes: rounds once instead of twice |
//! | [`schedule`] | orders values so that few are alive at a time, where that is faster | no |
//!
//! Nothing but [`reassociate`] reassociates sums or products. Each pass verifies its result in tests and debug builds.

pub(crate) mod dce;
pub(crate) mod gvn;
pub(crate) mod reassociate;

mod cost;
mod fuse;
mod pairs;
mod schedule;
mod sink;

pub use crate::passes::dce::remove_dead;
pub use crate::passes::fuse::fuse;
pub(crate) use crate::passes::gvn::copy;
pub use crate::passes::gvn::number;
pub use crate::passes::pairs::sincos_pairs;
pub use crate::passes::reassociate::hasten;
pub use crate::passes::schedule::schedule;
pub use crate::passes::sink::sink;

use cardan_base::{Arena, Id};

use crate::builder::Math;
use crate::op::{Op, StageId, ValueId};
use crate::program::Program;
use crate::verify::verify;

/// What [`optimize`] may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Which identities may be applied.
    pub math: Math,
    /// Whether products and sums may be reassociated and fused.
    pub fuse: bool,
}

/// All passes in their usual order.
pub fn optimize(program: &Program, options: Options) -> Program {
    let program = remove_dead(&number(program, options.math));
    let program = if options.fuse { fuse(&hasten(&program)) } else { program };
    schedule(&program)
}

/// The program with only the listed values, in this order, each in the stage given with it.
fn rearrange(program: &Program, order: &[(StageId, ValueId)]) -> Program {
    let mut new_id = vec![ValueId::from_index(0); program.values.len()];
    let mut values: Arena<ValueId, Op> = Arena::new();
    for (_, old) in order {
        let op = program.values[*old].map_operands(|v| new_id[v.index()]);
        new_id[old.index()] = values.push(op);
    }
    let mut result = Program {
        name: program.name.clone(),
        stages: program.stages.clone(),
        inputs: program.inputs.clone(),
        values,
        outputs: program.outputs.clone(),
        curves: program.curves.clone(),
        surfaces: program.surfaces.clone(),
        functions: program.functions.clone(),
    };
    for (id, stage) in result.stages.iter_mut() {
        stage.end = order.partition_point(|(s, _)| *s <= id);
    }
    for (_, output) in result.outputs.iter_mut() {
        output.value = new_id[output.value.index()];
    }
    checked(result)
}

/// The program, verified where that is affordable.
fn checked(program: Program) -> Program {
    if cfg!(any(test, debug_assertions)) {
        assert_eq!(verify(&program), Ok(()), "a pass keeps programs well formed");
    }
    program
}
