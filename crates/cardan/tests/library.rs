//! The standard library: every element has a page, an example and a section in `tests/std/*.md`,
//! which [`suite`](crate::suite) runs; words of the language mean their definitions in it.

use std::collections::BTreeSet;

use cardan::expand::reference::{EntryKind, entries};
use cardan::prelude::*;
use cardan_testkit::Random;

use crate::suite::cases;

#[test]
fn every_element_of_the_library_has_a_page_an_example_and_a_test() {
    let tested: BTreeSet<String> = cases("std").into_iter().flat_map(|c| c.names).collect();
    let all = entries();
    assert!(all.len() > 30);
    for entry in &all {
        let path = &entry.path;
        assert!(!entry.title.is_empty(), "{path} has no title");
        for item in entry.ports.iter().chain(&entry.parameters) {
            let said = entry.kind == EntryKind::Function || !item.description.is_empty();
            assert!(said, "{path}: `{}` is not described", item.name);
        }
        if entry.kind == EntryKind::Interface {
            continue;
        }
        assert!(tested.contains(path), "{path} has no section in tests/std");
        assert!(!entry.example.is_empty(), "{path} has no example");
        let text = format!("model example\n{}simulate {{ to = 0.1 [s] }}\n", entry.example);
        let resolved = resolve(parse("example.mbs", &text));
        resolved.into_model().unwrap_or_else(|e| panic!("{path}: {e}"));
    }
    for name in tested {
        assert!(all.iter().any(|e| e.path == name), "there is no {name} in the library");
    }
}

/// A word of the language and its definition in the library.
const WORDS: &[(&str, &str)] = &[
    (
        "spring e between B.P and C.o { stiffness = k; length = 0.3 [m] }",
        "std.spring e between B.P and C.o { stiffness = k; length = 0.3 [m] }",
    ),
    ("damper e between B.P and C.o { damping = c }", "std.damper e between B.P and C.o { damping = c }"),
    (
        "spring_damper e between B.P and C.o { stiffness = 30 [N/m]; damping = c; length = 0.3 [m] }",
        "std.spring_damper e between B.P and C.o { stiffness = 30 [N/m]; damping = c; length = 0.3 [m] }",
    ),
    (
        "torsion_spring e between B and A { stiffness = 3 [N*m/rad]; rest = 0.1 [rad] }",
        "std.torsion_spring e between B and A { stiffness = 3 [N*m/rad]; rest = 0.1 [rad]; angle = qb; axis = A.z }",
    ),
    (
        "torsion_damper e between B and A { damping = 3 [N*m*s/rad] }",
        "std.torsion_damper e between B and A { damping = 3 [N*m*s/rad]; axis = A.z }",
    ),
    (
        "torsion_spring_damper e between B and A { stiffness = 3 [N*m/rad]; damping = 1 [N*m*s/rad] }",
        "std.torsion_spring_damper e between B and A
           { stiffness = 3 [N*m/rad]; damping = 1 [N*m*s/rad]; angle = qb; axis = A.z }",
    ),
    (
        "bushing e on F.o from C.o { stiffness = (10, 20, 30) [N/m]; damping = (1, 2, 3) [N*s/m]
           torsion_stiffness = (4, 5, 6) [N*m/rad]; torsion_damping = (4, 5, 6) [N*m*s/rad] }",
        "std.bushing e between F and C { kx = 10 [N/m]; ky = 20 [N/m]; kz = 30 [N/m]
           cx = 1 [N*s/m]; cy = 2 [N*s/m]; cz = 3 [N*s/m]; tx = 4 [N*m/rad]; ty = 5 [N*m/rad]; tz = 6 [N*m/rad]
           gx = 4 [N*m*s/rad]; gy = 5 [N*m*s/rad]; gz = 6 [N*m*s/rad] }",
    ),
    (
        "stop e on qb { lower = -1 [rad]; upper = 0.5 [rad]; stiffness = 1e4 [N*m/rad]; damping = 3 [N*m*s/rad] }",
        "std.stop e { q -> qb; lower = -1 [rad]; upper = 0.5 [rad]; stiffness = 1e4 [N*m/rad]; damping = 3 [N*m*s/rad] }",
    ),
    (
        "stop e on s { lower = -1 [m]; upper = 0.5 [m]; stiffness = 1e4 [N/m]; damping = 3 [N*s/m] }",
        "std.slide_stop e { q -> s; lower = -1 [m]; upper = 0.5 [m]; stiffness = 1e4 [N/m]; damping = 3 [N*s/m] }",
    ),
    (
        "limit e on qb { lower = -1 [rad]; upper = 0.5 [rad] }\noutput m = min(qb - (-1 [rad]), 0.5 [rad] - qb)",
        "std.limit e { q -> qb; lower = -1 [rad]; upper = 0.5 [rad] }\noutput m = e.margin",
    ),
    (
        "limit e on s { lower = -1 [m]; upper = 0.5 [m]; speed = 2 [m/s] }\noutput m = min(s - (-1 [m]), 0.5 [m] - s)",
        "std.slide_limit e(speed = 2 [m/s]) { q -> s; lower = -1 [m]; upper = 0.5 [m] }\noutput m = e.margin",
    ),
];

/// The operations of a model's program, without the names of its outputs.
fn operations(place: &str, text: &str) -> Vec<String> {
    let model = resolve(parse("case.mbs", text)).into_model().unwrap_or_else(|e| panic!("{place}: {e}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{place}: {e}"));
    let program = compiled.simulation.program().to_string();
    program.lines().filter(|line| line.starts_with("  v")).map(str::to_owned).collect()
}

/// The words `spring`, `damper` and their kin are elements of their own, because drawings, imports and the kernels of large
/// systems know them by kind. What they mean is the text of the library: both give the same program, operation by operation.
#[test]
fn words_of_the_language_mean_their_definitions() {
    let shell = "model pair
        parameter k = 30 [N/m], c = 2 [N*s/m]
        gravity = -9.81 [m/s^2] * N.z
        body A on N by revolute(y, q = qa)
          { mass = 2 [kg]; inertia = (1, 2, 3) [kg*m^2]; center = (0.3, 0, 0) [m] }
        body B on A by revolute(z, q = qb) at (1, 0, 0) [m]
          { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; center = (0.2, 0.1, 0) [m]; point P = (0.1, 0.2, -1) [m] }
        body C on N by prismatic(x, q = s) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
        body F on N by free(rotate = xyz) { mass = 1 [kg]; inertia = (1, 2, 3) [kg*m^2] }
        start { qa = 0.3 [rad]; qb = 0.2 [rad] }
        simulate { to = 1 [s], every = 0.1 [s] }\n";
    for (word, definition) in WORDS {
        let [word_program, text_program] =
            [word, definition].map(|element| operations(definition, &format!("{shell}{element}\n")));
        assert!(word_program.len() > 100, "{word}");
        assert!(word_program == text_program, "{definition} is computed otherwise than {word}");
    }
}

/// A text with a few words put elsewhere, doubled or left out.
fn mutated(text: &str, random: &mut Random) -> String {
    let mut words: Vec<&str> =
        text.split_inclusive([' ', '\n', '(', ')', '[', ']', '{', '}', '.', ',']).collect();
    for _ in 0..1 + random.below(3) {
        let (i, j) = (random.below(words.len()), random.below(words.len()));
        match random.below(3) {
            0 => words[i] = words[j],
            1 => words.insert(i, words[j]),
            _ => drop(words.remove(i)),
        }
    }
    words.concat()
}

/// Every text of the library, mutated, as a file that a model imports: `check` ends with findings or a model.
#[test]
fn mutated_texts_of_the_library_end() {
    let mut random = Random::new(8);
    let all = entries();
    let (mut accepted, mut refused) = (0, 0);
    for (file, text) in cardan::expand::library::PACKAGES.iter().flat_map(|p| p.texts) {
        let stem = file.rsplit('/').next().and_then(|f| f.split('.').next()).unwrap();
        let package = if file.contains("vehicle/") { "std.vehicle." } else { "std." };
        let examples: Vec<String> = all
            .iter()
            .filter(|e| e.family == stem && e.path.starts_with(package) && !e.example.is_empty())
            .map(|e| {
                format!("import \"parts.mbs\"\n{}", e.example.replace(&e.path, &e.path[package.len()..]))
            })
            .collect();
        for k in 0..3 * examples.len() {
            let parts = mutated(text, &mut random);
            let mut read = |_: &str, _: &str| {
                Ok(cardan::expand::Found { name: "parts.mbs".to_owned(), text: parts.clone() })
            };
            let example = parse("model.mbs", &examples[k % examples.len()]);
            let settings = cardan::expand::Settings::default();
            match resolve(cardan::expand_with(example, &settings, &mut read)).into_model() {
                Ok(_) => accepted += 1,
                Err(error) => {
                    assert!(!error.to_string().is_empty(), "{file}");
                    refused += 1;
                }
            }
        }
    }
    assert!(accepted > 20 && refused > 100, "{accepted} accepted, {refused} refused");
}
