// The inverse by conjugate gradients, for every engine: against dense solves.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "core/solve/inverse.hpp"
#include "refusal.hpp"
#include "transform.hpp"

namespace {

using namespace support;
using offgrid::Iteration;

class InverseTest : public BackendTest {};
OFFGRID_RUN_ON_BACKENDS(InverseTest);

using Matrix = std::vector<Sums>;  // rows

// Gaussian elimination with pivots.
Sums solve_densely(Matrix a, Sums b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k; row < n; ++row)
      if (std::abs(a[row][k]) > std::abs(a[pivot][k])) pivot = row;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t row = k + 1; row < n; ++row) {
      const std::complex<double> factor = a[row][k] / a[k][k];
      for (std::size_t column = k; column < n; ++column) a[row][column] -= factor * a[k][column];
      b[row] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t column = k + 1; column < n; ++column) b[k] -= a[k][column] * b[column];
    b[k] /= a[k][k];
  }
  return b;
}

// What is to be solved: everything but points and sizes may be left out.
template <class T> struct Question {
  Spec spec{};
  PointSet<T> points{};
  std::vector<std::complex<T>> values{};
  std::vector<T> weights{};
  std::vector<std::complex<T>> coils{}, start{};
  double regularisation = 0;
  Iteration iteration{};

  [[nodiscard]] std::int64_t modes() const { return product(spec.modes); }
  [[nodiscard]] std::int64_t vectors() const {
    return coils.empty() ? 1 : static_cast<std::int64_t>(coils.size()) / modes();
  }
};

// Row (c, j), column k of the matrix A S.
template <class T> Matrix matrix_of(const Question<T>& question) {
  const auto modes = static_cast<std::size_t>(question.modes());
  PointSet<double> exact;
  for (const auto& axis : question.points.axis) exact.axis.emplace_back(axis.begin(), axis.end());
  Spec to_points = question.spec;
  to_points.type = 2;
  Matrix rows(static_cast<std::size_t>(question.vectors() * question.points.count()), Sums(modes));
  for (std::size_t k = 0; k < modes; ++k) {
    Sums one(modes);
    one[k] = 1;
    const Sums column = direct_sum<double>(To::points, to_points.forward_sum(), exact, one);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::size_t coil = row / column.size();
      const std::complex<double> factor =
          question.coils.empty() ? 1 : std::complex<double>(question.coils[coil * modes + k]);
      rows[row][k] = column[row % column.size()] * factor;
    }
  }
  return rows;
}

// The minimum, by the normal equations in double.
template <class T> Sums least_squares(const Question<T>& question) {
  const Matrix a = matrix_of(question);
  const auto modes = static_cast<std::size_t>(question.modes());
  Matrix normal(modes, Sums(modes));
  Sums right(modes);
  for (std::size_t row = 0; row < a.size(); ++row) {
    const double weight =
        question.weights.empty() ? 1 : question.weights[row % static_cast<std::size_t>(question.points.count())];
    for (std::size_t k = 0; k < modes; ++k) {
      right[k] += weight * std::conj(a[row][k]) * std::complex<double>(question.values[row]);
      for (std::size_t q = 0; q < modes; ++q) normal[k][q] += weight * std::conj(a[row][k]) * a[row][q];
    }
  }
  for (std::size_t k = 0; k < modes; ++k) normal[k][k] += question.regularisation;
  return solve_densely(normal, right);
}

template <class T> class Arrays {
 public:
  Arrays(const BackendUnderTest& where, const Question<T>& question)
      : values_(where, question.values),
        weights_(where, question.weights),
        coils_(where, question.coils),
        start_(where, question.start) {
    for (const auto& axis : question.points.axis) axes_.emplace_back(where, axis);
    asked.points.count = question.points.count();
    for (std::size_t a = 0; a < axes_.size(); ++a) asked.points.axes[a] = axes_[a].data();
    asked.values = values_.data();
    if (!question.weights.empty()) asked.weights = weights_.data();
    if (!question.coils.empty()) asked.coils = coils_.data();
    if (!question.coils.empty()) asked.coil_count = question.vectors();
    if (!question.start.empty()) asked.start = start_.data();
    asked.regularisation = question.regularisation;
    asked.iteration = question.iteration;
  }
  offgrid::LeastSquares asked;

 private:
  std::vector<DeviceArray<T>> axes_;
  DeviceArray<std::complex<T>> values_;
  DeviceArray<T> weights_;
  DeviceArray<std::complex<T>> coils_, start_;
};

template <class T> std::vector<std::complex<T>> invert(const BackendUnderTest& where, const Question<T>& question) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  Arrays<T> arrays(where, question);
  DeviceArray<std::complex<T>> modes(where, std::vector<std::complex<T>>(question.modes(), {nan, nan}));
  offgrid::invert(problem_of<T>(question.spec), question.spec.options, where.backend, arrays.asked, modes.data(),
                  nullptr);
  return modes.host();
}

template <class T> std::vector<T> positive_numbers(std::int64_t count) {
  std::mt19937_64 generator(5);
  std::uniform_real_distribution<T> between(T(0.5), 2);
  std::vector<T> weights(count);
  for (T& weight : weights) weight = between(generator);
  return weights;
}

// Six random points for each mode, so that the problem is well conditioned, and values that no modes reach.
template <class T> Question<T> good_question(const Sizes& modes, std::int64_t vectors = 1) {
  const int dim = static_cast<int>(modes.size());
  const std::int64_t count = 6 * product(modes);
  Question<T> question;
  question.spec = {.modes = modes, .tolerance = usual_tolerance<T>};
  question.points = uniform_points<T>(dim, count);
  if (vectors > 1) question.coils = random_values<T>(vectors * product(modes), 6);
  question.values = random_values<T>(vectors * count, 2);
  question.iteration = {.steps = 400, .enough = sizeof(T) == 4 ? 1e-6 : 1e-12};
  return question;
}

// The condition of the normal equations magnifies the error of the operator; six points for each mode keep it under 100.
template <class T> constexpr double bound_of_solution = 100 * usual_tolerance<T>;

template <class T> void expect_solved(const BackendUnderTest& where, const Question<T>& question) {
  SCOPED_TRACE(offgrid::text(question.spec.name(), " bits ", 8 * sizeof(T)));
  EXPECT_LE(relative_error(invert(where, question), least_squares(question)), bound_of_solution<T>);
}

TEST_P(InverseTest, is_the_dense_solution_in_all_dimensions) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : {Sizes{1}, Sizes{17}, Sizes{6, 7}, Sizes{3, 4, 5}})
      expect_solved(where(), good_question<T>(modes));
  });
}

TEST_P(InverseTest, heeds_weights_regularisation_and_coils) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const std::int64_t coils : {1, 3}) {
      Question<T> question = good_question<T>({7, 6}, coils);
      question.weights = positive_numbers<T>(question.points.count());
      expect_solved(where(), question);
      question.regularisation = 50;
      expect_solved(where(), question);
      question.weights.clear();
      expect_solved(where(), question);
    }
  });
}

TEST_P(InverseTest, heeds_sign_order_and_the_way_of_the_gram_operator) {
  for (const int sign : {-1, 1})
    for (const auto order : {offgrid::ModeOrder::centred, offgrid::ModeOrder::fft})
      for (const auto gram : {offgrid::GramMethod::convolution, offgrid::GramMethod::pair}) {
        Question<double> question = good_question<double>({7, 6});
        question.spec.options = {.sign = sign, .mode_order = order, .gram = gram};
        expect_solved(where(), question);
      }
}

// Without a rule that asks for numbers, nothing is read back, and the steps are the same.
TEST_P(InverseTest, takes_the_same_steps_watched_or_not) {
  Question<double> question = good_question<double>({7, 6});
  question.spec.options.deterministic = true;
  question.iteration = {.steps = 7};
  const auto unwatched = invert(where(), question);
  std::vector<double> residuals;
  question.iteration.report = [&](std::int64_t step, double residual) {
    residuals.push_back(residual);
    EXPECT_EQ(step, static_cast<std::int64_t>(residuals.size()));
    return false;
  };
  EXPECT_EQ(invert(where(), question), unwatched);
  EXPECT_EQ(residuals.size(), 7u);
  EXPECT_LT(residuals.back(), 0.1 * residuals.front());
}

TEST_P(InverseTest, stops_by_the_residual_or_when_it_is_told_to) {
  Question<double> question = good_question<double>({7, 6});
  std::vector<double> residuals;
  std::int64_t last = 1000;
  question.spec.options.deterministic = true;
  question.iteration.enough = 1e-3;
  question.iteration.report = [&](std::int64_t step, double residual) {
    residuals.push_back(residual);
    return step == last;
  };
  (void)invert(where(), question);
  ASSERT_GT(residuals.size(), 3u);
  EXPECT_LE(residuals.back(), 1e-3);
  EXPECT_GT(residuals[residuals.size() - 2], 1e-3);
  residuals.clear();
  last = 3;
  const auto stopped = invert(where(), question);
  EXPECT_EQ(residuals.size(), 3u);
  question.iteration = {.steps = 3};
  EXPECT_EQ(invert(where(), question), stopped);
}

TEST_P(InverseTest, begins_where_it_is_told_to) {
  Question<double> question = good_question<double>({7, 6}, 2);
  const Sums truth = least_squares(question);
  question.start = random_values<double>(42, 9);
  expect_solved(where(), question);
  question.iteration.steps = 0;
  EXPECT_EQ(invert(where(), question), question.start);
  question.start.assign(truth.begin(), truth.end());
  question.iteration = {.steps = 20, .enough = 1e-7, .report = [](std::int64_t, double) {
                          ADD_FAILURE() << "a step from the solution";
                          return true;
                        }};
  EXPECT_LE(relative_error(invert(where(), question), truth), 1e-12);
}

TEST_P(InverseTest, may_begin_in_place) {
  Question<double> question = good_question<double>({7, 6});
  question.spec.options.deterministic = true;
  question.start = random_values<double>(42, 9);
  question.iteration = {.steps = 4};
  const auto apart = invert(where(), question);
  Arrays<double> arrays(where(), question);
  DeviceArray<std::complex<double>> modes(where(), question.start);
  arrays.asked.start = modes.data();
  offgrid::invert(problem_of<double>(question.spec), question.spec.options, where().backend, arrays.asked, modes.data(),
                  nullptr);
  EXPECT_EQ(modes.host(), apart);
}

// No residual is small beside a right-hand side of zeros.
TEST_P(InverseTest, of_zeros_goes_to_zero_from_any_start) {
  Question<double> question = good_question<double>({7, 6});
  question.values.assign(question.values.size(), 0);
  question.start = random_values<double>(42, 9);
  std::vector<double> residuals;
  question.iteration = {.steps = 40, .enough = 1e-6, .report = [&](std::int64_t, double residual) {
                          residuals.push_back(residual);
                          return false;
                        }};
  const auto found = invert(where(), question);
  for (const auto& mode : found) EXPECT_LT(std::abs(mode), 1e-9);
  EXPECT_EQ(residuals.front(), std::numeric_limits<double>::infinity());
}

TEST_P(InverseTest, of_nothing_and_of_zeros_is_zero) {
  for (const double enough : {0.0, 1e-6}) {
    Question<double> question = good_question<double>({7, 6});
    question.iteration = {.steps = 5, .enough = enough};
    question.values.assign(question.values.size(), 0);
    EXPECT_EQ(invert(where(), question), std::vector<std::complex<double>>(42));
    question.points = {std::vector<std::vector<double>>(2)};
    question.values.clear();
    EXPECT_EQ(invert(where(), question), std::vector<std::complex<double>>(42));
  }
  Question<double> without_modes;
  without_modes.spec.modes = {7, 0};
  without_modes.points = uniform_points<double>(2, 4);
  without_modes.values = random_values<double>(4, 1);
  EXPECT_TRUE(invert(where(), without_modes).empty());
}

TEST_P(InverseTest, what_is_refused) {
  const Question<double> good = good_question<double>({7, 6});
  const auto refused = [&](auto change) {
    Question<double> question = good;
    Arrays<double> arrays(where(), good);
    change(question, arrays.asked);
    DeviceArray<std::complex<double>> modes(where(), std::vector<std::complex<double>>(42));
    return refusal([&] {
      offgrid::invert(problem_of<double>(question.spec), question.spec.options, where().backend, arrays.asked,
                      modes.data(), nullptr);
    });
  };
  using Asked = offgrid::LeastSquares;
  const auto names = [&](const char* word, auto change) {
    const std::string message = refused(change);
    EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  names("values", [](auto&, Asked& asked) { asked.values = nullptr; });
  names("points x", [](auto&, Asked& asked) { asked.points.axes[0] = nullptr; });
  names("count", [](auto&, Asked& asked) { asked.points.count = -1; });
  names("coil_count", [](auto&, Asked& asked) { asked.coils = asked.values; });
  names("coil_count", [](auto&, Asked& asked) { asked.coil_count = 2; });
  names("coil_count", [](auto&, Asked& asked) { asked.coil_count = -2; });
  names("regularisation", [](auto&, Asked& asked) { asked.regularisation = -1; });
  names("regularisation", [](auto&, Asked& asked) { asked.regularisation = std::nan(""); });
  names("iterations", [](auto&, Asked& asked) { asked.iteration.steps = -1; });
  names("rtol", [](auto&, Asked& asked) { asked.iteration.enough = std::nan(""); });
  names("spread_only", [](auto& question, Asked&) { question.spec.options.spread_only = true; });
  names("transforms", [](auto& question, Asked&) { question.spec.options.transforms = 2; });
  names("tolerance", [](auto& question, Asked&) { question.spec.tolerance = 0; });
}

TEST_P(InverseTest, what_is_not_finite_is_an_error_and_no_solution) {
  const double nan = std::nan("");
  Question<double> of_weights = good_question<double>({7, 6}), of_values = of_weights, of_start = of_weights;
  of_weights.weights.assign(of_weights.points.count(), nan);
  of_values.values[3] = std::numeric_limits<double>::infinity();
  of_start.start.assign(42, nan);
  for (const auto& question : {of_weights, of_values, of_start}) {
    const std::string words = refusal([&] { (void)invert(where(), question); });
    EXPECT_NE(words.find("residual is not finite"), std::string::npos) << words;
  }
}

TEST_P(InverseTest, what_overlaps_is_refused) {
  const Question<double> question = good_question<double>({7, 6});
  DeviceArray<std::complex<double>> all(where(), std::vector<std::complex<double>>(1000));
  Arrays<double> arrays(where(), question);
  const auto refused = [&] {
    return refusal([&] {
      offgrid::invert(problem_of<double>(question.spec), {}, where().backend, arrays.asked, all.data() + 40, nullptr);
    });
  };
  const void* values = std::exchange(arrays.asked.values, all.data());
  EXPECT_NE(refused().find("values"), std::string::npos);
  arrays.asked.values = values;
  arrays.asked.start = all.data();
  EXPECT_NE(refused().find("start"), std::string::npos);
  arrays.asked.start = nullptr;
  arrays.asked.coils = all.data();
  arrays.asked.coil_count = 1;
  EXPECT_NE(refused().find("coils"), std::string::npos);
}

}  // namespace
