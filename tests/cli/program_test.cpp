// The commands of the program: what they compute, write and refuse. Type 3 has a file of its own.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "axes.hpp"
#include "files/npy.hpp"
#include "oracle/direct_sum.hpp"
#include "plan_flags.hpp"
#include "point_sets.hpp"
#include "program.hpp"
#include "random.hpp"

namespace {

// Points, strengths and modes of a small 2D problem in files of precision T. The modes have numpy's shape (n1, n2): x goes
// with its first axis, of n1, and y with the contiguous one, of n2. The direct sums take the contiguous one first.
template <class T> struct Files {
  static constexpr std::int64_t count = 200, n1 = 14, n2 = 9, vectors = 3;
  cli::Points<T> points = cli::make_points<T>({cli::PointSet::uniform, count, {n1, n2}, {}, 1});
  std::vector<std::complex<T>> strengths = std::vector<std::complex<T>>(vectors * count);
  std::vector<std::complex<T>> modes = std::vector<std::complex<T>>(vectors * n1 * n2);
  std::string x, y, both, c, f;

  explicit Files(const TemporaryFolder& folder)
      : x(folder.file("x.npy")),
        y(folder.file("y.npy")),
        both(folder.file("xy.npy")),
        c(folder.file("c.npy")),
        f(folder.file("f.npy")) {
    cli::fill_random<T>(strengths, 1);
    cli::fill_random<T>(modes, 2);
    std::vector<T> rows;
    for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j)
      rows.insert(rows.end(), {points.coordinates[0][j], points.coordinates[1][j]});
    cli::write_npy<T>(x, points.coordinates[0], {count});
    cli::write_npy<T>(y, points.coordinates[1], {count});
    cli::write_npy<T>(both, rows, {count, 2});
    cli::write_npy<std::complex<T>>(c, strengths, {vectors, count});
    cli::write_npy<std::complex<T>>(f, modes, {vectors, n1, n2});
  }

  [[nodiscard]] cli::AxisSpans<T> contiguous_first() const { return {points.coordinates[1], points.coordinates[0]}; }
  [[nodiscard]] std::span<const std::complex<T>> last_strengths() const {
    return std::span<const std::complex<T>>(strengths).last(static_cast<std::size_t>(count));
  }
  [[nodiscard]] std::span<const std::complex<T>> last_modes() const {
    return std::span<const std::complex<T>>(modes).last(static_cast<std::size_t>(n1 * n2));
  }
};

// The last vector of the batch in `path` against direct sums.
template <class T> double error_of(const std::string& path, const oracle::Sums& expected) {
  const cli::NpyArray array(path);
  EXPECT_EQ(array.shape()[0], Files<T>::vectors);
  const auto values = array.values<std::complex<T>>();
  return oracle::relative_error<T>(values.view().last(expected.size()), expected);
}

TEST_F(Program, Type1FromOneFileOfPointsInDouble) {
  const Files<double> files(folder);
  const auto outcome = run("run --type 1 --modes 14,9 --tolerance 1e-9 --points " + files.both + " --input " + files.c +
                           " --output " + folder.file("out.npy") + " -v");
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_NE(outcome.errors.find("set points"), std::string::npos) << outcome.errors;
  EXPECT_EQ(cli::NpyArray(folder.file("out.npy")).shape(), (std::vector<std::int64_t>{3, 14, 9}));
  const auto axes = files.contiguous_first();
  const auto expected = oracle::direct_type1<double>({{9, 14}, -1}, axes, files.last_strengths());
  EXPECT_LT(error_of<double>(folder.file("out.npy"), expected), 1e-9);
}

TEST_F(Program, Type2TakesTheModesFromTheInputInFloat) {
  const Files<float> files(folder);
  const auto outcome = run("run --type 2 --order fft --sign -1 --tolerance 1e-4 --points " + files.x + " " + files.y +
                           " --input " + files.f + " --output " + folder.file("out.npy"));
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto axes = files.contiguous_first();
  const auto expected = oracle::direct_type2<float>({{9, 14}, -1, oracle::ModeOrder::fft}, axes, files.last_modes());
  EXPECT_LT(error_of<float>(folder.file("out.npy"), expected), 1e-4);
}

TEST_F(Program, AdjointOfType1IsTheOtherDirection) {
  const Files<double> files(folder);
  const auto outcome = run("run --type 1 --adjoint --tolerance 1e-8 --points " + files.both + " --input " + files.f +
                           " --output " + folder.file("out.npy") + " --progress");
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_NE(outcome.errors.find("execute"), std::string::npos) << "progress was asked for";
  const auto axes = files.contiguous_first();
  const auto expected = oracle::direct_type2<double>({{9, 14}, 1}, axes, files.last_modes());
  EXPECT_LT(error_of<double>(folder.file("out.npy"), expected), 1e-8);
}

// The command that transforms these files, but for its output.
template <class T> std::string run_into(const Files<T>& files, const std::string& output) {
  return "run --modes 14,9 --points " + files.both + " --input " + files.c + " --output " + output;
}

TEST_F(Program, AnOutputThatIsAnInputIsRefused) {
  const Files<double> files(folder);
  std::filesystem::create_symlink("xy.npy", folder.file("symbolic.npy"));
  std::filesystem::create_hard_link(files.c, folder.file("hard.npy"));
  const std::string points = contents("xy.npy"), strengths = contents("c.npy");
  for (const std::string& output : {files.both, folder.file("symbolic.npy")})
    expect_refused(run_into(files, output), "it is the input " + files.both);
  for (const std::string& output : {files.c, folder.file("hard.npy"), folder.file("./c.npy")})
    expect_refused(run_into(files, output), "it is the input " + files.c);
  EXPECT_EQ(contents("xy.npy"), points);
  EXPECT_EQ(contents("c.npy"), strengths);
}

TEST_F(Program, ABadCoordinateIsNamedByFileRowAndColumn) {
  const Files<double> files(folder);
  const std::string output = " --output " + folder.file("out.npy") + " --input " + files.c;
  const double infinity = std::numeric_limits<double>::infinity();
  const auto points_with = [&](std::size_t position, double value, const std::vector<std::int64_t>& shape) {
    std::vector<double> values(static_cast<std::size_t>(cli::mode_count(shape)), 0.5);
    values[position] = value;
    cli::write_npy<double>(folder.file("bad.npy"), values, shape);
    return folder.file("bad.npy");
  };
  const std::string rows = points_with(2 * 17 + 1, std::nan(""), {200, 2});
  expect_refused("run --modes 14,9 --points " + rows + output, rows + ": row 17, column 1 (counted from 0) is nan");
  const std::string columns = points_with(200 + 123, -infinity, {2, 200});
  expect_refused("run --modes 14,9 --points " + columns + output, "row 1, column 123 (counted from 0) is -inf");
  const std::string second = points_with(3, 2e9, {200});
  expect_refused("run --modes 14,9 --points " + files.x + " " + second + output,
                 second + ": row 3 (counted from 0) is");
}

TEST_F(Program, AToleranceOutOfReachIsSaidOnceAndStrictRefusesIt) {
  const Files<float> files(folder);
  const auto times_said = [](const Outcome& outcome) {
    std::size_t times = 0, at = 0;
    while ((at = outcome.errors.find("cannot be reached", at)) != std::string::npos) ++at, ++times;
    return times;
  };
  const std::string command = run_into(files, folder.file("out.npy"));
  const auto within = run(command + " --tolerance 1e-4"), beyond = run(command + " --tolerance 1e-12");
  EXPECT_EQ(within.code, 0) << within.errors;
  EXPECT_EQ(times_said(within), 0u) << within.errors;
  EXPECT_EQ(beyond.code, 0) << beyond.errors;
  EXPECT_EQ(times_said(beyond), 1u) << beyond.errors;
  EXPECT_EQ(times_said(run("info --modes 64 --precision f32 --tolerance 1e-12")), 1u);
  EXPECT_EQ(times_said(run("demo --pixels 16 --steps 1 --precision f32 --tolerance 1e-12 --output " +
                           folder.file("demo.png"))),
            1u);
  expect_refused(command + " --tolerance 1e-12 --strict on", "can be reached here");
}

TEST_F(Program, AnUnknownWordIsNamedWithTheNearestThatThereIs) {
  expect_refused("inof", "there is no command \"inof\"; did you mean info?");
  expect_refused("transmogrify --modes 4", "there is no command \"transmogrify\"; there are: run, info");
  expect_refused("run --mode 64,48", "there is no option --mode of offgrid run; did you mean --modes?");
  expect_refused("run --sign -1 --inptu=a.npy", "there is no option --inptu of offgrid run; did you mean --input?");
  expect_refused("--vresion", "there is no option --vresion; did you mean --version?");
  expect_refused("bench --zzz", "there is no option --zzz of offgrid bench; `offgrid bench --help` lists them");
  expect_refused("run --modes 64,48", "--points is required");
}

TEST_F(Program, OptionsForGpusStandApartInTheHelp) {
  for (const char* command : {"run --help", "info"}) {
    const std::string help = run(command).output;
    const auto apart = help.find("GPUs only:");
    ASSERT_NE(apart, std::string::npos) << help;
    for (const auto& option : cli::library_options()) {
      std::string name = option.name;
      if (std::string(command) == "run --help") name = "--" + name;
      const auto at = help.find("\n  " + name);
      if (at == std::string::npos) continue;  // spelt with dashes first, or not an option of this command
      EXPECT_EQ(at > apart, option.gpu_only()) << command << ": " << option.name;
    }
    EXPECT_GT(help.find("subproblem"), apart);
  }
}

TEST_F(Program, ASymbolicLinkStaysAndItsFileIsReplaced) {
  const Files<double> files(folder);
  folder.write("real.npy", "old");
  std::filesystem::create_symlink("real.npy", folder.file("link.npy"));
  const auto outcome = run(run_into(files, folder.file("link.npy")));
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.npy")));
  EXPECT_EQ(cli::NpyArray(folder.file("real.npy")).shape(), (std::vector<std::int64_t>{3, 14, 9}));
}

TEST_F(Program, AFifoIsWrittenTo) {
  const Files<double> files(folder);
  const std::string on_cpu = " --device cpu";  // the same bits each time
  ASSERT_EQ(run(run_into(files, folder.file("file.npy") + on_cpu)).code, 0);
  ASSERT_EQ(::mkfifo(folder.file("fifo").c_str(), 0600), 0);
  const int reader = ::open(folder.file("fifo").c_str(), O_RDONLY | O_NONBLOCK);  // the output fits into the pipe
  ASSERT_GE(reader, 0);
  const auto outcome = run(run_into(files, folder.file("fifo") + on_cpu));
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_TRUE(std::filesystem::is_fifo(folder.file("fifo")));
  std::string arrived(65536, ' ');
  const ssize_t bytes = ::read(reader, arrived.data(), arrived.size());
  ::close(reader);
  ASSERT_GE(bytes, 0);
  EXPECT_EQ(arrived.substr(0, static_cast<std::size_t>(bytes)), contents("file.npy"));
}

TEST_F(Program, AReadOnlyFileIsRefusedAndStays) {
  const Files<double> files(folder);
  folder.write("precious", "precious");
  ASSERT_EQ(::chmod(folder.file("precious").c_str(), 0444), 0);
  for (const std::string& command :
       {run_into(files, ""), std::string("demo --output "), std::string("bench --cells 'single/2d1/*' --csv "),
        std::string("bench --cells 'single/2d1/*' --json "), std::string("accuracy --csv ")})
    expect_refused(command + folder.file("precious"), "may not be written");
  EXPECT_EQ(contents("precious"), "precious");
}

TEST_F(Program, AFolderIsNoOutput) {
  const Files<double> files(folder);
  expect_refused(run_into(files, folder.file("")), "it is a folder");
  expect_refused("demo --output " + folder.file(""), "it is a folder");
}

TEST_F(Program, APartialFileOfSomebodyElseStays) {
  const Files<double> files(folder);
  folder.write("out.npy.partial", "mine");
  ASSERT_EQ(run(run_into(files, folder.file("out.npy"))).code, 0);
  EXPECT_EQ(contents("out.npy.partial"), "mine");
  EXPECT_EQ(cli::NpyArray(folder.file("out.npy")).shape(), (std::vector<std::int64_t>{3, 14, 9}));
}

TEST_F(Program, RefusesWithTheReason) {
  const Files<double> files(folder);
  const std::string output = " --output " + folder.file("out.npy");
  const std::string points = " --points " + files.x + " " + files.y, input = " --input " + files.c;
  cli::write_npy<float>(folder.file("x4.npy"), std::vector<float>(200), {200});
  expect_refused("run --modes 14,9" + points + " --input " + files.f + output, "expected (200,)");
  expect_refused("run --modes 14" + points + input + output, "--modes has 1 sizes");
  expect_refused("run" + points + input + output, "--modes is needed");
  expect_refused("run --modes 14 --points " + folder.file("x4.npy") + input + output, "expected c8");
  expect_refused("run --modes 14 --points " + files.c + input + output, "points are real");
  expect_refused("run --modes 14,9 --points /dev/zero" + input + output, "regular file");
  expect_refused("run --modes 14,9 --tolerance nan" + points + input + output, "tolerance");
  expect_refused("run --modes 14,9 --upsampling 99" + points + input + output, "upsampling");
  expect_refused("run --modes 14,9 --type 7" + points + input + output, "--type");
  expect_refused("run --modes 14,9" + points + input + " --output /nonexistent/out.npy", "/nonexistent");
  expect_refused("run --modes 14,9,2 --points " + files.both + input + output, "(M, 3)");
  EXPECT_FALSE(std::filesystem::exists(folder.file("out.npy")));
}

TEST_F(Program, UsageErrorsAreTwoAndHelpIsZero) {
  EXPECT_EQ(run("").code, 2);
  EXPECT_EQ(run("unknown").code, 2);
  EXPECT_EQ(run("run").code, 2);
  EXPECT_EQ(run("--version").code, 0);
  for (const char* command : {"run", "info", "accuracy", "bench", "demo"}) {
    const auto help = run(std::string(command) + " --help");
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.output.find("Example"), std::string::npos) << command;
  }
}

TEST_F(Program, EveryLibraryOptionIsAFlag) {
  const std::string help = run("info --help").output + run("demo --help").output;
  ASSERT_FALSE(cli::library_options().empty());
  for (const auto& option : cli::library_options())
    EXPECT_NE(help.find("--" + option.name), std::string::npos) << option.name;
}

TEST_F(Program, InfoSaysWhatWouldBeChosen) {
  const auto library = run("info");
  EXPECT_EQ(library.code, 0);
  EXPECT_NE(library.output.find("cpu"), std::string::npos);
  const auto problem = run("info --modes 64,32,16 --tolerance 1e-5 --precision f32 --upsampling 2");
  EXPECT_EQ(problem.code, 0) << problem.errors;
  EXPECT_NE(problem.output.find("width"), std::string::npos);
  EXPECT_NE(problem.output.find("128 x 64 x 32"), std::string::npos) << problem.output;
  for (const char* other : {"16 x 32", "32 x 64"})  // describe() of the library has the other order
    EXPECT_EQ(problem.output.find(other), std::string::npos) << problem.output;
  expect_refused("info --modes 64,0x", "--modes");
}

TEST_F(Program, AccuracyMeasuresOneCell) {
  const auto outcome =
      run("accuracy --dim 1 --type 1 --precision f64 --tolerance 1e-6 --size even --points uniform --csv " +
          folder.file("a.csv"));
  EXPECT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
  EXPECT_NE(outcome.output.find("1 cells"), std::string::npos) << outcome.output;
  EXPECT_NE(contents("a.csv").find("1,1,f64,even,uniform,1e-06,"), std::string::npos) << contents("a.csv");
  expect_refused("accuracy --size nonsense", "nothing to measure");
}

// Below what floats can reach, the measured error must exceed the tolerance, and the exit code must say so.
TEST_F(Program, AccuracyFailsWhereTheToleranceIsOutOfReach) {
  const auto outcome = run("accuracy --dim 1 --type 1 --precision f32 --tolerance 1e-12 --size even --points uniform");
  EXPECT_EQ(outcome.code, 1) << outcome.output;
}

TEST_F(Program, BenchTimesACell) {
  const std::string name = "small/2d1/f32/N64/M1e+04/rand/1e-05/x1";
  folder.write("base.csv", "cell,best_exec_ms,best_set_exec_ms,best_whole_ms\n" + name + ",1,1,1\n");
  const auto outcome = run("bench --cells '" + name + "' --repeats 2 --csv " + folder.file("b.csv") + " --json " +
                           folder.file("b.json") + " --baseline " + folder.file("base.csv"));
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find(name), std::string::npos);
  EXPECT_NE(outcome.output.find("1 cells: geometric mean"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("plan + first set_points + execute"), std::string::npos) << outcome.output;
  EXPECT_EQ(run("bench --adjoint --cells '" + name + "' --repeats 1").code, 0);
  EXPECT_NE(contents("b.csv").find(name), std::string::npos);
  EXPECT_NE(contents("b.json").find("\"exec_ms\""), std::string::npos);
  expect_refused("bench --cells nothing", "--list");
}

TEST_F(Program, DemoReconstructsASmallPhantom) {
  const auto outcome = run("demo --pixels 48 --steps 5 --progress --output " + folder.file("demo.png"));
  EXPECT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
  EXPECT_NE(outcome.output.find("conjugate gradients"), std::string::npos);
  EXPECT_NE(outcome.errors.find("100 %"), std::string::npos) << outcome.errors;
  EXPECT_EQ(contents("demo.png").substr(0, 4), "\x89PNG");
}

}  // namespace
