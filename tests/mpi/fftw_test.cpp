// FFTW-MPI as the oracle of slabs. Every rank spreads all points to the whole grid by itself, with the kernel that the slabs
// took; FFTW-MPI transforms the grid, all of it; the modes are cropped and deconvolved one by one, by the kernel's transform.
// So nothing of the exchange, of the pruned FFTs and of their order is used twice, and the two differ by far less than the
// tolerance.
#include "shared_case.hpp"

#ifndef OFFGRID_HAS_FFTW_MPI

TEST(FftwMpi, TransformsTheGridOfSlabs) {
  GTEST_SKIP() << "FFTW-MPI was not found when this was built: apt-get install libfftw3-mpi-dev";
}

#else

#include <fftw3-mpi.h>

#include <cstddef>
#include <memory>

using offgrid::mpi::Layout;
using Complex = std::complex<double>;
using Complexes = std::vector<Complex>;
using SlabPlan = offgrid::mpi::Plan<double>;

namespace {

struct FreeFftw {
  void operator()(fftw_complex* data) const { fftw_free(data); }
  void operator()(fftw_plan_s* plan) const { fftw_destroy_plan(plan); }
};

// The FFT of a grid that every rank has, sizes with the contiguous axis first: each rank brings the planes that FFTW gives it.
Complexes transform_by_fftw(const Complexes& grid, const Sizes& sizes, int sign) {
  fftw_mpi_init();
  const std::vector<std::ptrdiff_t> slowest_first(sizes.rbegin(), sizes.rend());
  const int dim = static_cast<int>(sizes.size());
  std::ptrdiff_t planes = 0, first = 0;
  const auto room =
      static_cast<std::size_t>(fftw_mpi_local_size(dim, slowest_first.data(), MPI_COMM_WORLD, &planes, &first));
  const std::unique_ptr<fftw_complex, FreeFftw> own(fftw_alloc_complex(room));
  const std::unique_ptr<fftw_plan_s, FreeFftw> plan(
      fftw_mpi_plan_dft(dim, slowest_first.data(), own.get(), own.get(), MPI_COMM_WORLD,
                        sign < 0 ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_ESTIMATE));
  auto* cells = reinterpret_cast<Complex*>(own.get());
  const std::ptrdiff_t plane = support::product(sizes) / slowest_first[0];
  std::copy_n(grid.begin() + first * plane, planes * plane, cells);
  fftw_execute(plan.get());
  Complexes all(grid.size());
  std::copy_n(cells, planes * plane, all.begin() + first * plane);
  world().sum(std::span(all));
  return all;
}

// The same transform as a plan of slabs with its points set, on every rank as a whole.
class WholeGrid {
 public:
  WholeGrid(const offgrid::Problem& problem, const SlabPlan& slabs, const PointSet<double>& points)
      : modes_(problem.modes),
        cells_(grid_of(slabs, problem.modes.size())),
        kernel_(kernel_of(problem, slabs, cells_)) {
    kernel_.set_points(support::axes_of(points));
  }

  [[nodiscard]] Complexes to_modes(const Complexes& strengths) const {
    Complexes grid(static_cast<std::size_t>(support::product(cells_)));
    kernel_.execute(strengths, grid);
    const Complexes spectrum = transform_by_fftw(grid, cells_, -1);
    Complexes modes(static_cast<std::size_t>(support::product(modes_)));
    for (std::size_t i = 0; i < modes.size(); ++i) {
      const Place place = place_of(i);
      modes[i] = spectrum[place.cell] * place.factor;
    }
    return modes;
  }

  [[nodiscard]] Complexes to_points(const Complexes& modes, std::int64_t count) const {
    Complexes spectrum(static_cast<std::size_t>(support::product(cells_)));
    for (std::size_t i = 0; i < modes.size(); ++i) {
      const Place place = place_of(i);
      spectrum[place.cell] = modes[i] * place.factor;
    }
    Complexes strengths(static_cast<std::size_t>(count));
    kernel_.adjoint(transform_by_fftw(spectrum, cells_, 1), strengths);
    return strengths;
  }

 private:
  static Sizes grid_of(const SlabPlan& slabs, std::size_t dim) {
    Sizes cells;
    for (const char* name : {"grid1", "grid2", "grid3"})
      if (cells.size() < dim) cells.push_back(static_cast<std::int64_t>(slabs.get(name)));
    return cells;
  }
  static offgrid::Plan<double> kernel_of(const offgrid::Problem& problem, const SlabPlan& slabs, const Sizes& cells) {
    std::vector<offgrid::Option> options = problem.options;  // such as the window
    options.insert(options.end(),
                   {{"spread_only", 1}, {"width", slabs.get("width")}, {"upsampling", slabs.get("upsampling")}});
    return offgrid::Plan<double>({.type = 1, .modes = cells, .options = options});
  }

  // Of a mode in centred order: its cell of the spectrum, and one over the kernel's transform there.
  struct Place {
    std::size_t cell;
    double factor;
  };
  [[nodiscard]] Place place_of(std::size_t mode) const {
    auto rest = static_cast<std::int64_t>(mode);
    std::int64_t cell = 0, stride = 1;
    double transform = 1;
    for (std::size_t axis = 0; axis < modes_.size(); ++axis) {
      const std::int64_t k = rest % modes_[axis] - modes_[axis] / 2;
      cell += stride * (k < 0 ? k + cells_[axis] : k);
      transform *= kernel_.kernel_transform(static_cast<int>(axis), static_cast<double>(k));
      rest /= modes_[axis];
      stride *= cells_[axis];
    }
    return {static_cast<std::size_t>(cell), 1 / transform};
  }

  Sizes modes_, cells_;
  offgrid::Plan<double> kernel_;
};

void expect_as_fftw(const offgrid::Problem& problem, double bound) {
  constexpr std::int64_t count = 300;
  const auto all = support::uniform_points<double>(static_cast<int>(problem.modes.size()), count);
  const auto mine = share_of(Share::even, count);
  const auto points = support::reordered(all, mine);
  SlabPlan slabs(world(), problem, Layout::slabs);
  slabs.set_points(support::axes_of(points));
  const WholeGrid whole(problem, slabs, all);
  const auto part = slabs.local_modes();
  const auto strengths = support::random_values<double>(count, 5);
  const auto modes = support::random_values<double>(support::product(problem.modes), 6);

  Complexes found(static_cast<std::size_t>(part.count[0] * part.count[1] * part.count[2]));
  slabs.execute(chosen(strengths, mine, count, 1), found);
  EXPECT_LE(error_of_all(found, part_of(whole.to_modes(strengths), problem.modes, part, 1)), bound) << slabs.describe();

  Complexes back(mine.size());
  slabs.adjoint(part_of(modes, problem.modes, part, 1), back);
  EXPECT_LE(error_of_all(back, chosen(whole.to_points(modes, count), mine, count, 1)), bound) << slabs.describe();
}

// With more than 32 modes along each axis slabs deconvolve by the kernel's transform. What differs is rounding, and a
// thousandth of the tolerance, which the polynomial of the kernel may miss it by.
TEST(FftwMpi, TransformsTheGridOfSlabs) {
  for (const Sizes& modes : {Sizes{40, 36}, Sizes{37, 53}, Sizes{34, 36, 33}})
    for (const double tolerance : {1e-3, 1e-6, 1e-12})
      expect_as_fftw({.type = 1, .modes = modes, .tolerance = tolerance}, std::max(1e-3 * tolerance, 1e-12));
  expect_as_fftw({.type = 1, .modes = {40, 36}, .tolerance = 1e-9, .options = {{"window", "semicircle"}}}, 1e-12);
}

// With fewer the factors are scaled by a little (core/design/few_modes.hpp), which is a part of the tolerance.
TEST(FftwMpi, TransformsSmallGridsOfSlabs) {
  for (const Sizes& modes :
       {Sizes{24, 20}, Sizes{13, 17}, Sizes{2, 3}, Sizes{10, 12, 14}, Sizes{7, 5, 9}, Sizes{4, 2, 3}})
    for (const double tolerance : {1e-3, 1e-6, 1e-12})
      expect_as_fftw({.type = 1, .modes = modes, .tolerance = tolerance}, tolerance);
}

}  // namespace

#endif
