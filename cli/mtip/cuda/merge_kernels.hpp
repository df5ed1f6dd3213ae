// Launchers of the kernels of merging: strengths, the two parts of the modes, and conjugate gradients whose scalars stay on
// the device. All pointers are to the device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace cli::mtip {

// w (1 + i I / scale) with w = |q|: [images, pixels]; intensities have rows of `stride`.
struct StrengthsIn {
  const float* intensities;
  const double* radius;  // [pixels]
  std::size_t images, pixels, stride;
  double scale;
};
void launch_strengths(const StrengthsIn& in, double2* strengths, cudaStream_t stream);

// The even parts of the modes on (2M-1)^3: the kernel on (2M-1)^3 and the right side, times scale, on M^3.
struct NormalParts {
  double *kernel, *right_side;
};
void launch_split(const double2* modes, int size, double scale, const NormalParts& out, cudaStream_t stream);

// Cubes of the FFT's size n >= 2M-1.
void launch_wrap_kernel(const double* kernel, int size, float* space, int n, cudaStream_t stream);
void launch_real_part(const float2* spectrum, float* real, std::size_t count, float scale, cudaStream_t stream);
void launch_pad(const float* a, int size, float* space, int n, cudaStream_t stream);
void launch_scale_spectrum(float2* spectrum, const float* factors, std::size_t count, cudaStream_t stream);
// result = space inside the ball + regularisation a
void launch_crop(const float* space, int n, const float* a, float regularisation, int size, float* result,
                 cudaStream_t stream);
void launch_inside(const double* from, float* to, int size, cudaStream_t stream);  // zero outside the ball

// Conjugate gradients.
struct Solver {
  std::size_t count;
  float *a, *r, *p, *t;
  double* partial;  // [solver_blocks]
  double* scalars;  // rr, alpha, beta, end
};
constexpr int solver_blocks = 128;
void launch_solver_start(const Solver& solver, double small, cudaStream_t stream);
void launch_solver_step(const Solver& solver, cudaStream_t stream);  // after t = (T + regularisation) p
void launch_symmetrise(float* a, std::size_t count, cudaStream_t stream);

// From the centre to FFT order, and sqrt(max(real, 0)).
void launch_shift(const float* a, float* space, int size, cudaStream_t stream);
void launch_root(const float2* spectrum, float* amplitudes, std::size_t count, cudaStream_t stream);

}  // namespace cli::mtip
