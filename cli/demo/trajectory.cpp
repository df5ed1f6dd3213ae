#include "demo/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace cli {
namespace {

using std::numbers::pi;

double spoke_angle(std::int64_t spoke) { return std::fmod(static_cast<double>(spoke) * 111.246 * pi / 180, pi); }

// The angle that each spoke stands for: half of the gaps to its neighbours, modulo half a turn. They add up to pi.
std::vector<double> spoke_shares(std::int64_t spokes) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(spokes));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::sort(order.begin(), order.end(), [](auto a, auto b) { return spoke_angle(a) < spoke_angle(b); });
  std::vector<double> shares(order.size(), pi);
  for (std::size_t i = 0; i < order.size() && order.size() > 1; ++i) {
    const std::size_t next = (i + 1) % order.size(), previous = (i + order.size() - 1) % order.size();
    const double above = spoke_angle(order[next]) + (next == 0 ? pi : 0);
    const double below = spoke_angle(order[previous]) - (i == 0 ? pi : 0);
    shares[static_cast<std::size_t>(order[i])] = (above - below) / 2;
  }
  return shares;
}

}  // namespace

template <class T> Trajectory<T> golden_angle_radial(std::int64_t pixels, std::int64_t spokes, std::int64_t samples) {
  Trajectory<T> result{Points<T>(2, spokes * samples), std::vector<T>(static_cast<std::size_t>(spokes * samples))};
  const auto size = static_cast<double>(pixels);
  const double step = size / static_cast<double>(samples);
  const auto shares = spoke_shares(spokes);
  std::size_t j = 0;
  for (std::int64_t spoke = 0; spoke < spokes; ++spoke)
    for (std::int64_t sample = 0; sample < samples; ++sample, ++j) {
      const double kappa = static_cast<double>(sample - samples / 2) * step, angle = spoke_angle(spoke);
      result.points.coordinates[0][j] = static_cast<T>(2 * pi * kappa * std::cos(angle) / size);
      result.points.coordinates[1][j] = static_cast<T>(2 * pi * kappa * std::sin(angle) / size);
      // a sector of a ring; the spokes share the small disc in the middle
      const double area = kappa == 0 ? pi * step * step / 4 / static_cast<double>(spokes)
                                     : std::abs(kappa) * step * shares[static_cast<std::size_t>(spoke)];
      result.weights[j] = static_cast<T>(area / (size * size));
    }
  return result;
}

template <class T> Trajectory<T> cartesian_disc(std::int64_t pixels) {
  Trajectory<T> result{Points<T>(2, 0), {}};
  const std::int64_t half = pixels / 2;
  const auto size = static_cast<double>(pixels);
  for (std::int64_t k2 = -half; k2 <= half; ++k2)
    for (std::int64_t k1 = -half; k1 <= half; ++k1) {
      if (k1 * k1 + k2 * k2 > half * half) continue;
      result.points.coordinates[0].push_back(static_cast<T>(2 * pi * static_cast<double>(k1) / size));
      result.points.coordinates[1].push_back(static_cast<T>(2 * pi * static_cast<double>(k2) / size));
      result.weights.push_back(static_cast<T>(1 / (size * size)));
    }
  return result;
}

template Trajectory<float> golden_angle_radial<float>(std::int64_t, std::int64_t, std::int64_t);
template Trajectory<double> golden_angle_radial<double>(std::int64_t, std::int64_t, std::int64_t);
template Trajectory<float> cartesian_disc<float>(std::int64_t);
template Trajectory<double> cartesian_disc<double>(std::int64_t);

}  // namespace cli
