// One motion by SUNDIALS IDA on the equations with multipliers that cardan emits: ida_stabilised TO RTOL REPETITIONS.
//
// The equations are stabilised as Gear, Gupta and Leimkuhler do: unknowns are the state, accelerations, multipliers of velocities and of positions; all but the state
// have index 2 and stay out of the test of errors, as IDA's manual advises, and their absolute tolerance is 1: with that of the state, Newton's iteration does not converge below 1e-6. Newton's method with dense matrices and the exact Jacobian.
// problem.h names the functions and numbers of the explicit form, of which only the start is used; stabilised.h has STATES, ALGEBRAIC, SETTLED, ENTRIES_S, ROWS_S, COLUMNS_S.
// Prints the best processor's time of one motion, from the creation of the solver, the state at the end, and how often the residual was computed.

#include <stdlib.h>
#include <string.h>

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "equations.h"
#include "motion.h"
#include "problem.h"
#include "slopes.h"
#include "stabilised.h"

#define ALL (STATES + ALGEBRAIC)

static const int rows[] = ROWS_S, columns[] = COLUMNS_S;

static int residual(realtype t, N_Vector y, N_Vector dy, N_Vector r, void *user) {
    (void)user;
    ++evaluations;
    equations_residual(t, NV_DATA_S(y), NV_DATA_S(r));
    for (int i = 0; i < STATES; ++i) NV_Ith_S(r, i) -= NV_Ith_S(dy, i);
    return 0;
}

static int jacobian(realtype t, realtype cj, N_Vector y, N_Vector dy, N_Vector r, SUNMatrix j, void *user, N_Vector a, N_Vector b, N_Vector c) {
    (void)dy, (void)r, (void)user, (void)a, (void)b, (void)c;
    double entries[ENTRIES_S];
    slopes_entries(t, NV_DATA_S(y), entries);
    SUNMatZero(j);
    for (int k = 0; k < ENTRIES_S; ++k) SM_ELEMENT_D(j, rows[k], columns[k]) = entries[k];
    for (int i = 0; i < STATES; ++i) SM_ELEMENT_D(j, i, i) -= cj;
    return 0;
}

static void run(const char *method, double to, double rtol, double *end) {
    (void)method;
    SUNContext context;
    must(SUNContext_Create(NULL, &context), "context");
    N_Vector y = N_VNew_Serial(ALL, context), dy = N_VNew_Serial(ALL, context), kind = N_VNew_Serial(ALL, context), bound = N_VNew_Serial(ALL, context);
    SUNMatrix matrix = SUNDenseMatrix(ALL, ALL, context);
    SUNLinearSolver linear = SUNLinSol_Dense(y, matrix, context);
    double reached = 0.0, settled[SETTLED], start[ALL];
    evaluations = 0;
    N_VConst(0.0, y);
    N_VConst(0.0, dy);
    N_VConst(0.0, kind);
    problem_setup(NULL, NV_DATA_S(y));
    equations_settled(0.0, NV_DATA_S(y), settled);
    memcpy(NV_DATA_S(y) + STATES, settled, SETTLED * sizeof(double));
    equations_residual(0.0, NV_DATA_S(y), start);
    for (int i = 0; i < STATES; ++i) NV_Ith_S(dy, i) = start[i], NV_Ith_S(kind, i) = 1.0;
    void *memory = IDACreate(context);
    must(IDAInit(memory, residual, 0.0, y, dy), "start");
    for (int i = 0; i < ALL; ++i) NV_Ith_S(bound, i) = i < STATES ? rtol : 1.0;
    must(IDASVtolerances(memory, rtol, bound), "tolerances");
    must(IDASetId(memory, kind), "kinds");
    must(IDASetSuppressAlg(memory, SUNTRUE), "test of errors");
    must(IDASetLinearSolver(memory, linear, matrix), "solver");
    must(IDASetJacFn(memory, jacobian), "Jacobian");
    must(IDASetMaxNumSteps(memory, 10000000), "steps");
    must(IDASetStopTime(memory, to), "end");
    must(IDASolve(memory, to, &reached, y, dy, IDA_NORMAL), "motion");
    IDAFree(&memory);
    memcpy(end, NV_DATA_S(y), STATES * sizeof(double));
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    N_VDestroy(y);
    N_VDestroy(dy);
    N_VDestroy(kind);
    N_VDestroy(bound);
    SUNContext_Free(&context);
}

int main(int count, char **words) {
    if (count != 4) return 1;
    double end[STATES];
    say_motion(run, "", atof(words[1]), atof(words[2]), atoi(words[3]), end, STATES);
    return 0;
}
