// The functions of finufft.h that work on a plan, in both precisions.
#include "finufft.h"

#include "finufft/cpu_plan.hpp"

using compat::CpuPlan;
using compat::finufft_library;
using compat::guard;
using compat::Refused;

struct finufft_plan_s {
  CpuPlan plan;
};
struct finufftf_plan_s {
  CpuPlan plan;
};

namespace {

void write_defaults(finufft_opts* opts) {
  if (opts != nullptr) *opts = compat::default_finufft_opts();
}

template <class Handle> int make_plan(const compat::Request& request, Handle* plan, const finufft_opts* opts) {
  return guard(finufft_library, "makeplan", [&] {
    if (plan == nullptr) throw Refused{FINUFFT_ERR_INVALID_ARGUMENT, "plan is null, expected a place for the handle"};
    *plan = nullptr;
    *plan = new std::remove_pointer_t<Handle>{CpuPlan(request, opts)};
    return (*plan)->plan.warning();
  });
}

// body(plan), unless the handle is null.
template <class Handle, class F> int with_plan(const char* function, Handle plan, F&& body) {
  return guard(finufft_library, function, [&] {
    if (plan == nullptr) throw Refused{FINUFFT_ERR_PLAN_NOTVALID, "plan is null"};
    return body(plan->plan);
  });
}

template <class Handle> int destroy(Handle plan) {
  constexpr int null_plan = 1;  // the peer's answer, which is none of its named codes
  if (plan == nullptr) return null_plan;
  delete plan;
  return 0;
}

}  // namespace

#define COMPAT_PLAN_FUNCTIONS(P, R)                                                                                    \
  void P##_default_opts(finufft_opts* opts) { write_defaults(opts); }                                                  \
  int P##_makeplan(int type, int dim, const int64_t* n_modes, int iflag, int n_transf, R tol, P##_plan* plan,          \
                   const finufft_opts* opts) {                                                                         \
    return make_plan({.type = type,                                                                                    \
                      .dim = dim,                                                                                      \
                      .modes = n_modes,                                                                                \
                      .iflag = iflag,                                                                                  \
                      .transforms = n_transf,                                                                          \
                      .tolerance = tol,                                                                                \
                      .precision = compat::precision_of<R>},                                                           \
                     plan, opts);                                                                                      \
  }                                                                                                                    \
  int P##_setpts(P##_plan plan, int64_t nj, const R* xj, const R* yj, const R* zj, int64_t nk, const R* s, const R* t, \
                 const R* u) {                                                                                         \
    return with_plan("setpts", plan, [&](CpuPlan& self) {                                                              \
      self.set_points<R>({.count = nj, .axes = {xj, yj, zj}}, {.count = nk, .axes = {s, t, u}});                       \
    });                                                                                                                \
  }                                                                                                                    \
  int P##_execute(P##_plan plan, std::complex<R>* cj, std::complex<R>* fk) {                                           \
    return with_plan("execute", plan, [&](CpuPlan& self) { self.execute(cj, fk); });                                   \
  }                                                                                                                    \
  int P##_execute_adjoint(P##_plan plan, std::complex<R>* cj, std::complex<R>* fk) {                                   \
    return with_plan("execute_adjoint", plan, [&](CpuPlan& self) { self.adjoint(cj, fk); });                           \
  }                                                                                                                    \
  int P##_destroy(P##_plan plan) { return destroy(plan); }

COMPAT_PLAN_FUNCTIONS(finufft, double)
COMPAT_PLAN_FUNCTIONS(finufftf, float)
