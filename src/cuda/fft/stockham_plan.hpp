// How the Stockham FFT of a line of a grid is cut (stockham.cuh): into which radices, and among how many threads. The tuned
// numbers were found with `offgrid bench --device cuda` on an H200.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <numbers>
#include <vector>

#include "cuda/kernels/integers.hpp"

namespace offgrid::cuda {

// The most complex values that a thread holds: `few`, or `more` where that saves a stage or fills sectors of memory.
struct LineValues {
  int few, more;
};
constexpr LineValues line_values(std::size_t real_bytes) {
  return real_bytes == 4 ? LineValues{18, 20} : LineValues{12, 16};
}
// The most threads of each of two blocks that share a multiprocessor, where lines take `threads_per_line` threads each: with
// 256 threads a thread has 128 registers, with more 96.
constexpr int threads_of_two_blocks(std::size_t real_bytes, int threads_per_line) {
  return real_bytes == 4 ? 320 : threads_per_line > 128 ? 288 : 256;
}
// Four neighbouring values of f32 fill a sector of memory, or two of f64. Lines so long that two blocks of so many lines do not
// fit get a multiprocessor per block.
constexpr int lines_per_sector(std::size_t real_bytes) { return real_bytes == 4 ? 4 : 2; }
constexpr bool are_long_lines(std::size_t real_bytes, int threads_per_line) {
  return lines_per_sector(real_bytes) * threads_per_line > threads_of_two_blocks(real_bytes, threads_per_line);
}
constexpr int line_blocks(std::size_t real_bytes, int threads_per_line) {
  return are_long_lines(real_bytes, threads_per_line) ? 1 : 2;
}
constexpr int most_line_threads(std::size_t real_bytes, int threads_per_line) {
  return are_long_lines(real_bytes, threads_per_line) ? lines_per_sector(real_bytes) * threads_per_line
                                                      : threads_of_two_blocks(real_bytes, threads_per_line);
}
// Convolutions, which hold more at a time, have fewer, so that a thread has 144 registers or more (but in long lines of f32),
// or 224 in f64: the threads of as many lines, a power of two, as there is room for.
constexpr int most_convolution_threads(std::size_t real_bytes, int threads_per_line) {
  if (are_long_lines(real_bytes, threads_per_line)) return most_line_threads(real_bytes, threads_per_line);
  const int room = real_bytes == 4 ? 224 : 128;
  return threads_per_line * larger(1, static_cast<int>(std::bit_floor(static_cast<unsigned>(room / threads_per_line))));
}
// Passes of an axis in parts compute twiddle factors, too, and have 128 registers or more. But for rows, lines that are
// neighbours are neighbours in memory, so that a block has enough of them to fill sectors.
constexpr int most_part_threads(std::size_t real_bytes, int threads_per_line) {
  return larger(256, lines_per_sector(real_bytes) * threads_per_line);
}
constexpr int part_blocks(std::size_t real_bytes, int threads_per_line) {
  return most_part_threads(real_bytes, threads_per_line) > 256 ? 1 : 2;
}
// How many twiddle factors of a stage a thread reads before the values of that stage have arrived.
constexpr int prefetched_twiddles(std::size_t real_bytes) { return real_bytes == 4 ? 9 : 8; }
// A thread reads all that the second of two stages needs from tables before the values of the first stage arrive, if it
// then holds at most this many numbers (LinePlan::most_held): more would spill registers.
constexpr int most_held_ahead(std::size_t real_bytes) { return real_bytes == 4 ? 69 : 46; }
// Of shared memory per block, which every supported GPU has; long lines take what there is.
inline constexpr std::size_t most_line_bytes = 96 << 10;

inline constexpr int line_radices[] = {20, 18, 16, 15, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1};

// The lengths of lines that have kernels (stockham.cuh), and of grids along an axis. Lengths whose transform is slow are left
// out.
inline constexpr int line_sizes[] = {
    2,    3,    4,    5,    6,    8,    9,    10,   12,   15,   16,   18,   20,   24,   25,   27,   28,   30,
    32,   35,   36,   40,   42,   45,   48,   50,   54,   56,   60,   64,   70,   72,   75,   80,   84,   90,
    96,   100,  105,  108,  112,  120,  126,  128,  135,  144,  150,  160,  162,  180,  192,  200,  216,  225,
    240,  252,  256,  270,  288,  300,  320,  324,  360,  384,  400,  420,  432,  480,  512,  540,  576,  600,
    640,  648,  720,  768,  800,  864,  900,  960,  972,  1024, 1080, 1152, 1200, 1296, 1344, 1440, 1536, 1728,
    1800, 1920, 2048, 2160, 2304, 2400, 2560, 2700, 2880, 3072, 3375, 3600, 3840, 4096};
inline constexpr int longest_line = 4096, longest_convolution = 2048;

// A longer axis, if it is the only one, is transformed in two passes: its cells are rows of `length`, and the lines of one pass
// are the columns, those of the other the rows. Both lengths are among these.
inline constexpr int part_lengths[] = {60,  64,  72,  80,  90,  96,  108,  120,  128,  144,  150,  160,
                                       180, 192, 216, 240, 256, 288, 320,  360,  384,  432,  480,  512,
                                       576, 640, 720, 768, 864, 960, 1024, 1200, 1536, 1800, 1920, 2048};
struct AxisParts {
  int rows = 0, length = 0;  // 0: the axis is not one of those
};
// The parts that differ the least, by a factor of four at most.
constexpr AxisParts parts_of(std::int64_t cells) {
  AxisParts best{};
  if (cells <= longest_line) return best;
  for (const int rows : part_lengths) {
    const std::int64_t length = cells / rows;
    if (length < rows) break;
    if (length * rows != cells || length > std::int64_t{4} * rows) continue;
    if (std::binary_search(std::begin(part_lengths), std::end(part_lengths), length))
      best = {rows, static_cast<int>(length)};
  }
  return best;
}

// One stage transforms groups of `radix` values that are `apart` elements from each other. m is the product of the
// radices of the earlier stages. A thread takes `groups` groups.
struct LineStage {
  int radix, m, apart, groups;

  [[nodiscard]] constexpr int values() const { return radix * groups; }  // per thread
  // A thread reads the twiddle factors of a group whose indices are powers of two, and makes the others as products of
  // these. For the first `prefetched_groups` groups it reads them before the values have arrived.
  [[nodiscard]] constexpr int twiddles_read() const {
    return larger(1, std::bit_width(static_cast<unsigned>(radix - 1)));
  }
  [[nodiscard]] constexpr int prefetched_groups(std::size_t real_bytes) const {
    return smaller(groups, prefetched_twiddles(real_bytes) / twiddles_read());
  }
};

struct LinePlan {
  static constexpr int most_stages = 6;
  int stages = 0, threads = 0;
  LineStage stage[most_stages]{};

  // How many numbers a thread holds in a plan of two stages, if it reads the tables of the second stage before the
  // values of the first.
  [[nodiscard]] constexpr int most_held(bool crops, std::size_t real_bytes) const {
    const LineStage &first = stage[0], &second = stage[1];
    const int twiddles = second.prefetched_groups(real_bytes) * second.twiddles_read();
    return 2 * larger(first.values(), second.values()) + 2 * twiddles + (crops ? second.values() : 0);
  }

  // How many values all threads could hold, added up over the stages: the fewer, the fuller the threads are.
  [[nodiscard]] constexpr int room() const {
    int all = 0;
    for (int s = 0; s < stages; ++s) all += threads * stage[s].values();
    return all;
  }
};

// Returns the plan with the fewest stages, but at least two, in which no thread holds more than `values` values, and
// among these the one with the fullest threads. Where n has other factors than the radices, the plan has no stages.
constexpr LinePlan best_line_plan(int n, int values) {
  LinePlan best{}, now{};
  const auto finish = [&] {
    now.threads = 1;
    for (int s = 0; s < now.stages; ++s) {
      const int together = values / now.stage[s].radix;
      now.threads = larger(now.threads, (now.stage[s].apart + together - 1) / together);
    }
    for (int s = 0; s < now.stages; ++s) now.stage[s].groups = (now.stage[s].apart + now.threads - 1) / now.threads;
    if (best.stages == 0 || now.stages < best.stages || (now.stages == best.stages && now.room() < best.room()))
      best = now;
  };
  const auto search = [&](const auto& self, int m, int last) -> void {
    if (m == n && now.stages > 1) return finish();
    if (now.stages == LinePlan::most_stages) return;
    for (const int radix : line_radices) {
      const bool idle = radix == 1 && (now.stages > 0 || n > values);
      if (radix > last || n / m % radix != 0 || idle) continue;
      now.stage[now.stages++] = {.radix = radix, .m = m, .apart = n / radix, .groups = 0};
      self(self, m * radix, radix == 1 ? values : radix);
      --now.stages;
    }
  };
  search(search, 1, values);
  return best;
}

constexpr LinePlan line_plan(int n, std::size_t real_bytes) {
  const LineValues values = line_values(real_bytes);
  const LinePlan few = best_line_plan(n, values.few), more = best_line_plan(n, values.more);
  const bool shorter = are_long_lines(real_bytes, few.threads) && !are_long_lines(real_bytes, more.threads);
  return more.stages < few.stages || shorter ? more : few;
}

// The lengths of lines and of axes in parts.
inline const std::vector<int>& lengths_in_1d() {
  static const std::vector<int> lengths = [] {
    std::vector<int> all(std::begin(line_sizes), std::end(line_sizes));
    for (const int rows : part_lengths)
      for (const int length : part_lengths)
        if (rows <= length && parts_of(std::int64_t{rows} * length).rows == rows) all.push_back(rows * length);
    std::sort(all.begin(), all.end());
    return all;
  }();
  return lengths;
}

// The twiddle factors of the stages, [stage][i][j mod m][re, im].
template <class T> std::vector<T> make_twiddles(const LinePlan& plan) {
  std::vector<T> twiddles;
  for (int s = 1; s < plan.stages; ++s)
    for (int i = 1; i < plan.stage[s].radix; ++i)
      for (int q = 0; q < plan.stage[s].m; ++q) {
        const long double angle =
            2 * std::numbers::pi_v<long double> * (i * q) / (plan.stage[s].m * plan.stage[s].radix);
        twiddles.push_back(static_cast<T>(std::cos(angle)));
        twiddles.push_back(static_cast<T>(std::sin(angle)));
      }
  return twiddles;
}

// Those of a line of n cells, made once: the sines take as long as all else that set_points does with few points.
template <class T> const std::vector<T>& twiddles_of(int n) {
  static std::mutex mutex;
  static auto* kept = new std::map<int, std::vector<T>>;  // plans may outlive static objects
  const std::scoped_lock lock(mutex);
  const auto found = kept->find(n);
  return found != kept->end() ? found->second
                              : kept->emplace(n, make_twiddles<T>(line_plan(n, sizeof(T)))).first->second;
}

}  // namespace offgrid::cuda
