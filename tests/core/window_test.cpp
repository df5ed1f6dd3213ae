// phi against 50-digit values, its transform against brute force, and the aliasing error against its meaning: how badly
// the window interpolates exp(i k x) from a grid.
#include "core/kernel/window.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/error.hpp"

namespace offgrid {
namespace {

using std::numbers::pi;

// psi_0(c; z) / psi_0(c; 0) at z = 1/4, 1/2, 3/4, 1: eigenvector of 70 Legendre terms in 50 digits (mpmath).
struct ProlateReference {
  double c;
  std::array<double, 4> values;
};
const std::array<ProlateReference, 5> prolate_references = {{
    {3, {0.9347941746307841417, 0.7570918287808707176, 0.5143922746907287557, 0.2674891281828710432}},
    {10, {0.7462492903984853798, 0.2923371073646757254, 0.04616684119593673913, 0.000495317061464551582}},
    {25, {0.4632635608874970983, 0.03910212626318498324, 0.0002856224236551418947, 2.436337663724273327e-10}},
    {40, {0.2876900235632705661, 0.005238800860209499201, 1.77668595445356527e-6, 9.464348894181328456e-17}},
    {60, {0.152436252896695564, 0.0003592814857774758381, 2.034940081104027944e-9, 2.394307262580721999e-25}},
}};

// int phi(z) cos(frequency z) dz by the trapezoidal rule in u, z = tanh(pi/2 sinh(u)): as plain as can be.
long double brute_force_transform(const WindowFunction<long double>& phi, long double frequency) {
  const long double half_pi = std::numbers::pi_v<long double> / 2, step = 1.0L / 64;
  long double sum = 0;
  for (int i = -256; i <= 256; ++i) {
    const long double u = half_pi * std::sinh(i * step), z = std::tanh(u);
    sum += step * half_pi * std::cosh(i * step) / std::pow(std::cosh(u), 2) * phi(z) * std::cos(frequency * z);
  }
  return sum;
}

// The rms over the band of | sum_i phi_i exp(i k x_i) / phihat(k) - exp(i k x) |, over points between two cells.
double interpolation_error(const Window& window) {
  const WindowFunction<double> phi(window);
  const auto rule = gauss_legendre<double>(32);
  double mean = 0;
  for (std::size_t a = 0; a < rule.node.size(); ++a) {
    const double k = (1 + rule.node[a]) / 2 * pi / window.sigma;  // radians a cell
    const double phihat = window.width / 2.0 * phi.transform(k * window.width / 2);
    for (std::size_t b = 0; b < rule.node.size(); ++b) {
      std::complex<double> sum = 0;
      for (int cell = 0; cell < window.width; ++cell) {
        const double offset = (2 * cell + 1 + rule.node[b] - window.width) / 2;
        sum += phi(2 * offset / window.width) * std::polar(1.0, k * offset);
      }
      mean += rule.weight[a] * rule.weight[b] / 4 * std::norm(sum / phihat - 1.0);
    }
  }
  return std::sqrt(mean);
}

TEST(Window, ProlateMatchesReferenceValues) {
  for (const auto& reference : prolate_references) {
    const WindowFunction<double> phi({WindowKind::prolate, 16, 2, reference.c});
    const WindowFunction<long double> precise({WindowKind::prolate, 16, 2, reference.c});
    EXPECT_NEAR(phi(0.0), 1, 1e-15);
    for (int i = 0; i < 4; ++i) {
      const double z = (i + 1) / 4.0;
      EXPECT_NEAR(phi(z), reference.values[i], 1e-15) << "c " << reference.c << " z " << z;
      EXPECT_NEAR(static_cast<double>(precise(z)), reference.values[i], 1e-16 * reference.values[i] + 1e-18);
      EXPECT_EQ(phi(-z), phi(z));
    }
    EXPECT_EQ(phi(1.0001), 0);
  }
}

TEST(Window, SemicircleIsThePapersKernel) {
  for (int width = min_width; width <= max_width; ++width) {
    const Window window = make_window(WindowKind::semicircle, 2.0, width);
    EXPECT_NEAR(window.parameter, 2.30 * width, 1e-12);
    const WindowFunction<double> phi(window);
    EXPECT_NEAR(phi(0.6), std::exp(2.30 * width * (0.8 - 1)), 1e-15);
    EXPECT_NEAR(phi(1.0), std::exp(-2.30 * width), 1e-15);
  }
}

TEST(Window, SemicircleFollowsFinufftAtOtherSigma) {
  const double beta = make_window(WindowKind::semicircle, 1.25, 10).parameter;
  EXPECT_NEAR(beta, 0.976 * pi * 10 * (1 - 1 / 2.5), 5e-3);
}

TEST(Window, TransformMatchesBruteForce) {
  for (const WindowKind kind : {WindowKind::prolate, WindowKind::semicircle}) {
    for (const double sigma : {1.125, 1.5, 2.5}) {
      for (const int width : {2, 3, 8, 16}) {
        const Window window = make_window(kind, sigma, width);
        const WindowFunction<double> phi(window);
        const WindowFunction<long double> precise(window);
        for (const double fraction : {0.0, 0.3, 1.0}) {
          const double frequency = fraction * pi * width / (2 * sigma);
          const long double exact = brute_force_transform(precise, frequency);
          EXPECT_NEAR(phi.transform(frequency), static_cast<double>(exact), 2e-15 * precise.transform(0))
              << "width " << width << " sigma " << sigma << " fraction " << fraction;
          EXPECT_LT(std::abs(precise.transform(frequency) - exact), 2e-18L * precise.transform(0))
              << "width " << width << " sigma " << sigma << " fraction " << fraction;
        }
      }
    }
  }
}

TEST(Window, AliasingErrorIsTheErrorOfInterpolation) {
  for (const WindowKind kind : {WindowKind::prolate, WindowKind::semicircle}) {
    for (const double sigma : {1.15, 1.5, 2.0}) {
      for (const int width : {2, 5, 8, 13}) {
        const Window window = make_window(kind, sigma, width);
        const double measured = interpolation_error(window);
        EXPECT_NEAR(aliasing_error(window).rms / measured, 1, 0.01) << "width " << width << " sigma " << sigma;
      }
    }
  }
}

TEST(Window, ProlateParameterIsNearTheBest) {
  for (const double sigma : {1.125, 1.3, 1.6, 2.0, 2.5}) {
    for (const int width : {2, 4, 7, 11}) {
      const Window window = make_window(WindowKind::prolate, sigma, width);
      const double error = aliasing_error(window).rms;
      for (const double shift : {-0.1, -0.05, 0.05, 0.1}) {
        Window other = window;
        other.parameter += shift;
        EXPECT_LT(error, 1.02 * aliasing_error(other).rms) << "width " << width << " sigma " << sigma;
      }
    }
  }
}

TEST(Window, RejectsWhatItCannotDo) {
  EXPECT_THROW(make_window(WindowKind::prolate, 1.0, 6), Error);
  EXPECT_THROW(make_window(WindowKind::prolate, 2.0, 1), Error);
  EXPECT_THROW(make_window(WindowKind::prolate, 2.0, 17), Error);
}

}  // namespace
}  // namespace offgrid
