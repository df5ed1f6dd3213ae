// A build without CUDA has no GPU, and every array is the host's.
#include "mpi/gpu.hpp"

#include "mpi/error.hpp"
#include "mpi/local.hpp"
#include "mpi/mover.hpp"

namespace offgrid::mpi::inside {
namespace {

[[noreturn]] void refuse() { throw Error(OFFGRID_DEVICE_ERROR, "liboffgrid_mpi was built without CUDA"); }

}  // namespace

Place place_of(const void*) { return Place::host; }
void require_place(Place, const char*, const void*) {}
bool has_gpu() { return false; }
int use_device(int) { return -1; }
int current_gpu() { return -1; }
void wait_for_gpu() {}
std::array<std::int64_t, 2> name_of_current_gpu() { refuse(); }
OnGpu::OnGpu(int) {}
OnGpu::~OnGpu() = default;

const Memory& gpu_memory() { refuse(); }
std::unique_ptr<Link> make_staged_link(const Ranks&) { refuse(); }
std::unique_ptr<Link> make_aware_link(const Ranks&) { refuse(); }
std::unique_ptr<Link> make_nccl_link(const Ranks&) { refuse(); }
bool finds_nccl() { return false; }

template <class T> std::unique_ptr<Mover<T>> make_mover_cuda() { refuse(); }
template std::unique_ptr<Mover<float>> make_mover_cuda();
template std::unique_ptr<Mover<double>> make_mover_cuda();
template <class T> std::unique_ptr<LocalSteps<T>> make_local_cuda(const SlabDesign&, const SlabShape&) { refuse(); }
template std::unique_ptr<LocalSteps<float>> make_local_cuda(const SlabDesign&, const SlabShape&);
template std::unique_ptr<LocalSteps<double>> make_local_cuda(const SlabDesign&, const SlabShape&);

}  // namespace offgrid::mpi::inside
