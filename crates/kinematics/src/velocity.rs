//! Velocities and accelerations.
//!
//! ```text
//! [w-chain]     w_NB = w_NA + w_AB
//! [v-origin]    v_NBo = v_NAo + w_NA × p_AoBo + v_ABo
//! [v-point]     v_NP = v_NBo + w_NB × p_BoP + Σ_i dp_i/dt b_i
//! [transport]   d/dt Σ c_i e_i = Σ dc_i/dt e_i + c_i w_i × e_i      (w_i of the frame in which e_i is fixed)
//! ```

use cardan_expr::{Derivation, Expr};

use crate::{FrameId, Motion, Point, Space, Vector};

impl Space {
    /// The angular velocity of a frame in its parent.
    pub fn w_relative(&self, frame: FrameId) -> Vector {
        let pool = self.pool();
        let f = &self.frames[frame];
        match &f.motion {
            Motion::Fixed | Motion::Translation { .. } => Vector::ZERO,
            Motion::Rotation { direction, rate } => {
                let rate = self.rates[*rate].value;
                // Along an axis that both frames share, or along a direction fixed in the parent.
                let base = f.parent.unwrap_or(frame);
                self.vector(base, direction.map(|d| pool.mul(d, rate)))
            }
            Motion::Ball { rates } => self.vector(frame, rates.map(|r| self.rates[r].value)),
            Motion::Free { rates } => {
                self.vector(frame, [rates[3], rates[4], rates[5]].map(|r| self.rates[r].value))
            }
        }
    }
    /// The velocity of a frame's origin in its parent.
    pub fn v_relative(&self, frame: FrameId) -> Vector {
        let pool = self.pool();
        let f = &self.frames[frame];
        match &f.motion {
            Motion::Fixed | Motion::Rotation { .. } | Motion::Ball { .. } => Vector::ZERO,
            Motion::Translation { direction, rate } => {
                let rate = self.rates[*rate].value;
                self.vector(f.parent.unwrap_or(frame), direction.map(|d| pool.mul(d, rate)))
            }
            Motion::Free { rates } => {
                self.vector(frame, [rates[0], rates[1], rates[2]].map(|r| self.rates[r].value))
            }
        }
    }

    /// The angular velocity of a frame in the Newtonian frame: Sayers' `rot`. [w-chain]
    pub fn w(&self, frame: FrameId) -> Vector {
        let Some(parent) = self.frames[frame].parent else {
            return Vector::ZERO;
        };
        if let Some(w) = self.caches.borrow().w.get(&frame) {
            return w.clone();
        }
        let w = self.w(parent).add(self.pool(), &self.w_relative(frame)).define(self.pool());
        self.caches.borrow_mut().w.insert(frame, w.clone());
        w
    }
    /// The angular velocity of one frame in another.
    pub fn w_in(&self, frame: FrameId, reference: FrameId) -> Vector {
        let common = self.common_ancestor(frame, reference);
        let pool = self.pool();
        let chain = |mut f: FrameId| {
            let mut w = Vector::ZERO;
            while f != common {
                w = w.add(pool, &self.w_relative(f));
                match self.frames[f].parent {
                    Some(parent) => f = parent,
                    None => break,
                }
            }
            w
        };
        chain(frame).sub(pool, &chain(reference))
    }
    /// The velocity of a frame's origin in the Newtonian frame. [v-origin]
    pub fn v_origin(&self, frame: FrameId) -> Vector {
        let Some(parent) = self.frames[frame].parent else {
            return Vector::ZERO;
        };
        if let Some(v) = self.caches.borrow().v.get(&frame) {
            return v.clone();
        }
        let pool = self.pool();
        let swept = self.cross(&self.w(parent), &self.offset(frame));
        let v = self.v_origin(parent).add(pool, &swept).add(pool, &self.v_relative(frame)).define(pool);
        self.caches.borrow_mut().v.insert(frame, v.clone());
        v
    }
    /// The velocity of a point in the Newtonian frame: Sayers' `vel`. [v-point]
    pub fn velocity(&self, point: &Point) -> Vector {
        let pool = self.pool();
        let r = self.vector(point.frame, point.coordinates);
        let slide = self.vector(point.frame, point.coordinates.map(|c| self.dt(c)));
        self.v_origin(point.frame).add(pool, &self.cross(&self.w(point.frame), &r)).add(pool, &slide)
    }
    /// The velocity of a point in another frame.
    pub fn velocity_in(&self, point: &Point, reference: FrameId) -> Vector {
        let p = self.position(&self.origin(reference), point);
        self.dt_vector_in(&p, reference)
    }
    /// d/dt of a vector in the Newtonian frame. [transport]
    pub fn dt_vector(&self, v: &Vector) -> Vector {
        self.derive_vector(v, &mut |e| self.dt(e))
    }
    /// d/dt of a vector in another frame.
    pub fn dt_vector_in(&self, v: &Vector, reference: FrameId) -> Vector {
        let pool = self.pool();
        let mut out = Vector::ZERO;
        for (u, c) in v.terms() {
            let e = Vector(vec![(*u, pool.one())]);
            let w = self.w_in(self.unit_vectors[*u].frame, reference);
            out = out.add(pool, &e.scale(pool, self.dt(*c))).add(pool, &self.cross(&w, &e).scale(pool, *c));
        }
        out
    }
    /// d/dt of a vector with the given derivation for scalars. [transport]
    pub fn derive_vector(&self, v: &Vector, d: &mut dyn FnMut(Expr) -> Expr) -> Vector {
        let pool = self.pool();
        let mut terms = vec![];
        for (u, c) in v.terms() {
            let e = Vector(vec![(*u, pool.one())]);
            terms.push((*u, d(*c)));
            let turned = self.cross(&self.w(self.unit_vectors[*u].frame), &e);
            terms.extend(turned.terms().iter().map(|(w, x)| (*w, pool.mul(*c, *x))));
        }
        Vector::new(pool, terms)
    }
    /// The acceleration of a point in the Newtonian frame.
    pub fn acceleration(&self, point: &Point) -> Vector {
        self.dt_vector(&self.velocity(point))
    }
    /// The angular acceleration of a frame in the Newtonian frame.
    pub fn alpha(&self, frame: FrameId) -> Vector {
        self.dt_vector(&self.w(frame))
    }
    /// The partial derivative of a vector by a scalar symbol, its unit vectors held fixed: with a speed
    /// this is the partial velocity.
    pub fn partial(&self, v: &Vector, by: &mut Derivation) -> Vector {
        let terms: Vec<_> = v.terms().iter().map(|(u, e)| (*u, by.apply(self.pool(), *e))).collect();
        Vector::new(self.pool(), terms)
    }
}
