// What the library asks of CUDA. cuda/ has the answers, and without_cuda/ those of a build that has none: there every array is
// the host's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "mpi/link.hpp"

namespace offgrid::mpi::inside {

enum class Place { host, gpu };

Place place_of(const void* array);  // managed memory counts as the host's
inline bool is_on_gpu(const void* array) { return place_of(array) == Place::gpu; }

// invalid_argument where a device that works at `place` cannot reach the array. A null array passes.
void require_place(Place place, const char* what, const void* array);

bool has_gpu();
int use_device(int number);  // modulo the GPUs that there are; -1 where there is none
int current_gpu();           // -1 where there is none
void wait_for_gpu();         // until all that was enqueued on the current one is done

// Two numbers that no other GPU has.
std::array<std::int64_t, 2> name_of_current_gpu();

// Makes a GPU the current one of this thread, for as long as it lives; -1: changes nothing.
class OnGpu {
 public:
  explicit OnGpu(int device);
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;
  ~OnGpu();

 private:
  int before_ = -1;
};

// Links between arrays on GPUs (link.hpp says what each does). make_nccl_link is collective.
std::unique_ptr<Link> make_staged_link(const Ranks& ranks);
std::unique_ptr<Link> make_aware_link(const Ranks& ranks);
std::unique_ptr<Link> make_nccl_link(const Ranks& ranks);
bool finds_nccl();

}  // namespace offgrid::mpi::inside
