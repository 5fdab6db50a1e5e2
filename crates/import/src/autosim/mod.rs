//! AUTOSIM's language, as printed in Sayers, "Symbolic computer language for multibody systems", J. Guidance 14 (1991).
//!
//! A text in Lisp's notation becomes a text in the native language, statement by statement, so that everything after it is the
//! same for both. [`Native`] remembers which command each statement comes from, and [`Native::back`] takes findings about
//! the native text back to the commands.
//!
//! Names are kept in capitals, as Lisp does; `q(7)` and `u(7)` become `q7` and `u7`; `[b1]` becomes `B.x`. Symbols without units get their dimension
//! from their use. Subroutines and functions of the simulation program come from texts in the native language, which `(load "routines.mbs")` names.
//!
//! Reading order: [`codes`], `lisp` (text to forms), `infix` (the algebra), `command` and `keyword` (the vocabulary), `extra_arguments` (values without a place), `scene` (what is declared), `load` and `routine` (other texts, and what native ones declare), `body`, `axis`
//! and `declare` (commands to declarations), `set` (what is said of them later), `dimension` (what symbols measure), `unit_fit` (units for plain numbers), `unused` (values without use), `spelling_check` (symbols without value), `name_clash` and `shape` (what names and expressions must be), `algebra` and `write` (declarations to native text).

pub(crate) mod checks;
pub(crate) mod reader;
pub(crate) mod unit_fit;

mod algebra;
mod axis;
mod body;
pub mod codes;
mod command;
mod declare;
mod dimension;
mod keyword;
mod scene;
mod set;
mod write;

use cardan_base::{Diagnostics, FileId, Sources};

use crate::autosim::reader::load::Loads;
use crate::autosim::scene::{Axis, Item, Orient, Scene};
use crate::native::Native;

/// The native text of an AUTOSIM text that is among the sources; nothing if there are errors. The model gets this name. Texts that it
/// loads come through `read`, by the paths written, and are added to the sources.
pub fn translate(
    file: FileId,
    name: &str,
    sources: &mut Sources,
    read: &mut crate::mjcf::Reader<'_>,
) -> (Option<Native>, Diagnostics) {
    let mut scene = Scene::new(file);
    scene.path = sources.get(file).map_or(String::new(), |s| s.name.clone());
    let mut loads = Loads::new(sources, read);
    loads.carry_out(file, &mut scene);
    let routines = loads.routines;
    scene.carry_out_later();
    let expressions: Vec<reader::infix::Expr> =
        scene.items.iter().flat_map(|(item, _)| parts(item)).collect();
    // Symbols that nothing declares are parameters.
    expressions.iter().for_each(|e| scene.register(e));
    checks::unused::report(&mut scene, &expressions, &routines);
    checks::name_clash::report(&mut scene);
    checks::shape::report(&mut scene);
    scene.infer();
    let mut native = scene.write_all(name, &routines);
    native.alike = checks::spelling_check::pairs(&scene);
    let native = (!scene.findings.has_errors()).then_some(native);
    (native, scene.findings)
}

/// All expressions of a statement.
fn parts(item: &Item) -> Vec<reader::infix::Expr> {
    match item {
        Item::Body(b) => {
            let turned = match &b.orient {
                Some(Orient::Axes(_, along, _, towards)) => vec![&**along, &**towards],
                _ => vec![],
            };
            let axes = b.translate.iter().chain(turned).flat_map(Axis::expressions);
            let all = b.joint.0.iter().chain(axes).chain(&b.center.0).chain([&b.mass]).chain(&b.inertia);
            all.cloned().collect()
        }
        Item::Point { coordinates, .. } => coordinates.0.to_vec(),
        Item::Load { direction, magnitude, .. } | Item::Gravity { direction, magnitude } => {
            vec![direction.clone(), magnitude.clone()]
        }
        Item::Equation { value, .. } | Item::Constraint { value, .. } | Item::Output { value, .. } => {
            vec![value.clone()]
        }
        Item::Linearize => vec![],
    }
}
