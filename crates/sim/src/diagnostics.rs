//! What is wrong with a mechanism as a whole, with codes, places in its text and help.
//!
//! A text may be sound, word by word, and still describe a mechanism that cannot be put together or cannot move. Each code has a page
//! `docs/errors/K0xx.md`.

use cardan_base::{Code, Diagnostic, Diagnostics};
use cardan_equations::Failure;
use cardan_model::{
    Body, ConstraintKind, ElementKind, Given, Joint, Model, Parameter, PropertyValue, Speed, SpeedId,
};
use cardan_program::Host;
use cardan_units::Dimension;

use crate::loop_check::too_long;
use crate::monitors::redundancy_loss::Parting;
use crate::settings_check::examine_settings;
use crate::simulation::{Simulation, StartError};
use cardan_assembly::assemble::RowName;
use cardan_assembly::assembly_error::{AssemblyError, OpenLoop};
use cardan_assembly::bifurcation::{Fork, Way};
use cardan_assembly::constraint_system::assembled;
use cardan_assembly::parameter_values::ParameterValues;
use cardan_compile::checks::mass_properties::implausible;
use cardan_compile::checks::singular_mass::free_without_mass;
use cardan_compile::checks::undefined_loads::{UNDEFINED, undefined_load};
use cardan_compile::formalism_selection::{ChoiceError, choose};
use cardan_jit::EngineKind;

/// A loop that cannot be closed.
pub const OPEN: Code = Code("K001");
/// Constraints that contradict one another.
pub const CONTRADICTION: Code = Code("K002");
/// Values given for the start that no closed position has.
pub const FIGHT: Code = Code("K003");
/// A motion that nothing resists.
pub const NO_INERTIA: Code = Code("K004");
/// A mass or inertia that is not positive.
pub const NOT_POSITIVE: Code = Code("K005");
/// An inertia that no matter has.
pub const TRIANGLE: Code = Code("K006");
/// Constraints that repeat others at the start and part from them.
pub const PARTING: Code = Code("K007");
/// A start from which a mechanism can go on in more than one way.
pub const FORK: Code = Code("K008");
/// A parameter outside the range that its text gives.
pub const OUT_OF_RANGE: Code = Code("K010");

/// A constraint whose gradient vanishes where it holds.
pub const AIMLESS: Code = Code("K012");

/// A setting that no run can have.
pub const SETTING: Code = Code("K013");
/// A setting that does nothing.
pub const IDLE_SETTING: Code = Code("K014");

/// A contact with a coefficient that no material has.
pub const CONTACT: Code = Code("K015");

/// Every code with its title, which heads its page.
pub const ALL: &[(Code, &str)] = &[
    (OPEN, "a loop that cannot be closed"),
    (CONTRADICTION, "constraints that contradict one another"),
    (FIGHT, "values for the start that fight with the constraints"),
    (NO_INERTIA, "a motion that nothing resists"),
    (NOT_POSITIVE, "a mass or inertia that is not positive"),
    (TRIANGLE, "an inertia that no matter has"),
    (PARTING, "constraints that part along the motion"),
    (FORK, "a start in a singular position"),
    (OUT_OF_RANGE, "a parameter outside its range"),
    (UNDEFINED, "a load that has no value at the start"),
    (AIMLESS, "a constraint without a direction"),
    (SETTING, "a setting that no run can have"),
    (IDLE_SETTING, "a setting that does nothing"),
    (CONTACT, "a contact with an impossible coefficient"),
];

/// All that is wrong with a mechanism at the values of its parameters.
pub fn examine(model: &Model) -> Diagnostics {
    let model = &model.clone();
    let mut found = examine_settings(model);
    found.append(examine_matter(model));
    if found.has_errors() {
        return found;
    }
    match assembled(model) {
        Err(error) => {
            if let Some(d) = diagnose(model, &error.into()) {
                found.push(d);
            }
        }
        Ok(start) => {
            if let Some(fork) = start.as_ref().and_then(|a| a.fork.as_ref()) {
                found.append(examine_fork(model, fork));
            }
            let state = start.map(|a| a.state);
            if let Some(d) = undefined_load(model, state.as_deref()) {
                found.push(d);
            }
            // Where nothing has mass, only the geometry is meant.
            let pool = model.space.pool();
            let matter = model.bodies.iter().any(|(_, b)| !pool.is_zero(b.mass));
            if let Some(speed) = free_without_mass(model, state.as_deref()).filter(|_| matter) {
                found.push(no_inertia(model, speed));
            }
        }
    }
    found
}

/// What is wrong with the values of parameters, with masses and inertias.
pub fn examine_matter(model: &Model) -> Diagnostics {
    let mut found = Diagnostics::new();
    let values = ParameterValues::of(model);
    out_of_range(model, &values).into_iter().for_each(|d| found.push(d));
    for doubt in implausible(model, &values) {
        let body = &model.bodies[doubt.body];
        let d = if doubt.impossible {
            Diagnostic::error(NOT_POSITIVE, doubt.sentence)
                .because("a motion with it could have negative energy")
                .hint("look at the signs: `mass = 1 [kg]; inertia = (xx, yy, zz, xy, xz, yz)`, products are -∫xy dm")
        } else {
            Diagnostic::warning(TRIANGLE, doubt.sentence)
                .because("the motion is computed with it all the same")
                .hint("look at the units, and whether it is meant about the mass centre")
        };
        found.push(match body.span {
            Some(span) => d.at(span, ""),
            None => d,
        });
    }
    impossible_contacts(model, &values).into_iter().for_each(|d| found.push(d));
    found
}

/// Properties of contacts with the bounds between which they are, and why.
const BOUNDS: [(&str, f64, f64, &str); 6] = [
    ("friction", 0.0, f64::INFINITY, "friction would drive what slides"),
    ("static_friction", 0.0, f64::INFINITY, "friction would drive what rests"),
    ("restitution", 0.0, 1.0, "an impact would bring energy, or the bodies would go on into one another"),
    ("tangential_restitution", -1.0, 1.0, "an impact would bring energy"),
    ("stiffness", 0.0, f64::INFINITY, "the contact would pull"),
    ("damping", 0.0, f64::INFINITY, "the contact would bring energy"),
];

/// Contacts whose coefficients, as far as they are known before a motion, are impossible.
fn impossible_contacts(model: &Model, values: &ParameterValues) -> Vec<Diagnostic> {
    let contacts = model.elements.iter().filter(|(_, e)| e.kind == ElementKind::Contact);
    let mut found = vec![];
    for (_, contact) in contacts {
        for (name, least, most, why) in BOUNDS {
            let given = contact.properties.iter().find(|p| p.name == name).map(|p| &p.value);
            let Some(PropertyValue::Scalar(e)) = given else { continue };
            let value = values.evaluate(model, *e);
            // What is not known before a motion is not a number here.
            if !(value < least || value > most) {
                continue;
            }
            let (bound, hint) = match value < least {
                true => (format!("less than {least}"), format!("give a number from {least} on")),
                false => (format!("more than {most}"), format!("give a number from {least} to {most}")),
            };
            let sentence =
                format!("the {} of `{}` is {bound}: {value}", name.replace('_', " "), contact.name);
            let d = Diagnostic::error(CONTACT, sentence).because(why).hint(hint);
            found.push(match contact.span {
                Some(span) => d.at(span, ""),
                None => d,
            });
        }
    }
    found
}

/// What is wrong with a start in a singular position: an error where the motion cannot begin, a warning where nothing says which way
/// it goes.
fn examine_fork(model: &Model, fork: &Fork) -> Diagnostics {
    let mut found = Diagnostics::new();
    let Ok(choice) = choose(model, None) else { return found };
    let made = Simulation::of(&choice, EngineKind::Interpreter, Host::new());
    let Ok(simulation) = made else { return found };
    match simulation.begins(0.0) {
        Err(StartError::Fork(fork)) => found.push(forked(model, &fork, true)),
        Ok(()) if fork.way != Way::Told => found.push(forked(model, fork, false)),
        _ => {}
    }
    found
}

/// The finding behind a motion that does not begin, if it is one about the mechanism.
pub fn diagnose_start(model: &Model, error: &StartError) -> Option<Diagnostic> {
    match error {
        StartError::Fork(fork) => Some(forked(model, fork, true)),
        StartError::Assembly(error) => diagnose(model, &ChoiceError::Assembly(error.clone())),
        StartError::NotFinite { .. } => undefined_load(model, None).or_else(|| unresisted_at_start(model)),
        _ => None,
    }
}

/// A motion that mass resists elsewhere, and not where it starts.
fn unresisted_at_start(model: &Model) -> Option<Diagnostic> {
    let speed = free_without_mass(model, None)?;
    Some(
        no_inertia(model, speed)
            .because("so it is in the position of the start; in another one it may have some"),
    )
}

/// The finding behind a motion that ended because constraints parted.
pub fn diagnose_parting(model: &Model, parting: &Parting) -> Diagnostic {
    let RowName { constraint, what, .. } = &parting.row;
    let mut d = Diagnostic::error(PARTING, parting.to_string());
    d = at_constraint(model, d, constraint, &format!("open by {}", parting.size()), true);
    for other in &parting.others {
        d = at_constraint(model, d, other, "repeated this until then", false);
    }
    d = d.because(format!("at the start {what} follows from {}, and later it does not", parting.against()));
    d.hint(format!("remove `{constraint}`, or make it follow from the others in every position"))
}

fn forked(model: &Model, fork: &Fork, is_error: bool) -> Diagnostic {
    let message = fork.to_string();
    let mut d = if is_error { Diagnostic::error(FORK, message) } else { Diagnostic::warning(FORK, message) };
    for (k, constraint) in fork.constraints.iter().enumerate() {
        d = at_constraint(model, d, constraint, "repeats itself or others in this position", k == 0);
    }
    let d =
        d.because(format!("{} can move; such a position is one with all bars in one line", fork.movers()));
    let speeds: Vec<String> = fork.free.iter().take(2).map(|(q, ..)| format!("der({q}) = …")).collect();
    let speeds = format!("`start {{ {} }}`", speeds.join("; "));
    d.hint(match fork.beside() {
        Some(beside) => {
            let others: Vec<String> = fork.free.iter().skip(1).map(|(q, ..)| format!("`{q} ~ …`")).collect();
            let others = match others.is_empty() {
                true => String::new(),
                false => format!(" with the others as guesses, {},", others.join(", ")),
            };
            format!("start a little beside it, `{beside}`{others} or give the speeds of one way: {speeds}")
        }
        None => format!("start a little beside it, or give the speeds of one way: {speeds}"),
    })
}

/// Parameters with values outside the ranges that were declared for them.
fn out_of_range(model: &Model, values: &ParameterValues) -> Vec<Diagnostic> {
    let finding = |p: &Parameter| {
        let [low, high] = p.range?.map(|e| values.evaluate(model, e));
        let value = values.evaluate(model, p.symbol);
        // Slack for conversions of units; nothing is said of values that are not known.
        let slack = 1e-12 * low.abs().max(high.abs());
        if !(value < low - slack || value > high + slack) {
            return None;
        }
        let (name, unit) = (&p.quantity.name, p.quantity.dimension.to_string());
        let unit = if unit == "1" { String::new() } else { format!(" {unit}") };
        let sentence = format!("`{name}` is {value}{unit}, outside its range {low} .. {high}{unit}");
        let d = Diagnostic::warning(OUT_OF_RANGE, sentence).because("it is used all the same");
        let d = d.hint(format!(
            "give it a value in the range, `--set {name}={}`, or widen the range",
            value.clamp(low.min(high), high.max(low))
        ));
        Some(match p.quantity.span {
            Some(span) => d.at(span, ""),
            None => d,
        })
    };
    model.parameters.iter().filter_map(|(_, p)| finding(p)).collect()
}

/// The finding behind an error of compilation, if it is one about the mechanism.
pub fn diagnose(model: &Model, error: &ChoiceError) -> Option<Diagnostic> {
    match error {
        ChoiceError::Assembly(AssemblyError::Open(open)) => Some(open_loop(model, open, error)),
        ChoiceError::Assembly(AssemblyError::Velocity(open)) => Some(no_motion(model, open)),
        ChoiceError::Assembly(AssemblyError::Aimless(row)) => Some(without_direction(model, row)),
        ChoiceError::NoFormalism(considered) => {
            let reasons: Vec<&String> = considered.iter().filter_map(|c| c.result.as_ref().err()).collect();
            let named = |(id, _): (SpeedId, &Speed)| {
                reasons.contains(&&Failure::NoInertia(id).message(model)).then_some(id)
            };
            model.speeds.iter().find_map(named).map(|speed| no_inertia(model, speed))
        }
        _ => None,
    }
}

fn at_constraint(model: &Model, d: Diagnostic, name: &str, text: &str, primary: bool) -> Diagnostic {
    let span = model.constraints.iter().find(|(_, c)| c.name == name).and_then(|(_, c)| c.span);
    match span {
        Some(span) if primary => d.at(span, text),
        Some(span) => d.also(span, text),
        None => d,
    }
}

fn at_quantity(model: &Model, d: Diagnostic, name: &str, text: &str) -> Diagnostic {
    let coordinates = model.coordinates.iter().map(|(_, q)| &q.quantity);
    let all = coordinates.chain(model.speeds.iter().map(|(_, u)| &u.quantity));
    match all.filter(|q| q.name == name).find_map(|q| q.span) {
        Some(span) => d.also(span, text),
        None => d,
    }
}

fn without_direction(model: &Model, row: &RowName) -> Diagnostic {
    let RowName { constraint, what, .. } = row;
    let message = format!("`{constraint}` has no direction where it holds, so that nothing can keep it");
    let d = at_constraint(model, Diagnostic::error(AIMLESS, message), constraint, what, true);
    let d =
        d.because("to first order no coordinate changes it there, as it is with a square that must vanish");
    let angle =
        model.constraints.iter().any(|(_, c)| c.name == *constraint && c.kind == ConstraintKind::Angle);
    d.hint(match angle {
        true => format!("an angle of 0 or of half a turn is `joint {constraint} = parallel(…, axis = …)`"),
        false => "write what is to vanish in place of its square or length, `a - b` for `(a - b)^2`; where it has a direction elsewhere, start \
                  there with a value in `start { }`"
            .into(),
    })
}

fn open_loop(model: &Model, open: &OpenLoop, error: &ChoiceError) -> Diagnostic {
    let RowName { constraint, what, through, .. } = &open.row;
    let size = open.size();
    let iterations = format!("after {} nothing more is gained", open.effort());
    let sides = too_long(model, constraint);
    if !open.held.is_empty() && sides.is_none() {
        let message = format!("`{constraint}` cannot be closed with the values given for the start");
        let mut d = Diagnostic::error(FIGHT, message);
        d = at_constraint(model, d, constraint, &format!("open by {size}"), true);
        for fight in &open.held {
            d = at_quantity(model, d, &fight.name, &fight.to_string());
        }
        let loops = if through.is_empty() {
            String::new()
        } else {
            format!("the loop goes through {}; ", through.join(", "))
        };
        let first = &open.held[0];
        let d = d.because(format!("{loops}{what} is open, {iterations}"));
        return d.hint(format!(
            "relax one of them: write `{} ~ …`, which is a guess, instead of `=`",
            first.name
        ));
    }
    if open.parties.len() > 1 && sides.is_none() && (open.driven || through.is_empty()) {
        let message = format!("`{constraint}` contradicts {}", open.others());
        let mut d = Diagnostic::error(CONTRADICTION, message);
        d = at_constraint(model, d, constraint, &format!("open by {size}"), true);
        for other in open.parties.iter().filter(|p| *p != constraint) {
            d = at_constraint(model, d, other, "and this cannot hold together with it", false);
        }
        let d = d.because(format!("{what} stays open, {iterations}"));
        return d.hint(format!("remove `{constraint}` or {}: both cannot hold", open.others()));
    }
    if through.is_empty() {
        let d = Diagnostic::error(OPEN, error.to_string());
        let d = at_constraint(model, d, constraint, &format!("open by {size}"), true);
        let guess = guess_of(model, &[]);
        return d.hint(format!(
            "look at what it asks for, or start nearer to where it holds: `start {{ {guess} }}`"
        ));
    }
    let message = format!("the loop through {} cannot be closed", through.join(", "));
    let d = Diagnostic::error(OPEN, message);
    let d = at_constraint(model, d, constraint, &format!("a gap of {size} is left"), true);
    let d = d.because(format!("{what} is open, {iterations}"));
    let d = match open.others() {
        others if others.is_empty() => d,
        others => d.because(format!("it cannot be met together with {others}")),
    };
    let guess = guess_of(model, through);
    match sides {
        Some(sides) => d.because(sides.to_string()).hint(sides.advice()),
        None => d.hint(format!(
            "look at the lengths and axes along this loop, or start nearer to where it closes: `start {{ {guess} }}`"
        )),
    }
}

/// A guess for a coordinate of the named bodies that no value is given for, as it is written in `start`.
pub fn guess_of(model: &Model, bodies: &[String]) -> String {
    let is_near = |b: &Body| bodies.is_empty() || bodies.contains(&b.name);
    let joints = model.bodies.iter().filter(|(_, b)| is_near(b)).filter_map(|(_, b)| b.joint);
    let near: Vec<_> = joints.flat_map(|j| model.joints[j].coordinates.iter().copied()).collect();
    let open = near.iter().find(|q| model.coordinates[**q].given == Given::Nothing);
    let first = open.or(near.first()).copied().or_else(|| model.coordinates.ids().next());
    let Some(q) = first.map(|q| &model.coordinates[q].quantity) else { return "… ~ …".into() };
    let value = if q.dimension == Dimension::LENGTH { "0.1 [m]" } else { "30 [deg]" };
    format!("{} ~ {value}", q.name)
}

fn no_motion(model: &Model, open: &OpenLoop) -> Diagnostic {
    let RowName { constraint, what, .. } = &open.row;
    let rate = format!("off by {}", open.size());
    if !open.held.is_empty() {
        let message = format!("no motion satisfies `{constraint}` with the speeds given for the start");
        let mut d = at_constraint(model, Diagnostic::error(FIGHT, message), constraint, &rate, true);
        for fight in &open.held {
            d = at_quantity(model, d, &fight.name, &fight.to_string());
        }
        let d = d.because(format!("{what} would change"));
        return d.hint(format!("relax one of them: write `{} ~ …`, which is a guess", open.held[0].name));
    }
    let message = match open.others() {
        others if others.is_empty() => format!("no motion satisfies `{constraint}`"),
        others => format!("`{constraint}` contradicts {others}"),
    };
    let mut d = at_constraint(model, Diagnostic::error(CONTRADICTION, message), constraint, &rate, true);
    for other in open.parties.iter().filter(|p| *p != constraint) {
        d = at_constraint(model, d, other, "and this cannot hold together with it", false);
    }
    let d = d.because(format!("{what} agrees at the start, and not after it"));
    let help = match open.others() {
        others if others.is_empty() => format!("remove `{constraint}`, or let it move with what it holds"),
        others => format!("remove `{constraint}` or {others}: what one holds still, the other moves"),
    };
    d.hint(help)
}

/// The nearest body without mass that moves and carries this one.
fn massless_before<'m>(model: &'m Model, body: &Body) -> Option<&'m Body> {
    let mut frame = model.joints[body.joint?].parent;
    loop {
        let carrier = model.bodies.iter().map(|(_, b)| b).find(|b| b.frame == frame);
        let moves = |b: &&Body| b.joint.is_some_and(|j| !model.joints[j].coordinates.is_empty());
        if let Some(idle) = carrier.filter(moves) {
            return Some(idle).filter(|b| b.is_massless(&model.space));
        }
        frame = model.space.frame(frame).parent?;
    }
}

fn no_inertia(model: &Model, speed: SpeedId) -> Diagnostic {
    let u = &model.speeds[speed];
    let moves = |joint: &Joint| {
        joint.coordinates.iter().any(|q| {
            let rate = model.coordinates[*q].rate;
            let pool = model.space.pool();
            pool.as_symbol(u.symbol).is_some_and(|s| pool.contains(rate, s))
        })
    };
    let joint = model.joints.iter().find(|(_, j)| moves(j)).map(|(id, _)| id);
    let body = joint.and_then(|j| model.bodies.iter().find(|(_, b)| b.joint == Some(j))).map(|(_, b)| b);
    // A body with mass is not to blame for what a massless one before it can undo.
    let idle = body.filter(|b| !b.is_massless(&model.space)).and_then(|b| massless_before(model, b));
    if let (Some(body), Some(idle)) = (body, idle) {
        let message =
            format!("no mass or inertia resists the motion of `{}` against `{}`", idle.name, body.name);
        let d = Diagnostic::error(NO_INERTIA, message).because(format!(
            "`{}` moves and has no mass; `{}` undoes its motion",
            idle.name, u.quantity.name
        ));
        let d = match idle.span {
            Some(span) => d.at(span, "moves without mass"),
            None => d,
        };
        return d.hint(format!("give `{}` a mass and an inertia, or fix it to what it hangs on", idle.name));
    }
    let name = &u.quantity.name;
    let turns = u.quantity.dimension == Dimension::ANGLE / Dimension::TIME;
    let what = if turns { "inertia" } else { "mass" };
    let message = match body {
        Some(body) => format!("no mass or inertia resists `{name}` of `{}`", body.name),
        None => format!("no mass or inertia resists `{name}`"),
    };
    let d = Diagnostic::error(NO_INERTIA, message);
    let d = match body.and_then(|b| b.span).or(u.quantity.span) {
        Some(span) => d.at(span, format!("moves without {what}")),
        None => d,
    };
    let d = match model.constraints.is_empty() {
        true => d,
        false => d.because("what closes its loops leaves this motion free"),
    };
    let d = d.because("a load that moves nothing would accelerate it without bound");
    let example = match body {
        Some(body) if body.is_massless(&model.space) => "mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]",
        _ if turns => "inertia = (1, 1, 1) [kg*m^2]",
        _ => "mass = 1 [kg]",
    };
    d.hint(format!(
        "write `{example}` into its braces, or take another joint: a particle that flies has `translate(x, y, z)`, not `free`; one on a rope \
         has `universal`, not `spherical`"
    ))
}
