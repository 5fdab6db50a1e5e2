//! Text to machine code, phase by phase: `cargo bench -p cardan --bench compile`.
//!
//! Best of several repetitions, in milliseconds, beside the limit that each model is held to. Chains show how the time grows.

use std::fs;
use std::path::Path;
use std::time::Instant;

use cardan::equations::{Formalism, derive};
use cardan::jit::MachineCode;
use cardan::lower::simulation_program;
use cardan::prelude::*;

/// Best times of the phases, in milliseconds: read, derive, lower, machine code; then everything as `compile` does it,
/// formalisms compared.
fn phases(name: &str, text: &str) -> [f64; 5] {
    let mut best = [f64::INFINITY; 5];
    for _ in 0..5 {
        let mut keep = |k: usize, start: Instant| best[k] = best[k].min(1e3 * start.elapsed().as_secs_f64());
        let start = Instant::now();
        let model = resolve(parse(name, text)).into_model().expect("the benchmark's models are right");
        keep(0, start);
        // The formalism that `compile` would take.
        let compiled = compile_model(&model, Options::default()).expect("the benchmark's models compile");
        let formalism: Formalism = compiled.choice.equations.formalism;
        let own = model.clone();
        let start = Instant::now();
        let equations = derive(&own, formalism).expect("it was derived before");
        keep(1, start);
        let start = Instant::now();
        let lowered = simulation_program(&own, &equations).expect("it was lowered before");
        keep(2, start);
        let start = Instant::now();
        let engine = MachineCode::compile(&lowered.program).expect("no functions of the host");
        keep(3, start);
        assert!(engine.code_size() > 0 || cfg!(not(target_arch = "x86_64")));
        let start = Instant::now();
        compile(name, text).expect("it was compiled before");
        keep(4, start);
    }
    best
}

fn chain(n: usize) -> String {
    let mut text = format!(
        "model chain{n}\ngravity = -9.81 [m/s^2] * N.y\nparameter L = 1 [m] / {n}\nparameter m = 1 [kg] / {n}\n"
    );
    let mut parent = "N".to_string();
    for i in 1..=n {
        let at = if i == 1 { String::new() } else { format!(" at {parent}.e") };
        text += &format!(
            "body B{i} on {parent} by revolute(z, q = q{i}){at} {{ mass = m; inertia = (0 [kg*m^2], m*L^2/12, m*L^2/12); \
             center = (L/2, 0, 0); point e = (L, 0, 0) }}\n"
        );
        parent = format!("B{i}");
    }
    text
}

/// A trunk of five joints and six limbs of nine each, axes in turn, all inertial parameters: as many joints as the largest model whose generation
/// time Robotran prints.
fn limbs() -> String {
    let mut text = "model limbs\ngravity = -9.81 [m/s^2] * N.z\n".to_string();
    let mut add = |name: &str, parent: &str, k: usize| {
        let axis = ["x", "y", "z"][k % 3];
        let at = if parent == "N" { "" } else { " at (0.1, 0.02, 0.3) [m]" };
        text += &format!(
            "body {name} on {parent} by revolute({axis}){at} {{ mass = {}.5 [kg]; inertia = (0.3, 0.4, 0.5) [kg*m^2]; \
             center = (0.01, 0.02, 0.15) [m] }}\n",
            1 + k % 7
        );
    };
    let trunk = |k: usize| if k == 0 { "N".to_string() } else { format!("T{k}") };
    for k in 1..=5 {
        add(&trunk(k), &trunk(k - 1), k);
    }
    for limb in 1..=6 {
        let mut parent = trunk(1 + limb % 5);
        for k in 1..=9 {
            let name = format!("L{limb}_{k}");
            add(&name, &parent, k + limb);
            parent = name;
        }
    }
    text
}

/// Instances of a subsystem with five elements.
fn instances(n: usize) -> String {
    format!(
        "model instances\nsubsystem cell {{ parameter k = 3 [N/m], m = 1 [kg]; port base: frame\n\
         particle p on base by translate(x = x, y = y) {{ mass = m }}\n\
         spring s between p.cm and base.o {{ stiffness = k }}\ndamper d between p.cm and base.o {{ damping = 1 [N*s/m] }}\n\
         force f on p.cm = -k * x * N.x\noutput pull = k * x }}\n\
         for i in 1 .. {n} {{ cell c[i](m = i * 1 [kg]) {{ base -> N at (i, 0, 0) [m] }} }}"
    )
}

/// The best time of reading a text into a model, in milliseconds.
fn elaborated(text: &str) -> f64 {
    let once = || {
        let start = Instant::now();
        resolve(parse("instances", text)).into_model().expect("the benchmark's models are right");
        1e3 * start.elapsed().as_secs_f64()
    };
    (0..5).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn main() {
    println!(
        "{:22} {:>8} {:>8} {:>8} {:>8} {:>10} {:>8}",
        "model", "read", "derive", "lower", "code", "in all", "limit"
    );
    let line = |name: &str, text: &str, limit: f64| -> f64 {
        let [read, derive, lower, code, all] = phases(name, text);
        println!("{name:22} {read:8.2} {derive:8.2} {lower:8.2} {code:8.2} {all:10.2} {limit:8.0}");
        all
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let model =
        |name: &str| fs::read_to_string(folder.join(format!("{name}.mbs"))).expect("a model of the library");
    for (name, limit) in [
        ("pendulum", 20.0),
        ("handbook-robot", 50.0),
        ("six-axis-arm", 50.0),
        ("humanoid", 1000.0),
        ("squeezer", 150.0),
        ("whipple-bicycle", 150.0),
    ] {
        line(name, &model(name), limit);
    }
    line("limbs of 59 joints", &limbs(), 190.0);
    let mut before: Option<(usize, f64)> = None;
    for n in [25, 50, 100, 200] {
        let limit = if n == 200 { 2000.0 } else { f64::INFINITY };
        let all = line(&format!("chain of {n}"), &chain(n), limit);
        if let Some((m, time)) = before {
            let power = (all / time).ln() / (n as f64 / m as f64).ln();
            println!("{:22} grows with the power {power:.2} of the number of links (limit 2)", "");
        }
        before = Some((n, all));
    }
    before = None;
    for n in [500, 1000, 2000, 4000, 8000] {
        let read = elaborated(&instances(n));
        println!("{:22} {read:8.2}", format!("{n} instances"));
        if let Some((m, time)) = before {
            let power = (read / time).ln() / (n as f64 / m as f64).ln();
            println!("{:22} grows with the power {power:.2} of the number of instances", "");
        }
        before = Some((n, read));
    }
}
