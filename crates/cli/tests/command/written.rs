//! What emitted code says of what it needs and of what was decided for it.

use super::folder::Folder;

const MODEL: &str = "model tunnel
external function drag(v [km/h], end [m]) [N] \"measured in the tunnel\"
parameter k = 3 [N/m] \"stiffness\", m = 2 [kg]
particle p on N by translate(x = x) { mass = m }
force f on p.cm = -(k*x + drag(p.u, x))*N.x
output v = velocity(p.cm)
simulate { to = 1 [s], every = 0.1 [s] }
";

/// Every word of the declaration is in the header of every language, and in the document.
#[test]
fn functions_of_the_user_are_described() {
    let folder = Folder::with("written-functions", "tunnel.mbs", MODEL);
    for (target, file, prototype) in [
        ("c", "tunnel.h", "double drag(double v, double end);"),
        ("cpp", "tunnel.hpp", "double drag(double v, double end);"),
        ("rust", "tunnel.rs", "fn drag(&self, v: f64, end: f64) -> f64;"),
        ("fortran", "tunnel.f90", "pure function drag(v, end_2) result(y)"),
        ("fortran77", "tunnel.f", "EXTERNAL DRAG"),
        ("python", "tunnel.py", "an object `external`"),
        ("matlab", "tunnel_setup.m", "drag("),
        ("wasm", "tunnel.txt", "env.drag("),
    ] {
        folder.cardan(&["emit", "tunnel.mbs", "--target", target, "-o", target], 0);
        let text = folder.read(&format!("{target}/{file}"));
        assert!(text.contains(prototype), "{target}\n{text}");
        assert!(
            text.contains("[km/h]") && text.contains(") [N]: measured in the tunnel"),
            "{target}\n{text}"
        );
        assert!(!text.contains("p_2"), "{target}: one array has one name");
    }
    folder.cardan(&["document", "tunnel.mbs", "-o", "tunnel.tex"], 0);
    let text = folder.read("tunnel.tex");
    assert!(text.contains("measured in the tunnel & N & v [km/h], end [m]"), "{text}");
    assert!(text.contains("v_{\\mathrm{x}}"), "the component of an output has its axis below it\n{text}");
}

#[test]
fn building_a_program_names_the_file_of_the_user() {
    let folder = Folder::with("written-build", "tunnel.mbs", MODEL);
    for (target, file, line) in [
        ("c", "tunnel_main.c", "cc -O2 tunnel.c tunnel_main.c external.c -o tunnel_main -lm"),
        ("fortran", "tunnel_main.f90", "tunnel_main.f90 external.f90 -o tunnel_main"),
        ("fortran77", "tunnel_main.f", "tunnel.f tunnel_main.f external.f"),
        ("rust", "tunnel_main.rs", "The file external.rs is the user's"),
        ("python", "tunnel_main.py", "The file external.py is the user's"),
    ] {
        folder.cardan(&["emit", "tunnel.mbs", "--target", target, "--program", "-o", target], 0);
        let text = folder.read(&format!("{target}/{file}"));
        assert!(text.contains(line) && text.contains("[km/h]"), "{target}\n{text}");
        let known = folder.read(&format!("{target}/tunnel_defaults.par"));
        assert!(known.lines().any(|l| l == "#x = 0.0"), "starts have values\n{known}");
    }
}

#[test]
fn what_is_fixed_is_in_the_header() {
    let folder = Folder::with("written-fixed", "tunnel.mbs", MODEL);
    folder.cardan(&["emit", "tunnel.mbs", "--target", "c", "--fix", "k=31[N/m],m", "-o", "c"], 0);
    let text = folder.read("c/tunnel.h");
    assert!(text.contains("//   k = 31 [N/m] stiffness\n//   m = 2 [kg]\n"), "{text}");
    let said = folder.cardan(&["emit", "tunnel.mbs", "--target", "c", "--what", "jacobian"], 1);
    assert!(said.err.contains("leave `jacobian` out of --what"), "{}", said.err);
}
