//! One program, many instances: data in arrays, several instances in one run.

use cardan_jit::{Batch, Engine, EngineKind, lanes};
use cardan_lower::{Phase, stages};
use cardan_program::{Execute, Program, Stages};

use crate::error::Unsupported;

/// A program over the instances of a kind. The instances of a group stand in the lanes of one run.
#[derive(Clone, Debug)]
pub struct Kernel {
    runner: Runner,
    stages: Stages,
    n_inputs: usize,
    n_outputs: usize,
    n_instances: usize,
    /// Inputs by group, input, lane.
    inputs: Vec<f64>,
    /// Outputs by group, output, lane.
    outputs: Vec<f64>,
}

#[derive(Clone, Debug)]
enum Runner {
    Eight(Box<Batch<8>>),
    Four(Box<Batch<4>>),
    One(Box<Engine>),
}

impl Runner {
    fn width(&self) -> usize {
        match self {
            Runner::Eight(_) => 8,
            Runner::Four(_) => 4,
            Runner::One(_) => 1,
        }
    }
}

impl Kernel {
    /// Compiles a program for so many instances.
    pub fn new(program: &Program, n_instances: usize) -> Result<Kernel, Unsupported> {
        let wrong = |e: cardan_program::Unbound| Unsupported::Program(e.to_string());
        let runner = match lanes() {
            8 if n_instances > 4 => Runner::Eight(Box::new(Batch::compile(program).map_err(wrong)?)),
            4 | 8 if n_instances > 1 => Runner::Four(Box::new(Batch::compile(program).map_err(wrong)?)),
            _ => Runner::One(Box::new(Engine::new(program, EngineKind::Native).map_err(wrong)?)),
        };
        let groups = n_instances.div_ceil(runner.width());
        let (n_inputs, n_outputs) = (program.inputs().len(), program.outputs().len());
        let room = |n: usize| vec![0.0; groups * n * runner.width()];
        Ok(Kernel {
            inputs: room(n_inputs),
            outputs: room(n_outputs),
            stages: stages(program, Phase::Setup, Phase::Report),
            n_inputs,
            n_outputs,
            n_instances,
            runner,
        })
    }

    fn place(&self, n: usize, instance: usize, k: usize) -> usize {
        let width = self.runner.width();
        ((instance / width) * n + k) * width + instance % width
    }

    /// Gives an instance inputs from place `first` on.
    pub fn set(&mut self, instance: usize, first: usize, values: &[f64]) {
        let width = self.runner.width();
        let mut at = self.place(self.n_inputs, instance, first);
        for v in values {
            self.inputs[at] = *v;
            at += width;
        }
        // Idle lanes repeat the last instance, so that no number is undefined.
        if instance + 1 == self.n_instances {
            for lane in instance % width + 1..width {
                let shift = lane - instance % width;
                let mut at = self.place(self.n_inputs, instance, first) + shift;
                for v in values {
                    self.inputs[at] = *v;
                    at += width;
                }
            }
        }
    }

    /// Runs all instances.
    pub fn run(&mut self) -> Result<(), String> {
        let stages = self.stages;
        let (i, o) = (self.n_inputs, self.n_outputs);
        let words = |e: cardan_program::EvalError| e.to_string();
        match &mut self.runner {
            Runner::Eight(batch) => {
                let groups = self.inputs.chunks_exact(8 * i).zip(self.outputs.chunks_exact_mut(8 * o));
                for (inputs, outputs) in groups {
                    batch.run(stages, inputs.as_chunks().0, outputs.as_chunks_mut().0).map_err(words)?;
                }
            }
            Runner::Four(batch) => {
                let groups = self.inputs.chunks_exact(4 * i).zip(self.outputs.chunks_exact_mut(4 * o));
                for (inputs, outputs) in groups {
                    batch.run(stages, inputs.as_chunks().0, outputs.as_chunks_mut().0).map_err(words)?;
                }
            }
            Runner::One(engine) => {
                for (inputs, outputs) in self.inputs.chunks_exact(i).zip(self.outputs.chunks_exact_mut(o)) {
                    engine.run(stages, inputs, outputs).map_err(words)?;
                }
            }
        }
        Ok(())
    }

    /// Output `k` of an instance.
    pub fn output(&self, instance: usize, k: usize) -> f64 {
        self.outputs[self.place(self.n_outputs, instance, k)]
    }

    /// Input `k` of an instance.
    pub fn input(&self, instance: usize, k: usize) -> f64 {
        self.inputs[self.place(self.n_inputs, instance, k)]
    }

    /// The number of instances.
    pub fn len(&self) -> usize {
        self.n_instances
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.n_instances == 0
    }
}
