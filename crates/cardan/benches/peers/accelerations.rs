//! Accelerations at states that come by name on standard input, one JSON object per line; what is not named is zero.

use std::io::BufRead;

use cardan::compile::Plan;
use cardan::jit::MachineCode;
use cardan::program::Execute;
use serde_json::{Map, Value, json};

use crate::reading::exact_model;

pub fn answer(file: &str) {
    let model = exact_model(file, false);
    let choice = cardan::derive(&model, None).unwrap_or_else(|e| panic!("{e}"));
    let plan = Plan::of(&choice.model, &choice.equations, &choice.lowered);
    let mut engine = MachineCode::compile(&choice.lowered.program).expect("no functions of the host");
    let mut inputs = vec![0.0; engine.n_inputs()];
    let mut outputs = vec![0.0; engine.n_outputs()];
    plan.parameters.iter().for_each(|p| inputs[p.input] = p.value.unwrap_or(0.0));
    engine.run(plan.setup, &inputs, &mut outputs).expect("the setup is regular");
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap_or_else(|e| panic!("{e}"));
        let state: Map<String, Value> = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let named = |name: &str| plan.states.iter().find(|s| s.label.name == name);
        for (name, value) in &state {
            let slot = named(name).unwrap_or_else(|| panic!("nothing is called {name}"));
            inputs[slot.input] = value.as_f64().unwrap_or(f64::NAN);
        }
        engine.run(plan.motion, &inputs, &mut outputs).expect("the states are regular");
        let speeds = &plan.states[plan.n_coordinates..plan.n_coordinates + plan.n_speeds];
        let rates: Map<String, Value> =
            speeds.iter().map(|s| (s.label.name.clone(), json!(outputs[s.derivative]))).collect();
        println!("{}", Value::Object(rates));
    }
}
