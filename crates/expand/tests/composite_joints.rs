//! Composite joints: subsystems after `by`, and signals given like parameters.

use cardan_expand::Settings;

use crate::common::{expanded, flat};

const CROSS: &str = "subsystem cross {
  port a, b: frame
  parameter damping = 0 [N*m*s/rad]
  frame spider on a by revolute(x, q = first)
  joint hinge between spider and b by revolute(y, q = second)
  torque drag on second = -damping * der(second)
}
";

#[test]
fn a_joint_between_two_bodies_is_an_instance() {
    let by_hand = flat(&format!("{CROSS}body arm\ncross j(damping = 2 [N*m*s/rad]) {{ a -> N; b -> arm }}"));
    for text in [
        "joint j between N and arm by cross(damping = 2 [N*m*s/rad])",
        "joint j = cross(N, arm, damping = 2 [N*m*s/rad])",
        "cross j between N and arm { damping = 2 [N*m*s/rad] }",
    ] {
        assert_eq!(flat(&format!("{CROSS}body arm\n{text}")), by_hand, "{text}");
    }
}

#[test]
fn a_body_on_a_composite_joint_has_no_other_joint() {
    let text = "body arm on N by cross(damping = 2 [N*m*s/rad]) at (0, 0, 1) [m] { mass = 1 [kg] }
        start { arm.joint.first = 0.3 }";
    let by_hand = "frame arm.joint.a on N at (0, 0, 1) [m]
parameter arm.joint.damping [N*m*s/rad] = 2 [N*m*s/rad]
frame arm.joint.spider on arm.joint.a by revolute(x, q = arm.joint.first)
joint arm.joint.hinge between arm.joint.spider and arm by revolute(y, q = arm.joint.second)
torque arm.joint.drag on arm.joint.second = -arm.joint.damping * der(arm.joint.second)
body arm {
  mass = 1 [kg]
}
start {
  arm.joint.first = 0.3
}
";
    assert_eq!(flat(&format!("{CROSS}{text}")), by_hand);
}

#[test]
fn places_of_a_frame_are_ends() {
    let text = flat(&format!("{CROSS}body arm\njoint j between N(0, 0, 1) [m] and arm by cross()"));
    assert!(text.contains("frame j.a on N at (0, 0, 1) [m]"), "{text}");
}

#[test]
fn composite_joints_have_their_mistakes() {
    for (text, message) in [
        ("body arm on N by translate(z = z) cross()", "stands alone"),
        ("body arm on N by cross(k = 3)", "takes no argument `k`"),
        ("subsystem one { port a: frame }\nbody arm on N by one()", "has 1 ends"),
        ("body arm on N by cross()\noutput arm.joint.third", "has nothing called `third`"),
    ] {
        let (found, _) = expanded(&format!("{CROSS}{text}"), &Settings::default(), &[]);
        let said: Vec<&str> = found.diagnostics.iter().map(|d| d.message.as_str()).collect();
        assert!(said.iter().any(|m| m.contains(message)), "{text}: {said:?}");
    }
}

#[test]
fn incoming_signals_are_given_like_parameters() {
    let law = "subsystem law { port x: in [m]; port f: out [N]; f = 3 [N/m] * x }\nstate s = 1 [m] { der = 0 [m/s] }\n";
    let connected = flat(&format!("{law}law l {{ x -> 2 * s }}"));
    assert_eq!(flat(&format!("{law}law l(x = 2 * s) {{ }}")), connected);
    assert_eq!(flat(&format!("{law}law l {{ x = 2 * s }}")), connected);
    let (found, _) = expanded(&format!("{law}law l {{ x = s; x -> s }}"), &Settings::default(), &[]);
    assert!(
        found.diagnostics.iter().any(|d| d.message.contains("connected twice")),
        "{:?}",
        found.diagnostics
    );
}
