// The whole loop from unknown orientations: cases of reduced cost with and without noise, the negative control, and the full
// case "gauss" (M = 33, 500 images), of which four of five seeds must come out well; each takes 10 seconds on two cores.
#include "mtip/loop.hpp"

#include <gtest/gtest.h>
#include <cstdint>

#include <algorithm>
#include <cmath>

#include "mtip/application.hpp"
#include "mtip/experiment.hpp"
#include "mtip/sharpen.hpp"
#include "sanitizers.hpp"

namespace cli::mtip {
namespace {

struct Outcome {
  double score, half_sets, resolution, median, near;  // both resolutions in parts of Nyquist
  bool succeeded;
};

struct Case {
  ExperimentSettings experiment;
  LoopSettings loop;
  double beam_stop = 0;  // pixels below this |q| are missing
};

// The first `count` pixels are taken off the detector and the images.
void take_pixels_off(Experiment& e, std::int64_t count) {
  const std::int64_t width = e.images.pixels;
  std::vector<float> rest;
  for (std::int64_t i = 0; i < e.images.count; ++i) {
    const auto kept = e.images.image(i).subspan(static_cast<std::size_t>(count));
    rest.insert(rest.end(), kept.begin(), kept.end());
  }
  e.images.intensities = rest;
  e.images.pixels = width - count;
  e.detector.pixels.erase(e.detector.pixels.begin(), e.detector.pixels.begin() + count);
  e.detector.radius.erase(e.detector.radius.begin(), e.detector.radius.begin() + count);
  e.detector.shell.erase(e.detector.shell.begin(), e.detector.shell.begin() + count);
}

Experiment experiment_of(const Case& what) {
  Experiment e = make_experiment(what.experiment, {});
  const auto& radius = e.detector.radius;
  take_pixels_off(e, std::lower_bound(radius.begin(), radius.end(), what.beam_stop) - radius.begin());
  return e;
}

Outcome reconstruct(const Case& what, State* last = nullptr, const State& first = {}) {
  const Experiment e = experiment_of(what);
  const Prepared prepared = prepare(e.detector, e.images, e.noise, [](std::span<double>) {});
  const NumericsProblem problem{.modes = what.experiment.modes, .radius = ball_radius(what.experiment.modes)};
  const NumericsData data{e.detector, prepared.images, prepared.whitened};
  const auto numerics = make_cpu_numerics(problem, data);
  const Ranks ranks;
  LoopHooks hooks;
  if (last) hooks.checkpoint = [last](const State& state) { *last = state.generation == 3 ? state : *last; };
  Loop loop(what.loop, {problem, data, *numerics, ranks, &*e.truth}, hooks);
  const LoopResult result = loop.run(first);
  const TruthComparison comparison(*e.truth, problem.modes, e.detector.shells);
  const auto curvature = e.detector.wavelength > 0 ? Curvature::ewald : Curvature::flat;
  const auto errors = orientation_errors(result.model.rotations, e.truth->rotations, curvature);
  const Volume& density = result.model.density;
  const Alignment alignment = comparison.refine(density, comparison.align(density, errors.rotation));
  return {result.model.score,
          2 * result.half_set_resolution,
          2 * crossing(comparison.fsc(density, alignment)),
          errors.median(),
          errors.within(15),
          result.succeeded()};
}

LoopSettings reduced() {
  LoopSettings loop;
  loop.candidates = 3000;
  loop.generations = 13;
  loop.fresh_phasings = loop.last_phasings = 3;
  loop.last_phase_rounds = 5;
  return loop;
}

TEST(MtipLoop, FindsOrientationsAndDensity) {
  const Outcome found = reconstruct({.experiment = {.images = 300, .modes = 25, .seed = 2}, .loop = reduced()});
  EXPECT_TRUE(found.succeeded);
  EXPECT_GE(found.half_sets, 0.9);
  EXPECT_GE(found.resolution, 0.75);
  EXPECT_LE(found.median, 6);
  EXPECT_GE(found.near, 0.9);
}

// A detector of 8 x 8 pixels has none below |q| = 0.088, and what is behind a beam stop is in no image. The first cutoff was
// below that, and a division by the number of its pixels ended the program.
TEST(MtipLoop, StartsAtACutoffThatHasPixels) {
  Case small{.experiment = {.images = 10, .modes = 17, .side = 8, .seed = 2}, .loop = reduced()};
  small.loop.candidates = 100;
  small.loop.generations = 3;
  small.loop.first_cutoff = 0.05;
  small.loop.fresh_phasings = small.loop.last_phasings = small.loop.last_phase_rounds = 1;
  for (const double beam_stop : {0.0, 0.2, 0.45}) {
    small.beam_stop = beam_stop;
    EXPECT_TRUE(std::isfinite(reconstruct(small).score)) << beam_stop;
  }
}

// Two speckles wide, as |q| < 0.06 at M = 33.
TEST(MtipLoop, FindsOrientationsBehindABeamStop) {
  const Case stopped{.experiment = {.images = 300, .modes = 25, .seed = 2}, .loop = reduced(), .beam_stop = 0.08};
  const Outcome found = reconstruct(stopped);
  EXPECT_TRUE(found.succeeded);
  EXPECT_GE(found.resolution, 0.75);
  EXPECT_LE(found.median, 6);
  EXPECT_GE(found.near, 0.9);
}

// Atoms, pixels on the Ewald sphere, and photons that are counted. Seeds 1 to 3 had 87 to 92 % of the images within 15 degrees.
TEST(MtipLoop, FindsABodyInNoisyImagesOnTheEwaldSphere) {
  const ExperimentSettings body{
      .particle = "body", .images = 200, .modes = 21, .photons = 3000, .wavelength = 0.5, .seed = 3};
  Case small{.experiment = body, .loop = {.seed = 3}};
  scale_to_size(small.loop, body.modes);
  const Outcome found = reconstruct(small);
  EXPECT_TRUE(found.succeeded);
  EXPECT_GE(found.half_sets, 0.9);
  EXPECT_GE(found.resolution, 0.85);
  EXPECT_LE(found.median, 6);
  EXPECT_GE(found.near, 0.8);
}

// Neither number needs the truth. 25 images may have a score over its limit, and even a right density: half of them do not
// support it.
TEST(MtipLoop, TooFewImagesAreReportedAsFailed) {
  for (const std::int64_t images : {10, 25}) {
    for (const std::uint64_t seed : {1, 2}) {
      const Case few{.experiment = {.images = images, .modes = 33, .seed = seed}, .loop = reduced()};
      const Outcome found = reconstruct(few);
      EXPECT_FALSE(found.succeeded) << images << " images, seed " << seed << ", score " << found.score;
      EXPECT_LT(found.half_sets, 0.55) << images << " images, seed " << seed;
    }
  }
}

// A restart from the state after the third generation ends in the same density and orientations.
TEST(MtipLoop, RestartGivesTheSameResult) {
  Case small{.experiment = {.images = 60, .modes = 17, .seed = 4}, .loop = reduced()};
  small.loop.generations = 6;
  small.loop.candidates = 1000;
  State third;
  const Outcome whole = reconstruct(small, &third);
  ASSERT_EQ(third.generation, 3);
  const Outcome again = reconstruct(small, nullptr, third);
  EXPECT_EQ(whole.score, again.score);
  EXPECT_EQ(whole.half_sets, again.half_sets);
  EXPECT_EQ(whole.resolution, again.resolution);
  EXPECT_EQ(whole.median, again.median);
}

// The full case "gauss", and whether it comes out as it must.
bool seed_is_good(std::uint64_t seed) {
  Case full{.experiment = {.seed = seed}, .loop = {}};
  full.loop.seed = seed;
  const Outcome found = reconstruct(full);
  const bool good = found.succeeded && found.resolution >= 0.85 && found.median <= 3 && found.near >= 0.95;
  std::printf("seed %llu: score %.3f, FSC 0.5 at %.3f Nyquist, median %.2f degrees, %.1f %% within 15: %s\n",
              static_cast<unsigned long long>(seed), found.score, found.resolution, found.median, 100 * found.near,
              good ? "good" : "not good");
  return good;
}

TEST(MtipLoop, FourOfFiveSeedsOfGauss) {
  if (support::under_asan || support::under_tsan) GTEST_SKIP() << "minutes under a sanitizer; smaller cases run there";
#ifndef NDEBUG
  GTEST_SKIP() << "minutes without optimisation; smaller cases run there";
#endif
  int good = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) good += seed_is_good(seed) ? 1 : 0;
  EXPECT_GE(good, 4);
}

}  // namespace
}  // namespace cli::mtip
