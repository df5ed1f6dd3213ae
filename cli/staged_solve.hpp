// Density weights and least squares for arrays of the host, wherever they are found: on a GPU they are copied there and back.
#pragma once

#include "offgrid/solve.hpp"
#include "staged_plan.hpp"

namespace cli {

template <class T>
std::vector<T> staged_weights(const offgrid::Problem& problem, const AxisSpans<T>& axes,
                              const offgrid::Iteration& iteration, Place place) {
  const PlacedAxes<T> there(place, axes);
  std::vector<T> weights(axes[0].size());
  PlacedArray<T> result(place, weights.size());
  offgrid::density_weights<T>(placed(problem, place), there.axes, result.span(), iteration);
  result.copy_to(weights);
  return weights;
}

template <class T>
std::vector<std::complex<T>> staged_inverse(const offgrid::Problem& problem, const AxisSpans<T>& axes,
                                            std::span<const std::complex<T>> values,
                                            const offgrid::LeastSquares<T>& asked, Place place) {
  using Complex = std::complex<T>;
  std::vector<Complex> found(static_cast<std::size_t>(mode_count(problem.modes)));
  if (place == Place::host) {
    offgrid::inverse<T>(placed(problem, place), axes, values, asked, found);
    return found;
  }
  const PlacedAxes<T> points(place, axes);
  PlacedArray<Complex> from(place, values), coils(place, asked.coils), start(place, asked.start),
      to(place, found.size());
  PlacedArray<T> weights(place, asked.weights);
  offgrid::LeastSquares<T> there = asked;
  there.weights = weights.span();
  there.coils = coils.span();
  there.start = start.span();
  offgrid::inverse<T>(placed(problem, place), points.axes, from.span(), there, to.span());
  to.copy_to(found);
  return found;
}

}  // namespace cli
