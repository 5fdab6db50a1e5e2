/// Sign
// 1 above zero, -1 below, otherwise x itself.
static double sign_of(double x)
{
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
}
/// Min
// The first if it is less, otherwise the second.
static double minimum(double a, double b)
{
    return a < b ? a : b;
}
/// Max
// The first if it is greater, otherwise the second.
static double maximum(double a, double b)
{
    return a > b ? a : b;
}
/// Powi
// x to the whole power n, by repeated squaring.
static double whole_power(double x, long n)
{
    unsigned long bits = n < 0 ? (unsigned long)-n : (unsigned long)n;
    double power = 1.0;
    for (double base = x; bits != 0; bits >>= 1, base *= base) {
        if (bits & 1) {
            power *= base;
        }
    }
    return n < 0 ? 1.0 / power : power;
}
/// Cubic
// Number of the interval of x between n increasing knots: 0 before the first, n from the last on.
// Measures x from the left end of the interval.
static int find_interval(const double *knots, int n, int clamp, double x, double *t)
{
    int low = 0;
    int high = n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (knots[middle] <= x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *t = x - knots[low > 0 ? low - 1 : 0];
    if (clamp && (low == 0 || low == n) && x == x) {
        *t = 0.0;
    }
    return low;
}

// A derivative of c[0] + c[1] t + c[2] t^2 + c[3] t^3.
static double cubic(const double *c, double t, int order)
{
    switch (order) {
    case 0:
        return c[0] + t*(c[1] + t*(c[2] + t*c[3]));
    case 1:
        return c[1] + t*(2.0*c[2] + t*(3.0*c[3]));
    case 2:
        return 2.0*c[2] + t*(6.0*c[3]);
    case 3:
        return 6.0*c[3];
    default:
        return 0.0;
    }
}
/// Curve
// A table of one argument, or its derivative.
static double look_up(
    const double *knots, int n, const double *cubics, int clamp, double x, int order)
{
    double t;
    const int interval = find_interval(knots, n, clamp, x, &t);
    return cubic(cubics + 4*interval, t, order);
}
/// Surface
// A table of two arguments, or a partial derivative.
static double look_up_2(const double *x_knots, int n_x, const double *y_knots, int n_y,
    const double *patches, int clamp, double x, double y, int dx, int dy)
{
    double s, t, along_y[4];
    const int i = find_interval(x_knots, n_x, clamp, x, &s);
    const int j = find_interval(y_knots, n_y, clamp, y, &t);
    const double *patch = patches + 16*(i*(n_y + 1) + j);
    for (int k = 0; k < 4; ++k) {
        along_y[k] = cubic(patch + 4*k, t, dy);
    }
    return cubic(along_y, s, dx);
}
/// Solve
// Solves A X = B for a symmetric positive semidefinite A by LDL^T; a is n by n, by rows, and
// destroyed; b holds m numbers, column by column, and becomes X. Unknowns of rows that depend on
// others are zero.
static void solve_linear(int n, double *a, int m, double *b)
{
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j < k; ++j) {
            for (int i = 0; i < j; ++i) {
                a[k*n + j] -= a[k*n + i]*a[j*n + i];
            }
        }
        double rest = a[k*n + k];
        for (int j = 0; j < k; ++j) {
            const double t = a[k*n + j];
            const double d = a[j*n + j];
            a[k*n + j] = d > 0.0 ? t/d : 0.0;
            rest -= t*a[k*n + j];
        }
        if (!(fabs(rest) <= 1.7e308)) {
            for (int i = 0; i < m; ++i) {
                b[i] = NAN;
            }
            return;
        }
        a[k*n + k] = rest > 1e-12*a[k*n + k] ? rest : 0.0;
    }
    for (double *x = b; x < b + m; x += n) {
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i; ++j) {
                x[i] -= a[i*n + j]*x[j];
            }
        }
        for (int i = n - 1; i >= 0; --i) {
            const double d = a[i*n + i];
            x[i] = d > 0.0 ? x[i]/d : 0.0;
            for (int j = i + 1; j < n; ++j) {
                x[i] -= a[j*n + i]*x[j];
            }
        }
    }
}
