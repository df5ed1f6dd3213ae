// Each heavy step of M-TIP on its own, against direct sums or what is known of a simulated particle.
#include <gtest/gtest.h>
#include <cstdint>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "mtip/align.hpp"
#include "mtip/experiment.hpp"
#include "mtip/match_cpu.hpp"
#include "mtip/merge_cpu.hpp"
#include "mtip/numerics.hpp"
#include "mtip/phase_cpu.hpp"
#include "mtip/rotations.hpp"
#include "mtip/simulate.hpp"
#include "mtip/slice_cpu.hpp"

namespace cli::mtip {
namespace {

constexpr double pi = std::numbers::pi;
const auto no_ranks = [](std::span<double>) {};

NumericsProblem small_problem(int modes) { return {.modes = modes, .radius = ball_radius(modes)}; }

Whitened whiten(const Experiment& e) {
  return whiten_images(e.detector, e.images, image_weights(e.detector, e.images, e.noise, no_ranks), no_ranks);
}

TEST(MtipSimulate, PoissonHasItsMeanAndVariance) {
  for (const double mean : {0.3, 4.0, 9.9, 10.1, 300.0}) {
    constexpr int count = 20000;
    double sum = 0, squares = 0;
    for (int i = 0; i < count; ++i) {
      const double value = poisson(mean, 5, static_cast<std::uint64_t>(i));
      sum += value;
      squares += value * value;
    }
    const double average = sum / count, variance = squares / count - average * average;
    EXPECT_NEAR(average, mean, 5 * std::sqrt(mean / count));
    EXPECT_NEAR(variance / mean, 1, 0.06 + 5 / std::sqrt(mean * count));
  }
}

TEST(MtipSimulate, PhotonsDoNotDependOnTheShareOfARank) {
  const ExperimentSettings settings{.images = 9, .modes = 17, .photons = 500, .seed = 3};
  const Experiment all = make_experiment(settings, {});
  // The brightness is that of all images, which a rank learns from the others: here from the first run.
  std::array<double, 2> total{};
  Ranks first{.rank = 0, .size = 2, .sum = [&](std::span<double> v) { total = {v[0], v[1]}; }};
  make_experiment(settings, first);
  const auto from_first = total;
  Ranks second{.rank = 1, .size = 2, .sum = [&](std::span<double> v) {
                 for (std::size_t i = 0; i < 2; ++i) v[i] += from_first[i];
               }};
  const Experiment half = make_experiment(settings, second);
  ASSERT_EQ(half.images.count, 4);
  const auto expected = all.images.image(5);
  for (std::size_t p = 0; p < expected.size(); ++p) EXPECT_EQ(half.images.image(0)[p], expected[p]);
}

TEST(MtipDetector, PixelsAreSortedAndOnTheEwaldSphere) {
  const Detector detector = make_detector(32, 0.5);
  EXPECT_TRUE(std::is_sorted(detector.radius.begin(), detector.radius.end()));
  EXPECT_TRUE(std::is_sorted(detector.shell.begin(), detector.shell.end()));
  for (const Vector3& q : detector.pixels) EXPECT_NEAR(std::hypot(q[0], q[1], q[2] + 2), 2, 1e-12);
  EXPECT_EQ(make_detector(32, 0).pixels.size(), 812u);
}

TEST(MtipSlice, AgreesWithADirectSum) {
  const NumericsProblem problem = small_problem(17);
  const Experiment e = make_experiment({.images = 3, .modes = 17, .seed = 2}, {});
  const Whitened whitened = whiten(e);
  const auto rotations = random_rotations(2, 4);
  SlicerCpu slicer(problem.block(), 1e-5);
  const Volume density = fresh_density(problem, 9);
  slicer.set_density(density);
  std::vector<float> slices(2 * e.detector.pixels.size());
  slicer.slice(rotations, e.detector.pixels, {slices.data(), e.detector.pixels.size()});
  const int half = density.size / 2;
  const double total = std::accumulate(density.values.begin(), density.values.end(), 0.0);
  for (const std::size_t p : {std::size_t{0}, e.detector.pixels.size() - 1}) {
    const Vector3 q = rotations[1] * e.detector.pixels[p];
    std::complex<double> sum = 0;
    std::size_t i = 0;
    for (int z = -half; z <= half; ++z)
      for (int y = -half; y <= half; ++y)
        for (int x = -half; x <= half; ++x, ++i)
          sum += std::polar<double>(density.values[i], -2 * pi * (q[0] * x + q[1] * y + q[2] * z));
    EXPECT_NEAR(std::sqrt(slices[e.detector.pixels.size() + p]), std::abs(sum), 1e-4 * total);
  }
}

TEST(MtipMatch, NearestRowsAgreeWithALoop) {
  PaddedRows a, b;
  a.resize(11, 37);
  b.resize(101, 37);
  const CounterRandom random(8);
  for (std::size_t i = 0; i < 11; ++i)
    for (std::size_t k = 0; k < 37; ++k) a.row(i)[k] = static_cast<float>(random.uniform(i * 37 + k) - 0.5);
  std::vector<float> norms;
  for (std::size_t i = 0; i < 101; ++i) {
    for (std::size_t k = 0; k < 37; ++k) b.row(i)[k] = static_cast<float>(random.uniform(9999 + i * 37 + k) - 0.5);
    norms.push_back(dot(b.row(i), b.row(i), 37));
  }
  const Matches found = nearest_rows(a, b, norms);
  for (std::size_t i = 0; i < 11; ++i) {
    std::size_t best = 0;
    double least = 1e9;
    for (std::size_t j = 0; j < 101; ++j) {
      double distance = 0;
      for (std::size_t k = 0; k < 37; ++k) distance += b.row(j)[k] * (b.row(j)[k] - 2.0 * a.row(i)[k]);
      if (distance < least) {
        least = distance;
        best = j;
      }
    }
    EXPECT_EQ(found.index[i], static_cast<std::int32_t>(best));
    EXPECT_NEAR(found.distance[i], least, 1e-4);
  }
}

// Slices that do not fit the memory they may take are made twice, in groups.
TEST(MtipMatch, GroupsOfSlicesGiveTheSame) {
  NumericsProblem problem = small_problem(17);
  const Experiment e = make_experiment({.images = 20, .modes = 17, .seed = 2}, {});
  const Whitened whitened = whiten(e);
  const auto candidates = super_fibonacci(700);
  const std::size_t slice_bytes = 4 * e.detector.pixels.size();
  std::vector<Matches> found, refined;
  for (const std::size_t slices : {700, 699, 300, 1}) {
    problem.slice_memory = slices * slice_bytes;
    const auto numerics = make_cpu_numerics(problem, {e.detector, e.images, whitened});
    numerics->set_density(fresh_density(problem, 9));
    numerics->slice(candidates, e.images.pixels);
    found.push_back(numerics->match());
    refined.push_back(numerics->refine(e.truth->rotations, rotations_around_identity(5, 3)));
    EXPECT_EQ(found.back().index, found[0].index) << slices;
    EXPECT_EQ(refined.back().index, refined[0].index) << slices;
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_NEAR(found.back().distance[i], found[0].distance[i], 1e-2) << slices;
      EXPECT_NEAR(refined.back().distance[i], refined[0].distance[i], 1e-2) << slices;
    }
  }
}

// T and b at a few modes, against the definition.
TEST(MtipMerge, NormalEquationsAgreeWithDirectSums) {
  const NumericsProblem problem = small_problem(9);
  const Experiment e = make_experiment({.images = 5, .modes = 9, .seed = 2}, {});
  const Whitened whitened = whiten(e);
  const NumericsData data{e.detector, e.images, whitened};
  const auto equations = normal_equations(problem, data, e.truth->rotations, {.pixels = e.images.pixels});
  for (const auto& n : {std::array<int, 3>{0, 0, 0}, {1, -2, 3}, {-4, 4, 0}}) {
    double kernel = 0, right = 0, size = 0;
    for (std::int64_t i = 0; i < 5; ++i) {
      for (std::size_t p = 0; p < e.detector.pixels.size(); ++p) {
        const Vector3 q = e.truth->rotations[static_cast<std::size_t>(i)] * e.detector.pixels[p];
        const double wave = e.detector.radius[p] * std::cos(2 * pi * (n[0] * q[0] + n[1] * q[1] + n[2] * q[2]));
        kernel += wave;
        right += wave * e.images.image(i)[p];
        size += e.detector.radius[p] * e.images.image(i)[p];
      }
    }
    const auto wide = static_cast<std::size_t>(((n[2] + 8) * 17 + n[1] + 8) * 17 + n[0] + 8);
    const auto narrow = static_cast<std::size_t>(((n[2] + 4) * 9 + n[1] + 4) * 9 + n[0] + 4);
    EXPECT_NEAR(equations.kernel[wide], kernel, 1e-4 * equations.kernel[17 * 17 * 17 / 2]);
    EXPECT_NEAR(equations.right_side[narrow], right, 1e-4 * size);
  }
}

// With the right orientations, merging finds the intensities on the grid and phasing the density.
TEST(MtipMerge, RightOrientationsGiveTheDensity) {
  const NumericsProblem problem = small_problem(25);
  const Experiment e = make_experiment({.images = 300, .modes = 25, .seed = 2}, {});
  const Whitened whitened = whiten(e);
  const auto numerics = make_cpu_numerics(problem, {e.detector, e.images, whitened});
  numerics->set_density(fresh_density(problem, 1));
  numerics->merge(e.truth->rotations, {.pixels = e.images.pixels, .iterations = 40});
  const std::vector<std::uint64_t> seeds{2, 3};
  const auto errors = numerics->phase_several(seeds, {.rounds = 6});
  EXPECT_LT(*std::min_element(errors.begin(), errors.end()), 0.08);
  const TruthComparison comparison(*e.truth, 25, e.detector.shells);
  const Alignment alignment = comparison.refine(numerics->density(), comparison.align(numerics->density(), {}));
  EXPECT_GT(crossing(comparison.fsc(numerics->density(), alignment)), 0.45);
}

// The kernels of two shares of the images add up to the kernel of all: what makes one solve of many ranks.
TEST(MtipMerge, SharesOfTheImagesAddUp) {
  NumericsProblem problem = small_problem(9);
  problem.merge_tolerance = 1e-12;
  const Experiment e = make_experiment({.images = 8, .modes = 9, .seed = 2}, {});
  const Whitened whitened = whiten(e);
  const auto all =
      normal_equations(problem, {e.detector, e.images, whitened}, e.truth->rotations, {.pixels = e.images.pixels});
  std::vector<double> kernel(all.kernel.size()), right(all.right_side.size());
  for (const std::int64_t first : {0, 3}) {
    const std::int64_t count = first == 0 ? 3 : 5;
    Images part{.count = count, .pixels = e.images.pixels, .intensities = {}};
    const auto begin = e.images.intensities.begin() + first * part.pixels;
    part.intensities.assign(begin, begin + count * part.pixels);
    const auto rotations =
        std::span(e.truth->rotations).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    const auto some = normal_equations(problem, {e.detector, part, whitened}, rotations, {.pixels = part.pixels});
    for (std::size_t i = 0; i < kernel.size(); ++i) kernel[i] += some.kernel[i];
    for (std::size_t i = 0; i < right.size(); ++i) right[i] += some.right_side[i];
  }
  const double top = all.kernel[all.kernel.size() / 2], high = all.right_side[all.right_side.size() / 2];
  for (std::size_t i = 0; i < kernel.size(); ++i) ASSERT_NEAR(kernel[i], all.kernel[i], 1e-11 * top);
  for (std::size_t i = 0; i < right.size(); ++i) ASSERT_NEAR(right[i], all.right_side[i], 1e-11 * high);
}

TEST(MtipMerge, TakesTheImagesThatAreNamed) {
  const NumericsProblem problem = small_problem(9);
  const Experiment e = make_experiment({.images = 8, .modes = 9, .seed = 2}, {});
  Images named{.count = 3, .pixels = e.images.pixels, .intensities = {}};
  std::vector<Rotation> rotations;
  for (const std::int64_t i : {1, 4, 7}) {
    named.intensities.insert(named.intensities.end(), e.images.image(i).begin(), e.images.image(i).end());
    rotations.push_back(e.truth->rotations[static_cast<std::size_t>(i)]);
  }
  const Whitened whitened = whiten(e);
  const MergeSettings all{.pixels = e.images.pixels};
  const MergeSettings third{.pixels = e.images.pixels, .first_image = 1, .image_step = 3};
  const auto expected = normal_equations(problem, {e.detector, named, whitened}, rotations, all);
  const auto found = normal_equations(problem, {e.detector, e.images, whitened}, rotations, third);
  EXPECT_EQ(found.kernel, expected.kernel);
  EXPECT_EQ(found.right_side, expected.right_side);
}

// Amplitudes of a density that is known: phasing from near it stays there.
TEST(MtipPhase, KeepsADensityWhoseAmplitudesItHas) {
  const NumericsProblem problem = small_problem(17);
  PhaserCpu phaser(problem);
  Volume density = fresh_density(problem, 4);
  FftArray<float> space(phaser.fft().space_size());
  FftArray<std::complex<float>> spectrum(phaser.fft().spectrum_size());
  const int half = density.size / 2;
  std::size_t i = 0;
  for (int z = -half; z <= half; ++z)
    for (int y = -half; y <= half; ++y)
      for (int x = -half; x <= half; ++x, ++i)
        space[static_cast<std::size_t>((((z + 17) % 17) * 17 + (y + 17) % 17) * 17 + (x + 17) % 17)] =
            density.values[i];
  phaser.fft().forward(space, spectrum);
  std::vector<float> amplitudes;
  for (const auto& value : spectrum) amplitudes.push_back(std::abs(value));
  phaser.set_amplitudes(amplitudes);
  const Volume before = density;
  const double error = phaser.phase(density, {.cutoff = 1, .rounds = 1, .threshold = 0});
  EXPECT_LT(error, 1e-4);
  for (std::size_t k = 0; k < before.values.size(); ++k) ASSERT_NEAR(density.values[k], before.values[k], 1e-3);
}

TEST(MtipAlign, FindsRotationShiftAndMirror) {
  const Experiment e = make_experiment({.images = 1, .modes = 25, .seed = 6}, {});
  const TruthComparison comparison(*e.truth, 25, 12);
  const Volume truth = comparison.band_limited_truth({.size = 25, .finer = 1});
  EXPECT_GT(crossing(comparison.fsc(truth, {})), 0.499);
  Volume mirrored = truth;
  std::reverse(mirrored.values.begin(), mirrored.values.end());
  const Alignment found = comparison.align(mirrored, {});
  EXPECT_TRUE(found.mirrored);
  const Alignment turned{.rotation = from_axis_angle({0.03, -0.02, 0.02}), .shift = {0.3, 0, -0.2}};
  const Alignment refined = comparison.refine(truth, turned);
  EXPECT_LT(angle_degrees(refined.rotation), 0.5);
}

// A detector of 128 pixels has 64 shells, the first of them without any k of a Fourier grid of 81 samples.
TEST(MtipFsc, OfADensityWithItselfIsOneInAllShells) {
  NumericsProblem problem;
  problem.modes = 21;
  problem.radius = 5;
  const Volume density = fresh_density(problem, 3);
  const int shells = fsc_shells(make_detector(64, 0), problem.modes);
  const ShellCurve curve = density_correlation(density, density, problem.modes, shells);
  for (const double value : curve.value) EXPECT_NEAR(value, 1, 1e-6);
  EXPECT_NEAR(crossing(curve), 0.5, 1e-9);
}

// Random amplitudes that have nothing but their fall with |k| in common.
TEST(MtipFsc, OfAmplitudesDoesNotSeeTheirFall) {
  constexpr int modes = 21, shells = 5;
  const CounterRandom random(6);
  std::array<std::vector<float>, 2> amplitudes;
  std::uint64_t number = 0;
  for (auto& values : amplitudes)
    for (int z = 0; z < modes; ++z)
      for (int y = 0; y < modes; ++y)
        for (int x = 0; x <= modes / 2; ++x)
          values.push_back(static_cast<float>(random.uniform(number++) + 50 -
                                              2 * std::hypot(x, frequency(y, modes), frequency(z, modes))));
  const auto curve = [&](std::size_t other) {
    return amplitude_correlation(amplitudes[0], amplitudes[other], modes, shells).value;
  };
  for (const double value : curve(0)) EXPECT_NEAR(value, 1, 1e-6);
  const auto values = curve(1);
  for (std::size_t shell = 1; shell < shells; ++shell) EXPECT_LT(std::abs(values[shell]), 0.2) << shell;
}

// Amplitudes that are no numbers counted as agreement up to Nyquist.
TEST(MtipFsc, WhatIsNoNumberIsBelowAnyLevel) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> radius{0.1, 0.2, 0.3};
  EXPECT_EQ(crossing({.radius = radius, .value = {nan, nan, nan}}), 0);
  EXPECT_EQ(crossing({.radius = radius, .value = {1, nan, 1}}), 0.1);
  EXPECT_NEAR(crossing({.radius = radius, .value = {1, 0.75, 0}}), 0.2 + 0.1 / 3, 1e-12);
}

TEST(MtipAlign, OrientationErrorsIgnoreACommonRotation) {
  const auto truth = random_rotations(60, 1);
  const Rotation common = random_rotations(1, 2)[0];
  std::vector<Rotation> found;
  for (const Rotation& rotation : truth) found.push_back(common * rotation * from_axis_angle({0, 0.02, 0}));
  found[7] = random_rotations(1, 3)[0];
  const auto errors = orientation_errors(found, truth, Curvature::ewald);
  EXPECT_NEAR(errors.median(), 0.02 * 180 / pi, 0.3);
  EXPECT_LT(errors.within(15), 1);
}

}  // namespace
}  // namespace cli::mtip
