// Launchers of the kernels around slicing and matching. All pointers are to the device. Slices are rows of `pixels` numbers,
// padded with zeros to a multiple of `row_step`, so that rows are aligned and products may run over the padding.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace cli::mtip {

constexpr std::size_t row_step = 16;
inline std::size_t padded_row(std::size_t pixels) { return (pixels + row_step - 1) / row_step * row_step; }

// x = 2 pi R q: [rotations, pixels] for each axis.
template <class T> struct PointsOut { T *x, *y, *z; };
struct PointsIn {
  const double* rotations;  // [rotations, 9]
  const double* pixels;     // [pixels, 3]
  std::size_t rotation_count, pixel_count;
};
template <class T> void launch_points(const PointsIn& in, const PointsOut<T>& out, cudaStream_t stream);

void launch_to_complex(const float* real, float2* complex, std::size_t count, cudaStream_t stream);

struct Rows {
  float* values;
  std::size_t count, pixels, stride;
};
// |F| of values [count, pixels] into rows.
void launch_lengths(const float2* values, const Rows& rows, cudaStream_t stream);

// Sums and sums of squares over the rows, for each pixel: sums[pixels, 2]. partial: [row_pieces, pixels, 2].
constexpr std::size_t row_pieces = 64;
void launch_column_sums(const Rows& rows, double* partial, double* sums, cudaStream_t stream);

// z = (|F| - mean) * factor for each pixel, and norms |z|^2 of the rows.
struct Scales {
  const float *mean, *factor;  // [pixels]
};
void launch_whiten(const Rows& rows, const Scales& scales, float* norms, cudaStream_t stream);

// best: [images], the smallest distance |z|^2 - 2 z.image and its row as one number that compares like the distance.
using PackedMatch = unsigned long long;
constexpr PackedMatch no_match = ~PackedMatch{0};
struct Images2d {
  const float* values;
  std::size_t count, stride;
};
void launch_nearest(const Images2d& images, const Rows& slices, const float* norms, PackedMatch* best,
                    cudaStream_t stream);

// Slices [images, tries] that are not whitened yet, each with its own image.
struct Tries {
  Rows slices;
  Scales scales;
  std::size_t tries;
};
void launch_nearest_try(const Images2d& images, const Tries& tries, PackedMatch* best, cudaStream_t stream);

inline std::int32_t match_index(PackedMatch match) { return static_cast<std::int32_t>(match & 0xffffffffu); }
float match_distance(PackedMatch match);

}  // namespace cli::mtip
