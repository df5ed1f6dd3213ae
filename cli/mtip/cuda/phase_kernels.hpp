// Launchers of the kernels of phasing. Grids are [batch, size, size, size] in FFT order, spectra [batch, size, size, size/2+1];
// target, radius and ball are those of one cube.
#pragma once

#include <cuda_runtime_api.h>

namespace cli::mtip {

struct PhaseGrid {
  int size, batch;
  float* density;  // all below: on the device
  float* projected;
  float* support;
  float2* spectrum;
  float* target;   // known amplitudes, below 0 where they are not known
  float* largest;  // [batch]
  double* errors;  // [batch]
};

void launch_targets(const float* amplitudes, float* target, int size, float cutoff, cudaStream_t stream);
void launch_ball(const PhaseGrid& grid, float radius_squared, cudaStream_t stream);  // into support
void launch_block_to_grid(const float* blocks, int block, const PhaseGrid& grid, cudaStream_t stream);
void launch_grid_to_block(const PhaseGrid& grid, int block, float* blocks, cudaStream_t stream);

void launch_put_amplitudes(const PhaseGrid& grid, cudaStream_t stream);
void launch_reduce_error(const PhaseGrid& grid, cudaStream_t stream);
void launch_hybrid(const PhaseGrid& grid, float beta, cudaStream_t stream);
void launch_positive(const PhaseGrid& grid, cudaStream_t stream);  // projected = max(density, 0)
void launch_blur(const PhaseGrid& grid, float decay, cudaStream_t stream);
void launch_shrink(const PhaseGrid& grid, float threshold, float radius_squared, cudaStream_t stream);
void launch_errors(const PhaseGrid& grid, cudaStream_t stream);  // of the spectrum's amplitudes

}  // namespace cli::mtip
