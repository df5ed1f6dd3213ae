// Where a run goes on. Each rank has checkpoints of its own, and a job may have ended when some ranks had written the last one
// and others had not. The steps of a generation sum over all ranks, so that all of them must go on from the same generation:
// the newest one that each rank has.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mtip/experiment.hpp"
#include "mtip/loop.hpp"
#include "mtip/ranks.hpp"
#include "mtip/types.hpp"

namespace cli::mtip {

// For State::problem: a hash of all that a state depends on. That is the settings, but for the number of starts, which may
// grow; the detector; and this rank's images. The device is no part of it: a run may go on on another one.
std::uint64_t fingerprint(const LoopSettings& loop, const NumericsProblem& problem, const Experiment& experiment,
                          const Ranks& ranks);

// `of_ranks`: of each rank, the states that it could go on from. Nothing where no state is common to all.
std::optional<Position> newest_common(std::span<const std::vector<Position>> of_ranks);

// "4 generations of start 1"
std::string words_of(const Position& position);

// The state to go on from, out of this rank's checkpoint and the earlier one beside it. Collective: all ranks get states of the
// same position, or all throw the same AgreedError.
State agreed_state(const std::string& path, std::uint64_t problem, const Ranks& ranks);

}  // namespace cli::mtip
