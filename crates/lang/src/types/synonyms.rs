//! Words of other programs and textbooks, and what the language calls the same thing.
//!
//! A spelling error is found by its letters ([`cardan_base::nearest`]); a synonym is not: nothing in `hinge`
//! looks like `revolute`.

/// Joints.
const JOINTS: &[(&str, &str)] = &[
    ("ball", "spherical"),
    ("cardan", "universal"),
    ("continuous", "revolute"),
    ("floating", "free"),
    ("free6", "free"),
    ("freebody", "free"),
    ("helical", "screw"),
    ("hinge", "revolute"),
    ("hooke", "universal"),
    ("pin", "revolute"),
    ("pivot", "revolute"),
    ("rigid", "fixed"),
    ("rotary", "revolute"),
    ("rotation", "revolute"),
    ("rotational", "revolute"),
    ("sixdof", "free"),
    ("slide", "prismatic"),
    ("slider", "prismatic"),
    ("sliding", "prismatic"),
    ("socket", "spherical"),
    ("translation", "prismatic"),
    ("translational", "prismatic"),
    ("weld", "fixed"),
    ("welded", "fixed"),
];

/// Elements.
const ELEMENTS: &[(&str, &str)] = &[
    ("coilspring", "spring"),
    ("dashpot", "damper"),
    ("link", "body"),
    ("rigid_body", "body"),
    ("rigidbody", "body"),
    ("rope", "spring"),
    ("shock", "spring_damper"),
    ("strut", "spring_damper"),
    ("tsda", "spring_damper"),
];

/// What to write for parts that are no element of their own.
const PARTS: &[(&str, &str)] = &[
    ("actuator", "write `force` or `torque`: `torque a on B from A = … * B.y`"),
    (
        "coulomb",
        "write dry friction as a load: `force f on B.cm = -F*dir(velocity(B.cm))`, of a joint \
         `torque f on q = -T*sign(der(q))`",
    ),
    (
        "friction",
        "write dry friction as a load: `force f on B.cm = -F*dir(velocity(B.cm))`, of a joint \
         `torque f on q = -T*sign(der(q))`",
    ),
    ("gear", "write a coupling of coordinates: `joint g = gear(q1, q2, ratio = -1/3)`"),
    (
        "motor",
        "write `torque m on B from A = 3 [N*m]*B.y` for a torque, `motion m on q = …` for a given angle, \
         `std.motor` for a machine with a current",
    ),
    (
        "servo",
        "write `torque m on B from A = 3 [N*m]*B.y` for a torque, `motion m on q = …` for a given angle, \
         `std.servo_motor` for a machine with a voltage",
    ),
];

/// Properties of bodies and elements.
const PROPERTIES: &[(&str, &str)] = &[
    ("b", "damping"),
    ("c", "damping"),
    ("cg", "center"),
    ("cm", "center"),
    ("cog", "center"),
    ("com", "center"),
    ("cor", "restitution"),
    ("d", "damping"),
    ("e", "restitution"),
    ("free_length", "length"),
    ("i", "inertia"),
    ("inertias", "inertia"),
    ("j", "inertia"),
    ("k", "stiffness"),
    ("kg", "mass"),
    ("l", "length"),
    ("l0", "length"),
    ("length0", "length"),
    ("m", "mass"),
    ("max", "upper"),
    ("min", "lower"),
    ("moi", "inertia"),
    ("mu", "friction"),
    ("mu_k", "friction"),
    ("mu_s", "static_friction"),
    ("natural_length", "length"),
    ("rest", "length"),
    ("rest_length", "length"),
    ("spring_constant", "stiffness"),
    ("tensor", "inertia"),
    ("unstretched", "length"),
    ("weight", "mass"),
];

/// Arguments of joints, with what to write instead.
const ARGUMENTS: &[(&str, &str)] = &[
    ("angle", "the angle is the coordinate, `q = phi`; its start stands in `start { phi = 30 [deg] }`"),
    ("damping", "dampers are elements: `torsion_damper d between B and A { damping = 0.1 [N*m*s/rad] }`"),
    ("friction", "friction is a load: `torque f on phi = -0.2 [N*m] * sign(der(phi))`"),
    ("init", "start values stand in `start { phi = 30 [deg] }`"),
    ("initial", "start values stand in `start { phi = 30 [deg] }`"),
    ("limits", "write `limit = -90 [deg] .. 90 [deg]`"),
    ("lower", "write both limits: `limit = -90 [deg] .. 90 [deg]`"),
    ("max", "write both limits: `limit = -90 [deg] .. 90 [deg]`"),
    ("min", "write both limits: `limit = -90 [deg] .. 90 [deg]`"),
    ("offset", "the place of a joint follows it: `by revolute(z) at (0, 0, 1) [m]`"),
    ("origin", "the place of a joint follows it: `by revolute(z) at (0, 0, 1) [m]`"),
    ("pos", "the place of a joint follows it: `by revolute(z) at (0, 0, 1) [m]`"),
    ("position", "the place of a joint follows it: `by revolute(z) at (0, 0, 1) [m]`"),
    ("q0", "start values stand in `start { phi = 30 [deg] }`"),
    (
        "quat",
        "a constant turn is given by three angles, `fixed(rotate = xyz, angles = (0, 0, 90) [deg])`, or by two \
         directions, `orient = axes(z = (0, 1, 1), x = N.x)`",
    ),
    (
        "quaternion",
        "a constant turn is given by three angles, `fixed(rotate = xyz, angles = (0, 0, 90) [deg])`, or by two \
         directions, `orient = axes(z = (0, 1, 1), x = N.x)`",
    ),
    ("range", "write `limit = -90 [deg] .. 90 [deg]`"),
    ("start", "start values stand in `start { phi = 30 [deg] }`"),
    ("stiffness", "springs are elements: `torsion_spring s between B and A { stiffness = 5 [N*m/rad] }`"),
    ("upper", "write both limits: `limit = -90 [deg] .. 90 [deg]`"),
];

/// Parts that bodies and points have in other programs, with the function that gives them.
const PARTS_OF_BODIES: &[(&str, &str)] = &[
    ("acc", "acceleration"),
    ("acceleration", "acceleration"),
    ("alpha", "alpha"),
    ("angular_acceleration", "alpha"),
    ("angular_velocity", "omega"),
    ("location", "position"),
    ("omega", "omega"),
    ("pos", "position"),
    ("position", "position"),
    ("v", "velocity"),
    ("vel", "velocity"),
    ("velocity", "velocity"),
    ("w", "omega"),
];

/// Functions, with what to write instead.
const FUNCTIONS: &[(&str, &str)] = &[
    ("acosd", "write `acos(x)`, shown in degrees by `output a = acos(x) in [deg]`"),
    ("arccos", "write `acos(x)`"),
    ("arcsin", "write `asin(x)`"),
    ("arctan", "write `atan(x)`"),
    ("arctan2", "write `atan2(y, x)`"),
    ("asind", "write `asin(x)`, shown in degrees by `output a = asin(x) in [deg]`"),
    ("bistop", "write `std.bistop(x, v, x1, x2, k, e, c, d)`"),
    ("ceil", "write `-floor(-x)`"),
    ("clamp", "write `min(max(x, low), high)`"),
    ("clip", "write `min(max(x, low), high)`"),
    ("cosd", "write `cos(30 [deg])`"),
    ("d", "a rate is written `der(x)`"),
    ("ddt", "a rate is written `der(x)`"),
    ("deg", "an angle has its unit in brackets: `30 [deg]`"),
    ("deg2rad", "an angle has its unit in brackets: `30 [deg]`"),
    ("degrees", "show an angle in degrees: `output a = q in [deg]`"),
    (
        "delay",
        "an instance of the library delays a signal: `std.delay d(T = 0.1 [s]) { u -> x }`, then `d.y`",
    ),
    ("derivative", "a rate is written `der(x)`"),
    ("diff", "a rate is written `der(x)`, a partial derivative `partial(x, y)`"),
    ("fabs", "write `abs(x)`"),
    ("havsin", "write `std.havsin(x, x0, h0, x1, h1)`"),
    ("heaviside", "write `if x > 0 then 1 else 0`"),
    ("hypot", "write `sqrt(x^2 + y^2)`, or `mag(v)` of a vector"),
    ("if", "write `if condition then a else b`"),
    ("ifelse", "write `if condition then a else b`"),
    ("impact", "write `std.impact(x, v, x1, k, e, c, d)`"),
    ("int", "an integral is a state: `state y = 0 { der = x }`"),
    ("integ", "an integral is a state: `state y = 0 { der = x }`"),
    ("integral", "an integral is a state: `state y = 0 { der = x }`"),
    ("integrate", "an integral is a state: `state y = 0 { der = x }`"),
    ("interp", "write a table: `table f(x) = linear { 0: 0, 1: 5 }`, then `f(x)`"),
    ("interp1", "write a table: `table f(x) = linear { 0: 0, 1: 5 }`, then `f(x)`"),
    ("length", "the size of a vector is `mag(v)`"),
    ("log", "write `ln(x)` for the natural logarithm, `log10(x)` for that to base 10"),
    ("lookup", "write a table: `table f(x) = linear { 0: 0, 1: 5 }`, then `f(x)`"),
    ("magnitude", "the size of a vector is `mag(v)`"),
    ("norm", "the size of a vector is `mag(v)`"),
    ("normalize", "the direction of a vector is `dir(v)`"),
    ("piecewise", "write `if condition then a else b`"),
    ("pow", "a power is written `x^y`"),
    ("power", "a power is written `x^y`"),
    ("pulse", "write `if t > 1 [s] and t < 2 [s] then 1 else 0`"),
    ("rad2deg", "show an angle in degrees: `output a = q in [deg]`"),
    ("radians", "an angle has its unit in brackets: `30 [deg]`"),
    ("rand", "a motion is repeatable; vary a parameter with `cardan sweep FILE --vary 'k=normal(1, 0.1)'`"),
    ("random", "a motion is repeatable; vary a parameter with `cardan sweep FILE --vary 'k=normal(1, 0.1)'`"),
    ("round", "write `floor(x + 1/2)`"),
    ("sat", "write `min(max(x, low), high)`"),
    ("saturate", "write `min(max(x, low), high)`"),
    ("saturation", "write `min(max(x, low), high)`"),
    ("sgn", "write `sign(x)`"),
    ("shf", "write `std.shf(x, x0, a, w, phi, b)`"),
    ("signum", "write `sign(x)`"),
    ("sind", "write `sin(30 [deg])`"),
    ("spline", "write a table: `table f(x) = spline { 0: 0, 1: 5, 2: 3 }`, then `f(x)`"),
    (
        "step",
        "a smooth step is `std.step(t, 0 [s], 0 [N], 1 [s], 5 [N])`, a sudden one `if t > 1 [s] then 5 [N] else 0 [N]`",
    ),
    ("step5", "write `std.step5(t, 0 [s], 0 [N], 1 [s], 5 [N])`"),
    ("tand", "write `tan(30 [deg])`"),
    ("vec", "components stand in round brackets: `(1, 0, 0)`, or in a frame: `N(1, 0, 0)`"),
    ("vector", "components stand in round brackets: `(1, 0, 0)`, or in a frame: `N(1, 0, 0)`"),
];

fn found(table: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    table.iter().find(|(foreign, _)| *foreign == word).map(|(_, own)| *own)
}

/// The joint that another program calls so.
pub fn joint(word: &str) -> Option<&'static str> {
    found(JOINTS, word)
}

/// The element or statement that another program calls so.
pub fn element(word: &str) -> Option<&'static str> {
    found(ELEMENTS, word)
}

/// What to write for a part that is no element of its own.
pub fn part(word: &str) -> Option<&'static str> {
    found(PARTS, word)
}

/// The property, of these, that another program calls so.
pub fn property(word: &str, known: &[&'static str]) -> Option<&'static str> {
    found(PROPERTIES, word).filter(|own| known.contains(own))
}

/// What to write instead of an argument of a joint.
pub fn argument(word: &str) -> Option<&'static str> {
    found(ARGUMENTS, word)
}

/// The function that gives what other programs call a part of a body or a point.
pub fn part_of_body(word: &str) -> Option<&'static str> {
    found(PARTS_OF_BODIES, word)
}

/// What to write instead of a function of another program.
pub fn function(word: &str) -> Option<&'static str> {
    found(FUNCTIONS, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_once_in_their_tables_and_mean_something_else() {
        for table in [JOINTS, ELEMENTS, PARTS, PROPERTIES, ARGUMENTS, PARTS_OF_BODIES, FUNCTIONS] {
            assert!(table.is_sorted_by(|a, b| a.0 < b.0), "{table:?}");
        }
        let builtins = crate::eval::functions::names();
        assert!(FUNCTIONS.iter().all(|(word, _)| !builtins.contains(word)));
        assert_eq!(joint("Hinge"), Some("revolute"));
        assert_eq!(property("k", &["stiffness", "length"]), Some("stiffness"));
        assert_eq!(property("k", &["mass"]), None);
    }
}
