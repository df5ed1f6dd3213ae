// The loop on several ranks, which are threads here: they stay together where a rank has no images, and where ranks round
// differently.
#include <gtest/gtest.h>

#include "mtip/experiment.hpp"
#include "mtip/loop.hpp"
#include "mtip/sharpen.hpp"
#include "ranks_as_threads.hpp"

namespace cli::mtip {
namespace {

// The steps on a processor that rounds differently: phasing ends in a density that is off by a part in a thousand.
class RoundsDifferently final : public Numerics {
 public:
  RoundsDifferently(Numerics& numerics, double error) : numerics_(numerics), factor_(static_cast<float>(1 + error)) {}

  [[nodiscard]] std::string describe() const override { return numerics_.describe(); }
  void set_density(const Volume& block) override { numerics_.set_density(block); }
  [[nodiscard]] Volume density() const override { return numerics_.density(); }
  void merge(std::span<const Rotation> rotations, const MergeSettings& settings) override {
    numerics_.merge(rotations, settings);
  }
  [[nodiscard]] std::vector<float> amplitudes() const override { return numerics_.amplitudes(); }
  double phase(const PhaseSettings& settings) override {
    const double error = numerics_.phase(settings);
    disturb();
    return error;
  }
  std::vector<double> phase_several(std::span<const std::uint64_t> seeds, const PhaseSettings& settings) override {
    auto errors = numerics_.phase_several(seeds, settings);
    disturb();
    return errors;
  }
  void slice(std::span<const Rotation> candidates, std::int64_t pixels) override {
    numerics_.slice(candidates, pixels);
  }
  Matches match() override { return numerics_.match(); }
  Matches refine(std::span<const Rotation> rotations, std::span<const Rotation> offsets) override {
    return numerics_.refine(rotations, offsets);
  }

 private:
  void disturb() {
    Volume density = numerics_.density();
    for (std::size_t i = 0; i < density.values.size(); i += 2) density.values[i] *= factor_;
    numerics_.set_density(density);
  }

  Numerics& numerics_;
  float factor_;
};

// Four starts of three generations, with three images on all ranks together. `error`: how differently the ranks round.
struct Job {
  std::vector<State> last;  // of each rank
  std::vector<LoopResult> results;
};
Job run_on(int size, double error) {
  Job job{.last = std::vector<State>(static_cast<std::size_t>(size)),
          .results = std::vector<LoopResult>(static_cast<std::size_t>(size))};
  RanksAsThreads(size).run([&](const Ranks& ranks) {
    const auto rank = static_cast<std::size_t>(ranks.rank);
    const Experiment e = make_experiment({.images = 3, .modes = 9, .seed = 1}, ranks);
    const Prepared prepared = prepare(e.detector, e.images, e.noise, ranks.sum);
    const NumericsProblem problem{.modes = 9, .radius = ball_radius(9), .sum = ranks.sum};
    const NumericsData data{e.detector, prepared.images, prepared.whitened};
    const auto exact = make_cpu_numerics(problem, data);
    RoundsDifferently numerics(*exact, error * ranks.rank);
    LoopSettings settings{.starts = 4, .generations = 3, .candidates = 300};
    LoopHooks hooks;
    hooks.checkpoint = [&](const State& state) { job.last[rank] = state; };
    job.results[rank] = Loop(settings, {problem, data, numerics, ranks, &*e.truth}, hooks).run({});
  });
  return job;
}

// A rank without images kept the last start instead of the best one.
TEST(MtipRanks, OneWithoutImagesKeepsTheBestStart) {
  const Job job = run_on(4, 0);
  for (std::size_t rank = 1; rank < 4; ++rank) {
    EXPECT_EQ(job.results[rank].model.score, job.results[0].model.score) << rank;
    EXPECT_EQ(job.last[rank].best.score, job.last[0].best.score) << rank;
    EXPECT_EQ(job.last[rank].best.density.values, job.last[0].best.density.values) << rank;
  }
  const auto& all = job.last[0].history;
  double best = -1;
  for (const Progress& line : all)
    if (line.generation == 2) best = std::max(best, line.score);
  EXPECT_EQ(job.results[3].model.score, best);
  EXPECT_NE(all.back().score, best) << "the last start is not the best one";
}

TEST(MtipRanks, StayTogetherWhereTheyRoundDifferently) {
  const Job job = run_on(2, 1e-3);
  EXPECT_EQ(job.last[1].current.density.values, job.last[0].current.density.values);
  EXPECT_EQ(job.last[1].best.density.values, job.last[0].best.density.values);
  EXPECT_EQ(job.last[1].best.score, job.last[0].best.score);
  EXPECT_EQ(job.results[1].half_set_resolution, job.results[0].half_set_resolution);
}

}  // namespace
}  // namespace cli::mtip
