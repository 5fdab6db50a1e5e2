//! What is not smooth: events and sampled blocks, tables, functions that are written elsewhere.

use cardan_expr::print::Layout;
use cardan_model::{External, Interpolation, Model, Quantity, Table, Target, Trigger};
use cardan_units::Dimension;

use crate::chapters::scalars::Asked;
use crate::default_descriptions::unit;
use crate::document::{Block, Cell, Formula, Section};
use crate::plot::{Plot, short};

/// Points of a table in a row.
const BESIDE: usize = 4;

/// When what jumps; nothing if nothing does.
pub(crate) fn events(model: &Model) -> Option<Section> {
    let hybrid = &model.hybrid;
    if hybrid.events.is_empty() {
        return None;
    }
    let mut section = Section::new("Events");
    section.text(
        "A block happens when its condition becomes true, or again and again with a period. What it assigns holds afterwards; right sides take the \
         values before. Blocks of one instant happen in this order.",
    );
    let pool = model.space.pool();
    let mut asked = Asked::default();
    for (_, event) in hybrid.events.iter() {
        let head = match &event.trigger {
            Trigger::When(condition) => vec![(Formula::Words("when"), "", *condition)],
            Trigger::Every { period, offset } => {
                let mut head = vec![(Formula::Words("every"), "", *period)];
                if !pool.is_zero(*offset) {
                    head.push((Formula::Words("from"), "", *offset));
                }
                head
            }
        };
        let new = event.assignments.iter().map(|(target, value)| {
            (Formula::Name(target_quantity(model, target).name.clone()), ":=", *value)
        });
        let stops = event.stops.iter().map(|(when, _)| (Formula::Words("stop if"), "", *when));
        asked.relations(&event.name, head.into_iter().chain(new).chain(stops));
    }
    asked.write(model, &mut section);
    Some(section)
}

fn target_quantity<'m>(model: &'m Model, target: &Target) -> &'m Quantity {
    match target {
        Target::Discrete(id) => &model.hybrid.discretes[*id].quantity,
        Target::Coordinate(id) => &model.coordinates[*id].quantity,
        Target::Speed(id) | Target::Overwrite(id) | Target::Struck(id) => &model.speeds[*id].quantity,
        Target::State(id) => &model.states[*id].quantity,
    }
}

/// Functions that points or other programs give; nothing if there are none.
pub(crate) fn functions(model: &Model) -> Option<Section> {
    if model.tables.is_empty() && model.hybrid.externals.is_empty() {
        return None;
    }
    let mut section = Section::new("Tables and functions");
    for (_, table) in model.tables.iter() {
        section.heading(head(table));
        if !table.description.is_empty() {
            section.text(sentence(&table.description));
        }
        points(table, &mut section);
    }
    if !model.hybrid.externals.is_empty() {
        section.heading("Functions that are written elsewhere");
        let rows = model.hybrid.externals.iter().map(|(_, e)| external(e));
        section.table(["function", "meaning", "unit", "of"], rows.collect());
    }
    Some(section)
}

/// A function that is written elsewhere: its name, what it means, the unit of its value, what it is a function of.
pub(crate) fn external(e: &External) -> Vec<Cell> {
    let of = |(name, unit): &(String, String)| match unit.as_str() {
        "" => name.clone(),
        unit => format!("{name} [{unit}]"),
    };
    vec![
        Cell::Symbol(e.name.clone()),
        Cell::Words(e.description.clone()),
        Cell::Words(e.unit.clone()),
        Cell::Words(e.arguments.iter().map(of).collect::<Vec<_>>().join(", ")),
    ]
}

/// A name with its unit.
pub(crate) fn with_unit(name: &str, dimension: &Dimension) -> String {
    if *dimension == Dimension::ONE { name.to_owned() } else { format!("{name} [{}]", unit(dimension)) }
}

/// A table as it is called, with the units of what it takes and gives.
fn head(table: &Table) -> String {
    let arguments: Vec<String> = table.arguments.iter().map(|(name, d)| with_unit(name, d)).collect();
    with_unit(&format!("{}({})", table.name, arguments.join(", ")), &table.dimension)
}

/// The heads of the columns of a table with one argument.
fn heads(table: &Table) -> [String; 2] {
    let argument = table.arguments.first().map_or("argument".to_owned(), |(name, d)| with_unit(name, d));
    [argument, with_unit("value", &table.dimension)]
}

/// A description as a sentence.
fn sentence(text: &str) -> String {
    let text = text.trim();
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    let first: String = text.chars().take(1).flat_map(char::to_uppercase).collect();
    format!("{first}{}{end}", text.chars().skip(1).collect::<String>())
}

/// How values between points are found, a plot and the points.
fn points(table: &Table, section: &mut Section) {
    let between = match table.interpolation {
        Interpolation::Steps => "each value holds until the next point",
        Interpolation::Linear => "straight lines between them",
        Interpolation::Monotone => "cubic pieces between them that do not overshoot",
        Interpolation::Spline => "a cubic spline through them",
    };
    let number = |x: f64| {
        let size = Layout::Number(short(x.abs()), None);
        Cell::Formula(Formula::Scalar(if x < 0.0 { Layout::Minus(Box::new(size)) } else { size }))
    };
    if table.arity() == 1 {
        section.text(format!("{} points, {between}; SI units.", table.x.len()));
        section.blocks.push(Block::Plot(Plot::of(table)));
        let pairs: Vec<[Cell; 2]> =
            table.x.iter().zip(&table.values).map(|(x, v)| [number(*x), number(*v)]).collect();
        let n_rows = pairs.len().div_ceil(BESIDE);
        let empty = || Cell::Words(String::new());
        let row = |r: usize| {
            let pair = |k: usize| pairs.get(k * n_rows + r).cloned().unwrap_or_else(|| [empty(), empty()]);
            (0..BESIDE).flat_map(pair).collect()
        };
        let [argument, value] = heads(table);
        let heads: [&str; 2 * BESIDE] =
            std::array::from_fn(|k| if k % 2 == 0 { argument.as_str() } else { value.as_str() });
        section.table(heads, (0..n_rows).map(row).collect());
    } else {
        let names: Vec<String> = table.arguments.iter().map(|(name, d)| with_unit(name, d)).collect();
        section.text(format!(
            "{} by {} points, {between} in both directions; SI units. Lines: {}, {}.",
            table.x.len(),
            table.y.len(),
            names.join(", "),
            with_unit("value", &table.dimension),
        ));
        let lines = table.values.chunks(table.x.len()).zip(&table.y).flat_map(|(row, y)| {
            let line = move |(x, v): (&f64, &f64)| format!("{}  {}  {}", short(*x), short(*y), short(*v));
            table.x.iter().zip(row).map(line)
        });
        section.blocks.push(Block::Listing(lines.collect()));
    }
}
