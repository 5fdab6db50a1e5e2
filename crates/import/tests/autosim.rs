//! AUTOSIM's language: what commands become, what is said about mistakes, and that no text is too bad to be read.

use crate::common;

use cardan_base::{Diagnostics, Sources, render};
use cardan_import::autosim::{codes, translate};
use cardan_testkit::Random;
use common::folder;
use proptest::prelude::*;

/// The native text, and what is said.
fn read(text: &str) -> (Option<String>, Diagnostics, String) {
    let mut sources = Sources::new();
    let file = sources.add("example.lsp", text);
    let mut reader = |path: &str| {
        path.starts_with("routines")
            .then(|| "variable cmd = 2 * t\nfunction fire(x) [N] = 3 * x\n".to_string())
    };
    let (native, diagnostics) = translate(file, "example", &mut sources, &mut reader);
    let said: Vec<String> =
        diagnostics.iter().map(|d| render(d, &sources, false).trim_end().to_string()).collect();
    (native.map(|n| n.text), diagnostics, said.join("\n\n"))
}

/// The native text, which must come without a word.
fn native(text: &str) -> String {
    let (native, _, said) = read(text);
    assert_eq!(said, "");
    native.expect("a text without findings is translated")
}

/// The line of the native text that begins so, without that beginning.
fn line(text: &str, beginning: &str) -> String {
    let native = native(text);
    let found = native.lines().find_map(|l| l.trim().strip_prefix(beginning));
    found.unwrap_or_else(|| panic!("no `{beginning}` in\n{native}")).trim().to_string()
}

const BODIES: &str = "(add-body b :translate (1 2 3) :body-rotation-axes (1 2 3))
(add-body c :parent b :body-rotation-axes 3 :mass 0 :inertia-matrix 0)
(add-point p :body b :coordinates (0 0 1))\n";

fn force(magnitude: &str) -> String {
    let text = format!("{BODIES}(add-line-force f :direction [n1] :point1 p :magnitude {magnitude})");
    line(&text, "force F on P =").trim_end_matches(" * N.x").to_string()
}

#[test]
fn bodies_get_joints_and_default_symbols() {
    let text = native(
        "(add-body b :name \"Bus\" :translate (1 2 3) :body-rotation-axes (1 2 3) :small-angles (t t t) :small-translations t)",
    );
    assert!(text.contains("body B \"Bus\" on N by free(rotate = xyz, q = (q1, q2, q3, q4, q5, q6), speed = (u1, u2, u3, u4, u5, u6), small)"), "{text}");
    assert!(text.contains("mass = MB; inertia = (IB11, IB22, IB33, IB12, IB13, IB23)"), "{text}");
    assert!(text.contains("parameter MB [kg] \"mass of B\""), "{text}");
    assert!(text.contains("parameter IB12 [kg*m^2] \"product of inertia of B\""), "{text}");
    assert_eq!(
        line(
            "(add-body e :translate 2 :body-rotation-axes 1 :mass m :inertia-matrix (i i 0) :joint-coordinates (0 -L 2))",
            "body E"
        ),
        "on N by translate(y, q = q1, speed = u1) revolute(x, q = q2, speed = u2) at (0, -L, 2 [m]) {"
    );
    assert_eq!(
        line(
            "(add-body e :mass 0 :inertia-matrix 0 :body-rotation-axes (3 1 3) :small-angles (t nil t))",
            "frame E"
        ),
        "on N by spherical(rotate = zxz, q = (q1, q2, q3), speed = (u1, u2, u3), small = (1, 0, 1))"
    );
}

/// Eq. 8: an axis of rotation that is another axis of the parent turns the nominal axes.
#[test]
fn rotation_axes_of_the_parent_turn_the_nominal_axes() {
    let joint = line(
        "(add-body e :mass 0 :inertia-matrix 0 :body-rotation-axes 3 :parent-rotation-axis 1)",
        "frame E",
    );
    // b3 = a1, b1 = a2, b2 = a3.
    assert_eq!(joint, "on N by revolute(z, q = q1, speed = u1, orient = (90, 90, 0) [deg])");
    let same = line(
        "(add-body e :mass 0 :inertia-matrix 0 :body-rotation-axes 3 :parent-rotation-axis 3 :reference-axis 1)",
        "frame E",
    );
    assert_eq!(same, "on N by revolute(z, q = q1, speed = u1)");
}

#[test]
fn dimensions_follow_from_use() {
    let text = format!(
        "{BODIES}(add-moment m :direction [c3] :body1 c :body2 b :magnitude \"-k*q(7) - d*u(7) + 3*cos(a)\")
        (set-defaults k 2000 d (/ 10 4) a 1)"
    );
    assert_eq!(line(&text, "parameter K"), "= 2000 [N*m/rad]");
    assert_eq!(line(&text, "parameter D"), "= (10 / 4) [N*m*s/rad]");
    assert_eq!(line(&text, "parameter A"), "= 1 [rad]");
    assert_eq!(line(&text, "torque M"), "on C from B = (-K * q7 - D * u7 + 3 [N*m] * cos(A)) * C.z");
    let text = format!(
        "{BODIES}(add-strut s :point1 p :point2 n0 :magnitude \"-k*(x - L0) - cv*v\") (set-units k \"N-cm/m2\")"
    );
    assert_eq!(line(&text, "parameter L0"), "[m]");
    assert_eq!(line(&text, "parameter CV"), "[N*s/m]");
    assert_eq!(line(&text, "parameter K"), "[N*cm/m^2]");
}

/// Table 6, Table 12 and both notations.
#[test]
fn the_algebra_is_translated() {
    assert_eq!(force("\"-k*q(1)^3/q(2)**2\""), "(-K * q1^3 / q2^2)");
    assert_eq!(force("\"2*sin(q(4))\""), "2 [N] * sin(q4)");
    assert_eq!(force("(* k (- q(1) L))"), "K * (q1 - L)");
    assert_eq!(force("\"k*mag(pos(p, n0))\""), "K * mag(position(N.o, P))");
    assert_eq!(force("\"cv*dot(vel(p, b0), [b1])\""), "CV * dot(velocity(P) - velocity(B.o), B.x)");
    assert_eq!(force("\"h*dot(rot(b), dir(cross([b1],[n2])))\""), "H * dot(omega(B), dir(cross(B.x, N.y)))");
    assert_eq!(force("\"f0*angle([b1], [n1], [n3])\""), "F0 * angle(B.x, N.x, N.z)");
    assert_eq!(force("\"m*dxdt(u(1))\""), "M * der(u1)");
    assert_eq!(
        force("\"add(f1, mul(2, sub(f2, neg(f3))))\""),
        "F1 + 2 * (F2 - (-F3))".replace("F1", "(F1").replace("F3))", "F3)))")
    );
    assert_eq!(force("\"k*nominal(q(1) + L)\""), "K * nominal(q1 + L)");
    assert_eq!(
        force("\"k*dot(dot-plane(pos(p), [n3]), [n1])\""),
        "K * dot(dot_plane(position(P), N.z), N.x)"
    );
    assert_eq!(force("\"k*constant-part(q(1) + L)\""), "K * constant_part(q1 + L)");
    assert_eq!(force("\"f0*const-or-var(k)\""), "F0 * is_constant(K)");
    assert_eq!(force("(* k (gcf \"2*L*q(4)\" \"L*q(5)\"))"), "K * gcf(2 * L * q4, L * q5)");
    assert_eq!(force("\"f0*sin(w*t)\""), "F0 * sin(W * t)");
    assert_eq!(force("1/3"), "1 [N] / 3");
}

#[test]
fn routines_of_the_native_language_are_used() {
    let text = format!("{BODIES}(add-variables difeqn real cmd) (add-subroutine difeqn command (t cmd))
        (add-line-force f :direction [n1] :point1 p :magnitude \"k*cmd + fire(q(4))\") (load \"routines.mbs\")");
    assert_eq!(line(&text, "force F on P ="), "(K * cmd + fire(q4)) * N.x");
    let (_, _, said) = read(&text.replace("(load \"routines.mbs\")", ""));
    assert!(
        said.contains("nothing says what the subroutine `command` computes")
            && said.contains("function `fire`"),
        "{said}"
    );
}

#[test]
fn outputs_states_constraints_and_settings_are_written() {
    let text = format!("{BODIES}(add-out \"q(4)\" \"roll\" :long-name \"roll angle\" :units \"deg\")
        (add-state-variable s sd \"m\") (add-equation difeqn sd \"-a*s + u(1)\") (add-equation difeqn y \"2*s\")
        (add-position-constraint \"q(4) - q(5)\") (add-speed-constraint \"dot(vel(p), [b2])\")
        (add-gravity :direction [n3]) (small q(7)) (linear) (mks) (dynamics)
        (set-defaults startt 1 stopt 10 step 0.01 iprint 5 q(4) 0.1 \"u(1)\" 3)");
    assert_eq!(line(&text, "output roll"), "= q4 in [deg] \"roll angle\"");
    assert_eq!(line(&text, "state S"), "= 0 [m]");
    assert_eq!(line(&text, "der(S)"), "= -A * S + u1");
    assert_eq!(line(&text, "parameter A"), "[1/s]");
    assert_eq!(line(&text, "variable Y"), "= 2 * S");
    assert_eq!(line(&text, "constraint constraint2"), "= dot(velocity(P), B.y)");
    assert_eq!(line(&text, "gravity"), "= 9.80665 [m/s^2] * N.z");
    assert_eq!(line(&text, "simulate"), "{ to = 10 [s], from = 1 [s], every = 5 * 0.01 [s] }");
    assert_eq!(line(&text, "u1 ~"), "3 [m/s]");
    assert!(
        native(&text).contains("revolute(z, q = q7, speed = u7, small)")
            && native(&text).contains("linearize { at = start }")
    );
}

#[test]
fn coordinates_have_names_and_units() {
    let text = format!(
        "{BODIES}(set-defaults q(4) 0.1 u(4) (- 3)) (set-units q(4) \"deg\" u(4) \"deg/s\") (set-names q(4) \"roll\")"
    );
    assert_eq!(line(&text, "q4 ="), "0.1 [deg]");
    assert_eq!(line(&text, "u4 ="), "(-3) [deg/s]");
    assert_eq!(line(&text, "show q4"), "in [deg] \"roll\"");
    assert_eq!(line(&text, "show u4"), "in [deg/s]");
    let (_, _, said) = read(&format!("{BODIES}(set-units q(4) \"m\")"));
    assert!(said.contains("A008") && said.contains("[m] is no unit of what has [rad]"), "{said}");
}

#[test]
fn contradictions_are_told() {
    for (text, says) in [
        (
            "(add-body a :translate 1 :mass 1 :inertia-matrix ((1 0 0) (5 1 0) (0 0 1)))",
            "(1, 2) differs from (2, 1)",
        ),
        ("(add-body a :translate 1) (add-gravity :direction [n1] :gees 1 :magnitude 3)", "gees"),
    ] {
        let (native, _, said) = read(text);
        assert!(native.is_none() && said.contains("A008") && said.contains(says), "{said}");
    }
    let same = "(add-body a :translate 1 :mass 1 :inertia-matrix ((1 \"-i\" 0) ((- i) 1 0) (0 0.0 1)))";
    assert!(native(same).contains("inertia = (1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2], -I"), "{}", native(same));
}

/// Any function may be one of the simulation program; a slip of the pen is told beside that.
#[test]
fn a_misspelt_function_is_told() {
    let (native, _, said) = read(&format!("{BODIES}(add-out \"atann(q(4))\" a)"));
    assert!(
        native.is_some() && said.contains("function `atann`") && said.contains("write `atan` if"),
        "{said}"
    );
}

#[test]
fn several_mistakes_are_told_at_once() {
    let (native, found, said) = read(
        "(add-bdy b)\n(add-body c :parent d)\n(add-moment m :direction [c4] :body1 c :magnitude \"2*\")\n",
    );
    assert!(native.is_none());
    let codes: Vec<&str> = found.iter().map(|d| d.code.0).collect();
    assert_eq!(codes, ["A002", "A005", "A007"], "{said}");
}

/// The fenced blocks of a page that begin with ` ```kind `.
fn blocks<'a>(page: &'a str, kind: &str) -> Vec<&'a str> {
    let fence = format!("```{kind}\n");
    page.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

/// Every page shows what is said today; `BLESS=1` writes it. The voice: no "you", no jargon, a place and a line of help.
#[test]
fn error_pages_show_what_is_said() {
    for (code, title) in codes::ALL {
        let code = code.0;
        let path = folder("../../docs/errors").join(format!("{code}.md"));
        let page = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{code} has a page"));
        assert!(page.starts_with(&format!("# {code}: {title}\n")), "{code}: the heading should be {title}");
        let examples = blocks(&page, "lisp");
        let (_, found, said) = read(examples[0]);
        assert!(!found.is_empty() && found.iter().all(|d| d.code.0 == code), "{code}\n{said}");
        for d in &found {
            assert!(!d.help.is_empty() && d.span().is_some(), "{code}: {}", d.message);
            for word in ["you", "token", "syntax", "parse", "invalid", "illegal", "unexpected"] {
                assert!(
                    !said.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|w| w == word),
                    "`{word}` in {said}"
                );
            }
        }
        assert_eq!(read(examples[examples.len() - 1]).2, "", "{code}: the mended text still has findings");
        let shown = blocks(&page, "text")[0];
        if std::env::var_os("BLESS").is_some() {
            let refreshed =
                page.replacen(&format!("```text\n{shown}```"), &format!("```text\n{said}\n```"), 1);
            std::fs::write(&path, refreshed).expect("the page can be written");
        } else {
            assert_eq!(shown.trim_end(), said, "{code} differs; refresh with BLESS=1");
        }
    }
}

/// A text with a few characters lost, doubled or replaced.
fn mutate(text: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(chars.len());
        match random.below(4) {
            0 => drop(chars.remove(at)),
            1 => chars.insert(at, chars[random.below(chars.len())]),
            2 => chars[at] = ['(', ')', '"', '[', ']', ':', ';', '0', '-', 'q', 'é'][random.below(11)],
            _ => {
                let end = (at + random.below(30)).min(chars.len());
                chars.drain(at..end);
            }
        }
    }
    chars.into_iter().collect()
}

#[test]
fn mutated_texts_are_read_or_refused() {
    let text = std::fs::read_to_string(folder("../../models/spacecraft.lsp")).expect("a model");
    let mut random = Random::new(7);
    let mut n_read = 0;
    for _ in 0..3000 {
        let (native, found, said) = read(&mutate(&text, &mut random));
        assert_eq!(native.is_none(), found.has_errors(), "{said}");
        n_read += usize::from(native.is_some());
    }
    assert!((300..2700).contains(&n_read), "{n_read} of 3000 texts were read");
}

#[test]
fn deep_nesting_is_refused() {
    for text in [
        "(".repeat(5000),
        format!("(add-out \"{}\" x)", "(".repeat(5000)),
        format!("(add-out \"{}\" x)", "-".repeat(5000)),
    ] {
        assert!(read(&text).0.is_none());
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}", inner in "\\PC{0,60}") {
        for text in [text, format!("(add-body b :translate 1)(add-out \"{inner}\" x)")] {
            let (native, found, _) = read(&text);
            prop_assert_eq!(native.is_none(), found.has_errors());
        }
    }
}

/// Advice that can be typed in this language.
#[test]
fn advice_is_in_the_language_of_the_text() {
    let sign = read(&format!("{BODIES}(add-line-force f :direction [-n3] :point1 p :magnitude \"1\")")).2;
    assert!(sign.contains("write `\"-[n3]\"`"), "{sign}");
    let inertia = read("(add-body b :translate 1 :mass 1 :inertia-matrix (1 2))").2;
    assert!(
        inertia.contains("moments of inertia are three") && inertia.contains("(ixx iyy izz)"),
        "{inertia}"
    );
    let mut sources = Sources::new();
    let file = sources.add("example.lsp", "(add-body b :translate 1 :mass m :inertia-matrix 0)");
    let (native, _) = translate(file, "example", &mut sources, &mut |_| None);
    let native = native.expect("a text without errors is translated");
    let own = sources.add("native.mbs", native.text.as_str());
    let (tree, _) = cardan_syntax::parse(own, &native.text);
    let findings = native.back(own, cardan_lang::resolve(&tree, &sources).1);
    let said: String = findings.iter().map(|d| render(d, &sources, false)).collect();
    assert!(said.contains("write `(set-defaults m 1)`") && !said.contains("write `parameter"), "{said}");
}

/// Under constraints the values at the start are where the search begins.
#[test]
fn starts_are_guesses_under_constraints() {
    let text = |constraint: &str| {
        format!(
            "(mks)\n(add-body a :body-rotation-axes 3 :mass 1 :inertia-matrix (0 0 1))\n(set-defaults q(1) 0.2)\n{constraint}"
        )
    };
    assert!(native(&text("")).contains("q1 = 0.2"));
    let held = native(&text("(add-position-constraint \"q(1) - 0.3\")"));
    assert!(held.contains("q1 ~ 0.2"), "{held}");
}

/// A constraint that says what follows from it leaves the other values as they are given.
#[test]
fn constraints_have_names_and_say_what_follows_from_them() {
    let text = |constraint: &str| {
        format!(
            "{BODIES}(set-defaults q(4) 0.2 q(5) 0.1 u(4) 3 u(5) 4)\n(add-position-constraint \"q(4) - q(5)\" {constraint})"
        )
    };
    assert_eq!(line(&text(":name \"tie\""), "constraint constraint1"), "= q4 - q5 \"tie\"");
    let held = native(&text(":q q(5)"));
    for start in ["q4 = 0.2", "q5 ~ 0.1", "u4 = 3", "u5 ~ 4"] {
        assert!(held.contains(start), "{start}\n{held}");
    }
    let held = native(&text(":q q(5) :u u(4)"));
    assert!(held.contains("u4 ~ 3") && held.contains("u5 = 4"), "{held}");
    let rolling =
        format!("{BODIES}(set-defaults q(1) 2 u(1) 3)(add-speed-constraint \"u(1) - u(2)\" :u u(2))");
    assert!(native(&rolling).contains("q1 = 2") && native(&rolling).contains("u1 = 3"));
    for (wrong, code) in [(":q q(9)", "A005"), (":q u(5)", "A008"), (":u 3", "A008")] {
        let (_, _, said) = read(&text(wrong));
        assert!(said.contains(code), "{wrong}\n{said}");
    }
}

#[test]
fn outputs_may_be_named_after_their_bodies() {
    let bus = "(add-body b :name \"Bus\" :translate (1 2 3) :body-rotation-axes (1 2 3))\n";
    let out = |keywords: &str| line(&format!("{bus}(add-out \"q(4)\" \"roll\" {keywords})"), "output roll");
    assert_eq!(out(":gen-name \"angle\" :body b"), "= q4 \"angle of Bus\"");
    assert_eq!(out(":gen-name \"angle\""), "= q4 \"angle\"");
    assert_eq!(out(":long-name \"roll angle\" :gen-name \"angle\" :body b"), "= q4 \"roll angle\"");
    let (_, _, said) = read(&format!("{bus}(add-out \"q(4)\" \"roll\" :body c)"));
    assert!(said.contains("A005") && said.contains("there is no body `C`"), "{said}");
}

/// Values are in the units that were given, those of states and of the run too.
#[test]
fn states_and_the_run_have_units() {
    let state = "(add-state-variable s sd \"mm\") (add-equation difeqn sd \"-a*s\") (set-defaults s 3)";
    assert_eq!(line(&format!("{BODIES}{state}"), "state S"), "= 3 [mm]");
    let given = "(set-units s \"cm\")";
    assert_eq!(line(&format!("{BODIES}{state}{given}"), "state S"), "= 3 [cm]");
    let run = "(set-defaults stopt 2 startt 1 step 5) (set-units stopt \"min\" step \"ms\")";
    assert_eq!(
        line(&format!("{BODIES}{run}"), "simulate"),
        "{ to = 2 [min], from = 1 [s], every = (5) [ms] }"
    );
    let (_, _, said) = read(&format!("{BODIES}(set-units stopt \"m\")"));
    assert!(said.contains("[m] is no unit of what has [s]"), "{said}");
    let (_, _, said) = read(&format!("{BODIES}(set-defaults step 0.1)"));
    assert!(said.contains("A010") && said.contains("`step` has no effect without `stopt`"), "{said}");
}

#[test]
fn a_reset_forgets_what_was_before_it() {
    let text = native("(add-body a :translate 1) (set-defaults q(1) 3)\n(reset)\n(add-body a :translate 2)");
    assert!(text.contains("translate(y, q = q1") && !text.contains("start"), "{text}");
    let (_, _, said) = read(&format!("{BODIES}(setsym *small-order* 3)"));
    assert!(said.contains("A010") && said.contains("`*small-order*` has no effect"), "{said}");
}
