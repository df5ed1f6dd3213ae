#include "mtip/application.hpp"

#include <cmath>
#include <cstdio>
#include <memory>

#include "mtip/particle.hpp"
#include "mtip/rotations.hpp"
#include "mtip/simulate.hpp"
#include "text.hpp"
#include "timing.hpp"

namespace cli::mtip {
namespace {

constexpr double nyquist = 0.5;

struct Experiment {
  Detector detector;
  Images images;
  std::int64_t total = 0;  // images of all ranks
  std::optional<Truth> truth;
};

Experiment simulate(const Settings& settings, const Ranks& ranks) {
  auto particle = std::make_shared<Particle>(
      make_particle(particle_kind(settings.particle), settings.modes / 33.0, 1000 + settings.loop.seed));
  Experiment result{.detector = make_detector(settings.side, settings.wavelength),
                    .images = {},
                    .total = settings.images,
                    .truth = Truth{.name = settings.particle, .transform = {}, .rotations = {}}};
  result.truth->transform = [particle](std::span<const Vector3> at) {
    std::vector<std::complex<double>> values;
    for (const Vector3& q : at) values.push_back(particle->transform(q));
    return values;
  };
  const Share share = share_of(settings.images, ranks);
  const CounterRandom random(5000 + settings.loop.seed);
  for (std::int64_t i = 0; i < share.count; ++i)
    result.truth->rotations.push_back(random_rotation(random, static_cast<std::uint64_t>(share.first + i)));
  result.images = simulate_images(
      result.truth->transform, result.detector, result.truth->rotations,
      {.photons = settings.photons, .seed = 7000 + settings.loop.seed, .first = share.first}, ranks.sum);
  return result;
}

void print_line(const Progress& p) {
  std::printf("%2d.%-2d  q %.3f  score %6.3f  phase %.4f  FSC %.2f", p.start, p.generation, p.cutoff, p.score,
              p.amplitude_error, p.resolution / nyquist);
  if (p.median_error >= 0) std::printf("  error %5.1f deg  near %.3f", p.median_error, p.near);
  const StepTimes& s = p.seconds;
  std::printf("   merge %.2f phase %.2f slice %.2f match %.2f refine %.2f s\n", s.merge, s.phase, s.slice, s.match,
              s.refine);
  std::fflush(stdout);
}

}  // namespace

bool run(const Settings& given, const Ranks& ranks) {
  Settings settings = given;
  if (settings.side == 0) settings.side = settings.modes - 1;
  const double relative = settings.modes / 33.0;
  settings.loop.candidates =
      settings.candidates > 0 ? settings.candidates : std::lround(6000 * std::pow(relative, 2.3));
  settings.loop.refine_rounds = 2 + static_cast<int>(std::lround(1.5 * std::log2(relative)));
  const Stopwatch watch;
  const Experiment experiment = simulate(settings, ranks);
  const double simulated = watch.seconds();
  const NumericsProblem problem{.modes = settings.modes,
                                .radius = settings.modes / 4.0 + 0.5,
                                .slice_tolerance = 1e-4,
                                .merge_tolerance = settings.tolerance,
                                .sum = ranks.sum};
  const Whitened whitened = whiten_images(experiment.detector, experiment.images,
                                          settings.photons > 0 ? Noise::poisson : Noise::none, ranks.sum);
  const NumericsData data{experiment.detector, experiment.images, whitened};
  const auto numerics = make_cpu_numerics(problem, data);
  std::printf("simulated in %.2f s: %lld images of %zu pixels\n", simulated, static_cast<long long>(experiment.total),
              experiment.detector.pixels.size());
  const Truth* truth = experiment.truth ? &*experiment.truth : nullptr;
  Loop loop(settings.loop, {problem, data, *numerics, ranks, truth}, {.report = print_line});
  const LoopResult result = loop.run({});
  std::printf("last merge %.2f s, phasings %.2f s, errors", result.last_seconds.merge, result.last_seconds.phase);
  for (const double error : result.amplitude_errors) std::printf(" %.4f", error);
  const TruthComparison comparison(*truth, settings.modes, experiment.detector.shells);
  const auto errors = orientation_errors(gather(result.model.rotations, ranks), gather(truth->rotations, ranks),
                                         settings.wavelength > 0 ? Curvature::ewald : Curvature::flat);
  const Alignment start = comparison.align(result.model.density, errors.rotation);
  const Alignment alignment = comparison.refine(result.model.density, start);
  const ShellCurve curve = comparison.fsc(result.model.density, alignment);
  std::printf(
      "\nscore %.3f  FSC 0.5 at %.3f  (before refinement of the alignment %.3f)  median %.2f deg  near %.3f  total "
      "%.2f s\n",
      result.model.score, crossing(curve) / nyquist, crossing(comparison.fsc(result.model.density, start)) / nyquist,
      errors.median(), errors.within(15), watch.seconds());
  return result.succeeded();
}

}  // namespace cli::mtip
