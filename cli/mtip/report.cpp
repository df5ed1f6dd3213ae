#include "mtip/report.hpp"

#include <cstdio>

#include "mtip/files/pictures.hpp"
#include "mtip/restart.hpp"
#include "text.hpp"

namespace cli::mtip {
namespace {

constexpr double nyquist = 0.5;

const char* verdict(const LoopResult& result) {
  if (result.succeeded()) return "the images agree with one density";
  if (result.model.score < least_score)
    return "FAILED, the images do not agree with one density; try more images or more --starts";
  return "FAILED, the images are too few or too noisy for one density; try more images";
}

}  // namespace

void print_head(const Experiment& experiment, const NumericsProblem& problem, const Numerics& numerics,
                const Ranks& ranks) {
  const Detector& detector = experiment.detector;
  std::printf("images    %lld of %zu pixels, %s, %s\n", static_cast<long long>(experiment.total),
              detector.pixels.size(), detector.wavelength > 0 ? "on the Ewald sphere" : "flat",
              experiment.noise == Noise::poisson ? "photon counts" : "without noise");
  if (experiment.negative > 0)
    std::printf("          %lld value%s negative: matching takes them for 0, merging takes them as they are\n",
                static_cast<long long>(experiment.negative), experiment.negative == 1 ? " is" : "s are");
  std::printf("model     %d^3 autocorrelation, particle in a ball of %.2f voxels\n", problem.modes, problem.radius);
  std::printf("computes  %s%s\n", numerics.describe().c_str(),
              ranks.size > 1 ? format(", %d ranks", ranks.size).c_str() : "");
}

void print_restart(const State& state) { std::printf("restart   after %s\n", words_of(position_of(state)).c_str()); }

void print_columns() {
  std::printf("\nstart.generation, cutoff and FSC = 0.5 in parts of Nyquist, seconds of the steps\n");
  std::printf("            cutoff  score  phasing   FSC    orientations         merge phase slice match refine\n");
}

void print_progress(const Progress& p) {
  std::string orientations(20, ' ');
  if (p.median_error >= 0) orientations = format("%5.1f deg, %3.0f %% near", p.median_error, 100 * p.near);
  const StepTimes& s = p.seconds;
  std::printf("%3d.%-4d     %.2f  %6.3f  %.4f   %.2f   %s  %5.2f %5.2f %5.2f %5.2f %5.2f\n", p.start + 1, p.generation,
              p.cutoff / nyquist, p.score, p.amplitude_error, p.resolution / nyquist, orientations.c_str(), s.merge,
              s.phase, s.slice, s.match, s.refine);
  std::fflush(stdout);
}

void print_outcome(const LoopResult& result) {
  std::printf("\nlast merges %.2f s, last phasings %.2f s; errors of their amplitudes", result.last_seconds.merge,
              result.last_seconds.phase);
  for (const double error : result.amplitude_errors) std::printf(" %.4f", error);
  std::printf("\nscore %.3f, half sets agree up to %.2f of Nyquist: %s\n", result.model.score,
              result.half_set_resolution / nyquist, verdict(result));
}

void report_truth(const Experiment& experiment, const Rotation& rotation, const std::vector<NamedDensity>& densities,
                  const std::string& prefix, int modes) {
  const TruthComparison comparison(*experiment.truth, modes, fsc_shells(experiment.detector, modes));
  const TruthComparison::Raster raster{.size = 3 * (2 * static_cast<int>(ball_radius(modes)) + 3), .finer = 3};
  std::vector<DensityRow> rows{{.label = "truth", .density = comparison.band_limited_truth(raster)}};
  std::vector<FscCurve> curves;
  for (const auto& [label, density] : densities) {
    const Alignment alignment = comparison.refine(density, comparison.align(density, rotation));
    const ShellCurve curve = comparison.fsc(density, alignment);
    std::printf("FSC with the truth is 0.5 at %.3f of Nyquist (%s)\n", crossing(curve) / nyquist, label.c_str());
    rows.push_back({.label = label, .density = comparison.aligned(density, alignment, raster)});
    curves.push_back({.label = label, .q = curve.radius, .fsc = curve.value});
  }
  save_density_picture(prefix + "-density.png", rows);
  save_fsc_picture(prefix + "-fsc.png", "FSC with the truth", curves);
}

void report_half_sets(const LoopResult& result, const Volume& density, const std::string& prefix) {
  save_density_picture(prefix + "-density.png", {{.label = "", .density = density}});
  save_fsc_picture(prefix + "-fsc.png", "Agreement of the half sets, before phasing",
                   {{.label = "", .q = result.half_sets.radius, .fsc = result.half_sets.value}});
}

}  // namespace cli::mtip
