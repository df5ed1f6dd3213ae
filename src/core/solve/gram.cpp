#include "core/solve/gram.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/arguments.hpp"
#include "core/design/design_memory.hpp"
#include "core/design/safety.hpp"
#include "core/text.hpp"
#include "core/validate.hpp"

namespace offgrid {
namespace {

// One transform of an operator.
Problem part_of(Problem problem, int type, const Sizes& modes) {
  problem.type = type;
  problem.modes = modes;
  problem.tolerance *= gram_share;
  return problem;
}

bool fits(const Design& design, const BackendTraits& traits) {
  return traits.grid_memory.allows(checked_product("grid x batch", grid_bytes(design), design.batch));
}

}  // namespace

template <class T>
Gram<T>::Gram(const Problem& problem, const Options& options, const Backend& backend, const Sampling& sampling,
              Stream stream)
    : backend_(backend), problem_(problem), options_(options), count_(sampling.count) {
  require_modes();
  require_points<T>(backend_, problem_.dim, options_.transforms, count_, sampling.axes);
  const bool real = sampling.weight_kind == Spectrum::real;
  if (sampling.weights != nullptr) require_reach<T>(backend_, "weights", sampling.weights, count_);
  spectrum_ = real ? Spectrum::real : Spectrum::complex;
  if (count_ == 0 || modes_ == 0) return;
  strict_ = std::exchange(options_.strict, false);  // the transforms have other tolerances than the caller
  pointwise_ = backend_.pointwise<T>()(options_);
  choose();
  if (method_ == GramMethod::convolution)
    make_convolution(sampling, stream);
  else
    make_pair(sampling, stream);
}

template <class T>
Gram<T>::Gram(const Problem& problem, const Options& options, const Backend& backend, const KernelModes& kernel,
              Stream stream)
    : backend_(backend), problem_(problem), options_(options) {
  require_modes();
  const Sizes sizes = kernel_modes(problem_);
  const std::int64_t count = modes_ == 0 ? 0 : checked_product("kernel", sizes[0], sizes[1], sizes[2]);
  require_reach<T>(backend_, "kernel", kernel.modes, count);
  if (options_.gram == GramMethod::pair || backend_.convolution<T>() == nullptr)
    throw Error(Status::invalid_argument,
                "gram = pair: an operator of a given kernel has no points, and is a convolution");
  method_ = GramMethod::convolution;
  spectrum_ = kernel.spectrum;
  if (modes_ == 0) return;
  options_.points_hint = 1;
  design_ = make_convolution_design(problem_, options_, backend_.traits);
  require_grid_memory(design_, backend_.traits);
  convolution_ = backend_.convolution<T>()(design_);
  convolution_->set_kernel(static_cast<const Complex*>(kernel.modes), spectrum_, stream);
}

template <class T> void Gram<T>::require_modes() {
  problem_.type = 2;
  validate(problem_, options_);
  if (options_.spread_only) throw Error(Status::invalid_argument, "spread_only: a Gram operator has modes, not cells");
  modes_ = problem_.modes[0] * problem_.modes[1] * problem_.modes[2];
}

template <class T> void Gram<T>::choose() {
  options_.points_hint = designed_points(count_);
  design_ = make_convolution_design(problem_, options_, backend_.traits);
  method_ = options_.gram;
  if (backend_.convolution<T>() == nullptr) method_ = GramMethod::pair;
  if (method_ == GramMethod::convolution) require_grid_memory(design_, backend_.traits);
  if (method_ != GramMethod::automatic) return;
  costs_ = gram_costs(design_, problem_, options_, backend_.traits);
  const bool convolves = costs_->convolution <= costs_->pair && fits(design_, backend_.traits);
  method_ = convolves ? GramMethod::convolution : GramMethod::pair;
}

// The weights as a vector of complex numbers.
template <class T> std::unique_ptr<Room<T>> Gram<T>::make_strengths(const Sampling& sampling, Stream stream) const {
  auto room = pointwise_->make_room(count_);
  Product<T> product{.to = room->data, .count = count_};
  if (sampling.weight_kind == Spectrum::real)
    product.real = static_cast<const T*>(sampling.weights);
  else
    product.complex = static_cast<const Complex*>(sampling.weights);
  pointwise_->multiply(product, stream);
  return room;
}

template <class T> void Gram<T>::make_convolution(const Sampling& sampling, Stream stream) {
  const Problem of_kernel = part_of(problem_, 1, kernel_modes(problem_));
  Options options = options_;
  options.sign = -static_cast<int>(sign_of(problem_, options_));
  options.transforms = 1;
  options.batch = 0;
  options.mode_order = ModeOrder::centred;
  convolution_ = backend_.convolution<T>()(design_);
  const auto plan = make_plan(of_kernel, options, backend_);
  const auto kernel = pointwise_->make_room(of_kernel.modes[0] * of_kernel.modes[1] * of_kernel.modes[2]);
  const auto strengths = make_strengths(sampling, stream);
  plan->set_points(sampling.count, sampling.axes, stream);
  expected_error_ = require_share(*plan);
  plan->execute(strengths->data, kernel->data, stream);
  convolution_->set_kernel(kernel->data, spectrum_, stream);  // a device is waited for when the rooms go
}

template <class T> void Gram<T>::make_pair(const Sampling& sampling, Stream stream) {
  checked_product("points x transforms", count_, options_.transforms, std::int64_t{sizeof(Complex)});
  pair_ = make_plan(part_of(problem_, 2, problem_.modes), options_, backend_);
  pair_->set_points(sampling.count, sampling.axes, stream);
  if (sampling.weights != nullptr) weights_ = make_strengths(sampling, stream);
  at_points_ = std::make_unique<RoomPool<T>>(*pointwise_, count_ * options_.transforms);
  expected_error_ = require_share(*pair_) / gram_share;
}

// What a transform can reach is what the operator can, over its share; with `strict` that has to be the tolerance. Returns the
// error that is expected of the transform.
template <class T> double Gram<T>::require_share(const AnyPlan& plan) {
  const double expected = plan.get("expected_error");
  reachable_ = plan.get("reachable_tolerance") / gram_share;
  Options asked = options_;
  asked.strict = strict_;
  require_reachable(problem_, asked, {std::max(expected / gram_share, reachable_), reachable_});
  return expected;
}

template <class T> void Gram<T>::apply(const void* f, void* h, Stream stream) const {
  const std::int64_t all = modes_ * options_.transforms;
  require_reach<T>(backend_, "f", f, all);
  require_reach<T>(backend_, "h", h, all);
  const auto* from = static_cast<const Complex*>(f);
  auto* to = static_cast<Complex*>(h);
  if (f != h) require_apart<Complex>({"f", from, all}, {"h", to, all}, one_or_apart);
  if (is_zero())  // a sum over nothing is zero
    return backend_.clear(h, static_cast<std::size_t>(all) * sizeof(Complex), stream);
  if (convolution_) return convolution_->apply(from, to, stream);
  apply_pair(from, to, stream);
}

template <class T> void Gram<T>::apply_pair(const Complex* f, Complex* h, Stream stream) const {
  const auto room = at_points_->lease(stream);
  pair_->execute(room->data, const_cast<Complex*>(f), stream);
  if (weights_) {
    const Product<T> product{.from = room->data,
                             .complex = weights_->data,
                             .to = room->data,
                             .count = count_,
                             .vectors = options_.transforms};
    pointwise_->multiply(product, stream);
  }
  pair_->adjoint(room->data, h, stream);
}

template <class T> std::string Gram<T>::describe_way() const {
  if (is_zero()) return "gram         of nothing: zero\n";
  std::string reason = options_.gram == GramMethod::automatic ? "" : ", as the option gram asks";
  if (costs_) {
    const double less = std::max(costs_->convolution, costs_->pair) / std::min(costs_->convolution, costs_->pair);
    reason = text(", about ", 0.1 * static_cast<double>(static_cast<std::int64_t>(10 * less)), " times as fast as ",
                  method_ == GramMethod::pair ? "a convolution" : "a pair of transforms");
  }
  if (method_ == GramMethod::pair) return text("gram         a pair of transforms", reason, "\n") + pair_->describe();
  const bool given = count_ == 0;
  if (given) reason = " with a given kernel";
  return text("gram         convolution", reason, "\n",  //
              given ? "" : text("tolerance    ", problem_.tolerance, ", expected error ", expected_error_, "\n"),
              "grid         ", readable_sizes(design_.grid, design_.dim()), ", ", design_.batch,
              " worked on together, ", spectrum_ == Spectrum::real ? "real" : "complex", " spectrum\n", "memory       ",
              convolution_->workspace_bytes() >> 10, " KiB per application, ", convolution_->memory_bytes() >> 10,
              " KiB in all\n");
}

template <class T> std::string Gram<T>::describe() const {
  return text("problem      Gram operator of ", count_, " points, ", readable_sizes(problem_.modes, problem_.dim),
              " modes, ", options_.transforms, " transforms, ", sizeof(T) == 4 ? "f32" : "f64", "\n") +
         describe_way();
}

template <class T> double Gram<T>::grid_along(int axis) const {
  constexpr std::array names{"grid1", "grid2", "grid3"};
  return pair_ ? pair_->get(names[axis]) : static_cast<double>(design_.grid_along(axis));
}

template <class T> double Gram<T>::get(std::string_view name) const {
  using Read = double (*)(const Gram& gram);
  static constexpr auto number = [](auto value) { return static_cast<double>(value); };
  // Of the convolution or the pair, and of the rooms beside it.
  static constexpr auto memory = [](const Gram& gram, std::string_view what, auto of_convolution, auto of_rooms) {
    const double rooms = gram.pointwise_ ? number(std::invoke(of_rooms, *gram.pointwise_)) : 0;
    if (gram.convolution_) return rooms + number(std::invoke(of_convolution, *gram.convolution_));
    return rooms + (gram.pair_ ? gram.pair_->get(what) : 0);
  };
  static constexpr std::pair<std::string_view, Read> numbers[] = {
      {"convolution", [](const Gram& gram) { return number(gram.method_ == GramMethod::convolution); }},
      {"grid1", [](const Gram& gram) { return gram.grid_along(0); }},
      {"grid2", [](const Gram& gram) { return gram.grid_along(1); }},
      {"grid3", [](const Gram& gram) { return gram.grid_along(2); }},
      {"expected_error", [](const Gram& gram) { return gram.expected_error_; }},
      {"reachable_tolerance", [](const Gram& gram) { return gram.reachable_; }},
      {"memory_bytes",
       [](const Gram& gram) {
         return memory(gram, "memory_bytes", &Convolution<T>::memory_bytes, &Pointwise<T>::memory_bytes);
       }},
      {"peak_bytes",
       [](const Gram& gram) {
         return memory(gram, "peak_bytes", &Convolution<T>::peak_bytes, &Pointwise<T>::peak_bytes);
       }},
      {"points", [](const Gram& gram) { return number(gram.count_); }},
      {"transforms", [](const Gram& gram) { return number(gram.options_.transforms); }},
  };
  return find_number<Gram>(*this, numbers, name, "a Gram operator");
}

std::unique_ptr<AnyGram> make_gram(const Problem& problem, const Options& options, const Backend& backend,
                                   const Sampling& sampling, Stream stream) {
  if (problem.precision == Precision::f32)
    return std::make_unique<Gram<float>>(problem, options, backend, sampling, stream);
  return std::make_unique<Gram<double>>(problem, options, backend, sampling, stream);
}

std::unique_ptr<AnyGram> make_gram(const Problem& problem, const Options& options, const Backend& backend,
                                   const KernelModes& kernel, Stream stream) {
  if (problem.precision == Precision::f32)
    return std::make_unique<Gram<float>>(problem, options, backend, kernel, stream);
  return std::make_unique<Gram<double>>(problem, options, backend, kernel, stream);
}

template class Gram<float>;
template class Gram<double>;

}  // namespace offgrid
