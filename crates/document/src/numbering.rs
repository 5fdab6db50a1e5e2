//! One meaning per name: intermediate quantities of all sections in one numbering.
//!
//! Each section names what it repeats `z1`, `z2`, … and `p1`, `p2`, … for itself. Here the numbers go on from section to section, and what was
//! defined before keeps the name that it had.

use std::collections::BTreeSet;

use cardan_base::Map;
use cardan_expr::print::Layout;

use crate::document::{Block, Document, Equation, Formula};

/// Renames the intermediate quantities of a document; `taken` are names of the model.
pub(crate) fn number(document: &mut Document, taken: &BTreeSet<&str>) {
    let mut known: Vec<(Equation, String)> = vec![];
    let (mut n_constants, mut n_variables) = (0, 0);
    for section in &mut document.sections {
        let mut names: Map<String, String> = Map::default();
        for block in &section.blocks {
            let Block::Equation(equation) = block else { continue };
            let Some(old) = defined(equation).filter(|name| !taken.contains(name.as_str())) else { continue };
            // The same definition, whatever it is called; a constant stays one.
            let anonymous = Equation {
                sign: equation.sign,
                left: rename_formula(&equation.left, &|n| (n == old).then(|| old[..1].to_owned())),
                right: rename_formula(&equation.right, &|n| names.get(n).cloned()),
            };
            // What mentions something that is defined further on cannot be compared yet.
            let open = std::cell::Cell::new(false);
            rename_formula(&equation.right, &|n| {
                let later = is_intermediate(n) && !taken.contains(n) && !names.contains_key(n);
                open.set(open.get() || later);
                None
            });
            let name = match known.iter().find(|(e, _)| !open.get() && *e == anonymous) {
                Some((_, name)) => name.clone(),
                None => {
                    let letter = &old[..1];
                    let count = if letter == "p" { &mut n_constants } else { &mut n_variables };
                    let name = loop {
                        *count += 1;
                        let name = format!("{letter}{count}");
                        if !taken.contains(name.as_str()) {
                            break name;
                        }
                    };
                    known.push((anonymous, name.clone()));
                    name
                }
            };
            names.insert(old, name);
        }
        for block in &mut section.blocks {
            if let Block::Equation(equation) = block {
                equation.left = rename_formula(&equation.left, &|n| names.get(n).cloned());
                equation.right = rename_formula(&equation.right, &|n| names.get(n).cloned());
            }
        }
    }
}

/// The intermediate quantity that an equation defines, by itself or by its square.
fn defined(equation: &Equation) -> Option<String> {
    let name = match &equation.left {
        Formula::Name(name) => name,
        Formula::Scalar(Layout::Power(base, _)) => match base.as_ref() {
            Layout::Symbol(name) => name,
            _ => return None,
        },
        _ => return None,
    };
    is_intermediate(name).then(|| name.clone())
}

/// Whether a name is one that listings make.
fn is_intermediate(name: &str) -> bool {
    let digits = name.strip_prefix(['p', 'z']).unwrap_or("");
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

fn rename_formula(formula: &Formula, new: &dyn Fn(&str) -> Option<String>) -> Formula {
    match formula {
        Formula::Scalar(layout) => Formula::Scalar(rename(layout, new)),
        Formula::Name(name) => Formula::Name(new(name).unwrap_or_else(|| name.clone())),
        Formula::Vector(terms) => {
            Formula::Vector(terms.iter().map(|(t, unit)| (rename(t, new), unit.clone())).collect())
        }
        other => other.clone(),
    }
}

fn rename(layout: &Layout, new: &dyn Fn(&str) -> Option<String>) -> Layout {
    let again = |l: &Layout| rename(l, new);
    let boxed = |l: &Layout| Box::new(rename(l, new));
    match layout {
        Layout::Number(..) => layout.clone(),
        Layout::Symbol(name) => Layout::Symbol(new(name).unwrap_or_else(|| name.clone())),
        Layout::Sum(terms) => Layout::Sum(terms.iter().map(|(minus, t)| (*minus, again(t))).collect()),
        Layout::Minus(inner) => Layout::Minus(boxed(inner)),
        Layout::Product(top, bottom) => {
            Layout::Product(top.iter().map(again).collect(), bottom.iter().map(again).collect())
        }
        Layout::Power(base, n) => Layout::Power(boxed(base), n.clone()),
        Layout::Relation(a, sign, b) => Layout::Relation(boxed(a), sign, boxed(b)),
        Layout::Cases(arms, otherwise) => {
            let arms = arms.iter().map(|(value, condition)| (again(value), again(condition))).collect();
            Layout::Cases(arms, boxed(otherwise))
        }
        Layout::Call(name, parts) => Layout::Call(name.clone(), parts.iter().map(again).collect()),
    }
}
