//! Loops in closed form against the other forms of the constraints.

use cardan::assembly::ParameterValues;
use cardan::equations::minimal_form::{margin, positions, sets};
use cardan::expr::SymbolId;
use cardan::prelude::*;
use cardan::sim::{ConstraintForm, Trajectory};
use cardan::solve::Method;
use cardan_testkit::Random;

fn model(name: &str) -> Model {
    let path = format!("{}/../../models/{name}.mbs", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a model of the library");
    resolve(parse(name, &text)).into_model().expect("a model")
}

fn text(text: &str) -> Model {
    resolve(parse("linkage", text)).into_model().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn run(model: &Model, form: ConstraintForm, change: impl FnOnce(Settings) -> Settings) -> Trajectory {
    let settings = Settings::of(model, &ParameterValues::of(model)).expect("settings");
    let settings = change(Settings { constraints: form, ..settings });
    let compiled = compile_model(model, Options::default()).and_then(|c| c.for_constraints(form));
    let compiled = compiled.unwrap_or_else(|e| panic!("{e}"));
    compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{}: {e}", model.name))
}

/// The largest difference of any column but energies, as a part of its size.
fn difference(a: &Trajectory, b: &Trajectory) -> (f64, String) {
    assert_eq!(a.rows.len(), b.rows.len());
    let mut worst = (0.0, String::new());
    for (k, column) in a.columns.iter().enumerate() {
        if column.name.starts_with("energy.residual") {
            continue;
        }
        let (x, y) = (a.rows.column(k), b.rows.column(k));
        let size = x.iter().fold(1.0f64, |m, x| m.max(x.abs()));
        let apart = x.iter().zip(&y).fold(0.0f64, |m, (x, y)| m.max((x - y).abs())) / size;
        if apart > worst.0 || apart.is_nan() {
            worst = (apart, column.name.clone());
        }
    }
    worst
}

/// A slider-crank that nothing drives, with room for more statements.
fn slider_crank(more: &str, to: f64) -> Model {
    text(&format!(
        "model slider_crank
gravity = -9.81 [m/s^2] * N.y
body crank on N by revolute(z, q = phi) {{ mass = 1.2 [kg]; inertia = (0, 1e-3, 1e-3) [kg*m^2]; center = (12, 0, 0) [mm]; point pin = (50, 0, 0) [mm] }}
body rod on crank by revolute(z, q = psi) at crank.pin {{ mass = 0.6 [kg]; inertia = (0, 2e-3, 2e-3) [kg*m^2]; center = (50, 0, 0) [mm]; point eye = (150, 0, 0) [mm] }}
body piston on N by prismatic(x, q = s) {{ mass = 0.8 [kg]; inertia = (1e-3, 1e-3, 1e-3) [kg*m^2] }}
joint gudgeon = revolute(rod.eye, piston.o, axis = z)
output side = gudgeon.force.y
{more}
start {{ phi = 0; s ~ 0.2 [m]; der(phi) = 120 [rad/s] }}
simulate {{ to = {to} [s], every = 1 [ms] }}
"
    ))
}

fn tight(settings: Settings) -> Settings {
    Settings { rtol: 1e-12, atol: 1e-14, ..settings }
}

/// Both forms, tight; the closed one and how far they are apart.
fn compared(m: &Model, limit: f64) -> Trajectory {
    let closed = run(m, ConstraintForm::Closed, tight);
    let projected = run(m, ConstraintForm::Projected, tight);
    assert_eq!(closed.reached, projected.reached, "{}: {}", m.name, closed.reason);
    let (apart, column) = difference(&closed, &projected);
    println!(
        "{}: {apart:.1e} in {column}; {} and {} evaluations; open by {:?} and {:?}; {:?}",
        m.name,
        closed.statistics.evaluations,
        projected.statistics.evaluations,
        closed.left_open,
        projected.left_open,
        closed.handovers,
    );
    assert!(apart < limit, "{}: {column} differs by {apart:.1e}", m.name);
    closed
}

#[test]
fn linkages_move_the_same_in_closed_form() {
    for m in [model("four-bar"), slider_crank("", 0.4), model("squeezer")] {
        let closed = compared(&m, 1e-9);
        let (position, velocity) = closed.left_open.expect("loops");
        assert!(position < 1e-13 && velocity < 1e-11, "{}: open by {position:.1e}, {velocity:.1e}", m.name);
        assert!(closed.handovers.is_empty(), "{}: {:?}", m.name, closed.handovers);
    }
}

#[test]
fn angles_go_on_over_turns_even_in_force_laws() {
    // The rod turns against the crank by a whole turn per revolution, and the spring winds up.
    let m = slider_crank("torque winding on rod from crank = -0.0005 [N*m] * psi * N.z", 1.2);
    let closed = compared(&m, 1e-8);
    let psi = closed.last("psi").expect("a coordinate");
    assert!(psi.abs() > 15.0 * std::f64::consts::TAU, "{psi}");
}

#[test]
fn the_squeezer_is_where_it_should_be() {
    let m = model("squeezer");
    // Tighter than projected: the error test sees two states instead of fourteen.
    let closed = run(&m, ConstraintForm::Closed, |s| Settings { rtol: 3e-14, atol: 1e-16, ..s });
    println!("squeezer {:?}", closed.statistics);
    let expected = [
        ("beta", 15.810771195153707),
        ("theta", -15.756371058411839),
        ("gamma", 0.0408222401196458),
        ("phi", -0.5347301163420796),
        ("delta", 0.524409965879954),
        ("omega", 0.5347301163420796),
        ("epsilon", 1.048080741041938),
    ];
    for (name, value) in expected {
        let found = closed.last(name).expect("a coordinate");
        assert!((found - value).abs() < 1e-9, "{name}: {found} instead of {value}");
    }
    let (position, velocity) = closed.left_open.expect("loops");
    assert!(position < 1e-13 && velocity < 1e-12, "open by {position:.1e}, {velocity:.1e}");
    let residual = closed.series("energy.residual").expect("an audit");
    let worst = residual.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    assert!(worst < 1e-12, "{worst:.1e} J");
}

#[test]
fn implicit_methods_get_the_exact_jacobian() {
    let m = model("four-bar");
    let stiff = |s: Settings| Settings { method: Method::Radau5, to: 0.3, rtol: 1e-9, atol: 1e-12, ..s };
    let closed = run(&m, ConstraintForm::Closed, stiff);
    let exact = run(&m, ConstraintForm::Projected, |s| Settings { to: 0.3, ..tight(s) });
    let (apart, column) = difference(&closed, &exact);
    assert!(apart < 1e-6, "{column} differs by {apart:.1e}");
    assert!(closed.statistics.jacobians > 0);
}

/// A four-bar no link of which can turn round: whatever is independent meets dead points.
#[test]
fn dead_points_are_passed_with_all_coordinates() {
    let m = text(
        "model swing
gravity = -9.81 [m/s^2] * N.y
body left on N by revolute(z, q = a) { mass = 1 [kg]; inertia = (0, 1e-2, 1e-2) [kg*m^2]; center = (0.3, 0, 0) [m]; point end = (0.6, 0, 0) [m] }
body bar on left by revolute(z, q = b) at left.end { mass = 0.5 [kg]; inertia = (0, 1e-2, 1e-2) [kg*m^2]; center = (0.2, 0, 0) [m]; point end = (0.4, 0, 0) [m] }
body right on N by revolute(z, q = c) at (0.9, 0, 0) [m] { mass = 1 [kg]; inertia = (0, 1e-2, 1e-2) [kg*m^2]; center = (0.25, 0, 0) [m]; point end = (0.5, 0, 0) [m] }
joint pin = revolute(bar.end, right.end, axis = z)
start { a = -60 [deg]; der(a) = 9 [rad/s]; b ~ 0; c ~ -90 [deg] }
simulate { to = 3 [s], every = 10 [ms] }
",
    );
    let closed = compared(&m, 1e-6);
    assert!(!closed.handovers.is_empty(), "no dead point was met");
    assert!(closed.handovers.iter().all(|h| h.constraint == "pin"));
}

#[test]
fn what_takes_more_operations_is_not_chosen() {
    for name in ["four-bar", "squeezer", "four-bar-chain", "geneva", "slider-crank", "stewart-platform"] {
        let m = model(name);
        let compiled = compile_model(&m, Options::default()).expect("a mechanism");
        let compiled = compiled.for_constraints(ConstraintForm::Auto).expect("a form");
        let taken = compiled.simulation.form(ConstraintForm::Auto) == ConstraintForm::Closed;
        let better = compiled.closed.as_ref().is_some_and(|c| c.is_cheaper() && c.margin > 0.1);
        assert_eq!(taken, better, "{name}");
        assert_eq!(taken, ["four-bar", "squeezer"].contains(&name), "{name}");
        if let Some(c) = &compiled.closed {
            println!("{name}: {:?} {} {:?}", c.independent, c.counts.total(), c.steps);
        }
    }
}

/// The pieces of a random linkage: frames are parallel to the ground at the start, so places are plain differences.
struct Linkage {
    random: Random,
    /// Name, origin, statements inside.
    bodies: Vec<(String, [f64; 2], String)>,
    heads: Vec<String>,
    rest: String,
}

impl Linkage {
    fn place(&mut self) -> [f64; 2] {
        [self.random.between(-1.0, 1.0), self.random.between(-1.0, 1.0)]
    }
    /// A point on a body, the ground being the first, as text.
    fn point(&mut self, body: usize, at: [f64; 2]) -> String {
        let (name, origin, inside) = &mut self.bodies[body];
        let [x, y] = [at[0] - origin[0], at[1] - origin[1]];
        if body == 0 {
            return format!("N({x}, {y}, 0)");
        }
        let n = inside.matches("point").count();
        *inside += &format!("; point p{n} = ({x}, {y}, 0) [m]");
        format!("{name}.p{n}")
    }
    fn body(&mut self, on: usize, joint: &str, at: [f64; 2]) -> usize {
        let n = self.bodies.len();
        let parent = self.bodies[on].0.clone();
        let [x, y] = [at[0] - self.bodies[on].1[0], at[1] - self.bodies[on].1[1]];
        self.heads.push(format!("body b{n} on {parent} by {joint}, q = q{n}) at ({x}, {y}, 0) [m]"));
        let mass = self.random.between(0.2, 2.0);
        let inertia = self.random.between(0.05, 0.5);
        let [cx, cy] = self.place();
        let inside = format!(
            "mass = {mass} [kg]; inertia = (0, {inertia}, {inertia}) [kg*m^2]; center = ({}, {}, 0) [m]",
            0.3 * cx,
            0.3 * cy
        );
        self.bodies.push((format!("b{n}"), at, inside));
        n
    }
    /// A dyad on two of the bodies; whether it is far from dead points.
    fn dyad(&mut self) -> bool {
        let n = self.bodies.len();
        let (x, y) = (self.random.below(n), self.random.below(n));
        let [a, b, c] = [self.place(), self.place(), self.place()];
        let minus = |p: [f64; 2], q: [f64; 2]| [p[0] - q[0], p[1] - q[1]];
        let length = |v: [f64; 2]| v[0].hypot(v[1]);
        let cross = |v: [f64; 2], w: [f64; 2]| (v[0] * w[1] - v[1] * w[0]) / length(v) / length(w);
        let along = self.random.below(2);
        let slide = ["prismatic(x", "prismatic(y"][along];
        let turn = "revolute(z";
        let part = |v: [f64; 2]| v[along] / length(v);
        let kind = self.random.below(6);
        let margin = match kind {
            0 => cross(minus(c, a), minus(c, b)),
            1 => cross(minus(b, a), minus(c, b)),
            2 => part(minus(c, a)),
            3 => part(minus(c, a)),
            4 => part(minus(c, b)),
            _ => 1.0,
        };
        if x == y || margin.abs() < 0.5 || length(minus(c, a)) < 0.3 || length(minus(c, b)) < 0.3 {
            return false;
        }
        let other = ["prismatic(y", "prismatic(x"][along];
        let pins = match kind {
            // Each joint moves its own point …
            0 | 2 | 5 => {
                let joints = [[turn, turn], [turn, slide], [other, slide]][[0, 0, 1, 0, 0, 2][kind]];
                let (one, two) = (self.body(x, joints[0], a), self.body(y, joints[1], b));
                [self.point(one, c), self.point(two, c)]
            }
            // … or both the same.
            _ => {
                let joints = [[turn, turn], [turn, slide], [slide, turn]][[0, 0, 0, 1, 2][kind]];
                let one = self.body(x, joints[0], a);
                let two = self.body(one, joints[1], b);
                let end = self.point(two, c);
                [end, self.point(y, c)]
            }
        };
        let n = self.bodies.len() - 1;
        self.rest += &format!("joint pin{n} = revolute({}, {}, axis = z)\n", pins[0], pins[1]);
        if kind < 2 {
            // A spring that feels the angle itself.
            self.rest += &format!("torque spring{n} on b{n} from N = -2 [N*m] * q{n} * N.z\n");
        }
        true
    }
    fn text(seed: u64) -> String {
        let ground = ("N".to_string(), [0.0; 2], String::new());
        let mut l =
            Linkage { random: Random::new(seed), bodies: vec![ground], heads: vec![], rest: String::new() };
        l.body(0, "revolute(z", [0.0; 2]);
        for _ in 0..1 + l.random.below(3) {
            while !l.dyad() {}
        }
        let speed = l.random.between(-3.0, 3.0);
        let bodies = l
            .heads
            .iter()
            .zip(&l.bodies[1..])
            .map(|(head, (_, _, inside))| format!("{head} {{ {inside} }}\n"));
        format!(
            "model linkage{seed}\ngravity = -9.81 [m/s^2] * N.y\n{}{}start {{ der(q1) = {speed} [rad/s] }}\nsimulate {{ to = 0.5 [s], every = 50 [ms] }}\n",
            bodies.collect::<String>(),
            l.rest
        )
    }
}

#[test]
fn random_linkages_of_dyads_agree_in_all_forms() {
    let (mut n_closed, mut n_handovers) = (0, 0);
    for seed in 0..200 {
        let source = Linkage::text(seed);
        let m = text(&source);
        let compiled = compile_model(&m, Options::default()).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let compiled =
            compiled.for_constraints(ConstraintForm::Closed).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let compiled = compiled.for_constraints(ConstraintForm::Partitioned).expect("partitioned");
        let found = compiled.closed.as_ref().unwrap_or_else(|| panic!("no closed form\n{source}"));
        n_closed += usize::from(found.is_cheaper());
        let settings =
            Settings { to: 0.5, every: Some(0.05), rtol: 1e-11, atol: 1e-13, ..Settings::default() };
        let go = |constraints: ConstraintForm| {
            let run = compiled.simulation.run(&Settings { constraints, ..settings.clone() }, &mut ());
            run.unwrap_or_else(|e| panic!("{e}\n{source}"))
        };
        let (closed, projected) = (go(ConstraintForm::Closed), go(ConstraintForm::Projected));
        n_handovers += usize::from(!closed.handovers.is_empty());
        let (apart, column) = difference(&closed, &projected);
        assert!(
            apart < 1e-7,
            "seed {seed}: {column} differs by {apart:.1e}; {:?}\n{source}",
            closed.handovers
        );
        let audit = &closed.audit;
        assert!(audit.relative() < 1e-8, "seed {seed}: {audit}\n{source}");

        // Accelerations and multipliers from the algebra, before anything is rewritten.
        let choice = &compiled.choice;
        let pool = choice.model.space.pool();
        let rows = &choice.equations.constraints;
        let closed_equations: Vec<_> = sets(&choice.model, rows)
            .into_iter()
            .filter_map(|set| {
                let model = choice.model.clone();
                let found = positions(&model, rows, &set)?.equations(&model, &choice.equations)?.ok()?;
                Some((model, found))
            })
            .collect();
        assert!(!closed_equations.is_empty());
        let n = choice.model.coordinates.len();
        for row in [0, 4, closed.rows.len() - 1] {
            let state = &closed.rows.row(row)[1..=2 * n];
            let symbols = choice.model.coordinates.iter().map(|(_, q)| q.symbol);
            let symbols: Vec<_> = symbols.chain(choice.model.speeds.iter().map(|(_, u)| u.symbol)).collect();
            let value = |s: SymbolId| {
                symbols.iter().position(|e| pool.as_symbol(*e) == Some(s)).map_or(f64::NAN, |k| state[k])
            };
            let direct =
                compiled.simulation.derivative(ConstraintForm::Projected, 0.0, state).expect("finite");
            let parted =
                compiled.simulation.derivative(ConstraintForm::Partitioned, 0.0, state).expect("finite");
            let size = direct[n..].iter().fold(1.0f64, |m, x| m.max(x.abs()));
            for (model, equations) in &closed_equations {
                let pool = model.space.pool();
                // What is nearly dead from these coordinates loses digits.
                let parts =
                    equations.closed.sides.iter().map(|s| s.map(|v| v.map(|e| pool.evaluate(e, &value))));
                if parts.into_iter().any(|s| margin(s).abs() < 0.1) {
                    continue;
                }
                let found = pool.evaluate_all(&equations.equations.u_dot, &value);
                for (k, x) in found.iter().enumerate() {
                    let apart = (x - direct[n + k]).abs().max((x - parted[n + k]).abs()) / size;
                    assert!(apart < 1e-10, "seed {seed}, row {row}, speed {k}: {apart:.1e}\n{source}");
                }
            }
        }
    }
    println!("closed form cheaper in {n_closed} of 200, interrupted in {n_handovers}");
    assert!(n_closed > 50 && n_handovers > 0, "{n_closed}, {n_handovers}");
}
