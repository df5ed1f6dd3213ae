// A file that the program writes, whatever stands at its path.
//   nothing, or a regular file    a temporary file beside it takes its place when it is complete; mode and owner are kept
//   a symbolic link               the same for the file that it leads to; the link stays
//   a FIFO or a device            is opened and written to
//   a folder, a read-only file    are refused; a file is read-only where its owner may not write it, for root too
// Where the folder allows no temporary file, a file that may be written is overwritten in place.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace cli {

class OutputFile {
 public:
  // Opens it. Throws InputError with the reason where it may not be written. One exists at a time.
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // without finish() removes the temporary file and leaves what was at the path

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void finish();  // the file is complete

 private:
  void open_in_place();
  [[noreturn]] void fail(const char* what) const;

  std::string path_;       // as the user wrote it, for messages
  std::string target_;     // where the links lead
  std::string temporary_;  // empty: written in place
  int descriptor_ = -1;
};

// Refuses early what OutputFile would refuse: before the work whose result is to be written. An empty path is none.
void require_writable(const std::string& path);

// Refuses an output that is the file of an input, by whatever name or link: the input would be lost.
void require_different(const std::string& output, const std::string& input);

// A whole file.
void write_file(const std::string& path, std::string_view text);

}  // namespace cli
