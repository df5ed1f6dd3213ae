#include "mtip/loop.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "mtip/fsc.hpp"
#include "mtip/half_sets.hpp"
#include "mtip/rotations.hpp"
#include "timing.hpp"

namespace cli::mtip {
namespace {

// What random numbers are for: each use has a stream of its own.
enum class Use : std::uint64_t { blobs = 1, turn, offsets, fresh_densities };

std::uint64_t stream(std::uint64_t seed, Use use, int start, int generation) {
  const std::uint64_t place = static_cast<std::uint64_t>(start) * 1000 + static_cast<std::uint64_t>(generation);
  return CounterRandom(CounterRandom(seed).bits(static_cast<std::uint64_t>(use))).bits(place);
}

std::vector<std::uint64_t> consecutive(std::uint64_t first, int count) {
  std::vector<std::uint64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

std::int64_t pixels_within(const Detector& detector, double cutoff) {
  const auto end = std::upper_bound(detector.radius.begin(), detector.radius.end(), cutoff + 1e-9);
  return end - detector.radius.begin();
}

std::vector<Rotation> turned(const Rotation& turn, std::vector<Rotation> rotations) {
  for (Rotation& rotation : rotations) rotation = turn * rotation;
  return rotations;
}

}  // namespace

double LoopSettings::refine_radius() const { return 5.6 * std::cbrt(6000.0 / static_cast<double>(candidates)); }

Loop::Loop(const LoopSettings& settings, const Parts& parts, LoopHooks hooks)
    : settings_(settings), parts_(parts), hooks_(std::move(hooks)) {
  if (parts.truth && parts.truth->transform)
    comparison_.emplace(*parts.truth, parts.problem.modes, fsc_shells(parts.data.detector, parts.problem.modes));
}

LoopResult Loop::run(State state) {
  for (; state.start < settings_.starts; ++state.start, state.generation = 0) {
    run_start(state);
    if (!state.has_best() || state.current.score > state.best.score) state.best = state.current;
  }
  return finish(state);
}

void Loop::run_start(State& state) {
  if (state.generation == 0) state.current = {.rotations = {}, .density = blobs(state.start)};
  parts_.numerics.set_density(state.current.density);
  while (state.generation < settings_.generations) {
    const Progress progress = run_generation(state);
    state.history.push_back(progress);
    ++state.generation;
    hooks_.report(progress);
    hooks_.checkpoint(state);
  }
}

Progress Loop::run_generation(State& state) {
  Progress progress{.start = state.start, .generation = state.generation};
  progress.cutoff = cutoff_of(state.generation);
  const Volume before = state.current.density;
  if (state.generation > 0) merge_and_phase(state, progress);
  state.current.density = shared_density();
  find_rotations(state, progress);
  compare(state, before, progress);
  return progress;
}

// All ranks phase alike. Where their processors round differently, the steps of phasing make the differences grow: so the
// density of rank 0 is everybody's.
Volume Loop::shared_density() {
  Volume density = parts_.numerics.density();
  if (parts_.ranks.size == 1) return density;
  parts_.ranks.broadcast(std::as_writable_bytes(std::span(density.values)));
  parts_.numerics.set_density(density);
  return density;
}

// The cutoff in |q|. The detector has at least one pixel.
double Loop::cutoff_of(int generation) const {
  const Detector& detector = parts_.data.detector;
  const auto last = std::min(detector.radius.size(), static_cast<std::size_t>(settings_.least_pixels)) - 1;
  const double growing = settings_.first_cutoff + settings_.cutoff_step * static_cast<double>(generation);
  return std::min(detector.highest, std::max(growing, detector.radius[last]));
}

void Loop::merge_and_phase(const State& state, Progress& progress) {
  const std::int64_t pixels = pixels_within(parts_.data.detector, progress.cutoff);
  progress.seconds.merge = seconds_of([&] {
    parts_.numerics.merge(
        state.current.rotations,
        {.pixels = pixels, .iterations = settings_.merge_iterations, .regularisation = settings_.regularisation});
  });
  progress.seconds.phase = seconds_of([&] { progress.amplitude_error = phase(state, progress.cutoff); });
}

// A phasing that stagnates passes its density on to the next one. Refinement would fit the orientations to it.
double Loop::phase(const State& state, double cutoff) {
  if (state.generation != settings_.generations - settings_.refined_generations)
    return parts_.numerics.phase({.cutoff = cutoff, .rounds = settings_.phase_rounds});
  const auto seeds = consecutive(stream(settings_.seed, Use::fresh_densities, state.start, state.generation),
                                 settings_.fresh_phasings);
  const auto errors = parts_.numerics.phase_several(seeds, {.cutoff = cutoff, .rounds = settings_.fresh_phase_rounds});
  return *std::min_element(errors.begin(), errors.end());
}

void Loop::find_rotations(State& state, Progress& progress) {
  const std::int64_t pixels = pixels_within(parts_.data.detector, progress.cutoff);
  const CounterRandom random(stream(settings_.seed, Use::turn, state.start, state.generation));
  const auto candidates = turned(random_rotation(random, 0), super_fibonacci(settings_.candidates));
  progress.seconds.slice = seconds_of([&] { parts_.numerics.slice(candidates, pixels); });
  Matches matches;
  progress.seconds.match = seconds_of([&] { matches = parts_.numerics.match(); });
  state.current.rotations.clear();
  for (const std::int32_t index : matches.index)
    state.current.rotations.push_back(candidates[static_cast<std::size_t>(index)]);
  if (state.generation >= settings_.generations - settings_.refined_generations)
    progress.seconds.refine = seconds_of([&] { refine(state, progress, matches); });
  state.current.score = progress.score = score(matches, pixels);
}

void Loop::refine(State& state, Progress&, Matches& matches) {
  const std::uint64_t seed = stream(settings_.seed, Use::offsets, state.start, state.generation);
  double radius = settings_.refine_radius();
  for (int round = 0; round < settings_.refine_rounds; ++round, radius /= 2) {
    const auto offsets = rotations_around_identity(radius, seed + static_cast<std::uint64_t>(round));
    matches = parts_.numerics.refine(state.current.rotations, offsets);
    for (std::size_t i = 0; i < state.current.rotations.size(); ++i)
      state.current.rotations[i] = offsets[static_cast<std::size_t>(matches.index[i])] * state.current.rotations[i];
  }
}

// A slice explains |z|^2 - |z - z_slice|^2 of an image. Noise has the part 1 - weight^2 of the variance weight^2 of a whitened
// pixel, and nothing explains it.
double Loop::score(const Matches& matches, std::int64_t pixels) const {
  const auto& detector = parts_.data.detector;
  const auto width = static_cast<std::size_t>(parts_.data.images.pixels);
  std::array<double, 2> sums{};  // |z|^2 of the images, and what slices explain of it
  for (std::size_t i = 0; i < matches.distance.size(); ++i) {
    const float* image = &parts_.data.whitened.values[i * width];
    for (std::size_t p = 0; p < static_cast<std::size_t>(pixels); ++p)
      sums[0] += static_cast<double>(image[p]) * image[p];
    sums[1] -= matches.distance[i];
  }
  parts_.ranks.sum(sums);
  double all = 0, signal = 0;
  for (std::size_t p = 0; p < static_cast<std::size_t>(pixels); ++p) {
    const double weight = parts_.data.whitened.weights[static_cast<std::size_t>(detector.shell[p])];
    all += weight * weight;
    signal += weight * weight * weight * weight;
  }
  const double score = sums[0] > 0 ? sums[1] / sums[0] * all / signal : 0;
  return parts_.ranks.of_first(score);  // all ranks choose the same start
}

// The resolution is that of the FSC against the truth, or else against the density of the last generation.
void Loop::compare(const State& state, const Volume& before, Progress& progress) const {
  const Volume& density = state.current.density;
  Rotation rotation;
  if (parts_.truth) {
    const auto curvature = parts_.data.detector.wavelength > 0 ? Curvature::ewald : Curvature::flat;
    const auto errors = orientation_errors(gather(state.current.rotations, parts_.ranks),
                                           gather(parts_.truth->rotations, parts_.ranks), curvature);
    progress.median_error = errors.median();
    progress.near = errors.within(15);
    rotation = errors.rotation;
  }
  const ShellCurve curve = comparison_ ? comparison_->fsc(density, comparison_->align(density, rotation))
                                       : density_correlation(before, density, parts_.problem.modes,
                                                             fsc_shells(parts_.data.detector, parts_.problem.modes));
  progress.resolution = crossing(curve);
}

// Eight Gaussians of the particle's size; their width is 2 voxels at M = 33.
Volume Loop::blobs(int start) const {
  const CounterRandom random(stream(settings_.seed, Use::blobs, start, 0));
  const double radius = parts_.problem.radius, sigma = 2 * parts_.problem.modes / 33.0;
  const int size = parts_.problem.block(), half = size / 2;
  Volume result{.size = size, .values = std::vector<float>(static_cast<std::size_t>(size) * size * size)};
  for (std::uint64_t blob = 0; blob < 8; ++blob) {
    const Vector3 centre = random_in_ball(random, blob);
    const double weight = random.uniform(1000 + blob);
    std::size_t i = 0;
    for (int z = -half; z <= half; ++z) {
      for (int y = -half; y <= half; ++y) {
        for (int x = -half; x <= half; ++x, ++i) {
          if (x * x + y * y + z * z > radius * radius) continue;
          const double far =
              std::hypot(x - 0.6 * radius * centre[0], y - 0.6 * radius * centre[1], z - 0.6 * radius * centre[2]);
          result.values[i] += static_cast<float>(weight * std::exp(-far * far / (2 * sigma * sigma)));
        }
      }
    }
  }
  return result;
}

// Shells are twice as wide as the detector's, the innermost of which has only three different amplitudes on the grid.
ShellCurve Loop::compare_half_sets(std::span<const Rotation> rotations) {
  const Detector& detector = parts_.data.detector;
  const auto halves = merge_half_sets(parts_.numerics, rotations,
                                      {.pixels = static_cast<std::int64_t>(detector.pixels.size()),
                                       .iterations = settings_.merge_iterations,
                                       .regularisation = settings_.regularisation},
                                      parts_.ranks.rank);
  const int modes = parts_.problem.modes, shells = std::max(1, fsc_shells(detector, modes) / 2);
  return amplitude_correlation(halves[0], halves[1], modes, shells);
}

LoopResult Loop::finish(State& state) {
  LoopResult result;
  result.model = std::move(state.best);
  const auto& detector = parts_.data.detector;
  parts_.numerics.set_density(result.model.density);
  result.last_seconds.merge = seconds_of([&] {
    result.half_sets = compare_half_sets(result.model.rotations);
    result.half_set_resolution = parts_.ranks.of_first(crossing(result.half_sets));
    parts_.numerics.merge(result.model.rotations, {.pixels = static_cast<std::int64_t>(detector.pixels.size()),
                                                   .iterations = settings_.last_merge_iterations,
                                                   .regularisation = settings_.regularisation});
  });
  const auto seeds = consecutive(stream(settings_.seed, Use::fresh_densities, 0, 0), settings_.last_phasings);
  result.last_seconds.phase = seconds_of([&] {
    result.amplitude_errors =
        parts_.numerics.phase_several(seeds, {.cutoff = detector.highest, .rounds = settings_.last_phase_rounds});
  });
  result.model.density = parts_.numerics.density();
  return result;
}

}  // namespace cli::mtip
