//! One program inside another: composition by values.

use cardan_base::Id;

use crate::builder::ProgramBuilder;
use crate::op::{CurveId, FunctionId, Op, SurfaceId, ValueId};
use crate::program::Program;

impl ProgramBuilder {
    /// Adds all values of a program, reading `inputs` in place of its inputs; returns the new value of each
    /// of its outputs.
    ///
    /// Equal tables are shared, host functions are the same if they have the same name. The program's stages
    /// and labels are not taken over: values go to the stages that their operands demand. `None` if the
    /// number of inputs does not fit, or a host function of the same name has another number of arguments
    /// here.
    pub fn splice(&mut self, program: &Program, inputs: &[ValueId]) -> Option<Vec<ValueId>> {
        if inputs.len() != program.inputs().len() {
            return None;
        }
        let functions = self.adopt_functions(program)?;
        let curves: Vec<CurveId> = program.curves().iter().map(|(_, c)| self.shared_curve(c)).collect();
        let surfaces: Vec<SurfaceId> =
            program.surfaces().iter().map(|(_, s)| self.shared_surface(s)).collect();
        let mut map: Vec<ValueId> = Vec::with_capacity(program.values().len());
        for (_, op) in program.values().iter() {
            let op = match op.map_operands(|v| map[v.index()]) {
                Op::Input(i) => {
                    map.push(inputs[i.index()]);
                    continue;
                }
                Op::Lookup1 { table, x, order } => Op::Lookup1 { table: curves[table.index()], x, order },
                Op::Lookup2 { table, x, y, dx, dy } => {
                    Op::Lookup2 { table: surfaces[table.index()], x, y, dx, dy }
                }
                Op::Call { function, args } => Op::Call { function: functions[function.index()], args },
                op => op,
            };
            map.push(self.op(op));
        }
        Some(program.outputs().iter().map(|(_, o)| map[o.value.index()]).collect())
    }

    fn adopt_functions(&mut self, program: &Program) -> Option<Vec<FunctionId>> {
        let mut ids = Vec::with_capacity(program.functions().len());
        for (_, f) in program.functions().iter() {
            let id = self.function(f.name.clone(), f.arity);
            if self.arity(id) != f.arity {
                return None;
            }
            ids.push(id);
        }
        for ((_, f), id) in program.functions().iter().zip(&ids) {
            for (argument, derivative) in f.derivatives.iter().enumerate() {
                if let Some(d) = derivative {
                    self.set_derivative(*id, argument, ids[d.index()]);
                }
            }
        }
        Some(ids)
    }
}
