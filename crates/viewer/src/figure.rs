//! A line plot as SVG, in black ink on white paper with muted colours, for print and documents.
//! Axes are linear or logarithmic; beside lines there are marks and coloured cells.

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
    /// How the abscissae are spaced.
    pub x_scale: AxisScale,
    /// How the ordinates are spaced.
    pub y_scale: AxisScale,
    /// The range of the abscissa; that of the curves if nothing.
    pub x_range: Option<(f64, f64)>,
    /// The range of the ordinate; that of the curves if nothing.
    pub y_range: Option<(f64, f64)>,
    /// Coloured cells behind the curves.
    pub cells: Vec<MapCell>,
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
            x_scale: AxisScale::default(),
            y_scale: AxisScale::default(),
            x_range: None,
            y_range: None,
            cells: Vec::new(),
            curves: Vec::new(),
            width: 720.0,
            height: 420.0,
        }
    }
}

/// How an axis is spaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AxisScale {
    /// Equal differences.
    #[default]
    Linear,
    /// Equal ratios; values that are not positive are gaps.
    Logarithmic,
}

impl AxisScale {
    fn place(self, value: f64) -> f64 {
        match self {
            AxisScale::Linear => value,
            AxisScale::Logarithmic => value.log10(),
        }
    }

    /// Places of ticks within a range of places, and their labels.
    fn ticks(self, (low, high): (f64, f64), count: usize) -> (Vec<f64>, Vec<String>) {
        let labelled = |at: Vec<f64>, step: f64| {
            let labels = at.iter().map(|t| label(*t, step)).collect::<Vec<_>>();
            (at, labels)
        };
        let (first, last) = ((low - 1e-9).ceil() as i32, (high + 1e-9).floor() as i32);
        match self {
            AxisScale::Logarithmic if last > first => {
                let every = last.abs_diff(first).div_ceil(count.max(3) as u32).max(1);
                let at: Vec<i32> =
                    (first..=last).filter(|k| k.unsigned_abs().is_multiple_of(every)).collect();
                (at.iter().map(|k| f64::from(*k)).collect(), at.iter().map(|k| power_of_ten(*k)).collect())
            }
            AxisScale::Logarithmic => {
                let ticks = nice_ticks(10f64.powf(low), 10f64.powf(high), count);
                let (at, labels) = labelled(ticks.at, ticks.step);
                (at.into_iter().map(f64::log10).collect(), labels)
            }
            AxisScale::Linear => {
                let ticks = nice_ticks(low, high, count);
                labelled(ticks.at, ticks.step)
            }
        }
    }
}

fn power_of_ten(k: i32) -> String {
    if (-3..=4).contains(&k) { format!("{}", 10f64.powi(k)) } else { format!("1e{k}") }
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CurveStyle {
    /// A line through the points.
    #[default]
    Line,
    /// A thin broken line.
    Guide,
    /// A cross at each point.
    Crosses,
    /// A circle at each point.
    Circles,
}

/// A coloured cell.
#[derive(Clone, Debug, PartialEq)]
pub struct MapCell {
    /// From and to, along the abscissa.
    pub x: (f64, f64),
    /// From and to, along the ordinate.
    pub y: (f64, f64),
    /// The place of its colour among those of the curves; it is drawn pale.
    pub color: usize,
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
    /// How it is drawn.
    pub style: CurveStyle,
    /// The place of its colour; its own place among the curves if nothing.
    pub color: Option<usize>,
}

impl Curve {
    /// A line through points.
    pub fn line(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Curve {
        Curve { name: name.into(), x, y, ..Curve::default() }
    }

    /// The curve in another style.
    pub fn drawn(self, style: CurveStyle) -> Curve {
        Curve { style, ..self }
    }

    /// The curve in the colour of another.
    pub fn colored(self, color: usize) -> Curve {
        Curve { color: Some(color), ..self }
    }
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
/// No pixel is farther away than this.
const FAR: f64 = 1e5;

/// The rectangle inside the axes and the ranges it shows.
struct Frame {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
    /// The range of places, logarithms on a logarithmic axis.
    x: (f64, f64),
    y: (f64, f64),
    scales: (AxisScale, AxisScale),
}

impl Frame {
    /// The pixel of a place on the abscissa.
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
    let (x_scale, y_scale) = (plot.x_scale, plot.y_scale);
    let points = || plot.curves.iter().flat_map(|c| c.x.iter().copied().zip(c.y.iter().copied()));
    let corners = || plot.cells.iter().flat_map(|c| [(c.x.0, c.y.0), (c.x.1, c.y.1)]);
    let all = || points().chain(corners());
    let given = |ends: (f64, f64), scale: AxisScale| widened(scale.place(ends.0), scale.place(ends.1));
    let x_range = match plot.x_range {
        Some(ends) => given(ends, x_scale),
        None => range(all().map(|(x, _)| x_scale.place(x)), 0.0),
    };
    let margin = if plot.cells.is_empty() { 0.05 } else { 0.0 };
    let y_range = match plot.y_range {
        Some(ends) => given(ends, y_scale),
        None => range(all().map(|(_, y)| y_scale.place(y)), margin),
    };
    let (y_at, y_labels) = y_scale.ticks(y_range, ((height - 90.0) / 48.0) as usize);
    let widest = y_labels.iter().map(|l| l.chars().count()).max().unwrap_or(0) as f64;
    let head = if plot.title.is_empty() { 12.0 } else { 34.0 } + 18.0 * legend.len() as f64;
    let frame = Frame {
        left: 34.0 + LETTER * widest + 8.0,
        top: head,
        right: width - 18.0,
        bottom: height - 50.0,
        x: x_range,
        y: y_range,
        scales: (x_scale, y_scale),
    };
    let (x_at, x_labels) = x_scale.ticks(x_range, ((frame.right - frame.left) / 80.0) as usize);

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" \
         fill=\"#222\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    let Frame { left, top, right, bottom, .. } = frame;
    svg.push_str(&format!(
        "<clipPath id=\"frame\"><rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{:.2}\" height=\"{:.2}\"/>\
         </clipPath>\n",
        right - left,
        bottom - top
    ));
    svg.push_str(&cells(plot, &frame));
    svg.push_str(&axes(&frame, &x_at, &x_labels, &y_at, &y_labels));
    svg.push_str(&captions(plot, &frame, width, height));
    svg.push_str("<g clip-path=\"url(#frame)\">\n");
    svg.push_str(&curves(plot, &frame));
    svg.push_str("</g>\n");
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

fn cells(plot: &Plot, frame: &Frame) -> String {
    let mut out = String::new();
    let (x_scale, y_scale) = frame.scales;
    for cell in &plot.cells {
        let x = [cell.x.0, cell.x.1].map(|x| frame.px(x_scale.place(x)));
        let y = [cell.y.0, cell.y.1].map(|y| frame.py(y_scale.place(y)));
        if x.iter().chain(&y).all(|p| drawable(*p)) {
            out.push_str(&format!(
                "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{}\" \
                 fill-opacity=\"0.28\" shape-rendering=\"crispEdges\"/>\n",
                x[0].min(x[1]),
                y[0].min(y[1]),
                (x[1] - x[0]).abs(),
                (y[1] - y[0]).abs(),
                color(cell.color)
            ));
        }
    }
    out
}

fn curves(plot: &Plot, frame: &Frame) -> String {
    let mut out = String::new();
    let (x_scale, y_scale) = frame.scales;
    for (k, curve) in plot.curves.iter().enumerate() {
        let k = curve.color.unwrap_or(k);
        let x: Vec<f64> = curve.x.iter().map(|x| x_scale.place(*x)).collect();
        let y: Vec<f64> = curve.y.iter().map(|y| y_scale.place(*y)).collect();
        let points = min_max(&x, &y, POINTS);
        let (d, look) = match curve.style {
            CurveStyle::Line => (path(&points, frame), format!("stroke-width=\"1.6\"{}", dash(k))),
            CurveStyle::Guide => (path(&points, frame), "stroke-width=\"1\" stroke-dasharray=\"4 3\"".into()),
            CurveStyle::Crosses | CurveStyle::Circles => {
                (marks(&points, frame, curve.style), "stroke-width=\"1.6\"".into())
            }
        };
        out.push_str(&format!(
            "<path d=\"{d}\" fill=\"none\" stroke=\"{}\" stroke-linejoin=\"round\" {look}/>\n",
            color(k)
        ));
    }
    out
}

/// A mark at each finite point.
fn marks(points: &[(f64, f64)], frame: &Frame, style: CurveStyle) -> String {
    let seen = points.iter().filter(|(x, y)| drawable(*x) && drawable(*y));
    seen.map(|(x, y)| mark(frame.px(*x), frame.py(*y), style)).collect()
}

fn mark(x: f64, y: f64, style: CurveStyle) -> String {
    match style {
        CurveStyle::Circles => format!("M{:.2} {y:.2}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", x - 4.0),
        _ => format!("M{:.2} {:.2}l8 8m0 -8l-8 8", x - 4.0, y - 4.0),
    }
}

/// Path commands through the finite points; a point that is not finite lifts the pen. Points far
/// outside the frame are drawn at its distance.
fn path(points: &[(f64, f64)], frame: &Frame) -> String {
    let mut out = String::with_capacity(points.len() * 14);
    let mut pen_down = false;
    for &(x, y) in points {
        if drawable(x) && drawable(y) {
            let command = if pen_down { 'L' } else { 'M' };
            let (x, y) = (frame.px(x).clamp(-FAR, FAR), frame.py(y).clamp(-FAR, FAR));
            out.push_str(&format!("{command}{x:.2} {y:.2}"));
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
    let named = plot.curves.iter().enumerate().filter(|(_, c)| !c.name.is_empty());
    let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
    let mut used = 0.0;
    for (k, curve) in named {
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
            let curve = &plot.curves[k];
            let (name, k) = (&curve.name, curve.color.unwrap_or(k));
            let (d, look) = match curve.style {
                CurveStyle::Line => (format!("M{x:.2} {y:.2}h22"), dash(k)),
                CurveStyle::Guide => (format!("M{x:.2} {y:.2}h22"), " stroke-dasharray=\"4 3\"".to_string()),
                CurveStyle::Crosses | CurveStyle::Circles => (mark(x + 11.0, y, curve.style), String::new()),
            };
            out.push_str(&format!(
                "<path d=\"{d}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{look}/>\
                 <text x=\"{:.2}\" y=\"{:.2}\">{}</text>\n",
                color(k),
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
        Curve::line(name, x, y)
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
        let frame = Frame {
            left: 10.0,
            top: 20.0,
            right: 110.0,
            bottom: 70.0,
            x: (0.0, 1.0),
            y: (-1.0, 1.0),
            scales: Default::default(),
        };
        assert_eq!(path(&[(0.0, -1.0), (1.0, 1.0)], &frame), "M10.00 70.00L110.00 20.00");
        assert_eq!(path(&[(0.0, 0.0), (0.5, f64::NAN), (1.0, 0.0)], &frame), "M10.00 45.00M110.00 45.00");
    }

    #[test]
    fn nothing_and_nonsense_still_make_a_figure() {
        let nan = Curve::line("x", vec![0.0, f64::NAN], vec![f64::INFINITY, 1.0]);
        for curves in [vec![], vec![nan], vec![curve("one", 1)]] {
            let svg = svg_plot(&Plot { curves, width: f64::NAN.max(0.0), ..Plot::default() });
            assert!(svg.starts_with("<svg") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }

    #[test]
    fn logarithmic_axes_have_decades() {
        let plot = Plot {
            x_scale: AxisScale::Logarithmic,
            curves: vec![Curve::line("", vec![0.0, 0.1, 1.0, 100.0], vec![0.0, 1.0, 2.0, 3.0])],
            cells: vec![MapCell { x: (0.1, 1.0), y: (0.0, 1.0), color: 2 }],
            ..Plot::default()
        };
        let svg = svg_plot(&plot);
        for text in [">0.1<", ">1<", ">10<", ">100<", "fill-opacity"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        assert_eq!(AxisScale::Logarithmic.ticks((0.1, 0.6), 4).1, ["2", "3"]);
        assert_eq!(
            AxisScale::Logarithmic.ticks((-8.0, 2.0), 5).1,
            ["1e-8", "1e-6", "1e-4", "0.01", "1", "100"]
        );
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
