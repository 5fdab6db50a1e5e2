//! The model remembers the joints between bodies and the elements, whatever tree was chosen.

use cardan_lang::compile_text;
use cardan_model::{ElementEnds, ElementKind, ElementPart, Model};

fn model(text: &str) -> Model {
    let compiled = compile_text("graph.mbs", text);
    compiled.model.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics))
}

const FOUR_BAR: &str = "model four_bar
body crank { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; point tip = (1, 0, 0) [m] }
body coupler { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; point tip = (3, 0, 0) [m] }
body rocker { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; point tip = (2, 0, 0) [m] }
joint A between N.o and crank.o by revolute(z, q = phi)
joint B between crank.tip and coupler.o by revolute(z)
joint C between rocker.tip and coupler.tip by revolute(z)
joint D between N(3, 0, 0) [m] and rocker.o by revolute(z)
";

/// Name, kind, bodies and whether it is cut, of each joint.
fn edges(model: &Model) -> Vec<(String, String, [String; 2], bool)> {
    let name = |f| model.space.frame(f).name.clone();
    let edges = model.graph();
    edges.iter().map(|e| (e.name.clone(), model.edge_kind(e), e.frames().map(name), e.is_cut())).collect()
}

#[test]
fn every_tree_has_the_same_joints() {
    for cut in ["A", "B", "C", "D"] {
        let model = model(&format!("{FOUR_BAR}cut {cut}\n"));
        let found = edges(&model);
        let expected = [
            ("A", "N", "crank"),
            ("B", "crank", "coupler"),
            ("C", "rocker", "coupler"),
            ("D", "N", "rocker"),
        ];
        assert_eq!(found.len(), 4, "{found:?}");
        for ((name, kind, ends, is_cut), (joint, first, second)) in found.iter().zip(expected) {
            assert_eq!((name.as_str(), kind.as_str()), (joint, "revolute"), "{found:?}");
            assert_eq!(*ends, [first.to_string(), second.to_string()], "{name}, cut {cut}");
            assert_eq!(*is_cut, joint == cut, "{name}, cut {cut}");
        }
    }
}

/// The markers are those of the text, also where the joint is seen from its second body.
#[test]
fn markers_stand_where_the_text_says() {
    for cut in ["A", "B", "C"] {
        let model = model(&format!("{FOUR_BAR}cut {cut}\n"));
        let pool = model.space.pool();
        let edges = model.graph();
        let at = |k: usize, end: usize| {
            edges[k].ends[end].point.coordinates.map(|c| pool.evaluate(c, &|_| f64::NAN))
        };
        assert_eq!(at(1, 0), [1.0, 0.0, 0.0], "cut {cut}");
        assert_eq!(at(2, 0), [2.0, 0.0, 0.0], "cut {cut}");
        assert_eq!(at(2, 1), [3.0, 0.0, 0.0], "cut {cut}");
        assert_eq!(at(3, 0), [3.0, 0.0, 0.0], "cut {cut}");
    }
}

/// A joint that is cut and keeps its coordinates is one joint between two bodies.
#[test]
fn a_cut_joint_with_coordinates_is_one_edge() {
    let text = FOUR_BAR.replace("by revolute(z)\njoint D", "by revolute(z, q = psi)\njoint D");
    let model = model(&format!("{text}cut C\noutput angle = psi\n"));
    let found = edges(&model);
    let names: Vec<&str> = found.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["A", "B", "C", "D"], "{found:?}");
    let edges = model.graph();
    assert_eq!(found[2].2, ["rocker".to_string(), "coupler".to_string()]);
    assert!(edges[2].is_cut() && edges[2].joint.is_some());
    let [q] = model.edge_coordinates(&edges[2]) else { panic!("{found:?}") };
    assert_eq!(model.coordinates[*q].quantity.name, "psi");
}

const CART: &str = "model cart
parameter k = 100 [N/m]
body cart on N by prismatic(x, q = s) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
body arm on cart by revolute(y, q = phi) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
spring_damper strut \"a strut\" between cart.o and N(2, 0, 0) [m] { stiffness = k; damping = 3 [N*s/m]; length = 1 [m] }
torsion_damper hinge on arm from cart { damping = 2 [N*m*s/rad] }
bushing mount between cart.o and N.o { stiffness = (1, 2, 3) [N/m]; damping = 4 [N*s/m] }
limit reach on phi { lower = -1 [rad]; upper = 1 [rad] }
stop bump on s { upper = 2 [m]; stiffness = 1000 [N/m]; damping = 5 [N*s/m] }
motion drive on s = 0.1 [m] * sin(2 [rad/s]*t)
";

#[test]
fn elements_are_remembered_with_what_they_exert() {
    let model = model(CART);
    let kinds: Vec<ElementKind> = model.elements.iter().map(|(_, e)| e.kind).collect();
    let expected = [
        ElementKind::SpringDamper,
        ElementKind::TorsionDamper,
        ElementKind::Bushing,
        ElementKind::Limit,
        ElementKind::Stop,
        ElementKind::Motion,
    ];
    assert_eq!(kinds, expected);
    let all: Vec<_> = model.elements.iter().map(|(_, e)| e).collect();
    assert_eq!((all[0].name.as_str(), all[0].description.as_str()), ("strut", "a strut"));
    let properties: Vec<&str> = all[0].properties.iter().map(|p| p.name).collect();
    assert_eq!(properties, ["stiffness", "length", "damping"]);
    assert!(matches!(all[0].ends, ElementEnds::Points(..)));
    let exerted: Vec<(ElementPart, &str)> =
        all[0].loads.iter().map(|(part, l)| (*part, model.loads[*l].name.as_str())).collect();
    assert_eq!(exerted, [(ElementPart::Spring, "strut.spring"), (ElementPart::Damper, "strut.damper")]);
    let driven = all[5].constraint.map(|c| model.constraints[c].name.as_str());
    assert_eq!(driven, Some("drive"));
    let n: usize = all.iter().map(|e| e.loads.len()).sum();
    assert_eq!(n, model.loads.len(), "each load belongs to an element");
}

/// Written as text and read again, elements have the same kinds and exert the same loads.
#[test]
fn elements_are_written_as_they_were_given() {
    let model = model(CART);
    let written = cardan_lang::write(&model);
    assert!(written.left_out.is_empty(), "{:?}", written.left_out);
    for kind in ["spring_damper strut", "torsion_damper hinge", "bushing mount", "stop bump", "motion drive"]
    {
        assert!(written.text.lines().any(|l| l.starts_with(kind)), "{kind}:\n{}", written.text);
    }
    let again = self::model(&written.text);
    let loads = |m: &Model| m.loads.iter().map(|(_, l)| (l.name.clone(), l.conservative)).collect::<Vec<_>>();
    assert_eq!(loads(&again), loads(&model));
}

/// A motion of a distance stays a motion, whose work is part of the energy balance.
#[test]
fn a_motion_of_a_distance_is_written_as_one() {
    let text = "model winch
body load on N by translate(x = x, z = z) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
motion rope on mag(position(N.o, load.o)) = 2 [m] - 0.1 [m/s]*t
start { x ~ 1 [m]; z ~ -1 [m] }
";
    let written = cardan_lang::write(&model(text));
    assert!(written.text.contains("motion rope on mag(position(N.o, load.o)) ="), "{}", written.text);
    let again = model(&written.text);
    assert!(again.constraints.iter().all(|(_, c)| c.kind.is_motion()));
}

/// A wheel with a tyre is written with its geometry.
#[test]
fn a_wheel_with_a_tyre_is_written_as_one() {
    let text = "model wheel
body wheel on N by free(rotate = zxy) { mass = 1 [kg]; inertia = (1, 2, 1) [kg*m^2] }
joint contact = rolling(wheel.o, N.o, axis = y, radius = 0.3 [m], tyre = 0.1 [m])
";
    let written = cardan_lang::write(&model(text));
    let line = written.text.lines().find(|l| l.starts_with("joint contact"));
    let expected = "joint contact = rolling(wheel.o, N.o, axis = y, radius = 0.3 [m], tyre = 0.1 [m])";
    assert_eq!(line, Some(expected), "{}", written.text);
}
