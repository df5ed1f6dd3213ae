// The handle of a communicator. A handle that was destroyed, or never was one, has another first word.
#pragma once

#include <cstdint>
#include <memory>

#include "mpi/guard.hpp"
#include "mpi/ranks.hpp"

struct offgrid_mpi_comm_s {
  std::uint64_t magic;
  std::shared_ptr<const offgrid::mpi::inside::Ranks> ranks;  // plans keep it, too
};

namespace offgrid::mpi::inside {

constexpr std::uint64_t comm_magic = 0x6f66666772696d63;

const Ranks& checked(offgrid_mpi_comm comm);

}  // namespace offgrid::mpi::inside
