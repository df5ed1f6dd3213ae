// The functions of cufinufft.h that work on a plan, in both precisions.
#include "cufinufft.h"

#include "cufinufft/gpu_plan.hpp"

using compat::cufinufft_library;
using compat::GpuPlan;
using compat::guard;
using compat::Refused;

struct cufinufft_plan_s {
  GpuPlan plan;
};
struct cufinufft_fplan_s {
  GpuPlan plan;
};

namespace {

template <class Handle> int make_plan(const compat::Request& request, Handle* plan, const cufinufft_opts* opts) {
  return guard(cufinufft_library, "makeplan", [&] {
    if (plan == nullptr) throw Refused{FINUFFT_ERR_INVALID_ARGUMENT, "plan is null, expected a place for the handle"};
    *plan = nullptr;
    *plan = new std::remove_pointer_t<Handle>{GpuPlan(request, opts)};
  });
}

// body(plan), unless the handle is null.
template <class Handle, class F> int with_plan(const char* function, Handle plan, F&& body) {
  return guard(cufinufft_library, function, [&] {
    if (plan == nullptr) throw Refused{FINUFFT_ERR_PLAN_NOTVALID, "plan is null"};
    body(plan->plan);
  });
}

template <class Handle> int destroy(Handle plan) {
  return guard(cufinufft_library, "destroy", [&] {
    if (plan == nullptr) throw Refused{FINUFFT_ERR_PLAN_NOTVALID, "plan is null"};
    delete plan;
  });
}

}  // namespace

void cufinufft_default_opts(cufinufft_opts* opts) {
  if (opts != nullptr) *opts = compat::default_cufinufft_opts();
}

#define COMPAT_PLAN_FUNCTIONS(P, R, C)                                                                             \
  int P##_makeplan(int type, int dim, const int64_t* n_modes, int iflag, int n_transf, R tol, P##_plan* plan,      \
                   const cufinufft_opts* opts) {                                                                   \
    return make_plan({.type = type,                                                                                \
                      .dim = dim,                                                                                  \
                      .modes = n_modes,                                                                            \
                      .iflag = iflag,                                                                              \
                      .transforms = n_transf,                                                                      \
                      .tolerance = tol,                                                                            \
                      .precision = compat::precision_of<R>},                                                       \
                     plan, opts);                                                                                  \
  }                                                                                                                \
  int P##_setpts(P##_plan plan, int64_t nj, const R* xj, const R* yj, const R* zj, int nk, const R* s, const R* t, \
                 const R* u) {                                                                                     \
    return with_plan("setpts", plan, [&](GpuPlan& self) {                                                          \
      self.set_points({.count = nj, .axes = {xj, yj, zj}}, {.count = nk, .axes = {s, t, u}});                      \
    });                                                                                                            \
  }                                                                                                                \
  int P##_execute(P##_plan plan, C* cj, C* fk) {                                                                   \
    return with_plan("execute", plan, [&](GpuPlan& self) { self.execute(cj, fk); });                               \
  }                                                                                                                \
  int P##_destroy(P##_plan plan) { return destroy(plan); }

COMPAT_PLAN_FUNCTIONS(cufinufft, double, cuDoubleComplex)
COMPAT_PLAN_FUNCTIONS(cufinufftf, float, cuFloatComplex)
