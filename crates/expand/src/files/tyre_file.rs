//! Tyre property files (`.tir`) as model text.
//!
//! A `.tir` file is the data of one tyre for the magic formula: sections in brackets, `NAME = value`, comments after
//! `$` or `!`. It becomes a subsystem that fits into the slot of a tyre: `import "car.tir"` defines `car`. The law
//! is `std.vehicle.magic_formula_61` for `FITTYP` from 60 to 62, else `std.vehicle.magic_formula_2002`; the file's
//! names are those of its parameters. Entries that the law does not have are left out; entries that are missing
//! keep the defaults of the law.
//!
//! Units are those of the section `[UNITS]`: metres or millimetres, newtons or kilonewtons, radians or degrees,
//! seconds, kilograms.

use cardan_base::Map;
use cardan_syntax::{Declaration, ExprKind, Statement, StatementKind};

use crate::library;

/// The largest number of lines that are read.
const LINES: usize = 5_000;

/// The model text of a tyre file, or why there is none. `name` is what the subsystem is called.
pub fn definition(name: &str, text: &str) -> Result<String, String> {
    let entries = entries(text)?;
    let law = match entries.get("FITTYP").and_then(|v| v.parse::<f64>().ok()) {
        Some(kind) if (60.0..63.0).contains(&kind) => "magic_formula_61",
        _ => "magic_formula_2002",
    };
    let content = law_content(law);
    let mut given = vec![];
    for d in content.iter().flat_map(parameters) {
        let Some(value) = entries.get(d.name.text.as_str()) else { continue };
        let number = number(&d.name.text, value)?;
        given.push(format!("{} = {number}{}", d.name.text, unit(d, &entries)?));
    }
    if given.is_empty() {
        return Err("it has no entry of the magic formula".into());
    }
    let (mut ports, mut wires, mut results) = (String::new(), vec![], String::new());
    for statement in &content {
        let StatementKind::Port(port) = &statement.kind else { continue };
        let text = cardan_syntax::print_statement(statement);
        ports += &format!("  {}\n", text.trim());
        for name in port.names.iter().map(|n| &n.text) {
            match port.kind {
                cardan_syntax::PortKind::Out(_) => results += &format!("  {name} = law.{name}\n"),
                _ => wires.push(format!("{name} -> {name}")),
            }
        }
    }
    let head = format!("subsystem {name} \"Tyre from a property file\" {{\n{ports}");
    let law = format!("  std.vehicle.{law} law({}) {{ {} }}\n", given.join(", "), wires.join("; "));
    Ok(format!("{head}{law}{results}}}\n"))
}

/// The entries of all sections by name, in capitals.
fn entries(text: &str) -> Result<Map<String, String>, String> {
    let mut entries = Map::default();
    for (k, line) in text.lines().enumerate() {
        if k >= LINES {
            return Err(format!("it has more than {LINES} lines"));
        }
        let line = line.split(['$', '!']).next().unwrap_or("").trim();
        if let Some((name, value)) = line.split_once('=') {
            let value = value.trim().trim_matches('\'').trim();
            entries.insert(name.trim().to_uppercase(), value.to_owned());
        }
    }
    Ok(entries)
}

/// The statements of a law of the library.
fn law_content(law: &str) -> Vec<Statement> {
    let mut sources = cardan_base::Sources::new();
    for (name, text) in library::package("std.vehicle").map_or(&[][..], |p| p.texts) {
        let file = sources.add(*name, *text);
        let (tree, _) = cardan_syntax::parse(file, text);
        for statement in tree.statements {
            if let StatementKind::Subsystem(block) = statement.kind
                && block.name.text == law
            {
                return block.content;
            }
        }
    }
    vec![]
}

fn parameters(statement: &Statement) -> &[Declaration] {
    match &statement.kind {
        StatementKind::Parameter(list) => list,
        _ => &[],
    }
}

/// A number of the file as the language writes it.
fn number(name: &str, text: &str) -> Result<String, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(format!("{value:e}")),
        _ => Err(format!("`{name} = {text}` is no number")),
    }
}

/// The unit of a parameter of the law in the units of the file.
fn unit(d: &Declaration, entries: &Map<String, String>) -> Result<String, String> {
    let Some(ExprKind::Quantity { unit, .. }) = d.value.as_ref().map(|e| &e.kind) else {
        return Ok(String::new());
    };
    let of = |name: &str, known: &[(&str, &str)]| {
        let Some(word) = entries.get(name) else { return Ok(known[0].1.to_owned()) };
        let word = word.to_lowercase();
        match known.iter().find(|(w, _)| word == *w) {
            Some((_, unit)) => Ok((*unit).to_owned()),
            None => Err(format!("the unit `{word}` of {name} is not known")),
        }
    };
    let length = of("LENGTH", &[("meter", "m"), ("m", "m"), ("mm", "mm"), ("millimeter", "mm")])?;
    let force = of("FORCE", &[("newton", "N"), ("n", "N"), ("kn", "kN"), ("kilonewton", "kN")])?;
    let time = of("TIME", &[("second", "s"), ("sec", "s"), ("s", "s")])?;
    let pressure = of("PRESSURE", &[("pascal", "Pa"), ("pa", "Pa"), ("kpa", "kPa"), ("bar", "bar")])?;
    Ok(match cardan_units::Unit::parse(&unit.text).map(|u| u.dimension()) {
        Ok(d) if d == cardan_units::Dimension::LENGTH => format!(" [{length}]"),
        Ok(d) if d == cardan_units::Dimension::FORCE => format!(" [{force}]"),
        Ok(d) if d == cardan_units::Dimension::STIFFNESS => format!(" [{force}/{length}]"),
        Ok(d) if d == cardan_units::Dimension::DAMPING => format!(" [{force}*{time}/{length}]"),
        Ok(d) if d == cardan_units::Dimension::VELOCITY => format!(" [{length}/{time}]"),
        Ok(d) if d == cardan_units::Dimension::PRESSURE => format!(" [{pressure}]"),
        _ => String::new(),
    })
}
