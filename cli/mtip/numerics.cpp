#include "mtip/numerics.hpp"

#include <cmath>
#include <cstdint>

#include "random.hpp"
#include "text.hpp"

namespace cli::mtip {

int NumericsProblem::block() const { return 2 * static_cast<int>(std::ceil(radius)) + 1; }

Volume fresh_density(const NumericsProblem& problem, std::uint64_t seed) {
  const int size = problem.block(), half = size / 2;
  Volume result{.size = size, .values = std::vector<float>(static_cast<std::size_t>(size) * size * size)};
  const CounterRandom random(seed);
  std::size_t i = 0;
  for (int z = -half; z <= half; ++z)
    for (int y = -half; y <= half; ++y)
      for (int x = -half; x <= half; ++x, ++i)
        if (x * x + y * y + z * z <= problem.radius * problem.radius)
          result.values[i] = static_cast<float>(random.uniform(i));
  return result;
}

#ifndef OFFGRID_MTIP_CUDA
bool cuda_numerics_available() { return false; }
std::unique_ptr<Numerics> make_cuda_numerics(const NumericsProblem&, const NumericsData&) {
  throw InputError("--device cuda: this program was built without CUDA; take --device cpu");
}
#endif

}  // namespace cli::mtip
