// A model of Pinocchio from the lines that `parts/pinocchio.py` writes, one per joint: parent, kind, axis, placement (rotation by rows,
// place), mass, mass centre, inertia about it (xx xy yy xz yz zz).
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <pinocchio/multibody.hpp>

inline pinocchio::JointModel joint(const std::string& kind, const Eigen::Vector3d& axis) {
  if (kind == "JointModelRX") return pinocchio::JointModelRX();
  if (kind == "JointModelRY") return pinocchio::JointModelRY();
  if (kind == "JointModelRZ") return pinocchio::JointModelRZ();
  if (kind == "JointModelPX") return pinocchio::JointModelPX();
  if (kind == "JointModelPY") return pinocchio::JointModelPY();
  if (kind == "JointModelPZ") return pinocchio::JointModelPZ();
  if (kind == "JointModelRUBX") return pinocchio::JointModelRUBX();
  if (kind == "JointModelRUBY") return pinocchio::JointModelRUBY();
  if (kind == "JointModelRUBZ") return pinocchio::JointModelRUBZ();
  if (kind == "JointModelRevoluteUnaligned") return pinocchio::JointModelRevoluteUnaligned(axis);
  if (kind == "JointModelPrismaticUnaligned") return pinocchio::JointModelPrismaticUnaligned(axis);
  if (kind == "JointModelFreeFlyer") return pinocchio::JointModelFreeFlyer();
  throw std::runtime_error("no joint of kind " + kind);
}

inline pinocchio::Model read_model(const char* path) {
  std::ifstream in(path);
  pinocchio::Model model;
  std::string line;
  for (int k = 0; std::getline(in, line); ++k) {
    std::istringstream words(line);
    int parent;
    std::string kind;
    Eigen::Vector3d axis, p, c;
    Eigen::Matrix3d R, I;
    double m;
    words >> parent >> kind >> axis[0] >> axis[1] >> axis[2];
    for (int i = 0; i < 9; ++i) { words >> R(i / 3, i % 3); }
    words >> p[0] >> p[1] >> p[2] >> m >> c[0] >> c[1] >> c[2];
    words >> I(0, 0) >> I(0, 1) >> I(1, 1) >> I(0, 2) >> I(1, 2) >> I(2, 2);
    if (!words) { throw std::runtime_error("a line of the model is too short"); }
    I(1, 0) = I(0, 1); I(2, 0) = I(0, 2); I(2, 1) = I(1, 2);
    const auto id = model.addJoint(parent, joint(kind, axis), pinocchio::SE3(R, p), "j" + std::to_string(k));
    model.appendBodyToJoint(id, pinocchio::Inertia(m, c, I), pinocchio::SE3::Identity());
  }
  return model;
}
