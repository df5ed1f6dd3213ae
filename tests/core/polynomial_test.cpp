// The piecewise polynomial: close to phi, mirrored exactly, of bounded degree, and harmless in single precision.
#include "core/kernel/polynomial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/kernel/kernel.hpp"

namespace offgrid {
namespace {

constexpr std::array sigmas = {1.125, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5};
constexpr std::array kinds = {WindowKind::prolate, WindowKind::semicircle};
constexpr double rounding = 1e-15;  // of phi and of Horner's rule, relative to the rms of phi

Polynomial fit(const Window& window, Precision precision) {
  return fit_polynomial(window, polynomial_error(window, precision));
}

// rms of p - phi over rms of phi, sampled.
double relative_error(const Polynomial& polynomial, const Window& window) {
  const WindowFunction<double> phi(window);
  double error = 0, energy = 0;
  for (int piece = 0; piece < window.width; ++piece) {
    for (int i = 0; i < 50; ++i) {
      const double t = (2 * i + 1) / 50.0 - 1, exact = phi((2 * piece + 1 + t) / window.width - 1);
      error += std::pow(polynomial(piece, t) - exact, 2);
      energy += exact * exact;
    }
  }
  return std::sqrt(error / energy);
}

// rms error of interpolating exp(i k x) with p in place of phi: aliasing and fit together.
double interpolation_error(const Polynomial& polynomial, const Window& window) {
  const WindowFunction<double> phi(window);
  const auto rule = gauss_legendre<double>(24);
  double mean = 0;
  for (std::size_t a = 0; a < rule.node.size(); ++a) {
    const double k = (1 + rule.node[a]) / 2 * std::numbers::pi / window.sigma;
    const double phihat = window.width / 2.0 * phi.transform(k * window.width / 2);
    for (std::size_t b = 0; b < rule.node.size(); ++b) {
      const double t = rule.node[b];
      std::complex<double> sum = 0;
      for (int i = 0; i < window.width; ++i)
        sum += polynomial(i, t) * std::polar(1.0, k * (2 * i + 1 + t - window.width) / 2);
      mean += rule.weight[a] * rule.weight[b] / 4 * std::norm(sum / phihat - 1.0);
    }
  }
  return std::sqrt(mean);
}

TEST(Polynomial, MeetsTheErrorAskedFor) {
  for (const WindowKind kind : kinds) {
    for (const int width : {2, 5, 8, 13, 16}) {
      const Window window = make_window(kind, 2.0, width);
      const double loosest = polynomial_error(window, Precision::f64);
      for (const double error : {std::max(1e-2, loosest), std::max(1e-5, loosest), std::max(1e-9, loosest)}) {
        EXPECT_LT(relative_error(fit_polynomial(window, error), window), 1.3 * error + rounding) << "width " << width;
      }
    }
  }
}

TEST(Polynomial, AddsLittleToTheAliasingError) {
  for (const WindowKind kind : kinds) {
    for (const double sigma : {1.125, 1.5, 2.0, 2.5}) {
      for (int width = min_width; width <= 12; ++width) {
        const Window window = make_window(kind, sigma, width);
        const double error = interpolation_error(fit(window, Precision::f64), window);
        EXPECT_LT(error, 1.06 * aliasing_error(window).rms) << "width " << width << " sigma " << sigma;
      }
    }
  }
}

TEST(Polynomial, DegreeStaysBelowItsBound) {
  for (const WindowKind kind : kinds) {
    for (double sigma = min_sigma; sigma <= max_sigma; sigma += 0.0625) {
      for (int width = min_width; width <= max_width; ++width) {
        const Window window = make_window(kind, sigma, width);
        for (const Precision precision : {Precision::f32, Precision::f64}) {
          const Polynomial polynomial = fit(window, precision);
          EXPECT_LE(polynomial.degree, max_degree(width, precision)) << "width " << width << " sigma " << sigma;
          EXPECT_LT(relative_error(polynomial, window), 1.3 * polynomial_error(window, precision) + rounding)
              << "width " << width << " sigma " << sigma << " degree " << polynomial.degree;
        }
      }
    }
  }
}

TEST(Polynomial, PiecesMirrorExactly) {
  for (const WindowKind kind : kinds) {
    for (int width = min_width; width <= max_width; ++width) {
      const Polynomial polynomial = fit(make_window(kind, 1.7, width), Precision::f64);
      for (int power = 0; power <= polynomial.degree; ++power) {
        const double sign = power % 2 == 0 ? 1 : -1;
        for (int piece = 0; piece < width; ++piece) {
          EXPECT_EQ(polynomial.coefficient(power, width - 1 - piece), sign * polynomial.coefficient(power, piece));
        }
      }
    }
  }
}

TEST(Polynomial, FloatEvaluationIsGoodToThreeUlpOfThePeak) {
  for (const WindowKind kind : kinds) {
    for (const double sigma : sigmas) {
      for (int width = min_width; width <= max_width; ++width) {
        const Polynomial polynomial = fit(make_window(kind, sigma, width), Precision::f64);
        for (int piece = 0; piece < width; ++piece) {
          for (int i = 0; i <= 100; ++i) {
            const float t = static_cast<float>(i) / 50 - 1;
            float value = 0;
            for (int power = polynomial.degree; power >= 0; --power)
              value = value * t + static_cast<float>(polynomial.coefficient(power, piece));
            EXPECT_NEAR(value, polynomial(piece, t), 3 * 6e-8) << "width " << width << " sigma " << sigma;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace offgrid
