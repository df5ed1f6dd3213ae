// What the engine tells core about itself, so that sigma and width are chosen for the method that will run.
#pragma once

#include "core/design.hpp"
#include "cuda/device.hpp"

namespace offgrid::cuda {

// Picoseconds that one vector takes on this device: its points by the method that is chosen for them, and its FFT.
double transform_time(const TransformShape& shape, const DeviceLimits& device);

BackendTraits cost_traits(const DeviceLimits& device);

}  // namespace offgrid::cuda
