// Curves in a frame with ticks, numbers, labels and a legend, drawn into a picture.
//   Plot{.title = "FSC", .x = {.label = "|q| / Nyquist", .low = 0, .high = 1}, .y = {..}, .curves = {..}}.save("fsc.png");
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "picture/picture.hpp"

namespace cli {

enum class CurveStyle { solid, dashed, dots };

struct Curve {
  std::string label;  // in the legend; empty: not there
  std::vector<double> x, y;
  Colour colour = 0;
  CurveStyle style = CurveStyle::solid;
};

// Colours that stay apart from each other for most colour-blind readers, by the number of the curve.
Colour curve_colour(std::size_t number);

struct PlotAxis {
  std::string label;
  double low = 0, high = 1;
};

struct Plot {
  std::string title;
  PlotAxis x, y;
  std::vector<Curve> curves;
  std::vector<double> levels{};  // thin horizontal lines across the frame, such as 0.5 for the FSC

  // A box of the picture with everything in it, on white.
  struct Box {
    Position corner;
    std::int64_t width, height;
  };
  void draw(Picture& picture, const Box& box) const;

  // A picture of its own.
  void save(const std::string& path, std::int64_t width = 720, std::int64_t height = 480) const;
};

// Round values between low and high, four to eight of them: multiples of 1, 2 or 5 times a power of ten.
std::vector<double> axis_ticks(double low, double high);

}  // namespace cli
