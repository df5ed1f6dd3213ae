// A picture in grey or in colours: panels of pixels, lines, and small words in a 5 x 7 raster font, written as PNG.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct Position {
  std::int64_t x = 0, y = 0;  // from the left and from the top
};

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;

  constexpr Colour(std::uint8_t grey) : red(grey), green(grey), blue(grey) {}  // a grey is a colour
  constexpr Colour(std::uint8_t r, std::uint8_t g, std::uint8_t b) : red(r), green(g), blue(b) {}
  [[nodiscard]] constexpr bool is_grey() const { return red == green && green == blue; }
  constexpr bool operator==(const Colour&) const = default;
};

// The colour of a share between 0 and 1.
using ColourMap = Colour (*)(double share);
Colour grey_map(double share);
Colour heat_map(double share);  // black, violet, orange, pale yellow: brighter means more, also in print

class Picture {
 public:
  Picture(std::int64_t width, std::int64_t height, Colour background);

  // Leaves out what lies outside.
  void set(Position at, Colour colour);
  [[nodiscard]] Colour get(Position at) const;
  void fill(Position corner, std::int64_t width, std::int64_t height, Colour colour);

  // A square image, each value as zoom x zoom pixels; row 0 is at the bottom. `low` is black, `high` white.
  struct Panel {
    Position corner;
    std::int64_t size, zoom;
    double low, high;
    ColourMap map = grey_map;
  };
  void draw(const Panel& panel, const std::vector<double>& values);

  // A straight stroke with smooth edges. Positions are those of the pixels' centres, and may lie between them.
  struct Stroke {
    double x0, y0, x1, y1;
    double thickness = 1;
    Colour colour = 255;
  };
  void line(const Stroke& stroke);

  // Letters, digits and the signs of font.hpp; each dot of the font is zoom x zoom pixels.
  void write(Position at, std::int64_t zoom, std::string_view words, Colour ink = 255);
  void write_upwards(Position at, std::int64_t zoom, std::string_view words, Colour ink = 255);  // `at`: the lower left
  static std::int64_t words_width(std::int64_t zoom, std::string_view words);

  // Throws InputError with the reason if the file cannot be written.
  void save_png(const std::string& path) const;

 private:
  void blend(Position at, Colour colour, double share);

  std::int64_t width_, height_;
  std::vector<Colour> pixels_;
};

}  // namespace cli
