#include "files/npy.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "files/output_file.hpp"

namespace cli {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw InputError(path + ": " + what + ": " + std::strerror(errno));
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a FIFO must not block here
  if (file.get() < 0) fail(path, "cannot open it for reading");
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail(path, "cannot ask for its size");
  if (!S_ISREG(status.st_mode)) throw InputError(path + ": expected a regular file, which can be memory-mapped");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;
  void* address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) fail(path, "cannot map it into memory");
  data_ = static_cast<const std::byte*>(address);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void write_npy_bytes(const std::string& path, const std::string& header, std::span<const std::byte> data) {
  OutputFile file(path);
  file.write(header);
  file.write(data);
  file.finish();
}

}  // namespace cli
