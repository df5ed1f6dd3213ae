#include "files/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <utility>

#include "text.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& what) { throw InputError(path + ": " + what); }

// The temporary file, for a signal that ends the program. An array, because a signal handler may not allocate.
std::array<char, PATH_MAX> unfinished{};
constexpr std::array<int, 3> ending_signals{SIGINT, SIGTERM, SIGHUP};

void remove_unfinished(int signal) {
  ::unlink(unfinished.data());
  ::raise(signal);  // the default action is back in force: SA_RESETHAND
}

// From here on such a signal removes the file; a signal that is ignored stays so.
void guard_unfinished(const std::string& temporary) {
  if (temporary.size() >= unfinished.size()) return;
  std::memcpy(unfinished.data(), temporary.c_str(), temporary.size() + 1);
  for (const int signal : ending_signals) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    struct sigaction remover {};
    remover.sa_handler = remove_unfinished;
    remover.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &remover, nullptr);
  }
}

void unguard_unfinished() {
  for (const int signal : ending_signals) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == remove_unfinished) std::signal(signal, SIG_DFL);
  }
}

std::optional<struct stat> status_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

// Where the symbolic links lead, also to a file that is not there yet.
std::string follow_links(const std::string& path) {
  fs::path target = path;
  std::error_code problem;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, problem)); ++links) {
    if (links == 40) refuse(path, "cannot write it: too many symbolic links");
    target = target.parent_path() / fs::read_symlink(target, problem);  // an absolute one replaces it all
    if (problem) refuse(path, "cannot follow the symbolic link: " + problem.message());
  }
  return target.string();
}

bool same_file(const struct stat& one, const std::optional<struct stat>& other) {
  return other && one.st_dev == other->st_dev && one.st_ino == other->st_ino;
}

// What is at a path, and how it is written.
struct Target {
  std::string path;                 // where the links lead
  std::optional<struct stat> file;  // that is there already
  bool in_place = false;
};

Target examine(const std::string& path) {
  Target target{follow_links(path), status_of(path)};
  if (!target.file) return target;
  const mode_t mode = target.file->st_mode;
  if (S_ISDIR(mode)) refuse(path, "it is a folder, expected the name of a file");
  // Links in /proc lead to open files, whose names may belong to other files by now.
  target.in_place = !S_ISREG(mode) || !same_file(*target.file, status_of(target.path));
  const bool read_only = S_ISREG(mode) && (mode & S_IWUSR) == 0;
  if (read_only || ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    refuse(path, "it is there and may not be written: remove it, change its permissions or take another name");
  return target;
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// A new file in the folder of `target`, with a name that nothing has: its descriptor, or -1 and errno.
int create_beside(const std::string& target, std::string& name) {
  std::random_device random;
  for (int tries = 0; tries < 100; ++tries) {
    name = folder_of(target) + format("/.offgrid-%08x%08x.partial", random(), random());
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  const Target target = examine(path);
  target_ = target.path;
  if (target.in_place) {
    open_in_place();
    return;
  }
  descriptor_ = create_beside(target_, temporary_);
  if (descriptor_ >= 0) {
    guard_unfinished(temporary_);
    if (!target.file) return;
    // First the owner: changing it may clear bits of the mode. Only root can give a file away; the others keep theirs.
    if (::fchown(descriptor_, target.file->st_uid, target.file->st_gid) != 0) errno = 0;
    if (::fchmod(descriptor_, target.file->st_mode & 0777) != 0) errno = 0;
    return;
  }
  temporary_.clear();
  if (!target.file || (errno != EACCES && errno != EPERM)) fail("cannot open it for writing");
  open_in_place();
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  unguard_unfinished();
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write it");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OutputFile::finish() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail("cannot write it");
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot put it in place");
  temporary_.clear();
  unguard_unfinished();
}

void OutputFile::open_in_place() {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
  if (descriptor_ < 0) fail("cannot open it for writing");
}

void OutputFile::fail(const char* what) const { refuse(path_, std::string(what) + ": " + std::strerror(errno)); }

void require_writable(const std::string& path) {
  if (path.empty()) return;
  const Target target = examine(path);
  const std::string folder = folder_of(target.path);
  if (!target.file && ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    refuse(path, "cannot write there: " + folder + ": " + std::strerror(errno));
}

void require_different(const std::string& output, const std::string& input) {
  const auto file = status_of(input);
  if (file && same_file(*file, status_of(output)))
    refuse(output, "it is the input " + input + ", which the output would replace: take another name");
}

void write_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.finish();
}

}  // namespace cli
