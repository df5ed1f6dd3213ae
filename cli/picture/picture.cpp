#include "picture/picture.hpp"

#include <png.h>
#include <cstdint>

#include <algorithm>
#include <array>
#include <cmath>

#include "files/output_file.hpp"
#include "picture/font.hpp"
#include "text.hpp"

namespace cli {
namespace {

constexpr std::int64_t glyph_width = 5, letter_step = 6;

std::uint8_t mixed(std::uint8_t from, std::uint8_t to, double share) {
  return static_cast<std::uint8_t>(std::lround(from + share * (static_cast<double>(to) - from)));
}

Colour mixed(Colour from, Colour to, double share) {
  return {mixed(from.red, to.red, share), mixed(from.green, to.green, share), mixed(from.blue, to.blue, share)};
}

// draw(x, y) for each dot of the words, where x runs along them and y from their top.
template <class Draw> void for_dots(std::int64_t zoom, std::string_view words, const Draw& draw) {
  std::int64_t begin = 0;
  for (const char letter : words) {
    const Glyph glyph = glyph_of(letter);
    for (std::int64_t y = 0; y < static_cast<std::int64_t>(glyph.size()) * zoom; ++y)
      for (std::int64_t x = 0; x < glyph_width * zoom; ++x)
        if ((glyph[static_cast<std::size_t>(y / zoom)] >> (glyph_width - 1 - x / zoom) & 1) != 0) draw(begin + x, y);
    begin += letter_step * zoom;
  }
}

// How far a point is from a stroke's middle.
double distance_to(const Picture::Stroke& stroke, double x, double y) {
  const double dx = stroke.x1 - stroke.x0, dy = stroke.y1 - stroke.y0, square = dx * dx + dy * dy;
  const double along = square > 0 ? ((x - stroke.x0) * dx + (y - stroke.y0) * dy) / square : 0;
  const double t = std::clamp(along, 0.0, 1.0);
  return std::hypot(x - stroke.x0 - t * dx, y - stroke.y0 - t * dy);
}

}  // namespace

Colour grey_map(double share) { return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0))); }

Colour heat_map(double share) {
  static constexpr std::array<Colour, 6> steps{Colour{8, 6, 20},    Colour{60, 18, 96},   Colour{136, 34, 106},
                                               Colour{214, 72, 56}, Colour{248, 160, 40}, Colour{252, 248, 196}};
  const double place = std::clamp(share, 0.0, 1.0) * (steps.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), steps.size() - 2);
  return mixed(steps[below], steps[below + 1], place - static_cast<double>(below));
}

Picture::Picture(std::int64_t width, std::int64_t height, Colour background)
    : width_(width), height_(height), pixels_(static_cast<std::size_t>(width * height), background) {}

void Picture::set(Position at, Colour colour) {
  if (at.x < 0 || at.x >= width_ || at.y < 0 || at.y >= height_) return;
  pixels_[static_cast<std::size_t>(at.y * width_ + at.x)] = colour;
}

Colour Picture::get(Position at) const { return pixels_.at(static_cast<std::size_t>(at.y * width_ + at.x)); }

void Picture::fill(Position corner, std::int64_t width, std::int64_t height, Colour colour) {
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) set({corner.x + x, corner.y + y}, colour);
}

void Picture::blend(Position at, Colour colour, double share) {
  if (at.x < 0 || at.x >= width_ || at.y < 0 || at.y >= height_) return;
  set(at, mixed(get(at), colour, share));
}

void Picture::draw(const Panel& panel, const std::vector<double>& values) {
  const std::int64_t side = panel.size * panel.zoom;
  for (std::int64_t y = 0; y < side; ++y)
    for (std::int64_t x = 0; x < side; ++x) {
      const std::int64_t row = panel.size - 1 - y / panel.zoom, column = x / panel.zoom;
      const double value = values[static_cast<std::size_t>(row * panel.size + column)];
      set({panel.corner.x + x, panel.corner.y + y}, panel.map((value - panel.low) / (panel.high - panel.low)));
    }
}

void Picture::line(const Stroke& stroke) {
  const double reach = stroke.thickness / 2 + 0.5;
  const auto first_x = static_cast<std::int64_t>(std::floor(std::min(stroke.x0, stroke.x1) - reach));
  const auto last_x = static_cast<std::int64_t>(std::ceil(std::max(stroke.x0, stroke.x1) + reach));
  const auto first_y = static_cast<std::int64_t>(std::floor(std::min(stroke.y0, stroke.y1) - reach));
  const auto last_y = static_cast<std::int64_t>(std::ceil(std::max(stroke.y0, stroke.y1) + reach));
  for (std::int64_t y = first_y; y <= last_y; ++y)
    for (std::int64_t x = first_x; x <= last_x; ++x) {
      const double cover = reach - distance_to(stroke, static_cast<double>(x), static_cast<double>(y));
      if (cover > 0) blend({x, y}, stroke.colour, std::min(cover, 1.0));
    }
}

void Picture::write(Position at, std::int64_t zoom, std::string_view words, Colour ink) {
  for_dots(zoom, words, [&](std::int64_t x, std::int64_t y) { set({at.x + x, at.y + y}, ink); });
}

void Picture::write_upwards(Position at, std::int64_t zoom, std::string_view words, Colour ink) {
  for_dots(zoom, words, [&](std::int64_t x, std::int64_t y) { set({at.x + y, at.y - x}, ink); });
}

std::int64_t Picture::words_width(std::int64_t zoom, std::string_view words) {
  return static_cast<std::int64_t>(words.size()) * letter_step * zoom;
}

void Picture::save_png(const std::string& path) const {
  const bool grey = std::all_of(pixels_.begin(), pixels_.end(), [](const Colour& pixel) { return pixel.is_grey(); });
  std::vector<std::uint8_t> samples;
  samples.reserve(pixels_.size() * (grey ? 1 : 3));
  for (const Colour& pixel : pixels_) {
    samples.push_back(pixel.red);
    if (!grey) samples.insert(samples.end(), {pixel.green, pixel.blue});
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_);
  image.height = static_cast<png_uint_32>(height_);
  image.format = grey ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  const auto encode = [&](void* memory, png_alloc_size_t& bytes) {
    if (png_image_write_to_memory(&image, memory, &bytes, 0, samples.data(), 0, nullptr) == 0)
      throw InputError(path + ": cannot make the picture: " + image.message);
  };
  png_alloc_size_t bytes = 0;
  encode(nullptr, bytes);  // how many there are
  std::string encoded(bytes, '\0');
  encode(encoded.data(), bytes);
  write_file(path, std::string_view(encoded).substr(0, bytes));
}

}  // namespace cli
