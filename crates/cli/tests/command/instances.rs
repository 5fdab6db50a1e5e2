//! Subsystems, loops, slots and imports as the command reads them.

use super::folder::Folder;

/// The numbers of a column by its name, without the unit.
fn column(csv: &str, name: &str) -> Vec<f64> {
    let headings = csv.lines().next().unwrap();
    let k = headings.split(',').position(|h| h.split(' ').next() == Some(name));
    let k = k.unwrap_or_else(|| panic!("no {name} in {headings}"));
    csv.lines().skip(1).map(|l| l.split(',').nth(k).unwrap().parse().unwrap()).collect()
}

const CELL: &str = "subsystem cell \"mass on a spring\" {
  parameter k = 4 [N/m], m = 1 [kg]
  port base: frame
  particle p on base by translate(x = x) { mass = m }
  force pull on p.cm from base.o = -k * x * base.x
  start { x = 1 [m] }
}
";

#[test]
fn paths_are_names_everywhere() {
    let folder = Folder::new("instances-paths");
    folder.write("cell.mbs", CELL);
    folder.write(
        "pair.mbs",
        "import cell from \"cell.mbs\"
model pair
subsystem axle { port frame_: frame; cell left { base -> frame_ }; cell right(k = 9 [N/m]) { base -> frame_ at (0, 1, 0) [m] } }
axle front { frame_ -> N }
simulate { to = 1 [s], every = 0.1 [s] }",
    );
    folder.cardan(&["run", "pair.mbs", "--out", "a"], 0);
    let a = folder.read("a/results.csv");
    for (name, frequency) in [("front.left.x", 2.0_f64), ("front.right.x", 3.0)] {
        for (t, x) in column(&a, "t").into_iter().zip(column(&a, name)) {
            assert!((x - (frequency * t).cos()).abs() < 1e-8, "{name} {t}: {x}");
        }
    }
    folder.cardan(
        &["run", "pair.mbs", "--out", "b", "--set", "front.left.k=1[N/m]", "--set", "front.right.x=0.5"],
        0,
    );
    let b = folder.read("b/results.csv");
    assert!((column(&b, "front.left.x").last().unwrap() - 1.0_f64.cos()).abs() < 1e-8);
    assert!((column(&b, "front.right.x").last().unwrap() - 0.5 * 3.0_f64.cos()).abs() < 1e-8);
    let code = folder.cardan(&["emit", "pair.mbs", "--target", "c", "--out", "c"], 0);
    let code = code.out + &std::fs::read_to_string(folder.0.join("c/pair.c")).unwrap_or_default();
    let files: String = std::fs::read_dir(folder.0.join("c"))
        .map(|all| all.filter_map(|e| std::fs::read_to_string(e.ok()?.path()).ok()).collect())
        .unwrap_or_default();
    assert!((code + &files).contains("front_left_k"), "identifiers follow the paths");
    let flat = folder.cardan(&["show", "expanded", "pair.mbs"], 0).out;
    assert!(flat.contains("particle front.left.p on N by translate(x = front.left.x)"), "{flat}");
    folder.write("flat.mbs", &flat);
    folder.cardan(&["run", "flat.mbs", "--out", "d"], 0);
    assert_eq!(folder.read("d/results.csv"), a, "the flat text is the same model");
    let program = |file: &str| folder.cardan(&["show", "program", file], 0).out;
    assert_eq!(program("flat.mbs"), program("pair.mbs"), "and gives the same program");
}

#[test]
fn structural_constants_and_slots_are_chosen_for_a_run() {
    let folder = Folder::new("instances-chosen");
    folder.write(
        "m.mbs",
        &format!(
            "{CELL}
subsystem Law {{ port s: in [m]; port f: out [N] }}
subsystem soft {{ port s: in [m]; port f: out [N]; f = 1 [N/m] * s }}
subsystem hard {{ port s: in [m]; port f: out [N]; f = 16 [N/m] * s }}
constant n = 2
for i in 1 .. n {{ cell c[i](k = i^2 * 1 [N/m]) {{ base -> N }} }}
slot law: Law = soft {{ s -> y }}
particle q on N by translate(y = y) {{ mass = 1 [kg] }}
force back on q.cm = -law.f * N.y
start {{ y = 1 [m] }}
simulate {{ to = 1 [s], every = 0.1 [s] }}"
        ),
    );
    folder.cardan(&["run", "m.mbs", "--out", "a", "--set", "n=3", "--use", "law=hard"], 0);
    let a = folder.read("a/results.csv");
    assert!((column(&a, "c[3].x").last().unwrap() - 3.0_f64.cos()).abs() < 1e-8);
    assert!((column(&a, "y").last().unwrap() - 4.0_f64.cos()).abs() < 1e-8);
    let said = folder.cardan(&["run", "m.mbs", "--use", "lwa=hard"], 1);
    assert!(said.err.contains("X016") && said.err.contains("--use law="), "{}", said.err);
}

/// In a mirrored motion every scalar of the image is that of the original: turns, slides, screws, products of
/// inertia, forces, torques, moments of forces and components in the room.
#[test]
fn an_image_moves_as_its_original_seen_in_a_mirror() {
    let folder = Folder::new("instances-image");
    folder.write("m.mbs", include_str!("texts/mirrored.mbs"));
    folder.cardan(&["run", "m.mbs", "--out", "a"], 0);
    let csv = folder.read("a/results.csv");
    let headings: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let mut n = 0;
    for heading in headings.iter().filter(|h| h.contains("left.")) {
        let name = heading.split(' ').next().unwrap();
        let image = column(&csv, &name.replace("left.", "right."));
        for (a, b) in column(&csv, name).into_iter().zip(image) {
            assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{name}: {a} {b}");
        }
        n += 1;
    }
    assert!(n > 15, "{headings:?}");
    // Nothing of that is zero by itself.
    assert!(column(&csv, "left.steer").iter().any(|x| x.abs() > 0.1));
}

#[test]
fn texts_are_read_below_the_folder_and_on_the_search_path_alone() {
    let folder = Folder::new("instances-files");
    for sub in ["model", "lib/cells@1.2", "lib/cells@1.10", "secret"] {
        std::fs::create_dir_all(folder.0.join(sub)).unwrap();
    }
    folder.write("lib/cells@1.2/cell.mbs", &CELL.replace("k = 4", "k = 1"));
    folder.write("lib/cells@1.10/cell.mbs", CELL);
    folder.write("secret/cell.mbs", CELL);
    let text = |file: &str| {
        format!("import cell from \"{file}\"\ncell a {{ base -> N }}\nsimulate {{ to = 1 [s] }}")
    };
    folder.write("model/m.mbs", &text("cells@1/cell.mbs"));
    let said = folder.cardan(&["check", "model/m.mbs"], 1);
    assert!(said.err.contains("X012") && said.err.contains("--path"), "{}", said.err);
    folder.cardan(&["check", "model/m.mbs", "--path", "lib"], 0);
    // The newest of version 1 is 1.10.
    let flat = folder.cardan(&["show", "expanded", "model/m.mbs", "--path", "lib"], 0).out;
    assert!(flat.contains("a.k = 4 [N/m]"), "{flat}");
    let by_variable = folder.command(&["check", "model/m.mbs"]).env("CARDAN_PATH", "lib").output().unwrap();
    assert!(by_variable.status.success());
    folder.write("model/m.mbs", &text("../secret/cell.mbs"));
    assert!(folder.cardan(&["check", "model/m.mbs"], 1).err.contains("lies outside"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.0.join("secret"), folder.0.join("model/link")).unwrap();
        folder.write("model/m.mbs", &text("link/cell.mbs"));
        assert!(folder.cardan(&["check", "model/m.mbs"], 1).err.contains("lies outside"));
    }
}

/// Bae, Kim and Jhang, Automatic program synthesis for mechanical systems dynamic simulation, Fig. 7: one
/// orientator, six converters, 19 couplings. For the Euler parameters (0.9, 0.1, 0.3, 0.3) the first axis of the
/// chassis is (0.64, 0.60, -0.48).
#[test]
fn the_chassis_of_the_tractor_turns_its_vectors() {
    let book = include_str!("../../../../book/src/language/subsystems.md");
    let block = |name: &str| {
        let start = book.find(&format!("{name}\n")).unwrap() + name.len() + 1;
        book[start..].split("```").next().unwrap().to_owned()
    };
    let folder = Folder::new("instances-chassis");
    let library = block("mbs chassis.mbs");
    assert_eq!(library.matches("->").count(), 19);
    folder.write("chassis.mbs", &library);
    let text = block("mbs run tractor.mbs");
    folder.write("tractor.mbs", &text);
    folder.cardan(&["run", "tractor.mbs", "--out", "a"], 0);
    let csv = folder.read("a/results.csv");
    for (name, expected) in [("first.x", 0.64), ("first.y", 0.60), ("first.z", -0.48)] {
        assert!((column(&csv, name)[0] - expected).abs() < 1e-15, "{name}");
    }
}

/// The tractor of Figs. 2 to 5 of the same paper. Its wheels carry the weight of all parts, 3770 kg, and the thrust less the draft
/// accelerates them with their turning wheels: m + Σ J/R² = 3770 + 2·5/0.5² + 2·40/0.7² + 2·4/0.5² kg.
#[test]
fn the_tractor_carries_its_weight_and_pulls_its_implement() {
    let book = include_str!("../../../../book/src/language/subsystems.md");
    let block = |name: &str| {
        let start = book.find(&format!("{name}\n")).unwrap() + name.len() + 1;
        book[start..].split("```").next().unwrap().to_owned()
    };
    let folder = Folder::new("instances-tractor");
    folder.write("parts.mbs", &block("mbs parts.mbs"));
    folder.write("farm.mbs", &block("mbs run farm.mbs"));
    folder.cardan(&["run", "farm.mbs", "--out", "a", "--quiet"], 0);
    let csv = folder.read("a/results.csv");
    let last = |name: &str| *column(&csv, name).last().unwrap();
    let load: f64 =
        ["front", "rear", "plough"].iter().map(|axle| 2.0 * last(&format!("{axle}.left.load"))).sum();
    assert!((load - 3.77 * 9.81).abs() < 1e-5, "{load} kN");
    let (t, speed) = (column(&csv, "t"), column(&csv, "speed"));
    let n = t.len();
    let acceleration = (speed[n - 1] - speed[n - 21]) / 3.6 / (t[n - 1] - t[n - 21]);
    let thrust = 2.0 * 2000.0 / 0.7 - 3000.0;
    let mass = 3770.0 + 2.0 * 5.0 / 0.25 + 2.0 * 40.0 / 0.49 + 2.0 * 4.0 / 0.25;
    assert!((acceleration - thrust / mass).abs() < 1e-5, "{acceleration} m/s², {}", thrust / mass);
    assert!(last("drivers_seat.comfort").abs() < 1e-3);
}

/// An element of the standard library: a Maxwell body held at a stretch relaxes as exp(-k t / c).
#[test]
fn a_maxwell_element_relaxes() {
    let folder = Folder::new("instances-maxwell");
    folder.write(
        "m.mbs",
        "model relaxation
parameter k = 3 [N/m], c = 2 [N*s/m]
particle p on N by prismatic(x, q = s, motion = 1 [m] + 0 [m/s] * t) { mass = 1 [kg] }
std.maxwell m between N.o and p.cm { stiffness = k; damping = c }
start { m.stretch = 0.5 [m] }
output pull = m.force
simulate { to = 2 [s], every = 0.1 [s] }",
    );
    folder.cardan(&["run", "m.mbs", "--out", "a"], 0);
    let csv = folder.read("a/results.csv");
    for (t, f) in column(&csv, "t").into_iter().zip(column(&csv, "pull")) {
        assert!((f - 1.5 * (-1.5 * t).exp()).abs() < 1e-8, "{t}: {f}");
    }
}

#[test]
fn a_hundred_thousand_instances_end_with_a_clear_answer() {
    let folder = Folder::new("instances-many");
    let text = format!("{CELL}\nconstant n = 100000\nfor i in 1 .. n {{ cell c[i] {{ base -> N }} }}");
    folder.write("m.mbs", &text);
    let said = folder.cardan(&["check", "m.mbs"], 1);
    assert!(said.err.contains("X015"), "{}", said.err);
}

/// Statements of a text at the top, each with its braces.
fn statements(text: &str) -> Vec<String> {
    let (mut all, mut one, mut depth) = (vec![], String::new(), 0_i64);
    for line in text.lines() {
        one += &format!("{line}\n");
        depth += line.matches('{').count() as i64 - line.matches('}').count() as i64;
        if depth == 0 {
            all.push(std::mem::take(&mut one));
        }
    }
    all
}

#[test]
fn the_order_of_definitions_and_files_changes_no_bit_of_the_program() {
    let folder = Folder::new("instances-order");
    let library = "subsystem wheel { port hub: frame; body rim on hub by revolute(y) { mass = 1 [kg]; inertia = (1, 2, 1) [kg*m^2] } }
subsystem axle { port base: frame; wheel left { hub -> base at (0, 1, 0) [m] }; wheel right { hub -> base at (0, -1, 0) [m] } }
function drag(v [m/s]) [N] = -3*v
constant half = 1/2
parameter width = half * 2 [m]
";
    let model = "import axle, drag, width from \"parts.mbs\"\nmodel cart\n\
                 body car on N by prismatic(x) { mass = 2 [kg]; inertia = (1, 1, 1) [kg*m^2] }\n\
                 axle front { base -> car at (width, 0 [m], 0 [m]) }\naxle rear { base -> car }\n\
                 force air on car.cm = drag(car.u) * N.x\nsimulate { to = 1 [s] }";
    folder.write("cart.mbs", model);
    let program = |library: &str| {
        folder.write("parts.mbs", library);
        folder.cardan(&["show", "program", "cart.mbs"], 0).out
    };
    let parts = statements(library);
    let expected = program(library);
    let mut turned = parts.clone();
    for _ in 1..parts.len() {
        turned.rotate_left(1);
        assert_eq!(program(&turned.concat()), expected);
    }
    turned.reverse();
    assert_eq!(program(&turned.concat()), expected);
    folder.write("lower.mbs", &parts[..2].concat());
    assert_eq!(program(&format!("import wheel from \"lower.mbs\"\n{}", parts[1..].concat())), expected);
}

#[test]
fn tables_are_read_below_the_folder_alone() {
    let folder = Folder::new("instances-data");
    let text = |file: &str| {
        format!(
            "model road\ntable z(x [m]) [m] = linear(\"{file}\", x = \"s\", y = \"z\")\n\
             state x = 0 [m] {{ der = 1 [m/s] }}\noutput h = z(x)\nsimulate {{ to = 1 [s], every = 0.5 [s] }}"
        )
    };
    std::fs::create_dir_all(folder.0.join("data")).unwrap();
    folder.write("data/road.csv", "s [cm], z [mm]\n0, 0\n100, 20\n");
    folder.write("road.mbs", &text("data/road.csv"));
    folder.cardan(&["run", "road.mbs", "--out", "a"], 0);
    let h = column(&folder.read("a/results.csv"), "h");
    assert!((h[1] - 0.01).abs() < 1e-12 && (h[2] - 0.02).abs() < 1e-12, "{h:?}");
    let outside = Folder::new("instances-outside");
    outside.write("road.csv", "s, z\n0, 1\n1, 2\n");
    std::os::unix::fs::symlink(outside.0.join("road.csv"), folder.0.join("linked.csv")).unwrap();
    let up = format!("../{}/road.csv", outside.0.file_name().unwrap().to_string_lossy());
    for file in ["linked.csv", up.as_str(), "/etc/passwd", "missing.csv"] {
        folder.write("road.mbs", &text(file));
        let said = folder.cardan(&["check", "road.mbs"], 1).err;
        assert!(said.contains("X012"), "{file}\n{said}");
    }
    folder.write("data/road.csv", "s [cm], z [mm]\n0, 0\n100, 20\n100, 30\n");
    folder.write("road.mbs", &text("data/road.csv"));
    let said = folder.cardan(&["check", "road.mbs"], 1).err;
    assert!(said.contains("data/road.csv:4"), "the line of the file is shown\n{said}");
}

#[test]
fn the_synthesis_lists_modules_in_the_order_of_their_signals() {
    let folder = Folder::new("instances-synthesis");
    folder.write(
        "chain.mbs",
        "model chain\nsubsystem pair { port u: in; port y: out; std.lag second { u -> first.y }; std.lag first { u -> u }; y = second.y }\n\
         std.lag last { u -> both.y }\npair both { u -> source.y }\nstd.sine_source source { }\noutput last.y\nsimulate { to = 1 [s] }",
    );
    let out = folder.cardan(&["show", "synthesis", "chain.mbs", "--figure", "chain.svg"], 0).out;
    let places: Vec<usize> = ["sine_source source", "pair both", "lag first", "lag second", "lag last"]
        .iter()
        .map(|module| out.find(module).unwrap_or_else(|| panic!("{module}\n{out}")))
        .collect();
    assert!(places.is_sorted(), "{out}");
    assert!(out.contains("u <- both.y") && out.contains("y = second.y"), "{out}");
    let svg = folder.read("chain.svg");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && svg.contains("both : pair"));
}

#[test]
fn the_library_shows_its_pages() {
    let folder = Folder::new("instances-library");
    let page = folder.cardan(&["show", "std.motor"], 0).out;
    for part in ["DC motor with gear", "voltage", "[V]", "resistance", "example", "subsystem motor"] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(folder.cardan(&["show", "std"], 0).out.contains("std.motor"));
    assert!(folder.cardan(&["show", "std.motr"], 2).err.contains("std.motor"));
}

#[test]
fn an_experiment_sets_its_model_and_the_page_shows_the_subsystems() {
    let folder = Folder::new("instances-experiment");
    folder.write("cell.mbs", CELL);
    folder.write(
        "pair.mbs",
        "import cell from \"cell.mbs\"
model pair
cell left { base -> N }
cell right { base -> left.p at (0, 1, 0) [m] }
simulate { to = 1 [s], every = 0.1 [s] }",
    );
    folder.write(
        "study.mbs",
        "import \"pair.mbs\" { left.k = 9 [N/m]; left.m = 1e9 [kg] }
start { left.x = 0 [m]; right.x = 2 [m] }
simulate { to = 2 [s], every = 0.1 [s] }",
    );
    folder.cardan(&["run", "study.mbs", "--out", "a"], 0);
    let a = folder.read("a/results.csv");
    assert_eq!(column(&a, "t").len(), 21);
    for (t, x) in column(&a, "t").into_iter().zip(column(&a, "right.x")) {
        assert!((x - 2.0 * (2.0 * t).cos()).abs() < 1e-6, "{t}: {x}");
    }
    let page = folder.read("a/report.html");
    for part in ["data-path=\"left\"", "data-path=\"right\"", "data-frames=\"left\"", "data-on=\"left.p\""] {
        assert!(page.contains(part), "{part}");
    }
    folder.cardan(&["run", "study.mbs", "--set", "right.k=1", "--out", "b"], 0);
    let b = folder.read("b/results.csv");
    let last = *column(&b, "right.x").last().unwrap();
    assert!((last - 2.0 * 2.0_f64.cos()).abs() < 1e-6, "{last}");
}
