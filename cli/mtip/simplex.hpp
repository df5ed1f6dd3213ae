// The smallest value of a function of a few numbers without derivatives: the simplex method of Nelder and Mead (1965).
#pragma once

#include <functional>
#include <vector>

namespace cli::mtip {

struct SimplexSearch {
  std::vector<double> steps;  // first step along each number
  int evaluations = 300;
};
std::vector<double> minimise(const std::function<double(const std::vector<double>&)>& function,
                             const std::vector<double>& start, const SimplexSearch& search);

}  // namespace cli::mtip
