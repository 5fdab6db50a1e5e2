//! What the tests of this crate share: import a text, look at its findings, evaluate its equations.

#![allow(dead_code, reason = "each test file uses a part of this")]

use std::path::{Path, PathBuf};

use cardan_base::{Diagnostics, Map, Sources, render};
use cardan_equations::{Equations, Formalism, derive};
use cardan_expr::{Expr, SymbolId};
use cardan_import::{ImportOptions, import_mjcf, import_urdf};
use cardan_model::Model;
use cardan_testkit::Random;

/// A model from a URDF text, with what is said about it.
pub fn urdf(text: &str, options: &ImportOptions) -> (Option<Model>, Diagnostics, String) {
    let mut sources = Sources::new();
    let file = sources.add("robot.urdf", text);
    let (model, diagnostics) = import_urdf(file, &sources, options);
    let said = diagnostics.iter().map(|d| render(d, &sources, false)).collect::<String>();
    (model, diagnostics, said)
}

/// A model from an MJCF text, with what is said about it.
pub fn mjcf(text: &str, options: &ImportOptions) -> (Option<Model>, Diagnostics, String) {
    let mut sources = Sources::new();
    let file = sources.add("model.xml", text);
    let (model, diagnostics) = import_mjcf(file, &mut sources, &mut |_| None, options);
    let said = diagnostics.iter().map(|d| render(d, &sources, false)).collect::<String>();
    (model, diagnostics, said)
}

/// The bodies of a world, which must come without errors.
pub fn world(bodies: &str) -> Model {
    whole(&format!("<mujoco><compiler angle='radian'/><worldbody>{bodies}</worldbody></mujoco>"))
}

/// A whole MJCF text, which must come without errors.
pub fn whole(text: &str) -> Model {
    let (model, _, said) = mjcf(text, &ImportOptions::default());
    model.unwrap_or_else(|| panic!("{said}"))
}

/// A model that must come without errors.
pub fn robot(text: &str) -> Model {
    let (model, _, said) = urdf(text, &ImportOptions::default());
    model.unwrap_or_else(|| panic!("{said}"))
}

/// Values for every symbol of a model: parameters by default, the state as set or at random.
pub struct State(Map<SymbolId, f64>);

impl State {
    /// The state at the start.
    pub fn start(model: &Model) -> State {
        let pool = model.space.pool();
        let mut state = State(Map::default());
        for (_, p) in model.parameters.iter() {
            let default = p.default.expect("imported parameters have values");
            state.put(model, p.symbol, pool.evaluate(default, &|_| f64::NAN));
        }
        state.put(model, model.space.time(), 0.0);
        for (_, q) in model.coordinates.iter() {
            state.put(model, q.symbol, pool.evaluate(q.start, &|s| state.0[&s]));
        }
        model.speeds.iter().for_each(|(_, u)| state.put(model, u.symbol, 0.0));
        state
    }
    /// A random state.
    pub fn random(model: &Model, seed: u64) -> State {
        let mut random = Random::new(seed);
        let mut state = State::start(model);
        model.coordinates.iter().for_each(|(_, q)| state.put(model, q.symbol, random.between(-1.0, 1.0)));
        for quadruple in &model.unit_quadruples {
            let e: [f64; 4] = std::array::from_fn(|_| random.between(-1.0, 1.0));
            let norm = e.iter().map(|x| x * x).sum::<f64>().sqrt();
            for (q, x) in quadruple.iter().zip(e) {
                state.put(model, model.coordinates[*q].symbol, x / norm);
            }
        }
        model.speeds.iter().for_each(|(_, u)| state.put(model, u.symbol, random.between(-1.0, 1.0)));
        state
    }
    fn put(&mut self, model: &Model, symbol: Expr, value: f64) {
        let id =
            model.space.pool().as_symbol(symbol).expect("coordinates, speeds and parameters are symbols");
        self.0.insert(id, value);
    }
    /// Sets a coordinate, speed, parameter or state by name.
    pub fn set(mut self, model: &Model, name: &str, value: f64) -> State {
        let q = model.coordinates.iter().map(|(_, q)| (&q.quantity.name, q.symbol));
        let u = model.speeds.iter().map(|(_, u)| (&u.quantity.name, u.symbol));
        let p = model.parameters.iter().map(|(_, p)| (&p.quantity.name, p.symbol));
        let x = model.states.iter().map(|(_, s)| (&s.quantity.name, s.symbol));
        let found = q.chain(u).chain(p).chain(x).find(|(n, _)| *n == name);
        self.put(model, found.unwrap_or_else(|| panic!("nothing is called {name}")).1, value);
        self
    }
    /// Sets the time.
    pub fn time(mut self, model: &Model, t: f64) -> State {
        self.put(model, model.space.time(), t);
        self
    }
    pub fn at(&self, model: &Model, e: Expr) -> f64 {
        self.all(model, &[e])[0]
    }
    pub fn all(&self, model: &Model, es: &[Expr]) -> Vec<f64> {
        model.space.pool().evaluate_all(es, &|s| self.0.get(&s).copied().unwrap_or(f64::NAN))
    }
    pub fn mass_matrix(&self, model: &Model, e: &Equations) -> Vec<Vec<f64>> {
        e.mass.iter().flatten().map(|row| self.all(model, row)).collect()
    }
}

pub fn recursive(model: &Model) -> Equations {
    derive(model, Formalism::Recursive).unwrap_or_else(|f| panic!("{}", f.message(model)))
}

/// Formalisms agree on the accelerations at a random state, which are returned.
pub fn accelerations(model: &Model, state: &State) -> Vec<f64> {
    let kane = derive(model, Formalism::Kane).unwrap_or_else(|f| panic!("{}", f.message(model)));
    let a = state.all(model, &kane.u_dot);
    assert_close(&a, &state.all(model, &recursive(model).u_dot), 1e-10, "recursive");
    if let Ok(articulated) = derive(model, Formalism::Articulated) {
        assert_close(&a, &state.all(model, &articulated.u_dot), 1e-10, "articulated");
    }
    a
}

pub fn assert_close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    let scale = a.iter().chain(b).fold(1.0f64, |m, x| m.max(x.abs()));
    for (i, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= tolerance * scale, "{what}[{i}]: {x} against {y}");
    }
}

pub fn total_mass(model: &Model) -> f64 {
    let state = State::start(model);
    model.bodies.iter().map(|(_, b)| state.at(model, b.mass)).sum()
}

pub fn folder(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}
