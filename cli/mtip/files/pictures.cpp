#include "mtip/files/pictures.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace cli::mtip {
namespace {

constexpr double nyquist = 0.5;  // cycles per voxel
constexpr std::int64_t gap = 6, label_height = 28, label_zoom = 2, least_panel = 200;
constexpr Colour separator = 70;

// What a column shows: [row, column] of the panel, row 0 at the bottom.
enum class View { slice_x, slice_y, slice_z, projection_z };
struct Column {
  const char* label;
  View view;
};
constexpr std::array columns{Column{"slice x = 0", View::slice_x}, Column{"slice y = 0", View::slice_y},
                             Column{"slice z = 0", View::slice_z}, Column{"projection along z", View::projection_z}};

double voxel(const Volume& volume, std::int64_t x, std::int64_t y, std::int64_t z) {
  const std::int64_t n = volume.size;
  return volume.values[static_cast<std::size_t>((z * n + y) * n + x)];
}

double seen(const Volume& volume, View view, std::int64_t row, std::int64_t column) {
  const std::int64_t n = volume.size, middle = n / 2;
  if (view == View::slice_x) return voxel(volume, middle, column, row);
  if (view == View::slice_y) return voxel(volume, column, middle, row);
  if (view == View::slice_z) return voxel(volume, column, row, middle);
  double sum = 0;
  for (std::int64_t z = 0; z < n; ++z) sum += voxel(volume, column, row, z);
  return sum;
}

std::vector<double> image_of(const Volume& volume, View view) {
  const std::int64_t n = volume.size;
  std::vector<double> image;
  image.reserve(static_cast<std::size_t>(n * n));
  for (std::int64_t row = 0; row < n; ++row)
    for (std::int64_t column = 0; column < n; ++column) image.push_back(seen(volume, view, row, column));
  return image;
}

// Slices share a scale, so that they can be compared with each other; a projection has one of its own.
double brightest(const Volume& volume, View view) {
  double most = 0;
  for (const Column& column : columns) {
    if ((column.view == View::projection_z) != (view == View::projection_z)) continue;
    const std::vector<double> image = image_of(volume, column.view);
    most = std::max(most, *std::max_element(image.begin(), image.end()));
  }
  return most > 0 ? most : 1;
}

}  // namespace

void save_density_picture(const std::string& path, const std::vector<DensityRow>& rows) {
  const std::int64_t size = rows.at(0).density.size, zoom = std::max<std::int64_t>(1, (least_panel + size - 1) / size);
  const std::int64_t side = size * zoom, step = side + gap;
  const auto row_count = static_cast<std::int64_t>(rows.size());
  const auto column_count = static_cast<std::int64_t>(columns.size());
  Picture picture(label_height + column_count * step, label_height + row_count * step, separator);
  for (std::int64_t c = 0; c < column_count; ++c) {
    const Column& column = columns[static_cast<std::size_t>(c)];
    const std::int64_t left = label_height + c * step;
    picture.write({left + (side - Picture::words_width(label_zoom, column.label)) / 2, 7}, label_zoom, column.label);
    for (std::int64_t r = 0; r < row_count; ++r) {
      const Volume& density = rows[static_cast<std::size_t>(r)].density;
      picture.draw({.corner = {left, label_height + r * step},
                    .size = size,
                    .zoom = zoom,
                    .low = 0,
                    .high = brightest(density, column.view),
                    .map = heat_map},
                   image_of(density, column.view));
    }
  }
  for (std::int64_t r = 0; r < row_count; ++r) {
    const std::string& label = rows[static_cast<std::size_t>(r)].label;
    const std::int64_t middle = label_height + r * step + side / 2;
    picture.write_upwards({7, middle + Picture::words_width(label_zoom, label) / 2}, label_zoom, label);
  }
  picture.save_png(path);
}

Plot fsc_plot(const std::string& title, const std::vector<FscCurve>& curves) {
  Plot plot{.title = title,
            .x = {.label = "|q| / Nyquist", .low = 0, .high = 1},
            .y = {.label = "Fourier shell correlation", .low = 0, .high = 1},
            .curves = {},
            .levels = {0.5}};
  for (const FscCurve& curve : curves) {
    Curve drawn{.label = curve.label, .x = curve.q, .y = curve.fsc, .colour = curve_colour(plot.curves.size())};
    for (double& q : drawn.x) q /= nyquist;
    plot.curves.push_back(std::move(drawn));
  }
  return plot;
}

void save_fsc_picture(const std::string& path, const std::string& title, const std::vector<FscCurve>& curves) {
  fsc_plot(title, curves).save(path);
}

}  // namespace cli::mtip
