//! What must hold for any text and any numbers.

use cardan_viewer::bounds::{Bounds, shape_bounds};
use cardan_viewer::decimate::{even_frames, min_max, min_max_together};
use cardan_viewer::page::markup::{allow, escape};
use cardan_viewer::ticks::nice_ticks;
use cardan_viewer::{
    BodyOutline, Curve, EquationBlock, Notice, Plot, Pose, Report, Shape, Solid, default_shapes, render_page,
    svg_plot,
};
use proptest::prelude::*;

/// Pieces of which hostile markup is made.
fn markup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<"),
        Just(">"),
        Just("/"),
        Just("\""),
        Just("'"),
        Just("="),
        Just(" "),
        Just("&"),
        Just("script"),
        Just("mi"),
        Just("math"),
        Just("class"),
        Just("onclick"),
        Just("style"),
        Just("<mi class=\""),
        Just("</mi>"),
        Just("<!--"),
        Just("]]>"),
        Just("é"),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Numbers of all sizes, and what is not a number.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![8 => -10.0..10.0, 2 => any::<f64>(), 1 => Just(f64::NAN), 1 => Just(f64::INFINITY)]
}

fn vector() -> impl Strategy<Value = [f64; 3]> {
    [any_number(), any_number(), any_number()]
}

/// Reads `html` as a browser would and returns every element's name with its attributes' names.
fn tags(html: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let mut quote = None;
        let end = rest.char_indices().find(|(_, c)| match quote {
            Some(q) => {
                if *c == q {
                    quote = None;
                }
                false
            }
            None => {
                if *c == '"' || *c == '\'' {
                    quote = Some(*c);
                }
                *c == '>'
            }
        });
        let end = end.map_or(rest.len(), |(i, _)| i);
        let mut outside = String::new();
        for (k, part) in rest[..end].split('"').enumerate() {
            if k % 2 == 0 {
                outside.push_str(part);
            }
        }
        let mut words =
            outside.split_whitespace().map(|w| w.trim_matches(|c| c == '/' || c == '=').to_string());
        if let Some(name) = words.next() {
            found.push((name, words.filter(|w| !w.is_empty()).collect()));
        }
        rest = &rest[end..];
    }
    found
}

proptest! {
    #[test]
    fn only_listed_markup_passes(text in markup()) {
        for (name, attributes) in tags(&allow(&text)) {
            prop_assert!(name == "mi" || name == "math", "{name} passed in {}", allow(&text));
            prop_assert!(attributes.iter().all(|a| a == "class"), "{attributes:?} passed in {}", allow(&text));
        }
    }

    #[test]
    fn cleaning_twice_changes_nothing(text in markup()) {
        let once = allow(&text);
        prop_assert_eq!(allow(&once), once.clone());
    }

    #[test]
    fn escaped_text_has_no_tags(text in ".*") {
        prop_assert!(!escape(&text).contains(['<', '>', '"', '\'']));
    }

    #[test]
    fn no_text_opens_or_closes_a_script(text in markup()) {
        let report = Report {
            title: text.clone(),
            model_text: text.clone(),
            warnings: vec![Notice { message: text.clone(), detail: text.clone(), ..Notice::default() }],
            equations: vec![EquationBlock { title: text.clone(), html: text }],
            ..Report::default()
        };
        let page = render_page(&report);
        prop_assert_eq!(page.matches("<script").count(), 3);
        prop_assert_eq!(page.matches("</script").count(), 3);
    }

    #[test]
    fn thinning_keeps_extremes_and_order(y in prop::collection::vec(any_number(), 0..500), limit in 0usize..100) {
        let x: Vec<f64> = (0..y.len()).map(|i| i as f64).collect();
        let kept = min_max(&x, &y, limit);
        prop_assert!(kept.len() <= limit.max(4));
        prop_assert!(kept.windows(2).all(|w| w[0].0 < w[1].0));
        let finite = |v: &f64| v.is_finite();
        let peak = |v: &mut dyn Iterator<Item = f64>| v.filter(finite).fold(f64::NEG_INFINITY, f64::max);
        prop_assert_eq!(peak(&mut kept.iter().map(|p| p.1)), peak(&mut y.iter().copied()));
        let (time, curves) = min_max_together(&x, &[&y], limit);
        prop_assert!(time.len() <= limit.max(4) && curves[0].len() == time.len());
        prop_assert_eq!(peak(&mut curves[0].iter().copied()), peak(&mut y.iter().copied()));
    }

    #[test]
    fn frames_are_few_and_increasing(steps in prop::collection::vec(0.0..1.0, 0..400), limit in 0usize..50) {
        let times: Vec<f64> = steps.iter().scan(0.0, |t, s| { *t += s * s * s; Some(*t) }).collect();
        let kept = even_frames(&times, limit);
        prop_assert!(kept.len() <= limit.max(2) && kept.windows(2).all(|w| w[0] < w[1]));
        prop_assert_eq!(kept.last().copied(), times.len().checked_sub(1));
    }

    #[test]
    fn ticks_lie_within_and_are_few(low in any_number(), width in any_number(), count in 1usize..12) {
        let ticks = nice_ticks(low, low + width, count);
        prop_assert!(!ticks.at.is_empty() && ticks.at.len() <= count.max(3) + 2, "{:?}", ticks);
        prop_assert!(ticks.at.iter().all(|t| t.is_finite()));
    }

    #[test]
    fn any_curve_makes_a_figure(x in prop::collection::vec(any_number(), 0..40), y in prop::collection::vec(any_number(), 0..40)) {
        let svg = svg_plot(&Plot { curves: vec![Curve { name: "c".into(), x, y }], ..Plot::default() });
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn any_outline_makes_shapes_of_finite_size(
        center in prop::option::of(vector()),
        joint_points in prop::collection::vec(vector(), 0..4),
        extent in any_number(),
    ) {
        let outline = BodyOutline { mass_center: center, joint_points, ..BodyOutline::default() };
        let shapes = default_shapes(&outline, extent);
        prop_assert!(!shapes.is_empty());
        for shape in &shapes {
            prop_assert!(shape_bounds(shape).is_some_and(|b| b.low.iter().chain(&b.high).all(|c| c.is_finite())), "{:?}", shape);
        }
    }

    #[test]
    fn a_turned_box_keeps_its_middle_and_diagonal_bound(axis in [-1.0..1.0, -1.0..1.0, -1.0..1.0f64], size in [0.1..2.0, 0.1..2.0, 0.1..2.0f64]) {
        let Bounds { low, high } = shape_bounds(&Shape::new(Solid::Box { size }, Pose::along([1.0, 2.0, 3.0], axis))).unwrap();
        let diagonal = size.iter().map(|s| s * s).sum::<f64>().sqrt();
        for (k, middle) in [1.0, 2.0, 3.0].into_iter().enumerate() {
            prop_assert!((0.5 * (low[k] + high[k]) - middle).abs() < 1e-12);
            prop_assert!(high[k] - low[k] <= diagonal + 1e-12);
        }
    }
}
