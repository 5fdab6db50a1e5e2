// Times of Drake per evaluation, without Python in the loop: a library that `parts/drake_times.py` hands a plant and its context.
//
// Drake's package brings its library but no headers. The five functions that are needed take pointers, and vectors and matrices of Eigen; they are declared
// here, so that the linker finds them by name. Values are compared with Pinocchio's, which shows that arguments arrive as they should. Results of Drake
// are freed here, so this is compiled for the oldest processor as Drake is: the alignment of Eigen's memory depends on that.

#include <Eigen/Core>

#include "timing.h"

namespace drake {

// A reference that may be absent, passed by its address.
template <class Matrix>
struct EigenPtr {
  explicit EigenPtr(Matrix& matrix) : present(true), reference(matrix) {}
  EigenPtr(const EigenPtr&) = delete;
  ~EigenPtr() {}
  bool present;
  Eigen::Ref<Matrix> reference;
};

namespace systems {
template <class T> class Context;
template <class T> class ContinuousState;
template <class T>
class System {
 public:
  void CalcTimeDerivatives(const Context<T>&, ContinuousState<T>*) const;
};
}  // namespace systems

namespace multibody {
template <class T> class MultibodyForces;
template <class T>
class MultibodyPlant {
 public:
  void SetPositionsAndVelocities(systems::Context<T>*, const Eigen::Ref<const Eigen::Matrix<T, -1, 1>>&) const;
  void CalcForceElementsContribution(const systems::Context<T>&, MultibodyForces<T>*) const;
  Eigen::Matrix<T, -1, 1> CalcInverseDynamics(const systems::Context<T>&, const Eigen::Matrix<T, -1, 1>&, const MultibodyForces<T>&) const;
  void CalcMassMatrix(const systems::Context<T>&, EigenPtr<Eigen::Matrix<T, -1, -1>>) const;
};
}  // namespace multibody

}  // namespace drake

extern "C" {

// Pointers of Python's objects, and where states are: `width` numbers each, of which `nv` at the end are accelerations.
struct Given {
  drake::multibody::MultibodyPlant<double>* plant;
  drake::systems::Context<double>* context;
  drake::systems::ContinuousState<double>* rates;
  drake::multibody::MultibodyForces<double>* forces;
  const double* states;
  int n, width, nv;
};

// One evaluation at state k; inverse dynamics and the mass matrix (columns one after another) go to `result`.
void evaluate(const Given* given, int what, int k, double* result) {
  using Row = Eigen::Map<const Eigen::VectorXd>;
  const double* state = given->states + static_cast<long>(k) * given->width;
  const int nx = given->width - given->nv, nv = given->nv;
  const Eigen::Ref<const Eigen::VectorXd> x = Row(state, nx);
  given->plant->SetPositionsAndVelocities(given->context, x);
  if (what == 0) {
    // A plant has no other bases than those of a system, one after another: the addresses are the same.
    reinterpret_cast<drake::systems::System<double>*>(given->plant)->CalcTimeDerivatives(*given->context, given->rates);
  } else if (what == 1) {
    const Eigen::VectorXd accelerations = Row(state + nx, nv);
    given->plant->CalcForceElementsContribution(*given->context, given->forces);
    Eigen::Map<Eigen::VectorXd>(result, nv) = given->plant->CalcInverseDynamics(*given->context, accelerations, *given->forces);
  } else {
    static Eigen::MatrixXd M;
    M.resize(nv, nv);
    given->plant->CalcMassMatrix(*given->context, drake::EigenPtr<Eigen::MatrixXd>(M));
    Eigen::Map<Eigen::MatrixXd>(result, nv, nv) = M;
  }
}

void time_all(const Given* given, int repetitions, double* result) {
  const char* names[] = {"forward", "inverse", "mass"};
  double* times = static_cast<double*>(malloc(sizeof(double) * static_cast<std::size_t>(repetitions)));
  for (int what = 0; what < 3; ++what) {
    for (int r = 0; r < repetitions; ++r) {
      const double start = clock_ns();
      for (int k = 0; k < given->n; ++k) { evaluate(given, what, k, result); }
      times[r] = (clock_ns() - start) / given->n;
    }
    say_times(names[what], times, repetitions);
  }
  free(times);
  fflush(stdout);
}

}
