//! `cardan run --watch`: the model again at each save, and its page at an address of this machine.
//!
//! A page in a file may not look for another version of itself. A server of three answers
//! therefore shows it in a frame: `/` is a page that asks `/version` again and again, and loads
//! the frame, `/report.html`, anew when the answer is another one. The server listens on the
//! loopback interface alone, and refuses requests under another name than that of this machine, so
//! that no page of another site can read the results.

pub(crate) mod browser;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::arguments::Run;
use crate::exit::{Outcome, Problem};
use crate::run::{Finished, once, progress};
use crate::terminal::Terminal;

/// The page around the page.
const FRAME: &str = include_str!("watch.html");
/// Between two looks at the files.
const LOOK: Duration = Duration::from_millis(200);
/// A file that was just written may be written further: a run waits until nothing changed for this
/// long.
const SETTLE: Duration = Duration::from_millis(60);
/// A request has this many bytes and seconds.
const REQUEST: (u64, Duration) = (8192, Duration::from_secs(2));
/// Endings of files beside the model that may be part of it.
const PARTS: [&str; 7] = ["mbs", "csv", "lsp", "adm", "urdf", "xml", "c"];

/// What the server tells.
#[derive(Default)]
struct Served {
    /// Counts the runs.
    version: u64,
    /// Why the last run has no page.
    problem: Option<String>,
    page: Option<PathBuf>,
}

/// Runs until somebody asks to stop.
pub fn watch(terminal: &Terminal, arguments: &Run) -> Result<Outcome, Problem> {
    if terminal.json {
        return Err(Problem::usage("`--watch` runs again and again, and `--json` says one thing")
            .hint("leave out one of the two"));
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .map_err(|e| Problem::failed(format!("no page can be served on this machine: {e}")))?;
    let port = listener.local_addr().map_err(Problem::failed)?.port();
    let served = Arc::new(Mutex::new(Served::default()));
    let answers = Arc::clone(&served);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answers = Arc::clone(&answers);
            // Browsers open connections in advance and leave them idle: none may keep another one
            // waiting. A reader that goes away takes its answer with it.
            std::thread::spawn(move || answer(stream, port, &answers));
        }
    });
    progress::listen();
    let address = format!("http://127.0.0.1:{port}/");
    let mut seen = stamps(arguments);
    run_again(terminal, arguments, &served);
    terminal.print(&format!("watching {}; the page is at {address}\n", arguments.file.display()));
    if arguments.open {
        browser::open(terminal, address.as_ref());
    }
    while !progress::stop_requested() {
        std::thread::sleep(LOOK);
        let mut now = stamps(arguments);
        if now == seen {
            continue;
        }
        loop {
            std::thread::sleep(SETTLE);
            let later = stamps(arguments);
            if later == now {
                break;
            }
            now = later;
        }
        seen = now;
        run_again(terminal, arguments, &served);
    }
    Ok(Outcome::Done)
}

/// Runs the model once more and tells the server what came of it.
fn run_again(terminal: &Terminal, arguments: &Run, served: &Mutex<Served>) {
    let ended = once(terminal, arguments);
    let mut state = served.lock().unwrap_or_else(PoisonError::into_inner);
    match ended {
        Ok(Finished { outcome, page }) => {
            state.version += 1;
            state.page = Some(page);
            state.problem = (outcome != Outcome::Done).then(|| "it did not reach its end".into());
        }
        Err(problem) => {
            terminal.problem(&problem);
            let said = if problem.message.is_empty() { "see the terminal".into() } else { problem.message };
            state.problem = Some(said);
        }
    }
}

/// The files of a run with the times of their last change: the model, what is bound to it, and
/// what lies beside it.
fn stamps(arguments: &Run) -> Vec<(PathBuf, Option<SystemTime>, u64)> {
    let folder = arguments.file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_part = |path: &PathBuf| {
        path.extension().and_then(|e| e.to_str()).is_some_and(|e| PARTS.contains(&e.to_lowercase().as_str()))
    };
    let beside = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).filter(is_part);
    let bound = arguments.bind.iter().filter_map(|b| Some(PathBuf::from(b.split_once('=')?.1)));
    let mut files: Vec<PathBuf> = beside.chain(bound).chain([arguments.file.clone()]).collect();
    files.sort();
    files.dedup();
    let stamp = |path: PathBuf| {
        let found = std::fs::metadata(&path).ok();
        (path, found.as_ref().and_then(|m| m.modified().ok()), found.map_or(0, |m| m.len()))
    };
    files.into_iter().map(stamp).collect()
}

/// Answers one request.
fn answer(stream: TcpStream, port: u16, served: &Mutex<Served>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(REQUEST.1))?;
    stream.set_write_timeout(Some(REQUEST.1))?;
    let mut lines = BufReader::new((&stream).take(REQUEST.0)).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let mut host = String::new();
    for line in lines {
        let line = line?;
        match line.split_once(':') {
            _ if line.is_empty() => break,
            Some((name, value)) if name.eq_ignore_ascii_case("host") => host = value.trim().to_string(),
            _ => {}
        }
    }
    let is_here = [format!("127.0.0.1:{port}"), format!("localhost:{port}")].contains(&host);
    let (status, kind, body) = match first.split(' ').collect::<Vec<_>>()[..] {
        ["GET", path, _] if is_here => content(path, &served.lock().unwrap_or_else(PoisonError::into_inner)),
        _ => ("403 Forbidden", "text/plain", b"this page is for the machine that made it\n".to_vec()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    );
    (&stream).write_all(head.as_bytes())?;
    (&stream).write_all(&body)
}

fn content(path: &str, served: &Served) -> (&'static str, &'static str, Vec<u8>) {
    let page = || served.page.as_ref().and_then(|page| std::fs::read(page).ok());
    match path {
        "/" => ("200 OK", "text/html", FRAME.as_bytes().to_vec()),
        "/version" => {
            let told = json!({ "version": served.version, "problem": served.problem });
            ("200 OK", "application/json", told.to_string().into_bytes())
        }
        "/report.html" => match page() {
            Some(bytes) => ("200 OK", "text/html", bytes),
            None => ("200 OK", "text/html", b"<!doctype html><p>There is no result yet.</p>\n".to_vec()),
        },
        _ => ("404 Not Found", "text/plain", b"there is nothing here\n".to_vec()),
    }
}
