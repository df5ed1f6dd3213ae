// How an error leaves a drop-in library. Inside, what is wrong is thrown as Refused, with one of the peers' codes; guard, at
// the edge, prints its message to stderr, as the peers do, and returns the code. A body that ends well returns nothing,
// or the code of a warning.
#pragma once

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <type_traits>

#include "finufft_errors.h"
#include "offgrid/offgrid.h"

namespace compat {

// Which of the two libraries this is.
struct Library {
  const char* name;
  int out_of_memory;  // the code for it
};

struct Refused {
  int code;
  std::string message;
};

// Throws what offgrid's status means, with offgrid's own words.
inline void check(const Library& library, offgrid_status status) {
  switch (status) {
    case OFFGRID_OK:
      return;
    case OFFGRID_INVALID_ARGUMENT:
      throw Refused{FINUFFT_ERR_INVALID_ARGUMENT, offgrid_last_error()};
    case OFFGRID_WRONG_STATE:
      throw Refused{FINUFFT_ERR_PLAN_NOTVALID, offgrid_last_error()};
    case OFFGRID_OUT_OF_MEMORY:
      throw Refused{library.out_of_memory, offgrid_last_error()};
    case OFFGRID_DEVICE_ERROR:
      throw Refused{FINUFFT_ERR_CUDA_FAILURE, offgrid_last_error()};
    case OFFGRID_INTERNAL_ERROR:
      break;
  }
  throw Refused{FINUFFT_ERR_UNKNOWN_EXCEPTION, offgrid_last_error()};
}

inline int report(const Library& library, const char* function, int code, const char* message) noexcept {
  std::fprintf(stderr, "[%s_%s] error %d: %s\n", library.name, function, code, message);
  return code;
}

template <class F> int guard(const Library& library, const char* function, F&& body) noexcept try {
  if constexpr (std::is_void_v<decltype(body())>) {
    body();
    return 0;
  } else {
    return body();
  }
} catch (const Refused& refused) {
  return report(library, function, refused.code, refused.message.c_str());
} catch (const std::bad_alloc&) {
  return report(library, function, FINUFFT_ERR_ALLOC, "out of memory");
} catch (const std::exception& error) {
  return report(library, function, FINUFFT_ERR_UNKNOWN_EXCEPTION, error.what());
}

}  // namespace compat
