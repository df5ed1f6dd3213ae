// The Gram operator through C and C++: handles, codes and results. What it computes is tested in tests/plan.
#include <array>
#include <numbers>

#include "c_calls.hpp"
#include "offgrid/offgrid.hpp"
#include "points.hpp"

namespace {

using namespace support;

constexpr std::array<std::int64_t, 2> sizes{12, 9};

struct Points2 {
  std::vector<double> x{0.1, 0.7, -2, 3}, y{1, 2, 3, -1}, weights{1, 2, 0.5, 1};
  std::array<const void*, 2> axes{x.data(), y.data()};
  std::array<std::span<const double>, 2> spans{x, y};
};

offgrid_status create_gram(offgrid_gram* gram, const Points2& points, const void* weights,
                           offgrid_weights kind = OFFGRID_REAL_WEIGHTS, offgrid_options options = nullptr) {
  return offgrid_gram_create(gram, 2, sizes.data(), 1e-9, OFFGRID_F64, options, 4, points.axes.data(), weights, kind,
                             nullptr);
}

// The element (k, k') of A* W A.
std::complex<double> element(const Points2& points, int kx, int ky, int qx, int qy) {
  std::complex<double> sum = 0;
  for (std::size_t j = 0; j < 4; ++j)
    sum += points.weights[j] * std::polar(1.0, -(kx - qx) * points.x[j] - (ky - qy) * points.y[j]);
  return sum;
}

TEST(GramApi, c_and_cpp_compute_columns_of_the_matrix) {
  const Points2 points;
  offgrid_gram raw = nullptr;
  ASSERT_EQ(create_gram(&raw, points, points.weights.data()), OFFGRID_OK) << offgrid_last_error();
  const offgrid::Gram<double> gram({.modes = {12, 9}, .tolerance = 1e-9}, points.spans, points.weights);
  std::vector<std::complex<double>> f(108), h(108), again(108);
  f[7 + 12 * 2] = 1;  // k' = (1, -2)
  ASSERT_EQ(offgrid_gram_apply(raw, f.data(), h.data(), nullptr), OFFGRID_OK) << offgrid_last_error();
  gram.apply(f, again);
  EXPECT_EQ(h, again);
  for (int y = 0; y < 9; ++y)
    for (int x = 0; x < 12; ++x)
      EXPECT_LT(std::abs(h[x + 12 * y] - element(points, x - 6, y - 4, 1, -2)), 1e-7) << x << " " << y;
  double points_read = 0;
  EXPECT_EQ(offgrid_gram_get(raw, "points", &points_read), OFFGRID_OK);
  EXPECT_EQ(points_read, 4);
  EXPECT_EQ(gram.get("points"), 4);
  EXPECT_NE(gram.describe().find("Gram operator of 4 points, 12 x 9 modes"), std::string::npos) << gram.describe();
  EXPECT_EQ(offgrid_gram_destroy(raw), OFFGRID_OK);
}

TEST(GramApi, complex_weights_and_options_are_heeded) {
  const Points2 points;
  const std::vector<std::complex<double>> weights{{1, 1}, {0, 2}, {-1, 0}, {0.5, 0.5}};
  for (const char* method : {"convolution", "pair"}) {
    const offgrid::Gram<double> gram({.modes = {12, 9}, .tolerance = 1e-9, .options = {{"gram", method}}}, points.spans,
                                     std::span(weights));
    EXPECT_EQ(gram.get("convolution"), std::string(method) == "convolution");
    std::vector<std::complex<double>> f(108), h(108);
    f[6 + 12 * 4] = 1;  // k' = 0
    gram.apply(f, h);
    std::complex<double> sum = 0;
    for (const auto& weight : weights) sum += weight;
    EXPECT_LT(std::abs(h[6 + 12 * 4] - sum), 1e-7);
  }
}

// Two halves of the points, each with a kernel of its own.
TEST(GramApi, kernels_of_several_sets_of_points_add_up) {
  const Points2 points;
  std::vector<std::complex<double>> kernel(23 * 17);
  for (const std::size_t first : {0, 2}) {
    std::vector<std::complex<double>> part(kernel.size());
    const std::vector<std::complex<double>> weights(points.weights.begin() + first, points.weights.begin() + first + 2);
    offgrid::transform<double>({.type = 1, .modes = {23, 17}, .tolerance = 1e-10, .sign = -1},
                               {std::span(points.x).subspan(first, 2), std::span(points.y).subspan(first, 2)}, weights,
                               part);
    for (std::size_t i = 0; i < kernel.size(); ++i) kernel[i] += part[i];
  }
  const offgrid::Problem problem{.modes = {12, 9}, .tolerance = 1e-9};
  const offgrid::Gram<double> whole(problem, points.spans, points.weights);
  const auto f = random_values<double>(108, 3);
  std::vector<std::complex<double>> expected(108), h(108);
  whole.apply(f, expected);
  for (const offgrid_weights kind : {OFFGRID_REAL_WEIGHTS, OFFGRID_COMPLEX_WEIGHTS}) {
    const auto summed = offgrid::Gram<double>::from_kernel(problem, kernel, kind);
    summed.apply(f, h);
    for (std::size_t i = 0; i < h.size(); ++i) EXPECT_LT(std::abs(h[i] - expected[i]), 1e-7);
    EXPECT_NE(summed.describe().find("with a given kernel"), std::string::npos) << summed.describe();
  }
}

TEST(GramApi, a_kernel_that_is_refused) {
  const offgrid::Problem problem{.modes = {12, 9}};
  const std::vector<std::complex<double>> kernel(23 * 17);
  EXPECT_THROW((void)offgrid::Gram<double>::from_kernel(problem, std::span(kernel).first(5)), offgrid::Error);
  EXPECT_THROW((void)offgrid::Gram<double>::from_kernel({.modes = {12, 9}, .options = {{"gram", "pair"}}}, kernel),
               offgrid::Error);
  offgrid_gram gram = nullptr;
  expect_invalid(offgrid_gram_create_from_kernel(&gram, 2, sizes.data(), OFFGRID_F64, nullptr, nullptr,
                                                 OFFGRID_REAL_WEIGHTS, nullptr),
                 {"kernel"});
  EXPECT_EQ(gram, nullptr);
}

TEST(GramApi, what_is_refused) {
  const Points2 points;
  offgrid_gram gram = nullptr;
  expect_invalid(create_gram(nullptr, points, nullptr), {"gram"});
  expect_invalid(offgrid_gram_create(&gram, 4, sizes.data(), 1e-9, OFFGRID_F64, nullptr, 4, points.axes.data(), nullptr,
                                     OFFGRID_REAL_WEIGHTS, nullptr),
                 {"dim"});
  expect_invalid(offgrid_gram_create(&gram, 2, sizes.data(), 1e-9, OFFGRID_F64, nullptr, 4, nullptr, nullptr,
                                     OFFGRID_REAL_WEIGHTS, nullptr),
                 {"points"});
  expect_invalid(offgrid_gram_create(&gram, 2, sizes.data(), 1e-9, OFFGRID_F64, nullptr, -1, points.axes.data(),
                                     nullptr, OFFGRID_REAL_WEIGHTS, nullptr),
                 {"count", "-1"});
  expect_invalid(create_gram(&gram, points, nullptr, static_cast<offgrid_weights>(7)), {"kind", "7"});
  EXPECT_EQ(gram, nullptr);
  expect_invalid(offgrid_gram_apply(nullptr, nullptr, nullptr, nullptr), {"gram"});
  expect_invalid(offgrid_gram_destroy(reinterpret_cast<offgrid_gram>(std::array<std::uint64_t, 8>{}.data())), {"gram"});
  EXPECT_STREQ(offgrid_gram_describe(nullptr), "");
  EXPECT_EQ(offgrid_gram_destroy(nullptr), OFFGRID_OK);
}

TEST(GramApi, spans_of_the_wrong_length_are_refused) {
  const Points2 points;
  const offgrid::Problem problem{.modes = {12, 9}};
  const std::vector<double> three(3);
  EXPECT_THROW(offgrid::Gram<double>(problem, points.spans, three), offgrid::Error);
  EXPECT_THROW(offgrid::Gram<double>(problem, std::span(points.spans).first(1)), offgrid::Error);
  const offgrid::Gram<double> gram(problem, points.spans);
  std::vector<std::complex<double>> f(108), h(107);
  EXPECT_THROW(gram.apply(f, h), offgrid::Error);
}

}  // namespace
