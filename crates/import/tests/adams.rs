//! ADAMS data sets: what statements become, what is said about mistakes, and that no text is too bad to be read.

use crate::common;

use cardan_base::{Diagnostics, Sources, render};
use cardan_import::adams::{codes, translate};
use cardan_testkit::Random;
use common::folder;

/// The native text, and what is said.
fn read(text: &str) -> (Option<String>, Diagnostics, String) {
    let mut sources = Sources::new();
    let file = sources.add("example.adm", text);
    let (native, diagnostics) = translate(file, "example", &sources);
    let said: Vec<String> =
        diagnostics.iter().map(|d| render(d, &sources, false).trim_end().to_string()).collect();
    (native.map(|n| n.text), diagnostics, said.join("\n\n"))
}

/// A slider-crank with a spring, a drive, a force by expressions and requests.
const SLIDER_CRANK: &str = "Slider-crank
! adams_view_name='units'
UNITS/, FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1
MARKER/11, PART = 1, QP = 500, 0, 0, REULER = 90D, 90D, 0D
! adams_view_name='crank'
PART/2, MASS = 1, CM = 20, IP = 1E3, 1E3, 1E3
MARKER/20, PART = 2, QP = 50, 0, 0
MARKER/21, PART = 2
MARKER/22, PART = 2, QP = 100, 0, 0
! adams_view_name='rod'
PART/3, QG = 100, 0, 0, MASS = 2, CM = 30, IP = 1E4, 1E4, 1E4
MARKER/30, PART = 3, QP = 200, 0, 0
MARKER/31, PART = 3
MARKER/32, PART = 3, QP = 400, 0, 0
! adams_view_name='slider'
PART/4, QG = 500, 0, 0, MASS = 3, CM = 40, IP = 1E3, 1E3, 1E3
MARKER/40, PART = 4
MARKER/41, PART = 4, REULER = 90D, 90D, 0D
JOINT/1, REVOLUTE, I = 21, J = 10
JOINT/2, REVOLUTE, I = 31, J = 22
JOINT/3, REVOLUTE, I = 32, J = 40
JOINT/4, TRANSLATIONAL, I = 41, J = 11
ACCGRAV/, JGRAV = -9806.65
SPRINGDAMPER/1, I = 40, J = 10, TRANSLATION, K = 2, C = 0.01
, LENGTH = 400
SFORCE/1, I = 41, J = 11, ACTIONONLY, TRANSLATION
, FUNCTION = STEP(TIME, 0, 0,
, 1, 5)*SIN(2*PI*TIME)
REQUEST/1, D, I = 40, J = 10
REQUEST/2, F2 = DX(40, 10)\\F3 = VX(40,10), C = a comment, with commas
END
this is behind the end
";

#[test]
fn a_data_set_becomes_a_text() {
    let (native, _, said) = read(SLIDER_CRANK);
    assert_eq!(said, "");
    let native = native.unwrap();
    for line in [
        "gravity = N(0, -9806.65, 0) [mm/s^2]",
        "body crank { mass = 1 [kg]; inertia = (1000, 1000, 1000, 0, 0, 0) [kg*mm^2]; center = (50, 0, 0) [mm] }",
        "frame marker_41 on slider by fixed(rotate = zxz, angles = (90, 90, 0) [deg])",
        "joint joint_1 between marker_10 and marker_21 by revolute(z)",
        "spring_damper springdamper_1 between marker_40 and marker_10 { stiffness = 2 [N/mm]; \
         damping = 0.01 [N*s/mm]; length = 400 [mm] }",
    ] {
        assert!(native.contains(line), "no `{line}` in\n{native}");
    }
    assert_eq!(native.matches("\ncut ").count(), 1, "one loop, one cut joint:\n{native}");
    let mut sources = Sources::new();
    let file = sources.add("native.mbs", native.as_str());
    let (tree, found) = cardan_syntax::parse(file, &native);
    assert!(!found.has_errors());
    let (model, found) = cardan_lang::resolve(&tree, &sources);
    let said: String = found.iter().map(|d| render(d, &sources, false)).collect();
    assert!(model.is_some() && !found.has_errors(), "{said}");
}

/// The data sets of the repository become models: joints, primitives, every kind of load, a robot of the literature.
#[test]
fn data_sets_become_models() {
    for (name, bodies) in [("robot", 3), ("slider-crank", 3), ("loads", 2)] {
        let path = folder("../../tests/adams").join(format!("{name}.adm"));
        let (native, found, said) = read(&std::fs::read_to_string(path).expect("a data set"));
        assert!(!found.has_errors(), "{name}: {said}");
        let native = native.unwrap();
        let mut sources = Sources::new();
        let file = sources.add("native.mbs", native.as_str());
        let (tree, _) = cardan_syntax::parse(file, &native);
        let (model, found) = cardan_lang::resolve(&tree, &sources);
        let said: String = found.iter().map(|d| render(d, &sources, false)).collect();
        assert!(!found.has_errors(), "{name}: {said}\n{native}");
        let model = model.expect("a model");
        let heavy = model.bodies.iter().filter(|(_, b)| !b.is_massless(&model.space)).count();
        assert_eq!(heavy, bodies, "{name}");
    }
}

/// Every page shows what is said today; `BLESS=1` writes it.
#[test]
fn error_pages_show_what_is_said() {
    let blocks = |page: &str, kind: &str| -> Vec<String> {
        let fence = format!("```{kind}\n");
        page.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).map(str::to_owned).collect()
    };
    for (code, title) in codes::ALL {
        let code = code.0;
        let path = folder("../../docs/errors").join(format!("{code}.md"));
        let page = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{code} has a page"));
        assert!(page.starts_with(&format!("# {code}: {title}\n")), "{code}: the heading should be {title}");
        let examples = blocks(&page, "adm");
        let (_, found, said) = read(&examples[0]);
        assert!(!found.is_empty() && found.iter().all(|d| d.code.0 == code), "{code}\n{said}");
        assert!(found.iter().all(|d| !d.help.is_empty() && d.span().is_some()), "{code}\n{said}");
        assert_eq!(read(&examples[examples.len() - 1]).2, "", "{code}: the mended text still has findings");
        let shown = &blocks(&page, "text")[0];
        if std::env::var_os("BLESS").is_some() {
            let refreshed =
                page.replacen(&format!("```text\n{shown}```"), &format!("```text\n{said}\n```"), 1);
            std::fs::write(&path, refreshed).expect("the page can be written");
        } else {
            assert_eq!(shown.trim_end(), said, "{code} differs; refresh with BLESS=1");
        }
    }
}

/// Characters lost, doubled or replaced: a text, or a refusal that says why.
#[test]
fn mutated_data_sets_are_read_or_refused() {
    let mut random = Random::new(11);
    let mut n_read = 0;
    for _ in 0..3000 {
        let mut chars: Vec<char> = SLIDER_CRANK.chars().collect();
        for _ in 0..1 + random.below(4) {
            let at = random.below(chars.len());
            match random.below(4) {
                0 => drop(chars.remove(at)),
                1 => chars.insert(at, chars[random.below(chars.len())]),
                2 => chars[at] = ['(', ')', ',', '/', '=', '!', '\n', '0', '-', 'D', 'é'][random.below(11)],
                _ => {
                    let end = (at + random.below(30)).min(chars.len());
                    chars.drain(at..end);
                }
            }
        }
        let text: String = chars.into_iter().collect();
        let (native, found, said) = read(&text);
        assert_eq!(native.is_none(), found.has_errors(), "{said}");
        assert!(found.iter().all(|d| !d.help.is_empty()), "{said}");
        n_read += usize::from(native.is_some());
    }
    assert!((300..2900).contains(&n_read), "{n_read} of 3000 texts were read");
    for text in
        [format!("t\n{}", "(".repeat(5000)), format!("t\nVARIABLE/1, FUNCTION = {}", "(".repeat(5000))]
    {
        assert!(read(&text).0.is_none());
    }
}
