//! Writes `report.html`, pages of sweeps and `angles.svg` for a made-up motion into the folder given as the first argument.
//!
//! The motion is that of a double pendulum whose angles are given functions of time, so that the page can be tried
//! without a simulator. The kind of demonstration is the second argument: `demo` (default), `empty`, `still`, `shapes`,
//! `large`, `far`, `modes` or `travel`.

use std::f64::consts::PI;
use std::path::Path;

use cardan_viewer::{
    BodyOutline, BodyTrack, Chapter, Chapters, Curve, Energy, EnergyKind, EnergyRow, EquationBlock, Grade,
    JointAxis, JointMotion, Level, Link, LinkKind, Notice, Parameter, Plot, Pose, Report, Scene, Series,
    Shape, Solid, SweepReport, SweepResult, Table, Trace, Verdict, dress, render_page, render_sweep,
    svg_plot,
};

const MODEL: &str = r#"model double_pendulum "Two rods, a spring and a heavy bob"

parameter L1 = 1.0 [m]   "Length of the upper rod"
parameter L2 = 0.7 [m]   "Length of the lower rod"
gravity = -9.81 [m/s^2] * N.z

body upper "Upper rod" on N by rotate(y = q1) {
  mass = 1.2 [kg];  inertia = (0.1, 0.1, 1e-3) [kg*m^2];  center = (0, 0, -L1/2)
  point tip = (0, 0, -L1)
}
body lower "Lower rod with bob" on upper by rotate(y = q2) at upper.tip {
  mass = 0.8 [kg];  center = (0, 0, -L2)      # </script> is only text here
}
spring guy between N(1.3, 0, -0.2) [m] and upper.tip { stiffness = 40 [N/m], length = 0.9 [m] }

start { q1 = 50 [deg];  q2 = 30 [deg] }
simulate { to = 10 [s], every = 0.01 [s] }
"#;

const MATRIX: &str = r#"<math display="block"><mrow><mi>M</mi><mo>=</mo><mtable class="matrix">
<mtr><mtd><mrow><msub><mi>I</mi><mn>1</mn></msub><mo>+</mo><msub><mi>m</mi><mn>2</mn></msub><msubsup><mi>L</mi><mn>1</mn><mn>2</mn></msubsup></mrow></mtd>
<mtd><mrow><msub><mi>m</mi><mn>2</mn></msub><msub><mi>L</mi><mn>1</mn></msub><msub><mi>L</mi><mn>2</mn></msub><mi>cos</mi><mo>(</mo><msub><mi>q</mi><mn>1</mn></msub><mo>−</mo><msub><mi>q</mi><mn>2</mn></msub><mo>)</mo></mrow></mtd></mtr>
<mtr><mtd><mrow><msub><mi>m</mi><mn>2</mn></msub><msub><mi>L</mi><mn>1</mn></msub><msub><mi>L</mi><mn>2</mn></msub><mi>cos</mi><mo>(</mo><msub><mi>q</mi><mn>1</mn></msub><mo>−</mo><msub><mi>q</mi><mn>2</mn></msub><mo>)</mo></mrow></mtd>
<mtd><mrow><msub><mi>m</mi><mn>2</mn></msub><msubsup><mi>L</mi><mn>2</mn><mn>2</mn></msubsup></mrow></mtd></mtr></mtable></mrow></math>"#;

const RATES: &str = r#"<math display="block"><mrow><msup><mover accent="true"><mi>th</mi><mo>˙</mo></mover><mn>2</mn></msup><mo>+</mo><mi>th</mi></mrow></math>"#;

const LENGTHS: (f64, f64) = (1.0, 0.7);

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| "results".into());
    let report = match arguments.next().as_deref() {
        Some("empty") => Report { title: "Nothing".into(), ..Report::default() },
        Some("still") => still(),
        Some("shapes") => shapes(),
        Some("large") => large(),
        Some("far") => far(),
        Some("modes") => modes(),
        Some("travel") => travel(),
        _ => demo(),
    };
    std::fs::create_dir_all(&folder)?;
    for n in 1..=3 {
        std::fs::write(Path::new(&folder).join(format!("sweep-{n}.html")), render_sweep(&sweep(n)))?;
    }
    std::fs::write(Path::new(&folder).join("report.html"), render_page(&report))?;
    let curve = |s: &Series| Curve::line(s.name.clone(), report.time.clone(), s.values.clone());
    let plot = Plot {
        title: report.title.clone(),
        y_label: "angle".into(),
        y_unit: "rad".into(),
        curves: report.series.iter().take(2).map(curve).collect(),
        ..Plot::default()
    };
    std::fs::write(Path::new(&folder).join("angles.svg"), svg_plot(&plot))
}

/// Angles of both rods from the downward vertical.
fn angles(t: f64) -> [f64; 2] {
    let fade = (-0.06 * t).exp();
    let slow = fade * (2.9 * t).cos();
    let fast = fade * (6.4 * t + 0.4).cos();
    [0.75 * slow + 0.13 * fast, 0.95 * slow - 0.62 * fast]
}

/// Rates of both angles by central differences.
fn rates(t: f64) -> [f64; 2] {
    let (a, b) = (angles(t - 1e-5), angles(t + 1e-5));
    [(b[0] - a[0]) / 2e-5, (b[1] - a[1]) / 2e-5]
}

fn below(p: [f64; 3], angle: f64, length: f64) -> [f64; 3] {
    [p[0] + length * angle.sin(), p[1], p[2] - length * angle.cos()]
}

/// Rotation by `-angle` about y, which swings a hanging rod towards +x.
fn swing(angle: f64) -> [f64; 4] {
    [(angle / 2.0).cos(), 0.0, -(angle / 2.0).sin(), 0.0]
}

fn scene(time: &[f64]) -> Scene {
    let tip = |t: &f64| below([0.0; 3], angles(*t)[0], LENGTHS.0);
    let bob = |t: &f64| below(tip(t), angles(*t)[1], LENGTHS.1);
    let body = |name: &str, description: &str| BodyTrack {
        name: name.into(),
        description: description.into(),
        ..BodyTrack::default()
    };
    let ceiling = BodyTrack {
        shapes: vec![
            Shape::new(Solid::Box { size: [0.5, 0.3, 0.05] }, Pose::at([0.0, 0.0, 0.08])).colored("#8a93a3"),
        ],
        ..body("ceiling", "Fixed in N")
    };
    let upper = BodyTrack {
        positions: vec![[0.0; 3]],
        quaternions: time.iter().map(|t| swing(angles(*t)[0])).collect(),
        ..body("upper", "Upper rod")
    };
    let lower = BodyTrack {
        positions: time.iter().map(tip).collect(),
        facts: vec![("mass".into(), "0.8 kg".into()), ("joint".into(), "revolute on upper <i>".into())],
        quaternions: time.iter().map(|t| swing(angles(*t)[1])).collect(),
        ..body("lower", "Lower rod with bob <b>")
    };
    let hinge = JointAxis { direction: [0.0, 1.0, 0.0], motion: JointMotion::Rotation };
    let rod = |length: f64, children: bool| BodyOutline {
        mass_center: Some([0.0, 0.0, if children { -length / 2.0 } else { -length }]),
        joint_points: if children { vec![[0.0, 0.0, -length]] } else { Vec::new() },
        joint_axes: vec![hinge],
        ..BodyOutline::default()
    };
    let spring = Link {
        name: "guy".into(),
        description: "Spring, 40 N/m".into(),
        kind: LinkKind::Spring,
        from: vec![[1.3, 0.0, -0.2]],
        to: time.iter().map(tip).collect(),
        ..Link::default()
    };
    let weight = Link {
        name: "weight".into(),
        kind: LinkKind::Force,
        from: time.iter().map(bob).collect(),
        to: time.iter().map(|t| below(bob(t), 0.0, 0.3)).collect(),
        ..Link::default()
    };
    let path = Trace { name: "bob".into(), points: time.iter().map(bob).collect(), ..Trace::default() };
    let mut scene = Scene {
        times: time.to_vec(),
        bodies: vec![ceiling, upper, lower],
        links: vec![spring, weight],
        traces: vec![path],
        ..Scene::default()
    };
    dress(&mut scene, &[BodyOutline::default(), rod(LENGTHS.0, true), rod(LENGTHS.1, false)]);
    scene
}

fn series(name: &str, unit: &str, group: &str, description: &str, values: Vec<f64>) -> Series {
    Series {
        name: name.into(),
        unit: unit.into(),
        group: group.into(),
        description: description.into(),
        values,
        ..Series::default()
    }
}

fn energy(time: &[f64]) -> Energy {
    let kinetic: Vec<f64> = time.iter().map(|t| 0.5 * rates(*t).iter().map(|u| u * u).sum::<f64>()).collect();
    let drag: Vec<f64> = time.iter().map(|t| -3.2 * (1.0 - (-0.12 * t).exp())).collect();
    let first = kinetic.first().copied().unwrap_or(0.0);
    let level: Vec<f64> = drag.iter().map(|w| 7.0 + first + w).collect();
    let rest =
        |share: f64| -> Vec<f64> { level.iter().zip(&kinetic).map(|(e, k)| share * (e - k)).collect() };
    let row = |name: &str, kind, values| EnergyRow { name: name.into(), kind, values };
    Energy {
        rows: vec![
            row("kinetic", EnergyKind::Kinetic, kinetic.clone()),
            row("gravity", EnergyKind::Potential, rest(0.8).iter().map(|v| v - 20.0).collect()),
            row("guy", EnergyKind::Potential, rest(0.2)),
            row("drag", EnergyKind::Work, drag),
        ],
        residual: time.iter().map(|t| 4e-9 * t * (1.0 + (17.0 * t).sin())).collect(),
        verdict: Some(Verdict {
            grade: Grade::Good,
            relative: 3.8e-9,
            words: "The energy is accounted for: 80 nJ of 21 J that moved are unexplained.".into(),
        }),
        ..Energy::default()
    }
}

fn demo() -> Report {
    let time: Vec<f64> = (0..=1000).map(|i| i as f64 * 0.01).collect();
    let of = |f: &dyn Fn(f64) -> f64| time.iter().map(|t| f(*t)).collect::<Vec<_>>();
    let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
    Report {
        title: "double_pendulum".into(),
        description: "Two rods, a spring and a heavy bob".into(),
        generated_by: "demonstration of cardan-viewer".into(),
        drawing: String::new(),
        results: vec![pair("q1 at t = 10 s", "−0.31 rad"), pair("q2 at t = 10 s", "0.12 rad")],
        summary: vec![
            pair("bodies", "2"),
            pair("degrees of freedom", "2"),
            pair("", "no joint repeats another"),
            pair("formalism", "recursive"),
            pair("operations", "41 mul, 28 add, 2 div, 4 functions"),
            pair("integrator", "explicit Runge-Kutta, order 8"),
            pair("steps", "412 taken, 3 rejected"),
            pair("stop", "end time reached at 10 s"),
        ],
        warnings: vec![
            Notice {
                level: Level::Warning,
                code: "M031".into(),
                message: "the inertia of lower is zero about its axis".into(),
                detail:
                    "  = note: the joint does not turn about that axis; motion is unaffected.\n  = help: \
                         add `inertia.zz`"
                        .into(),
                line: Some(11),
            },
            Notice {
                level: Level::Note,
                message: "the spring guy pushes as well as pulls".into(),
                ..Notice::default()
            },
        ],
        series: vec![
            series("q1", "rad", "Angles", "Angle of the upper rod", of(&|t| angles(t)[0])),
            series("q2", "rad", "Angles", "Angle of the lower rod", of(&|t| angles(t)[1])),
            series("u1", "rad/s", "Angular speeds", "Rate of q1", of(&|t| rates(t)[0])),
            series("u2", "rad/s", "Angular speeds", "Rate of q2", of(&|t| rates(t)[1])),
            series("guy.force", "N", "Forces", "Pull of the spring", of(&|t| 12.0 * (3.0 * t).sin())),
            series("hinge.x", "N", "Forces", "Reaction", of(&|t| 20.0 + 9.0 * (6.0 * t).cos())),
            series(
                "bob.height",
                "m",
                "Outputs",
                "Height of the bob",
                of(&|t| {
                    let [a, b] = angles(t);
                    -LENGTHS.0 * a.cos() - LENGTHS.1 * b.cos()
                }),
            ),
        ],
        scene: scene(&time),
        equations: vec![
            EquationBlock { title: "Mass matrix".into(), html: MATRIX.into() },
            EquationBlock { title: "Rates".into(), html: RATES.into() },
            EquationBlock { title: "State order".into(), html: "<p>q1, q2, u1, u2</p>".into() },
        ],
        model_text: MODEL.into(),
        energy: energy(&time),
        tables: vec![Table {
            title: "Modes".into(),
            note: "About the hanging equilibrium".into(),
            columns: ["mode", "frequency [Hz]", "damping"].map(String::from).to_vec(),
            rows: vec![
                ["1", "0.4615", "0.021"].map(String::from).to_vec(),
                ["2", "1.0186", "0.009"].map(String::from).to_vec(),
            ],
        }],
        time,
        ..Report::default()
    }
}

/// Motions of a pendulum with one, two or three varied values; two of them on a grid.
fn sweep(varied: usize) -> SweepReport {
    let count = if varied == 1 { 16 } else { 96 };
    let places = (0..count).map(|k: usize| match varied {
        1 => [k as f64 / 15.0, 0.5, 0.5],
        2 => [(k % 12) as f64 / 11.0, (k / 12) as f64 / 7.0, 0.5],
        _ => [0.618, 0.755, 0.570].map(|step: f64| (k as f64 * step).fract()),
    });
    let places: Vec<[f64; 3]> = places.collect();
    let swing = |p: &[f64; 3]| (0.3 + p[1]) * (6.0 * (0.5 + p[0])).sin() + 0.1 * p[2];
    let column = |f: &dyn Fn(&[f64; 3]) -> f64| places.iter().map(f).collect::<Vec<f64>>();
    let names = [("L", "m"), ("q", "rad"), ("<b>k", "N/m")];
    let parameter = |(k, (name, unit)): (usize, (&str, &str))| Parameter {
        name: name.into(),
        unit: unit.into(),
        values: column(&|p| 0.5 + p[k]),
    };
    SweepReport {
        title: "swing: sweep".into(),
        generated_by: "demonstration of cardan-viewer".into(),
        summary: vec![("motions".into(), count.to_string())],
        varied: names.into_iter().enumerate().take(varied).map(parameter).collect(),
        quantities: vec![
            SweepResult { name: "still".into(), end: vec![0.0; count], ..SweepResult::default() },
            SweepResult {
                name: "tip.x".into(),
                unit: "m".into(),
                description: "place of the free end".into(),
                end: column(&swing),
                least: column(&|p| -0.4 - p[1]),
                greatest: column(&|p| 0.4 + p[1]),
            },
        ],
        tables: vec![Table {
            title: "What varied".into(),
            columns: vec!["".into(), "least".into()],
            rows: vec![vec!["L".into(), "0.5".into()]],
            ..Table::default()
        }],
        ..SweepReport::default()
    }
}

/// Two modes, one after the other, to choose from.
fn modes() -> Report {
    let chapter = |k: usize, cells: [&str; 3]| Chapter {
        title: format!("Mode {}: {}", k + 1, cells[1]),
        cells: cells.map(String::from).to_vec(),
        from: 5.0 * k as f64,
        to: 5.0 * (k + 1) as f64,
    };
    let chapters = Chapters {
        title: "Modes".into(),
        columns: ["", "in words", "frequency [Hz]"].map(String::from).to_vec(),
        chapters: vec![
            chapter(0, ["1", "both rods swing together", "0.46"]),
            chapter(1, ["2", "rods swing against one another", "1.02"]),
        ],
    };
    Report {
        title: "double_pendulum: modes".into(),
        chapters,
        summary: vec![],
        energy: Energy::default(),
        equations: vec![],
        ..demo()
    }
}

/// A small vehicle on a long way.
fn travel() -> Report {
    let time: Vec<f64> = (0..=600).map(|i| f64::from(i) * 0.02).collect();
    let way = |t: f64| 25.0 * t;
    let wheel = |name: &str, x: f64| BodyTrack {
        name: name.into(),
        facts: vec![("mass".into(), "15 kg".into()), ("joint".into(), "revolute on car".into())],
        shapes: vec![Shape::new(
            Solid::Cylinder { radius: 0.3, length: 0.2 },
            Pose::along([0.0; 3], [0.0, 1.0, 0.0]),
        )],
        positions: time.iter().map(|t| [way(*t) + x, 0.0, 0.3]).collect(),
        quaternions: time.iter().map(|t| swing(-way(*t) / 0.3)).collect(),
        ..BodyTrack::default()
    };
    let car = BodyTrack {
        name: "car".into(),
        facts: vec![("mass".into(), "900 kg".into())],
        shapes: vec![Shape::new(Solid::Box { size: [3.0, 1.4, 0.6] }, Pose::at([0.0, 0.0, 0.3]))],
        positions: time.iter().map(|t| [way(*t), 0.0, 0.4 + 0.05 * (5.0 * t).sin()]).collect(),
        ..BodyTrack::default()
    };
    Report {
        title: "travel".into(),
        series: vec![series("x", "m", "Outputs", "", time.iter().map(|t| way(*t)).collect())],
        scene: Scene {
            times: time.clone(),
            bodies: vec![car, wheel("front", 1.0), wheel("rear", -1.0)],
            ..Scene::default()
        },
        time,
        ..Report::default()
    }
}

/// One frame, and names that look like markup.
fn still() -> Report {
    let name = "<img src=x onerror=alert(1)>";
    Report {
        title: name.into(),
        scene: Scene { up: [0.0, 1.0, 0.0], ..scene(&[0.0]) },
        time: vec![0.0],
        series: vec![series(name, name, name, name, vec![1.0])],
        ..Report::default()
    }
}

/// Every solid and every kind of link, and what a body looks like of which little is known.
fn shapes() -> Report {
    let cube =
        |c: f64| [-c, c].into_iter().flat_map(move |x| [-c, c].map(|y| [x, y, 0.0])).collect::<Vec<_>>();
    let mut vertices = cube(0.25);
    vertices.push([0.0, 0.0, 0.5]);
    let helix = (0..60).map(|k| 0.25 * k as f64).map(|a| [0.2 * a.cos(), 0.2 * a.sin(), 0.03 * a]).collect();
    let solids = vec![
        ("box", Solid::Box { size: [0.5, 0.4, 0.3] }),
        ("sphere", Solid::Sphere { radius: 0.25 }),
        ("cylinder", Solid::Cylinder { radius: 0.2, length: 0.5 }),
        ("cone", Solid::Cone { radius: 0.25, length: 0.5 }),
        ("capsule", Solid::Capsule { radius: 0.2, end_radius: 0.1, length: 0.4 }),
        ("ellipsoid", Solid::Ellipsoid { radii: [0.3, 0.15, 0.25] }),
        ("plane", Solid::Plane { size: [0.5, 0.5] }),
        ("polyline", Solid::Polyline { points: helix }),
        (
            "mesh",
            Solid::Mesh { vertices, triangles: vec![[0, 2, 4], [2, 3, 4], [3, 1, 4], [1, 0, 4], [0, 1, 9]] },
        ),
    ];
    let stand = |k: usize, row: f64| [(k % 9) as f64 * 0.9, 0.0, row];
    let mut bodies: Vec<BodyTrack> = solids
        .into_iter()
        .enumerate()
        .map(|(k, (name, solid))| BodyTrack {
            name: name.into(),
            shapes: vec![Shape::new(solid, Pose::default())],
            positions: vec![stand(k, 0.6)],
            ..BodyTrack::default()
        })
        .collect();
    let axis = |motion| JointAxis { direction: [1.0, 0.0, 0.0], motion };
    let known = [
        BodyOutline::default(),
        BodyOutline { mass_center: Some([0.0; 3]), ..BodyOutline::default() },
        BodyOutline { joint_axes: vec![axis(JointMotion::Translation)], ..BodyOutline::default() },
        BodyOutline {
            joint_points: vec![[0.3, 0.0, 0.4], [-0.3, 0.0, 0.4]],
            joint_axes: vec![axis(JointMotion::Rotation)],
            mass_center: Some([0.0, 0.0, 0.25]),
            held_points: vec![[0.0, 0.3, 0.1]],
            ..BodyOutline::default()
        },
    ];
    let mut outlines = vec![BodyOutline::default(); bodies.len()];
    for (k, outline) in known.into_iter().enumerate() {
        let name = format!("outline {k}");
        bodies.push(BodyTrack { name, positions: vec![stand(k, 2.0)], ..BodyTrack::default() });
        outlines.push(outline);
    }
    let kinds = [LinkKind::Spring, LinkKind::Damper, LinkKind::Line, LinkKind::Force, LinkKind::Torque];
    let links = kinds.into_iter().enumerate().map(|(k, kind)| Link {
        name: format!("{kind:?}"),
        kind,
        from: vec![stand(k + 4, 1.6)],
        to: [2.0, 2.6].map(|row| stand(k + 4, row)).to_vec(),
        ..Link::default()
    });
    let mut scene = Scene { times: vec![0.0, 1.0], bodies, links: links.collect(), ..Scene::default() };
    dress(&mut scene, &outlines);
    Report { title: "Shapes".into(), scene, ..Report::default() }
}

/// Two hundred bodies in waves over a hundred thousand samples.
fn large() -> Report {
    let time: Vec<f64> = (0..100_000).map(|i| i as f64 * 1e-3).collect();
    let body = |k: usize| {
        let (row, column) = ((k / 20) as f64, (k % 20) as f64);
        let height = |t: &f64| 0.4 * (0.7 * t + 0.4 * column).sin() * (0.3 * row).cos();
        BodyTrack {
            name: format!("B{k}"),
            shapes: vec![Shape::new(Solid::Box { size: [0.5, 0.5, 0.2] }, Pose::default())],
            positions: time.iter().map(|t| [column, row, height(t)]).collect(),
            quaternions: time.iter().map(|t| swing(0.3 * (0.7 * t + 0.4 * column).cos())).collect(),
            ..BodyTrack::default()
        }
    };
    let wave = |k: usize| {
        let values = time.iter().map(|t| (t * (1.0 + k as f64 / 7.0)).sin() + k as f64).collect();
        series(&format!("y{k}"), "m", "Heights", "", values)
    };
    Report {
        title: "Two hundred bodies".into(),
        description: format!("A wave over {} samples; {:.0} turns", time.len(), 100.0 * 0.7 / (2.0 * PI)),
        series: (0..24).map(wave).collect(),
        scene: Scene { times: time.clone(), bodies: (0..200).map(body).collect(), ..Scene::default() },
        time,
        ..Report::default()
    }
}

/// A motion that runs away: its last speeds have no square in single precision.
fn far() -> Report {
    let time: Vec<f64> = (0..=300).map(|i| i as f64 * 0.01).collect();
    let place = |t: &f64| 6.0 / (3.0 - t).max(6e-14).powi(2);
    let of = |f: &dyn Fn(&f64) -> f64| time.iter().map(f).collect::<Vec<_>>();
    let positions: Vec<[f64; 3]> = time.iter().map(|t| [place(t), 0.0, 0.0]).collect();
    let body = BodyTrack { name: "p".into(), positions: positions.clone(), ..BodyTrack::default() };
    let mut scene = Scene {
        times: time.clone(),
        bodies: vec![body],
        links: vec![Link {
            name: "thrust".into(),
            kind: LinkKind::Force,
            from: positions.clone(),
            to: positions.iter().map(|p| [p[0] + 0.25, p[1], p[2] + 0.1]).collect(),
            ..Link::default()
        }],
        traces: vec![Trace { points: positions, ..Trace::default() }],
        ..Scene::default()
    };
    dress(&mut scene, &[]);
    let names = ["f", "g", "h", "i", "j", "k", "l", "m"];
    let mut all: Vec<Series> =
        names.iter().map(|n| series(n, "N", "Outputs", "", of(&|t| t.sin()))).collect();
    all.push(series("press", "N", "Outputs", "", of(&|t| 2000.0 * t.cos())));
    all.push(series("x", "m", "Coordinates", "", of(&place)));
    all.push(series("v", "m/s", "Speeds", "", of(&|t| 12.0 / (3.0 - t).max(6e-14).powi(3))));
    Report {
        title: "Far away".into(),
        series: all,
        scene,
        warnings: vec![Notice {
            level: Level::Error,
            message: "the motion could not be followed".into(),
            ..Notice::default()
        }],
        energy: energy(&time),
        time,
        ..Report::default()
    }
}
