#include "cuda/device.hpp"

#include <cuda.h>
#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "cuda/architectures.hpp"
#include "cuda/check.hpp"
#include "cuda/launch/clear.hpp"

namespace offgrid::cuda {
namespace {

Device describe_device(int id) {
  cudaDeviceProp properties{};
  call("device properties", [&] { return cudaGetDeviceProperties(&properties, id); });
  Device device;
  device.id = id;
  device.multiprocessors = properties.multiProcessorCount;
  device.major = properties.major;
  device.minor = properties.minor;
  device.shared_bytes = properties.sharedMemPerBlockOptin;
  device.memory_bytes = properties.totalGlobalMem;
  device.cache_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  device.name = properties.name;
  return device;
}

// What the driver would find, without asking it: that would take memory and time on each GPU.
bool should_have_code(const Device& device) {
  return has_code_for(10 * device.major + device.minor, OFFGRID_BUILT_FOR);
}
std::string no_code(const Device& device) {
  return no_code_text(device.name, 10 * device.major + device.minor, OFFGRID_BUILT_FOR);
}

// The driver's own answer, without loading or starting it: where nobody has, there are no device pointers.
using GetAttributes = CUresult (*)(unsigned, CUpointer_attribute*, void**, CUdeviceptr);
GetAttributes loaded_driver() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr) return nullptr;
  return reinterpret_cast<GetAttributes>(dlsym(driver, "cuPointerGetAttributes"));
}

// Grows with every library that is loaded. Cheap, where asking for one that is not there searches the disk.
unsigned long long libraries_loaded() {
  unsigned long long count = 0;
  const auto read = [](dl_phdr_info* info, std::size_t, void* to) {
    *static_cast<unsigned long long*>(to) = info->dlpi_adds;
    return 1;
  };
  dl_iterate_phdr(read, &count);
  return count;
}

GetAttributes driver_if_loaded() {
  static std::atomic<GetAttributes> found{nullptr};
  static std::atomic<unsigned long long> searched{0};  // the count of libraries when it was last looked for
  GetAttributes driver = found.load();
  if (driver != nullptr) return driver;
  const unsigned long long loaded = libraries_loaded();
  if (searched.exchange(loaded) != loaded) found = driver = loaded_driver();
  return driver;
}

// Asking for the properties of a device takes longer than most plans: each is asked once.
const Device& usable_device(int id) {
  static std::mutex mutex;
  static std::map<int, Device> known;
  const std::scoped_lock lock(mutex);
  if (const auto found = known.find(id); found != known.end()) return found->second;
  Device device = describe_device(id);
  device.code = code_capability();
  if (device.code == 0) throw Error(Status::device_error, no_code(device) + ", or use device = cpu");
  return known.emplace(id, std::move(device)).first->second;
}

}  // namespace

const Device& current_device() {
  int count = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  if (found == cudaErrorInsufficientDriver)
    throw Error(Status::device_error,
                "device = cuda: no NVIDIA driver, or one older than this build; use device = cpu");
  if (found != cudaSuccess || count == 0)
    throw Error(Status::device_error, "device = cuda: there is no GPU here; use device = cpu or auto");
  int id = 0;
  call("current device", [&] { return cudaGetDevice(&id); });
  return usable_device(id);
}

std::string device_lines() {
  int count = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  if (found != cudaSuccess) return text("cuda: built in, but not usable here: ", cudaGetErrorString(found), "\n");
  std::string lines;
  for (int id = 0; id < count; ++id) {
    const Device device = describe_device(id);
    lines += text("cuda ", id, ": ", device.name, ", compute capability ", device.major, ".", device.minor, ", ",
                  device.multiprocessors, " multiprocessors, ", device.memory_bytes >> 30, " GiB\n");
    if (!should_have_code(device)) lines += text("cuda ", id, ": not used: ", no_code(device), "\n");
  }
  return lines;
}

std::string gpu_without_code() {
  int count = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  for (int id = 0; found == cudaSuccess && id < count; ++id) {
    const Device device = describe_device(id);
    if (!should_have_code(device)) return no_code(device);
  }
  return "";
}

DeviceGuard::DeviceGuard(int id) {
  int now = 0;
  call("current device", [&] { return cudaGetDevice(&now); });
  if (now == id) return;
  call("change of device", [&] { return cudaSetDevice(id); });
  before_ = now;
}

DeviceGuard::~DeviceGuard() {
  if (before_ >= 0) (void)cudaSetDevice(before_);
}

bool is_device_pointer(const void* pointer) {
  const GetAttributes driver = driver_if_loaded();
  if (driver == nullptr || pointer == nullptr) return false;
  unsigned kind = 0, managed = 0;  // managed memory is everybody's
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void* answers[] = {&kind, &managed};
  const CUresult asked = driver(2, wanted, answers, reinterpret_cast<CUdeviceptr>(pointer));
  return asked == CUDA_SUCCESS && kind == CU_MEMORYTYPE_DEVICE && managed == 0;
}

void require_device_pointer(const char* what, const void* pointer) {
  if (pointer == nullptr) return;
  cudaPointerAttributes attributes{};
  call("pointer attributes", [&] { return cudaPointerGetAttributes(&attributes, pointer); });
  if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged)
    throw Error(Status::invalid_argument, text(what,
                                               " points to host memory, but the plan runs on a GPU: copy the "
                                               "array there, or make the plan with device = cpu"));
  int current = 0;
  call("current device", [&] { return cudaGetDevice(&current); });
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != current)
    throw Error(Status::invalid_argument,
                text(what, " lies on GPU ", attributes.device, ", but the plan runs on GPU ", current));
}

void require_host_pointer(const char* what, const void* pointer) {
  if (!is_device_pointer(pointer)) return;
  throw Error(Status::invalid_argument, text(what,
                                             " points to GPU memory, but the plan runs on the CPU: make the plan "
                                             "with device = cuda, or copy the array"));
}

}  // namespace offgrid::cuda
