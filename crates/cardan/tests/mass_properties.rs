//! Mass, mass centre and inertia from solids and densities, against quadrature over slices with 25 digits (mpmath), which
//! shares no formula with the program.

#![allow(clippy::excessive_precision, reason = "digits of the quadrature, as they were computed")]

use cardan::assembly::ParameterValues;
use cardan::prelude::*;

/// Solids in a body, and mass, centre, moments xx, yy, zz and products xy, xz, yz as they stand in the matrix.
#[rustfmt::skip]
const SOLIDS: &[(&str, [f64; 10])] = &[
    ("density = 1000 [kg/m^3]; shape box(size = (0.2, 0.1, 0.3) [m], at = (0.1, 0.2, 0.3) [m])",
     [6.0, 0.1, 0.2, 0.3, 0.05, 0.065, 0.025, 0.0, 0.0, 0.0]),
    ("density = 1000 [kg/m^3]; shape sphere(radius = 0.2 [m])",
     [33.510321638291128, 0.0, 0.0, 0.0, 0.53616514621265805, 0.53616514621265805, 0.53616514621265805, 0.0, 0.0, 0.0]),
    ("density = 1000 [kg/m^3]; shape ellipsoid(radii = (0.1, 0.2, 0.3) [m])",
     [25.132741228718346, 0.0, 0.0, 0.0, 0.65345127194667699, 0.50265482457436692, 0.25132741228718346, 0.0, 0.0, 0.0]),
    ("density = 1 [kg/l]; shape cylinder(radius = 0.1 [m], length = 0.5 [m], axis = x, at = (0, 0, 0.4) [m])",
     [15.707963267948966, 0.0, 0.0, 0.4, 0.078539816339744831, 0.36651914291880921, 0.36651914291880921, 0.0, 0.0, 0.0]),
    ("density = 1000 [kg/m^3]; shape capsule(radius = 0.1 [m], length = 0.4 [m], axis = (1, 1, 0))",
     [16.755160819145564, 0.0, 0.0, 0.0, 0.26284658535034603, 0.26284658535034603, 0.44610615680975064, -0.18325957145940461, 0.0, 0.0]),
    ("density = 1000 [kg/m^3]; shape cone(radius = 0.15 [m], length = 0.4 [m])",
     [9.4247779607693797, 0.0, 0.0, -0.1, 0.088357293382212935, 0.088357293382212935, 0.063617251235193313, 0.0, 0.0, 0.0]),
    ("density = 1000 [kg/m^3]; shape tube(radius = 0.1 [m], inner = 0.08 [m], length = 0.5 [m])",
     [5.6548667764616278, 0.0, 0.0, 0.0, 0.14099467829310992, 0.14099467829310992, 0.046369907566985348, 0.0, 0.0, 0.0]),
    ("density = 1000 [kg/m^3]; shape rod(to = (0.3, 0.4, 0) [m], radius = 2 [cm])",
     [0.62831853071795865, 0.15, 0.2, 0.0, 0.0084630317297504243, 0.0048154332194224351, 0.013152801243029268, -0.0062530260177051245, 0.0, 0.0]),
    ("density = 1000 [kg/m^3]; shape extrusion(polygon = ((0, 0), (0.3, 0), (0.3, 0.1), (0.1, 0.1), (0.1, 0.3), (0, 0.3)) [m], length = 0.5 [m])",
     [25.0, 0.11, 0.11, 0.0, 0.70166666666666667, 0.70166666666666667, 0.36166666666666667, 0.09, 0.0, 0.0]),
    // The same corners with the clock.
    ("density = 1000 [kg/m^3]; shape extrusion(polygon = ((0, 0), (0, 40), (30, 0)) [cm], length = 20 [cm])",
     [12.0, 0.1, 0.133_333_333_333_333_33, 0.0, 0.14666666666666667, 0.1, 0.16666666666666667, 0.04, 0.0, 0.0]),
    ("density = 1000 [kg/m^3]; shape revolution(profile = ((0.05, 0), (0.2, 0), (0.1, 0.3), (0.05, 0.3)) [m])",
     [19.634954084936208, 0.0, 0.0, 0.114, 0.27113908095888409, 0.27113908095888409, 0.28922287367111034, 0.0, 0.0, 0.0]),
    ("density = 1000 [kg/m^3]; shape difference(box(size = (0.4, 0.3, 0.05) [m]), cylinder(radius = r, length = 0.05 [m], at = (0.1, 0.05, 0) [m]))",
     [5.6073009183012758, -0.0070033530823541356, -0.0035016765411770678, 0.0, 0.044872247802897943, 0.076720738915838582, 0.11925661133611099, 0.0021010059247062407, 0.0, 0.0]),
    ("density = 7850 [kg/m^3]; shape union(sphere(radius = 0.1 [m], at = (0, 0, 0.5) [m]), sphere(radius = 0.1 [m], at = (0, 0, -0.4) [m])); \
      shape cylinder(radius = 3 [cm], length = 0.7 [m], at = (0, 0, 0.05) [m], density = 2700 [kg/m^3])",
     [71.107855318902577, 0.0, 0.0, 0.05, 13.799676821212777, 13.799676821212777, 0.26546075695727566, 0.0, 0.0, 0.0]),
];

/// Mass, centre and inertia of the one body of a model.
fn weighed(text: &str) -> [f64; 10] {
    let text = format!("parameter r = 5 [cm]\nbody b on N by free {{ {text} }}");
    let model = resolve(parse("solid.mbs", &text)).into_model().unwrap_or_else(|e| panic!("{text}\n{e}"));
    let values = ParameterValues::of(&model);
    let (_, body) = model.bodies.iter().next().unwrap();
    let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] = body.inertia;
    let [x, y, z] = body.center;
    [body.mass, x, y, z, xx, yy, zz, xy, xz, yz].map(|e| values.evaluate(&model, e))
}

#[test]
fn solids_weigh_what_they_weigh() {
    for (text, expected) in SOLIDS {
        let found = weighed(text);
        for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
            // Products of inertia are written as they stand in the matrix: minus the deviation moments.
            let scale = expected.abs().max(1e-2);
            assert!((found - expected).abs() < 1e-12 * scale, "{text}: {k} is {found}, expected {expected}");
        }
    }
}

#[test]
fn what_the_text_gives_is_kept() {
    let cylinder = "density = 1000 [kg/m^3]; shape cylinder(radius = 0.1 [m], length = 0.5 [m])";
    let own = weighed(cylinder);
    let heavier = weighed(&format!("mass = 31.415926535897932 [kg]; {cylinder}"));
    assert!((heavier[0] - 2.0 * own[0]).abs() < 1e-12 && (heavier[4] - 2.0 * own[4]).abs() < 1e-12);
    let moved = weighed(&format!("center = (0, 0, 1) [m]; inertia.zz = 3 [kg*m^2]; {cylinder}"));
    assert_eq!((moved[0], moved[3], moved[6]), (own[0], 1.0, 3.0));
}

#[test]
fn solids_that_make_no_sense_are_refused() {
    let cases = [
        ("density = 7850 [kg/m^3]", "a density needs a solid"),
        ("density = 7850 [kg]; shape sphere(radius = 1 [m])", "this density"),
        (
            "density = 1 [kg/l]; shape difference(sphere(radius = 1 [m]), sphere(radius = 2 [m]))",
            "weigh nothing",
        ),
        ("density = 1 [kg/l]; shape difference(3)", "not a solid"),
        (
            "density = 1 [kg/l]; shape extrusion(polygon = ((0, 0), (1, 1), (2, 2)) [m], length = 1 [m])",
            "no area",
        ),
        ("density = 1 [kg/l]; shape extrusion(polygon = (0, 0, 1) [m], length = 1 [m])", "pairs of lengths"),
        ("shape tub(radius = 1 [m], inner = 1 [m], length = 1 [m])", "write `tube`"),
    ];
    for (text, expected) in cases {
        let text = format!("body b on N by free {{ {text} }}");
        let said = resolve(parse("solid.mbs", &text)).into_model().unwrap_err().to_string();
        assert!(said.contains(expected), "{text}\n{said}");
    }
}

/// A ball as a surface of `2 n (m - 1)` triangles, in millimetres, as OBJ.
fn ball(n: usize, m: usize, radius: f64) -> String {
    use std::f64::consts::{PI, TAU};
    let mut text = format!("# a ball\nv 0 0 {radius}\n");
    for i in 1..m {
        for k in 0..n {
            let (a, b) = (PI * i as f64 / m as f64, TAU * k as f64 / n as f64);
            let (x, y, z) = (radius * a.sin() * b.cos(), radius * a.sin() * b.sin(), radius * a.cos());
            text += &format!("v {x:.12} {y:.12} {z:.12}\n");
        }
    }
    text += &format!("v 0 0 {}\n", -radius);
    let at = |i: usize, k: usize| 2 + (i - 1) * n + k % n;
    for k in 0..n {
        text += &format!("f 1 {} {}\n", at(1, k), at(1, k + 1));
        for i in 1..m - 1 {
            text += &format!(
                "f {}//1 {}//1 {}//1 {}//1\n",
                at(i, k),
                at(i + 1, k),
                at(i + 1, k + 1),
                at(i, k + 1)
            );
        }
        text += &format!("f {} {} {}\n", at(m - 1, k), 2 + (m - 1) * n, at(m - 1, k + 1));
    }
    text
}

/// Mass, centre and inertia of a body whose surface stands in a file.
fn meshed(shape: &str, file: &str) -> Result<[f64; 10], String> {
    let text = format!("body b on N by free {{ density = 1000 [kg/m^3]; shape {shape} }}");
    let mut read =
        |wanted: &str, _: &str| Ok(cardan::expand::Found { name: wanted.to_owned(), text: file.to_owned() });
    let settings = cardan::expand::Settings::default();
    let parsed = cardan::expand_with(parse("solid.mbs", &text), &settings, &mut read);
    let model = resolve(parsed).into_model().map_err(|e| e.to_string())?;
    let values = ParameterValues::of(&model);
    let (_, body) = model.bodies.iter().next().unwrap();
    let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] = body.inertia;
    let [x, y, z] = body.center;
    Ok([body.mass, x, y, z, xx, yy, zz, xy, xz, yz].map(|e| values.evaluate(&model, e)))
}

#[test]
fn meshes_weigh_what_their_surface_encloses() {
    // 5,000 triangles. The error of a mesh falls with the square of the size of its triangles.
    let error = |n: usize, m: usize| {
        let found =
            meshed("mesh(\"ball.obj\", unit = \"mm\", at = (1, 0, 0) [m])", &ball(n, m, 200.0)).unwrap();
        let mass = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.008;
        assert!((found[1] - 1.0).abs() < 1e-9, "{found:?}");
        [found[0] / mass - 1.0, found[6] / (0.4 * mass * 0.04) - 1.0]
    };
    let (coarse, fine) = (error(25, 26), error(50, 51));
    for k in 0..2 {
        assert!(fine[k].abs() < 8e-3 && (coarse[k] / fine[k] - 4.0).abs() < 0.2, "{coarse:?} {fine:?}");
    }
}

#[test]
fn a_tetrahedron_in_stl_is_exact() {
    let corners = [[0, 0, 0], [6, 0, 0], [0, 6, 0], [0, 0, 6]];
    let facet = |t: [usize; 3]| {
        let vertex = |k: usize| format!("vertex {} {} {}\n", corners[k][0], corners[k][1], corners[k][2]);
        format!(
            "facet normal 0 0 0\nouter loop\n{}{}{}endloop\nendfacet\n",
            vertex(t[0]),
            vertex(t[1]),
            vertex(t[2])
        )
    };
    let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(facet);
    let whole = format!("solid t\n{}endsolid t\n", faces.concat());
    let shape = "mesh(\"t.stl\", unit = \"dm\")";
    let found = meshed(shape, &whole).unwrap();
    // V = a³/6, centroid a/4, moments about it 3/80 (b² + c²) m, products -(-a²/80) m in the matrix: + m a²/80.
    let m = 36.0;
    let expected = [m, 0.15, 0.15, 0.15, m * 0.027, m * 0.027, m * 0.027, m * 0.0045, m * 0.0045, m * 0.0045];
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    let open = format!("solid t\n{}endsolid t\n", faces[..3].concat());
    assert!(meshed(shape, &open).unwrap_err().contains("not closed"));
    assert!(meshed(shape, "solid t\nvertex 1 2 x\n").unwrap_err().contains("line 2 of `t.stl`"));
    assert!(meshed("mesh(\"t.obj\")", "v 0 0 0\nf 1 2 3\n").unwrap_err().contains("line 2"));
    assert!(meshed("mesh(\"t.obj\")", "").unwrap_err().contains("no triangles"));
}
