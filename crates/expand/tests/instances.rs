//! Subsystems, instances, ports.

use cardan_expand::Settings;

use crate::common::{assert_expands, expanded, flat};

const LEG: &str = "
subsystem leg {
  parameter k = 3 [N/m], m [kg]
  port base: frame
  port pull: in [N]
  port load: out [N]
  body tube on base by revolute(z, q = phi) at (0, 0, 1) [m] { mass = m; point P = (0, 1, 0) [m]; shape rod(P) }
  frame foot on tube at tube.P
  force f on foot.o = pull * base.x
  load = k * tube.q * 1 [m]
  start { phi = 1 [rad] }
  output swing = phi, tube.q
}
";

#[test]
fn an_instance_is_its_definition_under_a_path() {
    assert_expands(
        &format!("{LEG}\nparameter F = 2 [N]\nleg a(m = 5 [kg]) {{ base -> N; pull -> F }}\noutput a.load"),
        "parameter F = 2 [N]
         variable a.load [N] = a.k * a.tube.q * 1 [m]
         parameter a.k = 3 [N/m], a.m [kg] = 5 [kg]
         body a.tube on N by revolute(z, q = a.phi) at (0, 0, 1) [m] {
           mass = a.m; point P = (0, 1, 0) [m]; shape rod(P)
         }
         frame a.foot on a.tube at a.tube.P
         force a.f on a.foot.o = F * N.x
         start { a.phi = 1 [rad] }
         output a.swing = a.phi, a.tube.q = a.tube.q
         output a.load",
    );
}

#[test]
fn instances_nest_and_pass_on_what_comes_in() {
    assert_expands(
        "subsystem inner { port at_: frame; port x: in; body b on at_ by prismatic(x, q = s, motion = x) }
         subsystem outer { port seat: frame; port y: in; inner one { at_ -> seat; x -> y }; inner two { at_ -> one.b; x -> 2 * y } }
         body car on N by free
         outer front { seat -> car; y -> 3 }",
        "body car on N by free
         body front.one.b on car by prismatic(x, q = front.one.s, motion = 3)
         body front.two.b on front.one.b by prismatic(x, q = front.two.s, motion = 2 * 3)",
    );
}

#[test]
fn a_place_or_a_joint_in_a_connection_makes_a_frame() {
    assert_expands(
        "subsystem wheel { port hub: frame; body rim on hub by revolute(y) }
         body car on N by free { point seat = (0, 0, 1) [m] }
         wheel a { hub -> car at (1, 0, 0) [m] }
         wheel b { hub -> car by revolute(z, q = steer) at (1, 0, 0) [m] }
         wheel c { hub -> car.seat }
         output steer",
        "body car on N by free() { point seat = (0, 0, 1) [m] }
         frame a.hub on car at (1, 0, 0) [m]
         body a.rim on a.hub by revolute(y)
         frame b.hub on car by revolute(z, q = steer) at (1, 0, 0) [m]
         body b.rim on b.hub by revolute(y)
         frame c.hub on car.seat
         body c.rim on c.hub by revolute(y)
         output steer",
    );
}

#[test]
fn names_are_lexical() {
    let text = flat(
        "parameter L = 2 [m]
         function f(x) = x^2
         subsystem rod { parameter L = 1 [m]; port a: frame; body b on a at (L, 0, 0) { mass = f(2) * M } }
         parameter M = 1 [kg]
         rod r(L = 2 * L) { a -> N }",
    );
    assert!(text.contains("parameter r.L [m] = 2 * L"), "{text}");
    assert!(text.contains("at (r.L, 0, 0)"), "{text}");
    assert!(text.contains("mass = f(2) * M"), "{text}");
}

#[test]
fn words_of_joints_are_not_names() {
    assert_expands(
        "subsystem s {
           port a: frame
           parameter z = 1 [m], small = 2, xyz = 3
           body b on a by translate(x = x, y = y) rotate(z, small) at (z, 0, 0)
           body c on b by fixed(rotate = xyz, angles = (0, 0, 1))
           joint j = revolute(b.o, c.o, axis = z)
         }
         s one { a -> N }",
        "parameter one.z = 1 [m], one.small = 2, one.xyz = 3
         body one.b on N by translate(x = one.x, y = one.y) rotate(z, small) at (one.z, 0, 0)
         body one.c on one.b by fixed(rotate = xyz, angles = (0, 0, 1))
         joint one.j = revolute(one.b.o, one.c.o, axis = z)",
    );
}

#[test]
fn signals_go_out_and_in_along_couplings() {
    assert_expands(
        "subsystem source { port out_: out [m]; out_ = 2 [m] * sin(1) }
         subsystem gain { port x: in [m]; port y: out [m]; parameter k = 2; y = k * x }
         subsystem both { port z: out [m]; source s { }; gain g { }; s.out_ -> g.x; g.y -> z }
         both b { }",
        "variable b.z [m] = b.g.y
         variable b.s.out_ [m] = 2 [m] * sin(1)
         variable b.g.y [m] = b.g.k * b.s.out_
         parameter b.g.k = 2",
    );
}

#[test]
fn events_functions_and_states_belong_to_their_instance() {
    assert_expands(
        "subsystem s {
           parameter c = 1
           discrete lit = 0
           state x = 1 { der = -f(x) }
           function f(y [m]) = c * y
           procedure g(a) -> b { local d = a + c; for k in 1 .. 3 { d := d + k }; b := d }
           when x < c { local old = lit; lit := old + g(x) }
         }
         s one(c = 2) { }",
        "parameter one.c = 2
         discrete one.lit = 0
         state one.x = 1 { der = -one.f(one.x) }
         function one.f(y [m]) = one.c * y
         procedure one.g(a) -> (b) { local d = a + one.c; for k in 1 .. 3 { d := d + k }; b := d }
         when one.x < one.c { local old = one.lit; one.lit := old + one.g(one.x) }",
    );
}

#[test]
fn an_element_may_be_a_subsystem() {
    assert_expands(
        "subsystem rope { port a, b: point; parameter k [N/m]; force pull on a from b = k * position(a, b) }
         body A on N by free { point P = (0, 0, 1) [m] }
         rope r between A.P and N.o { k = 5 [N/m] }
         output r.k",
        "body A on N by free() { point P = (0, 0, 1) [m] }
         parameter r.k [N/m] = 5 [N/m]
         force r.pull on A.P from N.o = r.k * position(A.P, N.o)
         output r.k",
    );
}

#[test]
fn a_port_that_nobody_connects_takes_its_default() {
    let text = "subsystem lag { port u: in; port gain: in = 2 * k; port base: frame = N; parameter k = 3
       frame f on base at (k, 0, 0) [m]; variable y = gain * u }
     lag a { u -> 1 }\nlag b { u -> 1; gain -> 5; base -> a.f }";
    let by_hand = "parameter a.k = 3\nframe a.f on N at (a.k, 0, 0) [m]\nvariable a.y = (2 * a.k) * 1
     parameter b.k = 3\nframe b.f on a.f at (b.k, 0, 0) [m]\nvariable b.y = 5 * 1";
    assert_expands(text, by_hand);
}

#[test]
fn arrays_of_parameters_are_given_in_brackets() {
    let text = "subsystem poly { constant n = length(a); for k in 1 .. n { parameter a[k] } }
     subsystem matrix { for i in 1 .. 2 { for j in 1 .. 2 { parameter m[i, j] = 0 [N] } } }
     poly p(a = (1, 2 [m])) { }\nmatrix q(m = ((1, 2), (3, 4))) { }\npoly r(a = (1, 2) [mm]) { }";
    let by_hand = "constant p.n = 2\nparameter p.a[1] = 1\nparameter p.a[2] = 2 [m]
     parameter q.m[1,1] [N] = 1\nparameter q.m[1,2] [N] = 2\nparameter q.m[2,1] [N] = 3\nparameter q.m[2,2] [N] = 4
     constant r.n = 2\nparameter r.a[1] = 1 [mm]\nparameter r.a[2] = 2 [mm]";
    assert_expands(text, by_hand);
    let (found, _) = expanded(
        "subsystem s { for k in 1 .. 3 { parameter a[k] } }\ns p(a = (1, 2)) { }",
        &Settings::default(),
        &[],
    );
    assert!(found.diagnostics.iter().any(|d| d.code.0 == "X009"), "{:?}", found.diagnostics);
}

#[test]
fn a_start_value_of_the_model_takes_the_place_of_that_of_a_definition() {
    let part = "subsystem part { particle p on N by translate(x = x, y = y); start { x = 1 [m]; y = 2 [m] } }
subsystem both { part one { }; part two { }; start { one.x = 3 [m] } }
both b { }
start { b.two.y = 4 [m] }";
    let text = flat(part);
    for kept in ["b.one.x = 3 [m]", "b.one.y = 2 [m]", "b.two.x = 1 [m]", "b.two.y = 4 [m]"] {
        assert!(text.contains(kept), "{kept} in\n{text}");
    }
    assert_eq!(text.matches(" [m]\n").count(), 4, "{text}");
}
