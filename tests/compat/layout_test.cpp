// The structs of the options and the numbers of the codes, as programs that were compiled with the peers' headers have them,
// and the defaults of every option.
#include <cufinufft.h>
#include <finufft.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

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

static_assert(FINUFFT_WARN_EPS_TOO_SMALL == 1 && FINUFFT_ERR_MAXNALLOC == 2);
static_assert(FINUFFT_ERR_SPREAD_BOX_SMALL == 3 && FINUFFT_ERR_SPREAD_PTS_OUT_RANGE == 4);
static_assert(FINUFFT_ERR_SPREAD_ALLOC == 5 && FINUFFT_ERR_SPREAD_DIR == 6);
static_assert(FINUFFT_ERR_UPSAMPFAC_TOO_SMALL == 7 && FINUFFT_ERR_HORNER_WRONG_BETA == 8);
static_assert(FINUFFT_ERR_NTRANS_NOTVALID == 9 && FINUFFT_ERR_TYPE_NOTVALID == 10);
static_assert(FINUFFT_ERR_ALLOC == 11 && FINUFFT_ERR_DIM_NOTVALID == 12);
static_assert(FINUFFT_ERR_SPREAD_THREAD_NOTVALID == 13 && FINUFFT_ERR_NDATA_NOTVALID == 14);
static_assert(FINUFFT_ERR_CUDA_FAILURE == 15 && FINUFFT_ERR_PLAN_NOTVALID == 16);
static_assert(FINUFFT_ERR_METHOD_NOTVALID == 17 && FINUFFT_ERR_BINSIZE_NOTVALID == 18);
static_assert(FINUFFT_ERR_INSUFFICIENT_SHMEM == 19 && FINUFFT_ERR_NUM_NU_PTS_INVALID == 20);
static_assert(FINUFFT_ERR_INVALID_ARGUMENT == 21 && FINUFFT_ERR_LOCK_FUNS_INVALID == 22);
static_assert(FINUFFT_ERR_NTHREADS_NOTVALID == 23 && FINUFFT_ERR_KERFORMULA_NOTVALID == 24);
static_assert(FINUFFT_ERR_UNKNOWN_EXCEPTION == 25 && FINUFFT_ERR_EPS_TOO_SMALL == 26);
static_assert(FINUFFT_ERR_PSWF_SETUP == 27);

// Every byte is set to something else first, so that a field that is left out shows.
template <class Opts> Opts scribbled() {
  Opts opts;
  std::memset(static_cast<void*>(&opts), 0x5a, sizeof opts);
  return opts;
}

void expect_defaults_of_finufft(const finufft_opts& opts) {
  EXPECT_EQ(opts.modeord, 0);
  EXPECT_EQ(opts.spreadinterponly, 0);
  EXPECT_EQ(opts.debug, 0);
  EXPECT_EQ(opts.spread_debug, 0);
  EXPECT_EQ(opts.showwarn, 1);
  EXPECT_EQ(opts.nthreads, 0);
  EXPECT_EQ(opts.fftw, FINUFFT_FFT_DEFAULT);
  EXPECT_EQ(opts.spread_sort, 2);
  EXPECT_EQ(opts.spread_kerevalmeth, 1);
  EXPECT_EQ(opts.spread_kerpad, 1);
  EXPECT_EQ(opts.upsampfac, 0);
  EXPECT_EQ(opts.spread_thread, 0);
  EXPECT_EQ(opts.maxbatchsize, 0);
  EXPECT_EQ(opts.spread_nthr_atomic, -1);
  EXPECT_EQ(opts.spread_max_sp_size, 0);
  EXPECT_EQ(opts.spread_kerformula, 0);
  EXPECT_EQ(opts.allow_eps_too_small, 0);
  EXPECT_EQ(opts.fftw_lock_fun, nullptr);
  EXPECT_EQ(opts.fftw_unlock_fun, nullptr);
  EXPECT_EQ(opts.fftw_lock_data, nullptr);
}

TEST(Defaults, of_finufft) {
  auto opts = scribbled<finufft_opts>();
  finufft_default_opts(&opts);
  expect_defaults_of_finufft(opts);
  opts = scribbled<finufft_opts>();
  finufftf_default_opts(&opts);
  expect_defaults_of_finufft(opts);
}

TEST(Defaults, of_cufinufft) {
  auto opts = scribbled<cufinufft_opts>();
  cufinufft_default_opts(&opts);
  EXPECT_EQ(opts.upsampfac, 0);
  EXPECT_EQ(opts.gpu_method, 0);
  EXPECT_EQ(opts.gpu_sort, 1);
  EXPECT_EQ(opts.gpu_binsizex, 0);
  EXPECT_EQ(opts.gpu_binsizey, 0);
  EXPECT_EQ(opts.gpu_binsizez, 0);
  EXPECT_EQ(opts.gpu_obinsizex, 0);
  EXPECT_EQ(opts.gpu_obinsizey, 0);
  EXPECT_EQ(opts.gpu_obinsizez, 0);
  EXPECT_EQ(opts.gpu_maxsubprobsize, 1024);
  EXPECT_EQ(opts.gpu_kerevalmeth, 1);
  EXPECT_EQ(opts.gpu_spreadinterponly, 0);
  EXPECT_EQ(opts.gpu_maxbatchsize, 0);
  EXPECT_EQ(opts.gpu_device_id, 0);
  EXPECT_EQ(opts.gpu_stream, nullptr);
  EXPECT_EQ(opts.modeord, 0);
  EXPECT_EQ(opts.gpu_np, 0);
  EXPECT_EQ(opts.debug, 0);
}
