#include "cpu/fft/fft_long.hpp"

#include <algorithm>
#include <cmath>

namespace offgrid::cpu {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The largest divisor that is not above the square root.
std::int64_t balanced_divisor(std::int64_t n) {
  auto a = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
  while (n % a != 0) --a;
  return a;
}

template <class T> std::vector<T> paired_scale(const ModeMap& modes, const double* factors) {
  if (!factors) return {};
  std::vector<T> scale(2 * (modes.count + lines_at_once<T>()));
  for (std::int64_t i = 0; i < modes.count; ++i)
    scale[2 * i] = scale[2 * i + 1] = static_cast<T>(factors[modes.magnitude(i)]);
  return scale;
}

}  // namespace

template <class T>
LongFft<T>::LongFft(const ModeMap& modes, const double* factors)
    : modes_(modes),
      na_(balanced_divisor(modes.n)),
      nb_(modes.n / na_),
      columns_(na_),
      rows_(nb_),
      cuts_{0, modes.low() % na_, (modes.n - modes.high()) % na_, na_},
      scale_(paired_scale<T>(modes, factors)),
      lane_twiddles_(2 * lines_at_once<T>() * na_) {
  std::sort(cuts_.begin(), cuts_.end());
  make_twiddles();
}

template <class T> void LongFft<T>::make_twiddles() {
  const int v = lines_at_once<T>();
  const Roots roots(modes_.n);
  block_twiddles_.reserve(static_cast<std::size_t>(ceil_div(nb_, v) * na_));
  for (std::int64_t ib = 0; ib < nb_; ib += v)
    for (std::int64_t ka = 0; ka < na_; ++ka) block_twiddles_.emplace_back(roots(ka * ib));
  for (std::int64_t ka = 0; ka < na_; ++ka)
    for (int lane = 0; lane < v; ++lane) {
      const auto root = roots(ka * line_of_lane<T>(lane) % modes_.n);
      lane_twiddles_[(2 * ka) * v + lane] = static_cast<T>(root.real());
      lane_twiddles_[(2 * ka + 1) * v + lane] = static_cast<T>(root.imag());
    }
}

template <class T> std::int64_t LongFft<T>::scratch_per_thread() const {
  return std::max(pass_scratch(columns_), pass_scratch(rows_));
}

template <class T> std::int64_t LongFft<T>::table_bytes() const {
  return columns_.table_bytes() + rows_.table_bytes() + capacity_bytes(scale_) + capacity_bytes(block_twiddles_) +
         static_cast<std::int64_t>(lane_twiddles_.bytes());
}

template <class T> LineTwiddle<T> LongFft<T>::twiddle(Sign sign) const {
  return {block_twiddles_.data(), lane_twiddles_.data(), static_cast<T>(static_cast<int>(sign))};
}

template <class T> AxisPass<T> LongFft<T>::column_pass(std::complex<T>* row, Sign sign) const {
  AxisPass<T> pass;
  pass.plan = &columns_;
  pass.in.data = pass.out.data = row;
  pass.in.stride = pass.out.stride = nb_;
  pass.in.segments = pass.out.segments = {Segment{0, na_}};
  pass.lines = nb_;
  pass.sign = sign;
  return pass;
}

// Line ka + first_ka, point kb: mode ka + first_ka + na * kb. Valid up to the next cut.
template <class T>
template <class Element>
Lines<T, Element> LongFft<T>::mode_lines(Element* modes, std::int64_t first_ka) const {
  const std::int64_t low_count = ceil_div(std::max<std::int64_t>(0, modes_.low() - first_ka), na_);
  const std::int64_t high_mode = modes_.n - modes_.high();
  const std::int64_t high_begin = std::min(nb_, ceil_div(std::max<std::int64_t>(0, high_mode - first_ka), na_));
  const std::int64_t low_at = modes_.first_low() + first_ka;
  const std::int64_t high_at = modes_.first_high() + first_ka + na_ * high_begin - high_mode;
  Lines<T, Element> lines;
  lines.data = modes;
  lines.stride = na_;
  lines.segments = {Segment{0, low_count, low_at, 2 * low_at},
                    Segment{high_begin, nb_ - high_begin, high_at, 2 * high_at}};
  lines.scale = scale_.empty() ? nullptr : scale_.data();
  lines.scale_stride = 2 * na_;
  lines.scale_lines = true;
  return lines;
}

template <class T>
template <class Element>
Lines<T, Element> LongFft<T>::row_lines(Element* row, std::int64_t first_ka) const {
  Lines<T, Element> lines;
  lines.data = row + first_ka * nb_;
  lines.line_stride = nb_;
  lines.segments = {Segment{0, nb_}};
  return lines;
}

template <class T>
void LongFft<T>::grid_to_modes(std::complex<T>* row, std::complex<T>* modes, Sign sign,
                               const Workers<T>& workers) const {
  AxisPass<T> columns = column_pass(row, sign);
  columns.out.twiddle = twiddle(sign);
  run_pass(columns, workers);
  for (int i = 0; i < 3; ++i) {
    const std::int64_t ka = cuts_[i];
    const AxisPass<T> rows{
        &rows_, row_lines<const std::complex<T>>(row, ka), mode_lines(modes, ka), cuts_[i + 1] - ka, 1, sign};
    run_pass(rows, workers);
  }
}

template <class T>
void LongFft<T>::modes_to_grid(const std::complex<T>* modes, std::complex<T>* row, Sign sign,
                               const Workers<T>& workers) const {
  for (int i = 0; i < 3; ++i) {
    const std::int64_t ka = cuts_[i];
    const AxisPass<T> rows{&rows_, mode_lines(modes, ka), row_lines(row, ka), cuts_[i + 1] - ka, 1, sign};
    run_pass(rows, workers);
  }
  AxisPass<T> columns = column_pass(row, sign);
  columns.in.twiddle = twiddle(sign);
  run_pass(columns, workers);
}

template class LongFft<float>;
template class LongFft<double>;

}  // namespace offgrid::cpu
