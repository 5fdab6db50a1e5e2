//! The rates of constraint rows are the time derivatives of their positions, at any state and whatever carries the joint.

use cardan_base::Map;
use cardan_expr::{Expr, SymbolId};
use cardan_lang::compile_text;
use cardan_model::Model;

const BODIES: &str = "
body a on N by free(rotate = xyz, speeds = rates) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; point P = (0.1, 0.2, 0.3) [m] }
body b on N by free(rotate = zxz) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; point Q = (0.3, -0.1, 0.2) [m] }
function r(phi [rad]) [m] = 0.3 + 0.1 * cos(2*phi)
function h(x [m], y [m]) [m] = x*y/3 + sin(x)
";

/// Rows whose rate is that of the position everywhere, not only where the constraint holds.
const EXACT: &[&str] = &[
    "in_plane(a.P, b.Q, axis = y)",
    "on_line(a.P, b.Q, axis = (1, 1, 0))",
    "distance(a.P, b.Q, length = 0.7 [m])",
    "parallel(a.P, b.Q, axis = x)",
    "perpendicular(a.P, b.Q, axis = z, second = x)",
    "planar(a.P, b.Q, axis = z)",
    "cylindrical(a.P, b.Q, axis = x)",
    "angle(a.P, b.Q, axis = z, second = y, angle = 40 [deg])",
    "on_curve(a.P, b.Q, axis = y, radius = r)",
    "on_curve(a.P, b.Q, x = r, y = 0.2 [m], z = r)",
    "rolling(a.P, b.Q, radius = 0.2 [m])",
    "rolling(a.P, b.Q, radius = 0.2 [m], axis = y)",
    "rolling(a.P, b.Q, radius = 0.2 [m], axis = (1, 0, 1), tyre = 0.05 [m], normal = -x)",
    "rolling(a.P, b.Q, radius = 0.2 [m], surface = h)",
    "coupler(a.q1, a.q2, b.q3, factors = (1, 2, -3), value = 0.1 [m] * sin(t * 2 [rad/s]))",
];

fn value(model: &Model, e: Expr, at: &Map<SymbolId, f64>) -> f64 {
    model.space.pool().evaluate(e, &|s| at.get(&s).copied().unwrap_or(f64::NAN))
}

#[test]
fn rates_are_derivatives_of_positions() {
    let (mut n, mut k) = (0, 0.0f64);
    // Numbers between -1 and 1 without pattern, the same on every machine to rounding.
    let mut anything = || {
        k += 1.0;
        (k * k * 0.618_034 + k).sin()
    };
    for joint in EXACT {
        let compiled = compile_text("rates.mbs", &format!("{BODIES}joint j = {joint}\n"));
        let model = compiled.model.unwrap_or_else(|| panic!("{joint}: {:?}", compiled.diagnostics));
        let pool = model.space.pool();
        let symbols = model.coordinates.iter().map(|(_, q)| q.symbol);
        let symbols = symbols.chain(model.speeds.iter().map(|(_, u)| u.symbol)).chain([model.space.time()]);
        let symbols: Vec<SymbolId> = symbols.filter_map(|e| pool.as_symbol(e)).collect();
        for _ in 0..10 {
            let mut at: Map<SymbolId, f64> = symbols.iter().map(|s| (*s, anything())).collect();
            at.extend(pool.as_symbol(pool.pi()).map(|s| (s, std::f64::consts::PI)));
            for row in model.constraints.iter().flat_map(|(_, c)| &c.rows) {
                let Some(position) = row.position else { continue };
                let rate = value(&model, model.space.dt(position), &at);
                let given = value(&model, row.velocity, &at);
                assert!(
                    (rate - given).abs() < 1e-11 * (1.0 + rate.abs()),
                    "{joint}, {}: {rate} {given}",
                    row.what
                );
                n += 1;
            }
        }
    }
    assert!(n > 150, "{n} comparisons");
}
