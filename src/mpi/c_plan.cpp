// The C functions of mpi.h that are about plans: each checks its handle and calls one function of AnyPlan.
#include <algorithm>

#include "mpi/alike.hpp"
#include "mpi/c_comm.hpp"
#include "mpi/gpu.hpp"
#include "mpi/gram.hpp"
#include "mpi/plan.hpp"

using namespace offgrid::mpi::inside;

namespace {

constexpr std::uint64_t plan_magic = 0x6f66666772696d70;

}  // namespace

struct offgrid_mpi_plan_s {
  std::uint64_t magic = plan_magic;
  std::unique_ptr<AnyPlan> plan;
  int dim = 1;
  std::string description{};
};

namespace {

offgrid_mpi_plan_s& checked(offgrid_mpi_plan plan) {
  if (plan == nullptr) throw Error(OFFGRID_INVALID_ARGUMENT, "plan is null");
  if (plan->magic != plan_magic) throw Error(OFFGRID_INVALID_ARGUMENT, "plan is not a live plan: destroyed already?");
  return *plan;
}

// What liboffgrid would refuse, too, but only after it was read here.
Request make_request(int type, int dim, const int64_t* modes, double tolerance, offgrid_precision precision,
                     offgrid_options options) {
  if (dim < 1 || dim > 3) throw Error(OFFGRID_INVALID_ARGUMENT, text("dim is ", dim, ", expected 1, 2 or 3"));
  if (type != 3 && modes == nullptr)
    throw Error(OFFGRID_INVALID_ARGUMENT, text("modes is null, expected ", dim, " sizes"));
  if (precision != OFFGRID_F32 && precision != OFFGRID_F64)
    throw Error(OFFGRID_INVALID_ARGUMENT, text("precision is ", static_cast<int>(precision), ", expected 0 or 1"));
  Request request{
      .type = type, .dim = dim, .modes = {}, .tolerance = tolerance, .precision = precision, .options = options};
  if (type != 3) request.modes.assign(modes, modes + dim);
  return request;
}

void require_layout(offgrid_mpi_layout layout) {
  if (layout != OFFGRID_MPI_REPLICATED && layout != OFFGRID_MPI_SLABS)
    throw Error(OFFGRID_INVALID_ARGUMENT, text("layout is ", static_cast<int>(layout), ", expected 0 or 1"));
}

// Null stands for null arrays, which liboffgrid refuses where there are points: later, when all ranks hear of it.
PointArrays arrays_of(int64_t count, const void* const* axes, int dim) {
  PointArrays arrays{.count = count};
  if (axes != nullptr) std::copy_n(axes, dim, arrays.axes.begin());
  return arrays;
}

void copy_box(const Box& box, int axes, int64_t* first, int64_t* count) {
  if (first == nullptr || count == nullptr)
    throw Error(OFFGRID_INVALID_ARGUMENT, text("first or count is null, expected room for ", axes, " numbers"));
  std::copy_n(box.first.begin(), axes, first);
  std::copy_n(box.count.begin(), axes, count);
}

}  // namespace

offgrid_status offgrid_mpi_use_device(offgrid_mpi_comm comm, int* device) {
  return guard([&] {
    if (device == nullptr) throw Error(OFFGRID_INVALID_ARGUMENT, "device is null, expected a place for the number");
    *device = use_device(checked(comm).rank_on_machine());
  });
}

offgrid_status offgrid_mpi_plan_create(offgrid_mpi_plan* plan, offgrid_mpi_comm comm, offgrid_mpi_layout layout,
                                       int type, int dim, const int64_t* modes, double tolerance,
                                       offgrid_precision precision, offgrid_options options) {
  return guard([&] {
    if (plan != nullptr) *plan = nullptr;
    const Ranks& ranks = checked(comm);
    Request request;
    Given given;
    together(ranks, [&] {
      if (plan == nullptr) throw Error(OFFGRID_INVALID_ARGUMENT, "plan is null, expected a place for the handle");
      request = make_request(type, dim, modes, tolerance, precision, options);
      require_layout(layout);
      given = given_of(request, layout);
    });
    require_alike(ranks, given);
    auto made = layout == OFFGRID_MPI_SLABS ? make_slabs(comm->ranks, request) : make_replicated(comm->ranks, request);
    *plan = new offgrid_mpi_plan_s{.plan = std::move(made), .dim = dim};
  });
}

offgrid_status offgrid_mpi_plan_set_result(offgrid_mpi_plan plan, offgrid_mpi_result result) {
  return guard([&] { checked(plan).plan->set_result(result); });
}

offgrid_status offgrid_mpi_set_points(offgrid_mpi_plan plan, int64_t count, const void* x, const void* y,
                                      const void* z) {
  return guard([&] { checked(plan).plan->set_points({.count = count, .axes = {x, y, z}}); });
}

offgrid_status offgrid_mpi_set_points_and_targets(offgrid_mpi_plan plan, int64_t count, const void* const* points,
                                                  int64_t target_count, const void* const* targets) {
  return guard([&] {
    offgrid_mpi_plan_s& self = checked(plan);
    self.plan->set_points_and_targets(arrays_of(count, points, self.dim), arrays_of(target_count, targets, self.dim));
  });
}

offgrid_status offgrid_mpi_execute(offgrid_mpi_plan plan, void* strengths, void* modes) {
  return guard([&] { checked(plan).plan->execute(Way::forward, strengths, modes); });
}

offgrid_status offgrid_mpi_execute_adjoint(offgrid_mpi_plan plan, void* strengths, void* modes) {
  return guard([&] { checked(plan).plan->execute(Way::adjoint, strengths, modes); });
}

offgrid_status offgrid_mpi_local_modes(offgrid_mpi_plan plan, int64_t* first, int64_t* count) {
  return guard([&] { copy_box(checked(plan).plan->local_modes(), plan->dim, first, count); });
}

offgrid_status offgrid_mpi_local_vectors(offgrid_mpi_plan plan, int64_t* first, int64_t* count) {
  return guard([&] { copy_box(checked(plan).plan->local_vectors(), 1, first, count); });
}

offgrid_status offgrid_mpi_plan_get(offgrid_mpi_plan plan, const char* name, double* value) {
  return guard([&] {
    if (name == nullptr || value == nullptr) throw Error(OFFGRID_INVALID_ARGUMENT, "name or value is null");
    *value = checked(plan).plan->get(name);
  });
}

const char* offgrid_mpi_plan_describe(offgrid_mpi_plan plan) {
  const char* words = "";
  guard([&] {
    offgrid_mpi_plan_s& self = checked(plan);
    self.description = self.plan->describe();
    words = self.description.c_str();
  });
  return words;
}

offgrid_status offgrid_mpi_plan_destroy(offgrid_mpi_plan plan) {
  if (plan == nullptr) return OFFGRID_OK;
  return guard([&] {
    checked(plan).magic = 0;
    delete plan;
  });
}

offgrid_status offgrid_mpi_gram_create(offgrid_gram* gram, offgrid_mpi_comm comm, int dim, const int64_t* modes,
                                       double tolerance, offgrid_precision precision, offgrid_options options,
                                       int64_t count, const void* const* points, const void* weights,
                                       offgrid_weights kind) {
  return guard([&] {
    if (gram != nullptr) *gram = nullptr;
    const Ranks& ranks = checked(comm);
    Request request;
    Given given;
    PointArrays arrays;
    together(ranks, [&] {
      if (gram == nullptr) throw Error(OFFGRID_INVALID_ARGUMENT, "gram is null, expected a place for the handle");
      request = make_request(2, dim, modes, tolerance, precision, options);
      arrays = arrays_of(count, points, dim);
      given = given_of(request, OFFGRID_MPI_REPLICATED);
    });
    require_alike(ranks, given);
    *gram = make_gram(ranks, request, arrays, {.values = weights, .kind = kind});
  });
}
