//! The variables of a unit. The value reference of a variable is its place in the list:
//!
//! ```text
//! time │ states │ their derivatives │ parameters and inputs │ outputs │ discrete states │ indicators
//! ```

use cardan::compile::Plan;
use cardan::model::Causality;

/// What a value reference stands for, with its place among its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variable {
    /// The time.
    Time,
    /// A coordinate, speed or auxiliary state.
    State(usize),
    /// The time derivative of a state.
    Derivative(usize),
    /// A parameter or an input, by its place among the parameters of the plan.
    Given(usize, Causality),
    /// An output of the model.
    Output(usize),
    /// A discrete state.
    Discrete(usize),
    /// A number whose sign changes where something happens.
    Indicator(usize),
}

/// All variables in the order of their value references.
pub fn variables(plan: &Plan, n_indicators: usize) -> Vec<Variable> {
    let mut list = vec![Variable::Time];
    list.extend((0..plan.states.len()).map(Variable::State));
    list.extend((0..plan.states.len()).map(Variable::Derivative));
    list.extend(plan.parameters.iter().enumerate().map(|(k, p)| Variable::Given(k, p.causality)));
    list.extend((0..plan.outputs.len()).map(Variable::Output));
    list.extend((0..plan.discretes.len()).map(Variable::Discrete));
    list.extend((0..n_indicators).map(Variable::Indicator));
    list
}

/// The name of a variable. Names are flat: any text without a line break.
pub fn name(plan: &Plan, variable: Variable) -> String {
    match variable {
        Variable::Time => "time".to_owned(),
        Variable::State(k) => plan.states[k].label.name.clone(),
        Variable::Derivative(k) => format!("d/dt {}", plan.states[k].label.name),
        Variable::Given(k, _) => plan.parameters[k].label.name.clone(),
        Variable::Output(k) => plan.outputs[k].0.name.clone(),
        Variable::Discrete(k) => plan.discretes[k].0.name.clone(),
        Variable::Indicator(k) => format!("indicator {}", k + 1),
    }
}
