//! Assembly: exact values stay, guesses move last, every branch of a four-bar linkage is found, and the same solver reaches targets.

use cardan::analysis::{Study, orient, reach};
use cardan::assembly::{AssemblyError, Branches, ConstraintError, How, assembled, branches};
use cardan::model::Model;
use cardan::sim::{Frames, Pose};
use cardan_testkit::Random;

fn model(text: &str) -> Model {
    cardan::resolve(cardan::parse("assembly.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}"))
}

fn library(name: &str) -> Model {
    let path = format!("{}/../../models/{name}.mbs", env!("CARGO_MANIFEST_DIR"));
    model(&std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}")))
}

/// Crank l[0], coupler l[1], rocker l[2], ground l[3] along x; relative angles a, b and the rocker's angle c.
fn four_bar(l: [f64; 4], start: &str) -> Model {
    let data = "mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]";
    let [crank, coupler, rocker, ground] = l;
    model(&format!(
        "body crank on N by revolute(z, q = a) {{ {data}; point tip = ({crank}, 0, 0) [m] }}
body coupler on crank by revolute(z, q = b) at crank.tip {{ {data}; point tip = ({coupler}, 0, 0) [m] }}
body rocker on N by revolute(z, q = c) at ({ground}, 0, 0) [m] {{ {data}; point tip = ({rocker}, 0, 0) [m] }}
joint pin = revolute(coupler.tip, rocker.tip, axis = z)
start {{ {start} }}\n"
    ))
}

fn all(model: &Model) -> Branches {
    branches(model, 300).unwrap_or_else(|e| panic!("{e}")).expect("there is a loop")
}

/// The angles of the rocker by the law of cosines; none where coupler and rocker do not reach each other.
fn rocker_angles([crank, coupler, rocker, ground]: [f64; 4], a: f64) -> Vec<f64> {
    let (x, y) = (crank * a.cos() - ground, crank * a.sin());
    let d = x.hypot(y);
    let cosine = (rocker * rocker + d * d - coupler * coupler) / (2.0 * rocker * d);
    let to_crank = y.atan2(x);
    if cosine.abs() >= 1.0 { vec![] } else { vec![to_crank + cosine.acos(), to_crank - cosine.acos()] }
}

fn turns_apart(a: f64, b: f64) -> f64 {
    (a - b).sin().abs().max(((a - b).cos() - 1.0).abs())
}

#[test]
fn the_branches_of_four_bar_linkages_are_those_of_the_law_of_cosines() {
    let mut random = Random::new(7);
    let (mut closing, mut open) = (0, 0);
    for _ in 0..60 {
        let l = [(); 4].map(|()| random.between(0.3, 1.5));
        let a = random.between(-3.0, 3.0);
        let wanted = rocker_angles(l, a);
        let m = four_bar(l, &format!("a = {a}"));
        if wanted.is_empty() {
            let error = branches(&m, 50).expect_err("coupler and rocker do not reach each other");
            assert!(matches!(error, ConstraintError::Assembly(AssemblyError::Open(_))), "{error}");
            open += 1;
            continue;
        }
        closing += 1;
        let found = all(&m);
        assert_eq!((found.held.as_slice(), found.list.len()), (&[0][..], 2), "{l:?} at {a}");
        assert_eq!(found.list[0].sign * found.list[1].sign, -1, "the two senses of the loop");
        for branch in &found.list {
            assert_eq!(branch.coordinates[0], a, "what is given stays, to the last bit");
            assert!(wanted.iter().any(|c| turns_apart(*c, branch.coordinates[2]) < 1e-9), "{l:?} {branch:?}");
        }
    }
    assert!(closing > 20 && open > 5, "{closing} close and {open} do not");
}

#[test]
fn branches_of_the_library_and_the_choice_of_one() {
    let crank = library("slider-crank");
    let found = all(&crank);
    let s: Vec<f64> = found.list.iter().map(|b| b.coordinates[2]).collect();
    assert_eq!(s.len(), 2, "{found:?}");
    assert!(s.iter().any(|s| (s - 0.2).abs() < 1e-9) && s.iter().any(|s| (s + 0.1).abs() < 1e-9), "{s:?}");

    let mut four = library("four-bar");
    let found = all(&four);
    assert_eq!(found.list.len(), 2);
    let other = &found.list[1 - found.start];
    let starts = found.starts(&four, 1 - found.start);
    four.guess_coordinates(starts);
    let start = assembled(&four).expect("it closes").expect("there is a loop");
    assert_eq!(start.iterations, 0, "the branch is closed already");
    assert_eq!(start.state[..other.coordinates.len()], other.coordinates);
    assert_eq!(all(&four).start, 1 - found.start);

    let found = all(&library("squeezer"));
    assert_eq!(found.held.len(), 1);
    // Three dyads, of which the first has but one side from which the others reach A.
    assert_eq!(found.list.len(), 4, "{found:?}");
    assert!(found.list.iter().all(|b| b.residual < 1e-9));
}

#[test]
fn values_stay_and_guesses_move_last() {
    let l = [1.0, 2.0, 1.5, 2.0];
    // The guess for the rocker chooses the branch; the crank stays where it is.
    for c in rocker_angles(l, 1.0) {
        let start = assembled(&four_bar(l, &format!("a = 1; c ~ {}", c + 0.1))).unwrap().unwrap();
        let how: Vec<How> = start.placed[..3].iter().map(|p| p.how).collect();
        assert_eq!((how.as_slice(), start.state[0]), (&[How::Given, How::Found, How::Moved][..], 1.0));
        assert!(turns_apart(start.state[2], c) < 1e-9, "{start:?}");
    }
    // A guess that can be kept is kept.
    let start = assembled(&four_bar(l, "a ~ 1")).unwrap().unwrap();
    assert_eq!((start.placed[0].how, start.state[0]), (How::Kept, 1.0));
    // Speeds likewise.
    let start = assembled(&four_bar(l, "a = 1; der(a) ~ 3 [rad/s]; der(c) = 2 [rad/s]")).unwrap().unwrap();
    assert_eq!((start.placed[5].how, start.state[5]), (How::Given, 2.0));
    assert_eq!(start.placed[3].how, How::Moved);
    assert!(start.velocity_residual < 1e-12);
}

/// Coordinates whose rates are no speeds stay, too: Euler angles with speeds in the body.
#[test]
fn angles_of_a_body_with_its_own_speeds_stay_where_they_are_given() {
    let text = "body plate on N by free(rotate = xyz, q = (x, y, z, r1, r2, r3), speeds = body) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; point p = (1, 0.5, 0.2) [m] }
joint ball = spherical(plate.p, N(0.3, 0.2, 0.1) [m])
start { r1 = 0.4; r2 = -0.3; r3 = 1.1; x = 0.7 [m] }\n";
    let error = assembled(&model(text)).unwrap_err();
    assert!(
        matches!(&error, ConstraintError::Assembly(AssemblyError::Open(open)) if !open.held.is_empty()),
        "{error}"
    );
    let start = assembled(&model(&text.replace("; x = 0.7 [m]", ""))).unwrap().unwrap();
    assert_eq!(start.state[3..6], [0.4, -0.3, 1.1]);
    assert!(start.residual < 1e-12);
    let start = assembled(&model(&text.replace("r3 = 1.1; x", "r3 ~ 1.1; x"))).unwrap().unwrap();
    assert_eq!((start.state[3], start.state[4], start.state[0]), (0.4, -0.3, 0.7));
}

/// A ball in a bowl, its height guessed badly: Euler parameters stay where they are given, and where nobody said anything about them, because
/// the attitude has nothing to do with the contact.
#[test]
fn euler_parameters_stay_where_the_contact_does_not_feel_them() {
    let text = "function bowl(x [m], y [m]) [m] = 2 - sqrt(4 - x^2 - y^2)
body b on N by free(rotate = euler_parameters) { mass = 1.5 [kg]; inertia = (0.024, 0.024, 0.024) [kg*m^2] }
joint c = rolling(b.o, N.o, radius = 0.2 [m], road = bowl)
start { b.q1 = 0.5 [m]; b.q2 = 0; b.q3 ~ 0.3 [m]; TURN b.u2 = 0.9 [m/s]; b.u6 = 5 [rad/s]; b.u5 = 0 [rad/s] }\n";
    let given = "b.q4 = 0.6; b.q5 = 0; b.q6 = 0; b.q7 = 0.8;";
    for (turn, attitude) in [(given, [0.6, 0.0, 0.0, 0.8]), ("", [1.0, 0.0, 0.0, 0.0])] {
        let start = assembled(&model(&text.replace("TURN", turn))).unwrap().unwrap();
        assert_eq!(start.state[3..7], attitude, "{turn}");
        // The centre is on a sphere of 1.8 m.
        let [x, y, z] = [start.state[0], start.state[1], start.state[2]];
        assert!((x.hypot(y).hypot(z - 2.0) - 1.8).abs() < 1e-9);
    }
}

/// A rope that is wound up: the drive moves two coordinates together, and leaves a freedom, so that values for one of them stay.
#[test]
fn a_drive_of_several_coordinates_keeps_the_values_of_others() {
    let text = "particle p on N by translate(x = x, y = y) { mass = 2 [kg] }
motion wind on mag(position(N.o, p.o)) = 2 [m] - 0.1 [m/s] * t
start { x = 0.5 [m]; y ~ -1.9 [m]; der(x) = 0.7 [m/s] }\n";
    let start = assembled(&model(text)).unwrap().unwrap();
    let y = -(4.0_f64 - 0.25).sqrt();
    assert_eq!((start.state[0], start.state[2]), (0.5, 0.7));
    // ẋ x + ẏ y = r ṙ
    let rate = (2.0 * -0.1 - 0.5 * 0.7) / y;
    assert!((start.state[1] - y).abs() < 1e-12 && (start.state[3] - rate).abs() < 1e-12, "{start:?}");
    assert!(start.open_speeds.is_empty());
}

#[test]
fn the_gap_is_what_the_bars_lack() {
    // Three bars of 1 m between pivots 4 m apart lack 1 m, whatever the start.
    for start in ["", "a = 0.5", "a ~ 0.5; c ~ 2.5"] {
        let error = assembled(&four_bar([1.0, 1.0, 1.0, 4.0], start)).unwrap_err();
        let ConstraintError::Assembly(AssemblyError::Open(open)) = &error else { panic!("{error}") };
        assert!((open.gap - 1.0).abs() < 1e-6, "{error}");
        assert_eq!((open.row.constraint.as_str(), open.row.unit.as_str()), ("pin", "m"));
        assert_eq!(open.row.through, ["crank", "coupler", "rocker"]);
        assert!(open.held.is_empty(), "{error}");
    }
}

#[test]
fn values_that_fight_are_named_with_what_they_would_have_to_be() {
    let l = [1.0, 1.0, 1.0, 2.0];
    let error = assembled(&four_bar(l, "a = 0.5; b = -1; c ~ 2")).unwrap_err();
    let ConstraintError::Assembly(AssemblyError::Open(open)) = &error else { panic!("{error}") };
    for fight in &open.held {
        let instead = fight.would_be.expect("either of them helps");
        let (a, b) = if fight.name == "a" { (instead, -1.0) } else { (0.5, instead) };
        let start = assembled(&four_bar(l, &format!("a = {a:e}; b = {b:e}; c ~ 2"))).unwrap().unwrap();
        assert_eq!((start.state[0], start.state[1]), (a, b), "{error}");
    }
    let names: Vec<&str> = open.held.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);

    let error = assembled(&four_bar(l, "a = 0.5; der(a) = 1 [rad/s]; der(c) = 5 [rad/s]")).unwrap_err();
    let ConstraintError::Assembly(AssemblyError::Velocity(open)) = &error else { panic!("{error}") };
    assert_eq!(open.held.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["der(a)", "der(c)"]);
}

/// The pose of a body at a state, by the program of the motion.
fn pose(model: &Model, body: &str, coordinates: &[f64]) -> Pose {
    let compiled = cardan::compile_model(model, cardan::Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut study = Study::of(&compiled.choice, &[]).unwrap_or_else(|e| panic!("{e}"));
    let mut y = vec![0.0; study.n_states()];
    y[..coordinates.len()].copy_from_slice(coordinates);
    let mut frames = Frames::default();
    study.picture(0.0, &y, &mut frames).unwrap_or_else(|e| panic!("{e}"));
    let k = model.bodies.iter().position(|(_, b)| b.name == body).expect("the body is there");
    frames.bodies[k][0]
}

fn transposed(r: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| r[j][i]))
}

fn apart(a: &Pose, b: &Pose) -> f64 {
    let places = a.position.iter().zip(&b.position);
    let turns = a.rotation.iter().flatten().zip(b.rotation.iter().flatten());
    places.chain(turns).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

#[test]
fn a_six_axis_arm_brings_its_hand_to_places_and_attitudes() {
    let arm = library("six-axis-arm");
    let mut random = Random::new(3);
    for _ in 0..6 {
        let q: Vec<f64> = (0..6).map(|_| random.between(-1.5, 1.5)).collect();
        let wanted = pose(&arm, "wrist3", &q);
        let mut aimed = arm.clone();
        let target = reach(&aimed, "wrist3", [0.0; 3], wanted.position).unwrap();
        aimed.add_target(target);
        let target = orient(&aimed, "wrist3", transposed(wanted.rotation)).unwrap();
        aimed.add_target(target);
        let found = assembled(&aimed).unwrap_or_else(|e| panic!("{q:?}: {e}")).unwrap();
        let got = pose(&arm, "wrist3", &found.state[..6]);
        assert!(apart(&got, &wanted) < 1e-10, "{q:?}: {got:?} instead of {wanted:?}");
    }
    let mut far = arm.clone();
    let target = reach(&far, "wrist3", [0.0; 3], [3.0, 0.0, 0.0]).unwrap();
    far.add_target(target);
    assert!(assembled(&far).is_err(), "nobody reaches so far");
}

#[test]
fn the_legs_of_a_stewart_platform_are_as_long_as_its_pose_asks() {
    let mut platform = library("stewart-platform");
    platform.release_motions();
    let (place, roll, yaw) = ([0.1, -0.05, 1.5], 0.15_f64, 0.2_f64);
    let (cr, sr, cy, sy) = (roll.cos(), roll.sin(), yaw.cos(), yaw.sin());
    // First about x, then about the new z; columns are the axes of the platform.
    let r = [[cy, -sy, 0.0], [cr * sy, cr * cy, -sr], [sr * sy, sr * cy, cr]];
    let target = reach(&platform, "platform", [0.0; 3], place).unwrap();
    platform.add_target(target);
    let target = orient(&platform, "platform", transposed(r)).unwrap();
    platform.add_target(target);
    let found = assembled(&platform).unwrap_or_else(|e| panic!("{e}")).unwrap();
    let value = |name: &str| found.placed.iter().find(|p| p.name == name).expect("it is there").value;
    assert!((value("r1") - roll).abs() < 1e-10 && (value("r3") - yaw).abs() < 1e-10);
    let ground = [348.0_f64, 12.0, 108.0, 132.0, 228.0, 252.0];
    let top = [312.0_f64, 48.0, 72.0, 168.0, 192.0, 288.0];
    for k in 0..6 {
        let (g, p) = (ground[k].to_radians(), top[k].to_radians());
        let p = [0.8 * p.cos(), 0.8 * p.sin(), 0.0];
        let g = [1.2 * g.cos(), 1.2 * g.sin(), 0.0];
        let along = |i: usize| place[i] + (0..3).map(|j| r[i][j] * p[j]).sum::<f64>() - g[i];
        let length = (0..3).map(|i| along(i).powi(2)).sum::<f64>().sqrt();
        assert!((value(&format!("leg[{}].s", k + 1)).abs() - length).abs() < 1e-10, "leg {}", k + 1);
    }
}

/// The accelerations at the start of a pendulum, and of a driven mechanism by differences.
#[test]
fn accelerations_at_the_start_are_told() {
    let text = "gravity = -9.81 [m/s^2] * N.y
particle bob on N by revolute(z, q = a) { mass = 2 [kg]; center = (0.5, 0, 0) [m] }
start { a = 0.3 }
simulate { to = 0.1 [s] }\n";
    let run = cardan::run("p.mbs", text).unwrap_or_else(|e| panic!("{e}"));
    let wanted = -9.81 / 0.5 * 0.3_f64.cos();
    assert!((run.trajectory.beginning.accelerations[0] - wanted).abs() < 1e-12);
    assert!(run.trajectory.beginning.assembly.is_none());
}

/// A weld whose body is guessed exactly half a turn away closes all the same, and not turned over.
#[test]
fn a_weld_is_never_closed_turned_over() {
    let bodies = "body a on N by revolute(x, q = qa) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; point P = (1, 0, 0) [m] }
        body b on N by free(rotate = zyx, q = (x, y, z, r3, r2, r1)) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
        output xx = dot(a.x, b.x), yy = dot(a.y, b.y), zz = dot(a.z, b.z), xy = dot(a.x, b.y)
        simulate { to = 0.1 [s] }\n";
    for guess in [
        "r3 ~ 180 [deg]",
        "r1 ~ 180 [deg]",
        "r2 ~ 180 [deg]",
        "r1 ~ 120 [deg]",
        "r1 ~ 170 [deg]; r3 ~ 20 [deg]",
    ] {
        for (weld, [xx, zz]) in
            [("fixed(a.P, b.o)", [1.0, 1.0]), ("fixed(a.P, b.o, angles = (0, 0, 90) [deg])", [0.0, 1.0])]
        {
            let text = format!("{bodies}joint w = {weld}\nstart {{ qa = 0; {guess} }}");
            let motion =
                cardan::run("weld.mbs", &text).unwrap_or_else(|e| panic!("{guess}, {weld}: {e}")).trajectory;
            assert_eq!(motion.ending, cardan::sim::Ending::Finished, "{guess}, {weld}: {}", motion.reason);
            for row in motion.rows.iter() {
                let at =
                    |name: &str| row[motion.columns.iter().position(|c| c.name == name).expect("a column")];
                assert!(
                    (at("xx") - xx).abs() < 1e-9 && (at("zz") - zz).abs() < 1e-9,
                    "{guess}, {weld}: {row:?}"
                );
            }
        }
    }
}

/// A guess that nearly closes a loop yields all the way: what it left open would be closed by the values that were given.
#[test]
fn a_guess_that_is_nearly_right_leaves_given_values_alone() {
    let rod = |start: &str| {
        let text = format!(
            "gravity = -9.81 [m/s^2] * N.z
particle p on N by translate(x = x, z = z) {{ mass = 1 [kg] }}
joint rod = distance(N.o, p.o, length = 1 [m])
start {{ {start} }}
simulate {{ to = 0.1 [s], every = 0.1 [s] }}
"
        );
        let run = cardan::run("rod.mbs", &text).unwrap_or_else(|e| panic!("{e}")).trajectory;
        ["x", "z", "der(x)", "der(z)"].map(|name| run.series(name).expect("a column")[0])
    };
    for off in [5e-10, -3e-10, 1e-11, 9e-10] {
        let [x, z, ..] = rod(&format!("x = 0.6 [m]; z ~ {} [m]", -0.8 + off));
        assert!(x == 0.6 && (z + 0.8).abs() < 1e-15, "{x} {z}");
        let [x, _, along, down] =
            rod(&format!("x = 0.6 [m]; z ~ -0.8 [m]; der(x) = 4 [m/s]; der(z) ~ {} [m/s]", 3.0 + off));
        assert!(x == 0.6 && along == 4.0 && (down - 3.0).abs() < 1e-14, "{along} {down}");
    }
}

/// A track that leaves a plane by less than a digit holds nothing in it: the speed that was given stays, and where the track turns aside the
/// two are told to part.
#[test]
fn a_track_in_a_plane_by_all_digits_does_not_stop_a_car() {
    let beside: Vec<String> = (0..=40)
        .map(|k| {
            format!(
                "{}: {}",
                2 * k,
                if k < 30 { "0".into() } else { format!("{}", 0.001 * f64::from(k - 29)) }
            )
        })
        .collect();
    let along: Vec<String> = (0..=40).map(|k| format!("{0}: {0}", 2 * k)).collect();
    let text = format!(
        "table along(s [m]) [m] = spline {{ {} }}
table beside(s [m]) [m] = spline {{ {} }}
particle car on N by translate(x = x, y = y, z = z) {{ mass = 1 [kg] }}
joint track = on_curve(N.o, car.o, x = along, y = beside, z = beside, q = s)
start {{ s = 11 [m]; der(s) = 3 [m/s] }}
simulate {{ to = 4 [s], every = 0.1 [s] }}
lock y, z
",
        along.join(", "),
        beside.join(", ")
    );
    let run = cardan::run("track.mbs", &text).unwrap_or_else(|e| panic!("{e}")).trajectory;
    let (s, rate) = (run.series("s").expect("a column"), run.series("der(s)").expect("a column"));
    assert!(s[0] == 11.0 && rate[0] == 3.0, "{} {}", s[0], rate[0]);
    assert!((s[s.len() - 1] - 23.0).abs() < 1e-9, "{}", s[s.len() - 1]);
    let farther = text.replace("to = 4 [s]", "to = 40 [s]");
    let run = cardan::run("track.mbs", &farther).unwrap_or_else(|e| panic!("{e}")).trajectory;
    assert!(run.parting.is_some() && run.reached > 10.0, "{} {}", run.reached, run.reason);
}
