// Arrays on GPUs against direct sums over the points of all ranks. Where there are fewer GPUs than ranks, ranks share them, and
// the exchange goes through the host. Skipped where a rank has none.
#include "shared_case.hpp"

#include <cstdlib>
#include <limits>
#include <optional>

using offgrid::mpi::Layout;
using offgrid::mpi::Plan;
using offgrid::mpi::Result;
using support::PlacedArray;
using support::Side;

namespace {

// Sets the way of exchange, for as long as it lives.
class Exchange {
 public:
  explicit Exchange(const char* way) { setenv(name, way, 1); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() { unsetenv(name); }

 private:
  static constexpr const char* name = "OFFGRID_MPI_EXCHANGE";
};

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (world().sum(has_gpu() ? 0 : 1) > 0) GTEST_SKIP() << "no GPU";
  }
};

template <class T> void expect_accurate_on_gpu(Case test) {
  test.side = Side::gpu;
  expect_accurate<T>(test);
}
template <class T> void expect_accurate_on_gpu(Case test, const PointSet<T>& points) {
  test.side = Side::gpu;
  expect_accurate<T>(test, points);
}

TEST_F(Gpu, ReplicatedModesInEveryDimension) {
  for (const Sizes& modes : {Sizes{50}, Sizes{14, 9}, Sizes{8, 7, 6}})
    for (const int type : {1, 2})
      for (const Share share : {Share::even, Share::none_on_rank_0}) {
        Case test{.problem = {.type = type, .modes = modes, .tolerance = 1e-9, .options = {{"device", "cuda"}}},
                  .layout = Layout::replicated,
                  .share = share};
        expect_accurate_on_gpu<double>(test);
        test.problem.tolerance = 1e-4;
        expect_accurate_on_gpu<float>(test);
      }
}

TEST_F(Gpu, SlabsIn2DAnd3D) {
  for (const Sizes& modes : {Sizes{24, 20}, Sizes{13, 17}, Sizes{10, 12, 14}, Sizes{7, 5, 9}})
    for (const int type : {1, 2}) {
      expect_accurate_on_gpu<double>({.problem = {.type = type, .modes = modes, .tolerance = 1e-9}});
      expect_accurate_on_gpu<double>({.problem = {.type = type, .modes = modes, .tolerance = 1e-12}});
      expect_accurate_on_gpu<float>({.problem = {.type = type, .modes = modes, .tolerance = 1e-4}});
    }
}

TEST_F(Gpu, SlabsWithBatchesSignsAndOrders) {
  expect_accurate_on_gpu<double>(
      {.problem = {.type = 1, .modes = {12, 9, 10}, .tolerance = 1e-8, .sign = 1, .transforms = 3}});
  expect_accurate_on_gpu<double>(
      {.problem = {
           .type = 2, .modes = {12, 9, 10}, .tolerance = 1e-8, .sign = -1, .options = {{"mode_order", "fft"}}}});
  expect_accurate_on_gpu<double>(
      {.problem = {.type = 1, .modes = {12, 9}, .tolerance = 1e-8, .options = {{"mode_order", "fft"}}}});
}

TEST_F(Gpu, SlabsWithUnevenPoints) {
  for (const Share share : {Share::none_on_rank_0, Share::all_on_last})
    expect_accurate_on_gpu<double>({.problem = {.type = 1, .modes = {11, 10, 13}, .tolerance = 1e-9}, .share = share});
  expect_accurate_on_gpu<double>({.problem = {.type = 1, .modes = {20, 16}, .tolerance = 1e-9}},
                                 support::clustered_points<double>(2, 300));
  expect_accurate_on_gpu<double>({.problem = {.type = 2, .modes = {20, 16}, .tolerance = 1e-9}, .points = 1});
}

TEST_F(Gpu, SlabsWithHalosWiderThanThemAndRanksWithoutModes) {
  for (const Sizes& modes : {Sizes{2, 2}, Sizes{3, 6}, Sizes{6, 3, 2}, Sizes{4, 2, 3}})
    for (const int type : {1, 2})
      expect_accurate_on_gpu<double>({.problem = {.type = type, .modes = modes, .tolerance = 1e-9}});
}

TEST_F(Gpu, SlabsWithPointsAtTheEndsOfThePeriodAndBeyond) {
  const auto edges = support::choose_from<double>(support::delicate_coordinates<double>(), 3, 300);
  expect_accurate_on_gpu<double>({.problem = {.type = 1, .modes = {8, 9, 10}, .tolerance = 1e-9}}, edges);
  expect_accurate_on_gpu<double>({.problem = {.type = 2, .modes = {8, 9, 10}, .tolerance = 1e-9}},
                                 support::points_between<double>(-1e4, 1e4, 3, 300, 2));
}

// One case by every way that does not need more GPUs than there are ranks.
TEST_F(Gpu, EveryWayOfExchangeIsAccurate) {
  const Case slabs{.problem = {.type = 1, .modes = {12, 10, 14}, .tolerance = 1e-9}};
  Case replicated = slabs;
  replicated.layout = Layout::replicated;
  for (const char* way : {"auto", "host"}) {
    const Exchange forced(way);
    expect_accurate_on_gpu<double>(slabs);
    expect_accurate_on_gpu<double>(replicated);
  }
}

// A plan with GPU points, set once, whose description says how arrays travel; nothing where that is refused, and why in
// `refusal`.
std::optional<std::string> description(const char* way, Layout layout, std::string* refusal = nullptr) {
  const Exchange forced(way);
  try {
    PlacedPoints<double> points(Side::gpu, support::uniform_points<double>(2, 20));
    Plan<double> plan(world(), {.type = 1, .modes = {10, 10}}, layout);
    plan.set_points(points.axes());
    const auto part = plan.local_modes();
    PlacedArray<std::complex<double>> in(Side::gpu, support::random_values<double>(20, 1));
    PlacedArray<std::complex<double>> out(Side::gpu, support::random_values<double>(part.count[0] * part.count[1], 1));
    plan.execute(span_of(in), span_of(out));
    return plan.describe();
  } catch (const offgrid::Error& error) {
    if (refusal != nullptr) *refusal = error.what();
    return std::nullopt;
  }
}

TEST_F(Gpu, PlansSayHowTheyExchange) {
  for (const Layout layout : {Layout::slabs, Layout::replicated}) {
    const auto forced = description("host", layout);
    ASSERT_TRUE(forced);
    EXPECT_NE(forced->find("pinned memory of the host"), std::string::npos) << *forced;
    std::string refusal;
    EXPECT_FALSE(description("pigeons", layout, &refusal));
    EXPECT_NE(refusal.find("pigeons"), std::string::npos) << refusal;
  }
}

// NCCL with one rank sends to itself and sums over one; with ranks that share a GPU it must be refused and not hang.
TEST_F(Gpu, NcclWorksWithOneGpuPerRankAndIsRefusedOtherwise) {
  std::string refusal;
  const auto words = description("nccl", Layout::slabs, &refusal);
  if (!words && refusal.find("libnccl") != std::string::npos) GTEST_SKIP() << refusal;
  if (!words) {
    EXPECT_GT(world().size(), 1);
    EXPECT_NE(refusal.find("share a GPU"), std::string::npos) << refusal;
    return;
  }
  EXPECT_NE(words->find("by NCCL 2."), std::string::npos) << *words;
  const Exchange forced("nccl");
  for (const Layout layout : {Layout::slabs, Layout::replicated})
    for (const int type : {1, 2})
      expect_accurate_on_gpu<double>(
          {.problem = {.type = type, .modes = {12, 10, 14}, .tolerance = 1e-9}, .layout = layout});
}

TEST_F(Gpu, TheSumGoesWhereItIsAskedFor) {
  const offgrid::Problem problem{.type = 1, .modes = {12, 10}, .tolerance = 1e-9, .transforms = 5};
  const auto all = support::uniform_points<double>(2, 200);
  const auto mine = share_of(Share::even, 200);
  PlacedPoints<double> points(Side::gpu, support::reordered(all, mine));
  const auto strengths = support::random_values<double>(1000, 5);
  const auto truth = support::direct_sum<double>(To::modes, {problem.modes, -1, 5}, all, strengths);
  for (const Result result : {Result::everywhere, Result::on_root, Result::scattered}) {
    Plan<double> plan(world(), problem);
    plan.set_result(result);
    plan.set_points(points.axes());
    PlacedArray<std::complex<double>> in(Side::gpu, chosen(strengths, mine, 200, 5));
    PlacedArray<std::complex<double>> out(Side::gpu, std::vector<std::complex<double>>(600));
    plan.execute(span_of(in), span_of(out));
    auto vectors = plan.local_vectors();
    if (result == Result::on_root && world().rank() != 0) vectors.count[0] = 0;
    double worst = 0;
    for (std::int64_t i = 120 * vectors.first[0]; i < 120 * (vectors.first[0] + vectors.count[0]); ++i)
      worst = std::max(worst, std::abs(out.values()[static_cast<std::size_t>(i)] - truth[static_cast<std::size_t>(i)]));
    EXPECT_LT(worst, 1e-6);
  }
}

// One plan, whose points are on the host, then on the GPU, then on the host again.
TEST_F(Gpu, SlabsFollowTheirPoints) {
  Plan<double> plan(world(), {.type = 1, .modes = {10, 12}, .tolerance = 1e-8}, Layout::slabs);
  const auto all = support::uniform_points<double>(2, 100);
  const auto mine = share_of(Share::even, 100);
  const auto strengths = support::random_values<double>(100, 9);
  const auto truth = support::direct_sum<double>(To::modes, {{10, 12}, -1}, all, strengths);
  const auto part = plan.local_modes();
  for (const Side side : {Side::host, Side::gpu, Side::host}) {
    PlacedPoints<double> points(side, support::reordered(all, mine));
    plan.set_points(points.axes());
    PlacedArray<std::complex<double>> in(side, chosen(strengths, mine, 100, 1));
    PlacedArray<std::complex<double>> out(
        side, std::vector<std::complex<double>>(static_cast<std::size_t>(part.count[0] * part.count[1])));
    plan.execute(span_of(in), span_of(out));
    EXPECT_LE(error_of_all(out.values(), part_of(truth, {10, 12}, part, 1)), 1e-8);
    EXPECT_NE(plan.describe().find(side == Side::gpu ? "on GPU" : "on the CPU"), std::string::npos) << plan.describe();
  }
}

// Points of rank 0 are on `first`, those of the others on `others`.
std::string refusal_of(const offgrid::Problem& problem, Side first, Side others, double last_coordinate) {
  auto set = support::uniform_points<double>(2, 20);
  set.axis[1][7] = last_coordinate;
  PlacedPoints<double> points(world().rank() == 0 ? first : others, set);
  Plan<double> plan(world(), problem, Layout::slabs);
  try {
    plan.set_points(points.axes());
  } catch (const offgrid::Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(Gpu, WhatSlabsRefuseSaysWhy) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const offgrid::Problem anywhere{.type = 1, .modes = {10, 10}};
  const offgrid::Problem on_gpu{.type = 1, .modes = {10, 10}, .options = {{"device", "cuda"}}};
  const offgrid::Problem on_cpu{.type = 1, .modes = {10, 10}, .options = {{"device", "cpu"}}};
  EXPECT_EQ(refusal_of(anywhere, Side::gpu, Side::gpu, 0), "");
  EXPECT_NE(refusal_of(anywhere, Side::gpu, Side::gpu, nan).find("not finite"), std::string::npos);
  EXPECT_NE(refusal_of(on_gpu, Side::host, Side::gpu, 0).find("expected one on the GPU"), std::string::npos);
  EXPECT_NE(refusal_of(on_cpu, Side::gpu, Side::host, 0).find("expected one of the host"), std::string::npos);
  const std::string mixed = refusal_of(anywhere, Side::gpu, Side::host, 0);
  EXPECT_EQ(mixed.find("expected one of the two") != std::string::npos, world().size() > 1) << mixed;
}

}  // namespace
