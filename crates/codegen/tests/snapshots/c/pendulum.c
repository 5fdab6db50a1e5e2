// pendulum: see pendulum.h.

#include "pendulum.h"

#include <math.h>

// Computes what depends on parameters alone.
void pendulum_setup(const double p[4], double w[4], double start[1])
{
    const double m = p[0]; // [kg] mass of the bob
    const double L = p[1]; // [m] length of the rod
    const double g = p[2]; // [m/s^2] gravity
    const double k_stop = p[3]; // [N*m/rad] stiffness of the stop

    // Stage setup.
    const double z1 = m*(L*L);

    // What later functions need.
    w[0] = k_stop;
    w[1] = z1;
    w[2] = L*(m*g);
    w[3] = 0.5*z1;

    // Values at the beginning.
    start[0] = 0.3; // start angle [rad]: angle at the beginning
}

// Computes the time derivatives of the state.
void pendulum_derivatives(double t, const double x[2], const double w[4], double dx[2])
{
    const double theta = x[0]; // [rad] angle from the vertical
    const double theta_dot = x[1]; // [rad/s] angular velocity

    const double k_stop = w[0]; // [N*m/rad] stiffness of the stop
    const double z1 = w[1];
    const double z3 = w[2];

    // Time derivatives of the state.
    dx[0] = theta_dot; // der(θ) [rad/s]: angular velocity
    // der(der(θ)) [rad/s^2]: angular acceleration
    dx[1] = (cos(t) - z3*sin(theta) - (0.5 < theta ? k_stop*(theta - 0.5) : 0.0))/z1;
}

// Computes what is reported.
void pendulum_outputs(double t, const double x[2], const double w[4], double y[3])
{
    (void)t;
    const double theta = x[0]; // [rad] angle from the vertical
    const double theta_dot = x[1]; // [rad/s] angular velocity

    const double k_stop = w[0]; // [N*m/rad] stiffness of the stop
    const double z3 = w[2];
    const double z4 = w[3];

    // Stage motion.
    const int hit = 0.5 < theta;

    // Reported quantities.
    // energy [J]: kinetic and potential energy
    y[0] = z3*(1.0 - cos(theta)) + theta_dot*theta_dot*z4;
    y[1] = hit ? k_stop*(theta - 0.5) : 0.0; // torque of the stop [N*m]
    y[2] = hit ? 1.0 : 0.0; // hit: whether the stop is touched
}
