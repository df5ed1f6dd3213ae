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

}  // namespace offgrid
