//! Bounds of memory and time: what is too much is refused with its name, and what is large stays within them.

use std::process::{Command, Stdio};

use super::folder::{Folder, Said};

/// Runs a command under limits of address space, in MiB, and of seconds of the processor.
fn limited(folder: &Folder, words: &[&str], memory: u64, seconds: u64) -> Said {
    let limits = format!("ulimit -v {}; ulimit -t {seconds}; exec \"$0\" \"$@\"", memory << 10);
    let output = Command::new("sh")
        .args(["-c", &limits, env!("CARGO_BIN_EXE_cardan")])
        .args(words)
        .current_dir(&folder.0)
        .env("MALLOC_ARENA_MAX", "2")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.code().is_some(), "{words:?}: {}", output.status);
    Said::new(output)
}

fn refused(folder: &Folder, words: &[&str], sentence: &str) {
    let said = limited(folder, words, 1024, 10);
    assert!(matches!(said.code, 1..=3), "{words:?}: {}", said.code);
    assert!(said.err.contains(sentence), "{words:?}: {}", said.err);
}

#[test]
fn inclusions_do_not_multiply() {
    let folder = Folder::new("bounds-include");
    for k in 0..6 {
        let include = format!("<include file='{}.xml'/>", k + 1).repeat(10);
        folder.write(&format!("{k}.xml"), &format!("<mujoco>{include}<worldbody/></mujoco>"));
    }
    folder.write("6.xml", "<mujoco><worldbody/></mujoco>");
    refused(&folder, &["check", "0.xml"], "the file `6.xml` is included twice");
}

#[test]
fn derivatives_of_derivatives_do_not_double_without_end() {
    let mut text = String::from(
        "model p\nbody a on N by revolute(z, q = q) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }\nvariable x0 = sin(q)*cos(q)\n",
    );
    for k in 1..30 {
        text += &format!("variable x{k} = partial(x{0}*x{0}, q)\n", k - 1);
    }
    let folder = Folder::with("bounds-partial", "p.mbs", &format!("{text}output y = x29\n"));
    refused(&folder, &["check", "p.mbs"], "too large to be differentiated");
}

#[test]
fn sampled_blocks_have_a_shortest_period() {
    let text = "model p\nbody a on N by revolute(z, q = q) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }\n\
                discrete n = 0\nevery 1e-9 [s] { n := n + 1 }\nsimulate { to = 1 [s] }\n";
    let folder = Folder::with("bounds-every", "p.mbs", text);
    refused(&folder, &["run", "p.mbs"], "`every 1e-9 [s]` happens 1.0e9 times until t = 1 s");
}

#[test]
fn samples_and_linearizations_are_counted_first() {
    let mut text = String::from(
        "model o\nparticle p on N by translate(x = x) { mass = 1 [kg] }\nstart { der(x) = 1 [m/s] }\nsimulate { to = 1 [s] }\n",
    );
    let folder = Folder::with("bounds-samples", "o.mbs", &text);
    refused(&folder, &["linearize", "o.mbs", "--to", "1", "--every", "1e-5"], "at most 10000");
    (0..50_000).for_each(|k| text += &format!("output o{k} = {k}*x\n"));
    folder.write("o.mbs", &text);
    refused(&folder, &["run", "o.mbs"], "50006 columns every 0.001 s are 5.0e7 numbers");
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_not_read() {
    let folder = Folder::new("bounds-devices");
    assert!(Command::new("mkfifo").arg(folder.0.join("pipe.mbs")).status().unwrap().success());
    for file in ["/dev/zero", "/dev/urandom", "pipe.mbs"] {
        for verb in ["check", "run", "fmt"] {
            refused(&folder, &[verb, file], "is a device or a pipe, not a file");
        }
    }
}

/// Bodies that nothing joins: the work grows with their number, not with its cube.
#[test]
fn many_bodies_are_checked_within_bounds() {
    let body = |k: usize| {
        format!(
            "body b{k} on N by revolute(y, q = q{k}) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; center = (0, 0, -1) [m] }}\n"
        )
    };
    let text: String = (0..2000).map(body).collect();
    let folder = Folder::with("bounds-bodies", "b.mbs", &format!("gravity = -9.81 [m/s^2] * N.z\n{text}"));
    let said = limited(&folder, &["check", "b.mbs"], 1024, 20);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("2000 bodies"), "{}", said.out);
}
