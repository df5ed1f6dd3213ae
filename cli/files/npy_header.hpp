// The header of an NPY file (numpy's array format, versions 1 to 3): a magic string, a length, and a Python dictionary
// literal {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }. The parser is pure and trusts nothing: it is
// fuzzed (tests/fuzz/npy_fuzz.cpp), and whatever it accepts describes data that lies inside the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cli {

struct NpyHeader {
  std::string dtype;  // without the byte order: "f4", "f8", "c8", "c16"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t data_offset = 0;
  std::size_t item_bytes = 0;

  [[nodiscard]] std::size_t count() const;  // of elements; cannot overflow in a header that parsed
};

// Throws InputError with a message that starts with `name` and says what was found and what was expected.
NpyHeader parse_npy_header(std::span<const std::byte> file, const std::string& name);

// The bytes that come before the data, padded so that the data is aligned to 64.
std::string make_npy_header(const std::string& dtype, const std::vector<std::int64_t>& shape);

// "(3, 4)", as numpy prints it.
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace cli
