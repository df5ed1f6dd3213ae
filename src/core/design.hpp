// Everything that is chosen from a problem, its tolerance and the options, before a device is touched: an immutable value.
// Flow: validate -> choose sigma and width (cost) -> grid -> polynomial and deconvolution. Engines read it and choose nothing.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/options.hpp"
#include "core/polynomial.hpp"
#include "core/types.hpp"
#include "core/window.hpp"

namespace offgrid {

// What core knows of an engine when it weighs costs: relative times of the elementary steps.
struct BackendTraits {
  std::string name;
  int lanes_f32 = 16, lanes_f64 = 8;  // reals in a vector: a row of w complex cells costs ceil(2w / lanes) of them
};

struct Design {
  Problem problem;
  Options options;
  Sign sign = Sign::minus;  // of the forward transform
  Window window;
  Sizes grid{1, 1, 1};
  Polynomial polynomial;
  std::array<std::vector<double>, max_dim> deconvolution;  // [axis][|k|], k = 0 .. N/2
  std::int64_t batch = 1;          // vectors worked on together
  double expected_error = 0;       // relative l2, of the transform as designed
  double reachable_tolerance = 0;  // the smallest tolerance that this problem can be given
  bool empty = false;              // some axis has no modes

  [[nodiscard]] int dim() const { return problem.dim; }
  [[nodiscard]] std::int64_t mode_count() const { return problem.modes[0] * problem.modes[1] * problem.modes[2]; }
};

Design make_design(const Problem& problem, const Options& options, const BackendTraits& traits);

// The choices in words, one a line.
std::string describe(const Design& design);

}  // namespace offgrid
