// The limit of the host's memory, the count of an engine's, and what is refused before it is allocated.
#include "cpu/memory/memory.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "cpu/engine.hpp"
#include "cpu/memory/host_memory.hpp"
#include "cpu/policy.hpp"
#include "points.hpp"
#include "temporary_folder.hpp"

namespace offgrid::cpu {
namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

// A list of control groups and the files of their limits.
class CgroupLimit : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& words) const {
    std::filesystem::create_directories(std::filesystem::path(folder.file(name)).parent_path());
    folder.write(name, words);
  }
  [[nodiscard]] std::int64_t limit(const std::string& list) const {
    return cgroup_limit(folder.write("cgroup", list), folder.file("mount"));
  }

  TemporaryFolder folder;
};

TEST_F(CgroupLimit, of_version_2_is_the_smallest_on_the_way_up) {
  EXPECT_EQ(limit("0::/a/b/c\n"), no_limit);
  put("mount/a/b/c/memory.max", "max\n");
  EXPECT_EQ(limit("0::/a/b/c\n"), no_limit);
  put("mount/a/b/memory.max", "5000\n");
  put("mount/a/memory.max", "7000\n");
  put("mount/other/memory.max", "1\n");
  EXPECT_EQ(limit("0::/a/b/c\n"), 5000);
  EXPECT_EQ(limit("0::/a\n"), 7000);
  EXPECT_EQ(limit("0::/\n"), no_limit);
}

TEST_F(CgroupLimit, of_version_1_is_that_of_the_memory_controller) {
  put("mount/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put("mount/memory/job/memory.limit_in_bytes", "4096\n");
  put("mount/cpu/job/memory.limit_in_bytes", "1\n");
  EXPECT_EQ(limit("5:cpu,cpuacct:/job\n4:memory:/job/step\n0::/\n"), 4096);
  EXPECT_EQ(limit("4:hugetlb,memory:/job\n"), 4096);
  EXPECT_EQ(limit("5:cpu,cpuacct:/job\n"), no_limit);
}

TEST_F(CgroupLimit, in_a_container_is_at_the_root_of_the_mount) {
  put("mount/memory.max", "12345\n");
  EXPECT_EQ(limit("0::/docker/0123abc\n"), 12345);
  put("mount/memory/memory.limit_in_bytes", "2345\n");
  EXPECT_EQ(limit("4:memory:/docker/0123abc\n"), 2345);
  put("mount/unified/memory.max", "99\n");
  EXPECT_EQ(limit("0::/\n"), 99);
}

TEST_F(CgroupLimit, survives_lines_that_are_none) {
  for (const char* list : {"", "\n", ":", "::", "0::", "0::relative\n", "4:memory\n", "a b c\n:::::\n"})
    EXPECT_EQ(limit(list), no_limit) << list;
  EXPECT_EQ(cgroup_limit(folder.file("missing"), folder.file("mount")), no_limit);
  put("mount/memory.max", "words\n");
  EXPECT_EQ(limit("0::/\n"), no_limit);
  put("mount/memory.max", "-1\n");
  EXPECT_EQ(limit("0::/\n"), no_limit);
}

TEST(HostMemory, is_some_of_this_machine) {
  EXPECT_GT(host_memory().bytes, std::int64_t{1} << 24);
  EXPECT_LT(host_memory().bytes, std::int64_t{1} << 50);
  EXPECT_EQ(backend().traits.host_memory.bytes, host_memory().bytes);
  EXPECT_EQ(backend().traits.grid_memory.bytes, host_memory().bytes);
}

template <class F> void expect_no_memory(F&& call) {
  try {
    call();
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::out_of_memory);
    EXPECT_NE(std::string(error.what()).find("you have 1000 bytes"), std::string::npos) << error.what();
  }
}

TEST(MemoryCount, follows_its_buffers) {
  MemoryCount count({1000, "you have"});
  Buffer<std::int32_t> first(100, &count);
  {
    const Buffer<std::byte> second(300, &count);
    EXPECT_EQ(count.bytes(), 700U);
    expect_no_memory([&] { (void)Buffer<std::byte>(301, &count); });
    expect_no_memory([&] { (void)Buffer<std::byte>(std::int64_t{1} << 50, &count); });
    EXPECT_EQ(count.bytes(), 700U);
  }
  EXPECT_EQ(count.bytes(), 400U);
  Buffer<std::int32_t> moved(std::move(first));
  EXPECT_EQ(count.bytes(), 400U);
  moved = Buffer<std::int32_t>(1, &count);
  EXPECT_EQ(count.bytes(), 4U);
  moved = {};
  EXPECT_EQ(count.bytes(), 0U);
  EXPECT_EQ(count.peak(), 700U);
}

// An engine of f32 with some points that are not crowded, and little memory beyond them.
struct SmallEngine {
  static constexpr std::int64_t count = 100000;

  explicit SmallEngine(std::int64_t limit)
      : design(make_design({1, 2, {40, 40, 1}, Precision::f32, 1e-6}, {.threads = 1}, cost_traits(32))),
        engine(make_f32(design, {limit, "you have"})) {}

  void set(const support::PointSet<float>& points) {
    engine->set_points({points.count(), {points.axis[0].data(), points.axis[1].data()}}, {});
  }
  [[nodiscard]] std::vector<std::complex<float>> modes(std::int64_t points) const {
    const std::vector<std::complex<float>> strengths(points, 1);
    std::vector<std::complex<float>> modes(design.uniform_count());
    const auto grid = engine->lease_grid(1, {});
    engine->spread(strengths.data(), *grid, {});
    engine->grid_to_modes(*grid, modes.data(), Sign::minus, {});
    return modes;
  }

  Design design;
  std::unique_ptr<Engine<float>> engine;
};

template <class F> Status status_of(F&& call) {
  try {
    call();
    return Status::ok;
  } catch (const Error& error) {
    return error.status();
  }
}

// Every limit between nothing and what crowded points need at most: refused, or right.
TEST(MemoryCount, crowded_points_beyond_the_limit_are_refused_and_change_nothing) {
  const auto few = support::uniform_points<float>(2, 100),
             many = support::clustered_points<float>(2, SmallEngine::count);
  SmallEngine ample(std::int64_t{1} << 30);
  ample.set(few);
  const auto of_few = ample.modes(few.count());
  const auto base = static_cast<std::int64_t>(ample.engine->memory_bytes());
  ample.set(many);
  const auto of_many = ample.modes(many.count());
  const auto most = static_cast<std::int64_t>(ample.engine->peak_bytes());
  EXPECT_GT(most - base, SmallEngine::count * (16 + 24 + 16));  // points in both precisions, strengths in double
  int refused = 0;
  for (std::int64_t limit = base; limit <= most; limit += (most - base) / 16) {
    SmallEngine engine(limit);
    engine.set(few);
    const Status set = status_of([&] { engine.set(many); });
    EXPECT_TRUE(set == Status::ok || set == Status::out_of_memory);
    if (set != Status::ok) {
      EXPECT_EQ(engine.modes(few.count()), of_few);
      ++refused;
      continue;
    }
    std::vector<std::complex<float>> modes;
    const Status execute = status_of([&] { modes = engine.modes(many.count()); });
    EXPECT_TRUE(execute == Status::ok || execute == Status::out_of_memory);
    EXPECT_EQ(modes, execute == Status::ok ? of_many : decltype(modes){});
    refused += execute == Status::ok ? 0 : 1;
    EXPECT_LE(static_cast<std::int64_t>(engine.engine->peak_bytes()), limit);
  }
  EXPECT_GT(refused, 8);
}

// A large buffer that was there before is found again, by one that has not much less use for it.
TEST(SpareMemory, is_found_by_buffers_of_about_its_size) {
  free_spare_memory();
  constexpr std::int64_t size = 5 << 20;
  const auto left = [](std::int64_t bytes) { return static_cast<const void*>(Buffer<std::byte>(bytes).data()); };
  const void* first = left(size);
  EXPECT_EQ(left(size), first);
  EXPECT_EQ(left(size - 1000), first);
  const Buffer<std::byte> larger(size + 1), small(size / 4), same(size), another(size);
  EXPECT_NE(larger.data(), first);
  EXPECT_NE(small.data(), first);
  EXPECT_EQ(same.data(), first);
  EXPECT_NE(another.data(), first);
}

TEST(SpareMemory, is_limited) {
  free_spare_memory();
  constexpr std::size_t bytes = std::size_t{100} << 20;
  MemoryBlock blocks[4];
  for (MemoryBlock& block : blocks) block = take_memory(bytes);
  for (const MemoryBlock& block : blocks) leave_memory(block);
  EXPECT_LE(spare_bytes(), static_cast<std::size_t>(most_kept_bytes));
  EXPECT_GT(spare_bytes(), 0);
  release_memory();
  EXPECT_EQ(spare_bytes(), 0);
}

}  // namespace
}  // namespace offgrid::cpu
