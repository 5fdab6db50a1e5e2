//! `run --open` and `run --watch`: the page in a browser, and again at each save.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::folder::Folder;

const SWING: &str = "model swing\ngravity = -9.81 [m/s^2] * N.z\n\
    body rod on N by rotate(y = q) { mass = 1 [kg]; inertia = (1, 1, 0) [kg*m^2]; center = (0, 0, -1) [m] }\n\
    start { q = 1 }\nsimulate { to = 1 [s], every = 0.1 [s] }\n";

/// A browser that notes what it is to show.
fn browser(folder: &Folder) -> String {
    folder.write("browser", "#!/bin/sh\nprintf %s \"$1\" > shown.part && mv shown.part shown\n");
    let path = folder.0.join("browser");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_string_lossy().into_owned()
}

fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Ends a command with the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn get(address: &str, path: &str, host: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    said
}

#[test]
fn open_shows_the_page() {
    let folder = Folder::with("open", "swing.mbs", SWING);
    let mut command = folder.command(&["run", "swing.mbs", "--open", "-q"]);
    assert!(command.env("BROWSER", browser(&folder)).status().unwrap().success());
    let shown = until("the browser is asked", || std::fs::read_to_string(folder.0.join("shown")).ok());
    assert_eq!(shown, "results/swing/report.html");
    let mut command = folder.command(&["run", "swing.mbs", "--open", "-q"]);
    assert!(command.env("BROWSER", "/nowhere/browser").status().unwrap().success(), "it is only told");
}

#[test]
fn watch_runs_again_at_each_save() {
    let folder = Folder::with("watch", "swing.mbs", SWING);
    let mut command = folder.command(&["run", "swing.mbs", "--watch", "--open"]);
    let command = command.env("BROWSER", browser(&folder)).stdout(Stdio::null()).stderr(Stdio::null());
    let _running = Ended(command.spawn().unwrap());
    let shown = until("the browser is asked", || std::fs::read_to_string(folder.0.join("shown")).ok());
    let address = shown.strip_prefix("http://").unwrap().strip_suffix('/').unwrap().to_string();
    let told = || get(&address, "/version", &address);
    assert!(told().ends_with("{\"problem\":null,\"version\":1}"), "{}", told());
    assert!(get(&address, "/", &address).contains("src=\"report.html\""));
    assert!(get(&address, "/report.html", &address).contains("<h1>swing</h1>"));

    folder.write("swing.mbs", &SWING.replace("model swing", "model other"));
    until("the second version", || told().contains("\"version\":2").then_some(()));
    assert!(get(&address, "/report.html", &address).contains("<h1>other</h1>"));

    folder.write("swing.mbs", &SWING.replace("start { q = 1 }", "start { z = 1 }"));
    until("the problem", || told().contains("\"problem\":\"").then_some(()));
    assert!(told().contains("\"version\":2"), "the last page stays");
    folder.write("swing.mbs", SWING);
    until("the third version", || told().contains("{\"problem\":null,\"version\":3}").then_some(()));

    // Another site under a name of its own, and files beside the page.
    assert!(get(&address, "/version", "elsewhere.example").starts_with("HTTP/1.1 403"));
    assert!(get(&address, "/../swing.mbs", &address).starts_with("HTTP/1.1 404"));
    assert!(get(&address, "/results.csv", &address).starts_with("HTTP/1.1 404"));
}

#[test]
fn watch_says_more_than_one_thing() {
    let folder = Folder::with("watch-json", "swing.mbs", SWING);
    let said = folder.cardan(&["run", "swing.mbs", "--watch", "--json"], 2);
    assert!(said.err.contains("--watch"), "{}", said.err);
}
