//! The most frequent pair, again and again.
//!
//! Given lists of elements (the terms of sums, the factors of products), the pair that occurs in most lists is
//! given a name and replaced by it wherever it occurs, until no pair occurs twice. This is the usual
//! greedy elimination of common parts of operations that are associative and commutative (Breuer 1969,
//! "Generation of optimal code for expressions via factorization").
//!
//! Counts are kept up to date list by list, so the work is proportional to the number of pairs.

use std::collections::BinaryHeap;

use cardan_base::Map;
use smallvec::SmallVec;

/// An element of a list: an item, perhaps subtracted, so many times.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Element {
    pub item: u32,
    pub negative: bool,
    pub times: u32,
}

/// The terms of a sum, the factors of a product.
pub(crate) type List = SmallVec<[Element; 4]>;

/// Two items, the first smaller, and whether their signs differ.
type Pair = (u32, u32, bool);

/// Lists longer than this are not searched: sums of hundreds of terms have too many pairs.
const LONGEST: usize = 300;

/// A pair in one word, in the same order.
type Key = u64;

fn key((a, b, differ): Pair) -> Key {
    u64::from(a) << 33 | u64::from(b) << 1 | u64::from(differ)
}

fn unkeyed(key: Key) -> Pair {
    ((key >> 33) as u32, (key >> 1) as u32, key & 1 == 1)
}

/// How often a pair occurs, and where the list of its places begins.
#[derive(Clone, Copy)]
struct Found {
    count: u32,
    places: u32,
}

/// The end of a list of places.
const END: u32 = u32::MAX;

struct Search<'l> {
    lists: &'l mut [List],
    counts: Counts,
    /// Which items occur once in all: no pair of theirs will ever occur twice, since naming others makes none more frequent.
    rare: Vec<bool>,
}

/// How often pairs occur and where.
struct Counts {
    pairs: Map<Key, Found>,
    /// The lists in which pairs were seen, each with the next place of its pair; a pair may have gone since.
    places: Vec<(u32, u32)>,
    heap: BinaryHeap<Entry>,
    /// When each item becomes known: of equally frequent pairs the earlier is taken.
    ranks: Vec<u32>,
}

/// How often a pair occurred once, when it becomes known and which it is, in one word: the more frequent is larger, of two the one known
/// earlier, then the smaller. No two are alike unless they say the same, so they leave the heap in one order however they came.
type Entry = u128;

/// Names pairs that occur more than once. Items are numbered from 0; `ranks` has one entry for each. The pairs found are
/// new items, numbered on from there, in the order returned. Each list must be sorted by item, items distinct.
pub(crate) fn extract(lists: &mut [List], ranks: Vec<u32>) -> Vec<Pair> {
    let mut occurrences = vec![0u32; ranks.len()];
    lists.iter().flatten().for_each(|e| occurrences[e.item as usize] += e.times);
    let rare: Vec<bool> = occurrences.iter().map(|n| *n < 2).collect();
    let counts = Counts::of(lists, &rare, ranks);
    let mut search = Search { lists, counts, rare };
    let mut found = vec![];
    while let Some(entry) = search.counts.heap.pop() {
        let (n, key) = ((entry >> 96) as u32, !(entry as Key));
        let now = search.counts.pairs.get(&key).map_or(0, |p| p.count);
        if now < 2 {
            continue;
        }
        if now != n {
            let entry = search.counts.entry(key, now);
            search.counts.heap.push(entry);
            continue;
        }
        found.push(unkeyed(key));
        search.name(key);
    }
    found
}

fn pair(a: Element, b: Element) -> (Key, u32) {
    let (a, b) = if a.item <= b.item { (a, b) } else { (b, a) };
    let times = if a.item == b.item { a.times / 2 } else { a.times.min(b.times) };
    (key((a.item, b.item, a.negative != b.negative)), times)
}

impl Counts {
    /// Counts all pairs but those of rare items.
    fn of(lists: &[List], rare: &[bool], ranks: Vec<u32>) -> Counts {
        // Pair, list and times in one word: quick to sort.
        let mut seen: Vec<u128> = Vec::with_capacity(4 * lists.len());
        let mut frequent = List::new();
        for (l, list) in lists.iter().enumerate().filter(|(_, list)| list.len() <= LONGEST) {
            frequent.clear();
            for e in list.iter().filter(|e| !rare[e.item as usize]) {
                frequent.push(*e);
            }
            let mut see = |a: Element, b: Element| {
                let (key, times) = pair(a, b);
                seen.push(u128::from(key) << 64 | (l as u128) << 32 | u128::from(times));
            };
            for (i, a) in frequent.iter().enumerate() {
                if a.times > 1 {
                    see(*a, *a);
                }
                frequent[i + 1..].iter().for_each(|b| see(*a, *b));
            }
        }
        seen.sort_unstable();
        let mut counts = Counts { pairs: Map::default(), places: vec![], heap: BinaryHeap::new(), ranks };
        let mut pairs = vec![];
        for same in seen.chunk_by(|a, b| a >> 64 == b >> 64) {
            let count = same.iter().map(|word| *word as u32).sum();
            if count < 2 {
                continue;
            }
            let mut found = Found { count, places: END };
            for word in same {
                counts.places.push(((word >> 32) as u32, found.places));
                found.places = counts.places.len() as u32 - 1;
            }
            pairs.push(((same[0] >> 64) as Key, found));
        }
        let entries: Vec<Entry> = pairs.iter().map(|(key, found)| counts.entry(*key, found.count)).collect();
        counts.heap = entries.into();
        // Naming some brings about as many others.
        counts.pairs.reserve(2 * pairs.len());
        counts.pairs.extend(pairs);
        counts
    }

    fn entry(&self, key: Key, n: u32) -> Entry {
        let (a, b, _) = unkeyed(key);
        let rank = self.ranks[a as usize].max(self.ranks[b as usize]);
        u128::from(n) << 96 | u128::from(!rank) << 64 | u128::from(!key)
    }

    /// Counts a pair of one list in or out.
    fn change(&mut self, list: usize, a: Element, b: Element, add: bool) {
        let (key, times) = pair(a, b);
        if times == 0 {
            return;
        }
        if add {
            let found = self.pairs.entry(key).or_insert(Found { count: 0, places: END });
            found.count += times;
            self.places.push((list as u32, found.places));
            found.places = self.places.len() as u32 - 1;
            let count = found.count;
            if count > 1 {
                let entry = self.entry(key, count);
                self.heap.push(entry);
            }
        } else if let Some(found) = self.pairs.get_mut(&key) {
            found.count = found.count.saturating_sub(times);
        }
    }
}

impl Search<'_> {
    /// Counts all pairs of the list that contain one of these elements in or out, but for the pair that is being named: it is forgotten
    /// afterwards.
    fn change_all(&mut self, list: usize, own: &[Element], named: (u32, u32), add: bool) {
        for e in self.lists[list].iter().filter(|e| !self.rare[e.item as usize]) {
            if own.iter().all(|a| a.item != e.item) {
                own.iter().for_each(|a| self.counts.change(list, *a, *e, add));
            }
        }
        for (i, a) in own.iter().enumerate() {
            for b in own[i..].iter().filter(|b| (a.item, b.item) != named) {
                self.counts.change(list, *a, *b, add);
            }
        }
    }

    /// Replaces a pair by a new item wherever it occurs.
    fn name(&mut self, chosen: Key) {
        let (first, second, differ) = unkeyed(chosen);
        let item = self.counts.ranks.len() as u32;
        let rank = |item: u32| self.counts.ranks[item as usize];
        self.counts.ranks.push(rank(first).max(rank(second)));
        self.rare.push(false);
        let mut lists: Vec<u32> = vec![];
        let mut place = self.counts.pairs.get(&chosen).map_or(END, |p| p.places);
        while let Some((list, next)) = self.counts.places.get(place as usize) {
            lists.push(*list);
            place = *next;
        }
        lists.sort_unstable();
        lists.dedup();
        for list in lists {
            let list = list as usize;
            let find = |item: u32| self.lists[list].iter().position(|e| e.item == item);
            let (Some(i), Some(j)) = (find(first), find(second)) else { continue };
            let (a, b) = (self.lists[list][i], self.lists[list][j]);
            let (_, times) = pair(a, b);
            if times == 0 || (a.negative != b.negative) != differ {
                continue;
            }
            let own = if i == j { &[a][..] } else { &[a, b] };
            self.change_all(list, own, (first, second), false);
            let elements = &mut self.lists[list];
            elements[i].times -= times;
            elements[j].times -= times;
            let mut own: SmallVec<[Element; 3]> = SmallVec::new();
            own.extend([i, j].into_iter().take(if i == j { 1 } else { 2 }).map(|k| elements[k]));
            own.retain(|e| e.times > 0);
            own.push(Element { item, negative: a.negative, times });
            elements.retain(|e| e.times > 0);
            elements.push(Element { item, negative: a.negative, times });
            self.change_all(list, &own, (first, second), true);
        }
        self.counts.pairs.remove(&chosen);
    }
}

#[cfg(test)]
mod tests {
    use crate::cse::pairs::*;

    fn list(items: &[(u32, bool, u32)]) -> List {
        items
            .iter()
            .map(|(item, negative, times)| Element { item: *item, negative: *negative, times: *times })
            .collect()
    }

    #[test]
    fn the_most_frequent_pair_goes_first() {
        // abc, abd, abe, cd: ab is item 5
        let mut lists = vec![
            list(&[(0, false, 1), (1, false, 1), (2, false, 1)]),
            list(&[(0, false, 1), (1, false, 1), (3, false, 1)]),
            list(&[(0, false, 1), (1, false, 1), (4, false, 1)]),
            list(&[(2, false, 1), (3, false, 1)]),
        ];
        assert_eq!(extract(&mut lists, vec![0; 5]), [(0, 1, false)]);
        assert_eq!(lists[0], list(&[(2, false, 1), (5, false, 1)]));
        assert_eq!(lists[3], list(&[(2, false, 1), (3, false, 1)]));
    }

    #[test]
    fn opposite_differences_are_the_same() {
        // a - b + c and b - a + d share a - b
        let mut lists = vec![
            list(&[(0, false, 1), (1, true, 1), (2, false, 1)]),
            list(&[(0, true, 1), (1, false, 1), (3, false, 1)]),
        ];
        assert_eq!(extract(&mut lists, vec![0; 4]), [(0, 1, true)]);
        assert_eq!(lists[0], list(&[(2, false, 1), (4, false, 1)]));
        assert_eq!(lists[1], list(&[(3, false, 1), (4, true, 1)]));
    }

    #[test]
    fn a_sum_and_a_difference_are_not_the_same() {
        let mut lists = vec![list(&[(0, false, 1), (1, false, 1)]), list(&[(0, false, 1), (1, true, 1)])];
        assert!(extract(&mut lists, vec![0; 2]).is_empty());
    }

    #[test]
    fn powers_are_made_by_squaring() {
        // x^8 = ((x^2)^2)^2
        let mut lists = vec![list(&[(0, false, 8)])];
        assert_eq!(extract(&mut lists, vec![0]), [(0, 0, false), (1, 1, false)]);
        assert_eq!(lists[0], list(&[(2, false, 2)]));
    }
}
