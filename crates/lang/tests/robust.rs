//! Any text at all: no panic, bounded work, few diagnostics, and a model exactly when there are no errors.

use cardan_base::Diagnostics;
use cardan_lang::compile_text;

/// A small deterministic generator (xorshift64*), so a failure repeats itself.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Words and signs that mean something, so that many of the mutated texts still do.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "(", ")", "{", "}", ",", ";", "=", "==", "<", "+", "-", "*", "/", "^", ".", "..", "->", "\n", " ", "\"s\"", "0", "1",
    "2.5e-3", "1e300", "[m]", "[N*m/rad]", "[deg]", "[kg]", "[1/s]", "[foo]", " if ", " then ", " else ", " and ", "not ",
    " on ", " by ", " at ", " from ", " between ", " in ", "body ", "frame ", "particle ", "parameter ", "variable ",
    "state ", "speed ", "table ", "function ", "output ", "start ", "simulate ", "lock ", "small ", "gravity = ", "force ",
    "torque ", "spring ", "bushing ", "strict units\n", "newtonian G\n", "N", "N.x", "N.o", "t", "pi", "x", "y", "z", "q",
    "q1", "q2", "phi", "upper", "lower", "lower.cm", "upper.elbow", "rod", "rod.q", "rod.u", "arm", "B.q1", "B.u4", "m",
    "der(", "sin(", "sqrt(", "dot(", "cross(", "mag(", "position(", "velocity(", "omega(", "partial(", "angle(", "N(",
    "revolute(", "free(", "spherical(", "universal(", "screw(", "planar(", "translate(", "rotate(", "fixed(",
    "when ", "every ", "discrete ", "procedure ", "local ", "for k in 1 .. 4 ", "return ", " := ", "if x > 0 [m] {", "external function ",
    "euler_parameters", "rates", "motion = ", "locked", "small", "orient = ", "speed = ", "axis = ", "cm", "mass",
];

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Inserts, removes, repeats, moves or replaces a few parts of the text.
fn mutate(random: &mut Random, text: &str) -> String {
    let mut text = text.to_string();
    for _ in 0..=random.below(3) {
        let a = boundary(&text, random.below(text.len() + 1));
        let b = boundary(&text, (a + random.below(30)).min(text.len()));
        match random.below(6) {
            0 => text.insert_str(a, PIECES[random.below(PIECES.len())]),
            1 => text.replace_range(a..b, ""),
            2 | 3 => swap_words(random, &mut text),
            4 => {
                let part = text[a..b].to_string();
                let c = boundary(&text, random.below(text.len() + 1));
                text.insert_str(c, &part);
            }
            _ => text.replace_range(a..b, PIECES[random.below(PIECES.len())]),
        }
    }
    text
}

/// Replaces a word by another word of the text or of the language.
fn swap_words(random: &mut Random, text: &mut String) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words: Vec<(usize, String)> = text
        .match_indices(is_word)
        .filter(|(i, _)| !text[..*i].ends_with(is_word))
        .map(|(i, _)| (i, text[i..].chars().take_while(|c| is_word(*c)).collect()))
        .collect();
    if words.is_empty() {
        return;
    }
    let (at, old) = words[random.below(words.len())].clone();
    let new = match random.below(2) {
        0 => words[random.below(words.len())].1.clone(),
        _ => PIECES[random.below(PIECES.len())].trim().to_string(),
    };
    text.replace_range(at..at + old.len(), &new);
}

fn samples() -> Vec<String> {
    let mut texts = vec![];
    for folder in ["tests/samples", "../syntax/tests/samples"] {
        let folder = format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"));
        let mut paths: Vec<_> = std::fs::read_dir(folder)
            .expect("the folder exists")
            .map(|e| e.expect("an entry").path())
            .collect();
        paths.sort();
        let models = paths.into_iter().filter(|p| p.extension().is_some_and(|e| e == "mbs"));
        texts.extend(models.map(|p| std::fs::read_to_string(p).expect("a readable file")));
    }
    texts
}

fn check(text: &str) -> bool {
    let compiled = compile_text("example.mbs", text);
    assert!(compiled.diagnostics.len() <= Diagnostics::LIMIT);
    assert_eq!(compiled.model.is_some(), !compiled.diagnostics.has_errors(), "{text}");
    for diagnostic in &compiled.diagnostics {
        assert!(!diagnostic.help.is_empty() || diagnostic.code.0.starts_with('U'), "{diagnostic:?}");
        assert!(diagnostic.labels.iter().all(|l| compiled.sources.get(l.span.file).is_some()));
    }
    compiled.model.is_some()
}

#[test]
fn a_hundred_thousand_mutated_texts() {
    std::thread::scope(|scope| {
        for seed in [0x5EED_CAFE, 0xCAFE_5EED] {
            scope.spawn(move || fifty_thousand(seed));
        }
    });
}

fn fifty_thousand(seed: u64) {
    let samples = samples();
    let mut random = Random(seed);
    let mut n_models = 0;
    for round in 0..50_000 {
        // Mostly the models that mean something to begin with.
        let n = if round % 4 == 0 { samples.len() } else { 5 };
        let sample = &samples[random.below(n)];
        let text = mutate(&mut random, sample);
        n_models += usize::from(check(&text));
    }
    assert!(n_models > 500, "only {n_models} of the texts were models: the test looks at parse errors only");
}

/// Texts made to blow up: each must be answered within seconds.
#[test]
fn hostile_texts_are_refused_in_time() {
    let n = 3_000;
    let chain = (0..n).map(|i| format!("parameter p{i} = p{} + 1\n", i + 1)).collect::<String>();
    let ring = format!("{chain}parameter p{n} = p0\n");
    let straight = format!("{chain}parameter p{n} = 1\n");
    let doubling =
        (1..60).map(|i| format!("function f{i}(x) = f{}(x + 1) + f{0}(x + 2)\n", i - 1)).collect::<String>();
    let doubling =
        format!("function f0(x) = x\n{doubling}variable y = f20(t/1 [s])\nvariable z = f59(t/1 [s])");
    let united = (1..30)
        .map(|i| format!("function g{i}(x [m]) [m] = g{}(x [m] + 1 [m])\n", i - 1))
        .collect::<String>();
    let united = format!("function g0(x [m]) [m] = x*t\n{united}variable y = g29(1 [m])");
    let tower = (0..n)
        .map(|i| {
            format!(
                "body b{i} on {} by rotate(x = q{i}) at (0, 0, 1) [m]\n",
                if i == 0 { "N".into() } else { format!("b{}", i - 1) }
            )
        })
        .collect::<String>();
    let deep = (0..240)
        .map(|i| {
            format!(
                "body b{i} on {} by rotate(x = q{i}) at (0, 0, 1) [m]\n",
                if i == 0 { "N".into() } else { format!("b{}", i - 1) }
            )
        })
        .collect::<String>();
    let deep = format!("{deep}output v = velocity(b239.o), w = dot(b239.x, N.y), b239.cm");
    // Each function nests its call as deep as brackets may go.
    let nested = |n: usize, open: &str, close: &str| {
        let (open, close) = (open.repeat(n), close.repeat(n));
        let function = |i: usize| format!("function f{i}(x) = {open}f{}(x){close}\n", i - 1);
        let functions: String = (1..40).map(function).collect();
        format!(
            "function f0(x) = x\n{functions}variable y = f31(t/1 [s])\nvariable z = f39(1)\noutput d = der(y)"
        )
    };
    let texts = [
        nested(5, "sin(1 + (2*(", ")))"),
        nested(5, "-(if x > 0 then 1 else min(2, ", "))"),
        nested(20, "sin(1 + (2*(", ")))"),
        nested(20, "-(if x > 0 then 1 else min(2, ", "))"),
        nested(30, "sin(1 + (2*(", ")))"),
        nested(30, "-(if x > 0 then 1 else min(2, ", "))"),
        nested(45, "sin(1 + (2*(", ")))"),
        nested(45, "-(if x > 0 then 1 else min(2, ", "))"),
        nested(64, "sin(1 + (2*(", ")))"),
        nested(64, "-(if x > 0 then 1 else min(2, ", "))"),
        "parameter a = 10^10^10".to_string(),
        "parameter a = 10^400^400".to_string(),
        "parameter a = (10^300)^30, b = ((1/3)^1000)^20, c = (2^1000)^21 / (2^1000)^21".to_string(),
        "parameter a = 2^(-9223372036854775808)".to_string(),
        "parameter a = 1e-2147483648, b = 1.5e-2147483648, c = 1e2147483647".to_string(),
        "constant a = 2\n".to_string() + &(0..60).map(|i| format!("constant a{i} = {}^2\n", if i == 0 { "a".into() } else { format!("a{}", i - 1) })).collect::<String>(),
        "variable x = (1e300 * t / 1 [s])^1000".to_string(),
        format!("parameter a = {}", "9".repeat(100_000)),
        "parameter a = 1e400, b = 1e99999999999, c = 1e-400".to_string(),
        format!("parameter a = 1{}", "*1e300".repeat(1_000)),
        format!("parameter a = 1{}", " + 1/3 + 1/7".repeat(100_000)),
        format!("parameter a = {}2", "7^".repeat(150)),
        format!("variable x = {}t{}", "(".repeat(150), "^1000)".repeat(150)),
        format!("body B on N by rotate(z = q, small)\nvariable x = {}q{}", "(".repeat(100), "^1000)".repeat(100)),
        format!("variable x = {}", "if t > 0 [s] then 1 else ".repeat(100_000) + "0"),
        format!("variable x = ({})", "1, ".repeat(100_000) + "0"),
        format!("table T(x) = linear {{ {} }}", (0..300_000).map(|i| format!("{i}: 1, ")).collect::<String>()),
        format!("parameter a = 1{}", " [m]".repeat(1000)),
        format!("parameter a = 1 [{}]", "m*".repeat(100_000)),
        format!("parameter a = 1 [m^{}]", "9".repeat(1000)),
        "constant a = 1 [m]\n".to_string() + &(0..200).map(|i| format!("constant a{i} = {}^2\n", if i == 0 { "a".into() } else { format!("a{}", i - 1) })).collect::<String>(),
        "function f(x) = g(x)\nfunction g(x) = f(x)\nvariable y = f(1)".to_string(),
        "function f(x) = f(x)\noutput y = f(1)".to_string(),
        "body A on B by revolute(z)\nbody B on A by revolute(z)".to_string(),
        "body A on A by revolute(z) at A.o".to_string(),
        "state x = 0 { der = der(x) }".to_string(),
        "state x = 0 { der = der(y) }\nstate y = 0 { der = der(x) }".to_string(),
        "speed u = u\nspeed w = der(w)".to_string(),
        "body B on N by rotate(z = q)\nspeed u = der(q)^2\nspeed w = der(q)\nspeed r = der(q)".to_string(),
        "body B on N by rotate(z = q)\nspeed u = sin(q)*der(q)\noutput v = velocity(B.o)\nforce f on B.o = der(u)*N.x".to_string(),
        "body B on N by free()\nspeed u = der(B.q1)\nspeed w = dot(velocity(B.o), N.x)".to_string(),
        (0..20_000).map(|i| format!("variable some_long_name_{i} = other_long_name_{i} + f{i}(1)\n")).collect(),
        (0..20_000).map(|i| format!("frame some_{i} on N by revolute(z)\n")).collect(),
        ring,
        straight,
        doubling,
        united,
        tower,
        deep,
    ];
    for text in texts {
        let start = std::time::Instant::now();
        check(&text);
        let head: String = text.chars().take(60).collect();
        assert!(start.elapsed().as_secs() < 20, "{head} took {:?}", start.elapsed());
    }
}

/// Numbers that are exact as fractions and infinite or zero in binary are refused where they are
/// written.
#[test]
fn numbers_beyond_binary_are_refused() {
    for number in ["1e400", "2e308", "1e-400", "0.1e-330"] {
        let text = format!("model m\nparticle p on N by translate(x = x) {{ mass = {number} [kg] }}\n");
        let compiled = compile_text("given.mbs", &text);
        assert!(
            compiled.diagnostics.iter().any(|d| d.message.contains("too small")),
            "{number}: {:?}",
            compiled.diagnostics
        );
    }
    let fine = compile_text("given.mbs", "model m\nparameter a = 1e300, b = 1e-300, c = 0\n");
    assert!(fine.model.is_some(), "{:?}", fine.diagnostics);
}
