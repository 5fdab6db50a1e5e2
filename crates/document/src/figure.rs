//! The graph of joints as a picture: bodies are boxes, joints that hold them are lines, cut joints are broken lines.

use crate::latex::shortened;
use crate::topology::{Closure, Drawing};

/// Distance of two columns, height of a row, size of a box.
const STEP: f64 = 210.0;
const ROW: f64 = 58.0;
const BOX: (f64, f64) = (92.0, 28.0);
/// Colours of what holds and of what is cut.
const HELD: &str = "#7b879c";
const CUT: &str = "#c2571a";

/// Boxes in columns, joints along the lines between them.
pub fn svg(drawing: &Drawing) -> String {
    let (columns, rows) = drawing.size();
    let closed: Vec<(usize, usize, &Closure)> =
        drawing.closures.iter().filter_map(|c| c.ends.map(|(a, b)| (a, b, c))).collect();
    let beside =
        closed.iter().filter(|(a, b, _)| drawing.knots[*a].column == drawing.knots[*b].column).count();
    // Room at the right for joints between bodies of one column, below for the key.
    let room = if beside > 0 { 110.0 + 26.0 * (beside as f64 - 1.0) } else { 0.0 };
    let key = if closed.is_empty() { 0.0 } else { 40.0 };
    let w = STEP * (columns as f64 - 1.0) + BOX.0 + 20.0 + room;
    let h = ROW * rows + 10.0 + key;
    // Joints to a body of the first row from one below it pass above.
    let above = |(a, b, _): &(usize, usize, &Closure)| {
        let [a, b] = [&drawing.knots[*a], &drawing.knots[*b]];
        a.column != b.column && a.row != b.row && a.row.min(b.row) < 0.5
    };
    let top = if closed.iter().any(above) { 20.0 } else { 0.0 };
    let (start, height) = (-top, h + top);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 {start} {w} {height}\" width=\"{w}\" font-family=\"sans-serif\" font-size=\"13\">"
    );
    for (k, knot) in drawing.knots.iter().enumerate() {
        let (x, y) = place(drawing, k);
        let Some(parent) = knot.parent else { continue };
        let (px, py) = place(drawing, parent);
        let (from, middle) = (px + BOX.0, (px + BOX.0 + x) / 2.0);
        out += &line(&format!("M{from} {py} C{middle} {py} {middle} {y} {x} {y}"), HELD, "");
        out += &words(x - 6.0, y - 6.0, "end", "#5a6478", &shortened(&knot.joint));
    }
    let mut bulge = 0.0;
    for (a, b, closure) in &closed {
        out += &cut(drawing, *a, *b, &mut bulge, &closure.words);
    }
    for (k, knot) in drawing.knots.iter().enumerate() {
        let (x, y) = place(drawing, k);
        let (top, middle, baseline) = (y - BOX.1 / 2.0, x + BOX.0 / 2.0, y + 4.5);
        let fill = if knot.parent.is_none() { "#e8ebf0" } else { "#fff" };
        let dashes = if knot.massless { " stroke-dasharray=\"2 3\"" } else { "" };
        let name = escape(&fitting(&knot.name));
        out += &format!(
            "<rect x=\"{x}\" y=\"{top}\" width=\"{}\" height=\"{}\" rx=\"5\" fill=\"{fill}\" stroke=\"#34405a\"{dashes}/><text x=\"{middle}\" y=\"{baseline}\" text-anchor=\"middle\">{name}</text>",
            BOX.0, BOX.1
        );
    }
    if key > 0.0 {
        let y = h - 12.0;
        let (words_at, second) = (y + 3.5, 138.0);
        out += &line(&format!("M10 {y} H40"), HELD, "");
        out += &words(46.0, words_at, "start", "#5a6478", "holds a body");
        out += &line(&format!("M{second} {y} h30"), CUT, DASHES);
        out += &words(second + 36.0, words_at, "start", "#5a6478", "cut: closes a loop");
    }
    out + "</svg>"
}

const DASHES: &str = " stroke-dasharray=\"6 4\"";

/// The left end and the middle line of a box.
fn place(drawing: &Drawing, k: usize) -> (f64, f64) {
    let knot = &drawing.knots[k];
    (10.0 + STEP * knot.column as f64, ROW * (knot.row + 0.5))
}

/// A cut joint: round the right side between boxes of one column, else from below or above one to below or above the other.
fn cut(drawing: &Drawing, a: usize, b: usize, bulge: &mut f64, text: &str) -> String {
    let (a, b) = if drawing.knots[a].column <= drawing.knots[b].column { (a, b) } else { (b, a) };
    let ((xa, ya), (xb, yb)) = (place(drawing, a), place(drawing, b));
    let text = shortened(text);
    if xa == xb {
        let edge = xa + BOX.0;
        let out = edge + 40.0 + 26.0 * *bulge;
        *bulge += 1.0;
        // The curve comes three quarters of the way to its controls.
        let label = (edge + 0.75 * (out - edge) + 4.0, (ya + yb) / 2.0 + 3.5);
        let path = format!("M{edge} {ya} C{out} {ya} {out} {yb} {edge} {yb}");
        return line(&path, CUT, DASHES) + &words(label.0, label.1, "start", CUT, &text);
    }
    let side = if yb >= ya { 1.0 } else { -1.0 };
    let (xa, xb) = (xa + BOX.0 / 2.0, xb + BOX.0 / 2.0);
    let (ya, yb) = (ya + side * BOX.1 / 2.0, yb + side * BOX.1 / 2.0);
    let corner = yb + side * 22.0;
    let path = format!("M{xa} {ya} C{xa} {corner} {xb} {corner} {xb} {yb}");
    let label = ((xa + xb) / 2.0, 0.125 * (ya + yb) + 0.75 * corner + if side > 0.0 { 11.0 } else { -4.0 });
    line(&path, CUT, DASHES) + &words(label.0, label.1, "middle", CUT, &text)
}

fn line(path: &str, colour: &str, dashes: &str) -> String {
    format!("<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"{dashes}/>")
}

/// Small words on a light edge, so that lines behind them do not disturb.
fn words(x: f64, y: f64, anchor: &str, colour: &str, text: &str) -> String {
    format!(
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{colour}\" font-size=\"10\" stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
        escape(text)
    )
}

/// As much of a name as a box has room for.
fn fitting(name: &str) -> String {
    match name.chars().count() {
        0..=13 => name.to_owned(),
        _ => format!("{}…", name.chars().take(12).collect::<String>()),
    }
}

/// Text as it may stand between tags.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
