// Checkpoints of several ranks, which are threads here: whenever a job dies, all ranks go on from the same generation, and what
// one of them refuses all refuse.
#include "mtip/restart.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "mtip/files/checkpoint.hpp"
#include "ranks_as_threads.hpp"
#include "temporary_folder.hpp"

namespace cli::mtip {
namespace {

constexpr std::uint64_t problem = 42;

State state_after(const Position& position) {
  State state;
  state.problem = problem;
  state.start = position.start;
  state.generation = position.generation;
  return state;
}

// The checkpoints of a job of three ranks in a folder.
class Restart : public testing::Test {
 protected:
  static constexpr int size = 3;

  [[nodiscard]] std::string path(int rank) const { return folder.file("state." + std::to_string(rank)); }
  void save(int rank, const Position& position) const {
    keep_previous(path(rank), state_after(position));
    save_checkpoint(path(rank), state_after(position));
  }

  // Where each rank goes on, or why it does not.
  std::vector<std::string> restart() {
    std::vector<std::string> outcome(size);
    RanksAsThreads(size).run([&](const Ranks& ranks) {
      std::string& mine = outcome[static_cast<std::size_t>(ranks.rank)];
      try {
        mine = words_of(position_of(agreed_state(folder.file("state"), problem, ranks)));
      } catch (const AgreedError& error) {
        mine = error.what();
      }
    });
    return outcome;
  }
  void expect_everywhere(const std::string& expected) {
    EXPECT_EQ(restart(), std::vector<std::string>(size, expected));
  }

  TemporaryFolder folder;
};

TEST_F(Restart, TakesTheNewestThatAllRanksHave) {
  using List = std::vector<std::vector<Position>>;
  EXPECT_EQ(newest_common(List{{{0, 5}, {0, 4}}, {{0, 4}, {0, 3}}}), (Position{0, 4}));
  EXPECT_EQ(newest_common(List{{{0, 5}, {0, 4}}, {{0, 5}, {0, 4}}, {{0, 5}, {0, 4}}}), (Position{0, 5}));
  EXPECT_EQ(newest_common(List{{{0, 4}, {0, 5}}, {{0, 5}, {0, 4}}}), (Position{0, 5}));
  EXPECT_EQ(newest_common(List{{{0, 16}, {0, 15}}, {{1, 1}, {0, 16}}}), (Position{0, 16})) << "a start ended";
  EXPECT_EQ(newest_common(List{{{1, 1}, {0, 16}}, {{1, 1}}}), (Position{1, 1}));
  EXPECT_EQ(newest_common(List{{{0, 1}}, {{1, 1}}}), std::nullopt) << "generations of different starts";
  EXPECT_EQ(newest_common(List{{{0, 5}, {0, 4}}, {{0, 4}}, {{0, 5}}}), std::nullopt) << "common to pairs only";
}

// A job dies after any number of ranks have written, goes on from where it can, for which it first writes that state, and dies
// again after any number of other ranks have written.
TEST_F(Restart, NoRankIsAheadWhereverTheJobDied) {
  for (int written = 0; written <= size; ++written) {
    for (int again = 0; again <= size; ++again) {
      for (int rank = 0; rank < size; ++rank) {
        std::filesystem::remove(path(rank) + ".previous");
        save_checkpoint(path(rank), state_after({0, 2}));
        save(rank, {0, 3});
      }
      for (int rank = 0; rank < written; ++rank) save(rank, {0, 4});
      const int agreed = written == size ? 4 : 3;
      expect_everywhere(words_of({0, agreed}));
      for (int rank = 0; rank < size; ++rank) save_checkpoint(path(rank), state_after({0, agreed}));
      for (int rank = size - again; rank < size; ++rank) save(rank, {0, agreed + 1});
      expect_everywhere(words_of({0, again == size ? agreed + 1 : agreed}));
    }
  }
}

TEST_F(Restart, WhatIsNotEarlierIsNotKept) {
  save(0, {0, 3});
  EXPECT_FALSE(std::filesystem::exists(path(0) + ".previous")) << "there was nothing";
  save(0, {0, 4});
  save(0, {0, 4});
  EXPECT_EQ(load_checkpoint(path(0) + ".previous", problem).generation, 3);
  State other = state_after({0, 1});
  other.problem = problem + 1;
  save_checkpoint(path(0), other);
  save(0, {0, 5});
  EXPECT_EQ(load_checkpoint(path(0) + ".previous", problem).generation, 3) << "the file was of another problem";
  EXPECT_EQ(load_checkpoints(path(0), problem).size(), 2U);
  EXPECT_EQ(load_checkpoints(path(0), problem)[0].generation, 5);
}

TEST_F(Restart, NothingInCommonNamesBothGenerations) {
  save(0, {0, 7});
  save(0, {0, 8});
  save(1, {0, 8});
  save(2, {0, 4});
  save(2, {0, 5});
  expect_everywhere(folder.file("state") +
                    ": the ranks' checkpoints have no generation in common: rank 2 has 5 generations of start 1 or 4 "
                    "generations of start 1, rank 1 has 8 generations of start 1; take files that one run has left, or "
                    "begin anew without --restart");
}

TEST_F(Restart, AMissingOrDamagedFileOfOneRankIsRefusedByAll) {
  for (int generation = 1; generation <= 2; ++generation)
    for (int rank = 0; rank < size; ++rank) save(rank, {0, generation});
  std::filesystem::resize_file(path(1), 40);
  const std::string advice =
      "; " + path(1) + ".previous is whole and older: copy it to " + path(1) + " to go on from it";
  expect_everywhere(path(1) + ": the checkpoint is damaged: its checksum is wrong" + advice);
  std::filesystem::remove(path(1));
  expect_everywhere(path(1) + ": cannot open the checkpoint" + advice);
  std::filesystem::copy_file(path(1) + ".previous", path(1));
  expect_everywhere("1 generation of start 1");
  std::filesystem::remove(path(1));
  std::filesystem::remove(path(1) + ".previous");
  expect_everywhere(path(1) + ": cannot open the checkpoint");
}

TEST_F(Restart, ADamagedEarlierStateIsNoneAtAll) {
  for (int generation = 1; generation <= 2; ++generation)
    for (int rank = 0; rank < size; ++rank) save(rank, {0, generation});
  std::filesystem::resize_file(path(1) + ".previous", 40);
  expect_everywhere("2 generations of start 1");
  EXPECT_EQ(load_checkpoints(path(1), problem).size(), 1U);
}

// --- the fingerprint ---------------------------------------------------------------------------------------------------
// What a checkpoint may belong to.
struct Problem {
  LoopSettings loop;
  NumericsProblem problem;
  Experiment experiment = make_experiment({.images = 3, .modes = 9}, {});
  Ranks ranks;

  [[nodiscard]] std::uint64_t print() const { return fingerprint(loop, problem, experiment, ranks); }
};

TEST(MtipFingerprint, IsThatOfTheProblem) {
  const Problem one, same;
  EXPECT_EQ(one.print(), same.print());
  Problem other;
  other.loop.starts = 7;
  EXPECT_EQ(one.print(), other.print()) << "more starts go on from the same states";
}

TEST(MtipFingerprint, DiffersWhereTheResultWould) {
  const std::vector<std::pair<const char*, void (*)(Problem&)>> changes{
      {"seed", [](Problem& r) { r.loop.seed = 2; }},
      {"generations", [](Problem& r) { r.loop.generations = 17; }},
      {"candidates", [](Problem& r) { r.loop.candidates += 1; }},
      {"tolerance", [](Problem& r) { r.problem.merge_tolerance /= 2; }},
      {"size", [](Problem& r) { r.problem.modes = 11; }},
      {"a pixel's place", [](Problem& r) { r.experiment.detector.pixels.back()[2] = -1e-9; }},
      {"a pixel more",
       [](Problem& r) {
         r.experiment.detector.pixels.push_back({0.4, 0.4, 0});
       }},
      {"shells", [](Problem& r) { r.experiment.detector.shells -= 1; }},
      {"wavelength", [](Problem& r) { r.experiment.detector.wavelength = 0.5; }},
      {"noise", [](Problem& r) { r.experiment.noise = Noise::poisson; }},
      {"an intensity", [](Problem& r) { r.experiment.images.intensities[5] *= 1.0001F; }},
      {"images of other ranks", [](Problem& r) { r.experiment.total += 1; }},
      {"rank", [](Problem& r) { r.ranks.rank = 1; }},
      {"ranks", [](Problem& r) { r.ranks.size = 2; }},
  };
  const Problem one;
  for (const auto& [what, change] : changes) {
    Problem other;
    change(other);
    EXPECT_NE(one.print(), other.print()) << what;
  }
}

}  // namespace
}  // namespace cli::mtip
