//! Cycles, degrees and radians: what is said where they meet, and what is not.

use cardan_base::render;
use cardan_lang::compile_text;

/// Everything that is said about a text with a wheel on a pin.
fn said(statements: &str) -> String {
    let wheel = "body c on N by revolute(z, q = phi) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }";
    let text = format!("model m\n{wheel}\n{statements}");
    let compiled = compile_text("test.mbs", &text);
    compiled.diagnostics.iter().map(|d| render(d, &compiled.sources, false)).collect()
}

const FREQUENCY: &str = "parameter f = 2 [Hz]\n";

#[test]
fn cycles_are_not_taken_for_radians_in_silence() {
    let cases = [
        ("start { der(phi) = 1 [Hz] }", "write `1 [rev/s]`"),
        ("start { der(phi) = 3000 [1/min] }", "write `3000 [rpm]`"),
        ("parameter f = 2 [Hz]\nstart { der(phi) = f }", "write `2*pi*f`"),
        ("parameter n = 60 [rpm]\noutput d = n in [Hz]", "write `n/(2*pi)`"),
        ("output d = der(phi) in [Hz]", "write `der(phi)/(2*pi)`"),
        ("output d = (1 [Hz]) in [rpm]", "2 pi radians"),
        ("output d = 1 [Hz] + 1 [rad/s]", "write `1 [rev/s]`"),
        ("parameter f = 2 [Hz]\noutput d = if der(phi) > f then 1 else 0", "write `2*pi*f`"),
        ("parameter f = 2 [kHz]\noutput d = sin(f*t)", "write `2*pi*f*t`"),
        ("parameter f = 2 [Hz]\noutput d = cos(2*f*t + 30 [deg])", "write `2*pi*2*f*t`"),
        ("parameter f = 2 [Hz]\nvariable w = f\noutput d = sin(w*t)", "write `2*pi*w*t`"),
        ("parameter f = 2 [Hz]\nmotion m on phi = f*t", "a number of cycles is taken for an angle"),
        ("state p = 0 [rad]\nder(p) = 3000 [1/min]\noutput p", "write `3000 [rpm]`"),
        ("function g(w [rad/s]) = 2*w\noutput d = g(1 [Hz])", "write `1 [rev/s]`"),
        ("function g(f [Hz], s [s]) = sin(f*s)\noutput d = g(1 [Hz], 0.2 [s])", "write `2*pi*f*s`"),
        ("parameter w [rad/s] = 2 [Hz]\noutput w", "write `2 [rev/s]`"),
        (
            "parameter k = 1 [N/m], m = 1 [kg]\noutput d = sqrt(k/m) in [Hz]",
            "write `sqrt(k/m)/(2*pi)`, or the unit `[rad/s]`",
        ),
        (
            "parameter k = 1 [N/m], m = 1 [kg]\noutput d = (k/m)^(1/2) in [1/min]",
            "write `(k/m)^(1/2)/(2*pi)`",
        ),
        (
            "parameter g = 9.81 [m/s^2], L = 1 [m]\nvariable w = 2*sqrt(g/L)\noutput d = w in [Hz]",
            "write `w/(2*pi)`",
        ),
        ("parameter k = 1 [N/m], m = 1 [kg]\nparameter f [Hz] = sqrt(k/m)\noutput f", "radians per second"),
    ];
    for (statements, help) in cases {
        let found = said(statements);
        assert!(found.contains("warning[M036]") && found.contains(help), "{statements}\n{found}");
        assert_eq!(found.matches("M036").count(), 1, "{found}");
    }
    let strict = said("strict units\nstart { der(phi) = 1 [Hz] }");
    assert!(strict.contains("error[M036]"), "{strict}");
}

#[test]
fn what_is_converted_or_is_no_angle_is_left_alone() {
    let cases = [
        "output d = sin(2*pi*f*t)",
        "output d = sin(6.283*f*t)",
        "output d = 1/f",
        "output d = f*60",
        "output d = f in [kHz]",
        "parameter w = 2*pi*f\noutput d = sin(w*t)",
        "parameter w [rad/s] = 2*pi*f\noutput d = sin(w*t + 1 [rad])",
        "output d = der(phi)/(2*pi) in [Hz]",
        "output d = der(phi) in [rev/s]",
        "output d = sin(f*t*360 [deg])",
        "output d = exp(-f*t)",
        "start { der(phi) = 2*pi*f }",
        "output d = if f > 1 [1/s] then 1 else 0",
        "parameter k = 1 [N/m], m = 1 [kg]\noutput d = sin(sqrt(k/m)*t)",
        "output d = der(phi) in [1/s]",
        "output d = mod(f*t, 1)",
        "parameter k = 1 [N/m], m = 1 [kg]\noutput d = sqrt(k/m)/(2*pi) in [Hz]",
        "parameter k = 1 [N/m], m = 1 [kg]\noutput d = sqrt(k/m/(4*pi^2)) in [Hz]",
        "parameter k = 1 [N/m], m = 1 [kg]\nparameter w = sqrt(k/m)\noutput d = w in [rad/s], e = 1/w in [ms], n = w in [rpm]",
        "parameter k = 1 [N/m], m = 1 [kg]\nconstant turn = 2*pi\noutput d = sqrt(k/m)/turn in [Hz]",
        "parameter T = 2 [s], v = 1 [m/s], L = 1 [m]\noutput d = 1/T in [Hz], e = v/L in [Hz]",
        "parameter h = 3 [Hz]\noutput d = sqrt(f*h) in [Hz], e = sqrt(f^2 + h^2) in [Hz], g = (f*h)^0.5 in [Hz]",
        "parameter s = 4 [Hz^2]\noutput d = sqrt(s) in [Hz]",
        "parameter s = 4 [m^2/Hz], a = 1 [m^2/s]\noutput d = sqrt(s*a)/(1 [m^2]) * 1 [1/s] in [Hz]",
    ];
    for statements in cases {
        let said = said(&format!("{FREQUENCY}{statements}"));
        assert_eq!(said, "", "{statements}");
    }
}

#[test]
fn the_sine_of_a_number_of_degrees_is_doubted() {
    let cases = [
        ("function h(a [deg]) [N] = 3*sin(a)\noutput d = h(90 [deg])", "`sin(a * 1 [deg])`"),
        ("function h(a [deg]) [N] = 3*sin(a)\noutput d = h(90 [deg])", "`a [rad]` in the head"),
        (
            "function h(n [rpm], s [s]) = sin(n*s)\noutput d = h(60 [rpm], 0.25 [s])",
            "`n [rad/s]` in the head",
        ),
        ("function h(a [rev]) [N] = 3*cos(2*a)\noutput d = h(phi)", "`a [rad]` in the head"),
    ];
    for (statements, help) in cases {
        let said = said(statements);
        assert!(said.contains("warning[M037]") && said.contains(help), "{statements}\n{said}");
    }
    let fine = [
        "function h(a [deg]) [N] = 3*sin(a * 1 [deg])\noutput d = h(90 [deg])",
        "function h(a [rad]) [N] = 3*sin(a)\noutput d = h(90 [deg])",
        "function h(a [deg]) [N] = 3*sin(a*pi/180)\noutput d = h(90 [deg])",
        "function h(a [deg]) [N] = 3 [N]*sin(a)\noutput d = h(90 [deg])",
        "function h(a [deg]) [N] = 3*a^2\noutput d = h(90 [deg])",
        "function h(n [rad/s], s [s]) = sin(n*s)\noutput d = h(60 [rpm], 0.25 [s])",
    ];
    for statements in fine {
        assert_eq!(said(statements), "", "{statements}");
    }
}

#[test]
fn a_lead_per_turn_is_a_lead() {
    let advance = |joint: &str| {
        let body = "{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }";
        let text = format!("model m\nbody a on N by {joint} {body}\noutput z = dot(position(a.o), N.z)");
        let model = compile_text("test.mbs", &text).model.unwrap();
        let pool = model.space.pool();
        let (q, pi) = (model.coordinates.iter().next().unwrap().1.symbol, pool.pi());
        let [q, pi] = [q, pi].map(|e| pool.as_symbol(e));
        let turn = |s| if Some(s) == q { std::f64::consts::TAU } else { std::f64::consts::PI };
        assert!(pi.is_some() && q != pi);
        pool.evaluate(model.outputs[0].value, &turn)
    };
    for (lead, millimetres) in [("5 [mm]", 5.0), ("5 [mm/rev]", 5.0), ("1 [mm/rad]", std::f64::consts::TAU)] {
        let z = advance(&format!("screw(z, lead = {lead}, q = p)"));
        assert!((z - 1e-3 * millimetres).abs() < 1e-15, "{lead}: {z}");
    }
}

#[test]
fn a_start_value_is_given_once() {
    for again in ["phi = 2 [rad]", "c.q = 2 [rad]", "phi ~ 2 [rad]"] {
        let said = said(&format!("start {{ phi = 1 [rad]; {again} }}"));
        assert!(said.contains("error[M002]") && said.contains("two start values"), "{again}\n{said}");
    }
    for text in [
        "start { phi = 1 [rad] }\nstart { phi = 1 [rad] }",
        "start { der(phi) = 1 [rad/s]; c.u = 2 [rad/s] }",
        "state z = 1\nder(z) = -z/(1 [s])\nstart { z = 2; z = 3 }",
    ] {
        assert!(said(text).contains("error[M002]"), "{text}");
    }
    assert_eq!(said("start { phi = 1 [rad]; der(phi) = 1 [rad/s] }"), "");
}

#[test]
fn a_bare_angle_of_more_than_a_turn_is_doubted() {
    let degrees = said("start { phi = 90 }");
    assert!(degrees.contains("warning[M006]") && degrees.contains("write `90 [deg]`"), "{degrees}");
    for fine in ["1.57", "90 [deg]", "9 [rad]", "5*pi/2", "-6"] {
        assert_eq!(said(&format!("start {{ phi = {fine} }}")), "", "{fine}");
    }
    let strict = said("strict units\nstart { phi = 1.5 }");
    assert!(strict.contains("error[M006]") && strict.contains("write `1.5 [rad]`"), "{strict}");
    assert_eq!(said("strict units\nstart { phi = pi/2 }"), "");
}
