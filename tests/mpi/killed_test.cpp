// A rank that dies in the middle: started by killed.sh alone, which expects the job to end.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "world.hpp"

TEST(Killed, ARankThatDiesEndsTheJob) {
  if (std::getenv("OFFGRID_TEST_KILL") == nullptr) GTEST_SKIP() << "killed.sh runs this one";
  if (world().rank() == 1) std::raise(SIGKILL);
  EXPECT_EQ(world().sum(1), world().size());  // waits for rank 1
}
