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
// Solves A X = B by elimination with partial pivoting; a is n by n, by rows, and destroyed; b holds
// m numbers, column by column, and becomes X. NaN if A is singular.
static void solve_linear(int n, double *a, int m, double *b)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            if (fabs(a[i*n + k]) > fabs(a[p*n + k])) {
                p = i;
            }
        }
        if (!(fabs(a[p*n + k]) > 0.0)) {
            for (int i = 0; i < m; ++i) {
                b[i] = NAN;
            }
            return;
        }
        if (p != k) {
            for (int j = k; j < n; ++j) {
                const double swap = a[k*n + j];
                a[k*n + j] = a[p*n + j];
                a[p*n + j] = swap;
            }
            for (int c = 0; c < m; c += n) {
                const double swap = b[c + k];
                b[c + k] = b[c + p];
                b[c + p] = swap;
            }
        }
        for (int i = k + 1; i < n; ++i) {
            const double factor = a[i*n + k]/a[k*n + k];
            if (factor != 0.0) {
                for (int j = k + 1; j < n; ++j) {
                    a[i*n + j] -= factor*a[k*n + j];
                }
                for (int c = 0; c < m; c += n) {
                    b[c + i] -= factor*b[c + k];
                }
            }
        }
    }
    for (int c = 0; c < m; c += n) {
        for (int i = n - 1; i >= 0; --i) {
            double sum = b[c + i];
            for (int j = i + 1; j < n; ++j) {
                sum -= a[i*n + j]*b[c + j];
            }
            b[c + i] = sum/a[i*n + i];
        }
    }
}
