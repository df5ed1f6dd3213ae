// Options of the drop-ins that work: what offgrid was asked for, read from what `debug` prints, and warnings on stderr.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <vector>

#include "gpu.hpp"
#include "gpu_memory.hpp"
#include "oracle.hpp"
#include "peer_calls.hpp"

namespace {

using namespace support;

constexpr std::int64_t modes[] = {40, 50, 20};

testing::AssertionResult has(const std::string& text, const char* part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << '"' << part << "\" is not in \"" << text << '"';
}

struct Printed {
  std::string out, err;
};

// What a plan of four transforms prints, from makeplan to the end of setpts.
template <class Peer>
Printed printed(const typename Peer::Opts& opts, int dim = 2, typename Peer::Real tolerance = 1e-3) {
  constexpr bool on_gpu = std::is_same_v<typename Peer::Opts, cufinufft_opts>;
  const auto points = uniform_points<typename Peer::Real>(dim, 1000);
  std::vector<PlacedArray<typename Peer::Real>> axes;
  for (const auto& axis : points.axis) axes.emplace_back(on_gpu ? Side::gpu : Side::host, axis);
  axes.resize(3, {Side::host, {}});
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  typename Peer::Plan plan = nullptr;
  EXPECT_EQ(Peer::makeplan(1, dim, modes, 1, 4, tolerance, &plan, &opts), 0);
  EXPECT_EQ(Peer::setpts(plan, 1000, axes[0].data(), axes[1].data(), axes[2].data(), 0, nullptr, nullptr, nullptr), 0);
  Peer::destroy(plan);
  return {testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

finufft_opts cpu_opts() {
  finufft_opts opts;
  finufft_default_opts(&opts);
  opts.debug = 1;
  return opts;
}

cufinufft_opts gpu_opts() {
  cufinufft_opts opts;
  cufinufft_default_opts(&opts);
  opts.debug = 1;
  return opts;
}

TEST(CpuOptions, reach_the_plan) {
  finufft_opts opts = cpu_opts();
  opts.nthreads = 1;
  opts.maxbatchsize = 2;
  opts.upsampfac = 1.5;
  const auto [out, err] = printed<Finufft>(opts);
  EXPECT_TRUE(has(out, "4 transforms"));
  EXPECT_TRUE(has(out, "upsampling 1.5"));
  EXPECT_TRUE(has(out, "2 worked on together"));
  EXPECT_TRUE(has(out, "cpu, 1 threads"));
  EXPECT_EQ(err, "");
}

TEST(CpuOptions, debug_0_prints_nothing) {
  finufft_opts opts = cpu_opts();
  opts.debug = 0;
  const auto [out, err] = printed<Finufftf>(opts);
  EXPECT_EQ(out, "");
  EXPECT_EQ(err, "");
}

TEST(CpuOptions, showwarn_0_prints_no_warning) {
  finufft_opts opts = cpu_opts();
  opts.upsampfac = 4.5;
  opts.spread_kerevalmeth = 0;
  const std::string warned = printed<Finufft>(opts).err;
  EXPECT_TRUE(has(warned, "[finufft] warning: upsampfac = 4.5"));
  EXPECT_TRUE(has(warned, "spread_kerevalmeth is deprecated"));
  opts.showwarn = 0;
  EXPECT_EQ(printed<Finufft>(opts).err, "");
}

TEST(CpuOptions, a_tolerance_that_is_too_small_is_taken_for_the_precision) {
  finufft_opts opts = cpu_opts();
  opts.allow_eps_too_small = 1;
  EXPECT_TRUE(has(printed<Finufftf>(opts, 2, 1e-12f).out, "tolerance    1.19209e-07"));
}

// The tolerance is over the precision, and still out of reach of the kernel that these options leave.
TEST(CpuOptions, a_tolerance_that_cannot_be_reached_warns_unless_showwarn_is_0) {
  finufft_opts opts = cpu_opts();
  opts.upsampfac = 1.25;
  EXPECT_TRUE(has(printed<Finufft>(opts, 2, 1e-15).err, "[finufft] warning: the tolerance 1e-15 cannot be reached"));
  EXPECT_TRUE(has(printed<Finufftf>(cpu_opts(), 2, 1.3e-7f).err, "[finufft] warning: the tolerance 1.3e-07"));
  EXPECT_EQ(printed<Finufft>(opts, 2, 1e-6).err, "");
  EXPECT_EQ(printed<Finufft>(cpu_opts(), 2, 1e-14).err, "");
  EXPECT_EQ(printed<Finufftf>(cpu_opts(), 2, 1.2e-6f).err, "");
  opts.showwarn = 0;
  EXPECT_EQ(printed<Finufft>(opts, 2, 1e-15).err, "");
}

TEST(CpuOptions, a_tolerance_below_the_precision_warns_once) {
  finufft_opts opts = cpu_opts();
  opts.allow_eps_too_small = 1;
  const std::string err = printed<Finufft>(opts, 2, 0).err;
  EXPECT_TRUE(has(err, "[finufft] warning: the tolerance is below the precision"));
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1);
  opts.showwarn = 0;
  EXPECT_EQ(printed<Finufft>(opts, 2, 0).err, "");
}

TEST(CpuOptions, allow_eps_too_small_2_returns_code_1_from_makeplan) {
  const auto points = uniform_points<double>(1, 300);
  const auto in = random_values<double>(300, 2);
  const auto wanted = direct_sum<double>(To::modes, {{40}, 1}, points, in);
  finufft_opts opts = cpu_opts();
  opts.debug = opts.showwarn = 0;
  opts.allow_eps_too_small = 2;
  opts.upsampfac = 1.25;
  std::vector<std::complex<double>> out(40);
  for (const double tolerance : {0.0, 1e-15}) {
    finufft_plan plan = nullptr;
    EXPECT_EQ(finufft_makeplan(1, 1, modes, 1, 1, tolerance, &plan, &opts), FINUFFT_WARN_EPS_TOO_SMALL);
    EXPECT_EQ(finufft_setpts(plan, 300, points.axis[0].data(), nullptr, nullptr, 0, nullptr, nullptr, nullptr), 0);
    EXPECT_EQ(finufft_execute(plan, const_cast<std::complex<double>*>(in.data()), out.data()), 0);
    EXPECT_LE(relative_error(out, wanted), 1e-9);
    EXPECT_EQ(finufft_destroy(plan), 0);
    EXPECT_EQ(finufft1d1(300, points.axis[0].data(), in.data(), 1, tolerance, 40, out.data(), &opts), 1);
    EXPECT_LE(relative_error(out, wanted), 1e-9);
  }
  EXPECT_EQ(finufft1d1(300, points.axis[0].data(), in.data(), 1, 1e-6, 40, out.data(), &opts), 0);
}

// For the upsampling that it chooses itself FINUFFT 2.5 warns below the precision only, and clients ask for the precision.
TEST(CpuOptions, allow_eps_too_small_2_returns_0_where_finufft_does) {
  finufft_opts opts = cpu_opts();
  opts.allow_eps_too_small = 2;
  finufft_plan plan = nullptr;
  EXPECT_EQ(finufft_makeplan(1, 1, modes, 1, 1, std::numeric_limits<double>::epsilon(), &plan, &opts), 0);
  EXPECT_EQ(finufft_destroy(plan), 0);
  finufftf_plan planf = nullptr;
  EXPECT_EQ(finufftf_makeplan(1, 1, modes, 1, 1, std::numeric_limits<float>::epsilon(), &planf, &opts), 0);
  EXPECT_EQ(finufftf_destroy(planf), 0);
}

TEST(CpuOptions, spreadinterponly_works_at_any_upsampling) {
  for (const double upsampfac : {1.25, 1.7, 2.0, 5.0}) {
    finufft_opts opts = cpu_opts();
    opts.spreadinterponly = 1;
    opts.upsampfac = upsampfac;
    EXPECT_TRUE(has(printed<Finufftf>(opts).out, "40 x 50 cells"));
  }
}

TEST(CpuOptions, results_are_the_same_for_any_batch_and_number_of_threads) {
  const auto points = uniform_points<double>(1, 300);
  const auto in = random_values<double>(4 * 300, 2);
  const auto wanted = direct_sum<double>(To::modes, {{40}, 1, 4}, points, in);
  for (const int threads : {0, 1, 3})
    for (const int batch : {0, 1, 3, 100}) {
      finufft_opts opts = cpu_opts();
      opts.debug = 0;
      opts.nthreads = threads;
      opts.maxbatchsize = batch;
      std::vector<std::complex<double>> out(4 * 40);
      ASSERT_EQ(finufft1d1many(4, 300, points.axis[0].data(), in.data(), 1, 1e-9, 40, out.data(), &opts), 0);
      EXPECT_LE(relative_error(out, wanted), 1e-9) << threads << " threads, batches of " << batch;
    }
}

TEST(GpuOptions, gpu_method_names_offgrids_method) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  const auto spreading = [](int method, int sort) {
    cufinufft_opts opts = gpu_opts();
    opts.gpu_method = method;
    opts.gpu_sort = sort;
    return printed<Cufinufftf>(opts, 3).out;
  };
  EXPECT_TRUE(has(spreading(1, 1), "spreading GM-sort"));
  EXPECT_TRUE(has(spreading(1, 0), "spreading GM"));
  EXPECT_FALSE(has(spreading(1, 0), "spreading GM-sort"));
  EXPECT_TRUE(has(spreading(2, 1), "spreading SM"));
  EXPECT_EQ(spreading(3, 1), spreading(0, 1));
  EXPECT_EQ(spreading(4, 1), spreading(0, 1));
}

TEST(GpuOptions, reach_the_plan) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  cufinufft_opts opts = gpu_opts();
  opts.gpu_maxbatchsize = 2;
  opts.upsampfac = 1.5;
  const auto [out, err] = printed<Cufinufft>(opts);
  EXPECT_TRUE(has(out, "upsampling 1.5"));
  EXPECT_TRUE(has(out, "2 worked on together"));
  EXPECT_EQ(err, "");
  for (const float tolerance : {0.0f, 1e-12f}) {
    const auto clamped = printed<Cufinufftf>(gpu_opts(), 2, tolerance);
    EXPECT_TRUE(has(clamped.err, "[cufinufft] warning: the tolerance is below the precision"));
    EXPECT_TRUE(has(clamped.out, "tolerance    1.19209e-07"));
    EXPECT_EQ(std::count(clamped.err.begin(), clamped.err.end(), '\n'), 1);
  }
  opts.upsampfac = 4.5;
  opts.gpu_kerevalmeth = 0;
  EXPECT_TRUE(has(printed<Cufinufft>(opts).err, "[cufinufft] warning: upsampfac = 4.5"));
  opts.upsampfac = 1.25;
  EXPECT_TRUE(
      has(printed<Cufinufft>(opts, 2, 1e-15).err, "[cufinufft] warning: the tolerance 1e-15 cannot be reached"));
}

TEST(GpuOptions, any_modeord_but_0_is_the_order_of_an_fft) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  const auto points = uniform_points<double>(1, 300);
  const auto strengths = random_values<double>(300, 2);
  cufinufft_opts opts = gpu_opts();
  opts.debug = 0;
  PlacedArray<double> x(Side::gpu, points.axis[0]);
  PlacedArray<std::complex<double>> in(Side::gpu, strengths), out(Side::gpu, std::vector<std::complex<double>>(16));
  for (const int modeord : {0, 1, 2, -1}) {
    opts.modeord = modeord;
    ASSERT_EQ(cufinufft1d1(300, x.data(), reinterpret_cast<cuDoubleComplex*>(in.data()), 1, 1e-9, 16,
                           reinterpret_cast<cuDoubleComplex*>(out.data()), &opts),
              0);
    const auto wanted = direct_sum<double>(To::modes, {{16}, 1, 1, modeord != 0}, points, strengths);
    EXPECT_LE(relative_error(out.values(), wanted), 1e-9) << "modeord " << modeord;
  }
}

}  // namespace
