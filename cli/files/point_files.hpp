// Points in NPY files, one file per axis or one for all: opened, checked, and in the library's order of the axes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "axes.hpp"
#include "files/array_shapes.hpp"
#include "files/output_file.hpp"

namespace cli {

// `option`: what named them
inline CoordinateFiles open_files(const char* option, const std::vector<std::string>& paths) {
  CoordinateFiles opened{option, {}};
  for (const auto& path : paths) opened.files.emplace_back(path);
  return opened;
}

// Coordinates as files hold them, and in the library's order of the axes.
template <class T> struct ReadPoints {
  ReadPoints(const CoordinateFiles& given, std::size_t dim, Coordinates allowed)
      : values(read_points<T>(given.files, dim)) {
    require_good_points<T>(given.files, values, allowed);
    for (auto axis = values.rbegin(); axis != values.rend(); ++axis) axes.push_back(axis->view());
  }
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(axes[0].size()); }
  std::vector<Values<T>> values;
  AxisSpans<T> axes;
};

// run(T{}) with the precision that the points have.
template <class F> int in_precision_of(const CoordinateFiles& points, F&& run) {
  const NpyArray& first = points.files[0];
  if (first.dtype() == "f4") return run(float{});
  if (first.dtype() == "f8") return run(double{});
  throw InputError(first.name() + ": its dtype is " + first.dtype() + ", expected f4 or f8: points are real");
}

// An array that goes with points of T: as complex or as real numbers.
template <class V, class T> void require_dtype(const NpyArray& array) {
  if (array.dtype() == dtype_of<V>()) return;
  throw InputError(array.name() + ": its dtype is " + array.dtype() + ", expected " + dtype_of<V>() +
                   " to go with points of " + dtype_of<T>() + "; convert one of them with numpy's astype");
}

// The values of a file, which may be views of it; or none, where no path is given.
template <class V> struct FileValues {
  std::optional<NpyArray> file;
  std::optional<Values<V>> values;
  [[nodiscard]] std::span<const V> view() const { return values ? values->view() : std::span<const V>(); }
};

// Of a shape that is known, to go with points of T.
template <class V, class T>
FileValues<V> read_values(const std::string& path, const Shape& shape, const char* meaning) {
  FileValues<V> read;
  if (path.empty()) return read;
  read.file.emplace(path);
  if (read.file->shape() != shape)
    throw InputError(path + ": its shape is " + shape_text(read.file->shape()) + ", expected " + shape_text(shape) +
                     ", " + meaning);
  require_dtype<V, T>(*read.file);
  read.values.emplace(read.file->template values<V>());
  return read;
}

}  // namespace cli
