//! What varies, from the command line: `L=0.5[m]..2[m]:11`, `k=1,2,5`, `m=normal(1 [kg], 50 [g])`.

use cardan::compile::{Varied, vary};
use cardan::model::Model;
use cardan::sweep::{Design, PlanError, SweepAxis, SweepPlan};
use cardan::units::Dimension;

use super::arguments::{DesignName, Sweep};
use crate::exit::Problem;
use crate::run::request::{quantity, quantity_of, unset, with_unit};

/// A value in SI units, of the dimension that is varied.
fn number(text: &str, varied: &Varied) -> Result<f64, Problem> {
    quantity_of(text, &varied.name, varied.dimension)
}

/// A pure number.
fn plain(text: &str, what: &str) -> Result<f64, Problem> {
    match quantity(text)? {
        (number, None) => Ok(number),
        (number, Some(d)) if d.compatible(&Dimension::ONE) => Ok(number),
        _ => Err(Problem::usage(format!("{what} is a number without a unit, and `{}` has one", text.trim()))),
    }
}

fn axis(text: &str, varied: &Varied) -> Result<SweepAxis, Problem> {
    let text = text.trim();
    let numbers = |parts: &[&str]| {
        with_unit(parts).iter().map(|part| number(part, varied)).collect::<Result<Vec<f64>, _>>()
    };
    // A unit behind the bracket is meant for all within it.
    let (whole, unit) = match text.rfind(')') {
        Some(at) if text[at + 1..].trim_start().starts_with('[') => text.split_at(at + 1),
        _ => (text, ""),
    };
    if let Some((name, rest)) = whole.split_once('(')
        && let Some(arguments) = rest.strip_suffix(')')
        && name.chars().all(|c| c.is_ascii_alphabetic())
    {
        let of_number = |part: &str| if part.contains('[') { part.into() } else { format!("{part} {unit}") };
        let parts: Vec<String> = match name {
            // The deviation of a logarithm has no unit.
            "lognormal" => arguments
                .splitn(2, ',')
                .enumerate()
                .map(|(k, part)| if k == 0 { of_number(part) } else { part.into() })
                .collect(),
            _ => arguments.split(',').map(of_number).collect(),
        };
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        return match (name, parts.as_slice()) {
            ("normal", parts @ [_, _]) => {
                let n = numbers(parts)?;
                Ok(SweepAxis::Normal { mean: n[0], deviation: n[1] })
            }
            ("lognormal", [median, deviation]) => Ok(SweepAxis::LogNormal {
                median: number(median, varied)?,
                deviation: plain(deviation, "the deviation of a logarithm")?,
            }),
            ("uniform", parts @ [_, _]) => {
                let n = numbers(parts)?;
                Ok(SweepAxis::Range { from: n[0], to: n[1], levels: None })
            }
            ("triangular", parts @ [_, _, _]) => {
                let n = numbers(parts)?;
                Ok(SweepAxis::Triangular { low: n[0], mode: n[1], high: n[2] })
            }
            _ => Err(Problem::usage(format!("`{text}` is no distribution")).hint(
                "write normal(MEAN, DEVIATION), lognormal(MEDIAN, DEVIATION), uniform(FROM, TO) or triangular(LOW, MODE, HIGH)",
            )),
        };
    }
    if let Some((from, rest)) = text.split_once("..") {
        let (to, levels) = match rest.rsplit_once(':') {
            Some((to, n)) => {
                let problem =
                    || Problem::usage(format!("`{}` is no number of levels", n.trim())).hint("write 0..1:11");
                (to, Some(n.trim().parse::<usize>().map_err(|_| problem())?))
            }
            None => (rest, None),
        };
        let n = numbers(&[from, to])?;
        return Ok(SweepAxis::Range { from: n[0], to: n[1], levels });
    }
    Ok(SweepAxis::Values(numbers(&text.split(',').collect::<Vec<_>>())?))
}

/// Quantities that vary, their values and the design of the sweep.
pub type Varying = (Vec<Varied>, SweepPlan, Design);

/// What varies and how; the model's parameters and starts are set free for it.
pub fn plan(mut model: Model, arguments: &Sweep) -> Result<(Model, Varying), Problem> {
    let (mut all, mut axes): (Vec<Varied>, Vec<SweepAxis>) = (vec![], vec![]);
    for text in &arguments.vary {
        let Some((name, values)) = text.split_once('=') else {
            return Err(Problem::usage(format!("`{text}` does not say what varies how"))
                .hint("write --vary NAME=0.5..2[m]:11"));
        };
        let name = name.trim();
        if all.iter().any(|v| v.name == name) {
            return Err(
                Problem::usage(format!("`{name}` varies twice")).hint("give all its values in one --vary")
            );
        }
        let set = arguments.set.iter().filter_map(|s| s.split(['=', '~']).next()).map(str::trim);
        if let Some(set) = set.into_iter().find(|set| model.own_name(set) == model.own_name(name)) {
            let message = format!("`{set}` is set by --set and varied by --vary");
            return Err(Problem::usage(message).hint(format!("leave out --set {set}=…, or --vary {name}=…")));
        }
        let varied;
        (model, varied) = vary(model, name).map_err(unset)?;
        axes.push(axis(values, &varied)?);
        all.push(varied);
    }
    let name = arguments.design.unwrap_or(match arguments.samples {
        Some(_) => DesignName::Latin,
        None => DesignName::Grid,
    });
    if arguments.samples == Some(0) {
        return Err(Problem::usage("a sweep has at least one sample").hint("write --samples 1000"));
    }
    let seed = arguments.seed;
    let design = match (name, arguments.samples) {
        (DesignName::Grid, None) => Design::Grid,
        (DesignName::List, None) => Design::List,
        (DesignName::Latin, Some(samples)) => Design::Latin { samples, seed },
        (DesignName::Random, Some(samples)) => Design::Random { samples, seed },
        (DesignName::Latin | DesignName::Random, None) => {
            return Err(Problem::usage("this design has as many members as --samples says")
                .hint("add --samples 1000"));
        }
        (DesignName::Grid | DesignName::List, Some(_)) => {
            return Err(
                Problem::usage("the values say how many members this design has").hint("remove --samples")
            );
        }
    };
    if let (true, Some((v, n))) = (arguments.samples.is_some(), levels(&all, &axes)) {
        let message =
            format!("`{}` takes {n} values in a grid, and a design of samples takes others", v.name);
        return Err(Problem::usage(message).hint(format!("remove `:{n}`, or --samples and --design")));
    }
    let plan = SweepPlan::new(axes, design).map_err(|error| refused(&error, &all))?;
    Ok((model, (all, plan, design)))
}

/// The first range with a number of levels, which only a grid or a list has.
fn levels<'a>(varied: &'a [Varied], axes: &[SweepAxis]) -> Option<(&'a Varied, usize)> {
    varied.iter().zip(axes).find_map(|(v, axis)| match axis {
        SweepAxis::Range { levels: Some(n), .. } => Some((v, *n)),
        _ => None,
    })
}

/// Why there is no plan, with the name of what varies.
fn refused(error: &PlanError, varied: &[Varied]) -> Problem {
    let name = |axis: &usize| varied.get(*axis).map_or("", |v| v.name.as_str());
    match error {
        PlanError::NoLevels { axis } => {
            Problem::usage(format!("how many values `{}` takes in a grid is not said", name(axis)))
                .hint(format!("write --vary {}=A..B:11, or --samples 1000 for a Latin hypercube", name(axis)))
        }
        PlanError::Axis { axis, fault } => Problem::usage(format!("`{}`: {fault}", name(axis))),
        PlanError::Lengths { axis } => {
            let message = format!("`{}` has another number of values than `{}`", name(axis), name(&0));
            Problem::usage(message).hint("lists are gone through together; --design grid combines all")
        }
        other => Problem::usage(other),
    }
}

/// A design in a word or two.
pub fn design_text(design: &Design) -> String {
    match design {
        Design::Grid => "grid".into(),
        Design::List => "list".into(),
        Design::Latin { seed, .. } => format!("Latin hypercube, seed {seed}"),
        Design::Random { seed, .. } => format!("Monte Carlo, seed {seed}"),
    }
}

#[cfg(test)]
mod tests {
    use cardan::compile::Varied;
    use cardan::sweep::SweepAxis;
    use cardan::units::Dimension;

    use super::{axis, with_unit};

    #[test]
    fn a_unit_behind_a_distribution_is_meant_for_all_in_it() {
        let of = |dimension| Varied { name: "a".into(), parameter: "a".into(), dimension, nominal: 0.0 };
        let turn = 1f64.to_radians();
        let angle = of(Dimension::ANGLE);
        let found = |text: &str, varied: &Varied| axis(text, varied).map_err(|_| text.to_owned());
        for text in ["normal(30, 5)[deg]", "normal(30 [deg], 5 [deg])", "normal(30, 5 [deg])"] {
            let Ok(SweepAxis::Normal { mean, deviation }) = found(text, &angle) else { panic!("{text}") };
            assert!((mean - 30.0 * turn).abs() < 1e-15 && (deviation - 5.0 * turn).abs() < 1e-15, "{text}");
        }
        let Ok(SweepAxis::LogNormal { median, deviation }) =
            found("lognormal(30, 0.1) [cm]", &of(Dimension::LENGTH))
        else {
            panic!("lognormal")
        };
        assert!((median - 0.3).abs() < 1e-15 && (deviation - 0.1).abs() < 1e-15);
    }

    #[test]
    fn a_unit_at_the_end_is_meant_for_all() {
        assert_eq!(with_unit(&["10", "80 [deg]"]), ["10 [deg]", "80 [deg]"]);
        assert_eq!(with_unit(&["0.5 [m]", "20 [cm]"]), ["0.5 [m]", "20 [cm]"]);
        assert_eq!(with_unit(&["0.5", "1.5 [m]", "2"]), ["0.5", "1.5 [m]", "2"]);
    }
}
