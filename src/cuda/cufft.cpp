#include "cuda/cufft.hpp"

#include <dlfcn.h>

#include <array>

#include "core/error.hpp"
#include "core/text.hpp"

#ifndef CUFFT_VER_MAJOR
#error "cufft.h does not say its version, CUFFT_VER_MAJOR"
#endif

namespace offgrid::cuda {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Status::device_error,
              text("FFT plan: cuFFT cannot be loaded: ", why,
                   ". Grids of more than 4096 cells along an axis, or 4194304 in 1D, and grids cut "
                   "into slabs need it; it comes with the CUDA toolkit, or with pip's package "
                   "nvidia-cufft, in a folder of LD_LIBRARY_PATH"));
}

template <class Function> void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) refuse(text("it has no function ", name));
}

}  // namespace

Cufft load_cufft(std::span<const std::string> files) {
  void* library = nullptr;
  std::string why = "no file is named";
  for (const std::string& file : files) {
    library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    const char* reason = dlerror();
    if (&file == files.data() && reason != nullptr) why = reason;  // of the usual place
  }
  if (library == nullptr) refuse(why);
  Cufft all{};
  find(library, "cufftCreate", all.create);
  find(library, "cufftDestroy", all.destroy);
  find(library, "cufftSetAutoAllocation", all.set_auto_allocation);
  find(library, "cufftMakePlanMany64", all.make_plan_many);
  find(library, "cufftSetWorkArea", all.set_work_area);
  find(library, "cufftSetStream", all.set_stream);
  find(library, "cufftExecC2C", all.exec_c2c);
  find(library, "cufftExecZ2Z", all.exec_z2z);
  return all;
}

const Cufft& cufft() {
  static const Cufft loaded = [] {
    const std::string name = text("libcufft.so.", CUFFT_VER_MAJOR);
    return load_cufft(std::array{name, text(OFFGRID_CUDA_LIBRARIES, "/", name)});
  }();
  return loaded;
}

}  // namespace offgrid::cuda
