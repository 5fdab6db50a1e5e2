//! A report as compact JSON: the part of the page that scripts read.
//!
//! Arrays over time become base64 text of little-endian numbers, `{"f64": "…"}` or `{"f32": "…"}`. Plots are thinned
//! with their extremes kept ([`min_max_together`]), frames of the 3D view evenly in time ([`even_frames`]), so that
//! the page stays within a few tens of megabytes however long the run was. A track that never changes is
//! stored once.

use serde_json::{Value, json};

use crate::bounds::{held, scene_bounds, shape_bounds};
use crate::decimate::{even_frames, min_max_together};
use crate::length_unit::unit_for;
use crate::panels::panels;
use crate::report::Report;
use crate::scene::{BodyTrack, Link, LinkKind, Scene, Trace};

/// Values of all plots together, beyond which samples are thinned.
const PLOT_VALUES: usize = 1_000_000;
/// Values of all plots together, up to which they are stored in double precision.
const DOUBLE_VALUES: usize = 500_000;
/// Samples that a plot keeps at least.
const LEAST_SAMPLES: usize = 4_000;
/// Poses of all bodies together, beyond which frames are thinned.
const POSES: usize = 200_000;
/// Frames kept at least and at most.
const FRAMES: (usize, usize) = (600, 6_000);

/// The page's data.
pub fn pack(report: &Report) -> Value {
    let energy = &report.energy;
    let curves: Vec<&[f64]> = (report.series.iter().map(|s| s.values.as_slice()))
        .chain(energy.rows.iter().map(|r| r.values.as_slice()))
        .chain([energy.residual.as_slice()])
        .collect();
    let limit = (PLOT_VALUES / curves.len()).max(LEAST_SAMPLES);
    let (time, thinned) = min_max_together(finite(&report.time), &curves, limit);
    let double = time.len() * curves.len() <= DOUBLE_VALUES;
    let mut arrays = thinned.iter().map(|values| if double { f64s(values) } else { f32s(values) });
    let mut next = || arrays.next().unwrap_or(Value::Null);

    let series: Vec<Value> = (report.series.iter())
        .map(|s| {
            json!({"name": s.name, "unit": s.unit, "description": s.description, "group": s.group,
                   "steps": s.steps, "values": next()})
        })
        .collect();
    let rows: Vec<Value> =
        energy.rows.iter().map(|r| json!({"name": r.name, "kind": r.kind, "values": next()})).collect();
    let panels: Vec<Value> = (panels(&report.series).into_iter())
        .map(|p| json!({"title": p.title, "unit": p.unit, "curves": p.members}))
        .collect();
    let unit = if energy.unit.is_empty() { "J" } else { &energy.unit };
    json!({
        "time": f64s(&time),
        "samples": report.time.len(),
        "series": series,
        "panels": panels,
        "energy": {"unit": unit, "rows": rows, "residual": next(), "audited": !energy.residual.is_empty()},
        "chapters": (!report.chapters.chapters.is_empty()).then_some(&report.chapters),
        "scene": pack_scene(&report.scene),
    })
}

fn pack_scene(scene: &Scene) -> Value {
    let limit = (POSES / scene.bodies.len().max(1)).clamp(FRAMES.0, FRAMES.1);
    let still = [0.0];
    let times = if finite(&scene.times).is_empty() { &still[..] } else { finite(&scene.times) };
    let frames = even_frames(times, limit);
    let kept: Vec<f64> = frames.iter().map(|&f| times[f]).collect();
    let bounds = scene_bounds(scene, &frames);
    let unit = bounds.as_ref().map_or(1.0, unit_for);
    let scene = &*scene.measured_in(unit);
    let bounds = bounds.map(|b| b.measured_in(unit)).map(|b| json!({"low": b.low, "high": b.high}));
    let up = if scene.up.iter().all(|c| c.is_finite()) && scene.up != [0.0; 3] {
        scene.up
    } else {
        [0.0, 0.0, 1.0]
    };
    json!({
        "times": f64s(&kept),
        "bodies": scene.bodies.iter().map(|b| pack_body(b, &frames)).collect::<Vec<_>>(),
        "links": scene.links.iter().map(|l| pack_link(l, &frames)).collect::<Vec<_>>(),
        "traces": scene.traces.iter().map(|t| pack_trace(t, &frames)).collect::<Vec<_>>(),
        "ground": scene.ground,
        "groundHeight": scene.ground_height,
        "up": up,
        "bounds": bounds,
        "unit": unit,
    })
}

fn pack_body(body: &BodyTrack, frames: &[usize]) -> Value {
    let shapes: Vec<_> = body.shapes.iter().filter(|s| shape_bounds(s).is_some()).collect();
    json!({
        "name": body.name, "description": body.description, "facts": body.facts, "shapes": shapes,
        "positions": track(&body.positions, frames), "quaternions": track(&body.quaternions, frames),
    })
}

/// A link by its ends; an arrow by its beginning and the way to its tip, which single precision could not tell from its beginning far away.
fn pack_link(link: &Link, frames: &[usize]) -> Value {
    let to = match link.kind {
        LinkKind::Force | LinkKind::Torque => &way(link),
        LinkKind::Spring | LinkKind::Damper | LinkKind::Line => &link.to,
    };
    json!({
        "name": link.name, "description": link.description, "kind": link.kind, "color": link.color,
        "from": track(&link.from, frames), "to": track(to, frames),
    })
}

/// From the first end to the second, per frame.
fn way(link: &Link) -> Vec<[f64; 3]> {
    let ends = |f: usize| Some((held(&link.from, f)?, held(&link.to, f)?));
    let way = |(a, b): ([f64; 3], [f64; 3])| std::array::from_fn(|i| b[i] - a[i]);
    (0..link.from.len().max(link.to.len())).filter_map(|f| ends(f).map(way)).collect()
}

fn pack_trace(trace: &Trace, frames: &[usize]) -> Value {
    json!({"name": trace.name, "color": trace.color, "points": track(&trace.points, frames)})
}

/// Times up to the first that is not finite: what follows has no place on an axis.
fn finite(times: &[f64]) -> &[f64] {
    let end = times.iter().position(|t| !t.is_finite()).unwrap_or(times.len());
    &times[..end]
}

/// A track at the given frames in single precision; one sample if it never changes.
fn track<const N: usize>(track: &[[f64; N]], frames: &[usize]) -> Value {
    let samples: Vec<[f64; N]> = if track.windows(2).all(|w| w[0] == w[1]) {
        track.first().copied().into_iter().collect()
    } else {
        frames.iter().filter_map(|&f| held(track, f)).collect()
    };
    f32s(samples.as_flattened())
}

pub(crate) fn f64s(values: &[f64]) -> Value {
    json!({"f64": base64(values.iter().flat_map(|v| v.to_le_bytes()))})
}

pub(crate) fn f32s(values: &[f64]) -> Value {
    json!({"f32": base64(values.iter().flat_map(|v| (*v as f32).to_le_bytes()))})
}

/// Bytes as base64 with the alphabet and padding of RFC 4648, section 4.
pub fn base64(bytes: impl IntoIterator<Item = u8>) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = bytes.into_iter();
    let mut out = String::new();
    while let Some(first) = bytes.next() {
        let (second, third) = (bytes.next(), bytes.next());
        let group =
            u32::from(first) << 16 | u32::from(second.unwrap_or(0)) << 8 | u32::from(third.unwrap_or(0));
        let kept = 2 + usize::from(second.is_some()) + usize::from(third.is_some());
        for k in 0..4 {
            let digit = (group >> (18 - 6 * k) & 63) as usize;
            out.push(if k < kept { ALPHABET[digit] as char } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Series;
    use crate::scene::{Pose, Shape, Solid};

    #[test]
    fn base64_matches_the_standards_examples() {
        for (text, code) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(text.bytes()), code);
        }
        assert_eq!(f64s(&[1.0]), json!({"f64": "AAAAAAAA8D8="}));
    }

    /// An arrow of a quarter of a metre in an orbit: its ends are the same number in single precision.
    #[test]
    fn arrows_keep_their_way_far_from_the_origin() {
        let from = vec![[7e6, 0.0, 0.0], [0.0, 7e6, 0.0]];
        let to: Vec<[f64; 3]> = from.iter().map(|p| [p[0] + 0.25, p[1], p[2] + 0.5]).collect();
        let link = |kind| Link { kind, from: from.clone(), to: to.clone(), ..Link::default() };
        let way = track(&[[0.25, 0.0, 0.5]], &[0, 1]);
        assert_eq!(pack_link(&link(LinkKind::Force), &[0, 1])["to"], way);
        assert_eq!(pack_link(&link(LinkKind::Torque), &[0, 1])["to"], way);
        assert_eq!(pack_link(&link(LinkKind::Spring), &[0, 1])["to"], track(&to, &[0, 1]));
    }

    #[test]
    fn an_empty_report_packs() {
        let value = pack(&Report::default());
        assert_eq!(value["series"], json!([]));
        assert_eq!(value["scene"]["bounds"], Value::Null);
    }

    #[test]
    fn a_long_run_stays_small() {
        let n = 100_000;
        let time: Vec<f64> = (0..n).map(|i| i as f64 * 1e-3).collect();
        let series = (0..40).map(|k| Series {
            values: time.iter().map(|t| (t * k as f64).sin()).collect(),
            ..Series::default()
        });
        let body =
            BodyTrack { positions: time.iter().map(|t| [*t, 0.0, 0.0]).collect(), ..BodyTrack::default() };
        let report = Report {
            series: series.collect(),
            scene: Scene { times: time.clone(), bodies: vec![body; 200], ..Scene::default() },
            time,
            ..Report::default()
        };
        let size = pack(&report).to_string().len();
        assert!(size > 1_000_000 && size < 20_000_000, "{size} bytes");
    }

    #[test]
    fn times_end_where_they_stop_being_numbers() {
        assert_eq!(finite(&[0.0, 1.0, f64::NAN, 3.0]), [0.0, 1.0]);
        let report = Report { time: vec![0.0, f64::INFINITY], ..Report::default() };
        assert_eq!(pack(&report)["time"], f64s(&[0.0]));
    }

    #[test]
    fn a_resting_body_is_stored_once_and_bad_shapes_are_dropped() {
        let body = BodyTrack {
            positions: vec![[1.0, 0.0, 0.0]; 50],
            shapes: vec![Shape::new(Solid::Sphere { radius: f64::NAN }, Pose::default())],
            ..BodyTrack::default()
        };
        let packed = pack_body(&body, &(0..50).collect::<Vec<_>>());
        assert_eq!(packed["positions"]["f32"].as_str().map(str::len), Some(16));
        assert_eq!(packed["shapes"], json!([]));
    }
}
