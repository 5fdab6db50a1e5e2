//! What a data set declares: parts, markers, joints and everything between them, checked.

use std::collections::{BTreeMap, BTreeSet};

use cardan_base::{Diagnostic, Span};

use crate::adams::codes;
use crate::adams::function::plain;
use crate::adams::pose::{self, Pose, Vector};
use crate::adams::statement::{Argument, Piece, Statement};
use crate::adams::units::Units;
use crate::findings::{Findings, missing};

/// A rigid part. The first that is called GROUND stands still.
pub struct Part {
    pub name: String,
    pub is_ground: bool,
    pub pose: Pose,
    /// Velocity of the mass centre and angular velocity, in the ground's axes.
    pub velocity: Vector,
    pub omega: Vector,
    pub statement: Statement,
}

/// A frame fixed on a part.
pub struct Marker {
    pub name: String,
    pub part: u64,
    pub pose: Pose,
    /// The angles as native text, exact as they are written; nothing where the axes are those of the part.
    pub angles: Option<String>,
    /// The place as native text.
    pub place: Option<String>,
    pub span: Span,
}

/// Everything that was declared.
pub struct Scene {
    pub units: Units,
    pub parts: BTreeMap<u64, Part>,
    pub markers: BTreeMap<u64, Marker>,
    /// All other statements, in order.
    pub others: Vec<Statement>,
    pub findings: Findings,
    names: BTreeSet<String>,
}

/// A word or number after an equals sign, with how it is read.
pub fn number(piece: &Piece) -> Option<(f64, bool)> {
    let text = piece.text.trim();
    let (digits, is_degree) = match text.strip_suffix(['D', 'd']) {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    let x: f64 = digits.parse().ok()?;
    x.is_finite().then_some((x, is_degree))
}

impl Scene {
    pub fn new(findings: Findings) -> Scene {
        let reserved = ["N", "t", "pi", "and", "at", "between", "by", "else", "from", "if", "in", "not", "on"];
        let names = reserved.iter().chain(&["or", "then"]).map(|s| (*s).to_owned()).collect();
        let units = Units::default();
        Scene { units, parts: BTreeMap::new(), markers: BTreeMap::new(), others: vec![], findings, names }
    }

    /// A native name that nothing has yet: the label of the statement, or its kind and number.
    pub fn name(&mut self, statement: &Statement, kind: &str) -> String {
        let id = statement.id.unwrap_or(0);
        let label = statement.label.as_deref().unwrap_or("").rsplit('.').next().unwrap_or("");
        let mut clean: String =
            label.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !clean.starts_with(|c: char| c.is_ascii_alphabetic()) {
            clean = format!("{kind}_{id}");
        }
        while !self.names.insert(clean.clone()) {
            clean = format!("{clean}_{id}");
        }
        clean
    }

    /// Takes all statements in.
    pub fn read(&mut self, statements: Vec<Statement>) {
        if let Some(units) = statements.iter().find(|s| s.keyword == "UNITS") {
            self.units = Units::read(units, &mut self.findings);
        }
        let (parts, rest): (Vec<_>, Vec<_>) = statements.into_iter().partition(|s| s.keyword == "PART");
        for statement in parts {
            self.part(statement);
        }
        let (markers, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(|s| s.keyword == "MARKER");
        for statement in markers {
            self.marker(&statement);
        }
        self.others = rest;
    }

    fn id(&mut self, statement: &Statement) -> Option<u64> {
        if statement.id.is_none() {
            let what = format!("the number of this {}", statement.keyword);
            self.findings.push(lacking(statement.span, &what, format!("write `{}/1, …`", statement.keyword)));
        }
        statement.id
    }

    fn part(&mut self, statement: Statement) {
        let Some(id) = self.id(&statement) else { return };
        if self.parts.contains_key(&id) {
            self.twice("part", id, statement.span);
            return;
        }
        let is_ground = statement.has("GROUND");
        let name = match is_ground {
            true => "N".to_owned(),
            false => self.name(&statement, "part"),
        };
        let pose = self.pose(&statement, "QG", "ZG", "XG").0;
        let component = |scene: &mut Scene, names: [&str; 3]| names.map(|n| scene.value(&statement, n));
        let velocity = component(self, ["VX", "VY", "VZ"]);
        let omega = component(self, ["WX", "WY", "WZ"]);
        self.parts.insert(id, Part { name, is_ground, pose, velocity, omega, statement });
    }

    fn twice(&mut self, what: &str, id: u64, span: Span) {
        let found = Diagnostic::error(codes::VALUE, format!("there are two {what}s {id}"));
        self.findings.push(found.at(span, "the second").hint("give one of them another number"));
    }

    fn marker(&mut self, statement: &Statement) {
        let Some(id) = self.id(statement) else { return };
        if self.markers.contains_key(&id) {
            self.twice("marker", id, statement.span);
            return;
        }
        let Some(part) = self.reference(statement, "PART") else { return };
        if !self.parts.contains_key(&part) {
            self.unknown("part", part, statement.span);
            return;
        }
        let (pose, place, angles) = self.pose(statement, "QP", "ZP", "XP");
        let name = self.name(&Statement { label: None, ..statement.clone() }, "marker");
        self.markers.insert(id, Marker { name, part, pose, angles, place, span: statement.span });
    }

    pub fn unknown(&mut self, what: &str, id: u64, span: Span) {
        let known: Vec<String> = match what {
            "part" => self.parts.keys().take(12).map(u64::to_string).collect(),
            _ => vec![],
        };
        let help = match known.is_empty() {
            true => format!("declare it, or correct the number of the {what}"),
            false => format!("the {what}s are {}", known.join(", ")),
        };
        let found = Diagnostic::error(codes::UNKNOWN, format!("there is no {what} {id}"));
        self.findings.push(found.at(span, "named here").hint(help));
    }

    /// The number after `NAME =`.
    pub fn reference(&mut self, statement: &Statement, name: &str) -> Option<u64> {
        let Some(argument) = statement.argument(name) else {
            let what = format!("`{name}`");
            let help = format!("write `, {name} = 1`");
            self.findings.push(lacking(statement.span, &what, help));
            return None;
        };
        let value = argument.values.first();
        let id = value.and_then(|v| v.text.trim().parse().ok());
        if id.is_none() {
            self.wrong(argument, "a number of a statement");
        }
        id
    }

    pub fn wrong(&mut self, argument: &Argument, wanted: &str) {
        let given = argument.values.first().map_or("", |v| v.text.as_str());
        let message = format!("`{} = {given}` is not {wanted}", argument.name);
        let found = Diagnostic::error(codes::VALUE, message);
        self.findings.push(found.at(argument.span, "here").hint(format!("give {wanted}")));
    }

    /// A marker that exists, by the argument that names it.
    pub fn end(&mut self, statement: &Statement, name: &str) -> Option<u64> {
        let id = self.reference(statement, name)?;
        if self.markers.contains_key(&id) {
            return Some(id);
        }
        let span = statement.argument(name).map_or(statement.span, |a| a.span);
        self.unknown("marker", id, span);
        None
    }

    /// Numbers after `NAME =`, angles in radians; nothing where the argument is not there or is wrong, which is told.
    pub fn numbers(&mut self, statement: &Statement, name: &str) -> Option<Vec<f64>> {
        let argument = statement.argument(name)?.clone();
        let numbers: Option<Vec<(f64, bool)>> = argument.values.iter().map(number).collect();
        match numbers.filter(|n| !n.is_empty()) {
            Some(numbers) => {
                Some(numbers.iter().map(|(x, d)| if *d { x.to_radians() } else { *x }).collect())
            }
            None => {
                self.wrong(&argument, "numbers");
                None
            }
        }
    }

    /// One number, zero if it is not given.
    pub fn value(&mut self, statement: &Statement, name: &str) -> f64 {
        match statement.arguments.iter().any(|a| a.name == name) {
            true => self.numbers(statement, name).map_or(0.0, |n| n[0]),
            false => 0.0,
        }
    }

    /// A number as it is written, in native spelling.
    pub fn written(&mut self, statement: &Statement, name: &str) -> Option<String> {
        let argument = statement.argument(name)?.clone();
        let out = argument.values.first().and_then(|v| plain(v.text.trim()));
        if out.is_none() {
            self.wrong(&argument, "a number");
        }
        out
    }

    /// Position and orientation, in numbers and as native text.
    fn pose(
        &mut self,
        statement: &Statement,
        at: &str,
        z: &str,
        x: &str,
    ) -> (Pose, Option<String>, Option<String>) {
        let length = self.units.length.clone();
        let mut out = Pose::IDENTITY;
        let mut place = None;
        if let Some(r) = self.three(statement, at) {
            out.r = r;
            if r != [0.0; 3] {
                place = Some(format!("({}) [{length}]", texts(statement, at).join(", ")));
            }
        }
        let mut angles = None;
        if let Some(turn) = self.three(statement, "REULER") {
            out.R = pose::from_angles(turn);
            if turn != [0.0; 3] {
                angles = Some(angle_text(statement));
            }
        } else if let Some(towards) = self.three(statement, z) {
            let to_x = self.three(statement, x).map(|p| pose::subtract(p, out.r));
            match pose::from_points(pose::subtract(towards, out.r), to_x) {
                Some(R) => {
                    out.R = R;
                    angles = Some(numeric_angles(&R));
                }
                None => {
                    if let Some(argument) = statement.argument(z).cloned() {
                        self.wrong(&argument, "a point away from the origin of the marker");
                    }
                }
            }
        }
        (out, place, angles)
    }

    fn three(&mut self, statement: &Statement, name: &str) -> Option<Vector> {
        let numbers = self.numbers(statement, name)?;
        match <[f64; 3]>::try_from(numbers) {
            Ok(vector) => Some(vector),
            Err(_) => {
                if let Some(argument) = statement.argument(name).cloned() {
                    self.wrong(&argument, "three numbers");
                }
                None
            }
        }
    }

    /// Where a marker stands in the ground.
    pub fn global(&self, marker: u64) -> Pose {
        let Some(m) = self.markers.get(&marker) else { return Pose::IDENTITY };
        self.parts.get(&m.part).map_or(m.pose, |p| p.pose.then(&m.pose))
    }
}

/// Something that a statement needs.
pub fn lacking(span: Span, what: &str, help: impl Into<String>) -> Diagnostic {
    Diagnostic { code: codes::MISSING, ..missing(span, what, help) }
}

fn texts(statement: &Statement, name: &str) -> Vec<String> {
    let values = statement.argument(name).map_or(&[][..], |a| &a.values);
    values.iter().filter_map(|v| plain(v.text.trim())).collect()
}

/// The angles of REULER as they are written.
fn angle_text(statement: &Statement) -> String {
    let values = statement.argument("REULER").map_or(&[][..], |a| &a.values);
    let read: Vec<(f64, bool)> = values.iter().filter_map(number).collect();
    let digits = |v: &Piece| plain(v.text.trim().trim_end_matches(['D', 'd'])).unwrap_or_default();
    let texts: Vec<String> = values.iter().map(digits).collect();
    match read.iter().all(|(x, d)| *d || *x == 0.0) {
        true => format!("({}) [deg]", texts.join(", ")),
        false => {
            let one = |(x, d): &(f64, bool)| decimal(if *d { x.to_radians() } else { *x });
            format!("({}) [rad]", read.iter().map(one).collect::<Vec<_>>().join(", "))
        }
    }
}

/// 3-1-3 angles of a rotation, as native text.
pub fn numeric_angles(R: &pose::Rotation) -> String {
    format!("({}) [rad]", pose::angles(R).map(decimal).join(", "))
}

/// A number with all its digits.
pub fn decimal(x: f64) -> String {
    match x == 0.0 || (1e-4..1e7).contains(&x.abs()) {
        true => format!("{x}"),
        false => format!("{x:e}"),
    }
}
