// One motion by SUNDIALS on the functions that cardan emits: sundials METHOD TO RTOL REPETITIONS.
//
// Methods: adams and bdf are CVODE's, with the equations x' = f(t, x); ida solves 0 = f(t, x) - x'. Multipliers of constraints are eliminated inside f.
// adams iterates by fixed point; the others use Newton's method with dense matrices and the exact Jacobian that cardan emits. problem.h, written beside
// the emitted files, names them: N, ENTRIES, ROWS, COLUMNS, problem_setup, problem_derivatives, problem_jacobian.
// Prints the best processor's time of one motion, from the creation of the solver, and the state at the end.

#include <stdlib.h>
#include <string.h>

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "motion.h"
#include "problem.h"

static const int rows[] = ROWS, columns[] = COLUMNS;

static int derivatives(realtype t, N_Vector x, N_Vector dx, void *user) {
    (void)user;
    ++evaluations;
    problem_derivatives(t, NV_DATA_S(x), NV_DATA_S(dx));
    return 0;
}

static int residual(realtype t, N_Vector x, N_Vector dx, N_Vector r, void *user) {
    derivatives(t, x, r, user);
    for (int i = 0; i < N; ++i) NV_Ith_S(r, i) -= NV_Ith_S(dx, i);
    return 0;
}

static void fill(realtype t, N_Vector x, SUNMatrix j) {
    double entries[ENTRIES];
    problem_jacobian(t, NV_DATA_S(x), entries);
    SUNMatZero(j);
    for (int k = 0; k < ENTRIES; ++k) SM_ELEMENT_D(j, rows[k] - 1, columns[k] - 1) = entries[k];
}

static int jacobian(realtype t, N_Vector x, N_Vector dx, SUNMatrix j, void *user, N_Vector a, N_Vector b, N_Vector c) {
    (void)dx, (void)user, (void)a, (void)b, (void)c;
    fill(t, x, j);
    return 0;
}

static int residual_jacobian(realtype t, realtype cj, N_Vector x, N_Vector dx, N_Vector r, SUNMatrix j, void *user, N_Vector a, N_Vector b, N_Vector c) {
    (void)dx, (void)r, (void)user, (void)a, (void)b, (void)c;
    fill(t, x, j);
    for (int i = 0; i < N; ++i) SM_ELEMENT_D(j, i, i) -= cj;
    return 0;
}

static void run(const char *method, double to, double rtol, double *end) {
    SUNContext context;
    must(SUNContext_Create(NULL, &context), "context");
    N_Vector x = N_VNew_Serial(N, context), dx = N_VNew_Serial(N, context);
    SUNMatrix matrix = SUNDenseMatrix(N, N, context);
    SUNLinearSolver linear = SUNLinSol_Dense(x, matrix, context);
    SUNNonlinearSolver fixed = SUNNonlinSol_FixedPoint(x, 0, context);
    double reached = 0.0;
    evaluations = 0;
    problem_setup(NULL, NV_DATA_S(x));
    if (strcmp(method, "ida") == 0) {
        void *memory = IDACreate(context);
        derivatives(0.0, x, dx, NULL);
        must(IDAInit(memory, residual, 0.0, x, dx), "start");
        must(IDASStolerances(memory, rtol, rtol), "tolerances");
        must(IDASetLinearSolver(memory, linear, matrix), "solver");
        must(IDASetJacFn(memory, residual_jacobian), "Jacobian");
        must(IDASetMaxNumSteps(memory, 10000000), "steps");
        must(IDASetStopTime(memory, to), "end");
        must(IDASolve(memory, to, &reached, x, dx, IDA_NORMAL), "motion");
        IDAFree(&memory);
    } else {
        const int adams = strcmp(method, "adams") == 0;
        void *memory = CVodeCreate(adams ? CV_ADAMS : CV_BDF, context);
        must(CVodeInit(memory, derivatives, 0.0, x), "start");
        must(CVodeSStolerances(memory, rtol, rtol), "tolerances");
        if (adams) {
            must(CVodeSetNonlinearSolver(memory, fixed), "solver");
        } else {
            must(CVodeSetLinearSolver(memory, linear, matrix), "solver");
            must(CVodeSetJacFn(memory, jacobian), "Jacobian");
        }
        must(CVodeSetMaxNumSteps(memory, 10000000), "steps");
        must(CVodeSetStopTime(memory, to), "end");
        must(CVode(memory, to, x, &reached, CV_NORMAL), "motion");
        CVodeFree(&memory);
    }
    memcpy(end, NV_DATA_S(x), N * sizeof(double));
    SUNNonlinSolFree(fixed);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    N_VDestroy(x);
    N_VDestroy(dx);
    SUNContext_Free(&context);
}

int main(int count, char **words) {
    if (count != 5) return 1;
    double end[N];
    say_motion(run, words[1], atof(words[2]), atof(words[3]), atoi(words[4]), end, N);
    return 0;
}
