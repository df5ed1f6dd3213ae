// `offgrid inverse`, `offgrid weights` and `offgrid gram` from the outside: files in, files and words out.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <complex>
#include <fstream>
#include <numeric>
#include <sstream>

#include "axes.hpp"
#include "files/npy.hpp"
#include "offgrid/solve.hpp"
#include "oracle/direct_sum.hpp"
#include "point_sets.hpp"
#include "random.hpp"
#include "temporary_folder.hpp"

namespace {

class SolveCommands : public testing::Test {
 protected:
  // The exit code; what was printed is in `words`.
  int run(const std::string& arguments) {
    const std::string command =
        std::string("'") + OFFGRID_PROGRAM + "' " + arguments + " >'" + folder.file("words") + "' 2>&1";
    const int status = std::system(command.c_str());
    std::ostringstream text;
    text << std::ifstream(folder.file("words")).rdbuf();
    words = text.str();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] bool says(const std::string& word) const { return words.find(word) != std::string::npos; }
  void expect_refused(const std::string& arguments, const std::string& word) {
    EXPECT_EQ(run(arguments), 2) << arguments;
    EXPECT_TRUE(says(word)) << arguments << "\n" << words;
  }

  TemporaryFolder folder;
  std::string words;
};

// Modes of numpy's shape (8, 6), and their values at points, in files. The direct sums take the contiguous axis first.
template <class T> struct Problem {
  using Complex = std::complex<T>;
  static constexpr std::int64_t count = 400, n1 = 8, n2 = 6;
  cli::Points<T> points = cli::make_points<T>({cli::PointSet::uniform, count, {n1, n2}, {}, 1});
  std::vector<Complex> truth = std::vector<Complex>(n1 * n2);
  std::vector<Complex> values;
  std::string p, v;

  explicit Problem(const TemporaryFolder& folder) : p(folder.file("points.npy")), v(folder.file("values.npy")) {
    cli::fill_random<T>(truth, 2);
    values = values_of(truth);
    std::vector<T> rows;
    for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j)
      rows.insert(rows.end(), {points.coordinates[0][j], points.coordinates[1][j]});
    cli::write_npy<T>(p, rows, {count, 2});
    cli::write_npy<Complex>(v, values, {count});
  }
  [[nodiscard]] cli::AxisSpans<T> contiguous_first() const { return {points.coordinates[1], points.coordinates[0]}; }
  [[nodiscard]] std::vector<Complex> values_of(const std::vector<Complex>& modes) const {
    const auto sums = oracle::direct_type2<T>({{n2, n1}, 1}, contiguous_first(), std::span<const Complex>(modes));
    return {sums.begin(), sums.end()};
  }
  [[nodiscard]] std::string inverse(const std::string& output) const {
    return "inverse --modes 8,6 --points " + p + " --values " + v + " --output " + output + " ";
  }
  [[nodiscard]] double error_of(const std::string& path) const {
    const cli::NpyArray array(path);
    EXPECT_EQ(array.shape(), (std::vector<std::int64_t>{n1, n2}));
    const auto found = array.values<Complex>();
    return oracle::relative_error<T>(found.view(), oracle::Sums(truth.begin(), truth.end()));
  }
};

TEST_F(SolveCommands, InverseFindsTheModesInDouble) {
  const Problem<double> problem(folder);
  const std::string out = folder.file("modes.npy");
  ASSERT_EQ(run(problem.inverse(out) + "--tolerance 1e-10 --iterations 100 --rtol 1e-10"), 0) << words;
  EXPECT_LT(problem.error_of(out), 1e-8);
  EXPECT_TRUE(says("(8, 6) of c16")) << words;
  EXPECT_TRUE(says(" steps, residual ")) << words;
}

TEST_F(SolveCommands, InverseInFloatWithDensityWeightsShowsItsSteps) {
  const Problem<float> problem(folder);
  const std::string out = folder.file("modes.npy");
  ASSERT_EQ(run(problem.inverse(out) + "--density-weights --tolerance 1e-5 --iterations 10 --rtol 0 --progress"), 0)
      << words;
  EXPECT_TRUE(says("10 steps")) << words;
  EXPECT_TRUE(says("conjugate gradients: 10 %")) << words;
  const double weighted = problem.error_of(out);
  EXPECT_LT(weighted, 1e-3);
}

TEST_F(SolveCommands, InverseHeedsWeightsRegularisationAndTheStart) {
  const Problem<double> problem(folder);
  const std::string out = folder.file("modes.npy"), again = folder.file("again.npy");
  std::vector<double> weights(400);
  for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = 1 + 0.5 * std::cos(static_cast<double>(j));
  cli::write_npy<double>(folder.file("w.npy"), weights, {400});
  const std::string settings =
      "--tolerance 1e-12 --iterations 200 --regularisation 50 --weights " + folder.file("w.npy");
  ASSERT_EQ(run(problem.inverse(out) + settings + " --rtol 1e-12"), 0) << words;
  const auto axes = problem.contiguous_first();
  std::vector<std::complex<double>> expected(48);
  offgrid::inverse<double>({.modes = {6, 8}, .tolerance = 1e-12}, axes, problem.values,
                           {.weights = weights, .regularisation = 50, .iteration = {.iterations = 200, .rtol = 1e-12}},
                           expected);
  EXPECT_LT(oracle::relative_error<double>(cli::NpyArray(out).values<std::complex<double>>().view(), expected), 1e-10);
  EXPECT_GT(problem.error_of(out), 1e-2) << "regularisation changes it";
  ASSERT_EQ(run(problem.inverse(again) + settings + " --rtol 1e-8 --start " + out), 0) << words;
  EXPECT_TRUE(says("no step was needed")) << words;
}

TEST_F(SolveCommands, InverseOfSeveralCoils) {
  const Problem<double> problem(folder);
  std::vector<std::complex<double>> coils(2 * 48), values;
  cli::fill_random<double>(coils, 5);
  for (std::size_t coil = 0; coil < 2; ++coil) {
    std::vector<std::complex<double>> image(48);
    for (std::size_t k = 0; k < 48; ++k) image[k] = coils[48 * coil + k] * problem.truth[k];
    const auto part = problem.values_of(image);
    values.insert(values.end(), part.begin(), part.end());
  }
  cli::write_npy<std::complex<double>>(folder.file("coils.npy"), coils, {2, 8, 6});
  cli::write_npy<std::complex<double>>(folder.file("many.npy"), values, {2, 400});
  const std::string out = folder.file("modes.npy"), with_coils = " --coils " + folder.file("coils.npy");
  ASSERT_EQ(run("inverse --modes 8,6 --points " + problem.p + " --values " + folder.file("many.npy") + with_coils +
                " --tolerance 1e-10 --iterations 300 --rtol 1e-10 --output " + out),
            0)
      << words;
  EXPECT_LT(problem.error_of(out), 1e-7);
  expect_refused(problem.inverse(out) + with_coils, "expected (2, 400), one value per coil and point");
}

TEST_F(SolveCommands, WeightsAreTheLibrarysAndServeTheInverse) {
  const Problem<double> problem(folder);
  const std::string w = folder.file("w.npy"), out = folder.file("modes.npy");
  ASSERT_EQ(run("weights --modes 8,6 --iterations 6 --rtol 0 --points " + problem.p + " --output " + w), 0) << words;
  EXPECT_TRUE(says("(400,) of f8, 6 steps, change ")) << words;
  const auto expected =
      offgrid::density_weights<double>({.modes = {6, 8}}, problem.contiguous_first(), {.iterations = 6, .rtol = -1});
  const cli::NpyArray file(w);
  const auto found = file.values<double>();
  ASSERT_EQ(found.view().size(), expected.size());
  for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(found.view()[j], expected[j], 1e-10 * expected[j]);
  ASSERT_EQ(run(problem.inverse(out) + "--weights " + w), 0) << words;
  EXPECT_LT(problem.error_of(out), 1e-4);
}

// Against A* of what A gives, for a batch of modes of numpy's shape (2, 8, 6); W of real and of complex weights, and none.
TEST_F(SolveCommands, GramIsThePairOfTransforms) {
  const Problem<double> problem(folder);
  using Complex = std::complex<double>;
  const std::string f = folder.file("f.npy"), w = folder.file("w.npy"), out = folder.file("h.npy");
  std::vector<Complex> modes(2 * 48), any_weights(400);
  cli::fill_random<double>(modes, 5);
  cli::fill_random<double>(any_weights, 6);
  cli::write_npy<Complex>(f, modes, {2, 8, 6});
  for (const char* kind : {"none", "real", "complex"}) {
    const bool real = std::string(kind) == "real", none = std::string(kind) == "none";
    std::vector<Complex> weights = any_weights;
    std::vector<double> reals;
    for (Complex& weight : weights) reals.push_back((weight = none ? 1 : real ? weight.real() : weight).real());
    real ? cli::write_npy<double>(w, reals, {400}) : cli::write_npy<Complex>(w, weights, {400});
    std::vector<Complex> expected;
    for (std::size_t first : {0, 48}) {
      auto values = problem.values_of({modes.begin() + first, modes.begin() + first + 48});
      for (std::size_t j = 0; j < 400; ++j) values[j] *= weights[j];
      const auto sums =
          oracle::direct_type1<double>({{6, 8}, -1}, problem.contiguous_first(), std::span<const Complex>(values));
      expected.insert(expected.end(), sums.begin(), sums.end());
    }
    for (const std::string way : {"convolution", "pair"}) {
      ASSERT_EQ(run("gram --modes 8,6 --tolerance 1e-10 -v --gram " + way + " --points " + problem.p + " --input " + f +
                    " --output " + out + (none ? "" : " --weights " + w)),
                0)
          << words;
      EXPECT_TRUE(says("(2, 8, 6) of c16")) << words;
      EXPECT_TRUE(says("8 x 6 modes") && says(way)) << words;
      const cli::NpyArray array(out);
      EXPECT_EQ(array.shape(), (std::vector<std::int64_t>{2, 8, 6}));
      EXPECT_LT(oracle::relative_error<double>(array.values<Complex>().view(), expected), 1e-10) << kind << way;
    }
  }
}

TEST_F(SolveCommands, GramInFloatTakesTheModesFromTheInput) {
  const Problem<float> problem(folder);
  const std::string f = folder.file("f.npy"), out = folder.file("h.npy");
  cli::write_npy<std::complex<float>>(f, problem.truth, {8, 6});
  const std::string call = "gram --points " + problem.p + " --input " + f + " --output ";
  ASSERT_EQ(run(call + out + " --tolerance 1e-4"), 0) << words;
  EXPECT_TRUE(says("(8, 6) of c8")) << words;
  EXPECT_FALSE(says("warning")) << words;
  ASSERT_EQ(run(call + out + " --tolerance 1e-9"), 0) << words;
  EXPECT_TRUE(says("warning: the tolerance 1e-09 cannot be reached")) << words;
  expect_refused(call + out + " --tolerance 1e-9 --strict on", "tolerance is 1e-09");
  expect_refused(call + out + " --modes 6,8", "expected (6, 8), the sizes of --modes");
  expect_refused(call + out + " --weights " + problem.v + " --weights " + problem.v, "--weights");
  expect_refused(call + out + " --weights " + f, "expected (400,), one weight per point");
  expect_refused(call + f, "it is the input");
  EXPECT_EQ(run("gram --help"), 0);
  EXPECT_TRUE(says("Example") && says("--weights")) << words;
}

TEST_F(SolveCommands, WeightsThatAreNoNumbersEndWithAnErrorAndNoFile) {
  const Problem<double> problem(folder);
  const std::string w = folder.file("w.npy"), out = folder.file("out.npy");
  cli::write_npy<double>(w, std::vector<double>(400, std::nan("")), {400});
  expect_refused(problem.inverse(out) + "--weights " + w, "the residual is not finite");
  EXPECT_FALSE(std::ifstream(out).good());
}

TEST_F(SolveCommands, RefuseWithTheReason) {
  const Problem<double> problem(folder);
  const std::string out = folder.file("out.npy");
  cli::write_npy<float>(folder.file("w4.npy"), std::vector<float>(400), {400});
  cli::write_npy<double>(folder.file("short.npy"), std::vector<double>(7), {7});
  expect_refused(problem.inverse(out) + "--weights " + folder.file("w4.npy"), "expected f8");
  expect_refused(problem.inverse(out) + "--weights " + folder.file("short.npy"),
                 "expected (400,), one weight per point");
  expect_refused(problem.inverse(out) + "--density-weights --weights " + folder.file("short.npy"), "excludes");
  expect_refused(problem.inverse(out) + "--start " + problem.v, "expected (8, 6)");
  expect_refused(problem.inverse(out) + "--coils " + problem.v, "(C, *modes)");
  expect_refused(problem.inverse(out) + "--regularisation -1", "--regularisation");
  expect_refused(problem.inverse(out) + "--iterations 0", "--iterations");
  expect_refused(problem.inverse(problem.v), "it is the input " + problem.v);
  expect_refused("inverse --points " + problem.p + " --values " + problem.v + " --output " + out,
                 "--modes is required");
  expect_refused("inverse --modes 8 --points " + problem.p + " --values " + problem.v + " --output " + out, "(M, 1)");
  expect_refused("weights --modes 8,6 --points " + problem.p + " --output " + problem.p, "it is the input");
  expect_refused("weights --modes 8,6 --points " + problem.v + " --output " + out, "expected");
  EXPECT_FALSE(std::ifstream(out).good());
}

TEST_F(SolveCommands, HelpHasExamples) {
  for (const char* command : {"inverse", "weights"}) {
    EXPECT_EQ(run(std::string(command) + " --help"), 0);
    EXPECT_TRUE(says("Example")) << words;
    EXPECT_TRUE(says("--iterations")) << words;
  }
}

}  // namespace
