//! Long lines cut to what is near the places that a diagnostic shows.
//!
//! A text may be one line of a hundred thousand characters. Lines longer than [`LONG`] keep what stands around the first
//! place in them; dots stand for the rest. Line numbers and columns stay those of the text as it is.

use std::ops::Range;

/// Longer lines are cut; in bytes.
const LONG: usize = 240;
/// So much is kept before the place, and so much from it on.
const BEFORE: usize = 60;
const AFTER: usize = 140;
/// What stands for the rest of a line.
const DOTS: &str = "…";

/// A text with its long lines cut.
pub(crate) struct Window {
    pub text: String,
    /// What is kept: where it stands in the whole text, and where it begins in the cut one.
    pieces: Vec<(Range<usize>, usize)>,
}

impl Window {
    /// The text with all long lines cut; `places` in order of importance. Nothing if no line is long.
    pub fn of(text: &str, places: &[Range<usize>]) -> Option<Window> {
        if text.split('\n').all(|line| line.len() <= LONG) {
            return None;
        }
        let mut window = Window { text: String::new(), pieces: vec![] };
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let end = start + line.len();
            let visible = start..start + line.trim_end_matches(['\n', '\r']).len();
            if visible.len() <= LONG {
                window.keep(text, start..end);
            } else {
                let focus = focus(&visible, places);
                let from = boundary(text, focus.saturating_sub(BEFORE).max(start));
                let to = boundary(text, (focus + AFTER).min(visible.end));
                window.text += if from > start { DOTS } else { "" };
                window.keep(text, from..to);
                window.text += if to < visible.end { DOTS } else { "" };
                window.keep(text, visible.end..end);
            }
            start = end;
        }
        Some(window)
    }

    fn keep(&mut self, text: &str, range: Range<usize>) {
        let begins = self.text.len();
        self.text += &text[range.clone()];
        self.pieces.push((range, begins));
    }

    /// Where a place of the whole text stands in the cut one; what was cut away stands at the dots.
    pub fn place(&self, place: Range<usize>) -> Range<usize> {
        let [start, end] = [place.start, place.end].map(|offset| {
            let k = self.pieces.partition_point(|(range, _)| range.start <= offset);
            match k.checked_sub(1).map(|k| &self.pieces[k]) {
                Some((range, begins)) => begins + (offset - range.start).min(range.len()),
                None => 0,
            }
        });
        start..end.max(start)
    }

    /// Where an offset of the cut text stands in the whole one.
    pub fn original(&self, offset: usize) -> usize {
        let k = self.pieces.partition_point(|(_, begins)| *begins <= offset);
        match k.checked_sub(1).map(|k| &self.pieces[k]) {
            Some((range, begins)) => (range.start + (offset - begins)).min(range.end),
            None => 0,
        }
    }
}

/// The point of a line around which it is kept: where the first place in it starts, else where one ends, else its beginning.
fn focus(line: &Range<usize>, places: &[Range<usize>]) -> usize {
    let inside = |offset: usize| (line.start..=line.end).contains(&offset);
    let starts = places.iter().map(|p| p.start).find(|s| inside(*s));
    starts.or_else(|| places.iter().map(|p| p.end).find(|e| inside(*e))).unwrap_or(line.start)
}

/// The nearest boundary between characters, backwards.
fn boundary(text: &str, mut offset: usize) -> usize {
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use crate::{Code, Diagnostic, Sources, Span, render};

    #[test]
    fn a_long_line_is_cut_and_its_column_is_kept() {
        let text = format!("short\n{} wrong {}\nlast", "ä ".repeat(40_000), "b ".repeat(40_000));
        let mut sources = Sources::new();
        let file = sources.add("long.lsp", text.as_str());
        let start = text.find("wrong").unwrap();
        let d = Diagnostic::error(Code("X001"), "this is wrong")
            .at(Span::new(file, start, start + 5), "here")
            .also(Span::new(file, text.len() - 10, text.len() - 8), "far away")
            .also(Span::new(file, 0, 5), "before");
        let said = render(&d, &sources, false);
        assert!(said.len() < 1200, "{} bytes", said.len());
        let column = text[..start].rsplit('\n').next().unwrap().chars().count() + 1;
        assert!(said.contains(&format!("long.lsp:2:{column}")), "{said}");
        let line = said.lines().find(|l| l.contains("wrong b")).unwrap();
        let marks = said.lines().find(|l| l.contains("^^^^^")).unwrap();
        let at = |line: &str, word: &str| line[..line.find(word).unwrap()].chars().count();
        assert_eq!(at(line, "wrong"), at(marks, "^^^^^"), "{said}");
        assert!(line.contains('…') && said.contains("far away") && said.contains("short"), "{said}");
    }

    #[test]
    fn a_place_over_several_long_lines_is_shown() {
        let text = format!("<a {}\n{}/>", "x".repeat(500), "y".repeat(500));
        let mut sources = Sources::new();
        let file = sources.add("two.xml", text.as_str());
        let d = Diagnostic::error(Code("X001"), "all of it").at(Span::new(file, 0, text.len()), "here");
        let said = render(&d, &sources, false);
        assert!(said.len() < 1500 && said.contains("<a xxx") && said.contains("yyy/>"), "{said}");
    }
}
