#include "demo/phantom.hpp"

#include <math.h>  // j1 is POSIX's, not in <cmath>

#include <numbers>

#include "oracle/parallel.hpp"

namespace cli {
namespace {

using std::numbers::pi;

struct Ellipse {
  double density, a, b, x, y, degrees;
};

constexpr Ellipse ellipses[] = {
    {1.0, .6900, .9200, 0, 0, 0},      {-.8, .6624, .8740, 0, -.0184, 0},  {-.2, .1100, .3100, .22, 0, -18},
    {-.2, .1600, .4100, -.22, 0, 18},  {.1, .2100, .2500, 0, .35, 0},      {.1, .0460, .0460, 0, .1, 0},
    {.1, .0460, .0460, 0, -.1, 0},     {.1, .0460, .0230, -.08, -.605, 0}, {.1, .0230, .0230, 0, -.606, 0},
    {.1, .0230, .0460, .06, -.605, 0},
};

// The vector (x, y) in the ellipse's own axes, in units of its semi-axes' inverse (for k) or of them (for positions).
struct Turned {
  double along, across;
  Turned(const Ellipse& ellipse, double x, double y) {
    const double angle = ellipse.degrees * pi / 180, c = std::cos(angle), s = std::sin(angle);
    along = c * x + s * y;
    across = c * y - s * x;
  }
};

double density_at(double x, double y) {
  double sum = 0;
  for (const Ellipse& ellipse : ellipses) {
    const Turned r(ellipse, x - ellipse.x, y - ellipse.y);
    const double u = r.along / ellipse.a, v = r.across / ellipse.b;
    if (u * u + v * v <= 1) sum += ellipse.density;
  }
  return sum;
}

double pixel_mean(double x, double y, double width) {
  constexpr int raster = 8;
  double sum = 0;
  for (int i = 0; i < raster; ++i)
    for (int j = 0; j < raster; ++j)
      sum += density_at(x + ((i + 0.5) / raster - 0.5) * width, y + ((j + 0.5) / raster - 0.5) * width);
  return sum / (raster * raster);
}

}  // namespace

std::vector<double> phantom_pixels(std::int64_t size) {
  std::vector<double> pixels(static_cast<std::size_t>(size * size));
  const double width = phantom_width / static_cast<double>(size);
  const auto position = [&](std::int64_t n) { return static_cast<double>(n - size / 2) * width; };
  oracle::parallel_ranges(size, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t n2 = first; n2 < last; ++n2)
      for (std::int64_t n1 = 0; n1 < size; ++n1)
        pixels[static_cast<std::size_t>(n2 * size + n1)] = pixel_mean(position(n1), position(n2), width);
  });
  return pixels;
}

std::complex<double> phantom_fourier(double k1, double k2) {
  std::complex<double> sum = 0;
  for (const Ellipse& ellipse : ellipses) {
    const Turned k(ellipse, k1, k2);
    const double radius = std::hypot(ellipse.a * k.along, ellipse.b * k.across);
    const double disc = radius < 1e-9 ? pi : ::j1(2 * pi * radius) / radius;  // next term: 5 radius^2, below rounding
    sum +=
        ellipse.density * ellipse.a * ellipse.b * disc * std::polar(1.0, -2 * pi * (k1 * ellipse.x + k2 * ellipse.y));
  }
  return sum;
}

}  // namespace cli
