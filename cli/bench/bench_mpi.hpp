// `offgrid bench --mpi`, under mpirun: the paper's Table II, M-TIP's two tasks with as many points on every rank (weak
// scaling).
//   slicing   3D type 2, N = 41, 1.02e6 points per rank    modes to points: no exchange
//   merging   3D type 1, N = 81, 1.64e7 points per rank    points to modes: a sum over the ranks
// f64 at 1e-12. Every repetition has a fresh plan, its set_points and its one execute, as an iteration of M-TIP does.
#pragma once

#include <cstdint>
#include <string>

#include "plan_flags.hpp"

namespace cli {

struct MpiBench {
  double divisor = 1;  // of the points per rank
  int repeats = 5;
  double stage_seconds = 20;  // per task, after which no other plan is made
  std::int64_t samples = 64;  // outputs that the error is measured over; 0: it is not measured
  std::string csv;
  bool progress = false;
};

// Rank 0 prints. Throws InputError in a build without MPI.
int bench_mpi(const MpiBench& settings, const PlanFlags& flags);

}  // namespace cli
