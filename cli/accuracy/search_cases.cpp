#include "accuracy/search_cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "accuracy/draw.hpp"
#include "random.hpp"
#include "text.hpp"

namespace cli {
namespace {

constexpr double pi = std::numbers::pi;
constexpr std::array spot_names{"uniform", "cluster", "few places", "stride",  "a line repeated",
                                "nodes",   "edges",   "2 pi k / N", "far away"};
constexpr std::array data_names{"random", "equal", "of one sign", "alternating", "one alone", "from 1e-3 to 1e3"};
constexpr double most_work = 3e6;  // modes x places: the reference takes some hundredths of a second

// Sizes of all kinds, axes of one, two and three modes among them.
std::vector<std::int64_t> draw_modes(Draw& draw, int dim) {
  const double most = dim == 1 ? 3000 : dim == 2 ? 120 : 30;
  std::vector<std::int64_t> modes;
  modes.reserve(static_cast<std::size_t>(dim));
  for (int axis = 0; axis < dim; ++axis)
    modes.push_back(draw.one_in(5) ? 1 + draw.below(3) : static_cast<std::int64_t>(draw.log_between(1, most)));
  return modes;
}

// On a node, half a cell from one, or not far from others.
double near_place(Draw& draw, double centre, double cells) {
  const std::int64_t kind = draw.below(3);
  if (kind == 0) return centre + draw.between(-0.2, 0.2);
  return 2 * pi * (static_cast<double>(draw.below(1000)) + (kind == 1 ? 0.5 : 0.0)) / cells;
}

}  // namespace

const char* name_of(Data data) { return data_names[static_cast<std::size_t>(data)]; }

std::string SearchCase::name() const {
  return format(
      "case %lld: type %d%s %s, %s modes, tolerance %.2e, %lld points (told of %lld) at %lld places, %s; data %s",
      static_cast<long long>(number), type, adjoint ? " as an adjoint" : "", f64 ? "f64" : "f32",
      readable_sizes(modes).c_str(), tolerance, static_cast<long long>(points), static_cast<long long>(hint),
      static_cast<long long>(places), spot_names[static_cast<std::size_t>(spot)], name_of(data));
}

SearchCase make_search_case(std::uint64_t seed, std::int64_t number) {
  SearchCase one;
  one.number = number;
  one.seed = CounterRandom(seed).bits(static_cast<std::uint64_t>(number));
  Draw draw(one.seed);
  one.dim = 1 + static_cast<int>(draw.below(3));
  one.type = draw.one_in(3) ? 2 : 1;
  one.adjoint = draw.one_in(4);
  one.f64 = draw.one_in(3);
  one.modes = draw_modes(draw, one.dim);
  one.tolerance = std::pow(10, -draw.between(1, one.f64 ? 12 : 6));
  one.spot = static_cast<Spot>(draw.below(static_cast<std::int64_t>(spot_names.size())));
  one.data = static_cast<Data>(draw.below(data_kinds));
  double all = 1;
  for (const auto size : one.modes) all *= static_cast<double>(size);
  // In every third case very many points at a few places make long sums.
  if (draw.one_in(3)) one.spot = Spot::few;
  const bool at_few = one.spot == Spot::few;
  if (at_few && draw.one_in(2)) one.data = Data::equal;
  one.places = static_cast<std::int64_t>(draw.log_between(1, at_few ? 6 : std::min(4000.0, most_work / all + 2)));
  const double most_points = at_few ? (draw.one_in(4) ? 3e6 : 3e5) : 2e4;
  if (at_few || draw.one_in(2))
    one.points = std::max(one.places, static_cast<std::int64_t>(draw.log_between(at_few ? 100 : 1, most_points)));
  else
    one.points = one.places;
  one.hint = draw.one_in(3) ? one.points : draw.one_in(3) ? 1 + draw.below(100000) : 0;
  one.scale = draw.one_in(8) ? 1e30 : draw.one_in(8) ? 1e-30 : 1;
  return one;
}

std::vector<std::vector<double>> search_places(const SearchCase& one, const std::vector<std::int64_t>& grid) {
  std::vector<std::vector<double>> places(static_cast<std::size_t>(one.dim));
  for (std::size_t axis = 0; axis < places.size(); ++axis) {
    Draw draw(one.seed * 5 + axis + 1);
    const auto modes = static_cast<double>(one.modes[axis]), cells = static_cast<double>(grid[axis]);
    const double centre = draw.between(-pi, pi), size = draw.log_between(1e-6, 8) * 2 * pi / cells;
    const double step = draw.one_in(2) ? 2.4 : draw.between(0, 2 * pi),
                 offset = draw.one_in(2) ? 0.5 : draw.between(0, 1);
    for (std::int64_t p = 0; p < one.places; ++p) {
      const auto at = static_cast<double>(p);
      const double ulp = one.f64 ? 0x1p-52 : 0x1p-23;
      const double uniform = draw.between(-pi, pi);
      double x = uniform;
      if (one.spot == Spot::cluster) x = centre + (uniform / pi) * size;
      if (one.spot == Spot::few) x = draw.one_in(2) ? near_place(draw, centre, cells) : uniform;
      if (one.spot == Spot::stride) x = std::fmod(step * at, 2 * pi);
      if (one.spot == Spot::line) x = centre + (at / static_cast<double>(one.places)) * draw.between(0.1, 0.2);
      if (one.spot == Spot::nodes)
        x = 2 * pi * (std::floor(uniform / (2 * pi) * cells) + (offset == 0.5 ? 0 : offset)) / cells;
      if (one.spot == Spot::edges) x = (p % 2 == 0 ? pi : -pi) * (1 + static_cast<double>(draw.below(3) - 1) * ulp);
      if (one.spot == Spot::mode_spacing) x = 2 * pi * std::floor(uniform / (2 * pi) * modes) / modes;
      if (one.spot == Spot::far) x = uniform / pi * 1e8;
      places[axis].push_back(one.f64 ? x : static_cast<double>(static_cast<float>(x)));
    }
  }
  return places;
}

std::complex<double> search_value(const SearchData& one, std::int64_t i, std::int64_t count) {
  const CounterRandom random(one.seed + 7);
  const auto index = static_cast<std::uint64_t>(i);
  const std::complex<double> constant(random.uniform(0, -1, 1), random.uniform(1, -1, 1));
  const std::complex<double> any(random.uniform(2 * index + 2, -1, 1), random.uniform(2 * index + 3, -1, 1));
  const auto chosen = static_cast<std::int64_t>(random.bits(0) % 3);  // of those that are alone: first, last or middle
  const std::int64_t alone = chosen == 0 ? 0 : chosen == 1 ? count - 1 : count / 2;
  switch (one.data) {
    case Data::random:
      return one.scale * any;
    case Data::equal:
      return one.scale * constant;
    case Data::one_sign:
      return one.scale * std::complex<double>(std::abs(any.real()), std::abs(any.imag()));
    case Data::alternating:
      return (i % 2 == 0 ? one.scale : -one.scale) * constant;
    case Data::alone:
      return i == alone ? one.scale * constant : 0.0;
    case Data::ranging:
      return one.scale * std::pow(10, random.uniform(index, -3, 3)) * any;
  }
  return 0;
}

}  // namespace cli
