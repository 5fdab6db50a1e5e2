//! Every unit by its definition.
//!
//! A unit is a base unit, or an exact number times a product of other units, written in the same grammar that
//! models use. Sources: the SI brochure (BIPM, 9th edition) for SI units, prefixes and accepted units; the
//! international yard and pound agreement of 1959 (`yd = 0.9144 m`, `lb = 0.45359237 kg`) and what follows from it.

use crate::{Base, Dimension, Scale, parse};

/// One line of the table: `name = num/den * pi^pi * of`.
struct Definition {
    name: &'static str,
    /// Whether SI prefixes may stand before the name.
    prefix: bool,
    num: i128,
    den: i128,
    pi: i8,
    /// Other units, or a base unit's own name.
    of: &'static str,
}

const fn si(name: &'static str, of: &'static str) -> Definition {
    Definition { name, prefix: true, num: 1, den: 1, pi: 0, of }
}
const fn unit(name: &'static str, num: i128, den: i128, of: &'static str) -> Definition {
    Definition { name, prefix: false, num, den, pi: 0, of }
}
const fn arc(name: &'static str, num: i128, den: i128, of: &'static str) -> Definition {
    Definition { name, prefix: false, num, den, pi: 1, of }
}
const fn metric(name: &'static str, num: i128, den: i128, of: &'static str) -> Definition {
    Definition { name, prefix: true, num, den, pi: 0, of }
}

#[rustfmt::skip]
const DEFINITIONS: &[Definition] = &[
    // Derived SI units. Work is torque through an angle: see `dimension`.
    si("N",   "kg*m/s^2"),
    si("Pa",  "N/m^2"),
    si("J",   "N*m*rad"),
    si("W",   "J/s"),
    si("Hz",  "1/s"),
    si("C",   "A*s"),
    si("V",   "N*m/(A*s)"),
    si("ohm", "V/A"),
    si("Ω",   "V/A"),
    si("S",   "A/V"),
    si("F",   "C/V"),
    si("H",   "V*s/A"),
    si("Wb",  "V*s"),
    si("T",   "V*s/m^2"),
    si("sr",  "rad^2"),
    si("lm",  "cd*sr"),
    si("lx",  "lm/m^2"),

    // Accepted beside SI.
    metric("L",   1, 1_000,   "m^3"),
    metric("l",   1, 1_000,   "m^3"),
    metric("bar", 100_000, 1, "Pa"),
    metric("Wh",  3_600, 1,   "J"),
    metric("eV",  1_602_176_634, 10_i128.pow(28), "J"),
    metric("cal", 4_184, 1_000, "J"),
    unit("t",     1_000, 1,  "kg"),
    unit("tonne", 1_000, 1,  "kg"),
    unit("sec",   1, 1,      "s"),
    unit("min",   60, 1,     "s"),
    unit("h",     3_600, 1,  "s"),
    unit("hr",    3_600, 1,  "s"),
    unit("day",   86_400, 1, "s"),
    unit("atm",   101_325, 1, "Pa"),
    unit("torr",  101_325, 760, "Pa"),
    unit("Torr",  101_325, 760, "Pa"),
    unit("mmHg",  133_322_387_415, 1_000_000_000, "Pa"),
    unit("erg",   1, 10_000_000, "J"),
    unit("kph",   1, 1,      "km/h"),
    unit("%",     1, 100,    "1"),
    unit("percent", 1, 100,  "1"),

    // Angles.
    arc("deg",    1, 180, "rad"),
    arc("°",      1, 180, "rad"),
    arc("arcmin", 1, 10_800, "rad"),
    arc("arcsec", 1, 648_000, "rad"),
    arc("gon",    1, 200, "rad"),
    arc("grad",   1, 200, "rad"),
    arc("rev",    2, 1,   "rad"),
    arc("turn",   2, 1,   "rad"),
    unit("rpm",   1, 1,   "rev/min"),

    // Gravity of Earth, by convention of 1901, and the forces named after masses.
    unit("gn",  980_665, 100_000, "m/s^2"),
    unit("g0",  980_665, 100_000, "m/s^2"),
    unit("kgf", 1, 1, "kg*gn"),
    unit("kp",  1, 1, "kg*gn"),
    unit("gf",  1, 1, "g*gn"),
    unit("lbf", 1, 1, "lb*gn"),
    unit("ozf", 1, 1, "oz*gn"),
    unit("kip", 1_000, 1, "lbf"),
    unit("dyn", 1, 100_000, "N"),

    // Yard and pound.
    unit("in",   1, 36,   "yd"),
    unit("inch", 1, 36,   "yd"),
    unit("ft",   1, 3,    "yd"),
    unit("foot", 1, 3,    "yd"),
    unit("yd",   9_144, 10_000, "m"),
    unit("yard", 1, 1,    "yd"),
    unit("mi",   1_760, 1, "yd"),
    unit("mile", 1_760, 1, "yd"),
    unit("mil",  1, 1_000, "in"),
    unit("thou", 1, 1_000, "in"),
    unit("nmi",  1_852, 1, "m"),
    unit("mph",  1, 1,    "mi/h"),
    unit("fps",  1, 1,    "ft/s"),
    unit("knot", 1, 1,    "nmi/h"),
    unit("kn",   1, 1,    "knot"),
    unit("acre", 4_840, 1, "yd^2"),
    unit("lb",   45_359_237, 100_000_000, "kg"),
    unit("lbm",  1, 1,    "lb"),
    unit("oz",   1, 16,   "lb"),
    unit("slug", 1, 1,    "lbf*s^2/ft"),
    unit("slinch", 1, 1,  "lbf*s^2/in"),
    unit("psi",  1, 1,    "lbf/in^2"),
    unit("ksi",  1_000, 1, "psi"),
    unit("hp",   550, 1,  "ft*lbf*rad/s"),
    unit("PS",   75, 1,   "kgf*m*rad/s"),
    unit("BTU",  105_505_585_262, 100_000_000, "J"),
];

/// SI prefixes as powers of ten.
#[rustfmt::skip]
const PREFIXES: &[(&str, i32)] = &[
    ("da", 1), ("h", 2), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18),
    ("d", -1), ("c", -2), ("m", -3), ("u", -6), ("µ", -6), ("μ", -6), ("n", -9), ("p", -12), ("f", -15), ("a", -18),
];

/// Prefixed units that people look for by name when they misspell.
const COMMON: &[&str] = &[
    "kg", "mg", "mm", "cm", "km", "um", "ms", "us", "kN", "kPa", "MPa", "GPa", "kHz", "MHz", "kW", "kJ",
    "kWh",
];

/// Base units other than the gram, which carries a factor.
const BASES: [Base; 7] =
    [Base::Length, Base::Time, Base::Current, Base::Temperature, Base::Amount, Base::Luminosity, Base::Angle];

/// The dimension and factor of a name, with or without prefix.
pub(crate) fn resolve(name: &str) -> Option<(Dimension, Scale)> {
    if let Some((dimension, scale, _)) = without_prefix(name) {
        return Some((dimension, scale));
    }
    PREFIXES.iter().find_map(|(prefix, power)| {
        let (dimension, scale, prefixable) = without_prefix(name.strip_prefix(prefix)?)?;
        let ten = 10_i128.pow(power.unsigned_abs());
        let factor = if *power < 0 { Scale::new(1, ten, 0)? } else { Scale::new(ten, 1, 0)? };
        prefixable.then_some((dimension, scale.checked_mul(factor)?))
    })
}

/// The dimension and factor of a name from the table, and whether it takes prefixes.
fn without_prefix(name: &str) -> Option<(Dimension, Scale, bool)> {
    if name == "g" {
        return Some((Dimension::MASS, Scale::new(1, 1000, 0)?, true));
    }
    if let Some(base) = BASES.iter().find(|b| b.symbol() == name) {
        return Some((Dimension::ONE.with(*base, 1), Scale::ONE, true));
    }
    let definition = DEFINITIONS.iter().find(|d| d.name == name)?;
    let (dimension, scale) = parse::quantity(definition.of).ok()?;
    let factor = Scale::new(definition.num, definition.den, definition.pi)?;
    Some((dimension, scale.checked_mul(factor)?, definition.prefix))
}

/// The names that a misspelt one is compared with.
pub fn names() -> impl Iterator<Item = &'static str> {
    let bases = BASES.iter().map(|b| b.symbol()).chain(["g"]);
    bases.chain(COMMON.iter().copied()).chain(DEFINITIONS.iter().map(|d| d.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unit;

    #[test]
    fn every_name_resolves_and_stands_once() {
        let mut seen: Vec<&str> = names().collect();
        for name in &seen {
            assert!(resolve(name).is_some(), "{name}");
        }
        seen.sort_unstable();
        let n = seen.len();
        seen.dedup();
        assert_eq!(seen.len(), n);
    }

    /// Values rounded to seven digits, as conversion tables print them: written down apart from the definitions above.
    #[test]
    fn factors_agree_with_published_tables() {
        let published = [
            ("lbf", "N", 4.448_222),
            ("lbf/in", "N/m", 175.1268),
            ("psi", "kPa", 6.894_757),
            ("slug", "kg", 14.593_90),
            ("slinch", "kg", 175.1268),
            ("torr", "Pa", 133.322_37),
            ("mmHg", "Pa", 133.322_39),
            ("gf", "mN", 9.806_65),
            ("erg", "uJ", 0.1),
            ("thou", "um", 25.4),
            ("grad", "deg", 0.9),
            ("hp", "W", 745.6999),
            ("PS", "W", 735.4988),
            ("mph", "km/h", 1.609_344),
            ("knot", "m/s", 0.514_444_4),
            ("kn", "m/s", 0.514_444_4),
            ("acre", "m^2", 4_046.856_4),
            ("lb*ft^2", "kg*m^2", 0.042_140_11),
            ("lbf*ft", "N*m", 1.355_818),
            ("oz", "g", 28.349_52),
            ("kip", "kN", 4.448_222),
            ("BTU", "J", 1055.056),
            ("kWh", "MJ", 3.6),
            ("atm", "bar", 1.013_25),
            ("rpm", "rad/s", 0.104_719_8),
            ("rev", "deg", 360.0),
            ("arcsec", "rad", 4.848_137e-6),
            ("gon", "deg", 0.9),
            ("L", "cm^3", 1000.0),
            ("eV", "aJ", 0.160_217_7),
            ("dyn", "uN", 10.0),
            ("nmi", "mile", 1.150_779),
            ("slug/ft^3", "kg/m^3", 515.3788),
        ];
        for (from, to, expected) in published {
            let [from, to] = [from, to].map(|text| Unit::parse(text).expect(text));
            let factor = from.factor_to(&to).expect("compatible").to_f64();
            assert!((factor / expected - 1.0).abs() < 5e-7, "{from} = {factor} {to}, published {expected}");
        }
    }

    #[test]
    fn exact_factors() {
        let exact = [
            ("in", 127, 5000, 0),
            ("lbf", 8_896_443_230_521, 2_000_000_000_000, 0),
            ("deg", 1, 180, 1),
            ("rpm", 1, 30, 1),
            ("g", 1, 1000, 0),
            ("kg", 1, 1, 0),
            ("km/h", 5, 18, 0),
            ("µm", 1, 1_000_000, 0),
        ];
        for (name, num, den, pi) in exact {
            let unit = Unit::parse(name).expect(name);
            assert_eq!(Some(unit.scale()), Scale::new(num, den, pi), "{name}");
        }
        // 0.45359237 * 9.80665, multiplied out by hand.
        let lbf = Scale::new(44_482_216_152_605, 10_i128.pow(13), 0);
        assert_eq!(Unit::parse("lbf").ok().map(|u| u.scale()), lbf);
    }

    #[test]
    fn prefixes_keep_off_other_names() {
        assert_eq!(Unit::parse("min").map(|u| u.scale()), Ok(Scale::new(60, 1, 0).expect("positive")));
        assert_eq!(Unit::parse("cd").map(|u| u.scale()), Ok(Scale::ONE));
        assert_eq!(Unit::parse("Pa").map(|u| u.dimension()), Ok(Dimension::PRESSURE));
        assert_eq!(Unit::parse("mph").map(|u| u.dimension()), Ok(Dimension::VELOCITY));
        assert!(Unit::parse("kin").is_err());
        assert!(Unit::parse("kkg").is_err());
    }
}
