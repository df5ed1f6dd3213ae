#include "common/plan.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace compat {
namespace {

constexpr double most_batch = 1 << 20;  // of offgrid

// The upsampling that offgrid is asked for; 0 leaves it the choice.
double usable_upsampling(const Library& library, const CommonOptions& common) {
  const double most = common.spreadinterponly ? most_upsampling_cells : most_upsampling;
  if (common.upsampfac <= most) return common.upsampfac;
  if (common.showwarn)
    warn(library, "upsampfac = " + std::to_string(common.upsampfac) + " is taken for " + std::to_string(most));
  return most;
}

void set_common(const Library& library, const Request& request, const CommonOptions& common, Options& options) {
  options.set("sign", request.iflag >= 0 ? 1 : -1);
  if (request.transforms != 1) options.set("transforms", request.transforms);
  options.set_unless_0("mode_order", common.modeord);
  options.set_unless_0("spread_only", common.spreadinterponly != 0 ? 1 : 0);
  options.set_unless_0("upsampling", usable_upsampling(library, common));
  options.set_unless_0("batch", std::clamp<double>(common.maxbatchsize, 0, most_batch));
}

}  // namespace

Options::Options(const Library& library) : library_(&library) {
  offgrid_options raw = nullptr;
  check(library, offgrid_options_create(&raw));
  handle_.reset(raw);
}

void Options::set(const char* name, double value) { check(*library_, offgrid_options_set(handle_.get(), name, value)); }

void Options::set_unless_0(const char* name, double value) {
  if (value != 0) set(name, value);
}

Plan::Plan(const Library& library, const Request& request, const CommonOptions& common, Options options)
    : library_(library),
      type_(request.type),
      dim_(request.dim),
      debug_(common.debug),
      spreads_only_(common.spreadinterponly != 0),
      shows_warnings_(common.showwarn != 0),
      tolerance_(std::max(request.tolerance, precision_floor(request.precision))) {
  if (spreads_only_ && type_ == 3) throw Refused{FINUFFT_ERR_TYPE_NOTVALID, "spreadinterponly is for types 1 and 2"};
  set_common(library, request, common, options);
  offgrid_plan raw = nullptr;
  const offgrid_status made =
      offgrid_plan_create(&raw, type_, dim_, request.modes, tolerance_, request.precision, options.handle());
  if (made == OFFGRID_INVALID_ARGUMENT && spreads_only_)  // all else was checked before
    throw Refused{FINUFFT_ERR_SPREAD_BOX_SMALL, offgrid_last_error()};
  check(library_, made);
  handle_.reset(raw);
  if (request.tolerance < tolerance_)
    warn_of_tolerance("the tolerance is below the precision of the numbers, and taken for it");
}

void Plan::set_points(const Coordinates& points, const Coordinates& targets, void* stream) {
  if (type_ == 3)
    check(library_, offgrid_set_points_and_targets(handle_.get(), points.count, points.axes.data(), targets.count,
                                                   targets.axes.data(), stream));
  else
    check(library_,
          offgrid_set_points(handle_.get(), points.count, points.axes[0], points.axes[1], points.axes[2], stream));
  if (debug_ > 0)
    std::printf("[%s] offgrid %s\n%s", library_.name, offgrid_version(), offgrid_plan_describe(handle_.get()));
  if (!is_warned_) warn_where_out_of_reach();
}

// In makeplan it is not known yet: what can be reached depends on the kernel, which is chosen for the points.
void Plan::warn_where_out_of_reach() {
  double expected = 0;
  if (offgrid_plan_get(handle_.get(), "expected_error", &expected) != OFFGRID_OK || expected <= tolerance_) return;
  std::array<char, 160> message{};
  std::snprintf(
      message.data(), message.size(),
      "the tolerance %.2g cannot be reached with these options and this precision, the error to expect is %.2g",
      tolerance_, expected);
  warn_of_tolerance(message.data());
}

void Plan::warn_of_tolerance(const std::string& message) {
  is_warned_ = true;
  if (shows_warnings_) warn(library_, message);
}

void Plan::execute(void* strengths, void* modes, void* stream) const {
  check(library_, offgrid_execute(handle_.get(), strengths, modes, stream));
}

void Plan::adjoint(void* strengths, void* modes, void* stream) const {
  check(library_, offgrid_execute_adjoint(handle_.get(), strengths, modes, stream));
}

void require_type(int type) {
  if (type < 1 || type > 3)
    throw Refused{FINUFFT_ERR_TYPE_NOTVALID, "type is " + std::to_string(type) + ", expected 1, 2 or 3"};
}

void require_dim(int dim) {
  if (dim < 1 || dim > max_dim)
    throw Refused{FINUFFT_ERR_DIM_NOTVALID, "dim is " + std::to_string(dim) + ", expected 1, 2 or 3"};
}

void require_transforms(int transforms) {
  if (transforms < 1)
    throw Refused{FINUFFT_ERR_NTRANS_NOTVALID,
                  "the number of transforms is " + std::to_string(transforms) + ", expected at least 1"};
}

void require_count(const char* what, std::int64_t count) {
  if (count >= 0 && static_cast<double>(count) <= most_points) return;
  throw Refused{FINUFFT_ERR_NUM_NU_PTS_INVALID,
                std::string("the number of ") + what + " is " + std::to_string(count) + ", expected 0 to 1e14"};
}

void require_upsampling(double upsampling, int code) {
  if (upsampling == 0 || upsampling > 1) return;
  throw Refused{code, "upsampfac is " + std::to_string(upsampling) + ", expected 0 or a number over 1"};
}

double precision_floor(offgrid_precision precision) {
  return precision == OFFGRID_F32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}

void warn(const Library& library, const std::string& message) {
  std::fprintf(stderr, "[%s] warning: %s\n", library.name, message.c_str());
}

}  // namespace compat
