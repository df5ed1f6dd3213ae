// The C functions of offgrid.h: each checks its handles and calls one function of core.
#include <string>

#include "api/arguments.hpp"
#include "api/auto_plan.hpp"
#include "api/guard.hpp"
#include "core/solve/gram.hpp"
#include "core/text.hpp"
#include "offgrid/offgrid.h"
#include "registry.hpp"

using namespace offgrid;

namespace {

// A handle that was destroyed, or never was one, has another first word.
constexpr std::uint64_t plan_magic = 0x6f66666772696470;
constexpr std::uint64_t gram_magic = 0x6f6666677267726d;
constexpr std::uint64_t dead = 0;

}  // namespace

struct offgrid_plan_s {
  std::uint64_t magic = plan_magic;
  std::unique_ptr<AnyPlan> plan;
  int dim = 1;
  std::string description{};
};

struct offgrid_gram_s {
  std::uint64_t magic = gram_magic;
  std::unique_ptr<AnyGram> gram;
  std::string description;
};

namespace {

offgrid_plan_s& checked(offgrid_plan plan) {
  if (plan == nullptr) throw Error(Status::invalid_argument, "plan is null");
  if (plan->magic != plan_magic) throw Error(Status::invalid_argument, "plan is not a live plan: destroyed already?");
  return *plan;
}

offgrid_gram_s& checked(offgrid_gram gram) {
  if (gram == nullptr) throw Error(Status::invalid_argument, "gram is null");
  if (gram->magic != gram_magic)
    throw Error(Status::invalid_argument, "gram is not a live operator: destroyed already?");
  return *gram;
}

void require_text(const char* what, const char* value) {
  if (value == nullptr) throw Error(Status::invalid_argument, text(what, " is null, expected a text"));
}

void require_place(const double* value) {
  if (value == nullptr) throw Error(Status::invalid_argument, "value is null, expected a place for the number");
}

// What body returns, or an empty text where it fails.
template <class F> const char* text_or_empty(F&& body) {
  const char* words = "";
  guard([&] { words = body(); });
  return words;
}

RawPoints raw_points(const char* what, int64_t count, const void* const* axes, int dim) {
  if (axes == nullptr && count != 0)
    throw Error(Status::invalid_argument, text(what, " is null, expected ", dim, " arrays"));
  RawPoints points{count, {}};
  if (axes != nullptr) std::copy_n(axes, dim, points.axes.begin());
  return points;
}

Box raw_box(const char* what, const double* low, const double* high, int dim) {
  if (low == nullptr || high == nullptr)
    throw Error(Status::invalid_argument, text(what, " box is null, expected ", dim, " numbers for both ends"));
  Box box;
  std::copy_n(low, dim, box.low.begin());
  std::copy_n(high, dim, box.high.begin());
  return box;
}

Spectrum spectrum_of(offgrid_weights kind) {
  if (kind != OFFGRID_REAL_WEIGHTS && kind != OFFGRID_COMPLEX_WEIGHTS)
    throw Error(Status::invalid_argument, text("kind of weights is ", static_cast<int>(kind), ", expected 0 or 1"));
  return kind == OFFGRID_REAL_WEIGHTS ? Spectrum::real : Spectrum::complex;
}

std::unique_ptr<AnyPlan> make_any_plan(const Problem& problem, offgrid_options options) {
  return make_plan(problem, options_or_defaults(options));
}

}  // namespace

const char* offgrid_version() { return OFFGRID_VERSION; }

const char* offgrid_devices() {
  return text_or_empty([] {
    static const std::string devices = list_devices();
    return devices.c_str();
  });
}

offgrid_status offgrid_release_memory() {
  return guard([] { release_memory(); });
}

const char* offgrid_last_error() { return remembered_error(); }

offgrid_status offgrid_options_create(offgrid_options* options) {
  return guard([&] {
    if (options == nullptr) throw Error(Status::invalid_argument, "options is null, expected a place for the handle");
    *options = nullptr;
    *options = new offgrid_options_s;
  });
}

offgrid_status offgrid_options_set(offgrid_options options, const char* name, double value) {
  return guard([&] {
    require_text("name", name);
    set_option(checked(options), name, value);
  });
}

offgrid_status offgrid_options_set_text(offgrid_options options, const char* name, const char* value) {
  return guard([&] {
    require_text("name", name);
    require_text("value", value);
    set_option(checked(options), name, std::string_view(value));
  });
}

offgrid_status offgrid_options_get(offgrid_options options, const char* name, double* value) {
  return guard([&] {
    require_text("name", name);
    require_place(value);
    *value = get_option(checked(options), name);
  });
}

const char* offgrid_options_help() {
  return text_or_empty([] {
    static const std::string help = options_help();
    return help.c_str();
  });
}

void offgrid_options_destroy(offgrid_options options) {
  if (options == nullptr || options->magic != options_magic) return;
  options->magic = dead;
  delete options;
}

offgrid_status offgrid_plan_create(offgrid_plan* plan, int type, int dim, const int64_t* modes, double tolerance,
                                   offgrid_precision precision, offgrid_options options) {
  return guard([&] {
    if (plan == nullptr) throw Error(Status::invalid_argument, "plan is null, expected a place for the handle");
    *plan = nullptr;
    auto made = make_any_plan(make_problem(type, dim, modes, tolerance, precision), options);
    *plan = new offgrid_plan_s{plan_magic, std::move(made), dim};
  });
}

offgrid_status offgrid_set_points(offgrid_plan plan, int64_t count, const void* x, const void* y, const void* z,
                                  void* stream) {
  return guard([&] { checked(plan).plan->set_points(count, {x, y, z}, stream); });
}

offgrid_status offgrid_set_targets(offgrid_plan plan, int64_t count, const void* x, const void* y, const void* z,
                                   void* stream) {
  return guard([&] { checked(plan).plan->set_targets(count, {x, y, z}, stream); });
}

offgrid_status offgrid_set_points_and_targets(offgrid_plan plan, int64_t count, const void* const* points,
                                              int64_t target_count, const void* const* targets, void* stream) {
  return guard([&] {
    const offgrid_plan_s& self = checked(plan);
    self.plan->set_points_and_targets(raw_points("points", count, points, self.dim),
                                      raw_points("targets", target_count, targets, self.dim), stream);
  });
}

offgrid_status offgrid_set_boxes(offgrid_plan plan, const double* points_low, const double* points_high,
                                 const double* targets_low, const double* targets_high) {
  return guard([&] {
    const offgrid_plan_s& self = checked(plan);
    self.plan->set_boxes(raw_box("points", points_low, points_high, self.dim),
                         raw_box("targets", targets_low, targets_high, self.dim));
  });
}

offgrid_status offgrid_add_points(offgrid_plan plan, const void* strengths, void* stream) {
  return guard([&] { checked(plan).plan->add_sources(strengths, stream); });
}

offgrid_status offgrid_finish(offgrid_plan plan, void* values, void* stream) {
  return guard([&] { checked(plan).plan->finish(values, stream); });
}

offgrid_status offgrid_execute(offgrid_plan plan, void* strengths, void* modes, void* stream) {
  return guard([&] { checked(plan).plan->execute(strengths, modes, stream); });
}

offgrid_status offgrid_execute_adjoint(offgrid_plan plan, void* strengths, void* modes, void* stream) {
  return guard([&] { checked(plan).plan->adjoint(strengths, modes, stream); });
}

offgrid_status offgrid_set_workspace(offgrid_plan plan, void* memory, size_t bytes) {
  return guard([&] { checked(plan).plan->set_workspace(memory, bytes); });
}

offgrid_status offgrid_plan_get(offgrid_plan plan, const char* name, double* value) {
  return guard([&] {
    require_text("name", name);
    require_place(value);
    *value = checked(plan).plan->get(name);
  });
}

offgrid_status offgrid_plan_kernel(offgrid_plan plan, double distance, double* value) {
  return guard([&] {
    require_place(value);
    *value = checked(plan).plan->kernel(distance);
  });
}

offgrid_status offgrid_plan_kernel_transform(offgrid_plan plan, int axis, double k, double* value) {
  return guard([&] {
    require_place(value);
    *value = checked(plan).plan->kernel_transform(axis, k);
  });
}

const char* offgrid_plan_describe(offgrid_plan plan) {
  return text_or_empty([&] {
    offgrid_plan_s& self = checked(plan);
    self.description = self.plan->describe();
    return self.description.c_str();
  });
}

offgrid_status offgrid_plan_destroy(offgrid_plan plan) {
  if (plan == nullptr) return OFFGRID_OK;
  return guard([&] {
    checked(plan).magic = dead;
    delete plan;
  });
}

offgrid_status offgrid_transform(int type, int dim, const int64_t* modes, double tolerance, offgrid_precision precision,
                                 offgrid_options options, int64_t count, const void* const* points, void* strengths,
                                 void* values_of_modes) {
  return guard([&] {
    const Problem problem = make_problem(type, dim, modes, tolerance, precision);
    if (type == 3)
      throw Error(Status::invalid_argument,
                  "type is 3, expected 1 or 2: a type 3 has targets, too, call offgrid_transform3");
    const auto axes = checked_axes(dim, points);
    const auto plan = make_any_plan(problem, options);
    plan->set_points(count, axes, nullptr);
    plan->execute(strengths, values_of_modes, nullptr);
  });
}

offgrid_status offgrid_transform3(int dim, double tolerance, offgrid_precision precision, offgrid_options options,
                                  int64_t count, const void* const* points, int64_t target_count,
                                  const void* const* targets, const void* strengths, void* values) {
  return guard([&] {
    const Problem problem = make_problem(3, dim, nullptr, tolerance, precision);
    const RawPoints from = raw_points("points", count, points, dim);
    const RawPoints to = raw_points("targets", target_count, targets, dim);
    const auto plan = make_any_plan(problem, options);
    plan->set_points_and_targets(from, to, nullptr);
    plan->execute(const_cast<void*>(strengths), values, nullptr);  // which only reads them
  });
}

offgrid_status offgrid_gram_create(offgrid_gram* gram, int dim, const int64_t* modes, double tolerance,
                                   offgrid_precision precision, offgrid_options options, int64_t count,
                                   const void* const* points, const void* weights, offgrid_weights kind, void* stream) {
  return guard([&] {
    if (gram == nullptr) throw Error(Status::invalid_argument, "gram is null, expected a place for the handle");
    *gram = nullptr;
    const Spectrum spectrum = spectrum_of(kind);
    const Problem problem = make_problem(2, dim, modes, tolerance, precision);
    const Options chosen = options_or_defaults(options);
    const Sampling sampling{
        .count = count, .axes = checked_axes(dim, points), .weights = weights, .weight_kind = spectrum};
    const DeviceKind device = device_for(chosen, count > 0 ? sampling.axes[0] : nullptr);
    auto made = make_gram(problem, chosen, backend_for(device), sampling, stream);
    *gram = new offgrid_gram_s{gram_magic, std::move(made), {}};
  });
}

offgrid_status offgrid_gram_create_from_kernel(offgrid_gram* gram, int dim, const int64_t* modes,
                                               offgrid_precision precision, offgrid_options options, const void* kernel,
                                               offgrid_weights kind, void* stream) {
  return guard([&] {
    if (gram == nullptr) throw Error(Status::invalid_argument, "gram is null, expected a place for the handle");
    *gram = nullptr;
    const KernelModes given{kernel, spectrum_of(kind)};
    const Problem problem = make_problem(2, dim, modes, 1e-6, precision);  // nothing here depends on a tolerance
    const Options chosen = options_or_defaults(options);
    auto made = make_gram(problem, chosen, backend_for(device_for(chosen, kernel)), given, stream);
    *gram = new offgrid_gram_s{gram_magic, std::move(made), {}};
  });
}

offgrid_status offgrid_gram_apply(offgrid_gram gram, const void* f, void* h, void* stream) {
  return guard([&] { checked(gram).gram->apply(f, h, stream); });
}

offgrid_status offgrid_gram_get(offgrid_gram gram, const char* name, double* value) {
  return guard([&] {
    require_text("name", name);
    require_place(value);
    *value = checked(gram).gram->get(name);
  });
}

const char* offgrid_gram_describe(offgrid_gram gram) {
  return text_or_empty([&] {
    offgrid_gram_s& self = checked(gram);
    self.description = self.gram->describe();
    return self.description.c_str();
  });
}

offgrid_status offgrid_gram_destroy(offgrid_gram gram) {
  if (gram == nullptr) return OFFGRID_OK;
  return guard([&] {
    checked(gram).magic = dead;
    delete gram;
  });
}
