// The structs of the options, as programs that were compiled with the peers' headers have them, and their defaults.
#include <cufinufft.h>
#include <finufft.h>
#include <gtest/gtest.h>

#include <cstddef>

static_assert(sizeof(finufft_opts) == 96);
static_assert(offsetof(finufft_opts, modeord) == 0 && offsetof(finufft_opts, spreadinterponly) == 4);
static_assert(offsetof(finufft_opts, debug) == 8 && offsetof(finufft_opts, spread_debug) == 12);
static_assert(offsetof(finufft_opts, showwarn) == 16 && offsetof(finufft_opts, nthreads) == 20);
static_assert(offsetof(finufft_opts, fftw) == 24 && offsetof(finufft_opts, spread_sort) == 28);
static_assert(offsetof(finufft_opts, spread_kerevalmeth) == 32 && offsetof(finufft_opts, spread_kerpad) == 36);
static_assert(offsetof(finufft_opts, upsampfac) == 40 && offsetof(finufft_opts, spread_thread) == 48);
static_assert(offsetof(finufft_opts, maxbatchsize) == 52 && offsetof(finufft_opts, spread_nthr_atomic) == 56);
static_assert(offsetof(finufft_opts, spread_max_sp_size) == 60 && offsetof(finufft_opts, spread_kerformula) == 64);
static_assert(offsetof(finufft_opts, allow_eps_too_small) == 68 && offsetof(finufft_opts, fftw_lock_fun) == 72);
static_assert(offsetof(finufft_opts, fftw_unlock_fun) == 80 && offsetof(finufft_opts, fftw_lock_data) == 88);

static_assert(sizeof(cufinufft_opts) == 88);
static_assert(offsetof(cufinufft_opts, upsampfac) == 0 && offsetof(cufinufft_opts, gpu_method) == 8);
static_assert(offsetof(cufinufft_opts, gpu_sort) == 12 && offsetof(cufinufft_opts, gpu_binsizex) == 16);
static_assert(offsetof(cufinufft_opts, gpu_binsizey) == 20 && offsetof(cufinufft_opts, gpu_binsizez) == 24);
static_assert(offsetof(cufinufft_opts, gpu_obinsizex) == 28 && offsetof(cufinufft_opts, gpu_obinsizey) == 32);
static_assert(offsetof(cufinufft_opts, gpu_obinsizez) == 36 && offsetof(cufinufft_opts, gpu_maxsubprobsize) == 40);
static_assert(offsetof(cufinufft_opts, gpu_kerevalmeth) == 44 && offsetof(cufinufft_opts, gpu_spreadinterponly) == 48);
static_assert(offsetof(cufinufft_opts, gpu_maxbatchsize) == 52 && offsetof(cufinufft_opts, gpu_device_id) == 56);
static_assert(offsetof(cufinufft_opts, gpu_stream) == 64 && offsetof(cufinufft_opts, modeord) == 72);
static_assert(offsetof(cufinufft_opts, gpu_np) == 76 && offsetof(cufinufft_opts, debug) == 80);

TEST(Defaults, of_finufft) {
  finufft_opts opts;
  finufft_default_opts(&opts);
  EXPECT_EQ(opts.showwarn, 1);
  EXPECT_EQ(opts.fftw, FINUFFT_FFT_DEFAULT);
  EXPECT_EQ(opts.spread_sort, 2);
  EXPECT_EQ(opts.spread_kerevalmeth, 1);
  EXPECT_EQ(opts.spread_kerpad, 1);
  EXPECT_EQ(opts.upsampfac, 0);
  EXPECT_EQ(opts.spread_nthr_atomic, -1);
  EXPECT_EQ(opts.allow_eps_too_small, 0);
}

TEST(Defaults, of_cufinufft) {
  cufinufft_opts opts;
  cufinufft_default_opts(&opts);
  EXPECT_EQ(opts.upsampfac, 0);
  EXPECT_EQ(opts.gpu_sort, 1);
  EXPECT_EQ(opts.gpu_maxsubprobsize, 1024);
  EXPECT_EQ(opts.gpu_kerevalmeth, 1);
  EXPECT_EQ(opts.gpu_stream, nullptr);
}
