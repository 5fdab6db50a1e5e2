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
