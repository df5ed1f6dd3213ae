// The codes that the drop-ins return for what is wrong, and for what only looks wrong, in both precisions. Arguments of the
// GPU's functions are checked before the GPU is looked for, so that most of them show their code without one.
//
// Every code of finufft_errors.h is returned here or in guard_test.cpp (25), but for the five that it marks as never, with why.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "gpu.hpp"
#include "peer_calls.hpp"

namespace {

using namespace support;

template <class Peer> typename Peer::Opts default_opts() {
  typename Peer::Opts opts;
  if constexpr (std::is_same_v<typename Peer::Opts, finufft_opts>)
    finufft_default_opts(&opts);
  else
    cufinufft_default_opts(&opts);
  return opts;
}

struct Arguments {
  int type = 1, dim = 1, transforms = 1;
  std::int64_t modes[3] = {16, 16, 16};
  double tolerance = 1e-6;
};

// The code of makeplan; a plan that was made is destroyed at once.
template <class Peer> int makeplan(const Arguments& a, const typename Peer::Opts& opts = default_opts<Peer>()) {
  typename Peer::Plan plan = nullptr;
  const auto tolerance = static_cast<typename Peer::Real>(a.tolerance);
  const int code = Peer::makeplan(a.type, a.dim, a.modes, 1, a.transforms, tolerance, &plan, &opts);
  EXPECT_EQ(code == 0, plan != nullptr);
  if (plan == nullptr) return code;
  EXPECT_EQ(Peer::destroy(plan), 0);
  return code;
}

void lock(void*) {}

template <class Peer> class CpuCodes : public testing::Test {};
using CpuPeers = testing::Types<Finufft, Finufftf>;
TYPED_TEST_SUITE(CpuCodes, CpuPeers);

template <class Peer> class GpuCodes : public testing::Test {};
using GpuPeers = testing::Types<Cufinufft, Cufinufftf>;
TYPED_TEST_SUITE(GpuCodes, GpuPeers);

TYPED_TEST(CpuCodes, of_makeplan) {
  const auto cpu = [](const Arguments& a) { return makeplan<TypeParam>(a); };
  EXPECT_EQ(cpu({}), 0);
  EXPECT_EQ(cpu({.type = 4}), FINUFFT_ERR_TYPE_NOTVALID);
  EXPECT_EQ(cpu({.dim = 0}), FINUFFT_ERR_DIM_NOTVALID);
  EXPECT_EQ(cpu({.dim = 4}), FINUFFT_ERR_DIM_NOTVALID);
  EXPECT_EQ(cpu({.transforms = 0}), FINUFFT_ERR_NTRANS_NOTVALID);
  EXPECT_EQ(cpu({.transforms = 0, .tolerance = 0}), FINUFFT_ERR_NTRANS_NOTVALID);
  EXPECT_EQ(cpu({.modes = {-1, 1, 1}}), FINUFFT_ERR_NDATA_NOTVALID);
  EXPECT_EQ(cpu({.modes = {0, 1, 1}}), 0);
  EXPECT_EQ(cpu({.dim = 2, .modes = {std::int64_t{1} << 21, std::int64_t{1} << 21, 1}}), FINUFFT_ERR_MAXNALLOC);
}

TYPED_TEST(CpuCodes, of_tolerances) {
  const auto code = [](double tolerance) { return makeplan<TypeParam>({.tolerance = tolerance}); };
  constexpr bool is_float = std::is_same_v<typename TypeParam::Real, float>;
  EXPECT_EQ(code(0), FINUFFT_ERR_EPS_TOO_SMALL);
  EXPECT_EQ(code(1e-17), FINUFFT_ERR_EPS_TOO_SMALL);
  for (const double tolerance : {1e-15, 1.1e-7}) EXPECT_EQ(code(tolerance), is_float ? FINUFFT_ERR_EPS_TOO_SMALL : 0);
  EXPECT_EQ(code(1.2e-7), 0);
}

TEST(CpuCodesInDouble, without_enough_memory) {
  const double x[] = {0.5};
  const std::int64_t modes[] = {1000000, 900000};
  finufft_plan plan = nullptr;
  int code = finufft_makeplan(1, 2, modes, 1, 1, 1e-6, &plan, nullptr);
  std::complex<double> one = 1, out;
  if (code == 0) code = finufft_setpts(plan, 1, x, x, nullptr, 0, nullptr, nullptr, nullptr);
  if (code == 0) code = finufft_execute(plan, &one, &out);  // fails before it writes
  EXPECT_EQ(code, FINUFFT_ERR_ALLOC);
  finufft_destroy(plan);
}

TYPED_TEST(CpuCodes, of_options) {
  // The code with one option changed.
  const auto with = [](auto option, auto value, const Arguments& a = {}) {
    finufft_opts opts = default_opts<TypeParam>();
    opts.*option = value;
    return makeplan<TypeParam>(a, opts);
  };
  EXPECT_EQ(with(&finufft_opts::allow_eps_too_small, 1, {.tolerance = 0}), 0);
  for (const double upsampfac : {0.9, 1.0, -2.0})
    EXPECT_EQ(with(&finufft_opts::upsampfac, upsampfac), FINUFFT_ERR_UPSAMPFAC_TOO_SMALL);
  for (const double upsampfac : {1.25, 2.0, 4.5}) EXPECT_EQ(with(&finufft_opts::upsampfac, upsampfac), 0);
  for (const int formula : {1, 2, 3, 4, 5, 6, 99})
    EXPECT_EQ(with(&finufft_opts::spread_kerformula, formula), FINUFFT_ERR_KERFORMULA_NOTVALID);
  for (const int choice : {-1, 3})
    EXPECT_EQ(with(&finufft_opts::spread_thread, choice), FINUFFT_ERR_SPREAD_THREAD_NOTVALID);
  for (const int choice : {0, 1, 2}) EXPECT_EQ(with(&finufft_opts::spread_thread, choice), 0);
  for (const int threads : {-1, 0, 1, 1 << 30}) EXPECT_EQ(with(&finufft_opts::nthreads, threads), 0);
  EXPECT_EQ(with(&finufft_opts::fftw_lock_fun, lock), FINUFFT_ERR_LOCK_FUNS_INVALID);
  EXPECT_EQ(with(&finufft_opts::fftw_unlock_fun, lock), FINUFFT_ERR_LOCK_FUNS_INVALID);
  EXPECT_EQ(with(&finufft_opts::spreadinterponly, 1, {.type = 3}), FINUFFT_ERR_TYPE_NOTVALID);
  EXPECT_EQ(with(&finufft_opts::spreadinterponly, 1, {.modes = {2, 1, 1}}), FINUFFT_ERR_SPREAD_BOX_SMALL);
  EXPECT_EQ(with(&finufft_opts::spreadinterponly, 1, {.modes = {32, 1, 1}}), 0);
  finufft_opts opts = default_opts<TypeParam>();
  opts.fftw_lock_fun = opts.fftw_unlock_fun = lock;
  EXPECT_EQ(makeplan<TypeParam>({}, opts), 0);
}

// Of several faults the one that FINUFFT 2.5.1 reports.
TYPED_TEST(CpuCodes, of_several_faults) {
  finufft_opts opts = default_opts<TypeParam>();
  opts.spread_thread = 3;
  opts.upsampfac = 0.9;
  EXPECT_EQ(makeplan<TypeParam>({.transforms = 0}, opts), FINUFFT_ERR_NTRANS_NOTVALID);
  EXPECT_EQ(makeplan<TypeParam>({.modes = {-1, 1, 1}, .tolerance = 0}, opts), FINUFFT_ERR_SPREAD_THREAD_NOTVALID);
  opts.spread_thread = 0;
  EXPECT_EQ(makeplan<TypeParam>({.modes = {-1, 1, 1}, .tolerance = 0}, opts), FINUFFT_ERR_UPSAMPFAC_TOO_SMALL);
}

TYPED_TEST(CpuCodes, of_points_and_handles) {
  using Real = typename TypeParam::Real;
  EXPECT_EQ(TypeParam::destroy(nullptr), 1);
  EXPECT_EQ(TypeParam::execute(nullptr, nullptr, nullptr), FINUFFT_ERR_PLAN_NOTVALID);

  const Real x[] = {0.5}, nan[] = {std::numeric_limits<Real>::quiet_NaN()};
  const std::int64_t modes[] = {8};
  std::complex<Real> one = 1, out[8];
  typename TypeParam::Plan plan = nullptr;
  ASSERT_EQ(TypeParam::makeplan(1, 1, modes, 1, 1, 1e-6, &plan, nullptr), 0);
  EXPECT_EQ(TypeParam::execute(plan, &one, out), FINUFFT_ERR_PLAN_NOTVALID);
  const auto set = [&](std::int64_t count, const Real* at) {
    return TypeParam::setpts(plan, count, at, nullptr, nullptr, 0, nullptr, nullptr, nullptr);
  };
  EXPECT_EQ(set(-1, x), FINUFFT_ERR_NUM_NU_PTS_INVALID);
  EXPECT_EQ(set(10000000000000000, x), FINUFFT_ERR_NUM_NU_PTS_INVALID);
  EXPECT_EQ(set(1, nullptr), FINUFFT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(set(1, nan), FINUFFT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(set(1, x), 0);
  EXPECT_EQ(TypeParam::execute(plan, &one, out), 0);
  EXPECT_EQ(TypeParam::destroy(plan), 0);
}

TYPED_TEST(CpuCodes, of_type_3) {
  using Real = typename TypeParam::Real;
  const Real x[] = {0.5, 1}, far[] = {-1e8, 1e8};
  const std::complex<Real> in[] = {1, 2};
  std::complex<Real> out[2];
  EXPECT_EQ(TypeParam::call1d3(2, x, in, 1, 1e-6, -1, x, out, nullptr), FINUFFT_ERR_NUM_NU_PTS_INVALID);
  EXPECT_EQ(TypeParam::call1d3(2, x, in, 1, 1e-6, 10000000000000000, x, out, nullptr), FINUFFT_ERR_NUM_NU_PTS_INVALID);
  EXPECT_EQ(TypeParam::call1d3(1, nullptr, in, 1, 1e-6, -1, nullptr, out, nullptr), FINUFFT_ERR_NUM_NU_PTS_INVALID);
  EXPECT_EQ(TypeParam::call1d3(1, nullptr, in, 1, 1e-6, 2, x, out, nullptr), FINUFFT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(TypeParam::call1d3(2, x, in, 1, 1e-6, 2, nullptr, out, nullptr), FINUFFT_ERR_INVALID_ARGUMENT);
  EXPECT_NE(TypeParam::call1d3(2, far, in, 1, 1e-6, 2, far, out, nullptr), 0);
}

TEST(CpuCodesInDouble, points_of_type_3_may_be_far_apart) {
  const double x[] = {0.5, 1}, far[] = {-1e8, 1e8};
  const std::complex<double> in[] = {1, 2};
  std::complex<double> out[2];
  EXPECT_EQ(finufft1d3(2, far, in, 1, 1e-6, 2, x, out, nullptr), 0);
}

TYPED_TEST(GpuCodes, of_arguments) {
  EXPECT_EQ(TypeParam::destroy(nullptr), FINUFFT_ERR_PLAN_NOTVALID);
  EXPECT_EQ(TypeParam::execute(nullptr, nullptr, nullptr), FINUFFT_ERR_PLAN_NOTVALID);
  EXPECT_EQ(makeplan<TypeParam>({.type = 4}), FINUFFT_ERR_TYPE_NOTVALID);
  EXPECT_EQ(makeplan<TypeParam>({.dim = 0}), FINUFFT_ERR_DIM_NOTVALID);
  EXPECT_EQ(makeplan<TypeParam>({.transforms = 0}), FINUFFT_ERR_NTRANS_NOTVALID);
  EXPECT_EQ(makeplan<TypeParam>({.modes = {0, 1, 1}}), FINUFFT_ERR_NDATA_NOTVALID);
  EXPECT_EQ(makeplan<TypeParam>({.dim = 2, .modes = {1 << 16, 1 << 16, 1}}), FINUFFT_ERR_NDATA_NOTVALID);
  cufinufft_opts opts = default_opts<TypeParam>();
  opts.upsampfac = 0.9;
  EXPECT_EQ(makeplan<TypeParam>({}, opts), FINUFFT_ERR_HORNER_WRONG_BETA);
  opts.gpu_kerevalmeth = 0;
  EXPECT_EQ(makeplan<TypeParam>({}, opts), FINUFFT_ERR_UPSAMPFAC_TOO_SMALL);
  opts = default_opts<TypeParam>();
  opts.gpu_method = 4;
  EXPECT_EQ(makeplan<TypeParam>({}, opts), FINUFFT_ERR_METHOD_NOTVALID);
  opts.gpu_method = 5;
  EXPECT_EQ(makeplan<TypeParam>({}, opts), FINUFFT_ERR_METHOD_NOTVALID);
  opts.gpu_method = 1;
  opts.gpu_binsizex = -1;
  EXPECT_EQ(makeplan<TypeParam>({}, opts), FINUFFT_ERR_BINSIZE_NOTVALID);
}

TYPED_TEST(GpuCodes, of_outer_bins) {
  cufinufft_opts opts = default_opts<TypeParam>();
  opts.gpu_method = 4;
  opts.gpu_binsizez = 3;
  opts.gpu_obinsizez = 8;
  EXPECT_EQ(makeplan<TypeParam>({.dim = 3}, opts), FINUFFT_ERR_BINSIZE_NOTVALID);
  opts.gpu_obinsizez = 9;
  EXPECT_NE(makeplan<TypeParam>({.dim = 3}, opts), FINUFFT_ERR_BINSIZE_NOTVALID);
  opts.gpu_obinsizez = -1;
  EXPECT_EQ(makeplan<TypeParam>({.dim = 3}, opts), FINUFFT_ERR_BINSIZE_NOTVALID);
  opts.gpu_obinsizez = 8;
  opts.gpu_method = 1;  // which has no outer bins
  EXPECT_NE(makeplan<TypeParam>({.dim = 3}, opts), FINUFFT_ERR_BINSIZE_NOTVALID);
}

TYPED_TEST(GpuCodes, without_a_gpu_every_call_returns_15) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(makeplan<TypeParam>({}), FINUFFT_ERR_CUDA_FAILURE);
  EXPECT_EQ(TypeParam::call1d1(0, nullptr, nullptr, 1, 1e-3, 8, nullptr, nullptr), FINUFFT_ERR_CUDA_FAILURE);
}

TYPED_TEST(GpuCodes, of_a_gpu) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  EXPECT_EQ(makeplan<TypeParam>({.modes = {16, 0, 0}}), 0);
  EXPECT_EQ(makeplan<TypeParam>({.tolerance = 0}), 0);
  cufinufft_opts opts = default_opts<TypeParam>();
  opts.gpu_device_id = 1000;
  EXPECT_EQ(makeplan<TypeParam>({}, opts), FINUFFT_ERR_CUDA_FAILURE);
  opts = default_opts<TypeParam>();
  opts.upsampfac = 4.5;
  opts.gpu_kerevalmeth = 0;
  EXPECT_EQ(makeplan<TypeParam>({}, opts), 0);
  opts = default_opts<TypeParam>();
  opts.gpu_method = 2;
  opts.gpu_binsizex = opts.gpu_binsizey = opts.gpu_binsizez = 1024;
  EXPECT_EQ(makeplan<TypeParam>({.dim = 3}, opts), FINUFFT_ERR_INSUFFICIENT_SHMEM);
  for (const int method : {0, 1, 2, 3}) {
    opts = default_opts<TypeParam>();
    opts.gpu_method = method;
    EXPECT_EQ(makeplan<TypeParam>({}, opts), 0);
  }
  typename TypeParam::Plan plan = nullptr;
  ASSERT_EQ(TypeParam::makeplan(3, 1, nullptr, 1, 1, 1e-6, &plan, nullptr), 0);
  for (const std::int64_t count : {0, 1})
    EXPECT_EQ(TypeParam::setpts(plan, count, nullptr, nullptr, nullptr, -1, nullptr, nullptr, nullptr),
              FINUFFT_ERR_NUM_NU_PTS_INVALID);
  EXPECT_EQ(TypeParam::setpts(plan, 0, nullptr, nullptr, nullptr, 3, nullptr, nullptr, nullptr),
            FINUFFT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(TypeParam::setpts(plan, std::int64_t{1} << 31, nullptr, nullptr, nullptr, 3, nullptr, nullptr, nullptr),
            FINUFFT_ERR_NDATA_NOTVALID);
  EXPECT_EQ(TypeParam::destroy(plan), 0);
  const std::int64_t beyond = std::int64_t{1} << 31;
  EXPECT_EQ(TypeParam::call1d3(0, nullptr, nullptr, 1, 1e-6, beyond, nullptr, nullptr, nullptr),
            FINUFFT_ERR_NDATA_NOTVALID);
  EXPECT_EQ(TypeParam::call1d3(beyond, nullptr, nullptr, 1, 1e-6, 1, nullptr, nullptr, nullptr),
            FINUFFT_ERR_NDATA_NOTVALID);
}

}  // namespace
