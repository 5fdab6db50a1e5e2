// pendulum
//
// Model pendulum, version 1.2; written by cardan 0.1.0.
//
// A driven pendulum with an elastic stop.
//
// Functions, in the order in which they are called:
//   setup: Computes what depends on parameters alone.
//   derivatives: Computes the time derivatives of the state.
//   outputs: Computes what is reported.
//
// Array w (4 numbers) carries intermediate results between them.
//
// Array p: parameters
//   0 m [kg] mass of the bob
//   1 L [m] length of the rod
//   2 g [m/s^2] gravity
//   3 k.stop [N*m/rad] stiffness of the stop
//
// Array start: values at the beginning
//   0 start angle [rad] angle at the beginning
//
// Number t: time
//   t [s] time
//
// Array x: state
//   0 θ [rad] angle from the vertical
//   1 der(θ) [rad/s] angular velocity
//
// Array dx: time derivatives of the state
//   0 der(θ) [rad/s] angular velocity
//   1 der(der(θ)) [rad/s^2] angular acceleration
//
// Array y: reported quantities
//   0 energy [J] kinetic and potential energy
//   1 torque of the stop [N*m]
//   2 hit whether the stop is touched
//
// Operations:
//   setup: 5 mul
//   derivatives: 2 mul + 3 add + 1 div + 2 trig + 2 compare
//   outputs: 4 mul + 3 add + 1 trig + 2 compare

#ifndef PENDULUM_HPP
#define PENDULUM_HPP

// Length of the array w.
namespace pendulum {
constexpr int n_work = 4;
}

namespace pendulum {

// Computes what depends on parameters alone.
void setup(const double p[4], double w[4], double start[1]);

// Computes the time derivatives of the state.
void derivatives(double t, const double x[2], const double w[4], double dx[2]);

// Computes what is reported.
void outputs(double t, const double x[2], const double w[4], double y[3]);

}

#endif
