//! A model written in the native language and read again is the same model.

use std::fs;
use std::path::{Path, PathBuf};

use cardan::base::Map;
use cardan::equations::derive;
use cardan::expr::{Expr, SymbolId};
use cardan::import::{ImportOptions, import_mjcf, import_urdf};
use cardan::lang::write;
use cardan::lower::{SimulationRequest, lower_simulation};
use cardan::prelude::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

/// The written text, and the model that it gives.
fn again(model: &Model) -> (String, Model) {
    let written = write(model);
    assert!(written.left_out.is_empty(), "{}: {:?}\n{}", model.name, written.left_out, written.text);
    let resolved = resolve(parse("written.mbs", &written.text));
    match resolved.into_model() {
        Ok(back) => (written.text, back),
        Err(error) => panic!("{error}\n{}", written.text),
    }
}

/// A number for each symbol of a model, the same in both models because both list them in the same order.
fn values(model: &Model, seed: u64) -> Map<SymbolId, f64> {
    let pool = model.space.pool();
    let mut state = seed.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(3_037_000_493);
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let mut known: Map<SymbolId, f64> = Map::default();
    let mut put = |e: Expr, x: f64| known.insert(pool.as_symbol(e).expect("a symbol"), x);
    put(pool.pi(), std::f64::consts::PI);
    put(model.space.time(), 0.37);
    model.coordinates.iter().for_each(|(_, q)| drop(put(q.symbol, random())));
    model.speeds.iter().for_each(|(_, u)| drop(put(u.symbol, random())));
    model.states.iter().for_each(|(_, s)| drop(put(s.symbol, random())));
    // Parameters may depend on parameters declared before or after them.
    for _ in 0..8 {
        for (_, p) in model.parameters.iter() {
            let value = p.default.map_or(0.8, |e| pool.evaluate(e, &|s| known.get(&s).copied().unwrap_or(f64::NAN)));
            known.insert(pool.as_symbol(p.symbol).expect("a symbol"), value);
        }
    }
    known
}

fn accelerations(model: &Model, formalism: Formalism) -> Vec<f64> {
    let equations = derive(model, formalism).unwrap_or_else(|e| panic!("{}", e.message(model)));
    let pool = equations.pool(model);
    (1..4)
        .flat_map(|seed| {
            let known = values(model, seed);
            pool.evaluate_all(&equations.u_dot, &|s| known.get(&s).copied().unwrap_or(f64::NAN))
        })
        .collect()
}
