// Pinocchio on one robot: reference values for named states, and times per evaluation.
//
//   pinocchio ROBOT.urdf fixed|free STATES REPETITIONS
//
// STATES is written: names of coordinates and speeds, then per state five lines: q, v, accelerations without joint
// forces, given accelerations, the joint forces that these need. Angles stand for joints without limits, which Pinocchio
// keeps as cosine and sine. Times go to standard output as JSON. With `0` repetitions nothing is timed.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/parsers/urdf.hpp>

using pinocchio::Data;
using pinocchio::Model;
using Eigen::VectorXd;

namespace {

constexpr int kStates = 1024;

/// Numbers between -1 and 1 (splitmix64).
struct Random {
  std::uint64_t state = 42;
  double next() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    return 2.0 * static_cast<double>(z >> 11) / 9007199254740992.0 - 1.0;
  }
};

struct State {
  VectorXd angles, q, v, a_forward, a_given, tau;
};

struct Names {
  std::vector<std::string> q, v;
};

/// Random values for the coordinates by name, and the same in Pinocchio's order.
State random_state(const Model& model, bool free, Random& random, Names* names) {
  State s;
  s.q = VectorXd::Zero(model.nq);
  s.v = VectorXd::Zero(model.nv);
  std::vector<double> angles;
  for (pinocchio::JointIndex j = 1; j < static_cast<pinocchio::JointIndex>(model.njoints); ++j) {
    const auto& joint = model.joints[j];
    const std::string& name = model.names[j];
    const int iq = joint.idx_q(), iv = joint.idx_v(), nq = joint.nq(), nv = joint.nv();
    if (free && j == 1) {
      double e[4], norm = 0;
      for (double& x : e) { x = random.next(); norm += x * x; }
      norm = std::sqrt(norm);
      for (int k = 0; k < 3; ++k) { s.q[iq + k] = random.next(); angles.push_back(s.q[iq + k]); }
      for (int k = 0; k < 4; ++k) { angles.push_back(e[k] / norm); }  // scalar first
      for (int k = 0; k < 3; ++k) { s.q[iq + 3 + k] = e[k + 1] / norm; }
      s.q[iq + 6] = e[0] / norm;
      for (const char* n : {"@x", "@y", "@z", "@e0", "@e1", "@e2", "@e3"}) { if (names) names->q.push_back(n); }
      for (const char* n : {"@vx", "@vy", "@vz", "@wx", "@wy", "@wz"}) { if (names) names->v.push_back(n); }
    } else {
      if (nv == 0) { continue; }  // a joint that follows another
      if (nv != 1) { throw std::runtime_error("joint `" + name + "` has several degrees of freedom"); }
      const double x = random.next();
      angles.push_back(x);
      if (nq == 2) { s.q[iq] = std::cos(x); s.q[iq + 1] = std::sin(x); } else { s.q[iq] = x; }
      if (names) { names->q.push_back(name); names->v.push_back(name); }
    }
    for (int k = 0; k < nv; ++k) { s.v[iv + k] = random.next(); }
  }
  s.angles = Eigen::Map<VectorXd>(angles.data(), static_cast<Eigen::Index>(angles.size()));
  s.a_given = VectorXd::Zero(model.nv);
  for (int k = 0; k < model.nv; ++k) { s.a_given[k] = random.next(); }
  return s;
}

template <class F>
void time(const char* what, int repetitions, F evaluate) {
  std::vector<double> times;
  for (int r = 0; r < repetitions; ++r) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < kStates; ++k) { evaluate(k); }
    const std::chrono::duration<double, std::nano> span = std::chrono::steady_clock::now() - start;
    times.push_back(span.count() / kStates);
  }
  std::sort(times.begin(), times.end());
  std::cout << "{\"quantity\":\"" << what << "\",\"best_ns\":" << times.front()
            << ",\"median_ns\":" << times[times.size() / 2] << "}\n";
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5) { throw std::runtime_error("ROBOT.urdf fixed|free STATES REPETITIONS"); }
  const bool free = std::string(argv[2]) == "free";
  const int repetitions = std::stoi(argv[4]);
  // Joints that follow others do so in the references; what is timed has none.
  const bool follow = repetitions == 0;
  Model model;
  if (free) {
    pinocchio::urdf::buildModel(argv[1], pinocchio::JointModelFreeFlyer(), model, false, follow);
  } else {
    pinocchio::urdf::buildModel(argv[1], model, false, follow);
  }
  Data data(model);
  Random random;
  Names names;
  std::vector<State> states;
  const int n = follow ? 16 : kStates;
  const VectorXd zero = VectorXd::Zero(model.nv);
  for (int k = 0; k < n; ++k) {
    State s = random_state(model, free, random, k == 0 ? &names : nullptr);
    pinocchio::crba(model, data, s.q, pinocchio::Convention::WORLD);
    data.M.triangularView<Eigen::StrictlyLower>() = data.M.transpose().triangularView<Eigen::StrictlyLower>();
    const Eigen::MatrixXd M = data.M;
    s.a_forward = M.ldlt().solve(-pinocchio::nonLinearEffects(model, data, s.q, s.v));
    s.tau = pinocchio::rnea(model, data, s.q, s.v, s.a_given);
    states.push_back(s);
  }
  std::ofstream out(argv[3]);
  out << std::setprecision(17);
  for (const auto& name : names.q) { out << name << ' '; }
  out << '\n';
  for (const auto& name : names.v) { out << name << ' '; }
  out << '\n';
  for (const State& s : states) {
    for (const VectorXd* row : {&s.angles, &s.v, &s.a_forward, &s.a_given, &s.tau}) { out << row->transpose() << '\n'; }
  }
  if (repetitions == 0) { return 0; }
  double sink = 0;
  time("forward", repetitions, [&](int k) {
    sink += pinocchio::aba(model, data, states[k].q, states[k].v, zero, pinocchio::Convention::LOCAL)[0];
  });
  time("inverse", repetitions, [&](int k) {
    sink += pinocchio::rnea(model, data, states[k].q, states[k].v, states[k].a_given)[0];
  });
  time("mass", repetitions, [&](int k) {
    sink += pinocchio::crba(model, data, states[k].q, pinocchio::Convention::LOCAL)(0, 0);
  });
  time("derivatives", repetitions, [&](int k) {
    pinocchio::computeABADerivatives(model, data, states[k].q, states[k].v, zero);
    sink += data.ddq_dq(0, 0);
  });
  if (!std::isfinite(sink)) { throw std::runtime_error("a result is not finite"); }
  return 0;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
