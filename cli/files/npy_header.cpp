#include "files/npy_header.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "text.hpp"

namespace cli {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t most_axes = 32;  // numpy's own limit before version 2

// Reads the dictionary literal from left to right; every mismatch ends in fail().
class Cursor {
 public:
  Cursor(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(name_ + ": " + problem + " in the NPY header; write the file with numpy.save");
  }

  bool accept(char wanted) {
    skip_space();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) fail(format("expected '%c'", wanted));
  }

  std::string quoted() {
    skip_space();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) fail("expected a quoted word");
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) fail("a quoted word does not end");
    std::string word(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return word;
  }

  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"})
      if (rest_.substr(0, word.size()) == word) {
        rest_.remove_prefix(word.size());
        return word == "True";
      }
    fail("fortran_order is neither True nor False");
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    expect('(');
    while (!accept(')')) {
      values.push_back(size());
      if (values.size() > most_axes) fail(format("the shape has more than %zu axes", most_axes));
      if (accept(')')) break;
      expect(',');
    }
    return values;
  }

  bool at_end() {
    skip_space();
    return rest_.empty();
  }

 private:
  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
  }

  std::int64_t size() {
    skip_space();
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (problem == std::errc::result_out_of_range) fail("a size in the shape does not fit into 64 bits");
    if (problem != std::errc{}) fail("expected a whole number in the shape");
    if (value < 0) fail(format("the shape has the negative size %lld", static_cast<long long>(value)));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (!rest_.empty() && rest_.front() == 'L') rest_.remove_prefix(1);  // written by Python 2
    return value;
  }

  std::string_view rest_;
  const std::string& name_;
};

struct Entries {
  std::string descr;
  NpyHeader header;
  bool has_descr = false, has_order = false, has_shape = false;
};

void read_entry(Cursor& cursor, Entries& entries) {
  const std::string key = cursor.quoted();
  cursor.expect(':');
  const auto once = [&](bool& seen) {
    if (std::exchange(seen, true)) cursor.fail("the key '" + key + "' comes twice");
  };
  if (key == "descr") {
    once(entries.has_descr);
    if (cursor.accept('[')) cursor.fail("a structured dtype, where f4, f8, c8 or c16 was expected,");
    entries.descr = cursor.quoted();
  } else if (key == "fortran_order") {
    once(entries.has_order);
    entries.header.fortran_order = cursor.boolean();
  } else if (key == "shape") {
    once(entries.has_shape);
    entries.header.shape = cursor.tuple();
  } else {
    cursor.fail("unknown key '" + key.substr(0, 40) + "'");
  }
}

Entries read_dictionary(Cursor& cursor) {
  Entries entries;
  cursor.expect('{');
  while (!cursor.accept('}')) {
    read_entry(cursor, entries);
    if (cursor.accept('}')) break;
    cursor.expect(',');
  }
  if (!cursor.at_end()) cursor.fail("text after the dictionary");
  if (!entries.has_descr || !entries.has_order || !entries.has_shape)
    cursor.fail("one of 'descr', 'fortran_order' and 'shape' is missing");
  return entries;
}

// Splits "<f8" into the byte order, which must be this machine's, and "f8".
void read_dtype(const std::string& descr, NpyHeader& header, const std::string& name) {
  header.dtype = descr.empty() ? "" : descr.substr(1);
  static constexpr std::pair<std::string_view, std::size_t> known[] = {{"f4", 4}, {"f8", 8}, {"c8", 8}, {"c16", 16}};
  for (const auto& [dtype, bytes] : known)
    if (header.dtype == dtype) header.item_bytes = bytes;
  if (header.item_bytes == 0)
    throw InputError(name + ": its dtype is '" + descr.substr(0, 40) +
                     "', expected float32 or float64 for points, complex64 or complex128 for values; convert it with "
                     "numpy's astype");
  if (descr[0] == '>')
    throw InputError(name + ": its numbers are big-endian ('" + descr +
                     "'), expected little-endian; convert it with a.astype('<" + header.dtype + "')");
  if (descr[0] != '<' && descr[0] != '=') throw InputError(name + ": unknown byte order in the dtype '" + descr + "'");
}

// Multiplies the sizes and throws before anything can overflow, then compares with what the file holds.
void check_extent(const NpyHeader& header, std::size_t file_bytes, const std::string& name) {
  std::size_t bytes = header.item_bytes;
  bool overflow = false;
  const bool empty = std::find(header.shape.begin(), header.shape.end(), 0) != header.shape.end();
  for (const auto size : header.shape)
    overflow |= __builtin_mul_overflow(bytes, static_cast<std::size_t>(size), &bytes);
  if (empty) bytes = 0;
  if (overflow && !empty)
    throw InputError(name + ": the shape " + shape_text(header.shape) + " is too large for any memory");
  const std::size_t present = file_bytes - header.data_offset;
  if (bytes > present)
    throw InputError(name + format(": the file is cut short: the shape %s of %s needs %zu bytes of data, there are %zu",
                                   shape_text(header.shape).c_str(), header.dtype.c_str(), bytes, present));
}

std::size_t little_endian(std::span<const std::byte> bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::size_t>(bytes[i]);
  return value;
}

}  // namespace

std::size_t NpyHeader::count() const {
  std::size_t product = 1;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  for (const auto size : shape) product *= static_cast<std::size_t>(size);
  return product;
}

NpyHeader parse_npy_header(std::span<const std::byte> file, const std::string& name) {
  if (file.size() < magic.size() + 4 || std::memcmp(file.data(), magic.data(), magic.size()) != 0)
    throw InputError(name + ": this is not an NPY file; write one with numpy.save");
  const int version = std::to_integer<int>(file[magic.size()]);
  if (version < 1 || version > 3) throw InputError(name + format(": NPY version %d, expected 1, 2 or 3", version));
  const std::size_t length_bytes = version == 1 ? 2 : 4, start = magic.size() + 2 + length_bytes;
  if (file.size() < start) throw InputError(name + ": the file is cut short inside the NPY header");
  const std::size_t length = little_endian(file.subspan(magic.size() + 2, length_bytes));
  if (length > file.size() - start)
    throw InputError(name + format(": the file is cut short: the NPY header needs %zu bytes, there are %zu", length,
                                   file.size() - start));
  Cursor cursor({reinterpret_cast<const char*>(file.data()) + start, length}, name);
  Entries entries = read_dictionary(cursor);
  entries.header.data_offset = start + length;
  read_dtype(entries.descr, entries.header, name);
  check_extent(entries.header, file.size(), name);
  return entries.header;
}

std::string make_npy_header(const std::string& dtype, const std::vector<std::int64_t>& shape) {
  std::string text = "{'descr': '<" + dtype + "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  const std::size_t fixed = magic.size() + 4 + 1;  // version, length and the closing newline
  text.append(63 - (fixed + text.size() + 63) % 64, ' ');
  text += '\n';
  std::string header(magic);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace cli
