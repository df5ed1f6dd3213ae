// Every operator new and delete of this test program, the library's own included: counted, and made to fail on demand.
#pragma once

namespace support::allocations {

long live();                 // allocated and not yet freed
long bytes();                // of those, as malloc rounds them
long calls();                // since the program started
void fail_from_now(long n);  // the n-th allocation from now throws std::bad_alloc, once
bool disarm();               // true if it has thrown

}  // namespace support::allocations
