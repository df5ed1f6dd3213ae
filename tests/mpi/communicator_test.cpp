// Sums, broadcasts, gathers and agreement on errors, as applications use them.
#include <gtest/gtest.h>
#include <cstddef>
#include <cstdint>

#include <numeric>

#include "world.hpp"

using offgrid::mpi::Alone;
using offgrid::mpi::Communicator;

namespace {

// The sum of 0 + 1 + .. + (size - 1), and of as many ones.
double ranks_total() { return 0.5 * world().size() * (world().size() - 1); }

template <class T> class Sums : public testing::Test {};
using Numbers = testing::Types<float, double, std::complex<float>, std::complex<double>, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(Sums, Numbers);

TYPED_TEST(Sums, AreTheSameOnEveryRank) {
  std::vector<TypeParam> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<TypeParam>(i) + static_cast<TypeParam>(world().rank());
  world().sum(std::span(values));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = world().size() * static_cast<double>(i) + ranks_total();
    ASSERT_EQ(values[i], static_cast<TypeParam>(expected));
  }
}

TEST(Communicator, SumsOneNumber) { EXPECT_EQ(world().sum(1), world().size()); }

TEST(Communicator, BroadcastsFromAnyRank) {
  for (int root = 0; root < world().size(); ++root) {
    std::vector<double> values(17, world().rank());
    world().broadcast(std::span(values), root);
    for (const double value : values) EXPECT_EQ(value, root);
  }
}

TEST(Communicator, GathersDifferentNumbersInTheOrderOfTheRanks) {
  const std::vector<int> mine(static_cast<std::size_t>(world().rank()), world().rank());
  std::vector<int> expected;
  for (int rank = 0; rank < world().size(); ++rank)
    expected.insert(expected.end(), static_cast<std::size_t>(rank), rank);
  const int root = world().size() - 1;
  const std::vector<int> all = world().gather(std::span<const int>(mine), root);
  EXPECT_EQ(all, world().rank() == root ? expected : std::vector<int>());
  EXPECT_EQ(world().gather_all(std::span<const int>(mine)), expected);
}

TEST(Communicator, AllRanksThrowWhatOneHasThrown) {
  const int last = world().size() - 1;
  try {
    world().together([&] {
      if (world().rank() == last) throw offgrid::Error(OFFGRID_OUT_OF_MEMORY, "no room for the images");
    });
    FAIL() << "nothing was thrown";
  } catch (const offgrid::Error& error) {
    EXPECT_EQ(error.status(), OFFGRID_OUT_OF_MEMORY);
    const std::string who = world().size() == 1 ? "" : "rank " + std::to_string(last) + ": ";
    EXPECT_EQ(error.what(), who + "no room for the images");
  }
  EXPECT_NO_THROW(world().together([] {}));
}

TEST(Communicator, TheLowestRankThatFailsIsHeard) {
  if (world().size() < 3) GTEST_SKIP() << "three ranks are needed";
  try {
    world().together([&] {
      if (world().rank() > 0) throw std::runtime_error("I am " + std::to_string(world().rank()));
    });
    FAIL() << "nothing was thrown";
  } catch (const offgrid::Error& error) {
    EXPECT_STREQ(error.what(), "rank 1: I am 1");
  }
}

TEST(Communicator, RefusesAnUnknownRootOnAllRanks) {
  double value = 0;
  EXPECT_THROW(world().broadcast(std::span(&value, 1), world().size()), offgrid::Error);
}

// The others waited for a root that had no room. No memory holds these, so that none of them is read.
TEST(Communicator, AllRanksThrowWhereTheRootHasNoRoomToGather) {
  struct Large {
    std::byte bytes[1 << 30];
  };
  const Large* nowhere = nullptr;
  const std::span<const Large> mine(nowhere, std::size_t{1} << 33);
  EXPECT_THROW((void)world().gather(mine, world().size() - 1), offgrid::Error);
  EXPECT_EQ(world().sum(1), world().size());
}

TEST(Communicator, AllRanksRefuseANullPlaceForTheHandleOfOne) {
  const bool is_last = world().rank() == world().size() - 1;
  offgrid_mpi_comm comm = nullptr;
  EXPECT_EQ(offgrid_mpi_comm_create(is_last ? nullptr : &comm, nullptr), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(comm, nullptr);
  EXPECT_NE(std::string(offgrid_mpi_last_error()).find("comm is null"), std::string::npos) << offgrid_mpi_last_error();
}

// It had finalised MPI, which cannot be initialised again.
TEST(Communicator, ARefusedFirstOneLeavesMpiToTheNext) {
  EXPECT_EQ(first_status(), OFFGRID_INVALID_ARGUMENT);
  EXPECT_EQ(world().sum(1), world().size());
}

TEST(Communicator, OneRankNeedsNoMpi) {
  const Alone alone;
  const Communicator& ranks = alone;
  std::vector<double> values{1, 2};
  ranks.sum(std::span(values));
  ranks.broadcast(std::span(values));
  EXPECT_EQ(values, (std::vector<double>{1, 2}));
  EXPECT_EQ(ranks.gather_all(std::span<const double>(values)), values);
  EXPECT_THROW(ranks.together([] { throw std::bad_alloc(); }), offgrid::Error);
}

}  // namespace
