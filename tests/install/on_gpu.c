/* A program for cuFINUFFT's C interface: a transform of type 1 by a plan on a stream and by one call, against the sums. It
 * returns 77 where there is no GPU or the drop-in was built without its CUDA engine. */
#include <cuda_runtime.h>
#include <cufinufft.h>
#include <math.h>
#include <stdio.h>

enum { count = 1000, n1 = 20, n2 = 30, modes = n1 * n2, no_gpu = 77 };

static double x[count], y[count];
static cuDoubleComplex strengths[count], f[modes];

static void make_data(void) {
  for (int j = 0; j < count; ++j) {
    x[j] = 3 * sin(1.7 * j);
    y[j] = 3 * cos(2.3 * j);
    strengths[j].x = cos(0.9 * j);
    strengths[j].y = sin(0.4 * j);
  }
}

static void* on_gpu(const void* from, size_t bytes) {
  void* memory = NULL;
  if (cudaMalloc(&memory, bytes) != cudaSuccess) return NULL;
  if (cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice) != cudaSuccess) return NULL;
  return memory;
}

/* The relative l2 error of f, by the sums of exp(i (k1 x + k2 y)). */
static double error_of_f(void) {
  double wrong = 0, all = 0;
  for (int k2 = 0; k2 < n2; ++k2)
    for (int k1 = 0; k1 < n1; ++k1) {
      double re = 0, im = 0;
      for (int j = 0; j < count; ++j) {
        const double phase = (k1 - n1 / 2) * x[j] + (k2 - n2 / 2) * y[j];
        re += strengths[j].x * cos(phase) - strengths[j].y * sin(phase);
        im += strengths[j].x * sin(phase) + strengths[j].y * cos(phase);
      }
      const cuDoubleComplex got = f[n1 * k2 + k1];
      wrong += (got.x - re) * (got.x - re) + (got.y - im) * (got.y - im);
      all += re * re + im * im;
    }
  return sqrt(wrong / all);
}

/* Fetches f, after `code` was returned by what wrote it, and says whether it is right. */
static int is_right(const char* what, int code, const void* there) {
  if (cudaDeviceSynchronize() != cudaSuccess) code = -1;
  if (cudaMemcpy(f, there, sizeof f, cudaMemcpyDeviceToHost) != cudaSuccess) code = -1;
  const double error = code == 0 ? error_of_f() : 1;
  printf("%s: code %d, error %g\n", what, code, error);
  return cudaMemset((void*)there, 0, sizeof f) == cudaSuccess && error <= 1e-9;
}

static int by_plan(double* dx, double* dy, cuDoubleComplex* dc, cuDoubleComplex* df) {
  const int64_t sizes[] = {n1, n2};
  cudaStream_t stream;
  cufinufft_plan plan;
  cufinufft_opts opts;
  cufinufft_default_opts(&opts);
  if (cudaStreamCreate(&stream) != cudaSuccess) return -1;
  opts.gpu_stream = stream;
  int code = cufinufft_makeplan(1, 2, sizes, +1, 1, 1e-9, &plan, &opts);
  if (code) return code;
  code = cufinufft_setpts(plan, count, dx, dy, NULL, 0, NULL, NULL, NULL);
  if (code == 0) code = cufinufft_execute(plan, dc, df);
  if (cudaStreamSynchronize(stream) != cudaSuccess) return -1;
  return code ? code : cufinufft_destroy(plan);
}

int main(void) {
  const int64_t sizes[] = {n1, n2};
  cufinufft_plan plan;
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) return no_gpu;
  if (cufinufft_makeplan(1, 2, sizes, +1, 1, 1e-9, &plan, NULL) == FINUFFT_ERR_CUDA_FAILURE) return no_gpu;
  if (cufinufft_destroy(plan)) return 1;
  make_data();
  double *dx = on_gpu(x, sizeof x), *dy = on_gpu(y, sizeof y);
  cuDoubleComplex *dc = on_gpu(strengths, sizeof strengths), *df = on_gpu(f, sizeof f);
  if (!dx || !dy || !dc || !df) return 2;
  if (!is_right("by plan", by_plan(dx, dy, dc, df), df)) return 3;
  if (!is_right("by one call", cufinufft2d1(count, dx, dy, dc, +1, 1e-9, n1, n2, df, NULL), df)) return 4;
  return 0;
}
