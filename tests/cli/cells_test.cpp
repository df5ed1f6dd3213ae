// The benchmark's cells have exactly the names that a peer's times are listed under (cells.txt).
#include "bench/cells.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "bench/bench_report.hpp"
#include "temporary_folder.hpp"
#include "text.hpp"

namespace {

std::vector<std::string> listed_names() {
  std::ifstream file(OFFGRID_CELLS);
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) names.push_back(line);
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Cells, HaveTheListedNames) {
  std::vector<std::string> names;
  for (const auto& cell : cli::all_cells()) names.push_back(cell.name());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names.size(), 114u);
  EXPECT_EQ(names, listed_names());
}

TEST(Cells, ArePickedByGlobOrRegularExpression) {
  const std::string name = "single/2d1/f32/N1000/M1e+07/rand/1e-01/x1";
  EXPECT_TRUE(cli::matches(name, name));
  EXPECT_TRUE(cli::matches(name, "single/2d1/*"));
  EXPECT_TRUE(cli::matches(name, "*rand*"));
  EXPECT_TRUE(cli::matches(name, "2d1/.*1e-0[12]"));
  EXPECT_FALSE(cli::matches(name, "3d1"));
  EXPECT_FALSE(cli::matches(name, "*cluster*"));
}

TEST(Baseline, ReadsItsColumnsByName) {
  const TemporaryFolder folder;
  const auto path = folder.write("baseline.csv",
                                 "cell,best_setpts_ms,best_exec_ms,best_err,best_set_exec_ms,best_whole_ms\n"
                                 "a/b,1,2,3e-1,4,5\n");
  const auto baseline = cli::read_baseline(path);
  ASSERT_EQ(baseline.size(), 1u);
  EXPECT_EQ(baseline.at("a/b").exec_ms, 2);
  EXPECT_EQ(baseline.at("a/b").set_exec_ms, 4);
  EXPECT_EQ(baseline.at("a/b").whole_ms, 5);
  EXPECT_THROW(cli::read_baseline(folder.write("short.csv", "cell,other\n")), cli::InputError);
  EXPECT_THROW(
      cli::read_baseline(folder.write("words.csv", "cell,best_exec_ms,best_set_exec_ms,best_whole_ms\na/b,1,x,3\n")),
      cli::InputError);
  EXPECT_THROW(cli::read_baseline(folder.file("missing.csv")), cli::InputError);
}

}  // namespace
