// What exceeds the memory of the host is refused by design, before a table is made; both numbers are in the message.
#include "core/memory_limit.hpp"

#include <gtest/gtest.h>

#include "core/design.hpp"
#include "core/error.hpp"

namespace {

using namespace offgrid;

constexpr std::int64_t gib = std::int64_t{1} << 30;

std::string refusal(const Sizes& modes, const BackendTraits& traits) {
  const Problem problem{1, 2, modes, Precision::f64, 1e-6};
  try {
    require_possible(problem, {}, traits);
    make_design(problem, {}, traits);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::out_of_memory);
    return error.what();
  }
}

TEST(MemoryLimit, readable_bytes_have_one_decimal) {
  EXPECT_EQ(readable_bytes(0), "0 bytes");
  EXPECT_EQ(readable_bytes(1000), "1000 bytes");
  EXPECT_EQ(readable_bytes(1536), "1.5 KiB");
  EXPECT_EQ(readable_bytes(gib - 1), "1 GiB");
  EXPECT_EQ(readable_bytes(47 * gib / 2), "23.5 GiB");
  EXPECT_EQ(readable_bytes(5600 * gib), "5.5 TiB");
  EXPECT_EQ(readable_bytes(std::numeric_limits<std::int64_t>::max()), "8 EiB");
}

TEST(MemoryLimit, allows_what_is_within_it) {
  const MemoryLimit limit{1000, "you have"};
  EXPECT_TRUE(limit.allows(1000));
  EXPECT_FALSE(limit.allows(1001));
  EXPECT_EQ(limit.refusal(2048), "the plan would take 2 KiB of memory, you have 1000 bytes");
  EXPECT_TRUE(MemoryLimit{}.allows(std::numeric_limits<std::int64_t>::max()));
}

TEST(MemoryLimit, grids_on_the_host_count) {
  BackendTraits traits;
  traits.host_memory = {gib};
  EXPECT_EQ(refusal({30000, 30000, 1}, traits), "");
  traits.grid_memory = {gib};
  EXPECT_EQ(refusal({2000, 2000, 1}, traits), "");
  const std::string message = refusal({30000, 30000, 1}, traits);
  EXPECT_NE(message.find("30000 x 30000"), std::string::npos) << message;
  EXPECT_NE(message.find("GiB of memory, this machine has 1 GiB"), std::string::npos) << message;
}

// At 1.2 times the modes in each direction there would be room, but every design that is accurate enough takes more.
TEST(MemoryLimit, the_design_is_refused_where_the_modes_alone_would_fit) {
  BackendTraits traits;
  traits.grid_memory = {gib};
  const Problem problem{1, 2, {7500, 7500, 1}, Precision::f64, 1e-12};
  EXPECT_NO_THROW(require_possible(problem, {}, traits));
  EXPECT_NE(refusal(problem.modes, traits).find("7500 x 7500"), std::string::npos);
}

TEST(MemoryLimit, tables_count_wherever_the_grids_are) {
  BackendTraits traits;
  traits.host_memory = {gib};
  const std::string message = refusal({1000000000000, 2, 1}, traits);
  EXPECT_NE(message.find("3.6 TiB of memory, this machine has 1 GiB"), std::string::npos) << message;
}

}  // namespace
