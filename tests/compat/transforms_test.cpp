// Every transform of both drop-ins, by a plan and by one call, single and many, in both precisions, against direct sums. The
// GPU's are skipped where there is none.
#include <gtest/gtest.h>

#include <algorithm>

#include "gpu.hpp"
#include "gpu_memory.hpp"
#include "oracle.hpp"
#include "peer_calls.hpp"

namespace {

using namespace support;

constexpr std::int64_t count = 300;
constexpr std::int64_t target_count = 170;

template <class Peer> class Transforms : public testing::Test {
 public:
  using R = typename Peer::Real;
  using Values = std::vector<std::complex<R>>;
  static constexpr bool on_gpu = std::is_same_v<typename Peer::Opts, cufinufft_opts>;
  static constexpr R tolerance = sizeof(R) == 4 ? R(1e-4) : R(1e-9);

  void SetUp() override {
    if (on_gpu && !has_gpu()) GTEST_SKIP() << "no GPU";
  }

  static typename Peer::Opts spreading_opts() {
    typename Peer::Opts opts;
    if constexpr (on_gpu) {
      cufinufft_default_opts(&opts);
      opts.gpu_spreadinterponly = 1;
    } else {
      finufft_default_opts(&opts);
      opts.spreadinterponly = 1;
    }
    opts.upsampfac = 2;
    return opts;
  }

  template <class V> static PlacedArray<V> place(std::vector<V> values) {
    return {on_gpu ? Side::gpu : Side::host, std::move(values)};
  }
  static typename Peer::Complex* data(PlacedArray<std::complex<R>>& array) {
    return reinterpret_cast<typename Peer::Complex*>(array.data());
  }

  // What a test puts in and what must come out.
  struct Case {
    int type, dim, sign, transforms;
    Sizes modes;
    PointSet<R> points, targets;
    Values in;
    Sums expected;
    [[nodiscard]] std::int64_t outputs() const {
      return transforms * (type == 1 ? product(modes) : type == 2 ? count : target_count);
    }
  };

  static Case make_case(int type, int dim, int sign, int transforms) {
    const Sizes all{13, 10, 9};
    Case c{type, dim, sign, transforms, Sizes(all.begin(), all.begin() + dim), uniform_points<R>(dim, count),
           {},   {},  {}};
    c.targets = points_between<R>(-6, 9, dim, target_count, 5);
    c.in = random_values<R>(transforms * (type == 2 ? product(c.modes) : count), 3);
    if (type != 3) {
      c.expected = direct_sum<R>(type == 1 ? To::modes : To::points, {c.modes, sign, transforms}, c.points, c.in);
      return c;
    }
    for (int v = 0; v < transforms; ++v) {
      const auto vector = std::span<const std::complex<R>>(c.in).subspan(v * count, count);
      const Sums one = oracle::direct_type3<R>(sign, axes_of(c.points), vector, axes_of(c.targets));
      c.expected.insert(c.expected.end(), one.begin(), one.end());
    }
    return c;
  }

  using Axes = std::array<const R*, 3>;
  using Call = int (*)(const Case&, const Axes& points, const Axes& targets, typename Peer::Complex* strengths,
                       typename Peer::Complex* values);

  static void expect_right(const Case& c, Call call) {
    std::vector<PlacedArray<R>> placed;
    for (const auto& axis : c.points.axis) placed.push_back(place(axis));
    for (const auto& axis : c.targets.axis) placed.push_back(place(axis));
    Axes points{}, targets{};
    for (int a = 0; a < c.dim; ++a) {
      points[a] = placed[a].data();
      targets[a] = placed[c.dim + a].data();
    }
    auto in = place(c.in), out = place(Values(c.outputs(), {7, 7}));
    auto& strengths = c.type == 2 ? out : in;
    auto& values = c.type == 2 ? in : out;
    ASSERT_EQ(call(c, points, targets, data(strengths), data(values)), 0);
    EXPECT_LE(relative_error(out.values(), c.expected), tolerance)
        << "type " << c.type << ", dim " << c.dim << ", sign " << c.sign << ", " << c.transforms << " transforms";
  }

  static int by_plan(const Case& c, const Axes& x, const Axes& s, typename Peer::Complex* strengths,
                     typename Peer::Complex* values) {
    typename Peer::Plan plan = nullptr;
    int code = Peer::makeplan(c.type, c.dim, c.modes.data(), c.sign, c.transforms, tolerance, &plan, nullptr);
    if (code == 0) code = Peer::setpts(plan, count, x[0], x[1], x[2], target_count, s[0], s[1], s[2]);
    if (code == 0) code = Peer::execute(plan, strengths, values);
    if (code == 0) return Peer::destroy(plan);
    Peer::destroy(plan);
    return code;
  }

  static int by_one_call(const Case& c, const Axes& x, const Axes& s, typename Peer::Complex* in,
                         typename Peer::Complex* out) {
    const auto& n = c.modes;
    const R eps = tolerance;
    switch (10 * c.dim + c.type) {
      case 11:
        return Peer::call1d1(count, x[0], in, c.sign, eps, n[0], out, nullptr);
      case 12:
        return Peer::call1d2(count, x[0], in, c.sign, eps, n[0], out, nullptr);
      case 13:
        return Peer::call1d3(count, x[0], in, c.sign, eps, target_count, s[0], out, nullptr);
      case 21:
        return Peer::call2d1(count, x[0], x[1], in, c.sign, eps, n[0], n[1], out, nullptr);
      case 22:
        return Peer::call2d2(count, x[0], x[1], in, c.sign, eps, n[0], n[1], out, nullptr);
      case 23:
        return Peer::call2d3(count, x[0], x[1], in, c.sign, eps, target_count, s[0], s[1], out, nullptr);
      case 31:
        return Peer::call3d1(count, x[0], x[1], x[2], in, c.sign, eps, n[0], n[1], n[2], out, nullptr);
      case 32:
        return Peer::call3d2(count, x[0], x[1], x[2], in, c.sign, eps, n[0], n[1], n[2], out, nullptr);
      default:
        return Peer::call3d3(count, x[0], x[1], x[2], in, c.sign, eps, target_count, s[0], s[1], s[2], out, nullptr);
    }
  }

  static int by_one_call_for_many(const Case& c, const Axes& x, const Axes& s, typename Peer::Complex* in,
                                  typename Peer::Complex* out) {
    const auto& n = c.modes;
    const R eps = tolerance;
    const int v = c.transforms;
    switch (10 * c.dim + c.type) {
      case 11:
        return Peer::call1d1many(v, count, x[0], in, c.sign, eps, n[0], out, nullptr);
      case 12:
        return Peer::call1d2many(v, count, x[0], in, c.sign, eps, n[0], out, nullptr);
      case 13:
        return Peer::call1d3many(v, count, x[0], in, c.sign, eps, target_count, s[0], out, nullptr);
      case 21:
        return Peer::call2d1many(v, count, x[0], x[1], in, c.sign, eps, n[0], n[1], out, nullptr);
      case 22:
        return Peer::call2d2many(v, count, x[0], x[1], in, c.sign, eps, n[0], n[1], out, nullptr);
      case 23:
        return Peer::call2d3many(v, count, x[0], x[1], in, c.sign, eps, target_count, s[0], s[1], out, nullptr);
      case 31:
        return Peer::call3d1many(v, count, x[0], x[1], x[2], in, c.sign, eps, n[0], n[1], n[2], out, nullptr);
      case 32:
        return Peer::call3d2many(v, count, x[0], x[1], x[2], in, c.sign, eps, n[0], n[1], n[2], out, nullptr);
      default:
        return Peer::call3d3many(v, count, x[0], x[1], x[2], in, c.sign, eps, target_count, s[0], s[1], s[2], out,
                                 nullptr);
    }
  }

  static void for_every_kind(int transforms, Call call) {
    for (const int type : {1, 2, 3})
      for (const int dim : {1, 2, 3})
        for (const int sign : {1, -1}) expect_right(make_case(type, dim, sign, transforms), call);
  }
};

using Peers = testing::Types<Finufft, Finufftf, Cufinufft, Cufinufftf>;
TYPED_TEST_SUITE(Transforms, Peers);

TYPED_TEST(Transforms, by_plan) { TestFixture::for_every_kind(1, TestFixture::by_plan); }
TYPED_TEST(Transforms, many_by_plan) { TestFixture::for_every_kind(3, TestFixture::by_plan); }
TYPED_TEST(Transforms, by_one_call) { TestFixture::for_every_kind(1, TestFixture::by_one_call); }
TYPED_TEST(Transforms, many_by_one_call) { TestFixture::for_every_kind(2, TestFixture::by_one_call_for_many); }

TEST(Finufft, adjoint_is_the_other_type_with_the_other_sign) {
  const auto points = uniform_points<double>(2, count);
  const Sizes modes{12, 11};
  auto values = random_values<double>(product(modes), 2);
  std::vector<std::complex<double>> strengths(count);
  finufft_plan plan = nullptr;
  ASSERT_EQ(finufft_makeplan(1, 2, modes.data(), 1, 1, 1e-9, &plan, nullptr), 0);
  ASSERT_EQ(
      finufft_setpts(plan, count, points.axis[0].data(), points.axis[1].data(), nullptr, 0, nullptr, nullptr, nullptr),
      0);
  ASSERT_EQ(finufft_execute_adjoint(plan, strengths.data(), values.data()), 0);
  EXPECT_LE(relative_error(strengths, direct_sum<double>(To::points, {modes, -1}, points, values)), 1e-9);
  EXPECT_EQ(finufft_destroy(plan), 0);
}

TEST(Finufft, modeord_1_alone_is_the_order_of_an_fft) {
  const auto points = uniform_points<double>(1, count);
  const auto strengths = random_values<double>(count, 2);
  std::vector<std::complex<double>> modes(16);
  finufft_opts opts;
  finufft_default_opts(&opts);
  for (const int modeord : {0, 1, 2, -1}) {
    opts.modeord = modeord;
    ASSERT_EQ(finufft1d1(count, points.axis[0].data(), strengths.data(), 1, 1e-9, 16, modes.data(), &opts), 0);
    const auto wanted = direct_sum<double>(To::modes, {{16}, 1, 1, modeord == 1}, points, strengths);
    EXPECT_LE(relative_error(modes, wanted), 1e-9) << "modeord " << modeord;
  }
}

// x = -pi is at cell 0, and x = 0 at n / 2, in both directions.
TYPED_TEST(Transforms, spreadinterponly_puts_x_equal_minus_pi_at_cell_0) {
  using Real = typename TypeParam::Real;
  constexpr Real eps = TestFixture::tolerance;
  constexpr int cell_count = 32;
  const auto opts = TestFixture::spreading_opts();
  for (const auto& [at, cell] : {std::pair{-3.141592653589793, 0}, {0.0, 16}, {3.141592653589793 / 2, 24}}) {
    auto x = TestFixture::place(std::vector<Real>{Real(at)});
    auto one = TestFixture::place(std::vector<std::complex<Real>>{1});
    auto cells = TestFixture::place(std::vector<std::complex<Real>>(cell_count));
    ASSERT_EQ(
        TypeParam::call1d1(1, x.data(), TestFixture::data(one), 1, eps, cell_count, TestFixture::data(cells), &opts),
        0);
    const auto& spread = cells.values();
    const auto largest =
        std::max_element(spread.begin(), spread.end(), [](auto a, auto b) { return a.real() < b.real(); });
    EXPECT_EQ(largest - spread.begin(), cell);
    EXPECT_NEAR(largest->real(), 1, eps);

    std::vector<std::complex<Real>> peak(cell_count);
    peak[cell] = 1;
    auto from = TestFixture::place(peak);
    ASSERT_EQ(
        TypeParam::call1d2(1, x.data(), TestFixture::data(one), 1, eps, cell_count, TestFixture::data(from), &opts), 0);
    EXPECT_NEAR(one.values()[0].real(), largest->real(), eps) << "interpolation at cell " << cell;
  }
}

TEST(Finufft, nothing_in_is_zeros_out) {
  std::vector<std::complex<double>> modes(8, {5, 5}), strengths(3, {5, 5});
  const double x[] = {0.1, 0.2, 0.3}, s[] = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(finufft1d1(0, nullptr, nullptr, 1, 1e-6, 8, modes.data(), nullptr), 0);
  EXPECT_EQ(std::count(modes.begin(), modes.end(), std::complex<double>(0)), 8);
  std::fill(modes.begin(), modes.end(), std::complex<double>(5));
  EXPECT_EQ(finufft1d3(0, nullptr, nullptr, 1, 1e-6, 8, s, modes.data(), nullptr), 0);
  EXPECT_EQ(std::count(modes.begin(), modes.end(), std::complex<double>(0)), 8);
  EXPECT_EQ(finufft1d2(3, x, strengths.data(), 1, 1e-6, 0, nullptr, nullptr), 0);
  EXPECT_EQ(std::count(strengths.begin(), strengths.end(), std::complex<double>(0)), 3);
  EXPECT_EQ(finufft1d1(3, x, strengths.data(), 1, 1e-6, 0, nullptr, nullptr), 0);
  EXPECT_EQ(finufft1d2(0, nullptr, nullptr, 1, 1e-6, 8, modes.data(), nullptr), 0);
}

}  // namespace
