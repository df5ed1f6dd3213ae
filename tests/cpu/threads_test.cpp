// How many threads work on what, by the number of times that threads are woken. Times are not measured: a busy machine would
// decide.
#include "cpu/threads.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/plan.hpp"
#include "cpu/engine.hpp"
#include "points.hpp"

namespace offgrid::cpu {
namespace {

TEST(ThreadsFor, more_work_gets_more_threads) {
  EXPECT_EQ(threads_for(0, 16), 1);
  EXPECT_EQ(threads_for(1.9 * worth_waking, 16), 1);
  EXPECT_EQ(threads_for(2 * worth_waking, 16), 2);
  EXPECT_EQ(threads_for(7.5 * worth_waking, 16), 7);
  EXPECT_EQ(threads_for(1e18, 16), 16);
  EXPECT_EQ(threads_for(1e18, 1), 1);
}

// A plan with points, and how often its calls wake threads.
template <class T> class Counted {
 public:
  Counted(const Problem& problem, const Options& options, std::int64_t count)
      : plan_(problem, options, backend()), points_(support::uniform_points<T>(problem.dim, count)) {
    plan_.set_points(1, axes(), nullptr);
    const std::int64_t modes = problem.modes[0] * problem.modes[1] * problem.modes[2];
    strengths_.assign(count * options.transforms, 1);
    modes_.assign(modes * options.transforms, 1);
  }

  std::int64_t set_points() {
    return teams_of([&] { plan_.set_points(points_.count(), axes(), nullptr); });
  }
  std::int64_t execute() {
    return teams_of([&] { plan_.execute(strengths_.data(), modes_.data(), nullptr); });
  }
  std::int64_t adjoint() {
    return teams_of([&] { plan_.adjoint(strengths_.data(), modes_.data(), nullptr); });
  }

 private:
  std::array<const void*, max_dim> axes() const {
    std::array<const void*, max_dim> all{};
    for (std::size_t axis = 0; axis < points_.axis.size(); ++axis) all[axis] = points_.axis[axis].data();
    return all;
  }
  template <class F> static std::int64_t teams_of(F&& call) {
    const std::int64_t before = teams_started();
    call();
    return teams_started() - before;
  }

  Plan<T> plan_;
  support::PointSet<T> points_;
  std::vector<std::complex<T>> strengths_, modes_;
};

template <class T> class Teams : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Teams, Precisions);

// 10^3 modes and 10 points took 31 us with one thread, and 16 ms with two on a busy machine.
TYPED_TEST(Teams, tiny_problems_wake_nobody) {
  for (const auto& [dim, modes] : {std::pair(1, Sizes{200, 1, 1}), {2, {16, 16, 1}}, {3, {10, 10, 10}}, {3, {1, 8, 8}}})
    for (const int threads : {2, 16}) {
      Counted<TypeParam> tiny({1, dim, modes, precision_of<TypeParam>, 1e-5}, {.threads = threads}, 10);
      EXPECT_EQ(tiny.set_points(), 0) << dim;
      EXPECT_EQ(tiny.execute(), 0) << dim;
      EXPECT_EQ(tiny.adjoint(), 0) << dim;
    }
}

TYPED_TEST(Teams, large_problems_wake_threads_for_every_stage) {
  Counted<TypeParam> large({1, 3, {48, 48, 48}, precision_of<TypeParam>, 1e-5}, {.threads = 2}, 100000);
  EXPECT_GE(large.set_points(), 2);  // boxes are counted, points are scattered
  EXPECT_GE(large.execute(), 8);     // clearing, four colours, three axes
  EXPECT_GE(large.adjoint(), 4);     // three axes, interpolation
}

}  // namespace
}  // namespace offgrid::cpu
