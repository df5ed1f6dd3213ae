// Least squares and density weights through C and C++: arguments, codes, callbacks and results. What they compute in all cases
// is tested in tests/plan.
#include <array>
#include <cmath>
#include <numbers>

#include "c_calls.hpp"
#include "offgrid/solve.hpp"
#include "points.hpp"

namespace {

using namespace support;
using Complex = std::complex<double>;

constexpr std::array<std::int64_t, 2> sizes{7, 6};
constexpr std::size_t modes = 42;

// Modes of which the values at the points are known: least squares finds them, whatever the weights.
struct Known {
  PointSet<double> points = uniform_points<double>(2, 300);
  std::vector<Complex> truth = random_values<double>(modes, 3);
  std::vector<Complex> values;
  std::array<const void*, 2> axes{points.axis[0].data(), points.axis[1].data()};
  std::array<std::span<const double>, 2> spans{points.axis[0], points.axis[1]};

  Known() {
    const Sums sums = direct_sum<double>(To::points, {{sizes.begin(), sizes.end()}, 1}, points, truth);
    values.assign(sums.begin(), sums.end());
  }
};

offgrid_status invert(const Known& known, const offgrid_least_squares* asked, std::vector<Complex>& found,
                      offgrid_options options = nullptr) {
  return offgrid_inverse(2, sizes.data(), 1e-12, OFFGRID_F64, options, 300, known.axes.data(), known.values.data(),
                         asked, found.data(), nullptr);
}

TEST(SolveApi, c_finds_known_modes_with_and_without_weights) {
  const Known known;
  std::vector<double> weights(300);
  for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = 1 + 0.5 * std::sin(static_cast<double>(j));
  for (const void* some : {static_cast<const void*>(nullptr), static_cast<const void*>(weights.data())}) {
    std::vector<Complex> found(modes, std::nan(""));
    offgrid_least_squares asked{};
    asked.weights = some;
    asked.iteration.iterations = 200;
    asked.iteration.rtol = 1e-12;
    ASSERT_EQ(invert(known, &asked, found), OFFGRID_OK) << offgrid_last_error();
    EXPECT_LE(relative_error(found, known.truth), 1e-9);
  }
}

TEST(SolveApi, null_and_zeros_are_the_defaults) {
  const Known known;
  std::vector<Complex> of_null(modes), of_zeros(modes), of_defaults(modes);
  const offgrid_least_squares zeros{};
  ASSERT_EQ(invert(known, nullptr, of_null), OFFGRID_OK) << offgrid_last_error();
  ASSERT_EQ(invert(known, &zeros, of_zeros), OFFGRID_OK) << offgrid_last_error();
  offgrid_least_squares same{};
  same.iteration.iterations = 20;
  same.iteration.rtol = 1e-6;
  ASSERT_EQ(invert(known, &same, of_defaults), OFFGRID_OK) << offgrid_last_error();
  EXPECT_EQ(of_null, of_zeros);
  EXPECT_EQ(of_null, of_defaults);
}

struct Seen {
  std::vector<double> residuals{};
  std::int64_t last_step = 0, stop_at = 0;
};

int note(void* context, std::int64_t step, double residual) {
  auto* seen = static_cast<Seen*>(context);
  seen->residuals.push_back(residual);
  seen->last_step = step;
  return step == seen->stop_at ? 1 : 0;
}

TEST(SolveApi, c_reports_each_step_and_stops_when_told_to) {
  const Known known;
  Seen seen;
  std::vector<Complex> found(modes);
  offgrid_least_squares asked{};
  asked.iteration = {6, -1, note, &seen};
  ASSERT_EQ(invert(known, &asked, found), OFFGRID_OK) << offgrid_last_error();
  EXPECT_EQ(seen.residuals.size(), 6u) << "a rule below 0 stops nothing";
  EXPECT_EQ(seen.last_step, 6);
  EXPECT_LT(seen.residuals.back(), 0.1);
  seen = {.stop_at = 2};
  ASSERT_EQ(invert(known, &asked, found), OFFGRID_OK) << offgrid_last_error();
  EXPECT_EQ(seen.last_step, 2);
}

// (G + regularisation) f = G of the known modes, since their values are what is given.
TEST(SolveApi, c_regularises) {
  const Known known;
  std::vector<Complex> found(modes), image(modes), right(modes);
  offgrid_least_squares asked{};
  asked.regularisation = 300;  // about what the operator multiplies by
  asked.iteration.rtol = 1e-12;
  asked.iteration.iterations = 200;
  ASSERT_EQ(invert(known, &asked, found), OFFGRID_OK) << offgrid_last_error();
  const offgrid::Gram<double> gram({.modes = {7, 6}, .tolerance = 1e-12}, known.spans);
  gram.apply(found, image);
  gram.apply(known.truth, right);
  for (std::size_t k = 0; k < modes; ++k) image[k] += asked.regularisation * found[k];
  EXPECT_LE(relative_error(image, right), 1e-9);
}

TEST(SolveApi, cpp_with_coils_start_and_density_weights) {
  const Known known;
  const offgrid::Problem problem{.modes = {7, 6}, .tolerance = 1e-12};
  const auto weights = offgrid::density_weights<double>(problem, known.spans);
  ASSERT_EQ(weights.size(), 300u);
  double sum = 0;
  for (const double weight : weights) {
    EXPECT_GT(weight, 0);
    sum += weight;
  }
  EXPECT_NEAR(sum, 1, 0.2);

  const auto coils = random_values<double>(2 * modes, 8);
  std::vector<Complex> values, image(modes), found(modes);
  for (std::size_t coil = 0; coil < 2; ++coil) {
    for (std::size_t k = 0; k < modes; ++k) image[k] = coils[coil * modes + k] * known.truth[k];
    const Sums sums = direct_sum<double>(To::points, {{7, 6}, 1}, known.points, image);
    values.insert(values.end(), sums.begin(), sums.end());
  }
  std::int64_t steps = 0;
  const auto count = [&](std::int64_t step, double) {
    steps = step;
    return false;
  };
  const offgrid::Iteration iteration{.iterations = 300, .rtol = 1e-12, .callback = count};
  offgrid::inverse<double>(problem, known.spans, values, {.weights = weights, .coils = coils, .iteration = iteration},
                           found);
  EXPECT_LE(relative_error(found, known.truth), 1e-8);
  EXPECT_GT(steps, 2);
  steps = 0;
  offgrid::inverse<double>(
      problem, known.spans, values,
      {.weights = weights, .coils = coils, .start = found, .iteration = {.rtol = 1e-8, .callback = count}}, found);
  EXPECT_EQ(steps, 0) << "it began at the solution";
}

TEST(SolveApi, cpp_in_float_and_one_dimension) {
  const auto points = uniform_points<float>(1, 200);
  const std::array<std::span<const float>, 1> spans{points.axis[0]};
  const auto truth = random_values<float>(16, 3);
  const Sums sums = direct_sum<float>(To::points, {{16}, -1}, points, truth);
  const std::vector<std::complex<float>> values(sums.begin(), sums.end());
  std::vector<std::complex<float>> found(16);
  const auto weights = offgrid::density_weights<float>({.modes = {16}}, spans, {.iterations = 5});
  offgrid::inverse<float>({.modes = {16}, .tolerance = 1e-6, .sign = -1}, spans, values,
                          {.weights = weights, .iteration = {.iterations = 100}}, found);
  EXPECT_LE(relative_error(found, truth), 1e-4);
}

TEST(SolveApi, what_a_callback_throws_comes_out_of_the_call) {
  const Known known;
  std::vector<Complex> found(modes);
  const auto throws = [](std::int64_t, double) -> bool { throw std::domain_error("enough"); };
  EXPECT_THROW(offgrid::inverse<double>({.modes = {7, 6}}, known.spans, known.values,
                                        {.iteration = {.callback = throws}}, found),
               std::domain_error);
  EXPECT_THROW((void)offgrid::density_weights<double>({.modes = {7, 6}}, known.spans, {.callback = throws}),
               std::domain_error);
}

TEST(SolveApi, density_weights_in_c_stop_and_report) {
  const Known known;
  Seen seen{.stop_at = 3};
  std::vector<double> weights(300);
  const offgrid_iteration iteration{50, -1, note, &seen};
  ASSERT_EQ(offgrid_density_weights(2, sizes.data(), OFFGRID_F64, nullptr, 300, known.axes.data(), &iteration,
                                    weights.data(), nullptr),
            OFFGRID_OK)
      << offgrid_last_error();
  EXPECT_EQ(seen.last_step, 3);
  const std::vector<double> at_3 = weights;
  const offgrid_iteration three{3, -1, nullptr, nullptr};
  ASSERT_EQ(offgrid_density_weights(2, sizes.data(), OFFGRID_F64, nullptr, 300, known.axes.data(), &three,
                                    weights.data(), nullptr),
            OFFGRID_OK);
  for (std::size_t j = 0; j < weights.size(); ++j) EXPECT_NEAR(weights[j], at_3[j], 1e-12 * at_3[j]);
}

TEST(SolveApi, what_is_refused) {
  const Known known;
  std::vector<Complex> found(modes, 5);
  const std::vector<Complex> before = found;
  offgrid_least_squares asked{};
  const auto call = [&](int dim, const int64_t* n, const void* const* points, const void* values, void* result) {
    return offgrid_inverse(dim, n, 1e-9, OFFGRID_F64, nullptr, 300, points, values, &asked, result, nullptr);
  };
  const void* const* axes = known.axes.data();
  const void* values = known.values.data();
  expect_invalid(call(4, sizes.data(), axes, values, found.data()), {"dim", "4"});
  expect_invalid(call(2, nullptr, axes, values, found.data()), {"modes is null"});
  expect_invalid(call(2, sizes.data(), nullptr, values, found.data()), {"points is null"});
  expect_invalid(call(2, sizes.data(), axes, nullptr, found.data()), {"values is null", "300"});
  expect_invalid(call(2, sizes.data(), axes, values, nullptr), {"modes is null", "42"});
  asked.iteration.iterations = -2;
  expect_invalid(invert(known, &asked, found), {"iterations", "-2"});
  asked = {};
  asked.regularisation = -1;
  expect_invalid(invert(known, &asked, found), {"regularisation", "-1"});
  asked = {};
  asked.coil_count = 3;
  expect_invalid(invert(known, &asked, found), {"coil_count is 3", "null"});
  asked = {};
  const auto two = make_options({{"transforms", 2}});
  expect_invalid(invert(known, &asked, found, two.get()), {"transforms is 2", "coils"});
  expect_invalid(offgrid_density_weights(2, sizes.data(), OFFGRID_F64, nullptr, 300, axes, nullptr, nullptr, nullptr),
                 {"weights is null"});
  expect_invalid(offgrid_density_weights(2, sizes.data(), static_cast<offgrid_precision>(9), nullptr, 300, axes,
                                         nullptr, found.data(), nullptr),
                 {"precision"});
  EXPECT_EQ(found, before) << "a refused call changes nothing";
}

TEST(SolveApi, spans_of_the_wrong_length_are_refused) {
  const Known known;
  const offgrid::Problem problem{.modes = {7, 6}};
  std::vector<Complex> found(modes);
  const auto refuse = [&](std::span<const Complex> values, const offgrid::LeastSquares<double>& asked,
                          std::span<Complex> result) {
    EXPECT_THROW(offgrid::inverse<double>(problem, known.spans, values, asked, result), offgrid::Error);
  };
  const std::vector<double> three(3);
  const std::vector<Complex> some(10);
  refuse(some, {}, found);
  refuse(known.values, {.weights = three}, found);
  refuse(known.values, {.coils = some}, found);
  refuse(known.values, {.start = some}, found);
  refuse(known.values, {}, std::span(found).first(3));
  std::vector<double> few(3);
  EXPECT_THROW(offgrid::density_weights<double>(problem, known.spans, std::span(few)), offgrid::Error);
  EXPECT_THROW((void)offgrid::density_weights<double>(problem, std::span(known.spans).first(1)), offgrid::Error);
}

}  // namespace
