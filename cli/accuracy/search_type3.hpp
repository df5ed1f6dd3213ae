// The adversary's cases of type 3: boxes of very different sizes and places, and points and targets that lie in them as they
// have broken transforms before. Both come from lists of places, which they take in turn, so that many of them have a
// reference that is quick to compute. A case is a pure function of (seed, number).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "accuracy/search_cases.hpp"
#include "accuracy/search_ratios.hpp"
#include "plan_flags.hpp"

namespace cli {

enum class Type3Spot { uniform, cluster, few, line, lattice, ends };

// The box of one side along an axis; and how its points lie in the boxes.
struct Type3SearchBox {
  double centre = 0, half = 1;
};
struct Type3SearchSide {
  std::array<Type3SearchBox, 3> box{};
  std::int64_t places = 1, count = 1;
  Type3Spot spot = Type3Spot::uniform;
  std::uint64_t seed = 1;
};

struct Type3SearchCase : SearchData {
  std::int64_t number = 0;
  int dim = 1;
  bool f64 = false, adjoint = false, negative = false, by_grids = false;
  double tolerance = 1e-6;
  Type3SearchSide points, targets;

  [[nodiscard]] std::string name() const;
};

Type3SearchCase make_type3_search_case(std::uint64_t seed, std::int64_t number);

Ratios measure_type3(const Type3SearchCase& one, const PlanFlags& flags);

}  // namespace cli
