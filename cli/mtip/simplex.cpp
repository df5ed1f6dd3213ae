#include "mtip/simplex.hpp"

#include <algorithm>

namespace cli::mtip {
namespace {

using Numbers = std::vector<double>;

struct Corner {
  Numbers at;
  double value;
};

class Simplex {
 public:
  Simplex(const std::function<double(const Numbers&)>& function, const Numbers& start, const SimplexSearch& search)
      : function_(function), left_(search.evaluations) {
    corners_.push_back(corner(start));
    for (std::size_t i = 0; i < start.size(); ++i) {
      Numbers moved = start;
      moved[i] += search.steps[i];
      corners_.push_back(corner(moved));
    }
  }

  Numbers run() {
    sort();
    for (; left_ > 0; sort()) step();
    return corners_.front().at;
  }

 private:
  Corner corner(const Numbers& at) {
    --left_;
    return {at, function_(at)};
  }

  void sort() {
    std::sort(corners_.begin(), corners_.end(), [](const Corner& a, const Corner& b) { return a.value < b.value; });
  }

  // from + factor (to - from)
  static Numbers between(const Numbers& from, const Numbers& to, double factor) {
    Numbers result = from;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += factor * (to[i] - from[i]);
    return result;
  }

  // Reflect the worst corner; go on where that is best, draw it in where it stays worst, and else shrink towards the best.
  void step() {
    const std::size_t last = corners_.size() - 1;
    Numbers centre(corners_[0].at.size());
    for (std::size_t c = 0; c < last; ++c)
      for (std::size_t i = 0; i < centre.size(); ++i) centre[i] += corners_[c].at[i] / static_cast<double>(last);
    Corner& worst = corners_[last];
    const Corner reflected = corner(between(centre, worst.at, -1));
    if (reflected.value < corners_[0].value) {
      const Corner further = corner(between(centre, worst.at, -2));
      worst = further.value < reflected.value ? further : reflected;
      return;
    }
    if (reflected.value < corners_[last - 1].value) {
      worst = reflected;
      return;
    }
    const bool outside = reflected.value < worst.value;
    const Corner drawn_in = corner(between(centre, worst.at, outside ? -0.5 : 0.5));
    if (drawn_in.value < std::min(reflected.value, worst.value)) {
      worst = drawn_in;
      return;
    }
    for (std::size_t c = 1; c <= last; ++c) corners_[c] = corner(between(corners_[0].at, corners_[c].at, 0.5));
  }

  const std::function<double(const Numbers&)>& function_;
  int left_;
  std::vector<Corner> corners_;
};

}  // namespace

std::vector<double> minimise(const std::function<double(const std::vector<double>&)>& function,
                             const std::vector<double>& start, const SimplexSearch& search) {
  return Simplex(function, start, search).run();
}

}  // namespace cli::mtip
