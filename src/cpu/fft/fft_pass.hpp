// One FFT axis pass: lines of n points are read from memory, transformed and written back, V lines at a time, where V
// is the number of reals in a SIMD vector and every lane holds its own line. Zero padding, cropping and deconvolution
// happen while the first radix reads and the last one writes. All reads of a block of lines come before its writes, so
// a pass may work in place.
#pragma once

#include <array>
#include <complex>
#include <cstdint>

#include "core/types.hpp"
#include "cpu/fft/fft_plan.hpp"

namespace offgrid::cpu {

// Points [position, position + count) of a line are in memory, one `stride` after the other from `offset`; their
// factors are from `scale_offset`.
struct Segment {
  std::int64_t position = 0, count = 0;
  std::int64_t offset = 0, scale_offset = 0;
};

// exp(2 pi i sign k l / n) for point k of line l, as the product of a factor a block of lines and one a lane.
template <class T> struct LineTwiddle {
  const std::complex<T>* blocks = nullptr;  // [block][point]
  const T* lanes = nullptr;  // [point][V reals, V imaginary parts], aligned, lanes in the order of line_of_lane
  T sign = 1;                // multiplies the imaginary part
};

// How the lines lie in memory; all strides in complex numbers. Points outside every segment read as zero and are not
// written. Line l is at (l % lines) * line_stride + (l / lines) * row_stride, with `lines` of the pass.
template <class T, class Element> struct Lines {
  Element* data = nullptr;
  std::int64_t stride = 1, line_stride = 1, row_stride = 0;
  std::array<Segment, 2> segments{};
  const T* scale = nullptr;       // null, or real factors: one per point, at scale_offset + i * scale_stride, or
  std::int64_t scale_stride = 1;  // with scale_lines two equal ones for every complex number, laid out like data
  bool scale_lines = false;
  LineTwiddle<T> twiddle{};  // if blocks is not null
};

template <class T> struct AxisPass {
  const FftPlan<T>* plan = nullptr;
  Lines<T, const std::complex<T>> in;
  Lines<T, std::complex<T>> out;
  std::int64_t lines = 1, rows = 1;
  Sign sign = Sign::minus;  // of i in the exponent; no normalisation
};

template <class T> int lines_at_once();  // V on this machine
template <> int lines_at_once<float>();
template <> int lines_at_once<double>();

// Lane i of a vector holds this line of a block: pairs of vectors are then split into real and imaginary parts, and
// joined again, without a move across 128-bit boundaries.
template <class T> int line_of_lane(int lane) { return lane / 2 + lane % 2 * (lines_at_once<T>() / 2); }

template <class T> std::int64_t pass_scratch(const FftPlan<T>& plan);  // reals of scratch that a thread needs

// The threads of one execute and their scratch, aligned to 64 bytes, `per_thread` reals each.
template <class T> struct Workers {
  int threads = 1;
  T* scratch = nullptr;
  std::int64_t per_thread = 0;
};

// Transforms all lines. Re-entrant; allocates nothing.
template <class T> void run_pass(const AxisPass<T>& pass, const Workers<T>& workers);

// At most V lines, the unit that run_pass deals out to its threads. Next comes the block at next_line.
struct LineBlock {
  std::int64_t index, first_line, next_line;
  int count;
};

template <class T, class Element>
std::int64_t line_offset(const AxisPass<T>& pass, const Lines<T, Element>& lines, std::int64_t line) {
  return line % pass.lines * lines.line_stride + line / pass.lines * lines.row_stride;
}

void run_block(const AxisPass<float>& pass, const LineBlock& block, float* scratch);
void run_block(const AxisPass<double>& pass, const LineBlock& block, double* scratch);

}  // namespace offgrid::cpu
