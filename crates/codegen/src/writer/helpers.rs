//! Small functions that generated code brings along where its language has no exact equivalent.

use cardan_program::{Binary, Op, Program, Unary};

use crate::plan::Plan;

/// A helper function, in the order in which they are written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Helper {
    /// 1, −1 or the number itself.
    Sign,
    /// The first if it is less, otherwise the second.
    Min,
    /// The first if it is greater, otherwise the second.
    Max,
    /// A whole power.
    Powi,
    /// A product and a sum, rounded once.
    Fma,
    /// The interval of a table, and the cubic in it.
    Cubic,
    /// A table of one argument.
    Curve,
    /// A table of two arguments.
    Surface,
    /// A linear system.
    Solve,
}

/// Whether a power is not written as a product: beyond a cube, or of a constant.
pub(crate) fn is_long_power(program: &Program, op: &Op) -> bool {
    match op {
        Op::Powi(a, n) => !matches!(n, 2 | 3) || matches!(program.values()[*a], Op::Const(_)),
        _ => false,
    }
}

/// The helpers that a plan needs.
pub(crate) fn helpers(plan: &Plan) -> Vec<Helper> {
    let curve = plan.any(|op| matches!(op, Op::Lookup1 { .. }));
    let surface = plan.any(|op| matches!(op, Op::Lookup2 { .. }));
    let all = [
        (Helper::Sign, plan.any(|op| matches!(op, Op::Unary(Unary::Sign, _)))),
        (Helper::Min, plan.any(|op| matches!(op, Op::Binary(Binary::Min, ..)))),
        (Helper::Max, plan.any(|op| matches!(op, Op::Binary(Binary::Max, ..)))),
        (Helper::Powi, plan.any(|op| is_long_power(plan.program, op))),
        (Helper::Fma, plan.any(|op| matches!(op, Op::Fma(..)))),
        (Helper::Cubic, curve || surface),
        (Helper::Curve, curve),
        (Helper::Surface, surface),
        (Helper::Solve, plan.any(|op| matches!(op, Op::Solve(_)))),
    ];
    all.iter().filter(|(_, needed)| *needed).map(|(helper, _)| *helper).collect()
}

/// Which functions of one argument a plan needs.
pub(crate) fn unary_functions(plan: &Plan) -> Vec<Unary> {
    let needed = |op: &Unary| plan.any(|o| matches!(o, Op::Unary(u, _) if u == op));
    Unary::ALL.iter().map(|(op, _)| *op).filter(needed).collect()
}

/// One table as numbers: coordinates of its points and coefficients of its cubics.
pub(crate) struct TableData {
    pub name: String,
    pub first: Vec<f64>,
    /// Empty for a curve.
    pub second: Vec<f64>,
    pub coefficients: Vec<f64>,
}

/// The tables that a plan reads, curves first.
pub(crate) fn tables(plan: &Plan, curves: &[String], surfaces: &[String]) -> Vec<TableData> {
    let mut list = Vec::new();
    for ((id, curve), name) in plan.program.curves().iter().zip(curves) {
        if plan.any(|op| matches!(op, Op::Lookup1 { table, .. } if *table == id)) {
            let coefficients = curve.segments().iter().flatten().copied().collect();
            let first = curve.knots().to_vec();
            list.push(TableData { name: name.clone(), first, second: Vec::new(), coefficients });
        }
    }
    for ((id, surface), name) in plan.program.surfaces().iter().zip(surfaces) {
        if plan.any(|op| matches!(op, Op::Lookup2 { table, .. } if *table == id)) {
            let coefficients = surface.patches().iter().flatten().flatten().copied().collect();
            let (first, second) = (surface.x().to_vec(), surface.y().to_vec());
            list.push(TableData { name: name.clone(), first, second, coefficients });
        }
    }
    list
}

/// The parts of a helper text that are needed. Each part begins with a line `MARK Name`, where the mark is a
/// comment sign of the language that ordinary comments do not use.
pub(crate) fn chosen(text: &str, mark: &str, needed: impl Fn(&str) -> bool) -> String {
    let mut result = String::new();
    let mut taken = false;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix(mark) {
            taken = needed(name.trim());
            if taken && !result.is_empty() {
                result.push('\n');
            }
        } else if taken {
            result.push_str(line);
            result.push('\n');
        }
    }
    result
}

/// The parts of a helper text that another text mentions, and the parts that these mention. Each part begins
/// with a line `MARK names`, the functions that it defines.
pub(crate) fn mentioned(text: &str, helper_text: &str, mark: &str) -> String {
    let parts: Vec<&str> = helper_text.lines().filter_map(|l| l.strip_prefix(mark)).collect();
    let mut taken: Vec<&str> = Vec::new();
    let mut all = text.to_owned();
    loop {
        let new = parts
            .iter()
            .copied()
            .find(|part| !taken.contains(part) && part.split_whitespace().any(|name| mentions(&all, name)));
        let Some(part) = new else { break };
        taken.push(part);
        all.push_str(&chosen(helper_text, mark, |name| name == part.trim()));
    }
    chosen(helper_text, mark, |name| taken.iter().any(|part| part.trim() == name))
}

/// Whether a text calls a function.
fn mentions(text: &str, name: &str) -> bool {
    let call = format!("{name}(");
    text.match_indices(&call)
        .any(|(i, _)| !text[..i].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.'))
}

impl Helper {
    /// The name in helper texts.
    pub fn name(self) -> &'static str {
        match self {
            Helper::Sign => "Sign",
            Helper::Min => "Min",
            Helper::Max => "Max",
            Helper::Powi => "Powi",
            Helper::Fma => "Fma",
            Helper::Cubic => "Cubic",
            Helper::Curve => "Curve",
            Helper::Surface => "Surface",
            Helper::Solve => "Solve",
        }
    }
}
