// What one rank refuses is refused by all of them, and leaves no plan with points of one call on one rank and of another
// elsewhere.
#include "shared_case.hpp"

#include <functional>
#include <limits>

using offgrid::mpi::Layout;
using offgrid::mpi::Plan;
using Complexes = std::vector<std::complex<double>>;

namespace {

// Expects an error of this status and with this word in it; every rank must see it.
void expect_error(offgrid_status status, const std::string& word, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << "was not refused: " << word;
  } catch (const offgrid::Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

bool is_last() { return world().rank() == world().size() - 1; }
std::string last_rank() { return world().size() == 1 ? "" : "rank " + std::to_string(world().size() - 1) + ": "; }

// 500 good coordinates, but for one rank, which has one that is not a number.
std::vector<double> refused_by_last() {
  std::vector<double> x(500, 0.25);
  if (is_last()) x[300] = std::numeric_limits<double>::quiet_NaN();
  return x;
}

class Refusals : public testing::TestWithParam<Layout> {};

// The other ranks had taken their 500 points, and an execute with 5 strengths read past them.
TEST_P(Refusals, LeaveAPlanWithoutPointsOnAllRanks) {
  Plan<double> plan(world(), {.type = 1, .modes = {10, 12}, .tolerance = 1e-9}, GetParam());
  const auto part = plan.local_modes();
  Complexes modes(static_cast<std::size_t>(part.count[0] * part.count[1]));
  const std::vector<double> x(5, 0.5), bad = refused_by_last();
  const Complexes few(5, 1.0), many(500, 1.0);
  plan.set_points({x, x});
  expect_error(OFFGRID_INVALID_ARGUMENT, last_rank(), [&] { plan.set_points({bad, bad}); });
  expect_error(OFFGRID_WRONG_STATE, "call set_points first", [&] { plan.execute(few, modes); });
  expect_error(OFFGRID_WRONG_STATE, "call set_points first", [&] { plan.execute(many, modes); });
  expect_error(OFFGRID_WRONG_STATE, "call set_points first", [&] {
    Complexes back(5);
    plan.adjoint(modes, back);
  });
  // The C functions take no lengths.
  EXPECT_EQ(offgrid_mpi_execute(plan.handle(), const_cast<std::complex<double>*>(few.data()), modes.data()),
            OFFGRID_WRONG_STATE);

  plan.set_points({x, x});
  plan.execute(few, modes);
  const auto all = support::points_between<double>(0.5, 0.5, 2, 5 * world().size(), 1);
  const auto truth = support::direct_sum<double>(To::modes, {{10, 12}, -1}, all, Complexes(5 * world().size(), 1.0));
  EXPECT_LE(error_of_all(modes, part_of(truth, {10, 12}, part, 1)), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Layouts, Refusals, testing::Values(Layout::replicated, Layout::slabs));

TEST(Type3Refusals, ForgetPointsAndTargets) {
  Plan<double> plan(world(), {.type = 3, .dim = 1, .tolerance = 1e-8});
  const std::vector<double> x{0.5, 1, 2}, bad = refused_by_last();
  const Complexes strengths(3, 1.0);
  Complexes values(3);
  expect_error(OFFGRID_WRONG_STATE, "no targets yet", [&] { plan.set_points({x}); });
  plan.set_points({x}, {x});
  expect_error(OFFGRID_INVALID_ARGUMENT, last_rank(), [&] { plan.set_points({bad}, {bad}); });
  expect_error(OFFGRID_WRONG_STATE, "call set_points first", [&] { plan.execute(strengths, values); });
  expect_error(OFFGRID_WRONG_STATE, "set_points_and_targets", [&] { plan.set_points({x}); });

  // Points alone: the targets are the same as before on all ranks.
  plan.set_points({x}, {x});
  expect_error(OFFGRID_INVALID_ARGUMENT, last_rank(), [&] { plan.set_points({bad}); });
  expect_error(OFFGRID_WRONG_STATE, "call set_points first", [&] { plan.execute(strengths, values); });
  plan.set_points({x});
  plan.execute(strengths, values);
  for (std::size_t k = 0; k < 3; ++k) {
    std::complex<double> sum = 0;
    for (const double at : x) sum += std::polar(1.0, at * x[k]);
    EXPECT_LT(std::abs(values[k] - static_cast<double>(world().size()) * sum), 1e-6);
  }
}

// Of the C interface: the other ranks waited for the one without an array.
TEST(Type3Refusals, NullForAllAxesOfOneRank) {
  Plan<double> plan(world(), {.type = 3, .dim = 2});
  const std::vector<double> x{0.5, 1, 2};
  const std::array<const void*, 3> axes{x.data(), x.data(), nullptr};
  const auto set = [&](const void* const* points, const void* const* targets) {
    offgrid::mpi::detail::check(offgrid_mpi_set_points_and_targets(plan.handle(), 3, points, 3, targets));
  };
  const void* const* unless_last = is_last() ? nullptr : axes.data();
  expect_error(OFFGRID_INVALID_ARGUMENT, last_rank(), [&] { set(unless_last, axes.data()); });
  expect_error(OFFGRID_INVALID_ARGUMENT, last_rank(), [&] { set(axes.data(), unless_last); });
  EXPECT_NO_THROW(set(axes.data(), axes.data()));
}

}  // namespace
