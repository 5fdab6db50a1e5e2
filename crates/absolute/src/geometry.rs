//! Vectors, turns and Euler parameters as numbers.

/// Three components.
pub type Vec3 = [f64; 3];
/// By rows.
pub type Mat3 = [[f64; 3]; 3];

/// No turn.
pub const IDENTITY: Mat3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// a + b
pub fn add(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|i| a[i] + b[i])
}
/// a - b
pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|i| a[i] - b[i])
}
/// s a
pub fn scale(s: f64, a: Vec3) -> Vec3 {
    a.map(|x| s * x)
}
/// a · b
pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
/// a × b
pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
/// |a|
pub fn norm(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}
/// M v
pub fn apply(m: &Mat3, v: Vec3) -> Vec3 {
    m.map(|row| dot(row, v))
}
/// Mᵀ v
pub fn apply_transposed(m: &Mat3, v: Vec3) -> Vec3 {
    std::array::from_fn(|j| m[0][j] * v[0] + m[1][j] * v[1] + m[2][j] * v[2])
}
/// A B
pub fn compose(a: &Mat3, b: &Mat3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}
/// Mᵀ
pub fn transpose(m: &Mat3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| m[j][i]))
}

/// The matrix of a turn about a unit vector: components in the turned frame to components before the turn.
pub fn turn(axis: Vec3, angle: f64) -> Mat3 {
    let (s, c) = angle.sin_cos();
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let skew = match (3 + j - i) % 3 {
                0 => 0.0,
                1 => -axis[3 - i - j],
                _ => axis[3 - i - j],
            };
            (1.0 - c) * axis[i] * axis[j] + s * skew + if i == j { c } else { 0.0 }
        })
    })
}

/// The vector of a turn: axis times angle, up to half a turn.
pub fn turn_vector(m: &Mat3) -> Vec3 {
    let sine = scale(0.5, [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]]);
    let (s, c) = (norm(sine), 0.5 * (m[0][0] + m[1][1] + m[2][2] - 1.0));
    if c > -0.9 {
        let factor = if s < 1e-8 { 1.0 } else { s.atan2(c) / s };
        return scale(factor, sine);
    }
    let e = euler_parameters(m);
    let half = norm([e[1], e[2], e[3]]);
    scale(2.0 * half.atan2(e[0]) / half, [e[1], e[2], e[3]])
}

/// The matrix of Euler parameters e₀, e: components in the body to components in the inertial frame.
pub fn matrix(e: [f64; 4]) -> Mat3 {
    let [w, x, y, z] = e;
    [
        [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
}

/// Euler parameters of a matrix, e₀ not negative (Shepperd: the largest is found by a root, the others by division).
pub fn euler_parameters(m: &Mat3) -> [f64; 4] {
    let trace = m[0][0] + m[1][1] + m[2][2];
    let squares =
        [1.0 + trace, 1.0 + 2.0 * m[0][0] - trace, 1.0 + 2.0 * m[1][1] - trace, 1.0 + 2.0 * m[2][2] - trace];
    let k = (0..4).max_by(|a, b| squares[*a].total_cmp(&squares[*b])).unwrap_or(0);
    let root = squares[k].max(0.0).sqrt();
    let d = 0.5 / root;
    let skew = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]];
    let mut e = match k {
        0 => [0.5 * root, d * skew[0], d * skew[1], d * skew[2]],
        _ => {
            let i = k - 1;
            let mut e = [d * skew[i], 0.0, 0.0, 0.0];
            e[k] = 0.5 * root;
            for j in (0..3).filter(|j| *j != i) {
                e[j + 1] = d * (m[i][j] + m[j][i]);
            }
            e
        }
    };
    if e[0] < 0.0 {
        e = e.map(|x| -x);
    }
    e
}

/// ė = ½ e ∘ w with w in the body.
pub fn euler_rates(e: [f64; 4], w: Vec3) -> [f64; 4] {
    let [a, x, y, z] = e;
    [
        -0.5 * (x * w[0] + y * w[1] + z * w[2]),
        0.5 * (a * w[0] - z * w[1] + y * w[2]),
        0.5 * (z * w[0] + a * w[1] - x * w[2]),
        0.5 * (-y * w[0] + x * w[1] + a * w[2]),
    ]
}

/// w = 2 Im(e* ∘ ė), in the body.
pub fn angular_velocity(e: [f64; 4], rate: [f64; 4]) -> Vec3 {
    let ([a, x, y, z], [da, dx, dy, dz]) = (e, rate);
    [
        2.0 * (a * dx - x * da - y * dz + z * dy),
        2.0 * (a * dy - y * da - z * dx + x * dz),
        2.0 * (a * dz - z * da - x * dy + y * dx),
    ]
}

/// Euler parameters after a turn by a small vector in the body.
pub fn turned(e: [f64; 4], by: Vec3) -> [f64; 4] {
    let angle = norm(by);
    let (s, c) = if angle < 1e-8 { (0.5, 1.0) } else { ((0.5 * angle).sin() / angle, (0.5 * angle).cos()) };
    let rates = euler_rates(e, scale(2.0 * s, by));
    normalised(std::array::from_fn(|i| c * e[i] + rates[i]))
}

/// Scaled to unit norm.
pub fn normalised(e: [f64; 4]) -> [f64; 4] {
    let n = e.iter().map(|x| x * x).sum::<f64>().sqrt();
    e.map(|x| x / n)
}

/// The inverse of a symmetric positive definite matrix; nothing where it is singular.
pub fn inverse(m: &Mat3) -> Option<Mat3> {
    let adjoint: Mat3 = std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let (a, b) = ((j + 1) % 3, (j + 2) % 3);
            let (c, d) = ((i + 1) % 3, (i + 2) % 3);
            m[a][c] * m[b][d] - m[a][d] * m[b][c]
        })
    });
    let determinant = dot(m[0], [adjoint[0][0], adjoint[1][0], adjoint[2][0]]);
    let size = (0..3).map(|i| m[i][i]).fold(0.0, f64::max);
    (determinant > 1e-30 * size.powi(3) && determinant > 0.0)
        .then(|| adjoint.map(|row| row.map(|x| x / determinant)))
}

/// Principal moments and axes of a symmetric matrix, by Jacobi's rotations.
pub fn principal(m: &Mat3) -> [(f64, Vec3); 3] {
    let (mut a, mut axes) = (*m, IDENTITY);
    for _ in 0..30 {
        let (i, j) = [(0, 1), (0, 2), (1, 2)]
            .into_iter()
            .max_by(|p, q| a[p.0][p.1].abs().total_cmp(&a[q.0][q.1].abs()))
            .unwrap_or((0, 1));
        if a[i][j].abs() <= 1e-17 * (a[0][0].abs() + a[1][1].abs() + a[2][2].abs()) {
            break;
        }
        let angle = 0.5 * (2.0 * a[i][j]).atan2(a[i][i] - a[j][j]);
        let (s, c) = angle.sin_cos();
        let mut r = IDENTITY;
        (r[i][i], r[j][j], r[i][j], r[j][i]) = (c, c, -s, s);
        a = compose(&compose(&transpose(&r), &a), &r);
        axes = compose(&axes, &r);
    }
    std::array::from_fn(|k| (a[k][k], [axes[0][k], axes[1][k], axes[2][k]]))
}

/// A unit vector normal to another, and the third of the right-handed frame (u, v, axis).
pub fn normals(axis: Vec3) -> (Vec3, Vec3) {
    let k = (0..3).min_by(|a, b| axis[*a].abs().total_cmp(&axis[*b].abs())).unwrap_or(0);
    let mut other = [0.0; 3];
    other[k] = 1.0;
    let u = sub(other, scale(dot(other, axis), axis));
    let u = scale(1.0 / norm(u), u);
    (u, cross(axis, u))
}

/// A rigid displacement: components in the local frame to components in the outer one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pose {
    /// Of the origin.
    pub p: Vec3,
    /// Turn.
    pub r: Mat3,
}

impl Pose {
    /// No displacement.
    pub const IDENTITY: Pose = Pose { p: [0.0; 3], r: IDENTITY };
    /// This, then another in the frame reached.
    pub fn then(&self, next: &Pose) -> Pose {
        Pose { p: add(self.p, apply(&self.r, next.p)), r: compose(&self.r, &next.r) }
    }
    /// The way back.
    pub fn inverse(&self) -> Pose {
        Pose { p: scale(-1.0, apply_transposed(&self.r, self.p)), r: transpose(&self.r) }
    }
    /// Where a point of the local frame is.
    pub fn at(&self, point: Vec3) -> Vec3 {
        add(self.p, apply(&self.r, point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_and_euler_parameters_agree() {
        for (axis, angle) in [([0.6, 0.0, 0.8], 0.3), ([0.0, 1.0, 0.0], 3.1), ([0.48, 0.6, 0.64], 2.0)] {
            let m = turn(axis, angle);
            let back = turn_vector(&m);
            assert!(norm(sub(back, scale(angle, axis))) < 1e-12, "{back:?}");
            let again = matrix(euler_parameters(&m));
            assert!((0..3).all(|i| norm(sub(m[i], again[i])) < 1e-14));
            let stepped = turned([1.0, 0.0, 0.0, 0.0], scale(angle, axis));
            assert!((0..3).all(|i| norm(sub(m[i], matrix(stepped)[i])) < 1e-14));
        }
    }

    #[test]
    fn principal_axes_make_a_matrix_diagonal() {
        let m = [[2.0, 0.3, 0.1], [0.3, 1.0, -0.2], [0.1, -0.2, 3.0]];
        for (moment, axis) in principal(&m) {
            assert!((norm(axis) - 1.0).abs() < 1e-14);
            assert!(norm(sub(apply(&m, axis), scale(moment, axis))) < 1e-13);
        }
    }

    #[test]
    fn an_inertia_is_inverted() {
        let m = [[2.0, 0.3, 0.1], [0.3, 1.0, -0.2], [0.1, -0.2, 3.0]];
        let product = compose(&m, &inverse(&m).unwrap());
        assert!((0..3).all(|i| norm(sub(product[i], IDENTITY[i])) < 1e-14));
    }
}
