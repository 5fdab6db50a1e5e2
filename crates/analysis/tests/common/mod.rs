//! Models from texts, ready for questions.

#![allow(dead_code, clippy::unwrap_used, reason = "each test uses some of it; what fails fails the test")]

use cardan_analysis::{Study, free_parameters};
use cardan_base::render;
use cardan_compile::{Choice, choose};
use cardan_model::Model;

pub fn model(text: &str) -> Model {
    let compiled = cardan_lang::compile_text("test", text);
    let said: String = compiled.diagnostics.iter().map(|d| render(d, &compiled.sources, false)).collect();
    assert!(!compiled.diagnostics.has_errors(), "{said}");
    compiled.model.unwrap()
}

pub fn choice(text: &str, inputs: &[&str]) -> Choice {
    let mut model = model(text);
    let names: Vec<String> = inputs.iter().map(|n| n.to_string()).collect();
    let free = free_parameters(&model, &names).unwrap();
    model.set_parameters(free);
    choose(&model, None).unwrap()
}

pub fn study(text: &str, inputs: &[&str]) -> Study {
    let names: Vec<String> = inputs.iter().map(|n| n.to_string()).collect();
    Study::of(&choice(text, inputs), &names).unwrap()
}

/// The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab (2007): knife-edge wheels on a plane, x forward, z down.
pub const BICYCLE: &str = "
model bicycle
parameter v = 5 [m/s], rR = 0.3 [m], rF = 0.35 [m], w = 1.02 [m], c = 0.08 [m], tilt = pi/10
gravity = 9.81 [m/s^2] * N.z

frame heading on N by translate(x = x, y = y) rotate(z = psi)
frame lean on heading by rotate(x = phi)
body rear on lean by rotate(y = theta) at (0, 0, -rR) {
  mass = 85 [kg]; inertia = (9.2, 11, 2.8, 0, 2.4, 0) [kg*m^2]; center = (0.3, 0, -0.6) [m]
}
body rear_wheel on lean by rotate(y = theta_R) at (0, 0, -rR) { mass = 2 [kg]; inertia = (0.0603, 0.12, 0.0603) [kg*m^2] }
body front on rear by revolute((sin(tilt), 0, cos(tilt)), q = delta) at (w + c, 0, rR) {
  mass = 4 [kg]; inertia = (0.05892, 0.06, 0.00708, 0, -0.00756, 0) [kg*m^2]; center = (0.9 [m] - w - c, 0, -0.7 [m])
  point hub = (-c, 0, -rF)
}
body front_wheel on front by rotate(y = theta_F) at front.hub { mass = 3 [kg]; inertia = (0.1405, 0.28, 0.1405) [kg*m^2] }

variable across = dot(N.z, front.y)
variable down = sqrt(1 - across^2)
constraint height = dot(position(N.o, front_wheel.o), N.z) + rF * down
constraint rear_x = dot(velocity(rear_wheel.o) + cross(omega(rear_wheel), rR * lean.z), heading.x)
constraint rear_y = dot(velocity(rear_wheel.o) + cross(omega(rear_wheel), rR * lean.z), heading.y)
constraint front_x = dot(velocity(front_wheel.o) + cross(omega(front_wheel), rF / down * (N.z - across * front.y)), heading.x)
constraint front_y = dot(velocity(front_wheel.o) + cross(omega(front_wheel), rF / down * (N.z - across * front.y)), heading.y)
start { der(theta_R) = -v / rR; der(theta_F) = -v / rF; der(x) = v }
";
