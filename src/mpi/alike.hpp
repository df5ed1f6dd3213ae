// What all ranks must have been given alike. Otherwise sums over the ranks would have another length on one rank than on the
// next, and would end in a crash or never. All of these are collective.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "mpi/plan.hpp"

namespace offgrid::mpi::inside {

// What a rank was given, such as "tolerance = 1e-06": as many entries on every rank, in the same order.
using Given = std::vector<std::string>;

// What a plan or an operator is made from. Left out is what a rank may choose for itself: threads, points_hint, and with
// replicated modes the device.
Given given_of(const Request& request, offgrid_mpi_layout layout);

// Where a rank was given something else than rank 0, all ranks throw an error that names what, and the lowest such rank.
void require_alike(const Ranks& ranks, const Given& mine);

// The same for numbers, {"count", 10}: one short message where they are alike.
struct Named {
  const char* name;
  std::int64_t number;
};
void require_same(const Ranks& ranks, std::initializer_list<Named> mine);

// One number from each rank.
std::vector<std::int64_t> number_of_each(const Ranks& ranks, std::int64_t mine);

// "rank 2 has 7 targets, and rank 0 has 9" of the lowest rank that has another number than rank 0, the same words on all ranks;
// empty where all have the same.
std::string difference(const Ranks& ranks, const char* what, std::int64_t mine);

}  // namespace offgrid::mpi::inside
