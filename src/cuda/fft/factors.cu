#include "cuda/fft/factors.hpp"

#include <algorithm>

#include "cuda/check.hpp"

namespace offgrid::cuda {
namespace {

constexpr int threads = 256;
constexpr std::int64_t fewest_on_device = 4096;

struct SeriesArguments {
  double coefficients[most_factor_terms];
  int terms;
  double last;
  std::int64_t count;
};

// Clenshaw's recurrence, one thread per factor.
template <class T> __global__ void __launch_bounds__(threads) factor_kernel(const SeriesArguments series, T* factors) {
  const std::int64_t k = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (k >= series.count) return;
  const double ratio = min(static_cast<double>(k), series.last) / series.last;
  const double s = 2 * ratio * ratio - 1;
  double next = 0, after = 0;
  for (int j = series.terms - 1; j > 0; --j) {
    const double current = 2 * s * next - after + series.coefficients[j];
    after = next;
    next = current;
  }
  factors[k] = static_cast<T>(exp(s * next - after + series.coefficients[0]));
}

}  // namespace

bool evaluates_on_device(const FactorSeries& series) {
  return series.count() >= fewest_on_device && series.coefficients().size() <= most_factor_terms;
}

template <class T> void evaluate_factors(const FactorSeries& series, T* factors, cudaStream_t stream) {
  SeriesArguments arguments{};
  std::copy(series.coefficients().begin(), series.coefficients().end(), arguments.coefficients);
  arguments.terms = static_cast<int>(series.coefficients().size());
  arguments.last = series.last();
  arguments.count = series.count();
  const auto blocks = static_cast<unsigned>((series.count() + threads - 1) / threads);
  factor_kernel<T><<<blocks, threads, 0, stream>>>(arguments, factors);
  check_launch("deconvolution factors");
}

template void evaluate_factors(const FactorSeries&, float*, cudaStream_t);
template void evaluate_factors(const FactorSeries&, double*, cudaStream_t);

}  // namespace offgrid::cuda
