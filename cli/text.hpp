// Words for people: printf-style formatting into a string, readable amounts, and the error that means "the input or the
// usage is wrong" (exit code 2). A message names the thing, its value and what was expected.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace cli {

class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[gnu::format(printf, 1, 2)]] inline std::string format(const char* pattern, ...) {
  std::va_list list, again;
  va_start(list, pattern);
  va_copy(again, list);
  const int length = std::vsnprintf(nullptr, 0, pattern, list);
  va_end(list);
  std::string text(static_cast<std::size_t>(length < 0 ? 0 : length), '\0');
  std::vsnprintf(text.data(), text.size() + 1, pattern, again);
  va_end(again);
  return text;
}

// "12.3 MB"
inline std::string readable_bytes(double bytes) {
  static constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  int unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
  return format(unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
}

// "0.123 ms", "4.56 s"
inline std::string readable_seconds(double seconds) {
  if (seconds < 1e-3) return format("%.3g us", seconds * 1e6);
  if (seconds < 1) return format("%.3g ms", seconds * 1e3);
  return format("%.3g s", seconds);
}

// "256 x 256", the first axis first.
inline std::string readable_sizes(const std::vector<std::int64_t>& sizes) {
  std::string text;
  for (const auto size : sizes) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

}  // namespace cli
