//! Figures of a frequency response: Bode, Nyquist, Nichols, principal gains.

use std::f64::consts::{PI, TAU};

use cardan::analysis::{LinearSystem, Response};
use cardan::control::Complex;
use cardan_viewer::{AxisScale, Curve, CurveStyle, Plot, PlotFigure};

use crate::analyze::frequency::response::{decibel, ends, ratio};

/// More channels than this make a figure unreadable.
const MAX_CURVES: usize = 12;
const DEGREES: f64 = 180.0 / PI;

/// All figures of a response.
pub fn figures(system: &LinearSystem, found: &Response) -> Vec<PlotFigure> {
    let channels: Vec<Drawn> = (found.channels.iter().take(MAX_CURVES))
        .map(|channel| {
            let (from, to) = ends(&system.inputs, &system.outputs, channel);
            Drawn {
                name: format!("{} over {}", to.name, from.name),
                unit: ratio(to, from),
                polar: found.polar(channel),
                phase_crossovers: channel.margins.gain.iter().map(|m| m.frequency / TAU).collect(),
                gain_crossovers: channel.margins.phase.iter().map(|m| m.frequency / TAU).collect(),
            }
        })
        .collect();
    let f = &found.frequencies;
    let mut all = vec![gains(f, &channels), phases(f, &channels), nyquist(&channels), nichols(f, &channels)];
    let n = found.gains.first().map_or(0, Vec::len);
    if n > 1 {
        let curve = |k: usize| {
            let y = found.gains.iter().map(|g| decibel(g[k])).collect();
            Curve::line(format!("σ{}", k + 1), f.clone(), y)
        };
        all.push(PlotFigure {
            title: "Principal gains".into(),
            note: "singular values of G(iω) in SI units: the largest and the least gain over all directions"
                .into(),
            plot: Plot {
                y_label: "gain".into(),
                y_unit: "dB".into(),
                curves: (0..n).map(curve).collect(),
                ..over_frequency()
            },
        });
    }
    all
}

struct Drawn {
    name: String,
    unit: String,
    polar: Vec<(f64, f64)>,
    /// Where the phase is −180°, in Hz.
    phase_crossovers: Vec<f64>,
    /// Where the gain is one, in Hz.
    gain_crossovers: Vec<f64>,
}

impl Drawn {
    /// Gain and phase at a frequency within the range, between neighbours.
    fn at(&self, f: &[f64], at: f64) -> Option<(f64, f64)> {
        let k = f.partition_point(|x| *x < at);
        let (before, after) = (k.checked_sub(1)?, k);
        let (a, b) = (self.polar.get(before)?, self.polar.get(after)?);
        let along = (at / f[before]).ln() / (f[after] / f[before]).ln();
        let gain = (a.0.ln() + along * (b.0 / a.0).ln()).exp();
        Some((gain, a.1 + along * (b.1 - a.1)))
    }
    fn marks(&self, f: &[f64]) -> Vec<(f64, (f64, f64))> {
        let all = self.gain_crossovers.iter().chain(&self.phase_crossovers);
        all.filter_map(|x| Some((*x, self.at(f, *x)?))).collect()
    }
}

fn over_frequency() -> Plot {
    Plot {
        x_label: "frequency".into(),
        x_unit: "Hz".into(),
        x_scale: AxisScale::Logarithmic,
        ..Plot::default()
    }
}

/// A line through the whole range of frequencies.
fn level(f: &[f64], y: f64) -> Curve {
    let ends = f.first().into_iter().chain(f.last()).copied().collect();
    Curve::line("", ends, vec![y, y]).drawn(CurveStyle::Guide).colored(GREY)
}

/// The colour of lines that belong to no channel.
const GREY: usize = 4;

fn gains(f: &[f64], channels: &[Drawn]) -> PlotFigure {
    let mut curves = vec![];
    for (k, c) in channels.iter().enumerate() {
        let y = c.polar.iter().map(|p| decibel(p.0)).collect();
        curves.push(Curve::line(format!("{} [{}]", c.name, c.unit), f.to_vec(), y).colored(k));
        let (x, y) = c.marks(f).into_iter().map(|(x, (gain, _))| (x, decibel(gain))).unzip();
        curves.push(Curve::line("", x, y).drawn(CurveStyle::Circles).colored(k));
    }
    if channels.iter().any(|c| !c.gain_crossovers.is_empty()) {
        curves.push(level(f, 0.0));
    }
    PlotFigure {
        title: "Bode: gain".into(),
        note: "20 log₁₀ |G|, SI units; circles: crossovers of the gain 1 and of the phase −180°".into(),
        plot: Plot { y_label: "gain".into(), y_unit: "dB".into(), curves, ..over_frequency() },
    }
}

fn phases(f: &[f64], channels: &[Drawn]) -> PlotFigure {
    let mut curves = vec![];
    for (k, c) in channels.iter().enumerate() {
        let y = c.polar.iter().map(|p| p.1 * DEGREES).collect();
        curves.push(Curve::line(c.name.clone(), f.to_vec(), y).colored(k));
        let (x, y) = c.marks(f).into_iter().map(|(x, (_, phase))| (x, phase * DEGREES)).unzip();
        curves.push(Curve::line("", x, y).drawn(CurveStyle::Circles).colored(k));
    }
    PlotFigure {
        title: "Bode: phase".into(),
        note: "arg G, followed without jumps".into(),
        plot: Plot { y_label: "phase".into(), y_unit: "deg".into(), curves, ..over_frequency() },
    }
}

/// Nyquist's curves for positive frequencies, and broken lines for negative ones.
fn nyquist(channels: &[Drawn]) -> PlotFigure {
    let mut sizes: Vec<f64> =
        channels.iter().flat_map(|c| c.polar.iter().map(|p| p.0)).filter(|g| g.is_finite()).collect();
    sizes.sort_by(f64::total_cmp);
    let usual = sizes.get(sizes.len() * 9 / 10).copied().unwrap_or(1.0);
    let largest = sizes.last().copied().unwrap_or(1.0);
    let crosses = channels.iter().any(|c| !c.gain_crossovers.is_empty());
    // A loop is looked at near −1.
    let radius = match crosses {
        true => (1.1 * largest).clamp(1.5, 4.0),
        false => (1.1 * largest).min(4.0 * usual).max(f64::MIN_POSITIVE),
    };
    let mut curves = vec![];
    for (k, c) in channels.iter().enumerate() {
        let (x, y): (Vec<f64>, Vec<f64>) = c.polar.iter().map(|p| (p.0 * p.1.cos(), p.0 * p.1.sin())).unzip();
        let mirrored = y.iter().map(|y| -y).collect();
        curves.push(Curve::line(c.name.clone(), x.clone(), y).colored(k));
        curves.push(Curve::line("", x, mirrored).drawn(CurveStyle::Guide).colored(k));
    }
    if radius >= 1.0 {
        let (x, y) = (0..=120).map(|k| (TAU * f64::from(k) / 120.0).sin_cos()).map(|(s, c)| (c, s)).unzip();
        curves.push(Curve::line("", x, y).drawn(CurveStyle::Guide).colored(GREY));
        curves.push(Curve::line("−1", vec![-1.0], vec![0.0]).drawn(CurveStyle::Crosses).colored(GREY));
    }
    PlotFigure {
        title: "Nyquist".into(),
        note: "G(iω); broken: negative frequencies. Far parts are cut off".into(),
        plot: Plot {
            x_label: "real part".into(),
            x_unit: String::new(),
            y_label: "imaginary part".into(),
            x_range: Some((-1.25 * radius, 1.25 * radius)),
            y_range: Some((-radius, radius)),
            height: 560.0,
            curves,
            ..Plot::default()
        },
    }
}

/// Gain over phase, with the curves on which the closed loop has a gain of 3 and 6 dB.
fn nichols(f: &[f64], channels: &[Drawn]) -> PlotFigure {
    let mut curves = vec![];
    for (k, c) in channels.iter().enumerate() {
        let (x, y) = c.polar.iter().map(|p| (p.1 * DEGREES, decibel(p.0))).unzip();
        curves.push(Curve::line(c.name.clone(), x, y).colored(k));
        let (x, y) = c.marks(f).into_iter().map(|(_, (g, p))| (p * DEGREES, decibel(g))).unzip();
        curves.push(Curve::line("", x, y).drawn(CurveStyle::Circles).colored(k));
    }
    if channels.iter().any(|c| !c.gain_crossovers.is_empty()) {
        // |L/(1 + L)| = M is the circle about −M²/(M² − 1) with the radius M/(M² − 1).
        for m in [3.0, 6.0].map(|db: f64| 10f64.powf(db / 20.0)) {
            let (centre, radius) = (-m * m / (m * m - 1.0), m / (m * m - 1.0));
            let point = |k: i32| {
                let l = Complex::new(centre, 0.0) + Complex::from_polar(radius, TAU * f64::from(k) / 180.0);
                ((-l).arg() * DEGREES - 180.0, decibel(l.norm()))
            };
            let (x, y) = (0..=180).map(point).unzip();
            curves.push(Curve::line("", x, y).drawn(CurveStyle::Guide).colored(GREY));
        }
        curves.push(
            Curve::line("−180°, 0 dB", vec![-180.0], vec![0.0]).drawn(CurveStyle::Crosses).colored(GREY),
        );
    }
    PlotFigure {
        title: "Nichols".into(),
        note: "gain over phase; broken: closed loop gains of 3 and 6 dB".into(),
        plot: Plot {
            x_label: "phase".into(),
            x_unit: "deg".into(),
            y_label: "gain".into(),
            y_unit: "dB".into(),
            curves,
            ..Plot::default()
        },
    }
}
