// The part of the accuracy table that is of type 3: products X S of the half-widths of the boxes from 1e-3 to 1e5, boxes around
// the origin and far from it, and points and targets that lie in them evenly and unevenly.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "accuracy/accuracy_cases.hpp"
#include "plan_flags.hpp"
#include "progress.hpp"

namespace cli {

struct Type3Size {
  std::string name;
  std::vector<double> product;  // X S along each axis
  std::int64_t points = 0, targets = 0;
};

std::vector<Type3Size> type3_sizes_for(int dim, Extent extent);

// 1e-1 down to 1e-12 for f64 and to 1e-5 for f32, by decades.
std::vector<double> type3_tolerances_for(const std::string& precision, Extent extent);

enum class Type3Set {
  uniform,     // points and targets all over boxes around the origin
  off_centre,  // both boxes far away from it, compared with their sizes
  clustered,   // nearly all points about the middle of their box, and nearly all targets of theirs
  ends,        // targets at the ends of their box, where the kernel's Fourier transform is least
  scales,      // points in large units, targets in small ones, others along each axis
  repeated     // one point, again and again
};

inline constexpr Type3Set all_type3_sets[] = {Type3Set::uniform, Type3Set::off_centre, Type3Set::clustered,
                                              Type3Set::ends,    Type3Set::scales,     Type3Set::repeated};

const char* name_of(Type3Set set);

// One row of the table: everything but the points and the tolerance.
struct Type3Row {
  std::string precision;
  Type3Size size;
  std::vector<double> tolerances;
  std::vector<Type3Set> sets;

  [[nodiscard]] std::size_t cells() const { return tolerances.size() * sets.size(); }
};

// Appends an entry for each set and tolerance of the row.
void measure_type3(const Type3Row& row, const PlanFlags& flags, std::vector<AccuracyCell>& cells, ProgressBar& bar);

}  // namespace cli
