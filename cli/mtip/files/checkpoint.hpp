// The state of the loop on disk, after each generation, and back. The file replaces the earlier one when it is complete, so
// that there is always a whole one, whenever the program is stopped. With several ranks each writes a file of its own, and a
// job may end when only some of them have: each keeps the earlier state too, as PATH.previous.
//
//   "OFFGMTIP"  version  then the fields of State one after the other; counts before lists  then a checksum of all before it
//
// Numbers are those of this machine (little-endian). A file of another version, of another problem (State::problem) or with
// damage is refused with the reason.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mtip/types.hpp"

namespace cli::mtip {

void save_checkpoint(const std::string& path, const State& state);

// `problem` is what the file's State::problem must be.
State load_checkpoint(const std::string& path, std::uint64_t problem);

// Before `next` is saved at the path: copies what is there to PATH.previous, if it is an earlier state of the same problem.
// After a restart from PATH.previous it is not, and PATH.previous stays.
void keep_previous(const std::string& path, const State& next);

// The state at the path, and then that of PATH.previous, if there is a whole one of this problem.
std::vector<State> load_checkpoints(const std::string& path, std::uint64_t problem);

// A hash for State::problem: bytes are added one after the other (FNV-1a, 64 bits).
class Fingerprint {
 public:
  void add(const void* bytes, std::size_t count);
  template <class Number> void add(const Number& number) { add(&number, sizeof number); }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace cli::mtip
