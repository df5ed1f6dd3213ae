#include "cuda/method/tile.hpp"

#include <algorithm>

#include "core/kernel/polynomial.hpp"
#include "cuda/kernels/team_size.hpp"
#include "cuda/method/launchers.hpp"

namespace offgrid::cuda {
namespace {

constexpr std::size_t roomy_tile_bytes = 56 << 10;  // up to here several blocks fit on a multiprocessor

TileSpec make_tile(const MethodRequest& request, const Sizes& bin) {
  TileSpec tile;
  tile.bins = countable_bins(request.grid, bin);
  for (int axis = 0; axis < request.dim; ++axis)
    tile.size[axis] = tile.bins.size[axis] + static_cast<std::uint32_t>(request.width - 1);
  return tile;
}

// Returns the shared memory that the kernel's coefficients and the values of the teams' points leave for tiles.
std::size_t room_for_tiles(const MethodRequest& request) {
  std::size_t limit = request.device.shared_bytes;
  if (request.options.shared_bytes > 0) limit = std::min(limit, static_cast<std::size_t>(request.options.shared_bytes));
  const int values = most_tile_threads / spread_lanes(request.dim, request.width) * request.dim * request.width;
  const int coefficients = (max_degree(request.width, request.precision) + 1) * request.width;
  const std::size_t taken = (request.f64() ? 8 : 4) * static_cast<std::size_t>(coefficients + values);
  return limit > taken ? limit - taken : 0;
}

class Tile final : public SpreadMethodOf<Tile> {
 public:
  Method word() const override { return Method::sm; }
  const char* name() const override { return "SM"; }
  bool can_run(const MethodRequest&) const override { return true; }
  bool wins(const MethodRequest&) const override { return true; }
  double time(const MethodRequest& request, Precision) const override { return paper_time(request); }

  // A whole subproblem is added up in the precision of the tile, so that subproblems must not grow.
  std::int64_t subproblem_points(const MethodRequest& request) const override {
    return even_subproblem(request, 128, paper_subproblem);
  }

  // Chooses the largest tile, up to that of the wanted bin, which fits in shared memory, and tiles for several vectors
  // of a batch if there is room for them.
  bool lay_out(const MethodRequest& request, MethodChoice& choice) const override {
    const std::size_t real_bytes = request.f64() || choice.wide ? 8 : 4, room = room_for_tiles(request);
    Sizes bin = paper_bin(request);
    TileSpec tile = make_tile(request, bin);
    for (auto largest = std::max_element(bin.begin(), bin.end()); tile.bytes(real_bytes) > room && *largest > 1;
         largest = std::max_element(bin.begin(), bin.end())) {
      *largest /= 2;
      tile = make_tile(request, bin);
    }
    if (tile.bytes(real_bytes) > room) return false;
    for (TileSpec more = tile; more.vectors < request.vectors; tile = more) {
      ++more.vectors;
      if (more.bytes(real_bytes) > std::min(room, 2 * roomy_tile_bytes)) break;
    }
    tile.threads = tile.bytes(real_bytes) <= roomy_tile_bytes ? 256 : most_tile_threads;
    choice.tile = tile;
    choice.sort = basic_sort(request, tile.bins);
    choice.sort.inverse = wants_inverse(request);
    return true;
  }

  bool sums_in_f64(const MethodRequest& request, std::int64_t subproblem) const override {
    return needs_wide_sums(request, std::min(request.points, subproblem), request.points / subproblem);
  }
  double longest_sum(const MethodChoice& choice, Precision, std::int64_t run, std::int64_t items) const override {
    return added_subproblems(choice.sort, run, items) + static_cast<double>(choice.sort.subproblem_points);
  }

  template <class T, class A> void spread_as(const StageCall<T, A>& call) const {
    spread_tiles(call.choice.sort.dim, call.stage, call.choice.tile, call.set, call.queue.stream);
  }
};

}  // namespace

const SpreadMethod& tile_method() {
  static const Tile method;
  return method;
}

}  // namespace offgrid::cuda
