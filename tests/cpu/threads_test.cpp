// How many threads work on what, by the number of times that threads are woken. Times are not measured: a busy machine would
// decide.
#include "cpu/threads.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/plan.hpp"
#include "cpu/engine.hpp"
#include "cpu/policy.hpp"
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

// The vectors of issue 16: 128 x 128 modes, 2e4 points, about half a millisecond each.
VectorCase small_vectors(std::int64_t transforms, int threads = 16) {
  return {.transforms = transforms,
          .batch = 1,
          .most_grids = 1000,
          .grid_bytes = std::int64_t{1} << 20,
          .dim = 2,
          .threads = threads,
          .nanoseconds = 500e3};
}
VectorShares share_batches(std::int64_t transforms, std::int64_t batch, int threads) {
  VectorCase c = small_vectors(transforms, threads);
  c.batch = batch;
  return share_vectors(c);
}
VectorShares share_slow(std::int64_t transforms, double milliseconds) {
  VectorCase c = small_vectors(transforms);
  c.nanoseconds = 1e6 * milliseconds;
  return share_vectors(c);
}

TEST(ShareVectors, one_small_vector_per_thread) {
  const VectorShares shares = share_vectors(small_vectors(16));
  EXPECT_EQ(shares.vectors, 16);
  EXPECT_EQ(shares.threads, 16);
  EXPECT_EQ(shares.together, 1);
  EXPECT_EQ(shares.grids(), 16);
}

TEST(ShareVectors, vectors_share_kernel_values_and_threads_have_equally_much_to_do) {
  EXPECT_EQ(share_batches(64, 10, 16).together, 4);
  EXPECT_EQ(share_batches(1000, 10, 16).together, 9);  // 7 rounds of 9 on 16 threads
  EXPECT_EQ(share_batches(1000, 10, 2).grids(), 20);
  EXPECT_EQ(share_batches(64, 12, 2).together, 11);  // 6 shares, not 5 and a third
}

TEST(ShareVectors, large_few_and_tiny_vectors_are_not_dealt_out) {
  VectorCase large = small_vectors(16);
  large.grid_bytes = std::int64_t{64} << 20;
  EXPECT_EQ(share_vectors(large).vectors, 0);
  EXPECT_EQ(share_vectors(small_vectors(1)).vectors, 0);
  EXPECT_EQ(share_vectors(small_vectors(16, 1)).vectors, 0);
  EXPECT_EQ(share_slow(2, 20).vectors, 0);
  EXPECT_EQ(share_slow(16, 0.0005).vectors, 0);
}

// Two vectors more than threads would keep most threads idle for as long as the first 16 took.
TEST(ShareVectors, all_threads_work_on_a_small_rest) {
  EXPECT_EQ(share_slow(18, 10).vectors, 16);
  EXPECT_EQ(share_slow(31, 10).vectors, 31);
}

TEST(ShareVectors, never_has_more_grids_than_it_may) {
  for (const std::int64_t most : {0, 1, 2, 5, 15, 16, 17, 40})
    for (const std::int64_t transforms : {2, 3, 16, 17, 100})
      for (const std::int64_t batch : {1, 3, 12}) {
        VectorCase c = small_vectors(transforms);
        c.batch = batch;
        c.most_grids = most;
        const VectorShares shares = share_vectors(c);
        EXPECT_LE(shares.grids(), most);
        EXPECT_LE(shares.vectors, transforms);
        EXPECT_LE(shares.together, batch);
        EXPECT_GE(shares.together, 1);
      }
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
  double get(const char* name) const { return plan_.get(name); }

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

// Threads that take whole vectors meet once: when all vectors are done.
TYPED_TEST(Teams, a_batch_of_small_vectors_wakes_threads_once) {
  for (const int type : {1, 2})
    for (const int threads : {2, 16}) {
      Counted<TypeParam> batch({type, 2, {128, 128, 1}, precision_of<TypeParam>, 1e-5},
                               {.transforms = 16, .threads = threads}, 20000);
      batch.set_points();
      EXPECT_EQ(batch.execute(), 1) << threads;
      EXPECT_EQ(batch.adjoint(), 1) << threads;
    }
}

// The option `batch` bounds the grids.
TYPED_TEST(Teams, a_batch_has_no_more_grids_than_was_asked_for) {
  const Problem problem{1, 2, {128, 128, 1}, precision_of<TypeParam>, 1e-5};
  const auto workspace = [&](Options options) {
    options.transforms = 16;
    Counted<TypeParam> plan(problem, options, 20000);
    plan.set_points();
    plan.execute();
    EXPECT_GE(plan.get("memory_bytes"), plan.get("workspace_bytes"));
    return plan.get("workspace_bytes");
  };
  const double one = workspace({.batch = 1, .threads = 8}), two = workspace({.batch = 2, .threads = 8});
  const double grid = two - one;
  EXPECT_NEAR(workspace({.batch = 8, .threads = 8}), one + 7 * grid, grid / 100);
  EXPECT_NEAR(workspace({.batch = 0, .threads = 8}), one + 7 * grid, 8 * grid);
}

// Vectors that the threads of an engine take for themselves, where it may have so much memory.
std::int64_t own_vectors(std::int64_t limit) {
  const Design design =
      make_design({1, 2, {128, 128, 1}, Precision::f64, 1e-5}, {.transforms = 16, .threads = 8}, cost_traits(32));
  const auto engine = make_f64(design, {limit, "you have"});
  const auto points = support::uniform_points<double>(2, 20000);
  engine->set_points({points.count(), {points.axis[0].data(), points.axis[1].data()}}, {});
  std::vector<std::complex<double>> strengths(16 * points.count(), 1), modes(16 * design.uniform_count());
  const auto taken = engine->run_vectors({Route::to_modes, Sign::minus, strengths.data(), modes.data(), 16}, {});
  EXPECT_LE(static_cast<std::int64_t>(engine->peak_bytes()), limit);
  return taken;
}

TEST(OwnVectors, have_no_grids_that_the_memory_does_not_allow) {
  EXPECT_EQ(own_vectors(std::int64_t{1} << 30), 16);
  EXPECT_EQ(own_vectors(std::int64_t{6} << 20), 0);
}

}  // namespace
}  // namespace offgrid::cpu
