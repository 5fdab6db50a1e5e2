//! What a thread whose formalism was given up does for the one that goes on: it has time, the other has none.
//!
//! The work is handed over as a value, and what comes of it does not depend on who does it: work that nobody took by the time it is needed,
//! its owner does. An offer may be made early, by one that leads; if others turn out to be near, it is withdrawn before any of them can leave.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Work `W` whose outcome is `R`, of several owners of whom one goes on in the end.
pub(crate) struct Errand<W, R> {
    /// By owner.
    works: Mutex<Vec<Work<W, R>>>,
    changed: Condvar,
}

enum Work<W, R> {
    /// It may come.
    Awaited,
    Offered(W),
    /// Someone is at it.
    Taken,
    Done(R),
    /// Its owner is gone.
    Void,
}

/// One that may hand work over until it is dropped.
pub(crate) struct Owner<'e, W, R> {
    errand: &'e Errand<W, R>,
    number: usize,
}

type Works<'e, W, R> = MutexGuard<'e, Vec<Work<W, R>>>;

impl<W, R> Errand<W, R> {
    /// With so many owners.
    pub fn new(n_owners: usize) -> Self {
        let works = (0..n_owners).map(|_| Work::Awaited).collect();
        Errand { works: Mutex::new(works), changed: Condvar::new() }
    }

    /// The owner with this number.
    pub fn owner(&self, number: usize) -> Owner<'_, W, R> {
        Owner { errand: self, number }
    }

    /// Each is replaced as a whole: they are sound whoever panicked.
    fn works(&self) -> Works<'_, W, R> {
        self.works.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'e>(&self, works: Works<'e, W, R>) -> Works<'e, W, R> {
        self.changed.wait(works).unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, owner: usize, work: Work<W, R>) {
        let before = std::mem::replace(&mut self.works()[owner], work);
        self.changed.notify_all();
        // What is given up is dropped while nobody waits for it.
        drop(before);
    }

    /// Waits for work and does it; returns when there is none to come.
    pub fn run(&self, work: impl FnOnce(W) -> R) {
        let mut works = self.works();
        loop {
            if let Some(owner) = works.iter().position(|w| matches!(w, Work::Offered(_)))
                && let Work::Offered(found) = std::mem::replace(&mut works[owner], Work::Taken)
            {
                drop(works);
                let fall = Fall(self, owner);
                let outcome = work(found);
                self.set(owner, Work::Done(outcome));
                std::mem::forget(fall);
                return;
            }
            if !works.iter().any(|w| matches!(w, Work::Awaited)) {
                return;
            }
            works = self.wait(works);
        }
    }
}

/// Whoever does the work and panics leaves nothing to wait for.
struct Fall<'e, W, R>(&'e Errand<W, R>, usize);

impl<W, R> Drop for Fall<'_, W, R> {
    fn drop(&mut self) {
        self.0.set(self.1, Work::Void);
    }
}

impl<W, R> Owner<'_, W, R> {
    /// Hands work over.
    pub fn offer(&self, work: W) {
        self.errand.set(self.number, Work::Offered(work));
    }

    /// Takes back what nobody may do yet.
    pub fn withdraw(&self) {
        self.errand.set(self.number, Work::Awaited);
    }

    /// What came of the work that was handed over: waited for where someone is at it, done here where nobody is.
    pub fn outcome(&self, work: impl FnOnce(W) -> R) -> Option<R> {
        let mut works = self.errand.works();
        while matches!(works[self.number], Work::Taken) {
            works = self.errand.wait(works);
        }
        match std::mem::replace(&mut works[self.number], Work::Void) {
            Work::Offered(found) => {
                drop(works);
                Some(work(found))
            }
            Work::Done(outcome) => Some(outcome),
            Work::Awaited | Work::Taken | Work::Void => None,
        }
    }
}

impl<W, R> Drop for Owner<'_, W, R> {
    fn drop(&mut self) {
        self.errand.set(self.number, Work::Void);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_is_done_once() {
        for has_help in [true, false] {
            let errand = Errand::new(1);
            let owner = errand.owner(0);
            let outcome = std::thread::scope(|scope| {
                if has_help {
                    scope.spawn(|| errand.run(|n: i32| 2 * n));
                }
                owner.offer(21);
                let outcome = owner.outcome(|n| 2 * n);
                drop(owner);
                outcome
            });
            assert_eq!(outcome, Some(42));
        }
    }

    #[test]
    fn offers_of_those_that_leave_are_forgotten() {
        let errand: Errand<i32, i32> = Errand::new(2);
        let [first, second] = [0, 1].map(|k| errand.owner(k));
        second.offer(2);
        // It led, and took its time to say so.
        first.offer(1);
        drop(first);
        errand.run(|n| 10 * n);
        assert_eq!(second.outcome(|_| 0), Some(20));
        drop(second);
        errand.run(|_| panic!("nobody is left to offer anything"));
    }

    #[test]
    fn a_panic_leaves_nothing_to_wait_for() {
        let errand: Errand<i32, i32> = Errand::new(1);
        let owner = errand.owner(0);
        owner.offer(1);
        std::thread::scope(|scope| {
            let fallen = scope.spawn(|| errand.run(|_| panic!("on purpose")));
            assert!(fallen.join().is_err());
        });
        assert_eq!(owner.outcome(|n| n), None);
    }
}
