//! The order in which joints can be built: parents before children, leaders before followers.
//!
//! A joint that follows one further out along its own branch cannot wait for it; then the pair changes roles:
//!
//! ```text
//! [roles]   q_f = a q_l + b   =>   q_l = (q_f - b) / a
//! ```

use std::collections::{BTreeMap, BTreeSet};

use cardan_base::{Diagnostic, nearest};
use cardan_expr::Rational;

use super::read::{JointKind, Robot};
use crate::codes;
use crate::findings::Findings;

/// q = factor × the leader's q + offset.
pub(super) struct Following {
    /// Index of the joint that leads.
    pub leader: usize,
    pub factor: Rational,
    pub offset: Rational,
}

/// A joint to be built, or the root link.
pub(super) struct Order {
    /// Index of the root link.
    pub root: usize,
    /// Indices of joints, with what they follow.
    pub joints: Vec<(usize, Option<Following>)>,
}

/// The order of building; nothing if the joints do not make a tree.
pub(super) fn order(robot: &Robot, findings: &mut Findings) -> Option<Order> {
    let links = index(robot.links.iter().map(|l| (l.name.as_str(), l.span)), "links", findings);
    let joints = index(robot.joints.iter().map(|j| (j.name.as_str(), j.span)), "joints", findings);
    let mut carried: BTreeMap<usize, usize> = BTreeMap::new();
    for (k, joint) in robot.joints.iter().enumerate() {
        for (name, span) in [&joint.parent, &joint.child] {
            if !links.contains_key(name.as_str()) {
                let found = Diagnostic::error(codes::UNKNOWN_NAME, format!("no link is called `{name}`"))
                    .at(*span, "not found");
                findings.push(match nearest(name, links.keys().copied()) {
                    Some(near) => found.hint(format!("write `{near}`")),
                    None => found.hint(format!("add `<link name=\"{name}\"/>`")),
                });
            }
        }
        let Some(child) = links.get(joint.child.0.as_str()) else { continue };
        if let Some(first) = carried.insert(*child, k) {
            let message = format!("the link `{}` is carried by two joints", joint.child.0);
            let found = Diagnostic::error(codes::TREE, message)
                .at(joint.child.1, "carried here")
                .also(robot.joints[first].child.1, "and here")
                .because("a URDF describes a tree; a closed loop cannot be written in it");
            findings.push(found.hint("remove one of the joints"));
        }
    }
    if findings.has_errors() {
        return None;
    }
    let roots: Vec<usize> = (0..robot.links.len()).filter(|k| !carried.contains_key(k)).collect();
    let [root] = roots[..] else {
        findings.push(no_single_root(robot, &roots));
        return None;
    };
    let leaders = leaders(robot, &joints, findings)?;
    Some(Order { root, joints: visit(robot, &links, root, leaders, findings)? })
}

/// Names to indices; a name that occurs twice is reported.
fn index<'a>(
    names: impl Iterator<Item = (&'a str, cardan_base::Span)>,
    what: &str,
    findings: &mut Findings,
) -> BTreeMap<&'a str, usize> {
    let mut found = BTreeMap::new();
    let mut places = vec![];
    for (k, (name, span)) in names.enumerate() {
        places.push(span);
        if let Some(first) = found.get(name) {
            let message = format!("two {what} are called `{name}`");
            let d = Diagnostic::error(codes::DUPLICATE, message)
                .at(span, "this one")
                .also(places[*first], "and this one");
            findings.push(d.hint("rename one of them, and what refers to it"));
        } else {
            found.insert(name, k);
        }
    }
    found
}

fn no_single_root(robot: &Robot, roots: &[usize]) -> Diagnostic {
    match roots {
        [] if robot.links.is_empty() => Diagnostic::error(codes::TREE, "the robot has no links")
            .at(robot.span, "empty")
            .hint("add `<link name=\"base\"/>`"),
        [] => {
            Diagnostic::error(codes::TREE, "every link is carried by a joint, so the joints run in a circle")
                .at(robot.links[0].span, "for example this link")
                .hint("remove one of the joints")
        }
        [a, b, ..] => {
            let message = format!("{} links are carried by no joint", roots.len());
            let (a, b) = (&robot.links[*a], &robot.links[*b]);
            Diagnostic::error(codes::TREE, message)
                .at(b.span, "carried by no joint")
                .also(a.span, "nor is this one")
                .hint(format!("join `{}` to `{}` by a joint, for example a fixed one", b.name, a.name))
        }
        [_] => Diagnostic::error(codes::TREE, "the joints run in a circle").at(robot.span, "in this robot"),
    }
}

/// What each joint follows, if anything.
fn leaders(
    robot: &Robot,
    joints: &BTreeMap<&str, usize>,
    findings: &mut Findings,
) -> Option<BTreeMap<usize, Following>> {
    let mut out = BTreeMap::new();
    let mut failed = false;
    for (k, joint) in robot.joints.iter().enumerate() {
        let Some(mimic) = &joint.mimic else { continue };
        let (name, span) = &mimic.leader;
        if joint.kind == JointKind::Fixed {
            let one = Diagnostic::note(
                codes::LEFT_OUT,
                format!("the fixed joint `{}` follows nothing", joint.name),
            )
            .at(*span, "a fixed joint does not move")
            .hint("remove `<mimic>`, or let the joint move");
            findings.tally(one, "{n} fixed joints follow nothing");
            continue;
        }
        let leader = joints.get(name.as_str()).copied();
        let problem = match leader {
            None => Some(format!("no joint is called `{name}`")),
            Some(l) if l == k => Some(format!("the joint `{name}` follows itself")),
            Some(l) if !robot.joints[l].kind.is_single() => {
                Some(format!("a {} joint cannot be followed", robot.joints[l].kind.name()))
            }
            Some(_) if !joint.kind.is_single() => {
                Some(format!("a {} joint cannot follow", joint.kind.name()))
            }
            Some(_) => None,
        };
        match (problem, leader) {
            (None, Some(leader)) => {
                let (factor, offset) = (mimic.multiplier.clone(), mimic.offset.clone());
                out.insert(k, Following { leader, factor, offset });
            }
            (problem, _) => {
                failed = true;
                let message = problem.unwrap_or_default();
                let code = if leader.is_none() { codes::UNKNOWN_NAME } else { codes::FOLLOWER };
                let d = Diagnostic::error(code, message).at(*span, format!("followed by `{}`", joint.name));
                findings.push(d.hint("name a revolute, continuous or prismatic joint"));
            }
        }
    }
    (!failed).then_some(out)
}

/// Walks from the root outwards, taking each joint when its parent link and its leader are there.
fn visit(
    robot: &Robot,
    links: &BTreeMap<&str, usize>,
    root: usize,
    mut leaders: BTreeMap<usize, Following>,
    findings: &mut Findings,
) -> Option<Vec<(usize, Option<Following>)>> {
    let mut outward: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (k, joint) in robot.joints.iter().enumerate().rev() {
        if let Some(parent) = links.get(joint.parent.0.as_str()) {
            outward.entry(*parent).or_default().push(k);
        }
    }
    let mut waiting: Vec<usize> = outward.remove(&root).unwrap_or_default();
    let mut placed: BTreeSet<usize> = BTreeSet::new();
    let mut out = vec![];
    while !waiting.is_empty() {
        let ready = |k: &usize| leaders.get(k).is_none_or(|f| placed.contains(&f.leader));
        let at = match waiting.iter().rposition(ready) {
            Some(at) => at,
            None => {
                let at = waiting.len() - 1;
                exchange(robot, waiting[at], &mut leaders, findings)?;
                at
            }
        };
        let k = waiting.remove(at);
        placed.insert(k);
        out.push((k, leaders.remove(&k)));
        let child = links.get(robot.joints[k].child.0.as_str());
        waiting.extend(child.and_then(|c| outward.remove(c)).unwrap_or_default());
    }
    if out.len() < robot.joints.len() {
        let lost = robot.joints.iter().enumerate().find(|(k, _)| !placed.contains(k));
        let span = lost.map_or(robot.span, |(_, j)| j.span);
        let found = Diagnostic::error(codes::TREE, "some joints run in a circle apart from the root link");
        findings.push(found.at(span, "not reached from the root").hint("join them to the other links"));
        return None;
    }
    Some(out)
}

/// Lets joint `k` lead the joint that it was to follow. [roles]
fn exchange(
    robot: &Robot,
    k: usize,
    leaders: &mut BTreeMap<usize, Following>,
    findings: &mut Findings,
) -> Option<()> {
    let Following { leader, factor, offset } = leaders.remove(&k)?;
    let inverse = factor.recip().filter(|_| !leaders.contains_key(&leader));
    let Some(inverse) = inverse else {
        let (_, span) = robot.joints[k].mimic.as_ref().map(|m| &m.leader)?;
        let message = format!(
            "the joints `{}` and `{}` wait for each other",
            robot.joints[k].name, robot.joints[leader].name
        );
        let d = Diagnostic::error(codes::FOLLOWER, message)
            .at(*span, "this joint comes after its follower")
            .because("what is followed hangs on what follows, and the ratio cannot be inverted");
        findings.push(d.hint("let the outer joint follow the inner one"));
        return None;
    };
    let back = offset.mul(&inverse).neg();
    leaders.insert(leader, Following { leader: k, factor: inverse, offset: back });
    Some(())
}
