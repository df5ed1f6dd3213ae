// Fuzzes the NPY reader: any bytes are either refused with InputError or describe data that lies inside the file, of
// which every element can be read.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "files/npy.hpp"

namespace {

// Touches every element, so that the sanitizer sees a read outside of the file.
void read_all(const cli::NpyHeader& header, const std::uint8_t* file) {
  std::uint8_t sum = 0;
  const std::size_t bytes = header.count() * header.item_bytes;
  for (std::size_t i = 0; i < bytes; ++i) sum = static_cast<std::uint8_t>(sum + file[header.data_offset + i]);
  volatile std::uint8_t keep = sum;
  (void)keep;
}

void reorder_doubles(const cli::NpyHeader& header, const std::uint8_t* file) {
  std::vector<double> values(header.count());
  std::memcpy(values.data(), file + header.data_offset, values.size() * sizeof(double));
  const auto result = cli::reorder<double>(values, header.shape);
  if (result.size() != values.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto header = cli::parse_npy_header(std::as_bytes(std::span(data, size)), "fuzz");
    if (header.data_offset > size || header.count() * header.item_bytes > size - header.data_offset) std::abort();
    read_all(header, data);
    if (header.dtype == "f8" && header.count() > 0) reorder_doubles(header, data);
  } catch (const cli::InputError&) {
  }
  return 0;
}
