// The CPU backend: the engine that is always there.
#pragma once

#include <string>

#include "core/engine.hpp"

namespace offgrid::cpu {

Backend backend();
std::string device_line();  // "cpu: ...", with the instruction set that is used

}  // namespace offgrid::cpu
