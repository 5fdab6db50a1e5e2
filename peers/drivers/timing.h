// Times of the peers' functions and values of theirs, as JSON on standard output, for drivers in C and C++.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/// The processor's time of this thread: waiting for a busy processor does not count against the peers.
static double clock_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int rising(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Sorts the times per evaluation and prints the best and the median.
static void say_times(const char *quantity, double *times, int repetitions) {
    qsort(times, (size_t)repetitions, sizeof(double), rising);
    printf("{\"quantity\":\"%s\",\"best_ns\":%.6g,\"median_ns\":%.6g}\n", quantity, times[0], times[repetitions / 2]);
}

/// Prints what a function gave at a state.
static void say_values(const char *quantity, int state, const double *values, int n) {
    printf("{\"quantity\":\"%s\",\"state\":%d,\"values\":[", quantity, state);
    for (int k = 0; k < n; ++k) printf("%s%.17g", k ? "," : "", values[k]);
    printf("]}\n");
}
