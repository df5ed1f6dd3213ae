// Matching on the CPU: the row of b that is nearest to each row of a, by |b|^2 - 2 a.b: a matrix product in blocks, of which
// only the smallest entry of each row is kept.
#pragma once

#include <cstddef>
#include <vector>

#include "mtip/numerics.hpp"

namespace cli::mtip {

// Rows of floats, each padded with zeros to a multiple of the vectors' length.
class PaddedRows {
 public:
  void resize(std::size_t rows, std::size_t columns);
  [[nodiscard]] float* row(std::size_t i) { return values_.data() + i * stride_; }
  [[nodiscard]] const float* row(std::size_t i) const { return values_.data() + i * stride_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }

 private:
  std::size_t rows_ = 0, columns_ = 0, stride_ = 0;
  std::vector<float> values_;
};

// `norms`: |b|^2 of each row of b.
Matches nearest_rows(const PaddedRows& a, const PaddedRows& b, const std::vector<float>& norms);

float dot(const float* a, const float* b, std::size_t count);

}  // namespace cli::mtip
