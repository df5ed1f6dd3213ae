#include "cpu/fft/fft_pass.hpp"

#include <algorithm>

#include "cpu/threads.hpp"

namespace offgrid::cpu {
namespace {

// Vectors of adjacent lines must not run from one row into the next; scattered lines may.
template <class T> bool keeps_to_rows(const AxisPass<T>& pass) {
  return pass.in.line_stride == 1 || pass.out.line_stride == 1;
}

std::int64_t blocks_of(std::int64_t lines, std::int64_t at_once) { return (lines + at_once - 1) / at_once; }

template <class T> LineBlock block_range(const AxisPass<T>& pass, std::int64_t block) {
  const std::int64_t at_once = lines_at_once<T>();
  if (!keeps_to_rows(pass)) {
    const std::int64_t first = block * at_once;
    return {block, first, first + at_once, static_cast<int>(std::min(at_once, pass.rows * pass.lines - first))};
  }
  const std::int64_t in_row = blocks_of(pass.lines, at_once);
  const std::int64_t line = block % in_row * at_once, first = block / in_row * pass.lines + line;
  const std::int64_t count = std::min(at_once, pass.lines - line);
  return {block, first, first + count, static_cast<int>(count)};
}

template <class T> std::int64_t block_count(const AxisPass<T>& pass) {
  if (!keeps_to_rows(pass)) return blocks_of(pass.rows * pass.lines, lines_at_once<T>());
  return pass.rows * blocks_of(pass.lines, lines_at_once<T>());
}

}  // namespace

// Two buffers for the Stockham passes. The odd cache lines between them keep the two apart in the sets of the cache.
template <class T> std::int64_t pass_scratch(const FftPlan<T>& plan) {
  const std::int64_t skew = 5 * 64 / sizeof(T);
  return 2 * (2 * lines_at_once<T>() * plan.size() + skew);
}

// Neighbouring blocks share cache lines and pages, so a thread takes several of them at a time.
template <class T> void run_pass(const AxisPass<T>& pass, const Workers<T>& workers) {
  const double time = fft_point_time * static_cast<double>(pass.lines * pass.rows * pass.plan->size());
  const int threads = threads_for(time, workers.threads);
  const std::int64_t blocks = block_count(pass);
  const std::int64_t a_job = std::clamp<std::int64_t>(blocks / (8 * threads), 1, 16);
  parallel_for({threads, time}, blocks_of(blocks, a_job), [&](std::int64_t job, int thread) {
    T* scratch = workers.scratch + thread * workers.per_thread;
    for (std::int64_t b = job * a_job; b < std::min(blocks, (job + 1) * a_job); ++b)
      run_block(pass, block_range(pass, b), scratch);
  });
}

template std::int64_t pass_scratch(const FftPlan<float>&);
template std::int64_t pass_scratch(const FftPlan<double>&);
template void run_pass(const AxisPass<float>&, const Workers<float>&);
template void run_pass(const AxisPass<double>&, const Workers<double>&);

}  // namespace offgrid::cpu
