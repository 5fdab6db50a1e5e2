//! `cardan linearize`: A, B, C, D, and M, C, K.

use cardan::analysis::{
    DescriptorForm, LinearOptions, Linearization, Named, descriptor_form, linearize as linear_at,
};
use cardan::model::ExperimentKind;
use cardan::solve::Matrix;
use serde_json::{Value, json};

use crate::analyze::arguments::Linearize;
use crate::analyze::frequency::response::matrix;
use crate::analyze::{Asked, Chosen, Moment, number, prepare, rows, warn_of_kinks};
use crate::exit::{Outcome, Problem};
use crate::files::{csv_cell, digits};
use crate::terminal::{Terminal, columns};

pub fn run(terminal: &Terminal, arguments: &Linearize) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.common.quiet);
    let mut asked =
        prepare(terminal, ExperimentKind::Linearize, &arguments.common, &[], &arguments.input, Ok)?;
    let options = LinearOptions { keep: asked.list(&arguments.about.keep, "keep") };
    let (states, instead) = match asked.time("to", &arguments.to)? {
        Some(to) => {
            let every = asked.time("every", &arguments.every)?;
            (asked.along(to, every)?, false)
        }
        None => {
            let Chosen { t, y, instead } = asked.state(terminal, &arguments.about)?;
            (vec![Moment { t, y, discretes: asked.study.discretes().to_vec() }], instead)
        }
    };
    if states.len() == 1 {
        asked.say_discretes(terminal);
        asked.warn_of_frozen_blocks(terminal);
    }
    let mut found = vec![];
    for Moment { t, y, discretes } in &states {
        asked.study.hold_discretes(discretes);
        let linear = linear_at(&mut asked.study, *t, y, &options).map_err(Problem::wrong)?;
        if let Some((output, by)) = linear.undefined.first() {
            let (output, by) = (&output.name, &by.name);
            return Err(Problem::wrong(format!(
                "the derivative of the output `{output}` by `{by}` is not finite at t = {} s",
                number(*t)
            ))
            .hint(format!(
                "--set starts elsewhere; `cardan modes` does without outputs, or `{output}` may be left out"
            )));
        }
        found.push(if arguments.without_ignorable { linear.without_ignorable() } else { linear });
    }
    if let [one] = &found[..] {
        asked.warn_of_imbalance(terminal, one);
        warn_of_kinks(terminal, &one.kinks);
    }
    let Some(first) = found.first() else { return Err(Problem::failed("the motion has no samples")) };
    if let Some(other) = found.iter().find(|l| places(l) != places(first)) {
        terminal.warning(&format!(
            "other states are independent from t = {} s on; --keep chooses them",
            number(other.time)
        ));
    }
    let mut facts = match &found[..] {
        [one] => describe(&asked, one),
        many => json!({
            "ok": true,
            "model": asked.study.model().name,
            "along": many.iter().map(|l| describe(&asked, l)).collect::<Vec<_>>(),
        }),
    };
    if arguments.descriptor {
        let form = descriptor_form(&mut asked.study, first.time, &first.state).map_err(Problem::wrong)?;
        facts["descriptor"] = described(&form);
    }
    facts["instead"] = json!(instead);
    let mut paths = vec![asked.write("linear.json", &format!("{facts:#}\n"))?];
    let (x, u, w) = (independent(first), names(&first.inputs), names(&first.outputs));
    for (name, row, column, of) in [
        ("A", &x, &x, (|l: &Linearization| l.a.clone()) as fn(&Linearization) -> Matrix),
        ("B", &x, &u, |l| l.b.clone()),
        ("C", &w, &x, |l| l.c.clone()),
        ("D", &w, &u, |l| l.d.clone()),
    ] {
        if !row.is_empty() && !column.is_empty() {
            paths.push(asked.write(&format!("{name}.csv"), &csv(&found, row, column, of))?);
        }
    }
    asked.deliver()?;
    if terminal.json {
        terminal.print_json(&facts);
    } else if !arguments.common.quiet {
        let mut out = asked.heading(terminal, &heading(&found, instead));
        if let [one] = &found[..] {
            out += &printed(terminal, one);
        }
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        terminal.print(&out);
    }
    Ok(Outcome::Done)
}

fn heading(found: &[Linearization], instead: bool) -> String {
    let first = &found[0];
    let said = |what: &str, list: Vec<String>| match &list[..] {
        [] => String::new(),
        list => format!("; {what} {}", list.join(", ")),
    };
    let ignorable = said("ignorable coordinates:", names(&first.unfelt()))
        + &said("ignorable to first order:", names(&first.flat()));
    match found {
        [one] if instead => {
            format!("linear about the equilibrium near the start at t = {} s{ignorable}", number(one.time))
        }
        [one] => format!("linear about {} at t = {} s{ignorable}", one.point.words(), number(one.time)),
        many => format!(
            "linear at {} times from {} to {} s{ignorable}",
            many.len(),
            number(first.time),
            number(many[many.len() - 1].time)
        ),
    }
}

fn places(l: &Linearization) -> Vec<usize> {
    l.independent.iter().map(|i| i.place).collect()
}

fn independent(l: &Linearization) -> Vec<String> {
    l.independent.iter().map(|i| i.named.name.clone()).collect()
}

fn names(list: &[Named]) -> Vec<String> {
    list.iter().map(|n| n.name.clone()).collect()
}

fn describe(asked: &Asked, l: &Linearization) -> Value {
    let named = |list: &[Named]| -> Vec<Value> {
        list.iter().map(|n| json!({ "name": n.name, "unit": n.unit })).collect()
    };
    let states: Vec<Named> = l.independent.iter().map(|i| i.named.clone()).collect();
    let about: serde_json::Map<String, Value> =
        l.state.iter().enumerate().map(|(k, y)| (asked.study.state(k).0.name, json!(y))).collect();
    let second = &l.second_order;
    let split = l.split().map(|s| {
        json!({
            "D": rows(&s.damping), "G": rows(&s.gyroscopic),
            "K": rows(&s.stiffness), "N": rows(&s.circulatory),
        })
    });
    json!({
        "ok": true,
        "model": asked.study.model().name,
        "time": l.time,
        "point": l.point.words(),
        "discrete": asked.discretes(),
        "unrest": l.unrest,
        "about": about,
        "ignorable": names(&l.unfelt()),
        "flat": names(&l.flat()),
        "kinks": l.kinks.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "states": named(&states),
        "inputs": named(&l.inputs),
        "outputs": named(&l.outputs),
        "A": rows(&l.a), "B": rows(&l.b), "C": rows(&l.c), "D": rows(&l.d),
        "second_order": {
            "speeds": named(&second.speeds),
            "coordinates": named(&second.coordinates),
            "M": rows(&second.mass),
            "C": rows(&second.damping),
            "K": rows(&second.stiffness),
            "B": rows(&second.forcing),
            "split": split,
        },
    })
}

/// E, A, B, C, D in all coordinates, speeds and multipliers.
fn described(form: &DescriptorForm) -> Value {
    let system = &form.system;
    let states: Vec<Value> = form.states.iter().map(|n| json!({ "name": n.name, "unit": n.unit })).collect();
    json!({
        "states": states,
        "E": system.e.as_ref().map(matrix),
        "A": matrix(&system.a), "B": matrix(&system.b), "C": matrix(&system.c), "D": matrix(&system.d),
    })
}

/// One matrix, or one per time below one another.
fn csv(
    found: &[Linearization],
    row: &[String],
    column: &[String],
    of: fn(&Linearization) -> Matrix,
) -> String {
    let many = found.len() > 1;
    let mut out = String::from(if many { "t," } else { "" });
    out += &std::iter::once(String::new())
        .chain(column.iter().map(|c| csv_cell(c)))
        .collect::<Vec<_>>()
        .join(",");
    out.push('\n');
    for l in found {
        let m = of(l);
        for (i, name) in row.iter().enumerate().take(m.n_rows()) {
            if many {
                out += &format!("{},", digits(l.time));
            }
            out += &csv_cell(name);
            (0..m.n_cols()).for_each(|j| out += &format!(",{}", digits(m[(i, j)])));
            out.push('\n');
        }
    }
    out
}

/// Larger matrices are left to the files.
const MAX_PRINTED: usize = 12;

fn printed(terminal: &Terminal, l: &Linearization) -> String {
    let second = &l.second_order;
    let x = independent(l);
    let mut out = String::new();
    let split = l.split();
    let parts = split.iter().flat_map(|s| {
        let speeds = names(&second.speeds);
        let part = |name, m| (name, m, speeds.clone(), speeds.clone());
        // Matrices that are symmetric but for rounding say nothing new.
        let vanishes = |part: &Matrix, whole: &Matrix| largest(part) <= ROUNDING * largest(whole);
        let is_whole =
            vanishes(&s.gyroscopic, &second.damping) && vanishes(&s.circulatory, &second.stiffness);
        let all = [
            part("D, the damping in C", &s.damping),
            part("G, the gyroscopic terms in C", &s.gyroscopic),
            part("symmetric part of K, the stiffness", &s.stiffness),
            part("N, the circulatory terms in K", &s.circulatory),
        ];
        all.into_iter().filter(move |_| !is_whole)
    });
    let whole = [
        ("A", &l.a, x.clone(), x.clone()),
        ("B", &l.b, x.clone(), names(&l.inputs)),
        ("C", &l.c, names(&l.outputs), x),
        ("D", &l.d, names(&l.outputs), names(&l.inputs)),
        ("M", &second.mass, names(&second.speeds), names(&second.speeds)),
        ("C of M u' + C u + K q", &second.damping, names(&second.speeds), names(&second.speeds)),
        ("K", &second.stiffness, names(&second.speeds), names(&second.coordinates)),
    ];
    for (name, m, row, column) in whole.into_iter().chain(parts) {
        if row.is_empty() || column.is_empty() {
            continue;
        }
        out += &format!("{}\n", terminal.bold(name));
        if row.len() > MAX_PRINTED || column.len() > MAX_PRINTED {
            out += &format!("  {} × {}, in the files\n", row.len(), column.len());
            continue;
        }
        let heading: Vec<String> = std::iter::once(String::new()).chain(column.iter().cloned()).collect();
        let body = (0..m.n_rows()).map(|i| {
            let cells = (0..m.n_cols()).map(|j| number(tidy(m, i, j)));
            std::iter::once(row[i].clone()).chain(cells).collect()
        });
        let all: Vec<Vec<String>> = std::iter::once(heading).chain(body).collect();
        out += &columns(&all, &(1..=column.len()).collect::<Vec<_>>());
    }
    out
}

/// Skew-symmetric parts below this part of a matrix are rounding.
const ROUNDING: f64 = 1e-12;

/// Rounding beside the largest entry is shown as zero.
fn tidy(m: &Matrix, i: usize, j: usize) -> f64 {
    if m[(i, j)].abs() < 1e-14 * largest(m) { 0.0 } else { m[(i, j)] }
}

fn largest(m: &Matrix) -> f64 {
    m.as_slice().iter().fold(0.0, |a: f64, x| x.abs().max(a))
}
