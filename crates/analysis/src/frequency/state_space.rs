//! The linearisation as a system A, B, C, D of named inputs and outputs.

use cardan_control::matrix::of_slices;
use cardan_control::{Matrix, StateSpace};

use crate::AnalysisError;
use crate::linear::linearize::Linearization;
use crate::numeric_model::{Named, Study};

/// A linear system with the units of its inputs, outputs and states.
#[derive(Clone, Debug)]
pub struct LinearSystem {
    /// A, B, C, D; entries of A that rounding does not tell from zero are zero.
    pub system: StateSpace,
    /// The inputs.
    pub inputs: Vec<Named>,
    /// The outputs.
    pub outputs: Vec<Named>,
    /// The states.
    pub states: Vec<Named>,
}

impl LinearSystem {
    /// The system of a linearisation from its inputs to the outputs named, which may be outputs or
    /// states of the model. Where none is named, they are the outputs of the model, or its
    /// coordinates where it has none.
    pub fn of(
        study: &Study,
        linear: &Linearization,
        wanted: &[String],
    ) -> Result<LinearSystem, AnalysisError> {
        let mut a = linear.a.clone();
        for (x, limit) in a.as_mut_slice().iter_mut().zip(linear.uncertainty.as_slice()) {
            if x.abs() <= *limit {
                *x = 0.0;
            }
        }
        let (n_q, ..) = study.sizes();
        let wanted: Vec<String> = match (wanted, &linear.outputs[..]) {
            ([], []) => (0..n_q).map(|k| study.state(k).0.name).collect(),
            ([], outputs) => outputs.iter().map(|o| o.name.clone()).collect(),
            (names, _) => names.to_vec(),
        };
        let mut rows: Vec<(Named, Row)> = vec![];
        for name in &wanted {
            rows.push(row(study, linear, name)?);
        }
        let (n, m) = (a.n_rows(), linear.inputs.len());
        let c = Matrix::from_fn(rows.len(), n, |i, j| rows[i].1.c[j]);
        let d = Matrix::from_fn(rows.len(), m, |i, j| rows[i].1.d[j]);
        let names = |list: &[Named]| list.iter().map(|n| n.name.clone()).collect::<Vec<_>>();
        let outputs: Vec<Named> = rows.into_iter().map(|(named, _)| named).collect();
        let mut system = StateSpace::new(of_slices(&a), of_slices(&linear.b), c, d)?;
        (system.inputs, system.outputs) = (names(&linear.inputs), names(&outputs));
        let states = linear.independent.iter().map(|i| i.named.clone()).collect();
        Ok(LinearSystem { system, inputs: linear.inputs.clone(), outputs, states })
    }

    /// Names the states that a delay of part of a step has added to a sampled system: values of inputs
    /// or outputs of the step before.
    pub fn name_added_states(&mut self) {
        for k in 1..=self.system.n_states().saturating_sub(self.states.len()) {
            let name = format!("delayed{k}");
            self.states.push(Named { name, unit: "1".into(), description: String::new() });
        }
    }
}

/// The rows of C and D of one output.
struct Row {
    c: Vec<f64>,
    d: Vec<f64>,
}

fn row(study: &Study, linear: &Linearization, name: &str) -> Result<(Named, Row), AnalysisError> {
    let (n, m) = (linear.a.n_rows(), linear.inputs.len());
    if let Some(i) = linear.outputs.iter().position(|o| o.name == name) {
        if let Some((_, by)) = linear.undefined.iter().find(|(output, _)| output.name == name) {
            let by = &by.name;
            return Err(AnalysisError::Question(format!(
                "the derivative of the output `{name}` by `{by}` is not finite at this state"
            )));
        }
        let c = (0..n).map(|j| linear.c[(i, j)]).collect();
        let d = (0..m).map(|j| linear.d[(i, j)]).collect();
        return Ok((linear.outputs[i].clone(), Row { c, d }));
    }
    let names: Vec<String> = (0..study.n_states()).map(|k| study.state(k).0.name).collect();
    let Some(k) = names.iter().position(|known| known == name) else {
        let outputs = linear.outputs.iter().map(|o| o.name.as_str());
        let known = outputs.chain(names.iter().map(String::as_str));
        return Err(AnalysisError::unknown("output or state", name, known));
    };
    let c = (0..n).map(|j| linear.basis[(k, j)]).collect();
    let d = (0..m).map(|j| linear.shift[(k, j)]).collect();
    Ok((study.state(k).0, Row { c, d }))
}
