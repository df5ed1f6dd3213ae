#include "core/kernel/window.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/error.hpp"

namespace offgrid {
namespace {

template <class Real> constexpr Real pi = std::numbers::pi_v<Real>;

// Lowest eigenvector of (A - shift), a symmetric tridiagonal matrix that shift leaves positive definite but only just:
// inverse iteration then gains two digits or more a step. diagonal[k] is A(k, k) - shift, beside[k] is A(k, k + 1).
template <class Real>
std::vector<Real> lowest_eigenvector(const std::vector<Real>& diagonal, const std::vector<Real>& beside) {
  const int size = static_cast<int>(diagonal.size());
  std::vector<Real> inverse_pivot(size), lower(size), x(size, Real(0));
  inverse_pivot[0] = 1 / diagonal[0];
  for (int k = 1; k < size; ++k) {
    lower[k] = beside[k - 1] * inverse_pivot[k - 1];
    inverse_pivot[k] = 1 / (diagonal[k] - lower[k] * beside[k - 1]);
  }
  x[0] = 1;
  for (int step = 0; step < 10; ++step) {
    for (int k = 1; k < size; ++k) x[k] -= lower[k] * x[k - 1];
    x[size - 1] *= inverse_pivot[size - 1];
    for (int k = size - 2; k >= 0; --k) x[k] = x[k] * inverse_pivot[k] - lower[k + 1] * x[k + 1];
    const Real scale = 1 / x[0];
    for (Real& value : x) value *= scale;
  }
  return x;
}

// Coefficients of P_0, P_2, P_4, .. in a multiple of psi_0(c; z), for c >= 2: the ground state of the prolate
// differential operator in the normalised even Legendre polynomials (Xiao, Rokhlin and Yarvin, 2001).
template <class Real> std::vector<Real> prolate_legendre(Real c) {
  const int terms = 18 + static_cast<int>(0.7 * c);
  const Real eigenvalue = c - Real(0.75) - 3 / (16 * c) - 15 / (64 * c * c);  // for large c, and close to it at 2
  const Real shift = eigenvalue - Real(0.05);
  std::vector<Real> diagonal(terms), beside(terms);
  for (int k = 0; k < terms; ++k) {
    const Real n = 2 * k;
    diagonal[k] = n * (n + 1) + (2 * n * (n + 1) - 1) / ((2 * n + 3) * (2 * n - 1)) * c * c - shift;
    beside[k] = (n + 1) * (n + 2) / ((2 * n + 3) * std::sqrt((2 * n + 1) * (2 * n + 5))) * c * c;
  }
  std::vector<Real> series = lowest_eigenvector(diagonal, beside);
  for (int k = 0; k < terms; ++k) series[k] *= std::sqrt(Real(4 * k + 1));
  return series;
}

// The same even function in T_0, T_2, T_4, .., whose sum needs no divisions:
// P_2k = sum_j (2 - [j = 0]) a(k - j) a(k + j) T_2j with a(m) = binomial(2m, m) / 4^m.
template <class Real> std::vector<Real> legendre_to_chebyshev(const std::vector<Real>& legendre) {
  const int terms = static_cast<int>(legendre.size());
  std::vector<Real> a(2 * terms, Real(1)), chebyshev(terms, Real(0));
  for (int m = 1; m < 2 * terms; ++m) a[m] = a[m - 1] * (2 * m - 1) / (2 * m);
  for (int j = 0; j < terms; ++j) {
    for (int k = j; k < terms; ++k) chebyshev[j] += legendre[k] * a[k - j] * a[k + j];
    if (j > 0) chebyshev[j] *= 2;
  }
  return chebyshev;
}

// sum_j series[j] T_2j(z) by Clenshaw's recurrence, T_2j(z) being T_j(2 z^2 - 1).
template <class Real> Real even_chebyshev_sum(const std::vector<Real>& series, Real z) {
  const Real u = 2 * z * z - 1;
  Real next = 0, after = 0;
  for (std::size_t j = series.size() - 1; j > 0; --j) {
    const Real current = 2 * u * next - after + series[j];
    after = next;
    next = current;
  }
  return u * next - after + series[0];
}

// Rule for int phi(z) cos(frequency z) dz, nodes 0 < z < 1 and weights that include phi, good to rounding error up to
// max_frequency. z = sin(theta) takes away the square-root ends of the semicircle: Gauss-Legendre then converges fast.
template <class Real>
Quadrature<Real> transform_rule(const WindowFunction<Real>& phi, double parameter, double max_frequency) {
  const int count = 20 + static_cast<int>(0.45 * max_frequency + 0.25 * parameter);
  Quadrature<Real> rule = gauss_legendre<Real>(count);
  for (int i = 0; i < count; ++i) {
    const Real theta = pi<Real> / 4 * (1 + rule.node[i]);
    rule.node[i] = std::sin(theta);
    rule.weight[i] *= pi<Real> / 2 * std::cos(theta) * phi(rule.node[i]);
  }
  return rule;
}

// The frequency of mode n/2, the last that a grid of n cells tells apart.
double highest_of_grid(const Window& window) { return std::numbers::pi * window.width / 2; }

template <class Real> Real cosine_sum(const Quadrature<Real>& rule, Real frequency) {
  Real sum = 0;
  for (std::size_t i = 0; i < rule.node.size(); ++i) sum += rule.weight[i] * std::cos(frequency * rule.node[i]);
  return sum;
}

// The band of psi_0 ends where the first alias begins, at pi w (1 - 1 / (2 sigma)), less a correction fitted to the
// least rms error: it gains up to 20 % on the plain formula and comes within 2 % of the best c (0.5 % from width 3 on).
// The modes must stay inside the band, where transform() holds; that binds for width 2 and sigma < 1.08 only.
double prolate_parameter(double sigma, int width) {
  const double first_alias = std::numbers::pi * width * (1 - 1 / (2 * sigma));
  const double last_mode = std::numbers::pi * width / (2 * sigma);
  return std::max(first_alias - 0.96 / (sigma * width), last_mode);
}

// The paper's beta = 2.30 w at sigma = 2, and the same fraction of the largest useful one, pi w (1 - 1 / (2 sigma)),
// elsewhere.
double semicircle_parameter(double sigma, int width) { return 2.30 * width * (1 - 1 / (2 * sigma)) / 0.75; }

// e_k^2 for the mode at position = k / n. Its terms fall as 1/m^2 in the end, which gives the rest of the sum.
template <class Real> Real aliasing_square(const Quadrature<Real>& rule, int width, Real position, int terms) {
  const Real here = cosine_sum(rule, pi<Real> * width * position);
  Real sum = 0, last = 0;
  for (int m = 1; m <= terms; ++m) {
    const Real above = cosine_sum(rule, pi<Real> * width * (m + position));
    const Real below = cosine_sum(rule, pi<Real> * width * (m - position));
    last = above * above + below * below;
    sum += last;
  }
  return (sum + last * terms * terms / (terms + Real(0.5))) / (here * here);
}

}  // namespace

Window make_window(WindowKind kind, double sigma, int width) {
  if (!(sigma > 1)) throw Error(Status::invalid_argument, "upsampling " + std::to_string(sigma) + " must exceed 1");
  if (width < min_width || width > max_width)
    throw Error(Status::invalid_argument, "kernel width " + std::to_string(width) + " is not in 2..16");
  const double tuned = std::min(sigma, max_sigma);
  if (kind == WindowKind::semicircle) return {kind, width, sigma, semicircle_parameter(tuned, width)};
  return {WindowKind::prolate, width, sigma, prolate_parameter(tuned, width)};
}

template <class Real> WindowFunction<Real>::WindowFunction(const Window& window) : window_(window) {
  if (window.kind == WindowKind::prolate) {
    const std::vector<Real> legendre = prolate_legendre(Real(window.parameter));
    series_ = legendre_to_chebyshev(legendre);
    const Real peak = even_chebyshev_sum(series_, Real(0));
    for (Real& coefficient : series_) coefficient /= peak;
    integral_ = 2 * legendre[0] / peak;
  } else {
    quadrature_ = transform_rule(*this, window.parameter, highest_of_grid(window));
  }
}

template <class Real> Real WindowFunction<Real>::operator()(Real z) const {
  if (std::abs(z) > 1) return 0;
  if (window_.kind == WindowKind::prolate) return even_chebyshev_sum(series_, z);
  return std::exp(-Real(window_.parameter) * z * z / (1 + std::sqrt(1 - z * z)));  // sqrt - 1 without cancellation
}

template <class Real> Real WindowFunction<Real>::transform(Real frequency) const {
  // psi_0 is an eigenfunction of the finite Fourier transform: int psi_0(z) cos(c x z) dz = mu psi_0(x).
  const bool prolate = window_.kind == WindowKind::prolate;
  const auto size = static_cast<double>(std::abs(frequency));
  if (prolate && size <= window_.parameter) return integral_ * (*this)(frequency / Real(window_.parameter));
  if (!prolate && size <= highest_of_grid(window_)) return cosine_sum(quadrature_, frequency);
  return cosine_sum(transform_rule(*this, window_.parameter, size), frequency);
}

AliasingError aliasing_error(const Window& window) {
  using Real = long double;  // the sum sees values of phihat below the rounding error of doubles
  const int terms = 8;
  const WindowFunction<Real> phi(window);
  const Quadrature<Real> rule = transform_rule(phi, window.parameter, std::numbers::pi * window.width * (terms + 0.5));
  const Quadrature<Real> band = gauss_legendre<Real>(24);
  const Real edge = 1 / (2 * Real(window.sigma));
  Real mean = 0, largest = aliasing_square(rule, window.width, edge, terms);
  for (std::size_t i = 0; i < band.node.size(); ++i) {
    const Real square = aliasing_square(rule, window.width, edge * (1 + band.node[i]) / 2, terms);
    mean += band.weight[i] / 2 * square;
    largest = std::max(largest, square);
  }
  return {static_cast<double>(std::sqrt(mean)), static_cast<double>(std::sqrt(largest))};
}

template class WindowFunction<double>;
template class WindowFunction<long double>;

}  // namespace offgrid
