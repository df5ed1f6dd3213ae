#include "mtip/files/scattering.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "offgrid/offgrid.hpp"
#include "oracle/parallel.hpp"

namespace cli::mtip {
namespace {

using Complex = std::complex<double>;
constexpr std::size_t chunk = std::size_t{1}
                              << 22;  // vectors of one set_points: about 200 MB of coordinates and values

// The atoms of one element and one temperature factor.
struct Kind {
  const FormFactor* element = nullptr;
  double b = 0;
  std::array<std::vector<double>, 3> at;
  std::vector<Complex> occupancy;

  [[nodiscard]] double factor(double q) const { return element->at(q) * std::exp(-b * q * q / 4); }
};

std::vector<Kind> sort_by_kind(std::span<const Atom> atoms, const ScatteringSettings& settings) {
  std::map<std::pair<const FormFactor*, double>, Kind> kinds;
  for (const Atom& atom : atoms) {
    const double b = settings.with_b ? std::round(atom.b) : 0;
    Kind& kind = kinds[{atom.element, b}];
    kind.element = atom.element;
    kind.b = b;
    for (std::size_t axis = 0; axis < 3; ++axis) kind.at[axis].push_back(atom.at[axis]);
    kind.occupancy.emplace_back(atom.occupancy);
  }
  std::vector<Kind> list;
  list.reserve(kinds.size());
  for (auto& [key, kind] : kinds) list.push_back(std::move(kind));
  return list;
}

// The vectors first .. last in radians per Angstrom, and their lengths in 1/Angstrom.
struct Targets {
  Targets(const ScatteringVectors& q, std::size_t first, std::size_t last) : length(last - first) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      radians[axis].resize(length.size());
      for (std::size_t i = first; i < last; ++i) radians[axis][i - first] = 2 * std::numbers::pi * q[axis][i];
    }
    for (std::size_t i = first; i < last; ++i) length[i - first] = std::hypot(q[0][i], q[1][i], q[2][i]);
  }
  std::array<std::vector<double>, 3> radians;
  std::vector<double> length;
};

using Axes = std::array<PlacedArray<double>, 3>;

Axes placed(const std::array<std::vector<double>, 3>& axes, Place place) {
  return {PlacedArray<double>(place, std::span(axes[0])), PlacedArray<double>(place, std::span(axes[1])),
          PlacedArray<double>(place, std::span(axes[2]))};
}

// The values of sum over j of occupancy_j exp(-2 pi i q.r_j).
std::vector<Complex> transform(const Kind& kind, const Targets& targets, const ScatteringSettings& settings) {
  const Place place = settings.place;
  offgrid::Plan<double> plan({.type = 3,
                              .dim = 3,
                              .tolerance = settings.tolerance,
                              .sign = -1,
                              .options = {{"device", place == Place::gpu ? "cuda" : "cpu"}}});
  Axes at = placed(kind.at, place), to = placed(targets.radians, place);
  PlacedArray<Complex> strengths(place, std::span(kind.occupancy)), values(place, targets.length.size());
  plan.set_points({at[0].span(), at[1].span(), at[2].span()}, {to[0].span(), to[1].span(), to[2].span()});
  plan.execute(strengths.span(), values.span());
  std::vector<Complex> here(targets.length.size());
  values.copy_to(here);
  return here;
}

void add_kind(const Kind& kind, const Targets& targets, const ScatteringSettings& settings, std::span<Complex> sum) {
  const std::vector<Complex> values = transform(kind, targets, settings);
  oracle::parallel_ranges(static_cast<std::int64_t>(sum.size()), [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
      sum[i] += kind.factor(targets.length[i]) * values[i];
  });
}

}  // namespace

std::vector<Complex> scatter(std::span<const Atom> atoms, const ScatteringVectors& q,
                             const ScatteringSettings& settings) {
  const std::vector<Kind> kinds = sort_by_kind(atoms, settings);
  std::vector<Complex> sum(q[0].size());
  for (std::size_t first = 0; first < sum.size(); first += chunk) {
    const std::size_t last = std::min(sum.size(), first + chunk);
    const Targets targets(q, first, last);
    for (const Kind& kind : kinds) add_kind(kind, targets, settings, std::span(sum).subspan(first, last - first));
  }
  return sum;
}

}  // namespace cli::mtip
