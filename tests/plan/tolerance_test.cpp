// The tolerance is a bound: measured relative l2 errors are at most what was asked for, in every dimension, type and
// precision, also where single precision peers lose it (1D N = 1e6: finufft#231, #225, #677; 64^3 at 1e-6).
#include "transform.hpp"

namespace {

using namespace support;
using offgrid::WindowKind;

class ToleranceTest : public BackendTest {};

constexpr double tightest(float) { return 1e-6; }
constexpr double tightest(double) { return 1e-13; }

// 1e-1, 1e-2 .. down to the last that is promised.
template <class T> std::vector<double> promised_tolerances() {
  std::vector<double> all;
  for (int digits = 1; std::pow(10., -digits) > 0.9 * tightest(T{}); ++digits)
    all.push_back(std::stod("1e-" + std::to_string(digits)));
  return all;
}

template <class T> void expect_tolerances_met(const BackendUnderTest& where, const Sizes& modes, std::int64_t count) {
  const auto points = uniform_points<T>(static_cast<int>(modes.size()), count, 5);
  for (const double tolerance : promised_tolerances<T>())
    for (const int type : {1, 2})
      expect_accurate<T>(where, {.type = type, .modes = modes, .tolerance = tolerance}, points);
}

TEST_P(ToleranceTest, met_in_every_dimension_type_and_precision) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    expect_tolerances_met<T>(where(), {200}, 500);
    expect_tolerances_met<T>(where(), {23, 24}, 500);
    expect_tolerances_met<T>(where(), {12, 11, 10}, 500);
  });
}

TEST_P(ToleranceTest, met_on_tiny_and_thin_sizes) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : std::vector<Sizes>{{1}, {2}, {3}, {1, 40}, {3, 2}, {1, 2, 3}, {2, 2, 2}})
      expect_tolerances_met<T>(where(), modes, 300);
  });
}

// The errors of the axes have one sign there, and few modes do not average them.
TEST_P(ToleranceTest, met_for_points_at_one_place_on_or_between_nodes_and_few_modes) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : std::vector<Sizes>{{4}, {6}, {8, 8}, {12, 12}, {40, 4}, {1, 1, 1}, {6, 6, 6}, {40, 1, 1}})
      for (const double tolerance : {2e-1, 5e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 1e-4, 1e-5})
        for (const double cells : {0.0, 0.25, 0.5}) {
          const int dim = static_cast<int>(modes.size());
          const Spec spec{.modes = modes, .tolerance = tolerance, .options = {.points_hint = 3}};
          SCOPED_TRACE(offgrid::text(spec.name(), " at ", cells, " cells, bits ", 8 * sizeof(T)));
          Transform<T> transform(where(), spec);
          PointSet<T> points;
          for (const char* grid : {"grid1", "grid2", "grid3"})
            if (points.dim() < dim)
              points.axis.emplace_back(3, static_cast<T>(2 * std::numbers::pi * cells / transform.get(grid)));
          transform.set_points(points);
          EXPECT_LE(measure(transform, points).forward, tolerance);
          EXPECT_LE(transform.get("expected_error"), tolerance);
        }
  });
}

// One point per cell of a grid, `cells` behind its node.
template <class T> PointSet<T> lattice(int dim, std::int64_t n, double cells) {
  std::int64_t count = 1;
  for (int axis = 0; axis < dim; ++axis) count *= n;
  PointSet<T> points;
  points.axis.resize(dim);
  for (std::int64_t j = 0; j < count; ++j)
    for (std::int64_t axis = 0, rest = j; axis < dim; ++axis, rest /= n)
      points.axis[axis].push_back(
          static_cast<T>(2 * std::numbers::pi * (static_cast<double>(rest % n) + cells) / static_cast<double>(n)));
  return points;
}

// With all strengths 1 mode 0 is their sum, and all other modes are 0. The errors of mode 0 along the axes have one sign, and
// nothing averages them.
template <class T> double error_of_a_lattice(const BackendUnderTest& where, const Spec& spec, double cells) {
  const int dim = static_cast<int>(spec.modes.size());
  Transform<T> transform(where, spec);
  std::int64_t n = 2 * spec.modes[0], count = 0;
  for (int attempts = 0; attempts < 5 && transform.get("points") < 0; ++attempts) {  // the grid follows from the count
    const auto points = lattice<T>(dim, n, cells);
    transform.set_points(points);
    count = points.count();
    const auto grid = static_cast<std::int64_t>(transform.get("grid1"));
    if (grid != n) transform = Transform<T>(where, spec);
    n = grid;
  }
  EXPECT_EQ(transform.get("points"), count) << spec.name() << ": the grid has other sizes each time";
  const auto modes = transform.execute(typename Transform<T>::Vector(count, 1));
  std::int64_t zero = 0;
  for (int axis = dim - 1; axis >= 0; --axis) zero = zero * spec.modes[axis] + spec.modes[axis] / 2;
  double squares = 0;
  for (std::int64_t k = 0; k < static_cast<std::int64_t>(modes.size()); ++k)
    squares += std::norm(std::complex<double>(modes[k]) - (k == zero ? static_cast<double>(count) : 0.0));
  return std::sqrt(squares) / static_cast<double>(count);
}

TEST_P(ToleranceTest, met_for_strengths_of_one_sign_on_or_between_all_nodes_and_few_modes) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : std::vector<Sizes>{{32}, {8}, {32, 32}, {12, 12}, {24, 24, 24}, {32, 32, 32}})
      for (const double tolerance : {1e-2, 1e-4, 1e-5})
        for (const double cells : {0.0, 0.25, 0.5})
          EXPECT_LE(error_of_a_lattice<T>(where(), {.modes = modes, .tolerance = tolerance}, cells), tolerance)
              << modes.size() << "D, " << modes[0] << " modes at " << cells << " cells, bits " << 8 * sizeof(T);
  });
}

// Engines keep tables for the next plan with the same grid and kernel. A tighter plan may scale its deconvolution factors,
// although grid and kernel are the same.
TEST_P(ToleranceTest, met_after_a_looser_plan_with_the_same_grid_and_kernel) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    Spec tight{.modes = {32, 32, 32}, .tolerance = 1e-5, .options = {.points_hint = 1 << 18}};
    const Transform<T> chosen(where(), tight);
    tight.options.width = static_cast<int>(chosen.get("width"));
    tight.options.upsampling = chosen.get("upsampling");
    Spec loose = tight;
    loose.tolerance = 1e-4;
    const Transform<T> plan(where(), loose);
    ASSERT_EQ(plan.get("grid1"), chosen.get("grid1"));
    const double error_of_loose = error_of_a_lattice<T>(where(), loose, 0);
    const double error_of_tight = error_of_a_lattice<T>(where(), tight, 0);
    EXPECT_LE(error_of_tight, tight.tolerance);
    if (chosen.get("expected_error") < plan.get("expected_error")) {  // it scales its factors
      EXPECT_LT(error_of_tight, 0.9 * error_of_loose);
    }
  });
}

// Down to what a given sigma can reach with the widest kernel, which the plan says.
TEST_P(ToleranceTest, met_for_any_upsampling_that_is_asked_for) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const auto points = uniform_points<T>(2, 300);
    for (const double sigma : {1.25, 1.5, 2.0, 2.5})
      for (const double tolerance : promised_tolerances<T>()) {
        SCOPED_TRACE(offgrid::text("sigma ", sigma, " tolerance ", tolerance, " bits ", 8 * sizeof(T)));
        Transform<T> transform(where(), {.modes = {20, 21}, .tolerance = tolerance, .options = {.upsampling = sigma}});
        transform.set_points(points);
        EXPECT_LE(measure(transform, points).forward, std::max(tolerance, transform.get("reachable_tolerance")));
      }
  });
}

TEST_P(ToleranceTest, single_point_on_a_node_or_off_it) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const double x : {0.0, 1.0})
      for (const double tolerance : promised_tolerances<T>())
        expect_accurate<T>(where(), {.modes = {50}, .tolerance = tolerance}, choose_from<T>({T(x)}, 1, 1));
  });
}

// Errors over sampled outputs of a transform that is too large for a whole direct sum; of random values, or those given.
template <class T>
double sampled_error(const BackendUnderTest& where, const Spec& spec, const PointSet<T>& points, std::int64_t samples,
                     std::vector<std::complex<T>> in = {}) {
  Transform<T> transform(where, spec);
  transform.set_points(points);
  if (in.empty()) in = random_values<T>(transform.size_of(spec.backward()), 3);
  const auto out = transform.execute(in);
  std::vector<std::int64_t> chosen;
  std::mt19937_64 generator(11);
  for (std::int64_t s = 0; s < samples; ++s) chosen.push_back(generator() % out.size());
  const auto problem = spec.forward_sum().problem();
  const Sums truth = spec.type == 1 ? oracle::direct_type1<T>(problem, axes_of(points), in, chosen)
                                    : oracle::direct_type2<T>(problem, axes_of(points), in, chosen);
  return oracle::relative_error<T>(out, truth, chosen);
}

TEST_P(ToleranceTest, single_and_double_precision_at_a_million_modes) {
  for (const int type : {1, 2}) {
    const Spec f32{.type = type, .modes = {1000000}, .tolerance = 1e-6};
    const Spec f64{.type = type, .modes = {1000000}, .tolerance = 1e-12};
    EXPECT_LE(sampled_error<float>(where(), f32, uniform_points<float>(1, 20000), 200), f32.tolerance);
    EXPECT_LE(sampled_error<double>(where(), f64, uniform_points<double>(1, 20000), 100), f64.tolerance);
  }
}

TEST_P(ToleranceTest, single_precision_1e_6_on_64_cubed) {
  for (const int type : {1, 2}) {
    const Spec spec{.type = type, .modes = {64, 64, 64}, .tolerance = 1e-6};
    EXPECT_LE(sampled_error<float>(where(), spec, uniform_points<float>(3, 20000), 200), spec.tolerance);
  }
}

// Sums of one sign grow until each new term is rounded the same way: then errors add up, too.
TEST_P(ToleranceTest, many_values_of_one_sign_in_few_cells) {
  constexpr std::int64_t count = 200000;
  const std::vector<std::complex<float>> ones(count, {1, 0});
  for (const double tolerance : {1e-4, 1e-5})
    for (const Sizes& modes : std::vector<Sizes>{{1000}, {300, 300}, {40, 40, 40}}) {
      const Spec spec{.modes = modes, .tolerance = tolerance};
      const auto points = points_between<float>(3.141, 3.143, static_cast<int>(modes.size()), count, 3);
      EXPECT_LE(sampled_error<float>(where(), spec, points, 20, ones), tolerance) << spec.name();
    }
}

// finufft#701, #802, #167: more cells than a float can count, where a coordinate kept as a float loses its cell.
TEST_P(ToleranceTest, single_precision_on_more_cells_than_a_float_counts) {
  for (const int type : {1, 2}) {
    const Spec spec{.type = type, .modes = {10000000}, .tolerance = 1e-5};
    EXPECT_LE(sampled_error<float>(where(), spec, uniform_points<float>(1, 500), 20), spec.tolerance);
  }
}

TEST_P(ToleranceTest, what_cannot_be_reached_is_approached_and_said) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    const Spec spec{.modes = {40, 40}, .tolerance = 1e-30};
    Transform<T> transform(where(), spec);
    const double before_points = transform.get("reachable_tolerance");
    EXPECT_NE(transform.plan().describe().find("1e-30"), std::string::npos) << transform.plan().describe();
    transform.set_points(uniform_points<T>(2, 100));
    EXPECT_EQ(transform.get("reachable_tolerance"), before_points);
    EXPECT_GT(transform.get("reachable_tolerance"), spec.tolerance);
    EXPECT_LE(transform.get("reachable_tolerance"), tightest(T{}));
    EXPECT_GT(transform.get("expected_error"), spec.tolerance);
    EXPECT_LE(transform.get("expected_error"), transform.get("reachable_tolerance"));
    EXPECT_NE(transform.plan().describe().find("1e-30"), std::string::npos) << transform.plan().describe();
  });
}

// Small transforms of all shapes, with a tolerance out of reach: what the plan says can be reached is a bound, and not a
// hundred times what is measured.
TEST_P(ToleranceTest, best_effort_is_as_good_as_it_says) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    double worst = 0;
    for (const Sizes& modes :
         std::vector<Sizes>{{3}, {143}, {1000}, {2, 3}, {40, 40}, {5, 9, 4}, {7, 6, 5}, {8, 13, 8}})
      for (const std::int64_t count : {12, 300, 800})
        for (const int type : {1, 2}) {
          Transform<T> transform(where(), {.type = type, .modes = modes, .tolerance = 1e-30});
          const auto points = uniform_points<T>(static_cast<int>(modes.size()), count);
          transform.set_points(points);
          worst = std::max(worst, measure(transform, points).forward / transform.get("reachable_tolerance"));
        }
    EXPECT_LE(worst, 1);
    EXPECT_GE(worst, 0.2);
  });
}

// Below its reach f32 costs little more than at it: the kernel stays about as wide.
TEST_P(ToleranceTest, a_tolerance_out_of_reach_is_no_cliff) {
  const auto width = [&](double tolerance) {
    const Spec spec{.modes = {64, 64, 64}, .tolerance = tolerance, .options = {.points_hint = 1000000}};
    return Transform<float>(where(), spec).get("width");
  };
  EXPECT_LE(width(1e-7), width(1e-6) + 2);
  EXPECT_EQ(width(1e-7), width(1e-12));
}

TEST_P(ToleranceTest, strict_refuses_what_cannot_be_reached) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    Spec spec{.modes = {40, 40}, .tolerance = 1e-30, .options = {.strict = true}};
    try {
      Transform<T>(where(), spec);
      ADD_FAILURE() << "not refused";
    } catch (const offgrid::Error& error) {
      EXPECT_EQ(error.status(), offgrid::Status::invalid_argument);
      EXPECT_NE(std::string(error.what()).find("1e-30"), std::string::npos) << error.what();
    }
    spec.tolerance = tightest(T{});
    EXPECT_NO_THROW(Transform<T>(where(), spec));
  });
}

TEST_P(ToleranceTest, one_and_more_mean_the_coarsest) {
  const auto points = uniform_points<double>(2, 100);
  for (const double tolerance : {1.0, 5.0, 1e300, std::numeric_limits<double>::infinity()}) {
    Transform<double> transform(where(), {.modes = {20, 20}, .tolerance = tolerance});
    transform.set_points(points);
    EXPECT_LE(measure(transform, points).forward, 1);
    Transform<double> coarsest(where(), {.modes = {20, 20}, .tolerance = 1});
    coarsest.set_points(points);
    EXPECT_EQ(transform.get("width"), coarsest.get("width"));
  }
}

// w = ceil(log10(1/tolerance)) + 1 at sigma = 2: the rule of the paper.
TEST_P(ToleranceTest, semicircle_window_follows_the_papers_width_rule) {
  for (int digits = 1; digits <= 12; ++digits) {
    const double tolerance = std::stod("1e-" + std::to_string(digits));
    const Transform<double> transform(
        where(),
        {.modes = {64}, .tolerance = tolerance, .options = {.points_hint = 100, .window = WindowKind::semicircle}});
    EXPECT_EQ(transform.get("width"), digits + 1);
    EXPECT_EQ(transform.get("upsampling"), 2);
  }
}

// The paper's rule gives an error near the tolerance, not a bound: its own experiments show a few times as much.
TEST_P(ToleranceTest, semicircle_window_is_near_its_tolerance) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const double tolerance : promised_tolerances<T>())
      for (const Sizes& modes : std::vector<Sizes>{{100}, {16, 15}, {9, 8, 10}})
        expect_accurate<T>(where(),
                           {.modes = modes, .tolerance = tolerance, .options = {.window = WindowKind::semicircle}},
                           uniform_points<T>(static_cast<int>(modes.size()), 300), 5);
  });
}

OFFGRID_RUN_ON_BACKENDS(ToleranceTest);

}  // namespace
