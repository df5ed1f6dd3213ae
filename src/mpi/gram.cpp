#include "mpi/gram.hpp"

#include <algorithm>
#include <array>
#include <complex>

#include "core/solve/gram_design.hpp"
#include "mpi/alike.hpp"
#include "mpi/gpu.hpp"
#include "mpi/handles.hpp"

namespace offgrid::mpi::inside {
namespace {

template <class T> using Vector = std::vector<std::complex<T>>;

template <class T> Vector<T> complex_weights(const Weights& weights, std::int64_t count) {
  if (weights.values == nullptr) return Vector<T>(static_cast<std::size_t>(count), 1);
  if (weights.kind == OFFGRID_REAL_WEIGHTS) {
    const auto* real = static_cast<const T*>(weights.values);
    return {real, real + count};
  }
  const auto* complex = static_cast<const std::complex<T>*>(weights.values);
  return {complex, complex + count};
}

void require_host(const PointArrays& points, const Weights& weights) {
  if (is_on_gpu(points.axes[0]) || is_on_gpu(weights.values))
    throw Error(OFFGRID_INVALID_ARGUMENT,
                "points and weights are on a GPU; the kernel of many ranks takes arrays of the host");
  if (weights.kind != OFFGRID_REAL_WEIGHTS && weights.kind != OFFGRID_COMPLEX_WEIGHTS)
    throw Error(OFFGRID_INVALID_ARGUMENT,
                text("kind of weights is ", static_cast<int>(weights.kind), ", expected 0 or 1"));
  if (points.count < 0) throw Error(OFFGRID_INVALID_ARGUMENT, text("count is ", points.count, ", expected 0 or more"));
}

// That of all weights. A rank without weights has ones, and goes with the others.
offgrid_weights agreed_kind(const Ranks& ranks, const Weights& weights) {
  static constexpr std::array words{"real", "complex"};
  const auto kinds = number_of_each(ranks, weights.values == nullptr ? -1 : weights.kind);
  const auto is_given = [](std::int64_t kind) { return kind >= 0; };
  const auto first = std::find_if(kinds.begin(), kinds.end(), is_given);
  if (first == kinds.end()) return OFFGRID_REAL_WEIGHTS;
  for (auto kind = first; kind != kinds.end(); ++kind)
    if (is_given(*kind) && *kind != *first)
      throw Error(OFFGRID_INVALID_ARGUMENT,
                  text("weights are ", words[*first], " on rank ", first - kinds.begin(), ", and ", words[*kind],
                       " on rank ", kind - kinds.begin(), "; expected one kind on all ranks"));
  return static_cast<offgrid_weights>(*first);
}

// With `strict`, the caller's tolerance and not the part of it that the transform has. As in core/solve/gram.cpp the points
// matter; a rank that has none adds no error.
void require_reachable(const Request& request, offgrid_plan plan) {
  double expected = 0, reachable = 0;
  check(offgrid_plan_get(plan, "expected_error", &expected));
  check(offgrid_plan_get(plan, "reachable_tolerance", &reachable));
  if (option(request.options, "strict") != 0 && std::max(expected, reachable) > gram_share * request.tolerance)
    throw Error(OFFGRID_INVALID_ARGUMENT, text("tolerance is ", request.tolerance, ", but only ",
                                               reachable / gram_share, " can be reached here (strict is on)"));
}

// The kernel of this rank's points. Of the options those are heeded that a transform of type 1 on the CPU has, as
// core/solve/gram.cpp does; the kernel has one vector, in centred order, and a grid for its own points.
template <class T> Vector<T> local_kernel(Request request, const PointArrays& points, const Weights& weights) {
  for (std::int64_t& n : request.modes) n = std::max<std::int64_t>(0, 2 * n - 1);
  const auto options =
      copy_options(request.options, std::array{"deterministic", "upsampling", "width", "window", "threads"});
  const double sign = option(request.options, "sign");
  check(offgrid_options_set(options.get(), "sign", sign == 0 ? -1 : -sign));
  Vector<T> kernel(static_cast<std::size_t>(request.mode_count()));
  Vector<T> strengths = complex_weights<T>(weights, points.count);
  offgrid_plan raw = nullptr;
  check(offgrid_plan_create(&raw, 1, request.dim, request.modes.data(), gram_share * request.tolerance,
                            request.precision, options.get()));
  const PlanHandle plan(raw);
  check(offgrid_set_points(raw, points.count, points.axes[0], points.axes[1], points.axes[2], nullptr));
  if (points.count > 0 && !kernel.empty()) require_reachable(request, raw);
  check(offgrid_execute(raw, strengths.data(), kernel.data(), nullptr));
  return kernel;
}

template <class T>
offgrid_gram make(const Ranks& ranks, const Request& request, const PointArrays& points, const Weights& weights) {
  together(ranks, [&] { require_host(points, weights); });
  const offgrid_weights kind = agreed_kind(ranks, weights);
  Vector<T> kernel;
  together(ranks, [&] { kernel = local_kernel<T>(request, points, weights); });
  ranks.sum(kernel.data(), 2 * static_cast<std::int64_t>(kernel.size()),
            sizeof(T) == 4 ? OFFGRID_MPI_F32 : OFFGRID_MPI_F64);
  offgrid_gram gram = nullptr;
  try {
    together(ranks, [&] {
      check(offgrid_gram_create_from_kernel(&gram, request.dim, request.modes.data(), request.precision,
                                            request.options, kernel.data(), kind, nullptr));
    });
  } catch (...) {
    offgrid_gram_destroy(gram);
    throw;
  }
  return gram;
}

}  // namespace

offgrid_gram make_gram(const Ranks& ranks, const Request& request, const PointArrays& points, const Weights& weights) {
  return request.precision == OFFGRID_F32 ? make<float>(ranks, request, points, weights)
                                          : make<double>(ranks, request, points, weights);
}

}  // namespace offgrid::mpi::inside
