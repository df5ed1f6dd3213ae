#include "mtip/match_cpu.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "oracle/parallel.hpp"

namespace cli::mtip {
namespace {

// Eight floats; the compiler makes two halves of them where the processor has no such vectors.
using Vector = float __attribute__((vector_size(32)));
constexpr std::size_t lanes = 8;
constexpr std::size_t tile_a = 3, tile_b = 4;  // 12 sums and 5 operands fit the 16 registers of AVX2
constexpr std::size_t block_b = 48;            // rows of b that stay in the second-level cache

struct Tile {
  const float* a[tile_a];
  const float* b[tile_b];
  std::size_t stride;
  float products[tile_a][tile_b];
};

[[gnu::always_inline]] inline void multiply(Tile& tile) {
  Vector sums[tile_a][tile_b] = {};
  for (std::size_t k = 0; k < tile.stride; k += lanes) {
    Vector a[tile_a];
    for (std::size_t i = 0; i < tile_a; ++i) std::memcpy(&a[i], tile.a[i] + k, sizeof(Vector));
    for (std::size_t j = 0; j < tile_b; ++j) {
      Vector b;
      std::memcpy(&b, tile.b[j] + k, sizeof b);
      for (std::size_t i = 0; i < tile_a; ++i) sums[i][j] += a[i] * b;
    }
  }
  for (std::size_t i = 0; i < tile_a; ++i) {
    for (std::size_t j = 0; j < tile_b; ++j) {
      float sum = 0;
      for (std::size_t lane = 0; lane < lanes; ++lane) sum += sums[i][j][lane];
      tile.products[i][j] = sum;
    }
  }
}

using Multiply = void (*)(Tile&);
void multiply_plain(Tile& tile) { multiply(tile); }

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void multiply_avx2(Tile& tile) { multiply(tile); }
Multiply best_multiply() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? multiply_avx2 : multiply_plain;
}
#else
Multiply best_multiply() { return multiply_plain; }
#endif

class Search {
 public:
  Search(const PaddedRows& a, const PaddedRows& b, const std::vector<float>& norms)
      : a_(a), b_(b), norms_(norms), multiply_(best_multiply()) {
    result_.index.assign(a.rows(), 0);
    result_.distance.assign(a.rows(), std::numeric_limits<float>::infinity());
  }

  Matches run() {
    oracle::parallel_ranges(static_cast<std::int64_t>(a_.rows()), [&](std::int64_t first, std::int64_t last) {
      for (std::size_t b = 0; b < b_.rows(); b += block_b)
        for (auto a = static_cast<std::size_t>(first); a < static_cast<std::size_t>(last); a += tile_a)
          compare({a, std::min(a + tile_a, static_cast<std::size_t>(last))}, {b, std::min(b + block_b, b_.rows())});
    });
    return std::move(result_);
  }

 private:
  struct Rows {
    std::size_t first, last;
  };

  // Rows beyond the last one are the last one again: its distance is computed twice, and nothing else happens.
  void compare(Rows a, Rows b) {
    Tile tile{};
    tile.stride = a_.stride();
    for (std::size_t i = 0; i < tile_a; ++i) tile.a[i] = a_.row(std::min(a.first + i, a.last - 1));
    for (std::size_t column = b.first; column < b.last; column += tile_b) {
      for (std::size_t j = 0; j < tile_b; ++j) tile.b[j] = b_.row(std::min(column + j, b.last - 1));
      multiply_(tile);
      keep_smallest(tile, a, {column, std::min(column + tile_b, b.last)});
    }
  }

  void keep_smallest(const Tile& tile, Rows a, Rows b) {
    for (std::size_t i = a.first; i < a.last; ++i) {
      for (std::size_t j = b.first; j < b.last; ++j) {
        const float distance = norms_[j] - 2 * tile.products[i - a.first][j - b.first];
        if (distance >= result_.distance[i]) continue;
        result_.distance[i] = distance;
        result_.index[i] = static_cast<std::int32_t>(j);
      }
    }
  }

  const PaddedRows &a_, &b_;
  const std::vector<float>& norms_;
  Multiply multiply_;
  Matches result_;
};

}  // namespace

void PaddedRows::resize(std::size_t rows, std::size_t columns) {
  rows_ = rows;
  columns_ = columns;
  stride_ = (columns + lanes - 1) / lanes * lanes;
  if (rows * stride_ > values_.capacity()) values_ = std::vector<float>();  // gives back what is there
  values_.assign(rows * stride_, 0);
}

Matches nearest_rows(const PaddedRows& a, const PaddedRows& b, const std::vector<float>& norms) {
  return Search(a, b, norms).run();
}

float dot(const float* a, const float* b, std::size_t count) {
  float sums[lanes] = {};
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += a[k + lane] * b[k + lane];
  float sum = 0;
  for (; k < count; ++k) sum += a[k] * b[k];
  for (const float lane : sums) sum += lane;
  return sum;
}

}  // namespace cli::mtip
