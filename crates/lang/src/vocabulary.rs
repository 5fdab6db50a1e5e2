//! The words that the language takes from its libraries, for whoever documents or completes them.

use cardan_model::ElementKind;

use crate::bodies::shapes;
use crate::eval::functions;
use crate::joints::{catalogue, loop_joints};
use crate::statements::{elements, experiments};

/// Joints of bodies, each with an example.
pub fn joints() -> Vec<(&'static str, &'static str)> {
    catalogue::WORDS.iter().map(|w| (w.kind.name(), w.example)).collect()
}

/// Joints that stand alone: between two points, which close loops, or between coordinates.
pub fn closing_joints() -> Vec<&'static str> {
    loop_joints::closing_kinds().collect()
}

/// Elements, each with its properties and the signals that it tells.
pub fn elements() -> Vec<(&'static str, Vec<&'static str>, &'static [&'static str])> {
    let entry = |(kind, properties): &(ElementKind, &[elements::Property])| {
        (kind.name(), properties.iter().map(|(n, _, _)| *n).collect(), elements::signals(*kind))
    };
    elements::ELEMENTS.iter().map(entry).collect()
}

/// Built-in functions, each as it is written.
pub fn functions() -> Vec<(&'static str, &'static str)> {
    functions::BUILTINS.iter().map(|(name, _, form)| (*name, *form)).collect()
}

/// Shapes of bodies, each with its arguments.
pub fn shapes() -> Vec<(&'static str, &'static [&'static str])> {
    shapes::SHAPES.to_vec()
}

/// Questions that are understood, each with its settings.
pub fn experiments() -> Vec<(&'static str, Vec<&'static str>)> {
    let names = |settings: &[(&'static str, experiments::Holds)]| settings.iter().map(|(n, _)| *n).collect();
    experiments::EXPERIMENTS.iter().map(|(kind, settings)| (kind.name(), names(settings))).collect()
}
