// Times of the C functions that CasADi generates: generated STATES NQ NV REPETITIONS.
//
// STATES has three lines per state: q, v, accelerations. With no repetitions the values at the first states are printed instead.
// The functions are those of pinocchio_casadi.cpp. The matrix is the upper triangle without its zeros.

#include <string.h>

#include "timing.h"

#define MOST 100000
#define CHECKED 16

typedef int (*Function)(const double **, double **, long long *, double *, int);
typedef int (*Work)(long long *, long long *, long long *, long long *);
typedef const long long *(*Sparsity)(long long);

#define DECLARE(f)                                                             \
    int f(const double **, double **, long long *, double *, int);             \
    int f##_work(long long *, long long *, long long *, long long *);          \
    const long long *f##_sparsity_out(long long)
DECLARE(forward_local);
DECLARE(forward_world);
DECLARE(inverse_local);
DECLARE(mass_local);
DECLARE(mass_world);

static const struct {
    const char *name;
    Function function;
    Work work;
    Sparsity sparsity;
} all[] = {
#define ENTRY(name, f) {name, f, f##_work, f##_sparsity_out}
    ENTRY("forward, local", forward_local), ENTRY("forward, world", forward_world), ENTRY("inverse", inverse_local),
    ENTRY("mass, local", mass_local),       ENTRY("mass, world", mass_world),
};

/// The full matrix of what has only its upper triangle; columns one after another.
static void unfold(const long long *sparsity, const double *from, int n, double *to) {
    memset(to, 0, (size_t)(n * n) * sizeof(double));
    // Rows, columns, then a mark for dense matrices or the starts of columns and the rows of entries.
    const int dense = sparsity[2] == 1;
    for (int column = 0; column < n; ++column) {
        const long long first = dense ? column * n : sparsity[2 + column], last = dense ? first + n : sparsity[3 + column];
        for (long long k = first; k < last; ++k) {
            const long long row = dense ? k - first : sparsity[3 + n + k];
            if (row <= column) to[row * n + column] = to[column * n + row] = from[k];
        }
    }
}

int main(int count, char **words) {
    if (count != 5) return 1;
    const int nq = atoi(words[2]), nv = atoi(words[3]), repetitions = atoi(words[4]), width = nq + 2 * nv;
    FILE *in = fopen(words[1], "r");
    double *states = malloc((size_t)MOST * (size_t)width * sizeof(double));
    int numbers = 0;
    while (in && numbers < MOST * width && fscanf(in, "%lf", states + numbers) == 1) ++numbers;
    const int n = numbers / width;
    if (n == 0) return 1;
    for (size_t f = 0; f < sizeof all / sizeof all[0]; ++f) {
        long long n_arguments, n_results, n_integers, n_numbers;
        all[f].work(&n_arguments, &n_results, &n_integers, &n_numbers);
        const double **arguments = calloc((size_t)n_arguments + 3, sizeof(double *));
        double **results = calloc((size_t)n_results + 1, sizeof(double *));
        long long *integers = calloc((size_t)n_integers + 1, sizeof(long long));
        double *work = calloc((size_t)n_numbers + 1, sizeof(double));
        double *result = calloc((size_t)(nv * nv), sizeof(double)), *full = calloc((size_t)(nv * nv), sizeof(double));
        double *times = calloc((size_t)repetitions + 1, sizeof(double));
        results[0] = result;
        for (int r = 0; r < (repetitions ? repetitions : 1); ++r) {
            const double start = clock_ns();
            for (int k = 0; k < (repetitions ? n : CHECKED); ++k) {
                const double *state = states + k * width;
                arguments[0] = state, arguments[1] = state + nq, arguments[2] = state + nq + nv;
                all[f].function(arguments, results, integers, work, 0);
                if (repetitions) continue;
                char name[16] = "";
                strncpy(name, all[f].name, strcspn(all[f].name, ","));
                const int matrix = strcmp(name, "mass") == 0;
                if (matrix) unfold(all[f].sparsity(0), result, nv, full);
                say_values(name, k, matrix ? full : result, matrix ? nv * nv : nv);
            }
            times[r] = (clock_ns() - start) / n;
        }
        if (repetitions) say_times(all[f].name, times, repetitions);
    }
    return 0;
}
