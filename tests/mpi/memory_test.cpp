// The number memory_bytes of a plan of slabs, against what the C library has given out since before the plan was made.
#include "shared_case.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace {

// 0 where nobody counts: with another C library, or with a sanitizer.
double bytes_given_out() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
#else
  return 0;
#endif
}

struct MemoryOfSlabs {
  double reported, given_out;
};

MemoryOfSlabs measure(const Sizes& modes, std::int64_t points) {
  const std::vector<double> axis(static_cast<std::size_t>(points), 0.0);
  std::vector<double> slowest(axis.size());  // as many points for each rank
  for (std::size_t j = 0; j < slowest.size(); ++j)
    slowest[j] = 6.25 * static_cast<double>(j) / static_cast<double>(points);
  std::vector<std::span<const double>> axes(modes.size() - 1, axis);
  axes.emplace_back(slowest);
  const double before = bytes_given_out();
  offgrid::mpi::Plan<double> plan(world(), {.modes = modes, .options = {{"upsampling", 2.0}}},
                                  offgrid::mpi::Layout::slabs);
  plan.set_points(axes);
  const auto part = plan.local_modes();
  const auto count = static_cast<std::size_t>(part.count[0] * part.count[1] * part.count[2]);
  std::vector<std::complex<double>> strengths(axis.size(), 1.0), values(count);
  plan.execute(strengths, values);
  const double own = 16.0 * static_cast<double>(strengths.size() + values.size());
  return {plan.get("memory_bytes"), bytes_given_out() - before - own};
}

// Planes were counted once: liboffgrid's copy of them, the others' halos, strengths and the points in their order were not. A
// few megabytes are no plan's: what aligns large arrays, scratch of set_points that liboffgrid keeps for later plans, buffers
// of MPI.
TEST(Slabs, MemoryBytesAreAllThatAPlanTakes) {
  measure({8, 8, 8}, 10);  // MPI has its own buffers from now on
  if (bytes_given_out() == 0) GTEST_SKIP() << "nobody counts memory";
  const MemoryOfSlabs bytes = measure({96, 64, 64}, 200000);
  EXPECT_GE(bytes.reported, 0.8 * bytes.given_out);
  EXPECT_LE(bytes.reported, 1.1 * bytes.given_out);
}

}  // namespace
