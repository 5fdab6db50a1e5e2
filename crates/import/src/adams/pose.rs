//! Poses in numbers: rotation matrices, 3-1-3 angles, points.

/// A rotation matrix: columns are the axes of the turned frame.
pub type Rotation = [[f64; 3]; 3];
/// Components of a vector.
pub type Vector = [f64; 3];

pub const IDENTITY: Rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A frame in another: its axes and its origin.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pose {
    pub R: Rotation,
    pub r: Vector,
}

impl Pose {
    pub const IDENTITY: Pose = Pose { R: IDENTITY, r: [0.0; 3] };

    /// A pose given in this one.
    pub fn then(&self, inner: &Pose) -> Pose {
        Pose { R: times(&self.R, &inner.R), r: add(self.r, apply(&self.R, inner.r)) }
    }

    /// `other` as seen from this pose.
    pub fn seen(&self, other: &Pose) -> Pose {
        let back = transposed(&self.R);
        Pose { R: times(&back, &other.R), r: apply(&back, subtract(other.r, self.r)) }
    }
}

pub fn times(a: &Rotation, b: &Rotation) -> Rotation {
    let entry = |i: usize, j: usize| (0..3).map(|k| a[i][k] * b[k][j]).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}

pub fn transposed(a: &Rotation) -> Rotation {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

pub fn apply(a: &Rotation, v: Vector) -> Vector {
    std::array::from_fn(|i| (0..3).map(|k| a[i][k] * v[k]).sum())
}

pub fn add(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] + b[i])
}

pub fn subtract(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] - b[i])
}

pub fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: Vector) -> Option<Vector> {
    let size = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    (size > 0.0).then(|| a.map(|x| x / size))
}

/// Sine and cosine, exact at quarter turns, so that axes stay axes.
fn sine_cosine(angle: f64) -> (f64, f64) {
    let quarters = angle / std::f64::consts::FRAC_PI_2;
    if (quarters - quarters.round()).abs() > 1e-14 {
        return angle.sin_cos();
    }
    match (quarters.round() as i64).rem_euclid(4) {
        0 => (0.0, 1.0),
        1 => (1.0, 0.0),
        2 => (0.0, -1.0),
        _ => (-1.0, 0.0),
    }
}

/// The rotation by 3-1-3 angles of the body.
pub fn from_angles(angles: Vector) -> Rotation {
    let z = |angle: f64| {
        let (s, c) = sine_cosine(angle);
        [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
    };
    let (s, c) = sine_cosine(angles[1]);
    let x = [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]];
    times(&times(&z(angles[0]), &x), &z(angles[2]))
}

/// The 3-1-3 angles of a rotation.
pub fn angles(R: &Rotation) -> Vector {
    let sine = R[0][2].hypot(R[1][2]);
    if sine < 1e-12 {
        let tilt = if R[2][2] > 0.0 { 0.0 } else { std::f64::consts::PI };
        return [R[1][0].atan2(R[0][0]), tilt, 0.0];
    }
    [R[0][2].atan2(-R[1][2]), sine.atan2(R[2][2]), R[2][0].atan2(R[2][1])]
}

/// The axes that point with z towards `z` and with x as nearly towards `x` as they can.
pub fn from_points(z: Vector, x: Option<Vector>) -> Option<Rotation> {
    let k = unit(z)?;
    let towards = x.and_then(|x| unit(cross(k, x))).or_else(|| unit(cross(k, [1.0, 0.0, 0.0])));
    let j = towards.or_else(|| unit(cross(k, [0.0, 1.0, 0.0])))?;
    let i = cross(j, k);
    Some(std::array::from_fn(|row| [i[row], j[row], k[row]]))
}

/// An inertia (xx, yy, zz, xy, xz, yz) of axes turned by `R`, in the axes before; rounding of a turn is not kept.
pub fn turned_inertia(R: &Rotation, given: [f64; 6]) -> [f64; 6] {
    let [xx, yy, zz, xy, xz, yz] = given;
    let I = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let J = times(&times(R, &I), &transposed(R));
    let size = given.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let kept = |x: f64| if x.abs() < 1e-14 * size { 0.0 } else { x };
    [J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]].map(kept)
}
