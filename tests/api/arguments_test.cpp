// The argument contract of the C interface: what bad input gets, that the message names the argument, its value and what
// was expected, that the handle is null after a refusal, and that a refused call changes nothing.
#include <sys/mman.h>

#include <cmath>
#include <functional>
#include <limits>

#include "allocations.hpp"
#include "c_calls.hpp"
#include "sanitizers.hpp"

namespace {

using namespace support;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Creation is refused, the out-pointer was set to null.
void expect_no_plan(const Arguments& arguments, std::initializer_list<const char*> parts,
                    offgrid_options options = nullptr) {
  int dummy = 0;
  auto plan = reinterpret_cast<offgrid_plan>(&dummy);
  expect_invalid(create(&plan, arguments, options), parts);
  EXPECT_EQ(plan, nullptr);
}

TEST(CreateArguments, type_and_dimension) {
  for (const int type : {0, -1, 4, std::numeric_limits<int>::max()})
    expect_no_plan({.type = type}, {"type", std::to_string(type).c_str(), "expected"});
  for (const int dim : {0, -1, 4, std::numeric_limits<int>::max()})
    expect_no_plan({.dim = dim}, {"dim", std::to_string(dim).c_str(), "expected"});
}

TEST(CreateArguments, null_pointers) {
  expect_no_plan({.modes = {}}, {"modes", "null"});
  const std::int64_t modes[] = {4};
  expect_invalid(offgrid_plan_create(nullptr, 1, 1, modes, 1e-6, OFFGRID_F64, nullptr), {"plan", "null"});
}

TEST(CreateArguments, negative_and_overflowing_sizes) {
  expect_no_plan({.modes = {4, -3}}, {"modes[1]", "-3", "expected"});
  expect_no_plan({.modes = {std::numeric_limits<std::int64_t>::min(), 1}}, {"modes[0]", "expected"});
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max(), root = std::int64_t{1} << 32;
  expect_no_plan({.dim = 1, .modes = {huge}}, {"modes", "too large"});
  expect_no_plan({.modes = {root, root}}, {"modes", "too large"});
  expect_no_plan({.dim = 3, .modes = {1 << 22, 1 << 21, 1 << 21}}, {"modes", "too large"});
}

TEST(CreateArguments, overflowing_number_of_transforms) {
  const auto options = make_options({{"transforms", 0x1p40}});
  expect_no_plan({.modes = {1 << 12, 1 << 12}}, {"transforms", "too large"}, options.get());
}

TEST(CreateArguments, tolerance) {
  for (const double bad : {0.0, -1.0, -infinity, std::nan("")})
    expect_no_plan({.tolerance = bad}, {"tolerance", "expected"});
}

TEST(CreateArguments, precision) {
  if (under_asan) GTEST_SKIP() << "C may pass any number, in C++ it is undefined and reported";
  for (const int bad : {-1, 2, 64})
    expect_no_plan({.precision = static_cast<offgrid_precision>(bad)}, {"precision", std::to_string(bad).c_str()});
}

TEST(CreateArguments, strict_refuses_a_tolerance_out_of_reach) {
  const auto options = make_options({{"strict", 1}});
  expect_no_plan({.tolerance = 1e-20}, {"tolerance", "1e-20"}, options.get());
  expect_no_plan({.tolerance = 1e-10, .precision = OFFGRID_F32}, {"tolerance", "1e-10"}, options.get());
}

TEST(CreateArguments, device_that_is_not_there) {
  if (std::string(offgrid_devices()).find("cuda") != std::string::npos) GTEST_SKIP() << "this build has CUDA";
  const auto options = make_options();
  ASSERT_EQ(offgrid_options_set_text(options.get(), "device", "cuda"), OFFGRID_OK);
  offgrid_plan plan = nullptr;
  expect_refused(create(&plan, {}, options.get()), OFFGRID_DEVICE_ERROR, {"cuda"});
  EXPECT_EQ(plan, nullptr);
}

// Countable, but more than any machine has. Where memory is overcommitted such an allocation would succeed, and the
// process be killed when it writes there: it must not even be tried.
void expect_no_memory(const std::function<offgrid_status()>& call, std::initializer_list<const char*> words) {
  allocations::forget_largest();
  EXPECT_EQ(call(), OFFGRID_OUT_OF_MEMORY) << offgrid_last_error();
  EXPECT_LE(allocations::largest(), std::size_t{64} << 20);
  const std::string message = offgrid_last_error();
  for (const char* word : words) EXPECT_NE(message.find(word), std::string::npos) << message;
  EXPECT_NE(message.find("iB of memory, "), std::string::npos) << message;
  EXPECT_EQ(message.substr(message.size() - 2), "iB") << message;  // what there is
}

TEST(CreateArguments, more_modes_than_memory) {
  const auto on_cpu = make_options({{"device", 1}});
  constexpr std::int64_t trillion = 1000000000000;
  for (const offgrid_precision precision : {OFFGRID_F32, OFFGRID_F64})
    for (const support::Sizes& modes : {support::Sizes{1 << 18, 1 << 18, 1 << 16}, support::Sizes{20000, 20000, 20000},
                                        support::Sizes{1000000, 1000000}, support::Sizes{2, trillion},
                                        support::Sizes{trillion}, support::Sizes{std::int64_t{1} << 42}})
      for (const int type : {1, 2}) {
        offgrid_plan raw = nullptr;
        const Arguments wanted{
            .type = type, .dim = static_cast<int>(modes.size()), .modes = modes, .precision = precision};
        expect_no_memory([&] { return create(&raw, wanted, on_cpu.get()); },
                         {"modes", std::to_string(modes[0]).c_str()});
        EXPECT_EQ(raw, nullptr);
      }
}

// Without a device the plan is made before it is known where it will run: then set_points refuses.
TEST(CreateArguments, more_modes_than_memory_on_any_device) {
  offgrid_plan raw = nullptr;
  const auto one_point = uniform_points<double>(2, 1);
  offgrid_status status = create(&raw, {.dim = 2, .modes = {1000000, 1000000}});
  const OwnedPlan plan(raw);
  if (status == OFFGRID_OK) status = set_points(raw, one_point);
  EXPECT_EQ(status, OFFGRID_OUT_OF_MEMORY) << offgrid_last_error();
}

TEST(CreateArguments, a_batch_of_more_vectors_than_memory) {
  const auto options = make_options({{"device", 1}, {"transforms", 1000000}, {"batch", 1000000}});
  offgrid_plan raw = nullptr;
  expect_no_memory([&] { return create(&raw, {.dim = 2, .modes = {2000, 2000}}, options.get()); }, {"1000000 vectors"});
  EXPECT_EQ(raw, nullptr);
}

// An array of zeros that takes no memory: all its pages are one.
class ManyZeros {
 public:
  explicit ManyZeros(std::size_t bytes)
      : bytes_(bytes), data_(::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ManyZeros(const ManyZeros&) = delete;
  ManyZeros& operator=(const ManyZeros&) = delete;
  ~ManyZeros() {
    if (data() != nullptr) ::munmap(data_, bytes_);
  }
  [[nodiscard]] const void* data() const { return data_ == MAP_FAILED ? nullptr : data_; }

 private:
  std::size_t bytes_;
  void* data_;
};

TEST(SetPoints, more_points_than_memory) {
  if (under_asan || under_tsan) GTEST_SKIP() << "sanitizers have their own ideas of the address space";
  constexpr std::int64_t count = 1000000000000;
  const ManyZeros zeros(count * sizeof(double));
  if (zeros.data() == nullptr) GTEST_SKIP() << "no room for 8 TB of addresses";
  for (const offgrid_precision precision : {OFFGRID_F32, OFFGRID_F64})
    for (const int dim : {1, 3}) {
      const auto plan = make_plan({.dim = dim, .modes = support::Sizes(dim, 8), .precision = precision});
      const void* x = zeros.data();
      expect_no_memory([&] { return offgrid_set_points(plan.get(), count, x, x, x, nullptr); },
                       {"points", "TiB of memory"});
    }
}

TEST(OptionArguments, bad_names_values_and_pointers) {
  const auto options = make_options();
  offgrid_options o = options.get();
  for (const double sigma : {1.0, 0.5, -2.0, 1000.5, infinity, std::nan("")})
    expect_invalid(offgrid_options_set(o, "upsampling", sigma), {"upsampling", "expected"});
  for (const double transforms : {0.0, -1.0, 1.5, infinity})
    expect_invalid(offgrid_options_set(o, "transforms", transforms), {"transforms", "expected"});
  expect_invalid(offgrid_options_set(o, "colour", 1), {"colour", "unknown", "upsampling"});
  expect_invalid(offgrid_options_set_text(o, "mode_order", "sideways"), {"mode_order", "sideways", "centred", "fft"});
  double value = 0;
  EXPECT_EQ(offgrid_options_set_text(o, "mode_order", "fft"), OFFGRID_OK);
  EXPECT_EQ(offgrid_options_get(o, "mode_order", &value), OFFGRID_OK);
  EXPECT_EQ(value, 1);
  expect_invalid(offgrid_options_get(o, "colour", &value), {"colour", "unknown"});
  expect_invalid(offgrid_options_get(o, "sign", nullptr), {"value", "null"});
  expect_invalid(offgrid_options_set(nullptr, "sign", 1), {"options", "null"});
  expect_invalid(offgrid_options_set(o, nullptr, 1), {"name", "null"});
  expect_invalid(offgrid_options_set_text(o, nullptr, "on"), {"name", "null"});
  expect_invalid(offgrid_options_set_text(o, "strict", nullptr), {"value", "null"});
  expect_invalid(offgrid_options_create(nullptr), {"options", "null"});
  EXPECT_TRUE(make_plan({}, o));  // still the defaults
}

class CallArguments : public testing::Test {
 protected:
  const Arguments arguments_{};
  const OwnedPlan plan_ = make_plan(arguments_);
  const PointSet<double> points_ = uniform_points<double>(2, 20);
  std::vector<std::complex<double>> strengths_ = random_values<double>(20, 1), modes_ = random_values<double>(30, 2);
};

// The same address, one byte further.
void* shifted(void* pointer) { return static_cast<char*>(pointer) + 1; }

TEST_F(CallArguments, bad_points_leave_the_earlier_ones) {
  ASSERT_EQ(set_points(plan_.get(), points_), OFFGRID_OK);
  const double* x = points_.axis[0].data();
  std::vector<double> bad(7, 1.0);
  expect_invalid(offgrid_set_points(plan_.get(), -1, x, x, nullptr, nullptr), {"points", "-1", "expected"});
  expect_invalid(offgrid_set_points(plan_.get(), std::numeric_limits<std::int64_t>::max(), x, x, nullptr, nullptr),
                 {"too large"});
  expect_invalid(offgrid_set_points(plan_.get(), 7, nullptr, x, nullptr, nullptr), {"x", "null", "7"});
  expect_invalid(offgrid_set_points(plan_.get(), 7, x, nullptr, nullptr, nullptr), {"y", "null", "7"});
  expect_invalid(offgrid_set_points(plan_.get(), 7, x, shifted(bad.data()), nullptr, nullptr), {"y", "aligned", "8"});
  for (const double value : {std::nan(""), infinity, -infinity}) {
    bad[3] = value;
    expect_invalid(offgrid_set_points(plan_.get(), 7, x, bad.data(), nullptr, nullptr), {"points", "finite"});
  }
  expect_invalid(offgrid_set_points(nullptr, 7, x, x, nullptr, nullptr), {"plan", "null"});
  expect_usable(plan_.get(), arguments_, points_);
}

TEST_F(CallArguments, executing_without_points_is_the_wrong_state) {
  for (const auto call : {offgrid_execute, offgrid_execute_adjoint})
    expect_refused(call(plan_.get(), strengths_.data(), modes_.data(), nullptr), OFFGRID_WRONG_STATE, {"set_points"});
  ASSERT_EQ(set_points(plan_.get(), points_), OFFGRID_OK);
  expect_usable(plan_.get(), arguments_, points_);
}

TEST_F(CallArguments, null_and_misaligned_arrays) {
  ASSERT_EQ(set_points(plan_.get(), points_), OFFGRID_OK);
  for (const auto call : {offgrid_execute, offgrid_execute_adjoint}) {
    expect_invalid(call(nullptr, strengths_.data(), modes_.data(), nullptr), {"plan", "null"});
    expect_invalid(call(plan_.get(), nullptr, modes_.data(), nullptr), {"strengths", "null", "20"});
    expect_invalid(call(plan_.get(), strengths_.data(), nullptr, nullptr), {"modes", "null", "30"});
    expect_invalid(call(plan_.get(), shifted(strengths_.data()), modes_.data(), nullptr), {"strengths", "aligned"});
    expect_invalid(call(plan_.get(), strengths_.data(), shifted(modes_.data()), nullptr), {"modes", "aligned"});
  }
  expect_usable(plan_.get(), arguments_, points_);
}

// The order of reading and writing is the engine's own: arrays that share memory would be overwritten before they are read.
TEST_F(CallArguments, arrays_that_overlap_are_refused) {
  ASSERT_EQ(set_points(plan_.get(), points_), OFFGRID_OK);
  std::vector<std::complex<double>> room(50);
  for (const auto call : {offgrid_execute, offgrid_execute_adjoint}) {
    for (const int modes : {0, 1, 19})  // behind 20 strengths
      expect_invalid(call(plan_.get(), room.data(), room.data() + modes, nullptr),
                     {"strengths (20 elements)", "modes (30 elements)", "overlap", "in place"});
    for (const int strengths : {1, 29})  // behind 30 modes
      expect_invalid(call(plan_.get(), room.data() + strengths, room.data(), nullptr), {"overlap"});
    EXPECT_EQ(call(plan_.get(), room.data(), room.data() + 20, nullptr), OFFGRID_OK);
    EXPECT_EQ(call(plan_.get(), room.data() + 30, room.data(), nullptr), OFFGRID_OK);
  }
  expect_usable(plan_.get(), arguments_, points_);
}

// Aligned to a real number is enough: a complex array may start in the middle of a pair.
TEST_F(CallArguments, arrays_that_start_at_an_odd_real_number) {
  ASSERT_EQ(set_points(plan_.get(), points_), OFFGRID_OK);
  std::vector<double> in(41), out(61);
  std::copy_n(reinterpret_cast<const double*>(strengths_.data()), 40, in.begin() + 1);
  ASSERT_EQ(offgrid_execute(plan_.get(), in.data() + 1, out.data() + 1, nullptr), OFFGRID_OK);
  ASSERT_EQ(offgrid_execute(plan_.get(), strengths_.data(), modes_.data(), nullptr), OFFGRID_OK);
  std::vector<std::complex<double>> shifted_modes(30);
  std::copy_n(out.begin() + 1, 60, reinterpret_cast<double*>(shifted_modes.data()));
  EXPECT_LE(relative_error(shifted_modes, modes_), 1e-14);
}

TEST_F(CallArguments, no_points_and_no_modes_succeed_with_zeros) {
  ASSERT_EQ(offgrid_set_points(plan_.get(), 0, nullptr, nullptr, nullptr, nullptr), OFFGRID_OK);
  ASSERT_EQ(offgrid_execute(plan_.get(), nullptr, modes_.data(), nullptr), OFFGRID_OK);
  EXPECT_EQ(modes_, std::vector<std::complex<double>>(30));
  ASSERT_EQ(offgrid_execute_adjoint(plan_.get(), nullptr, modes_.data(), nullptr), OFFGRID_OK);
  const auto empty = make_plan({.modes = {0, 5}});
  ASSERT_EQ(set_points(empty.get(), points_), OFFGRID_OK);
  ASSERT_EQ(offgrid_execute(empty.get(), strengths_.data(), nullptr, nullptr), OFFGRID_OK);
  ASSERT_EQ(offgrid_execute_adjoint(empty.get(), strengths_.data(), nullptr, nullptr), OFFGRID_OK);
  EXPECT_EQ(strengths_, std::vector<std::complex<double>>(20));
}

}  // namespace
