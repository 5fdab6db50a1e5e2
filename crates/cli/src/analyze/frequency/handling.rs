//! `cardan handling`: understeer gradient, gains, frequency response and rollover threshold of a vehicle.

use std::f64::consts::PI;

use cardan::analysis::{Handling as Found, HandlingPoint, HandlingQuestion};
use cardan::control::frequency_response::logarithmic_grid;
use cardan::model::ExperimentKind;
use cardan::units::Dimension;
use cardan_viewer::{AxisScale, Curve, Plot, PlotFigure};
use clap::Args;
use serde_json::{Value, json};

use crate::analyze::arguments::Common;
use crate::analyze::locus::parameter_grid::Over;
use crate::analyze::page::{figures_page, table, write_figures};
use crate::analyze::{Asked, number, prepare};
use crate::exit::{Outcome, Problem};
use crate::files::digits;
use crate::run::request::quantity_of;
use crate::terminal::{Terminal, columns};

#[derive(Debug, Args)]
pub struct Handling {
    #[command(flatten)]
    pub common: Common,
    /// The parameter that is the speed, and its values: NAME=FROM..TO:COUNT
    #[arg(long, alias = "vary", value_name = "NAME=A..B:N")]
    pub over: Option<String>,
    /// The parameter or input that is the steering angle
    #[arg(long, value_name = "NAME")]
    pub input: Option<String>,
    /// The angle of the front wheels as an output or state; the input itself if not given
    #[arg(long, value_name = "NAME")]
    pub angle: Option<String>,
    /// The yaw rate as an output or state, such as 'der(yaw)'
    #[arg(long, value_name = "NAME")]
    pub yaw_rate: Option<String>,
    /// The lateral acceleration; speed times yaw rate if not given
    #[arg(long, value_name = "NAME")]
    pub lateral: Option<String>,
    /// The sideslip angle
    #[arg(long, value_name = "NAME")]
    pub sideslip: Option<String>,
    /// Outputs that are the loads of all wheels, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub loads: Vec<String>,
    /// The time of the state, where a robot steers by the clock; 0 if not given
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// The wheelbase; found from several speeds if not given
    #[arg(long, value_name = "LENGTH")]
    pub wheelbase: Option<String>,
}

/// Speeds of a block that does not say how many.
const USUAL_POINTS: f64 = 9.0;
/// Frequencies of the responses in Hz, and how many.
const FREQUENCIES: (f64, f64, usize) = (0.05, 5.0, 120);
/// A gradient in degrees per g, as handling people write it.
const PER_G: f64 = 180.0 / PI * 9.80665;

pub fn run(terminal: &Terminal, arguments: &Handling) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.common.quiet);
    let inputs: Vec<String> = arguments.input.iter().cloned().collect();
    let mut asked = prepare(terminal, ExperimentKind::Handling, &arguments.common, &[], &inputs, Ok)?;
    asked.say_discretes(terminal);
    let question = question(&asked, arguments)?;
    let found = Found::of(&mut asked.study, &question).map_err(Problem::wrong)?;
    let unsteady = found.points.iter().filter(|p| !p.is_steady).count();
    if unsteady > 0 {
        let many =
            format!("at {unsteady} of {} speeds no steady straight running was found", found.points.len());
        terminal.warning(&format!(
            "{many}; the gains there are about the start, at which the vehicle accelerates"
        ));
    }
    let facts = facts(&asked, &question, &found);
    let figures = figures(&question, &found);
    let mut paths = vec![
        asked.write("handling.json", &format!("{facts:#}\n"))?,
        asked.write("handling.csv", &csv(&found))?,
    ];
    paths.extend(write_figures(&asked, &figures)?);
    let summary = summary(&found);
    let rows: Vec<Vec<String>> = found.points.iter().map(cells).collect();
    let tables = vec![table("Gains", "per steering angle, about straight running", &HEADS, rows.clone())];
    paths.push(
        asked.write("handling.html", &figures_page(&asked, "handling", summary.clone(), figures, tables))?,
    );
    asked.deliver()?;
    if terminal.json {
        terminal.print_json(&facts);
    } else if !arguments.common.quiet {
        let mut out = asked.heading(terminal, &format!("handling at {} speeds", found.points.len()));
        let said: Vec<Vec<String>> = summary.into_iter().map(|(a, b)| vec![a, b]).collect();
        out += &columns(&said, &[]);
        let head = HEADS.iter().map(|t| t.to_string()).collect();
        out += &columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), &[0, 1, 2, 3, 4, 5, 6]);
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        terminal.print(&out);
    }
    Ok(Outcome::Done)
}

fn question(asked: &Asked, arguments: &Handling) -> Result<HandlingQuestion, Problem> {
    let name = |given: &Option<String>, word: &str| given.clone().or_else(|| asked.word(word));
    let missing = |what: &str, example: &str| {
        Problem::usage(format!("nothing says which quantity is {what}")).hint(example.to_string())
    };
    let named = asked.study.input_names();
    if named.len() != 1 {
        return Err(missing("the steering angle", "name one parameter or input: --input steer"));
    }
    let over = match (&arguments.over, asked.word("speed")) {
        (Some(text), _) => Over::read(text)?,
        (None, Some(speed)) => {
            let end = |word: &str, usual: f64| asked.number(word).unwrap_or(usual);
            let points = end("points", USUAL_POINTS).clamp(1.0, 1e4) as usize;
            Over::of_block(&speed, [end("from", 5.0), end("to", 40.0)], points.max(2))
        }
        (None, None) => {
            return Err(missing("the speed", "name its parameter and values: --over 'v=5..40 [m/s]:8'"));
        }
    };
    let length = |text: &String| quantity_of(text, "--wheelbase", Dimension::LENGTH);
    let time = asked.time("--time", &arguments.time)?;
    let (low, high, n) = FREQUENCIES;
    Ok(HandlingQuestion {
        speeds: over.values(Dimension::VELOCITY)?,
        speed: over.name,
        angle: name(&arguments.angle, "angle"),
        yaw_rate: name(&arguments.yaw_rate, "yaw_rate")
            .ok_or_else(|| missing("the yaw rate", "name an output or state: --yaw-rate 'der(yaw)'"))?,
        lateral: name(&arguments.lateral, "lateral"),
        sideslip: name(&arguments.sideslip, "sideslip"),
        loads: asked.list(&arguments.loads, "loads"),
        time: time.or(asked.number("time")).unwrap_or(0.0),
        wheelbase: arguments.wheelbase.as_ref().map(length).transpose()?.or(asked.number("wheelbase")),
        frequencies: logarithmic_grid(low, high, n),
    })
}

const HEADS: [&str; 7] = [
    "speed [m/s]",
    "yaw rate [1/s]",
    "lateral acceleration [m/s^2]",
    "sideslip",
    "understeer [deg/g]",
    "yaw peak [Hz]",
    "rollover [m/s^2]",
];

fn cells(p: &HandlingPoint) -> Vec<String> {
    let or = |x: Option<f64>| x.map_or("–".to_string(), number);
    vec![
        number(p.speed),
        number(p.yaw_gain),
        number(p.lateral_gain),
        or(p.sideslip_gain),
        number(p.understeer * PER_G),
        format!("{} × {}", number(p.resonance.0), number(p.resonance.1)),
        or(p.rollover.map(|r| r.0)),
    ]
}

fn summary(found: &Found) -> Vec<(String, String)> {
    let gradient =
        format!("{} rad s²/m, {} deg/g", number(found.understeer), number(found.understeer * PER_G));
    let mut lines = vec![
        ("wheelbase".to_string(), format!("{} m", number(found.wheelbase))),
        ("understeer gradient".to_string(), gradient),
    ];
    if let Some(v) = found.characteristic_speed() {
        lines.push(("characteristic speed".into(), format!("{} m/s", number(v))));
    }
    if let Some(v) = found.critical_speed() {
        lines.push(("critical speed".into(), format!("{} m/s", number(v))));
    }
    if let Some((all, first)) = found.points.last().and_then(|p| p.rollover) {
        let text = format!("{} m/s², the first wheel lifts at {} m/s²", number(all), number(first));
        lines.push(("rollover threshold".into(), text));
    }
    lines
}

fn facts(asked: &Asked, question: &HandlingQuestion, found: &Found) -> Value {
    let pairs = |list: &[(f64, f64)]| list.iter().map(|(g, p)| json!([g, p])).collect::<Vec<_>>();
    let point = |p: &HandlingPoint| {
        json!({
            "speed": p.speed, "is_steady": p.is_steady, "yaw_gain": p.yaw_gain, "lateral_gain": p.lateral_gain, "sideslip_gain": p.sideslip_gain,
            "understeer": p.understeer, "yaw_peak": { "frequency": p.resonance.0, "ratio": p.resonance.1 },
            "rollover": p.rollover.map(|r| r.0), "first_lift": p.rollover.map(|r| r.1),
            "yaw": pairs(&p.yaw), "lateral": pairs(&p.lateral),
        })
    };
    json!({
        "ok": true,
        "model": asked.study.model().name,
        "wheelbase": found.wheelbase,
        "understeer_gradient": found.understeer,
        "characteristic_speed": found.characteristic_speed(),
        "critical_speed": found.critical_speed(),
        "frequencies": question.frequencies,
        "points": found.points.iter().map(point).collect::<Vec<_>>(),
    })
}

fn csv(found: &Found) -> String {
    let mut out = "speed [m/s],yaw gain [1/s],lateral gain [m/s^2],sideslip gain,understeer [rad*s^2/m],yaw peak [Hz],yaw peak ratio,rollover [m/s^2]\n".to_string();
    let or = |x: Option<f64>| x.map_or(String::new(), digits);
    for p in &found.points {
        let row = [
            digits(p.speed),
            digits(p.yaw_gain),
            digits(p.lateral_gain),
            or(p.sideslip_gain),
            digits(p.understeer),
            digits(p.resonance.0),
            digits(p.resonance.1),
            or(p.rollover.map(|r| r.0)),
        ];
        out += &(row.join(",") + "\n");
    }
    out
}

fn figures(question: &HandlingQuestion, found: &Found) -> Vec<PlotFigure> {
    let speeds: Vec<f64> = found.points.iter().map(|p| p.speed).collect();
    let over_speed = |title: &str, label: &str, unit: &str, y: Vec<f64>| PlotFigure {
        title: title.into(),
        note: "steady, per steering angle".into(),
        plot: Plot {
            x_label: "speed".into(),
            x_unit: "m/s".into(),
            y_label: label.into(),
            y_unit: unit.into(),
            curves: vec![Curve::line("", speeds.clone(), y)],
            ..Plot::default()
        },
    };
    let mut all = vec![
        over_speed("Yaw rate", "yaw rate", "1/s", found.points.iter().map(|p| p.yaw_gain).collect()),
        over_speed(
            "Lateral acceleration",
            "lateral acceleration",
            "m/s^2",
            found.points.iter().map(|p| p.lateral_gain).collect(),
        ),
    ];
    if let Some(y) = found.points.iter().map(|p| p.sideslip_gain).collect::<Option<Vec<f64>>>() {
        all.push(over_speed("Sideslip", "sideslip", "1", y));
    }
    let f = &question.frequencies;
    let over_frequency = |title: &str, label: &str, unit: &str, of: &dyn Fn(&HandlingPoint) -> Vec<f64>| {
        let curve = |(k, p): (usize, &HandlingPoint)| {
            Curve::line(format!("{} m/s", number(p.speed)), f.clone(), of(p)).colored(k)
        };
        let stride = found.points.len().div_ceil(5);
        PlotFigure {
            title: title.into(),
            note: "of the yaw rate per steering angle".into(),
            plot: Plot {
                x_label: "frequency".into(),
                x_unit: "Hz".into(),
                x_scale: AxisScale::Logarithmic,
                y_label: label.into(),
                y_unit: unit.into(),
                curves: found.points.iter().step_by(stride).enumerate().map(curve).collect(),
                ..Plot::default()
            },
        }
    };
    all.push(over_frequency("Yaw response: gain", "gain", "1/s", &|p| p.yaw.iter().map(|g| g.0).collect()));
    all.push(over_frequency("Yaw response: phase", "phase", "deg", &|p| {
        p.yaw.iter().map(|g| g.1 * 180.0 / PI).collect()
    }));
    all
}
