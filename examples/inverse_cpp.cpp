#include <cmath>
#include <cstdio>
#include <offgrid/solve.hpp>

int main() {
  // Golden-angle spokes, and the values there of an image that is known.
  const std::size_t spokes = 150, samples = 128, n = 64;
  std::vector<double> x, y;
  for (std::size_t spoke = 0; spoke < spokes; ++spoke)
    for (std::size_t sample = 0; sample < samples; ++sample) {
      const double angle = 1.9416 * double(spoke), radius = 3.14159 * (2 * double(sample) / samples - 1);
      x.push_back(radius * std::cos(angle));
      y.push_back(radius * std::sin(angle));
    }
  std::vector<std::complex<double>> image(n * n), values(x.size()), found(n * n);
  for (std::size_t i = 0; i < n * n; ++i)
    image[i] = std::exp(-(std::pow(double(i % n) - 32, 2) + std::pow(double(i / n) - 32, 2)) / 100);
  const std::vector<std::span<const double>> points{x, y};
  const offgrid::Problem problem{.type = 2, .modes = {64, 64}, .tolerance = 1e-9};
  offgrid::transform<double>(problem, points, image, values);

  // The part of k-space that each sample stands for, and the image by least squares with these weights.
  const std::vector<double> weights = offgrid::density_weights<double>(problem, points);
  const auto print_step = [](std::int64_t step, double residual) {
    std::printf("step %d: residual %.1e\n", int(step), residual);
    return false;  // go on
  };
  const offgrid::Iteration iteration{.iterations = 30, .rtol = 1e-6, .callback = print_step};
  offgrid::inverse<double>(problem, points, values, {.weights = weights, .iteration = iteration}, found);

  double error = 0, norm = 0;
  for (std::size_t i = 0; i < n * n; ++i) {
    error += std::norm(found[i] - image[i]);
    norm += std::norm(image[i]);
  }
  std::printf("relative error of the image %.1e\n", std::sqrt(error / norm));
  return error < 1e-6 * norm ? 0 : 1;
}
