// M-TIP's loop: from images without orientations to a density.
//
//   for each start, from a density of a few random blobs:
//     for each generation, with pixels up to a cutoff that grows:
//       merge, phase (not in the first one)   images with orientations -> autocorrelation -> density; before the first
//                                             refinement from several fresh densities too, as the last one may stagnate
//       slice, match                          density -> slices for candidate rotations -> the nearest one of each image
//       refine (in the last ones)             the same around each image's best rotation
//   of the best start: merge the even and the odd images apart and compare them; merge once more, phase from several fresh
//                      densities, and keep the one of the smallest error
//
// Failure is told by two numbers that need no truth. The score, which also ranks the starts, is the part of the whitened
// images' variance that the nearest slices explain, over the part that noise leaves to explain. The resolution of the half sets
// (half_sets.hpp) is the |q| up to which the even and the odd images ask for the same amplitudes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mtip/align.hpp"
#include "mtip/numerics.hpp"
#include "mtip/ranks.hpp"
#include "mtip/types.hpp"

namespace cli::mtip {

struct LoopSettings {
  std::uint64_t seed = 1;
  int starts = 1, generations = 16;
  std::int64_t candidates = 6000;
  double first_cutoff = 0.15, cutoff_step = 0.035;  // of |q|; the last cutoff is the detector's highest |q|
  // A cutoff below which the detector has fewer pixels is raised: behind a beam stop and on a coarse detector the first one may
  // have none. At the default sizes the first cutoff has about 70.
  std::int64_t least_pixels = 24;
  int refined_generations = 4, refine_rounds = 3;
  int merge_iterations = 30, last_merge_iterations = 60;
  double regularisation = 1e-3;
  int phase_rounds = 2;
  // Before the first refinement, and after the loop: phasings from fresh densities beside the loop's own, and their rounds.
  int fresh_phasings = 5, fresh_phase_rounds = 4;
  int last_phasings = 5, last_phase_rounds = 6;

  // Degrees of the first step of refinement, two thirds of the ball that belongs to a candidate; each round has half of it.
  // Three rounds leave a median of 0.6 degrees for 6,000 candidates; as many slices in random places leave 1.4.
  [[nodiscard]] double refine_radius() const;
};

// A score below this one is failure: seen are up to 0.21 where nothing was found, and 0.40 upwards where something was.
inline constexpr double least_score = 0.3;
// So are half sets that agree up to a lower |q|. Seen are, in parts of Nyquist, up to 0.40 for 25 images and 0.56 for 2,000
// images of 300 photons, 0.61 to 0.76 for 50 images, and 0.91 upwards for 100. docs/mtip.md has the table.
inline constexpr double least_resolution = 0.65 * 0.5;

struct LoopResult {
  Model model;                           // of the best start, with the density of the last phasing
  ShellCurve half_sets;                  // correlation of the half sets' amplitudes
  double half_set_resolution = 0;        // |q| where it falls below 0.5
  std::vector<double> amplitude_errors;  // of the last phasings: the fresh ones, then the loop's own density
  StepTimes last_seconds;                // of the steps after the loop
  [[nodiscard]] bool succeeded() const { return model.score >= least_score && half_set_resolution >= least_resolution; }
};

struct LoopHooks {
  std::function<void(const Progress&)> report = [](const Progress&) {};
  std::function<void(const State&)> checkpoint = [](const State&) {};  // after each generation
};

class Loop {
 public:
  // `truth` may be null. All must outlive the object.
  struct Parts {
    const NumericsProblem& problem;
    NumericsData data;  // references, so that a copy is cheap
    Numerics& numerics;
    const Ranks& ranks;
    const Truth* truth = nullptr;
  };
  Loop(const LoopSettings& settings, const Parts& parts, LoopHooks hooks);

  // From a fresh State, or from that of a checkpoint.
  LoopResult run(State state);

 private:
  void run_start(State& state);
  Progress run_generation(State& state);
  void merge_and_phase(const State& state, Progress& progress);
  double phase(const State& state, double cutoff);
  void find_rotations(State& state, Progress& progress);
  void refine(State& state, Progress& progress, Matches& matches);
  Volume shared_density();
  [[nodiscard]] double cutoff_of(int generation) const;
  [[nodiscard]] double score(const Matches& matches, std::int64_t pixels) const;
  void compare(const State& state, const Volume& before, Progress& progress) const;
  [[nodiscard]] Volume blobs(int start) const;
  ShellCurve compare_half_sets(std::span<const Rotation> rotations);
  LoopResult finish(State& state);

  LoopSettings settings_;
  Parts parts_;
  LoopHooks hooks_;
  std::optional<TruthComparison> comparison_;
};

}  // namespace cli::mtip
