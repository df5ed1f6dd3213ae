// The smaller and the larger of two integers, for constants of kernels: std::min returns a reference, which device code cannot
// take of a constant.
#pragma once

namespace offgrid::cuda {

constexpr int smaller(int a, int b) { return a < b ? a : b; }
constexpr int larger(int a, int b) { return a > b ? a : b; }

}  // namespace offgrid::cuda
