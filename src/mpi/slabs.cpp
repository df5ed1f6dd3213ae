// A grid cut into slabs along its slowest axis, one per rank, for types 1 and 2 in 2D and 3D.
//   to modes    strengths to the owners of their points -> spread -> halos to their owners, who add them -> FFT and crop of the
//               local axes -> blocks become columns, all to all -> FFT and crop of the last axis
//   to points   the same steps backwards
// Only cropped data goes from all to all: sigma N^d numbers in place of (sigma N)^d. local.hpp has what a rank does alone.
#include <algorithm>
#include <optional>
#include <utility>

#include "mpi/alike.hpp"
#include "mpi/gpu.hpp"
#include "mpi/handles.hpp"
#include "mpi/slab_exchange.hpp"

namespace offgrid::mpi::inside {
namespace {

enum class Device { automatic, cpu, cuda };  // the values of the option "device"

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
  if (static_cast<Device>(option(request.options, "device")) == Device::cuda && !has_gpu())
    throw Error(OFFGRID_INVALID_ARGUMENT, "slabs: device = cuda, but there is no GPU, or the build has no CUDA");
}

template <class T> class SlabPlan final : public AnyPlan {
 public:
  using Complex = std::complex<T>;

  SlabPlan(std::shared_ptr<const Ranks> ranks, const Request& request)
      : ranks_(std::move(ranks)),
        request_(request),
        options_(copy_options(request.options, std::array{"sign", "transforms", "mode_order", "strict", "deterministic",
                                                          "upsampling", "width", "window", "threads"})),
        transforms_(static_cast<std::int64_t>(option(request.options, "transforms"))),
        rows_{request.modes[static_cast<std::size_t>(request.dim) - 2], ranks_->size()},
        device_(static_cast<Device>(option(request.options, "device"))),
        link_(ranks_) {
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
    count_ = unset;
    together(*ranks_, [&] { require_points(points); });
    const Gathering all = gathering(points);
    together(*ranks_, [&] { require_place_of_points(points, all.place); });
    link_.choose(all.place == Place::gpu);
    together(*ranks_, [&] { prepare(all); });
    Departure<T> departure;
    together(*ranks_, [&] {
      departure = mover_->sort_by_owner(shape_.slabs, static_cast<const T*>(points.axes[last_axis()]), points.count);
    });
    auto arrivals = ranks_->exchange_counts(departure.counts);
    std::array<Buffer<T>, 3> here;
    Buffer<T> sorted;
    together(*ranks_, [&] {
      for (int axis = 0; axis < request_.dim; ++axis) here[axis] = buffer<T>(sum_of(arrivals));
      sorted = buffer<T>(points.count);
    });
    order_ = std::move(departure.order);
    sent_ = std::move(departure.counts);
    arrived_ = std::move(arrivals);
    for (int axis = 0; axis < request_.dim; ++axis) {
      const bool last = axis == last_axis();
      together(*ranks_, [&] {
        if (!last) mover_->gather(order_, static_cast<const T*>(points.axes[axis]), sorted.data());
      });
      deliver(last ? departure.last.data() : sorted.data(), here[axis].data(), Way::forward);
    }
    together(*ranks_, [&] {
      local_->set_points(sum_of(arrived_), {here[0].data(), here[1].data(), here[2].data()});
      strengths_here_ = buffer<Complex>(sum_of(arrived_));
      strengths_sorted_ = buffer<Complex>(points.count);
    });
    count_ = points.count;
  }

  void execute(Way way, void* strengths, void* modes) override {
    require_set(count_);
    together(*ranks_, [&] { require_arrays(strengths, modes); });
    const OnGpu guard(gpu_);
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
    if (name == "memory_bytes") return static_cast<double>(memory_bytes());
    for (int axis = 0; axis < 3; ++axis)
      if (name == text("grid", axis + 1)) return static_cast<double>(design_.grid[axis]);
    throw Error(OFFGRID_INVALID_ARGUMENT, "a plan of slabs has no number named \"" + name + "\"");
  }

  std::string describe() const override {
    std::string all = text("ranks        ", ranks_->size(), ", the grid is cut into slabs along its slowest axis\n",
                           "exchange     ", link_.describe(), "\n");
    if (!local_) return all + "grid         chosen when points are set\n";
    all += text("grid         ");
    for (int axis = 0; axis < request_.dim; ++axis) all += text(axis > 0 ? " x " : "", design_.grid[axis]);
    all += text(", width ", design_.width, ", upsampling ", design_.sigma, ", expected error ", design_.expected_error,
                "\n");
    return all + text("this rank    on ", gpu_ < 0 ? "the CPU" : text("GPU ", gpu_), ", ", shape_.own(), " planes and ",
                      shape_.halo(), " of halo on either side, ", sum_of(arrived_), " points, modes ",
                      rows_.first(ranks_->rank()), " to ", rows_.first(ranks_->rank() + 1), " of axis ", cut_axis() + 1,
                      "\n");
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
  [[nodiscard]] std::int64_t memory_bytes() const {
    return local_->memory_bytes() + exchange_->memory_bytes() + order_.bytes() + strengths_sorted_.bytes() +
           strengths_here_.bytes();
  }
  template <class V> [[nodiscard]] Buffer<V> buffer(std::int64_t size) const { return {mover_->memory(), size}; }
  [[nodiscard]] Place place() const { return gpu_ < 0 ? Place::host : Place::gpu; }

  void require_points(const PointArrays& points) const {
    if (points.count < 0)
      throw Error(OFFGRID_INVALID_ARGUMENT, text("count of points is ", points.count, ", expected 0 or more"));
    for (int axis = 0; points.count > 0 && axis < request_.dim; ++axis)
      if (points.axes[axis] == nullptr) throw Error(OFFGRID_INVALID_ARGUMENT, text("points ", "xyz"[axis], " is null"));
  }
  void require_place_of_points(const PointArrays& points, Place place) const {
    for (int axis = 0; points.count > 0 && axis < request_.dim; ++axis)
      require_place(place, text("points ", "xyz"[axis]).c_str(), points.axes[axis]);
  }
  void require_arrays(const void* strengths, const void* modes) const {
    if (count_ > 0 && strengths == nullptr) throw Error(OFFGRID_INVALID_ARGUMENT, "strengths is null");
    if (local_mode_count() > 0 && modes == nullptr) throw Error(OFFGRID_INVALID_ARGUMENT, "modes is null");
    const OnGpu guard(gpu_);
    if (count_ > 0) require_place(place(), "strengths", strengths);
    if (local_mode_count() > 0) require_place(place(), "modes", modes);
  }

  // The points of all ranks, and where all ranks work: as the option says, or else where the points are. A rank without points
  // goes with the others.
  struct Gathering {
    std::int64_t points;
    Place place;
    int vector_bytes;
  };
  [[nodiscard]] Gathering gathering(const PointArrays& points) const {
    const bool on_gpu = is_on_gpu(points.axes[0]), has_any = points.count > 0;
    std::array<std::int64_t, 3> sums{points.count, has_any && on_gpu ? 1 : 0, has_any && !on_gpu ? 1 : 0};
    ranks_->sum(sums.data(), 3, OFFGRID_MPI_I64);
    const std::int64_t all = sums[0], gpus = sums[1], hosts = sums[2];
    const auto vectors = number_of_each(*ranks_, vector_bytes_here());
    const auto shortest = static_cast<int>(*std::min_element(vectors.begin(), vectors.end()));
    if (device_ != Device::automatic) return {all, device_ == Device::cuda ? Place::gpu : Place::host, shortest};
    if (gpus > 0 && hosts > 0)
      throw Error(OFFGRID_INVALID_ARGUMENT, text("points: ", gpus, " ranks have them on a GPU and ", hosts,
                                                 " on the host, expected one of the two on all ranks"));
    return {all, gpus > 0 ? Place::gpu : Place::host, shortest};
  }

  // Chooses the grid for so many points on all ranks, and where to work. What is there already stays if it is the same.
  void prepare(const Gathering& all) {
    const SlabDesign fresh = design_slabs(request_, all.points, all.vector_bytes);
    const int gpu = all.place == Place::gpu ? current_gpu() : -1;
    const bool same = local_ && fresh.grid == design_.grid && fresh.width == design_.width &&
                      fresh.sigma == design_.sigma && gpu == gpu_;
    if (same) return;
    local_.reset();
    exchange_.reset();
    design_ = fresh;
    gpu_ = gpu;
    const bool alone = ranks_->size() == 1;  // the grid then is periodic by itself
    shape_ = {
        .slabs = {.planes = {design_.grid[last_axis()], ranks_->size()}, .halo = alone ? 0 : design_.width / 2 + 1},
        .rows = rows_,
        .rank = ranks_->rank()};
    mover_ = gpu < 0 ? make_mover_cpu<T>() : make_mover_cuda<T>();
    exchange_.emplace(design_, shape_, mover_->memory());
    local_ = gpu < 0 ? make_local_cpu<T>(design_, shape_) : make_local_cuda<T>(design_, shape_);
  }

  // Values of points, sorted by owner, to their owners; or back.
  template <class V> void deliver(V* sorted, V* here, Way way) const {
    Messages to, from;
    for (int rank = 0; rank < ranks_->size(); ++rank) {
      const auto index = static_cast<std::size_t>(rank);
      to.push_back(message(rank, sorted, sent_[index]));
      from.push_back(message(rank, here, arrived_[index]));
      sorted += sent_[index];
      here += arrived_[index];
    }
    way == Way::forward ? (*link_).exchange(to, from) : (*link_).exchange(from, to);
  }

  // Work of this rank, timed; where it fails on one rank, it fails on all.
  template <class F> void step(const char* name, F&& body) {
    stopwatch_.time(name, [&] { together(*ranks_, body); });
  }

  void run_to_modes(const Complex* strengths, Complex* modes, int sign) {
    step("points", [&] { mover_->gather(order_, strengths, strengths_sorted_.data()); });
    stopwatch_.time("points", [&] { deliver(strengths_sorted_.data(), strengths_here_.data(), Way::forward); });
    step("spread", [&] { local_->spread(strengths_here_.data()); });
    stopwatch_.time("halo", [&] { exchange_->send_halos(*link_, *local_); });
    step("halo", [&] { exchange_->add_halos(*mover_, *local_); });
    step("fft", [&] { local_->planes_to_blocks(sign); });
    step("transpose", [&] { local_->pack(); });
    stopwatch_.time("transpose", [&] { exchange_->transpose(*link_, *local_, Way::forward); });
    step("fft", [&] { local_->columns_to_modes(modes, sign); });
  }

  void run_to_points(const Complex* modes, Complex* strengths, int sign) {
    step("fft", [&] { local_->modes_to_columns(modes, sign); });
    stopwatch_.time("transpose", [&] { exchange_->transpose(*link_, *local_, Way::adjoint); });
    step("transpose", [&] { local_->unpack(); });
    step("fft", [&] { local_->blocks_to_planes(sign); });
    stopwatch_.time("halo", [&] { exchange_->fill_halos(*link_, *local_); });
    step("spread", [&] { local_->interpolate(strengths_here_.data()); });
    stopwatch_.time("points", [&] { deliver(strengths_sorted_.data(), strengths_here_.data(), Way::adjoint); });
    step("points", [&] { mover_->scatter(order_, strengths_sorted_.data(), strengths); });
  }

  std::shared_ptr<const Ranks> ranks_;
  Request request_;
  OptionsHandle options_;
  std::int64_t transforms_ = 1;
  Blocks rows_;  // of the axis that modes are cut along
  int sign_ = -1;
  Device device_;
  ChosenLink link_;
  int gpu_ = -1;  // that this rank works on; -1: the CPU
  SlabDesign design_;
  SlabShape shape_;
  std::unique_ptr<Mover<T>> mover_;
  std::unique_ptr<LocalSteps<T>> local_;
  std::optional<SlabExchange<T>> exchange_;
  Order order_;
  std::vector<std::int64_t> sent_, arrived_;
  Buffer<Complex> strengths_sorted_, strengths_here_;
  std::int64_t count_ = unset;  // of the caller's points
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
