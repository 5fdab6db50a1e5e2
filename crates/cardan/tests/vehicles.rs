//! Vehicles: tyre curves against the reference tables where they are present, the passenger car against the closed forms of the single-track
//! car, its handling from a motion and from its linear equations, the double lane change between its cones, the HMMWV at rest.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use cardan::analysis::{Handling, HandlingQuestion, LinearOptions, Study, linearize};
use cardan::assembly::ParameterValues;
use cardan::compile::choose;
use cardan::expand::{self, Found, Refusal};
use cardan::expand_with;
use cardan::prelude::*;
use cardan::solve::linear::eigenvalues;
use cardan_testkit::Random;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn model_text(name: &str) -> String {
    fs::read_to_string(root().join("models/vehicles").join(name)).expect("a model of the library")
}

fn made(text: &str, choices: &expand::Settings) -> Model {
    let mut beside = |wanted: &str, _: &str| -> Result<Found, Refusal> {
        let text = fs::read_to_string(root().join("models/vehicles").join(wanted));
        text.map(|text| Found { name: wanted.to_owned(), text }).map_err(|_| Refusal::Missing)
    };
    let flat = expand_with(parse("vehicle.mbs", text), choices, &mut beside);
    resolve(flat).into_model().unwrap_or_else(|e| panic!("{e}"))
}

fn run(model: &Model, set: &[(&str, f64)]) -> Trajectory {
    let mut model = model.clone();
    for (name, value) in set {
        model.set_value(name, *value, None).unwrap_or_else(|e| panic!("{e}"));
    }
    let settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap_or_else(|e| panic!("{e}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}"));
    compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}"))
}

fn series(trajectory: &Trajectory, name: &str) -> Vec<f64> {
    trajectory.series(name).unwrap_or_else(|| panic!("no column {name}"))
}

// ---------------------------------------------------------------------------------------------------------------- tyres

/// A table of references: the head and the rows.
struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// The references lie beside the repository; without them there is nothing to compare with.
    fn read(name: &str) -> Option<Table> {
        let text = fs::read_to_string(root().join("../shared/data/vehicles").join(name)).ok()?;
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<String>>();
        let mut lines = text.lines().map(cells);
        Some(Table { head: lines.next()?, rows: lines.collect() })
    }
    fn text(&self, row: usize, name: &str) -> &str {
        let column = self.head.iter().position(|h| h == name).unwrap_or_else(|| panic!("no column {name}"));
        &self.rows[row][column]
    }
    fn column(&self, name: &str) -> Vec<f64> {
        let number = |k| self.text(k, name).parse().unwrap_or_else(|e| panic!("{name}: {e}"));
        (0..self.rows.len()).map(number).collect()
    }
}

/// Signals that take the next value at each second.
fn steps(signals: &[(&str, &str, &[f64])]) -> String {
    let mut text = "model points\n".to_owned();
    for (name, unit, values) in signals {
        let points: Vec<String> = values.iter().enumerate().map(|(k, v)| format!("{k}: {v:e}")).collect();
        writeln!(text, "table {name}(t [s]) {unit} = steps {{ {} }}", points.join(", ")).expect("text");
    }
    text
}

fn law(law: &str, arguments: &str, stiffness: f64, slips: [&[f64]; 4]) -> Trajectory {
    let [load, kappa, slope, camber] = slips;
    let mut text = steps(&[
        ("Fz", "[N]", load),
        ("kappa", "", kappa),
        ("slope", "", slope),
        ("camber", "[rad]", camber),
    ]);
    write!(
        text,
        "std.vehicle.{law} f({arguments}) {{ kappa -> kappa(t); slope -> slope(t); camber -> camber(t)
           deflection -> Fz(t) / ({stiffness} [N/m]); rate -> 0 [m/s]; speed -> 16.7 [m/s]; friction -> 1 }}
         output Fx = f.Fx, Fy = f.Fy, Mz = f.Mz, My = f.My, sigma_x = f.relaxation_x, sigma_y = f.relaxation_y
         output loss = f.Fx * kappa(t) - f.Fy * slope(t)
         simulate {{ to = {} [s], every = 1 [s] }}",
        load.len() - 1
    )
    .expect("text");
    run(&made(&text, &expand::Settings::default()), &[])
}

fn near(what: &str, found: &[f64], known: &[f64], scale: &[f64], tolerance: f64) {
    assert_eq!(found.len(), known.len(), "{what}");
    for (k, ((f, r), s)) in found.iter().zip(known).zip(scale).enumerate() {
        assert!((f - r).abs() <= tolerance * s, "{what}, row {k}: {f} for {r}");
    }
}

fn zeros(n: usize) -> Vec<f64> {
    vec![0.0; n]
}

/// All rows of the tables, to 1e-9 of the load (moments: of the load times a foot).
#[test]
fn tyres_reproduce_their_tables() {
    let Some(table) = Table::read("tyre_fiala.csv") else { return };
    let (load, kappa) = (table.column("Fz"), table.column("kappa"));
    let slope: Vec<f64> = table.column("alpha_deg").iter().map(|a| a.to_radians().tan()).collect();
    let found = law("fiala", "", 326_332.0, [&load, &kappa, &slope, &zeros(load.len())]);
    for name in ["Fx", "Fy", "Mz"] {
        near(&format!("fiala {name}"), &series(&found, name), &table.column(name), &load, 1e-9);
    }

    let table = Table::read("tyre_pacejka87.csv").expect("beside the others");
    let n = table.rows.len();
    let load: Vec<f64> = table.column("Fz_kN").iter().map(|f| 1000.0 * f).collect();
    let slip = table.column("slip_deg_or_percent");
    let ahead = |k: &usize| table.text(*k, "quantity") == "Fx";
    let kappa: Vec<f64> = (0..n).map(|k| if ahead(&k) { slip[k] / 100.0 } else { 0.0 }).collect();
    let slope: Vec<f64> = (0..n).map(|k| if ahead(&k) { 0.0 } else { slip[k].to_radians().tan() }).collect();
    let found = law("pacejka_87", "", 2e5, [&load, &kappa, &slope, &zeros(n)]);
    let (fx, fy, mz) = (series(&found, "Fx"), series(&found, "Fy"), series(&found, "Mz"));
    let of = |k: usize| match table.text(k, "quantity") {
        "Fx" => fx[k],
        "Fy" => -fy[k],
        _ => -mz[k],
    };
    let all: Vec<f64> = (0..n).map(of).collect();
    near("pacejka 1987", &all, &table.column("value_N_or_Nm"), &load, 1e-9);

    let table = Table::read("tyre_tmeasy.csv").expect("beside the others");
    let (load, sx, sy) = (table.column("Fz"), table.column("sx"), table.column("sy"));
    let mut text = steps(&[("Fz", "[N]", &load), ("sx", "", &sx), ("sy", "", &sy)]);
    write!(
        text,
        "std.vehicle.tmeasy_curve f {{ sx -> sx(t); sy -> sy(t); load -> Fz(t); friction -> 1 }}
         output Fx = f.Fx, Fy = f.Fy
         simulate {{ to = {} [s], every = 1 [s] }}",
        load.len() - 1
    )
    .expect("text");
    let found = run(&made(&text, &expand::Settings::default()), &[]);
    for name in ["Fx", "Fy"] {
        near(&format!("TMeasy {name}"), &series(&found, name), &table.column(name), &load, 1e-9);
    }
}

/// The tyre file of the HMMWV, imported, against all rows of its table.
#[test]
fn a_tyre_file_reproduces_its_table() {
    let Some(table) = Table::read("tyre_pac2002_hmmwv.csv") else { return };
    let tir = fs::read_to_string(root().join("../shared/data/hmmwv_chrono/tire/HMMWV_Pac02Tire.tir"))
        .expect("the file");
    let (load, kappa, camber) = (table.column("Fz"), table.column("kappa"), table.column("gamma_rad"));
    let slope: Vec<f64> = table.column("alpha_rad").iter().map(|a| a.tan()).collect();
    let signals = [
        ("Fz", "[N]", &*load),
        ("kappa", "", &*kappa),
        ("slope", "", &*slope),
        ("camber", "[rad]", &*camber),
    ];
    let mut text = format!("import \"hmmwv.tir\"\n{}", steps(&signals));
    write!(
        text,
        "hmmwv f {{ kappa -> kappa(t); slope -> slope(t); camber -> camber(t); deflection -> Fz(t) / (1e6 [N/m])
           rate -> 0 [m/s]; speed -> 16.7 [m/s]; friction -> 1 }}
         output Fx = f.Fx, Fy = f.Fy, Mz = f.Mz, My = f.My, sigma_x = f.relaxation_x, sigma_y = f.relaxation_y
         simulate {{ to = {} [s], every = 1 [s] }}",
        load.len() - 1
    )
    .expect("text");
    let mut read = |wanted: &str, _: &str| -> Result<Found, Refusal> {
        Ok(Found { name: wanted.to_owned(), text: tir.clone() })
    };
    let flat = expand_with(parse("file.mbs", &text), &expand::Settings::default(), &mut read);
    let found = run(&resolve(flat).into_model().unwrap_or_else(|e| panic!("{e}")), &[]);
    for name in ["Fx", "Fy", "Mz", "My"] {
        near(name, &series(&found, name), &table.column(name), &load, 1e-9);
    }
    for name in ["sigma_x", "sigma_y"] {
        near(name, &series(&found, name), &table.column(name), &vec![1.0; load.len()], 1e-11);
    }
}

/// Slip is opposed: Fx κ - Fy tan α, the power that is lost per speed, is never negative.
#[test]
fn tyres_create_no_energy() {
    let mut dice = Random::new(7);
    let mut some = |size: f64| (0..300).map(|_| dice.between(-size, size)).collect::<Vec<f64>>();
    let (kappa, slope) = (some(1.5), some(1.2));
    let load: Vec<f64> = some(4000.0).iter().map(|f| 4100.0 + f).collect();
    for name in ["linear_tyre", "fiala", "pacejka_87", "tmeasy"] {
        let found = law(name, "", 2e5, [&load, &kappa, &slope, &zeros(300)]);
        let least = series(&found, "loss").into_iter().fold(f64::INFINITY, f64::min);
        assert!(least >= 0.0, "{name} creates {least}");
    }
}

/// A wheel under a carrier is thrown onto the road with random velocities, turns and leans, its tyre without deflection at first: the energy of both
/// never exceeds that of the start, since a contact that creates none can only give back what it has taken.
#[test]
fn a_wheel_never_gains_energy_from_the_road() {
    let mut dice = Random::new(11);
    let bounces = "translate(x = x, y = y, z = z) rotate(z = yaw) at (0, 0, 0.32) [m]";
    let rolls = "translate(x = x, y = y) rotate(z = yaw) at (0, 0, 0.285) [m]";
    let laws = [
        "linear_tyre",
        "fiala(free_radius = 0.3 [m])",
        "pacejka_87",
        "pacejka_89(free_radius = 0.3 [m])",
        "tmeasy",
        "magic_formula_2002",
        "magic_formula_61",
    ];
    for (law, moves) in laws.iter().flat_map(|law| [(law, bounces), (law, rolls)]) {
        let text = format!(
            "model thrown
             gravity = -9.81 [m/s^2] * N.z
             parameter lean = 0 [rad]
             body carrier on N by {moves} {{ mass = 300 [kg]; inertia = (20, 20, 20) [kg*m^2] }}
             frame hub on carrier by fixed(angles = (lean, 0, 0))
             body wheel on hub by revolute(y, q = spin) {{ mass = 25 [kg]; inertia = (0.6, 1.1, 0.6) [kg*m^2] }}
             std.vehicle.tyre rubber(law = std.vehicle.{law}) {{ wheel -> wheel }}
             simulate {{ to = 0.6 [s], every = 2 [ms], rtol = 1e-8, atol = 1e-10 }}"
        );
        let model = made(&text, &expand::Settings::default());
        for _ in 0..4 {
            let mut one = |size: f64| dice.between(-size, size);
            let start = [
                ("der(x)", one(15.0)),
                ("der(y)", one(6.0)),
                ("der(yaw)", one(5.0)),
                ("lean", one(0.2)),
                ("der(spin)", one(60.0)),
            ];
            let found = run(&model, &start);
            // The weight works only where the wheel bounces.
            let motion = series(&found, "energy.kinetic");
            let height = found.series("energy.gravity").unwrap_or_else(|| vec![0.0; motion.len()]);
            let whole: Vec<f64> = motion.iter().zip(&height).map(|(a, b)| a + b).collect();
            let most = whole.iter().fold(f64::NEG_INFINITY, |m, e| m.max(*e));
            assert!(most <= whole[0] * (1.0 + 1e-9), "{law}, {start:?}: {most} of {}", whole[0]);
            assert!(whole.last() < whole.first(), "{law}, {start:?}: nothing is lost");
        }
    }
}

/// A standing tyre is pushed aside under a small load, pressed down, brought back and lifted again. Work that the road does in the whole cycle comes from nowhere.
/// Were the deflection kept while the load grows, as in the model of Pacejka's text, side forces would give back ½ (k₂ - k₁) y² more than they have taken, 20 J to 30 J here.
#[test]
fn a_tyre_gives_back_under_a_large_load_no_more_than_it_took_under_a_small_one() {
    for law in ["pacejka_87", "tmeasy", "magic_formula_2002", "magic_formula_61"] {
        let text = format!(
            "model cycle
             parameter T = 1 [s], aside = 20 [mm]
             function s(x) = std.vehicle.soft_clip(x, 1e-3)
             frame slide on N by prismatic(y, motion = aside * (s(t / T) - s((t - 2 * T) / T)))
             frame press on slide by prismatic(z, motion = -5 [mm] - 20 [mm] * (s((t - T) / T) - s((t - 3 * T) / T))) at (0, 0, 0.3) [m]
             body wheel on press by revolute(y, motion = 0 [rad]) {{ mass = 20 [kg]; inertia = (1, 1, 1) [kg*m^2] }}
             std.vehicle.tyre rubber(law = std.vehicle.{law}, standstill_damping = 0 [s/m], standing = 1e-6 [m/s]) {{ wheel -> wheel }}
             state work = 0 [J] {{ der = rubber.Fy * dot(velocity(wheel.o), N.y) + rubber.Fz * dot(velocity(wheel.o), N.z) }}
             simulate {{ to = 4 [s], every = 0.1 [s], rtol = 1e-8, atol = 1e-10 }}"
        );
        let found = run(&made(&text, &expand::Settings::default()), &[]);
        let work = series(&found, "work");
        // It does take some up while it is pushed aside, as a spring of half its slip stiffness per length or more.
        assert!(work[10] < -5.0, "{law}: {} J", work[10]);
        let end = work.last().expect("rows");
        assert!(*end <= 0.0, "{law}: {end} J from nowhere");
    }
}

/// A rolling wheel that brakes to a standstill, stands and goes back, pushed aside all the while: forces change by less the shorter the time
/// between two looks, and so do their rates; nothing jumps, and nothing has a corner.
#[test]
fn forces_are_smooth_through_standstill() {
    for law in ["linear_tyre", "fiala(free_radius = 0.3 [m])", "pacejka_87", "tmeasy", "magic_formula_2002"] {
        let text = format!(
            "model standstill
             parameter T = 1 [s]
             frame slide on N by prismatic(x, motion = 0.5 [m] * cos(pi * t / T)) prismatic(y, motion = 2 [mm] * sin(5 * t / T))
             body wheel on slide at (0, 0, 0.29) [m] by revolute(y, motion = -1.6 [rad] * cos(pi * t / T)) {{ mass = 20 [kg]; inertia = (1, 1, 1) [kg*m^2] }}
             std.vehicle.tyre rubber(law = std.vehicle.{law}) {{ wheel -> wheel }}
             output Fx = rubber.Fx, Fy = rubber.Fy
             simulate {{ from = 0.9 [s], to = 1.1 [s], every = 0.1 [ms], rtol = 1e-9, atol = 1e-12 }}"
        );
        let found = run(&made(&text, &expand::Settings::default()), &[]);
        for name in ["Fx", "Fy"] {
            let force = series(&found, name);
            let largest = |stride: usize, order: usize| {
                let every: Vec<f64> = force.iter().step_by(stride).copied().collect();
                let mut d = every;
                for _ in 0..order {
                    d = d.windows(2).map(|w| w[1] - w[0]).collect();
                }
                d.iter().fold(0.0_f64, |m, x| m.max(x.abs()))
            };
            // A jump keeps its size when the stride is halved, a corner halves: smooth curves halve and quarter.
            let size = force.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let (coarse, fine) = (largest(2, 1), largest(1, 1));
            assert!(fine < 0.6 * coarse || coarse < 1e-9 * size, "{law} {name}: {coarse} to {fine}");
            let (coarse, fine) = (largest(2, 2), largest(1, 2));
            assert!(fine < 0.35 * coarse || coarse < 1e-7 * size, "{law} {name}: bends {coarse} to {fine}");
        }
    }
}

// ---------------------------------------------------------------------------------------------------- the single-track car

const WHEELS: [&str; 4] = ["fl", "fr", "rl", "rr"];

/// The passenger car without heave, pitch and roll, on tyres whose side force goes with the slip and which do not brake or drive.
fn single_track() -> Model {
    reduced(&single_track_text())
}

fn single_track_text() -> String {
    let text = model_text("passenger-car.mbs")
        .replace("rtol = 1e-6, atol = 1e-8, method = dopri5", "rtol = 1e-11, atol = 1e-15");
    text + "lock car.z, car.pitch, car.roll, car.fl.travel, car.fr.travel, car.rl.travel, car.rr.travel, car.delta\n"
}

fn reduced(text: &str) -> Model {
    let tyre =
        "linear_tyre(cornering_stiffness = 80 [kN], longitudinal_stiffness = 1 [mN], free_radius = 0.3 [m])";
    let constants = WHEELS.map(|w| (format!("car.tyre_{w}.relaxed"), "0".to_owned())).to_vec();
    let mut model =
        made(text, &expand::Settings { constants, fillings: vec![("*.law".to_owned(), tyre.to_owned())] });
    model.set_value("car.drag", 0.0, None).expect("a parameter");
    for wheel in WHEELS {
        model.set_value(&format!("car.tyre_{wheel}.standing"), 1e-6, None).expect("a parameter");
    }
    model
}

/// Eigenvalues of the single-track car (Rajamani, Vehicle Dynamics and Control, ch. 2): s² + (…) s + … from its mass, yaw inertia and cornering stiffnesses.
#[test]
fn the_reduced_car_has_the_eigenvalues_of_the_single_track_car() {
    let model = single_track();
    let mut study =
        Study::of(&choose(&model, None).expect("it can be derived"), &[]).expect("it can be asked");
    let known = [
        (10.0, -20.4922869808, 3.69567455625),
        (20.0, -10.2461434904, 4.8438860595),
        (30.0, -6.83076232694, 5.02782397858),
        (40.0, -5.1230717452, 5.09063233698),
    ];
    for (v, real, imaginary) in known {
        study.set("car.v", v).expect("a parameter");
        let y = study.start(0.0).expect("it can be assembled");
        let linear = linearize(&mut study, 0.0, &y, &LinearOptions::default()).expect("it can be linearised");
        let found = eigenvalues(&linear.a).expect("they are found");
        let apart = |(a, b): &(f64, f64)| (a - real).hypot(b.abs() - imaginary);
        let nearest = found.iter().map(apart).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-8 * real.hypot(imaginary), "{v} m/s: {found:?}");
    }
}

/// Side velocity, yaw rate and lateral acceleration after a step of the steering angle, and the steady gains, to 1e-6. The step is a thousandth of the
/// published one, so that the car stays linear.
#[test]
fn the_reduced_car_answers_a_step_as_the_single_track_car() {
    let model = single_track();
    // Speed, then time, v, r, ay for a step of 0.02 rad.
    let known: [(f64, [[f64; 4]; 3]); 2] = [
        (
            20.0,
            [
                [0.1, 0.0688724100394, 0.0811386670786, 1.53185881815],
                [0.5, -0.00236406193738, 0.118732891736, 2.34822587112],
                [2.0, -0.00402866607689, 0.118191841378, 2.36383682652],
            ],
        ),
        (
            30.0,
            [
                [0.1, 0.0330056934966, 0.09121392217, 1.95896179919],
                [0.5, -0.280950134779, 0.145444976728, 4.17618600004],
                [2.0, -0.288650586061, 0.140688665421, 4.22066278966],
            ],
        ),
    ];
    for (v, rows) in known {
        let found = run(&model, &[("car.v", v), ("car.delta", 2e-5)]);
        let (times, yaw, yaw_rate) =
            (found.times(), series(&found, "car.yaw"), series(&found, "der(car.yaw)"));
        let (vx, vy, ay) =
            (series(&found, "der(car.x)"), series(&found, "der(car.y)"), series(&found, "car.lateral"));
        for [t, side, rate, acceleration] in rows {
            let k = times.iter().position(|s| (s - t).abs() < 1e-9).expect("a row");
            let lateral = vy[k] * yaw[k].cos() - vx[k] * yaw[k].sin();
            assert!((lateral * 1e3 - side).abs() < 1e-6, "{v} m/s, {t} s: v is {}", lateral * 1e3);
            assert!(
                (yaw_rate[k] * 1e3 - rate).abs() < 1e-6 * rate,
                "{v} m/s, {t} s: r is {}",
                yaw_rate[k] * 1e3
            );
            assert!(
                (ay[k] * 1e3 - acceleration).abs() < 1e-6 * acceleration,
                "{v} m/s, {t} s: ay is {}",
                ay[k] * 1e3
            );
        }
    }
}

/// Gains, understeer gradient and characteristic speed of the single-track car (Rajamani's sedan): closed forms, to 1e-6.
#[test]
fn handling_of_the_reduced_car_is_that_of_the_single_track_car() {
    let text = single_track_text().replace(", car.delta\n", "\n");
    let mut model = reduced(&text);
    model.set_value("car.attention", 0.0, None).expect("a parameter");
    let chosen = choose(&model, None).expect("it can be derived");
    let mut study = Study::of(&chosen, &["car.robot.amplitude".to_owned()]).expect("it can be asked");
    let question = HandlingQuestion {
        speed: "car.v".into(),
        speeds: vec![10.0, 20.0, 30.0, 40.0],
        angle: Some("car.delta".into()),
        yaw_rate: "der(car.yaw)".into(),
        lateral: Some("car.lateral".into()),
        sideslip: Some("car.sideslip".into()),
        time: 2.0,
        ..HandlingQuestion::default()
    };
    let found = Handling::of(&mut study, &question).expect("it can be found");
    // Speed, yaw rate, lateral acceleration and sideslip per angle.
    let known = [
        [10.0, 3.50129992292, 35.0129992292, 0.411920423814],
        [20.0, 5.90959206174, 118.191841235, -0.0100716648291],
        [30.0, 7.03442845269, 211.032853581, -0.481082943261],
    ];
    for ([v, yaw, lateral, sideslip], p) in known.iter().zip(&found.points) {
        assert!((p.yaw_gain / yaw - 1.0).abs() < 1e-6, "{v} m/s: yaw {}", p.yaw_gain);
        assert!((p.lateral_gain / lateral - 1.0).abs() < 1e-6, "{v} m/s: lateral {}", p.lateral_gain);
        let slip = p.sideslip_gain.expect("asked for");
        assert!((slip - sideslip).abs() < 1e-6, "{v} m/s: sideslip {slip}");
    }
    assert!((found.wheelbase - 2.68).abs() < 1e-5, "{}", found.wheelbase);
    assert!((found.understeer / 0.00176082089552 - 1.0).abs() < 1e-5, "{}", found.understeer);
    let characteristic = found.characteristic_speed().expect("it understeers");
    assert!((characteristic / 39.0130411089 - 1.0).abs() < 1e-5, "{characteristic}");
}

// -------------------------------------------------------------------------------------------------------- the passenger car

/// The understeer gradient from a steady circle (ISO 4138, constant speed, small lateral acceleration) is that of the linear equations. The stiffness of
/// TMeasy falls with the slip from the start, and the gradient is a difference of two compliances: the acceleration has to be small.
#[test]
fn the_understeer_gradient_of_a_circle_is_that_of_the_linear_car() {
    let text = model_text("passenger-car.mbs").replace("to = 8 [s]", "to = 12 [s]");
    let mut model = made(
        &text.replace("rtol = 1e-6, atol = 1e-8, method = dopri5", "rtol = 1e-9, atol = 1e-13"),
        &expand::Settings::default(),
    );
    let (v, wheelbase) = (20.0, 2.68);
    let rolling = WHEELS.map(|w| (format!("car.tyre_{w}.law.rolling_resistance"), 0.0));
    for (name, value) in rolling.iter().map(|(n, x)| (n.as_str(), *x)).chain([
        ("car.attention", 0.0),
        ("car.drag", 0.0),
        ("car.v", v),
    ]) {
        model.set_value(name, value, None).unwrap_or_else(|e| panic!("{e}"));
    }
    let gradient = |delta: f64, rate: f64| (delta - wheelbase * rate / v) / (v * rate);
    let found = run(&model, &[("car.robot.amplitude", 0.004_f64.to_radians())]);
    let last = |name: &str| *series(&found, name).last().expect("rows");
    let by_motion = gradient(last("car.delta"), last("der(car.yaw)"));

    let chosen = choose(&model, None).expect("it can be derived");
    let mut study = Study::of(&chosen, &["car.robot.amplitude".to_owned()]).expect("it can be asked");
    let y = study.start(2.0).expect("it can be assembled");
    let linear = linearize(&mut study, 2.0, &y, &LinearOptions::default()).expect("it can be linearised");
    let (n, place) = (linear.a.n_rows(), |name: &str| {
        linear.independent.iter().position(|i| i.named.name == name).unwrap_or_else(|| panic!("no {name}"))
    });
    // The answer to a unit step by Runge and Kutta's method.
    let rates = |x: &[f64]| -> Vec<f64> {
        let row = |i: usize| linear.b[(i, 0)] + (0..n).map(|j| linear.a[(i, j)] * x[j]).sum::<f64>();
        (0..n).map(row).collect()
    };
    let (mut x, h) = (vec![0.0; n], 5e-4);
    for _ in 0..16_000 {
        let moved = |k: &[f64], f: f64| x.iter().zip(k).map(|(x, k)| x + f * h * k).collect::<Vec<f64>>();
        let k1 = rates(&x);
        let k2 = rates(&moved(&k1, 0.5));
        let k3 = rates(&moved(&k2, 0.5));
        let k4 = rates(&moved(&k3, 1.0));
        for i in 0..n {
            x[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    let by_equations = gradient(x[place("car.delta")], x[place("der(car.yaw)")]);
    assert!(by_equations > 0.0, "it understeers");
    assert!(
        (by_motion / by_equations - 1.0).abs() < 0.02,
        "{by_motion} by motion, {by_equations} by equations"
    );
}

/// A lane between cones: where it begins and ends, its middle and half of its width.
type Lane = (f64, f64, f64, f64);

/// The lanes of ISO 3888-1 for a car of this width.
fn double_lane_change(width: f64) -> [Lane; 3] {
    let half = |factor: f64| (factor * width + 0.25) / 2.0;
    [(0.0, 15.0, 0.0, half(1.1)), (45.0, 70.0, 3.5, half(1.2)), (95.0, 125.0, 0.0, half(1.3))]
}

/// The lanes of ISO 3888-2.
fn obstacle_avoidance(width: f64) -> [Lane; 3] {
    let (first, second, last) = (1.1 * width + 0.25, width + 1.0, (1.3 * width + 0.25).max(3.0));
    let (aside, after) = (first / 2.0 + 1.0 + second / 2.0, (last - first) / 2.0);
    [(0.0, 12.0, 0.0, first / 2.0), (25.5, 36.5, aside, second / 2.0), (49.0, 61.0, after, last / 2.0)]
}

/// How far the corners of the body stay from the cones; negative if one falls. The first lane begins at 30 m.
fn distance_from_cones(
    found: &Trajectory,
    car: &str,
    lanes: [Lane; 3],
    [width, ahead, behind]: [f64; 3],
) -> f64 {
    let of = |name: &str| series(found, &format!("{car}{name}"));
    let (x, y, yaw) = (of("x"), of("y"), of("yaw"));
    let mut least = f64::INFINITY;
    for k in 0..x.len() {
        for (a, b) in [(ahead, 1.0), (ahead, -1.0), (-behind, 1.0), (-behind, -1.0)] {
            let (sine, cosine) = yaw[k].sin_cos();
            let corner = (
                x[k] + a * cosine - b * width / 2.0 * sine - 30.0,
                y[k] + a * sine + b * width / 2.0 * cosine,
            );
            for (from, to, middle, half) in lanes {
                if (from..=to).contains(&corner.0) {
                    least = least.min(half - (corner.1 - middle).abs());
                }
            }
        }
    }
    least
}

#[test]
fn the_driver_keeps_the_car_between_the_cones() {
    let fiala = "fiala(free_radius = 0.3 [m], stiffness = 200 [kN/m], damping = 50 [N*s/m], cornering_stiffness = 90 [kN], relaxation = 0.4 [m])";
    let law = |law: &str| vec![("*.law".to_owned(), law.to_owned())];
    let choices = [vec![], law(fiala), law("pacejka_87")];
    let mut peaks = vec![];
    for fillings in choices {
        let model = made(&model_text("passenger-car.mbs"), &expand::Settings { constants: vec![], fillings });
        for v in [60.0, 80.0] {
            let found = run(&model, &[("car.v", v / 3.6)]);
            let least = distance_from_cones(&found, "car.", double_lane_change(1.8), [1.8, 1.9, 2.4]);
            assert!(least > 0.0, "{v} km/h: {least} m");
            assert!(*series(&found, "car.x").last().expect("rows") > 125.0, "{v} km/h: it has not passed");
            peaks.push(series(&found, "car.sideslip").into_iter().fold(0.0_f64, |m, s| m.max(s.abs())));
        }
    }
    // Tyres of other stiffness give another sideslip, by more than rounding and by less than an order.
    assert!(
        (peaks[1] / peaks[3] - 1.0).abs() > 0.02 && (0.1..10.0).contains(&(peaks[1] / peaks[3])),
        "{peaks:?}"
    );
}

/// Every manoeuvre beside the car does what it is called for.
#[test]
fn manoeuvres_go_as_they_should() {
    let of = |name: &str| run(&made(&model_text(&format!("{name}.mbs")), &expand::Settings::default()), &[]);
    let last = |found: &Trajectory, name: &str| *series(found, name).last().expect("rows");
    let most =
        |found: &Trajectory, name: &str| series(found, name).iter().fold(0.0_f64, |m, x| m.max(x.abs()));

    // The yaw rate settles between those of a neutral car and of one with twice the gradient that the driver knows.
    let found = of("step-steer");
    let (rate, v, angle) =
        (last(&found, "der(car.yaw)"), last(&found, "car.speed"), last(&found, "car.delta"));
    assert!(
        (v * angle / (2.68 + 0.008 * v * v)..v * angle / 2.68).contains(&rate),
        "{rate} rad/s at {v} m/s, {angle}"
    );
    // After a sine with dwell a car that holds the road goes straight again (FMVSS 126: 35 % after 1 s, 20 % after 1.75 s).
    let found = of("sine-with-dwell");
    let (peak, end) = (most(&found, "der(car.yaw)"), last(&found, "der(car.yaw)"));
    assert!(end.abs() < 0.2 * peak, "{end} of {peak}");
    // The yaw rate falls beyond its own frequency.
    let found = of("sine-sweep");
    let rate = series(&found, "der(car.yaw)");
    let part = |a: usize, b: usize| rate[a..b].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    assert!(part(rate.len() - 100, rate.len()) < 0.7 * part(0, rate.len() / 2));
    // On a steady circle steering and lateral acceleration grow together, and the car understeers: the angle grows faster in the end.
    let found = of("steady-circle");
    let (angle, side) = (series(&found, "car.delta"), series(&found, "car.lateral"));
    let gain = |k: usize| (angle[k] - angle[k - 100]) / (side[k] - side[k - 100]);
    let n = angle.len();
    assert!(gain(n / 4) > 0.0 && gain(n - 1) > gain(n / 4), "{} then {}", gain(n / 4), gain(n - 1));
    let found = of("obstacle-avoidance");
    let least = distance_from_cones(&found, "car.", obstacle_avoidance(1.8), [1.8, 1.9, 2.4]);
    assert!(least > 0.0, "{least} m");
    // Braking in a turn: it slows down and stays on the circle, without spinning.
    let found = of("braking-in-turn");
    assert!(last(&found, "car.speed") < 0.5 * series(&found, "car.speed")[0]);
    assert!(most(&found, "car.sideslip") < 0.1, "{}", most(&found, "car.sideslip"));
    // μ-split: it slows down and stays in its lane.
    let found = of("mu-split");
    assert!(last(&found, "car.speed") < 0.6 * series(&found, "car.speed")[0]);
    assert!(most(&found, "car.y") < 0.6, "{}", most(&found, "car.y"));
    // Over the bump the wheels are pressed by more than their weight, then fly or nearly so; in the end the car runs on.
    let found = of("speed-bump");
    let load = series(&found, "car.load_fl");
    assert!(load.iter().fold(0.0_f64, |m, x| m.max(*x)) > 1.5 * load[0]);
    assert!(load.iter().fold(load[0], |m, x| m.min(*x)) < 0.5 * load[0]);
    // On the posts the chassis follows slow motions and rests at fast ones, at which the wheels hop.
    let found = of("four-post");
    let heave = series(&found, "car.z");
    let spread = |part: &[f64]| {
        part.iter().fold(f64::NEG_INFINITY, |m, x| m.max(*x))
            - part.iter().fold(f64::INFINITY, |m, x| m.min(*x))
    };
    let n = heave.len();
    assert!(spread(&heave[..n / 10]) > 8e-3 && spread(&heave[n - n / 10..]) < 2e-3);
}

// ---------------------------------------------------------------------------------------------------------------- the HMMWV

/// The exact loop closure of both axles over ±0.1 m of travel, from the hard points of `hmmwv-linkage.mbs` as they stand there: spindles to 1e-9 m, camber
/// and toe to 1e-9 rad.
#[test]
fn the_corners_of_the_linkage_car_move_as_tabulated() {
    let Some(table) = Table::read("hmmwv_suspension_kinematics.csv") else { return };
    let whole = model_text("hmmwv-linkage.mbs");
    for (corner, axle, place) in [("fl", "front", "1.688965"), ("rl", "rear", "-1.688965")] {
        let begin = whole.find(&format!("double_wishbone {corner}(")).expect("a corner");
        let end = begin + whole[begin..].find("\n)").expect("its end") + 2;
        let corner = whole[begin..end].replacen(corner, "c", 1);
        let text = format!(
            "import double_wishbone from \"std.vehicle\"\nmodel rig\ngravity = 0
             {corner} {{ chassis -> N at ({place}, 0, 0) [m]; steering -> N at ({place}, 0, 0) [m] }}
             constraint lift = dot(position(N.o, c.upright.hub), N.z) + 0.026 [m] - 0.1 [m/s] * t
             lock c.spin
             variable pin = c.upright.y
             output px = dot(position(N.o, c.upright.hub), N.x), py = dot(position(N.o, c.upright.hub), N.y)
             output camber = asin(dot(pin, N.z)), toe = atan2(-dot(pin, N.x), dot(pin, N.y)), coil = c.spring_length, shock = c.damper_length
             simulate {{ from = -1 [s], to = 1 [s], every = 0.1 [s], rtol = 1e-11, atol = 1e-12 }}"
        );
        let found = run(&made(&text, &expand::Settings::default()), &[]);
        let rows: Vec<usize> = (0..table.rows.len()).filter(|k| table.text(*k, "axle") == axle).collect();
        assert!(rows.len() > 10);
        let travel = table.column("spindle_z_rel_design_m");
        let columns = [
            ("px", "spindle_x"),
            ("py", "spindle_y"),
            ("camber", "camber_rad"),
            ("toe", "toe_rad"),
            ("coil", "spring_length_m"),
            ("shock", "shock_length_m"),
        ];
        for (name, column) in columns {
            let (ours, theirs) = (series(&found, name), table.column(column));
            for k in &rows {
                let at =
                    found.times().iter().position(|t| (0.1 * t - travel[*k]).abs() < 1e-9).expect("a row");
                assert!(
                    (ours[at] - theirs[*k]).abs() < 1e-9,
                    "{axle} {name} at {}: {}",
                    travel[*k],
                    ours[at]
                );
            }
        }
    }
}

/// The HMMWV of ten bodies with a driver, through the double lane change on tyres of five kinds, with one tuning: what the tyres can do is told by them.
#[test]
fn one_driver_keeps_the_hmmwv_between_the_cones_on_any_tyres() {
    let text = fs::read_to_string(root().join("models/hmmwv.mbs")).expect("the model");
    let text =
        text.replace("simulate { to = 3 [s], every = 0.01 [s] }\n", "").replace("to = 20 [s]", "to = 10 [s]");
    let size = "free_radius = 0.47 [m], stiffness = 326.332 [kN/m], damping = 7.5 [kN*s/m]";
    let laws = [
        ("fiala", "fiala".to_owned()),
        (
            "magic formula",
            "magic_formula_2002(UNLOADED_RADIUS = 0.47 [m], VERTICAL_STIFFNESS = 326.332 [kN/m], \
             VERTICAL_DAMPING = 7.5 [kN*s/m], FNOMIN = 6 [kN])"
                .to_owned(),
        ),
        (
            "linear",
            format!(
                "linear_tyre({size}, longitudinal_stiffness = 193.929 [kN], \
                 cornering_stiffness = 50 [kN/rad], relaxation = 1 [m])"
            ),
        ),
        ("TMeasy", format!("tmeasy({size})")),
        ("1987", format!("pacejka_87({size}, relaxation = 1 [m])")),
    ];
    let mut slips = vec![];
    for (name, law) in &laws {
        let choices = expand::Settings {
            constants: vec![("driven".to_owned(), "1".to_owned())],
            fillings: vec![("*.contact".to_owned(), format!("tyre(law = {law})"))],
        };
        let model = made(&text, &choices);
        for v in [60.0, 80.0] {
            let found = run(&model, &[("v", v / 3.6)]);
            let least = distance_from_cones(&found, "", double_lane_change(2.16), [2.16, 1.9, 2.4]);
            assert!(least > 0.0, "{name}, {v} km/h: {least} m");
            assert!(*series(&found, "x").last().expect("rows") > 155.0, "{name}, {v} km/h: not through");
            let (side, ahead) = (series(&found, "chassis.u2"), series(&found, "chassis.u1"));
            slips.push(side.iter().zip(&ahead).fold(0.0_f64, |m, (s, a)| m.max((s / a).abs())));
        }
    }
    // The softer tyre of Fiala, 50 kN per angle, needs more slip than that of the magic formula, 120 kN.
    assert!(slips[0] > slips[2] && slips[1] > slips[3], "{slips:?}");
}

/// Relaxation of the tyres and the spring of the pinion make the steering shimmy; the damping of the model
/// lets what is left behind the lanes fade, an eighth of it does not.
#[test]
fn the_pinion_damps_the_shimmy_of_the_hmmwv() {
    let text = fs::read_to_string(root().join("models/hmmwv.mbs")).expect("the model");
    let text = text.replace("simulate { to = 3 [s], every = 0.01 [s] }\n", "");
    let choices = expand::Settings {
        constants: vec![("driven".to_owned(), "1".to_owned())],
        fillings: vec![("*.contact".to_owned(), "tyre(law = fiala)".to_owned())],
    };
    let model = made(&text, &choices);
    // How far the rack moves within two seconds, early and late on the straight road behind the lanes.
    let spread = |damping: f64| {
        let found = run(&model, &[("v", 80.0 / 3.6), ("c_rack", damping)]);
        let (times, shift) = (found.times(), series(&found, "shift"));
        [11.0, 18.0].map(|from| {
            let part = times.iter().zip(&shift).filter(|(t, _)| (from..from + 2.0).contains(*t));
            let (low, high) =
                part.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), (_, s)| (l.min(*s), h.max(*s)));
            high - low
        })
    };
    let ([early, late], [_, without]) = (spread(40e3), spread(5e3));
    assert!(late < 0.5 * early, "{early} m, then {late} m");
    assert!(without > 10.0 * late, "{without} m with an eighth of the damping, else {late} m");
}

/// At rest the tyres carry the weight, shared by the levers of the axles; left and right differ by the pitman arm alone.
#[test]
fn the_linkage_car_rests_on_its_wheels() {
    let text = model_text("hmmwv-linkage.mbs").replace("to = 12 [s]", "to = 3 [s]");
    let found = run(&made(&text, &expand::Settings::default()), &[("v", 0.0), ("attention", 0.0)]);
    let last = |name: &str| *series(&found, name).last().expect("rows");
    let loads = WHEELS.map(|w| last(&format!("load_{w}")));
    let corner = |axle: f64, lower: f64, upper: f64, wheel: f64| {
        [(23.965, axle + lower), (5.813, axle + upper), (19.45 + 71.105, axle + wheel)]
    };
    let front = corner(1.688965, 0.0, -0.106, -0.04);
    let rear = corner(-1.688965, 0.0, 0.124, 0.036);
    let mut parts = vec![(2086.52, 0.056), (1.605, 1.3057), (3.681, 1.3673)];
    (0..2).for_each(|_| parts.extend(front.iter().chain(&rear)));
    let mass: f64 = parts.iter().map(|(m, _)| m).sum();
    let middle = parts.iter().map(|(m, x)| m * x).sum::<f64>() / mass;
    let sum: f64 = loads.iter().sum();
    assert!((sum / (mass * 9.81) - 1.0).abs() < 1e-5, "{sum} N for {} kg", mass);
    // The ten-body model, whose arms have no mass, has 6327 N and 5904 N (77 kg less).
    let share = mass * 9.81 / 2.0 * (middle + 1.652965) / (1.648965 + 1.652965);
    assert!((loads[0] / share - 1.0).abs() < 5e-3, "{} N for {share} N", loads[0]);
    // The pitman arm stands on the left: 1.605 kg, 0.249 m from the middle, on a track of 1.82 m.
    let lean = 2.0 * 1.605 * 9.81 * 0.249 / 1.82;
    let left = loads[0] + loads[2] - loads[1] - loads[3];
    assert!((left - lean).abs() < 1.0, "{left} N for {lean} N: {loads:?}");
}

/// The HMMWV, 2.16 m wide, through the double lane change at 60 km/h.
#[test]
fn the_driver_keeps_the_linkage_car_between_the_cones() {
    let found = run(&made(&model_text("hmmwv-linkage.mbs"), &expand::Settings::default()), &[]);
    let least = distance_from_cones(&found, "", double_lane_change(2.16), [2.16, 1.9, 2.4]);
    assert!(least > 0.0, "{least} m");
}
