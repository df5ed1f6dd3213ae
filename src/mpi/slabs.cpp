// A grid cut into slabs along its slowest axis, one per rank, for types 1 and 2 in 2D and 3D.
//   to modes    strengths to the owners of their points -> spread -> halos to their owners, who add them -> FFT and crop of the
//               local axes -> blocks become columns, all to all -> FFT and crop of the last axis
//   to points   the same steps backwards
// Only cropped data goes from all to all: sigma N^d numbers in place of (sigma N)^d. local.hpp has what a rank does alone.
#include <cstring>

#include "mpi/handles.hpp"
#include "mpi/local.hpp"
#include "mpi/partition.hpp"
#include "mpi/plan.hpp"
#include "mpi/slab_points.hpp"
#include "mpi/staging.hpp"

namespace offgrid::mpi::inside {
namespace {

using Message = Ranks::Message;

template <class V> Message message(int peer, V* data, std::int64_t count) {
  return {.peer = peer, .data = reinterpret_cast<std::byte*>(data), .bytes = count * std::int64_t{sizeof(V)}};
}

void require_possible(const Request& request) {
  if (request.dim == 1)
    throw Error(OFFGRID_INVALID_ARGUMENT,
                "slabs: a grid in 1D is not cut; expected 2 or 3 dimensions, or replicated modes");
  if (request.type != 1 && request.type != 2)
    throw Error(OFFGRID_INVALID_ARGUMENT,
                text("slabs: type is ", request.type, ", expected 1 or 2; a type 3 is replicated"));
  for (const std::int64_t n : request.modes)
    if (n < 2) throw Error(OFFGRID_INVALID_ARGUMENT, text("slabs: an axis has ", n, " modes, expected at least 2"));
  if (option(request.options, "spread_only") != 0)
    throw Error(OFFGRID_INVALID_ARGUMENT, "slabs: spread_only is set, expected modes");
  if (option(request.options, "device") == 2)
    throw Error(OFFGRID_INVALID_ARGUMENT, "slabs: device = cuda, expected auto or cpu: slabs are worked on by the CPU");
}

template <class T> class SlabPlan final : public AnyPlan {
 public:
  using Complex = std::complex<T>;

  SlabPlan(std::shared_ptr<const Ranks> ranks, const Request& request)
      : ranks_(std::move(ranks)),
        request_(request),
        options_(copy_options(request.options, std::array{"sign", "transforms", "mode_order", "strict", "upsampling",
                                                          "width", "window", "threads"})),
        transforms_(static_cast<std::int64_t>(option(request.options, "transforms"))),
        rows_{request.modes[static_cast<std::size_t>(request.dim) - 2], ranks_->size()} {
    request_.options = options_.get();
    const double sign = option(request.options, "sign");
    sign_ = sign != 0 ? static_cast<int>(sign) : (request.type == 1 ? -1 : 1);
  }

  void set_result(offgrid_mpi_result) override {
    throw Error(OFFGRID_INVALID_ARGUMENT,
                "result: modes of slabs stay where they are; only replicated ones are summed");
  }
  void set_points_and_targets(const PointArrays&, const PointArrays&) override {
    throw Error(OFFGRID_WRONG_STATE, "set_points_and_targets: only a plan of type 3 has targets");
  }

  void set_points(const PointArrays& points) override {
    together(*ranks_, [&] { require_points(points); });
    std::int64_t all = points.count;
    ranks_->sum(&all, 1, OFFGRID_MPI_I64);
    together(*ranks_, [&] { prepare(all); });
    Departure<T> departure;
    together(*ranks_, [&] {
      departure = sort_by_owner<T>(slabs_, static_cast<const T*>(points.axes[last_axis()]), points.count);
    });
    auto arrivals = ranks_->exchange_counts(departure.counts);
    std::array<std::vector<T>, 3> here;
    together(*ranks_, [&] {
      for (int axis = 0; axis < request_.dim; ++axis) here[axis].resize(static_cast<std::size_t>(sum_of(arrivals)));
      std::vector<T> sorted(static_cast<std::size_t>(points.count));
    });
    count_ = -1;
    order_ = std::move(departure.order);
    sent_ = std::move(departure.counts);
    arrived_ = std::move(arrivals);
    for (int axis = 0; axis < request_.dim; ++axis) {
      std::vector<T> sorted = axis == last_axis() ? departure.last : in_order(static_cast<const T*>(points.axes[axis]));
      deliver(sorted.data(), here[axis].data(), Way::forward);
    }
    together(*ranks_, [&] { local_->set_points(sum_of(arrived_), {here[0].data(), here[1].data(), here[2].data()}); });
    count_ = points.count;
  }

  void execute(Way way, void* strengths, void* modes) override {
    together(*ranks_, [&] { require_arrays(strengths, modes); });
    stopwatch_.clear();
    const bool to_modes = (request_.type == 2) == (way == Way::adjoint);
    const int sign = way == Way::forward ? sign_ : -sign_;
    for (std::int64_t vector = 0; vector < transforms_; ++vector) {
      Complex* at_points = static_cast<Complex*>(strengths) + vector * count_;
      Complex* at_modes = static_cast<Complex*>(modes) + vector * local_mode_count();
      to_modes ? run_to_modes(at_points, at_modes, sign) : run_to_points(at_modes, at_points, sign);
    }
  }

  Box local_modes() const override {
    Box box;
    for (int axis = 0; axis < request_.dim; ++axis) box.count[axis] = request_.modes[axis];
    box.first[cut_axis()] = rows_.first(ranks_->rank());
    box.count[cut_axis()] = rows_.count(ranks_->rank());
    return box;
  }
  Box local_vectors() const override {
    Box box;
    box.count[0] = transforms_;
    return box;
  }

  double get(const std::string& name) const override {
    if (const double* seconds = stopwatch_.find(name)) return *seconds;
    if (!local_)
      throw Error(OFFGRID_WRONG_STATE, name + ": the grid is chosen when points are set; call set_points first");
    if (name == "points") return static_cast<double>(sum_of(arrived_));
    if (name == "width") return design_.width;
    if (name == "upsampling") return design_.sigma;
    if (name == "expected_error") return design_.expected_error;
    if (name == "memory_bytes")
      return static_cast<double>(sizeof(Complex) *
                                 (local_->planes().size() + local_->blocks().size() + local_->columns().size()));
    for (int axis = 0; axis < 3; ++axis)
      if (name == text("grid", axis + 1)) return static_cast<double>(design_.grid[axis]);
    throw Error(OFFGRID_INVALID_ARGUMENT, "a plan of slabs has no number named \"" + name + "\"");
  }

  std::string describe() const override {
    std::string all = text("ranks        ", ranks_->size(), ", the grid is cut into slabs along its slowest axis\n",
                           "exchange     by MPI from memory of the host; MPI gets no address of a GPU\n");
    if (!local_) return all + "grid         chosen when points are set\n";
    all += text("grid         ");
    for (int axis = 0; axis < request_.dim; ++axis) all += text(axis > 0 ? " x " : "", design_.grid[axis]);
    all += text(", width ", design_.width, ", upsampling ", design_.sigma, ", expected error ", design_.expected_error,
                "\n");
    return all + text("this rank    ", slabs_.planes.count(ranks_->rank()), " planes and ", slabs_.halo,
                      " of halo on either side, ", sum_of(arrived_), " points, modes ", rows_.first(ranks_->rank()),
                      " to ", rows_.first(ranks_->rank() + 1), " of axis ", cut_axis() + 1, "\n");
  }

 private:
  [[nodiscard]] int last_axis() const { return request_.dim - 1; }
  [[nodiscard]] int cut_axis() const { return request_.dim - 2; }
  [[nodiscard]] static std::int64_t sum_of(const std::vector<std::int64_t>& counts) {
    std::int64_t all = 0;
    for (const std::int64_t count : counts) all += count;
    return all;
  }
  // Modes that come with one row of the cut axis.
  [[nodiscard]] std::int64_t row_length() const { return request_.dim == 3 ? request_.modes[0] : 1; }
  [[nodiscard]] std::int64_t local_mode_count() const {
    return rows_.count(ranks_->rank()) * row_length() * request_.modes[last_axis()];
  }
  [[nodiscard]] std::int64_t plane_length() const {
    return request_.dim == 3 ? design_.grid[0] * design_.grid[1] : design_.grid[0];
  }

  void require_points(const PointArrays& points) const {
    if (points.count < 0)
      throw Error(OFFGRID_INVALID_ARGUMENT, text("count of points is ", points.count, ", expected 0 or more"));
    for (int axis = 0; points.count > 0 && axis < request_.dim; ++axis) {
      if (points.axes[axis] == nullptr) throw Error(OFFGRID_INVALID_ARGUMENT, text("points ", "xyz"[axis], " is null"));
      if (is_on_gpu(points.axes[axis])) refuse_gpu("points");
    }
  }
  [[noreturn]] static void refuse_gpu(const char* what) {
    throw Error(OFFGRID_INVALID_ARGUMENT,
                text(what, ": the array is on a GPU; slabs are worked on by the CPU, expected an array of the host"));
  }
  void require_arrays(const void* strengths, const void* modes) const {
    if (count_ < 0) throw Error(OFFGRID_WRONG_STATE, "execute: the plan has no points yet, call set_points first");
    if (count_ > 0 && strengths == nullptr) throw Error(OFFGRID_INVALID_ARGUMENT, "strengths is null");
    if (local_mode_count() > 0 && modes == nullptr) throw Error(OFFGRID_INVALID_ARGUMENT, "modes is null");
    if (is_on_gpu(strengths)) refuse_gpu("strengths");
    if (is_on_gpu(modes)) refuse_gpu("modes");
  }

  // Chooses the grid for so many points on all ranks, unless it is there already.
  void prepare(std::int64_t points) {
    const SlabDesign fresh = design_slabs(request_, points);
    const bool same =
        local_ && fresh.grid == design_.grid && fresh.width == design_.width && fresh.sigma == design_.sigma;
    if (same) return;
    local_.reset();
    count_ = -1;
    design_ = fresh;
    const bool alone = ranks_->size() == 1;  // the grid then is periodic by itself
    slabs_ = {.planes = {design_.grid[last_axis()], ranks_->size()}, .halo = alone ? 0 : design_.width / 2 + 1};
    const SlabShape shape{.own = slabs_.planes.count(ranks_->rank()),
                          .halo = slabs_.planes.count(ranks_->rank()) > 0 ? slabs_.halo : 0,
                          .rows = rows_.count(ranks_->rank())};
    local_ = make_local_cpu<T>(design_, shape);
    make_halos();
    largest_block_.assign(static_cast<std::size_t>(shape.own * rows_.length * row_length()), Complex{});
  }

  // What this rank's halos stand for, and which of the others' halos stand for its planes.
  void make_halos() {
    mine_ = halo_runs(slabs_.planes, ranks_->rank(), slabs_.halo);
    others_.clear();
    for (int rank = 0; rank < ranks_->size(); ++rank)
      for (HaloRun run : halo_runs(slabs_.planes, rank, slabs_.halo))
        if (run.owner == ranks_->rank()) {
          run.owner = rank;  // from here on: the rank whose halo it is
          others_.push_back(run);
        }
    std::int64_t planes = 0;
    for (const HaloRun& run : others_) planes += run.count;
    halo_buffer_.resize(static_cast<std::size_t>(planes * plane_length()));
  }

  template <class V> [[nodiscard]] std::vector<V> in_order(const V* values) const {
    std::vector<V> sorted(order_.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = values[order_[i]];
    return sorted;
  }

  // Values of points, sorted by owner, to their owners; or back.
  template <class V> void deliver(V* sorted, V* here, Way way) const {
    std::vector<Message> to, from;
    std::int64_t at = 0, at_here = 0;
    for (int rank = 0; rank < ranks_->size(); ++rank) {
      const auto index = static_cast<std::size_t>(rank);
      to.push_back(message(rank, sorted + at, sent_[index]));
      from.push_back(message(rank, here + at_here, arrived_[index]));
      at += sent_[index];
      at_here += arrived_[index];
    }
    way == Way::forward ? ranks_->exchange(to, from) : ranks_->exchange(from, to);
  }

  void run_to_modes(const Complex* strengths, Complex* modes, int sign) {
    std::vector<Complex> here;
    stopwatch_.time("points", [&] {
      std::vector<Complex> sorted;
      together(*ranks_, [&] {
        sorted = in_order(strengths);
        here.resize(static_cast<std::size_t>(sum_of(arrived_)));
      });
      deliver(sorted.data(), here.data(), Way::forward);
    });
    stopwatch_.time("spread", [&] { together(*ranks_, [&] { local_->spread(here.data()); }); });
    stopwatch_.time("halo", [&] { add_halos(); });
    stopwatch_.time("fft", [&] { local_->planes_to_blocks(sign); });
    stopwatch_.time("transpose", [&] { transpose(Way::forward); });
    stopwatch_.time("fft", [&] { local_->columns_to_modes(modes, sign); });
  }

  void run_to_points(const Complex* modes, Complex* strengths, int sign) {
    stopwatch_.time("fft", [&] { local_->modes_to_columns(modes, sign); });
    stopwatch_.time("transpose", [&] { transpose(Way::adjoint); });
    stopwatch_.time("fft", [&] { local_->blocks_to_planes(sign); });
    stopwatch_.time("halo", [&] { fill_halos(); });
    std::vector<Complex> here, sorted;
    stopwatch_.time("spread", [&] {
      together(*ranks_, [&] {
        here.resize(static_cast<std::size_t>(sum_of(arrived_)));
        sorted.resize(order_.size());
        local_->interpolate(here.data());
      });
    });
    stopwatch_.time("points", [&] {
      deliver(sorted.data(), here.data(), Way::adjoint);
      for (std::size_t i = 0; i < order_.size(); ++i) strengths[order_[i]] = sorted[i];
    });
  }

  [[nodiscard]] std::vector<Message> messages_of_halos() {
    std::vector<Message> all;
    for (const HaloRun& run : mine_)
      all.push_back(
          message(run.owner, local_->planes().data() + run.plane * plane_length(), run.count * plane_length()));
    return all;
  }

  void add_halos() {
    std::vector<Message> received;
    Complex* at = halo_buffer_.data();
    for (const HaloRun& run : others_) {
      received.push_back(message(run.owner, at, run.count * plane_length()));
      at += run.count * plane_length();
    }
    ranks_->exchange(messages_of_halos(), received);
    at = halo_buffer_.data();
    for (const HaloRun& run : others_) {
      Complex* plane = own_plane(run.owner_plane);
      for (std::int64_t i = 0; i < run.count * plane_length(); ++i) plane[i] += at[i];
      at += run.count * plane_length();
    }
  }

  void fill_halos() {
    std::vector<Message> sent;
    for (const HaloRun& run : others_)
      sent.push_back(message(run.owner, own_plane(run.owner_plane), run.count * plane_length()));
    ranks_->exchange(sent, messages_of_halos());
  }

  [[nodiscard]] Complex* own_plane(std::int64_t plane) const {
    return local_->planes().data() + (slabs_.halo + plane) * plane_length();
  }

  // Forward: of each plane of blocks, rank r gets its rows. What comes from rank q are rows of this rank in all of q's planes,
  // which follow one another in the columns. The adjoint goes the other way.
  void transpose(Way way) {
    std::vector<Message> packed, columns;
    const int me = ranks_->rank();
    const std::int64_t own = slabs_.planes.count(me), columns_count = rows_.count(me) * row_length();
    Complex* at = largest_block_.data();
    for (int rank = 0; rank < ranks_->size(); ++rank) {
      const std::int64_t length = own * rows_.count(rank) * row_length();
      packed.push_back(message(rank, at, length));
      columns.push_back(message(rank, local_->columns().data() + slabs_.planes.first(rank) * columns_count,
                                slabs_.planes.count(rank) * columns_count));
      at += length;
    }
    if (way == Way::forward) copy_rows(way);
    way == Way::forward ? ranks_->exchange(packed, columns) : ranks_->exchange(columns, packed);
    if (way == Way::adjoint) copy_rows(way);
  }

  // Between the blocks and the same numbers sorted by the rank that has their rows.
  void copy_rows(Way way) {
    Complex* packed = largest_block_.data();
    const std::int64_t own = slabs_.planes.count(ranks_->rank()), stride = rows_.length * row_length();
    for (int rank = 0; rank < ranks_->size(); ++rank) {
      const std::int64_t length = rows_.count(rank) * row_length();
      for (std::int64_t plane = 0; plane < own; ++plane, packed += length) {
        Complex* block = local_->blocks().data() + plane * stride + rows_.first(rank) * row_length();
        if (way == Way::forward)
          std::copy_n(block, length, packed);
        else
          std::copy_n(packed, length, block);
      }
    }
  }

  std::shared_ptr<const Ranks> ranks_;
  Request request_;
  OptionsHandle options_;
  std::int64_t transforms_ = 1;
  Blocks rows_;  // of the axis that modes are cut along
  int sign_ = -1;
  SlabDesign design_;
  Slabs slabs_;
  std::unique_ptr<LocalSteps<T>> local_;
  std::vector<HaloRun> mine_, others_;
  std::vector<Complex> halo_buffer_, largest_block_;
  std::vector<std::int64_t> order_, sent_, arrived_;
  std::int64_t count_ = -1;  // of the caller's points; -1: not set yet
  Stopwatch stopwatch_;
};

}  // namespace

std::unique_ptr<AnyPlan> make_slabs(std::shared_ptr<const Ranks> ranks, const Request& request) {
  std::unique_ptr<AnyPlan> plan;
  const Ranks& all = *ranks;
  together(all, [&] {
    require_possible(request);
    if (request.precision == OFFGRID_F32)
      plan = std::make_unique<SlabPlan<float>>(std::move(ranks), request);
    else
      plan = std::make_unique<SlabPlan<double>>(std::move(ranks), request);
  });
  return plan;
}

}  // namespace offgrid::mpi::inside
