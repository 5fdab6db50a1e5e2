//! Long sums on several lines: each line as full as its estimated width allows.

use cardan_expr::print::{Layout, text};

/// About how wide a layout is, in letters.
pub(crate) fn width(layout: &Layout) -> usize {
    match layout {
        Layout::Product(top, bottom) if !bottom.is_empty() => {
            let side = |list: &[Layout]| list.iter().map(width).sum::<usize>() + list.len();
            side(top).max(side(bottom))
        }
        Layout::Product(top, _) => top.iter().map(width).sum::<usize>() + top.len(),
        Layout::Sum(terms) => terms.iter().map(|(_, t)| width(t) + 3).sum(),
        Layout::Minus(inner) => width(inner) + 2,
        Layout::Power(base, _) => width(base) + 1,
        Layout::Call(name, parts) => name.len() + 2 + parts.iter().map(width).sum::<usize>(),
        Layout::Symbol(name) => name.trim_start_matches("der(").trim_end_matches(')').chars().count(),
        other => text::render(other).chars().count(),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_filled_and_nothing_is_lost() {
        let lines = grouped(&[5, 5, 20, 1], |w| *w, 16);
        assert_eq!(lines, [vec![5, 5], vec![20], vec![1]]);
    }
}
