// The time of one pass through instructions that wait for nothing: mix ROUNDS.
//
// mix(work, outputs) comes from `parts/limits.py`; it reads and writes both at the places that a robot's own code has.

#include <stdlib.h>

#include "timing.h"

void mix(double *work, double *outputs);

#define NUMBERS 200000
#define PASSES 1000

int main(int count, char **words) {
    if (count != 2) return 1;
    const int rounds = atoi(words[1]);
    double *memory[2], *times = malloc(sizeof(double) * (size_t)rounds);
    for (int m = 0; m < 2; ++m) {
        memory[m] = aligned_alloc(64, NUMBERS * sizeof(double));
        for (int k = 0; k < NUMBERS; ++k) memory[m][k] = 1.0;
    }
    for (int r = 0; r < rounds; ++r) {
        const double start = clock_ns();
        for (int k = 0; k < PASSES; ++k) mix(memory[0], memory[1]);
        times[r] = (clock_ns() - start) / PASSES;
    }
    say_times("mix", times, rounds);
    return 0;
}
