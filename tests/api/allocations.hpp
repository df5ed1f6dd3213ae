// Every operator new and delete of this test program, the library's own included: counted, and made to fail on demand.
#pragma once

#include <cstddef>

namespace support::allocations {

long live();            // allocated and not yet freed
long bytes();           // of those, as malloc rounds them
long calls();           // since the program started
std::size_t largest();  // bytes that were asked for in one go, whether there was room or not
void forget_largest();
void fail_from_now(long n);  // the n-th allocation from now throws std::bad_alloc, once
bool disarm();               // true if it has thrown

// Whether the library allocates by these operators. Where the compiler puts a C++ runtime into it, it does not.
bool see_the_library();
inline constexpr const char* own_runtime =
    "the library has a C++ runtime of its own, whose allocations are not seen here";

}  // namespace support::allocations
