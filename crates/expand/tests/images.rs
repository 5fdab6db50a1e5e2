//! Mirror images: the text that the law of reflections gives.

use crate::common::{flat, said};

fn image(content: &str) -> String {
    let text =
        format!("subsystem s {{ port c: frame; {content} }}\ns l {{ c -> N }}\ns r = mirror(l, plane = xz)");
    let flat = flat(&text);
    flat[flat.find("r.").map_or(0, |k| flat[..k].rfind('\n').unwrap_or(0))..].to_owned()
}

#[test]
fn places_reflect_and_frames_stay_right_handed() {
    let text = image(
        "body b on c by revolute(z, q = a) at (1, 2, 3) [m] { center = (1, 2, 3) [m]; inertia.xy = 4 [kg*m^2]; inertia.xz = 5 [kg*m^2]; inertia.yz = 6 [kg*m^2]; point P = (0, 1, 0) [m] }",
    );
    for line in [
        "body r.b on N by revolute(-z, q = r.a) at (1, -2, 3) [m] {",
        "center = (1, -2, 3) [m]",
        "inertia.xy = -4 [kg*m^2]",
        "inertia.xz = 5 [kg*m^2]",
        "inertia.yz = -6 [kg*m^2]",
        "point P = (0, -1, 0) [m]",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn products_of_inertia_with_the_normal_change_their_sign() {
    let text = image("body b on c by revolute(y) { inertia = (1, 2, 3, 4, 5, 6) [kg*m^2] }");
    assert!(text.contains("inertia = (1, 2, 3, -4, 5, -6) [kg*m^2]"), "{text}");
}

#[test]
fn turns_are_axial_and_slides_polar() {
    for (joint, reflected) in [
        ("rotate(y = a)", "revolute(y, q = r.a)"),
        ("rotate(x = a, z = b)", "revolute(-x, q = r.a) revolute(-z, q = r.b)"),
        ("translate(y = a)", "prismatic(-y, q = r.a)"),
        ("prismatic(x)", "prismatic(x)"),
        ("universal(xy)", "universal(-x, y)"),
        ("revolute((1, 1, 0))", "revolute((-1, 1, 0))"),
        ("screw(y, lead = 5 [mm])", "screw(y, lead = -5 [mm])"),
        ("screw(z, 5 [mm])", "screw(-z, -5 [mm])"),
        ("cylindrical(y, q = (a, b))", "prismatic(-y, q = r.a) revolute(y, q = r.b)"),
        ("planar(y, q = (a, b, d))", "prismatic(z, q = r.a) prismatic(x, q = r.b) revolute(y, q = r.d)"),
        ("fixed(rotate = zyx, angles = (1, 2, 3) [deg])", "fixed(rotate = zyx, angles = (-1, 2, -3) [deg])"),
    ] {
        let text = image(&format!("body b on c by {joint}"));
        assert!(text.contains(&format!("by {reflected}")), "{joint}: {text}");
    }
}

#[test]
fn forces_are_polar_and_torques_axial() {
    let text = image(
        "body b on c by revolute(y); parameter k = 1 [N]
         force f on b.cm = k * b.y + (1, 2, 3) [N]
         torque t on b from c = k * 1 [m] * b.y - k * 1 [m] * c.x
         torque u on b = cross(position(c.o, b.cm), k * b.y)
         variable side = b.cm.y, spin = dot(omega(b), b.y), v = dot(velocity(b.cm), c.y)",
    );
    for line in [
        "force r.f on r.b.cm = r.k * (-r.b.y) + (1, -2, 3) [N]",
        "torque r.t on r.b from N = r.k * 1 [m] * r.b.y - r.k * 1 [m] * (-N.x)",
        "torque r.u on r.b = cross(position(N.o, r.b.cm), r.k * (-r.b.y))",
        "r.side = -r.b.cm.y",
        "r.spin = dot(omega(r.b), r.b.y)",
        "r.v = dot(velocity(r.b.cm), -N.y)",
    ] {
        let plain = line.replace("(-r.b.y)", "-r.b.y").replace("(-N.x)", "-N.x");
        assert!(text.contains(line) || text.contains(&plain), "{line}\n{text}");
    }
}

#[test]
fn an_image_of_an_image_is_turned_half_round() {
    let text = flat(
        "subsystem s { port c: frame; body b on c by revolute(z, q = a) at (1, 2, 3) [m] }
         s fl { c -> N }
         s fr = mirror(fl, plane = xz)
         s rr = mirror(fr, plane = yz)",
    );
    assert!(text.contains("body rr.b on N by revolute(z, q = rr.a) at (-1, -2, 3) [m]"), "{text}");
}

#[test]
fn connections_of_an_image_are_those_of_the_original_unless_it_has_its_own() {
    let text = flat(
        "subsystem s { port c, d: frame; port x: in; body b on c by prismatic(x, motion = x); body e on d by fixed }
         body left on N by fixed
         body right on N by fixed
         s l { c -> N at (0, 1, 0) [m]; d -> left; x -> 3 }
         s r = mirror(l, plane = xz) { d -> right }",
    );
    assert!(text.contains("frame r.c on N at (0, -1, 0) [m]"), "{text}");
    assert!(text.contains("body r.e on right"), "{text}");
    assert!(text.contains("motion = 3"), "{text}");
}

#[test]
fn joints_with_angles_of_their_own_are_refused() {
    let text = "subsystem s { port c: frame; body b on c by spherical }\ns l { c -> N }\ns r = mirror(l, plane = xz)";
    assert!(said(text).contains("cannot be mirrored"), "{}", said(text));
}

#[test]
fn constant_places_are_mirrored_and_other_triples_are_not() {
    let text = flat(
        "
subsystem arm {
  port base: frame
  constant P = (1, 2, 3) [m], Q = (0, 1, 0) [m], J = (1, 2, 3) [kg*m^2]
  body part on base at P by revolute(z, q = q) { mass = 1 [kg]; inertia = J; center = Q }
}
body car on N by translate(x = x) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
arm left(Q = (4, 5, 6) [mm]) { base -> car }
arm right = mirror(left, plane = xz)
",
    );
    for line in [
        "right.P = (1, -2, 3) [m]",
        "right.Q [m] = (4, -5, 6) [mm]",
        "right.J = (1, 2, 3) [kg*m^2]",
        "at right.P",
        "center = right.Q",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
}
