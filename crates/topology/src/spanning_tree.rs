//! The spanning tree of a graph of joints.
//!
//! Every edge that is not in the tree is cut and costs constraints: six less its freedoms. A tree of the joints with the fewest
//! freedoms therefore has the fewest coordinates and the fewest constraints at once. It is grown from the ground by always taking the
//! cheapest edge that leaves it (Prim 1957), which is optimal whatever is done among equals; among equals the one nearest to the ground
//! is taken, so that chains are short and a loop is cut opposite to the ground, then the first in the text.

/// A joint between two nodes. Node 0 is the ground.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The first node.
    pub first: usize,
    /// The second node.
    pub second: usize,
    /// What the tree pays for it; the cheapest edges are kept.
    pub rank: (u8, usize),
}

/// How a node hangs in the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hold {
    /// The ground, or a node whose parent was given.
    Given,
    /// By this edge, from its first node to this one.
    Forward(usize),
    /// By this edge, from its second node to this one.
    Backward(usize),
    /// Nothing connects it to the ground.
    Loose,
}

/// The spanning tree: how each node hangs. `parents` gives the parent of each node that has one already; such a node can be reached
/// through its parent only.
pub fn span(parents: &[Option<usize>], edges: &[Edge]) -> Vec<Hold> {
    let mut holds = vec![Hold::Loose; parents.len()];
    let mut depth: Vec<Option<usize>> = vec![None; parents.len()];
    if let Some(ground) = depth.first_mut() {
        *ground = Some(0);
        holds[0] = Hold::Given;
    }
    loop {
        let hangs = |k: &usize| depth[*k].is_none() && parents[*k].is_some_and(|p| depth[p].is_some());
        if let Some(k) = (0..parents.len()).find(hangs) {
            depth[k] = parents[k].and_then(|p| depth[p]).map(|d| d + 1);
            holds[k] = Hold::Given;
            continue;
        }
        let enters = |inner: usize, outer: usize| {
            let free = depth[outer].is_none() && parents[outer].is_none();
            depth[inner].filter(|_| free)
        };
        let candidates = edges.iter().enumerate().flat_map(|(k, e)| {
            let forward = enters(e.first, e.second).map(|d| (e.rank, d, k, e.second, Hold::Forward(k)));
            let backward = enters(e.second, e.first).map(|d| (e.rank, d, k, e.first, Hold::Backward(k)));
            forward.into_iter().chain(backward)
        });
        let Some((_, d, _, node, hold)) = candidates.min_by_key(|(rank, d, k, ..)| (*rank, *d, *k)) else {
            return holds;
        };
        depth[node] = Some(d + 1);
        holds[node] = hold;
    }
}

#[cfg(test)]
mod tests {
    use crate::spanning_tree::*;

    fn edge(first: usize, second: usize, freedoms: usize) -> Edge {
        Edge { first, second, rank: (1, freedoms) }
    }

    #[test]
    fn a_four_bar_is_cut_opposite_to_the_ground() {
        let edges = [edge(0, 1, 1), edge(1, 2, 1), edge(2, 3, 1), edge(0, 3, 1)];
        let holds = span(&[None; 4], &edges);
        assert_eq!(holds, [Hold::Given, Hold::Forward(0), Hold::Forward(1), Hold::Forward(3)]);
    }

    #[test]
    fn the_joint_with_the_most_freedoms_is_cut() {
        for ball in 0..4 {
            let mut edges = [edge(0, 1, 1), edge(1, 2, 1), edge(2, 3, 1), edge(0, 3, 1)];
            edges[ball].rank.1 = 3;
            let holds = span(&[None; 4], &edges);
            let held = |k| holds.contains(&Hold::Forward(k)) || holds.contains(&Hold::Backward(k));
            assert_eq!((0..4).filter(|k| !held(*k)).collect::<Vec<_>>(), [ball]);
        }
    }

    #[test]
    fn the_tree_costs_as_little_as_any() {
        let mut seed = 7_u64;
        let mut random = |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % n
        };
        for _ in 0..200 {
            let n = 5;
            let edges: Vec<Edge> = (0..8)
                .map(|_| edge(random(n), random(n), random(7)))
                .filter(|e| e.first != e.second)
                .collect();
            let holds = span(&vec![None; n], &edges);
            if holds.contains(&Hold::Loose) {
                continue;
            }
            let cost = |k: usize| edges[k].rank.1;
            let found: usize = holds
                .iter()
                .map(|h| match h {
                    Hold::Forward(k) | Hold::Backward(k) => cost(*k),
                    _ => 0,
                })
                .sum();
            let connects = |set: usize| {
                let mut group: Vec<usize> = (0..n).collect();
                for (_, e) in edges.iter().enumerate().filter(|(k, _)| (set >> k) & 1 == 1) {
                    let (a, b) = (group[e.first], group[e.second]);
                    group.iter_mut().filter(|g| **g == b).for_each(|g| *g = a);
                }
                group.iter().all(|g| *g == group[0])
            };
            let trees =
                (0..1_usize << edges.len()).filter(|s| s.count_ones() as usize == n - 1 && connects(*s));
            let best =
                trees.map(|s| (0..edges.len()).filter(|k| (s >> k) & 1 == 1).map(cost).sum::<usize>()).min();
            assert_eq!(Some(found), best);
        }
    }

    #[test]
    fn what_has_a_parent_is_reached_through_it_alone() {
        // Node 2 hangs on node 1; the edge from the ground to 2 cannot hold it, so nothing holds 1.
        let holds = span(&[None, None, Some(1)], &[edge(0, 2, 1)]);
        assert_eq!(holds, [Hold::Given, Hold::Loose, Hold::Loose]);
        let holds = span(&[None, None, Some(1)], &[edge(0, 2, 1), edge(1, 0, 6)]);
        assert_eq!(holds, [Hold::Given, Hold::Backward(1), Hold::Given]);
    }
}
