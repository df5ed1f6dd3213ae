#include "finufft/cpu_plan.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "finufft.h"

extern const int FINUFFT_FFT_DEFAULT = -1;  // FINUFFT's value for an FFT that is not FFTW

namespace compat {
namespace {

constexpr double most_modes = 1e12;    // of the peer
constexpr double most_threads = 4096;  // of offgrid
constexpr int warns_by_code = 2;       // of allow_eps_too_small

void require_modes(const Request& request) {
  if (request.type == 3) return;
  if (request.modes == nullptr) throw Refused{FINUFFT_ERR_INVALID_ARGUMENT, "n_modes is null"};
  double all = 1;
  for (int axis = 0; axis < request.dim; ++axis) {
    const std::int64_t modes = request.modes[axis];
    if (modes < 0)
      throw Refused{FINUFFT_ERR_NDATA_NOTVALID, "n_modes is " + std::to_string(modes) + ", expected 0 or more"};
    all *= static_cast<double>(std::max<std::int64_t>(modes, 1));
  }
  if (all > most_modes) throw Refused{FINUFFT_ERR_MAXNALLOC, "over 1e12 modes"};
}

void require_lock_functions(const finufft_opts& opts) {
  if ((opts.fftw_lock_fun == nullptr) != (opts.fftw_unlock_fun == nullptr))
    throw Refused{FINUFFT_ERR_LOCK_FUNS_INVALID, "fftw_lock_fun and fftw_unlock_fun: expected both or none"};
}

void require_spread_thread(int choice) {
  if (choice < 0 || choice > 2)
    throw Refused{FINUFFT_ERR_SPREAD_THREAD_NOTVALID,
                  "spread_thread is " + std::to_string(choice) + ", expected 0, 1 or 2"};
}

void require_formula(int formula) {
  if (formula != 0 && formula != 7 && formula != 8)
    throw Refused{FINUFFT_ERR_KERFORMULA_NOTVALID,
                  "spread_kerformula is " + std::to_string(formula) + ", expected 0, 7 or 8"};
}

void require_tolerance(const Request& request, const finufft_opts& opts) {
  if (request.tolerance >= precision_floor(request.precision) || opts.allow_eps_too_small) return;
  const char* floor = request.precision == OFFGRID_F32 ? "1.2e-7" : "2.2e-16";
  throw Refused{FINUFFT_ERR_EPS_TOO_SMALL, std::string("the tolerance is below the precision of the numbers, ") +
                                               floor + ", and allow_eps_too_small is 0"};
}

// Whether FINUFFT 2.5 returns the code of a tolerance out of its reach: below the precision, or where the kernel for a given
// upsampling would have to be wider than its widest. For an upsampling that it chooses itself it does not look at the width.
bool is_out_of_finuffts_reach(const Request& request, double upsampling) {
  constexpr double widest = 16, pi = 3.141592653589793;
  if (request.tolerance < precision_floor(request.precision)) return true;
  if (upsampling == 0) return false;
  const int factors = request.dim - 1 + (request.type == 3 ? 1 : 0);
  const double decay = std::log(0.18 * std::pow(1.4, factors) / request.tolerance);
  return std::ceil(decay / (pi * std::sqrt(1 - 1 / upsampling)) + 1) > widest;
}

void warn_of_deprecated(const finufft_opts& opts) {
  if (!opts.showwarn) return;
  if (opts.spread_thread != 0) warn(finufft_library, "spread_thread is deprecated and has no effect");
  if (opts.spread_kerevalmeth != 1) warn(finufft_library, "spread_kerevalmeth is deprecated and has no effect");
  if (opts.spread_kerpad != 1) warn(finufft_library, "spread_kerpad is deprecated and has no effect");
}

// In the order of the peer, so that of several faults the same one is reported.
void check_request(const Request& request, const finufft_opts& opts) {
  if (!opts.spreadinterponly) require_lock_functions(opts);
  require_type(request.type);
  require_dim(request.dim);
  require_transforms(request.transforms);
  require_spread_thread(opts.spread_thread);
  warn_of_deprecated(opts);
  require_upsampling(opts.upsampfac, FINUFFT_ERR_UPSAMPFAC_TOO_SMALL);
  require_formula(opts.spread_kerformula);
  require_tolerance(request, opts);
  require_modes(request);
}

Plan make_plan(const Request& request, const finufft_opts& opts) {
  check_request(request, opts);
  Options options(finufft_library);
  constexpr double cpu = 1;  // of offgrid's option "device"
  options.set("device", cpu);
  options.set_unless_0("threads", std::clamp<double>(opts.nthreads, 0, most_threads));
  const CommonOptions common{.modeord = opts.modeord == 1 ? 1 : 0,  // FINUFFT takes any other number for 0
                             .spreadinterponly = opts.spreadinterponly,
                             .debug = opts.debug,
                             .showwarn = opts.showwarn,
                             .upsampfac = opts.upsampfac,
                             .maxbatchsize = opts.maxbatchsize};
  return {finufft_library, request, common, std::move(options)};
}

int warning_of_tolerance(const Request& request, const finufft_opts& opts) {
  if (opts.allow_eps_too_small != warns_by_code || !is_out_of_finuffts_reach(request, opts.upsampfac)) return 0;
  return FINUFFT_WARN_EPS_TOO_SMALL;
}

void require_arrays(const char* what, const Coordinates& coordinates, int dim) {
  for (int axis = 0; axis < dim && coordinates.count > 0; ++axis)
    if (coordinates.axes[axis] == nullptr)
      throw Refused{FINUFFT_ERR_INVALID_ARGUMENT, std::string(what) + ": an array is null"};
}

template <class R> std::vector<R> half_a_turn_on(const void* axis, std::int64_t count) {
  const R* x = static_cast<const R*>(axis);
  std::vector<R> turned(static_cast<std::size_t>(count));
  std::transform(x, x + count, turned.begin(), [](R at) { return compat::half_a_turn_on(at); });
  return turned;
}

}  // namespace

finufft_opts default_finufft_opts() {
  return {.modeord = 0,
          .spreadinterponly = 0,
          .debug = 0,
          .spread_debug = 0,
          .showwarn = 1,
          .nthreads = 0,
          .fftw = FINUFFT_FFT_DEFAULT,
          .spread_sort = 2,
          .spread_kerevalmeth = 1,
          .spread_kerpad = 1,
          .upsampfac = 0,
          .spread_thread = 0,
          .maxbatchsize = 0,
          .spread_nthr_atomic = -1,
          .spread_max_sp_size = 0,
          .spread_kerformula = 0,
          .allow_eps_too_small = 0,
          .fftw_lock_fun = nullptr,
          .fftw_unlock_fun = nullptr,
          .fftw_lock_data = nullptr};
}

CpuPlan::CpuPlan(const Request& request, const finufft_opts* opts)
    : CpuPlan(request, opts != nullptr ? *opts : default_finufft_opts()) {}

CpuPlan::CpuPlan(const Request& request, const finufft_opts& opts)
    : plan_(make_plan(request, opts)), warning_(warning_of_tolerance(request, opts)) {}

template <class R> void CpuPlan::set_points(const Coordinates& points, const Coordinates& targets) {
  require_count("points", points.count);
  if (plan_.type() == 3) require_count("targets", targets.count);
  require_arrays("points", points, plan_.dim());
  if (plan_.type() == 3) require_arrays("targets", targets, plan_.dim());
  if (!plan_.spreads_only()) return plan_.set_points(points, targets, nullptr);

  std::array<std::vector<R>, max_dim> turned;
  Coordinates ours{.count = points.count, .axes = {}};
  for (int axis = 0; axis < plan_.dim(); ++axis) {
    turned[axis] = half_a_turn_on<R>(points.axes[axis], points.count);
    ours.axes[axis] = turned[axis].data();
  }
  plan_.set_points(ours, targets, nullptr);
}

template void CpuPlan::set_points<float>(const Coordinates&, const Coordinates&);
template void CpuPlan::set_points<double>(const Coordinates&, const Coordinates&);

}  // namespace compat
