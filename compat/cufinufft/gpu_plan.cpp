#include "cufinufft/gpu_plan.hpp"

#include <cmath>
#include <limits>

#include "cufinufft/gpu.hpp"

namespace compat {
namespace {

constexpr double most_int = std::numeric_limits<std::int32_t>::max();
constexpr int method_sm = 2;
constexpr int method_block_gather = 4;

void require_modes(const Request& request) {
  if (request.type == 3) return;
  if (request.modes == nullptr) throw Refused{FINUFFT_ERR_INVALID_ARGUMENT, "n_modes is null"};
  double all = 1;
  for (int axis = 0; axis < request.dim; ++axis) {
    const std::int64_t modes = request.modes[axis];
    if (modes <= 0)
      throw Refused{FINUFFT_ERR_NDATA_NOTVALID, "n_modes is " + std::to_string(modes) + ", expected at least 1"};
    all *= static_cast<double>(modes);
  }
  if (all > most_int) throw Refused{FINUFFT_ERR_NDATA_NOTVALID, "over 2^31 - 1 modes"};
}

void require_method(int method, int dim) {
  if (method < 0 || method > method_block_gather)
    throw Refused{FINUFFT_ERR_METHOD_NOTVALID, "gpu_method is " + std::to_string(method) + ", expected 0 to 4"};
  if (method == method_block_gather && dim != 3)
    throw Refused{FINUFFT_ERR_METHOD_NOTVALID, "gpu_method is 4, which is for three dimensions"};
}

using Bins = std::array<int, max_dim>;

void require_bins(const cufinufft_opts& opts, int dim) {
  const Bins inner{opts.gpu_binsizex, opts.gpu_binsizey, opts.gpu_binsizez};
  const Bins outer{opts.gpu_obinsizex, opts.gpu_obinsizey, opts.gpu_obinsizez};
  for (int axis = 0; axis < dim; ++axis) {
    if (inner[axis] < 0 || outer[axis] < 0)
      throw Refused{FINUFFT_ERR_BINSIZE_NOTVALID, "a size of bins is negative, expected 0 or more"};
    const bool both = inner[axis] > 0 && outer[axis] > 0;
    if (opts.gpu_method == method_block_gather && both && outer[axis] % inner[axis] != 0)
      throw Refused{FINUFFT_ERR_BINSIZE_NOTVALID, "gpu_obinsize is no multiple of gpu_binsize"};
  }
}

// Whether a bin and the margin around it, as wide as the kernel, fit into shared memory. The bins themselves are offgrid's.
void require_shared_memory(const Request& request, const cufinufft_opts& opts) {
  const Bins bins{opts.gpu_binsizex, opts.gpu_binsizey, opts.gpu_binsizez};
  if (opts.gpu_method != method_sm) return;
  const double width = std::ceil(-std::log10(std::max(request.tolerance, precision_floor(request.precision)))) + 1;
  double bytes = request.precision == OFFGRID_F32 ? 8 : 16;
  for (int axis = 0; axis < request.dim; ++axis) {
    if (bins[axis] == 0) return;
    bytes *= bins[axis] + width;
  }
  if (bytes > static_cast<double>(shared_bytes_of(opts.gpu_device_id)))
    throw Refused{FINUFFT_ERR_INSUFFICIENT_SHMEM, "bins of this size do not fit into shared memory"};
}

void check_request(const Request& request, const cufinufft_opts& opts) {
  require_type(request.type);
  require_dim(request.dim);
  require_transforms(request.transforms);
  require_modes(request);
  require_method(opts.gpu_method, request.dim);
  require_bins(opts, request.dim);
  require_upsampling(opts.upsampfac,
                     opts.gpu_kerevalmeth != 0 ? FINUFFT_ERR_HORNER_WRONG_BETA : FINUFFT_ERR_UPSAMPFAC_TOO_SMALL);
}

// The place of the method in the words of offgrid's option "method": auto, gm, gm_sort, sm, ..
double offgrid_method(const cufinufft_opts& opts) {
  enum OffgridMethod { automatic = 0, gm = 1, gm_sort = 2, sm = 3 };
  if (opts.gpu_method == 1) return opts.gpu_sort != 0 ? gm_sort : gm;
  return opts.gpu_method == method_sm ? sm : automatic;
}

Plan make_plan(const Request& request, const cufinufft_opts& opts) {
  Options options(cufinufft_library);
  constexpr double cuda = 2;  // of offgrid's option "device"
  options.set("device", cuda);
  options.set_unless_0("method", offgrid_method(opts));
  const CommonOptions common{.modeord = opts.modeord != 0 ? 1 : 0,  // cuFINUFFT takes any other number for 1
                             .spreadinterponly = opts.gpu_spreadinterponly,
                             .debug = opts.debug,
                             .showwarn = 1,
                             .upsampfac = opts.upsampfac,
                             .maxbatchsize = opts.gpu_maxbatchsize};
  return {cufinufft_library, request, common, std::move(options)};
}

void require_int(const char* what, std::int64_t count) {
  if (static_cast<double>(count) > most_int)
    throw Refused{FINUFFT_ERR_NDATA_NOTVALID,
                  std::to_string(count) + " " + what + ", expected at most 2^31 - 1, as cuFINUFFT"};
  require_count(what, count);
}

void require_arrays(const char* what, const Coordinates& coordinates, int dim) {
  for (int axis = 0; axis < dim && coordinates.count > 0; ++axis)
    if (coordinates.axes[axis] == nullptr)
      throw Refused{FINUFFT_ERR_INVALID_ARGUMENT, std::string(what) + ": an array is null"};
}

}  // namespace

cufinufft_opts default_cufinufft_opts() {
  return {.upsampfac = 0,
          .gpu_method = 0,
          .gpu_sort = 1,
          .gpu_binsizex = 0,
          .gpu_binsizey = 0,
          .gpu_binsizez = 0,
          .gpu_obinsizex = 0,
          .gpu_obinsizey = 0,
          .gpu_obinsizez = 0,
          .gpu_maxsubprobsize = 1024,
          .gpu_kerevalmeth = 1,
          .gpu_spreadinterponly = 0,
          .gpu_maxbatchsize = 0,
          .gpu_device_id = 0,
          .gpu_stream = nullptr,
          .modeord = 0,
          .gpu_np = 0,
          .debug = 0};
}

GpuPlan::GpuPlan(const Request& request, const cufinufft_opts* given) {
  const cufinufft_opts opts = given != nullptr ? *given : default_cufinufft_opts();
  check_request(request, opts);
  device_ = opts.gpu_device_id;
  stream_ = opts.gpu_stream;
  precision_ = request.precision;
  const GpuGuard gpu(device_);
  require_shared_memory(request, opts);
  plan_.emplace(make_plan(request, opts));
}

GpuPlan::~GpuPlan() {
  try {
    const GpuGuard gpu(device_);
    plan_.reset();
  } catch (...) {  // the driver is gone, at the end of the process
  }
}

void GpuPlan::set_points(const Coordinates& points, const Coordinates& targets) {
  require_int("points", points.count);
  if (plan_->type() == 3) require_int("targets", targets.count);
  require_arrays("points", points, plan_->dim());
  if (plan_->type() == 3) require_arrays("targets", targets, plan_->dim());
  const GpuGuard gpu(device_);
  set_turned_points(points, targets);
  if (plan_->type() == 3) wait_for(stream_);  // as cuFINUFFT does, whose callers may then overwrite their arrays
}

// Points of spreadinterponly half a turn on, and any others as they are.
void GpuPlan::set_turned_points(const Coordinates& points, const Coordinates& targets) {
  if (!plan_->spreads_only()) return plan_->set_points(points, targets, stream_);
  std::array<TurnedAxis, max_dim> turned;
  Coordinates ours{.count = points.count, .axes = {}};
  for (int axis = 0; axis < plan_->dim(); ++axis) {
    turned[axis] = TurnedAxis(points.axes[axis], points.count, precision_, stream_);
    ours.axes[axis] = turned[axis].data();
  }
  plan_->set_points(ours, targets, stream_);
}

void GpuPlan::execute(void* strengths, void* modes) const {
  const GpuGuard gpu(device_);
  plan_->execute(strengths, modes, stream_);
}

}  // namespace compat
