// The adversary of `offgrid accuracy --search`: transforms drawn at random from what has broken nonuniform FFTs before.
// Points come from a list of places, which they take in turn, so that millions of them have a reference that is quick to
// compute. A case is a pure function of (seed, number).
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace cli {

enum class Spot { uniform, cluster, few, stride, line, nodes, edges, mode_spacing, far };
enum class Data { random, equal, one_sign, alternating, alone, ranging };

inline constexpr std::int64_t data_kinds = 6;
const char* name_of(Data data);

// What goes into a case of any type.
struct SearchData {
  Data data = Data::random;
  double scale = 1;  // of all data
  std::uint64_t seed = 1;
};

struct SearchCase : SearchData {
  std::int64_t number = 0;
  int dim = 1, type = 1;
  bool f64 = false, adjoint = false;  // adjoint: of a plan of the other type
  std::vector<std::int64_t> modes;
  double tolerance = 1e-6;
  std::int64_t places = 1, points = 1;
  std::int64_t hint = 0;  // what the plan is told of the number of points; 0: nothing
  Spot spot = Spot::uniform;

  [[nodiscard]] std::string name() const;
};

SearchCase make_search_case(std::uint64_t seed, std::int64_t number);

// Coordinates of the places: [axis][place]. `grid`: cells of the plan's grid per axis, whose nodes some places are on.
std::vector<std::vector<double>> search_places(const SearchCase& one, const std::vector<std::int64_t>& grid);

// Element i of the strengths or modes, of which there are `count`.
std::complex<double> search_value(const SearchData& one, std::int64_t i, std::int64_t count);

}  // namespace cli
