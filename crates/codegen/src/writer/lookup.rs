//! Looking a value up in a table, in the languages whose tables are arrays that know their length.

use cardan_base::Id;
use cardan_program::{Beyond, CurveId, SurfaceId};

use crate::writer::body::Statements;
use crate::writer::expression::{Text, call};

/// What stands around the names of helpers and tables: `before` both, `after` those of tables.
#[derive(Clone, Copy)]
pub(crate) struct Around {
    pub before: &'static str,
    pub after: &'static str,
}

/// A call of `look_up`: knots, cubics, whether values beyond the ends are those at the ends, the place, the order of the
/// derivative.
pub(crate) fn look_up(language: &dyn Statements, around: Around, id: CurveId, order: u8, x: &Text) -> Text {
    let curve = &language.plan().program.curves()[id];
    let mut all = parts(around, &language.words().curves[id.index()], &["knots", "cubics"]);
    all.push(Text::atom(language.truth(curve.beyond() == Beyond::Clamp)));
    all.push(x.clone());
    all.push(Text::atom(order.to_string()));
    call(&format!("{}look_up", around.before), &all)
}

/// A call of `look_up_2`, with the orders of both derivatives.
pub(crate) fn look_up_2(
    language: &dyn Statements,
    around: Around,
    id: SurfaceId,
    orders: [u8; 2],
    place: &[Text],
) -> Text {
    let surface = &language.plan().program.surfaces()[id];
    let mut all = parts(around, &language.words().surfaces[id.index()], &["x", "y", "patches"]);
    all.push(Text::atom(language.truth(surface.beyond() == Beyond::Clamp)));
    all.extend_from_slice(place);
    all.extend(orders.map(|d| Text::atom(d.to_string())));
    call(&format!("{}look_up_2", around.before), &all)
}

/// The arrays of a table.
fn parts(around: Around, table: &str, parts: &[&str]) -> Vec<Text> {
    let Around { before, after } = around;
    parts.iter().map(|part| Text::atom(format!("{before}{table}_{part}{after}"))).collect()
}
