// `offgrid bench --mpi` from outside, under mpirun with two ranks where there is one.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "temporary_folder.hpp"

namespace {

class BenchOnRanks : public testing::Test {
 protected:
  // The exit code; what was printed is in `words`.
  int run(const std::string& start, const std::string& arguments) {
    const std::string command = "OMP_NUM_THREADS=1 OMPI_MCA_mpi_yield_when_idle=1 " + start + " '" + OFFGRID_PROGRAM +
                                "' bench " + arguments + " >'" + folder.file("words") + "' 2>&1";
    const int status = std::system(command.c_str());
    words = contents("words");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] std::string contents(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder.file(name)).rdbuf();
    return text.str();
  }
  [[nodiscard]] bool says(const std::string& word) const { return words.find(word) != std::string::npos; }

  TemporaryFolder folder;
  std::string words;
};

#ifdef OFFGRID_MPIRUN

// The fields of a line of a table with commas.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

TEST_F(BenchOnRanks, TimesSlicingAndMerging) {
  const std::string arguments = "--mpi --points-divisor 2000 --repeats 2 --device cpu --progress --csv ";
  ASSERT_EQ(run(OFFGRID_MPIRUN " 2", arguments + folder.file("ranks.csv")), 0) << words;
  EXPECT_TRUE(says("2 ranks, cpu")) << words;
  EXPECT_TRUE(says("task 2 of 2, merging")) << words;
  EXPECT_EQ(words.find("task  "), words.rfind("task  ")) << "one rank prints\n" << words;

  std::istringstream table(contents("ranks.csv"));
  std::string header, slicing, merging;
  std::getline(table, header);
  std::getline(table, slicing);
  std::getline(table, merging);
  const auto names = fields_of(header), first = fields_of(slicing), second = fields_of(merging);
  ASSERT_EQ(names.size(), 14U) << header;
  ASSERT_EQ(first.size(), 14U) << slicing;
  ASSERT_EQ(second.size(), 14U) << merging;
  EXPECT_EQ(slicing.rfind("slicing,2,cpu,41,510,", 0), 0U) << slicing;
  EXPECT_EQ(merging.rfind("merging,2,cpu,81,8200,", 0), 0U) << merging;
  EXPECT_GT(std::stod(second[9]), 0) << "the sum takes time";
  // Errors against sums over the points of both ranks. The tolerance is 1e-12.
  EXPECT_EQ(names[12], "error");
  EXPECT_LE(std::stod(first[12]), 1e-12) << slicing;
  EXPECT_LE(std::stod(second[12]), 1e-12) << merging;
}

TEST_F(BenchOnRanks, OneRankSaysWhatIsWrong) {
  EXPECT_EQ(run(OFFGRID_MPIRUN " 2", "--mpi --points-divisor 2000 --csv /no/such/folder/ranks.csv"), 2) << words;
  EXPECT_TRUE(says("/no/such/folder/ranks.csv: cannot write there")) << words;
  EXPECT_EQ(words.find("cannot write"), words.rfind("cannot write")) << words;
}

#else

TEST_F(BenchOnRanks, IsRefusedWithoutMpi) {
  EXPECT_EQ(run("", "--mpi"), 2) << words;
  EXPECT_TRUE(says("built without MPI")) << words;
}

#endif

TEST_F(BenchOnRanks, RefusesWhatOnlyCellsHave) {
  EXPECT_EQ(run("", "--mpi --adjoint"), 2) << words;
  EXPECT_TRUE(says("excludes")) << words;
  EXPECT_EQ(run("", "--points-divisor 2"), 2) << words;
  EXPECT_TRUE(says("--mpi")) << words;
}

}  // namespace
