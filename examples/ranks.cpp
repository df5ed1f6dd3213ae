#include <cmath>
#include <cstdio>
#include <offgrid/mpi.hpp>

int main() {
  const offgrid::mpi::World ranks;  // MPI_COMM_WORLD; initialises MPI where nobody has
  const std::size_t count = 1000;
  std::vector<double> x(count), y(count), z(count);  // this rank's points
  for (std::size_t j = 0; j < count; ++j) {
    x[j] = 3 * std::sin(1.7 * double(j) + ranks.rank());
    y[j] = 3 * std::cos(2.3 * double(j) + ranks.rank());
    z[j] = 3 * std::sin(0.9 * double(j));
  }

  offgrid::mpi::Plan<double> plan(ranks, {.type = 1, .modes = {64, 64, 64}, .tolerance = 1e-9});
  plan.set_points({x, y, z});
  std::vector<std::complex<double>> strengths(count, 1.0), modes(64 * 64 * 64);
  plan.execute(strengths, modes);  // the sum over the points of all ranks, on every rank
  plan.adjoint(modes, strengths);  // at this rank's points

  const double points = modes[(32 * 64 + 32) * 64 + 32].real();  // k = (0, 0, 0): the number of all points
  if (ranks.rank() == 0) std::printf("%d ranks, %.3f points\n%s", ranks.size(), points, plan.describe().c_str());
  return std::abs(points - double(count) * ranks.size()) < 1e-3 ? 0 : 1;
}
