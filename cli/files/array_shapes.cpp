#include "files/array_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>

namespace cli {
namespace {

constexpr double largest_coordinate = 1e9;  // larger ones the library refuses, but it does not say where they are

[[noreturn]] void refuse(const NpyArray& array, const std::string& expected) {
  throw InputError(array.name() + ": its shape is " + shape_text(array.shape()) + ", expected " + expected);
}

enum class Layout { columns, rows };

Layout layout_of(const NpyArray& array, std::size_t dim) {
  const auto wanted = static_cast<std::int64_t>(dim);
  if (array.shape()[1] == wanted) return Layout::columns;
  if (array.shape()[0] == wanted) return Layout::rows;
  refuse(array, format("(M, %zu), one row per point, or (%zu, M), one row per axis", dim, dim));
}

}  // namespace

KnownDimension dimension_of_modes(const Shape& modes) {
  return {modes.size(), format("--modes has %zu sizes", modes.size())};
}

std::size_t dimension_of(const CoordinateFiles& given, const KnownDimension& known) {
  const auto& files = given.files;
  if (files.size() > 3) throw InputError(format("%s: give one NPY file, or one per axis, at most 3", given.option));
  for (const auto& file : files)
    if (file.shape().size() != 1 && (files.size() > 1 || file.shape().size() != 2))
      refuse(file, files.size() > 1 ? "(M,): one coordinate of every point" : "(M,) in 1D, or (M, d)");
  if (files.size() > 1 || files[0].shape().size() == 1) {
    if (known.dim != 0 && known.dim != files.size())
      throw InputError(format("%s but %s gives %zu coordinates per point; they must agree", known.in_words.c_str(),
                              given.option, files.size()));
    return files.size();
  }
  if (known.dim >= 1 && known.dim <= 3) return known.dim;
  const Shape& shape = files[0].shape();
  const std::int64_t dim = shape[1] <= 3 ? shape[1] : shape[0];
  if (known.dim != 0 || dim < 1 || dim > 3) refuse(files[0], "(M, d) or (d, M) with d = 1, 2 or 3");
  return static_cast<std::size_t>(dim);
}

template <class T> std::vector<Values<T>> read_points(const std::vector<NpyArray>& files, std::size_t dim) {
  std::vector<Values<T>> axes;
  if (files[0].shape().size() == 1) {
    for (const auto& file : files) {
      if (file.shape() != files[0].shape())
        refuse(file, shape_text(files[0].shape()) + " as " + files[0].name() + " has");
      axes.push_back(file.values<T>());
    }
    return axes;
  }
  const Layout layout = layout_of(files[0], dim);
  for (std::size_t axis = 0; axis < dim; ++axis)
    axes.push_back(layout == Layout::columns ? files[0].column<T>(static_cast<std::int64_t>(axis))
                                             : files[0].row<T>(static_cast<std::int64_t>(axis)));
  return axes;
}

InputShape match_shape(const NpyArray& input, const Shape& expected, const std::string& meaning) {
  if (input.shape() == expected) return {expected, 0};
  if (input.shape().size() == expected.size() + 1) {
    InputShape found = split_batch(input, expected.size());
    if (found.inner == expected) return found;
  }
  std::string sizes;
  for (const auto size : expected) sizes += ", " + std::to_string(size);
  refuse(input, shape_text(expected) + ", " + meaning + ", or a batch of them, (B" + sizes + ")");
}

InputShape split_batch(const NpyArray& input, std::size_t inner_axes) {
  const Shape& shape = input.shape();
  if (shape.size() == inner_axes) return {shape, 0};
  if (shape.size() != inner_axes + 1)
    refuse(input, format("%zu ax%s, or one more in front for a batch", inner_axes, inner_axes == 1 ? "is" : "es"));
  if (shape[0] == 0) refuse(input, "at least one vector in the batch");
  return {Shape(shape.begin() + 1, shape.end()), shape[0]};
}

Shape reversed(const Shape& sizes) { return Shape(sizes.rbegin(), sizes.rend()); }

std::string in_numpy_order(const std::string& text) {
  static const std::regex sizes(R"((\d+) x (?:(\d+) x )?(\d+))");
  std::string result;
  auto rest = text.cbegin();
  for (std::smatch found; std::regex_search(rest, text.cend(), found, sizes); rest = found.suffix().first) {
    const std::string middle = found[2].matched ? found[2].str() + " x " : "";
    result += found.prefix().str() + found[3].str() + " x " + middle + found[1].str();
  }
  return result + std::string(rest, text.cend());
}

template <class T>
void require_good_points(const std::vector<NpyArray>& files, const std::vector<Values<T>>& axes, Coordinates allowed) {
  const bool is_periodic = allowed == Coordinates::periodic;
  const T most = is_periodic ? static_cast<T>(largest_coordinate) : std::numeric_limits<T>::max();
  const bool one_file = files[0].shape().size() == 2;
  const Layout layout = one_file ? layout_of(files[0], axes.size()) : Layout::columns;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const auto values = axes[axis].view();
    const auto bad = std::find_if(values.begin(), values.end(), [&](T value) { return !(std::abs(value) <= most); });
    if (bad == values.end()) continue;
    const auto point = static_cast<std::size_t>(bad - values.begin());
    const std::size_t row = layout == Layout::columns ? point : axis, column = layout == Layout::columns ? axis : point;
    const std::string place = one_file ? format("row %zu, column %zu", row, column) : format("row %zu", point);
    const std::string limit = is_periodic ? format(" of at most %g in size", largest_coordinate) : "";
    throw InputError(format("%s: %s (counted from 0) is %g, expected a finite coordinate%s",
                            files[one_file ? 0 : axis].name().c_str(), place.c_str(), static_cast<double>(*bad),
                            limit.c_str()));
  }
}

template void require_good_points<float>(const std::vector<NpyArray>&, const std::vector<Values<float>>&, Coordinates);
template void require_good_points<double>(const std::vector<NpyArray>&, const std::vector<Values<double>>&,
                                          Coordinates);
template std::vector<Values<float>> read_points<float>(const std::vector<NpyArray>&, std::size_t);
template std::vector<Values<double>> read_points<double>(const std::vector<NpyArray>&, std::size_t);

}  // namespace cli
