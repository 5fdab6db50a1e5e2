//! A session as bytes: saved here, restored in another process.
//!
//! Little-endian numbers of eight bytes: a mark, the fingerprint of the program, then lists that begin with their
//! lengths. Bytes of another model or another version are refused.

use cardan_solve::Method;

use super::exchange::Anchor;
use super::session::{Mark, Session, SessionError};
use crate::events::conditions::ConditionMemory;
use crate::nonsmooth::ModeMemory;

/// The first bytes of a saved session.
const MARK: &[u8; 8] = b"cardan02";
const METHODS: [Method; 6] =
    [Method::Auto, Method::Rk4, Method::Dopri5, Method::Dop853, Method::Radau5, Method::Bdf];

/// Fowler-Noll-Vo, 64 bits.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn count(&mut self, n: usize) {
        self.0.extend((n as u64).to_le_bytes());
    }
    fn numbers(&mut self, list: &[f64]) {
        self.count(list.len());
        list.iter().for_each(|x| self.0.extend(x.to_le_bytes()));
    }
    fn truths(&mut self, list: &[bool]) {
        self.numbers(&list.iter().map(|b| f64::from(u8::from(*b))).collect::<Vec<_>>());
    }
    fn text(&mut self, text: Option<&str>) {
        self.numbers(&text.map_or(vec![], |t| t.bytes().map(f64::from).collect()));
    }
}

struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn word(&mut self) -> Option<[u8; 8]> {
        let (first, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(*first)
    }
    fn numbers(&mut self) -> Option<Vec<f64>> {
        let n = usize::try_from(u64::from_le_bytes(self.word()?)).ok()?;
        if n > self.0.len() / 8 {
            return None;
        }
        (0..n).map(|_| Some(f64::from_le_bytes(self.word()?))).collect()
    }
    fn exactly(&mut self, n: usize) -> Option<Vec<f64>> {
        self.numbers().filter(|list| list.len() == n)
    }
    fn truths(&mut self) -> Option<Vec<bool>> {
        Some(self.numbers()?.into_iter().map(|x| x != 0.0).collect())
    }
}

/// A number that may be absent; none of those that are saved is undefined otherwise.
fn or_nan(x: Option<f64>) -> f64 {
    x.unwrap_or(f64::NAN)
}

fn known(x: f64) -> Option<f64> {
    (!x.is_nan()).then_some(x)
}

impl Session {
    fn fingerprint(&self) -> u64 {
        let events = self.simulation().events().map_or(String::new(), |e| e.program.to_string());
        fingerprint(&(self.simulation().program().to_string() + &events))
    }

    /// The session as bytes.
    pub fn save(&self) -> Vec<u8> {
        let mut out = Writer(MARK.to_vec());
        out.0.extend(self.fingerprint().to_le_bytes());
        out.numbers(&self.values.iter().map(|v| or_nan(*v)).collect::<Vec<_>>());
        out.numbers(&self.y);
        out.numbers(&self.mark.y);
        let method = self.method.and_then(|m| METHODS.iter().position(|other| *other == m));
        let is_break = f64::from(u8::from(self.mark.is_break));
        out.numbers(&[
            self.settings.from,
            self.energy,
            self.t,
            self.mark.t,
            or_nan(self.mark.step),
            is_break,
            or_nan(method.map(|m| m as f64)),
        ]);
        out.count(usize::from(self.conditions.is_some()));
        if let Some(c) = &self.conditions {
            [&c.numbers, &c.samples, &c.discretes].into_iter().for_each(|list| out.numbers(list));
            out.truths(&c.holds);
            out.truths(&c.held);
        }
        out.count(usize::from(self.modes.is_some()));
        if let Some(m) = &self.modes {
            out.truths(&m.free);
            out.numbers(&m.surfaces.iter().flat_map(|(k, since)| [*k as f64, *since]).collect::<Vec<_>>());
            out.count(m.discs.len());
            m.discs.iter().for_each(|disc| out.numbers(disc));
        }
        out.numbers(&self.anchor.as_ref().map_or(vec![], |a| [&[a.t], a.y.as_slice()].concat()));
        out.text(self.ended.as_deref());
        out.0
    }

    /// Goes on where a session of the same model was saved.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SessionError> {
        let restored = self.read(bytes).ok_or(SessionError::Foreign)?;
        *self = restored;
        Ok(())
    }

    fn read(&self, bytes: &[u8]) -> Option<Session> {
        let mut input = Reader(bytes.strip_prefix(MARK)?);
        if u64::from_le_bytes(input.word()?) != self.fingerprint() {
            return None;
        }
        let mut session = self.clone();
        let values = input.exactly(self.values.len())?;
        session.values = values.into_iter().map(known).collect();
        session.y = input.exactly(self.y.len())?;
        let y = input.exactly(self.y.len())?;
        let [from, energy, t, at, step, is_break, method] = input.exactly(7)?.try_into().ok()?;
        session.settings.from = from;
        (session.energy, session.t) = (energy, t);
        session.mark = Mark { t: at, y, step: known(step), is_break: is_break != 0.0 };
        session.continuation = None;
        session.method = known(method).and_then(|k| METHODS.get(k as usize).copied());
        session.conditions = match u64::from_le_bytes(input.word()?) {
            0 => None,
            _ => {
                let [numbers, samples, discretes] = [input.numbers()?, input.numbers()?, input.numbers()?];
                let (holds, held) = (input.truths()?, input.truths()?);
                let found = ConditionMemory { numbers, holds, held, samples, discretes };
                let same = |a: &ConditionMemory, b: &ConditionMemory| {
                    let lengths = |c: &ConditionMemory| {
                        [c.numbers.len(), c.holds.len(), c.held.len(), c.samples.len(), c.discretes.len()]
                    };
                    lengths(a) == lengths(b)
                };
                Some(found).filter(|f| self.conditions.as_ref().is_some_and(|own| same(f, own)))
            }
        };
        if session.conditions.is_some() != self.conditions.is_some() {
            return None;
        }
        session.modes = match u64::from_le_bytes(input.word()?) {
            0 => None,
            _ => {
                let free = input.truths()?;
                let surfaces = input.numbers()?;
                let surfaces = surfaces.chunks_exact(2).map(|pair| (pair[0] as usize, pair[1])).collect();
                let n = usize::try_from(u64::from_le_bytes(input.word()?)).ok()?;
                let discs = (0..n).map(|_| input.numbers()).collect::<Option<Vec<_>>>()?;
                Some(ModeMemory { free, surfaces, discs })
            }
        };
        session.anchor = match input.numbers()?.split_first() {
            None => None,
            Some((t, y)) if y.len() == self.y.len() => Some(Anchor { t: *t, y: y.to_vec() }),
            Some(_) => return None,
        };
        let ended = input.numbers()?;
        let ended: Vec<u8> = ended.into_iter().map(|x| x as u8).collect();
        session.ended = String::from_utf8(ended).ok().filter(|t| !t.is_empty());
        input.0.is_empty().then_some(session)
    }
}
