//! Imports, libraries, packages, the standard library.

use cardan_expand::Settings;

use crate::common::{expanded, flat, flat_with};

#[test]
fn parts_of_a_library_are_written_when_something_uses_them() {
    let library = "constant two = 2\nfunction twice(x) = two * x\nfunction unused(x) = x\nsubsystem gear { parameter n = twice(3); parameter m = 1 }";
    let text = "import gear from \"lib/gears.mbs\"\ngear g(m = 4) { }\noutput g.n";
    let flat = flat_with(text, &Settings::default(), &[("lib/gears.mbs", library)]);
    assert_eq!(
        flat,
        "parameter g.n = gears.twice(3)\nparameter g.m = 4\noutput g.n\nfunction gears.twice(x) = gears.two * x\nconstant gears.two = 2\n"
    );
}

#[test]
fn a_whole_text_brings_all_its_names() {
    let files = [
        ("a.mbs", "import \"b.mbs\"\nsubsystem x { y inner { } }"),
        ("b.mbs", "subsystem y { parameter p = 1 }"),
    ];
    let flat = flat_with("import \"a.mbs\"\nx one { }", &Settings::default(), &files);
    assert_eq!(flat, "parameter one.inner.p = 1\n");
}

#[test]
fn an_imported_model_brings_what_it_imports() {
    let model = "import gear from \"gears.mbs\"\nmodel m\ngear g { }\n";
    let gears = "subsystem gear { parameter n = 3; variable r = n }";
    let files = [("m.mbs", model), ("gears.mbs", gears)];
    let text = flat_with("import \"m.mbs\"\nsimulate { to = 1 [s] }", &Settings::default(), &files);
    assert!(text.contains("parameter g.n = 3"), "{text}");
}

#[test]
fn a_tyre_file_is_a_law() {
    let tir = "[UNITS]\nLENGTH = 'mm' $ as drawn\nFORCE = 'newton'\n[MODEL]\nFITTYP = 6\n! data\nUNLOADED_RADIUS = 313\n\
        FNOMIN = 4.0E+03\nPCX1 = 1.65\nPKY1 = -15.3\nTYRESIDE = 'LEFT'\n";
    let text = "import \"car.tir\"\nmodel m\nbody w on N by prismatic(z) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }\n\
        std.vehicle.tyre t(law = car) { wheel -> w }";
    let flat = flat_with(text, &Settings::default(), &[("car.tir", tir)]);
    for part in ["t.law.law.UNLOADED_RADIUS", "3.13e2 [mm]", "4e3 [N]", "t.law.law.PKY1 = -1.53e1"] {
        assert!(flat.contains(part), "{part} in\n{flat}");
    }
    for wrong in ["FNOMIN = many", "[MODEL]\nLENGTH = 'furlong'\nUNLOADED_RADIUS = 1", "nothing", ""] {
        let (found, _) = expanded(text, &Settings::default(), &[("car.tir", wrong)]);
        assert!(found.diagnostics.has_errors() && found.incomplete, "{wrong}");
    }
}

#[test]
fn an_experiment_imports_a_model() {
    let model = "model arm\nparameter L = 1 [m]\nbody b on N by revolute(z)\nsimulate { to = 1 [s] }";
    let text = "import \"arm.mbs\"\noutput b.q\nsimulate { to = 5 [s] }";
    let flat = flat_with(text, &Settings::default(), &[("arm.mbs", model)]);
    assert_eq!(flat.matches("simulate").count(), 1, "{flat}");
    assert!(
        flat.contains("to = 5 [s]") && flat.contains("body b on N") && flat.contains("parameter L"),
        "{flat}"
    );
}

#[test]
fn an_experiment_sets_the_model_that_it_imports() {
    let model = "model arm
constant n = 2
parameter L = 1 [m]
subsystem Law { port x: in; port y: out }
subsystem one { port x: in; port y: out; y = x }
subsystem two { port x: in; port y: out; parameter k = 2; y = k * x }
subsystem part { parameter m = 1 [kg]; slot law: Law = one() { x -> 1 } }
part p { }
for k in 1 .. n { parameter c[k] = k }
gravity = -9.81 [m/s^2] * N.z
start { a = 1; b = 2 }
simulate { to = 1 [s] }";
    let text = "import \"arm.mbs\" { n = 3; L = 2; p.m = 5 [kg]; p.law = two(k = 7); c[1] = 9 }
gravity = 0
start { b = 3 }
simulate { to = 5 [s] }";
    let flat = flat_with(text, &Settings::default(), &[("arm.mbs", model)]);
    for part in
        ["n = 3", "L [m] = 2", "p.m [kg] = 5 [kg]", "p.law.k = 7", "c[1] = 9", "c[3] = 3", "a = 1", "b = 3"]
    {
        assert!(flat.contains(part), "{part} in\n{flat}");
    }
    assert!(!flat.contains("b = 2") && flat.matches("gravity").count() == 1, "{flat}");
    let chosen = Settings {
        constants: vec![("n".into(), "1".into())],
        fillings: vec![("p.law".into(), "one".into())],
    };
    let flat = flat_with(text, &chosen, &[("arm.mbs", model)]);
    assert!(!flat.contains("c[2]") && !flat.contains("p.law.k"), "{flat}");
    for (settings, message) in [
        ("M = 2", "no parameter, constant or slot `M`"),
        ("L = 1; L = 2", "is set twice"),
        ("start { a = 1 }", "does not belong into an import"),
    ] {
        let text = format!("import \"arm.mbs\" {{ {settings} }}");
        let (found, _) = expanded(&text, &Settings::default(), &[("arm.mbs", model)]);
        let said: Vec<&str> = found.diagnostics.iter().map(|d| d.message.as_str()).collect();
        assert!(said.iter().any(|m| m.contains(message)), "{settings}: {said:?}");
    }
}

#[test]
fn the_standard_library_is_always_there() {
    let text = flat(
        "body A on N by prismatic(x)\nstd.maxwell m between A.o and N.o { stiffness = 3 [N/m]; damping = 2 [N*s/m] }",
    );
    assert!(text.contains("state m.stretch"), "{text}");
    let imported = flat(
        "import maxwell from \"std\"\nbody A on N by prismatic(x)\nmaxwell m between A.o and N.o { stiffness = 3 [N/m]; damping = 2 [N*s/m] }",
    );
    assert_eq!(imported, text);
}

#[test]
fn each_text_is_read_once() {
    let files = [
        ("a.mbs", "import \"c.mbs\"\nsubsystem a { c inner { } }"),
        ("b.mbs", "import \"c.mbs\"\nsubsystem b { c inner { } }"),
        ("c.mbs", "subsystem c { parameter p = 1 }"),
    ];
    let text = "import \"a.mbs\"\nimport \"b.mbs\"\na one { }\nb two { }";
    let (found, _) = expanded(text, &Settings::default(), &files);
    assert!(found.diagnostics.is_empty());
}

#[test]
fn tables_take_their_numbers_from_files() {
    let files = [
        ("road.csv", "\u{feff}# measured\ns [m];\"z [mm]\"\n0; 0\r\n1; -20.5\n\n2; 5e-1\n"),
        ("map.csv", "n,u,T\n0,0,1\n10,1,4\n0,1,2\n10,0,3\n"),
    ];
    let text = "table road(x [m]) [m] = linear(\"road.csv\", y = \"z\")\n\
                table T(n [rpm], u) [N*m] = linear(\"map.csv\", x = \"n\", y = \"u\", z = \"T\")";
    let flat = flat_with(text, &Settings::default(), &files);
    let by_hand = "table road(x [m]) [m] = linear {\n  0 [m]: 0 [mm]\n  1 [m]: (-20.5) [mm]\n  2 [m]: 5e-1 [mm]\n}\n\
                   table T(n [rpm], u) [N*m] = linear {\n  u: (0, 1)\n  0: (1, 2)\n  10: (3, 4)\n}\n";
    assert_eq!(flat, by_hand);
}

#[test]
fn files_of_numbers_are_checked() {
    let cases = [
        ("s [m], z [N]\n0, 1\n1, 2\n", "the column `z` has another dimension"),
        ("s [m], z\n0, 1\n1\n", "this line has 1 cells, and the first one 2"),
        ("s, z\n0, 1\n1, nan\n", "`nan` is not a number"),
        ("s, z\n0, 1\n1, 0x10\n", "`0x10` is not a number"),
        ("", "`road.csv` is empty"),
        ("s\n1\n", "has no column `z`"),
        ("s [m], z [furlonge]\n0, 1\n", "furlonge"),
    ];
    for (file, expected) in cases {
        let text = "table road(x [m]) [m] = linear(\"road.csv\", x = \"s\", y = \"z\")";
        let (found, sources) = expanded(text, &Settings::default(), &[("road.csv", file)]);
        let said: String =
            found.diagnostics.iter().map(|d| cardan_base::render(d, &sources, false)).collect();
        assert!(said.contains("X020") && said.contains(expected), "{expected}\n{said}");
    }
}
