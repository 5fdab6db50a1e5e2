//! Tables of a model as tables of a program.
//!
//! Beyond its ends a table keeps its last value: what was not measured is not invented.

use cardan_base::Arena;
use cardan_expr::TableId;
use cardan_model::{Interpolation, Table};
use cardan_program::{Beyond, Curve, CurveId, Kind, ProgramBuilder, Surface, SurfaceId};

use crate::LowerError;

/// Where a model's table lives in a program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Curve(CurveId),
    Surface(SurfaceId),
}

pub(crate) fn add_tables(
    builder: &mut ProgramBuilder,
    tables: &Arena<TableId, Table>,
) -> Result<Arena<TableId, Place>, LowerError> {
    tables
        .iter()
        .map(|(_, table)| add_table(builder, table))
        .collect::<Result<Vec<_>, _>>()
        .map(Arena::from_iter)
}

fn add_table(builder: &mut ProgramBuilder, table: &Table) -> Result<Place, LowerError> {
    let refused = |e: cardan_program::TableError| LowerError::Table {
        table: table.name.clone(),
        reason: e.to_string(),
    };
    let kind = match table.interpolation {
        Interpolation::Steps => Kind::Steps,
        Interpolation::Linear => Kind::Linear,
        Interpolation::Monotone => Kind::Monotone,
        Interpolation::Spline => Kind::Spline,
    };
    let beyond = Beyond::Clamp;
    if table.y.is_empty() {
        let curve = Curve::new(&table.name, kind, beyond, table.x.clone(), table.values.clone());
        return Ok(Place::Curve(builder.curve(curve.map_err(refused)?)));
    }
    // The model runs through x for each y; the program through y for each x.
    let (nx, ny) = (table.x.len(), table.y.len());
    let values = (0..nx * ny).map(|k| table.values.get(k % ny * nx + k / ny).copied().unwrap_or(f64::NAN));
    let surface = Surface::new(&table.name, kind, beyond, table.x.clone(), table.y.clone(), values.collect());
    Ok(Place::Surface(builder.surface(surface.map_err(refused)?)))
}
