//! `cargo xtask fuzz`: mutated texts and robots through every verb of the command, each under limits of memory and time.
//!
//! A text that `check` refuses goes through one other verb; a text that it accepts goes through all of them. A case fails where the
//! command panics, dies by a signal, needs more than the limits, or ends with a code that it does not document. The input of a failed
//! case is saved together with the words of the command. The same seed gives the same cases, whatever the number of threads.
//!
//! - `corpus`: what is mutated; `mutation`: how; `invocation`: one command under limits.

mod corpus;
mod invocation;
mod mutation;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use corpus::{Corpus, Kind};
use invocation::{Ending, Invocation};
use mutation::{Random, mutate};

/// What the command line asks for.
struct Request {
    texts: usize,
    robots: usize,
    data_sets: usize,
    seconds: Option<u64>,
    seed: u64,
    threads: usize,
    command: PathBuf,
}

const USAGE: &str = "usage: cargo xtask fuzz [--texts N] [--robots N] [--adams N] [--seconds S] [--seed N] [--threads N] [--command FILE]";

/// Verbs with their words; FILE stands for the input. A motion is short: what a long one takes is the choice of its text.
const VERBS: [&[&str]; 21] = [
    &["run", "FILE", "--quiet", "--to", "0.02", "--figures", "svg"],
    &["show", "model", "FILE"],
    &["show", "topology", "FILE"],
    &["show", "kinematics", "FILE"],
    &["show", "equations", "FILE"],
    &["show", "program", "FILE"],
    &["equilibrium", "FILE"],
    &["linearize", "FILE"],
    &["modes", "FILE"],
    &["kinematics", "FILE", "--to", "0.02"],
    &["inverse", "FILE", "--motion", "q=0", "--to", "0.02"],
    &["verify", "FILE", "--to", "0.02"],
    &["sweep", "FILE", "--vary", "q=0,0.1", "--to", "0.02", "--fresh"],
    &["count", "FILE"],
    &["emit", "FILE", "--target", "c"],
    &["emit", "FILE", "--target", "python", "--program"],
    &["document", "FILE", "--format", "latex"],
    &["document", "FILE", "--format", "html"],
    &["document", "FILE", "--format", "rtf"],
    &["import", "FILE", "--to", "mbs", "--json"],
    &["fmt", "FILE"],
];

/// A prime by which cases of all kinds are mixed.
const STRIDE: usize = 7919;

/// What has happened so far.
#[derive(Default)]
struct Tally {
    cases: BTreeMap<&'static str, usize>,
    invocations: BTreeMap<String, usize>,
    accepted: usize,
    stopped: usize,
    failures: Vec<String>,
}

/// Runs the fuzzer with the words after `fuzz`.
pub fn run(words: &[&str]) -> ExitCode {
    let prepared = request(words).and_then(|request| Ok((Corpus::load()?, request)));
    let (corpus, request) = match prepared {
        Ok(prepared) => prepared,
        Err(message) => {
            eprintln!("fuzz: {message}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let tally = Mutex::new(Tally::default());
    let next = AtomicUsize::new(0);
    let begin = Instant::now();
    let deadline = request.seconds.map(|s| begin + Duration::from_secs(s));
    std::thread::scope(|scope| {
        for worker in 0..request.threads {
            let (tally, next, request, corpus) = (&tally, &next, &request, &corpus);
            scope.spawn(move || {
                let folder = folder().join(format!("worker-{}-{worker}", std::process::id()));
                loop {
                    let case = next.fetch_add(1, Ordering::Relaxed);
                    let late = deadline.is_some_and(|d| Instant::now() >= d);
                    if late || case >= request.texts + request.robots + request.data_sets {
                        break;
                    }
                    Case::new(request, corpus, case).run(&folder, tally);
                }
                let _ = fs::remove_dir_all(&folder);
            });
        }
    });
    let Ok(tally) = tally.into_inner() else { return ExitCode::FAILURE };
    let count = |kind: &str| tally.cases.get(kind).copied().unwrap_or(0);
    println!(
        "fuzz: {} texts, {} robots, {} data sets, {} accepted by check, {} invocations ({} stopped on request) in {:.0} s, {} failures",
        count("mbs") + count("lsp"),
        count("urdf") + count("xml"),
        count("adm"),
        tally.accepted,
        tally.invocations.values().sum::<usize>(),
        tally.stopped,
        begin.elapsed().as_secs_f64(),
        tally.failures.len(),
    );
    let verbs: Vec<String> = tally.invocations.iter().map(|(verb, n)| format!("{verb} {n}")).collect();
    println!("fuzz: {}", verbs.join(", "));
    tally.failures.iter().for_each(|failure| eprintln!("fuzz: {failure}"));
    if tally.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Where the inputs of cases are written.
fn folder() -> PathBuf {
    Path::new("target").join("fuzz")
}

fn request(words: &[&str]) -> Result<Request, String> {
    // The command that was built together with this program.
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join("cardan")));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let command = beside.unwrap_or_default();
    let mut request =
        Request { texts: 1000, robots: 200, data_sets: 200, seconds: None, seed: 1, threads, command };
    let mut words = words.iter();
    while let Some(option) = words.next() {
        let value = words.next().ok_or_else(|| format!("{option} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("`{value}` is no whole number"));
        match *option {
            "--texts" => request.texts = number()? as usize,
            "--robots" => request.robots = number()? as usize,
            "--adams" => request.data_sets = number()? as usize,
            "--seconds" => request.seconds = Some(number()?),
            "--seed" => request.seed = number()?,
            "--threads" => request.threads = (number()? as usize).max(1),
            "--command" => request.command = PathBuf::from(value),
            other => return Err(format!("there is no option `{other}`")),
        }
    }
    request.command = request
        .command
        .canonicalize()
        .map_err(|e| format!("{}: {e}; `cargo build --release` makes it", request.command.display()))?;
    Ok(request)
}

/// One mutated input.
struct Case<'a> {
    number: usize,
    name: String,
    bytes: Vec<u8>,
    kind: Kind,
    random: Random,
    command: &'a Path,
}

impl<'a> Case<'a> {
    /// Texts, robots and data sets are mixed, so that a run that ends early has seen all.
    fn new(request: &'a Request, corpus: &Corpus, number: usize) -> Case<'a> {
        let mut random = Random::new(request.seed, number as u64);
        let all = (request.texts + request.robots + request.data_sets).max(1);
        let place = (number * STRIDE) % all;
        let list = match () {
            () if place < request.robots => &corpus.robots,
            () if place < request.robots + request.data_sets => &corpus.data_sets,
            () => &corpus.texts,
        };
        let seed = random.pick(list);
        let bytes = mutate(&mut random, &seed.bytes, list);
        let name = format!("case.{}", seed.kind.ending());
        Case { number, name, bytes, kind: seed.kind, random, command: &request.command }
    }

    fn run(mut self, folder: &Path, tally: &Mutex<Tally>) {
        let _ = fs::remove_dir_all(folder);
        let written =
            fs::create_dir_all(folder).and_then(|()| fs::write(folder.join(&self.name), &self.bytes));
        if let Err(error) = written {
            return note(tally, |t| t.failures.push(format!("{}: {error}", folder.display())));
        }
        note(tally, |t| *t.cases.entry(self.kind.ending()).or_default() += 1);
        let accepted = self.invoke(&["check", "FILE"], folder, tally) == Some(0);
        if accepted {
            note(tally, |t| t.accepted += 1);
            for verb in VERBS {
                self.invoke(verb, folder, tally);
            }
        } else {
            let verb = *self.random.pick(&VERBS);
            self.invoke(verb, folder, tally);
        }
    }

    /// One command; its exit code, if it has one that is documented.
    fn invoke(&self, words: &[&str], folder: &Path, tally: &Mutex<Tally>) -> Option<i32> {
        let words: Vec<&str> = words.iter().map(|w| if *w == "FILE" { &self.name } else { *w }).collect();
        let ending = Invocation { command: self.command, words: &words, folder }.run();
        let verb = if words[0] == "show" { format!("show {}", words[1]) } else { words[0].to_owned() };
        note(tally, |t| *t.invocations.entry(verb).or_default() += 1);
        match ending {
            Ending::Documented(code) => Some(code),
            Ending::Stopped => {
                note(tally, |t| t.stopped += 1);
                Some(3)
            }
            Ending::Failed(reason) => {
                let saved = super::fuzz::folder().join("failures");
                let file = saved.join(format!("{}-{}", self.number, self.name));
                let _ = fs::create_dir_all(&saved).and_then(|()| fs::write(&file, &self.bytes));
                let failure = format!("{reason}\n  cardan {}\n  {}", words.join(" "), file.display());
                eprintln!("fuzz: {failure}");
                note(tally, |t| t.failures.push(failure));
                None
            }
        }
    }
}

fn note(tally: &Mutex<Tally>, change: impl FnOnce(&mut Tally)) {
    if let Ok(mut tally) = tally.lock() {
        change(&mut tally);
    }
}
