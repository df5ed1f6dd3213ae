#include "accuracy/search.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

#include "accuracy/search_cases.hpp"
#include "accuracy/search_ratios.hpp"
#include "accuracy/search_type3.hpp"
#include "commands.hpp"
#include "oracle/direct_sum.hpp"
#include "staged_plan.hpp"
#include "text.hpp"
#include "timing.hpp"

namespace cli {
namespace {

using Values = std::vector<std::complex<double>>;

// Strengths of one sign: what they add up to at a place cannot cancel.
bool is_one_sign(const SearchCase& one) {
  const bool same = one.data == Data::equal || one.data == Data::one_sign || one.data == Data::alone;
  return one.type == 1 && same;
}

// Points at multiples of 2 pi / N: all that strengths of one sign add up to in mode 0 may alias onto one outer mode. Designs
// take that into account for few modes only (core/design/few_modes.cpp).
bool is_lattice(const SearchCase& one) {
  constexpr std::int64_t few_modes = 16;
  return one.spot == Spot::mode_spacing && *std::max_element(one.modes.begin(), one.modes.end()) > few_modes;
}

// Data whose terms do not conspire, the kind that measurements and simulations have.
bool is_ordinary(const SearchCase& one) {
  return (is_one_sign(one) && !is_lattice(one)) || one.data == Data::random || one.data == Data::ranging;
}

// What the library promises of a case.
double promised(const SearchCase& one, const Ratios& ratios) {
  return is_one_sign(one) && !is_lattice(one) ? std::max(ratios.of_largest, ratios.relative) : ratios.of_largest;
}

bool is_ordinary(const Type3SearchCase& one) { return one.data == Data::random || one.data == Data::ranging; }

double promised(const Type3SearchCase& one, const Ratios& ratios) {
  return is_ordinary(one) ? std::max(ratios.of_largest, ratios.relative) : ratios.of_largest;
}

template <class T> class SearchedTransform {
 public:
  using Complex = std::complex<T>;

  SearchedTransform(const SearchCase& one, const PlanFlags& flags)
      : one_(one), plan_(problem_of(one, flags), place_of(flags)) {
    const Points<T> any(static_cast<std::size_t>(one.dim), one.points);
    plan_.set_points(any.spans());  // chooses the grid, whose nodes are bad places
    std::vector<std::int64_t> grid;
    for (int axis = 1; axis <= one.dim; ++axis)
      grid.push_back(static_cast<std::int64_t>(plan_.get(format("grid%d", axis).c_str())));
    places_ = search_places(one, grid);
  }

  Ratios measure() {
    const std::int64_t modes = mode_count(one_.modes), inputs = one_.type == 1 ? one_.points : modes;
    Points<T> points(places_.size(), one_.points);
    for (std::size_t axis = 0; axis < places_.size(); ++axis)
      for (std::int64_t j = 0; j < one_.points; ++j)
        points.coordinates[axis][static_cast<std::size_t>(j)] = static_cast<T>(places_[axis][place_of_point(j)]);
    std::vector<Complex> in(static_cast<std::size_t>(inputs));
    for (std::int64_t i = 0; i < inputs; ++i)
      in[static_cast<std::size_t>(i)] = static_cast<Complex>(search_value(one_, i, inputs));
    std::vector<Complex> out(static_cast<std::size_t>(one_.type == 1 ? modes : one_.points));
    plan_.set_points(points.spans());
    one_.adjoint ? plan_.adjoint(in, out) : plan_.execute(in, out);
    return one_.type == 1 ? compare_modes(in, out) : compare_points(in, out);
  }

 private:
  // The adjoint of the other type, with the opposite sign, is the same transform.
  static offgrid::Problem problem_of(const SearchCase& one, const PlanFlags& flags) {
    offgrid::Problem problem{
        .type = one.adjoint ? 3 - one.type : one.type, .modes = one.modes, .tolerance = one.tolerance};
    problem.options = flags.given();
    if (one.hint > 0) problem.options.emplace_back("points_hint", static_cast<double>(one.hint));
    return problem;
  }

  [[nodiscard]] std::size_t place_of_point(std::int64_t j) const { return static_cast<std::size_t>(j % one_.places); }
  [[nodiscard]] oracle::Problem oracle_problem() const { return {one_.modes, one_.type == 1 ? -1 : 1}; }
  [[nodiscard]] AxisSpans<double> place_spans() const { return AxisSpans<double>(places_.begin(), places_.end()); }

  Ratios compare_modes(const std::vector<Complex>& in, const std::vector<Complex>& out) const {
    std::vector<std::complex<long double>> sums(static_cast<std::size_t>(one_.places));
    long double absolute = 0, squares = 0;
    for (std::int64_t j = 0; j < one_.points; ++j) {
      const std::complex<long double> c(in[static_cast<std::size_t>(j)]);
      sums[place_of_point(j)] += c;
      absolute += std::abs(c);
      squares += std::norm(c);
    }
    const Values strengths(sums.begin(), sums.end());
    const auto expected = oracle::direct_type1<double>(oracle_problem(), place_spans(), strengths);
    long double error = 0, norm = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      error += std::norm(std::complex<long double>(out[k]) - std::complex<long double>(expected[k]));
      norm += std::norm(std::complex<long double>(expected[k]));
    }
    const auto count = static_cast<long double>(expected.size());
    return ratios_of(one_.tolerance, std::sqrt(error / count), absolute, std::sqrt(error),
                     std::sqrt(std::max(norm, count * squares)));
  }

  Ratios compare_points(const std::vector<Complex>& in, const std::vector<Complex>& out) const {
    const Values modes(in.begin(), in.end());
    const auto expected = oracle::direct_type2<double>(oracle_problem(), place_spans(), modes);
    long double worst = 0, error = 0, norm = 0, squares = 0;
    for (const auto& f : modes) squares += std::norm(std::complex<long double>(f));
    for (std::int64_t j = 0; j < one_.points; ++j) {
      const std::complex<long double> truth(expected[place_of_point(j)]);
      const long double off = std::norm(std::complex<long double>(out[static_cast<std::size_t>(j)]) - truth);
      worst = std::isnan(off) ? off : std::max(worst, off);
      error += off;
      norm += std::norm(truth);
    }
    const auto largest = std::sqrt(static_cast<long double>(modes.size()) * squares);
    return ratios_of(one_.tolerance, std::sqrt(worst), largest, std::sqrt(error),
                     std::sqrt(std::max(norm, static_cast<long double>(one_.points) * squares)));
  }

  SearchCase one_;
  StagedPlan<T> plan_;
  std::vector<std::vector<double>> places_;
};

// A measured case of any type.
struct Measured {
  std::string name;
  int type;
  Ratios ratios;
  double of_promise;
  bool is_ordinary;
};

bool is_of_type3(std::int64_t number) {
  constexpr std::int64_t every = 4;
  return number % every == every - 1;
}

Measured measure_of_type3(const SearchSettings& settings, std::int64_t number, const PlanFlags& flags) {
  const Type3SearchCase one = make_type3_search_case(settings.seed, number);
  const Ratios ratios = measure_type3(one, flags);
  return {one.name(), 3, ratios, promised(one, ratios), is_ordinary(one)};
}

Measured measure_of_modes(const SearchSettings& settings, std::int64_t number, const PlanFlags& flags) {
  const SearchCase one = make_search_case(settings.seed, number);
  const Ratios ratios =
      one.f64 ? SearchedTransform<double>(one, flags).measure() : SearchedTransform<float>(one, flags).measure();
  return {one.name(), one.type, ratios, promised(one, ratios), is_ordinary(one)};
}

bool is_wanted(const SearchSettings& settings, std::int64_t number) {
  const int type = is_of_type3(number) ? 3 : make_search_case(settings.seed, number).type;
  return std::find(settings.types.begin(), settings.types.end(), type) != settings.types.end();
}

double percentile(const std::vector<double>& sorted, double part) {
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

void report(const char* what, std::vector<double> ratios) {
  if (ratios.empty()) return;
  std::sort(ratios.begin(), ratios.end());
  const auto over = std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return !(ratio <= 1); });
  std::printf("    %-44s %6zu cases, median %.2f, 99 %% under %.2f, most %.2f, %td over 1\n", what, ratios.size(),
              percentile(ratios, 0.5), percentile(ratios, 0.99), ratios.back(), over);
}

// Errors over tolerances of the cases of some types.
struct Tally {
  std::vector<double> any, ordinary, special;

  void add(const Measured& one) {
    any.push_back(one.ratios.of_largest);
    (one.is_ordinary ? ordinary : special).push_back(one.ratios.relative);
  }
  void print(const char* title) const {
    if (any.empty()) return;
    std::printf("  %s\n", title);
    report("of the largest output, any input:", any);
    report("relative l2, ordinary data:", ordinary);
    report("relative l2, special data (may exceed 1):", special);
  }
};

}  // namespace

int search(const SearchSettings& settings, const PlanFlags& flags) {
  const Stopwatch watch;
  Tally of_modes, of_type3;
  std::int64_t count = 0, broken = 0;
  const bool alone = settings.only >= 0;
  for (std::int64_t number = alone ? settings.only : 0; count == 0 || (!alone && watch.seconds() < settings.seconds);
       ++number) {
    if (!alone && !is_wanted(settings, number)) continue;
    const Measured one =
        is_of_type3(number) ? measure_of_type3(settings, number, flags) : measure_of_modes(settings, number, flags);
    (one.type == 3 ? of_type3 : of_modes).add(one);
    ++count;
    const bool fails = !(one.of_promise <= 1);
    broken += fails ? 1 : 0;
    if (fails || alone || (settings.progress && one.ratios.relative > 1))
      std::printf("%s: %.2f of what is promised, relative l2 error %.2f of the tolerance\n", one.name.c_str(),
                  one.of_promise, one.ratios.relative);
  }
  std::printf("%lld cases from seed %llu in %s; errors over tolerance\n", static_cast<long long>(count),
              static_cast<unsigned long long>(settings.seed), readable_seconds(watch.seconds()).c_str());
  of_modes.print("types 1 and 2");
  of_type3.print("type 3");
  if (broken > 0) std::printf("%lld cases break the promise\n", static_cast<long long>(broken));
  return broken == 0 ? exit_success : exit_failure;
}

}  // namespace cli
