#include "mtip/files/diffraction_file.hpp"

#include "text.hpp"

#ifdef OFFGRID_HAS_HDF5
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <numeric>

#include "files/output_file.hpp"
#include "mtip/files/hdf5_file.hpp"
#include "mtip/rotations.hpp"
#endif

namespace cli::mtip {

#ifdef OFFGRID_HAS_HDF5
namespace {

constexpr const char* intensities_name = "intensities";
constexpr const char* positions_name = "pixel_position_reciprocal";
constexpr const char* index_name = "pixel_index_map";
constexpr const char* orientations_name = "orientations";
constexpr const char* volume_name = "volume";
constexpr const char* mask_name = "pixel_mask";
constexpr double metre = 1e10;  // Angstrom
constexpr double nyquist = 0.5;

// --- reading -----------------------------------------------------------------------------------------------------------
// The pixels of a file, all panels one after the other: scattering vectors in 1/Angstrom, and which of them are used.
struct FilePixels {
  std::vector<Vector3> q;
  std::vector<char> used;
  std::size_t row_length = 1;  // W, of one panel
};

std::size_t pixels_of(const Shape& intensities) {
  return std::accumulate(intensities.begin() + 1, intensities.end(), std::size_t{1}, std::multiplies<>());
}

void check_shape(const Hdf5File& file, const Shape& intensities) {
  if (intensities.size() < 2) file.refuse("\"intensities\" has one axis, expected (images, panels, H, W)");
  if (pixels_of(intensities) == 0 || intensities[0] == 0) file.refuse("\"intensities\" is empty");
}

FilePixels read_pixels(const Hdf5File& file, const Shape& intensities) {
  const std::size_t count = pixels_of(intensities);
  const Shape shape = file.shape(positions_name);
  const bool last = shape.back() == 3, first = shape.front() == 3;
  std::vector<double> values(3 * count);
  if (!last && !first) file.refuse("\"pixel_position_reciprocal\" has no axis of 3, expected (panels, H, W, 3)");
  file.read_rows(positions_name, 0, shape[0], values);
  if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
    file.refuse("\"pixel_position_reciprocal\" has values that are not finite");
  FilePixels pixels{.q = std::vector<Vector3>(count),
                    .used = std::vector<char>(count, 1),
                    .row_length = static_cast<std::size_t>(intensities.back())};
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      pixels.q[i][axis] = values[last ? 3 * i + axis : axis * count + i] / metre;
  if (!file.has(mask_name)) return pixels;
  std::vector<float> mask(count);
  file.read_rows(mask_name, 0, file.shape(mask_name)[0], mask);
  for (std::size_t i = 0; i < count; ++i) pixels.used[i] = mask[i] != 0;
  return pixels;
}

double length(const Vector3& q) { return std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]); }

double pixel_step(const FilePixels& pixels) {
  const Vector3 &a = pixels.q[0], &b = pixels.q[std::min<std::size_t>(1, pixels.q.size() - 1)];
  return pixels.row_length > 1 ? std::hypot(b[0] - a[0], b[1] - a[1]) : 0;
}

// The radius of the largest circle around q = 0 whose pixels, in each of the four directions, the detector has; 0 where there
// is none.
double edge_of(const FilePixels& pixels) {
  std::array<double, 4> reach{};
  for (const Vector3& q : pixels.q)
    for (std::size_t axis = 0; axis < 2; ++axis) {
      reach[2 * axis] = std::max(reach[2 * axis], q[axis]);
      reach[2 * axis + 1] = std::max(reach[2 * axis + 1], -q[axis]);
    }
  const double least = *std::min_element(reach.begin(), reach.end());
  return least > 0 ? least + pixel_step(pixels) / 2 : 0;
}

// The numbers of the used pixels, by ascending |q|. Equal ones keep their order.
std::vector<std::size_t> chosen_pixels(const Hdf5File& file, const FilePixels& pixels, double edge) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < pixels.q.size(); ++i)
    if (pixels.used[i] != 0 && length(pixels.q[i]) <= edge * (1 + 1e-9)) chosen.push_back(i);
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](std::size_t a, std::size_t b) { return length(pixels.q[a]) < length(pixels.q[b]); });
  // The weight of a pixel in merging is |q|: q = 0 alone has none.
  if (chosen.empty() || length(pixels.q[chosen.back()]) == 0)
    file.refuse(
        "no pixel is left within the largest circle that its detector covers; a pixel is used where \"pixel_mask\" is "
        "not 0");
  return chosen;
}

Detector detector_of(const FilePixels& pixels, const std::vector<std::size_t>& chosen, double edge) {
  const double step = pixel_step(pixels), scale = nyquist / edge;
  Detector detector;
  detector.shells = std::max(1, static_cast<int>(std::lround(step > 0 ? edge / step : 16)));
  detector.highest = nyquist;
  for (const std::size_t i : chosen) {
    const Vector3& q = pixels.q[i];
    const double radius = scale * length(q);
    detector.pixels.push_back({scale * q[0], scale * q[1], scale * q[2]});
    detector.radius.push_back(radius);
    detector.shell.push_back(std::min(static_cast<int>(radius / nyquist * detector.shells), detector.shells - 1));
    // On the Ewald sphere |q|^2 = -2 q_z / wavelength.
    if (q[2] < 0 && radius > 0.9 * nyquist) detector.wavelength = -2 * scale * q[2] / (radius * radius);
  }
  return detector;
}

Images read_images(const Hdf5File& file, const std::vector<std::size_t>& chosen, const ImageRange& range,
                   std::size_t pixels) {
  Images images{.count = range.count,
                .pixels = static_cast<std::int64_t>(chosen.size()),
                .intensities = std::vector<float>(static_cast<std::size_t>(range.count) * chosen.size())};
  std::vector<float> one(pixels);
  for (std::int64_t i = 0; i < range.count; ++i) {
    file.read_rows(intensities_name, static_cast<hsize_t>(range.first + i), 1, one);
    float* to = images.intensities.data() + i * images.pixels;
    for (const std::size_t pixel : chosen) *to++ = one[pixel];
  }
  if (!std::all_of(images.intensities.begin(), images.intensities.end(), [](float x) { return std::isfinite(x); }))
    file.refuse("\"intensities\" has values that are not finite");
  return images;
}

// Other lengths than 1 are taken, within reason.
bool is_direction(const Quaternion& q) {
  const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  return square > 1e-12 && square < 1e12;
}

std::vector<Rotation> read_rotations(const Hdf5File& file, const ImageRange& range) {
  if (!file.has(orientations_name) || range.count == 0) return {};
  std::vector<double> quaternions(4 * static_cast<std::size_t>(range.count));
  file.read_rows(orientations_name, static_cast<hsize_t>(range.first), static_cast<hsize_t>(range.count), quaternions);
  std::vector<Rotation> rotations;
  for (std::size_t i = 0; i < quaternions.size(); i += 4) {
    const Quaternion q{quaternions[i], quaternions[i + 1], quaternions[i + 2], quaternions[i + 3]};
    if (!is_direction(q))
      file.refuse(format("\"orientations\" of image %lld is (%g, %g, %g, %g), expected a quaternion of length 1",
                         static_cast<long long>(range.first) + static_cast<long long>(i / 4), q[0], q[1], q[2], q[3]));
    rotations.push_back(from_quaternion(q));
  }
  return rotations;
}

ImageRange checked_range(const Hdf5File& file, const Shape& intensities, ImageRange range) {
  const auto all = static_cast<std::int64_t>(intensities[0]);
  if (range.count < 0) range.count = all - range.first;
  if (range.first < 0 || range.count < 0 || range.first + range.count > all)
    file.refuse(format("it has %lld images, asked for %lld to %lld", static_cast<long long>(all),
                       static_cast<long long>(range.first), static_cast<long long>(range.first + range.count)));
  return range;
}

// --- writing -----------------------------------------------------------------------------------------------------------
// Coordinates that differ by less than this part of the range are the same row or column.
constexpr double same = 1e-6;

// The different values of one coordinate, ascending.
std::vector<double> levels_of(const Detector& detector, std::size_t axis) {
  std::vector<double> values, levels;
  for (const Vector3& q : detector.pixels) values.push_back(q[axis]);
  std::sort(values.begin(), values.end());
  for (const double value : values)
    if (levels.empty() || value - levels.back() > same) levels.push_back(value);
  return levels;
}

// Where the pixels of a detector stand in a panel.
struct Panel {
  std::size_t rows = 1, columns = 1;
  std::vector<std::size_t> place;  // of each pixel
  std::vector<Vector3> q;          // [rows, columns], cycles per voxel
};

Panel panel_in_one_row(const Detector& detector) {
  Panel panel{.rows = 1, .columns = detector.pixels.size(), .place = {}, .q = detector.pixels};
  panel.place.resize(panel.columns);
  std::iota(panel.place.begin(), panel.place.end(), std::size_t{0});
  return panel;
}

double ewald_z(const Detector& detector, double x, double y) {
  if (detector.wavelength == 0) return 0;
  const double k = 1 / detector.wavelength;
  return std::sqrt(std::max(k * k - x * x - y * y, 0.0)) - k;
}

// Rows go with q_x and columns with q_y. A grid that the pixels fill to less than a half is none.
Panel panel_of(const Detector& detector) {
  const std::vector<double> rows = levels_of(detector, 0), columns = levels_of(detector, 1);
  if (rows.size() * columns.size() > 2 * detector.pixels.size()) return panel_in_one_row(detector);
  Panel panel{.rows = rows.size(), .columns = columns.size(), .place = {}, .q = {}};
  for (const double x : rows)
    for (const double y : columns) panel.q.push_back({x, y, ewald_z(detector, x, y)});
  const auto index = [](const std::vector<double>& levels, double value) {
    return static_cast<std::size_t>(std::lower_bound(levels.begin(), levels.end(), value - same) - levels.begin());
  };
  for (const Vector3& q : detector.pixels) {
    panel.place.push_back(index(rows, q[0]) * panel.columns + index(columns, q[1]));
    panel.q[panel.place.back()] = q;
  }
  return panel;
}

void write_pixels(Hdf5File& file, const Panel& panel, double voxel) {
  std::vector<double> positions;
  std::vector<std::int32_t> index, mask(panel.q.size(), 0);
  for (std::size_t i = 0; i < panel.q.size(); ++i) {
    for (const double q : panel.q[i]) positions.push_back(q / voxel * metre);
    index.push_back(static_cast<std::int32_t>(i / panel.columns));
    index.push_back(static_cast<std::int32_t>(i % panel.columns));
  }
  for (const std::size_t place : panel.place) mask[place] = 1;
  file.write(positions_name, {1, panel.rows, panel.columns, 3}, positions);
  file.write(index_name, {1, panel.rows, panel.columns, 2}, index);
  file.write(mask_name, {1, panel.rows, panel.columns}, mask);
}

// From image number `first` on.
void write_images(Hdf5File& file, const Panel& panel, const DiffractionData& data, std::int64_t first) {
  const Images& images = data.images;
  std::vector<float> all(static_cast<std::size_t>(images.count) * panel.q.size(), 0);
  for (std::int64_t i = 0; i < images.count; ++i) {
    const auto image = images.image(i);
    float* to = all.data() + static_cast<std::size_t>(i) * panel.q.size();
    for (std::size_t pixel = 0; pixel < image.size(); ++pixel) to[panel.place[pixel]] = image[pixel];
  }
  const auto at = static_cast<hsize_t>(first), count = static_cast<hsize_t>(images.count);
  file.write_rows(intensities_name, at, count, all);
  std::vector<double> quaternions;
  for (const Rotation& rotation : data.rotations)
    for (const double part : to_quaternion(rotation)) quaternions.push_back(part);
  if (!quaternions.empty()) file.write_rows(orientations_name, at, count, quaternions);
}

void write_whole(const std::string& path, const DiffractionData& data, const Volume& volume, std::int64_t total) {
  Hdf5File file(path, Hdf5File::Access::create);
  const Panel panel = panel_of(data.detector);
  const auto images = static_cast<hsize_t>(std::max(total, data.images.count)), n = static_cast<hsize_t>(volume.size);
  write_pixels(file, panel, data.voxel);
  file.make_floats(intensities_name, {images, 1, panel.rows, panel.columns});
  if (!data.rotations.empty()) file.make_doubles(orientations_name, {images, 4});
  write_images(file, panel, data, 0);
  if (volume.size > 0) file.write(volume_name, {n, n, n}, volume.values);
}

}  // namespace

bool has_hdf5() { return true; }

std::int64_t count_images(const std::string& path) {
  const Hdf5File file(path, Hdf5File::Access::read);
  return static_cast<std::int64_t>(file.shape(intensities_name)[0]);
}

DiffractionData read_diffraction(const std::string& path, const ImageRange& asked) {
  const Hdf5File file(path, Hdf5File::Access::read);
  const Shape intensities = file.shape(intensities_name);
  check_shape(file, intensities);
  const ImageRange range = checked_range(file, intensities, asked);
  const FilePixels pixels = read_pixels(file, intensities);
  const double edge = edge_of(pixels);
  if (!(edge > 0) || !std::isfinite(edge)) file.refuse("its detector does not surround q = 0");
  const std::vector<std::size_t> chosen = chosen_pixels(file, pixels, edge);
  return {.detector = detector_of(pixels, chosen, edge),
          .images = read_images(file, chosen, range, pixels.q.size()),
          .voxel = nyquist / edge,
          .rotations = read_rotations(file, range)};
}

Volume read_volume(const std::string& path) {
  const Hdf5File file(path, Hdf5File::Access::read);
  if (!file.has(volume_name)) return {};
  try {
    const Shape shape = file.shape(volume_name);
    if (shape.size() != 3 || shape[1] != shape[0] || shape[2] != shape[0]) return {};
    Volume volume{.size = static_cast<int>(shape[0]), .values = std::vector<float>(shape[0] * shape[0] * shape[0])};
    file.read_rows(volume_name, 0, shape[0], volume.values);
    return volume;
  } catch (const InputError&) {
    return {};
  }
}

void write_diffraction(const std::string& path, const DiffractionData& data, const Volume& volume, std::int64_t total) {
  require_writable(path);
  const std::string partial = path + ".partial";  // takes the path's place when it is complete
  try {
    write_whole(partial, data, volume, total);
    std::filesystem::rename(partial, path);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    throw;
  }
}

void write_more_images(const std::string& path, const DiffractionData& data, std::int64_t first) {
  if (data.images.count == 0) return;
  Hdf5File file(path, Hdf5File::Access::change);
  write_images(file, panel_of(data.detector), data, first);
}

#else
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw InputError(path +
                   ": this program was built without HDF5; on Debian or Ubuntu install libhdf5-dev and build it anew");
}

}  // namespace

bool has_hdf5() { return false; }
std::int64_t count_images(const std::string& path) { refuse(path); }
DiffractionData read_diffraction(const std::string& path, const ImageRange&) { refuse(path); }
Volume read_volume(const std::string& path) { refuse(path); }
void write_diffraction(const std::string& path, const DiffractionData&, const Volume&, std::int64_t) { refuse(path); }
void write_more_images(const std::string& path, const DiffractionData&, std::int64_t) { refuse(path); }

#endif

}  // namespace cli::mtip
