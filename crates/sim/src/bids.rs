//! Where threads that compete meet: each says what it offers and waits for the others, round by round.
//!
//! Whoever leaves is waited for no longer, also if it leaves by a panic. What everyone hears in a round depends on what was said in it and on
//! nothing else, so decisions made by it do not depend on timing.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A meeting of several.
pub(crate) struct Meeting {
    members: Mutex<Vec<Member>>,
    changed: Condvar,
}

/// What one has said in each round so far, and whether it is gone.
#[derive(Default)]
struct Member {
    offers: Vec<u64>,
    is_gone: bool,
}

/// A place in a meeting, left when it is dropped.
pub(crate) struct Seat<'m> {
    meeting: &'m Meeting,
    number: usize,
}

impl Meeting {
    /// With so many seats.
    pub fn new(n: usize) -> Meeting {
        let members = (0..n).map(|_| Member::default()).collect();
        Meeting { members: Mutex::new(members), changed: Condvar::new() }
    }

    /// The seat with this number.
    pub fn seat(&self, number: usize) -> Seat<'_> {
        Seat { meeting: self, number }
    }

    /// The lists hold plain numbers: they are sound whoever panicked.
    fn members(&self) -> MutexGuard<'_, Vec<Member>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat<'_> {
    /// Which one this is.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Makes an offer, then waits for those of all others that are still there. All offers of the round, by seat.
    pub fn offer(&self, offer: u64) -> Vec<(usize, u64)> {
        self.say(offer);
        self.hear()
    }

    /// Makes an offer. Whether others are still waited for, none of those that were heard so far being better: then there is time for work that
    /// pays if it stays so.
    pub fn say(&self, offer: u64) -> bool {
        let mut members = self.meeting.members();
        let own = &mut members[self.number].offers;
        own.push(offer);
        let round = own.len() - 1;
        self.meeting.changed.notify_all();
        let is_missing = |m: &Member| !m.is_gone && m.offers.len() <= round;
        let is_best = members.iter().filter_map(|m| m.offers.get(round)).all(|other| offer <= *other);
        is_best && members.iter().any(is_missing)
    }

    /// Waits until all others that are still there have said something in the round of the last offer. All offers of that round, by seat.
    pub fn hear(&self) -> Vec<(usize, u64)> {
        let mut members = self.meeting.members();
        let round = members[self.number].offers.len().saturating_sub(1);
        while members.iter().any(|m| !m.is_gone && m.offers.len() <= round) {
            members = self.meeting.changed.wait(members).unwrap_or_else(PoisonError::into_inner);
        }
        let offers = members.iter().enumerate().filter_map(|(k, m)| Some((k, *m.offers.get(round)?)));
        offers.collect()
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.meeting.members()[self.number].is_gone = true;
        self.meeting.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_hear_the_same_and_nobody_waits_for_who_is_gone() {
        let meeting = Meeting::new(4);
        let heard: Vec<_> = std::thread::scope(|scope| {
            let rounds = [vec![5, 3], vec![7], vec![], vec![6, 2, 1]];
            let attend = |(k, offers): (usize, Vec<u64>)| {
                let seat = meeting.seat(k);
                scope.spawn(move || offers.into_iter().map(|o| seat.offer(o)).collect::<Vec<_>>())
            };
            let threads: Vec<_> = rounds.into_iter().enumerate().map(attend).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        let first = vec![(0, 5), (1, 7), (3, 6)];
        let second = vec![(0, 3), (3, 2)];
        assert_eq!(heard[0], [first.clone(), second.clone()]);
        assert_eq!(heard[1], std::slice::from_ref(&first));
        assert_eq!(heard[3], [first, second, vec![(3, 1)]]);
    }

    #[test]
    fn who_leads_has_time_while_others_are_missing() {
        let meeting = Meeting::new(3);
        let [a, b, c] = [0, 1, 2].map(|k| meeting.seat(k));
        assert!(a.say(5), "nothing better was heard, and two are missing");
        assert!(!b.say(7), "the first is better");
        assert!(!c.say(4), "nobody is missing");
        for seat in [&a, &b, &c] {
            assert_eq!(seat.hear(), [(0, 5), (1, 7), (2, 4)]);
        }
    }

    #[test]
    fn a_panic_leaves_the_seat() {
        let meeting = Meeting::new(2);
        std::thread::scope(|scope| {
            let seat = meeting.seat(0);
            let fallen = scope.spawn(move || {
                let _seat = seat;
                panic!("on purpose");
            });
            assert_eq!(meeting.seat(1).offer(4), [(1, 4)]);
            assert!(fallen.join().is_err());
        });
    }
}
