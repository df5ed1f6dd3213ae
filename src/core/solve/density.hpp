// Weights for the density of points, by the iteration of Pipe and Menon (Magnetic Resonance in Medicine 41, 179, 1999):
//   w <- w / |G G^T w|,  G the interpolation from a grid of twice the modes by a kernel of five cells
// until all of G G^T w is 1. A weight is then the part of the period that its point stands for.
#pragma once

#include "core/plan.hpp"
#include "core/solve/iteration.hpp"

namespace offgrid {

// weights: [points], written; all arrays where the device can reach them. problem.modes are those that the points sample; type
// and tolerance are not heeded, nor are options but deterministic, threads and those of methods on a GPU.
void find_density_weights(const Problem& problem, const Options& options, const Backend& backend,
                          const RawPoints& points, const Iteration& iteration, void* weights, Stream stream);

}  // namespace offgrid
