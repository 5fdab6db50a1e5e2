//! No text makes the importers panic; a model comes exactly if there are no errors.

use cardan_base::{Sources, render};
use cardan_import::{ImportOptions, import, import_mjcf, import_urdf};
use cardan_testkit::Random;
use proptest::prelude::*;

const ROBOT: &str = "<?xml version='1.0'?>
<robot name='r'><material name='red'><color rgba='1 0 0 1'/></material>
  <link name='base'/><link name='arm'><inertial><origin xyz='0 0 0.5' rpy='0.1 1.570796 0'/><mass value='2'/>
    <inertia ixx='0.3' iyy='0.4' izz='0.5' ixy='0.01' ixz='-0.02' iyz='0.03'/></inertial>
    <visual><origin rpy='1 2 3'/><geometry><box size='1 2 3'/></geometry><material name='red'/></visual></link>
  <link name='hand'><inertial><mass value='1e-3'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>
  <joint name='j' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='1 2 2'/><origin xyz='1 0 0'/>
    <limit lower='-1' upper='1' effort='3' velocity='4'/><dynamics damping='0.1' friction='0'/></joint>
  <joint name='k' type='prismatic'><parent link='arm'/><child link='hand'/><mimic joint='j' multiplier='2' offset='0.1'/></joint>
</robot>";

const MECHANISM: &str = "<mujoco model='m'><compiler angle='degree' eulerseq='zyx' settotalmass='3'/><option gravity='0 0 -9.81'/>
  <default><joint damping='1'/><default class='c'><geom type='capsule' size='0.1'/></default></default>
  <worldbody><geom type='plane' size='1 1 1'/><frame pos='0 0 1'>
    <body name='a' childclass='c' quat='1 2 3 4'><freejoint name='f'/><geom fromto='0 0 0 1 2 3'/></body></frame>
    <body name='b' euler='10 20 30'><joint name='j' axis='0 1 1' ref='5' range='-10 10' armature='0.1' stiffness='2'/>
      <geom type='box' size='1 2 3' mass='2' zaxis='0 1 1'/><inertial mass='1' pos='0 0 1' diaginertia='1 1 1'/>
      <body pos='1 0 0' xyaxes='1 0 0 0 1 0'><joint name='k' type='ball'/><geom type='sphere' size='0.5'/></body></body></worldbody>
  <tendon><fixed name='t' stiffness='1'><joint joint='j' coef='2'/></fixed></tendon>
  <equality><connect body1='a' body2='b' anchor='0 0 1'/><joint joint1='j' polycoef='0 1'/></equality>
  <actuator><position name='p' joint='j' kp='2'/><general tendon='t' dyntype='filter' dynprm='0.1'/></actuator></mujoco>";

/// A text with a few random edits.
fn mutate(text: &str, random: &mut Random) -> String {
    let mut out: Vec<char> = text.chars().collect();
    let pieces = [
        "<", ">", "/>", "'", "\"", "&", "-", "0", "9", "e", "e300", ".", " ", "\n", "é", "\u{0}", "name",
        "body", "<a>",
    ];
    for _ in 0..1 + random.below(4) {
        if out.is_empty() {
            break;
        }
        let at = random.below(out.len());
        match random.below(5) {
            0 => {
                out.remove(at);
            }
            1 => {
                let n = (1 + random.below(40)).min(out.len() - at);
                out.drain(at..at + n);
            }
            2 => {
                let n = (1 + random.below(60)).min(out.len() - at);
                let copied: Vec<char> = out[at..at + n].to_vec();
                let to = random.below(out.len());
                out.splice(to..to, copied);
            }
            3 => {
                let piece = pieces[random.below(pieces.len())];
                out.splice(at..at, piece.chars());
            }
            _ => {
                // Another word of the text in this place: names that clash, numbers that are too many.
                let from = random.below(out.len());
                let n = (1 + random.below(12)).min(out.len() - from);
                let copied: Vec<char> = out[from..from + n].to_vec();
                let end = (at + n).min(out.len());
                out.splice(at..end, copied);
            }
        }
    }
    out.into_iter().collect()
}

fn check(text: &str, options: &ImportOptions) -> bool {
    let mut sources = Sources::new();
    let file = sources.add("a.xml", text);
    let (model, diagnostics) = import(file, &mut sources, &mut |_| None, options);
    assert_eq!(model.is_none(), diagnostics.has_errors(), "{text}");
    for d in &diagnostics {
        assert!(render(d, &sources, false).contains(d.code.0));
    }
    model.is_some()
}

#[test]
fn mutated_texts_are_read_or_refused() {
    for (sample, seed) in [(ROBOT, 1), (MECHANISM, 2)] {
        assert!(check(sample, &ImportOptions { loops: true, ..ImportOptions::default() }));
        let mut random = Random::new(seed);
        let mut n_read = 0;
        for k in 0..1500 {
            let (free_base, numeric) = (k % 2 == 0, k % 3 == 0);
            let options = ImportOptions { free_base, numeric, loops: true, ..ImportOptions::default() };
            n_read += usize::from(check(&mutate(sample, &mut random), &options));
        }
        assert!((50..1450).contains(&n_read), "{n_read} of 1500 texts were read");
    }
}

#[test]
fn deep_nesting_is_refused() {
    let bodies = "<body>".repeat(5000) + &"</body>".repeat(5000);
    assert!(!check(&format!("<mujoco><worldbody>{bodies}</worldbody></mujoco>"), &ImportOptions::default()));
    let frames = "<frame>".repeat(190) + &"</frame>".repeat(190);
    assert!(check(&format!("<mujoco><worldbody>{frames}</worldbody></mujoco>"), &ImportOptions::default()));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let mut sources = Sources::new();
        let file = sources.add("a", text);
        let (model, diagnostics) = import_urdf(file, &sources, &ImportOptions::default());
        prop_assert_eq!(model.is_none(), diagnostics.has_errors());
        let (model, diagnostics) = import_mjcf(file, &mut sources, &mut |_| None, &ImportOptions::default());
        prop_assert_eq!(model.is_none(), diagnostics.has_errors());
    }
}
