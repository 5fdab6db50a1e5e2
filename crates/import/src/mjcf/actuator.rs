//! Actuators: inputs and the forces that they make.
//!
//! ```text
//! [force]        f = (g0 + g1 l + g2 l̇) x + b0 + b1 l + b2 l̇      l = gear × length of joint or tendon
//! [activation]   x = ctrl,  or  ẋ = ctrl (integrator),  or  ẋ = (ctrl - x) / τ (filter)
//! ```
//!
//! The input `ctrl` is a parameter that is zero unless set.

use std::collections::BTreeMap;

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Expr, Rational};
use cardan_model::Quantity;
use cardan_units::Dimension;

use super::build::Mechanism;
use super::defaults::{ACTUATORS, Defaults, KIND, Resolved};
use super::settings::Settings;
use super::tendon::{Tendon, no_joint};
use crate::assembly::Assembly;
use crate::codes;
use crate::findings::Findings;
use crate::number::word;
use crate::xml::Element;

/// How activation follows from the input.
enum Dynamics {
    Direct,
    Integrator,
    Filter(Rational),
}

/// Coefficients of [force].
struct Law {
    gain: [Rational; 3],
    bias: [Rational; 3],
    dynamics: Dynamics,
}

pub(super) fn add(
    root: &Element,
    defaults: &Defaults,
    mechanism: &Mechanism,
    tendons: &BTreeMap<String, Tendon>,
    settings: &Settings,
    assembly: &mut Assembly<'_>,
) {
    let elements = root.named("actuator").flat_map(|a| &a.children);
    for (k, e) in elements.enumerate() {
        if !ACTUATORS.contains(&e.name.as_str()) {
            super::unknown(e, root, &mut assembly.findings);
            continue;
        }
        let attributes = defaults.resolve(e, None, &mut assembly.findings);
        let name = e.value("name").map_or_else(|| format!("actuator{}", k + 1), str::to_string);
        let Some(length) = transmission(&attributes, &name, mechanism, tendons, assembly) else { continue };
        let Some(law) = law(&attributes, &name, assembly) else { continue };
        add_force(&name, &law, &length, e.span, assembly);
        report_ranges(&attributes, settings, assembly);
    }
}

fn left_out(name: &str, why: &str, span: Span, assembly: &mut Assembly<'_>) {
    let found =
        Diagnostic::warning(codes::LEFT_OUT, format!("the actuator `{name}` is left out")).at(span, why);
    assembly.findings.doubtful(found.hint("add its force to the model as a load with an input parameter"));
}

/// What the actuator pulls at.
fn transmission(
    e: &Resolved<'_>,
    name: &str,
    mechanism: &Mechanism,
    tendons: &BTreeMap<String, Tendon>,
    assembly: &mut Assembly<'_>,
) -> Option<Tendon> {
    let gear = e.list("gear", &mut assembly.findings).and_then(|g| g.into_iter().next());
    let gear = assembly.pool().number(gear.unwrap_or(Rational::ONE));
    if let Some(a) = e.first_of(&["joint", "jointinparent"]) {
        return match Tendon::of_joint(mechanism, &a.value, assembly) {
            Some(length) => Some(length.scaled(gear, assembly)),
            None if mechanism.joints.contains_key(&a.value) => {
                left_out(name, "it drives a joint with several coordinates", a.span, assembly);
                None
            }
            None => {
                assembly.findings.push(no_joint(&a.value, a.span, mechanism));
                None
            }
        };
    }
    match e.attribute("tendon").map(|a| (tendons.get(&a.value), a.span)) {
        Some((Some(tendon), _)) => Some(tendon.scaled(gear, assembly)),
        Some((None, span)) => {
            left_out(name, "its tendon is not part of the model", span, assembly);
            None
        }
        None => {
            left_out(name, "it acts neither on a joint nor on a tendon", e.element.span, assembly);
            None
        }
    }
}

fn law(e: &Resolved<'_>, name: &str, assembly: &mut Assembly<'_>) -> Option<Law> {
    let zero = || [0; 3].map(Rational::int);
    let one = |r: Rational| [r, Rational::ZERO, Rational::ZERO];
    let span = e.element.span;
    let findings = &mut assembly.findings;
    let kind = match e.element.name.as_str() {
        // A `general` actuator acts as the shortcut with which its class was written.
        "general" => e.value(KIND).unwrap_or("general"),
        kind => kind,
    };
    let number = |name: &str, default: i64, findings: &mut _| -> Rational {
        e.scalar(name, findings).unwrap_or(Rational::int(default))
    };
    let mut law = Law { gain: one(Rational::ONE), bias: zero(), dynamics: Dynamics::Direct };
    // A shortcut changes what a class says of `general` actuators in some places, and leaves it in others.
    let inherited = |name: &str, findings: &mut _| e.list(name, findings).unwrap_or_default();
    let gain = inherited("gainprm", findings).first().cloned().unwrap_or(Rational::ONE);
    let spring = |findings: &mut Findings| {
        let kp = e.scalar("kp", findings).unwrap_or_else(|| gain.clone());
        let bias = inherited("biasprm", findings);
        let of = |k: usize| bias.get(k).cloned().unwrap_or(Rational::ZERO);
        let kv = e.scalar("kv", findings).map_or_else(|| of(2), |kv| kv.neg());
        (one(kp.clone()), [of(0), kp.neg(), kv])
    };
    match kind {
        "motor" => {}
        "position" => {
            (law.gain, law.bias) = spring(findings);
            if e.attribute("dampratio").is_some_and(|a| a.value.trim() != "0") {
                left_out(name, "its damping is given as a ratio", span, assembly);
                return None;
            }
            let constant = number("timeconst", 0, findings);
            if !constant.is_zero() {
                law.dynamics = Dynamics::Filter(constant);
            }
        }
        "velocity" => {
            let kv = e.scalar("kv", findings).unwrap_or_else(|| gain.clone());
            law.gain = one(kv.clone());
            law.bias = [Rational::ZERO, Rational::ZERO, kv.neg()];
        }
        "intvelocity" => {
            (law.gain, law.bias) = spring(findings);
            law.dynamics = Dynamics::Integrator;
        }
        "damper" => law.gain = [Rational::ZERO, Rational::ZERO, number("kv", 1, findings).neg()],
        "general" => return general(e, name, law, assembly),
        _ => {
            left_out(name, "actuators of this kind are not part of the model", span, assembly);
            return None;
        }
    }
    Some(law)
}

fn general(e: &Resolved<'_>, name: &str, mut law: Law, assembly: &mut Assembly<'_>) -> Option<Law> {
    let span = e.element.span;
    let findings = &mut assembly.findings;
    let first = |name: &str, n: usize, findings: &mut _| -> Option<[Rational; 3]> {
        let v = e.list(name, findings)?;
        Some([0, 1, 2].map(|k| v.get(k).filter(|_| k < n).cloned().unwrap_or(Rational::ZERO)))
    };
    let choice = |name: &str, choices: &[&'static str], findings: &mut _| -> Option<&'static str> {
        e.attribute(name).map_or(Some(choices[0]), |a| word(a, choices, findings))
    };
    let gain = choice("gaintype", &["fixed", "affine", "muscle", "dcmotor", "user"], findings)?;
    let bias = choice("biastype", &["none", "affine", "muscle", "dcmotor", "user"], findings)?;
    let dynamics = choice(
        "dyntype",
        &["none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "user"],
        findings,
    )?;
    let constant = e.list("dynprm", findings).and_then(|v| v.into_iter().next()).unwrap_or(Rational::ONE);
    if let Some(g) = first("gainprm", if gain == "affine" { 3 } else { 1 }, findings) {
        law.gain = g;
    }
    if let (Some(b), "affine") = (first("biasprm", 3, findings), bias) {
        law.bias = b;
    }
    law.dynamics = match dynamics {
        "integrator" => Dynamics::Integrator,
        "filter" | "filterexact" if constant.to_f64() > 0.0 => Dynamics::Filter(constant),
        _ => Dynamics::Direct,
    };
    let special = [gain, bias, dynamics].into_iter().any(|w| ["muscle", "dcmotor", "user"].contains(&w));
    if special {
        left_out(name, "its law is not a sum of lengths and rates", span, assembly);
        return None;
    }
    Some(law)
}

/// [force] with [activation].
fn add_force(name: &str, law: &Law, length: &Tendon, span: Span, assembly: &mut Assembly<'_>) {
    let mut quantity = Quantity::new(format!("{name}.ctrl"), Dimension::ONE);
    quantity.description = format!("Input of the actuator {name}");
    quantity.span = Some(span);
    let zero = assembly.pool().zero();
    let id = assembly.builder.add_parameter(quantity, Some(zero));
    let control = assembly.builder.model().parameters[id].symbol;
    let x = match &law.dynamics {
        Dynamics::Direct => control,
        other => {
            let quantity = Quantity::new(format!("{name}.act"), Dimension::ONE);
            let state = assembly.builder.add_state(quantity, zero);
            let x = assembly.builder.model().states[state].symbol;
            let pool = assembly.pool();
            let rate = match other {
                Dynamics::Filter(constant) => {
                    let over = constant.recip().unwrap_or(Rational::ONE);
                    pool.scale(over, pool.sub(control, x))
                }
                _ => control,
            };
            assembly.builder.set_state_rate(state, rate);
            x
        }
    };
    let pool = assembly.pool();
    let line = |c: &[Rational; 3]| -> Expr {
        pool.sum([
            pool.number(c[0].clone()),
            pool.scale(c[1].clone(), length.length),
            pool.scale(c[2].clone(), length.rate),
        ])
    };
    let force = pool.add(pool.mul(line(&law.gain), x), line(&law.bias));
    length.pull(&format!("{name}.force"), force, None, span, assembly);
}

/// Ranges that MuJoCo would clamp inputs and forces to.
fn report_ranges(e: &Resolved<'_>, settings: &Settings, assembly: &mut Assembly<'_>) {
    for (range, flag) in
        [("ctrlrange", "ctrllimited"), ("forcerange", "forcelimited"), ("actrange", "actlimited")]
    {
        let limited = match e.value(flag).map(str::trim) {
            Some("true") => true,
            Some("false") => false,
            _ => settings.auto_limits,
        };
        if let (Some(a), true) = (e.attribute(range), limited) {
            let one =
                Diagnostic::note(codes::LEFT_OUT, format!("the `{range}` of an actuator is not enforced"))
                    .at(a.span, "values beyond it are taken as they are")
                    .hint("keep inputs within the range, or clamp them in the model");
            assembly.findings.tally(one, &format!("the `{range}` of {{n}} actuators is not enforced"));
        }
    }
}
