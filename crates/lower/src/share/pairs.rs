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

/// An element of a list: an item, perhaps subtracted, so many times.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Element {
    pub item: u32,
    pub negative: bool,
    pub times: u32,
}

/// Two items, the first smaller, and whether their signs differ.
type Pair = (u32, u32, bool);

/// Lists longer than this are not searched: sums of hundreds of terms have too many pairs.
const LONGEST: usize = 300;

struct Search<'l> {
    lists: &'l mut [Vec<Element>],
    counts: Map<Pair, u32>,
    /// The lists in which a pair was seen; it may have gone since.
    places: Map<Pair, Vec<u32>>,
    heap: BinaryHeap<(u32, Reverse<u32>, Reverse<Pair>)>,
    /// When each item becomes known: of equally frequent pairs the earlier is taken.
    ranks: Vec<u32>,
}

/// Names pairs that occur more than once. Items are numbered from 0; `ranks` has one entry for each. The pairs found are
/// new items, numbered on from there, in the order returned. Each list must be sorted by item, items distinct.
pub(crate) fn extract(lists: &mut [Vec<Element>], ranks: Vec<u32>) -> Vec<Pair> {
    let n_items = ranks.len();
    // What occurs once in all cannot be part of a frequent pair.
    let mut occurrences = vec![0u32; n_items];
    lists.iter().flatten().for_each(|e| occurrences[e.item as usize] += e.times);
    let mut search =
        Search { lists, counts: Map::default(), places: Map::default(), heap: BinaryHeap::new(), ranks };
    for l in 0..search.lists.len() {
        if search.lists[l].len() > LONGEST {
            continue;
        }
        let frequent: Vec<Element> =
            search.lists[l].iter().copied().filter(|e| occurrences[e.item as usize] > 1).collect();
        for (i, a) in frequent.iter().enumerate() {
            for b in &frequent[i..] {
                search.change(l, *a, *b, true);
            }
        }
    }
    search.heap = search.counts.iter().filter(|(_, n)| **n > 1).map(|(p, n)| search.entry(*p, *n)).collect();
    let mut found = vec![];
    while let Some((n, _, Reverse(pair))) = search.heap.pop() {
        let now = search.counts.get(&pair).copied().unwrap_or(0);
        if now < 2 {
            continue;
        }
        if now != n {
            search.heap.push(search.entry(pair, now));
            continue;
        }
        found.push(pair);
        search.name(pair);
    }
    found
}

fn pair(a: Element, b: Element) -> (Pair, u32) {
    let (a, b) = if a.item <= b.item { (a, b) } else { (b, a) };
    let times = if a.item == b.item { a.times / 2 } else { a.times.min(b.times) };
    ((a.item, b.item, a.negative != b.negative), times)
}

impl Search<'_> {
    fn entry(&self, pair: Pair, n: u32) -> (u32, Reverse<u32>, Reverse<Pair>) {
        let rank = self.ranks[pair.0 as usize].max(self.ranks[pair.1 as usize]);
        (n, Reverse(rank), Reverse(pair))
    }

    /// Counts a pair of one list in or out.
    fn change(&mut self, list: usize, a: Element, b: Element, add: bool) {
        let (pair, times) = pair(a, b);
        if times == 0 {
            return;
        }
        let count = self.counts.entry(pair).or_insert(0);
        if add {
            *count += times;
            self.places.entry(pair).or_default().push(list as u32);
        } else {
            *count = count.saturating_sub(times);
        }
    }

    /// Counts all pairs of the list that contain one of these items in or out.
    fn change_all(&mut self, list: usize, items: &[u32], add: bool) {
        let elements = self.lists[list].clone();
        for (i, a) in elements.iter().enumerate() {
            for b in &elements[i..] {
                if items.contains(&a.item) || items.contains(&b.item) {
                    self.change(list, *a, *b, add);
                    let (pair, _) = pair(*a, *b);
                    if let (true, Some(n)) = (add, self.counts.get(&pair).filter(|n| **n > 1)) {
                        self.heap.push(self.entry(pair, *n));
                    }
                }
            }
        }
    }

    /// Replaces a pair by a new item wherever it occurs.
    fn name(&mut self, chosen: Pair) {
        let (first, second, differ) = chosen;
        let item = self.ranks.len() as u32;
        self.ranks.push(self.ranks[first as usize].max(self.ranks[second as usize]));
        let mut places = self.places.remove(&chosen).unwrap_or_default();
        places.sort_unstable();
        places.dedup();
        for list in places {
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
        self.counts.remove(&chosen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(items: &[(u32, bool, u32)]) -> Vec<Element> {
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
