//! Long sums on several lines: each line as full as its estimated width allows. A term that is too wide for a line, a product with a
//! long sum in brackets, is broken within these.

use cardan_expr::print::{Layout, Mark, greek, text};

use crate::document::{Equation, Formula};

/// About how wide a layout is, in letters.
pub(crate) fn width(layout: &Layout) -> usize {
    match layout {
        Layout::Product(top, bottom) if !bottom.is_empty() => {
            let side = |list: &[Layout]| list.iter().map(width).sum::<usize>() + list.len();
            side(top).max(side(bottom))
        }
        Layout::Product(top, _) => {
            let bracketed = top.iter().filter(|f| matches!(f, Layout::Sum(_) | Layout::Minus(_))).count();
            top.iter().map(width).sum::<usize>() + top.len() / 2 + 2 * bracketed
        }
        Layout::Sum(terms) => terms.iter().map(|(_, t)| width(t) + 3).sum(),
        Layout::Minus(inner) => width(inner) + 2,
        Layout::Power(base, _) => width(base) + 1,
        Layout::Call(name, parts) => name.len() + 2 + parts.iter().map(width).sum::<usize>(),
        Layout::Symbol(name) => symbol_width(name),
        Layout::Relation(a, _, b) => width(a) + width(b) + 3,
        Layout::Cases(arms, otherwise) => {
            let arms = arms.iter().map(|(v, c)| width(v) + width(c) + 6);
            arms.max().unwrap_or(0).max(width(otherwise) + 12)
        }
        other => text::render(other).chars().count(),
    }
}

/// The width of a name: letters below the line are smaller, a Greek letter is one.
pub(crate) fn symbol_width(name: &str) -> usize {
    let mark = Mark::of(name);
    let stem = if greek(mark.stem).is_some() { 1 } else { mark.stem.chars().count() };
    stem + mark.primes + (3 * mark.index.chars().count()).div_ceil(4)
}

/// Terms in groups that fit on a line; a single term may be too wide.
pub(crate) fn grouped<T: Clone>(terms: &[T], width: impl Fn(&T) -> usize, room: usize) -> Vec<Vec<T>> {
    let mut lines: Vec<Vec<T>> = vec![];
    let mut used = 0;
    for term in terms {
        let needed = width(term) + 3;
        match lines.last_mut() {
            Some(line) if used + needed <= room => line.push(term.clone()),
            _ => {
                lines.push(vec![term.clone()]);
                used = 0;
            }
        }
        used += needed;
    }
    lines
}

/// A line of a long sum.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Line {
    /// Whether it begins within brackets that were opened before, and not with their first term.
    pub inside: bool,
    /// What stands before brackets that open here: whether it is subtracted, and its factors.
    pub opens: Option<(bool, Vec<Layout>)>,
    /// The terms.
    pub terms: Vec<(bool, Layout)>,
    /// The factors after brackets that close here.
    pub closes: Option<Vec<Layout>>,
    /// Whether fractions stand within its brackets.
    pub tall: bool,
}

/// Short equations in one row, and how many there must be.
pub(crate) const BESIDE: usize = 3;
pub(crate) const FEW: usize = 4;

/// Whether others have room beside an equation.
pub(crate) fn is_short(equation: &Equation) -> bool {
    equation.sign == "=" && side_width(&equation.left) + side_width(&equation.right) < LONGEST_SHORT
}

/// About how wide a side of an equation is, in letters.
pub(crate) fn side_width(formula: &Formula) -> usize {
    match formula {
        Formula::Scalar(Layout::Cases(..)) => LONGEST_SHORT,
        Formula::Scalar(layout) => width(layout),
        Formula::Name(name) => symbol_width(name),
        Formula::Words(text) => text.chars().count() + 2,
        Formula::Entry(..) => 3,
        Formula::Quantity(_, body, _) => 1 + (3 * body.chars().count()).div_ceil(4),
        Formula::Vector(terms) => terms.iter().map(|(t, unit)| width(t) + unit.chars().count() + 3).sum(),
    }
}

/// Letters of an equation that has others beside it.
const LONGEST_SHORT: usize = 22;

/// Whether lines may end within it.
pub(crate) fn can_break(layout: &Layout) -> bool {
    match layout {
        Layout::Sum(_) => true,
        Layout::Product(_, bottom) => bottom.is_empty(),
        Layout::Minus(inner) => can_break(inner),
        _ => false,
    }
}

/// The terms of a sum; of anything else itself as the only one.
pub(crate) fn terms(layout: &Layout) -> Vec<(bool, Layout)> {
    match layout {
        Layout::Sum(terms) => terms.clone(),
        Layout::Minus(inner) => vec![(true, inner.as_ref().clone())],
        other => vec![(false, other.clone())],
    }
}

/// A sum on lines.
pub(crate) fn lines(terms: &[(bool, Layout)], room: usize) -> Vec<Line> {
    let mut out = vec![];
    let mut waiting: Vec<(bool, Layout)> = vec![];
    let flush = |waiting: &mut Vec<(bool, Layout)>, out: &mut Vec<Line>| {
        let groups = grouped(waiting, |(_, t)| width(t), room);
        out.extend(groups.into_iter().map(|terms| Line {
            inside: false,
            opens: None,
            terms,
            closes: None,
            tall: false,
        }));
        waiting.clear();
    };
    for (minus, term) in terms {
        match wide_factor(term, room) {
            None => waiting.push((*minus, term.clone())),
            Some((before, sum, after)) => {
                flush(&mut waiting, &mut out);
                // Factors before and after the brackets need room as well.
                let beside = |list: &[Layout]| list.iter().map(|f| width(f) + 2).sum::<usize>();
                let taken = beside(before).max(beside(after)) + 8;
                let groups = grouped(sum, |(_, t)| width(t), room.saturating_sub(taken).max(room / 3));
                let last = groups.len().saturating_sub(1);
                let tall = sum.iter().any(|(_, t)| is_fraction(t));
                for (k, terms) in groups.into_iter().enumerate() {
                    let opens = (k == 0).then(|| (*minus, before.to_vec()));
                    let closes = (k == last).then(|| after.to_vec());
                    out.push(Line { inside: k > 0, opens, terms, closes, tall });
                }
            }
        }
    }
    flush(&mut waiting, &mut out);
    out
}

/// Whether something stands above something else.
fn is_fraction(layout: &Layout) -> bool {
    match layout {
        Layout::Product(top, bottom) => !bottom.is_empty() || top.iter().any(is_fraction),
        Layout::Sum(terms) => terms.iter().any(|(_, t)| is_fraction(t)),
        Layout::Minus(inner) | Layout::Power(inner, _) => is_fraction(inner),
        _ => false,
    }
}

/// The terms of a sum with their signs.
type Terms = [(bool, Layout)];

/// The widest sum among the factors of a product that is too wide for a line, and the factors before and after it.
fn wide_factor(term: &Layout, room: usize) -> Option<(&[Layout], &Terms, &[Layout])> {
    let Layout::Product(factors, bottom) = term else { return None };
    if !bottom.is_empty() || width(term) <= room {
        return None;
    }
    let sums = factors.iter().enumerate().filter(|(_, f)| matches!(f, Layout::Sum(_)));
    let (place, _) = sums.max_by_key(|(_, f)| width(f))?;
    let Layout::Sum(sum) = &factors[place] else { return None };
    Some((&factors[..place], sum, &factors[place + 1..]))
}

#[cfg(test)]
mod tests {
    use crate::line_breaking::*;

    #[test]
    fn brackets_that_are_too_wide_are_broken() {
        let letter = |c: char| Layout::Symbol(c.to_string());
        let sum: Vec<(bool, Layout)> = "abcdefghij".chars().map(|c| (false, letter(c))).collect();
        let product = Layout::Product(vec![letter('x'), Layout::Sum(sum.clone()), letter('y')], vec![]);
        let found = lines(&[(false, letter('k')), (true, product)], 24);
        assert_eq!(found[0].terms, [(false, letter('k'))]);
        assert_eq!(found[1].opens, Some((true, vec![letter('x')])));
        assert_eq!(found.last().unwrap().closes, Some(vec![letter('y')]));
        let inside: Vec<_> = found[1..].iter().flat_map(|l| l.terms.clone()).collect();
        assert_eq!(inside, sum);
        assert!(found.len() > 3 && found[2].inside && !found[1].inside);
    }

    #[test]
    fn lines_are_filled_and_nothing_is_lost() {
        let lines = grouped(&[5, 5, 20, 1], |w| *w, 16);
        assert_eq!(lines, [vec![5, 5], vec![20], vec![1]]);
    }
}
