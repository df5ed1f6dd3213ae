// What atoms scatter: F(q) = sum over atoms j of o_j f_j(abs(q)) exp(-2 pi i q.r_j), by one type 3 transform per kind of atom,
// from positions in Angstrom to scattering vectors in 1/Angstrom. All atoms of a kind share a form factor and a temperature
// factor B, so that F = sum over kinds f_kind(abs(q)) exp(-B abs(q)^2/4) type3[o](q).
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "gpu.hpp"
#include "mtip/files/pdb.hpp"

namespace cli::mtip {

// Scattering vectors, one array per axis.
using ScatteringVectors = std::array<std::span<const double>, 3>;

struct ScatteringSettings {
  double tolerance = 1e-6;
  Place place = Place::host;
  bool with_b = false;  // with the temperature factors, rounded to whole Angstrom^2
};

// F at each vector. The vectors are worked on in chunks, so that memory does not grow with their number.
std::vector<std::complex<double>> scatter(std::span<const Atom> atoms, const ScatteringVectors& q,
                                          const ScatteringSettings& settings = {});

}  // namespace cli::mtip
