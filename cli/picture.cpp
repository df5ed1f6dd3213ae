#include "picture.hpp"

#include <png.h>

#include <algorithm>
#include <cmath>

#include "font.hpp"
#include "output_file.hpp"
#include "text.hpp"

namespace cli {
namespace {

constexpr std::int64_t glyph_width = 5, letter_step = 6;
constexpr std::uint8_t ink = 255;

}  // namespace

Picture::Picture(std::int64_t width, std::int64_t height, std::uint8_t background)
    : width_(width), height_(height), pixels_(static_cast<std::size_t>(width * height), background) {}

void Picture::set(Position at, std::uint8_t grey) {
  if (at.x < 0 || at.x >= width_ || at.y < 0 || at.y >= height_) return;
  pixels_[static_cast<std::size_t>(at.y * width_ + at.x)] = grey;
}

std::uint8_t Picture::get(Position at) const { return pixels_.at(static_cast<std::size_t>(at.y * width_ + at.x)); }

void Picture::draw(const Panel& panel, const std::vector<double>& values) {
  const std::int64_t side = panel.size * panel.zoom;
  for (std::int64_t y = 0; y < side; ++y)
    for (std::int64_t x = 0; x < side; ++x) {
      const std::int64_t row = panel.size - 1 - y / panel.zoom, column = x / panel.zoom;
      const double value = values[static_cast<std::size_t>(row * panel.size + column)];
      const double share = std::clamp((value - panel.low) / (panel.high - panel.low), 0.0, 1.0);
      set({panel.corner.x + x, panel.corner.y + y}, static_cast<std::uint8_t>(std::lround(255 * share)));
    }
}

void Picture::write(Position at, std::int64_t zoom, std::string_view words) {
  for (const char letter : words) {
    const Glyph glyph = glyph_of(letter);
    for (std::int64_t y = 0; y < static_cast<std::int64_t>(glyph.size()) * zoom; ++y)
      for (std::int64_t x = 0; x < glyph_width * zoom; ++x)
        if ((glyph[static_cast<std::size_t>(y / zoom)] >> (glyph_width - 1 - x / zoom) & 1) != 0)
          set({at.x + x, at.y + y}, ink);
    at.x += letter_step * zoom;
  }
}

std::int64_t Picture::words_width(std::int64_t zoom, std::string_view words) {
  return static_cast<std::int64_t>(words.size()) * letter_step * zoom;
}

void Picture::save_png(const std::string& path) const {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_);
  image.height = static_cast<png_uint_32>(height_);
  image.format = PNG_FORMAT_GRAY;
  const auto encode = [&](void* memory, png_alloc_size_t& bytes) {
    if (png_image_write_to_memory(&image, memory, &bytes, 0, pixels_.data(), 0, nullptr) == 0)
      throw InputError(path + ": cannot make the picture: " + image.message);
  };
  png_alloc_size_t bytes = 0;
  encode(nullptr, bytes);  // how many there are
  std::string encoded(bytes, '\0');
  encode(encoded.data(), bytes);
  write_file(path, std::string_view(encoded).substr(0, bytes));
}

}  // namespace cli
