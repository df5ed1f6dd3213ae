// Every method of the paper, everywhere: all widths and dimensions, bins and shared memory of any size, crowded points.
#include "gpu_test.hpp"

namespace {

using namespace support;
using offgrid::Method;

class MethodsTest : public GpuTest {};

const std::vector<Sizes> shapes{{200}, {21, 20}, {8, 9, 10}};

TEST_F(MethodsTest, every_method_and_width_has_the_error_of_its_kernel) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : shapes)
      for (const Method method : {Method::gm, Method::gm_sort, Method::sm, Method::sweep, Method::owner})
        for (int width = 2; width <= 16; ++width) {
          Spec spec{.modes = modes, .options = {.upsampling = 2, .width = width, .method = method}};
          spec.tolerance = 1;  // the width decides, not the tolerance
          Transform<T> transform(where(), spec);
          const auto points = uniform_points<T>(static_cast<int>(modes.size()), 300);
          transform.set_points(points);
          const Errors errors = measure(transform, points);
          SCOPED_TRACE(offgrid::text(spec.name(), " method ", static_cast<int>(method), " width ", width));
          const double bound = error_of_width<T>(static_cast<int>(modes.size()), width);
          EXPECT_LE(errors.forward, bound);
          EXPECT_LE(errors.adjoint, bound);
        }
  });
}

// SM where the default tile, a smaller one, or none fits: the peers failed there, or returned nonsense (cufinufft#24,
// #58, finufft#807).
TEST_F(MethodsTest, little_shared_memory_is_enough) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : shapes)
      for (const double tolerance : {1e-1, 1e-3, usual_tolerance<T>})
        for (const std::int64_t bytes : {1 << 10, 8 << 10, 24 << 10, 48 << 10, 100 << 10}) {
          Spec spec{.modes = modes, .tolerance = tolerance};
          spec.options.method = Method::sm, spec.options.shared_bytes = bytes;
          expect_accurate<T>(where(), spec, uniform_points<T>(static_cast<int>(modes.size()), 400));
        }
  });
}

TEST_F(MethodsTest, bins_and_subproblems_of_any_size) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : shapes)
      for (const std::int64_t bin : {1, 3, 1000})
        for (const std::int64_t subproblem : {1, 7, 100000}) {
          Spec spec{.modes = modes, .tolerance = usual_tolerance<T>};
          spec.options.method = Method::sm, spec.options.subproblem = subproblem;
          spec.options.bin1 = spec.options.bin2 = spec.options.bin3 = bin;
          expect_accurate<T>(where(), spec, uniform_points<T>(static_cast<int>(modes.size()), 700));
        }
  });
}

// Spreading in 1D sorts subproblems of a bin by cell.
TEST_F(MethodsTest, sweep_in_1d_of_crowded_points_and_any_subproblem) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const std::int64_t modes : {1, 2, 7, 1500})
      for (const T extent : {T(1), T(1e-2), T(0)})
        for (const std::int64_t subproblem : {0, 1, 7, 1000000}) {
          Spec spec{.modes = {modes}, .tolerance = usual_tolerance<T>, .options = {.transforms = 3}};
          spec.options.method = Method::sweep, spec.options.subproblem = subproblem;
          auto points = uniform_points<T>(1, 2500);
          for (T& x : points.axis[0]) x *= extent;
          expect_accurate<T>(where(), spec, points);
        }
  });
}

// set_points moves records or places (cuda/sort/sort.hpp), by their size and the number of points: 5000 points, which the
// direct sum can bear, again and again.
TEST_F(MethodsTest, few_and_many_points_are_sorted_alike) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : std::vector<Sizes>{{900}, {30, 31}, {9, 10, 11}})
      for (const std::int64_t copies : {1, 10, 500}) {
        const Spec spec{.modes = modes, .tolerance = usual_tolerance<T>};
        const auto piece = uniform_points<T>(static_cast<int>(modes.size()), 5000);
        const auto strengths = random_values<T>(5000, 1);
        auto points = piece;
        std::vector<std::complex<T>> repeated;
        for (std::int64_t copy = 0; copy < copies; ++copy) {
          for (std::size_t a = 0; copy > 0 && a < modes.size(); ++a)
            points.axis[a].insert(points.axis[a].end(), piece.axis[a].begin(), piece.axis[a].end());
          repeated.insert(repeated.end(), strengths.begin(), strengths.end());
        }
        Transform<T> transform(where(), spec);
        transform.set_points(points);
        auto sums = direct_sum<T>(To::modes, spec.forward_sum(), piece, strengths);
        for (auto& sum : sums) sum *= static_cast<double>(copies);
        EXPECT_LE(relative_error(transform.execute(repeated), sums), spec.tolerance) << spec.name() << " " << copies;
        auto bad = points;
        bad.axis[0].back() = std::numeric_limits<T>::infinity();
        EXPECT_THROW(transform.set_points(bad), offgrid::Error);
        EXPECT_LE(relative_error(transform.execute(repeated), sums), spec.tolerance) << "after bad points";
      }
  });
}

// Many results are computed in the order of the sorted points first. GM does not sort at all.
TEST_F(MethodsTest, many_results_come_in_the_callers_order) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const Sizes& modes : std::vector<Sizes>{{1000}, {60, 50}, {12, 13, 14}}) {
      Spec spec{.type = 2, .modes = modes, .options = {.transforms = 2, .upsampling = 2, .width = 2}};
      Transform<T> sorted(where(), spec);
      spec.options.method = Method::gm;
      Transform<T> unsorted(where(), spec);
      for (const std::int64_t count : {5'000'000, 1000, 4'500'001}) {
        const auto points = uniform_points<T>(static_cast<int>(modes.size()), count);
        sorted.set_points(points), unsorted.set_points(points);
        const auto in = random_values<T>(sorted.size_of(To::modes), 5);
        EXPECT_LE(relative_error(sorted.execute(in), unsorted.execute(in)), rounding<T>) << spec.name() << " " << count;
      }
    }
  });
}

// More vectors than a launch has rows.
TEST_F(MethodsTest, seventy_thousand_transforms) {
  const std::int64_t transforms = 70'000;
  for (const Sizes& modes : std::vector<Sizes>{{5}, {2, 3}, {2, 1, 3}})
    for (const Method method : {Method::gm, Method::sm, Method::sweep, Method::owner}) {
      const Spec spec{.modes = modes, .tolerance = 1e-3, .options = {.transforms = transforms, .method = method}};
      const auto points = uniform_points<float>(static_cast<int>(modes.size()), 3);
      const auto strengths = random_values<float>(3, 1);
      std::vector<std::complex<float>> all;
      for (std::int64_t v = 0; v < transforms; ++v) all.insert(all.end(), strengths.begin(), strengths.end());
      Transform<float> transform(where(), spec);
      transform.set_points(points);
      const auto out = transform.execute(all);
      Sum of_one = spec.forward_sum();
      of_one.transforms = 1;
      const auto sums = direct_sum<float>(To::modes, of_one, points, strengths);
      for (const std::int64_t v : {std::int64_t{0}, std::int64_t{65535}, transforms - 1}) {
        const auto first = out.begin() + v * product(modes);
        const std::vector<std::complex<float>> one(first, first + product(modes));
        EXPECT_LE(relative_error(one, sums), spec.tolerance) << spec.name() << " vector " << v;
      }
    }
}

template <class T> void expect_accurate_and_repeated(const BackendUnderTest& where, const Spec& spec, bool crowded) {
  auto points = uniform_points<T>(static_cast<int>(spec.modes.size()), 3000);
  for (auto& axis : points.axis)
    for (T& x : axis) x *= crowded ? T(1e-3) : T(1);
  expect_accurate<T>(where, spec, points);
  Transform<T> transform(where, spec);
  transform.set_points(points);
  const auto in = random_values<T>(transform.size_of(To::points), 1);
  const auto first = transform.execute(in);
  for (int round = 0; round < 3; ++round) EXPECT_EQ(transform.execute(in), first) << spec.name();
}

// By owners of tiles at the tightest tolerances, by integer sums at the others.
TEST_F(MethodsTest, deterministic_spreading_is_accurate_and_repeats_its_bits) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const double tolerance : {1e-3, usual_tolerance<T>, sizeof(T) == 4 ? 1e-6 : 1e-12})
      for (const Sizes& modes : std::vector<Sizes>{{3000}, {2}, {60, 50}, {3, 70}, {16, 17, 18}, {1, 2, 40}})
        for (const bool crowded : {false, true})
          expect_accurate_and_repeated<T>(
              where(), {.modes = modes, .tolerance = tolerance, .options = {.transforms = 2, .deterministic = true}},
              crowded);
  });
}

// Grids smaller than a tile or the kernel, and no multiple of a tile; points of one bin, which many warps share.
TEST_F(MethodsTest, owners_of_grids_of_any_size_repeat_their_bits) {
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const double tolerance : {1e-1, 1e-3, usual_tolerance<T>})
      for (const Sizes& modes :
           std::vector<Sizes>{{3000}, {2}, {3, 70}, {16, 17, 18}, {1, 2, 40}, {1, 1, 1}, {7, 5, 6}, {25, 11, 9}})
        for (const bool crowded : {false, true})
          expect_accurate_and_repeated<T>(
              where(), {.modes = modes, .tolerance = tolerance, .options = {.transforms = 2, .method = Method::owner}},
              crowded);
  });
}

// Several tiles add to a result, in no fixed order, but in f64. That changes one number in 10^8.
TEST_F(MethodsTest, results_that_owners_add_up_have_the_same_bits_in_f32) {
  const Spec spec{.type = 2, .modes = {40, 41, 42}, .options = {.transforms = 2, .method = Method::owner}};
  const auto points = uniform_points<float>(3, 5000);
  const auto in = random_values<float>(2 * product(spec.modes), 1);
  std::vector<std::complex<float>> first;
  for (int round = 0; round < 5; ++round) {
    Transform<float> fresh(where(), spec);
    fresh.set_points(points);
    const auto out = fresh.execute(in);
    if (round == 0) first = out;
    for (const auto& again : {out, fresh.execute(in)}) {
      int different = 0;
      for (std::size_t j = 0; j < first.size(); ++j) different += again[j] != first[j];
      EXPECT_LE(different, 2) << "of " << first.size();
    }
  }
}

TEST_F(MethodsTest, deterministic_spreading_of_any_strengths) {
  const Spec spec{.modes = {30, 31}, .tolerance = 1e-9, .options = {.transforms = 2, .deterministic = true}};
  const auto points = uniform_points<double>(2, 1000);
  Transform<double> transform(where(), spec);
  transform.set_points(points);
  const auto unit = random_values<double>(2000, 1);
  const auto expected = transform.execute(unit);
  for (const double scale : {0.0, 0x1p-900, 0x1p-40, 0x1p+40, 0x1p+900}) {  // powers of two: nothing is rounded
    auto in = unit;
    for (auto& value : in) value *= scale;
    auto out = transform.execute(in);
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], expected[i] * scale) << scale;
  }
  auto in = unit;
  in[1700] = std::numeric_limits<double>::infinity();  // of the second vector
  const auto out = transform.execute(in);
  EXPECT_EQ(out[3], expected[3]);
  EXPECT_FALSE(std::isfinite(out[930 + 3].real()));
}

TEST_F(MethodsTest, cpu_and_gpu_agree) {
  const BackendUnderTest cpu{"cpu", offgrid::backend_for(offgrid::DeviceKind::cpu)};
  for_both_precisions([&](auto zero) {
    using T = decltype(zero);
    for (const int type : {1, 2})
      for (const Sizes& modes : shapes) {  // both engines take grids of twice these sizes
        const Spec spec{.type = type, .modes = modes, .options = {.transforms = 3, .upsampling = 2, .width = 7}};
        const auto points = uniform_points<T>(static_cast<int>(modes.size()), 500);
        Transform<T> here(cpu, spec), there(where(), spec);
        here.set_points(points), there.set_points(points);
        const auto in = random_values<T>(here.size_of(spec.backward()), 5);
        EXPECT_LE(relative_error(there.execute(in), here.execute(in)), rounding<T>) << spec.name();
      }
  });
}

}  // namespace
