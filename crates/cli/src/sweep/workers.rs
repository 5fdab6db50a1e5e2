//! The cores at work: each takes the next motion that nobody has, and what is finished goes to the journal at once.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

use cardan::sim::{Ensemble, Followed, Settings};
use cardan::sweep::SweepPlan;
use indicatif::{ProgressBar, ProgressStyle};

use crate::run::progress::{listen, stop_requested};
use crate::sweep::journal::{Entry, Journal};
use crate::sweep::shards::Shard;

/// Follows every motion, or every one of a shard, that is not in the journal; whether all are there at the end.
pub fn work(
    ensemble: &Ensemble,
    plan: &SweepPlan,
    settings: &Settings,
    journal: &mut Journal,
    threads: usize,
    speaks: bool,
    shard: Option<Shard>,
) -> io::Result<bool> {
    listen();
    let own = |k: &usize| shard.is_none_or(|s| s.has(*k));
    let all = (0..plan.len()).filter(own).count();
    let todo: Vec<usize> = (0..plan.len()).filter(own).filter(|k| !journal.entries.contains_key(k)).collect();
    let n = todo.len();
    let bar = (speaks && io::stderr().is_terminal()).then(|| {
        let style =
            ProgressStyle::with_template("  {bar:40.cyan/blue} {pos} of {len}  {per_sec}  {eta} left");
        let bar = ProgressBar::new(all as u64);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position((all - n) as u64);
        bar
    });
    let todo = Mutex::new(todo.into_iter());
    let stop = AtomicBool::new(false);
    let width = ensemble.columns().len();
    let (sender, receiver) = mpsc::channel::<(usize, Entry)>();
    let mut result = Ok(());
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, n.max(1)) {
            let (sender, todo, stop) = (sender.clone(), &todo, &stop);
            scope.spawn(move || {
                let mut next = std::iter::from_fn(|| {
                    if stop.load(Ordering::Relaxed) {
                        return None;
                    }
                    let member = todo.lock().unwrap_or_else(PoisonError::into_inner).next()?;
                    Some((member, plan.member(member)))
                });
                ensemble.follow(&mut next, settings, &mut |member, followed| {
                    let heard = sender.send((member, digest(&followed, width))).is_ok();
                    heard && !stop.load(Ordering::Relaxed)
                });
            });
        }
        drop(sender);
        for (member, entry) in receiver {
            if let Err(error) = journal.add(member, entry) {
                result = Err(error);
                stop.store(true, Ordering::Relaxed);
                break;
            }
            if let Some(bar) = &bar {
                bar.inc(1);
            }
            if stop_requested() {
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    result?;
    journal.sync()?;
    Ok((0..plan.len()).filter(own).all(|k| journal.entries.contains_key(&k)))
}

/// What is kept of a motion: for each column but the time its value at the end, its least and its greatest.
fn digest(followed: &Followed, width: usize) -> Entry {
    let rows = || followed.samples.chunks_exact(width);
    let finished = followed.ending.is_complete();
    let mut numbers = Vec::with_capacity(3 * (width - 1));
    for k in 1..width {
        let end = rows().next_back().filter(|_| finished).map_or(f64::NAN, |row| row[k]);
        let least = rows().map(|row| row[k]).fold(f64::NAN, f64::min);
        let greatest = rows().map(|row| row[k]).fold(f64::NAN, f64::max);
        numbers.extend([end, least, greatest]);
    }
    Entry { ending: followed.ending, reached: followed.reached, numbers }
}
