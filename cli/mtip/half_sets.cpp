#include "mtip/half_sets.hpp"

#include <cstdint>

namespace cli::mtip {

// A rank of an odd number has its odd images in the first half.
std::array<std::vector<float>, 2> merge_half_sets(Numerics& numerics, std::span<const Rotation> rotations,
                                                  MergeSettings settings, int rank) {
  std::array<std::vector<float>, 2> halves;
  settings.image_step = 2;
  for (int half = 0; half < 2; ++half) {
    settings.first_image = (half + rank) % 2;
    std::vector<Rotation> some;
    for (auto i = static_cast<std::size_t>(settings.first_image); i < rotations.size(); i += 2)
      some.push_back(rotations[i]);
    numerics.merge(some, settings);
    halves[static_cast<std::size_t>(half)] = numerics.amplitudes();
  }
  return halves;
}

}  // namespace cli::mtip
