//! Joints that are locked and released during a motion: `lock arm`, `release arm` in the blocks of events.
//!
//! A locked joint keeps its coordinates where they are. Its efforts along its freedoms hold their rates at zero, as a constraint does, and
//! locking it takes an impulse along these freedoms; nothing else pushes, so the momenta of the rest stay as they are.
//!
//! ```text
//! [lock]       u⁺ = u + R p,    W p = -v,   W = (∂v/∂u) R         v the rates of the joint; R what a unit of each impulse does
//! [lost]       ½ vᵀ W⁻¹ v       energy that locking takes
//! ```
//!
//! R keeps the constraints of loops, and all other joints that are locked already; joints that one block locks share one system. At a
//! dead point W vanishes, and no impulse along the joint stops the mechanism. A joint that the text releases and never locks is locked
//! at the start, unless `start { arm.locked = … }` says otherwise.

use cardan_base::Span;
use cardan_expr::{Expr, Function};
use cardan_kinematics::{FrameId, Motion, Vector};
use cardan_model::{DiscreteId, JointId, Load, Quantity, Target};
use cardan_syntax::{self as syntax, Statement, StatementKind};
use cardan_units::Dimension;

use crate::codes;
use crate::context::{Env, Resolver};
use crate::eval::execute::Progress;
use crate::types::value::Value;

/// What a lock holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// A joint along its freedoms.
    Joint(JointId),
    /// The first body on the second; see `attachments`.
    Bodies(FrameId, FrameId),
}

/// A joint that events lock or release, or bodies that they attach and detach.
#[derive(Clone, Debug)]
pub struct Lock {
    pub held: Held,
    /// 1 while it is locked.
    pub discrete: DiscreteId,
    /// Its freedoms: the law of the effort, the rate, and whether it turns.
    pub freedoms: Vec<(usize, Expr, bool)>,
    /// Force and torque on the first of two bodies.
    pub efforts: [Vector; 2],
}

/// The paths that statements lock or release, as written.
fn mentioned<'t>(statements: &'t [Statement], found: &mut Vec<(&'t syntax::Path, bool)>) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Lock(paths) => found.extend(paths.iter().map(|p| (p, true))),
            StatementKind::Release(paths) => found.extend(paths.iter().map(|p| (p, false))),
            StatementKind::If(branches) => {
                branches.arms.iter().for_each(|(_, content)| mentioned(content, found));
                mentioned(&branches.otherwise, found);
            }
            StatementKind::For(repeated) => mentioned(&repeated.content, found),
            _ => {}
        }
    }
}

impl<'t> Resolver<'t> {
    /// Notes which joints are locked at the start: those that events release and never lock.
    pub fn find_locks(&mut self, events: &[&'t Statement]) {
        let mut found = vec![];
        for event in events {
            match &event.kind {
                StatementKind::When(when) => {
                    mentioned(&when.content, &mut found);
                    self.attachments.of(&when.content);
                }
                StatementKind::Every(every) => {
                    mentioned(&every.content, &mut found);
                    self.attachments.of(&every.content);
                }
                _ => {}
            }
        }
        let names: Vec<(String, bool)> = found.iter().map(|(p, locks)| (self.text(p.span), *locks)).collect();
        let is_locked = |name: &String| names.iter().any(|(n, locks)| n == name && *locks);
        self.starts_locked = names.iter().map(|(n, _)| n).filter(|n| !is_locked(n)).cloned().collect();
    }

    /// The body that a path names, as the joint that holds it.
    fn locked_joint(&mut self, path: &'t syntax::Path) -> Option<(JointId, FrameId)> {
        let frame = match self.path(path, &Env::default())? {
            Value::Frame(frame) => frame,
            other => {
                self.wrong_kind(&other, path.span, "a body");
                return None;
            }
        };
        let found = self.builder.model().joint_of(frame);
        if found.is_none() {
            let text = self.text(path.span);
            let message = format!("no joint of the tree carries `{text}`");
            self.error(codes::TARGET, message, path.span, "name a body that hangs on its parent by a joint");
        }
        Some((found?, frame))
    }

    /// The lock of a joint, made when it is first asked for.
    pub fn lock_of(&mut self, joint: JointId, span: Span) -> Option<usize> {
        if let Some(k) = self.locks.iter().position(|l| l.held == Held::Joint(joint)) {
            return Some(k);
        }
        let model = self.builder.model();
        let name = model.joints[joint].name.clone();
        let freedoms = model.freedoms(joint);
        let starts_locked = self.starts_locked.contains(&name);
        let (zero, one) = (self.pool().zero(), self.pool().one());
        let quantity = Quantity {
            description: "1 while locked".into(),
            ..Quantity::new(format!("{name}.locked"), Dimension::ONE)
        };
        let discrete = self.builder.add_discrete(quantity, if starts_locked { one } else { zero });
        let active = self.builder.model().hybrid.discretes[discrete].symbol;
        let mut made = vec![];
        for (k, freedom) in freedoms.into_iter().enumerate() {
            let rate = self.space().rate(freedom.rate);
            let law = self.builder.hold(&format!("{name}.lock"), (None, rate), active, false);
            let effort = self.builder.model().laws[law].symbol;
            let Some(kind) = self.builder.model().effort_along(freedom, effort) else { continue };
            let turns = match &self.space().frame(freedom.frame).motion {
                Motion::Rotation { .. } | Motion::Ball { .. } => true,
                Motion::Free { rates } => rates.iter().position(|r| *r == freedom.rate) >= Some(3),
                Motion::Translation { .. } | Motion::Fixed => false,
            };
            self.builder.add_load(Load {
                name: format!("{name}.lock{}", if k == 0 { String::new() } else { (k + 1).to_string() }),
                description: String::new(),
                kind,
                potential: None,
                conservative: false,
                span: Some(span),
            });
            made.push((law, rate, turns));
        }
        if made.is_empty() {
            let message = format!("the joint of `{name}` does not move");
            self.error(codes::TARGET, message, span, "name a joint that has freedoms");
            return None;
        }
        let efforts = [Vector::ZERO, Vector::ZERO];
        self.locks.push(Lock { held: Held::Joint(joint), discrete, freedoms: made, efforts });
        Some(self.locks.len() - 1)
    }

    /// `lock arm` or `release arm`, in a block.
    pub fn lock(&mut self, path: &'t syntax::Path, locks: bool, progress: &mut Progress<'t>) -> Option<()> {
        let (joint, _) = self.locked_joint(path)?;
        let k = self.lock_of(joint, path.span)?;
        self.set_lock(k, locks, path.span, progress)
    }

    /// Closes a lock by the impulse that it needs, or opens it.
    pub fn set_lock(&mut self, k: usize, locks: bool, span: Span, progress: &mut Progress<'t>) -> Option<()> {
        let discrete = self.locks[k].discrete;
        let symbol = self.builder.model().hybrid.discretes[discrete].symbol;
        if locks {
            let sets = |t: &Target| matches!(t, Target::Speed(_));
            if progress.changed.keys().any(sets) {
                let message = "this block sets a speed by an impulse, and then locks or attaches something";
                self.error(codes::TARGET, message, span, "write two blocks, one after the other");
                return None;
            }
            if !progress.locking.contains(&k) {
                progress.locking.push(k);
            }
            let together: Vec<(usize, Expr, bool)> =
                progress.locking.iter().flat_map(|k| self.locks[*k].freedoms.clone()).collect();
            self.stop_rates(&together, progress);
        } else {
            progress.locking.retain(|other| *other != k);
        }
        let value = if locks { self.pool().one() } else { self.pool().zero() };
        progress.changed.insert(Target::Discrete(discrete), (symbol, value));
        Some(())
    }

    /// The impulse by which rates vanish. [lock]
    fn stop_rates(&mut self, freedoms: &[(usize, Expr, bool)], progress: &mut Progress<'t>) {
        let rows: Vec<Vec<Expr>> = freedoms.iter().map(|(_, rate, _)| self.by_speeds(*rate)).collect();
        let columns: Vec<Vec<Expr>> = freedoms.iter().map(|(law, ..)| self.builder.responses(*law)).collect();
        let pool = self.pool();
        let n = freedoms.len();
        let mut arguments = vec![];
        for i in 0..n {
            for j in 0..=i {
                let terms = rows[i].iter().zip(&columns[j]).map(|(a, b)| pool.mul(*a, *b));
                arguments.push(pool.define(pool.sum(terms.collect::<Vec<_>>())));
            }
        }
        arguments.extend(freedoms.iter().map(|(_, rate, _)| pool.neg(*rate)));
        let impulse = |k: usize| match &arguments[..] {
            // What does not move takes no impulse, at a dead point either.
            [w, v] => {
                let rests = pool.call(Function::Equal, &[*v, pool.zero()]);
                pool.define(pool.call(Function::Select, &[rests, pool.zero(), pool.div(*v, *w)]))
            }
            all => pool.define(pool.call(Function::Solve(n as u16, k as u16), all)),
        };
        let impulses: Vec<Expr> = (0..n).map(impulse).collect();
        let speeds: Vec<_> = self.builder.model().speeds.iter().map(|(id, u)| (id, u.symbol)).collect();
        let mut new = vec![];
        for (r, (id, symbol)) in speeds.into_iter().enumerate() {
            let changes = columns.iter().zip(&impulses).map(|(column, p)| pool.mul(column[r], *p));
            let value = self.struck(symbol, pool.sum(changes.collect::<Vec<_>>()));
            // A speed that is locked itself is at rest exactly.
            let is_locked = freedoms.iter().any(|(_, rate, _)| *rate == symbol);
            new.push((id, symbol, if is_locked { pool.zero() } else { value }));
        }
        // All at once, in terms of what earlier lines have made of the speeds.
        let values: Vec<_> = new
            .into_iter()
            .map(|(id, symbol, value)| (id, symbol, self.as_of_now(value, progress)))
            .collect();
        for (id, symbol, value) in values {
            progress.changed.remove(&Target::Overwrite(id));
            progress.changed.insert(Target::Struck(id), (symbol, value));
        }
    }

    /// `arm.locked`: 1 while the joint of a body is locked, else 0.
    pub fn lock_state(&mut self, frame: FrameId, span: Span) -> Option<Value> {
        let joint = self.builder.model().joint_of(frame)?;
        let k = self.lock_of(joint, span)?;
        let discrete = self.locks[k].discrete;
        Some(Value::quantity(self.builder.model().hybrid.discretes[discrete].symbol, Dimension::ONE))
    }

    /// `arm.holding`: what a lock exerts along the only freedom of its joint.
    pub fn holding_effort(&mut self, frame: FrameId, span: Span) -> Option<Value> {
        let joint = self.builder.model().joint_of(frame)?;
        let k = self.lock_of(joint, span)?;
        let [(law, _, turns)] = self.locks[k].freedoms[..] else {
            let message = "this joint has several freedoms, each with an effort of its own";
            self.error(codes::KIND, message, span, "name a joint with one freedom");
            return None;
        };
        let dimension = if turns { Dimension::TORQUE } else { Dimension::FORCE };
        Some(Value::quantity(self.builder.model().laws[law].symbol, dimension))
    }
}
