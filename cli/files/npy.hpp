// NPY files as arrays: input is memory-mapped and used in place where its layout allows, output is written in C order.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "files/npy_header.hpp"
#include "text.hpp"

namespace cli {

// A whole regular file, read-only. Moving keeps the address.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class T> std::string dtype_of() {
  if constexpr (std::is_same_v<T, float>) return "f4";
  if constexpr (std::is_same_v<T, double>) return "f8";
  if constexpr (std::is_same_v<T, std::complex<float>>) return "c8";
  if constexpr (std::is_same_v<T, std::complex<double>>) return "c16";
}

// Elements in C order: in place in the file, or a copy where the file has another layout. Movable, not copyable.
template <class T> class Values {
 public:
  explicit Values(std::span<const T> in_place) : view_(in_place) {}
  explicit Values(std::vector<T> copy) : copy_(std::move(copy)), view_(copy_) {}
  Values(Values&&) noexcept = default;
  Values& operator=(Values&&) noexcept = default;

  [[nodiscard]] std::span<const T> view() const { return view_; }
  [[nodiscard]] bool in_place() const { return copy_.empty(); }

 private:
  std::vector<T> copy_;
  std::span<const T> view_;
};

class NpyArray {
 public:
  explicit NpyArray(const std::string& path)
      : name_(path), file_(path), header_(parse_npy_header(file_.bytes(), path)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return header_.shape; }
  [[nodiscard]] const std::string& dtype() const { return header_.dtype; }

  // All the elements in C order. The dtype must be T's.
  template <class T> [[nodiscard]] Values<T> values() const;

  // One column, or one row, of a (rows, columns) array.
  template <class T> [[nodiscard]] Values<T> column(std::int64_t index) const;
  template <class T> [[nodiscard]] Values<T> row(std::int64_t index) const;

 private:
  // Line `index` along one of the two axes of a matrix: in place where it is contiguous in the file.
  enum class Line { row, column };
  template <class T> [[nodiscard]] Values<T> line(Line kind, std::int64_t index) const;
  template <class T> [[nodiscard]] Values<T> in_file_order() const;

  std::string name_;
  MappedFile file_;
  NpyHeader header_;
};

// Writes `values` as an array of that shape (output_file.hpp).
void write_npy_bytes(const std::string& path, const std::string& header, std::span<const std::byte> data);

template <class T>
void write_npy(const std::string& path, std::span<const T> values, const std::vector<std::int64_t>& shape) {
  write_npy_bytes(path, make_npy_header(dtype_of<T>(), shape), std::as_bytes(values));
}

// Fortran order to C order: `source` has its first axis contiguous.
template <class T> std::vector<T> reorder(std::span<const T> source, const std::vector<std::int64_t>& shape) {
  std::vector<T> result(source.size());
  std::vector<std::int64_t> index(shape.size(), 0);
  for (auto& element : result) {
    std::int64_t position = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) position = position * shape[axis] + index[axis];
    element = source[static_cast<std::size_t>(position)];
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return result;
}

template <class T> Values<T> NpyArray::in_file_order() const {
  if (dtype() != dtype_of<T>()) throw InputError(name_ + ": its dtype is " + dtype() + ", expected " + dtype_of<T>());
  const std::byte* start = file_.bytes().data() + header_.data_offset;
  const std::size_t count = header_.count();
  if (reinterpret_cast<std::uintptr_t>(start) % alignof(T) == 0)
    return Values<T>(std::span(reinterpret_cast<const T*>(start), count));
  std::vector<T> copy(count);  // a header of an odd length
  std::copy_n(start, count * sizeof(T), reinterpret_cast<std::byte*>(copy.data()));
  return Values<T>(std::move(copy));
}

template <class T> Values<T> NpyArray::values() const {
  auto raw = in_file_order<T>();
  if (!header_.fortran_order || shape().size() < 2) return raw;
  return Values<T>(reorder(raw.view(), shape()));
}

template <class T> Values<T> NpyArray::line(Line kind, std::int64_t index) const {
  auto raw = in_file_order<T>();
  const auto rows = static_cast<std::size_t>(shape()[0]), columns = static_cast<std::size_t>(shape()[1]);
  const auto chosen = static_cast<std::size_t>(index), length = kind == Line::row ? columns : rows;
  const bool contiguous = (kind == Line::row) != header_.fortran_order;
  const bool in_place = contiguous && raw.in_place();
  if (in_place) return Values<T>(raw.view().subspan(chosen * length, length));
  const std::size_t step = contiguous ? 1 : (kind == Line::row ? rows : columns);
  const std::size_t start = contiguous ? chosen * length : chosen;
  std::vector<T> copy(length);
  for (std::size_t i = 0; i < length; ++i) copy[i] = raw.view()[start + i * step];
  return Values<T>(std::move(copy));
}

template <class T> Values<T> NpyArray::column(std::int64_t index) const { return line<T>(Line::column, index); }

template <class T> Values<T> NpyArray::row(std::int64_t index) const { return line<T>(Line::row, index); }

}  // namespace cli
