//! The tree of frames and the points fixed in them.

use std::cell::RefCell;

use cardan_base::{Arena, Map, define_id};
use cardan_expr::{Derivation, Expr, Kind, Pool};

use crate::rotation::{self, Matrix3};
use crate::segment::{Motion, Rate, RateId};
use crate::vector::Vector;

define_id!(FrameId, "frame", "A reference frame.");
define_id!(PointId, "point", "A point.");
define_id!(UnitVectorId, "uv", "A unit vector along an axis of a frame.");

/// A unit vector along an axis of the frame in which it was introduced.
#[derive(Clone, PartialEq, Debug)]
pub struct UnitVector {
    /// The frame nearest to the root in which this vector is fixed.
    pub frame: FrameId,
    /// 0, 1 or 2.
    pub axis: usize,
}

/// A reference frame and its place relative to its parent.
#[derive(Clone, PartialEq, Debug)]
pub struct Frame {
    /// For people.
    pub name: String,
    /// Nothing for the Newtonian frame.
    pub parent: Option<FrameId>,
    /// Steps to the root.
    pub level: usize,
    /// Unit vectors along the axes; an axis about which the frame turns is the parent's own.
    pub axes: [UnitVectorId; 3],
    /// `b_i · a_j` with A the parent.
    pub R_PB: Matrix3,
    /// From the parent's origin to this one's, components in the parent.
    pub p_PoBo_P: [Expr; 3],
    /// How it moves relative to the parent.
    pub motion: Motion,
}

/// A point with its coordinates in a frame; they may vary.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// For people.
    pub name: String,
    /// Where it is described.
    pub frame: FrameId,
    /// Components from the frame's origin.
    pub coordinates: [Expr; 3],
}

#[derive(Clone, Default)]
pub(crate) struct Caches {
    pub dot: Map<(UnitVectorId, UnitVectorId), Expr>,
    pub w: Map<FrameId, Vector>,
    pub v: Map<FrameId, Vector>,
    pub origin: Map<FrameId, [Expr; 3]>,
    pub time: Derivation,
}

/// Frames, points and the algebra of their unit vectors, over one pool of scalars.
#[derive(Clone)]
pub struct Space {
    pool: Pool,
    pub(crate) frames: Arena<FrameId, Frame>,
    pub(crate) points: Arena<PointId, Point>,
    pub(crate) unit_vectors: Arena<UnitVectorId, UnitVector>,
    pub(crate) rates: Arena<RateId, Rate>,
    pub(crate) caches: RefCell<Caches>,
    time: Expr,
}

impl std::fmt::Debug for Space {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Space")
            .field("frames", &self.frames)
            .field("points", &self.points)
            .finish_non_exhaustive()
    }
}

impl Space {
    /// A space with a Newtonian frame and time.
    pub fn new(newtonian: &str) -> Space {
        let pool = Pool::new();
        let time = pool.symbol("t", Kind::Time);
        let mut space = Space {
            frames: Arena::new(),
            points: Arena::new(),
            unit_vectors: Arena::new(),
            rates: Arena::new(),
            caches: RefCell::default(),
            time,
            pool,
        };
        let root = space.frames.next_id();
        let axes = std::array::from_fn(|axis| space.unit_vectors.push(UnitVector { frame: root, axis }));
        let zero = space.pool.zero();
        space.frames.push(Frame {
            name: newtonian.to_string(),
            parent: None,
            level: 0,
            axes,
            R_PB: rotation::identity(&space.pool),
            p_PoBo_P: [zero; 3],
            motion: Motion::Fixed,
        });
        let one = space.pool.one();
        space.set_derivative(time, one);
        space
    }
    /// The scalars.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }
    /// Lets clones made from now on share all scalars that are there.
    pub fn freeze(&mut self) {
        self.pool.freeze();
    }
    /// Time.
    pub fn time(&self) -> Expr {
        self.time
    }
    /// The Newtonian frame.
    pub fn newtonian(&self) -> FrameId {
        cardan_base::Id::from_index(0)
    }
    /// A frame.
    pub fn frame(&self, id: FrameId) -> &Frame {
        &self.frames[id]
    }
    /// All frames, parents before children.
    pub fn frames(&self) -> &Arena<FrameId, Frame> {
        &self.frames
    }
    /// A point.
    pub fn point(&self, id: PointId) -> &Point {
        &self.points[id]
    }
    /// All points, in order of declaration.
    pub fn points(&self) -> &Arena<PointId, Point> {
        &self.points
    }
    /// A unit vector.
    pub fn unit_vector(&self, id: UnitVectorId) -> &UnitVector {
        &self.unit_vectors[id]
    }
    /// How a unit vector is called: `B.x`.
    pub fn unit_vector_name(&self, id: UnitVectorId) -> String {
        let uv = &self.unit_vectors[id];
        format!("{}.{}", self.frames[uv.frame].name, ["x", "y", "z"][uv.axis])
    }

    /// A new frame. Axes that coincide with an axis of the parent share its unit vector.
    pub fn add_frame(
        &mut self,
        name: impl Into<String>,
        parent: FrameId,
        R_PB: Matrix3,
        p_PoBo_P: [Expr; 3],
        motion: Motion,
    ) -> FrameId {
        let id = self.frames.next_id();
        let parent_axes = self.frames[parent].axes;
        // A small turn has ones on the diagonal too: the row must be an axis of the parent and nothing else.
        let same_axis = |row: &[Expr; 3]| {
            let others_vanish = row.iter().filter(|c| self.pool.is_zero(**c)).count() == 2;
            row.iter().position(|c| *c == self.pool.one()).filter(|_| others_vanish)
        };
        let shared = R_PB.map(|row| same_axis(&row));
        let axes = std::array::from_fn(|i| match shared[i] {
            Some(j) => parent_axes[j],
            None => self.unit_vectors.push(UnitVector { frame: id, axis: i }),
        });
        let level = self.frames[parent].level + 1;
        self.frames.push(Frame {
            name: name.into(),
            parent: Some(parent),
            level,
            axes,
            R_PB,
            p_PoBo_P,
            motion,
        })
    }
    /// A new point.
    pub fn add_point(&mut self, name: impl Into<String>, frame: FrameId, coordinates: [Expr; 3]) -> PointId {
        self.points.push(Point { name: name.into(), frame, coordinates })
    }
    /// The origin of a frame, as a point value.
    pub fn origin(&self, frame: FrameId) -> Point {
        Point { name: format!("{}.o", self.frames[frame].name), frame, coordinates: [self.pool.zero(); 3] }
    }

    /// Fixes dx/dt for a symbol. Velocities already asked for are forgotten.
    pub fn set_derivative(&mut self, symbol: Expr, rate: Expr) {
        let caches = self.caches.get_mut();
        if let Some(s) = self.pool.as_symbol(symbol) {
            caches.time.set(s, rate);
        }
        caches.w.clear();
        caches.v.clear();
    }
    /// dx/dt of a scalar.
    pub fn dt(&self, e: Expr) -> Expr {
        self.caches.borrow_mut().time.apply(&self.pool, e)
    }
}
