/* Drives the library of a unit through the functions of FMI 2.0 as a simulator would, for a look at its memory by valgrind:
   instances, steps, indicators, saved states, mistakes.  memory LIBRARY RESOURCES-URI TOKEN N-STATES N-INDICATORS */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    void (*log)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void *finished, *environment;
} Callbacks;
typedef struct {
    int needed, terminate, nominals, values, next_defined;
    double next;
} EventInfo;

static void quiet(void *e, const char *n, int s, const char *c, const char *m, ...) {
    (void)e, (void)n, (void)s, (void)c, (void)m;
}

#define GET(type, name, arguments) type(*name) arguments = (type(*) arguments)dlsym(library, "fmi2" #name)

static void must(int status, const char *what) {
    if (status != 0) {
        fprintf(stderr, "%s: status %d\n", what, status);
        exit(1);
    }
}

int main(int n, char **words) {
    if (n != 6) return 2;
    void *library = dlopen(words[1], RTLD_NOW);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 2;
    GET(void *, Instantiate, (const char *, int, const char *, const char *, const Callbacks *, int, int));
    GET(void, FreeInstance, (void *));
    GET(int, SetupExperiment, (void *, int, double, double, int, double));
    GET(int, EnterInitializationMode, (void *));
    GET(int, ExitInitializationMode, (void *));
    GET(int, DoStep, (void *, double, double, int));
    GET(int, GetReal, (void *, const unsigned *, size_t, double *));
    GET(int, GetFMUstate, (void *, void **));
    GET(int, SetFMUstate, (void *, void *));
    GET(int, FreeFMUstate, (void *, void **));
    GET(int, SerializedFMUstateSize, (void *, void *, size_t *));
    GET(int, SerializeFMUstate, (void *, void *, char *, size_t));
    GET(int, DeSerializeFMUstate, (void *, const char *, size_t, void **));
    GET(int, NewDiscreteStates, (void *, EventInfo *));
    GET(int, GetEventIndicators, (void *, double *, size_t));
    GET(int, GetContinuousStates, (void *, double *, size_t));
    GET(int, SetContinuousStates, (void *, const double *, size_t));
    GET(int, GetDerivatives, (void *, double *, size_t));
    GET(int, Reset, (void *));
    GET(int, GetDirectionalDerivative,
        (void *, const unsigned *, size_t, const unsigned *, size_t, const double *, double *));
    Callbacks callbacks = {quiet, calloc, free, NULL, NULL};
    size_t states = (size_t)atoi(words[4]), indicators = (size_t)atoi(words[5]);
    double *x = calloc(states + indicators + 1, sizeof *x);
    for (int round = 0; round < 2; round++) {
        void *unit = Instantiate("unit", 1, words[3], words[2], &callbacks, 0, 0);
        if (!unit) return fprintf(stderr, "no instance\n"), 1;
        must(SetupExperiment(unit, 0, 0, 0, 0, 0), "experiment");
        must(EnterInitializationMode(unit), "enter");
        must(ExitInitializationMode(unit), "exit");
        void *state = NULL, *again = NULL;
        for (int k = 0; k < 10; k++) must(DoStep(unit, 0.05 * k, 0.05, 1), "step");
        must(GetFMUstate(unit, &state), "get state");
        size_t size = 0;
        must(SerializedFMUstateSize(unit, state, &size), "size");
        char *bytes = malloc(size);
        must(SerializeFMUstate(unit, state, bytes, size), "serialize");
        must(DeSerializeFMUstate(unit, bytes, size, &again), "deserialize");
        must(SetFMUstate(unit, again), "set state");
        free(bytes);
        must(FreeFMUstate(unit, &state), "free state");
        must(FreeFMUstate(unit, &again), "free state");
        must(Reset(unit), "reset");
        must(SetupExperiment(unit, 0, 0, 0, 0, 0), "experiment");
        must(ExitInitializationMode(unit), "exit");
        EventInfo info;
        must(NewDiscreteStates(unit, &info), "event");
        must(GetContinuousStates(unit, x, states), "states");
        must(SetContinuousStates(unit, x, states), "states");
        must(GetDerivatives(unit, x, states), "derivatives");
        must(GetEventIndicators(unit, x, indicators), "indicators");
        unsigned one = 1, last = (unsigned)(2 * states);
        double seed = 1;
        must(GetDirectionalDerivative(unit, &last, 1, &one, 1, &seed, x), "directional");
        /* Mistakes are told, and nothing is harmed. */
        unsigned none = 1u << 30;
        if (GetReal(unit, &none, 1, x) == 0 || GetContinuousStates(unit, x, 0) == 0) return 1;
        FreeInstance(unit);
    }
    free(x);
    puts("memory driver: done");
    return 0;
}
