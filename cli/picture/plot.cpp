#include "picture/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "text.hpp"

namespace cli {
namespace {

constexpr Colour ink = 20, grid_ink = 225, level_ink = 120, paper = 255;
constexpr std::int64_t zoom = 2, letter_height = 7 * zoom, tick = 6, space = 8;

// The inner frame, and where values lie in it.
struct Frame {
  const Plot& plot;
  double left, right, top, bottom;

  [[nodiscard]] double x(double value) const {
    return left + (value - plot.x.low) / (plot.x.high - plot.x.low) * (right - left);
  }
  [[nodiscard]] double y(double value) const {
    return bottom - (value - plot.y.low) / (plot.y.high - plot.y.low) * (bottom - top);
  }
};

// The shortest form that tells the ticks apart: "0.25", "10".
std::string tick_text(double value) {
  if (std::abs(value) < 1e-12) return "0";
  return format("%.4g", value);
}

std::int64_t widest_tick(const PlotAxis& axis) {
  std::int64_t width = 0;
  for (const double value : axis_ticks(axis.low, axis.high))
    width = std::max(width, Picture::words_width(zoom, tick_text(value)));
  return width;
}

Frame frame_of(const Plot& plot, const Plot::Box& box) {
  const std::int64_t label = letter_height + space;
  return {.plot = plot,
          .left = static_cast<double>(box.corner.x + space + (plot.y.label.empty() ? 0 : label) + widest_tick(plot.y) +
                                      tick + space / 2),
          .right = static_cast<double>(box.corner.x + box.width - 2 * space),
          .top = static_cast<double>(box.corner.y + space + (plot.title.empty() ? 0 : label) + space),
          .bottom = static_cast<double>(box.corner.y + box.height - label - label - space)};
}

std::int64_t rounded(double value) { return static_cast<std::int64_t>(std::lround(value)); }

void draw_ticks(Picture& picture, const Frame& frame) {
  for (const double value : axis_ticks(frame.plot.x.low, frame.plot.x.high)) {
    const double at = frame.x(value);
    const std::string text = tick_text(value);
    picture.line({at, frame.top, at, frame.bottom, 1, grid_ink});
    picture.line({at, frame.bottom, at, frame.bottom + tick, 1, ink});
    picture.write({rounded(at) - Picture::words_width(zoom, text) / 2, rounded(frame.bottom) + tick + space / 2}, zoom,
                  text, ink);
  }
  for (const double value : axis_ticks(frame.plot.y.low, frame.plot.y.high)) {
    const double at = frame.y(value);
    const std::string text = tick_text(value);
    picture.line({frame.left, at, frame.right, at, 1, grid_ink});
    picture.line({frame.left - tick, at, frame.left, at, 1, ink});
    picture.write({rounded(frame.left) - tick - Picture::words_width(zoom, text), rounded(at) - letter_height / 2},
                  zoom, text, ink);
  }
}

void draw_labels(Picture& picture, const Frame& frame, const Plot::Box& box) {
  const auto middle_x = rounded((frame.left + frame.right) / 2), middle_y = rounded((frame.top + frame.bottom) / 2);
  const auto centred = [&](const std::string& words) { return middle_x - Picture::words_width(zoom, words) / 2; };
  picture.write({centred(frame.plot.title), box.corner.y + space}, zoom, frame.plot.title, ink);
  picture.write({centred(frame.plot.x.label), box.corner.y + box.height - letter_height - space}, zoom,
                frame.plot.x.label, ink);
  picture.write_upwards({box.corner.x + space, middle_y + Picture::words_width(zoom, frame.plot.y.label) / 2}, zoom,
                        frame.plot.y.label, ink);
}

void draw_frame(Picture& picture, const Frame& frame) {
  picture.line({frame.left, frame.top, frame.right, frame.top, 1, ink});
  picture.line({frame.left, frame.bottom, frame.right, frame.bottom, 1, ink});
  picture.line({frame.left, frame.top, frame.left, frame.bottom, 1, ink});
  picture.line({frame.right, frame.top, frame.right, frame.bottom, 1, ink});
}

// A stroke in one piece, or in dashes of which the next stroke continues the pattern.
void draw_stroke(Picture& picture, Picture::Stroke stroke, CurveStyle style, double& run) {
  if (style == CurveStyle::solid) return picture.line(stroke);
  constexpr double dash = 7, step = 0.5;
  const double dx = stroke.x1 - stroke.x0, dy = stroke.y1 - stroke.y0, length = std::hypot(dx, dy);
  for (double t = 0; t < length; t += step, run += step)
    if (std::fmod(run, 2 * dash) < dash)
      picture.line({stroke.x0 + dx * t / length, stroke.y0 + dy * t / length, stroke.x0 + dx * (t + step) / length,
                    stroke.y0 + dy * (t + step) / length, stroke.thickness, stroke.colour});
}

void draw_curve(Picture& picture, const Frame& frame, const Curve& curve) {
  double run = 0;
  const auto y_of = [&](std::size_t i) {
    return std::clamp(frame.y(curve.y[i]), frame.top, frame.bottom);  // what lies outside is drawn at the frame
  };
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (curve.style == CurveStyle::dots) {
      const double x = frame.x(curve.x[i]), y = y_of(i);
      picture.line({x, y, x, y, 6, curve.colour});
    } else if (i > 0) {
      draw_stroke(picture, {frame.x(curve.x[i - 1]), y_of(i - 1), frame.x(curve.x[i]), y_of(i), 2.5, curve.colour},
                  curve.style, run);
    }
  }
}

// In the lower left corner, where curves that fall leave room.
void draw_legend(Picture& picture, const Frame& frame) {
  std::int64_t width = 0, rows = 0;
  for (const Curve& curve : frame.plot.curves) {
    width = std::max(width, Picture::words_width(zoom, curve.label));
    rows += curve.label.empty() ? 0 : 1;
  }
  if (rows == 0) return;
  constexpr std::int64_t sample = 34, row_height = letter_height + space;
  const Position corner{rounded(frame.left) + space, rounded(frame.bottom) - space - rows * row_height - space / 2};
  picture.fill(corner, width + sample + 2 * space, rows * row_height + space / 2, paper);
  auto y = static_cast<double>(corner.y + space / 2 + letter_height / 2);
  for (const Curve& curve : frame.plot.curves) {
    if (curve.label.empty()) continue;
    const auto x = static_cast<double>(corner.x + space / 2);
    double run = 0;
    if (curve.style == CurveStyle::dots)
      picture.line({x + sample / 2.0, y, x + sample / 2.0, y, 6, curve.colour});
    else
      draw_stroke(picture, {x, y, x + sample - space, y, 2.5, curve.colour}, curve.style, run);
    picture.write({corner.x + sample + space / 2, rounded(y) - letter_height / 2}, zoom, curve.label, ink);
    y += row_height;
  }
}

}  // namespace

Colour curve_colour(std::size_t number) {
  static constexpr std::array<Colour, 6> colours{Colour{0, 96, 176},   Colour{213, 94, 0},    Colour{0, 140, 100},
                                                 Colour{170, 60, 140}, Colour{120, 120, 120}, Colour{190, 150, 0}};
  return colours[number % colours.size()];
}

std::vector<double> axis_ticks(double low, double high) {
  const double rough = (high - low) / 5, power = std::pow(10, std::floor(std::log10(rough)));
  const double share = rough / power;
  const double step = power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
  std::vector<double> ticks;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) ticks.push_back(i * step);
  return ticks;
}

void Plot::draw(Picture& picture, const Box& box) const {
  picture.fill(box.corner, box.width, box.height, paper);
  const Frame frame = frame_of(*this, box);
  draw_ticks(picture, frame);
  for (const double level : levels)
    picture.line({frame.left, frame.y(level), frame.right, frame.y(level), 1.5, level_ink});
  draw_frame(picture, frame);
  draw_labels(picture, frame, box);
  for (const Curve& curve : curves) draw_curve(picture, frame, curve);
  draw_legend(picture, frame);
}

void Plot::save(const std::string& path, std::int64_t width, std::int64_t height) const {
  Picture picture(width, height, paper);
  draw(picture, {{0, 0}, width, height});
  picture.save_png(path);
}

}  // namespace cli
