// Type 3 by the program: `offgrid run` from files of points and targets, and what `offgrid info` says about boxes.
#include <cmath>
#include <limits>
#include <regex>

#include "axes.hpp"
#include "files/npy.hpp"
#include "oracle/direct_sum.hpp"
#include "program.hpp"
#include "random.hpp"

namespace {

class Type3Program : public Program {
 protected:
  static constexpr std::int64_t count = 60, target_count = 50;
  using Complex = std::complex<double>;

  // Coordinates of points in metres far away from the origin, and small targets: only products are angles.
  Type3Program() {
    const cli::CounterRandom random(1);
    for (std::uint64_t j = 0; j < count; ++j)
      for (const std::uint64_t axis : {0, 1})
        points.coordinates[axis][j] = 2e9 + random.uniform(2 * j + axis, -3e8, 3e8);
    for (std::uint64_t k = 0; k < target_count; ++k)
      for (const std::uint64_t axis : {0, 1})
        targets.coordinates[axis][k] = random.uniform(1000 + 2 * k + axis, -4e-8, 5e-8);
    cli::fill_random<double>(strengths, 2);
    cli::fill_random<double>(values, 3);
    cli::write_npy<Complex>(folder.file("c.npy"), strengths, {count});
    cli::write_npy<Complex>(folder.file("f.npy"), values, {target_count});
  }

  enum class Layout { columns, rows };
  [[nodiscard]] std::string write(const std::string& name, const cli::Points<double>& from, Layout layout) const {
    std::vector<double> all;
    const auto& [x, y] = std::tie(from.coordinates[0], from.coordinates[1]);
    if (layout == Layout::rows) {
      all = x;
      all.insert(all.end(), y.begin(), y.end());
    } else {
      for (std::size_t j = 0; j < x.size(); ++j) all.insert(all.end(), {x[j], y[j]});
    }
    const std::int64_t size = from.count();
    const std::vector<std::int64_t> shape =
        layout == Layout::rows ? std::vector<std::int64_t>{2, size} : std::vector<std::int64_t>{size, 2};
    cli::write_npy<double>(folder.file(name), all, shape);
    return folder.file(name);
  }
  [[nodiscard]] std::string one_axis(const std::string& name, const std::vector<double>& values_of_axis) const {
    cli::write_npy<double>(folder.file(name), values_of_axis, {static_cast<std::int64_t>(values_of_axis.size())});
    return folder.file(name);
  }
  [[nodiscard]] std::string in_and_out(const std::string& input) const {
    return " --input " + folder.file(input) + " --output " + folder.file("out.npy");
  }
  [[nodiscard]] double error_against(const oracle::Sums& expected) const {
    const cli::NpyArray array(folder.file("out.npy"));
    const auto found = array.values<Complex>();
    EXPECT_EQ(found.view().size(), expected.size());
    return oracle::relative_error<double>(found.view(), expected);
  }

  cli::Points<double> points{2, count}, targets{2, target_count};
  std::vector<Complex> strengths = std::vector<Complex>(count), values = std::vector<Complex>(target_count);
};

// Coordinates over 1e9, which types 1 and 2 refuse.
TEST_F(Type3Program, CoordinatesMayBeOfAnySize) {
  const std::string from = write("p.npy", points, Layout::columns), to = write("t.npy", targets, Layout::columns);
  const std::string files = " --tolerance 1e-9 --points " + from + " --targets " + to;
  const auto forward = run("run --type 3 --type3 grid" + files + in_and_out("c.npy"));
  ASSERT_EQ(forward.code, 0) << forward.errors;
  EXPECT_LE(error_against(oracle::direct_type3<double>(1, points.spans(), strengths, targets.spans())), 1e-9);
  const auto adjoint = run("run --type 3 --adjoint" + files + in_and_out("f.npy"));
  ASSERT_EQ(adjoint.code, 0) << adjoint.errors;
  EXPECT_LE(error_against(oracle::direct_type3<double>(-1, targets.spans(), values, points.spans())), 1e-9);
  expect_refused("run --type 1 --modes 8,8 --points " + from + in_and_out("c.npy"), "of at most 1e+09 in size");
}

TEST_F(Type3Program, OneRowPerAxisIsUnderstoodToo) {
  const auto outcome = run("run --type 3 --tolerance 1e-9 --points " + write("p.npy", points, Layout::rows) +
                           " --targets " + write("t.npy", targets, Layout::rows) + in_and_out("c.npy"));
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_LE(error_against(oracle::direct_type3<double>(1, points.spans(), strengths, targets.spans())), 1e-9);
}

TEST_F(Type3Program, NoPointsGiveZerosAndNoTargetsNothing) {
  const cli::Points<double> none{2, 0};
  cli::write_npy<Complex>(folder.file("nothing.npy"), std::vector<Complex>(), {0});
  const std::string some = write("t.npy", targets, Layout::columns), empty = write("e.npy", none, Layout::columns);
  for (const std::string more : {"", " --verbose"}) {
    const auto no_points =
        run("run --type 3 --points " + empty + " --targets " + some + in_and_out("nothing.npy") + more);
    ASSERT_EQ(no_points.code, 0) << no_points.errors;
    EXPECT_EQ(error_against(oracle::Sums(target_count)), 0);
    const auto no_targets = run("run --type 3 --points " + some + " --targets " + empty + in_and_out("f.npy") + more);
    ASSERT_EQ(no_targets.code, 0) << no_targets.errors;
    EXPECT_EQ(error_against({}), 0);
  }
  const auto adjoint =
      run("run --type 3 --adjoint --points " + some + " --targets " + empty + in_and_out("nothing.npy"));
  ASSERT_EQ(adjoint.code, 0) << adjoint.errors;
  EXPECT_EQ(error_against(oracle::Sums(target_count)), 0);
}

TEST_F(Type3Program, WhatIsWrongWithTargetsIsSaidOfTargets) {
  const std::string from = "run --type 3 --points " + write("p.npy", points, Layout::columns);
  const std::string x = one_axis("x.npy", targets.coordinates[0]);
  const std::string rest = in_and_out("c.npy");
  expect_refused(from + " --targets " + x + rest, "--points has 2 axes but --targets gives 1 coordinates");
  expect_refused(from + " --targets " + x + " " + x + " " + x + " " + x + rest, "--targets: give one NPY file");
  cli::write_npy<double>(folder.file("t3.npy"), std::vector<double>(30), {10, 3});
  expect_refused(from + " --targets " + folder.file("t3.npy") + rest, folder.file("t3.npy") + ": its shape is (10, 3)");
  auto bad = targets;
  bad.coordinates[1][7] = std::numeric_limits<double>::infinity();
  const std::string infinite = write("bad.npy", bad, Layout::columns);
  expect_refused(from + " --targets " + infinite + rest,
                 infinite + ": row 7, column 1 (counted from 0) is inf, expected a finite coordinate\n");
  expect_refused(from + rest, "--targets is needed");
}

TEST_F(Type3Program, InfoSaysWhatTwoBoxesTake) {
  const auto outcome =
      run("info --type 3 --dim 2 --points-box -1,1 --targets-box -50,50 0,200 --tolerance 1e-9 --device cpu");
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  std::smatch bytes, sizes;
  ASSERT_TRUE(std::regex_search(outcome.output, bytes, std::regex(R"(memory +\d.*B \((\d+) bytes\))")));
  offgrid::Plan<double> plan({.type = 3, .dim = 2, .tolerance = 1e-9, .options = {{"device", "cpu"}}});
  plan.set_boxes({{-1, -1}, {1, 1}}, {{0, -50}, {200, 50}});  // the last axis of numpy's is the first here
  EXPECT_EQ(bytes[1].str(), std::to_string(static_cast<std::int64_t>(plan.get("memory_bytes"))));
  for (const char* said : {"type 3, 2D, f64, tolerance 1e-09", "expected error", "reachable tolerance", "upsampling"})
    EXPECT_NE(outcome.output.find(said), std::string::npos) << outcome.output;
  ASSERT_TRUE(std::regex_search(outcome.output, sizes, std::regex(R"(spread to (\d+) x (\d+) cells)")));
  EXPECT_LT(std::stoi(sizes[1]), std::stoi(sizes[2])) << "numpy's order of the axes\n" << outcome.output;
}

TEST_F(Type3Program, InfoRefusesAProductThatDoesNotFitWithItsBytes) {
  const auto outcome = run("info --type 3 --dim 3 --points-box -100,100 --targets-box -1e4,1e4 --device cpu");
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_TRUE(std::regex_search(outcome.errors, std::regex(R"(would take [0-9.]+ [PE]iB of memory)")))
      << outcome.errors;
  EXPECT_NE(outcome.errors.find("smaller boxes"), std::string::npos) << outcome.errors;
}

TEST_F(Type3Program, InfoSaysWhatIsWrongWithBoxes) {
  const std::string both = " --points-box -1,1 --targets-box -5,5";
  expect_refused("info --type 3 --points-box -1,1", "--targets-box is needed");
  expect_refused("info --type 3 --targets-box -1,1", "--points-box is needed");
  expect_refused("info --points-box -1,1 --modes 8", "--points-box belongs to --type 3");
  expect_refused("info --type 3 --modes 8" + both, "--modes belongs to types 1 and 2");
  expect_refused("info --dim 2 --modes 8", "--dim is 2, but --modes has 1 sizes");
  expect_refused("info --type 3 --points-box 1 --targets-box -5,5", "--points-box: there are 1 numbers");
  expect_refused("info --type 3 --points-box 1,-1 --targets-box -5,5", "--points-box: 1,-1 is no box");
  expect_refused("info --type 3 --points-box -1,inf --targets-box -5,5", "--points-box: -1,inf is no box");
  expect_refused("info --type 3 --dim 3 --points-box -1,1 --targets-box -5,5 -2,2", "--targets-box has 2 pairs");
  expect_refused("info --type 3 --points-box -1,1 -1,1 -1,1 -1,1 --targets-box -5,5", "the boxes have 4 axes");
}

TEST_F(Type3Program, AccuracyMeasuresACell) {
  const std::string cell = "accuracy --type 3 --dim 2 --precision f32 --size medium --points off-centre";
  const auto outcome = run(cell + " --tolerance 1e-3 --csv " + folder.file("a.csv"));
  EXPECT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
  EXPECT_NE(outcome.output.find("1 cells"), std::string::npos) << outcome.output;
  EXPECT_NE(contents("a.csv").find("2,3,f32,medium,off-centre,1e-03,"), std::string::npos) << contents("a.csv");
  EXPECT_EQ(run(cell + " --tolerance 1e-12").code, 1) << "floats cannot reach that";
  EXPECT_EQ(run(cell + " --tolerance 1e-5 --width 3 --upsampling 2").code, 1) << "so narrow a kernel cannot";
}

}  // namespace
