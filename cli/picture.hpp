// A grey picture: panels of pixels and small words in a 5 x 7 raster font, written as PNG.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct Position {
  std::int64_t x = 0, y = 0;  // from the left and from the top
};

class Picture {
 public:
  Picture(std::int64_t width, std::int64_t height, std::uint8_t background);

  // Leaves out what lies outside.
  void set(Position at, std::uint8_t grey);
  [[nodiscard]] std::uint8_t get(Position at) const;

  // A square image, each value as zoom x zoom pixels; row 0 is at the bottom. `low` is black, `high` white.
  struct Panel {
    Position corner;
    std::int64_t size, zoom;
    double low, high;
  };
  void draw(const Panel& panel, const std::vector<double>& values);

  // Letters (as capitals), digits and - + . , : % / = ( ); each dot of the font is zoom x zoom pixels.
  void write(Position at, std::int64_t zoom, std::string_view words);
  static std::int64_t words_width(std::int64_t zoom, std::string_view words);

  // Throws InputError with the reason if the file cannot be written.
  void save_png(const std::string& path) const;

 private:
  std::int64_t width_, height_;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace cli
