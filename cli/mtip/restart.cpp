#include "mtip/restart.hpp"

#include <algorithm>
#include <cstdint>

#include "mtip/files/checkpoint.hpp"
#include "text.hpp"

namespace cli::mtip {
namespace {

void add(Fingerprint& print, const LoopSettings& loop) {
  print.add(loop.seed);
  print.add(loop.generations);
  print.add(loop.candidates);
  print.add(loop.first_cutoff);
  print.add(loop.cutoff_step);
  print.add(loop.least_pixels);
  print.add(loop.refined_generations);
  print.add(loop.refine_rounds);
  print.add(loop.merge_iterations);
  print.add(loop.last_merge_iterations);
  print.add(loop.regularisation);
  print.add(loop.phase_rounds);
  print.add(loop.fresh_phasings);
  print.add(loop.fresh_phase_rounds);
  print.add(loop.last_phasings);
  print.add(loop.last_phase_rounds);
}

void add(Fingerprint& print, const NumericsProblem& problem) {
  print.add(problem.modes);
  print.add(problem.radius);
  print.add(problem.slice_tolerance);
  print.add(problem.merge_tolerance);
}

template <class Item> void add_list(Fingerprint& print, const std::vector<Item>& items) {
  print.add(items.size());
  print.add(items.data(), items.size() * sizeof(Item));
}

void add(Fingerprint& print, const Experiment& experiment) {
  add_list(print, experiment.detector.pixels);
  print.add(experiment.detector.shells);
  print.add(experiment.detector.highest);
  print.add(experiment.detector.wavelength);
  print.add(experiment.noise);
  print.add(experiment.total);
  add_list(print, experiment.images.intensities);
}

std::vector<Position> positions_of(const std::vector<State>& states) {
  std::vector<Position> positions;
  positions.reserve(states.size());
  for (const State& state : states) positions.push_back(position_of(state));
  return positions;
}

// Of all ranks. Each puts its own, two at most, into its part of a vector of zeros, and the sum is the whole.
std::vector<std::vector<Position>> gather(const std::vector<Position>& mine, const Ranks& ranks) {
  constexpr std::size_t width = 5;  // how many there are, then start and generation of each
  std::vector<double> numbers(width * static_cast<std::size_t>(ranks.size));
  double* part = &numbers[width * static_cast<std::size_t>(ranks.rank)];
  *part++ = static_cast<double>(mine.size());
  for (const Position& position : mine) {
    *part++ = position.start;
    *part++ = position.generation;
  }
  ranks.sum(numbers);
  std::vector<std::vector<Position>> all(static_cast<std::size_t>(ranks.size));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const double* from = &numbers[width * rank];
    for (std::size_t i = 0; i < static_cast<std::size_t>(from[0]); ++i)
      all[rank].push_back({static_cast<int>(from[1 + 2 * i]), static_cast<int>(from[2 + 2 * i])});
  }
  return all;
}

// "4 generations of start 1 or 3 generations of start 1"
std::string words_of(const std::vector<Position>& positions) {
  std::string words;
  for (const Position& position : positions) words += (words.empty() ? "" : " or ") + words_of(position);
  return words;
}

// Names the ranks with the oldest and the newest states.
[[noreturn]] void refuse(const std::string& path, const std::vector<std::vector<Position>>& of_ranks) {
  const auto newest = [](const auto& a, const auto& b) {
    return *std::max_element(a.begin(), a.end()) < *std::max_element(b.begin(), b.end());
  };
  const auto [low, high] = std::minmax_element(of_ranks.begin(), of_ranks.end(), newest);
  throw AgreedError(
      path + format(": the ranks' checkpoints have no generation in common: rank %td has %s, rank %td has %s; "
                    "take files that one run has left, or begin anew without --restart",
                    low - of_ranks.begin(), words_of(*low).c_str(), high - of_ranks.begin(), words_of(*high).c_str()));
}

}  // namespace

std::uint64_t fingerprint(const LoopSettings& loop, const NumericsProblem& problem, const Experiment& experiment,
                          const Ranks& ranks) {
  Fingerprint print;
  add(print, loop);
  add(print, problem);
  add(print, experiment);
  print.add(ranks.rank);
  print.add(ranks.size);
  return print.value();
}

std::optional<Position> newest_common(std::span<const std::vector<Position>> of_ranks) {
  std::optional<Position> newest;
  for (const Position& candidate : of_ranks.front()) {
    const bool common = std::all_of(of_ranks.begin(), of_ranks.end(), [&](const std::vector<Position>& rank) {
      return std::find(rank.begin(), rank.end(), candidate) != rank.end();
    });
    if (common && (!newest || *newest < candidate)) newest = candidate;
  }
  return newest;
}

std::string words_of(const Position& position) {
  return format("%d generation%s of start %d", position.generation, position.generation == 1 ? "" : "s",
                position.start + 1);
}

State agreed_state(const std::string& path, std::uint64_t problem, const Ranks& ranks) {
  std::vector<State> mine;
  ranks.together([&] { mine = load_checkpoints(file_of_rank(path, ranks), problem); });
  const auto of_ranks = gather(positions_of(mine), ranks);
  const std::optional<Position> agreed = newest_common(of_ranks);
  if (!agreed) refuse(path, of_ranks);
  return *std::find_if(mine.begin(), mine.end(), [&](const State& state) { return position_of(state) == *agreed; });
}

}  // namespace cli::mtip
