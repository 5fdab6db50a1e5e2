//! A line plot as SVG, in black ink on white paper with muted colours, for print and documents.

use crate::decimate::min_max;
use crate::page::markup::escape;
use crate::ticks::{drawable, label, nice_ticks, widened};

/// A line plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Heading; may be empty.
    pub title: String,
    /// Name of the abscissa.
    pub x_label: String,
    /// Unit of the abscissa; may be empty.
    pub x_unit: String,
    /// Name of the ordinate.
    pub y_label: String,
    /// Unit of the ordinate; may be empty.
    pub y_unit: String,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
}

impl Default for Plot {
    fn default() -> Self {
        Self {
            title: String::new(),
            x_label: "time".into(),
            x_unit: "s".into(),
            y_label: String::new(),
            y_unit: String::new(),
            curves: Vec::new(),
            width: 720.0,
            height: 420.0,
        }
    }
}

/// One curve; the shorter of `x` and `y` counts, and points that are not finite are gaps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Name in the legend; a plot with one unnamed curve has no legend.
    pub name: String,
    /// Abscissae.
    pub x: Vec<f64>,
    /// Ordinates.
    pub y: Vec<f64>,
}

/// Colours that differ in hue and lightness, so that they hold in grey print and for colour-blind readers.
const COLORS: [&str; 8] =
    ["#1f5fbf", "#d2541b", "#0f8262", "#a3258f", "#8a6a00", "#0b86a8", "#b8243a", "#5d4dc0"];
/// Dashes for the second and third round through the colours.
const DASHES: [&str; 3] = ["", "7 4", "2 3"];
/// Points drawn per curve at most: about three per pixel of width.
const POINTS: usize = 2400;
/// Average width of a letter at 12 px, for placing the legend.
const LETTER: f64 = 6.6;

/// The rectangle inside the axes and the ranges it shows.
struct Frame {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn px(&self, x: f64) -> f64 {
        self.left + (x - self.x.0) / (self.x.1 - self.x.0) * (self.right - self.left)
    }

    fn py(&self, y: f64) -> f64 {
        self.bottom - (y - self.y.0) / (self.y.1 - self.y.0) * (self.bottom - self.top)
    }
}

/// The plot as a complete SVG document.
pub fn svg_plot(plot: &Plot) -> String {
    let (width, height) = (plot.width.clamp(160.0, 10_000.0), plot.height.clamp(120.0, 10_000.0));
    let legend = legend_rows(plot, width - 90.0);
    let x_range = range(plot.curves.iter().flat_map(|c| c.x.iter().zip(&c.y).map(|(x, _)| *x)), 0.0);
    let y_range = range(plot.curves.iter().flat_map(|c| c.x.iter().zip(&c.y).map(|(_, y)| *y)), 0.05);
    let y_ticks = nice_ticks(y_range.0, y_range.1, ((height - 90.0) / 48.0) as usize);
    let y_labels: Vec<String> = y_ticks.at.iter().map(|t| label(*t, y_ticks.step)).collect();
    let widest = y_labels.iter().map(|l| l.chars().count()).max().unwrap_or(0) as f64;
    let head = if plot.title.is_empty() { 12.0 } else { 34.0 } + 18.0 * legend.len() as f64;
    let frame = Frame {
        left: 34.0 + LETTER * widest + 8.0,
        top: head,
        right: width - 18.0,
        bottom: height - 50.0,
        x: x_range,
        y: y_range,
    };
    let x_ticks = nice_ticks(x_range.0, x_range.1, ((frame.right - frame.left) / 80.0) as usize);
    let x_labels: Vec<String> = x_ticks.at.iter().map(|t| label(*t, x_ticks.step)).collect();

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" \
         fill=\"#222\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    svg.push_str(&axes(&frame, &x_ticks.at, &x_labels, &y_ticks.at, &y_labels));
    svg.push_str(&captions(plot, &frame, width, height));
    svg.push_str(&curves(plot, &frame));
    svg.push_str(&draw_legend(plot, &legend, frame.left, frame.top));
    svg.push_str("</svg>\n");
    svg
}

/// Range of the finite values with a margin on both sides, as a fraction of its width.
fn range(values: impl Iterator<Item = f64>, margin: f64) -> (f64, f64) {
    let (low, high) = values
        .filter(|v| drawable(*v))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    let (low, high) = widened(low, high);
    let margin = margin * (high - low);
    (low - margin, high + margin)
}

fn axes(frame: &Frame, x_at: &[f64], x_labels: &[String], y_at: &[f64], y_labels: &[String]) -> String {
    let Frame { left, top, right, bottom, .. } = *frame;
    let mut out = String::new();
    for (at, text) in x_at.iter().zip(x_labels) {
        let x = frame.px(*at);
        out.push_str(&format!(
            "<path d=\"M{x:.2} {top:.2}V{bottom:.2}\" stroke=\"#e4e6ea\"/>\
             <path d=\"M{x:.2} {bottom:.2}v4\" stroke=\"#444\"/>\
             <text x=\"{x:.2}\" y=\"{:.2}\" text-anchor=\"middle\">{text}</text>\n",
            bottom + 18.0
        ));
    }
    for (at, text) in y_at.iter().zip(y_labels) {
        let y = frame.py(*at);
        out.push_str(&format!(
            "<path d=\"M{left:.2} {y:.2}H{right:.2}\" stroke=\"#e4e6ea\"/>\
             <path d=\"M{left:.2} {y:.2}h-4\" stroke=\"#444\"/>\
             <text x=\"{:.2}\" y=\"{:.2}\" text-anchor=\"end\">{text}</text>\n",
            left - 8.0,
            y + 4.0
        ));
    }
    out.push_str(&format!(
        "<path d=\"M{left:.2} {top:.2}V{bottom:.2}H{right:.2}\" fill=\"none\" stroke=\"#444\"/>\n"
    ));
    out
}

fn captions(plot: &Plot, frame: &Frame, width: f64, height: f64) -> String {
    let with_unit = |name: &str, unit: &str| match (name, unit) {
        (name, "") => escape(name),
        ("", unit) => format!("[{}]", escape(unit)),
        (name, unit) => format!("{} [{}]", escape(name), escape(unit)),
    };
    let middle = (frame.left + frame.right) / 2.0;
    let halfway = (frame.top + frame.bottom) / 2.0;
    let mut out = format!(
        "<text x=\"{middle:.2}\" y=\"{:.2}\" text-anchor=\"middle\">{}</text>\n\
         <text transform=\"translate(16 {halfway:.2}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        height - 12.0,
        with_unit(&plot.x_label, &plot.x_unit),
        with_unit(&plot.y_label, &plot.y_unit)
    );
    if !plot.title.is_empty() {
        out.push_str(&format!(
            "<text x=\"{:.2}\" y=\"22\" text-anchor=\"middle\" font-size=\"14\" font-weight=\"600\">{}</text>\n",
            width / 2.0,
            escape(&plot.title)
        ));
    }
    out
}

fn curves(plot: &Plot, frame: &Frame) -> String {
    let mut out = String::new();
    for (k, curve) in plot.curves.iter().enumerate() {
        let points = min_max(&curve.x, &curve.y, POINTS);
        out.push_str(&format!(
            "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" stroke-linejoin=\"round\"{}/>\n",
            path(&points, frame),
            color(k),
            dash(k)
        ));
    }
    out
}

/// Path commands through the finite points; a point that is not finite lifts the pen.
fn path(points: &[(f64, f64)], frame: &Frame) -> String {
    let mut out = String::with_capacity(points.len() * 14);
    let mut pen_down = false;
    for &(x, y) in points {
        if drawable(x) && drawable(y) {
            let command = if pen_down { 'L' } else { 'M' };
            out.push_str(&format!("{command}{:.2} {:.2}", frame.px(x), frame.py(y)));
            pen_down = true;
        } else {
            pen_down = false;
        }
    }
    out
}

fn color(k: usize) -> &'static str {
    COLORS[k % COLORS.len()]
}

fn dash(k: usize) -> String {
    match DASHES[k / COLORS.len() % DASHES.len()] {
        "" => String::new(),
        dash => format!(" stroke-dasharray=\"{dash}\""),
    }
}

/// Curves in the legend, row by row, as many in a row as fit into `width`.
fn legend_rows(plot: &Plot, width: f64) -> Vec<Vec<usize>> {
    if plot.curves.iter().all(|c| c.name.is_empty()) {
        return Vec::new();
    }
    let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
    let mut used = 0.0;
    for (k, curve) in plot.curves.iter().enumerate() {
        let entry = entry_width(&curve.name);
        if used + entry > width && used > 0.0 {
            rows.push(Vec::new());
            used = 0.0;
        }
        used += entry;
        if let Some(row) = rows.last_mut() {
            row.push(k);
        }
    }
    rows
}

fn entry_width(name: &str) -> f64 {
    44.0 + LETTER * name.chars().count() as f64
}

fn draw_legend(plot: &Plot, rows: &[Vec<usize>], left: f64, bottom: f64) -> String {
    let mut out = String::new();
    for (r, row) in rows.iter().enumerate() {
        let y = bottom - 18.0 * (rows.len() - r) as f64 + 4.0;
        let mut x = left;
        for &k in row {
            let name = &plot.curves[k].name;
            out.push_str(&format!(
                "<path d=\"M{x:.2} {y:.2}h22\" stroke=\"{}\" stroke-width=\"2\"{}/>\
                 <text x=\"{:.2}\" y=\"{:.2}\">{}</text>\n",
                color(k),
                dash(k),
                x + 28.0,
                y + 4.0,
                escape(name)
            ));
            x += entry_width(name);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, n: usize) -> Curve {
        let x: Vec<f64> = (0..n).map(|i| i as f64 / n as f64).collect();
        let y = x.iter().map(|t| (40.0 * t).sin()).collect();
        Curve { name: name.into(), x, y }
    }

    #[test]
    fn labels_carry_units_and_are_escaped() {
        let plot = Plot {
            title: "a < b".into(),
            y_label: "angle".into(),
            y_unit: "rad".into(),
            curves: vec![curve("q&1", 50), curve("q2", 50)],
            ..Plot::default()
        };
        let svg = svg_plot(&plot);
        for part in ["time [s]", "angle [rad]", "a &lt; b", "q&amp;1"] {
            assert!(svg.contains(part), "{part}");
        }
        assert_eq!(svg.matches(COLORS[0]).count(), 2);
    }

    #[test]
    fn a_million_points_make_a_small_file() {
        let svg = svg_plot(&Plot { curves: vec![curve("", 1_000_000)], ..Plot::default() });
        assert!(svg.len() < 60_000, "{}", svg.len());
    }

    #[test]
    fn curves_stay_inside_the_frame() {
        let frame =
            Frame { left: 10.0, top: 20.0, right: 110.0, bottom: 70.0, x: (0.0, 1.0), y: (-1.0, 1.0) };
        assert_eq!(path(&[(0.0, -1.0), (1.0, 1.0)], &frame), "M10.00 70.00L110.00 20.00");
        assert_eq!(path(&[(0.0, 0.0), (0.5, f64::NAN), (1.0, 0.0)], &frame), "M10.00 45.00M110.00 45.00");
    }

    #[test]
    fn nothing_and_nonsense_still_make_a_figure() {
        let nan = Curve { name: "x".into(), x: vec![0.0, f64::NAN], y: vec![f64::INFINITY, 1.0] };
        for curves in [vec![], vec![nan], vec![curve("one", 1)]] {
            let svg = svg_plot(&Plot { curves, width: f64::NAN.max(0.0), ..Plot::default() });
            assert!(svg.starts_with("<svg") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }

    #[test]
    fn many_names_wrap() {
        let curves = (0..20).map(|k| curve(&format!("coordinate_{k}"), 5)).collect();
        let plot = Plot { curves, ..Plot::default() };
        let rows = legend_rows(&plot, 600.0);
        assert!(rows.len() > 3 && rows.iter().map(Vec::len).sum::<usize>() == 20);
        assert!(svg_plot(&plot).contains("stroke-dasharray"));
    }
}
