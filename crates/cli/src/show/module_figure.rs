//! The hierarchy of a model as a drawing: modules as boxes inside boxes, signals from left to right, mechanical
//! connections as double lines.
//!
//! Modules of one level stand in columns: each to the right of those whose signals it needs. Within a column they keep their
//! order. Connections that lead back go below.

use cardan::expand::hierarchy::{Node, Passes, in_order};

const LINE: f64 = 16.0;
const LETTER: f64 = 7.2;
const GAP: f64 = 46.0;
const MARGIN: f64 = 14.0;

/// A box with its size and place.
struct Frame {
    node: Option<usize>,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    inside: Vec<Frame>,
}

/// The drawing as SVG.
pub fn svg(title: &str, nodes: &[Node]) -> String {
    let mut root = laid_out(nodes, None);
    root.x = 10.0;
    root.y = 10.0;
    let (width, height) = (root.width + 20.0, root.height + 20.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let mut places: Vec<[f64; 4]> = vec![[0.0; 4]; nodes.len()];
    draw(&root, [0.0, 0.0], title, nodes, 0, &mut places, &mut out);
    for (k, node) in nodes.iter().enumerate() {
        for other in &node.needs {
            out += &connection(places[*other], places[k], carries(nodes, k, *other));
        }
    }
    out + "</svg>\n"
}

/// Whether a signal or a mechanical connection leads from one module to another.
fn carries(nodes: &[Node], to: usize, from: usize) -> Passes {
    let name = nodes[from].name(nodes);
    let names = |c: &&cardan::expand::hierarchy::Coupling| c.passes == Passes::In && c.with.contains(name);
    if nodes[to].couplings.iter().any(|c| names(&c)) { Passes::In } else { Passes::Mechanics }
}

fn label(node: &Node, nodes: &[Node]) -> String {
    format!("{} : {}", node.name(nodes), node.kind)
}

fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}

fn port_lines(node: &Node) -> Vec<String> {
    let line = |c: &cardan::expand::hierarchy::Coupling| {
        let arrow = match c.passes {
            Passes::Mechanics => "—",
            Passes::In => "←",
            Passes::Out => "→",
        };
        format!("{arrow} {}", c.port)
    };
    node.couplings.iter().map(line).collect()
}

fn laid_out(nodes: &[Node], node: Option<usize>) -> Frame {
    let order = in_order(nodes, node);
    let mut levels: Vec<(usize, usize)> = vec![];
    for k in &order {
        let before =
            levels.iter().filter(|(other, _)| nodes[*k].needs.contains(other)).map(|(_, level)| level + 1);
        levels.push((*k, before.max().unwrap_or(0)));
    }
    let head = node.map_or(0, |k| nodes[k].couplings.len()) as f64 * LINE + LINE + MARGIN;
    let own = node.map_or(0.0, |k| {
        let ports = port_lines(&nodes[k]);
        ports.iter().map(|p| text_width(p)).fold(text_width(&label(&nodes[k], nodes)), f64::max)
    });
    let mut frame = Frame { node, x: 0.0, y: 0.0, width: 0.0, height: 0.0, inside: vec![] };
    let (mut x, mut bottom) = (MARGIN, head);
    let n_levels = levels.iter().map(|(_, level)| level + 1).max().unwrap_or(0);
    for level in 0..n_levels {
        let (mut y, mut widest) = (head, 0.0_f64);
        for (k, _) in levels.iter().filter(|(_, l)| *l == level) {
            let mut inner = laid_out(nodes, Some(*k));
            (inner.x, inner.y) = (x, y);
            y += inner.height + MARGIN;
            widest = widest.max(inner.width);
            frame.inside.push(inner);
        }
        x += widest + GAP;
        bottom = bottom.max(y);
    }
    let content = if frame.inside.is_empty() { 0.0 } else { x - GAP + MARGIN };
    frame.width = content.max(own + 2.0 * MARGIN).max(90.0);
    frame.height = bottom;
    frame
}

fn draw(
    frame: &Frame,
    [dx, dy]: [f64; 2],
    title: &str,
    nodes: &[Node],
    depth: usize,
    places: &mut [[f64; 4]],
    out: &mut String,
) {
    let (x, y) = (dx + frame.x, dy + frame.y);
    let fill = if depth % 2 == 0 { "#f7f9fb" } else { "#e8eef4" };
    let name = match frame.node {
        Some(k) => label(&nodes[k], nodes),
        None => title.to_owned(),
    };
    *out += &format!(
        "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\" fill=\"{fill}\" stroke=\"#33475b\"/>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" font-weight=\"bold\" fill=\"#1d2b3a\">{}</text>\n",
        escaped(&frame.node.map_or(name.clone(), |k| nodes[k].path.clone())),
        frame.width,
        frame.height,
        x + 8.0,
        y + LINE,
        escaped(&name),
    );
    if let Some(k) = frame.node {
        places[k] = [x, y, frame.width, frame.height];
        for (row, line) in port_lines(&nodes[k]).iter().enumerate() {
            let at = y + LINE * (row as f64 + 2.0);
            *out += &format!(
                "<text x=\"{:.1}\" y=\"{at:.1}\" fill=\"#46586a\">{}</text>\n",
                x + 12.0,
                escaped(line)
            );
        }
    }
    *out += "</g>\n";
    for inner in &frame.inside {
        draw(inner, [x, y], title, nodes, depth + 1, places, out);
    }
}

/// A line from the right side of one box to the left side of another, or below both where it leads back.
fn connection(from: [f64; 4], to: [f64; 4], passes: Passes) -> String {
    let color = if passes == Passes::In { "#b3541e" } else { "#2f6f9f" };
    let (x1, y1) = (from[0] + from[2], from[1] + 0.5 * LINE);
    let (x2, y2) = (to[0], to[1] + 0.5 * LINE);
    let path = match x2 > x1 {
        true => {
            let middle = 0.5 * (x1 + x2);
            format!("M{x1:.1} {y1:.1} C{middle:.1} {y1:.1} {middle:.1} {y2:.1} {x2:.1} {y2:.1}")
        }
        false => {
            let low = (from[1] + from[3]).max(to[1] + to[3]) + 6.0;
            format!("M{x1:.1} {y1:.1} h8 V{low:.1} H{:.1} V{y2:.1} h8", x2 - 8.0)
        }
    };
    let width = if passes == Passes::In { 1.5 } else { 3.0 };
    let line = format!("<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"/>\n");
    let tip = match passes {
        Passes::In => format!("<path d=\"M{x2:.1} {y2:.1} l-7 -3.5 v7 z\" fill=\"{color}\"/>\n"),
        _ => format!("<path d=\"{path}\" fill=\"none\" stroke=\"#ffffff\" stroke-width=\"1\"/>\n"),
    };
    line + &tip
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
