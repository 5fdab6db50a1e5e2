//! The joint graph of a text, and its spanning tree as statements.
//!
//! A body without `on` is carried by joints between points, `joint NAME between P and Q by revolute(z)` or `joint NAME = revolute(P, Q,
//! axis = z)`. They are read into a typed [`JointGraph`], [`choose`](cardan_topology::choose) finds the tree and the cut joints, and
//! statements are made of both: a joint of the tree becomes a [`Mount`], a cut one constraints or a frame with a weld (`cut_joint_frame`).
//! A frame that is fixed on such a body stands for it (`fixed_frame`).

use std::collections::{BTreeMap, BTreeSet};

use cardan_base::{Diagnostic, Diagnostics, Id, Span, nearest};
use cardan_syntax::{
    Argument, Body, Call, Expr, ExprKind, Joint, Name, Path, Statement, StatementKind, Text, print_statement,
};
use cardan_topology::{Attachment, ClosingPart, CutForm, JointEdge, JointGraph, NodeId, Topology};

use crate::codes;
use crate::joints::catalogue;
use crate::joints::higher_pairs;
use crate::names::name_usage::mentioned;
use crate::topology::cut_joint_frame::{CutJoint, carried};
use crate::topology::fixed_frame::{undone, with_origin};
use crate::topology::joint_forms::{Motions, opened};

/// How a body without `on` is held.
pub struct Mount {
    /// The joint.
    pub joint: Name,
    /// Its statement.
    pub span: Span,
    /// The point on which it hangs.
    pub base: Expr,
    /// The point of the body itself, by components; its origin if there is none.
    pub own: Option<Expr>,
    /// Whether those components stand in the braces of the body.
    pub inside: bool,
    /// Whether the body is the first of the joint, so that the motion is seen from the other side.
    pub reversed: bool,
    /// The motions.
    pub calls: Vec<Call>,
    /// Whether somebody asks for its force or torque.
    pub tells: bool,
}

/// A text with the choice of its tree made.
#[derive(Default)]
pub struct SpannedText {
    /// What stands in the place of some statements, by their number.
    replaced: BTreeMap<usize, Vec<Statement>>,
    /// How the bodies without `on` are held, by name.
    pub mounts: BTreeMap<String, Mount>,
}

impl SpannedText {
    /// The statements with the choice made.
    pub fn statements<'t>(&'t self, all: &[&'t Statement]) -> Vec<&'t Statement> {
        let mut out = vec![];
        for (k, statement) in all.iter().enumerate() {
            match self.replaced.get(&k) {
                Some(others) => out.extend(others),
                None => out.push(*statement),
            }
        }
        out
    }
}

/// Where a point of a joint lies in its body.
#[derive(Clone)]
enum Own {
    Origin,
    At(Expr, bool),
    Unknown,
}

/// One end of a joint.
struct End {
    node: usize,
    expr: Expr,
    own: Own,
    /// How the axes that the joint goes by are turned in the body, if it names a frame that is fixed there.
    turn: Option<Turn>,
}

/// A fixed turn, and the one that undoes it.
#[derive(Clone)]
struct Turn {
    forth: Call,
    back: Call,
}

/// A joint that may hold or close.
struct Candidate {
    /// The statement.
    statement: usize,
    name: Name,
    description: Option<Text>,
    span: Span,
    ends: [End; 2],
    calls: Vec<Call>,
    /// Whether it was written with `between`, so that no closing form stands in the text.
    linked: bool,
    /// Whether the text asks for its force or torque.
    tells: bool,
}

struct Reader<'a> {
    nodes: BTreeMap<&'a str, usize>,
    bodies: Vec<Option<&'a Body>>,
    points: BTreeMap<&'a str, &'a cardan_syntax::Point>,
}

/// Spans the joint graph of a text by a tree.
pub fn span(
    all: &[&Statement],
    ground: &str,
    incomplete: bool,
    diagnostics: &mut Diagnostics,
) -> SpannedText {
    let loose = |s: &&&Statement| matches!(&s.kind, StatementKind::Body(b) if is_loose(b));
    let graphic = |s: &&Statement| matches!(s.kind, StatementKind::Link(_) | StatementKind::Cut(_));
    let any_loose = all.iter().any(|s| loose(&s));
    if !any_loose && !all.iter().any(graphic) {
        return SpannedText::default();
    }
    let reader = Reader::of(all, ground);
    let mut candidates = reader.candidates(all, any_loose, diagnostics);
    let cuts = cuts(all, &candidates, diagnostics);
    let graph = reader.joint_graph(&mut candidates, all, ground, &cuts);
    let Topology { attachments, cut_joints } = cardan_topology::choose(&graph);
    let mut spanned = SpannedText::default();
    for (node, attachment) in attachments.iter().enumerate() {
        let Some(body) = reader.bodies[node] else { continue };
        let (k, reversed) = match attachment {
            Attachment::Given => continue,
            Attachment::Loose => {
                if is_loose(body) && !incomplete {
                    nothing_holds(body, ground, diagnostics);
                }
                continue;
            }
            Attachment::Joint { joint, reversed } => (joint.index(), *reversed),
        };
        let c = &candidates[k];
        let outer = if reversed { 0 } else { 1 };
        if let Some(span) = cuts.get(&c.name.text) {
            let d = Diagnostic::error(codes::LOOSE, format!("the joint `{}` cannot be cut", c.name.text));
            let d = d.at(*span, "").because(format!("nothing else holds `{}`", body.name.text));
            diagnostics.push(d.hint("remove it from `cut`, or add a joint that holds the body"));
        }
        let (own, inside) = match c.ends[outer].own.clone() {
            Own::Origin => (None, false),
            Own::At(e, inside) => (Some(e), inside),
            Own::Unknown => {
                no_components(body, &c.ends[outer].expr, diagnostics);
                continue;
            }
        };
        spanned.replaced.insert(c.statement, vec![]);
        spanned.mounts.insert(
            body.name.text.clone(),
            Mount {
                joint: c.name.clone(),
                span: c.span,
                base: c.ends[1 - outer].expr.clone(),
                own,
                inside,
                reversed,
                calls: c.seen_from(outer),
                tells: c.tells,
            },
        );
    }
    let taken: BTreeSet<&str> = reader.nodes.keys().copied().collect();
    for cut in cut_joints {
        let c = &candidates[cut.joint.index()];
        let statements = match cut.form {
            // What closes the loop stands in the text.
            CutForm::Constraints(_) if !c.linked => continue,
            CutForm::Constraints(parts) => c.closing(&parts),
            CutForm::Frame if !c.linked && !graph.joints[cut.joint].needs_coordinates => continue,
            CutForm::Frame => {
                let (statements, frame, mount) = carried(&c.cut(), &taken);
                spanned.mounts.insert(frame, mount);
                statements
            }
        };
        spanned.replaced.insert(c.statement, statements);
    }
    // What is left says nothing more, or an error has been told about it.
    for (k, _) in all.iter().enumerate().filter(|(_, s)| graphic(s)) {
        spanned.replaced.entry(k).or_default();
    }
    spanned
}

fn is_loose(body: &Body) -> bool {
    body.parent.is_none() && body.joints.is_empty() && body.at.is_none()
}

fn nothing_holds(body: &Body, ground: &str, diagnostics: &mut Diagnostics) {
    let name = &body.name.text;
    let d = Diagnostic::error(codes::LOOSE, format!("nothing holds `{name}`")).at(body.name.span, "");
    let d = d.because("it names no parent with `on`, and no joint connects it to the ground");
    let inner = body.content.iter().find_map(|s| match &s.kind {
        StatementKind::Body(inner) => Some(&inner.name.text),
        _ => None,
    });
    let whole = format!("`body {name} on {ground} by revolute(y) at (0, 0, 0) [m] {{ … }}`");
    diagnostics.push(match inner {
        Some(inner) => d.hint(format!(
            "bodies stand side by side and name their parents: {whole}, `body {inner} on {name} by …`"
        )),
        None => d.hint(format!("write {whole}, with the joint that it has, or `by free`")),
    });
}

fn no_components(body: &Body, point: &Expr, diagnostics: &mut Diagnostics) {
    let name = &body.name.text;
    let message = format!("`{name}` is held by a point that is not given by components");
    let d = Diagnostic::error(codes::LOOSE, message).at(point.span, "");
    let d = d.because("the place of the body follows from that of the point");
    diagnostics.push(
        d.hint(format!("write `point P = (0, 0, 0) [m]` into the braces of `{name}`, and `{name}.P` here")),
    );
}

/// The joints that are to be cut, with the place that says so.
fn cuts(
    all: &[&Statement],
    candidates: &[Candidate],
    diagnostics: &mut Diagnostics,
) -> BTreeMap<String, Span> {
    let mut cuts = BTreeMap::new();
    for statement in all {
        let StatementKind::Cut(paths) = &statement.kind else { continue };
        for path in paths {
            let name = path.as_name().map_or("", |n| n.text.as_str());
            if candidates.iter().any(|c| c.name.text == name) {
                cuts.insert(name.to_owned(), path.span);
                continue;
            }
            let d = Diagnostic::error(codes::UNKNOWN_NAME, "there is no such joint between two bodies");
            let d = d.at(path.span, "");
            diagnostics.push(match nearest(name, candidates.iter().map(|c| c.name.text.as_str())) {
                Some(near) => d.hint(format!("write `{near}`")),
                None => d.hint("name a `joint … between … and … by …`"),
            });
        }
    }
    cuts
}

impl<'a> Reader<'a> {
    fn of(all: &[&'a Statement], ground: &'a str) -> Self {
        let mut reader =
            Reader { nodes: BTreeMap::from([(ground, 0)]), bodies: vec![None], points: BTreeMap::new() };
        for statement in all {
            match &statement.kind {
                StatementKind::Body(body) => {
                    reader.nodes.entry(&body.name.text).or_insert(reader.bodies.len());
                    reader.bodies.push(Some(body));
                }
                StatementKind::Point(point) => {
                    reader.points.entry(&point.name.text).or_insert(point);
                }
                _ => {}
            }
        }
        reader
    }

    /// The parent of each node that names one. An unknown one is the ground until the names are resolved.
    fn parents(&self) -> Vec<Option<usize>> {
        let parent = |b: &Option<&Body>| {
            let body = b.filter(|b| !is_loose(b))?;
            Some(body.parent.as_ref().and_then(Expr::as_path).and_then(|path| self.node(path)).unwrap_or(0))
        };
        self.bodies.iter().map(parent).collect()
    }

    /// The typed graph of the joints.
    fn joint_graph(
        &self,
        candidates: &mut [Candidate],
        all: &[&Statement],
        ground: &str,
        cuts: &BTreeMap<String, Span>,
    ) -> JointGraph {
        let mut graph = JointGraph::new(ground);
        for (body, parent) in self.bodies.iter().zip(self.parents()).skip(1) {
            graph.add_body(body.map_or("", |b| b.name.text.as_str()), parent.map(NodeId::from_index));
        }
        let own: BTreeSet<usize> = candidates.iter().map(|c| c.statement).collect();
        let others = all.iter().enumerate().filter(|(k, _)| !own.contains(k)).map(|(_, s)| *s);
        let text: String = others.map(|s| print_statement(s) + "\n").collect();
        let words = mentioned(&text, &[]);
        for c in candidates {
            let mut unheard = Diagnostics::new();
            let plan = catalogue::plan(&c.calls, &mut unheard);
            let names =
                plan.degrees.iter().filter_map(|d| d.name).chain(plan.speeds.iter().filter_map(|s| s.name));
            let parts = |letters: &[&str]| {
                let prefix = format!("{}.", c.name.text);
                words.iter().filter_map(|w| w.strip_prefix(&prefix)).any(|rest| {
                    let part = rest.split('.').next().unwrap_or(rest);
                    letters.iter().any(|l| {
                        part.strip_prefix(l).is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
                    })
                })
            };
            let used = names.into_iter().any(|n| words.contains(&n.text)) || parts(&["q", "u"]);
            let held = plan.degrees.iter().filter(|d| d.locked || d.motion.is_some()).count();
            let bounded = plan.degrees.iter().any(|d| d.limit.is_some())
                || plan.speeds.iter().any(|s| s.armature.is_some());
            let tells = parts(higher_pairs::REACTIONS);
            graph.add_joint(JointEdge {
                name: c.name.text.clone(),
                ends: [0, 1].map(|k| NodeId::from_index(c.ends[k].node)),
                motions: Motions::planned(&plan, None, unheard.has_errors()).list,
                n_freedoms: plan.speeds.len() - held.min(plan.speeds.len()),
                needs_coordinates: used || held > 0 || bounded,
                needs_reaction: tells,
                cut: cuts.contains_key(&c.name.text),
            });
            c.tells = tells;
        }
        graph
    }

    /// The body at the beginning of a path, or that carries the point there.
    fn node(&self, path: &Path) -> Option<usize> {
        let first = path.segments.first()?.name.text.as_str();
        match (self.nodes.get(first), self.points.get(first)) {
            (Some(node), _) => Some(*node),
            (None, Some(point)) => {
                self.nodes.get(point.on.as_ref()?.segments.first()?.name.text.as_str()).copied()
            }
            (None, None) => None,
        }
    }

    fn end(&self, e: &Expr) -> Option<End> {
        let (node, own) = match &e.kind {
            ExprKind::Name(path) => {
                let node = self.node(path)?;
                let names: Vec<&str> = path.segments.iter().map(|s| s.name.text.as_str()).collect();
                let inside = |name: &str| {
                    self.bodies[node].iter().flat_map(|b| &b.content).find_map(|s| match &s.kind {
                        StatementKind::Point(p) if p.name.text == name => Some(p.value.clone()),
                        _ => None,
                    })
                };
                let own = match (names.as_slice(), self.points.get(names[0])) {
                    ([one], _) if self.nodes.contains_key(one) => Own::Origin,
                    ([_, "o"], _) => Own::Origin,
                    ([_], Some(point)) => Own::At(point.value.clone(), false),
                    ([_, name], _) => inside(name).map_or(Own::Unknown, |value| Own::At(value, true)),
                    _ => Own::Unknown,
                };
                (node, own)
            }
            ExprKind::Call(call) => {
                let node = self.nodes.get(call.function.as_name()?.text.as_str())?;
                let parts = call.arguments.iter().map(|a| a.value.clone()).collect();
                (*node, Own::At(Expr { kind: ExprKind::Tuple(parts), span: e.span }, false))
            }
            ExprKind::Quantity { value, unit } => {
                let End { node, own, turn, .. } = self.end(value)?;
                debug_assert!(turn.is_none(), "a frame has no components");
                let Own::At(value, inside) = own else { return None };
                let kind = ExprKind::Quantity { value: Box::new(value), unit: unit.clone() };
                (node, Own::At(Expr { kind, span: e.span }, inside))
            }
            _ => return None,
        };
        let (expr, turn) = (e.clone(), None);
        let Some((body, at, turn)) = self.fixed_on(node).filter(|_| matches!(own, Own::Origin)) else {
            return Some(End { node, expr, own, turn });
        };
        let own = at.map_or(Own::Origin, |at| Own::At(at, false));
        Some(End { node: body, expr: with_origin(e), own, turn })
    }

    /// The body without `on` that carries a frame without motion, where, and how the frame is turned in it.
    fn fixed_on(&self, node: usize) -> Option<(usize, Option<Expr>, Option<Turn>)> {
        let frame = self.bodies[node]?;
        let parent = frame.parent.as_ref()?.as_name()?;
        let body = *self.nodes.get(parent.text.as_str())?;
        let is_fixed = |call: &Call| call.function.as_name().is_some_and(|n| n.text == "fixed");
        let turn = match frame.joints.as_slice() {
            [] => None,
            [call] if is_fixed(call) && call.arguments.is_empty() => None,
            [call] if is_fixed(call) => Some(Turn { forth: call.clone(), back: undone(call)? }),
            _ => return None,
        };
        self.bodies[body].filter(|b| is_loose(b))?;
        Some((body, frame.at.clone(), turn))
    }

    fn candidates(
        &self,
        all: &[&Statement],
        any_loose: bool,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Candidate> {
        let mut out = vec![];
        for (statement, s) in all.iter().enumerate() {
            let (name, description, first, second, calls, linked) = match &s.kind {
                StatementKind::Link(l) => {
                    (&l.name, &l.description, &l.first, &l.second, l.joints.clone(), true)
                }
                StatementKind::Joint(joint) if any_loose => match opened(joint) {
                    Some((p, q, call)) => (&joint.name, &joint.description, p, q, vec![call], false),
                    None => continue,
                },
                _ => continue,
            };
            let ends = match (self.end(first), self.end(second)) {
                (Some(first), Some(second)) => [first, second],
                (found, _) if linked => {
                    let e = if found.is_none() { first } else { second };
                    let d = Diagnostic::error(codes::KIND, "this is not a point of a body").at(e.span, "");
                    diagnostics.push(
                        d.hint("name a point in the braces of a body, such as `A.P`, or its origin, `A.o`"),
                    );
                    continue;
                }
                _ => continue,
            };
            if ends[0].node == ends[1].node && linked {
                let message = format!("the joint `{}` ties a body to itself", name.text);
                let d = Diagnostic::error(codes::OWN_JOINT, message).at(s.span, "");
                diagnostics.push(d.hint("name points of two bodies"));
                continue;
            }
            out.push(Candidate {
                statement,
                name: name.clone(),
                description: description.clone(),
                span: s.span,
                ends,
                calls,
                linked,
                tells: false,
            });
        }
        out
    }
}

impl Candidate {
    /// The motions with which the joint holds the body at one of its ends. Axes of a frame that is fixed there are those of the body turned: the
    /// turn is undone after the motions, and done before them where they are seen from the body.
    fn seen_from(&self, end: usize) -> Vec<Call> {
        let mut calls = self.calls.clone();
        if let Some(turn) = &self.ends[end].turn {
            match end {
                0 => calls.insert(0, turn.forth.clone()),
                _ => calls.push(turn.back.clone()),
            }
        }
        calls
    }

    fn cut(&self) -> CutJoint<'_> {
        CutJoint {
            name: &self.name,
            description: &self.description,
            span: self.span,
            points: [self.place(0), self.place(1)],
            calls: &self.calls,
            tells: self.tells,
        }
    }

    /// The statements that close the loop.
    fn closing(&self, parts: &[ClosingPart]) -> Vec<Statement> {
        let motions = Motions::of(&self.calls);
        let forms = parts.iter().filter_map(|part| Some((motions.call(part)?, part.swapped)));
        let mut statements = vec![];
        for (k, (mut form, swapped)) in forms.enumerate() {
            let ends = if swapped { [1, 0] } else { [0, 1] };
            let points = ends.map(|k| Argument { name: None, value: self.place(k) });
            form.arguments.splice(0..0, points);
            let text = match k {
                0 => self.name.text.clone(),
                _ => format!("{}_{}", self.name.text, k + 1),
            };
            let name = Name::new(text, self.name.span);
            let joint = Joint { name, form, description: self.description.clone() };
            statements.push(Statement { kind: StatementKind::Joint(joint), span: self.span });
        }
        statements
    }

    /// The point of an end; the origin of a body that stands there by its name alone.
    fn place(&self, k: usize) -> Expr {
        let e = &self.ends[k].expr;
        if matches!(self.ends[k].own, Own::Origin) { with_origin(e) } else { e.clone() }
    }
}
