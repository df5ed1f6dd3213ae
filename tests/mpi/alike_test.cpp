// Arguments that must be alike on all ranks and are not: all ranks throw the same error, which says what differs.
#include "shared_case.hpp"

#include <functional>

using offgrid::mpi::Layout;
using offgrid::mpi::Plan;
using offgrid::mpi::Result;
using Complexes = std::vector<std::complex<double>>;

namespace {

bool is_last() { return world().rank() == world().size() - 1; }

template <class V> V unless_last(V usual, V on_last) { return is_last() ? on_last : usual; }

// Expects that all ranks refuse the call with the same words, in which each of `parts` is found.
void expect_same_error(offgrid_status status, const std::vector<std::string>& parts,
                       const std::function<void()>& call) {
  std::string words;
  try {
    call();
    ADD_FAILURE() << "was not refused: " << parts.front();
  } catch (const offgrid::Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    words = error.what();
  }
  for (const std::string& part : parts) EXPECT_NE(words.find(part), std::string::npos) << words;
  std::vector<char> first(1024);
  std::copy_n(words.begin(), std::min(words.size(), first.size() - 1), first.begin());
  world().broadcast(std::span(first));
  EXPECT_EQ(words, std::string(first.data()));
}

class Alike : public testing::Test {
 protected:
  void SetUp() override {
    if (world().size() == 1) GTEST_SKIP() << "two ranks are needed";
  }
};

struct Difference {
  offgrid::Problem usual, on_last;
  std::vector<std::string> words;
};

TEST_F(Alike, WhatAPlanIsMadeFrom) {
  const std::string last = "rank " + std::to_string(world().size() - 1) + ": the arguments differ between the ranks: ";
  const std::vector<Difference> all{
      {{.type = 1, .modes = {8, 9}}, {.type = 2, .modes = {8, 9}}, {last + "type = 2 here, and type = 1 on rank 0"}},
      {{.modes = {8, 9}}, {.modes = {8}}, {"dim = 1 here, and dim = 2 on rank 0", "modes = 8 here, and modes = 8 x 9"}},
      {{.modes = {8, 9}}, {.modes = {8, 10}}, {"modes = 8 x 10 here, and modes = 8 x 9 on rank 0"}},
      {{.modes = {8, 9}, .tolerance = 1e-6}, {.modes = {8, 9}, .tolerance = 2e-6}, {"tolerance = 2e-06 here"}},
      {{.modes = {8, 9}, .transforms = 2}, {.modes = {8, 9}, .transforms = 3}, {"transforms = 3 here"}},
      {{.modes = {8, 9}}, {.modes = {8, 9}, .sign = 1}, {"sign = 1 here, and sign = 0 on rank 0"}},
      {{.modes = {8, 9}},
       {.modes = {8, 9}, .options = {{"mode_order", "fft"}, {"width", 6}}},
       {"mode_order = fft here, and mode_order = centred on rank 0", "width = 6 here"}},
      {{.type = 3, .dim = 1}, {.type = 3, .dim = 2}, {"dim = 2 here"}},
  };
  for (const Difference& test : all)
    for (const Layout layout : {Layout::replicated, Layout::slabs}) {
      const auto make = [&] { const Plan<double> plan(world(), is_last() ? test.on_last : test.usual, layout); };
      expect_same_error(OFFGRID_INVALID_ARGUMENT, test.words, make);
    }
}

TEST_F(Alike, LayoutAndPrecision) {
  const auto make = [](Layout layout, offgrid_precision precision) {
    const std::array<std::int64_t, 2> modes{8, 9};
    offgrid_mpi_plan plan = nullptr;
    const offgrid_status status = offgrid_mpi_plan_create(
        &plan, world().handle(), static_cast<offgrid_mpi_layout>(layout), 1, 2, modes.data(), 1e-6, precision, nullptr);
    EXPECT_EQ(plan, nullptr);
    offgrid_mpi_plan_destroy(plan);
    offgrid::mpi::detail::check(status);
  };
  expect_same_error(OFFGRID_INVALID_ARGUMENT, {"precision = f32 here, and precision = f64 on rank 0"},
                    [&] { make(Layout::slabs, unless_last(OFFGRID_F64, OFFGRID_F32)); });
  expect_same_error(OFFGRID_INVALID_ARGUMENT, {"layout = slabs here, and layout = replicated on rank 0"},
                    [&] { make(unless_last(Layout::replicated, Layout::slabs), OFFGRID_F64); });
}

// C++ refuses some problems before C is asked. The other ranks waited for a rank that had thrown.
TEST_F(Alike, AProblemThatMakesNoSenseOnOneRank) {
  const std::string last = "rank " + std::to_string(world().size() - 1) + ": ";
  const std::vector<double> x{0.5, 1, 2};
  const std::array<std::span<const double>, 2> axes{x, x};
  const offgrid::Problem threads{.modes = {8, 9}, .options = {{"threads", unless_last(1.0, -1.0)}}},
      dim{.modes = {8, 9}, .dim = unless_last(2, 3)};
  for (const Layout layout : {Layout::replicated, Layout::slabs}) {
    expect_same_error(OFFGRID_INVALID_ARGUMENT, {last + "option threads = -1"},
                      [&] { const Plan<double> plan(world(), threads, layout); });
    expect_same_error(OFFGRID_INVALID_ARGUMENT, {last + "dim is 3"},
                      [&] { const Plan<double> plan(world(), dim, layout); });
  }
  expect_same_error(OFFGRID_INVALID_ARGUMENT, {last + "option threads = -1"},
                    [&] { offgrid::mpi::make_gram<double>(world(), threads, axes); });
}

// A rank's own: the machines of a cluster need not have as many cores.
TEST_F(Alike, ThreadsMayDiffer) {
  const offgrid::Problem problem{.modes = {8, 9}, .options = {{"threads", unless_last(1.0, 2.0)}}};
  EXPECT_NO_THROW(Plan<double>(world(), problem, Layout::replicated));
  EXPECT_NO_THROW(Plan<double>(world(), problem, Layout::slabs));
}

// Ranks need not have as many points.
TEST_F(Alike, PointsHintMayDiffer) {
  const double hint = 10 + 1e6 * world().rank();
  for (const Layout layout : {Layout::replicated, Layout::slabs})
    expect_accurate<double>(
        {.problem = {.modes = {20, 16}, .tolerance = 1e-9, .options = {{"points_hint", hint}}}, .layout = layout});
  const std::vector<double> x{0.5, 1, 2};
  const std::array<std::span<const double>, 1> axes{x};
  const offgrid::Problem problem{.modes = {8}, .options = {{"points_hint", hint}}};
  EXPECT_NO_THROW(offgrid::mpi::make_gram<double>(world(), problem, axes));
}

TEST_F(Alike, TheDeviceOfSlabs) {
  const offgrid::Problem problem{.modes = {8, 9}, .options = {{"device", unless_last("cpu", "auto")}}};
  expect_same_error(OFFGRID_INVALID_ARGUMENT, {"device = auto here, and device = cpu on rank 0"},
                    [&] { const Plan<double> plan(world(), problem, Layout::slabs); });
  EXPECT_NO_THROW(Plan<double>(world(), problem, Layout::replicated));
}

TEST_F(Alike, WhereASumGoes) {
  Plan<double> plan(world(), {.modes = {8, 9}});
  expect_same_error(OFFGRID_INVALID_ARGUMENT, {"result = on_root here, and result = everywhere on rank 0"},
                    [&] { plan.set_result(unless_last(Result::everywhere, Result::on_root)); });
  EXPECT_NE(plan.describe().find("everywhere"), std::string::npos) << plan.describe();
  expect_same_error(OFFGRID_INVALID_ARGUMENT, {"expected 0 to 3"},
                    [&] { plan.set_result(unless_last(Result::everywhere, static_cast<Result>(7))); });
}

// Values at 4 targets on one rank and at 3 on another have no sum.
TEST_F(Alike, TargetsWhoseValuesAreSummed) {
  Plan<double> plan(world(), {.type = 3, .dim = 1});
  const std::vector<double> points(static_cast<std::size_t>(2 + world().rank()), 0.5), same(3, 1.0);
  const std::vector<double> targets(static_cast<std::size_t>(unless_last(3, 4)), 1.0);
  Complexes strengths(points.size(), 1.0), values(targets.size());
  plan.set_points({points}, {targets});
  const std::string counts = "rank " + std::to_string(world().size() - 1) + " has 4 targets, and rank 0 has 3";
  expect_same_error(OFFGRID_WRONG_STATE, {"values are summed", counts}, [&] { plan.execute(strengths, values); });
  EXPECT_NO_THROW(plan.adjoint(values, strengths));  // local
  plan.set_result(Result::nowhere);
  EXPECT_NO_THROW(plan.execute(strengths, values));
  expect_same_error(OFFGRID_WRONG_STATE, {"strengths are summed", "rank 1 has 3 points, and rank 0 has 2"},
                    [&] { plan.adjoint(values, strengths); });
  plan.set_points({same});
  strengths.resize(3);
  EXPECT_NO_THROW(plan.adjoint(values, strengths));
  plan.set_result(Result::everywhere);
  plan.set_points({points}, {same});
  strengths.assign(points.size(), 1.0);
  values.resize(3);
  EXPECT_NO_THROW(plan.execute(strengths, values));
}

// They ended in a crash of MPI, in data of another root, or never.
TEST_F(Alike, WhatSumsBroadcastsAndGathersAreAskedFor) {
  using offgrid::mpi::detail::check;
  std::vector<double> values(32, 1.0);
  const auto sum = [&](std::int64_t count, offgrid_mpi_number kind) {
    check(offgrid_mpi_sum(world().handle(), values.data(), count, kind));
  };
  const auto broadcast = [&](std::int64_t bytes, int root) {
    check(offgrid_mpi_broadcast(world().handle(), values.data(), bytes, root));
  };
  const std::string last = "rank " + std::to_string(world().size() - 1) + ": the arguments differ between the ranks: ";
  constexpr std::int64_t one_message = std::int64_t{1} << 28;
  const std::vector<std::pair<std::string, std::function<void()>>> all{
      {last + "count = 20 here, and count = 10 on rank 0", [&] { sum(unless_last(10, 20), OFFGRID_MPI_F64); }},
      {last + "count = 268435457 here, and count = 268435456 on rank 0",
       [&] { sum(unless_last(one_message, one_message + 1), OFFGRID_MPI_F64); }},
      {last + "kind = 0 here, and kind = 1 on rank 0", [&] { sum(10, unless_last(OFFGRID_MPI_F64, OFFGRID_MPI_F32)); }},
      {"kind of numbers is 7, expected 0 to 3",
       [&] { sum(10, unless_last(OFFGRID_MPI_F64, static_cast<offgrid_mpi_number>(7))); }},
      {last + "root = 1 here, and root = 0 on rank 0", [&] { broadcast(80, unless_last(0, 1)); }},
      {last + "bytes = 80 here, and bytes = 160 on rank 0", [&] { broadcast(unless_last(160, 80), 0); }},
      {last + "root = 1 here, and root = 0 on rank 0",
       [&] { (void)world().gather(std::span<const double>(values), unless_last(0, 1)); }},
  };
  for (const auto& [words, call] : all) expect_same_error(OFFGRID_INVALID_ARGUMENT, {words}, call);
  EXPECT_EQ(values, std::vector<double>(32, 1.0));
  EXPECT_EQ(world().sum(1), world().size());
}

TEST_F(Alike, WhatAGramOperatorIsMadeFrom) {
  const std::vector<double> x{0.5, 1, 2};
  const Complexes complex(3, 2.0);
  const std::vector<double> real(3, 2.0);
  const std::array<std::span<const double>, 1> axes{x};
  using offgrid::mpi::make_gram;
  expect_same_error(OFFGRID_INVALID_ARGUMENT, {"modes = 9 here, and modes = 8 on rank 0"},
                    [&] { make_gram<double>(world(), {.modes = {unless_last(8, 9)}}, axes); });
  expect_same_error(OFFGRID_INVALID_ARGUMENT, {"weights are complex on rank ", "real on rank "}, [&] {
    if (world().rank() == 1)
      make_gram<double>(world(), {.modes = {8}}, axes, real);
    else
      make_gram<double>(world(), {.modes = {8}}, axes, complex);
  });
}

}  // namespace
