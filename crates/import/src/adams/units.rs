//! The UNITS statement: in which units a data set counts.

use cardan_base::Diagnostic;

use crate::adams::codes;
use crate::adams::statement::Statement;
use crate::findings::Findings;

/// Units of the model language, by what they measure.
#[derive(Clone, PartialEq, Debug)]
pub struct Units {
    pub length: String,
    pub mass: String,
    pub force: String,
    pub time: String,
}

impl Default for Units {
    fn default() -> Units {
        Units::new("m", "kg", "N", "s")
    }
}

const LENGTHS: &[(&str, &str)] = &[
    ("METER", "m"),
    ("MILLIMETER", "mm"),
    ("CENTIMETER", "cm"),
    ("KILOMETER", "km"),
    ("INCH", "in"),
    ("FOOT", "ft"),
    ("MM", "mm"),
    ("CM", "cm"),
];
const MASSES: &[(&str, &str)] = &[
    ("KILOGRAM", "kg"),
    ("GRAM", "g"),
    ("TONNE", "t"),
    ("POUND_MASS", "lb"),
    ("LBM", "lb"),
    ("SLUG", "slug"),
    ("KG", "kg"),
];
const FORCES: &[(&str, &str)] = &[
    ("NEWTON", "N"),
    ("KILONEWTON", "kN"),
    ("POUND_FORCE", "lbf"),
    ("LBF", "lbf"),
    ("KILOGRAM_FORCE", "kgf"),
    ("DYNE", "dyn"),
];
const TIMES: &[(&str, &str)] =
    &[("SECOND", "s"), ("MILLISECOND", "ms"), ("MINUTE", "min"), ("HOUR", "h"), ("SEC", "s")];

/// The four units of a system that has a name.
const SYSTEMS: &[(&str, [&str; 4])] = &[
    ("MKS", ["m", "kg", "N", "s"]),
    ("MMKS", ["mm", "kg", "N", "s"]),
    ("CGS", ["cm", "g", "dyn", "s"]),
    ("FPS", ["ft", "slug", "lbf", "s"]),
    ("IPS", ["in", "lb", "lbf", "s"]),
];

impl Units {
    fn new(length: &str, mass: &str, force: &str, time: &str) -> Units {
        let [length, mass, force, time] = [length, mass, force, time].map(str::to_owned);
        Units { length, mass, force, time }
    }

    /// What a UNITS statement says.
    pub fn read(statement: &Statement, findings: &mut Findings) -> Units {
        let mut units = Units::default();
        if let Some(system) = statement.argument("SYSTEM")
            && let Some(word) = system.values.first()
        {
            match SYSTEMS.iter().find(|(name, _)| word.text.eq_ignore_ascii_case(name)) {
                Some((_, [length, mass, force, time])) => units = Units::new(length, mass, force, time),
                None => findings.push(unknown(&word.text, word.span, "MKS, MMKS, CGS, FPS, IPS")),
            }
        }
        let places = [
            ("LENGTH", LENGTHS, &mut units.length),
            ("MASS", MASSES, &mut units.mass),
            ("FORCE", FORCES, &mut units.force),
            ("TIME", TIMES, &mut units.time),
        ];
        for (name, table, place) in places {
            let Some(word) = statement.argument(name).and_then(|a| a.values.first()) else { continue };
            let wanted = word.text.to_uppercase();
            let is_meant = |known: &str| known == wanted || wanted.len() >= 4 && known.starts_with(&wanted);
            match table.iter().find(|(known, _)| is_meant(known)) {
                Some((_, unit)) => *place = (*unit).to_owned(),
                None => {
                    let known: Vec<&str> = table.iter().map(|(known, _)| *known).collect();
                    findings.push(unknown(&word.text, word.span, &known.join(", ")));
                }
            }
        }
        units
    }

    pub fn torque(&self) -> String {
        format!("{}*{}", self.force, self.length)
    }

    pub fn inertia(&self) -> String {
        format!("{}*{}^2", self.mass, self.length)
    }
}

fn unknown(word: &str, span: cardan_base::Span, known: &str) -> Diagnostic {
    Diagnostic::error(codes::VALUE, format!("`{word}` is no unit known here"))
        .at(span, "this unit")
        .hint(format!("one of {known}"))
}
