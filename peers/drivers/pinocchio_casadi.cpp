// The C code that CasADi makes of Pinocchio's algorithms for one robot.
//
//   pinocchio_casadi MODEL FOLDER
//
// Runs aba, rnea and crba on CasADi's symbols, in the frames of the joints and in those of the world where Pinocchio has both, shares common
// subexpressions, and writes FOLDER/NAME.c for each. MODEL is that of pinocchio.cpp. Numbers of operations go to standard output as JSON; inputs, outputs and constants are no operations.

#include <pinocchio/autodiff/casadi.hpp>

#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include "pinocchio_model.hpp"

using casadi::SX;
using Symbols = Eigen::Matrix<SX, Eigen::Dynamic, 1>;

namespace {

SX vector(const Symbols& from) {
  SX to(casadi::Sparsity::dense(from.size(), 1));
  for (Eigen::Index k = 0; k < from.size(); ++k) { to(k) = from[k]; }
  return to;
}

Symbols symbols(const SX& from) {
  Symbols to(from.size1());
  for (Eigen::Index k = 0; k < to.size(); ++k) { to[k] = from(k); }
  return to;
}

bool arithmetic(casadi_int code) {
  return code != casadi::OP_CONST && code != casadi::OP_INPUT && code != casadi::OP_OUTPUT && code != casadi::OP_PARAMETER;
}

void write(const std::string& folder, const std::string& name, const std::vector<SX>& inputs, const SX& result) {
  const std::vector<SX> outputs{cse(result)};
  const casadi::Function f(name, inputs, outputs);
  casadi_int operations = 0, functions = 0, divisions = 0;
  for (casadi_int k = 0; k < f.n_instructions(); ++k) {
    const casadi_int code = f.instruction_id(k);
    operations += arithmetic(code);
    functions += code == casadi::OP_SIN || code == casadi::OP_COS;
    divisions += code == casadi::OP_DIV || code == casadi::OP_INV;
  }
  casadi::CodeGenerator made(name);
  made.add(f);
  made.generate(folder + "/");
  std::cout << "{\"quantity\":\"" << name << "\",\"operations\":" << operations << ",\"functions\":" << functions
            << ",\"divisions\":" << divisions << "}\n";
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) { throw std::runtime_error("MODEL FOLDER"); }
  const pinocchio::ModelTpl<SX> model = read_model(argv[1]).cast<SX>();
  pinocchio::DataTpl<SX> data(model);
  const SX q = SX::sym("q", model.nq), v = SX::sym("v", model.nv), a = SX::sym("a", model.nv);
  const Symbols zero = Symbols::Constant(model.nv, SX(0.0));
  for (const auto& [word, frames] : {std::pair{"local", pinocchio::Convention::LOCAL}, {"world", pinocchio::Convention::WORLD}}) {
    pinocchio::aba(model, data, symbols(q), symbols(v), zero, frames);
    write(argv[2], std::string("forward_") + word, {q, v}, vector(data.ddq));
    data.M.setConstant(SX(0.0));
    pinocchio::crba(model, data, symbols(q), frames);
    // Zeros of branches that do not meet stay out of the result, as CasADi's own sparsity leaves them.
    SX upper(model.nv, model.nv);
    for (int i = 0; i < model.nv; ++i) {
      for (int j = i; j < model.nv; ++j) {
        if (!data.M(i, j).is_zero()) { upper(i, j) = data.M(i, j); }
      }
    }
    write(argv[2], std::string("mass_") + word, {q}, upper);
  }
  pinocchio::rnea(model, data, symbols(q), symbols(v), symbols(a));
  write(argv[2], "inverse_local", {q, v, a}, vector(data.tau));
  return 0;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
