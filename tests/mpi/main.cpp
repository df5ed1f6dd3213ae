// Every rank runs every test, in the same order. Rank 0 reports; another rank prints only what fails on it.
#include <gtest/gtest.h>

#include "world.hpp"

namespace {

// A test that fails on one rank counts as failed on all, so that no rank leaves the others alone in the next test.
class Agreement : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& info) override {
    const int failed = world().sum(info.result()->Failed() ? 1 : 0);
    if (failed > 0 && info.result()->Passed()) ADD_FAILURE() << "failed on " << failed << " other ranks";
  }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (world().rank() != 0) {
    testing::GTEST_FLAG(output) = "";
    testing::GTEST_FLAG(brief) = true;
  }
  listeners.Append(new Agreement);
  const int result = RUN_ALL_TESTS();
  return world().sum(result) == 0 ? 0 : 1;
}
