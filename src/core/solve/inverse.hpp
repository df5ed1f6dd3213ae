// Least squares: the modes f that minimise
//   sum over c and j of w[j] |(A S_c f)[j] - values[c][j]|^2 + regularisation |f|^2
// where A is the transform of type 2 and S_c the product with the sensitivities of coil c, or one without coils. The normal
// equations (sum over c of S_c* A* W A S_c + regularisation) f = sum over c of S_c* A* W values[c] are solved by conjugate
// gradients (Hestenes and Stiefel, 1952), with the Gram operator (gram.hpp) for A* W A.
#pragma once

#include "core/solve/gram.hpp"
#include "core/solve/iteration.hpp"

namespace offgrid {

// Arrays where the device can reach them; what is null is left out.
struct LeastSquares {
  RawPoints points{};
  const void* values = nullptr;   // [coils, or 1][points]
  const void* weights = nullptr;  // [points], real
  const void* coils = nullptr;    // [coils][N3][N2][N1]
  std::int64_t coil_count = 0;
  const void* start = nullptr;  // [N3][N2][N1], may be what the modes are written to
  double regularisation = 0;
  Iteration iteration{};
};

// modes: [N3][N2][N1], written; they are in place once the stream has done its work. problem.type is not heeded, and transforms
// of the options are for the coils to say.
void invert(const Problem& problem, const Options& options, const Backend& backend, const LeastSquares& asked,
            void* modes, Stream stream);

}  // namespace offgrid
