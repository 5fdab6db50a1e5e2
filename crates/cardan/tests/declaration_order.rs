//! Order of declarations: a shuffled text has the same equations, exactly.
//!
//! Equations are exact expressions. Those of the shuffled text are rebuilt in the pool of the original, symbols and tables by
//! their names; a pool gives equal functions equal ids (`cardan_expr::fingerprint`), so that comparing ids compares equations
//! without rounding. The order of the text decides only the order of the states, and with it that of the floating-point
//! operations.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cardan::base::Map;
use cardan::equations::constrained::rows;
use cardan::equations::unsolved;
use cardan::expr::{Expr, Function, Kind, Node};
use cardan::prelude::*;
use cardan::syntax::{Statement, StatementKind, Tree};
use cardan_testkit::Random;

fn model(name: &str, text: &str) -> Model {
    resolve(parse(name, text)).into_model().unwrap_or_else(|e| panic!("{name}: {e}\n{text}"))
}

fn shuffle(statements: &mut [Statement], random: &mut Random) {
    for k in (1..statements.len()).rev() {
        statements.swap(k, random.below(k + 1));
    }
    for statement in statements {
        if let StatementKind::Model(block) | StatementKind::Subsystem(block) = &mut statement.kind {
            shuffle(&mut block.content, random);
        }
    }
}

/// The text with its statements in another order, those of subsystems too.
fn shuffled(name: &str, text: &str, random: &mut Random) -> String {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let (tree, findings) = cardan::syntax::parse(file, text);
    assert!(!findings.has_errors());
    let Tree { file, mut statements } = tree;
    shuffle(&mut statements, random);
    cardan::syntax::print(&Tree { file, statements })
}

/// Equations by the names of what they determine.
fn equations(model: &Model) -> BTreeMap<String, Expr> {
    let found = unsolved(model, Formalism::Kane, rows::rows(model)).expect("equations");
    let speeds: Vec<&str> = model.speeds.iter().map(|(_, u)| u.quantity.name.as_str()).collect();
    let mut named = BTreeMap::new();
    for (i, row) in found.mass.iter().enumerate() {
        for (j, entry) in row.iter().enumerate() {
            named.insert(format!("mass {} {}", speeds[i], speeds[j]), *entry);
        }
        named.insert(format!("force {}", speeds[i]), found.forcing[i]);
    }
    for (_, q) in model.coordinates.iter() {
        named.insert(format!("rate {}", q.quantity.name), q.rate);
        named.insert(format!("start {}", q.quantity.name), q.start);
    }
    for (_, s) in model.states.iter() {
        named.insert(format!("rate {}", s.quantity.name), s.rate);
    }
    for (n, row) in found.constraints.rows.iter().chain(&found.constraints.repeated).enumerate() {
        named.insert(format!("row {n}"), row.velocity);
    }
    named
}

fn symbols(model: &Model, roots: &BTreeMap<String, Expr>) -> BTreeMap<(Kind, String), Expr> {
    let pool = model.space.pool();
    let mut found = BTreeMap::new();
    for part in pool.reachable(roots.values().copied()) {
        if let Some(s) = pool.as_symbol(part).filter(|_| pool.definition(part).is_none()) {
            let symbol = pool.symbol_data(s);
            let before = found.insert((symbol.kind, symbol.name.clone()), part);
            assert!(before.is_none(), "two symbols `{}`", symbol.name);
        }
    }
    found
}

/// The expressions of one model rebuilt in the pool of another.
fn rebuilt(
    from: &Model,
    roots: &BTreeMap<String, Expr>,
    to: &Model,
    named: &BTreeMap<(Kind, String), Expr>,
) -> BTreeMap<String, Expr> {
    let (pool, other) = (from.space.pool(), to.space.pool());
    let mut known: Map<Expr, Expr> = Map::default();
    for part in pool.reachable(roots.values().copied()) {
        let new = |e: &Expr| known[e];
        let made = match pool.node(part) {
            Node::Number(r) => other.number(r),
            Node::Undefined => panic!("a division by zero"),
            Node::Symbol(s) => match pool.definition(part) {
                Some(definition) => other.define(new(&definition)),
                None => {
                    let symbol = pool.symbol_data(s);
                    *named
                        .get(&(symbol.kind, symbol.name.clone()))
                        .unwrap_or_else(|| panic!("the symbol `{}` is new", symbol.name))
                }
            },
            Node::Sum(terms) => other.sum(terms.iter().map(|(c, m)| other.scale(c.clone(), new(m)))),
            Node::Product(c, factors) => {
                let product = other.product(factors.iter().map(|(b, n)| other.pow(new(b), n.clone())));
                other.scale(c, product)
            }
            Node::Call(function, arguments) => {
                let function = match function {
                    Function::Table(id, slopes) => {
                        let name = &from.tables[id].name;
                        let (same, _) = to.tables.iter().find(|(_, t)| t.name == *name).expect("a table");
                        Function::Table(same, slopes)
                    }
                    function => function,
                };
                other.call(function, &arguments.iter().map(new).collect::<Vec<_>>())
            }
        };
        known.insert(part, made);
    }
    roots.iter().map(|(name, e)| (name.clone(), known[e])).collect()
}

/// Which of some named equations differ from those of a shuffled text.
fn differences(name: &str, text: &str, random: &mut Random) -> Vec<String> {
    let original = model(name, text);
    let other = model(name, &shuffled(name, text, random));
    let (expected, found) = (equations(&original), equations(&other));
    let found = rebuilt(&other, &found, &original, &symbols(&original, &expected));
    let is_row = |name: &str| name.starts_with("row ");
    let rows = |all: &BTreeMap<String, Expr>| -> BTreeSet<Expr> {
        let pool = original.space.pool();
        // A row and its negative say the same.
        all.iter().filter(|(n, _)| is_row(n)).map(|(_, e)| (*e).min(pool.neg(*e))).collect()
    };
    let mut out: Vec<String> = expected
        .iter()
        .filter(|(n, e)| !is_row(n) && found.get(*n) != Some(e))
        .map(|(n, _)| n.clone())
        .collect();
    if rows(&expected) != rows(&found) {
        out.push("constraint rows".into());
    }
    if expected.len() != found.len() {
        out.push(format!("{} equations instead of {}", found.len(), expected.len()));
    }
    out
}

/// Models whose equations are compared: trees, loops, subsystems, tables, controllers.
const MODELS: &[&str] = &[
    "cam-gear",
    "cart-pole",
    "coaster",
    "door",
    "double-pendulum",
    "four-bar",
    "four-bar-chain",
    "geneva",
    "handbook-robot",
    "heavy-top",
    "light-cart-pole",
    "pendulum",
    "rolling-disc",
    "six-axis-arm",
    "slider-crank",
    "spatial-slider-crank",
    "squeezer",
    "wheel-in-bowl",
];

#[test]
fn shuffled_declarations_have_the_same_equations() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut random = Random::new(18);
    for name in MODELS {
        let text = std::fs::read_to_string(folder.join(format!("{name}.mbs"))).unwrap();
        for _ in 0..3 {
            let found = differences(name, &text, &mut random);
            assert!(found.is_empty(), "{name}: {found:?}");
        }
    }
}

#[test]
fn shuffled_subsystems_have_the_same_equations() {
    let text = "model axles
parameter L = 2 [m], c = 30 [N*s/m]
subsystem arm {
  port base: frame
  port push: in [N]
  parameter k = 400 [N/m], m = 3 [kg]
  body link on base by revolute(y, q = phi) at (0, L / 4, 0) { mass = m; inertia = (1, 2, 3) [kg*m^2]; center = (L / 3, 0, 0) }
  spring coil between link.o and base.o { stiffness = k; length = 0.1 [m] }
  force wind on link.cm = push * base.x - c * velocity(link.cm)
  torque drag on link from base = -2 [N*m*s] * der(phi) * base.y
  state heat = 0 [J] { der = c * (dot(velocity(link.cm), N.x))^2 }
}
body car on N by translate(x = x, z = z) rotate(y = pitch) { mass = 20 [kg]; inertia = (4, 5, 6) [kg*m^2] }
arm left(k = 300 [N/m]) { base -> car at (1, 0, 0) [m]; push -> 2 [N] * sin(3 [rad/s] * t) }
arm right = mirror(left, plane = xz)
for i in 1 .. 3 { arm row[i](m = i * 1 [kg]) { base -> left.link; push -> 1 [N] } }
force air on car.cm = -c * velocity(car.cm)
std.lag smooth(T = 0.2 [s]) { u -> x }
force servo on car.cm = -40 [N/m] * smooth.y * N.x
gravity = -9.81 [m/s^2] * N.z";
    let mut random = Random::new(3);
    for _ in 0..6 {
        let found = differences("axles", text, &mut random);
        assert!(found.is_empty(), "{found:?}");
    }
    // The comparison sees a difference in one number.
    let other = text.replace("k = 300 [N/m]", "k = 300.000001 [N/m]");
    let (a, b) = (model("a", text), model("b", &other));
    let (ea, eb) = (equations(&a), equations(&b));
    // Values of parameters stand outside the equations; numbers in laws stand inside.
    assert_eq!(rebuilt(&b, &eb, &a, &symbols(&a, &ea)), ea);
    let b = model("b", &text.replace("-2 [N*m*s]", "-2.000001 [N*m*s]"));
    let eb = equations(&b);
    assert_ne!(rebuilt(&b, &eb, &a, &symbols(&a, &ea)), ea);
}
