//! Blocks of constraint rows: pairs of markers by kind, and the pattern of the sparse matrix.

use std::sync::Arc;

use cardan_base::Id;
use cardan_model::{ConstraintId, Model};
use cardan_solve::sparse::{SparseLdl, minimum_degree};

use crate::error::Unsupported;
use crate::geometry as g;
use crate::kernel::Kernel;
use crate::mechanism::{Block, Contribution, PairGroup};
use crate::pairing::{Pair, PairKind, Place};
use crate::parts::{Constants, GROUND, Structure};
use crate::scalar_rows::{Scalars, pair_kind};
use crate::template::{FREEDOMS, STATE, pair_program};

/// Where a pair comes from.
pub(super) struct Origin {
    pub name: String,
    pub chain: Option<usize>,
    pub constraint: Option<usize>,
    pub sizes: Option<[usize; 3]>,
}

pub(super) struct Placed {
    pub pair: Pair,
    pub origin: Origin,
}

/// A pair, and the places of its size and the derivatives of that among the scalars, where it varies.
type SizedPair = (Pair, Option<[usize; 3]>);

/// A constraint between markers that are fixed in parts, as a pair.
pub(super) fn marked(
    model: &Model,
    constants: &Constants<'_>,
    structure: &Structure,
    scalars: &mut Scalars,
    id: ConstraintId,
) -> Result<Option<SizedPair>, Unsupported> {
    let constraint = &model.constraints[id];
    let pool = model.space.pool();
    let (Some(kind), Some(markers)) = (pair_kind(constraint.kind), &constraint.markers) else {
        return Ok(None);
    };
    let mut places = vec![];
    for marker in markers.iter() {
        let fixed = marker.point.coordinates.iter().chain(marker.axes.iter().flatten());
        let is_fixed = fixed.clone().all(|e| pool.is_constant(*e));
        let Some(at) = structure.frames[marker.frame().index()].filter(|_| is_fixed) else { return Ok(None) };
        let axes = marker.axes.map(|row| g::apply(&at.pose.r, constants.numbers(row)));
        let point = at.pose.at(constants.numbers(marker.point.coordinates));
        places.push(Place { part: at.part, point, axes });
    }
    let mut sizes = None;
    let size = match constraint.size {
        None => 0.0,
        Some(e) if pool.is_constant(e) => constants.number(e),
        Some(e) => {
            let rate = model.space.dt(e);
            sizes = Some([e, rate, model.space.dt(rate)].map(|e| scalars.ask(e)));
            0.0
        }
    };
    Ok(Some((Pair { kind, a: places[0], b: places[1], size }, sizes)))
}

/// Compiles the kernel of a kind and gives its instances their data.
pub(super) fn group(
    kind: PairKind,
    placed: Vec<Placed>,
    structure: &Structure,
    (blocks, n_rows, n_values): (&mut Vec<Block>, &mut usize, &mut usize),
) -> Result<PairGroup, Unsupported> {
    let made = pair_program(kind).map_err(|e| Unsupported::Program(e.to_string()))?;
    let mut kernel = Kernel::new(&made.program, placed.len())?;
    let what: Arc<[String]> = made.what.clone().into();
    let center = |part: usize| structure.parts.get(part).map_or([0.0; 3], |p| p.center);
    let mut group_parts = vec![];
    let mut own = vec![];
    let mut sizes = vec![];
    for (k, Placed { pair, origin }) in placed.into_iter().enumerate() {
        for (s, place) in [pair.a, pair.b].iter().enumerate() {
            let mut data = g::sub(place.point, center(place.part)).to_vec();
            data.extend(place.axes.iter().flatten());
            kernel.set(k, 2 * STATE + 12 * s, &data);
        }
        kernel.set(k, 2 * STATE + 24, &[pair.size, 0.0, 0.0]);
        let parts = [pair.a.part, pair.b.part];
        let mut sides = vec![];
        for part in parts.iter().filter(|p| **p != GROUND) {
            sides.push((*part, *n_values));
            *n_values += FREEDOMS * made.rows;
        }
        own.push(blocks.len());
        blocks.push(Block {
            name: origin.name,
            constraint: origin.constraint.map(|c| (c, 0)),
            chain: origin.chain,
            first: *n_rows,
            rows: made.rows,
            what: what.clone(),
            places: Some(Box::new([pair.a, pair.b])),
            sides,
        });
        *n_rows += made.rows;
        group_parts.push(parts);
        sizes.push(origin.sizes);
    }
    Ok(PairGroup { kind, kernel, rows: made.rows, blocks: own, parts: group_parts, sizes })
}

/// The chain of each freedom.
pub(super) fn chains_of_freedoms(structure: &Structure) -> Vec<usize> {
    let mut found = vec![];
    for (k, chain) in structure.chains.iter().enumerate() {
        found.extend(std::iter::repeat_n(k, chain.freedoms()));
    }
    found
}

/// The pattern of [schur]: blocks that share a part.
pub(super) fn pattern(
    blocks: &[Block],
    n_rows: usize,
    n_parts: usize,
) -> (SparseLdl, Vec<Contribution>, Vec<usize>) {
    let mut on_part: Vec<Vec<(usize, usize)>> = vec![vec![]; n_parts];
    for (k, block) in blocks.iter().enumerate() {
        block.sides.iter().for_each(|(part, first)| on_part[*part].push((k, *first)));
    }
    let mut neighbours: Vec<Vec<usize>> = vec![vec![]; blocks.len()];
    let mut known: cardan_base::Map<(usize, usize), usize> = cardan_base::Map::default();
    let mut entries: Vec<(usize, usize)> = vec![];
    let mut contributions = vec![];
    for list in &on_part {
        for (a, at_a) in list {
            for (b, at_b) in list.iter().filter(|(b, _)| b <= a) {
                let (i, j) = (&blocks[*a], &blocks[*b]);
                let first = *known.entry((*a, *b)).or_insert_with(|| {
                    let first = entries.len();
                    for r in 0..i.rows {
                        let end = if a == b { r + 1 } else { j.rows };
                        entries.extend((0..end).map(|c| (i.first + r, j.first + c)));
                    }
                    neighbours[*a].push(*b);
                    neighbours[*b].push(*a);
                    first
                });
                contributions.push(Contribution {
                    a: *at_a,
                    b: *at_b,
                    rows: [i.rows, j.rows],
                    first,
                    is_same: a == b,
                });
            }
        }
    }
    let order: Vec<usize> = minimum_degree(&neighbours)
        .into_iter()
        .flat_map(|k| blocks[k].first..blocks[k].first + blocks[k].rows)
        .collect();
    let (ldl, slots) = SparseLdl::new(n_rows, &entries, &order);
    (ldl, contributions, slots)
}
