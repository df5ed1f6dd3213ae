// The C++20 interface of liboffgrid_mpi: nonuniform FFTs on many ranks, over the C functions of mpi.h.
//
//   const offgrid::mpi::World ranks;                     // MPI_COMM_WORLD; initialises MPI where nobody has
//   offgrid::mpi::Plan<double> plan(ranks, {.type = 1, .modes = {64, 64, 64}, .tolerance = 1e-9});
//   plan.set_points({x, y, z});                          // this rank's
//   plan.execute(strengths, modes);                      // modes: the sum over the points of all ranks
#pragma once

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>

#include "offgrid/communicator.hpp"
#include "offgrid/mpi.h"

namespace offgrid::mpi {
inline namespace api {
namespace detail {

inline void check(offgrid_status status) {
  if (status != OFFGRID_OK) throw Error(status, offgrid_mpi_last_error());
}

struct Destroy {
  void operator()(offgrid_mpi_comm comm) const { offgrid_mpi_comm_destroy(comm); }
  void operator()(offgrid_mpi_plan plan) const { offgrid_mpi_plan_destroy(plan); }
};
using PlanHandle = std::unique_ptr<std::remove_pointer_t<offgrid_mpi_plan>, Destroy>;
using CommHandle = std::unique_ptr<std::remove_pointer_t<offgrid_mpi_comm>, Destroy>;

}  // namespace detail

// The ranks of an MPI communicator: by default all that mpirun has started.
class World final : public Communicator {
 public:
  explicit World(const void* address_of_mpi_comm = nullptr) {
    offgrid_mpi_comm raw = nullptr;
    detail::check(offgrid_mpi_comm_create(&raw, address_of_mpi_comm));
    handle_.reset(raw);
  }

  [[nodiscard]] int rank() const override { return offgrid_mpi_comm_rank(handle_.get()); }
  [[nodiscard]] int size() const override { return offgrid_mpi_comm_size(handle_.get()); }
  void agree(offgrid_status status, const std::string& message) const override {
    detail::check(offgrid_mpi_agree(handle_.get(), status, message.c_str()));
  }
  [[noreturn]] void abort() const override {
    offgrid_mpi_abort(handle_.get());
    std::abort();
  }
  [[nodiscard]] offgrid_mpi_comm handle() const noexcept { return handle_.get(); }

 protected:
  void sum_numbers(void* values, std::int64_t count, Number kind) const override {
    detail::check(offgrid_mpi_sum(handle_.get(), values, count, static_cast<offgrid_mpi_number>(kind)));
  }
  void broadcast_bytes(void* data, std::int64_t bytes, int root) const override {
    detail::check(offgrid_mpi_broadcast(handle_.get(), data, bytes, root));
  }
  void gather_bytes(Sent mine, Received all, int root) const override {
    detail::check(offgrid_mpi_gather(handle_.get(), mine.data, mine.bytes, all.data, all.bytes, root));
  }

 private:
  detail::CommHandle handle_;
};

// Whether mpirun, srun or the like has started this process with others. Without them MPI need not be initialised.
inline bool launched() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MPI_LOCALNRANKS"})
    if (std::getenv(variable) != nullptr) return true;
  return false;
}

// All ranks that were started together, or this process alone.
inline std::unique_ptr<Communicator> connect() {
  if (launched()) return std::make_unique<World>();
  return std::make_unique<Alone>();
}

enum class Layout { replicated, slabs };
enum class Result { everywhere, on_root, scattered, nowhere };  // mpi.h says where each leaves the sum

// Indices first[a] .. first[a] + count[a] - 1 along each axis.
struct Part {
  std::array<std::int64_t, 3> first{0, 0, 0}, count{1, 1, 1};
};

// A plan on many ranks. Spans are as those of offgrid::Plan, of this rank's points and of the modes that this rank has. Its
// destructor is collective, too: all ranks destroy their plans in the same order (mpi.h says why).
template <class T> class Plan {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "offgrid works in float and double");

 public:
  using Complex = std::complex<T>;
  using Axes = std::span<const std::span<const T>>;
  using Listed = std::initializer_list<std::span<const T>>;

  Plan(const World& ranks, const Problem& problem, Layout layout = Layout::replicated)
      : type_(problem.type), transforms_(problem.transforms) {
    offgrid::detail::OptionsHandle options;
    ranks.together([&] {
      dim_ = offgrid::detail::dim_of(problem);
      options = offgrid::detail::make_options(problem);
    });
    offgrid_mpi_plan raw = nullptr;
    detail::check(offgrid_mpi_plan_create(&raw, ranks.handle(), static_cast<offgrid_mpi_layout>(layout), problem.type,
                                          dim_, problem.modes.data(), problem.tolerance,
                                          sizeof(T) == 4 ? OFFGRID_F32 : OFFGRID_F64, options.get()));
    handle_.reset(raw);
    const Part part = local_modes();
    mode_count_ = type_ == 3 ? 0 : part.count[0] * part.count[1] * part.count[2];
  }

  void set_result(Result result) {
    detail::check(offgrid_mpi_plan_set_result(handle_.get(), static_cast<offgrid_mpi_result>(result)));
  }

  void set_points(Axes axes) {
    const Raw raw(axes, dim_);
    count_ = unset;  // where a rank is refused its points, the plan has none
    detail::check(offgrid_mpi_set_points(handle_.get(), raw.count, raw.axis[0], raw.axis[1], raw.axis[2]));
    count_ = raw.count;
  }
  void set_points(Listed axes) { set_points(Axes(axes.begin(), axes.size())); }
  void set_points(Listed points, Listed targets) {
    set_points(Axes(points.begin(), points.size()), Axes(targets.begin(), targets.size()));
  }
  void set_points(Axes points, Axes targets) {
    const Raw x(points, dim_), s(targets, dim_);
    count_ = unset;
    detail::check(offgrid_mpi_set_points_and_targets(handle_.get(), x.count, x.axis.data(), s.count, s.axis.data()));
    count_ = x.count;
    mode_count_ = s.count;
  }

  void execute(std::span<const Complex> in, std::span<Complex> out) { run(offgrid_mpi_execute, type_ != 2, in, out); }
  void adjoint(std::span<const Complex> in, std::span<Complex> out) {
    run(offgrid_mpi_execute_adjoint, type_ == 2, in, out);
  }

  [[nodiscard]] Part local_modes() const {
    Part part;
    detail::check(offgrid_mpi_local_modes(handle_.get(), part.first.data(), part.count.data()));
    return part;
  }
  [[nodiscard]] Part local_vectors() const {  // in the first axis
    Part part;
    detail::check(offgrid_mpi_local_vectors(handle_.get(), part.first.data(), part.count.data()));
    return part;
  }
  [[nodiscard]] double get(const char* name) const {
    double value = 0;
    detail::check(offgrid_mpi_plan_get(handle_.get(), name, &value));
    return value;
  }
  [[nodiscard]] std::string describe() const { return offgrid_mpi_plan_describe(handle_.get()); }
  [[nodiscard]] offgrid_mpi_plan handle() const noexcept { return handle_.get(); }

 private:
  struct Raw {
    Raw(Axes axes, int dim) : count(axes.empty() ? 0 : static_cast<std::int64_t>(axes[0].size())) {
      bool fits = axes.size() == static_cast<std::size_t>(dim);
      for (std::size_t i = 0; fits && i < axes.size(); ++i) {
        fits = axes[i].size() == axes[0].size();
        axis[i] = axes[i].data();
      }
      if (!fits) count = -1;  // refused by all ranks together
    }
    std::int64_t count;
    std::array<const void*, 3> axis{};
  };
  using Execute = offgrid_status (*)(offgrid_mpi_plan, void*, void*);
  static constexpr std::int64_t unset = -1;  // no span has this length

  // Spans of another length are refused as missing arrays are: by all ranks together.
  void run(Execute call, bool to_modes, std::span<const Complex> in, std::span<Complex> out) {
    const std::int64_t strengths = transforms_ * count_, modes = transforms_ * mode_count_;
    const bool fits = static_cast<std::int64_t>(in.size()) == (to_modes ? strengths : modes) &&
                      static_cast<std::int64_t>(out.size()) == (to_modes ? modes : strengths);
    auto* source = const_cast<Complex*>(in.data());  // the C call reads this side only
    void* first = fits ? (to_modes ? source : out.data()) : nullptr;
    void* second = fits ? (to_modes ? out.data() : source) : nullptr;
    detail::check(call(handle_.get(), first, second));
    if (!fits) throw Error(OFFGRID_INVALID_ARGUMENT, "a span has another length than the points or modes of this rank");
  }

  detail::PlanHandle handle_;
  int type_, dim_ = 0;
  std::int64_t transforms_, count_ = unset, mode_count_ = 0;
};

namespace detail {

struct Weights {
  const void* data;
  std::size_t size;
  offgrid_weights kind;
};

template <class T>
offgrid::Gram<T> make_gram(const World& ranks, const Problem& problem, std::span<const std::span<const T>> points,
                           const Weights& weights) {
  offgrid::detail::OptionsHandle options;
  ranks.together([&] { options = offgrid::detail::make_options(problem); });
  std::array<const void*, 3> axes{};
  const std::size_t count = points.empty() ? 0 : points[0].size();
  bool fits = points.size() == problem.modes.size() && (weights.size == 0 || weights.size == count);
  for (std::size_t i = 0; fits && i < points.size() && i < axes.size(); ++i) {
    fits = points[i].size() == count;
    axes[i] = points[i].data();
  }
  offgrid_gram raw = nullptr;
  check(offgrid_mpi_gram_create(&raw, ranks.handle(), static_cast<int>(problem.modes.size()), problem.modes.data(),
                                problem.tolerance, sizeof(T) == 4 ? OFFGRID_F32 : OFFGRID_F64, options.get(),
                                fits ? static_cast<std::int64_t>(count) : -1,  // refused by all ranks together
                                axes.data(), weights.size == 0 ? nullptr : weights.data, weights.kind));
  return offgrid::Gram<T>::from_handle(problem, raw);
}

}  // namespace detail

// The Gram operator of the points and weights of all ranks; every rank has the whole of it. One weight per point, or none: then
// they are 1.
//
//   const offgrid::Gram<double> gram = offgrid::mpi::make_gram<double>(ranks, {.modes = {256, 256}}, points, weights);
template <class T>
offgrid::Gram<T> make_gram(const World& ranks, const Problem& problem, std::span<const std::span<const T>> points,
                           std::span<const T> weights = {}) {
  return detail::make_gram<T>(ranks, problem, points, {weights.data(), weights.size(), OFFGRID_REAL_WEIGHTS});
}
template <class T>
offgrid::Gram<T> make_gram(const World& ranks, const Problem& problem, std::span<const std::span<const T>> points,
                           std::span<const std::complex<T>> weights) {
  return detail::make_gram<T>(ranks, problem, points, {weights.data(), weights.size(), OFFGRID_COMPLEX_WEIGHTS});
}

}  // namespace api
}  // namespace offgrid::mpi
