// The Gram operator f -> A* W A f of fixed points and weights, where A is the transform of type 2, modes to points:
//   h[k] = sum over k' of t[k - k'] f[k'],  t[m] = sum over j of w[j] exp(-s i m.x[j]),  s the sign of A
// It is applied in one of two ways, by cost or as the option `gram` asks:
//   convolution  t is one transform of type 1 of the weights, with 2N - 1 modes along each axis; then two FFTs per vector
//                on a grid of as many cells (convolution.hpp), however many points there are
//   pair         A, the weights, A*
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/plan.hpp"
#include "core/room_pool.hpp"
#include "core/solve/gram_design.hpp"

namespace offgrid {

// Points and weights, where the device can reach them. Without weights (null) they are 1.
struct Sampling {
  std::int64_t count = 0;
  std::array<const void*, max_dim> axes{};
  const void* weights = nullptr;
  Spectrum weight_kind = Spectrum::real;  // real weights have a real spectrum
};

// The modes t of a kernel, [2 N3 - 1][2 N2 - 1][2 N1 - 1] from the lowest k up, where the device can reach them. A real
// spectrum is promised by t[-k] = conj(t[k]).
struct KernelModes {
  const void* modes = nullptr;
  Spectrum spectrum = Spectrum::real;
};

// A Gram operator whose precision is known at run time only.
class AnyGram {
 public:
  virtual ~AnyGram() = default;
  // h may be f. Calls may run at the same time.
  virtual void apply(const void* f, void* h, Stream stream) const = 0;
  [[nodiscard]] virtual std::string describe() const = 0;
  [[nodiscard]] virtual double get(std::string_view name) const = 0;
};

template <class T> class Gram final : public AnyGram {
 public:
  // problem.type is not heeded. Points and weights need not be kept.
  Gram(const Problem& problem, const Options& options, const Backend& backend, const Sampling& sampling, Stream stream);

  // The convolution with a given kernel, such as a sum of kernels of several sets of points. The kernel need not be kept.
  Gram(const Problem& problem, const Options& options, const Backend& backend, const KernelModes& kernel,
       Stream stream);

  void apply(const void* f, void* h, Stream stream) const override;
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] double get(std::string_view name) const override;

 private:
  using Complex = std::complex<T>;

  void require_modes();
  [[nodiscard]] bool is_zero() const { return !convolution_ && !pair_; }
  void choose();
  [[nodiscard]] std::unique_ptr<Room<T>> make_strengths(const Sampling& sampling, Stream stream) const;
  void make_convolution(const Sampling& sampling, Stream stream);
  void make_pair(const Sampling& sampling, Stream stream);
  double require_share(const AnyPlan& plan);
  void apply_pair(const Complex* f, Complex* h, Stream stream) const;
  [[nodiscard]] std::string describe_way() const;
  [[nodiscard]] double grid_along(int axis) const;

  Backend backend_;
  Problem problem_;
  Options options_;
  std::int64_t count_ = 0;  // points
  std::int64_t modes_ = 0;  // of one vector
  std::unique_ptr<Pointwise<T>> pointwise_;
  Design design_;  // of the convolution
  std::optional<GramCosts> costs_;
  GramMethod method_ = GramMethod::pair;
  Spectrum spectrum_ = Spectrum::real;
  double expected_error_ = 0, reachable_ = 0;
  bool strict_ = false;
  std::unique_ptr<Convolution<T>> convolution_;
  std::unique_ptr<AnyPlan> pair_;
  std::unique_ptr<Room<T>> weights_;        // of the pair; none: 1
  std::unique_ptr<RoomPool<T>> at_points_;  // of the pair: A f
};

std::unique_ptr<AnyGram> make_gram(const Problem& problem, const Options& options, const Backend& backend,
                                   const Sampling& sampling, Stream stream);
std::unique_ptr<AnyGram> make_gram(const Problem& problem, const Options& options, const Backend& backend,
                                   const KernelModes& kernel, Stream stream);

}  // namespace offgrid
