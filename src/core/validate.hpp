// What is refused before anything is chosen or allocated. Each check names the argument, its value and what was
// expected.
#pragma once

#include <cstdint>

#include "core/error.hpp"
#include "core/options.hpp"
#include "core/text.hpp"
#include "core/types.hpp"

namespace offgrid {

void validate(const Problem& problem, const Options& options);

// a * b * ..., or an error that names `what` where the product leaves 63 bits.
template <class... Rest> std::int64_t checked_product(const char* what, std::int64_t a, std::int64_t b, Rest... rest) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    throw Error(Status::invalid_argument, text(what, ": ", a, " x ", b, " is too large"));
  if constexpr (sizeof...(rest) == 0)
    return product;
  else
    return checked_product(what, product, rest...);
}

// Pointers of a call: there where they are needed, and aligned to the real numbers that they point to.
template <class T> void require_array(const char* what, const void* pointer, std::int64_t size) {
  if (size == 0) return;
  if (pointer == nullptr) throw Error(Status::invalid_argument, text(what, " is null, expected ", size, " elements"));
  if (reinterpret_cast<std::uintptr_t>(pointer) % alignof(T) != 0)
    throw Error(Status::invalid_argument, text(what, " is not aligned to ", alignof(T), " bytes"));
}

// An array that is read and one that is written at the same time.
template <class T> struct NamedArray {
  const char* name;
  const T* data;
  std::int64_t size;
};
inline constexpr const char* never_in_place = "expected two arrays, since no transform is done in place";
inline constexpr const char* one_or_apart = "expected one array for both, or two that are apart";
template <class T>
void require_apart(const NamedArray<T>& a, const NamedArray<T>& b, const char* expected = never_in_place) {
  const auto begin_a = reinterpret_cast<std::uintptr_t>(a.data), begin_b = reinterpret_cast<std::uintptr_t>(b.data);
  const std::uintptr_t end_a = begin_a + static_cast<std::uintptr_t>(a.size) * sizeof(T);
  const std::uintptr_t end_b = begin_b + static_cast<std::uintptr_t>(b.size) * sizeof(T);
  if (a.size == 0 || b.size == 0 || end_a <= begin_b || end_b <= begin_a) return;
  throw Error(Status::invalid_argument, text(a.name, " (", a.size, " elements) and ", b.name, " (", b.size,
                                             " elements) overlap in memory; ", expected));
}

}  // namespace offgrid
