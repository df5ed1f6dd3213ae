// Both decompositions against direct sums over the points of all ranks.
#include "shared_case.hpp"

#include <limits>

using offgrid::mpi::Layout;
using offgrid::mpi::Plan;
using offgrid::mpi::Result;

namespace {

TEST(Replicated, TransformsInEveryDimension) {
  for (const Sizes& modes : {Sizes{50}, Sizes{14, 9}, Sizes{8, 7, 6}})
    for (const int type : {1, 2})
      for (const Share share : {Share::even, Share::none_on_rank_0, Share::all_on_last}) {
        expect_accurate<double>({.problem = {.type = type, .modes = modes, .tolerance = 1e-9},
                                 .layout = Layout::replicated,
                                 .share = share});
        expect_accurate<float>({.problem = {.type = type, .modes = modes, .tolerance = 1e-4},
                                .layout = Layout::replicated,
                                .share = share});
      }
}

TEST(Replicated, TheSumGoesWhereItIsAskedFor) {
  const offgrid::Problem problem{.type = 1, .modes = {12, 10}, .tolerance = 1e-9, .transforms = 5};
  const auto all = support::uniform_points<double>(2, 200);
  const auto mine = share_of(Share::even, 200);
  const auto points = support::reordered(all, mine);
  const auto strengths = support::random_values<double>(1000, 5);
  const auto truth = support::direct_sum<double>(To::modes, {problem.modes, -1, 5}, all, strengths);
  for (const Result result : {Result::everywhere, Result::on_root, Result::scattered}) {
    Plan<double> plan(world(), problem);
    plan.set_result(result);
    plan.set_points(support::axes_of(points));
    std::vector<std::complex<double>> modes(600);
    plan.execute(chosen(strengths, mine, 200, 5), modes);
    auto vectors = plan.local_vectors();
    if (result == Result::on_root && world().rank() != 0) vectors.count[0] = 0;
    for (std::int64_t i = 120 * vectors.first[0]; i < 120 * (vectors.first[0] + vectors.count[0]); ++i)
      ASSERT_LT(std::abs(modes[i] - truth[i]), 1e-6);
    const std::int64_t total = world().sum(vectors.count[0]);
    EXPECT_EQ(total, result == Result::everywhere ? 5 * world().size() : 5);
  }
}

TEST(Replicated, Type3BySourcesAndByTargets) {
  const auto sources = support::points_between<double>(-5, 7, 2, 150, 1),
             targets = support::points_between<double>(-20, 10, 2, 140, 2);
  const auto strengths = support::random_values<double>(150, 5);
  const auto truth = oracle::direct_type3<double>(1, support::axes_of(sources), strengths, support::axes_of(targets));
  const auto my_sources = share_of(Share::even, 150), my_targets = share_of(Share::even, 140);
  Plan<double> plan(world(), {.type = 3, .dim = 2, .tolerance = 1e-8});
  const auto here = support::reordered(sources, my_sources);
  plan.set_points(support::axes_of(here), support::axes_of(targets));
  std::vector<std::complex<double>> values(140);
  plan.execute(chosen(strengths, my_sources, 150, 1), values);
  EXPECT_LE(error_of_all(values, truth), 1e-8);

  plan.set_result(Result::nowhere);
  const auto some = support::reordered(targets, my_targets);
  plan.set_points(support::axes_of(sources), support::axes_of(some));
  values.resize(my_targets.size());
  plan.execute(strengths, values);
  EXPECT_LE(error_of_all(values, chosen(truth, my_targets, 140, 1)), 1e-8);
  const auto weights = support::random_values<double>(140, 8);
  std::vector<std::complex<double>> back(150);
  plan.adjoint(chosen(weights, my_targets, 140, 1), back);
  const auto adjoint = oracle::direct_type3<double>(-1, support::axes_of(targets), weights, support::axes_of(sources));
  EXPECT_LE(error_of_all(back, adjoint), 1e-8);
}

template <class Weight> void expect_gram_of_all(const std::vector<Weight>& weights) {
  const offgrid::Problem problem{.modes = {9, 8, 7}, .tolerance = 1e-8};
  const auto all = support::uniform_points<double>(3, 200);
  const auto mine = share_of(Share::none_on_rank_0, 200);
  const auto points = support::reordered(all, mine);
  const auto my_weights = chosen(weights, mine, 200, 1);
  const auto axes = support::axes_of(points);
  const offgrid::Gram<double> gram = offgrid::mpi::make_gram<double>(world(), problem, axes, my_weights);
  const auto whole_axes = support::axes_of(all);
  const offgrid::Gram<double> whole(problem, whole_axes, weights);
  const auto f = support::random_values<double>(504, 4);
  std::vector<std::complex<double>> h(504), expected(504);
  gram.apply(f, h);
  EXPECT_NE(gram.describe().find("convolution"), std::string::npos) << gram.describe();
  whole.apply(f, expected);
  EXPECT_LE(error_of_all(h, expected), 2e-8);
}

TEST(Replicated, TheGramOperatorHasEverybodysPoints) {
  std::vector<double> weights(200);
  for (std::size_t j = 0; j < 200; ++j) weights[j] = 1 + 0.01 * static_cast<double>(j);
  expect_gram_of_all(weights);
  expect_gram_of_all(support::random_values<double>(200, 7));
}

TEST(Replicated, TheGramOperatorIsRefusedOnAllRanks) {
  const std::vector<double> x(5, 0.5), few(4, 1.0);
  const std::array<std::span<const double>, 1> axes{x};
  const bool last = world().rank() == world().size() - 1;
  const auto make = [&](const offgrid::Problem& problem, std::span<const double> weights) {
    return offgrid::mpi::make_gram<double>(world(), problem, axes, weights);
  };
  EXPECT_THROW(make({.modes = {8}}, last ? few : x), offgrid::Error);
  EXPECT_THROW(make({.modes = {8}, .tolerance = 1e-18, .options = {{"strict", 1}}}, x), offgrid::Error);
  EXPECT_NO_THROW(make({.modes = {8}, .tolerance = 1e-18}, x));
}

// Only what any transform can reach was compared, and not what this one misses.
TEST(Replicated, StrictRefusesAGramOperatorThatIsExpectedToMissTheTolerance) {
  const std::vector<double> all(5, 0.5);
  const bool last = world().rank() == world().size() - 1;
  const std::array<std::span<const double>, 1> whole{all}, only_on_last{std::span(all).first(last ? 5 : 0)};
  const offgrid::Problem narrow{.modes = {8}, .tolerance = 1e-9, .options = {{"strict", 1}, {"width", 4}}};
  EXPECT_THROW(offgrid::Gram<double>(narrow, whole), offgrid::Error);
  EXPECT_THROW(offgrid::mpi::make_gram<double>(world(), narrow, only_on_last), offgrid::Error);
  const offgrid::Problem wide{.modes = {8}, .tolerance = 1e-9, .options = {{"strict", 1}}};
  EXPECT_NO_THROW(offgrid::mpi::make_gram<double>(world(), wide, only_on_last));
}

TEST(Slabs, TransformIn2DAnd3D) {
  for (const Sizes& modes : {Sizes{24, 20}, Sizes{13, 17}, Sizes{10, 12, 14}, Sizes{7, 5, 9}})
    for (const int type : {1, 2}) {
      expect_accurate<double>({.problem = {.type = type, .modes = modes, .tolerance = 1e-9}});
      expect_accurate<double>({.problem = {.type = type, .modes = modes, .tolerance = 1e-12}});
      expect_accurate<float>({.problem = {.type = type, .modes = modes, .tolerance = 1e-4}});
    }
}

TEST(Slabs, BatchesSignsAndOrders) {
  expect_accurate<double>(
      {.problem = {.type = 1, .modes = {12, 9, 10}, .tolerance = 1e-8, .sign = 1, .transforms = 3}});
  expect_accurate<double>(
      {.problem = {
           .type = 2, .modes = {12, 9, 10}, .tolerance = 1e-8, .sign = -1, .options = {{"mode_order", "fft"}}}});
  expect_accurate<double>(
      {.problem = {.type = 1, .modes = {12, 9}, .tolerance = 1e-8, .options = {{"mode_order", "fft"}}}});
}

TEST(Slabs, UnevenPoints) {
  for (const Share share : {Share::none_on_rank_0, Share::all_on_last})
    expect_accurate<double>({.problem = {.type = 1, .modes = {11, 10, 13}, .tolerance = 1e-9}, .share = share});
  expect_accurate<double>({.problem = {.type = 1, .modes = {20, 16}, .tolerance = 1e-9}},
                          support::clustered_points<double>(2, 300));
  expect_accurate<double>({.problem = {.type = 1, .modes = {20, 16}, .tolerance = 1e-9}, .points = 1});
}

// Grids of a few planes: halos are wider than slabs, come round, and with seven ranks some have no rows of modes.
TEST(Slabs, HalosWiderThanSlabsAndRanksWithoutModes) {
  for (const Sizes& modes : {Sizes{2, 2}, Sizes{3, 6}, Sizes{6, 3, 2}, Sizes{4, 2, 3}})
    for (const int type : {1, 2})
      expect_accurate<double>({.problem = {.type = type, .modes = modes, .tolerance = 1e-9}});
}

TEST(Slabs, PointsAtTheEndsOfThePeriodAndBeyond) {
  const auto edges = support::choose_from<double>(support::delicate_coordinates<double>(), 3, 300);
  expect_accurate<double>({.problem = {.type = 1, .modes = {8, 9, 10}, .tolerance = 1e-9}}, edges);
  expect_accurate<double>({.problem = {.type = 2, .modes = {8, 9, 10}, .tolerance = 1e-9}},
                          support::points_between<double>(-1e4, 1e4, 3, 300, 2));
  const auto nodes = support::points_on_nodes<double>({20, 20}, 300);
  expect_accurate<double>({.problem = {.type = 1, .modes = {10, 10}, .tolerance = 1e-9}}, nodes);
}

TEST(Slabs, PointsMayBeSetAgain) {
  Plan<double> plan(world(), {.type = 1, .modes = {10, 12}, .tolerance = 1e-8}, Layout::slabs);
  for (const std::int64_t count : {40, 3, 0, 900}) {
    const auto all = support::uniform_points<double>(2, count * world().size(), static_cast<unsigned>(count) + 1);
    const auto mine = share_of(Share::even, all.count());
    const auto points = support::reordered(all, mine);
    const auto strengths = support::random_values<double>(all.count(), 9);
    plan.set_points(support::axes_of(points));
    const auto part = plan.local_modes();
    std::vector<std::complex<double>> modes(static_cast<std::size_t>(part.count[0] * part.count[1]), 7.0);
    plan.execute(chosen(strengths, mine, all.count(), 1), modes);
    const auto truth = support::direct_sum<double>(To::modes, {{10, 12}, -1}, all, strengths);
    if (count > 0) {
      EXPECT_LE(error_of_all(modes, part_of(truth, {10, 12}, part, 1)), 1e-8);
    } else {
      for (const auto& mode : modes) EXPECT_EQ(mode, 0.0);
    }
  }
}

void expect_refused(const offgrid::Problem& problem, const char* word) {
  try {
    const Plan<double> plan(world(), problem, Layout::slabs);
    ADD_FAILURE() << "was not refused";
  } catch (const offgrid::Error& error) {
    EXPECT_EQ(error.status(), OFFGRID_INVALID_ARGUMENT);
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(Slabs, WhatIsRefusedSaysWhy) {
  expect_refused({.type = 1, .modes = {100}}, "1D");
  expect_refused({.type = 3, .dim = 2}, "type is 3");
  expect_refused({.type = 1, .modes = {10, 1}}, "at least 2");
  if (!has_gpu()) expect_refused({.type = 1, .modes = {10, 10}, .options = {{"device", "cuda"}}}, "cuda");
  Plan<double> plan(world(), {.type = 1, .modes = {10, 10}}, Layout::slabs);
  EXPECT_THROW(plan.set_result(Result::on_root), offgrid::Error);
  std::vector<std::complex<double>> none;
  EXPECT_THROW(plan.execute(none, none), offgrid::Error);
}

// One rank has a bad point: all ranks hear of it, and the plan can be used afterwards.
TEST(Plans, AllRanksRefuseWhatOneRankRefuses) {
  for (const Layout layout : {Layout::replicated, Layout::slabs}) {
    Plan<double> plan(world(), {.type = 1, .modes = {10, 10}}, layout);
    std::vector<double> x(5, 0.5), y(5, 0.25);
    const int last = world().size() - 1;
    if (world().rank() == last) y[2] = std::numeric_limits<double>::quiet_NaN();
    try {
      plan.set_points({x, y});
      ADD_FAILURE() << "was not refused";
    } catch (const offgrid::Error& error) {
      EXPECT_EQ(error.status(), OFFGRID_INVALID_ARGUMENT);
      const std::string who = world().size() == 1 ? "" : "rank " + std::to_string(last);
      EXPECT_NE(std::string(error.what()).find(who), std::string::npos) << error.what();
    }
    y[2] = 0;
    EXPECT_NO_THROW(plan.set_points({x, y}));
  }
}

TEST(Plans, SayHowTheyExchange) {
  const Plan<double> plan(world(), {.type = 1, .modes = {10, 10}}, Layout::slabs);
  EXPECT_NE(plan.describe().find("memory of the host"), std::string::npos) << plan.describe();
  const Plan<double> replicated(world(), {.type = 1, .modes = {10, 10}});
  EXPECT_NE(replicated.describe().find("memory of the host"), std::string::npos);
}

}  // namespace
