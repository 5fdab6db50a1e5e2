//! Unit texts: what they mean, what is refused, and laws that hold for all of them.

use cardan_units::{Base, Dimension, Exponent, Scale, Unit, UnitErrorKind};
use proptest::prelude::*;

fn dimension(text: &str) -> Dimension {
    Unit::parse(text).unwrap_or_else(|e| panic!("{text}: {e}")).dimension()
}

#[test]
fn spellings_of_one_unit_agree() {
    let groups: &[&[&str]] = &[
        &["N*m", "N m", "N·m", "N ⋅ m", "(N)*(m)", "m N", "N(m)", "(N m)"],
        &["kg*m^2", "kg m²", "kg*m*m", "kg*m^+2", "kg*m^(2)", "kg*m^2.0", "kg / m^-2", "kg/m⁻²"],
        &["m/s^2", "m/s/s", "m*s^-2", "m s⁻²", "m/(s*s)", "m*(1/s)^2", " m / s ^ 2 "],
        &["1/s", "s^-1", "Hz", "1 / s", "(s)^(-1)"],
        &["m^(1/2)", "m^0.5", "m^( 1 / 2 )", "(m^3)^(1/6)"],
        &["um", "µm", "μm"],
        &["", "  ", "-", "1", "m/m", "%/%"],
        &["deg", "°"],
        &["J/(kg*K)", "J/kg/K", "(J/kg)/K"],
    ];
    for group in groups {
        let first = Unit::parse(group[0]).expect("a unit");
        for text in *group {
            let unit = Unit::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!((unit.dimension(), unit.scale()), (first.dimension(), first.scale()), "{text}");
        }
    }
}

#[test]
fn named_dimensions_agree_with_their_units() {
    let cases = [
        ("N", Dimension::FORCE),
        ("N*m", Dimension::TORQUE),
        ("J", Dimension::ENERGY),
        ("kWh", Dimension::ENERGY),
        ("W", Dimension::POWER),
        ("hp", Dimension::POWER),
        ("N*m/rad", Dimension::ANGULAR_STIFFNESS),
        ("N*m*s/rad", Dimension::ANGULAR_DAMPING),
        ("slug*ft^2", Dimension::INERTIA),
        ("lbf/in", Dimension::STIFFNESS),
        ("N*s/mm", Dimension::DAMPING),
        ("rpm", Dimension::ANGULAR_VELOCITY),
        ("deg/s^2", Dimension::ANGULAR_ACCELERATION),
        ("MPa", Dimension::PRESSURE),
        ("g/cm^3", Dimension::DENSITY),
        ("gn", Dimension::ACCELERATION),
        ("km/h", Dimension::VELOCITY),
        ("N*s", Dimension::MOMENTUM),
        ("N*m*s", Dimension::ANGULAR_MOMENTUM),
        ("L", Dimension::VOLUME),
        ("cm^2", Dimension::AREA),
        ("mA", Dimension::CURRENT),
        ("K", Dimension::TEMPERATURE),
        ("Hz", Dimension::FREQUENCY),
    ];
    for (text, expected) in cases {
        assert_eq!(dimension(text), expected, "{text}");
    }
}

#[test]
fn refusals_point_at_the_place_and_help() {
    use UnitErrorKind::*;
    let cases: &[(&str, UnitErrorKind, &str, &str)] = &[
        ("Nm", UnknownName, "Nm", "write `N*m`"),
        ("kNm/rad", UnknownName, "kNm", "write `kN*m`"),
        ("kg*m2", UnknownName, "m2", "write `m^2`"),
        ("KG", UnknownName, "KG", "perhaps `kg`"),
        ("N*metre", UnknownName, "metre", "write `m`"),
        ("rads/s", UnknownName, "rads", "write `rad`"),
        ("feet", UnknownName, "feet", "write `ft`"),
        ("N*Meters", UnknownName, "Meters", "write `m`"),
        ("Ns/m", UnknownName, "Ns", "write `N*s`"),
        ("slgu", UnknownName, "slgu", "perhaps `slug`"),
        ("parsnip", UnknownName, "parsnip", ""),
        ("lbs", UnknownName, "lbs", "write `lb` for the mass, `lbf` for the force"),
        ("m/s**2", UnexpectedSign, "*", "a unit is missing beside it"),
        ("N.m", UnexpectedSign, ".", "write `*` between units: `N*m`"),
        ("/s", UnexpectedSign, "/", "a unit is missing beside it"),
        ("N*", UnexpectedSign, "", ""),
        ("m^", BadExponent, "", "write a small"),
        ("m^x", BadExponent, "", "write a small"),
        ("m^99999", BadExponent, "99999", "write a small"),
        ("m^(1/0)", BadExponent, "(1/0)", "write a small"),
        ("m²⁻", BadExponent, "²⁻", "write `m²` or `m^2`"),
        ("degC", OffsetScale, "degC", "write kelvin"),
        ("W/°C", OffsetScale, "°C", "write kelvin"),
        ("2*m", NumberInside, "2", "write the number before the bracket"),
        ("m/2", NumberInside, "2", "write the number before the bracket"),
        ("J/kg K", UnclearStroke, "/kg K", "write `/(kg*K)` or `/kg*K`"),
        ("km^40", Inexact, "km^40", "use SI units here"),
        ("N*mm^(1/2)", Inexact, "mm^(1/2)", "use SI units here"),
        ("(N*m", Parenthesis, "(", "add `)`"),
        ("N*m)", Parenthesis, ")", "remove `)`"),
    ];
    for (text, kind, place, hint) in cases {
        let error = Unit::parse(text).expect_err(text);
        assert_eq!(error.kind, *kind, "{text}: {error}");
        assert_eq!(&text[error.start..error.end], *place, "{text}: {error}");
        let given = error.hint.clone().unwrap_or_default();
        assert!(given.starts_with(hint) && given.is_empty() == hint.is_empty(), "{text}: {given}");
    }
}

#[test]
fn endless_parentheses_are_refused() {
    let error = Unit::parse(&"(".repeat(100_000)).expect_err("too deep");
    assert_eq!(error.kind, UnitErrorKind::Parenthesis);
}

#[test]
fn codes_are_numbered_in_order() {
    for (i, kind) in UnitErrorKind::ALL.iter().enumerate() {
        assert_eq!(kind.code().0, format!("U{:03}", i + 1));
    }
}

#[test]
fn values_travel_to_si_and_back() {
    let unit = Unit::parse("lbf/in").expect("a unit");
    let value = unit.to_si(954.0);
    assert!((value - 167_071.000_8).abs() < 1e-4, "{value}");
    assert!((unit.from_si(value) - 954.0).abs() < 1e-12);
    let ratio = Unit::parse("rev/min").expect("a unit").factor_to(&Unit::parse("deg/s").expect("a unit"));
    assert_eq!(ratio, Scale::new(6, 1, 0));
    assert_eq!(unit.factor_to(&Unit::parse("N*m").expect("a unit")), None);
}

fn any_dimension() -> impl Strategy<Value = Dimension> {
    let exponent = (-6i64..=6, prop_oneof![4 => Just(1i64), 1 => Just(2), 1 => Just(3)]);
    proptest::collection::vec(prop_oneof![1 => Just((0, 1)), 1 => exponent], 8).prop_map(|list| {
        let bases = Base::DECIDING.into_iter().chain([Base::Angle]);
        bases.zip(list).fold(Dimension::ONE, |product, (base, (num, den))| {
            let exponent = Exponent::new(num, den).expect("small");
            product * Dimension::ONE.with(base, 1).pow(exponent)
        })
    })
}

fn any_unit_text() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        Just("m"),
        Just("kg"),
        Just("s"),
        Just("N"),
        Just("deg"),
        Just("ft"),
        Just("in"),
        Just("rpm"),
        Just("kW")
    ];
    let power = (name, -2i16..=3).prop_map(|(name, n)| format!("{name}^{n}"));
    proptest::collection::vec(power, 1..4).prop_map(|powers| powers.join("*"))
}

proptest! {
    #[test]
    fn the_text_of_a_dimension_is_read_back(d in any_dimension()) {
        let text = d.to_string();
        let unit = Unit::parse(&text).expect(&text);
        prop_assert!(unit.dimension().compatible(&d), "{text}");
        prop_assert_eq!(unit.scale(), Scale::ONE);
        prop_assert_eq!(unit.dimension().to_string(), text);
        prop_assert_eq!(Unit::si(d).dimension(), d);
    }

    #[test]
    fn powers_and_products_of_dimensions_obey_the_laws(a in any_dimension(), b in any_dimension(), n in -4i16..5) {
        prop_assert_eq!(a * b, b * a);
        prop_assert_eq!((a * b) / b, a);
        prop_assert_eq!((a * b).powi(n), a.powi(n) * b.powi(n));
        prop_assert_eq!(a.sqrt() * a.sqrt(), a);
        prop_assert_eq!(a.compatible(&b), (a / b).is_dimensionless());
    }

    #[test]
    fn the_text_of_a_product_is_the_product(a in any_unit_text(), b in any_unit_text()) {
        let [left, right] = [&a, &b].map(|t| Unit::parse(t).expect("a unit"));
        let product = Unit::parse(&format!("({a})*({b})")).expect("a unit");
        let quotient = Unit::parse(&format!("({a})/({b})")).expect("a unit");
        prop_assert_eq!(product.dimension(), left.dimension() * right.dimension());
        prop_assert_eq!(Some(product.scale()), left.scale().checked_mul(right.scale()));
        prop_assert_eq!(quotient.dimension(), left.dimension() / right.dimension());
        prop_assert_eq!(quotient.scale().checked_mul(right.scale()), Some(left.scale()));
    }

    #[test]
    fn no_text_is_too_strange(text in "\\PC{0,24}") {
        if let Err(error) = Unit::parse(&text) {
            prop_assert!(text.get(error.start..error.end).is_some(), "{error:?}");
        }
    }

    #[test]
    fn no_heap_of_signs_is_too_strange(text in "[kNm1s2/*^()².° \\-+gE·⁻]{0,16}") {
        if let Err(error) = Unit::parse(&text) {
            prop_assert!(text.get(error.start..error.end).is_some(), "{error:?}");
            prop_assert!(!error.message.is_empty());
        }
    }
}
