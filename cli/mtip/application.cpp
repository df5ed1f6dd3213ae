#include "mtip/application.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>
#include <utility>

#include "files/output_file.hpp"
#include "mtip/files/checkpoint.hpp"
#include "mtip/files/diffraction_file.hpp"
#include "mtip/files/mrc.hpp"
#include "mtip/files/pictures.hpp"
#include "mtip/report.hpp"
#include "mtip/restart.hpp"
#include "mtip/sharpen.hpp"
#include "text.hpp"
#include "timing.hpp"

namespace cli::mtip {
namespace {

std::unique_ptr<Numerics> make_numerics(const std::string& device, const NumericsProblem& problem,
                                        const NumericsData& data) {
  const bool cuda = device == "cuda" || (device == "auto" && cuda_numerics_available());
  return cuda ? make_cuda_numerics(problem, data) : make_cpu_numerics(problem, data);
}

// One run: the data, the numerics over it, and what becomes of them.
class Application {
 public:
  Application(const Settings& settings, const Ranks& ranks)
      : settings_(settings),
        ranks_(ranks),
        experiment_(make_experiment(settings.experiment, ranks)),
        prepared_(prepare(experiment_.detector, experiment_.images, experiment_.noise, ranks.sum)) {
    problem_.modes = settings.experiment.modes;
    problem_.radius = ball_radius(problem_.modes);
    problem_.merge_tolerance = settings.tolerance;
    problem_.sum = ranks.sum;
    scale_to_size(settings_.loop, problem_.modes);
    if (settings.candidates > 0) settings_.loop.candidates = settings.candidates;
    if (settings.generations > 0) settings_.loop.generations = settings.generations;
    numerics_ = make_numerics(settings.device, problem_, data());
  }

  bool run() {
    State state = first_state();
    begin_checkpoint(state);
    if (first()) {
      print_head(experiment_, problem_, *numerics_, ranks_);
      if (!settings_.restart.empty()) print_restart(state);
      print_columns();
    }
    save_images();
    const double before = watch_.seconds();
    Loop loop(settings_.loop, {problem_, data(), *numerics_, ranks_, truth()}, hooks());
    const LoopResult result = loop.run(std::move(state));
    const double after = watch_.seconds();
    if (first()) print_outcome(result);
    report(result);
    if (first())
      std::printf("%.1f s in all: images %.1f, reconstruction %.1f, comparison and files %.1f\n", watch_.seconds(),
                  before, after - before, watch_.seconds() - after);
    return result.succeeded();
  }

 private:
  [[nodiscard]] bool first() const { return ranks_.rank == 0; }
  [[nodiscard]] NumericsData data() const { return {experiment_.detector, prepared_.images, prepared_.whitened}; }
  [[nodiscard]] const Truth* truth() const { return experiment_.truth ? &*experiment_.truth : nullptr; }

  [[nodiscard]] State first_state() const {
    State state;
    state.problem = fingerprint(settings_.loop, problem_, experiment_, ranks_);
    return settings_.restart.empty() ? state : agreed_state(settings_.restart, state.problem, ranks_);
  }

  // Ranks must not go on from a mixture of two runs: what one that has ended left in the place of later states is replaced on
  // all ranks before any of them can write one.
  void begin_checkpoint(const State& state) const {
    if (ranks_.size > 1 && !settings_.checkpoint.empty())
      save_checkpoint(file_of_rank(settings_.checkpoint, ranks_), state);
  }

  [[nodiscard]] LoopHooks hooks() const {
    LoopHooks hooks;
    if (first()) hooks.report = print_progress;
    if (settings_.checkpoint.empty()) return hooks;
    hooks.checkpoint = [path = file_of_rank(settings_.checkpoint, ranks_), ranks = ranks_.size](const State& state) {
      if (ranks > 1) keep_previous(path, state);
      save_checkpoint(path, state);
    };
    return hooks;
  }

  // One file for all ranks, which write their images in turns.
  void save_images() const {
    if (settings_.save_images.empty()) return;
    DiffractionData data{
        .detector = experiment_.detector, .images = experiment_.images, .voxel = experiment_.voxel, .rotations = {}};
    if (truth()) data.rotations = truth()->rotations;
    const std::string parts = settings_.save_images + ".parts";  // takes the path's place when it is complete
    try {
      write_in_turns(parts, data);
      if (first()) std::filesystem::rename(parts, settings_.save_images);
    } catch (...) {
      std::error_code ignored;
      if (first()) std::filesystem::remove(parts, ignored);
      throw;
    }
  }

  void write_in_turns(const std::string& path, const DiffractionData& data) const {
    const Share share = share_of(experiment_.total, ranks_);
    for (int turn = 0; turn < ranks_.size; ++turn) {
      ranks_.together([&] {
        if (turn != ranks_.rank) return;
        if (first()) return write_diffraction(path, data, known_density(), experiment_.total);
        write_more_images(path, data, share.first);
      });
    }
  }

  // On the voxels of PREFIX.mrc: the truth without what is beyond Nyquist, or what the input says.
  [[nodiscard]] Volume known_density() const {
    if (!settings_.experiment.input.empty()) return read_volume(settings_.experiment.input);
    const TruthComparison truth(*experiment_.truth, problem_.modes, fsc_shells(experiment_.detector, problem_.modes));
    return truth.band_limited_truth({.size = problem_.block(), .finer = 1});
  }

  void report(const LoopResult& result) const {
    const auto blur = [&](const Volume& density) { return blurred(density, prepared_.width, problem_.modes); };
    std::vector<NamedDensity> densities{{.label = "reconstruction", .density = blur(result.model.density)}};
    if (settings_.shares > 1)
      densities.push_back(
          {.label = format("one of %d shares", settings_.shares), .density = blur(from_one_share(result))});
    std::optional<OrientationErrors> errors;
    if (truth()) errors = errors_of(result);
    if (!first()) return;
    write_mrc(settings_.output + ".mrc", {.volume = densities[0].density, .voxel = experiment_.voxel});
    if (errors)
      std::printf("orientations: median error %.2f degrees, %.1f %% within 15 degrees\n", errors->median(),
                  100 * errors->within(15));
    if (truth() && truth()->transform)
      report_truth(experiment_, errors->rotation, densities, settings_.output, problem_.modes);
    else
      report_half_sets(result, densities[0].density, settings_.output);
    std::printf("wrote %s.mrc and pictures beside it\n", settings_.output.c_str());
  }

  [[nodiscard]] OrientationErrors errors_of(const LoopResult& result) const {
    const auto curvature = experiment_.detector.wavelength > 0 ? Curvature::ewald : Curvature::flat;
    return orientation_errors(gather(result.model.rotations, ranks_), gather(truth()->rotations, ranks_), curvature);
  }

  // The density from the first of the shares alone, with the orientations of the whole reconstruction, by as many phasings, all
  // of them from fresh densities: what is lost where a rank does not sum the normal equations with the others. It would lose
  // more, as it would not have everybody's orientations. On one rank only.
  [[nodiscard]] Volume from_one_share(const LoopResult& result) const {
    const Share share = share_of(experiment_.images.count, {.rank = 0, .size = settings_.shares});
    Images images = prepared_.images;
    images.count = share.count;
    const auto alone = make_numerics(settings_.device, problem_, {experiment_.detector, images, prepared_.whitened});
    alone->merge(std::span(result.model.rotations).first(static_cast<std::size_t>(share.count)),
                 {.pixels = images.pixels,
                  .iterations = settings_.loop.last_merge_iterations,
                  .regularisation = settings_.loop.regularisation});
    std::vector<std::uint64_t> seeds(static_cast<std::size_t>(settings_.loop.last_phasings));
    std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
    alone->set_density(fresh_density(problem_, 0));  // in the place of the loop's own
    alone->phase_several(seeds, {.cutoff = experiment_.detector.highest, .rounds = settings_.loop.last_phase_rounds});
    return alone->density();
  }

  Stopwatch watch_;
  Settings settings_;
  const Ranks& ranks_;
  Experiment experiment_;
  Prepared prepared_;
  NumericsProblem problem_;
  std::unique_ptr<Numerics> numerics_;
};

// Before any work: what it would end in.
void check(const Settings& settings, const Ranks& ranks) {
  const ExperimentSettings& e = settings.experiment;
  if (e.modes % 2 == 0) throw InputError(format("--size %d: expected an odd number", e.modes));
  if (!e.pdb.empty() && !e.input.empty()) throw InputError("--pdb and --input exclude each other");
  for (const auto& [option, value] : {std::pair{"--photons", e.photons}, std::pair{"--ewald", e.wavelength}})
    if (std::isnan(value)) throw InputError(format("%s nan: expected a number", option));
  if (settings.shares > 1 && ranks.size > 1) throw InputError("--shares is for one rank");
  if (ranks.rank == 0) require_writable(settings.output + ".mrc");
  if (ranks.rank == 0 && !settings.save_images.empty()) require_writable(settings.save_images);
  if (!settings.checkpoint.empty()) require_writable(file_of_rank(settings.checkpoint, ranks));
}

}  // namespace

void scale_to_size(LoopSettings& loop, int modes) {
  constexpr double highest = 0.5;       // |q| of the last cutoff
  constexpr int unrefined_at_full = 2;  // generations
  const double relative = modes / 33.0;
  const auto rounded = [](double value) { return std::max(1, static_cast<int>(std::lround(value))); };
  const int more = static_cast<int>(std::lround(1.5 * std::log2(relative))), growing = rounded(10 * relative);
  loop.candidates = std::lround(6000 * std::pow(relative, 2.3));
  loop.refine_rounds = std::max(1, loop.refine_rounds + more);
  loop.refined_generations = std::max(1, loop.refined_generations + more);
  loop.first_cutoff = std::min(highest, loop.first_cutoff / relative);
  loop.cutoff_step = (highest - loop.first_cutoff) / growing;
  loop.generations = growing + unrefined_at_full + loop.refined_generations;
  loop.fresh_phase_rounds = rounded(loop.fresh_phase_rounds * relative);
  loop.last_phase_rounds = rounded(loop.last_phase_rounds * relative);
}

bool run(const Settings& settings, const Ranks& ranks) {
  ranks.together([&] { check(settings, ranks); });
  return Application(settings, ranks).run();
}

}  // namespace cli::mtip
