//! Joints of a model as the calls after `by`, found again from the frames that they left behind.

use cardan_expr::{Expr, Function, Node, Pool};
use cardan_kinematics::{Axis, Matrix3, Motion, RateId, Sequence, rotation};
use cardan_model::{Body, Coordinate, CoordinateId, Joint, JointKind, Parameter};
use cardan_units::Dimension;

use crate::unparse::Writer;

/// The native form of a joint.
#[derive(Default)]
pub(crate) struct Form {
    /// What comes before the body: frames for offsets in the middle of a joint.
    pub before: String,
    /// The parent of the body itself.
    pub parent: String,
    /// Calls after `by`.
    pub calls: Vec<String>,
    /// The place after `at`.
    pub at: Option<[Expr; 3]>,
}

impl Writer<'_> {
    /// The form of a body's joint. Coordinates and speeds have their texts already.
    pub fn joint(&mut self, body: &Body, joint: &Joint, parent: String) -> Form {
        let mut form = Form { parent, ..Form::default() };
        let mut coordinates = joint.coordinates.iter().copied();
        let space = &self.model.space;
        let pool = space.pool();
        let mut turn: Option<Matrix3> = None;
        let mut k = 0;
        while k < joint.frames.len() {
            let frame = space.frame(joint.frames[k]).clone();
            let shifted = frame.p_PoBo_P.iter().any(|c| !pool.is_zero(*c));
            let turned = frame.R_PB != rotation::identity(pool);
            let orient = turn.take();
            match &frame.motion {
                Motion::Fixed => {
                    if shifted {
                        if !form.calls.is_empty() || form.at.is_some() || orient.is_some() {
                            self.split(body, &mut form, orient);
                        } else {
                            turn = orient;
                        }
                        form.at = Some(frame.p_PoBo_P);
                    }
                    if turned {
                        turn = Some(match turn.take().or(orient.filter(|_| !shifted)) {
                            Some(first) => rotation::compose(pool, &frame.R_PB, &first),
                            None => frame.R_PB,
                        });
                    } else if !shifted {
                        turn = orient;
                    }
                }
                Motion::Translation { direction, rate } => {
                    let lead = self.screw(joint, k);
                    let q = along(self, *direction, frame.p_PoBo_P);
                    if lead.is_none() {
                        let axis = self.axis(*direction);
                        let call = self.single("prismatic", axis, q, &mut coordinates, orient, *rate);
                        form.calls.push(call);
                    }
                }
                Motion::Rotation { direction, rate } => {
                    let angle = self.angle(*direction, &frame.R_PB);
                    let mut axis = self.axis(*direction);
                    let mut word = "revolute";
                    if let Some(lead) = self.screw(joint, k + 1) {
                        word = "screw";
                        axis += &format!(", lead = {}", self.scalar(lead, Dimension::LENGTH));
                    }
                    let call = self.single(word, axis, angle, &mut coordinates, orient, *rate);
                    form.calls.push(call);
                }
                Motion::Ball { .. } | Motion::Free { .. } => {
                    let call = self.turning(&frame.R_PB, &frame.motion, joint, &mut coordinates, orient);
                    form.calls.push(call);
                }
            }
            if self.needed.contains(&joint.frames[k]) && k + 1 < joint.frames.len() {
                self.split(body, &mut form, turn.take());
                self.frames.insert(joint.frames[k], form.parent.clone());
            }
            k += 1;
        }
        if let Some(R) = turn {
            let angles = self.angles(&R);
            form.calls.push(format!("fixed(angles = {angles})"));
        }
        form
    }

    /// Whether a moving part of a joint ends in a frame of its own, whose coordinates are then not the body's.
    pub fn is_parted(&self, joint: &Joint) -> bool {
        let space = &self.model.space;
        let mut moves = false;
        joint.frames.iter().enumerate().any(|(k, id)| {
            let frame = space.frame(*id);
            let is_fixed = frame.motion == Motion::Fixed;
            let shifted = is_fixed && frame.p_PoBo_P.iter().any(|c| !space.pool().is_zero(*c));
            let cut = moves && shifted;
            moves |= !is_fixed;
            cut || (moves && k + 1 < joint.frames.len() && self.needed.contains(id))
        })
    }

    /// Ends what was gathered so far with a frame of its own, on which the rest of the joint stands.
    fn split(&mut self, body: &Body, form: &mut Form, turn: Option<Matrix3>) {
        if let Some(R) = turn {
            let angles = self.angles(&R);
            form.calls.push(format!("fixed(angles = {angles})"));
        }
        let name = self.names.word(&format!("{}_mount", body.name));
        let by = if form.calls.is_empty() { String::new() } else { format!(" by {}", form.calls.join(" ")) };
        let at = form.at.take().map_or(String::new(), |p| format!(" at {}", self.triple(p)));
        form.before += &format!("frame {name} on {}{by}{at}\n", form.parent);
        form.parent = name;
        form.calls.clear();
    }

    /// The lead of a screw whose translation is this frame of a joint. Where the angle is not found as it was given, turn and
    /// translation have laws of their own.
    fn screw(&mut self, joint: &Joint, k: usize) -> Option<Expr> {
        if k == 0 || k >= joint.frames.len() || !joint.kinds.contains(&JointKind::Screw) {
            return None;
        }
        let space = &self.model.space;
        let (turn, shift) = (space.frame(joint.frames[k - 1]), space.frame(joint.frames[k]));
        let (Motion::Rotation { direction: a, .. }, Motion::Translation { direction: b, .. }) =
            (&turn.motion, &shift.motion)
        else {
            return None;
        };
        let angle = self.angle(*a, &turn.R_PB)?;
        let along = along(self, *b, shift.p_PoBo_P)?;
        let pool = space.pool();
        let lead = pool.product([pool.int(2), pool.pi(), pool.div(along, angle)]);
        (a == b && pool.is_constant(lead)).then_some(lead)
    }

    /// `revolute`, `screw` or `prismatic` with one coordinate, or with what stands in its place.
    fn single(
        &mut self,
        word: &str,
        axis: String,
        q: Option<Expr>,
        coordinates: &mut (impl Iterator<Item = CoordinateId> + Clone),
        orient: Option<Matrix3>,
        rate: RateId,
    ) -> String {
        let orient = orient.map_or(String::new(), |R| format!(", orient = {}", self.angles(&R)));
        let pool = self.model.space.pool();
        let wanted = if word == "prismatic" { Dimension::LENGTH } else { Dimension::ANGLE };
        let Some(q) = q else {
            self.leave_out(format!("the motion of a {word} joint cannot be written"));
            return format!("{word}({axis})");
        };
        // A coordinate of another joint is followed.
        let own = |s: &_| self.free.get(s).is_some_and(|id| coordinates.clone().any(|c| c == *id));
        if let Some(symbol) = pool.as_symbol(q).filter(own) {
            coordinates.next();
            let id = self.free[&symbol];
            let c = &self.model.coordinates[id];
            if pool.as_symbol(c.rate).is_none() || pool.definition(c.rate).is_some() {
                self.driven.push(id);
            }
            let bounds = self.bounds(id, rate);
            return format!("{word}({axis}{}{orient}{bounds})", self.naming(&[c]));
        }
        let rate = self.model.space.rate(rate);
        // A locked coordinate is a parameter of its joint alone; any other may drive several.
        let is_own = |p: &Parameter| p.quantity.dimension == wanted && !self.is_locked(p);
        let locked = self.model.parameters.iter().find(|(_, p)| p.symbol == q && is_own(p));
        if let Some((_, parameter)) = locked.filter(|_| pool.is_zero(rate)) {
            let name = self.names.get(&parameter.quantity.name).unwrap_or("").to_string();
            if let Some(value) = parameter.default {
                let text = self.scalar(value, wanted);
                self.starts.push(format!("{name} = {text}"));
            }
            let naming = if name.contains('.') { String::new() } else { format!(", q = {name}") };
            return format!("{word}({axis}{naming}, lock{orient})");
        }
        let motion = self.scalar(q, wanted);
        format!("{word}({axis}, motion = {motion}{orient})")
    }

    /// `spherical` and `free`.
    fn turning(
        &mut self,
        R: &Matrix3,
        motion: &Motion,
        joint: &Joint,
        coordinates: &mut impl Iterator<Item = CoordinateId>,
        orient: Option<Matrix3>,
    ) -> String {
        let is_free = matches!(motion, Motion::Free { .. });
        let quadruple = self.model.unit_quadruples.iter().any(|q| joint.coordinates.contains(&q[0]));
        let n = usize::from(quadruple) + if is_free { 6 } else { 3 };
        let ids: Vec<CoordinateId> = coordinates.take(n).collect();
        let own: Vec<&Coordinate> = ids.iter().map(|id| &self.model.coordinates[*id]).collect();
        let pool = self.model.space.pool();
        let rotate = if quadruple {
            String::new()
        } else {
            let angles: Vec<Expr> = own[n - 3..].iter().map(|c| c.symbol).collect();
            let same = |s: &[Axis; 3]| {
                let turns: Vec<Matrix3> =
                    s.iter().zip(&angles).map(|(a, q)| rotation::about_axis(pool, *a, *q)).collect();
                same_turn(
                    pool,
                    &rotation::compose(pool, &turns[2], &rotation::compose(pool, &turns[1], &turns[0])),
                    R,
                )
            };
            let letters = ["x", "y", "z"];
            let all = (0..27).map(|k| [k / 9, k / 3 % 3, k % 3]);
            let mut sequences = all.filter_map(|ijk| {
                let name: String = ijk.iter().map(|k| letters[*k]).collect();
                Some((name.clone(), Sequence::named(&name)?))
            });
            match sequences.find(|(_, Sequence(axes))| same(axes)) {
                Some((name, _)) => format!("rotate = {name}"),
                None => {
                    self.leave_out(format!("the orientation of `{}` cannot be written", joint.name));
                    String::new()
                }
            }
        };
        let naming = self.naming(&own);
        let orient = orient.map_or(String::new(), |R| format!(", orient = {}", self.angles(&R)));
        let word = if is_free { "free" } else { "spherical" };
        let armature = self.armatures(motion);
        let list = format!("{rotate}{naming}{orient}{armature}");
        format!("{word}({})", list.trim_start_matches(", "))
    }

    /// Names of coordinates and speeds where they are not the language's own, and smallness.
    fn naming(&self, own: &[&Coordinate]) -> String {
        let mut out = String::new();
        let texts: Vec<&str> =
            own.iter().map(|c| self.names.get(&c.quantity.name).unwrap_or(&c.quantity.name)).collect();
        let list = |texts: &[&str]| {
            if texts.len() == 1 { texts[0].to_string() } else { format!("({})", texts.join(", ")) }
        };
        if texts.iter().any(|t| !t.contains('.')) {
            out += &format!(", q = {}", list(&texts));
        }
        let speeds = self.speeds_of(own);
        let is_driven = own.len() == 1
            && own
                .iter()
                .any(|c| self.driven.iter().any(|id| self.model.coordinates[*id].symbol == c.symbol));
        if !is_driven && speeds.iter().any(|t| !t.contains(['.', '('])) {
            let speeds: Vec<&str> = speeds.iter().map(String::as_str).collect();
            out += &format!(", speed = {}", list(&speeds));
        }
        let pool = self.model.space.pool();
        let small: Vec<i32> = own.iter().map(|c| pool.small_order(c.symbol)).collect();
        match small.as_slice() {
            all if all.iter().all(|s| *s == 0) => {}
            all if all.iter().all(|s| *s == 1) => out += ", small",
            all => {
                let orders: Vec<String> = all.iter().map(i32::to_string).collect();
                out += &format!(", small = ({})", orders.join(", "));
            }
        }
        out
    }

    /// `x`, `-x` or components.
    pub fn axis(&mut self, direction: [Expr; 3]) -> String {
        let pool = self.model.space.pool();
        let minus_one = pool.int(-1);
        for (c, letter) in direction.iter().zip(["x", "y", "z"]) {
            if *c == pool.one() {
                return letter.into();
            }
            if *c == minus_one {
                return format!("-{letter}");
            }
        }
        let list: Vec<String> = direction.iter().map(|c| self.scalar(*c, Dimension::ONE)).collect();
        format!("({})", list.join(", "))
    }

    /// Three angles about x, y, z of a constant turn.
    pub fn angles(&mut self, R: &Matrix3) -> String {
        let space = &self.model.space;
        let pool = space.pool();
        let constant = R.iter().flatten().all(|e| {
            pool.reachable([*e]).iter().all(|p| {
                let is_constant = |s| pool.symbol_data(s).kind == cardan_expr::Kind::Constant;
                pool.as_symbol(*p).is_none_or(is_constant) || pool.definition(*p).is_some()
            })
        });
        if !constant {
            let angles = rotation::identity(pool).map(|axis| self.angle(axis, R));
            if let Some((k, angle)) = (0..3).zip(angles).find_map(|(k, a)| Some((k, a?))) {
                let text = self.scalar(angle, Dimension::ANGLE);
                let list: Vec<&str> = (0..3).map(|i| if i == k { text.as_str() } else { "0" }).collect();
                return format!("({})", list.join(", "));
            }
            self.leave_out("a turn by parameters about more than one axis cannot be written".into());
            return "(0, 0, 0)".into();
        }
        let pi = pool.as_symbol(pool.pi());
        let value = |s| if Some(s) == pi { std::f64::consts::PI } else { f64::NAN };
        let r = R.map(|row| row.map(|e| pool.evaluate(e, &value)));
        let sine = r[2][0].clamp(-1.0, 1.0);
        let angles = if sine.abs() > 1.0 - 1e-14 {
            [(sine * r[0][1]).atan2(r[1][1]), sine.asin(), 0.0]
        } else {
            let cosine = r[2][1].hypot(r[2][2]);
            [(-r[2][1]).atan2(r[2][2]), sine.atan2(cosine), (-r[1][0]).atan2(r[0][0])]
        };
        let text = |a: f64| {
            let whole = a.to_degrees().round() + 0.0;
            match (a.to_degrees() - whole).abs() < 1e-12 {
                true if whole == 0.0 => "0".to_string(),
                true => format!("{whole} [deg]"),
                false => format!("{a:?}"),
            }
        };
        let list: Vec<String> = angles.iter().map(|a| text(*a)).collect();
        format!("({})", list.join(", "))
    }

    /// The angle of a turn about a direction d.
    ///
    /// ```text
    /// [skew]    sin θ = (R_ij - R_ji) / (2 d_k)      (i, j, k cyclic), by any d_k that is not zero
    /// [trace]   cos θ = (R_11 + R_22 + R_33 - 1) / 2
    /// [axis]    R d = d      says that the turn is about d
    /// ```
    ///
    /// Sines and cosines may stand inside the angle as well, so each of their arguments is only tried; so is the sine itself, which is
    /// the angle where that is small. What is found is believed only if it gives the turn back, in its sense. Where the algebra has
    /// lost the angle, as in sin(π/2 - q) = cos q, it is the arc tangent of [skew] and [trace]: the same turn at the same rate.
    fn angle(&self, d: [Expr; 3], R: &Matrix3) -> Option<Expr> {
        let pool = self.model.space.pool();
        let half = |e| pool.div(e, pool.int(2));
        let k = (0..3).find(|k| !pool.is_zero(d[*k]))?;
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let sine = half(pool.div(pool.sub(R[i][j], R[j][i]), d[k])); // [skew]
        let cosine = half(pool.sub(pool.sum([R[0][0], R[1][1], R[2][2]]), pool.one())); // [trace]
        // Parts stand before what they are part of: the angle of the turn itself is among the last.
        let parts = pool.reachable(R.iter().flatten().copied());
        let arguments = parts.iter().rev().filter_map(|e| match pool.node(*e) {
            Node::Call(Function::Sin | Function::Cos, arguments) => Some(arguments[0]),
            _ => None,
        });
        let mut tried = arguments.flat_map(|a| [a, pool.neg(a)]).chain([sine]);
        let found = tried.find(|a| same_turn(pool, &rotation::about_direction(pool, d, *a), R));
        let is_about =
            || rotation::apply(pool, R, d).into_iter().zip(d).all(|(x, y)| pool.is_zero(pool.sub(x, y))); // [axis]
        found.or_else(|| is_about().then(|| pool.call(Function::Atan2, &[sine, cosine])))
    }
}

/// Whether two turns are the same. Entries may be named in one of them and not in the other.
fn same_turn(pool: &Pool, a: &Matrix3, b: &Matrix3) -> bool {
    a.iter().flatten().zip(b.iter().flatten()).all(|(x, y)| pool.is_zero(pool.sub(*x, *y)))
}

/// How far a place lies along a direction.
fn along(writer: &Writer<'_>, direction: [Expr; 3], p: [Expr; 3]) -> Option<Expr> {
    let pool = writer.model.space.pool();
    let k = (0..3).find(|k| !pool.is_zero(direction[*k]))?;
    Some(pool.div(p[k], direction[k]))
}
