#include "cpu/spread/kernel_eval.hpp"

#include <algorithm>

namespace offgrid::cpu {

template <class T>
KernelTable<T>::KernelTable(const Polynomial& polynomial)
    : width(polynomial.width),
      degree(polynomial.degree),
      half(degree / 2 + 1),
      rows(std::int64_t{degree + 1} * row_pieces),
      even(std::int64_t{half} * max_pairs),
      odd(std::int64_t{half} * max_pairs) {
  std::fill_n(rows.data(), rows.size(), T{});
  std::fill_n(even.data(), even.size(), T{});
  std::fill_n(odd.data(), odd.size(), T{});
  for (int power = 0; power <= degree; ++power) {
    for (int piece = 0; piece < width; ++piece) {
      const T value = static_cast<T>(polynomial.coefficient(power, piece));
      rows[power * row_pieces + piece] = value;
      if (piece < (width + 1) / 2) (power % 2 == 0 ? even : odd)[power / 2 * max_pairs + piece] = value;
    }
  }
}

template struct KernelTable<float>;
template struct KernelTable<double>;

}  // namespace offgrid::cpu
