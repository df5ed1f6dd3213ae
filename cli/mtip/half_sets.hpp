// Half sets: the even and the odd images are merged apart, with the orientations that all of them have led to. Up to the |q|
// where the two sets of amplitudes agree, the images support the density; beyond it a half has too few of them, or they are too
// noisy. It is the FSC of half maps of cryo-electron microscopy and the CC1/2 of crystallography, before any phasing: so there
// is neither an origin nor a hand to be found.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mtip/numerics.hpp"

namespace cli::mtip {

// The amplitudes of both halves, as of Numerics::amplitudes; a later merge replaces those of `numerics`. `settings` without a
// selection of images. Collective over the ranks: where ranks have one or three images each, the halves are still alike in
// size.
std::array<std::vector<float>, 2> merge_half_sets(Numerics& numerics, std::span<const Rotation> rotations,
                                                  MergeSettings settings, int rank);

}  // namespace cli::mtip
