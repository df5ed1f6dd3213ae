// The promise of docs/accuracy.md against some seconds of random inputs that are meant to break it, on every device:
// the same inputs each time, and others each time. A failure prints the seed and the cases, for
// `offgrid accuracy --seed SEED --case NUMBER`.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gpu.hpp"

namespace {

struct Outcome {
  int code;
  std::string output;
};

Outcome run(const std::string& arguments) {
  const std::string command = std::string("'") + OFFGRID_PROGRAM + "' " + arguments + " 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {-1, "cannot run " + command};
  std::string output;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) output += part.data();
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

std::vector<std::string> devices() {
  if (cli::gpu::available()) return {"cpu", "cuda"};
  return {"cpu"};
}

void expect_kept(std::uint64_t seed) {
  for (const auto& device : devices()) {
    const std::string command = "accuracy --search 3 --seed " + std::to_string(seed) + " --device " + device;
    std::printf("offgrid %s\n", command.c_str());
    const auto outcome = run(command);
    EXPECT_EQ(outcome.code, 0) << "offgrid " << command << "\n" << outcome.output;
    EXPECT_NE(outcome.output.find("cases from seed " + std::to_string(seed)), std::string::npos) << outcome.output;
  }
}

TEST(Search, APromiseThatIsKeptForTheSameInputs) { expect_kept(1); }

TEST(Search, APromiseThatIsKeptForNewInputsEachTime) { expect_kept(std::random_device{}()); }

// A kernel too narrow for the tolerance must be found out, or the two tests above say nothing.
TEST(Search, ABrokenPromiseIsFound) {
  for (const char* types : {"1,2", "3"}) {
    const auto outcome = run(std::string("accuracy --search 1 --seed 1 --device cpu --width 2 --type ") + types);
    EXPECT_EQ(outcome.code, 1) << outcome.output;
    EXPECT_NE(outcome.output.find("break the promise"), std::string::npos) << outcome.output;
  }
}

TEST(Search, OnlyTheTypesThatWereAskedForAreMeasured) {
  const auto outcome = run("accuracy --search 0.2 --device cpu --type 3");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("  type 3"), std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.output.find("types 1 and 2"), std::string::npos) << outcome.output;
}

}  // namespace
