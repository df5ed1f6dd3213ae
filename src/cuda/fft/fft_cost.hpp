// What the FFT of a grid costs, for the choice of sigma and width. Picoseconds on an H200.
#pragma once

#include "core/types.hpp"

namespace offgrid::cuda {

// The time for one of `transforms` vectors on a grid of this precision, with clearing.
double fft_time(const Problem& problem, const Sizes& grid, std::int64_t transforms, Precision of_grid);

}  // namespace offgrid::cuda
