//! Any text ends: mutated texts and texts made of parts of others give findings, never a panic.

use cardan_base::Sources;
use cardan_expand::{Found, Refusal, Settings, expand};

const TEXT: &str = "import gear, ratio from \"gear.mbs\"
model car
constant n = 2
parameter L = 2 [m]
subsystem Law { port x: in [m]; port f: out [N] }
subsystem linear { port x: in [m]; port f: out [N]; parameter k = 3 [N/m]; f = k * x }
subsystem corner { constant m = 2; port base: frame; port v[2]: in [m]; port w[2]: out [m]
  slot law: Law = linear(k = 5 [N/m]) { x -> v[1] }
  for i in 1 .. m { body b[i] on if i == 1 then base else b[i - 1] by revolute(z, q = a[i]) at (0, L, 0) { mass = i * 1 [kg]; point P = (0, 1, 0) [m] }
    w[i] = 2 * v[i] + L * sum(j in 1 .. m: a[j]) }
  torque t on b[m] from base = law.f * 1 [m] * base.z
  if m > 1 { output tip = b[2].P.y } else { output tip = b[1].q }
  start { for i in 1 .. m { a[i] = i * 1 [deg] } }
}
corner l(m = n) { base -> N at (0, 1, 0) [m]; v -> (1, 2) [m] }
corner r = mirror(l, plane = xz)
corner more[2] { base -> l.b[1]; v -> r.w }
gear g(n = ratio(3)) { }
std.maxwell mw between l.b[1].P and N.o { stiffness = 3 [N/m]; damping = 1 [N*s/m] }
simulate { to = 1 [s] }
";
const GEAR: &str = "constant two = 2\nfunction ratio(x) = two * x\nsubsystem gear { constant n = 1; parameter q = ratio(n) }";

fn run(text: &str, library: &str) -> usize {
    let mut sources = Sources::new();
    let file = sources.add("m.mbs", text);
    let (tree, _) = cardan_syntax::parse(file, text);
    let library = library.to_owned();
    let mut read = move |wanted: &str, _: &str| match wanted {
        "gear.mbs" => Ok(Found { name: "gear.mbs".into(), text: library.clone() }),
        _ => Err(Refusal::Missing),
    };
    let found = expand(tree, &mut sources, &Settings::default(), &mut read);
    for d in &found.diagnostics {
        assert!(!cardan_base::render(d, &sources, false).is_empty());
    }
    cardan_syntax::print(&found.tree).len() + found.diagnostics.len()
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

fn mutated(text: &str, dice: &mut Dice) -> String {
    let words: Vec<&str> = text.split_inclusive([' ', '\n', '(', ')', '[', ']', '.', ',']).collect();
    let mut out: Vec<&str> = words.clone();
    for _ in 0..1 + dice.below(4) {
        let (i, j) = (dice.below(out.len()), dice.below(words.len()));
        match dice.below(3) {
            0 => out[i] = words[j],
            1 => out.insert(i, words[j]),
            _ => {
                out.remove(i);
            }
        }
    }
    out.concat()
}

#[test]
fn the_text_itself_is_correct() {
    let mut sources = Sources::new();
    let file = sources.add("m.mbs", TEXT);
    let (tree, findings) = cardan_syntax::parse(file, TEXT);
    assert!(!findings.has_errors());
    let mut read = |_: &str, _: &str| Ok(Found { name: "gear.mbs".into(), text: GEAR.into() });
    let found = expand(tree, &mut sources, &Settings::default(), &mut read);
    let said: String = found.diagnostics.iter().map(|d| cardan_base::render(d, &sources, false)).collect();
    assert!(found.diagnostics.is_empty(), "{said}");
}

#[test]
fn mutated_texts_and_libraries_end() {
    let mut dice = Dice(7);
    let mut total = 0;
    for _ in 0..4_000 {
        let text = mutated(TEXT, &mut dice);
        let library = if dice.below(3) == 0 { mutated(GEAR, &mut dice) } else { GEAR.to_owned() };
        total += run(&text, &library);
    }
    assert!(total > 0);
}
