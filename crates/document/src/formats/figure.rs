//! The graph of joints as a picture: bodies are boxes, joints that hold them are lines, cut joints are broken lines.
//!
//! Between neighbouring columns a cut joint is a line from box to box with its name below the end; within a column it goes round the right side;
//! further away it runs below all boxes, on a level of its own. So no line crosses a box and no two names share a place.

use crate::chapters::topology::{Closure, Drawing};

/// How far from a box the line to another row has turned to it.
const BEND: f64 = 20.0;

/// Height of a row, height of a box.
const ROW: f64 = 58.0;
const BOX: f64 = 28.0;
/// About how wide a letter of a name and one of small words is.
const LETTER: f64 = 7.4;
const SMALL_LETTER: f64 = 5.3;
/// Distance of two levels below the boxes, and of two lines that go up or down beside one another.
const LEVEL: f64 = 20.0;
const BESIDE: f64 = 6.0;
/// Letters between two columns.
const BETWEEN: usize = 22;

/// What a line means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// A joint that holds a body.
    Held,
    /// A joint that is cut.
    Cut,
}

/// Where words begin, end or have their middle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// At the left.
    Start,
    /// In the middle.
    Middle,
    /// At the right.
    End,
}

/// A part of a picture; y grows downwards.
#[derive(Clone, PartialEq, Debug)]
pub enum Mark {
    /// A curve: a point, then control, control, point for each piece.
    Curve(Ink, Vec<[f64; 2]>),
    /// Small words on a line.
    Words(Ink, [f64; 2], Anchor, String),
    /// A box with a name: its middle, whether it is the ground, whether it has no mass.
    Body([f64; 2], String, bool, bool),
}

/// A picture.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Picture {
    /// Width and height.
    pub size: [f64; 2],
    /// Width of a box.
    pub box_width: f64,
    /// In the order in which they are drawn.
    pub marks: Vec<Mark>,
}

impl Drawing {
    /// The column before which the name of a cut joint stands, if it lies between neighbouring columns.
    fn arrives(&self, closure: &Closure) -> Option<usize> {
        let (a, b) = closure.ends?;
        let [a, b] = [a, b].map(|k| self.knots[k].column);
        (a.abs_diff(b) == 1).then_some(a.max(b))
    }
}

impl Picture {
    /// Boxes in columns, joints along the lines between them.
    pub fn of(drawing: &Drawing) -> Picture {
        let (columns, rows) = drawing.size();
        // Boxes and the space between them are as wide as their words need.
        let longest = |list: &mut dyn Iterator<Item = String>| {
            list.map(|t| t.chars().count()).max().unwrap_or(0) as f64
        };
        let names = longest(&mut drawing.knots.iter().map(|k| fitting(&k.name)));
        let box_width = (LETTER * names + 16.0).max(46.0);
        let mut grid = Grid { box_width, left: vec![10.0] };
        for column in 1..columns {
            let here = drawing.knots.iter().filter(|k| k.column == column);
            let held = here.flat_map(|k| [k.joint.as_str(), &k.coordinates]);
            let cut = drawing.closures.iter().filter(|c| drawing.arrives(c) == Some(column));
            let words = longest(&mut held.chain(cut.map(|c| c.words.as_str())).map(shortened));
            let before = grid.left[column - 1];
            grid.left.push(before + box_width + (SMALL_LETTER * words + 26.0).max(48.0));
        }
        let mut picture = Picture { box_width, ..Picture::default() };
        for (k, knot) in drawing.knots.iter().enumerate() {
            let Some(parent) = knot.parent else { continue };
            let ([px, py], [x, y]) = (grid.place(drawing, parent), grid.place(drawing, k));
            picture.curve(Ink::Held, [px + box_width, py], [x, y]);
            picture.words(Ink::Held, [x - 6.0, y - 5.0], Anchor::End, &shortened(&knot.joint));
            picture.words(Ink::Held, [x - 6.0, y + 11.0], Anchor::End, &shortened(&knot.coordinates));
        }
        let bottom = ROW * rows;
        let below = vec![0; drawing.knots.len()];
        let mut cuts = Cuts { below, beside: 0, levels: 0, edge: 0.0, bottom, grid: &grid };
        for closure in &drawing.closures {
            cuts.draw(drawing, closure, &mut picture);
        }
        for (k, knot) in drawing.knots.iter().enumerate() {
            let [x, y] = grid.place(drawing, k);
            let name = fitting(&knot.name);
            picture.marks.push(Mark::Body(
                [x + box_width / 2.0, y],
                name,
                knot.parent.is_none(),
                knot.massless,
            ));
        }
        let mut height = bottom + LEVEL * cuts.levels as f64 + 6.0;
        if drawing.closures.iter().any(|c| c.ends.is_some()) {
            height += 24.0;
            picture.key(height - 10.0);
        }
        let width = grid.left.last().copied().unwrap_or(10.0) + box_width + 10.0;
        // Lines lie behind words, and both behind boxes.
        picture.marks.sort_by_key(|m| match m {
            Mark::Curve(..) => 0,
            Mark::Words(..) => 1,
            Mark::Body(..) => 2,
        });
        picture.size = [width.max(cuts.edge).max(300.0), height];
        picture
    }

    /// A curve that leaves and arrives horizontally; it bends before the words begin, which stand at its end.
    fn curve(&mut self, ink: Ink, [ax, ay]: [f64; 2], [bx, by]: [f64; 2]) {
        let end = (ax + BEND).min(bx);
        let middle = (ax + end) / 2.0;
        let bend = [[ax, ay], [middle, ay], [middle, by], [end, by]];
        let straight = [[end, by], [bx, by], [bx, by]];
        self.marks.push(Mark::Curve(ink, [&bend[..], &straight[..]].concat()));
    }

    fn words(&mut self, ink: Ink, at: [f64; 2], anchor: Anchor, text: &str) {
        if !text.is_empty() {
            self.marks.push(Mark::Words(ink, at, anchor, text.to_owned()));
        }
    }

    /// What the lines mean.
    fn key(&mut self, y: f64) {
        for (ink, x, text) in [(Ink::Held, 10.0, "holds a body"), (Ink::Cut, 138.0, "cut: closes a loop")] {
            self.curve(ink, [x, y], [x + 30.0, y]);
            self.words(ink, [x + 36.0, y + 3.5], Anchor::Start, text);
        }
    }

    /// The picture as SVG.
    pub fn svg(&self) -> String {
        let [w, h] = self.size;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" font-family=\"sans-serif\" font-size=\"13\">"
        );
        for mark in &self.marks {
            out += &match mark {
                Mark::Curve(ink, points) => {
                    let dashes = if *ink == Ink::Cut { " stroke-dasharray=\"6 4\"" } else { "" };
                    format!(
                        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{dashes}/>",
                        path(points),
                        colour(*ink)
                    )
                }
                Mark::Words(ink, [x, y], anchor, text) => {
                    let anchor = match anchor {
                        Anchor::Start => "start",
                        Anchor::Middle => "middle",
                        Anchor::End => "end",
                    };
                    // A light edge, so that lines behind words do not disturb.
                    format!(
                        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{}\" font-size=\"10\" stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
                        colour(*ink),
                        escape(text)
                    )
                }
                Mark::Body([x, y], name, ground, massless) => {
                    let (left, top, baseline) = (x - self.box_width / 2.0, y - BOX / 2.0, y + 4.5);
                    let fill = if *ground { "#e8ebf0" } else { "#fff" };
                    let dashes = if *massless { " stroke-dasharray=\"2 3\"" } else { "" };
                    format!(
                        "<rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" rx=\"5\" fill=\"{fill}\" stroke=\"#34405a\"{dashes}/><text x=\"{x}\" y=\"{baseline}\" text-anchor=\"middle\">{}</text>",
                        self.box_width,
                        BOX,
                        escape(name)
                    )
                }
            };
        }
        out + "</svg>"
    }

    /// The picture as TikZ commands; `words` makes text safe for LaTeX.
    pub(crate) fn tikz(&self, words: impl Fn(&str) -> String) -> String {
        let mut out = String::new();
        for mark in &self.marks {
            out += &match mark {
                Mark::Curve(ink, points) => {
                    let style = if *ink == Ink::Cut { "cut" } else { "held" };
                    format!("  \\draw[{style}] {};\n", tikz_path(points))
                }
                Mark::Words(ink, [x, y], anchor, text) => {
                    let style = if *ink == Ink::Cut { "cutwords" } else { "heldwords" };
                    let anchor = match anchor {
                        Anchor::Start => "base west",
                        Anchor::Middle => "base",
                        Anchor::End => "base east",
                    };
                    format!("  \\node[{style}, anchor={anchor}] at ({x:.1},{y:.1}) {{{}}};\n", words(text))
                }
                Mark::Body([x, y], name, ground, massless) => {
                    let fill = if *ground { ", fill=black!8" } else { "" };
                    let dashes = if *massless { ", densely dotted" } else { "" };
                    format!("  \\node[body{fill}{dashes}] at ({x:.1},{y:.1}) {{{}}};\n", words(name))
                }
            };
        }
        out
    }
}

/// The drawing as SVG.
pub fn svg(drawing: &Drawing) -> String {
    Picture::of(drawing).svg()
}

/// How many cut joints are drawn already: at the end of a box, round the right side, below all boxes.
struct Cuts<'g> {
    below: Vec<usize>,
    beside: usize,
    levels: usize,
    edge: f64,
    bottom: f64,
    grid: &'g Grid,
}

impl Cuts<'_> {
    fn draw(&mut self, drawing: &Drawing, closure: &Closure, picture: &mut Picture) {
        let Some((a, b)) = closure.ends else { return };
        let column = |k: usize| drawing.knots[k].column;
        let (a, b) = if column(a) <= column(b) { (a, b) } else { (b, a) };
        let ([ax, ay], [bx, by]) = (self.grid.place(drawing, a), self.grid.place(drawing, b));
        let box_width = self.grid.box_width;
        let text = shortened(&closure.words);
        match column(b) - column(a) {
            0 => {
                let edge = ax + box_width;
                let out = edge + 36.0 + 26.0 * self.beside as f64;
                self.beside += 1;
                picture.marks.push(Mark::Curve(Ink::Cut, vec![[edge, ay], [out, ay], [out, by], [edge, by]]));
                // The curve comes three quarters of the way to its controls.
                let at = [edge + 0.75 * (out - edge) + 4.0, (ay + by) / 2.0 + 3.5];
                picture.words(Ink::Cut, at, Anchor::Start, &text);
                self.edge = self.edge.max(at[0] + SMALL_LETTER * text.chars().count() as f64 + 10.0);
            }
            1 => {
                let n = self.below[b];
                self.below[b] += 1;
                let drop = (8.0 + 5.0 * n as f64).min(BOX / 2.0 - 1.0);
                picture.curve(Ink::Cut, [ax + box_width, ay + 6.0], [bx, by + drop]);
                // Below the coordinates.
                let y = by + 20.0 + 9.0 * n as f64;
                picture.words(Ink::Cut, [bx - 6.0, y], Anchor::End, &text);
            }
            _ => {
                self.levels += 1;
                let level = self.bottom + LEVEL * self.levels as f64 - 8.0;
                let aside = 14.0 + BESIDE * (self.levels - 1) as f64;
                let (down, up) = (ax + box_width + aside, bx - aside);
                let corners = [
                    [ax + box_width, ay + 6.0],
                    [down, ay + 6.0],
                    [down, level],
                    [up, level],
                    [up, by + 8.0],
                    [bx, by + 8.0],
                ];
                let straight = |p: [f64; 2], q: [f64; 2]| [p, q, q];
                let mut points = vec![corners[0]];
                points.extend(corners.windows(2).flat_map(|w| straight(w[0], w[1])));
                picture.marks.push(Mark::Curve(Ink::Cut, points));
                picture.words(Ink::Cut, [(down + up) / 2.0, level - 3.0], Anchor::Middle, &text);
            }
        }
    }
}

fn colour(ink: Ink) -> &'static str {
    match ink {
        Ink::Held => "#5a6478",
        Ink::Cut => "#c2571a",
    }
}

fn path(points: &[[f64; 2]]) -> String {
    let mut out = points.first().map_or(String::new(), |[x, y]| format!("M{x} {y}"));
    for piece in points[1..].chunks_exact(3) {
        let [[a, b], [c, d], [e, f]] = [piece[0], piece[1], piece[2]];
        out += &format!(" C{a} {b} {c} {d} {e} {f}");
    }
    out
}

fn tikz_path(points: &[[f64; 2]]) -> String {
    let mut out = points.first().map_or(String::new(), |[x, y]| format!("({x:.1},{y:.1})"));
    for piece in points[1..].chunks_exact(3) {
        let [[a, b], [c, d], [e, f]] = [piece[0], piece[1], piece[2]];
        out += &format!(" .. controls ({a:.1},{b:.1}) and ({c:.1},{d:.1}) .. ({e:.1},{f:.1})");
    }
    out
}

/// Width of a box and where the boxes of each column begin.
struct Grid {
    box_width: f64,
    left: Vec<f64>,
}

impl Grid {
    /// The left end and the middle line of a box.
    fn place(&self, drawing: &Drawing, k: usize) -> [f64; 2] {
        let knot = &drawing.knots[k];
        [self.left[knot.column], ROW * (knot.row + 0.5)]
    }
}

/// As much of a name as a box has room for.
fn fitting(name: &str) -> String {
    match name.chars().count() {
        0..=13 => name.to_owned(),
        _ => format!("{}…", name.chars().take(12).collect::<String>()),
    }
}

/// Long lists of coordinates are cut: the tables have them.
fn shortened(text: &str) -> String {
    if text.chars().count() <= BETWEEN {
        text.to_owned()
    } else {
        format!("{}…", text.chars().take(BETWEEN - 1).collect::<String>())
    }
}

/// Text as it may stand between tags.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chapters::topology::Knot;

    fn knot(name: &str, column: usize, row: f64, parent: Option<usize>) -> Knot {
        let (joint, coordinates) = ("revolute".into(), name.into());
        Knot { name: name.into(), joint, coordinates, column, row, parent, massless: false }
    }

    /// A chain with a loop of each kind: no two words overlap and none lies on a box.
    #[test]
    fn words_have_places_of_their_own() {
        let knots = vec![
            knot("N", 0, 0.5, None),
            knot("a", 1, 0.0, Some(0)),
            knot("b", 1, 1.0, Some(0)),
            knot("c", 2, 0.0, Some(1)),
            knot("d", 3, 0.0, Some(3)),
        ];
        let cut = |words: &str, a, b| Closure { words: words.into(), ends: Some((a, b)) };
        let closures = vec![
            cut("one (pin)", 2, 3),
            cut("two (pin)", 2, 3),
            cut("far (pin)", 0, 4),
            cut("far too", 0, 3),
        ];
        let picture = Picture::of(&Drawing { knots, closures });
        let mut places: Vec<[f64; 4]> = vec![];
        for mark in &picture.marks {
            match mark {
                Mark::Words(_, [x, y], anchor, text) => {
                    let w = SMALL_LETTER * text.chars().count() as f64;
                    let left = match anchor {
                        Anchor::Start => *x,
                        Anchor::Middle => x - w / 2.0,
                        Anchor::End => x - w,
                    };
                    places.push([left, y - 8.0, left + w, *y]);
                }
                Mark::Body([x, y], ..) => {
                    let w = picture.box_width / 2.0;
                    places.push([x - w, y - BOX / 2.0, x + w, y + BOX / 2.0]);
                }
                Mark::Curve(..) => {}
            }
        }
        for (k, p) in places.iter().enumerate() {
            for q in &places[k + 1..] {
                let apart = p[2] <= q[0] || q[2] <= p[0] || p[3] <= q[1] || q[3] <= p[1];
                assert!(apart, "{p:?} {q:?}");
            }
            assert!(
                p[0] >= 0.0 && p[2] <= picture.size[0] && p[3] <= picture.size[1],
                "{p:?} {:?}",
                picture.size
            );
        }
    }
}
