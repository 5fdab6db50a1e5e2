//! What was understood: parameters, bodies, joints, loads, events, outputs.

use cardan::assembly::ParameterValues;
use cardan::expr::print::text;
use cardan::expr::{Expr, Listing};
use cardan::model::{
    Body, Edge, ElementProperty, Event, LoadKind, Model, Parameter, PropertyValue, Quantity, Target, Trigger,
};
use serde_json::{Value, json};

use super::bounds;
use crate::analyze::scale;
use crate::terminal::{Terminal, columns, short_number};

pub fn show(terminal: &Terminal, model: &Model) {
    if terminal.json {
        terminal.print_json(&for_programs(model));
        return;
    }
    let values = ParameterValues::of(model);
    let mut out = terminal.bold(&format!("model {}", model.name));
    if !model.description.is_empty() {
        out += &format!("  {}", model.description);
    }
    out.push('\n');
    let mut section = |title: &str, rows: Vec<Vec<String>>, right: &[usize]| {
        if !rows.is_empty() {
            out += &format!("\n{}\n{}", terminal.bold(title), columns(&rows, right));
        }
    };
    let unit = |q: &Quantity| format!("[{}]", q.dimension);
    let formula = |e| {
        let listing = Listing::of(model.space.pool(), &[(String::new(), e)]);
        listing.results.first().map_or(String::new(), |(_, f)| text::render(f))
    };
    let given = |p: &Parameter| {
        let value = values.evaluate(model, p.symbol);
        let number = if value.is_nan() { "no value".into() } else { short_number(value) };
        let rule = match p.default {
            Some(e) if model.space.pool().as_number(e).is_none() => format!("= {}", formula(e)),
            _ => String::new(),
        };
        vec![p.quantity.name.clone(), number, unit(&p.quantity), rule, p.quantity.description.clone()]
    };
    let parameters = model.parameters.iter().filter(|(_, p)| !p.is_input());
    section("parameters", parameters.map(|(_, p)| given(p)).collect(), &[1]);
    section("inputs", model.inputs().map(|(_, p)| given(p)).collect(), &[1]);
    let bodies = model.bodies.iter().map(|(_, b)| {
        let joint = b.joint.map(|j| &model.joints[j]);
        let parent = joint.map_or(String::new(), |j| model.space.frame(j.parent).name.clone());
        let kind = joint.map_or(String::new(), |j| j.kind_name());
        let mass = format!("mass {}", weighed(model, &values, b).unwrap_or_else(|| formula(b.mass)));
        vec![b.name.clone(), format!("on {parent}"), format!("by {kind}"), mass, b.description.clone()]
    });
    section("bodies", bodies.collect(), &[]);
    section("joints", joints(model).iter().map(JointLine::words).collect(), &[]);
    let states = model
        .coordinates
        .iter()
        .map(|(_, q)| ("coordinate", &q.quantity, q.start))
        .chain(model.speeds.iter().map(|(_, u)| ("speed", &u.quantity, u.start)))
        .chain(model.states.iter().map(|(_, s)| ("state", &s.quantity, s.start)))
        .chain(model.hybrid.discretes.iter().map(|(_, d)| ("discrete state", &d.quantity, d.start)))
        .map(|(kind, q, start)| {
            let (scale, unit) = scale(q);
            let start = format!("starts at {}", short_number(values.evaluate(model, start) * scale));
            vec![q.name.clone(), kind.into(), start, format!("[{unit}]"), q.description.clone()]
        });
    section("coordinates, speeds, states", states.collect(), &[]);
    section("limits", bounds::limits(model, &values), &[]);
    section("rotor inertias", bounds::rotors(model, &values), &[1]);
    let loads = model.loads.iter().map(|(_, l)| {
        let kind = match l.kind {
            LoadKind::Force { .. } => "force",
            LoadKind::Torque { .. } => "torque",
        };
        let energy = if l.conservative { "conservative" } else { "" };
        vec![l.name.clone(), kind.into(), energy.into(), l.description.clone()]
    });
    section("loads", loads.collect(), &[]);
    let elements = model.elements.iter().map(|(_, e)| {
        let given: Vec<String> = e.properties.iter().map(|p| property(p, &formula)).collect();
        vec![e.name.clone(), e.kind.to_string(), given.join(", "), e.description.clone()]
    });
    section("elements", elements.collect(), &[]);
    let events = model.hybrid.events.iter().map(|(_, e)| {
        let when = match &e.trigger {
            Trigger::When(condition) => format!("when {}", formula(*condition)),
            Trigger::Every { period, .. } => {
                format!("every {} s", short_number(values.evaluate(model, *period)))
            }
        };
        vec![e.name.clone(), when, format!("changes {}", changed(model, e).join(", "))]
    });
    section("events", events.collect(), &[]);
    let externals = model.hybrid.externals.iter().map(|(_, f)| {
        let comma = if f.description.is_empty() { "" } else { ", " };
        vec![f.head(), format!("written elsewhere{comma}{}", f.description)]
    });
    section("functions", externals.collect(), &[]);
    let outputs = model.outputs.iter().map(|o| {
        let shown = format!("[{}]", o.quantity.unit());
        vec![o.quantity.name.clone(), shown, o.quantity.description.clone()]
    });
    section("outputs", outputs.collect(), &[]);
    terminal.print(&out);
}

/// A joint between two bodies in words.
struct JointLine {
    name: String,
    kind: String,
    between: [String; 2],
    coordinates: Vec<String>,
    cut: bool,
}

impl JointLine {
    fn words(&self) -> Vec<String> {
        let [a, b] = &self.between;
        let place = if self.cut { "cut" } else { "tree" };
        let between = format!("between {a} and {b}");
        vec![self.name.clone(), self.kind.clone(), between, place.into(), self.coordinates.join(", ")]
    }
    fn for_programs(&self) -> Value {
        json!({
            "name": self.name, "kind": self.kind, "between": self.between, "cut": self.cut,
            "coordinates": self.coordinates,
        })
    }
}

/// The graph of joints, in order of declaration.
fn joints(model: &Model) -> Vec<JointLine> {
    let line = |edge: &Edge| JointLine {
        name: edge.name.clone(),
        kind: model.edge_kind(edge),
        between: edge.frames().map(|f| model.space.frame(f).name.clone()),
        coordinates: (model.edge_coordinates(edge).iter())
            .map(|q| model.coordinates[*q].quantity.name.clone())
            .collect(),
        cut: edge.is_cut(),
    };
    model.graph().iter().map(line).collect()
}

/// A property of an element in words.
fn property(property: &ElementProperty, formula: &dyn Fn(Expr) -> String) -> String {
    let value = match &property.value {
        PropertyValue::Scalar(e) => formula(*e),
        PropertyValue::Triple(all) => format!("({})", all.map(formula).join(", ")),
        // The axis of an element is a direction of its bodies, and their joint says which.
        PropertyValue::Axis(_) => return property.name.to_owned(),
    };
    format!("{} = {value}", property.name)
}

/// The names of what an event changes.
fn changed<'m>(model: &'m Model, event: &Event) -> Vec<&'m str> {
    let name = |target: &Target| match target {
        Target::Discrete(id) => model.hybrid.discretes[*id].quantity.name.as_str(),
        Target::Coordinate(id) => model.coordinates[*id].quantity.name.as_str(),
        Target::Speed(id) | Target::Overwrite(id) | Target::Struck(id) => {
            model.speeds[*id].quantity.name.as_str()
        }
        Target::State(id) => model.states[*id].quantity.name.as_str(),
    };
    event.assignments.iter().map(|(target, _)| name(target)).collect()
}

fn quantity(q: &Quantity) -> Value {
    json!({ "name": q.name, "unit": q.dimension.to_string(), "description": q.description })
}

fn with(mut value: Value, key: &str, more: impl Into<Value>) -> Value {
    value[key] = more.into();
    value
}

fn for_programs(model: &Model) -> Value {
    let values = ParameterValues::of(model);
    let number = |e| {
        let x = values.evaluate(model, e);
        x.is_finite().then_some(x)
    };
    let parameters = model.parameters.iter().filter(|(_, p)| !p.is_input());
    let parameters: Vec<Value> =
        parameters.map(|(_, p)| with(quantity(&p.quantity), "value", number(p.symbol))).collect();
    let input = |p: &Parameter| {
        let range = p.range.map(|r| json!(r.map(number)));
        with(with(quantity(&p.quantity), "value", number(p.symbol)), "range", range)
    };
    let inputs: Vec<Value> = model.inputs().map(|(_, p)| input(p)).collect();
    let coordinates: Vec<Value> = model
        .coordinates
        .iter()
        .map(|(_, q)| with(quantity(&q.quantity), "start", number(q.start)))
        .collect();
    let speeds: Vec<Value> =
        model.speeds.iter().map(|(_, u)| with(quantity(&u.quantity), "start", number(u.start))).collect();
    let states: Vec<Value> =
        model.states.iter().map(|(_, s)| with(quantity(&s.quantity), "start", number(s.start))).collect();
    let bodies: Vec<Value> = model
        .bodies
        .iter()
        .map(|(_, b)| {
            let joint = b.joint.map(|j| &model.joints[j]);
            json!({
                "name": b.name,
                "description": b.description,
                "parent": joint.map(|j| model.space.frame(j.parent).name.clone()),
                "joint": joint.map(|j| j.kind_name()),
                "mass": number(b.mass),
                "center": b.center.map(number),
                "inertia": b.inertia.map(|row| row.map(number)),
            })
        })
        .collect();
    let loads: Vec<Value> = model
        .loads
        .iter()
        .map(|(_, l)| {
            let kind = if matches!(l.kind, LoadKind::Force { .. }) { "force" } else { "torque" };
            json!({ "name": l.name, "kind": kind, "conservative": l.conservative, "description": l.description })
        })
        .collect();
    let elements: Vec<Value> = model
        .elements
        .iter()
        .map(|(_, e)| {
            let loads: Vec<&str> = e.loads.iter().map(|(_, l)| model.loads[*l].name.as_str()).collect();
            let constraint = e.constraint.map(|c| model.constraints[c].name.as_str());
            json!({
                "name": e.name, "kind": e.kind.name(), "loads": loads, "constraint": constraint,
                "description": e.description,
            })
        })
        .collect();
    let discretes: Vec<Value> = model
        .hybrid
        .discretes
        .iter()
        .map(|(_, d)| with(quantity(&d.quantity), "start", number(d.start)))
        .collect();
    let events: Vec<Value> = model
        .hybrid
        .events
        .iter()
        .map(|(_, e)| {
            let period = match &e.trigger {
                Trigger::When(_) => None,
                Trigger::Every { period, .. } => number(*period),
            };
            json!({ "name": e.name, "every": period, "changes": changed(model, e) })
        })
        .collect();
    let outputs: Vec<Value> = model.outputs.iter().map(|o| quantity(&o.quantity)).collect();
    json!({
        "ok": true,
        "model": model.name,
        "description": model.description,
        "parameters": parameters,
        "inputs": inputs,
        "bodies": bodies,
        "coordinates": coordinates,
        "speeds": speeds,
        "states": states,
        "discretes": discretes,
        "events": events,
        "limits": bounds::for_programs(model, &values),
        "loads": loads,
        "joints": joints(model).iter().map(JointLine::for_programs).collect::<Vec<_>>(),
        "elements": elements,
        "outputs": outputs,
    })
}

/// Mass, mass centre and inertia as numbers, if they are known.
fn weighed(model: &Model, values: &ParameterValues, body: &Body) -> Option<String> {
    let number = |e: Expr| Some(values.evaluate(model, e)).filter(|x| x.is_finite()).map(short_number);
    let list = |all: Vec<Expr>| Some(all.into_iter().map(number).collect::<Option<Vec<_>>>()?.join(", "));
    let mut out = format!("{} [kg]", number(body.mass)?);
    let is_zero = |e: &Expr| model.space.pool().is_zero(*e);
    if !body.center.iter().all(is_zero) {
        out += &format!(", center ({}) [m]", list(body.center.to_vec())?);
    }
    let [xx, yy, zz] = body.inertia;
    let (moments, products) = (vec![xx[0], yy[1], zz[2]], vec![xx[1], xx[2], yy[2]]);
    if !moments.iter().chain(&products).all(is_zero) {
        let all = if products.iter().all(is_zero) { moments } else { [moments, products].concat() };
        out += &format!(", inertia ({}) [kg*m^2]", list(all)?);
    }
    Some(out)
}
