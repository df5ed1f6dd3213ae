#include "cpu/engine.hpp"

#include "core/text.hpp"
#include "cpu/instructions.hpp"
#include "cpu/plain_engine.hpp"
#include "cpu/policy.hpp"
#include "cpu/threads.hpp"
#include "cpu/wide_engine.hpp"

namespace offgrid::cpu {
namespace {

std::unique_ptr<Engine<float>> make_f32(const Design& design) { return std::make_unique<WideEngine>(design); }
std::unique_ptr<Engine<double>> make_f64(const Design& design) { return std::make_unique<PlainEngine<double>>(design); }

}  // namespace

Backend backend() { return {cost_traits(vector_bytes()), make_f32, make_f64}; }

std::string device_line() { return text("cpu: ", available_threads(), " threads, ", instruction_set()); }

}  // namespace offgrid::cpu
