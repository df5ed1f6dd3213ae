// From samples of k-space to an image. The model is type 2 with sign -1, s_j = sum_n f_n exp(-i n.x_j) = (A f)_j.
//
//   gridding:             f = A* W s                 one adjoint transform, W the density weights
//   conjugate gradients:  A* W A f = A* W s          least squares with the same weights; one A* W A, the Gram operator, a step
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "axes.hpp"
#include "staged_plan.hpp"
#include "trajectory.hpp"

namespace cli {

template <class T> class SamplingModel {
 public:
  using Image = std::vector<std::complex<T>>;
  using Samples = std::vector<std::complex<T>>;

  SamplingModel(const offgrid::Problem& problem, std::vector<T> weights, Place place)
      : problem_(problem),
        place_(place),
        plan_(problem, place),
        weights_(std::move(weights)),
        pixels_(static_cast<std::size_t>(mode_count(problem.modes))) {}

  void set_points(const Points<T>& points) { plan_.set_points(points.spans()); }
  void make_normal(const Points<T>& points) { normal_.emplace(problem_, points.spans(), weights_, place_); }
  [[nodiscard]] std::string describe() const { return plan_.describe(); }
  [[nodiscard]] double get(const char* name) const { return plan_.get(name); }

  // A f
  [[nodiscard]] Samples forward(const Image& image) const {
    Samples samples(weights_.size());
    plan_.execute(image, samples);
    return samples;
  }

  // A* W s
  [[nodiscard]] Image weighted_adjoint(Samples samples) const {
    for (std::size_t j = 0; j < samples.size(); ++j) samples[j] *= weights_[j];
    Image image(pixels_);
    plan_.adjoint(samples, image);
    return image;
  }

  // A* W A f, once make_normal has made the operator.
  [[nodiscard]] Image normal(const Image& image) const {
    Image result(pixels_);
    normal_->apply(image, result);
    return result;
  }
  [[nodiscard]] std::string describe_normal() const { return normal_->describe(); }

 private:
  offgrid::Problem problem_;
  Place place_;
  StagedPlan<T> plan_;
  std::optional<StagedGram<T>> normal_;
  std::vector<T> weights_;
  std::size_t pixels_;
};

// The sum of conj(a) b, in double: the steps of conjugate gradients are quotients of such sums.
template <class T> double inner_product(const std::vector<std::complex<T>>& a, const std::vector<std::complex<T>>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += static_cast<double>(a[i].real()) * b[i].real() + static_cast<double>(a[i].imag()) * b[i].imag();
  return sum;
}

// a + factor * b, into a
template <class T>
void add_multiple(std::vector<std::complex<T>>& a, double factor, const std::vector<std::complex<T>>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += static_cast<T>(factor) * b[i];
}

// `steps` steps from zero with the right-hand side A* W s; after each, report(step, residual relative to the first).
template <class T>
std::vector<std::complex<T>> conjugate_gradients(const SamplingModel<T>& model, std::vector<std::complex<T>> residual,
                                                 int steps, const std::function<void(int, double)>& report) {
  std::vector<std::complex<T>> image(residual.size()), direction = residual;
  const double first = inner_product(residual, residual);
  double square = first;
  for (int step = 1; step <= steps && square > 0; ++step) {
    const auto image_of_direction = model.normal(direction);
    const double length = square / inner_product(direction, image_of_direction);
    add_multiple(image, length, direction);
    add_multiple(residual, -length, image_of_direction);
    const double next = inner_product(residual, residual);
    for (std::size_t i = 0; i < direction.size(); ++i)
      direction[i] = residual[i] + static_cast<T>(next / square) * direction[i];
    square = next;
    report(step, std::sqrt(square / first));
  }
  return image;
}

}  // namespace cli
