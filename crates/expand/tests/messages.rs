//! Findings inside instances show the definition, the instance and the path.

use crate::common::said;

#[test]
fn a_finding_shows_the_definition_the_instance_and_the_path() {
    let text = "subsystem rod { body bar on N by revolute(z); output bar[3].q }
subsystem pair { rod left { }; rod right { } }
pair front { }";
    let said = said(text);
    assert!(said.contains("example.mbs:1:"), "{said}");
    assert!(said.contains("in the instance `front.left`"), "{said}");
    assert!(said.contains("in the instance `front`"), "{said}");
    assert!(said.contains("the same holds in another instance"), "{said}");
    assert_eq!(said.matches("error[").count(), 1, "{said}");
}

#[test]
fn wrong_units_across_a_connection_show_both_ends_and_the_path() {
    let text = "subsystem a { port f: out [N]; f = 3 [N] }
subsystem b { port g: in [m]; variable v = g }
subsystem c { a one { }; b two { g -> one.f } }
c deep { }";
    let said = said(text);
    for part in ["deep.two.g", "[N]", "expected [m]", "this connection"] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

#[test]
fn a_unit_that_touches_its_name_is_explained() {
    assert!(said("parameter m[kg] = 3").contains("a unit stands after a space"));
}

/// Both ends of a connection and the path of the instance are shown, whether or not the definition uses the port.
#[test]
fn ends_that_do_not_fit_are_shown_where_they_are_connected() {
    let cases = [
        ("c.y", "f", "the port `deep.b.f` takes a frame, and this is a signal"),
        ("3 [m]", "f", "the port `deep.b.f` takes a frame, and this is a signal"),
        ("N", "u", "the port `deep.b.u` takes a signal, and this is a frame or point"),
        ("rod", "u", "the port `deep.b.u` takes a signal, and this is a frame or point"),
        ("(1, 2) [m]", "v", "the port `deep.b.v` takes 3 signals, and this is 2 signals"),
        ("c.y", "v", "the port `deep.b.v` takes 3 signals, and this is one signal"),
        ("2 * c.y", "v", "the port `deep.b.v` takes 3 signals, and this is one signal"),
        ("c.w", "u", "the port `deep.b.u` takes one signal, and this is 2 signals"),
        ("2 [N] * 3", "u", "the signal at the port `deep.b.u` has another dimension"),
    ];
    for (value, port, message) in cases {
        let connections: Vec<String> = [("f", "rod"), ("u", "1 [m]"), ("v", "(1, 2, 3) [m]")]
            .iter()
            .map(|(name, usual)| format!("{name} -> {}", if *name == port { value } else { usual }))
            .collect();
        let text = format!(
            "subsystem block {{ port f: frame; port u: in [m]; port v[3]: in [m]; variable one = 1 }}
subsystem source {{ port y: out [m]; port w[2]: out [m]; y = 3 [m]; w[1] = y; w[2] = y }}
subsystem pair {{ body rod on N by revolute(z); source c {{ }}; block b {{ {} }} }}
pair deep {{ }}",
            connections.join("; ")
        );
        let said = said(&text);
        for part in ["error[X006]", message, "this connection", "in the instance `deep`"] {
            assert!(said.contains(part), "{value} at {port}: {part}\n{said}");
        }
    }
}

#[test]
fn a_mirror_without_a_plane_shows_what_it_mirrors_and_the_path() {
    let text = "subsystem corner { port c: frame; body hub on c by revolute(z) at (1, 1, 0) [m] }
subsystem axle { port c: frame; corner left { c -> c }; corner right = mirror(left) }
axle front { c -> N }";
    let said = said(text);
    for part in [
        "error[X011]",
        "the plane of the mirror is missing",
        "the instance that is mirrored",
        "in the instance `front`",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}
