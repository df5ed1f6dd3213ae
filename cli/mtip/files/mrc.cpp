#include "mtip/files/mrc.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string_view>

#include "files/output_file.hpp"
#include "text.hpp"

namespace cli::mtip {
namespace {

static_assert(std::endian::native == std::endian::little, "the words of the header are written as they are in memory");

constexpr std::size_t header_words = 256;
constexpr std::int32_t mode_float = 2, space_group_of_a_volume = 1, version = 20140;

// The header as 256 words; the names are those of the format's description, word numbers count from 0.
enum Word : std::size_t {
  nx = 0,
  mode = 3,
  nxstart = 4,
  mx = 7,
  cella = 10,
  cellb = 13,
  mapc = 16,
  dmin = 19,
  dmax = 20,
  dmean = 21,
  ispg = 22,
  nsymbt = 23,  // bytes of an extended header
  nversion = 27,
  origin = 49,
  map = 52,
  machst = 53,
  rms = 54,
  nlabl = 55,
  label = 56
};

class Header {
 public:
  void set(std::size_t word, std::int32_t value) { std::memcpy(&words[word], &value, 4); }
  void set(std::size_t word, float value) { std::memcpy(&words[word], &value, 4); }
  void set(std::size_t word, std::string_view text) { std::memcpy(&words[word], text.data(), text.size()); }
  [[nodiscard]] std::int32_t integer(std::size_t word) const { return std::bit_cast<std::int32_t>(words[word]); }
  [[nodiscard]] float real(std::size_t word) const { return std::bit_cast<float>(words[word]); }

  std::array<std::uint32_t, header_words> words{};
};

struct Statistics {
  float low = 0, high = 0, mean = 0, deviation = 0;
};

Statistics statistics_of(const std::vector<float>& values) {
  double sum = 0, squares = 0;
  for (const float value : values) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  const double count = static_cast<double>(std::max<std::size_t>(values.size(), 1)), mean = sum / count;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {.low = values.empty() ? 0 : *low,
          .high = values.empty() ? 0 : *high,
          .mean = static_cast<float>(mean),
          .deviation = static_cast<float>(std::sqrt(std::max(squares / count - mean * mean, 0.0)))};
}

Header header_of(const MrcVolume& density) {
  Header header;
  const Statistics statistics = statistics_of(density.volume.values);
  const auto voxel = static_cast<float>(density.voxel);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    header.set(nx + axis, density.volume.size);
    header.set(mx + axis, density.volume.size);
    header.set(cella + axis, voxel * static_cast<float>(density.volume.size));
    header.set(cellb + axis, 90.0F);
    header.set(mapc + axis, static_cast<std::int32_t>(axis + 1));
    header.set(origin + axis, -voxel * static_cast<float>(density.volume.size / 2));  // the middle voxel is at zero
  }
  header.set(mode, mode_float);
  header.set(dmin, statistics.low);
  header.set(dmax, statistics.high);
  header.set(dmean, statistics.mean);
  header.set(rms, statistics.deviation);
  header.set(ispg, space_group_of_a_volume);
  header.set(nversion, version);
  header.set(map, std::string_view("MAP "));
  header.set(machst, std::string_view("DD\0\0", 4));  // little-endian
  header.set(nlabl, std::int32_t{1});
  header.set(label, std::string_view("density in arbitrary units, reconstructed by offgrid mtip"));
  return header;
}

}  // namespace

void write_mrc(const std::string& path, const MrcVolume& density) {
  const Header header = header_of(density);
  OutputFile file(path);
  file.write(std::as_bytes(std::span(header.words)));
  file.write(std::as_bytes(std::span(density.volume.values)));
  file.finish();
}

MrcVolume read_mrc(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path + ": cannot open it");
  Header header;
  file.read(reinterpret_cast<char*>(header.words.data()), sizeof header.words);
  if (!file || std::memcmp(&header.words[map], "MAP", 3) != 0) throw InputError(path + ": it is no MRC file");
  const std::int32_t size = header.integer(nx);
  if (header.integer(mode) != mode_float || size <= 0 || size > 4096 || header.integer(nx + 1) != size ||
      header.integer(nx + 2) != size)
    throw InputError(path + ": expected a cube of 32-bit floats (mode 2)");
  MrcVolume density{.volume = {.size = size, .values = {}}, .voxel = header.real(cella) / static_cast<double>(size)};
  const auto cube = static_cast<std::size_t>(size) * static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  const std::int64_t first = sizeof header.words + header.integer(nsymbt);
  file.seekg(0, std::ios::end);  // nothing is allocated for a file that is not there
  if (header.integer(nsymbt) < 0 || file.tellg() < first + static_cast<std::int64_t>(4 * cube))
    throw InputError(path + ": it ends before its last voxel");
  density.volume.values.resize(cube);
  file.seekg(first);
  file.read(reinterpret_cast<char*>(density.volume.values.data()), static_cast<std::streamsize>(4 * cube));
  if (!file) throw InputError(path + ": it ends before its last voxel");
  return density;
}

}  // namespace cli::mtip
