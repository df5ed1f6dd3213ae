// Atoms of PDB files, their form factors, and what they scatter.
#include "mtip/files/scattering.hpp"

#include <gtest/gtest.h>
#include <cstdint>

#include <cmath>
#include <numbers>
#include <sstream>

#include "mtip/files/pdb.hpp"
#include "random.hpp"
#include "text.hpp"

namespace {

namespace mtip = cli::mtip;
constexpr double pi = std::numbers::pi;

TEST(FormFactors, StartAtTheNumberOfElectronsAndFall) {
  for (const auto& row : mtip::form_factors()) {
    EXPECT_NEAR(row.at(0), row.electrons, 0.05) << row.element;
    for (double q = 0; q < 3; q += 0.1) EXPECT_GT(row.at(q), row.at(q + 0.1)) << row.element << " at " << q;
    EXPECT_GT(row.at(3.1), 0) << row.element;
  }
}

// Values of International Tables C, table 6.1.1.1 (Hartree-Fock), at sin(theta)/lambda = 0.5, so q = 1.
TEST(FormFactors, AreThoseOfTheTables) {
  EXPECT_NEAR(mtip::find_form_factor("C")->at(1), 1.685, 0.02);
  EXPECT_NEAR(mtip::find_form_factor("O")->at(1), 2.338, 0.02);
  EXPECT_NEAR(mtip::find_form_factor("fe")->at(1), 11.47, 0.1);
  EXPECT_EQ(mtip::find_form_factor("D"), mtip::find_form_factor("H"));
  EXPECT_EQ(mtip::find_form_factor("XX"), nullptr);
}

constexpr const char* small_file =
    "HEADER    A SMALL FILE\n"
    "ATOM      1  N   MET A   1      27.340  24.430   2.614  1.00  9.67           N\n"
    "ATOM      2  CA  MET A   1      26.266  25.413   2.842  0.50 10.38           C\n"
    "HETATM    3 CA    CA A   2      26.913  26.639   3.531                      CA\n"
    "HETATM    4  O   HOH A   3       0.000   0.000   0.000  1.00  0.00           O\n"
    "ATOM      5  CA  MET A   1      25.112  24.880   3.649\n"
    "ATOM      6 HG21 VAL A   4       1.000  -2.000   3.000\n"
    "ENDMDL\n"
    "ATOM      7  N   MET A   1      27.340  24.430   2.614  1.00  9.67           N\n";

TEST(Pdb, ReadsTheFirstModelWithoutItsWater) {
  std::istringstream file(small_file);
  const auto atoms = mtip::read_pdb(file, "small.pdb");
  ASSERT_EQ(atoms.size(), 5u);
  EXPECT_EQ(atoms[0].element->element, "N");
  EXPECT_EQ(atoms[0].at, (std::array<double, 3>{27.340, 24.430, 2.614}));
  EXPECT_EQ(atoms[0].b, 9.67);
  EXPECT_EQ(atoms[1].element->element, "C");
  EXPECT_EQ(atoms[1].occupancy, 0.5);
  EXPECT_EQ(atoms[2].element->element, "CA");  // calcium, with no occupancy: 1
  EXPECT_EQ(atoms[2].occupancy, 1);
  EXPECT_EQ(atoms[3].element->element, "C");  // the element from the name: a carbon
  EXPECT_EQ(atoms[4].element->element, "H");  // a name of four letters
}

TEST(Pdb, SaysWhatIsWrong) {
  const auto message = [](const std::string& text) -> std::string {
    std::istringstream file(text);
    try {
      mtip::read_pdb(file, "x.pdb");
    } catch (const cli::InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("REMARK\n"), "x.pdb: no atoms, expected records ATOM or HETATM of a PDB file");
  EXPECT_NE(
      message("ATOM      1  N   MET A   1      27.3x0  24.430   2.614").find("x.pdb: line 1: x in columns 31 to 38"),
      std::string::npos);
  EXPECT_NE(message("\nATOM      1 QQ   MET A   1      27.340  24.430   2.614").find("line 2: element \"QQ\""),
            std::string::npos);
  EXPECT_NE(message("ATOM      1  N   MET").find("expected a number"), std::string::npos);
  EXPECT_THROW(mtip::read_pdb("/nonexistent.pdb"), cli::InputError);
  const std::string carbon = "ATOM      1  CA  ALA A   1      11.104   6.134  -6.504  ";
  EXPECT_EQ(message(carbon + "0.00  0.00           C\n" + carbon + "0.00  0.00           C"),
            "x.pdb: all its atoms have an occupancy of 0");
  EXPECT_EQ(message(carbon + "-0.5  0.00           C"), "x.pdb: line 1: occupancy is -0.5, expected 0 or more");
}

TEST(Pdb, CentresByElectrons) {
  std::vector<mtip::Atom> atoms{{.element = mtip::find_form_factor("C"), .at = {0, 0, 0}},
                                {.element = mtip::find_form_factor("MG"), .at = {3, 0, 6}}};
  EXPECT_NEAR(mtip::centre_atoms(atoms), std::hypot(2, 4), 1e-12);
  EXPECT_NEAR(atoms[0].at[0], -2, 1e-12);
  EXPECT_NEAR(atoms[1].at[2], 2, 1e-12);
}

std::complex<double> direct_sum(const std::vector<mtip::Atom>& atoms, const std::array<double, 3>& q, bool with_b) {
  std::complex<double> sum = 0;
  const double length = std::hypot(q[0], q[1], q[2]);
  for (const auto& atom : atoms) {
    const double phase = -2 * pi * (q[0] * atom.at[0] + q[1] * atom.at[1] + q[2] * atom.at[2]);
    const double blur = with_b ? std::exp(-std::round(atom.b) * length * length / 4) : 1;
    sum += atom.occupancy * atom.element->at(length) * blur * std::polar(1.0, phase);
  }
  return sum;
}

TEST(Scattering, IsTheSumOverAtoms) {
  const cli::CounterRandom random(5);
  std::vector<mtip::Atom> atoms;
  const auto table = mtip::form_factors();
  for (std::uint64_t i = 0; i < 200; ++i)
    atoms.push_back({.element = &table[random.bits(10 * i) % 5],
                     .at = {random.uniform(10 * i + 1, -20, 20), random.uniform(10 * i + 2, -15, 15),
                            random.uniform(10 * i + 3, -9, 9)},
                     .occupancy = random.uniform(10 * i + 4, 0.2, 1),
                     .b = random.uniform(10 * i + 5, 5, 9)});
  std::array<std::vector<double>, 3> q;
  for (std::uint64_t i = 0; i < 500; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) q[axis].push_back(random.uniform(10000 + 3 * i + axis, -0.25, 0.25));
  for (const bool with_b : {false, true}) {
    const auto values = mtip::scatter(atoms, {q[0], q[1], q[2]}, {.tolerance = 1e-8, .with_b = with_b});
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto expected = direct_sum(atoms, {q[0][i], q[1][i], q[2][i]}, with_b);
      error += std::norm(values[i] - expected);
      norm += std::norm(expected);
    }
    EXPECT_LT(std::sqrt(error / norm), 5e-8);
  }
}

}  // namespace
