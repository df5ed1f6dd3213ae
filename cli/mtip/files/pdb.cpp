#include "mtip/files/pdb.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>

#include "text.hpp"

namespace cli::mtip {
namespace {

// Columns are counted from 1, and both ends belong to the field. Blanks around it are left out.
std::string field(const std::string& line, std::size_t first, std::size_t last) {
  if (line.size() < first) return {};
  std::string text = line.substr(first - 1, last - first + 1);
  const auto blank = [](unsigned char letter) { return std::isspace(letter) != 0; };
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), blank));
  text.erase(std::find_if_not(text.rbegin(), text.rend(), blank).base(), text.end());
  return text;
}

struct Line {
  const std::string& text;
  const std::string& file;
  std::size_t number;

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(file + format(": line %zu: ", number) + what);
  }
  [[nodiscard]] double real(std::size_t first, std::size_t last, const char* name) const {
    const std::string word = field(text, first, last);
    double value = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (problem != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
      refuse(format("%s in columns %zu to %zu is \"%s\", expected a number", name, first, last, word.c_str()));
    return value;
  }
  [[nodiscard]] double real_or(double otherwise, std::size_t first, std::size_t last, const char* name) const {
    return field(text, first, last).empty() ? otherwise : real(first, last, name);
  }
};

// In the columns 13 and 14 of the name an element stands to the right: " CA " is a carbon, "CA  " is calcium. Names of hydrogen
// may begin with a digit or fill all four columns.
std::string element_of_name(const Line& line) {
  std::string word = field(line.text, 13, 14);
  std::erase_if(word, [](unsigned char letter) { return std::isalpha(letter) == 0; });
  const bool four_letters = field(line.text, 13, 16).size() == 4;
  if (four_letters && !word.empty() && (word[0] == 'H' || word[0] == 'h')) return "H";
  return word;
}

const FormFactor* element_of(const Line& line) {
  std::string word = field(line.text, 77, 78);
  std::erase_if(word, [](unsigned char letter) { return std::isalpha(letter) == 0; });
  if (word.empty()) word = element_of_name(line);
  const FormFactor* element = find_form_factor(word);
  if (element == nullptr) line.refuse("element \"" + word + "\" has no form factor here");
  return element;
}

bool is_water(const Line& line) {
  const std::string residue = field(line.text, 18, 20);
  return residue == "HOH" || residue == "WAT" || residue == "DOD";
}

double occupancy_of(const Line& line) {
  const double occupancy = line.real_or(1, 55, 60, "occupancy");
  if (occupancy < 0) line.refuse(format("occupancy is %g, expected 0 or more", occupancy));
  return occupancy;
}

Atom atom_of(const Line& line) {
  return {.element = element_of(line),
          .at = {line.real(31, 38, "x"), line.real(39, 46, "y"), line.real(47, 54, "z")},
          .occupancy = occupancy_of(line),
          .b = line.real_or(0, 61, 66, "temperature factor")};
}

}  // namespace

std::vector<Atom> read_pdb(std::istream& file, const std::string& name) {
  std::vector<Atom> atoms;
  std::string text;
  for (std::size_t number = 1; std::getline(file, text); ++number) {
    const Line line{text, name, number};
    const std::string record = field(text, 1, 6);
    if (record == "ENDMDL") break;
    if ((record == "ATOM" || record == "HETATM") && !is_water(line)) atoms.push_back(atom_of(line));
  }
  if (atoms.empty()) throw InputError(name + ": no atoms, expected records ATOM or HETATM of a PDB file");
  if (std::all_of(atoms.begin(), atoms.end(), [](const Atom& atom) { return atom.occupancy == 0; }))
    throw InputError(name + ": all its atoms have an occupancy of 0");
  return atoms;
}

std::vector<Atom> read_pdb(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError(path + ": cannot open it");
  return read_pdb(file, path);
}

double centre_atoms(std::vector<Atom>& atoms) {
  std::array<double, 3> centre{};
  double electrons = 0;
  for (const Atom& atom : atoms) {
    const double weight = atom.occupancy * atom.element->electrons;
    electrons += weight;
    for (std::size_t axis = 0; axis < 3; ++axis) centre[axis] += weight * atom.at[axis];
  }
  double radius = 0;
  for (Atom& atom : atoms) {
    for (std::size_t axis = 0; axis < 3; ++axis) atom.at[axis] -= centre[axis] / electrons;
    radius = std::max(radius, std::hypot(atom.at[0], atom.at[1], atom.at[2]));
  }
  return radius;
}

}  // namespace cli::mtip
