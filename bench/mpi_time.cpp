// Times on many ranks, under mpirun. The first rank prints; a time is that of the slowest rank, the least of three runs.
//   bench_mpi_time slabs N M      3D type 1, N^3 modes and M points in all, 1e-6: the grid in slabs, stage by stage, and FFTW-MPI's FFT
//                                 of the same grid with the crop after it
// The paper's Table II on many ranks is `offgrid bench --mpi`.
#include <mpi.h>
#include <cstdint>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <random>
#include <string>

#ifdef OFFGRID_HAS_FFTW_MPI
#include <fftw3-mpi.h>
#endif

#include "offgrid/mpi.hpp"

namespace {

using Complex = std::complex<double>;
constexpr int repeats = 3;

double slowest(double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

double once(const std::function<void()>& body) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  body();
  return slowest(MPI_Wtime() - start);
}

double least(const std::function<void()>& body) {
  double best = 1e300;
  for (int i = 0; i < repeats; ++i) best = std::min(best, once(body));
  return best;
}

struct Points {
  Points(std::int64_t count, int seed) {
    std::mt19937_64 generator(static_cast<unsigned>(seed) + 1);
    std::uniform_real_distribution<double> anywhere(-std::numbers::pi, std::numbers::pi);
    for (auto& axis : axes) {
      axis.resize(static_cast<std::size_t>(count));
      for (double& x : axis) x = anywhere(generator);
    }
  }
  [[nodiscard]] std::array<std::span<const double>, 3> spans() const { return {axes[0], axes[1], axes[2]}; }
  std::array<std::vector<double>, 3> axes;
};

#ifdef OFFGRID_HAS_FFTW_MPI
// The whole FFT of a distributed grid, transposed out as FFTW likes it best, and the modes of every plane that is left,
// deconvolved.
double time_fftw(std::int64_t n, std::int64_t modes) {
  fftw_mpi_init();
  ptrdiff_t planes = 0, first = 0, rows = 0, first_row = 0;
  const ptrdiff_t room = fftw_mpi_local_size_3d_transposed(n, n, n, MPI_COMM_WORLD, &planes, &first, &rows, &first_row);
  fftw_complex* grid = fftw_alloc_complex(static_cast<std::size_t>(room));
  const fftw_plan plan =
      fftw_mpi_plan_dft_3d(n, n, n, grid, grid, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
  std::fill_n(&grid[0][0], 2 * room, 1.0);
  std::vector<Complex> kept(static_cast<std::size_t>(rows * modes * modes));
  const auto* spectrum = reinterpret_cast<const Complex*>(grid);
  const double seconds = least([&] {
    fftw_execute(plan);
    for (ptrdiff_t row = 0; row < rows; ++row)
      for (std::int64_t z = 0; z < modes; ++z)
        for (std::int64_t x = 0; x < modes; ++x)
          kept[(row * modes + z) * modes + x] = 0.5 * spectrum[(row * n + z) * n + x];
  });
  fftw_destroy_plan(plan);
  fftw_free(grid);
  return seconds;
}
#endif

void run_slabs(const offgrid::mpi::World& ranks, std::int64_t n, std::int64_t all) {
  const std::int64_t count = all / ranks.size();
  const Points points(count, ranks.rank());
  const std::vector<Complex> strengths(static_cast<std::size_t>(count), 1.0);
  offgrid::mpi::Plan<double> plan(ranks,
                                  {.type = 1, .modes = {n, n, n}, .tolerance = 1e-6, .options = {{"upsampling", 2}}},
                                  offgrid::mpi::Layout::slabs);
  const double set = once([&] { plan.set_points(points.spans()); });
  const auto part = plan.local_modes();
  std::vector<Complex> modes(static_cast<std::size_t>(part.count[0] * part.count[1] * part.count[2]));
  const double execute = least([&] { plan.execute(strengths, modes); });
  std::string stages;
  double ours = 0;
  for (const char* name : {"points", "spread", "halo", "fft", "transpose"}) {
    const double seconds = slowest(plan.get(("seconds_" + std::string(name)).c_str()));
    if (name == std::string("fft") || name == std::string("transpose")) ours += seconds;
    stages += "  " + std::string(name) + " " + std::to_string(1e3 * seconds);
  }
  const auto cells = static_cast<std::int64_t>(plan.get("grid1"));
  if (ranks.rank() == 0)
    std::printf("slabs %d ranks  N %ld  grid %ld  points %ld  set_points %.1f  execute %.1f ms: %s\n", ranks.size(),
                long(n), long(cells), long(all), 1e3 * set, 1e3 * execute, stages.c_str());
#ifdef OFFGRID_HAS_FFTW_MPI
  const double theirs = time_fftw(cells, n);
  if (ranks.rank() == 0)
    std::printf("after the halos: ours %.1f ms, FFTW-MPI and crop %.1f ms, ratio %.2f\n", 1e3 * ours, 1e3 * theirs,
                theirs / ours);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  const offgrid::mpi::World ranks;
  const std::string what = argc > 1 ? argv[1] : "";
  const double first = argc > 2 ? std::atof(argv[2]) : 0, second = argc > 3 ? std::atof(argv[3]) : 0;
  if (what == "slabs" && first >= 2 && second >= 1) {
    run_slabs(ranks, std::int64_t(first), std::int64_t(second));
  } else {
    if (ranks.rank() == 0) std::printf("usage: mpirun -n RANKS bench_mpi_time slabs N M\n");
    return 2;
  }
  return 0;
}
