// The Gram operator of the points of all ranks: t[m] = sum over j of w[j] exp(-s i m.x[j]) is a transform of type 1 with 2N - 1
// modes along each axis, summed over the ranks; the operator is made from that.
#pragma once

#include "mpi/plan.hpp"

namespace offgrid::mpi::inside {

struct Weights {
  const void* values;
  offgrid_weights kind;
};

offgrid_gram make_gram(const Ranks& ranks, const Request& request, const PointArrays& points, const Weights& weights);

}  // namespace offgrid::mpi::inside
