// Atomic form factors for X-rays: how strongly an atom scatters at a scattering vector q, in electrons,
//   f(q) = sum_i a_i exp(-b_i s^2) + c,  s = abs(q)/2 in 1/Angstrom,
// with the nine coefficients of Cromer and Mann (International Tables for Crystallography, volume C, table 6.1.1.4), which hold
// for s < 2 / Angstrom. f(0) is the number of electrons.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace cli::mtip {

struct FormFactor {
  std::string_view element;  // "C", "FE"; capitals, as PDB files have them
  int electrons;             // of the neutral atom
  std::array<double, 4> a, b;
  double c;

  // `q` in 1/Angstrom.
  [[nodiscard]] double at(double q) const;
};

std::span<const FormFactor> form_factors();

// The row of an element in any case; null where the table has none. Deuterium counts as hydrogen.
const FormFactor* find_form_factor(std::string_view element);

}  // namespace cli::mtip
