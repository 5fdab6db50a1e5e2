// Times of Simbody per evaluation, on a tree and states that `parts/robots.py` wrote.
//
//   simbody MODEL STATES REPETITIONS
//
// MODEL has one line per joint: parent, kind, axis, placement (rotation by rows, place), mass, mass centre, inertia about it (xx xy yy xz yz zz).
// STATES has three lines per state: q, u, accelerations. Every evaluation starts from new q and u.
// Times go to standard output as JSON; with no repetitions the values at the first states.

#include <Simbody.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "timing.h"

using namespace SimTK;

namespace {

constexpr int kChecked = 16;

struct Robot {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  Force::Gravity gravity{forces, matter, Vec3(0, 0, -9.81)};
};

// Joints turn about z and slide along x of their frames, which are laid along the axis.
void read(const char* path, Robot& robot) {
  std::ifstream in(path);
  std::vector<MobilizedBodyIndex> bodies{robot.matter.getGround().getMobilizedBodyIndex()};
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    int parent;
    std::string kind;
    Vec3 axis, p, c;
    Mat33 R;
    double m, xx, xy, yy, xz, yz, zz;
    words >> parent >> kind >> axis[0] >> axis[1] >> axis[2];
    for (int i = 0; i < 9; ++i) { words >> R(i / 3, i % 3); }
    words >> p[0] >> p[1] >> p[2] >> m >> c[0] >> c[1] >> c[2] >> xx >> xy >> yy >> xz >> yz >> zz;
    if (!words) { throw std::runtime_error("a line of the model is too short"); }
    if (kind.find("Unaligned") == std::string::npos) {
      axis = Vec3(kind.back() == 'X', kind.back() == 'Y', kind.back() == 'Z');
    }
    const Body::Rigid body(MassProperties(m, c, Inertia(xx, yy, zz, xy, xz, yz).shiftFromMassCenter(-c, m)));
    MobilizedBody& on = robot.matter.updMobilizedBody(bodies[static_cast<std::size_t>(parent)]);
    const Transform place(Rotation(R, true), p);
    if (kind == "JointModelFreeFlyer") {
      bodies.push_back(MobilizedBody::Free(on, place, body, Transform()).getMobilizedBodyIndex());
    } else if (kind.find("JointModelR") == 0) {
      const Transform along(Rotation(UnitVec3(axis), ZAxis));
      bodies.push_back(MobilizedBody::Pin(on, place * along, body, along).getMobilizedBodyIndex());
    } else if (kind.find("JointModelP") == 0) {
      const Transform along(Rotation(UnitVec3(axis), XAxis));
      bodies.push_back(MobilizedBody::Slider(on, place * along, body, along).getMobilizedBodyIndex());
    } else {
      throw std::runtime_error("no joint of kind " + kind);
    }
  }
}

struct Given {
  Vector q, u, a;
};

Vector read_row(std::istream& in, int n) {
  Vector row(n);
  for (int k = 0; k < n; ++k) { in >> row[k]; }
  return row;
}

template <class F>
void time(const char* what, int repetitions, const std::vector<Given>& states, F evaluate) {
  std::vector<double> times;
  for (int r = 0; r < repetitions; ++r) {
    const double start = clock_ns();
    for (const Given& given : states) { evaluate(given); }
    times.push_back((clock_ns() - start) / static_cast<double>(states.size()));
  }
  if (repetitions > 0) { say_times(what, times.data(), repetitions); }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) { throw std::runtime_error("MODEL STATES REPETITIONS"); }
  Robot robot;
  read(argv[1], robot);
  State state = robot.system.realizeTopology();
  robot.system.realizeModel(state);
  const int nq = state.getNQ(), nu = state.getNU();
  std::ifstream in(argv[2]);
  std::vector<Given> states;
  while (true) {
    Given given{read_row(in, nq), Vector(), Vector()};
    if (!in) { break; }
    given.u = read_row(in, nu);
    given.a = read_row(in, nu);
    states.push_back(given);
  }
  const int repetitions = std::stoi(argv[3]);
  if (states.empty()) { throw std::runtime_error("there are no states"); }
  Vector tau;
  Matrix M;
  const auto forward = [&](const Given& given) {
    state.updQ() = given.q;
    state.updU() = given.u;
    robot.system.realize(state, Stage::Acceleration);
  };
  const auto inverse = [&](const Given& given) {
    state.updQ() = given.q;
    state.updU() = given.u;
    robot.system.realize(state, Stage::Dynamics);
    robot.matter.calcResidualForceIgnoringConstraints(state, robot.system.getMobilityForces(state, Stage::Dynamics),
                                                      robot.system.getRigidBodyForces(state, Stage::Dynamics), given.a, tau);
  };
  const auto mass = [&](const Given& given) {
    state.updQ() = given.q;
    robot.system.realize(state, Stage::Position);
    robot.matter.calcM(state, M);
  };
  for (int k = 0; repetitions == 0 && k < kChecked; ++k) {
    const Given& given = states[static_cast<std::size_t>(k)];
    forward(given);
    const Vector rates = state.getUDot();
    say_values("forward", k, &rates[0], nu);
    inverse(given);
    say_values("inverse", k, &tau[0], nu);
    mass(given);
    say_values("mass", k, &M(0, 0), nu * nu);
  }
  time("forward", repetitions, states, forward);
  time("inverse", repetitions, states, inverse);
  time("mass", repetitions, states, mass);
  return 0;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
