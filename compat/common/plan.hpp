// What both drop-in libraries make of a plan: offgrid's handle, and the checks that the peers agree in. The CPU's part is in
// finufft/, the GPU's in cufinufft/.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "common/guard.hpp"
#include "common/half_turn.hpp"

namespace compat {

constexpr int max_dim = 3;
constexpr double most_points = 1e14;            // of the peers
constexpr double most_upsampling = 2.5;         // of offgrid's transforms
constexpr double most_upsampling_cells = 1000;  // of offgrid's spreading

// The arguments of makeplan.
struct Request {
  int type;
  int dim;
  const std::int64_t* modes;
  int iflag;
  int transforms;
  double tolerance;
  offgrid_precision precision;
};

template <class R> constexpr offgrid_precision precision_of = sizeof(R) == 4 ? OFFGRID_F32 : OFFGRID_F64;

// Arrays of coordinates, one per axis.
struct Coordinates {
  std::int64_t count = 0;
  std::array<const void*, max_dim> axes{};
};

struct Destroy {
  void operator()(offgrid_options options) const { offgrid_options_destroy(options); }
  void operator()(offgrid_plan plan) const { offgrid_plan_destroy(plan); }
};

// offgrid's options. A value out of offgrid's range is an error of ours, because the caller's are checked before.
class Options {
 public:
  explicit Options(const Library& library);
  void set(const char* name, double value);
  // The same where 0 is offgrid's default: setting what is so already would take a good part of the time of a small plan.
  void set_unless_0(const char* name, double value);
  [[nodiscard]] offgrid_options handle() const { return handle_.get(); }

 private:
  const Library* library_;
  std::unique_ptr<std::remove_pointer_t<offgrid_options>, Destroy> handle_;
};

// The options that both peers have, under the names of FINUFFT's.
struct CommonOptions {
  int modeord;  // 0 or 1
  int spreadinterponly;
  int debug;
  int showwarn;
  double upsampfac;
  int maxbatchsize;
};

class Plan {
 public:
  // Sets the options that both peers have, and makes offgrid's plan. `options` holds what is one peer's own.
  Plan(const Library& library, const Request& request, const CommonOptions& common, Options options);

  [[nodiscard]] int type() const { return type_; }
  [[nodiscard]] int dim() const { return dim_; }
  [[nodiscard]] bool spreads_only() const { return spreads_only_; }

  // Targets are those of a type 3, and not read otherwise.
  void set_points(const Coordinates& points, const Coordinates& targets, void* stream);
  void execute(void* strengths, void* modes, void* stream) const;
  void adjoint(void* strengths, void* modes, void* stream) const;

 private:
  // Warns that the tolerance is out of reach, once per plan.
  void warn_of_tolerance(const std::string& message);
  void warn_where_out_of_reach();

  Library library_;
  int type_;
  int dim_;
  int debug_;
  bool spreads_only_;
  bool shows_warnings_;
  double tolerance_;
  bool is_warned_ = false;
  std::unique_ptr<std::remove_pointer_t<offgrid_plan>, Destroy> handle_;
};

void require_type(int type);
void require_dim(int dim);
void require_transforms(int transforms);
void require_count(const char* what, std::int64_t count);

// Refuses an upsampling that is not over 1, with this code. 0 is the library's choice.
void require_upsampling(double upsampling, int code);

// eps_mach, below which no tolerance makes sense.
double precision_floor(offgrid_precision precision);

void warn(const Library& library, const std::string& message);

}  // namespace compat
