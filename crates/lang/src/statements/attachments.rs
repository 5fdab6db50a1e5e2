//! Bodies that are attached to one another and detached during a motion: `attach probe to station at station.port`,
//! `detach probe from station` in the blocks of events.
//!
//! An attachment is a lock between two bodies instead of one along the freedoms of a joint. Both keep the position to one
//! another that they have at the instant, and attaching takes the impulse and the angular impulse that make them move as one:
//!
//! ```text
//! [attach]     v = (v_A(P) - v_B(P), ω_A - ω_B),   components in B;   W p = -v as in `locks`
//! [opposite]   force and torque act on A at P, and their opposites on B there: momentum and its moment stay
//! [kept-apart] v̇ = 0 while they are attached; ½ vᵀ W⁻¹ v is lost, [lost] in `locks`
//! [particle]   what has no inertia bears no torque: v_A(P) - v_B(P) alone
//! ```
//!
//! Detaching takes no impulse. Bodies that the text detaches and never attaches are attached at the start, unless
//! `start { probe.attached = … }` says otherwise.

use cardan_base::Span;
use cardan_expr::Expr;
use cardan_kinematics::{FrameId, Point, Vector};
use cardan_model::{Load, LoadKind, Quantity, Reaction};
use cardan_syntax::{self as syntax, Statement, StatementKind};
use cardan_units::Dimension;

use crate::codes;
use crate::context::{Env, Resolver};
use crate::eval::execute::Progress;
use crate::statements::locks::{Held, Lock};
use crate::types::value::Value;

/// What the text attaches and detaches.
#[derive(Default)]
pub struct Attachments<'t> {
    attached: Vec<&'t syntax::Attach>,
    detached: Vec<&'t syntax::Detach>,
}

impl<'t> Attachments<'t> {
    /// Those of the blocks of events.
    pub fn of(&mut self, statements: &'t [Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Attach(a) => self.attached.push(a),
                StatementKind::Detach(d) => self.detached.push(d),
                StatementKind::If(branches) => {
                    branches.arms.iter().for_each(|(_, content)| self.of(content));
                    self.of(&branches.otherwise);
                }
                StatementKind::For(repeated) => self.of(&repeated.content),
                _ => {}
            }
        }
    }

    /// Pairs of paths in the order of the text, each once.
    fn pairs(&self) -> Vec<(&'t syntax::Path, &'t syntax::Path)> {
        let attached = self.attached.iter().map(|a| (&a.body, &a.to));
        let detached = self.detached.iter().filter_map(|d| Some((&d.body, d.from.as_ref()?)));
        let mut found: Vec<(&'t syntax::Path, &'t syntax::Path)> = vec![];
        for (a, b) in attached.chain(detached) {
            if !found.iter().any(|pair| is_pair(*pair, a, b)) {
                found.push((a, b));
            }
        }
        found
    }
}

/// Whether a pair is of these, in either order.
fn is_pair((a, b): (&syntax::Path, &syntax::Path), c: &syntax::Path, d: &syntax::Path) -> bool {
    let words = [a, b, c, d].map(syntax::Path::to_string);
    (words[0] == words[2] && words[1] == words[3]) || (words[0] == words[3] && words[1] == words[2])
}

impl<'t> Resolver<'t> {
    /// The frame of a body that is attached or detached.
    fn attached_frame(&mut self, path: &'t syntax::Path) -> Option<FrameId> {
        match self.path(path, &Env::default())? {
            Value::Frame(frame) => Some(frame),
            other => {
                self.wrong_kind(&other, path.span, "a body");
                None
            }
        }
    }

    /// Whether a frame is that of a body without inertia. [particle]
    fn is_particle(&self, frame: FrameId) -> bool {
        let (model, pool) = (self.builder.model(), self.pool());
        let body = model.body_in(frame).map(|id| &model.bodies[id]);
        body.is_some_and(|b| !pool.is_zero(b.mass) && b.inertia.iter().flatten().all(|e| pool.is_zero(*e)))
    }

    /// The attachment of two bodies, made when it is first asked for.
    fn attachment_of(&mut self, first: &'t syntax::Path, second: &'t syntax::Path) -> Option<usize> {
        let pair = self.attachments.pairs().into_iter().find(|p| is_pair(*p, first, second));
        let (first, second) = pair.unwrap_or((first, second));
        let (a, b) = (self.attached_frame(first)?, self.attached_frame(second)?);
        if let Some(k) = self.locks.iter().position(|l| l.held == Held::Bodies(a, b)) {
            return Some(k);
        }
        let uses = |s: &&&'t syntax::Attach| is_pair((&s.body, &s.to), first, second);
        let attaches = self.attachments.attached.iter().find(uses).copied();
        let any_place = self.attachments.attached.iter().filter(uses).find_map(|s| s.at.as_ref());
        let place = match any_place {
            Some(e) => self.point(e, &Env::default(), "where they are held")?,
            None if self.is_particle(b) => self.space().origin(b),
            None => self.space().origin(a),
        };
        let span = first.span;
        let rows = self.relative_rates(a, b, &place);
        if a == b || rows.iter().all(Option::is_none) {
            let message = format!("`{first}` and `{second}` never move against one another");
            self.error(codes::TARGET, message, span, "name two bodies that do");
            return None;
        }
        let one_more = |l: &&Lock| matches!(l.held, Held::Bodies(c, _) if c == a);
        let number = match self.locks.iter().filter(one_more).count() {
            0 => String::new(),
            n => (n + 1).to_string(),
        };
        let name = format!("{first}.attached{number}");
        let quantity = Quantity {
            description: format!("1 while attached to {second}"),
            ..Quantity::new(name.clone(), Dimension::ONE)
        };
        let start = if attaches.is_none() { self.pool().one() } else { self.pool().zero() };
        let discrete = self.builder.add_discrete(quantity, start);
        let active = self.builder.model().hybrid.discretes[discrete].symbol;
        let mut freedoms = vec![];
        let mut efforts = [Vector::ZERO, Vector::ZERO];
        for (k, rate) in rows.into_iter().enumerate().filter_map(|(k, rate)| Some((k, rate?))) {
            let law = self.builder.hold_still(&name, rate, active);
            let effort = self.builder.model().laws[law].symbol;
            let axis = self.space().axis(b, k % 3);
            let part = axis.scale(self.pool(), effort);
            efforts[k / 3] = efforts[k / 3].add(self.pool(), &part);
            freedoms.push((law, rate, k >= 3));
        }
        self.hold_together((a, b), &place, &efforts, &name, span);
        self.locks.push(Lock { held: Held::Bodies(a, b), discrete, freedoms, efforts });
        Some(self.locks.len() - 1)
    }

    /// How two bodies move against one another at a place: three velocities and three rates of turning, but for those that
    /// vanish always. [attach]
    fn relative_rates(&self, a: FrameId, b: FrameId, place: &Point) -> [Option<Expr>; 6] {
        let (space, pool) = (self.space(), self.pool());
        let turning = [a, b].map(|frame| space.w(frame));
        let [first, second] = [a, b].map(|frame| {
            let origin = space.origin(frame);
            let arm = space.position(&origin, place);
            space.velocity(&origin).add(pool, &space.cross(&space.w(frame), &arm))
        });
        let slide = space.components(&first.sub(pool, &second), b);
        let turn = space.components(&turning[0].sub(pool, &turning[1]), b);
        let turns = !self.is_particle(a) && !self.is_particle(b);
        std::array::from_fn(|k| {
            let rate = pool.define(if k < 3 { slide[k] } else { turn[k - 3] });
            (!pool.is_zero(rate) && (k < 3 || turns)).then_some(rate)
        })
    }

    /// The loads of an attachment. [opposite]
    fn hold_together(
        &mut self,
        (a, b): (FrameId, FrameId),
        place: &Point,
        efforts: &[Vector; 2],
        name: &str,
        span: Span,
    ) {
        let (space, pool) = (self.space(), self.pool());
        let arm = space.components(&space.position(&space.origin(a), place), a);
        let at = Point { coordinates: arm.map(|e| pool.define(e)), ..space.origin(a) };
        let other = self.moving_frame(b);
        let reaction = other.map(|frame| Reaction { frame, at: None });
        let force = LoadKind::Force { vector: efforts[0].clone(), at, reaction };
        let torque = LoadKind::Torque { vector: efforts[1].clone(), on: a, reaction: other };
        for (kind, effort, part) in [(force, &efforts[0], "force"), (torque, &efforts[1], "torque")] {
            if !effort.is_zero() {
                self.builder.add_load(Load {
                    name: format!("{name}.{part}"),
                    description: String::new(),
                    kind,
                    potential: None,
                    conservative: false,
                    span: Some(span),
                });
            }
        }
    }

    /// `attach A to B at P`, in a block.
    pub fn attach(&mut self, attach: &'t syntax::Attach, progress: &mut Progress<'t>) -> Option<()> {
        let k = self.attachment_of(&attach.body, &attach.to)?;
        self.set_lock(k, true, attach.body.span, progress)
    }

    /// `detach A`, `detach A from B`, in a block.
    pub fn detach(&mut self, detach: &'t syntax::Detach, progress: &mut Progress<'t>) -> Option<()> {
        let body = detach.body.to_string();
        let known =
            |(a, b): &(&'t syntax::Path, &'t syntax::Path)| a.to_string() == body || b.to_string() == body;
        let pairs: Vec<(&'t syntax::Path, &'t syntax::Path)> = match &detach.from {
            Some(from) => vec![(&detach.body, from)],
            None => self.attachments.pairs().into_iter().filter(known).collect(),
        };
        if pairs.is_empty() {
            let message = format!("nothing says what `{body}` is attached to");
            let help = format!("write `detach {body} from station`, or attach it in another block");
            self.error(codes::TARGET, message, detach.body.span, help);
            return None;
        }
        for (a, b) in pairs {
            let k = self.attachment_of(a, b)?;
            self.set_lock(k, false, detach.body.span, progress)?;
        }
        Some(())
    }

    /// The attachment of a body that the text mentions first.
    fn first_attachment(&mut self, frame: FrameId, span: Span) -> Option<usize> {
        for (a, b) in self.attachments.pairs() {
            if self.attached_frame(a)? == frame {
                return self.attachment_of(a, b);
            }
        }
        let message = "no block attaches or detaches this body";
        self.error(codes::TARGET, message, span, "write `attach probe to station` in a block of `when`");
        None
    }

    /// `probe.attached`: 1 while a body is attached, else 0.
    pub fn attachment_state(&mut self, frame: FrameId, span: Span) -> Option<Value> {
        let k = self.first_attachment(frame, span)?;
        let discrete = self.locks[k].discrete;
        Some(Value::quantity(self.builder.model().hybrid.discretes[discrete].symbol, Dimension::ONE))
    }

    /// `probe.attachment_force`, `probe.attachment_torque`: what an attachment does to the body.
    pub fn attachment_effort(&mut self, frame: FrameId, turns: bool, span: Span) -> Option<Value> {
        let k = self.first_attachment(frame, span)?;
        let effort = self.locks[k].efforts[usize::from(turns)].clone();
        Some(Value::vector(effort, if turns { Dimension::TORQUE } else { Dimension::FORCE }))
    }
}
