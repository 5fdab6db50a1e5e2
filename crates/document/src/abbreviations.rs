//! Names for what does not fit on a line.
//!
//! A sum is broken between its terms and a product within one pair of brackets. What is too wide all the same (a long fraction, the argument of a
//! function, a coefficient of a unit vector, brackets in brackets) gets a name of its own and is defined at the end of its section.

use cardan_expr::print::Layout;

use crate::document::{Block, Document, Equation, Formula, Section};
use crate::line_breaking::width;

/// Letters that fit on a line of any format.
const ROOM: usize = 62;
/// What is shorter is not worth a name.
const LEAST: usize = 12;

/// Gives names to what is too wide.
pub(crate) fn shorten(document: &mut Document) {
    for section in &mut document.sections {
        let mut names = Names::default();
        let mut blocks = vec![];
        for mut block in std::mem::take(&mut section.blocks) {
            if let Block::Equation(equation) = &mut block {
                names.right(equation);
            }
            blocks.push(block);
        }
        section.blocks = blocks;
        names.write(section);
    }
}

/// New names with what they stand for.
#[derive(Default)]
struct Names {
    known: Vec<(Layout, String)>,
}

impl Names {
    /// A name for a layout, the one that it has if it has one. Names that a listing made are small numbers.
    fn name(&mut self, layout: Layout) -> Layout {
        if let Some((_, name)) = self.known.iter().find(|(l, _)| *l == layout) {
            return Layout::Symbol(name.clone());
        }
        let name = format!("z{}", 1_000_001 + self.known.len());
        self.known.push((layout, name.clone()));
        Layout::Symbol(name)
    }

    fn right(&mut self, equation: &mut Equation) {
        match &mut equation.right {
            Formula::Scalar(layout) => self.line(layout),
            Formula::Vector(terms) => {
                for (coefficient, unit) in terms {
                    let room = ROOM.saturating_sub(unit.len() + 3);
                    // The sign stays in front of the name.
                    let inner = match coefficient {
                        Layout::Minus(inner) => inner.as_mut(),
                        other => other,
                    };
                    // Cases have lines of their own.
                    if width(inner) > room || matches!(inner, Layout::Cases(..)) {
                        let long = inner.clone();
                        *inner = self.name(long);
                    }
                }
            }
            _ => {}
        }
    }

    /// Makes a right side fit on lines.
    fn line(&mut self, layout: &mut Layout) {
        match layout {
            Layout::Sum(terms) => terms.iter_mut().for_each(|(_, t)| self.term(t)),
            Layout::Minus(inner) => self.line(inner),
            Layout::Cases(arms, otherwise) => {
                for (value, condition) in arms {
                    let taken = width(condition).min(ROOM / 2);
                    self.fit(value, ROOM - taken);
                    self.fit(condition, ROOM / 2);
                }
                self.fit(otherwise, ROOM - 12);
            }
            other => self.term(other),
        }
    }

    /// Makes a term of a sum fit: one pair of brackets may be broken, its terms may not.
    fn term(&mut self, term: &mut Layout) {
        if width(term) <= ROOM {
            return;
        }
        match term {
            Layout::Product(top, bottom) if bottom.is_empty() => {
                let widest = widest_sum(top);
                for (k, factor) in top.iter_mut().enumerate() {
                    match factor {
                        Layout::Sum(terms) if Some(k) == widest => {
                            terms.iter_mut().for_each(|(_, t)| self.fit(t, ROOM - 16));
                        }
                        factor => self.fit(factor, ROOM / 3),
                    }
                }
            }
            other => self.fit(other, ROOM),
        }
    }

    /// Makes something fit without breaking it: its widest part gets a name until it does.
    fn fit(&mut self, layout: &mut Layout, room: usize) {
        for _ in 0..64 {
            if width(layout) <= room {
                return;
            }
            match widest(layout) {
                Some(part) => {
                    let long = part.clone();
                    *part = self.name(long);
                }
                None => return,
            }
        }
    }

    /// Definitions at the end; they are made to fit as well.
    fn write(mut self, section: &mut Section) {
        let mut k = 0;
        let mut lines = vec![];
        while let Some((layout, name)) = self.known.get(k).cloned() {
            let mut equation =
                Equation { left: Formula::Name(name), sign: "=", right: Formula::Scalar(layout) };
            self.right(&mut equation);
            lines.push(Block::Equation(equation));
            k += 1;
        }
        // What a definition needs stands before it.
        lines.reverse();
        let defines =
            |b: &Block| matches!(b, Block::Heading(t) if t == "where" || t == "Intermediate quantities");
        if !lines.is_empty() && !section.blocks.iter().any(defines) {
            section.heading("where");
        }
        section.blocks.extend(lines);
    }
}

/// The widest of several sums among factors.
fn widest_sum(factors: &[Layout]) -> Option<usize> {
    let sums = factors.iter().enumerate().filter(|(_, f)| matches!(f, Layout::Sum(_)));
    sums.max_by_key(|(_, f)| width(f)).map(|(k, _)| k)
}

/// The widest part that a name can stand for: a sum, a product or a function within something else.
fn widest(layout: &mut Layout) -> Option<&mut Layout> {
    let parts: Vec<&mut Layout> = match layout {
        Layout::Sum(terms) => terms.iter_mut().map(|(_, t)| t).collect(),
        Layout::Minus(inner) | Layout::Power(inner, _) => vec![inner],
        Layout::Product(top, bottom) => top.iter_mut().chain(bottom).collect(),
        Layout::Relation(a, _, b) => vec![a, b],
        Layout::Cases(arms, otherwise) => {
            arms.iter_mut().flat_map(|(v, c)| [v, c]).chain([otherwise.as_mut()]).collect()
        }
        Layout::Call(_, parts) => parts.iter_mut().collect(),
        Layout::Number(..) | Layout::Symbol(_) => vec![],
    };
    let part = parts.into_iter().max_by_key(|p| width(p)).filter(|p| width(p) >= LEAST)?;
    // Signs, comparisons and powers are opened: what is in them is worth a name.
    match part {
        Layout::Minus(_) | Layout::Relation(..) | Layout::Power(..) => widest(part),
        part => Some(part),
    }
}

#[cfg(test)]
mod tests {
    use cardan_expr::print::text;

    use crate::abbreviations::*;

    fn letters(n: usize) -> Layout {
        Layout::Sum((0..n).map(|k| (false, Layout::Symbol(format!("a{k}")))).collect())
    }

    #[test]
    fn what_cannot_be_broken_is_named_and_defined_before_it_is_used_further() {
        let fraction = Layout::Product(vec![letters(40)], vec![letters(3)]);
        let mut section = Section::new("s");
        section.equation(Formula::Name("y".into()), Formula::Scalar(fraction));
        let mut document = Document { sections: vec![section], ..Document::default() };
        shorten(&mut document);
        let blocks = &document.sections[0].blocks;
        let Block::Equation(first) = &blocks[0] else { panic!("{blocks:?}") };
        let Formula::Scalar(right) = &first.right else { panic!("{first:?}") };
        assert!(text::render(right).starts_with("z1000001/("), "{}", text::render(right));
        assert!(matches!(&blocks[1], Block::Heading(t) if t == "where"));
        assert!(matches!(&blocks[2], Block::Equation(e) if e.right == Formula::Scalar(letters(40))));
        assert_eq!(blocks.len(), 3);
    }

    #[test]
    fn long_coefficients_of_unit_vectors_are_named() {
        let mut section = Section::new("s");
        let terms = vec![(Layout::Minus(Box::new(letters(40))), "B.x".to_owned())];
        section.equation(Formula::Name("v".into()), Formula::Vector(terms));
        let mut document = Document { sections: vec![section], ..Document::default() };
        shorten(&mut document);
        let Block::Equation(e) = &document.sections[0].blocks[0] else { panic!() };
        let Formula::Vector(terms) = &e.right else { panic!() };
        assert_eq!(text::render(&terms[0].0), "-z1000001");
    }
}
