// Factors that an engine multiplies results by on the way, for type 3: by every method it does what a product after the
// interpolation does, or it says that it does not multiply.
#include "core/execute.hpp"
#include "cuda/policy.hpp"
#include "streams.hpp"
#include "tested_type3.hpp"

namespace {

using namespace support;
using offgrid::Direction;
using offgrid::Method;
using offgrid::PointFactors;
using offgrid::Sign;

class FactorsTest : public GpuTest {};

template <class T> using Numbers = std::vector<std::complex<T>>;

// An engine with points, a vector of factors, and executes of it.
template <class T> struct Tested {
  Tested(const BackendUnderTest& backend, const Spec& spec, const PointSet<T>& points)
      : where(backend),
        design(offgrid::make_design(problem_of<T>(spec), spec.options, where.backend.traits)),
        engine(where.backend.make<T>(design)),
        count(points.count()),
        all(count * spec.options.transforms),
        by(random_values<T>(count, 21)),
        factors(where, by),
        placed(where, points) {
    engine->set_points(placed.points(), nullptr);
  }

  [[nodiscard]] PointFactors<T> given(bool conjugate) { return {factors.data(), conjugate}; }
  Numbers<T> interpolate(const Numbers<T>& in, const PointFactors<T>& on_the_way) {
    DeviceArray<std::complex<T>> modes(where, in),
        strengths(where, Numbers<T>(all, std::numeric_limits<T>::quiet_NaN()));
    offgrid::execute<T>(*engine, design, {strengths.data(), modes.data(), count, on_the_way}, Direction::to_points,
                        Sign::plus, nullptr);
    return strengths.host();
  }
  [[nodiscard]] Numbers<T> product(Numbers<T> values, bool conjugate) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto factor = by[i % by.size()];
      values[i] *= conjugate ? std::conj(factor) : factor;
    }
    return values;
  }
  [[nodiscard]] std::int64_t uniform() const { return design.uniform_count() * design.options.transforms; }

  void expect_products() {
    const auto in = random_values<T>(uniform(), 5);
    for (const bool conjugate : {false, true}) {
      const auto expected = product(interpolate(in, {}), conjugate);
      EXPECT_LE(relative_error(interpolate(in, given(conjugate)), expected), rounding<T>) << conjugate;
    }
  }

  BackendUnderTest where;
  offgrid::Design design;
  std::unique_ptr<offgrid::Engine<T>> engine;
  std::int64_t count, all;
  Numbers<T> by;
  DeviceArray<std::complex<T>> factors;
  PlacedPoints<T> placed;
};

const std::vector<Sizes> shapes{{900}, {40, 41}, {16, 17, 18}};

TEST_F(FactorsTest, few_results_are_multiplied_as_methods_write_them) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int type : {1, 2})
      for (const Sizes& modes : shapes)
        for (const double tolerance : {1e-2, sizeof(T) == 4 ? 1e-6 : 1e-11})  // in f32, on a grid of f64, too
          for (const bool deterministic : {false, true})
            for (const Method method :
                 {Method::automatic, Method::gm, Method::gm_sort, Method::sm, Method::sweep, Method::owner}) {
              if (deterministic && method != Method::automatic) continue;
              Spec spec{.type = type, .modes = modes, .tolerance = tolerance};
              spec.options.transforms = 3, spec.options.batch = 2;
              spec.options.method = method, spec.options.deterministic = deterministic;
              Tested<T> tested(where(), spec, uniform_points<T>(static_cast<int>(modes.size()), 2500));
              SCOPED_TRACE(spec.name() + "\n" + tested.engine->describe());
              EXPECT_TRUE(tested.engine->multiplies_results());
              tested.expect_products();
            }
  });
}

// Many results are brought into the caller's order, and multiplied there. That of a type 1 is known from its first execute to
// points on.
TEST_F(FactorsTest, many_results_are_multiplied_as_they_are_brought_in_order) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const std::int64_t count = sizeof(T) == 4 ? 4'500'001 : 2'300'001;
    for (const Sizes& modes : std::vector<Sizes>{{1000}, {60, 50}})
      for (const int type : {1, 2}) {
        Spec spec{.type = type, .modes = modes, .options = {.transforms = 2, .upsampling = 2, .width = 3}};
        spec.options.points_hint = count;
        Tested<T> tested(where(), spec, uniform_points<T>(static_cast<int>(modes.size()), count));
        if (type == 1) {
          EXPECT_FALSE(tested.engine->multiplies_results());
          (void)tested.interpolate(random_values<T>(tested.uniform(), 1), {});
        }
        EXPECT_TRUE(tested.engine->multiplies_results()) << spec.name();
        tested.expect_products();
      }
  });
}

TEST_F(FactorsTest, many_results_that_are_written_at_random_are_left_to_a_product) {
  const std::int64_t count = offgrid::cuda::most_factor_bytes / sizeof(std::complex<double>) + 1;
  const Spec spec{.type = 2, .modes = {12, 13, 14}, .options = {.upsampling = 2, .width = 6}};
  Tested<double> tested(where(), spec, uniform_points<double>(3, count));
  EXPECT_FALSE(tested.engine->multiplies_results());
}

// A replay has the pointers that were recorded.
TEST_F(FactorsTest, replays_with_other_factors_are_others) {
  Tested<float> tested(where(), {.type = 2, .modes = {30, 31}, .tolerance = 1e-4}, uniform_points<float>(2, 3000));
  const auto in = random_values<float>(930, 3);
  DeviceArray<std::complex<float>> modes(where(), in), strengths(where(), Numbers<float>(3000));
  const Numbers<float> plain = tested.interpolate(in, {});
  const std::vector<PointFactors<float>> kinds{{}, tested.given(false), tested.given(true)};
  const std::vector<Numbers<float>> expected{plain, tested.product(plain, false), tested.product(plain, true)};
  for (int round = 0; round < 2 * offgrid::cuda::times_until_replay; ++round)
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      offgrid::execute<float>(*tested.engine, tested.design, {strengths.data(), modes.data(), 3000, kinds[kind]},
                              Direction::to_points, Sign::plus, nullptr);
      EXPECT_LE(relative_error(strengths.host(), expected[kind]), rounding<float>) << kind;
    }
}

// --- type 3 -------------------------------------------------------------------------------------------------------------
// Of some values, as many as a direct sum can bear.
template <class T>
double error_of_some(const Type3<T>& plan, int sign, const PointSet<T>& from, const Numbers<T>& in,
                     const PointSet<T>& to, const Numbers<T>& out) {
  const std::int64_t wanted = std::clamp<std::int64_t>(5'000'000 / from.count(), 3, 500);
  PointSet<T> some{std::vector<std::vector<T>>(to.axis.size())};
  Numbers<T> values;
  for (std::int64_t k = 0; k < to.count(); k += std::max<std::int64_t>(1, to.count() / wanted)) {
    for (std::size_t axis = 0; axis < to.axis.size(); ++axis) some.axis[axis].push_back(to.axis[axis][k]);
    values.push_back(out[k]);
  }
  return plan.error(sign, from, in, some, values);
}

// In f32 4.5 million, in f64 2.3 million values are brought in order, in 1D and 2D. A few values may be worse than the mean of
// all.
TEST_F(FactorsTest, type3_of_millions_of_targets_and_of_sources) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const double tolerance = sizeof(T) == 4 ? 1e-4 : 1e-9;
    const std::int64_t many = sizeof(T) == 4 ? 4'500'001 : 2'300'001;
    for (int dim = 1; dim <= 3; ++dim)
      for (const bool many_targets : {true, false}) {
        const auto sources = cloud<T>({2, 1}, dim, many_targets ? 700 : many, 3);
        const auto targets = cloud<T>({dim == 1 ? 900. : 9., 4}, dim, many_targets ? many : 700, 4);
        Type3<T> plan(where(), dim, tolerance, {.sign = -1});
        plan.set(sources, targets);
        const auto c = random_values<T>(sources.count(), 5), f = random_values<T>(targets.count(), 6);
        for (int round = 0; round < 2; ++round) {  // an adjoint may know the order of its results from the first one on
          SCOPED_TRACE(offgrid::text(dim, "D ", many_targets, " round ", round, "\n", plan.plan().describe()));
          EXPECT_LE(error_of_some<T>(plan, -1, sources, c, targets, plan.execute(c)), 3 * tolerance);
          EXPECT_LE(error_of_some<T>(plan, 1, targets, f, sources, plan.adjoint(f)), 3 * tolerance);
        }
      }
  });
}

TEST_F(FactorsTest, type3_is_captured_and_repeated_with_new_points) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const double tolerance = sizeof(T) == 4 ? 1e-4 : 1e-9;
    Type3<T> plan(where(), 2, tolerance, {.transforms = 2});
    for (const double centre : {4.0, -7.0, 0.0, 11.0}) {  // other factors, often in the memory of the last ones
      const auto sources = cloud<T>({2, 1}, 2, 3000, 3), targets = cloud<T>({30, centre}, 2, 2500, 4);
      plan.set(sources, targets);
      for (int round = 0; round < 4; ++round) expect_within(plan, tolerance, offgrid::text("centre ", centre));
      const auto in = random_values<T>(2 * sources.count(), 8);
      DeviceArray<std::complex<T>> c(where(), in), f(where(), Numbers<T>(2 * targets.count()));
      OwnStream stream;
      const CapturedCalls captured(stream, [&] { plan.plan().execute(c.data(), f.data(), stream); });
      for (int round = 0; round < 2; ++round) {
        captured.launch();
        stream.wait();
        EXPECT_LE(plan.error(1, sources, in, targets, f.host()), tolerance) << "captured, centre " << centre;
      }
    }
  });
}

}  // namespace
