// The plan that C and C++ make by default, device = auto: it begins on the CPU, runs where the points lie, and moves when
// they are set on the other side. Arrays of the other side are refused, and a refused call changes nothing.
#ifdef OFFGRID_HAS_CUDA

#include <span>

#include "c_calls.hpp"
#include "gpu_memory.hpp"
#include "offgrid/offgrid.hpp"

namespace {

using namespace support;

template <class T> using Complexes = std::vector<std::complex<T>>;

class AutoPlan : public testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    const cudaError_t found = cudaGetDeviceCount(&count);
    if (found != cudaSuccess || count == 0) GTEST_SKIP() << "no GPU: " << cudaGetErrorString(found);
    const std::string devices = offgrid_devices();
    if (devices.find("not used: ") != std::string::npos) GTEST_SKIP() << "this build has no code for the GPU";
  }
};

// The coordinates of points on one side.
template <class T> class PlacedPoints {
 public:
  PlacedPoints(Side side, const PointSet<T>& points) {
    for (const auto& axis : points.axis) axes_.emplace_back(side, axis);
  }
  [[nodiscard]] const T* axis(std::size_t a) { return a < axes_.size() ? axes_[a].data() : nullptr; }
  [[nodiscard]] std::span<const T> span(std::size_t a) { return {axes_[a].data(), axes_[a].size()}; }

 private:
  std::vector<PlacedArray<T>> axes_;
};

template <class T>
offgrid_status set_points_on(Side side, offgrid_plan plan, const PointSet<T>& points, cudaStream_t stream = nullptr) {
  PlacedPoints<T> placed(side, points);
  const offgrid_status status =
      offgrid_set_points(plan, points.count(), placed.axis(0), placed.axis(1), placed.axis(2), stream);
  check_gpu(cudaStreamSynchronize(stream));  // the arrays go now
  return status;
}

void expect_engine(offgrid_plan plan, Side side) {
  const std::string words = offgrid_plan_describe(plan);
  EXPECT_NE(words.find(side == Side::gpu ? "engine       cuda" : "engine       cpu"), std::string::npos) << words;
}

// Both ways with arrays of this side: from strengths to modes and back, whatever the type is.
template <class T>
void expect_right(Side side, offgrid_plan plan, const Arguments& arguments, const PointSet<T>& points,
                  cudaStream_t stream = nullptr) {
  expect_engine(plan, side);
  const std::complex<T> nothing(std::numeric_limits<T>::quiet_NaN());
  const Complexes<T> strengths = random_values<T>(points.count(), 4);
  const Complexes<T> coefficients = random_values<T>(product(arguments.modes), 5);
  PlacedArray<std::complex<T>> c(side, strengths), f(side, Complexes<T>(coefficients.size(), nothing));
  PlacedArray<std::complex<T>> g(side, coefficients), v(side, Complexes<T>(strengths.size(), nothing));
  const auto to_modes = arguments.type == 1 ? offgrid_execute : offgrid_execute_adjoint;
  const auto to_points = arguments.type == 1 ? offgrid_execute_adjoint : offgrid_execute;
  ASSERT_EQ(to_modes(plan, c.data(), f.data(), stream), OFFGRID_OK) << offgrid_last_error();
  ASSERT_EQ(to_points(plan, v.data(), g.data(), stream), OFFGRID_OK) << offgrid_last_error();
  const Sums modes = direct_sum<T>(To::modes, {arguments.modes, -1}, points, strengths);
  const Sums values = direct_sum<T>(To::points, {arguments.modes, +1}, points, coefficients);
  EXPECT_LE(relative_error(f.values(), modes), arguments.tolerance);
  EXPECT_LE(relative_error(v.values(), values), arguments.tolerance);
}

template <class T> Arguments arguments_of(int type, const Sizes& modes) {
  return {type, static_cast<int>(modes.size()), modes, sizeof(T) == 4 ? 1e-4 : 1e-9, c_precision<T>};
}

template <class T> void expect_to_follow_the_points() {
  for (const int type : {1, 2})
    for (const Sizes& modes : std::vector<Sizes>{{70}, {2100}, {12, 13}, {6, 7, 8}}) {
      const Arguments arguments = arguments_of<T>(type, modes);
      const auto plan = make_plan(arguments);
      std::int64_t count = 50;
      for (const Side side : {Side::gpu, Side::gpu, Side::host, Side::gpu, Side::host, Side::host}) {
        const auto points = uniform_points<T>(arguments.dim, count, static_cast<unsigned>(count));
        ASSERT_EQ(set_points_on(side, plan.get(), points), OFFGRID_OK) << offgrid_last_error();
        expect_right(side, plan.get(), arguments, points);
        count += 17;
      }
    }
}

TEST_F(AutoPlan, follows_its_points_to_the_gpu_and_back_in_f32) { expect_to_follow_the_points<float>(); }
TEST_F(AutoPlan, follows_its_points_to_the_gpu_and_back_in_f64) { expect_to_follow_the_points<double>(); }

TEST_F(AutoPlan, arrays_of_the_other_side_are_refused) {
  const Arguments arguments = arguments_of<double>(1, {12, 13});
  const auto points = uniform_points<double>(2, 40);
  PlacedArray<std::complex<double>> c(Side::host, Complexes<double>(40)), gpu_c(Side::gpu, Complexes<double>(40));
  PlacedArray<std::complex<double>> f(Side::host, Complexes<double>(156)), gpu_f(Side::gpu, Complexes<double>(156));
  const auto plan = make_plan(arguments);
  ASSERT_EQ(set_points_on(Side::host, plan.get(), points), OFFGRID_OK);
  expect_invalid(offgrid_execute(plan.get(), gpu_c.data(), f.data(), nullptr), {"strengths", "GPU memory"});
  expect_invalid(offgrid_execute(plan.get(), c.data(), gpu_f.data(), nullptr), {"modes", "GPU memory"});
  expect_invalid(offgrid_execute_adjoint(plan.get(), gpu_c.data(), gpu_f.data(), nullptr), {"strengths"});
  expect_right(Side::host, plan.get(), arguments, points);
  ASSERT_EQ(set_points_on(Side::gpu, plan.get(), points), OFFGRID_OK);
  expect_invalid(offgrid_execute(plan.get(), c.data(), gpu_f.data(), nullptr), {"strengths", "host memory"});
  expect_invalid(offgrid_execute(plan.get(), gpu_c.data(), f.data(), nullptr), {"modes", "host memory"});
  expect_invalid(offgrid_execute_adjoint(plan.get(), c.data(), f.data(), nullptr), {"strengths"});
  expect_right(Side::gpu, plan.get(), arguments, points);
}

// The axes of one set of points lie together, and what they are refused for leaves the plan and its points in place.
TEST_F(AutoPlan, a_refused_set_points_leaves_the_plan_where_it_was) {
  const Arguments arguments = arguments_of<double>(1, {12, 13});
  const auto points = uniform_points<double>(2, 40), others = uniform_points<double>(2, 60, 9);
  auto bad = others;
  bad.axis[1][33] = std::numeric_limits<double>::quiet_NaN();
  PlacedPoints<double> here(Side::host, others), there(Side::gpu, others);
  const auto plan = make_plan(arguments);
  for (const Side side : {Side::host, Side::gpu, Side::host}) {
    ASSERT_EQ(set_points_on(side, plan.get(), points), OFFGRID_OK);
    for (const Side other : {Side::host, Side::gpu})
      expect_invalid(set_points_on(other, plan.get(), bad), {"points", "finite"});
    expect_right(side, plan.get(), arguments, points);
    expect_invalid(offgrid_set_points(plan.get(), 60, here.axis(0), there.axis(1), nullptr, nullptr), {"points y"});
    expect_invalid(offgrid_set_points(plan.get(), 60, there.axis(0), here.axis(1), nullptr, nullptr), {"points y"});
    expect_invalid(offgrid_set_points(plan.get(), 60, there.axis(0), nullptr, nullptr, nullptr), {"points y"});
    expect_invalid(offgrid_set_points(plan.get(), -1, there.axis(0), there.axis(1), nullptr, nullptr), {"count"});
    expect_right(side, plan.get(), arguments, points);
    double count = 0;
    EXPECT_EQ(offgrid_plan_get(plan.get(), "points", &count), OFFGRID_OK);
    EXPECT_EQ(count, 40);
  }
}

TEST_F(AutoPlan, no_points_leave_it_on_its_side_and_give_zeros) {
  const auto plan = make_plan(arguments_of<double>(1, {12, 13}));
  for (const Side side : {Side::host, Side::gpu, Side::host}) {
    ASSERT_EQ(set_points_on(side, plan.get(), uniform_points<double>(2, 40)), OFFGRID_OK);
    ASSERT_EQ(offgrid_set_points(plan.get(), 0, nullptr, nullptr, nullptr, nullptr), OFFGRID_OK);
    expect_engine(plan.get(), side);
    PlacedArray<std::complex<double>> modes(side, random_values<double>(156, 1));
    ASSERT_EQ(offgrid_execute(plan.get(), nullptr, modes.data(), nullptr), OFFGRID_OK) << offgrid_last_error();
    EXPECT_EQ(modes.values(), Complexes<double>(156));
  }
}

// The workspace belongs to the plan on the GPU: on the CPU there is none, and after a move it is the plan's own again.
TEST_F(AutoPlan, takes_a_workspace_on_the_gpu_only) {
  const Arguments arguments = arguments_of<double>(1, {2100, 5});
  const auto points = uniform_points<double>(2, 60);
  const auto plan = make_plan(arguments);
  std::vector<char> here(1 << 20);
  EXPECT_EQ(offgrid_set_workspace(plan.get(), here.data(), here.size()),
            OFFGRID_WRONG_STATE);  // no points, no grid yet
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(set_points_on(Side::gpu, plan.get(), points), OFFGRID_OK);
    double bytes = 0;
    ASSERT_EQ(offgrid_plan_get(plan.get(), "workspace_bytes", &bytes), OFFGRID_OK);
    const auto size = static_cast<std::size_t>(bytes);
    {
      PlacedArray<char> memory(Side::gpu, std::vector<char>(size, '\x7f'));
      expect_invalid(offgrid_set_workspace(plan.get(), here.data(), here.size()), {"workspace"});
      expect_invalid(offgrid_set_workspace(plan.get(), memory.data(), size - 1), {"workspace"});
      ASSERT_EQ(offgrid_set_workspace(plan.get(), memory.data(), size), OFFGRID_OK) << offgrid_last_error();
      expect_right(Side::gpu, plan.get(), arguments, points);
      ASSERT_EQ(set_points_on(Side::gpu, plan.get(), points), OFFGRID_OK);  // without a move
      expect_right(Side::gpu, plan.get(), arguments, points);
      expect_invalid(offgrid_set_workspace(plan.get(), here.data(), here.size()), {"workspace"});
      ASSERT_EQ(set_points_on(Side::host, plan.get(), points), OFFGRID_OK);
      expect_right(Side::host, plan.get(), arguments, points);
    }
    ASSERT_EQ(set_points_on(Side::gpu, plan.get(), points), OFFGRID_OK);  // the memory is gone
    expect_right(Side::gpu, plan.get(), arguments, points);
  }
}

TEST_F(AutoPlan, works_on_the_callers_stream) {
  const Arguments arguments = arguments_of<float>(2, {40, 41});
  cudaStream_t stream = nullptr;
  check_gpu(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    const auto plan = make_plan(arguments);
    for (const Side side : {Side::gpu, Side::host, Side::gpu}) {  // on the CPU the stream says nothing
      const auto points = uniform_points<float>(2, 300);
      ASSERT_EQ(set_points_on(side, plan.get(), points, stream), OFFGRID_OK) << offgrid_last_error();
      for (int round = 0; round < 3; ++round) expect_right(side, plan.get(), arguments, points, stream);
      expect_right(side, plan.get(), arguments, points);  // and on another one
    }
  }
  check_gpu(cudaStreamDestroy(stream));
}

TEST_F(AutoPlan, the_one_call_runs_where_its_points_lie) {
  const Sizes modes{12, 13};
  const auto points = uniform_points<double>(2, 40);
  const auto strengths = random_values<double>(40, 1);
  for (const Side side : {Side::host, Side::gpu}) {
    PlacedPoints<double> placed(side, points);
    const void* axes[] = {placed.axis(0), placed.axis(1)};
    PlacedArray<std::complex<double>> c(side, strengths), f(side, Complexes<double>(156));
    ASSERT_EQ(offgrid_transform(1, 2, modes.data(), 1e-9, OFFGRID_F64, nullptr, 40, axes, c.data(), f.data()),
              OFFGRID_OK)
        << offgrid_last_error();
    EXPECT_LE(relative_error(f.values(), direct_sum<double>(To::modes, {modes, -1}, points, strengths)), 1e-9);
    PlacedArray<std::complex<double>> other(side == Side::gpu ? Side::host : Side::gpu, Complexes<double>(156));
    expect_invalid(offgrid_transform(1, 2, modes.data(), 1e-9, OFFGRID_F64, nullptr, 40, axes, c.data(), other.data()),
                   {"modes"});
  }
}

// The C++ interface by spans of memory that it never reads.
TEST_F(AutoPlan, the_facade_follows_its_points_too) {
  const auto points = uniform_points<float>(2, 40);
  const auto strengths = random_values<float>(40, 1), coefficients = random_values<float>(156, 2);
  const Sums modes = direct_sum<float>(To::modes, {{12, 13}, -1}, points, strengths);
  const Sums values = direct_sum<float>(To::points, {{12, 13}, +1}, points, coefficients);
  offgrid::Plan<float> plan({.type = 1, .modes = {12, 13}, .tolerance = 1e-4});
  for (const Side side : {Side::host, Side::gpu, Side::host, Side::gpu}) {
    PlacedPoints<float> placed(side, points);
    plan.set_points({placed.span(0), placed.span(1)});
    expect_engine(plan.handle(), side);
    const auto place = [side](const Complexes<float>& array) { return PlacedArray<std::complex<float>>(side, array); };
    auto c = place(strengths), f = place(Complexes<float>(156)), g = place(coefficients),
         v = place(Complexes<float>(40));
    plan.execute({c.data(), c.size()}, {f.data(), f.size()});
    plan.adjoint({g.data(), g.size()}, {v.data(), v.size()});
    EXPECT_LE(relative_error(f.values(), modes), 1e-4);
    EXPECT_LE(relative_error(v.values(), values), 1e-4);
    PlacedArray<std::complex<float>> wrong(side == Side::gpu ? Side::host : Side::gpu, strengths);
    EXPECT_THROW(plan.execute({wrong.data(), wrong.size()}, {f.data(), f.size()}), offgrid::Error);
  }
}

// device = cpu and device = cuda do not move: they refuse the points.
TEST_F(AutoPlan, a_plan_with_a_device_stays_there) {
  const Arguments arguments = arguments_of<double>(1, {12, 13});
  const auto points = uniform_points<double>(2, 40);
  for (const Side side : {Side::host, Side::gpu}) {
    const auto options = make_options();
    ASSERT_EQ(offgrid_options_set_text(options.get(), "device", side == Side::gpu ? "cuda" : "cpu"), OFFGRID_OK);
    const auto plan = make_plan(arguments, options.get());
    expect_invalid(set_points_on(side == Side::gpu ? Side::host : Side::gpu, plan.get(), points), {"points x"});
    ASSERT_EQ(set_points_on(side, plan.get(), points), OFFGRID_OK) << offgrid_last_error();
    expect_right(side, plan.get(), arguments, points);
  }
}

}  // namespace

#endif
