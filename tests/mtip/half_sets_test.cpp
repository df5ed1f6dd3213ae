// Half sets with orientations that are known to be right or wrong, and their bookkeeping.
#include "mtip/half_sets.hpp"

#include <gtest/gtest.h>
#include <cstdint>

#include "mtip/experiment.hpp"
#include "mtip/fsc.hpp"
#include "mtip/loop.hpp"
#include "mtip/rotations.hpp"
#include "mtip/sharpen.hpp"

namespace cli::mtip {
namespace {

// Images of "gauss" without noise, as the loop works on them.
class Simulation {
 public:
  Simulation(std::int64_t images, int modes)
      : experiment_(make_experiment({.images = images, .modes = modes, .seed = 2}, {})),
        prepared_(prepare(experiment_.detector, experiment_.images, experiment_.noise, [](std::span<double>) {})),
        modes_(modes),
        numerics_(make_cpu_numerics({.modes = modes, .radius = ball_radius(modes)},
                                    {experiment_.detector, prepared_.images, prepared_.whitened})) {}

  [[nodiscard]] const std::vector<Rotation>& truth() const { return experiment_.truth->rotations; }
  auto halves(std::span<const Rotation> rotations, int rank = 0) {
    return merge_half_sets(*numerics_, rotations, {.pixels = experiment_.images.pixels}, rank);
  }
  ShellCurve curve(std::span<const Rotation> rotations) {
    const auto both = halves(rotations);
    return amplitude_correlation(both[0], both[1], modes_, fsc_shells(experiment_.detector, modes_) / 2);
  }

 private:
  Experiment experiment_;
  Prepared prepared_;
  int modes_;
  std::unique_ptr<Numerics> numerics_;
};

TEST(MtipHalfSets, AgreeWithTheRightOrientationsOnly) {
  Simulation many(300, 25);
  for (const double value : many.curve(many.truth()).value) EXPECT_GT(value, 0.95);
  EXPECT_LT(crossing(many.curve(random_rotations(300, 99))), 0.5 * least_resolution);
}

// What a few images can support, with the right orientations.
TEST(MtipHalfSets, NeedEnoughImages) {
  for (const auto& [images, low, high] : {std::array{25, 20, 50}, std::array{100, 90, 100}}) {
    Simulation few(images, 33);
    const double percent = 200 * crossing(few.curve(few.truth()));
    EXPECT_GE(percent, low) << images;
    EXPECT_LE(percent, high) << images;
  }
}

TEST(MtipHalfSets, AreTheOtherWayRoundOnTheSecondRank) {
  Simulation five(5, 9);
  const auto first = five.halves(five.truth(), 0), second = five.halves(five.truth(), 1);
  EXPECT_EQ(first[0], second[1]);
  EXPECT_EQ(first[1], second[0]);
}

// The other half has no image, no amplitudes and no correlation.
TEST(MtipHalfSets, OfOneImageDoNotAgree) {
  Simulation one(1, 9);
  EXPECT_EQ(crossing(one.curve(one.truth())), 0);
}

}  // namespace
}  // namespace cli::mtip
