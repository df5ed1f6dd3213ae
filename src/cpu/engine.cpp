#include "cpu/engine.hpp"

#include "core/text.hpp"
#include "cpu/convolution.hpp"
#include "cpu/fft/kept_fft.hpp"
#include "cpu/instructions.hpp"
#include "cpu/memory/host_memory.hpp"
#include "cpu/memory/spare_memory.hpp"
#include "cpu/plain_engine.hpp"
#include "cpu/pointwise/pointwise.hpp"
#include "cpu/policy.hpp"
#include "cpu/threads.hpp"
#include "cpu/vector_algebra.hpp"
#include "cpu/wide_engine.hpp"

namespace offgrid::cpu {

std::unique_ptr<Engine<float>> make_f32(const Design& design, const MemoryLimit& limit) {
  return std::make_unique<WideEngine>(design, std::make_shared<MemoryCount>(limit));
}
std::unique_ptr<Engine<double>> make_f64(const Design& design, const MemoryLimit& limit) {
  return std::make_unique<PlainEngine<double>>(design, std::make_shared<MemoryCount>(limit));
}

Backend backend() {
  Backend backend;
  backend.traits = cost_traits(vector_bytes());
  backend.traits.host_memory = host_memory();
  backend.traits.grid_memory = host_memory();
  backend.traits.kept_as = "cpu";
  backend.make_f32 = [](const Design& design) { return make_f32(design, host_memory()); };
  backend.make_f64 = [](const Design& design) { return make_f64(design, host_memory()); };
  backend.pointwise_f32 = make_pointwise<float>;
  backend.pointwise_f64 = make_pointwise<double>;
  backend.algebra_f32 = make_algebra<float>;
  backend.algebra_f64 = make_algebra<double>;
  backend.convolution_f32 = make_convolution<float>;
  backend.convolution_f64 = make_convolution<double>;
  return backend;
}

void release_memory() {
  kept_ffts<float>().clear();
  kept_ffts<double>().clear();
  free_spare_memory();
}

std::string device_line() { return text("cpu: ", available_threads(), " threads, ", instruction_set()); }

}  // namespace offgrid::cpu
