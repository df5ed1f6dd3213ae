// The codes that the drop-ins return for what is wrong, and for what only looks wrong. Arguments of the GPU's functions are
// checked before the GPU is looked for, so that most of them show their code without one.
#include <cufinufft.h>
#include <finufft.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "gpu.hpp"

namespace {

using support::has_gpu;

finufft_opts cpu_opts() {
  finufft_opts opts;
  finufft_default_opts(&opts);
  return opts;
}

cufinufft_opts gpu_opts() {
  cufinufft_opts opts;
  cufinufft_default_opts(&opts);
  return opts;
}

struct Arguments {
  int type = 1, dim = 1, transforms = 1;
  std::int64_t modes[3] = {16, 16, 16};
  double tolerance = 1e-6;
};

// The code of makeplan; a plan that was made is destroyed at once.
int cpu(const Arguments& a, const finufft_opts& opts = cpu_opts()) {
  finufft_plan plan = nullptr;
  const int code = finufft_makeplan(a.type, a.dim, a.modes, 1, a.transforms, a.tolerance, &plan, &opts);
  EXPECT_EQ(code == 0, plan != nullptr);
  if (plan == nullptr) return code;
  EXPECT_EQ(finufft_destroy(plan), 0);
  return code;
}

int gpu(const Arguments& a, const cufinufft_opts& opts = gpu_opts()) {
  cufinufft_plan plan = nullptr;
  const int code = cufinufft_makeplan(a.type, a.dim, a.modes, 1, a.transforms, a.tolerance, &plan, &opts);
  EXPECT_EQ(code == 0, plan != nullptr);
  if (plan == nullptr) return code;
  EXPECT_EQ(cufinufft_destroy(plan), 0);
  return code;
}

void lock(void*) {}

TEST(CpuCodes, of_makeplan) {
  EXPECT_EQ(cpu({}), 0);
  EXPECT_EQ(cpu({.type = 4}), FINUFFT_ERR_TYPE_NOTVALID);
  EXPECT_EQ(cpu({.dim = 0}), FINUFFT_ERR_DIM_NOTVALID);
  EXPECT_EQ(cpu({.dim = 4}), FINUFFT_ERR_DIM_NOTVALID);
  EXPECT_EQ(cpu({.transforms = 0}), FINUFFT_ERR_NTRANS_NOTVALID);
  EXPECT_EQ(cpu({.transforms = 0, .tolerance = 0}), FINUFFT_ERR_NTRANS_NOTVALID);
  EXPECT_EQ(cpu({.tolerance = 0}), FINUFFT_ERR_EPS_TOO_SMALL);
  EXPECT_EQ(cpu({.tolerance = 1e-15}), 0);
  EXPECT_EQ(cpu({.modes = {-1, 1, 1}}), FINUFFT_ERR_NDATA_NOTVALID);
  EXPECT_EQ(cpu({.modes = {0, 1, 1}}), 0);
  EXPECT_EQ(cpu({.dim = 2, .modes = {std::int64_t{1} << 21, std::int64_t{1} << 21, 1}}), FINUFFT_ERR_MAXNALLOC);
}

TEST(CpuCodes, without_enough_memory) {
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

TEST(CpuCodes, of_options) {
  finufft_opts opts = cpu_opts();
  opts.allow_eps_too_small = 1;
  EXPECT_EQ(cpu({.tolerance = 0}, opts), 0);
  for (const double upsampfac : {0.9, 1.0, -2.0}) {
    opts = cpu_opts();
    opts.upsampfac = upsampfac;
    EXPECT_EQ(cpu({}, opts), FINUFFT_ERR_UPSAMPFAC_TOO_SMALL);
  }
  for (const double upsampfac : {1.25, 2.0, 4.5}) {
    opts = cpu_opts();
    opts.upsampfac = upsampfac;
    EXPECT_EQ(cpu({}, opts), 0);
  }
  for (const int formula : {1, 2, 3, 4, 5, 6, 99}) {
    opts = cpu_opts();
    opts.spread_kerformula = formula;
    EXPECT_EQ(cpu({}, opts), FINUFFT_ERR_KERFORMULA_NOTVALID);
  }
  opts = cpu_opts();
  opts.fftw_lock_fun = lock;
  EXPECT_EQ(cpu({}, opts), FINUFFT_ERR_LOCK_FUNS_INVALID);
  opts.fftw_unlock_fun = lock;
  EXPECT_EQ(cpu({}, opts), 0);
  opts = cpu_opts();
  opts.spreadinterponly = 1;
  EXPECT_EQ(cpu({.type = 3}, opts), FINUFFT_ERR_TYPE_NOTVALID);
  EXPECT_EQ(cpu({.modes = {2, 1, 1}, .tolerance = 1e-9}, opts), FINUFFT_ERR_SPREAD_BOX_SMALL);
  EXPECT_EQ(cpu({.modes = {32, 1, 1}}, opts), 0);
}

TEST(CpuCodes, of_points_and_handles) {
  EXPECT_EQ(finufft_destroy(nullptr), 1);
  EXPECT_EQ(finufftf_destroy(nullptr), 1);
  EXPECT_EQ(finufft_execute(nullptr, nullptr, nullptr), FINUFFT_ERR_PLAN_NOTVALID);

  const double x[] = {0.5}, nan[] = {0.0 / 0.0};
  const std::int64_t modes[] = {8};
  std::complex<double> one = 1, out[8];
  finufft_plan plan = nullptr;
  ASSERT_EQ(finufft_makeplan(1, 1, modes, 1, 1, 1e-6, &plan, nullptr), 0);
  EXPECT_EQ(finufft_execute(plan, &one, out), FINUFFT_ERR_PLAN_NOTVALID);
  const auto set = [&](std::int64_t count, const double* at) {
    return finufft_setpts(plan, count, at, nullptr, nullptr, 0, nullptr, nullptr, nullptr);
  };
  EXPECT_EQ(set(-1, x), FINUFFT_ERR_NUM_NU_PTS_INVALID);
  EXPECT_EQ(set(10000000000000000, x), FINUFFT_ERR_NUM_NU_PTS_INVALID);
  EXPECT_EQ(set(1, nullptr), FINUFFT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(set(1, nan), FINUFFT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(set(1, x), 0);
  EXPECT_EQ(finufft_execute(plan, &one, out), 0);
  EXPECT_EQ(finufft_destroy(plan), 0);
}

TEST(CpuCodes, of_type_3) {
  const double x[] = {0.5, 1}, far[] = {-1e8, 1e8};
  const std::complex<double> in[] = {1, 2};
  std::complex<double> out[2];
  EXPECT_EQ(finufft1d3(2, x, in, 1, 1e-6, -1, x, out, nullptr), FINUFFT_ERR_NUM_NU_PTS_INVALID);
  EXPECT_EQ(finufft1d3(2, x, in, 1, 1e-6, 10000000000000000, x, out, nullptr), FINUFFT_ERR_NUM_NU_PTS_INVALID);
  EXPECT_EQ(finufft1d3(1, nullptr, in, 1, 1e-6, -1, nullptr, out, nullptr), FINUFFT_ERR_NUM_NU_PTS_INVALID);
  EXPECT_EQ(finufft1d3(1, nullptr, in, 1, 1e-6, 2, x, out, nullptr), FINUFFT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(finufft1d3(2, x, in, 1, 1e-6, 2, nullptr, out, nullptr), FINUFFT_ERR_INVALID_ARGUMENT);
  EXPECT_NE(finufft1d3(2, far, in, 1, 1e-6, 2, far, out, nullptr), 0);
  EXPECT_EQ(finufft1d3(2, far, in, 1, 1e-6, 2, x, out, nullptr) == 0, true);
}

TEST(GpuCodes, of_arguments) {
  EXPECT_EQ(cufinufft_destroy(nullptr), FINUFFT_ERR_PLAN_NOTVALID);
  EXPECT_EQ(cufinufftf_destroy(nullptr), FINUFFT_ERR_PLAN_NOTVALID);
  EXPECT_EQ(cufinufft_execute(nullptr, nullptr, nullptr), FINUFFT_ERR_PLAN_NOTVALID);
  EXPECT_EQ(gpu({.type = 4}), FINUFFT_ERR_TYPE_NOTVALID);
  EXPECT_EQ(gpu({.dim = 0}), FINUFFT_ERR_DIM_NOTVALID);
  EXPECT_EQ(gpu({.transforms = 0}), FINUFFT_ERR_NTRANS_NOTVALID);
  EXPECT_EQ(gpu({.modes = {0, 1, 1}}), FINUFFT_ERR_NDATA_NOTVALID);
  EXPECT_EQ(gpu({.dim = 2, .modes = {1 << 16, 1 << 16, 1}}), FINUFFT_ERR_NDATA_NOTVALID);
  cufinufft_opts opts = gpu_opts();
  opts.upsampfac = 0.9;
  EXPECT_EQ(gpu({}, opts), FINUFFT_ERR_HORNER_WRONG_BETA);
  opts.gpu_kerevalmeth = 0;
  EXPECT_EQ(gpu({}, opts), FINUFFT_ERR_UPSAMPFAC_TOO_SMALL);
  opts = gpu_opts();
  opts.gpu_method = 4;
  EXPECT_EQ(gpu({}, opts), FINUFFT_ERR_METHOD_NOTVALID);
  opts.gpu_method = 5;
  EXPECT_EQ(gpu({}, opts), FINUFFT_ERR_METHOD_NOTVALID);
  opts.gpu_method = 1;
  opts.gpu_binsizex = -1;
  EXPECT_EQ(gpu({}, opts), FINUFFT_ERR_BINSIZE_NOTVALID);
}

TEST(GpuCodes, of_outer_bins) {
  cufinufft_opts opts = gpu_opts();
  opts.gpu_method = 4;
  opts.gpu_binsizez = 3;
  opts.gpu_obinsizez = 8;
  EXPECT_EQ(gpu({.dim = 3}, opts), FINUFFT_ERR_BINSIZE_NOTVALID);
  opts.gpu_obinsizez = 9;
  EXPECT_NE(gpu({.dim = 3}, opts), FINUFFT_ERR_BINSIZE_NOTVALID);
  opts.gpu_obinsizez = -1;
  EXPECT_EQ(gpu({.dim = 3}, opts), FINUFFT_ERR_BINSIZE_NOTVALID);
  opts.gpu_obinsizez = 8;
  opts.gpu_method = 1;  // which has no outer bins
  EXPECT_NE(gpu({.dim = 3}, opts), FINUFFT_ERR_BINSIZE_NOTVALID);
}

TEST(GpuCodes, without_a_gpu_every_call_returns_15) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(gpu({}), FINUFFT_ERR_CUDA_FAILURE);
  EXPECT_EQ(cufinufftf1d1(0, nullptr, nullptr, 1, 1e-3f, 8, nullptr, nullptr), FINUFFT_ERR_CUDA_FAILURE);
}

TEST(GpuCodes, of_a_gpu) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  EXPECT_EQ(gpu({.modes = {16, 0, 0}}), 0);
  EXPECT_EQ(gpu({.tolerance = 0}), 0);
  cufinufft_opts opts = gpu_opts();
  opts.gpu_device_id = 1000;
  EXPECT_EQ(gpu({}, opts), FINUFFT_ERR_CUDA_FAILURE);
  opts = gpu_opts();
  opts.upsampfac = 4.5;
  opts.gpu_kerevalmeth = 0;
  EXPECT_EQ(gpu({}, opts), 0);
  opts = gpu_opts();
  opts.gpu_method = 2;
  opts.gpu_binsizex = opts.gpu_binsizey = opts.gpu_binsizez = 1024;
  EXPECT_EQ(gpu({.dim = 3}, opts), FINUFFT_ERR_INSUFFICIENT_SHMEM);
  for (const int method : {0, 1, 2, 3}) {
    opts = gpu_opts();
    opts.gpu_method = method;
    EXPECT_EQ(gpu({}, opts), 0);
  }
  cufinufft_plan plan = nullptr;
  ASSERT_EQ(cufinufft_makeplan(3, 1, nullptr, 1, 1, 1e-6, &plan, nullptr), 0);
  for (const std::int64_t count : {0, 1})
    EXPECT_EQ(cufinufft_setpts(plan, count, nullptr, nullptr, nullptr, -1, nullptr, nullptr, nullptr),
              FINUFFT_ERR_NUM_NU_PTS_INVALID);
  EXPECT_EQ(cufinufft_setpts(plan, 0, nullptr, nullptr, nullptr, 3, nullptr, nullptr, nullptr),
            FINUFFT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(cufinufft_setpts(plan, std::int64_t{1} << 31, nullptr, nullptr, nullptr, 3, nullptr, nullptr, nullptr),
            FINUFFT_ERR_NDATA_NOTVALID);
  EXPECT_EQ(cufinufft_destroy(plan), 0);
  const std::int64_t beyond = std::int64_t{1} << 31;
  EXPECT_EQ(cufinufft1d3(0, nullptr, nullptr, 1, 1e-6, beyond, nullptr, nullptr, nullptr), FINUFFT_ERR_NDATA_NOTVALID);
  EXPECT_EQ(cufinufft1d3(beyond, nullptr, nullptr, 1, 1e-6, 1, nullptr, nullptr, nullptr), FINUFFT_ERR_NDATA_NOTVALID);
}

}  // namespace
