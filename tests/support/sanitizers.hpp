// What runs under which sanitizer: some tests do on purpose what a sanitizer must report.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define OFFGRID_TEST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OFFGRID_TEST_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define OFFGRID_TEST_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define OFFGRID_TEST_TSAN 1
#endif
#endif

namespace support {

#if defined(OFFGRID_TEST_ASAN)
inline constexpr bool under_asan = true;
#else
inline constexpr bool under_asan = false;
#endif
#if defined(OFFGRID_TEST_TSAN)
inline constexpr bool under_tsan = true;
#else
inline constexpr bool under_tsan = false;
#endif

}  // namespace support
