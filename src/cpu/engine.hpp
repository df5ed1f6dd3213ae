// The CPU backend: the engine that is always there.
#pragma once

#include <memory>
#include <string>

#include "core/engine.hpp"

namespace offgrid::cpu {

Backend backend();

// Engines that hold no more memory than this.
std::unique_ptr<Engine<float>> make_f32(const Design& design, const MemoryLimit& limit);
std::unique_ptr<Engine<double>> make_f64(const Design& design, const MemoryLimit& limit);

void release_memory();  // that is kept for later plans

std::string device_line();  // "cpu: ...", with the instruction set that is used

}  // namespace offgrid::cpu
