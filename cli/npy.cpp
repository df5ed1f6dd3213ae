#include "npy.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

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

// Goes through a neighbouring temporary file, so that the output may replace the input that is still mapped.
void write_npy_bytes(const std::string& path, const std::string& header, std::span<const std::byte> data) {
  const std::string temporary = path + ".partial";
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(temporary.c_str(), "wb"), &std::fclose);
  if (!file) fail(path, "cannot open it for writing");
  bool good = std::fwrite(header.data(), 1, header.size(), file.get()) == header.size();
  good = good && std::fwrite(data.data(), 1, data.size(), file.get()) == data.size();
  good = std::fclose(file.release()) == 0 && good;
  if (good && std::rename(temporary.c_str(), path.c_str()) == 0) return;
  const int problem = errno;
  std::remove(temporary.c_str());
  errno = problem;
  fail(path, "cannot write it");
}

}  // namespace cli
