// Atoms from a PDB file: the records ATOM and HETATM of the first model, in fixed columns.
//   1-6 record   13-16 name   17 alternate location   18-20 residue   31-54 x, y, z in Angstrom   55-60 occupancy
//   61-66 temperature factor B   77-78 element
// Where the element is missing, as in old files, it comes from the columns 13 and 14 of the name. Water (HOH, WAT, DOD) is left
// out: a particle in a beam of X-rays flies without its crystal's water. Of alternate locations all are kept, with their
// occupancies, which add to one.
#pragma once

#include <array>
#include <istream>
#include <string>
#include <vector>

#include "mtip/files/form_factors.hpp"

namespace cli::mtip {

struct Atom {
  const FormFactor* element;
  std::array<double, 3> at;  // Angstrom
  double occupancy = 1;
  double b = 0;  // Angstrom^2; the atom scatters with exp(-b abs(q)^2/4) more
};

// `name` is for messages. Throws InputError for a coordinate that is none, an element without a form factor, no atoms at all.
std::vector<Atom> read_pdb(std::istream& file, const std::string& name);
std::vector<Atom> read_pdb(const std::string& path);

// The centre of all electrons comes to the origin; returns the radius of the ball around it that holds the atoms' centres.
double centre_atoms(std::vector<Atom>& atoms);

}  // namespace cli::mtip
