//! Colours of shapes: `#rrggbb`, or the names that the web uses (CSS Color Module Level 4, section 6.1).

use cardan_base::{Diagnostic, nearest};
use cardan_syntax as syntax;

use crate::codes;
use crate::context::Resolver;
use crate::joints::plan::word_of;

/// Names and their red, green and blue.
#[rustfmt::skip]
const COLORS: &[(&str, &str)] = &[
    ("aqua", "#00ffff"), ("beige", "#f5f5dc"), ("black", "#000000"), ("blue", "#0000ff"), ("brown", "#a52a2a"),
    ("chocolate", "#d2691e"), ("coral", "#ff7f50"), ("crimson", "#dc143c"), ("cyan", "#00ffff"),
    ("darkblue", "#00008b"), ("darkgray", "#a9a9a9"), ("darkgreen", "#006400"), ("darkgrey", "#a9a9a9"),
    ("darkorange", "#ff8c00"), ("darkred", "#8b0000"), ("fuchsia", "#ff00ff"), ("gold", "#ffd700"),
    ("gray", "#808080"), ("green", "#008000"), ("grey", "#808080"), ("indigo", "#4b0082"), ("ivory", "#fffff0"),
    ("khaki", "#f0e68c"), ("lavender", "#e6e6fa"), ("lightblue", "#add8e6"), ("lightgray", "#d3d3d3"),
    ("lightgreen", "#90ee90"), ("lightgrey", "#d3d3d3"), ("lime", "#00ff00"), ("magenta", "#ff00ff"),
    ("maroon", "#800000"), ("navy", "#000080"), ("olive", "#808000"), ("orange", "#ffa500"),
    ("orchid", "#da70d6"), ("pink", "#ffc0cb"), ("plum", "#dda0dd"), ("purple", "#800080"), ("red", "#ff0000"),
    ("salmon", "#fa8072"), ("sienna", "#a0522d"), ("silver", "#c0c0c0"), ("skyblue", "#87ceeb"),
    ("slategray", "#708090"), ("steelblue", "#4682b4"), ("tan", "#d2b48c"), ("teal", "#008080"),
    ("tomato", "#ff6347"), ("turquoise", "#40e0d0"), ("violet", "#ee82ee"), ("wheat", "#f5deb3"),
    ("white", "#ffffff"), ("yellow", "#ffff00"),
];

impl<'t> Resolver<'t> {
    /// The colour of a shape as `#rrggbb`.
    pub fn color(&mut self, e: &'t syntax::Expr) -> Option<String> {
        let text = match &e.kind {
            syntax::ExprKind::Text(text) => text.trim(),
            _ => word_of(e).unwrap_or(""),
        };
        let lower = text.to_ascii_lowercase().replace(['_', '-', ' '], "");
        let digits = lower.strip_prefix('#').filter(|d| d.chars().all(|c| c.is_ascii_hexdigit()));
        match digits.map(|d| (d.len(), d)) {
            Some((6, _)) => return Some(lower),
            Some((3, d)) => return Some(d.chars().fold("#".to_owned(), |all, c| format!("{all}{c}{c}"))),
            _ => {}
        }
        if let Some((_, color)) = COLORS.iter().find(|(name, _)| *name == lower) {
            return Some((*color).to_owned());
        }
        let message = match text {
            "" => "this is not a colour".to_owned(),
            text => format!("there is no colour called `{text}`"),
        };
        let d = Diagnostic::error(codes::UNKNOWN_WORD, message).at(e.span, "");
        self.report(match nearest(&lower, COLORS.iter().map(|(name, _)| *name)) {
            Some(near) => d.hint(format!("write `color = {near}`")),
            None => {
                d.hint("write a name such as `red` or `steelblue`, or red, green and blue: `\"#4682b4\"`")
            }
        });
        None
    }
}

#[cfg(test)]
mod tests {
    use super::COLORS;

    #[test]
    fn names_are_sorted_and_colours_have_six_digits() {
        assert!(COLORS.is_sorted());
        assert!(COLORS.iter().all(|(_, c)| c.len() == 7 && c[1..].chars().all(|d| d.is_ascii_hexdigit())));
    }
}
