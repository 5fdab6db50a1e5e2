//! ADAMS data sets (`.adm`): parts at places in the ground, joints between markers, forces as expressions.
//!
//! A data set becomes a text in the native language, statement by statement, so that everything after it is the same for both.
//! Markers become frames, joints hold parts or close loops ([`joint`]), and plain numbers get the units of the data set.
//! What the native language has nothing for is named and refused; graphics and output settings are not needed and left out.
//!
//! Reading order: [`codes`], `statement` (text to statements), `units`, `pose` (numbers), `scene` (parts and markers), `joint`, `function`
//! (expressions), `load` (forces), and this module, which writes the text.

pub mod codes;
mod function;
mod joint;
mod load;
mod pose;
mod scene;
mod statement;
mod units;

use std::collections::{BTreeMap, BTreeSet};

use cardan_base::{Diagnostic, Diagnostics, FileId, Sources, Span};

use crate::adams::function::Context;
use crate::adams::joint::{Joint, Measure};
use crate::adams::pose::Vector;
use crate::adams::scene::{Part, Scene, decimal};
use crate::adams::statement::Statement;
use crate::findings::Findings;
use crate::native::Native;

/// The most statements that are read.
const STATEMENTS: usize = 200_000;

/// The native text of a data set that is among the sources; nothing if there are errors. The model gets this name.
pub fn translate(file: FileId, name: &str, sources: &Sources) -> (Option<Native>, Diagnostics) {
    let text = sources.get(file).map_or("", |s| s.text.as_str());
    let mut findings = Findings::new(false);
    let statements = statement::statements(file, text, &mut findings);
    if statements.len() > STATEMENTS {
        let found = Diagnostic::error(codes::UNSUPPORTED, "this data set is too long")
            .at(Span::new(file, 0, 0), "here")
            .hint(format!("at most {STATEMENTS} statements are read"));
        findings.push(found);
        return (None, findings.finish());
    }
    let mut scene = Scene::new(findings);
    scene.read(statements);
    let title = text.lines().next().unwrap_or("").trim();
    let mut translation = Translation::new(&mut scene);
    let native = translation.write(file, name, title);
    let has_errors = scene.findings.has_errors();
    ((!has_errors).then_some(native), scene.findings.finish())
}

/// Where the mass centre of a part stands in the ground.
fn centre(scene: &Scene, part: &Part) -> Vector {
    let marker = part.statement.argument("CM").and_then(|a| a.values.first()?.text.trim().parse().ok());
    marker.map_or(part.pose.r, |m| scene.global(m).r)
}

/// Writes the native text of a scene.
struct Translation<'a> {
    scene: &'a mut Scene,
    markers: BTreeMap<u64, String>,
    joints: BTreeMap<u64, String>,
    variables: BTreeMap<u64, String>,
    states: BTreeMap<u64, String>,
    splines: BTreeMap<u64, String>,
    used_markers: BTreeSet<u64>,
    used_functions: BTreeSet<&'static str>,
    has_akima: Option<Span>,
}

/// Statements that say how results are kept or shown, and change no motion.
const WITHOUT_EFFECT: &[&str] = &[
    "OUTPUT", "RESULTS", "INTEGRATOR", "EQUILIBRIUM", "DEBUG", "PREFERENCES", "KINEMATICS", "IC", "LSE",
    "GRAPHICS", "UNITS", "PART", "MARKER", "JOINT", "JPRIM", "END", "SYSTEM", "DYNAMICS", "STRING",
];

impl<'a> Translation<'a> {
    fn new(scene: &'a mut Scene) -> Translation<'a> {
        let markers = scene.markers.iter().map(|(id, m)| (*id, m.name.clone())).collect();
        let mut out = Translation {
            scene,
            markers,
            joints: BTreeMap::new(),
            variables: BTreeMap::new(),
            states: BTreeMap::new(),
            splines: BTreeMap::new(),
            used_markers: BTreeSet::new(),
            used_functions: BTreeSet::new(),
            has_akima: None,
        };
        for statement in out.scene.others.clone() {
            let (table, kind) = match statement.keyword.as_str() {
                "VARIABLE" => (&mut out.variables, "variable"),
                "DIF" => (&mut out.states, "dif"),
                "SPLINE" => (&mut out.splines, "spline"),
                _ => continue,
            };
            if let Some(id) = statement.id {
                table.insert(id, out.scene.name(&statement, kind));
            }
        }
        out
    }

    /// The name of a marker that an argument gives, which is needed from now on.
    fn marker(&mut self, statement: &Statement, argument: &str) -> Option<String> {
        let id = self.scene.end(statement, argument)?;
        self.used_markers.insert(id);
        self.markers.get(&id).cloned()
    }

    /// The part of a marker that an argument gives.
    fn body_of(&mut self, statement: &Statement, argument: &str) -> Option<String> {
        let id = self.scene.end(statement, argument)?;
        let part = self.scene.markers.get(&id)?.part;
        self.scene.parts.get(&part).map(|p| p.name.clone())
    }

    /// An expression as native text; what cannot be read is told at its place.
    fn expression(&mut self, statement: &Statement, argument: &str) -> Option<String> {
        let Some(found) = statement.argument(argument).filter(|a| !a.values.is_empty()) else {
            let help = format!("write `, {argument} = 0`");
            self.scene.findings.push(scene::lacking(statement.span, &format!("`{argument}`"), help));
            return None;
        };
        let piece = &found.values[0];
        let mut context = Context {
            units: &self.scene.units,
            markers: &self.markers,
            joints: &self.joints,
            variables: &self.variables,
            states: &self.states,
            splines: &self.splines,
            used_markers: std::mem::take(&mut self.used_markers),
            used_functions: std::mem::take(&mut self.used_functions),
            akima: false,
        };
        let out = function::native(&piece.text, &mut context);
        let Context { used_markers, used_functions, akima, .. } = context;
        (self.used_markers, self.used_functions) = (used_markers, used_functions);
        if akima {
            self.has_akima.get_or_insert(piece.span);
        }
        match out {
            Ok(text) => Some(text),
            // An output changes no motion.
            Err((_, said)) if statement.keyword == "REQUEST" => {
                let found = Diagnostic::warning(codes::TAKEN, "this output is left out");
                let help = "write it in the model language, as `output`";
                self.scene.findings.push(found.at(piece.span, said).hint(help));
                None
            }
            Err((_, said)) => {
                let found = Diagnostic::error(codes::VALUE, "this expression cannot be read");
                self.scene.findings.push(found.at(piece.span, said.clone()).hint(format!("correct it: {said}")));
                None
            }
        }
    }

    fn write(&mut self, file: FileId, name: &str, title: &str) -> Native {
        let top = Span::new(file, 0, 0);
        let (joints, free) = joint::joints(self.scene);
        self.joints = joints
            .iter()
            .filter(|j| j.statement.keyword == "JOINT")
            .map(|j| (j.id, j.name.clone()))
            .collect();
        for joint in &joints {
            self.used_markers.extend([joint.i, joint.j]);
        }
        let mut later: Vec<(String, Span)> = vec![];
        for statement in self.scene.others.clone() {
            for line in self.statement(&statement, &joints) {
                later.push((line, statement.span));
            }
        }
        let is_guess = joints.iter().any(|j| !j.in_tree)
            || self.scene.others.iter().any(|s| matches!(s.keyword.as_str(), "MOTION" | "COUPLER"));
        let mut start = vec![];
        let mut held = vec![];
        for joint in &joints {
            let written = joint.write(self.scene, is_guess);
            start.extend(written.start);
            held.extend(written.statements.into_iter().map(|s| (s, joint.statement.span)));
        }

        let mut out = Native::default();
        let clean: String = title.chars().filter(|c| !c.is_control() && !matches!(c, '"' | '\\')).collect();
        let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let name = if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("model_{name}") };
        out.push(&format!("model {name} \"{clean}\""), top);
        let gravity = self.gravity();
        out.push(&gravity, top);
        out.blank();
        for (line, span) in self.bodies(&free, &mut start) {
            out.push(&line, span);
        }
        out.blank();
        for (line, span) in self.frames() {
            out.push(&line, span);
        }
        out.blank();
        for (line, span) in held.into_iter().chain(later) {
            out.push(&line, span);
        }
        for (name, text) in function::LIBRARY {
            if self.used_functions.contains(name) {
                out.push(text, top);
            }
        }
        if !start.is_empty() {
            out.blank();
            out.push(&format!("start {{ {} }}", start.join("; ")), top);
        }
        if let Some(span) = self.has_akima {
            let found = Diagnostic::warning(codes::TAKEN, "Akima's interpolation is taken as the monotone one")
                .at(span, "the first use")
                .hint("both pass through the points; write `CUBSPL` for a spline");
            self.scene.findings.push(found);
        }
        out
    }

    fn gravity(&mut self) -> String {
        let statement = self.scene.others.iter().find(|s| s.keyword == "ACCGRAV").cloned();
        let Some(statement) = statement else { return "gravity = 0".into() };
        let g = ["IGRAV", "JGRAV", "KGRAV"].map(|n| {
            let is_there = statement.arguments.iter().any(|a| a.name == n);
            if is_there { self.scene.written(&statement, n).unwrap_or_default() } else { "0".into() }
        });
        let unit = format!("{}/{}^2", self.scene.units.length, self.scene.units.time);
        format!("gravity = N({}) [{unit}]", g.join(", "))
    }

    /// Bodies, each with its mass properties; free ones stand where they are.
    fn bodies(&mut self, free: &BTreeSet<u64>, start: &mut Vec<String>) -> Vec<(String, Span)> {
        let mut out = vec![];
        let units = self.scene.units.clone();
        let ids: Vec<u64> = self.scene.parts.iter().filter(|(_, p)| !p.is_ground).map(|(id, _)| *id).collect();
        for id in ids {
            let Some(part) = self.scene.parts.get(&id) else { continue };
            let (statement, name, pose) = (part.statement.clone(), part.name.clone(), part.pose);
            let span = statement.span;
            let properties = self.mass_properties(&statement, id);
            let mut on = String::new();
            if free.contains(&id) {
                let stand = format!("{name}_start");
                out.push((joint::frame(&stand, "N", &pose, &units.length), span));
                on = format!(" on {stand} by free");
                let part = &self.scene.parts[&id];
                let offset = pose::subtract(pose.r, centre(self.scene, part));
                let v = pose::add(part.velocity, pose::cross(part.omega, offset));
                let back = pose::transposed(&pose.R);
                let speeds = pose::apply(&back, v).into_iter().chain(pose::apply(&back, part.omega));
                for (k, x) in speeds.enumerate().filter(|(_, x)| *x != 0.0) {
                    let unit = if k < 3 { units.length.as_str() } else { "rad" };
                    start.push(format!("{name}.u{} = {} [{unit}/{}]", k + 1, decimal(x), units.time));
                }
            }
            let word = if properties.is_empty() { "frame" } else { "body" };
            let block = match properties.is_empty() {
                true => String::new(),
                false => format!(" {{ {properties} }}"),
            };
            out.push((format!("{word} {name}{on}{block}"), span));
        }
        out
    }

    fn mass_properties(&mut self, statement: &Statement, id: u64) -> String {
        let units = self.scene.units.clone();
        if !statement.has("MASS") {
            return String::new();
        }
        let Some(mass) = self.scene.written(statement, "MASS") else { return String::new() };
        let mut out = format!("mass = {mass} [{}]", units.mass);
        let Some(cm) = self.scene.end(statement, "CM") else { return out };
        let (place, part) = {
            let marker = &self.scene.markers[&cm];
            (marker.place.clone(), marker.part)
        };
        if part != id
            && let Some(argument) = statement.argument("CM").cloned()
        {
            self.scene.wrong(&argument, "a marker of this part");
        }
        let axes = match statement.argument("IM") {
            Some(_) => self.scene.end(statement, "IM").unwrap_or(cm),
            None => cm,
        };
        let mut inertia = [0.0; 6];
        for (place, x) in inertia.iter_mut().zip(self.scene.numbers(statement, "IP").unwrap_or_default()) {
            *place = x;
        }
        let turned = pose::turned_inertia(&self.scene.markers[&axes].pose.R, inertia);
        out += &format!("; inertia = ({}) [{}]", turned.map(decimal).join(", "), units.inertia());
        if let Some(place) = place {
            out += &format!("; center = {place}");
        }
        out
    }

    /// Frames of the markers that something refers to, with what is drawn on them.
    fn frames(&mut self) -> Vec<(String, Span)> {
        let mut shapes: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for statement in self.scene.others.clone().iter().filter(|s| s.keyword == "GRAPHICS") {
            if let Some((marker, shape)) = self.shape(statement) {
                shapes.entry(marker).or_default().push(shape);
            }
        }
        let mut out = vec![];
        for (id, marker) in &self.scene.markers {
            let shapes = shapes.get(id).map_or(&[][..], Vec::as_slice);
            if !self.used_markers.contains(id) && shapes.is_empty() {
                continue;
            }
            let body = self.scene.parts.get(&marker.part).map_or("N", |p| p.name.as_str());
            let by = marker.angles.as_ref().map(|a| format!(" by fixed(rotate = zxz, angles = {a})"));
            let at = marker.place.as_ref().map(|p| format!(" at {p}"));
            let block = match shapes.is_empty() {
                true => String::new(),
                false => format!(" {{ {} }}", shapes.join("; ")),
            };
            let line = format!(
                "frame {} on {body}{}{}{block}",
                marker.name,
                by.unwrap_or_default(),
                at.unwrap_or_default()
            );
            out.push((line, marker.span));
        }
        out
    }

    /// The marker of a drawing and its shape; drawings of other kinds are left out.
    fn shape(&mut self, statement: &Statement) -> Option<(u64, String)> {
        let length = self.scene.units.length.clone();
        let has = |name: &str| statement.arguments.iter().any(|a| a.name == name);
        if has("CYLINDER") && has("CM") && has("LENGTH") && has("RADIUS") {
            let marker = self.scene.end(statement, "CM")?;
            let (l, r) = (self.scene.value(statement, "LENGTH"), self.scene.value(statement, "RADIUS"));
            let (size, middle) = (decimal(l.abs()), decimal(l / 2.0));
            let shape = format!(
                "shape cylinder(radius = {} [{length}], length = {size} [{length}], at = (0, 0, {middle}) [{length}])",
                decimal(r)
            );
            return (l != 0.0 && r > 0.0).then_some((marker, shape));
        }
        if has("BOX") && has("CORNER") {
            let marker = self.scene.end(statement, "CORNER")?;
            let sides = ["X", "Y", "Z"].map(|n| self.scene.value(statement, n));
            let size = sides.map(|x| decimal(x.abs())).join(", ");
            let middle = sides.map(|x| decimal(x / 2.0)).join(", ");
            let shape = format!("shape box(size = ({size}) [{length}], at = ({middle}) [{length}])");
            return sides.iter().all(|x| *x != 0.0).then_some((marker, shape));
        }
        None
    }

    /// Native statements of everything but parts, markers and joints.
    fn statement(&mut self, statement: &Statement, joints: &[Joint]) -> Vec<String> {
        match statement.keyword.as_str() {
            "SFORCE" | "VFORCE" | "VTORQUE" | "GFORCE" | "SPRINGDAMPER" | "BUSHING" | "FIELD" | "BEAM" => {
                self.load(statement).unwrap_or_default()
            }
            "MOTION" => self.motion(statement, joints).into_iter().collect(),
            "COUPLER" => self.coupler(statement, joints).into_iter().collect(),
            "VARIABLE" => self.variable(statement).into_iter().collect(),
            "DIF" => self.state(statement).into_iter().collect(),
            "SPLINE" => self.spline(statement).into_iter().collect(),
            "SENSOR" => self.sensor(statement).into_iter().collect(),
            "REQUEST" => self.request(statement).unwrap_or_default(),
            "ACCGRAV" => vec![],
            word if WITHOUT_EFFECT.contains(&word) => vec![],
            word => {
                let found = Diagnostic::error(codes::UNSUPPORTED, format!("`{word}` cannot be imported"))
                    .at(statement.span, "this statement")
                    .hint("write what it does in the model language, and remove it here");
                self.scene.findings.push(found);
                vec![]
            }
        }
    }

    fn refused(&mut self, statement: &Statement, what: &str, help: &str) {
        let found = Diagnostic::error(codes::UNSUPPORTED, what.to_owned());
        self.scene.findings.push(found.at(statement.span, "this statement").hint(help));
    }

    fn motion(&mut self, statement: &Statement, joints: &[Joint]) -> Option<String> {
        if statement.has("VELOCITY") || statement.has("ACCELERATION") || !statement.has("JOINT") {
            let help = "give the displacement of a joint: `JOINT = 1, ROTATION, FUNCTION = …`";
            self.refused(statement, "a motion of this kind cannot be imported", help);
            return None;
        }
        let id = self.scene.reference(statement, "JOINT")?;
        let Some(joint) = joints.iter().find(|j| j.id == id && j.statement.keyword == "JOINT") else {
            self.scene.unknown("joint", id, statement.span);
            return None;
        };
        let measure = if statement.has("TRANSLATION") { Measure::Length } else { Measure::Angle };
        let measures = joint.kind.measures();
        let measure = if measures.len() == 1 { measures[0] } else { measure };
        let Some(coordinate) = joint.coordinate(measure) else {
            self.refused(statement, "this joint has no coordinate that could be driven", "drive another joint");
            return None;
        };
        let unit = match measure {
            Measure::Length => self.scene.units.length.clone(),
            Measure::Angle => "rad".into(),
        };
        let value = self.expression(statement, "FUNCTION")?;
        let name = self.scene.name(statement, "motion");
        Some(format!("motion {name} on {coordinate} = ({value})*1 [{unit}]"))
    }

    fn coupler(&mut self, statement: &Statement, joints: &[Joint]) -> Option<String> {
        let ids = self.scene.numbers(statement, "JOINTS");
        let scales = self.scene.numbers(statement, "SCALES");
        let (Some(ids), Some(scales)) = (ids, scales) else {
            let help = "write `, JOINTS = 1, 2, TYPE = R:R, SCALES = 1, -2`";
            self.scene.findings.push(scene::lacking(statement.span, "`JOINTS` or `SCALES`", help));
            return None;
        };
        let kinds = statement.argument("TYPE").and_then(|a| a.values.first()).map(|v| v.text.to_uppercase());
        let kinds: Vec<&str> = kinds.as_deref().unwrap_or("").split(':').collect();
        let mut terms = vec![];
        for (k, (id, scale)) in ids.iter().zip(&scales).enumerate() {
            let Some(joint) = joints.iter().find(|j| j.id as f64 == *id && j.statement.keyword == "JOINT")
            else {
                self.scene.unknown("joint", *id as u64, statement.span);
                return None;
            };
            let is_length = kinds.get(k).is_some_and(|w| w.trim() == "T");
            let measure = if is_length { Measure::Length } else { Measure::Angle };
            let measures = joint.kind.measures();
            let measure = if measures.len() == 1 { measures[0] } else { measure };
            let Some(coordinate) = joint.coordinate(measure) else {
                self.refused(statement, "a joint here has no coordinate", "couple other joints");
                return None;
            };
            let unit = if measure == Measure::Length { self.scene.units.length.as_str() } else { "rad" };
            terms.push(format!("({})*{coordinate}/(1 [{unit}])", decimal(*scale)));
        }
        let name = self.scene.name(statement, "coupler");
        Some(format!("constraint {name} = {}", terms.join(" + ")))
    }

    fn variable(&mut self, statement: &Statement) -> Option<String> {
        let name = self.variables.get(&statement.id?)?.clone();
        Some(format!("variable {name} = {}", self.expression(statement, "FUNCTION")?))
    }

    fn state(&mut self, statement: &Statement) -> Option<String> {
        if statement.has("IMPLICIT") {
            let help = "solve it for the rate, and leave out IMPLICIT";
            self.refused(statement, "an implicit differential equation cannot be imported", help);
            return None;
        }
        let name = self.states.get(&statement.id?)?.clone();
        let first = self.scene.numbers(statement, "IC").map_or(0.0, |v| v[0]);
        let rate = self.expression(statement, "FUNCTION")?;
        let time = &self.scene.units.time;
        Some(format!("state {name} = {} {{ der = ({rate})/(1 [{time}]) }}", decimal(first)))
    }

    fn spline(&mut self, statement: &Statement) -> Option<String> {
        let name = self.splines.get(&statement.id?)?.clone();
        let (x, y) = (self.scene.numbers(statement, "X"), self.scene.numbers(statement, "Y"));
        let (Some(x), Some(y)) = (x, y) else {
            let help = "write `, X = 0, 1, 2, Y = 0, 3, 5`";
            self.scene.findings.push(scene::lacking(statement.span, "`X` or `Y`", help));
            return None;
        };
        let rows: Vec<String> = x.iter().zip(&y).map(|(x, y)| format!("{}: {}", decimal(*x), decimal(*y))).collect();
        let uses = format!(",{})", statement.id?);
        let is_akima = |s: &Statement| {
            let texts = s.arguments.iter().flat_map(|a| &a.values).map(|v| v.text.replace(' ', "").to_uppercase());
            texts.into_iter().any(|t| t.contains("AKISPL") && t.contains(&uses))
        };
        let method = if self.scene.others.iter().any(is_akima) { "monotone" } else { "spline" };
        Some(format!("table {name}(x) = {method} {{ {} }}", rows.join(", ")))
    }

    fn sensor(&mut self, statement: &Statement) -> Option<String> {
        if !statement.has("HALT") {
            let help = "only HALT is understood: write the event with `when` in the model language";
            self.refused(statement, "a sensor of this kind cannot be imported", help);
            return None;
        }
        let value = self.expression(statement, "FUNCTION")?;
        let limit = decimal(self.scene.value(statement, "VALUE"));
        let relation = if statement.has("LE") { "<=" } else { ">=" };
        let name = self.scene.name(statement, "sensor");
        Some(format!("when {value} {relation} {limit} {{ stop \"{name}\" }}"))
    }

    /// Outputs: components of displacement, velocity, acceleration or expressions.
    fn request(&mut self, statement: &Statement) -> Option<Vec<String>> {
        let name = self.scene.name(statement, "request");
        let has = |wanted: &str| statement.arguments.iter().any(|a| a.name == wanted);
        let mut out = vec![];
        for k in 1..=8 {
            let argument = format!("F{k}");
            if has(&argument) {
                let value = self.expression(statement, &argument);
                out.extend(value.map(|value| format!("output {name}_{k} = {value}")));
            }
        }
        let of = |kind: &[&str]| kind.iter().any(|w| has(w));
        let units = self.scene.units.clone();
        let (what, unit) = match () {
            () if of(&["D", "DISPLACEMENT"]) => ("position", units.length.clone()),
            () if of(&["V", "VELOCITY"]) => ("velocity", format!("{}/{}", units.length, units.time)),
            () if of(&["A", "ACCELERATION"]) => ("acceleration", format!("{}/{}^2", units.length, units.time)),
            () => return Some(out),
        };
        let i = self.marker(statement, "I")?;
        let j = if has("J") { self.marker(statement, "J")? } else { "N".into() };
        let axes = if has("RM") { self.marker(statement, "RM")? } else { "N".into() };
        let vector = match what {
            "position" => format!("position({j}, {i})"),
            _ => format!("({what}({i}) - {what}({j}))"),
        };
        for axis in ["x", "y", "z"] {
            out.push(format!("output {name}_{axis} = dot({vector}, {axes}.{axis}) in [{unit}]"));
        }
        Some(out)
    }
}
