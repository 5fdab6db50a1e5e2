//! A dimension as the unit an engineer would write.
//!
//! First a table of familiar units: among the entries compatible with the dimension, the one whose angle is
//! nearest to the remembered one, the earlier if two are equally near. So `N*m` is a torque, `N*m*rad` is shown as
//! `J`, `m*rad/s` as `m/s`. Anything else is a product of base units, with `N` in place of `kg` where that is
//! no longer to write; there the angle is shown only beside nothing but time. A rate is `1/s`, not `Hz`: few
//! of them are frequencies.
//!
//! The text can be parsed again and gives a compatible dimension with factor 1.

use std::fmt;

use crate::{Base, Dimension, Exponent};

const fn angle(length: i16, mass: i16, time: i16, angle: i16) -> Dimension {
    Dimension::of(length, mass, time).with(Base::Angle, angle)
}
const fn electric(length: i16, mass: i16, time: i16, current: i16) -> Dimension {
    Dimension::of(length, mass, time).with(Base::Current, current)
}
const fn thermal(length: i16, mass: i16, time: i16, temperature: i16) -> Dimension {
    Dimension::of(length, mass, time).with(Base::Temperature, temperature)
}

/// Exponents are those of m, kg, s.
#[rustfmt::skip]
const FAMILIAR: &[(&str, Dimension)] = &[
    // Geometry and motion.
    ("1",         Dimension::ONE),
    ("rad",       angle(0, 0, 0, 1)),
    ("rad^2",     angle(0, 0, 0, 2)),
    ("m",         Dimension::of(1, 0, 0)),
    ("m/rad",     angle(1, 0, 0, -1)),
    ("1/m",       Dimension::of(-1, 0, 0)),
    ("rad/m",     angle(-1, 0, 0, 1)),
    ("1/s",       Dimension::of(0, 0, -1)),
    ("rad/s",     angle(0, 0, -1, 1)),
    ("1/s^2",     Dimension::of(0, 0, -2)),
    ("rad/s^2",   angle(0, 0, -2, 1)),
    ("rad^2/s^2", angle(0, 0, -2, 2)),
    ("m/s",       Dimension::of(1, 0, -1)),
    ("m/s^2",     Dimension::of(1, 0, -2)),
    ("m/s^3",     Dimension::of(1, 0, -3)),
    ("m^2/s^2",   Dimension::of(2, 0, -2)),
    // Mass.
    ("kg*m",      Dimension::of(1, 1, 0)),
    ("kg*m^2",    Dimension::of(2, 1, 0)),
    ("kg/m^3",    Dimension::of(-3, 1, 0)),
    // Force.
    ("N",         Dimension::of(1, 1, -2)),
    ("N/rad",     angle(1, 1, -2, -1)),
    ("N/m",       Dimension::of(0, 1, -2)),
    ("N*s/m",     Dimension::of(0, 1, -1)),
    ("N*s",       Dimension::of(1, 1, -1)),
    ("Pa",        Dimension::of(-1, 1, -2)),
    ("Pa*s",      Dimension::of(-1, 1, -1)),
    ("m/N",       Dimension::of(0, -1, 2)),
    // Torque, work, power.
    ("N*m",       Dimension::of(2, 1, -2)),
    ("J",         angle(2, 1, -2, 1)),
    ("N*m/rad",   angle(2, 1, -2, -1)),
    ("N*m*s",     Dimension::of(2, 1, -1)),
    ("N*m*s/rad", angle(2, 1, -1, -1)),
    ("N*m^2",     Dimension::of(3, 1, -2)),
    ("rad/(N*m)", angle(-2, -1, 2, 1)),
    ("W",         angle(2, 1, -3, 1)),
    // Electricity and heat.
    ("A",         electric(0, 0, 0, 1)),
    ("C",         electric(0, 0, 1, 1)),
    ("V",         electric(2, 1, -3, -1)),
    ("ohm",       electric(2, 1, -3, -2)),
    ("F",         electric(-2, -1, 4, 2)),
    ("H",         electric(2, 1, -2, -2)),
    ("N*m/A",     electric(2, 1, -2, -1)),
    ("V*s/rad",   electric(2, 1, -2, -1).with(Base::Angle, -1)),
    ("N/A",       electric(1, 1, -2, -1)),
    ("K",         thermal(0, 0, 0, 1)),
    ("W/K",       thermal(2, 1, -3, -1).with(Base::Angle, 1)),
    ("J/K",       thermal(2, 1, -2, -1).with(Base::Angle, 1)),
    ("J/(kg*K)",  thermal(2, 0, -2, -1).with(Base::Angle, 1)),
    ("W/(m*K)",   thermal(1, 1, -3, -1).with(Base::Angle, 1)),
];

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match familiar(self) {
            Some(text) => f.write_str(text),
            None => f.write_str(&spelled(self)),
        }
    }
}

fn familiar(dimension: &Dimension) -> Option<&'static str> {
    let entries = FAMILIAR.iter().filter(|(_, d)| d.compatible(dimension));
    entries.min_by_key(|(_, d)| (d.angle() - dimension.angle()).abs()).map(|(text, _)| *text)
}

/// The product of powers with the fewest letters to read, of the one with `kg` and the one with `N`.
fn spelled(dimension: &Dimension) -> String {
    let newtons = dimension.exponent(Base::Mass);
    let rest = *dimension / Dimension::FORCE.pow(newtons);
    let only_time = Base::DECIDING.iter().all(|&b| b == Base::Time || dimension.exponent(b).is_zero());
    let angle = only_time.then_some((Base::Angle.symbol(), dimension.angle()));
    let bases = |d: &Dimension| {
        let order = [
            Base::Mass,
            Base::Length,
            Base::Time,
            Base::Current,
            Base::Temperature,
            Base::Amount,
            Base::Luminosity,
        ];
        order.map(|b| (b.symbol(), d.exponent(b)))
    };
    let with_kilogram: Vec<_> = angle.into_iter().chain(bases(dimension)).collect();
    let with_newton: Vec<_> = angle.into_iter().chain([("N", newtons)]).chain(bases(&rest)).collect();
    let length = |factors: &[(&str, Exponent)]| {
        factors.iter().fold(Exponent::ZERO, |sum, (_, exponent)| sum + exponent.abs())
    };
    let shorter = !newtons.is_zero() && length(&with_newton) <= length(&with_kilogram);
    product(if shorter { &with_newton } else { &with_kilogram })
}

/// `a*b^2/(c*d)`.
fn product(factors: &[(&str, Exponent)]) -> String {
    let power = |(symbol, exponent): &(&str, Exponent)| match exponent.abs() {
        Exponent::ONE => (*symbol).to_owned(),
        e if e.denominator() == 1 => format!("{symbol}^{e}"),
        e => format!("{symbol}^({e})"),
    };
    let above: Vec<String> = factors.iter().filter(|f| f.1 > Exponent::ZERO).map(power).collect();
    let below: Vec<String> = factors.iter().filter(|f| f.1 < Exponent::ZERO).map(power).collect();
    let above = if above.is_empty() { "1".to_owned() } else { above.join("*") };
    match below.as_slice() {
        [] => above,
        [one] => format!("{above}/{one}"),
        more => format!("{above}/({})", more.join("*")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scale, Unit};

    #[test]
    fn the_table_says_what_the_parser_reads() {
        for (text, dimension) in FAMILIAR {
            let unit = Unit::parse(text).expect(text);
            assert_eq!((unit.dimension(), unit.scale()), (*dimension, Scale::ONE), "{text}");
            assert_eq!(dimension.to_string(), *text);
        }
    }

    #[test]
    fn products_of_an_analyst_look_familiar() {
        let cases = [
            ("m*rad/s", "m/s"),
            ("m*rad^2/s^2", "m/s^2"),
            ("kg*m^2*rad/s", "N*m*s"),
            ("kg*m^2*rad^2/s^2", "J"),
            ("kg*m^2*rad/s^2", "J"),
            ("N*m*rad/s", "W"),
            ("N*m/s", "W"),
            ("lbf/in", "N/m"),
            ("lbf/in^2", "Pa"),
            ("hp/rpm", "N*m"),
            ("kg*m/s^3", "N/s"),
            ("N/m^3", "N/m^3"),
            ("N/m^(3/2)", "N/m^(3/2)"),
            ("N*s^2/m^2", "kg/m"),
            ("1/kg", "1/kg"),
            ("m^3/s", "m^3/s"),
            ("rad/s^3", "rad/s^3"),
            ("s^2*mol/m", "s^2*mol/m"),
            ("1/(A*K)", "1/(A*K)"),
            ("deg", "rad"),
            ("", "1"),
        ];
        for (typed, shown) in cases {
            let dimension = Unit::parse(typed).expect(typed).dimension();
            assert_eq!(dimension.to_string(), shown, "{typed}");
        }
    }
}
