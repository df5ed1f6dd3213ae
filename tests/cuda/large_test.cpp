// Sizes beyond 32 bits. They need most of a large GPU, so they run only where OFFGRID_LARGE_TESTS is set.
#include "gpu_test.hpp"

namespace {

using namespace support;

class LargeTest : public GpuTest {
 protected:
  void SetUp() override {
    if (std::getenv("OFFGRID_LARGE_TESTS") == nullptr) GTEST_SKIP() << "OFFGRID_LARGE_TESTS is not set";
    GpuTest::SetUp();
  }
};

// One piece again and again along a long array on the GPU.
template <class V> std::shared_ptr<void> repeated(const std::vector<V>& piece, std::int64_t copies) {
  void* memory = nullptr;
  const std::size_t bytes = piece.size() * sizeof(V);
  check_gpu(cudaMalloc(&memory, bytes * static_cast<std::size_t>(copies)));
  std::shared_ptr<void> owner(memory, [](void* old) { (void)cudaFree(old); });
  for (std::int64_t copy = 0; copy < copies; ++copy)
    check_gpu(cudaMemcpy(static_cast<char*>(memory) + static_cast<std::size_t>(copy) * bytes, piece.data(), bytes,
                         cudaMemcpyHostToDevice));
  return owner;
}

// 3e9 points: the same million 3000 times, so that the modes are 3000 times those of the million.
TEST_F(LargeTest, three_thousand_million_points) {
  const std::int64_t piece = 1'000'000, copies = 3000;
  const Spec spec{.modes = {200, 200}, .tolerance = 1e-3, .options = {.points_hint = piece * copies}};
  const auto points = uniform_points<float>(2, piece);
  const auto strengths = random_values<float>(piece, 4);
  auto plan = offgrid::make_plan(problem_of<float>(spec), spec.options, where().backend);
  std::vector<std::complex<float>> zero(40000);
  DeviceArray<std::complex<float>> modes(where(), zero);
  const auto c = repeated(strengths, copies);
  {
    const auto x = repeated(points.axis[0], copies), y = repeated(points.axis[1], copies);
    plan->set_points(piece * copies, {x.get(), y.get(), nullptr}, nullptr);
  }
  plan->execute(c.get(), modes.data(), nullptr);
  Transform<float> one(where(), {.modes = {200, 200}, .tolerance = 1e-5});
  one.set_points(points);
  auto expected = one.execute(strengths);
  for (auto& value : expected) value *= static_cast<float>(copies);
  EXPECT_LE(relative_error(modes.host(), expected), 1e-3);
}

// So many that set_points spares memory: the peak is what the plan holds.
TEST_F(LargeTest, many_points_are_sorted_in_place) {
  const std::int64_t piece = 1'000'000, copies = 100;
  const Spec spec{.modes = {60, 61, 62}, .tolerance = 1e-4, .options = {.points_hint = piece * copies}};
  const auto points = uniform_points<float>(3, piece);
  const auto strengths = random_values<float>(piece, 4);
  auto plan = offgrid::make_plan(problem_of<float>(spec), spec.options, where().backend);
  DeviceArray<std::complex<float>> modes(where(), std::vector<std::complex<float>>(60 * 61 * 62));
  const auto c = repeated(strengths, copies);
  {
    const auto x = repeated(points.axis[0], copies), y = repeated(points.axis[1], copies),
               z = repeated(points.axis[2], copies);
    plan->set_points(piece * copies, {x.get(), y.get(), z.get()}, nullptr);
  }
  EXPECT_LE(plan->get("peak_bytes"), 1.02 * plan->get("memory_bytes"));
  EXPECT_LE(plan->get("memory_bytes"), 20.0 * static_cast<double>(piece * copies));
  plan->execute(c.get(), modes.data(), nullptr);
  Transform<float> one(where(), {.modes = spec.modes, .tolerance = 1e-6});
  one.set_points(points);
  auto expected = one.execute(strengths);
  for (auto& value : expected) value *= static_cast<float>(copies);
  EXPECT_LE(relative_error(modes.host(), expected), spec.tolerance);
}

// 2^26 points are sorted together, and what remains after them may be a single one.
TEST_F(LargeTest, a_part_of_one_point) {
  const std::int64_t piece = 1'000'000, copies = 68, count = (std::int64_t{1} << 26) + 1, whole = count / piece;
  const Spec spec{.modes = {20, 21, 22}, .tolerance = 1e-4, .options = {.points_hint = count}};
  const auto points = uniform_points<float>(3, piece);
  const auto strengths = random_values<float>(piece, 4);
  auto plan = offgrid::make_plan(problem_of<float>(spec), spec.options, where().backend);
  DeviceArray<std::complex<float>> modes(where(), std::vector<std::complex<float>>(20 * 21 * 22));
  const auto c = repeated(strengths, copies), x = repeated(points.axis[0], copies),
             y = repeated(points.axis[1], copies), z = repeated(points.axis[2], copies);
  plan->set_points(count, {x.get(), y.get(), z.get()}, nullptr);
  plan->execute(c.get(), modes.data(), nullptr);
  auto rest = points;
  for (auto& axis : rest.axis) axis.resize(static_cast<std::size_t>(count - whole * piece));
  Transform<float> one(where(), {.modes = spec.modes, .tolerance = 1e-6});
  one.set_points(points);
  auto expected = one.execute(strengths);
  one.set_points(rest);
  const auto more =
      one.execute(std::vector<std::complex<float>>(strengths.begin(), strengths.begin() + (count - whole * piece)));
  for (std::size_t i = 0; i < more.size(); ++i) expected[i] = static_cast<float>(whole) * expected[i] + more[i];
  EXPECT_LE(relative_error(modes.host(), expected), spec.tolerance);
}

// A grid of more than 2^31 cells: two points, whose modes are a plane wave each.
TEST_F(LargeTest, more_cells_than_31_bits) {
  const std::int64_t n = 42000;
  const Spec spec{.type = 2, .modes = {n, n}, .tolerance = 1e-3, .options = {.upsampling = 1.25}};
  auto plan = offgrid::make_plan(problem_of<float>(spec), spec.options, where().backend);
  ASSERT_GT(plan->get("grid1") * plan->get("grid2"), 2147483648.0);
  std::shared_ptr<void> modes;
  {
    void* memory = nullptr;
    check_gpu(cudaMalloc(&memory, static_cast<std::size_t>(n * n) * 8));
    modes = std::shared_ptr<void>(memory, [](void* old) { (void)cudaFree(old); });
    check_gpu(cudaMemset(memory, 0, static_cast<std::size_t>(n * n) * 8));
  }
  const std::int64_t kx = -n / 2 + 7, ky = n / 3;  // one mode far from the middle
  const std::complex<float> one = 1;
  const std::int64_t place = (ky + n / 2) * n + kx + n / 2;
  check_gpu(cudaMemcpy(static_cast<char*>(modes.get()) + 8 * place, &one, 8, cudaMemcpyHostToDevice));
  const auto points = uniform_points<float>(2, 5000);
  DeviceArray<float> x(where(), points.axis[0]), y(where(), points.axis[1]);
  DeviceArray<std::complex<float>> out(where(), std::vector<std::complex<float>>(5000));
  plan->set_points(5000, {x.data(), y.data(), nullptr}, nullptr);
  plan->execute(out.data(), modes.get(), nullptr);
  const auto got = out.host();
  double worst = 0;
  for (std::size_t j = 0; j < got.size(); ++j) {
    const double phase = static_cast<double>(kx) * points.axis[0][j] + static_cast<double>(ky) * points.axis[1][j];
    worst = std::max(worst, std::abs(std::complex<double>(got[j]) - std::polar(1.0, phase)));
  }
  EXPECT_LE(worst, 2e-2);  // a single mode at the edge: see docs/accuracy.md
}

}  // namespace
