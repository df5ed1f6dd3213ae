// Threads from outside and inside: one plan executed by many threads at once, plans made and freed concurrently
// (finufft#72, #117, #180, #183, #346, #353, #835), more threads than work (finufft#363, #428), and bitwise equal
// results for a fixed number of threads on random and on clustered points.
#include "threads.hpp"
#include "transform.hpp"

namespace {

using namespace support;

class ThreadsTest : public BackendTest {};

TEST_P(ThreadsTest, one_plan_executed_by_many_threads_at_once) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int inner : {1, 2}) {
      Transform<T> transform(
          where(), {.modes = {18, 20}, .options = {.transforms = 2, .deterministic = true, .threads = inner}});
      transform.set_points(uniform_points<T>(2, 2000));
      const auto in = random_values<T>(4000, 1), modes = random_values<T>(720, 2);
      const auto forward = transform.execute(in), back = transform.adjoint(modes);
      std::array<bool, 8> good{};
      on_threads(8, [&](int i) {
        bool all = true;
        for (int round = 0; round < 5; ++round)
          all = all && (i % 2 == 0 ? transform.execute(in) == forward : transform.adjoint(modes) == back);
        good[i] = all;
      });
      EXPECT_EQ(good, (std::array<bool, 8>{true, true, true, true, true, true, true, true}));
    }
  });
}

TEST_P(ThreadsTest, plans_made_used_and_freed_concurrently) {
  std::array<double, 8> worst{};
  on_threads(8, [&](int i) {
    for (int round = 0; round < 6; ++round) {
      const Spec spec{
          .type = 1 + round % 2, .modes = {16 + i, 7 + round}, .tolerance = 1e-5, .options = {.threads = 1 + i % 2}};
      const auto check = [&](auto zero) {
        using T = decltype(zero);
        Transform<T> transform(where(), spec);
        const auto points = uniform_points<T>(2, 200, i);
        transform.set_points(points);
        worst[i] = std::max(worst[i], measure(transform, points).forward);
      };
      i % 2 == 0 ? check(float{}) : check(double{});
    }
  });
  for (const double error : worst) EXPECT_LE(error, 1e-5);
}

TEST_P(ThreadsTest, more_threads_than_work) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int threads : {1, 2, 3, 5, 8, 16, 33, 64})
      for (const Sizes& modes : std::vector<Sizes>{{1}, {3}, {2, 2}, {9, 4}, {2, 1, 3}})
        for (const std::int64_t count : {1, 3, 40})
          expect_accurate<T>(where(),
                             {.modes = modes, .tolerance = usual_tolerance<T>, .options = {.threads = threads}},
                             uniform_points<T>(static_cast<int>(modes.size()), count));
  });
}

// Every call for one number of threads gives the same bits, from plan to plan as well.
template <class T> void expect_same_bits(const BackendUnderTest& where, const Spec& spec, const PointSet<T>& points) {
  SCOPED_TRACE(offgrid::text(spec.name(), " threads ", spec.options.threads, " bits ", 8 * sizeof(T)));
  std::vector<std::complex<T>> forward, back;
  for (int round = 0; round < 5; ++round) {
    Transform<T> transform(where, spec);
    transform.set_points(points);
    const auto out = transform.execute(random_values<T>(transform.size_of(spec.backward()), 1));
    const auto other = transform.adjoint(random_values<T>(transform.size_of(spec.forward()), 2));
    if (round == 0) forward = out, back = other;
    EXPECT_EQ(out, forward);
    EXPECT_EQ(other, back);
  }
}

TEST_P(ThreadsTest, deterministic_means_same_bits_for_a_fixed_number_of_threads) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : std::vector<Sizes>{{2000}, {60, 50}, {16, 17, 18}})
      for (const int threads : {1, 2, 3, 8}) {
        const Spec spec{.modes = modes, .tolerance = 1e-5, .options = {.deterministic = true, .threads = threads}};
        expect_same_bits<T>(where(), spec, uniform_points<T>(static_cast<int>(modes.size()), 20000));
        expect_same_bits<T>(where(), spec, clustered_points<T>(static_cast<int>(modes.size()), 20000));
      }
  });
}

// Threads take whole vectors of a batch, as many together as share kernel values, and the rest of a batch in turn.
TEST_P(ThreadsTest, batches_of_small_vectors_are_right_with_any_number_of_threads) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int type : {1, 2})
      for (const int threads : {2, 3, 8})
        for (const std::int64_t transforms : {2, 7, 17}) {
          const Spec spec{.type = type,
                          .modes = {20, 18},
                          .tolerance = usual_tolerance<T>,
                          .options = {.transforms = transforms, .deterministic = true, .threads = threads}};
          expect_accurate<T>(where(), spec, uniform_points<T>(2, 1000));
          expect_same_bits<T>(where(), spec, uniform_points<T>(2, 1000));
        }
  });
}

TEST_P(ThreadsTest, batches_of_crowded_vectors_are_right_and_the_same_from_call_to_call) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : std::vector<Sizes>{{50}, {8, 8}, {4, 4, 4}}) {
      const Spec spec{.modes = modes,
                      .tolerance = usual_tolerance<T>,
                      .options = {.transforms = 5, .deterministic = true, .threads = 3}};
      const auto points = clustered_points<T>(static_cast<int>(modes.size()), 9000);
      expect_accurate<T>(where(), spec, points);
      expect_same_bits<T>(where(), spec, points);
    }
  });
}

// Many points in few cells: where threads share the work on one bin, its sums must still be right.
TEST_P(ThreadsTest, clustered_points_shared_by_threads_are_right) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int threads : {1, 2, 5})
      for (const Sizes& modes : std::vector<Sizes>{{50}, {8, 8}, {4, 4, 4}})
        expect_accurate<T>(where(), {.modes = modes, .tolerance = usual_tolerance<T>, .options = {.threads = threads}},
                           clustered_points<T>(static_cast<int>(modes.size()), 20000));
  });
}

// Scratch that the threads need for shared bins grows and shrinks with the points; a grid kept from before must fit.
TEST_P(ThreadsTest, dense_bins_come_and_go_with_the_points) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : std::vector<Sizes>{{50}, {8, 8}, {4, 4, 4}}) {
      const int dim = static_cast<int>(modes.size());
      Transform<T> transform(
          where(), {.modes = modes, .tolerance = usual_tolerance<T>, .options = {.transforms = 2, .threads = 3}});
      for (const auto& points :
           {uniform_points<T>(dim, 300), clustered_points<T>(dim, 20000), uniform_points<T>(dim, 50),
            clustered_points<T>(dim, 9000), clustered_points<T>(dim, 40000)}) {
        transform.set_points(points);
        EXPECT_LE(measure(transform, points).forward, usual_tolerance<T>) << points.count();
      }
    }
  });
}

OFFGRID_RUN_ON_BACKENDS(ThreadsTest);

}  // namespace
