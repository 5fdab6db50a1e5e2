//! Vehicles: tyre curves against the reference tables where they are present, the passenger car against the closed forms of the single-track
//! car, its handling from a motion and from its linear equations, the double lane change between its cones, the HMMWV at rest.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use cardan::analysis::{LinearOptions, Study, linearize};
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
    let mut nothing = |_: &str, _: &str| -> Result<Found, Refusal> { Err(Refusal::Missing) };
    let flat = expand_with(parse("vehicle.mbs", text), choices, &mut nothing);
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

// ---------------------------------------------------------------------------------------------------- the single-track car

const WHEELS: [&str; 4] = ["fl", "fr", "rl", "rr"];

/// The passenger car without heave, pitch and roll, on tyres whose side force goes with the slip and which do not brake or drive.
fn single_track() -> Model {
    let text =
        model_text("passenger-car.mbs").replace("rtol = 1e-6, atol = 1e-8", "rtol = 1e-11, atol = 1e-15");
    let text = text + "lock z, pitch, roll, fl.travel, fr.travel, rl.travel, rr.travel, delta\n";
    let tyre =
        "linear_tyre(cornering_stiffness = 80 [kN], longitudinal_stiffness = 1 [mN], free_radius = 0.3 [m])";
    let constants = WHEELS.map(|w| (format!("tyre_{w}.relaxed"), "0".to_owned())).to_vec();
    let mut model =
        made(&text, &expand::Settings { constants, fillings: vec![("*.law".to_owned(), tyre.to_owned())] });
    model.set_value("drag", 0.0, None).expect("a parameter");
    for wheel in WHEELS {
        model.set_value(&format!("tyre_{wheel}.standing"), 1e-6, None).expect("a parameter");
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
        study.set("v", v).expect("a parameter");
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
        let found = run(&model, &[("v", v), ("delta", 2e-5)]);
        let (times, yaw, yaw_rate) = (found.times(), series(&found, "yaw"), series(&found, "der(yaw)"));
        let (vx, vy, ay) = (series(&found, "der(x)"), series(&found, "der(y)"), series(&found, "lateral"));
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

// -------------------------------------------------------------------------------------------------------- the passenger car

/// The understeer gradient from a steady circle (ISO 4138, constant speed, small lateral acceleration) is that of the linear equations. The stiffness of
/// TMeasy falls with the slip from the start, and the gradient is a difference of two compliances: the acceleration has to be small.
#[test]
fn the_understeer_gradient_of_a_circle_is_that_of_the_linear_car() {
    let text = model_text("passenger-car.mbs").replace("to = 8 [s]", "to = 12 [s]");
    let mut model = made(
        &text.replace("rtol = 1e-6, atol = 1e-8", "rtol = 1e-9, atol = 1e-13"),
        &expand::Settings::default(),
    );
    let (v, wheelbase) = (20.0, 2.68);
    let rolling = WHEELS.map(|w| (format!("tyre_{w}.law.rolling_resistance"), 0.0));
    for (name, value) in
        rolling.iter().map(|(n, x)| (n.as_str(), *x)).chain([("attention", 0.0), ("drag", 0.0), ("v", v)])
    {
        model.set_value(name, value, None).unwrap_or_else(|e| panic!("{e}"));
    }
    let gradient = |delta: f64, rate: f64| (delta - wheelbase * rate / v) / (v * rate);
    let found = run(&model, &[("robot.amplitude", 0.004_f64.to_radians())]);
    let last = |name: &str| *series(&found, name).last().expect("rows");
    let by_motion = gradient(last("delta"), last("der(yaw)"));

    let chosen = choose(&model, None).expect("it can be derived");
    let mut study = Study::of(&chosen, &["robot.amplitude".to_owned()]).expect("it can be asked");
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
    let by_equations = gradient(x[place("delta")], x[place("der(yaw)")]);
    assert!(by_equations > 0.0, "it understeers");
    assert!(
        (by_motion / by_equations - 1.0).abs() < 0.02,
        "{by_motion} by motion, {by_equations} by equations"
    );
}

/// How far the corners of the body stay from the cones of ISO 3888-1; negative if one falls. The first lane begins at 30 m.
fn distance_from_cones(found: &Trajectory, width: f64, ahead: f64, behind: f64) -> f64 {
    let half = |factor: f64| (factor * width + 0.25) / 2.0;
    let lanes = [(0.0, 15.0, 0.0, half(1.1)), (45.0, 70.0, 3.5, half(1.2)), (95.0, 125.0, 0.0, half(1.3))];
    let (x, y, yaw) = (series(found, "x"), series(found, "y"), series(found, "yaw"));
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
            let found = run(&model, &[("v", v / 3.6)]);
            let least = distance_from_cones(&found, 1.8, 1.9, 2.4);
            assert!(least > 0.0, "{v} km/h: {least} m");
            assert!(*series(&found, "x").last().expect("rows") > 125.0, "{v} km/h: it has not passed");
            peaks.push(series(&found, "sideslip").into_iter().fold(0.0_f64, |m, s| m.max(s.abs())));
        }
    }
    // Tyres of other stiffness give another sideslip, by more than rounding and by less than an order.
    assert!(
        (peaks[1] / peaks[3] - 1.0).abs() > 0.02 && (0.1..10.0).contains(&(peaks[1] / peaks[3])),
        "{peaks:?}"
    );
}

// ---------------------------------------------------------------------------------------------------------------- the HMMWV

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
    let least = distance_from_cones(&found, 2.16, 1.9, 2.4);
    assert!(least > 0.0, "{least} m");
}
