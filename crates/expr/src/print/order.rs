//! What typeset formulas have in common: the order of factors, the height of brackets.
//!
//! Functions stand behind all other factors, so that `u sin q` cannot be taken for `sin(q u)`.

use super::Layout;

/// Factors in reading order: numbers, names, brackets, functions; those of a kind stay in order.
pub(super) fn in_order(factors: &[Layout]) -> Vec<&Layout> {
    let mut order: Vec<&Layout> = factors.iter().collect();
    order.sort_by_key(|f| rank(f));
    order
}

fn rank(factor: &Layout) -> u8 {
    match factor {
        Layout::Number(..) => 0,
        Layout::Power(base, _) => rank(base),
        Layout::Sum(_) | Layout::Minus(_) | Layout::Relation(..) | Layout::Cases(..) => 2,
        Layout::Call(..) => 3,
        _ => 1,
    }
}

/// How high something is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Height {
    /// Letters.
    Line,
    /// Brackets around letters.
    Fenced,
    /// Fractions, roots, lists of cases, brackets in brackets.
    Tall,
}

/// How high a layout is.
pub(super) fn height(layout: &Layout) -> Height {
    let most = |list: &[Layout]| list.iter().map(height).max().unwrap_or(Height::Line);
    let around = |h: Height| if h == Height::Line { Height::Fenced } else { Height::Tall };
    match layout {
        Layout::Number(_, None) | Layout::Symbol(_) => Height::Line,
        Layout::Number(_, Some(_)) | Layout::Cases(..) => Height::Tall,
        Layout::Sum(terms) => {
            let bracketed = |t: &Layout| matches!(t, Layout::Sum(_) | Layout::Minus(_));
            let one = |(_, t): &(bool, Layout)| if bracketed(t) { around(height(t)) } else { height(t) };
            terms.iter().map(one).max().unwrap_or(Height::Line)
        }
        Layout::Minus(inner) => height(inner),
        Layout::Product(top, bottom) if bottom.is_empty() => {
            let one = |f: &Layout| if rank(f) == 2 { around(height(f)) } else { height(f) };
            top.iter().map(one).max().unwrap_or(Height::Line)
        }
        Layout::Product(..) => Height::Tall,
        Layout::Power(base, n) if n.is_int() && !matches!(**base, Layout::Symbol(_) | Layout::Number(..)) => {
            around(height(base))
        }
        Layout::Power(base, n) if n.is_int() => height(base),
        Layout::Power(..) => Height::Tall,
        Layout::Relation(a, _, b) => height(a).max(height(b)),
        Layout::Call(_, parts) if matches!(parts.as_slice(), [Layout::Symbol(_)]) => Height::Line,
        Layout::Call(_, parts) => around(most(parts)),
    }
}
