#include "accuracy/accuracy_type3.hpp"

#include <cmath>
#include <complex>

#include "oracle/direct_sum.hpp"
#include "random.hpp"
#include "staged_plan.hpp"

namespace cli {
namespace {

constexpr std::int64_t vectors = 2;  // so that the table covers batches too
constexpr std::int64_t most_sampled = 300;
constexpr const char* few = "few";  // so few that they are summed over all pairs; grids do all others

enum class Side { points, targets };

struct BoxAxis {
  double centre, half;
};

BoxAxis box_axis(Side side, Type3Set set, const Type3Size& size, std::size_t axis) {
  const bool is_points = side == Side::points;
  BoxAxis box{0, std::sqrt(size.product[axis])};
  if (set == Type3Set::off_centre) box.centre = (is_points ? 20 : -15) * box.half;
  const double unit = std::pow(10, 5 - 3 * static_cast<double>(axis));
  if (set == Type3Set::scales) box.half *= is_points ? unit : 1 / unit;
  return box;
}

// A coordinate in a box from -1 to 1.
double position(Side side, Type3Set set, const CounterRandom& random, std::int64_t j) {
  const double uniform = random.uniform(static_cast<std::uint64_t>(j), -1, 1);
  const double end = uniform < 0 ? -1 : 1;
  if (set == Type3Set::clustered) return j < 2 ? end : 1e-3 * uniform;
  if (set == Type3Set::ends && side == Side::targets) return end;
  if (set == Type3Set::repeated && side == Side::points) return 0.6;
  return uniform;
}

template <class T> Points<T> make_side(Side side, Type3Set set, const Type3Size& size) {
  Points<T> made(size.product.size(), side == Side::points ? size.points : size.targets);
  for (std::size_t axis = 0; axis < size.product.size(); ++axis) {
    const CounterRandom random(31 + 2 * axis + (side == Side::points ? 0 : 1));
    const BoxAxis box = box_axis(side, set, size, axis);
    for (std::int64_t j = 0; j < made.count(); ++j)
      made.coordinates[axis][static_cast<std::size_t>(j)] =
          static_cast<T>(box.centre + box.half * position(side, set, random, j));
  }
  return made;
}

// Direct sums of all vectors at the sampled targets.
template <class T>
oracle::Sums reference(const Points<T>& points, const Points<T>& targets, std::span<const std::complex<T>> strengths,
                       const std::vector<std::int64_t>& sampled) {
  Points<T> some(targets.coordinates.size(), static_cast<std::int64_t>(sampled.size()));
  for (std::size_t axis = 0; axis < targets.coordinates.size(); ++axis)
    for (std::size_t i = 0; i < sampled.size(); ++i)
      some.coordinates[axis][i] = targets.coordinates[axis][static_cast<std::size_t>(sampled[i])];
  const auto count = static_cast<std::size_t>(points.count());
  oracle::Sums all;
  for (std::size_t vector = 0; vector < vectors; ++vector) {
    const auto sums =
        oracle::direct_type3<T>(1, points.spans(), strengths.subspan(vector * count, count), some.spans());
    all.insert(all.end(), sums.begin(), sums.end());
  }
  return all;
}

template <class T> class Type3Sweep {
 public:
  Type3Sweep(const Type3Row& row, const PlanFlags& flags) : row_(row) {
    for (const double tolerance : row.tolerances) {
      offgrid::Problem problem{.type = 3, .dim = dim(), .tolerance = tolerance, .transforms = vectors};
      problem.options = flags.given();
      if (row.size.name != few && flags.value("type3").empty()) problem.options.emplace_back("type3", "grid");
      plans_.push_back(std::make_unique<StagedPlan<T>>(problem, place_of(flags)));
    }
  }

  void measure(Type3Set set, std::vector<AccuracyCell>& cells, ProgressBar& bar) {
    const auto points = make_side<T>(Side::points, set, row_.size),
               targets = make_side<T>(Side::targets, set, row_.size);
    std::vector<Complex> strengths(static_cast<std::size_t>(vectors * points.count()));
    std::vector<Complex> values(static_cast<std::size_t>(vectors * targets.count()));
    fill_random<T>(strengths, 23);
    const auto sampled = sample_positions(targets.count(), most_sampled, 29);
    const auto expected = reference<T>(points, targets, strengths, sampled);
    const double dilution = oracle::cancellation<T>(strengths, expected, vectors);
    std::vector<std::int64_t> positions;
    for (std::int64_t vector = 0; vector < vectors; ++vector)
      for (const auto target : sampled) positions.push_back(vector * targets.count() + target);
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      plans_[i]->set_points(points.spans(), targets.spans());
      plans_[i]->execute(strengths, values);
      const double error = oracle::relative_error<T>(values, expected, positions) * dilution;
      cells.push_back({dim(), 3, row_.precision, row_.size.name, name_of(set), row_.tolerances[i], error});
      bar.step(cells.back().name());
    }
  }

 private:
  using Complex = std::complex<T>;
  [[nodiscard]] int dim() const { return static_cast<int>(row_.size.product.size()); }

  const Type3Row& row_;
  std::vector<std::unique_ptr<StagedPlan<T>>> plans_;
};

template <class T>
void measure_row(const Type3Row& row, const PlanFlags& flags, std::vector<AccuracyCell>& cells, ProgressBar& bar) {
  Type3Sweep<T> sweep(row, flags);
  for (const auto set : row.sets) sweep.measure(set, cells, bar);
}

}  // namespace

std::vector<Type3Size> type3_sizes_for(int dim, Extent extent) {
  const auto axes = static_cast<std::size_t>(dim);
  const auto first = [&](std::vector<double> product) {
    product.resize(axes);
    return product;
  };
  std::vector<Type3Size> sizes{{few, first({7, 4, 5}), 30, 20}, {"tiny", first({1e-3, 1e-3, 1e-3}), 700, 500}};
  if (dim == 1) sizes.push_back({"medium", {300}, 1500, 1200});
  if (dim == 2) sizes.push_back({"medium", {40, 25}, 1500, 1200});
  if (dim == 3) sizes.push_back({"medium", {12, 10, 14}, 1500, 1200});
  if (extent == Extent::quick) return sizes;
  if (dim == 1) sizes.push_back({"large", {1e5}, 10000, 5000});
  if (dim > 1) sizes.push_back({"wide", first({1000, 2, 0.01}), 1500, 900});
  if (dim == 2) sizes.push_back({"large", {300, 250}, 10000, 5000});
  if (dim == 3) sizes.push_back({"large", {50, 40, 45}, 10000, 5000});
  return sizes;
}

std::vector<double> type3_tolerances_for(const std::string& precision, Extent extent) {
  auto tolerances = tolerances_for(precision, Extent::full);
  tolerances.pop_back();  // the least one, which rounding in two stages does not always leave within reach
  if (extent == Extent::full) return tolerances;
  if (precision == "f32") return {1e-1, 1e-3, 1e-5};
  return {1e-2, 1e-7, 1e-12};
}

const char* name_of(Type3Set set) {
  switch (set) {
    case Type3Set::uniform:
      return "uniform";
    case Type3Set::off_centre:
      return "off-centre";
    case Type3Set::clustered:
      return "clustered";
    case Type3Set::ends:
      return "ends";
    case Type3Set::scales:
      return "scales";
    case Type3Set::repeated:
      return "repeated";
  }
  return "";
}

void measure_type3(const Type3Row& row, const PlanFlags& flags, std::vector<AccuracyCell>& cells, ProgressBar& bar) {
  row.precision == "f32" ? measure_row<float>(row, flags, cells, bar) : measure_row<double>(row, flags, cells, bar);
}

}  // namespace cli
