// One motion by SUNDIALS, timed and told as JSON on standard output; the drivers differ in the motion itself.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "timing.h"

/// How often the equations were computed in the last motion.
static long evaluations;

static void must(int flag, const char *what) {
    if (flag < 0) {
        fprintf(stderr, "%s: SUNDIALS says %d\n", what, flag);
        exit(1);
    }
}

/// A motion from the creation of the solver on, to its end.
typedef void Motion(const char *method, double to, double rtol, double *end);

/// Repeats a motion; prints the best processor's time, evaluations, and the state at the end.
static void say_motion(Motion *motion, const char *method, double to, double rtol, int repetitions, double *end, int n) {
    double best = 1e300;
    for (int k = 0; k < repetitions; ++k) {
        const double start = clock_ns();
        motion(method, to, rtol, end);
        const double span = 1e-9 * (clock_ns() - start);
        if (span < best) best = span;
    }
    printf("{\"quantity\": \"run\", \"seconds\": %.9e, \"evaluations\": %ld, \"end\": [", best, evaluations);
    for (int i = 0; i < n; ++i) printf("%s%.17g", i ? ", " : "", end[i]);
    printf("]}\n");
}
