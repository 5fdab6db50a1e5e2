//! A model written in the native language and read again is the same model.

use std::fs;
use std::path::{Path, PathBuf};

use cardan::assembly::ParameterValues;
use cardan::base::Map;
use cardan::compile::formalism_selection::motion_counts;
use cardan::equations::derive;
use cardan::expr::{Expr, SymbolId};
use cardan::import::{ImportOptions, import_mjcf, import_urdf};
use cardan::lang::write;
use cardan::model::ConstraintKind;
use cardan::prelude::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

/// The written text, and the model that it gives. Outputs may be missing; what moves may not.
fn again(model: &Model) -> (String, Model) {
    let written = write(model);
    let is_output = |what: &String| what.starts_with("the output");
    assert!(
        written.left_out.iter().all(is_output),
        "{}: {:?}\n{}",
        model.name,
        written.left_out,
        written.text
    );
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
    let mut put = |e: Expr, x: f64| {
        known.insert(pool.as_symbol(e).expect("a symbol"), x);
    };
    put(pool.pi(), std::f64::consts::PI);
    put(model.space.time(), 0.37);
    model.coordinates.iter().for_each(|(_, q)| put(q.symbol, random()));
    model.speeds.iter().for_each(|(_, u)| put(u.symbol, random()));
    model.states.iter().for_each(|(_, s)| put(s.symbol, random()));
    model.hybrid.discretes.iter().for_each(|(_, d)| put(d.symbol, random()));
    // Parameters may depend on parameters declared before or after them.
    for _ in 0..8 {
        for (_, p) in model.parameters.iter() {
            let value =
                p.default.map_or(0.8, |e| pool.evaluate(e, &|s| known.get(&s).copied().unwrap_or(f64::NAN)));
            known.insert(pool.as_symbol(p.symbol).expect("a symbol"), value);
        }
    }
    known
}

fn accelerations(model: &Model, formalism: Formalism) -> Vec<f64> {
    let equations = derive(model, formalism).unwrap_or_else(|e| panic!("{}", e.message(model)));
    (1..4)
        .flat_map(|seed| {
            let known = values(model, seed);
            let pool = model.space.pool();
            pool.evaluate_all(&equations.u_dot, &|s| known.get(&s).copied().unwrap_or(f64::NAN))
        })
        .collect()
}

fn operations(model: &Model) -> u64 {
    let choice = cardan::derive(model, Some(Formalism::Recursive)).expect("equations");
    motion_counts(&choice.lowered).total()
}

fn assert_close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    let scale = a.iter().chain(b).fold(1.0f64, |m, x| m.max(x.abs()));
    for (i, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= tolerance * scale, "{what}[{i}]: {x} against {y}");
    }
}

/// The same equations: accelerations at random states by every formalism, and operations.
fn same(model: &Model) {
    let (text, back) = again(model);
    let what = format!("{}\n{text}", model.name);
    assert_eq!(model.speeds.len(), back.speeds.len(), "{what}");
    assert_eq!(model.hybrid.events.len(), back.hybrid.events.len(), "{what}");
    assert_eq!(potentials(model), potentials(&back), "{what}");
    let rows = |m: &Model| m.constraints.iter().map(|(_, c)| c.rows.len()).collect::<Vec<_>>();
    assert_eq!(rows(model), rows(&back), "{what}");
    if !model.constraints.is_empty() {
        // A law of motion that is long may be grouped in another way; a distance that is written as
        // an equation is no longer a square of components, which half a per cent allows for.
        let (before, after) = (operations(model), operations(&back));
        let is_distance = |kind: ConstraintKind| kind == ConstraintKind::Distance;
        let distances = model.constraints.iter().filter(|(_, c)| is_distance(c.kind)).count() as u64;
        let allowed = before * (2 + distances);
        assert!(before.abs_diff(after) * 200 <= allowed, "{before} and {after} operations: {what}");
        let asked = demands(model);
        assert!(!asked.is_empty(), "constraints ask for something finite: {what}");
        assert_close(&asked, &demands(&back), 1e-12, &what);
        return;
    }
    for formalism in Formalism::ALL {
        // By Kane's and Lagrange's methods large models take minutes.
        if [Formalism::Kane, Formalism::Lagrange].contains(&formalism) && model.speeds.len() > 12 {
            continue;
        }
        // Energies of models with small quantities need terms that these do not keep.
        if formalism == Formalism::Lagrange && derive(model, formalism).is_err() {
            assert!(derive(&back, formalism).is_err(), "{what}");
            continue;
        }
        assert_close(&accelerations(model, formalism), &accelerations(&back, formalism), 1e-12, &what);
    }
}

/// What the constraints demand at random states.
fn demands(model: &Model) -> Vec<f64> {
    let rows = model.constraints.iter().flat_map(|(_, c)| &c.rows);
    let asked: Vec<Expr> = rows.flat_map(|r| r.position.into_iter().chain([r.velocity])).collect();
    let at = |seed: u64| {
        let known = values(model, seed);
        model.space.pool().evaluate_all(&asked, &|s| known.get(&s).copied().unwrap_or(f64::NAN))
    };
    (1..4).flat_map(at).filter(|x| !x.is_nan()).collect()
}

/// How many loads tell the energy that they store.
fn potentials(model: &Model) -> usize {
    model.loads.iter().filter(|(_, l)| l.potential.is_some()).count()
}

fn library(ending: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(folder()).expect("the library").map(|e| e.expect("readable").path());
    let mut found: Vec<PathBuf> = files.filter(|p| p.extension().is_some_and(|e| e == ending)).collect();
    found.sort();
    found
}

/// Models with formulas so long that the text names parts of them: named parts of names are named once more; and rods, which come back as
/// equations.
const GROWING: [&str; 8] = [
    "hmmwv",
    "coaster",
    "double_pendulum",
    "geneva",
    "spacecraft_small",
    "spacecraft",
    "stewart_platform",
    "wheel_in_bowl",
];

#[test]
fn every_model_of_the_library_comes_back() {
    let mut different = vec![];
    for path in library("mbs") {
        let text = fs::read_to_string(&path).expect("a model");
        let model = resolve(parse(&path.to_string_lossy(), &text)).into_model().expect("models are right");
        same(&model);
        let (written, back) = again(&model);
        if again(&back).0 != written && !GROWING.contains(&model.name.as_str()) {
            different.push(model.name);
        }
    }
    assert!(different.is_empty(), "written once more, these are other texts: {different:?}");
}

/// A text in AUTOSIM's language as a model, with what is said about it and the native text.
fn autosim(text: &str) -> (Model, String) {
    let mut read = |p: &str| fs::read_to_string(folder().join(p)).ok();
    let (resolved, native) = cardan::resolve_autosim("spacecraft.lsp", text, &mut read);
    let said: String =
        resolved.diagnostics.iter().map(|d| cardan::base::render(d, &resolved.sources, false)).collect();
    assert!(resolved.diagnostics.is_empty(), "{said}");
    (resolved.model.expect("a model"), native.expect("a text"))
}

fn spacecraft() -> String {
    fs::read_to_string(folder().join("spacecraft.lsp")).expect("a model")
}

#[test]
fn imported_models_come_back() {
    same(&autosim(&spacecraft()).0);
    let robot = "<robot name='r'><link name='base'><inertial><mass value='3'/><inertia ixx='1' iyy='1.2' izz='1.1'/></inertial></link>
      <link name='arm'><inertial><origin xyz='0 0.1 0.5' rpy='0.1 0.2 0'/><mass value='2'/><inertia ixx='0.3' iyy='0.4' izz='0.5' ixy='0.01'/></inertial></link>
      <link name='hand'><inertial><mass value='1'/><inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial></link>
      <joint name='pin' type='revolute'><parent link='base'/><child link='arm'/><origin xyz='0 0 1' rpy='1.5707963267948966 0 0'/>
        <axis xyz='0 1 0'/><dynamics damping='0.5'/><limit effort='1' velocity='1' lower='-1' upper='1'/></joint>
      <joint name='slide' type='prismatic'><parent link='arm'/><child link='hand'/><origin xyz='0.2 0 1' rpy='0 0.3 0.7'/>
        <axis xyz='0 0 -1'/><limit effort='1' velocity='1' lower='-1' upper='1'/></joint></robot>";
    for free_base in [false, true] {
        let mut sources = Sources::new();
        let file = sources.add("r.urdf", robot);
        let options = ImportOptions { free_base, ..ImportOptions::default() };
        same(&import_urdf(file, &sources, &options).0.expect("a robot"));
    }
    let mechanism = "<mujoco model='m'><compiler angle='radian'/><worldbody>
      <body name='a' pos='0 0 1' quat='1 0 0 1'><joint name='h' type='hinge' axis='0 1 0' damping='0.2' stiffness='3'/>
        <joint name='s' type='slide' axis='1 0 0' pos='0 0.1 0'/><inertial pos='0 0 0.1' mass='1' diaginertia='0.1 0.2 0.15'/>
        <body name='b' pos='0 0.5 0'><joint name='ball' type='ball'/><inertial pos='0.1 0 0' mass='2' diaginertia='0.3 0.2 0.25'/></body></body>
      </worldbody></mujoco>";
    let mut sources = Sources::new();
    let file = sources.add("m.xml", mechanism);
    same(&import_mjcf(file, &mut sources, &mut |_| None, &ImportOptions::default()).0.expect("a mechanism"));
}

/// Attitude, clock and camera over the whole slew, and the firings of the thrusters.
fn slew(model: &Model) -> (Vec<f64>, Vec<(String, f64)>) {
    let settings = Settings::of(model, &ParameterValues::of(model)).expect("good settings");
    let compiled = compile_model(model, Options::default()).expect("models compile");
    let motion = compiled.simulation.run(&settings, &mut ()).expect("a good start");
    let names = [
        ["roll", "roll"],
        ["pitch", "pitch"],
        ["yaw", "yaw"],
        ["C.q", "q7"],
        ["D.q", "q8"],
        ["E.q", "q9"],
        ["F.q", "q10"],
    ];
    let columns = names.iter().flat_map(|[a, b]| motion.series(a).or(motion.series(b)).expect("a column"));
    let firings = &motion.happenings;
    (columns.collect(), firings.list.iter().map(|e| (firings.name(e).to_string(), e.t)).collect())
}

/// The same motion, and the same thrusters in the same order at the same times.
fn moves_the_same(a: &Model, b: &Model, what: &str) {
    let ((columns, firings), (wanted, order)) = (slew(a), slew(b));
    assert!(firings.len() > 90, "{what}: only {} firings", firings.len());
    assert_close(&columns, &wanted, 1e-9, what);
    assert_eq!(firings.len(), order.len(), "{what}");
    for ((name, t), (other, s)) in firings.iter().zip(&order) {
        assert_eq!(name, other, "{what}: at {t} and {s}");
        assert!((t - s).abs() < 1e-8, "{what}: {name} at {t} and {s}");
    }
}

fn native(name: &str) -> Model {
    let text = fs::read_to_string(folder().join(name)).expect("a model");
    resolve(parse(name, &text)).into_model().expect("models are right")
}

/// Sayers' own text against the models of the library: with the smallness of Fig. 6, and without what is underlined there.
#[test]
fn the_spacecraft_in_autosim_moves_like_the_one_in_the_native_language() {
    let small = autosim(&spacecraft()).0;
    moves_the_same(&small, &native("spacecraft-small.mbs"), "small motions");
    let text = spacecraft()
        .replace(":small-angles (t t t) :small-translations (t t t)", "")
        .replace(":small-angles t", "");
    moves_the_same(&autosim(&text).0, &native("spacecraft.mbs"), "large motions");
}

/// Events, in the text that is written and read again.
#[test]
fn thrusters_come_back() {
    let model = native("spacecraft-small.mbs");
    moves_the_same(&model, &again(&model).1, "written and read");
}

/// Forms of the language that no model of the library has: what is read again is the same.
#[test]
fn events_speeds_and_functions_from_elsewhere_come_back() {
    let text = "model all
parameter k = 3 [N/m], period = 10 [ms]
external function drag(v [m/s], x [m]) [N]
body a on N by prismatic(x, q = s1) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
body b on a by prismatic(x, q = s2) { mass = 2 [kg]; inertia = (1, 1, 1) [kg*m^2] }
speed v = der(s1) + der(s2), w = der(s1) - 2*der(s2)
discrete held = 0.1 [m], old = 0.2 [m]
every period from 5 [ms] \"sample\" { local before = held; held := s1; old := before }
when s1 > k / (30 [N/m]) * 1 [m] and held < 1 [m] { held := 2 * held; v := -v }
force f on b.o from a.o = (-k * held + drag(v, s2)) * N.x
output gap = held - old";
    let model = resolve(parse("all.mbs", text)).into_model().expect("a model");
    let (written, back) = again(&model);
    assert!(written.contains("local new_"), "{written}");
    assert!(written.contains("speed v = der(s1) + der(s2)"), "{written}");
    let rates = |m: &Model| {
        let known = values(m, 5);
        let list: Vec<Expr> = m.coordinates.iter().map(|(_, c)| c.rate).collect();
        m.space.pool().evaluate_all(&list, &|s| known.get(&s).copied().unwrap_or(f64::NAN))
    };
    assert_close(&rates(&model), &rates(&back), 1e-14, &written);
    let jumps = |m: &Model| {
        let known = values(m, 6);
        let all = m.hybrid.events.iter().flat_map(|(_, e)| e.assignments.iter().map(|(_, value)| *value));
        m.space.pool().evaluate_all(&all.collect::<Vec<_>>(), &|s| known.get(&s).copied().unwrap_or(f64::NAN))
    };
    assert_eq!(jumps(&model).len(), 4);
    assert_close(&jumps(&model), &jumps(&back), 1e-14, &written);
    // Written once more, it is the same text.
    assert_eq!(again(&back).0, written);
}

/// A bushing, a wheel, a ball, a point on a curve come back as themselves, also where an output looks at a single force.
#[test]
fn elements_come_back_as_themselves() {
    let bushing = "model mount
parameter k = 300 [N/m]
body block on N by free(rotate = xyz) { mass = 2 [kg]; inertia = (1, 2, 3) [kg*m^2]; point foot = (0.1, 0, -0.2) [m] }
bushing rubber between block.foot and N(0.3, 0, 0) [m] { stiffness = (k, 2*k, 400 [N/m]), damping = (1, 2, 3) [N*s/m], torsion_stiffness = (5, 5, 5) [N*m/rad] }
start { block.q1 = 0.1 [m] }";
    let wheel = "model rollers
parameter R = 0.3 [m]
body disc on N by free(rotate = zxy) { mass = 1 [kg]; inertia = (1, 2, 1) [kg*m^2] }
body ball on N by free(rotate = xyz) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
gravity = -9.81 [m/s^2] * N.z
joint floor = rolling(disc.o, N.o, axis = y, radius = R)
joint wall = rolling(ball.o, N.o, radius = 0.2 [m], normal = x)
start { disc.q3 = 0.3 [m]; ball.q1 = 0.2 [m] }
output press = dot(floor.force, N.z)
output grip = dot(wall.force, N.y)";
    let contacts = "model contacts
parameter R = 0.3 [m]
body disc on N by free(rotate = zxy) { mass = 1 [kg]; inertia = (1, 2, 1) [kg*m^2] }
body ball on N by free(rotate = xyz) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
body cam on N by revolute(z) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
body valve on N by prismatic(y) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
body rocker on N by revolute(z) at (0.3, 0, 0) [m] { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
function hills(x [m], y [m]) [m] = x^2 / R + 0.3 * y
function bend(s [m]) [m] = R + s * 0.2
function profile(phi) [m] = R + 10 [mm] * cos(phi)
joint road = rolling(disc.o, N.o, axis = y, radius = R, tyre = 0.1 [m], road = hills)
joint path = rolling(ball.o, N.o, radius = R, surface = hills)
joint wire = on_curve(ball.o, disc.o, x = bend, z = 0.1 [m], q = way)
joint lifts = on_curve(cam.o, valve.o, axis = z, radius = profile, roller = 20 [mm])
joint swings = on_curve(cam.o, rocker.o, axis = z, radius = profile, face = x)
start { way ~ 0.2 [m]; valve.q ~ 0.33 [m]; disc.q1 ~ 0.3 [m]; disc.q3 ~ 0.4 [m]; ball.q3 ~ 0.3 [m] }";
    let joints =
        ["road = rolling", "path = rolling", "wire = on_curve", "lifts = on_curve", "swings = on_curve"];
    for (text, forms) in [
        (bushing, vec!["bushing rubber"]),
        (wheel, vec!["joint floor = rolling", "joint wall = rolling"]),
        (contacts, joints.to_vec()),
    ] {
        let model = resolve(parse("element.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}"));
        same(&model);
        let written = again(&model).0;
        for form in forms {
            assert!(written.contains(form), "{written}");
        }
        assert_eq!(written.matches("output").count(), text.matches("output").count(), "{written}");
    }
    for (name, forms) in [
        ("cam-gear.mbs", vec!["joint contact = on_curve"]),
        ("rolling-disc.mbs", vec!["joint floor = rolling"]),
        ("whipple-bicycle.mbs", vec!["joint rear_contact = rolling", "joint front_contact = rolling"]),
        ("slider-crank.mbs", vec!["joint gudgeon = revolute"]),
    ] {
        let written = again(&native(name)).0;
        for form in forms {
            assert!(written.contains(form), "{written}");
        }
    }
}
