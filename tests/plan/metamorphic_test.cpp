// Relations between transforms that hold whatever the numbers: linearity, shifts, modulation, order of the points,
// batches, conjugates, mode orders, adjoints and scale. They need no oracle, so that they also catch a wrong one.
// Guards finufft#648 and finufft#454 (overflow for large strengths) and finufft#363 (results that depend on how the
// work was split).
#include "transform.hpp"

#include <algorithm>
#include <numeric>

namespace {

using namespace support;

class MetamorphicTest : public BackendTest {};

const std::vector<Sizes> shapes{{30}, {12, 11}, {6, 7, 8}};
constexpr std::int64_t count = 200;

// Runs body(T{}, spec) for each shape, type and precision.
template <class F> void for_each_problem(F body) {
  for_both_precisions([&](auto zero) {
    for (const Sizes& modes : shapes)
      for (const int type : {1, 2}) {
        // sigma is fixed: the smaller it is, the more deconvolution amplifies rounding.
        const Spec spec{
            .type = type, .modes = modes, .tolerance = usual_tolerance<decltype(zero)>, .options = {.upsampling = 2}};
        SCOPED_TRACE(offgrid::text(spec.name(), " bits ", 8 * sizeof zero));
        body(zero, spec);
      }
  });
}

template <class T> Transform<T> ready(const BackendUnderTest& where, const Spec& spec, const PointSet<T>& points) {
  Transform<T> transform(where, spec);
  transform.set_points(points);
  return transform;
}

template <class T> PointSet<T> some_points(const Spec& spec) {
  return uniform_points<T>(static_cast<int>(spec.modes.size()), count, 21);
}

template <class T> std::vector<std::complex<T>> some_input(const Transform<T>& transform, unsigned seed = 22) {
  return random_values<T>(transform.size_of(transform.spec().backward()), seed);
}

template <class T, class F> std::vector<std::complex<T>> map(std::vector<std::complex<T>> values, F body) {
  for (auto& value : values) value = body(value);
  return values;
}

TEST_P(MetamorphicTest, linear_to_rounding) {
  for_each_problem([&](auto zero, const Spec& spec) {
    using T = decltype(zero);
    const auto transform = ready<T>(where(), spec, some_points<T>(spec));
    const auto x = some_input(transform, 1), y = some_input(transform, 2);
    const std::complex<T> a(T(0.7), T(-1.3)), b(T(2.1), T(0.4));
    auto both = x, expected = transform.execute(x);
    for (std::size_t i = 0; i < x.size(); ++i) both[i] = a * x[i] + b * y[i];
    const auto of_y = transform.execute(y);
    for (std::size_t i = 0; i < of_y.size(); ++i) expected[i] = a * expected[i] + b * of_y[i];
    EXPECT_LE(relative_error(transform.execute(both), expected), rounding<T>);
  });
}

TEST_P(MetamorphicTest, points_shifted_by_whole_periods_give_the_same) {
  for_each_problem([&](auto zero, const Spec& spec) {
    using T = decltype(zero);
    const auto points = some_points<T>(spec);
    auto shifted = points;
    for (auto& axis : shifted.axis)
      for (std::size_t j = 0; j < axis.size(); ++j)
        axis[j] = static_cast<T>(axis[j] + 2 * std::numbers::pi * (static_cast<int>(j % 5) - 2));
    const auto one = ready<T>(where(), spec, points), other = ready<T>(where(), spec, shifted);
    const auto in = some_input(one);
    EXPECT_LE(relative_error(one.execute(in), other.execute(in)), 2 * spec.tolerance);
  });
}

// exp(s i k.(x + x0)) = exp(s i k.x0) exp(s i k.x): a factor on each mode.
TEST_P(MetamorphicTest, points_moved_together_modulate_the_modes) {
  for_each_problem([&](auto zero, const Spec& spec) {
    using T = decltype(zero);
    const double x0 = 0.8125;  // exact in float: moved points are off by rounding only
    const auto points = some_points<T>(spec);
    auto moved = points;
    for (auto& axis : moved.axis)
      for (T& x : axis) x = static_cast<T>(x + x0);
    PointSet<T> origin = make_points<T>(points.dim(), 1, [&](std::int64_t) { return x0; });
    const auto factor = direct_sum<T>(To::modes, spec.forward_sum(), origin, {std::complex<T>(1)});
    const auto still = ready<T>(where(), spec, points), after = ready<T>(where(), spec, moved);
    const auto modulate = [&](auto modes) {
      for (std::size_t i = 0; i < modes.size(); ++i) modes[i] *= std::complex<T>(factor[i]);
      return modes;
    };
    const auto in = some_input(still);
    const double off = spec.type == 1 ? relative_error(after.execute(in), modulate(still.execute(in)))
                                      : relative_error(after.execute(in), still.execute(modulate(in)));
    EXPECT_LE(off, 2 * spec.tolerance);
  });
}

TEST_P(MetamorphicTest, order_of_the_points_does_not_matter) {
  for_each_problem([&](auto zero, const Spec& spec) {
    using T = decltype(zero);
    const auto points = some_points<T>(spec);
    std::vector<std::int64_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(4));
    const auto permuted = [&](const auto& values) {
      auto result = values;
      for (std::int64_t j = 0; j < count; ++j) result[j] = values[order[j]];
      return result;
    };
    const auto one = ready<T>(where(), spec, points), other = ready<T>(where(), spec, reordered(points, order));
    const auto in = some_input(one);
    const double off = spec.type == 1 ? relative_error(other.execute(permuted(in)), one.execute(in))
                                      : relative_error(other.execute(in), permuted(one.execute(in)));
    EXPECT_LE(off, rounding<T>);
  });
}

TEST_P(MetamorphicTest, two_halves_of_the_points_make_the_whole) {
  for_each_problem([&](auto zero, const Spec& spec) {
    using T = decltype(zero);
    const auto points = some_points<T>(spec);
    std::vector<std::int64_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    const std::int64_t cut = 77;
    const std::vector<std::int64_t> low(order.begin(), order.begin() + cut), high(order.begin() + cut, order.end());
    const auto whole = ready<T>(where(), spec, points);
    const auto first = ready<T>(where(), spec, reordered(points, low));
    const auto second = ready<T>(where(), spec, reordered(points, high));
    const auto in = some_input(whole);
    std::vector<std::complex<T>> joined;
    if (spec.type == 1) {
      joined = first.execute({in.begin(), in.begin() + cut});
      const auto rest = second.execute({in.begin() + cut, in.end()});
      for (std::size_t i = 0; i < joined.size(); ++i) joined[i] += rest[i];
    } else {
      joined = first.execute(in);
      const auto rest = second.execute(in);
      joined.insert(joined.end(), rest.begin(), rest.end());
    }
    EXPECT_LE(relative_error(joined, whole.execute(in)), rounding<T>);
  });
}

TEST_P(MetamorphicTest, a_batch_equals_its_vectors_one_by_one) {
  for_each_problem([&](auto zero, const Spec& spec) {
    using T = decltype(zero);
    Spec many = spec;
    many.options.transforms = 5;
    const auto batch = ready<T>(where(), many, some_points<T>(spec)),
               single = ready<T>(where(), spec, some_points<T>(spec));
    const auto in = some_input(batch);
    std::vector<std::complex<T>> joined;
    for (std::int64_t v = 0, size = single.size_of(spec.backward()); v < 5; ++v) {
      const auto out = single.execute({in.begin() + v * size, in.begin() + (v + 1) * size});
      joined.insert(joined.end(), out.begin(), out.end());
    }
    // Another batch may choose another kernel: then they differ by the tolerance.
    const bool same_design = batch.get("width") == single.get("width") && batch.get("grid1") == single.get("grid1");
    EXPECT_LE(relative_error(batch.execute(in), joined), same_design ? rounding<T> : 2 * spec.tolerance);
  });
}

TEST_P(MetamorphicTest, other_sign_is_the_conjugate_of_conjugates) {
  for_each_problem([&](auto zero, const Spec& spec) {
    using T = decltype(zero);
    Spec flipped = spec;
    flipped.options.sign = -spec.sign();
    const auto conjugate = [](std::complex<T> z) { return std::conj(z); };
    const auto one = ready<T>(where(), spec, some_points<T>(spec)),
               other = ready<T>(where(), flipped, some_points<T>(spec));
    const auto in = some_input(one);
    EXPECT_LE(relative_error(map(other.execute(map(in, conjugate)), conjugate), one.execute(in)), rounding<T>);
  });
}

TEST_P(MetamorphicTest, fft_order_is_the_centred_order_rotated) {
  for_each_problem([&](auto zero, const Spec& spec) {
    using T = decltype(zero);
    if (spec.type != 1) return;
    Spec rotated = spec;
    rotated.options.mode_order = offgrid::ModeOrder::fft;
    const auto one = ready<T>(where(), spec, some_points<T>(spec)),
               other = ready<T>(where(), rotated, some_points<T>(spec));
    const auto in = some_input(one);
    const auto centred = one.execute(in);
    auto expected = centred;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      std::int64_t rest = static_cast<std::int64_t>(i), from = 0, stride = 1;
      for (const std::int64_t n : spec.modes) {
        from += stride * (oracle::frequency(rest % n, n, oracle::ModeOrder::fft) + n / 2);
        rest /= n;
        stride *= n;
      }
      expected[i] = centred[from];
    }
    EXPECT_LE(relative_error(other.execute(in), expected), rounding<T>);
    const auto back = random_values<T>(other.size_of(To::modes), 9);
    EXPECT_LE(relative_error(other.adjoint(back),
                             direct_sum<T>(To::points, rotated.adjoint_sum(), some_points<T>(spec), back)),
              spec.tolerance);
  });
}

template <class T>
std::complex<double> dot(const std::vector<std::complex<T>>& a, const std::vector<std::complex<T>>& b) {
  std::complex<double> total = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    total += std::complex<double>(a[i]) * std::conj(std::complex<double>(b[i]));
  return total;
}

// Not to the tolerance but to rounding: iterative solvers need a true adjoint.
TEST_P(MetamorphicTest, adjoint_is_the_true_adjoint_to_rounding) {
  for_each_problem([&](auto zero, const Spec& spec) {
    using T = decltype(zero);
    const auto transform = ready<T>(where(), spec, some_points<T>(spec));
    const auto x = some_input(transform), y = random_values<T>(transform.size_of(spec.forward()), 5);
    const auto ax = transform.execute(x);
    const double scale = std::sqrt(std::real(dot(ax, ax)) * std::real(dot(y, y)));
    EXPECT_LE(std::abs(dot(ax, y) - dot(x, transform.adjoint(y))), rounding<T> * scale);
  });
}

TEST_P(MetamorphicTest, one_mode_makes_a_plane_wave) {
  for_each_problem([&](auto zero, const Spec& spec) {
    using T = decltype(zero);
    if (spec.type != 2) return;
    const auto points = some_points<T>(spec);
    const auto transform = ready<T>(where(), spec, points);
    const std::int64_t all = transform.size_of(To::modes);
    for (const std::int64_t mode : {std::int64_t{0}, all / 3, all / 2, all - 1}) {
      std::vector<std::complex<T>> delta(all);
      delta[mode] = 1;
      // The tolerance bounds the mean over the modes; the outermost one alone may be several times worse.
      EXPECT_LE(relative_error(transform.execute(delta), direct_sum<T>(To::points, spec.forward_sum(), points, delta)),
                4 * spec.tolerance);
    }
  });
}

TEST_P(MetamorphicTest, huge_and_tiny_strengths_neither_overflow_nor_vanish) {
  for_each_problem([&](auto zero, const Spec& spec) {
    using T = decltype(zero);
    const auto transform = ready<T>(where(), spec, some_points<T>(spec));
    const auto in = some_input(transform);
    for (const T scale : {T(0x1p100), T(0x1p-100)}) {  // near 1e30 and 1e-30, exact
      const auto scaled = transform.execute(map(in, [&](auto z) { return z * scale; }));
      EXPECT_LE(relative_error(map(scaled, [&](auto z) { return z / scale; }), transform.execute(in)), rounding<T>);
    }
  });
}

OFFGRID_RUN_ON_BACKENDS(MetamorphicTest);

}  // namespace
