// What one core of this machine can do at most: fused multiply-adds in registers, GFLOP/s, one number at a time and four.

#include <immintrin.h>

#include <chrono>
#include <cstdio>

namespace {

constexpr int kChains = 12;  // enough to hide the latency of two units
constexpr long kRounds = 20'000'000;

template <class V, class Set, class Fma>
double rate(int lanes, Set set, Fma fma) {
  double best = 0;
  for (int r = 0; r < 5; ++r) {
    V x[kChains];
    for (int k = 0; k < kChains; ++k) { x[k] = set(1.0 + 0.01 * k); }
    V a = set(0.999999), b = set(1e-6);
    const auto start = std::chrono::steady_clock::now();
    for (long i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
      for (int k = 0; k < kChains; ++k) {
        x[k] = fma(x[k], a, b);
        asm volatile("" : "+x"(x[k]));
      }
    }
    const std::chrono::duration<double> span = std::chrono::steady_clock::now() - start;
    const double now = 2.0 * lanes * kChains * kRounds / span.count() * 1e-9;
    if (now > best) { best = now; }
  }
  return best;
}

}  // namespace

int main() {
  const double one = rate<__m128d>(1, [](double v) { return _mm_set_sd(v); },
                                   [](__m128d x, __m128d a, __m128d b) { return _mm_fmadd_sd(x, a, b); });
  const double four = rate<__m256d>(4, [](double v) { return _mm256_set1_pd(v); },
                                    [](__m256d x, __m256d a, __m256d b) { return _mm256_fmadd_pd(x, a, b); });
  std::printf("{\"scalar_gflops\":%.3f,\"four_gflops\":%.3f}\n", one, four);
}
