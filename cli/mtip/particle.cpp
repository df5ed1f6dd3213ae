#include "mtip/particle.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "mtip/rotations.hpp"
#include "random.hpp"
#include "text.hpp"

namespace cli::mtip {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double atom_sigma = 0.6;
constexpr Vector3 half_axes{6.5, 4.9, 3.9};  // of the ellipsoid around atoms

// The next numbers of a stream.
class Stream {
 public:
  explicit Stream(std::uint64_t seed) : random_(seed) {}
  double uniform() { return random_.uniform(next_++); }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  Vector3 in_ball() {
    next_ = (next_ + 7) / 8 * 8 + 8;
    return random_in_ball(random_, next_ / 8 - 1);
  }
  Vector3 direction() {
    Vector3 v = in_ball();
    const double length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (double& part : v) part /= length;
    return v;
  }
  // As many electrons as carbon, nitrogen or oxygen have, in the proportions of a protein.
  double electrons() {
    const double u = uniform();
    return u < 0.6 ? 6 : u < 0.8 ? 7 : 8;
  }

 private:
  CounterRandom random_;
  std::uint64_t next_ = 0;
};

double integral(const Gaussian& g) {
  static const double unit = std::pow(2 * pi, 1.5);
  return unit * g.weight * g.sigma * g.sigma * g.sigma;
}

double distance(const Vector3& a, const Vector3& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

bool keeps_apart(const std::vector<Gaussian>& parts, const Vector3& at, double least) {
  return std::all_of(parts.begin(), parts.end(), [&](const Gaussian& g) { return distance(g.centre, at) > least; });
}

std::vector<Gaussian> make_gauss(double scale, Stream& stream) {
  const int count = static_cast<int>(std::lround(15 * scale * scale));
  std::vector<Gaussian> parts;
  for (int i = 0; i < count; ++i) {
    Vector3 centre = stream.in_ball();
    for (double& part : centre) part *= 5.5 * scale;
    const double sigma = stream.uniform(0.7, 1.5);
    parts.push_back({.centre = centre, .sigma = sigma, .weight = stream.uniform(0.5, 2) / std::pow(sigma, 1.5)});
  }
  return parts;
}

std::vector<Gaussian> make_body(double scale, Stream& stream) {
  const auto count = static_cast<std::size_t>(std::lround(100 * scale * scale * scale));
  std::vector<Gaussian> parts;
  while (parts.size() < count) {
    Vector3 centre = stream.in_ball();
    for (std::size_t a = 0; a < 3; ++a) centre[a] *= half_axes[a] * scale;
    if (!keeps_apart(parts, centre, 1.2)) continue;
    parts.push_back({.centre = centre, .sigma = atom_sigma, .weight = stream.electrons()});
  }
  return parts;
}

// A step of length 1 from the last atom; where that leaves the ellipsoid or comes too near to another atom, now and then a
// branch from an earlier atom.
std::vector<Gaussian> make_chain(double scale, Stream& stream) {
  const auto count = static_cast<std::size_t>(std::lround(60 * scale * scale * scale));
  std::vector<Gaussian> parts{{.centre = {}, .sigma = atom_sigma, .weight = stream.electrons()}};
  while (parts.size() < count) {
    const Vector3 step = stream.direction();
    const bool branch = stream.uniform() < 0.2;
    const auto from =
        branch ? static_cast<std::size_t>(stream.uniform() * static_cast<double>(parts.size())) : parts.size() - 1;
    Vector3 at = parts[from].centre;
    double inside = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      at[a] += step[a];
      inside += at[a] * at[a] / (half_axes[a] * half_axes[a] * scale * scale);
    }
    if (inside > 1 || !keeps_apart(parts, at, 0.8)) continue;
    parts.push_back({.centre = at, .sigma = atom_sigma, .weight = stream.electrons()});
  }
  return parts;
}

void centre(std::vector<Gaussian>& parts) {
  Vector3 sum{};
  double mass = 0;
  for (const Gaussian& g : parts) {
    const double m = g.weight * g.sigma * g.sigma * g.sigma;
    for (std::size_t a = 0; a < 3; ++a) sum[a] += m * g.centre[a];
    mass += m;
  }
  for (Gaussian& g : parts)
    for (std::size_t a = 0; a < 3; ++a) g.centre[a] -= sum[a] / mass;
}

}  // namespace

std::complex<double> Particle::transform(const Vector3& q) const {
  const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
  std::complex<double> sum = 0;
  for (const Gaussian& g : parts) {
    const double size = integral(g) * std::exp(-2 * pi * pi * g.sigma * g.sigma * square);
    const double phase = -2 * pi * (q[0] * g.centre[0] + q[1] * g.centre[1] + q[2] * g.centre[2]);
    sum += std::complex<double>(size * std::cos(phase), size * std::sin(phase));
  }
  return sum;
}

double Particle::density(const Vector3& r) const {
  double sum = 0;
  for (const Gaussian& g : parts) {
    const double far = distance(r, g.centre) / g.sigma;
    sum += g.weight * std::exp(-far * far / 2);
  }
  return sum;
}

const std::vector<std::string>& particle_names() {
  static const std::vector<std::string> names{"gauss", "body", "chain"};
  return names;
}

ParticleKind particle_kind(const std::string& name) {
  const auto& names = particle_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw InputError("particle \"" + name + "\" is not known; expected gauss, body or chain");
  return static_cast<ParticleKind>(found - names.begin());
}

Particle make_particle(ParticleKind kind, double scale, std::uint64_t seed) {
  Stream stream(seed);
  Particle particle{kind == ParticleKind::gauss  ? make_gauss(scale, stream)
                    : kind == ParticleKind::body ? make_body(scale, stream)
                                                 : make_chain(scale, stream)};
  centre(particle.parts);
  return particle;
}

}  // namespace cli::mtip
