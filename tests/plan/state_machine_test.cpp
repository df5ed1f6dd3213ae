// Random walks over plans: create, set_points with more or fewer points, execute, adjoint and destroy, several plans of
// both precisions interleaved, every result checked. Guards stale state between plans and calls (finufft#588: wrong
// results after the other precision ran; finufft#520: crash when a plan is deleted without points; finufft#803,
// mri-nufft#278, cufinufft#79: set_points again).
#include <optional>

#include "transform.hpp"

namespace {

using namespace support;

class StateMachineTest : public BackendTest {};

// One slot of the walk: a plan that may be there, with points that may be set.
template <class T> class Slot {
 public:
  Slot(const BackendUnderTest& where, std::mt19937_64& generator) : where_(where), generator_(generator) {}

  void step() {
    if (!transform_) return create();
    switch (generator_() % 8) {
      case 0:
        transform_.reset();
        points_.reset();
        return;
      case 1:
      case 2:
        return set_points();
      case 3:
        return refuse_points();
      default:
        return points_ ? check() : expect_wrong_state();
    }
  }

 private:
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(generator_() % static_cast<std::uint64_t>(end));
  }

  void create() {
    Spec spec{.type = 1 + static_cast<int>(below(2)), .tolerance = usual_tolerance<T>};
    const std::int64_t dim = 1 + below(3), longest = dim == 1 ? 60 : dim == 2 ? 14 : 7;
    for (std::int64_t axis = 0; axis < dim; ++axis) spec.modes.push_back(1 + below(longest));
    spec.options.sign = static_cast<int>(below(3)) - 1;
    spec.options.transforms = 1 + below(3);
    spec.options.batch = below(3);
    spec.options.threads = static_cast<int>(below(4));
    spec.options.mode_order = below(2) == 0 ? offgrid::ModeOrder::centred : offgrid::ModeOrder::fft;
    transform_.emplace(where_, spec);
  }

  [[nodiscard]] int dim() const { return static_cast<int>(transform_->spec().modes.size()); }

  void set_points() {
    const std::int64_t count = std::array<std::int64_t, 6>{0, 1, 5, 60, 300, 900}[below(6)];
    points_ = below(3) == 0 ? clustered_points<T>(dim(), count) : uniform_points<T>(dim(), count, generator_() % 1000);
    transform_->set_points(*points_);
  }

  void refuse_points() {
    EXPECT_THROW(transform_->set_points(choose_from<T>({std::numeric_limits<T>::infinity()}, dim(), 1 + below(50))),
                 offgrid::Error);
  }

  void check() {
    SCOPED_TRACE(offgrid::text(transform_->spec().name(), " points ", points_->count(), " bits ", 8 * sizeof(T)));
    const Errors errors = measure(*transform_, *points_, generator_() % 1000);
    EXPECT_LE(errors.forward, usual_tolerance<T>);
    EXPECT_LE(errors.adjoint, usual_tolerance<T>);
  }

  void expect_wrong_state() { EXPECT_THROW((void)transform_->execute({}), offgrid::Error); }

  const BackendUnderTest& where_;
  std::mt19937_64& generator_;
  std::optional<Transform<T>> transform_;
  std::optional<PointSet<T>> points_;
};

TEST_P(StateMachineTest, random_walks_over_interleaved_plans) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(offgrid::text("seed ", seed));
    std::mt19937_64 generator(seed);
    Slot<float> a(where(), generator), b(where(), generator);
    Slot<double> c(where(), generator), d(where(), generator);
    for (int step = 0; step < 60; ++step) switch (generator() % 4) {
        case 0:
          a.step();
          break;
        case 1:
          b.step();
          break;
        case 2:
          c.step();
          break;
        default:
          d.step();
      }
    if (HasFailure()) return;
  }
}

TEST_P(StateMachineTest, plans_come_and_go_without_points) {
  for (int round = 0; round < 50; ++round)
    for_both_precisions([&](auto zero) { Transform<decltype(zero)>(where(), {.modes = {round + 1, 9}}); });
}

TEST_P(StateMachineTest, points_ladder_up_and_down) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    Transform<T> transform(where(), {.modes = {13, 12}, .tolerance = usual_tolerance<T>});
    for (const std::int64_t count : {1, 10, 100, 1000, 10000, 1000, 100, 10, 1, 0, 7, 3000, 2}) {
      const auto points = uniform_points<T>(2, count, static_cast<unsigned>(count));
      transform.set_points(points);
      const Errors errors = measure(transform, points);
      EXPECT_LE(errors.forward, usual_tolerance<T>) << count;
      EXPECT_LE(errors.adjoint, usual_tolerance<T>) << count;
    }
  });
}

// The same plan again and again: outputs do not pile up on what an earlier call left in the scratch.
TEST_P(StateMachineTest, repeated_executes_are_equal) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    Transform<T> transform(where(),
                           {.modes = {20, 9}, .options = {.transforms = 3, .deterministic = true, .threads = 2}});
    transform.set_points(uniform_points<T>(2, 500));
    const auto in = random_values<T>(1500, 1), modes = random_values<T>(540, 2);
    const auto forward = transform.execute(in), back = transform.adjoint(modes);
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(transform.execute(in), forward);
      EXPECT_EQ(transform.adjoint(modes), back);
    }
  });
}

OFFGRID_RUN_ON_BACKENDS(StateMachineTest);

}  // namespace
