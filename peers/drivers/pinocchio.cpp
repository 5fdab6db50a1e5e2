// Times of Pinocchio per evaluation, on a model and states that `parts/pinocchio.py` wrote.
//
//   pinocchio MODEL STATES REPETITIONS
//
// The model is built here from its joints and inertias, so that all code is compiled for this processor and none comes
// from a library made for older ones. MODEL has one line per joint: parent, kind, axis, placement (rotation by rows, place),
// mass, mass centre, inertia about it (xx xy yy xz yz zz). STATES has three lines per state: q, v, accelerations.
// Times go to standard output as JSON.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include "pinocchio_model.hpp"

using Eigen::VectorXd;
using pinocchio::Data;
using pinocchio::Model;

namespace {

VectorXd read_row(std::istream& in, int n) {
  VectorXd row(n);
  for (int k = 0; k < n; ++k) { in >> row[k]; }
  return row;
}

template <class F>
void time(const char* what, int repetitions, std::size_t n, F evaluate) {
  std::vector<double> times;
  for (int r = 0; r < repetitions; ++r) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t k = 0; k < n; ++k) { evaluate(k); }
    const std::chrono::duration<double, std::nano> span = std::chrono::steady_clock::now() - start;
    times.push_back(span.count() / static_cast<double>(n));
  }
  std::sort(times.begin(), times.end());
  std::cout << "{\"quantity\":\"" << what << "\",\"best_ns\":" << times.front()
            << ",\"median_ns\":" << times[times.size() / 2] << "}\n";
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) { throw std::runtime_error("MODEL STATES REPETITIONS"); }
  const Model model = read_model(argv[1]);
  Data data(model);
  std::ifstream in(argv[2]);
  std::vector<VectorXd> q, v, a;
  while (true) {
    const VectorXd row = read_row(in, model.nq);
    if (!in) { break; }
    q.push_back(row);
    v.push_back(read_row(in, model.nv));
    a.push_back(read_row(in, model.nv));
  }
  const int repetitions = std::stoi(argv[3]);
  const std::size_t n = q.size();
  const VectorXd zero = VectorXd::Zero(model.nv);
  double sink = 0;
  // Frames of the joints or of the world: which is faster depends on the robot, so both are timed.
  time("forward, local", repetitions, n, [&](std::size_t k) {
    sink += pinocchio::aba(model, data, q[k], v[k], zero, pinocchio::Convention::LOCAL)[0];
  });
  time("forward, world", repetitions, n, [&](std::size_t k) {
    sink += pinocchio::aba(model, data, q[k], v[k], zero, pinocchio::Convention::WORLD)[0];
  });
  time("inverse", repetitions, n, [&](std::size_t k) { sink += pinocchio::rnea(model, data, q[k], v[k], a[k])[0]; });
  time("mass, local", repetitions, n, [&](std::size_t k) {
    sink += pinocchio::crba(model, data, q[k], pinocchio::Convention::LOCAL)(0, 0);
  });
  time("mass, world", repetitions, n, [&](std::size_t k) {
    sink += pinocchio::crba(model, data, q[k], pinocchio::Convention::WORLD)(0, 0);
  });
  time("derivatives", repetitions, n, [&](std::size_t k) {
    pinocchio::computeABADerivatives(model, data, q[k], v[k], zero);
    sink += data.ddq_dq(0, 0);
  });
  if (n == 0 || !std::isfinite(sink)) { throw std::runtime_error("a result is not finite"); }
  return 0;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
