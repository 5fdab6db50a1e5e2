//! The most frequent pair, again and again.
//!
//! Given lists of elements (the terms of sums, the factors of products), the pair that occurs in most lists is
//! given a name and replaced by it wherever it occurs, until no pair occurs twice. This is the usual
//! greedy elimination of common parts of operations that are associative and commutative (Breuer 1969,
//! "Generation of optimal code for expressions via factorization").
//!
//! Counts are kept up to date list by list, so the work is proportional to the number of pairs.

use std::cmp::Reverse;
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
    pairs: Map<Key, Found>,
    /// The lists in which pairs were seen, each with the next place of its pair; a pair may have gone since.
    places: Vec<(u32, u32)>,
    heap: BinaryHeap<(u32, Reverse<u32>, Reverse<Key>)>,
    /// When each item becomes known: of equally frequent pairs the earlier is taken.
    ranks: Vec<u32>,
    /// Which items occur once in all: no pair of theirs will ever occur twice, since naming others makes none more frequent.
    rare: Vec<bool>,
}

/// Names pairs that occur more than once. Items are numbered from 0; `ranks` has one entry for each. The pairs found are
/// new items, numbered on from there, in the order returned. Each list must be sorted by item, items distinct.
pub(crate) fn extract(lists: &mut [List], ranks: Vec<u32>) -> Vec<Pair> {
    let mut search =
        Search { places: vec![], pairs: Map::default(), heap: BinaryHeap::new(), ranks, rare: vec![], lists };
    search.count();
    let mut found = vec![];
    while let Some((n, _, Reverse(key))) = search.heap.pop() {
        let now = search.pairs.get(&key).map_or(0, |p| p.count);
        if now < 2 {
            continue;
        }
        if now != n {
            search.heap.push(search.entry(key, now));
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

impl Search<'_> {
    fn entry(&self, key: Key, n: u32) -> (u32, Reverse<u32>, Reverse<Key>) {
        let (a, b, _) = unkeyed(key);
        let rank = self.ranks[a as usize].max(self.ranks[b as usize]);
        (n, Reverse(rank), Reverse(key))
    }

    /// Counts all pairs but those of rare items.
    fn count(&mut self) {
        let mut occurrences = vec![0u32; self.ranks.len()];
        self.lists.iter().flatten().for_each(|e| occurrences[e.item as usize] += e.times);
        self.rare = occurrences.iter().map(|n| *n < 2).collect();
        // Pair, list and times in one word: quick to sort.
        let mut seen: Vec<u128> = vec![];
        let mut frequent = List::new();
        for (l, list) in self.lists.iter().enumerate().filter(|(_, list)| list.len() <= LONGEST) {
            frequent.clear();
            for e in list.iter().filter(|e| !self.rare[e.item as usize]) {
                frequent.push(*e);
            }
            for (i, a) in frequent.iter().enumerate() {
                for b in &frequent[i..] {
                    let (key, times) = pair(*a, *b);
                    if times > 0 {
                        seen.push(u128::from(key) << 64 | (l as u128) << 32 | u128::from(times));
                    }
                }
            }
        }
        seen.sort_unstable();
        for same in seen.chunk_by(|a, b| a >> 64 == b >> 64) {
            let count = same.iter().map(|word| *word as u32).sum();
            if count < 2 {
                continue;
            }
            let mut found = Found { count, places: END };
            for word in same {
                self.places.push(((word >> 32) as u32, found.places));
                found.places = self.places.len() as u32 - 1;
            }
            let key = (same[0] >> 64) as Key;
            self.pairs.insert(key, found);
            let entry = self.entry(key, count);
            self.heap.push(entry);
        }
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

    /// Counts all pairs of the list that contain one of these items in or out.
    fn change_all(&mut self, list: usize, items: &[u32], add: bool) {
        let mut elements = List::new();
        for e in self.lists[list].iter().filter(|e| !self.rare[e.item as usize]) {
            elements.push(*e);
        }
        let has = |e: &Element| items.contains(&e.item);
        let own: SmallVec<[usize; 3]> = (0..elements.len()).filter(|i| has(&elements[*i])).collect();
        for (i, a) in elements.iter().enumerate() {
            if has(a) {
                elements[i..].iter().for_each(|b| self.change(list, *a, *b, add));
            } else {
                own.iter().filter(|j| **j > i).for_each(|j| self.change(list, *a, elements[*j], add));
            }
        }
    }

    /// Replaces a pair by a new item wherever it occurs.
    fn name(&mut self, chosen: Key) {
        let (first, second, differ) = unkeyed(chosen);
        let item = self.ranks.len() as u32;
        self.ranks.push(self.ranks[first as usize].max(self.ranks[second as usize]));
        self.rare.push(false);
        let mut lists: Vec<u32> = vec![];
        let mut place = self.pairs.get(&chosen).map_or(END, |p| p.places);
        while let Some((list, next)) = self.places.get(place as usize) {
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
            self.change_all(list, &[first, second], false);
            self.lists[list][i].times -= times;
            self.lists[list][j].times -= times;
            self.lists[list].retain(|e| e.times > 0);
            self.lists[list].push(Element { item, negative: a.negative, times });
            self.change_all(list, &[first, second, item], true);
        }
        self.pairs.remove(&chosen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
