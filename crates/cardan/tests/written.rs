//! A model written in the native language and read again gives the same program: operation by operation where joints are
//! written as joints, number by number in every tree, and the same motion of every linkage.

#[path = "written/drawn.rs"]
mod drawn;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cardan::assembly::ParameterValues;
use cardan::import::ImportOptions;
use cardan::lang::write;
use cardan::model::{Given, JointKind};
use cardan::prelude::*;
use cardan::program::{Execute, Interpreter, Program};
use cardan::sim::record::energy_balance::Verdict;
use cardan::units::Dimension;
use cardan_testkit::{Loops, Random, random_mechanism};

/// Models with cams and tracks given by tables, with distances that come back as equations, or with long formulas that get names: equations in another
/// order.
const REORDERED: [&str; 6] =
    ["cam-gear", "coaster", "flat-cam", "hmmwv", "stewart-platform", "wheel-in-bowl"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

fn library() -> Vec<(String, Model)> {
    let files = fs::read_dir(folder()).expect("the library").map(|e| e.expect("readable").path());
    let mut found: Vec<PathBuf> = files.filter(|p| p.extension().is_some_and(|e| e == "mbs")).collect();
    found.sort();
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("a model");
        let model = resolve(parse(&path.to_string_lossy(), &text)).into_model().expect("models are right");
        (path.file_stem().expect("a name").to_string_lossy().into_owned(), model)
    };
    found.iter().map(read).collect()
}

fn reread(text: &str) -> Model {
    match resolve(parse("written.mbs", text)).into_model() {
        Ok(model) => model,
        Err(error) => panic!("{error}\n{text}"),
    }
}

fn program(model: &Model) -> Program {
    cardan::derive(model, Some(Formalism::Recursive)).expect("equations").lowered.program.clone()
}

/// What a program computes, by name, at a state that depends on the seed only.
fn numbers(model: &Model, program: &Program, seed: u64) -> Vec<(String, f64)> {
    let values = ParameterValues::of(model);
    let mut random = Random::new(seed);
    let inputs: Vec<f64> = program
        .inputs()
        .iter()
        .map(|(_, i)| {
            let drawn = random.between(0.1, 0.4);
            let own = model.parameters.iter().find(|(_, p)| p.quantity.name == i.label.name);
            own.map_or(drawn, |(_, p)| values.evaluate(model, p.symbol))
        })
        .collect();
    let mut interpreter = Interpreter::new(program).expect("nothing from elsewhere");
    let mut outputs = vec![0.0; interpreter.n_outputs()];
    // Where a linkage cannot stand, some numbers are not finite; they are so in both.
    let _ = interpreter.run(program.all_stages(), &inputs, &mut outputs);
    program.outputs().iter().map(|(_, o)| word(&o.label.name)).zip(outputs).collect()
}

/// A name as a text can spell it. An element of two parts is written as two elements.
fn word(name: &str) -> String {
    name.replace(['.', '[', ']'], "_").replace("_spring", "")
}

/// Every number that both compute is the same, and nothing is missing but what was said to be.
fn same_numbers(model: &Model, back: &Model, left_out: &[String], what: &str) {
    same_where(&|_| true, (model, back), left_out, what);
}

/// The same of the numbers with some names.
fn same_where(
    wanted: &dyn Fn(&str) -> bool,
    (model, back): (&Model, &Model),
    left_out: &[String],
    what: &str,
) {
    let (a, b) = (program(model), program(back));
    // A parameter that turns a joint may come with it.
    let names = |p: &Program| p.inputs().iter().map(|(_, i)| word(&i.label.name)).collect::<BTreeSet<_>>();
    assert_eq!(names(&a), names(&b), "{what}");
    for seed in 1..4 {
        let (x, y) = (numbers(model, &a, seed), numbers(back, &b, seed));
        // Loads that share a name are not told apart.
        let is_single = |name: &str| x.iter().filter(|(n, _)| n == name).count() == 1;
        let scale = x.iter().map(|(_, v)| v.abs()).filter(|v| v.is_finite()).fold(1.0f64, f64::max);
        for (name, value) in x.iter().filter(|(name, _)| wanted(name) && is_single(name)) {
            let Some((_, other)) = y.iter().find(|(n, _)| n == name) else {
                let bare = name.trim_start_matches("potential energy of ");
                let said = left_out.iter().any(|l| word(l).contains(&format!("`{bare}`")));
                assert!(said, "{what}: `{name}` is missing");
                continue;
            };
            let close = (value - other).abs() <= 1e-10 * scale || !(value.is_finite() || other.is_finite());
            assert!(close, "{what}: {name} is {value} and {other}");
        }
    }
}

/// The energies of a model's motion are in balance.
fn balanced(model: &Model, what: &str) {
    let settings = Settings::of(model, &ParameterValues::of(model)).expect("good settings");
    let compiled = compile_model(model, Options::default()).expect("equations");
    let trajectory = compiled.simulation.run(&settings, &mut ()).expect("a good start");
    assert_eq!(trajectory.audit.verdict(), Verdict::Holds, "{what}: {:?}", trajectory.audit.worst());
}

/// The same motion. Off its constraints a linkage may accelerate otherwise, where an equation stands for a joint.
fn same_motion(model: &Model, back: &Model, what: &str) {
    let [a, b] = [model, back].map(|m| {
        let settings = Settings::of(m, &ParameterValues::of(m)).expect("good settings");
        let compiled = compile_model(m, Options::default()).expect("equations");
        compiled.simulation.run(&settings, &mut ()).expect("a good start")
    });
    for (_, q) in model.coordinates.iter() {
        // Where a contact is, a joint names.
        let named = q.quantity.name.replace(['.', '[', ']'], "_");
        let series = |t: &Trajectory| t.series(&q.quantity.name).or_else(|| t.series(&named));
        let [x, y] = [&a, &b].map(|t| series(t).expect("a coordinate of both"));
        let scale = x.iter().fold(1e-3f64, |m, v| m.max(v.abs()));
        assert_eq!(x.len(), y.len(), "{what}");
        for (v, w) in x.iter().zip(&y) {
            assert!((v - w).abs() < 1e-6 * scale, "{what}: {} is {v} and {w}", q.quantity.name);
        }
    }
}

#[test]
fn every_model_of_the_library_gives_the_same_program() {
    let mut reordered = vec![];
    for (name, model) in library() {
        // Names with dots and indices come back as one word.
        let plain = |m: &Model| program(m).to_string().replace(['.', '[', ']'], "_");
        let own = plain(&model);
        let written = write(&model);
        let back = reread(&written.text);
        if model.constraints.is_empty() {
            same_numbers(&model, &back, &written.left_out, &name);
        } else {
            same_motion(&model, &back, &name);
        }
        if own != plain(&back) {
            reordered.push(name);
        }
    }
    assert_eq!(reordered, REORDERED);
}

/// A tree of bodies on random joints, pushed and held.
fn random_text(random: &mut Random) -> String {
    let mut out = String::from("; drawn at random\n(mks)\n");
    let n = 1 + random.below(4);
    let mut first = 1;
    for k in 0..n {
        let parent = if k == 0 { "n".to_string() } else { format!("b{}x", random.below(k)) };
        let (translate, slides) =
            [("", 0), (":translate 2", 1), (":translate (3 1)", 2), (":translate ((1 2 2))", 1)]
                [random.below(4)];
        let (rotate, turns) = [
            (":body-rotation-axes 3", 1),
            (":body-rotation-axes (3 1 2)", 3),
            (":body-rotation-axes 2 :parent-rotation-axis 1", 1),
            (":body-rotation-axes 1 :parent-rotation-axis (0 1 1) :reference-axis [n1]", 1),
        ][random.below(if k == 0 { 4 } else { 3 })];
        let small = if random.below(3) == 0 { ":small-angles t" } else { "" };
        out += &format!(
            "(add-body b{k}x :parent {parent} {translate} {rotate} {small} :joint-coordinates (0 L{k} 0.{}) :cm-coordinates (c{k} 0 0.1)
              :mass {} :inertia-matrix (1 \"2 + j{k}\" 3))\n",
            1 + random.below(9),
            1 + random.below(5)
        );
        let last = first + slides + turns - 1;
        out += &format!(
            "(add-moment m{k} :direction [b{k}x1] :body1 b{k}x :body2 {parent} :magnitude \"-k{k}*q({last}) - d*u({last})\")
             (add-line-force f{k} :direction \"dir(pos(b{k}xcm) + [n3])\" :point1 b{k}xcm :magnitude (* f (sin (* w t))))
             (set-defaults L{k} 0.5 c{k} 0.2 j{k} 1 k{k} 3)\n"
        );
        first = last + 1;
    }
    out + "(add-gravity :direction [n3]) (add-out \"mag(pos(b0xcm))\" reach) (set-defaults d 0.1 f 2 w 3)"
}

fn autosim(name: &str, text: &str) -> (Model, String) {
    let mut read = |p: &str| fs::read_to_string(folder().join(p)).ok();
    let (resolved, native) = cardan::resolve_autosim(name, text, &mut read);
    let said: String =
        resolved.diagnostics.iter().map(|d| cardan::base::render(d, &resolved.sources, false)).collect();
    assert!(!resolved.diagnostics.has_errors(), "{said}\n{text}");
    (resolved.model.expect("a model"), native.expect("a text"))
}

/// The translation of an AUTOSIM text is the model: every operation is the same. Written anew from the model, every number is.
#[test]
fn autosim_texts_give_the_same_program_as_their_translations() {
    let spacecraft = fs::read_to_string(folder().join("spacecraft.lsp")).expect("a model");
    let mut random = Random::new(11);
    let drawn = (0..25).map(|k| (format!("drawn{k}.lsp"), random_text(&mut random)));
    let mut n_operations = vec![];
    for (name, text) in std::iter::once(("spacecraft.lsp".to_string(), spacecraft)).chain(drawn) {
        let (model, native) = autosim(&name, &text);
        let back = reread(&native);
        let own = program(&model);
        assert_eq!(own.to_string(), program(&back).to_string(), "{text}");
        n_operations.push(own.to_string().lines().count());
        let written = write(&model);
        assert!(written.left_out.is_empty(), "{:?}", written.left_out);
        same_numbers(&model, &reread(&written.text), &[], &format!("{text}\n{}", written.text));
    }
    n_operations.sort_unstable();
    n_operations.dedup();
    assert!(n_operations.len() > 15, "the texts differ: {n_operations:?}");
}

/// What is written of a drawn model has the same numbers at random states, and leaves out no more than energies; whether the model has
/// equations at all.
fn returns(model: &Model, what: &str) -> bool {
    if cardan::derive(model, Some(Formalism::Recursive)).is_err() {
        return false;
    }
    let written = write(model);
    let said = |l: &String| l.starts_with("the potential of `");
    assert!(written.left_out.iter().all(said), "{:?}\n{what}", written.left_out);
    // A torque may be drawn at another point of its body.
    let moves = |name: &str| !["_at_", "_reaction_"].iter().any(|part| name.contains(part));
    same_where(&moves, (model, &reread(&written.text)), &written.left_out, what);
    true
}

#[test]
fn drawn_texts_return() {
    let texts = (0..150).flat_map(|seed| [drawn::model(seed, seed % 3 == 0), drawn::graph(seed)]);
    let n = texts.filter(|text| returns(&reread(text), text)).count();
    assert!(n > 270, "only {n} of 300 texts have equations");
}

#[test]
fn drawn_robots_return() {
    let robots = (0..100).map(drawn::robot).filter(|text| {
        let options = ImportOptions::default();
        let resolved = cardan::import_text("robot.xml", text, &mut |_| None, &options);
        returns(&resolved.into_model().expect("a robot"), text)
    });
    let n = robots.count();
    assert!(n > 90, "only {n} of 100 robots have equations");
}

/// Robots whose translation once said something else: a weld that holds two bodies at an angle, and springs whose length depends on
/// several joints, so that no single load has their energy.
const ROBOTS: [(&str, &str); 2] = [
    (
        "weld at an angle",
        r#"<mujoco><compiler angle="degree"/><worldbody>
        <body name="lever" pos="0 0 1"><joint name="h" axis="0 1 0"/><geom type="box" size="0.1 0.2 0.3" pos="0.3 0 0"/></body>
        <body name="plate" pos="0.5 0 1" euler="23 -31 12"><freejoint name="f"/><geom type="box" size="0.1 0.05 0.3"/></body>
        </worldbody><equality><weld body1="plate" body2="lever"/></equality></mujoco>"#,
    ),
    (
        "tendon over three joints",
        r#"<mujoco><compiler angle="degree"/><worldbody>
        <body name="a"><joint name="j1" axis="0 1 0"/><geom type="capsule" size="0.05 0.2" pos="0.2 0 0" mass="1.5"/>
        <body name="b" pos="0.3 0 0"><joint name="j2" axis="0 1 0"/><geom type="capsule" size="0.05 0.2" pos="0 0 -0.2"/>
        <body name="c" pos="0.3 0 0"><joint name="j3" type="slide" axis="0 0 1"/><geom type="box" size=".1 .1 .1"/></body></body></body>
        </worldbody><tendon><fixed name="rope" stiffness="20" damping="2" springlength="0.1"><joint joint="j1" coef="1"/>
        <joint joint="j2" coef="-0.5"/><joint joint="j3" coef="2"/></fixed></tendon></mujoco>"#,
    ),
];

#[test]
fn robots_move_as_their_translations_do() {
    for (what, text) in ROBOTS {
        let options = ImportOptions { loops: true, ..ImportOptions::default() };
        let resolved = cardan::import_text("robot.xml", text, &mut |_| None, &options);
        let model = resolved.into_model().expect("a robot");
        let written = write(&model);
        let back = reread(&written.text);
        same_motion(&model, &back, &format!("{what}\n{}", written.text));
        balanced(&back, what);
    }
}

/// A random mechanism whose coordinates have the units of their joints and names of their own, as in
/// a text.
fn mechanism(seed: u64, kind: Loops) -> Model {
    let mut model = random_mechanism(seed, kind);
    let joints: Vec<_> = model.joints.iter().map(|(_, j)| (j.kinds.clone(), j.coordinates.clone())).collect();
    for (kinds, coordinates) in joints {
        let slides = kinds.contains(&JointKind::Prismatic) || kinds.contains(&JointKind::Cylindrical);
        for (k, id) in coordinates.iter().enumerate() {
            model.coordinates[*id].quantity.dimension = match coordinates.len() {
                4 => Dimension::ONE,
                _ if slides && k == 0 => Dimension::LENGTH,
                _ => Dimension::ANGLE,
            };
        }
    }
    let rates: Vec<_> = model.coordinates.iter().map(|(_, q)| (q.rate, q.quantity.dimension)).collect();
    let plain = |name: &mut String| *name = name.replace('.', "_");
    for (_, q) in model.coordinates.iter_mut() {
        plain(&mut q.quantity.name);
        // Guesses that nobody gave are not in a text.
        q.given = if q.given == Given::Nothing { Given::Approximately } else { q.given };
    }
    for (_, u) in model.speeds.iter_mut() {
        plain(&mut u.quantity.name);
        let own = rates.iter().find(|(rate, _)| *rate == u.symbol).map_or(Dimension::ANGLE, |(_, d)| *d);
        u.quantity.dimension = own / Dimension::TIME;
    }
    model
}

/// What a mechanism computes at a position in which its loops are closed, by name.
fn at_start(model: &Model, start: &[f64]) -> Option<Vec<(String, f64)>> {
    let program = cardan::derive(model, Some(Formalism::Recursive)).ok()?.lowered.program;
    let names = model.coordinates.iter().map(|(_, q)| &q.quantity.name);
    let names = names.chain(model.speeds.iter().map(|(_, u)| &u.quantity.name));
    let known: Vec<(&String, f64)> = names.zip(start.iter().copied()).collect();
    let value = |name: &str| known.iter().find(|(n, _)| *n == name).map_or(0.0, |(_, v)| *v);
    let inputs: Vec<f64> = program.inputs().iter().map(|(_, i)| value(&i.label.name)).collect();
    let mut interpreter = Interpreter::new(&program).expect("nothing from elsewhere");
    let mut outputs = vec![0.0; interpreter.n_outputs()];
    interpreter.run(program.all_stages(), &inputs, &mut outputs).ok()?;
    Some(program.outputs().iter().map(|(_, o)| o.label.name.clone()).zip(outputs).collect())
}

/// Mechanisms with one to three loops, built without a text: the same accelerations and energies where
/// the loops are closed.
#[test]
fn random_mechanisms_return() {
    let all = [Loops::Planar, Loops::Spatial].into_iter().flat_map(|kind| (0..120).map(move |k| (kind, k)));
    let mut compared = 0;
    for (kind, k) in all {
        let model = mechanism(k, kind);
        let Ok(choice) = cardan::derive(&model, Some(Formalism::Recursive)) else { continue };
        let Some(start) = choice.loops.map(|l| l.start) else { continue };
        let written = write(&model);
        assert!(written.left_out.is_empty(), "{:?}", written.left_out);
        let back = reread(&written.text);
        let (Some(x), Some(y)) = (at_start(&model, &start), at_start(&back, &start)) else { continue };
        assert_eq!(x.len(), y.len(), "mechanism {k}\n{}", written.text);
        let scale = x.iter().fold(1.0f64, |m, (_, v)| m.max(v.abs()));
        for ((name, value), (other_name, other)) in x.iter().zip(&y) {
            assert_eq!(name, other_name, "mechanism {k}");
            assert!((value - other).abs() < 1e-8 * scale, "mechanism {k}: {name} is {value} and {other}");
        }
        compared += 1;
    }
    assert!(compared > 200, "only {compared} of 240 mechanisms are compared");
}
