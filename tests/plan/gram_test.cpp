// The Gram operator: against direct sums, as a convolution and as a pair of transforms; Hermitian and positive; and what is
// refused.
#include "core/solve/gram.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <optional>

#include "refusal.hpp"
#include "transform.hpp"

namespace {

using namespace support;
using offgrid::GramMethod;
using offgrid::ModeOrder;
using offgrid::Spectrum;

class GramTest : public BackendTest {};

template <class T> struct Weights {
  std::vector<T> real{};
  std::vector<std::complex<T>> complex{};

  [[nodiscard]] std::complex<double> at(std::size_t j) const {
    if (!real.empty()) return real[j];
    return complex.empty() ? 1 : std::complex<double>(complex[j]);
  }
};

template <class T> Weights<T> positive_weights(std::int64_t count) {
  std::mt19937_64 generator(5);
  std::uniform_real_distribution<T> between(T(0.1), 2);
  Weights<T> weights;
  for (std::int64_t j = 0; j < count; ++j) weights.real.push_back(between(generator));
  return weights;
}

template <class T> class Operator {
 public:
  using Vector = std::vector<std::complex<T>>;

  Operator(const BackendUnderTest& where, const Spec& spec, const PointSet<T>& points, const Weights<T>& weights = {})
      : where_(where), size_(spec.options.transforms * product(spec.modes)) {
    std::vector<DeviceArray<T>> axes;
    offgrid::Sampling sampling{.count = points.count()};
    for (const auto& axis : points.axis) axes.emplace_back(where, axis);
    for (std::size_t a = 0; a < axes.size(); ++a) sampling.axes[a] = axes[a].data();
    DeviceArray<T> real(where, weights.real);
    DeviceArray<std::complex<T>> complex(where, weights.complex);
    if (!weights.real.empty()) sampling.weights = real.data();
    if (!weights.complex.empty()) {
      sampling.weights = complex.data();
      sampling.weight_kind = Spectrum::complex;
    }
    gram_ = offgrid::make_gram(problem_of<T>(spec), spec.options, where.backend, sampling, nullptr);
  }

  [[nodiscard]] Vector apply(const Vector& f) const {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    DeviceArray<std::complex<T>> from(where_, f), to(where_, Vector(size_, {nan, nan}));
    gram_->apply(from.data(), to.data(), nullptr);
    EXPECT_TRUE(from.host() == f) << "the input was written to";
    return to.host();
  }
  [[nodiscard]] Vector apply_in_place(const Vector& f) const {
    DeviceArray<std::complex<T>> both(where_, f);
    gram_->apply(both.data(), both.data(), nullptr);
    return both.host();
  }
  [[nodiscard]] const offgrid::AnyGram& gram() const { return *gram_; }
  [[nodiscard]] std::int64_t size() const { return size_; }

 private:
  BackendUnderTest where_;
  std::int64_t size_;
  std::unique_ptr<offgrid::AnyGram> gram_;
};

// A* W A f by direct sums in double, at the points exactly as they are.
template <class T>
Sums direct_gram(const Spec& spec, const PointSet<T>& points, const Weights<T>& weights,
                 const std::vector<std::complex<T>>& f) {
  PointSet<double> exact;
  for (const auto& axis : points.axis) exact.axis.emplace_back(axis.begin(), axis.end());
  Spec to_points = spec;
  to_points.type = 2;
  Sums values = direct_sum<double>(To::points, to_points.forward_sum(), exact, Sums(f.begin(), f.end()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= weights.at(i % static_cast<std::size_t>(points.count()));
  return direct_sum<double>(To::modes, to_points.adjoint_sum(), exact, values);
}

template <class T>
void expect_gram(const BackendUnderTest& where, Spec spec, const PointSet<T>& points, const Weights<T>& weights) {
  const auto f = random_values<T>(spec.options.transforms * product(spec.modes), 3);
  const Sums truth = direct_gram<T>(spec, points, weights, f);
  for (const GramMethod method : {GramMethod::convolution, GramMethod::pair}) {
    spec.options.gram = method;
    SCOPED_TRACE(offgrid::text(spec.name(), " points ", points.count(), " bits ", 8 * sizeof(T),
                               method == GramMethod::pair ? " pair" : " convolution"));
    const Operator<T> gram(where, spec, points, weights);
    EXPECT_EQ(gram.gram().get("convolution"), method == GramMethod::convolution);
    EXPECT_LE(relative_error(gram.apply(f), truth), spec.tolerance);
  }
}

const std::vector<Sizes> all_sizes{{1},     {2},       {3},       {16},       {33},       {101},
                                   {300},   {1, 1},    {1, 20},   {20, 1},    {2, 31},    {16, 15},
                                   {33, 8}, {1, 9, 1}, {5, 1, 6}, {3, 2, 17}, {8, 9, 10}, {7, 12, 5}};

TEST_P(GramTest, is_the_composition_of_the_transforms_for_all_sizes) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : all_sizes) {
      const auto points = uniform_points<T>(static_cast<int>(modes.size()), 120);
      expect_gram<T>(where(), {.modes = modes, .tolerance = usual_tolerance<T>}, points, positive_weights<T>(120));
    }
  });
}

TEST_P(GramTest, without_weights_and_with_complex_ones) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : {Sizes{51}, Sizes{20, 15}, Sizes{6, 7, 8}}) {
      const auto points = uniform_points<T>(static_cast<int>(modes.size()), 90);
      const Spec spec{.modes = modes, .tolerance = usual_tolerance<T>};
      expect_gram<T>(where(), spec, points, {});
      expect_gram<T>(where(), spec, points, {.complex = random_values<T>(90, 8)});
    }
  });
}

TEST_P(GramTest, of_both_signs_orders_and_batches) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int sign : {-1, 1})
      for (const ModeOrder order : {ModeOrder::centred, ModeOrder::fft})
        for (const std::int64_t batch : {0, 1, 3}) {
          const offgrid::Options options{.sign = sign, .transforms = 5, .mode_order = order, .batch = batch};
          const Spec spec{.modes = {17, 12}, .tolerance = usual_tolerance<T>, .options = options};
          expect_gram<T>(where(), spec, uniform_points<T>(2, 80), {.complex = random_values<T>(80, 8)});
        }
  });
}

TEST_P(GramTest, keeps_every_tolerance) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (double tolerance = 1e-1; tolerance >= (sizeof(T) == 4 ? 5e-6 : 1e-12); tolerance /= 10)
      for (const Sizes& modes : {Sizes{200}, Sizes{40, 35}, Sizes{12, 13, 14}}) {
        const int dim = static_cast<int>(modes.size());
        expect_gram<T>(where(), {.modes = modes, .tolerance = tolerance}, uniform_points<T>(dim, 500),
                       positive_weights<T>(500));
        expect_gram<T>(where(), {.modes = modes, .tolerance = tolerance}, spiral_points<T>(dim, 500),
                       positive_weights<T>(500));
      }
  });
}

// Points on a grid that the modes resolve: the operator is a multiple of one, and no error hides behind larger numbers.
TEST_P(GramTest, of_all_nodes_of_a_grid_is_a_multiple_of_one) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    PointSet<T> points{{{}, {}}};
    for (int i = 0; i < 24; ++i)
      for (int j = 0; j < 24; ++j) {
        points.axis[0].push_back(static_cast<T>(2 * std::numbers::pi * i / 24));
        points.axis[1].push_back(static_cast<T>(2 * std::numbers::pi * j / 24));
      }
    for (const GramMethod method : {GramMethod::convolution, GramMethod::pair}) {
      const Spec spec{.modes = {24, 23}, .tolerance = usual_tolerance<T>, .options = {.gram = method}};
      const Operator<T> gram(where(), spec, points);
      const auto f = random_values<T>(gram.size(), 1);
      Sums expected(f.begin(), f.end());
      for (auto& value : expected) value *= 576;
      EXPECT_LE(relative_error(gram.apply(f), expected), spec.tolerance);
    }
  });
}

// Smooth, one alone, all at one corner, alternating: the modes that a mean over random ones does not stand for.
TEST_P(GramTest, keeps_the_tolerance_for_modes_that_are_not_random) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const Sizes modes{30, 31};
    const auto points = uniform_points<T>(2, 3000);
    const auto weights = positive_weights<T>(3000);
    const auto fill = [&](auto value) {
      std::vector<std::complex<T>> f;
      for (int y = 0; y < 31; ++y)
        for (int x = 0; x < 30; ++x) f.emplace_back(static_cast<T>(value(x, y)));
      return f;
    };
    const std::vector<std::vector<std::complex<T>>> all{
        fill([](int, int) { return 1; }), fill([](int x, int y) { return std::exp(-0.02 * (x * x + y * y)); }),
        fill([](int x, int y) { return x == 0 && y == 0 ? 1 : 0; }),
        fill([](int x, int y) { return (x + y) % 2 == 0 ? 1 : -1; })};
    for (const GramMethod method : {GramMethod::convolution, GramMethod::pair}) {
      const Spec spec{.modes = modes, .tolerance = usual_tolerance<T>, .options = {.gram = method}};
      const Operator<T> gram(where(), spec, points, weights);
      for (const auto& f : all)
        EXPECT_LE(relative_error(gram.apply(f), direct_gram<T>(spec, points, weights, f)), spec.tolerance);
    }
  });
}

template <class T>
std::complex<double> inner(const std::vector<std::complex<T>>& a, const std::vector<std::complex<T>>& b) {
  std::complex<double> sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::conj(std::complex<double>(a[i])) * std::complex<double>(b[i]);
  return sum;
}

// Hermitian to rounding, whatever the tolerance: the spectrum is real. Positive: <f, G f> is a sum of squares.
TEST_P(GramTest, is_hermitian_and_positive) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : {Sizes{64}, Sizes{21, 20}, Sizes{7, 8, 9}}) {
      const Spec spec{.modes = modes, .tolerance = 1e-3, .options = {.gram = GramMethod::convolution}};
      const Operator<T> gram(where(), spec, uniform_points<T>(static_cast<int>(modes.size()), 2000),
                             positive_weights<T>(2000));
      const auto f = random_values<T>(gram.size(), 1), g = random_values<T>(gram.size(), 2);
      const auto of_f = gram.apply(f), of_g = gram.apply(g);
      const double norm = std::sqrt(std::abs(inner(g, g)) * std::abs(inner(of_f, of_f)));
      EXPECT_LE(std::abs(inner(g, of_f) - inner(of_g, f)), rounding<T> * norm);
      EXPECT_GT(inner(f, of_f).real(), 0);
      EXPECT_LE(std::abs(inner(f, of_f).imag()), rounding<T> * norm);
    }
  });
}

TEST_P(GramTest, may_be_applied_in_place) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const GramMethod method : {GramMethod::convolution, GramMethod::pair}) {
      const Spec spec{.modes = {20, 21}, .tolerance = 1e-4, .options = {.transforms = 3, .batch = 2, .gram = method}};
      const Operator<T> gram(where(), spec, uniform_points<T>(2, 100), positive_weights<T>(100));
      const auto f = random_values<T>(gram.size(), 1);
      const auto apart = gram.apply(f);
      EXPECT_LE(relative_error(gram.apply_in_place(f), apart), rounding<T>);
    }
  });
}

TEST_P(GramTest, of_crowded_points_and_of_many_equal_ones) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const Spec spec{.modes = {15, 16}, .tolerance = usual_tolerance<T>};
    expect_gram<T>(where(), spec, clustered_points<T>(2, 3000), positive_weights<T>(3000));
    expect_gram<T>(where(), spec, make_points<T>(2, 3000, [](std::int64_t) { return 0.3; }), {});
    expect_gram<T>(where(), spec, points_on_nodes<T>({32, 32}, 400), positive_weights<T>(400));
  });
}

TEST_P(GramTest, of_nothing_is_zero) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const PointSet<T> none{std::vector<std::vector<T>>(2)};
    const Operator<T> without_points(where(), {.modes = {8, 9}}, none);
    EXPECT_EQ(without_points.apply(random_values<T>(72, 1)), std::vector<std::complex<T>>(72));
    const Operator<T> without_modes(where(), {.modes = {8, 0}}, uniform_points<T>(2, 10));
    EXPECT_TRUE(without_modes.apply({}).empty());
    for (const GramMethod method : {GramMethod::convolution, GramMethod::pair}) {
      const Spec spec{.modes = {8, 9}, .tolerance = 1e-4, .options = {.gram = method}};
      const Operator<T> no_weight(where(), spec, uniform_points<T>(2, 10), {.real = std::vector<T>(10)});
      EXPECT_EQ(no_weight.apply(random_values<T>(72, 1)), std::vector<std::complex<T>>(72));
    }
  });
}

// Many points make the convolution cheaper, few the pair.
TEST_P(GramTest, chooses_by_cost) {
  const Sizes modes{64, 64};
  const Operator<double> many(where(), {.modes = modes}, uniform_points<double>(2, 40 * 64 * 64));
  EXPECT_EQ(many.gram().get("convolution"), 1);
  EXPECT_NE(many.gram().describe().find("convolution, about"), std::string::npos) << many.gram().describe();
  const Sizes large{512, 512};
  const Operator<double> few(where(), {.modes = large, .tolerance = 1e-2}, uniform_points<double>(2, 3));
  EXPECT_EQ(few.gram().get("convolution"), 0);
  EXPECT_NE(few.gram().describe().find("a pair of transforms, about"), std::string::npos) << few.gram().describe();
}

TEST_P(GramTest, says_what_it_is) {
  const Spec spec{
      .modes = {20, 1, 31}, .tolerance = 1e-6, .options = {.transforms = 2, .gram = GramMethod::convolution}};
  const Operator<double> gram(where(), spec, uniform_points<double>(3, 100));
  const offgrid::AnyGram& asked = gram.gram();
  EXPECT_EQ(asked.get("points"), 100);
  EXPECT_EQ(asked.get("transforms"), 2);
  EXPECT_GE(asked.get("grid1"), 39);
  EXPECT_EQ(asked.get("grid2"), 1);
  EXPECT_GE(asked.get("grid3"), 61);
  EXPECT_LE(asked.get("expected_error"), 1e-6);
  EXPECT_GT(asked.get("memory_bytes"), 8 * 39 * 61);
  EXPECT_GE(asked.get("peak_bytes"), asked.get("memory_bytes"));
  EXPECT_NE(asked.describe().find("real spectrum"), std::string::npos) << asked.describe();
  EXPECT_THROW((void)asked.get("width"), offgrid::Error);
}

TEST_P(GramTest, what_is_refused) {
  const auto points = uniform_points<double>(2, 10);
  const auto make = [&](Spec spec, const PointSet<double>& at) {
    return refusal([&] { (void)Operator<double>(where(), spec, at); });
  };
  EXPECT_NE(make({.modes = {8, 8}, .options = {.spread_only = true}}, points).find("spread_only"), std::string::npos);
  EXPECT_NE(make({.modes = {8, 8}, .tolerance = -1}, points).find("tolerance"), std::string::npos);
  PointSet<double> bad = points;
  bad.axis[1][3] = std::nan("");
  for (const GramMethod method : {GramMethod::convolution, GramMethod::pair})
    EXPECT_NE(make({.modes = {8, 8}, .options = {.gram = method}}, bad).find("points"), std::string::npos);

  const Operator<double> gram(where(), {.modes = {8, 8}}, points);
  DeviceArray<std::complex<double>> both(where(), std::vector<std::complex<double>>(100));
  EXPECT_NE(refusal([&] { gram.gram().apply(both.data(), both.data() + 1, nullptr); }).find("overlap"),
            std::string::npos);
  EXPECT_NE(refusal([&] { gram.gram().apply(nullptr, both.data(), nullptr); }).find("f is null"), std::string::npos);
}

// Each transform inside has half of the tolerance, which nobody asked for.
TEST_P(GramTest, strict_says_the_tolerance_that_was_asked_for) {
  const auto points = uniform_points<float>(2, 100);
  for (const GramMethod method : {GramMethod::automatic, GramMethod::convolution, GramMethod::pair}) {
    Spec spec{.modes = {12, 11}, .tolerance = 1e-9, .options = {.gram = method}};
    const double reachable = Operator<float>(where(), spec, points).gram().get("reachable_tolerance");
    spec.options.strict = true;
    const std::string words =
        offgrid::text("tolerance is 1e-09, but only ", reachable, " can be reached here (strict is on)");
    EXPECT_EQ(refusal([&] { (void)Operator<float>(where(), spec, points); }), words);
    spec.tolerance = 0.9 * reachable;
    EXPECT_NE(refusal([&] { (void)Operator<float>(where(), spec, points); }), "");
    spec.tolerance = 1.1 * reachable;
    EXPECT_NO_THROW(Operator<float>(where(), spec, points));
  }
}

TEST_P(GramTest, what_there_is_no_memory_for_is_refused_or_done_by_a_pair) {
  BackendUnderTest small = where();
  small.backend.traits.grid_memory.bytes = std::int64_t{9} << 20;  // 512 x 512 cells of 16 bytes, and 700 x 700 not
  const auto points = uniform_points<double>(2, 1'000'000);
  const Operator<double> gram(small, {.modes = {400, 400}, .tolerance = 1e-2}, points);
  EXPECT_EQ(gram.gram().get("convolution"), 0);
  const Spec asked{.modes = {400, 400}, .options = {.gram = GramMethod::convolution}};
  try {
    (void)Operator<double>(small, asked, points);
    FAIL() << "it was not refused";
  } catch (const offgrid::Error& error) {
    EXPECT_EQ(error.status(), offgrid::Status::out_of_memory);
  }
}

OFFGRID_RUN_ON_BACKENDS(GramTest);

// Both engines are built from the same choices: their results differ by less than the tolerance.
TEST(GramEngines, agree) {
  const auto found = backends();
  if (found.size() < 2) GTEST_SKIP() << "there is one engine here";
  for (const GramMethod method : {GramMethod::convolution, GramMethod::pair}) {
    const Spec spec{.modes = {50, 61}, .tolerance = 1e-8, .options = {.transforms = 2, .gram = method}};
    const auto points = uniform_points<double>(2, 5000);
    const auto weights = positive_weights<double>(5000);
    const Operator<double> one(found[0], spec, points, weights), other(found[1], spec, points, weights);
    const auto f = random_values<double>(one.size(), 1);
    EXPECT_LE(relative_error(other.apply(f), one.apply(f)), 2e-8);
  }
}

}  // namespace
