//! Inputs that follow tables: `--input F=push.csv`.
//!
//! A line of the file has a time and a value, or more columns under headings: `t` or `time`, and one with the
//! name of the input. A heading may end with a unit, `F [kN]`; without one the numbers are SI. Between two
//! lines the input follows a straight line; two lines of one time make a jump.

use std::path::Path;

use cardan::model::{Interpolation, Model, Table};
use cardan::units::{Dimension, Unit};

use crate::exit::Problem;
use crate::files;

/// Time in which an input jumps, in seconds, or relative to the instant if that is later.
const JUMP: f64 = 1e-9;

/// Binds the inputs that the command line names to their tables.
pub fn bind(mut model: Model, given: &[String]) -> Result<Model, Problem> {
    for assignment in given {
        let Some((name, file)) = assignment.split_once('=') else {
            return Err(Problem::usage(format!("`{assignment}` gives no input its table"))
                .hint("write --input NAME=FILE, such as --input F=push.csv"));
        };
        let (name, file) = (name.trim(), Path::new(file.trim()));
        let known = model.inputs().map(|(_, p)| p.quantity.name.as_str());
        let near = cardan::base::nearest(name, known).map(str::to_owned);
        let found = model.inputs().find(|(_, p)| p.quantity.name == name);
        let Some(dimension) = found.map(|(_, p)| p.quantity.dimension) else {
            let problem = Problem::wrong(format!("the model has no input `{name}`"));
            return Err(match near {
                Some(near) => problem.hint(format!("write --input {near}=FILE")),
                None => {
                    problem.hint("declare it: `input F [N] = 0`; `cardan show model FILE` lists the inputs")
                }
            });
        };
        let (times, values) = samples(name, dimension, file, &files::read(file)?)?;
        let table = Table {
            name: format!("table of {name}"),
            description: format!("from {}", file.display()),
            arguments: vec![("t".into(), Dimension::TIME)],
            dimension,
            interpolation: Interpolation::Linear,
            x: times,
            y: vec![],
            values,
        };
        let table = table.validate().map_err(|e| Problem::wrong(format!("{}: {e}", file.display())))?;
        model.bind_input(name, table);
    }
    Ok(model)
}

/// Times and values of a file, in SI units.
fn samples(
    name: &str,
    dimension: Dimension,
    file: &Path,
    text: &str,
) -> Result<(Vec<f64>, Vec<f64>), Problem> {
    let wrong = |line: usize, what: &str| {
        Problem::wrong(format!("{}, line {}: {what}", file.display(), line + 1))
            .hint("each line has a time in seconds and a value, separated by a comma")
    };
    let mut columns = [(0, 1.0), (1, 1.0)];
    let (mut times, mut values): (Vec<f64>, Vec<f64>) = (vec![], vec![]);
    let lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'));
    for (position, (number, line)) in lines.enumerate() {
        let cells = files::csv_cells(line);
        let numbers: Vec<Option<f64>> = cells.iter().map(|c| c.trim().parse().ok()).collect();
        if position == 0 && numbers.iter().any(Option::is_none) {
            columns = headings(name, dimension, &cells).map_err(|what| wrong(number, &what))?;
            continue;
        }
        let at = |(column, factor): (usize, f64)| {
            let value = numbers.get(column).copied().flatten().map(|x| x * factor);
            value.filter(|x| x.is_finite()).ok_or_else(|| wrong(number, "a number is missing or not finite"))
        };
        let (t, value) = (at(columns[0])?, at(columns[1])?);
        let t = if times.last() == Some(&t) { t + JUMP * t.abs().max(1.0) } else { t };
        times.push(t);
        values.push(value);
    }
    Ok((times, values))
}

/// The columns of the time and of the input, with the factors of their units.
fn headings(name: &str, dimension: Dimension, cells: &[String]) -> Result<[(usize, f64); 2], String> {
    let parts = |cell: &str| match cell.trim().strip_suffix(']').and_then(|c| c.rsplit_once('[')) {
        Some((word, unit)) => (word.trim().to_owned(), Some(unit.trim().to_owned())),
        None => (cell.trim().to_owned(), None),
    };
    let cells: Vec<(String, Option<String>)> = cells.iter().map(|c| parts(c)).collect();
    let find = |is: &dyn Fn(&str) -> bool| cells.iter().position(|(word, _)| is(word));
    let time = find(&|w| matches!(w, "t" | "time")).unwrap_or(0);
    let value = match find(&|w| w == name) {
        Some(column) => column,
        None if cells.len() == 2 => 1 - time.min(1),
        None => return Err(format!("no column is called `{name}`")),
    };
    let factor = |column: usize, expected: Dimension| match &cells[column].1 {
        None => Ok((column, 1.0)),
        Some(text) => match Unit::parse(text) {
            Ok(unit) if unit.dimension().compatible(&expected) => Ok((column, unit.scale().to_f64())),
            Ok(_) => Err(format!("`{}` is in [{text}], expected [{expected}]", cells[column].0)),
            Err(_) => Err(format!("there is no unit [{text}]")),
        },
    };
    Ok([factor(time, Dimension::TIME)?, factor(value, dimension)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(Vec<f64>, Vec<f64>), String> {
        samples("F", Dimension::FORCE, Path::new("f.csv"), text).map_err(|p| p.message)
    }

    #[test]
    fn plain_lines_headings_units_and_jumps_are_read() {
        assert_eq!(read("0, 1\n2,3\n"), Ok((vec![0.0, 2.0], vec![1.0, 3.0])));
        let text = "F [kN], other, t [ms]\n1, x, 0\n2, x, 500\n";
        assert!(read(text).is_ok(), "words in other columns are no matter: {:?}", read(text));
        assert_eq!(read(text), Ok((vec![0.0, 0.5], vec![1000.0, 2000.0])));
        let (times, values) = read("t,F\n0,0\n1,0\n1,5\n").unwrap();
        assert_eq!(values, [0.0, 0.0, 5.0]);
        assert!(times[2] > 1.0 && times[2] <= 1.0 + JUMP);
    }

    #[test]
    fn missing_columns_wrong_units_and_words_are_told_with_their_line() {
        assert!(read("t,a,b\n0,1,2\n").unwrap_err().contains("no column is called `F`"));
        assert!(read("t,F [m]\n0,1\n").unwrap_err().contains("expected [N]"));
        assert!(read("t,F\n0,1\n1,word\n").unwrap_err().contains("line 3"));
    }
}
