#include "accuracy/search_type3.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "accuracy/draw.hpp"
#include "oracle/direct_sum.hpp"
#include "staged_plan.hpp"
#include "text.hpp"

namespace cli {
namespace {

using Values = std::vector<std::complex<double>>;

constexpr std::array spot_names{"uniform", "cluster", "few places", "line", "lattice", "ends"};
constexpr double most_pairs = 5e5;  // of places: the reference takes some milliseconds

Type3SearchSide draw_side(Draw& draw, std::uint64_t seed) {
  Type3SearchSide side;
  side.seed = seed;
  side.spot = static_cast<Type3Spot>(draw.below(static_cast<std::int64_t>(spot_names.size())));
  const bool at_few = side.spot == Type3Spot::few;
  side.places = static_cast<std::int64_t>(draw.log_between(1, at_few ? 6 : std::sqrt(most_pairs)));
  const double most = at_few ? 2e5 : 2e4;
  side.count =
      draw.one_in(2) ? side.places : std::max(side.places, static_cast<std::int64_t>(draw.log_between(1, most)));
  return side;
}

// Half-widths whose product is `product`, in units of any size, and centres that are 0, near or far away.
void draw_boxes(Draw& draw, Type3SearchCase& one, std::size_t axis, double product) {
  const double unit = draw.one_in(3) ? draw.log_between(1e-6, 1e6) : 1;
  one.points.box[axis].half = std::sqrt(product) * unit;
  one.targets.box[axis].half = std::sqrt(product) / unit;
  for (Type3SearchSide* side : {&one.points, &one.targets}) {
    Type3SearchBox& box = side->box[axis];
    const double away = draw.log_between(0.05, one.f64 ? 1e4 : 1e3) * (draw.one_in(2) ? 1 : -1);
    box.centre = draw.one_in(2) ? 0 : away * box.half;
  }
}

// From -1 to 1 along an axis.
double draw_position(Draw& draw, const Type3SearchSide& side, double centre, double size, std::int64_t place) {
  const double uniform = draw.between(-1, 1);
  const double along = (static_cast<double>(place) + 0.5) / static_cast<double>(side.places);
  switch (side.spot) {
    case Type3Spot::uniform:
    case Type3Spot::few:
      return uniform;
    case Type3Spot::cluster:  // and one at each end, so that the box stays
      return place < 2 ? (place == 0 ? -1 : 1) : std::clamp(centre + size * uniform, -1.0, 1.0);
    case Type3Spot::line:
      return std::clamp(centre + along * 0.2, -1.0, 1.0);
    case Type3Spot::lattice:
      return 2 * along - 1;
    case Type3Spot::ends:
      return uniform < 0 ? -1 : 1;
  }
  return uniform;
}

// [axis][place], as the precision holds them.
std::vector<std::vector<double>> places_of(const Type3SearchCase& one, const Type3SearchSide& side) {
  std::vector<std::vector<double>> places(static_cast<std::size_t>(one.dim));
  for (std::size_t axis = 0; axis < places.size(); ++axis) {
    Draw draw(side.seed * 5 + axis + 1);
    const double centre = draw.between(-1, 1), size = draw.log_between(1e-6, 1);
    for (std::int64_t place = 0; place < side.places; ++place) {
      const double x = side.box[axis].centre + side.box[axis].half * draw_position(draw, side, centre, size, place);
      places[axis].push_back(one.f64 ? x : static_cast<double>(static_cast<float>(x)));
    }
  }
  return places;
}

AxisSpans<double> spans_of(const std::vector<std::vector<double>>& places) { return {places.begin(), places.end()}; }

template <class T> Points<T> in_turn(const std::vector<std::vector<double>>& places, std::int64_t count) {
  Points<T> points(places.size(), count);
  for (std::size_t axis = 0; axis < places.size(); ++axis)
    for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j)
      points.coordinates[axis][j] = static_cast<T>(places[axis][j % places[axis].size()]);
  return points;
}

// What was put in, by places; and its norms.
struct SummedInput {
  Values sums;
  long double absolute = 0, squares = 0;
};

template <class T> SummedInput sum_by_places(const std::vector<std::complex<T>>& in, std::int64_t places) {
  std::vector<std::complex<long double>> sums(static_cast<std::size_t>(places));
  SummedInput summed;
  for (std::size_t j = 0; j < in.size(); ++j) {
    const std::complex<long double> c(in[j]);
    sums[j % sums.size()] += c;
    summed.absolute += std::abs(c);
    summed.squares += std::norm(c);
  }
  summed.sums.assign(sums.begin(), sums.end());
  return summed;
}

// No output is larger than `largest`: the sum of what was put in, without signs, which bounds a type 1, too; for an adjoint the
// bound of a type 2.
template <class T>
Ratios compare(const SummedInput& in, long double largest, const Values& expected,
               const std::vector<std::complex<T>>& out, double tolerance) {
  long double error = 0, norm = 0;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::complex<long double> truth(expected[k % expected.size()]);
    error += std::norm(std::complex<long double>(out[k]) - truth);
    norm += std::norm(truth);
  }
  const auto outputs = static_cast<long double>(out.size());
  return ratios_of(tolerance, std::sqrt(error / outputs), largest, std::sqrt(error),
                   std::sqrt(std::max(norm, outputs * in.squares)));
}

template <class T> Ratios measure(const Type3SearchCase& one, const PlanFlags& flags) {
  using Complex = std::complex<T>;
  offgrid::Problem problem{.type = 3, .dim = one.dim, .tolerance = one.tolerance, .sign = one.negative ? -1 : 1};
  problem.options = flags.given();
  if (one.by_grids && flags.value("type3").empty()) problem.options.emplace_back("type3", "grid");
  const auto point_places = places_of(one, one.points), target_places = places_of(one, one.targets);
  StagedPlan<T> plan(problem, place_of(flags));
  plan.set_points(in_turn<T>(point_places, one.points.count).spans(),
                  in_turn<T>(target_places, one.targets.count).spans());
  const Type3SearchSide &from = one.adjoint ? one.targets : one.points, &to = one.adjoint ? one.points : one.targets;
  std::vector<Complex> in(static_cast<std::size_t>(from.count)), out(static_cast<std::size_t>(to.count));
  for (std::int64_t i = 0; i < from.count; ++i)
    in[static_cast<std::size_t>(i)] = static_cast<Complex>(search_value(one, i, from.count));
  one.adjoint ? plan.adjoint(in, out) : plan.execute(in, out);
  const SummedInput summed = sum_by_places(in, from.places);
  const int sign = one.negative != one.adjoint ? -1 : 1;
  const auto expected = oracle::direct_type3<double>(sign, spans_of(one.adjoint ? target_places : point_places),
                                                     summed.sums, spans_of(one.adjoint ? point_places : target_places));
  const auto inputs = static_cast<long double>(from.count);
  const long double largest = one.adjoint ? std::sqrt(inputs * summed.squares) : summed.absolute;
  return compare<T>(summed, largest, expected, out, one.tolerance);
}

}  // namespace

std::string Type3SearchCase::name() const {
  std::string boxes;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dim); ++axis)
    boxes += format("%s%g+-%g by %g+-%g", axis == 0 ? "" : ", ", points.box[axis].centre, points.box[axis].half,
                    targets.box[axis].centre, targets.box[axis].half);
  const auto side = [](const Type3SearchSide& of) {
    return format("%lld at %lld places, %s", static_cast<long long>(of.count), static_cast<long long>(of.places),
                  spot_names[static_cast<std::size_t>(of.spot)]);
  };
  return format("case %lld: type 3%s %s, boxes %s, tolerance %.2e%s, points %s, targets %s; data %s",
                static_cast<long long>(number), adjoint ? ", its adjoint," : "", f64 ? "f64" : "f32", boxes.c_str(),
                tolerance, by_grids ? " by grids" : "", side(points).c_str(), side(targets).c_str(), name_of(data));
}

Type3SearchCase make_type3_search_case(std::uint64_t seed, std::int64_t number) {
  Type3SearchCase one;
  one.number = number;
  one.seed = CounterRandom(seed).bits(static_cast<std::uint64_t>(number));
  Draw draw(one.seed);
  one.dim = 1 + static_cast<int>(draw.below(3));
  one.f64 = draw.one_in(2);
  one.adjoint = draw.one_in(3);
  one.negative = draw.one_in(3);
  one.by_grids = !draw.one_in(4);
  one.tolerance = std::pow(10, -draw.between(1, one.f64 ? 12 : 5));
  one.data = static_cast<Data>(draw.below(data_kinds));
  one.scale = draw.one_in(8) ? 1e25 : draw.one_in(8) ? 1e-25 : 1;
  one.points = draw_side(draw, one.seed + 11);
  one.targets = draw_side(draw, one.seed + 12);
  const double most = one.dim == 1 ? 2e4 : one.dim == 2 ? 150 : 15;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(one.dim); ++axis)
    draw_boxes(draw, one, axis, draw.log_between(1e-3, most));
  return one;
}

Ratios measure_type3(const Type3SearchCase& one, const PlanFlags& flags) {
  return one.f64 ? measure<double>(one, flags) : measure<float>(one, flags);
}

}  // namespace cli
