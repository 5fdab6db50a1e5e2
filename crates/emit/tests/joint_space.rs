//! Functions in joint space of a planar arm with two links, against their closed forms.

use cardan_base::Id;
use cardan_compile::choose;
use cardan_emit::{Fix, Functions, Question, Request, functions};
use cardan_lang::compile_text;
use cardan_program::{Execute, Interpreter};

/// Links of lengths 0.5 and 0.4 with masses 2 and 1.5 at their ends, turning about y; damping is linear in the speeds.
const ARM: &str = "
    gravity = -9.81 [m/s^2] * N.z
    particle first on N by revolute(y, q = a) { mass = 2 [kg]; center = (0.5, 0, 0) [m] }
    particle second on first by revolute(y, q = b) at (0.5, 0, 0) [m] { mass = 1.5 [kg]; center = (0.4, 0, 0) [m] }
    torque friction on second from first = -0.7 [N*m*s/rad] * der(b) * N.y
";

fn results(f: &Functions, values: &[f64], function: &str) -> Vec<f64> {
    let function = f.library.functions.iter().find(|g| g.name == function).unwrap();
    function.results[0].outputs.iter().map(|o| values[o.index()]).collect()
}

fn near(found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len(), "{found:?}");
    for (a, b) in found.iter().zip(wanted) {
        assert!((a - b).abs() < 1e-13, "{found:?} {wanted:?}");
    }
}

#[test]
fn an_arm_has_its_poses_jacobians_gravity_and_coriolis_matrix() {
    let model = compile_text("arm", ARM).model.unwrap();
    let choice = choose(&model, None).unwrap();
    let questions = vec![Question::Poses, Question::BodyJacobians, Question::Gravity, Question::Coriolis];
    let request = Request { questions, by: vec![], fix: Fix::Nothing };
    let f = functions(&choice, &request).unwrap();
    let layout = &choice.lowered.layout.inputs;
    let mut inputs = layout.defaults(f.program.inputs().len());
    let (a, b, da, db): (f64, f64, f64, f64) = (0.4, -0.9, 1.3, 0.8);
    inputs[layout.state()].copy_from_slice(&[a, b, da, db]);
    let mut y = vec![0.0; f.program.outputs().len()];
    Interpreter::new(&f.program).unwrap().run(f.program.all_stages(), &inputs, &mut y).unwrap();

    // A turn by the angle q about y takes x to (cos q, 0, -sin q).
    let pose = |q: f64, o: [f64; 3]| {
        let (s, c) = q.sin_cos();
        [c, 0.0, s, o[0], 0.0, 1.0, 0.0, o[1], -s, 0.0, c, o[2]]
    };
    let elbow = [0.5 * a.cos(), 0.0, -0.5 * a.sin()];
    near(&results(&f, &y, "poses"), &[pose(a, [0.0; 3]), pose(a + b, elbow)].concat());

    // The entries that are not zero: ω of the first by a', v of the second's origin (x, z) by a', its ω by both.
    let slopes = [1.0, -0.5 * a.sin(), -0.5 * a.cos(), 1.0, 1.0];
    near(&results(&f, &y, "body_jacobians"), &slopes);

    let second = -1.5 * 9.81 * 0.4 * (a + b).cos();
    let first = -(2.0 + 1.5) * 9.81 * 0.5 * a.cos() + second;
    near(&results(&f, &y, "gravity"), &[first, second]);

    // M. W. Spong, S. Hutchinson, M. Vidyasagar, Robot Modeling and Control, ch. 7: h = -m₂ l₁ l₂ sin b.
    let h = -1.5 * 0.5 * 0.4 * b.sin();
    near(&results(&f, &y, "coriolis"), &[h * db, h * (da + db), -h * da, 0.0]);
}
