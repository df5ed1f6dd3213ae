// Turns a run-time integer into a compile-time one: dispatch<2, 16>(width, [&](auto w) { run<w()>(...); }).
#pragma once

#include <type_traits>

namespace offgrid {

template <int First, int Last, class F> decltype(auto) dispatch(int value, F&& body) {
  if constexpr (First < Last)
    if (value != First) return dispatch<First + 1, Last>(value, static_cast<F&&>(body));
  return body(std::integral_constant<int, First>{});
}

}  // namespace offgrid
