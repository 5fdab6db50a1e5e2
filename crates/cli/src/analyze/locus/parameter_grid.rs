//! A parameter and the values that it goes through.

use cardan::analysis::TIME_PARAMETER;
use cardan::units::Dimension;

use crate::analyze::Asked;
use crate::exit::Problem;
use crate::run::request::{quantity_of, with_unit};

/// A parameter and the range of its values as written.
#[derive(Clone, Debug)]
pub struct Over {
    pub name: String,
    range: String,
}

const MAX_VALUES: f64 = 1e5;
/// How many values a range of the command line has that does not say.
const USUAL_VALUES: &str = "21";

impl Over {
    /// A range of the block, in SI units.
    pub fn of_block(name: &str, [from, to]: [f64; 2], points: usize) -> Over {
        Over { name: name.to_string(), range: format!("{from:?}..{to:?}:{points}") }
    }

    /// `NAME=A..B:N` as `sweep --vary` has it, `NAME=V,V,V`, or `NAME=A:B:STEP`.
    pub fn read(text: &str) -> Result<Over, Problem> {
        let (name, range) = text.split_once('=').ok_or_else(|| wrong(text))?;
        Ok(Over { name: name.trim().to_string(), range: range.to_string() })
    }

    /// The values, of the dimension that the parameter has. The end belongs to the range even if the step is not exact in binary.
    pub fn values(&self, dimension: Dimension) -> Result<Vec<f64>, Problem> {
        let number = |part: &String| quantity_of(part, &self.name, dimension);
        let numbers =
            |parts: &[&str]| with_unit(parts).iter().map(number).collect::<Result<Vec<f64>, Problem>>();
        if let Some((from, rest)) = self.range.split_once("..") {
            let (to, n) = rest.rsplit_once(':').unwrap_or((rest, USUAL_VALUES));
            let n: usize = n.trim().parse().map_err(|_| wrong(&self.range))?;
            if n < 2 || n as f64 > MAX_VALUES {
                return Err(wrong(&self.range));
            }
            let ends = numbers(&[from, to])?;
            let step = (ends[1] - ends[0]) / (n - 1) as f64;
            return Ok((0..n)
                .map(|k| if k + 1 == n { ends[1] } else { ends[0] + step * k as f64 })
                .collect());
        }
        if self.range.contains(',') {
            return numbers(&self.range.split(',').collect::<Vec<_>>());
        }
        let [a, b, step] = numbers(&self.range.split(':').collect::<Vec<_>>())?[..] else {
            return Err(wrong(&self.range));
        };
        let n = ((b - a) / step).abs();
        if step == 0.0 || !n.is_finite() {
            return Err(wrong(&self.range));
        }
        if n > MAX_VALUES {
            let many =
                format!("`{}` has {:.0} values, and a locus at most {MAX_VALUES}", self.range, n + 1.0);
            return Err(Problem::usage(many).hint("take longer steps"));
        }
        let step = step.abs() * (b - a).signum();
        Ok((0..=(n + 1e-9).floor() as usize).map(|k| a + step * k as f64).collect())
    }
}

fn wrong(text: &str) -> Problem {
    Problem::usage(format!("`{text}` is no range"))
        .hint("write --over NAME=FROM..TO:COUNT, such as --over v=0..10:101 or --over 'L=50..200 [cm]:31'")
}

/// The parameters that go through a range, by the command line or else by the block, with their
/// values in SI units.
pub fn varied(
    asked: &Asked,
    given: &[Over],
    wanted: usize,
    usual_points: usize,
) -> Result<Vec<(String, String, Vec<f64>)>, Problem> {
    let points = asked.number("points").map_or(usual_points, |n| n.max(0.0) as usize);
    let of_block = asked.ranges().into_iter().map(|(name, ends)| Over::of_block(&name, ends, points));
    let all: Vec<Over> = if given.is_empty() { of_block.collect() } else { given.to_vec() };
    if all.len() != wanted {
        let count =
            if wanted == 1 { "one parameter goes".to_string() } else { format!("{wanted} parameters go") };
        return Err(Problem::usage(format!("{count} through a range, and {} are given", all.len()))
            .hint("write --over NAME=FROM..TO:COUNT, or `NAME = FROM .. TO` into the block"));
    }
    let mut found = vec![];
    for over in all {
        let quantities = || asked.study.model().parameters.iter().map(|(_, p)| &p.quantity);
        let quantity = quantities().find(|q| q.name == over.name);
        let unnamed = if over.name == TIME_PARAMETER { Dimension::TIME } else { Dimension::ONE };
        let dimension = quantity.map_or(unnamed, |q| q.dimension);
        let values = over.values(dimension)?;
        found.push((over.name.clone(), dimension.to_string(), values));
    }
    Ok(found)
}
