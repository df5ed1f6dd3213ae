// From samples of k-space to an image. The model is type 2 with sign -1, s_j = sum_n f_n exp(-i n.x_j) = (A f)_j.
//
//   gridding:             f = A* W s                 one adjoint transform, W the density weights
//   conjugate gradients:  A* W A f = A* W s          least squares with the same weights
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "axes.hpp"
#include "demo/trajectory.hpp"
#include "staged_solve.hpp"

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

  // Conjugate gradients on the normal equations, by the library.
  [[nodiscard]] Image least_squares(const Points<T>& points, const Samples& samples,
                                    const offgrid::Iteration& iteration) const {
    return staged_inverse<T>(problem_, points.spans(), samples, {.weights = weights_, .iteration = iteration}, place_);
  }

 private:
  offgrid::Problem problem_;
  Place place_;
  StagedPlan<T> plan_;
  std::vector<T> weights_;
  std::size_t pixels_;
};

}  // namespace cli
