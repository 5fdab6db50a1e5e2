//! Robots written in the native language and read again move as before.

use crate::common;

use cardan_lang::{compile_text, write};
use cardan_model::Model;
use common::{State, accelerations, assert_close, robot, world};

const INERTIAL: &str = "<inertial><origin xyz='0.1 0.2 -0.3'/><mass value='2'/><inertia ixx='0.3' iyy='0.4' izz='0.5' ixy='0.01' ixz='-0.02' iyz='0.03'/></inertial>";

/// The model and what is read from its text have the same accelerations. Gives the text.
fn returns(model: &Model) -> String {
    let written = write(model);
    assert_eq!(written.left_out, [""; 0], "{}", written.text);
    let compiled = compile_text("written.mbs", &written.text);
    let again = compiled.model.unwrap_or_else(|| panic!("{:?}\n{}", compiled.diagnostics, written.text));
    assert_eq!(again.coordinates.len(), model.coordinates.len(), "{}", written.text);
    for seed in 1..4 {
        let before = accelerations(model, &State::random(model, seed));
        let after = accelerations(&again, &State::random(&again, seed));
        assert_close(&before, &after, 1e-10, &written.text);
    }
    written.text
}

/// Two links on one base; the second joint follows the first.
fn pair(first: &str, second: &str, mimic: &str) -> Model {
    robot(&format!(
        "<robot name='r'><link name='base'/><link name='a'>{INERTIAL}</link><link name='b'>{INERTIAL}</link>
         <joint name='ja' type='{first}'><parent link='base'/><child link='a'/><axis xyz='0 1 0'/></joint>
         <joint name='jb' type='{second}'><parent link='a'/><child link='b'/><axis xyz='0 -1 0'/>
           <mimic joint='ja' {mimic}/></joint></robot>"
    ))
}

#[test]
fn followers_return_as_motions_of_their_leader() {
    for (first, second, mimic) in [
        ("prismatic", "prismatic", ""),
        ("continuous", "continuous", ""),
        ("continuous", "continuous", "multiplier='-1'"),
        ("continuous", "continuous", "multiplier='-0.5' offset='0.3'"),
        ("continuous", "prismatic", ""),
        ("prismatic", "continuous", "multiplier='2'"),
    ] {
        let text = returns(&pair(first, second, mimic));
        assert!(text.contains("motion = "), "{text}");
    }
}

#[test]
fn coordinates_of_frames_inside_a_joint_have_names_of_their_own() {
    // The first hinge of two in one body becomes a frame, and is spoken of by a damper.
    let text = returns(&world(
        "<body name='torso'><freejoint/><geom type='sphere' size='0.1' mass='2'/>
           <body name='tail' pos='0 -0.1 0'>
             <joint name='tail' axis='0 0 1' pos='0 0.01 0' damping='0.2'/>
             <joint name='twist' axis='0 1 0' pos='0 0.01 0' damping='0.3'/>
             <geom type='box' size='0.01 0.2 0.03' mass='1'/></body></body>",
    ));
    assert!(text.contains("tail_u"), "{text}");
}
