#include "mtip/files/checkpoint.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <type_traits>

#include "files/output_file.hpp"
#include "text.hpp"

namespace cli::mtip {
namespace {

static_assert(std::endian::native == std::endian::little, "a checkpoint is written as it is in memory");

constexpr std::string_view magic = "OFFGMTIP";
constexpr std::uint32_t version = 1;

// Writer and Reader have the same call, so that the list of the fields is written once, in `fields` below.
class Writer {
 public:
  template <class Number> void operator()(const Number& number) {
    static_assert(std::is_arithmetic_v<Number>);
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  template <class Item> void list(const std::vector<Item>& items) {
    (*this)(static_cast<std::uint64_t>(items.size()));
    if constexpr (std::is_arithmetic_v<Item>)
      bytes.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(Item));
    else
      for (const Item& item : items) fields(*this, item);
  }
  std::string bytes;
};

class Reader {
 public:
  Reader(std::string_view bytes, std::string file) : rest_(bytes), file_(std::move(file)) {}

  template <class Number> void operator()(Number& number) {
    static_assert(std::is_arithmetic_v<Number>);
    take(&number, sizeof number);
  }
  template <class Item> void list(std::vector<Item>& items) {
    std::uint64_t count = 0;
    (*this)(count);
    if (count > rest_.size()) refuse();  // each item takes a byte at least: nothing huge is allocated
    items.resize(count);
    if constexpr (std::is_arithmetic_v<Item>)
      take(items.data(), count * sizeof(Item));
    else
      for (Item& item : items) fields(*this, item);
  }
  void finish() const {
    if (!rest_.empty()) refuse();
  }

 private:
  [[noreturn]] void refuse() const { throw InputError(file_ + ": the checkpoint is damaged"); }
  void take(void* to, std::size_t count) {
    if (count > rest_.size()) refuse();
    if (count > 0) std::memcpy(to, rest_.data(), count);  // an empty vector has no address
    rest_.remove_prefix(count);
  }

  std::string_view rest_;
  std::string file_;
};

// Each takes a value and its const form.
template <class Archive, class Value>
requires std::is_same_v<std::remove_const_t<Value>, Rotation>
void fields(Archive& archive, Value& rotation) {
  for (auto& entry : rotation.entries) archive(entry);
}

template <class Archive, class Value>
requires std::is_same_v<std::remove_const_t<Value>, Progress>
void fields(Archive& archive, Value& line) {
  archive(line.start);
  archive(line.generation);
  archive(line.cutoff);
  archive(line.score);
  archive(line.amplitude_error);
  archive(line.resolution);
  archive(line.median_error);
  archive(line.near);
  archive(line.seconds.merge);
  archive(line.seconds.phase);
  archive(line.seconds.slice);
  archive(line.seconds.match);
  archive(line.seconds.refine);
}

template <class Archive, class Value>
requires std::is_same_v<std::remove_const_t<Value>, Model>
void fields(Archive& archive, Value& model) {
  archive.list(model.rotations);
  archive(model.density.size);
  archive.list(model.density.values);
  archive(model.score);
}

template <class Archive, class Value>
requires std::is_same_v<std::remove_const_t<Value>, State>
void fields(Archive& archive, Value& state) {
  archive(state.problem);
  archive(state.start);
  archive(state.generation);
  fields(archive, state.current);
  fields(archive, state.best);
  archive.list(state.history);
}

std::uint64_t checksum_of(std::string_view bytes) {
  Fingerprint fingerprint;
  fingerprint.add(bytes.data(), bytes.size());
  return fingerprint.value();
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path + ": cannot open the checkpoint");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// What stands between the magic word with the version and the checksum.
std::string_view checked_body(const std::string& path, std::string_view all) {
  constexpr std::size_t head = magic.size() + sizeof version, tail = sizeof(std::uint64_t);
  if (!all.starts_with(magic)) throw InputError(path + ": it is no checkpoint of offgrid mtip");
  std::uint32_t found = 0;
  if (all.size() >= head) std::memcpy(&found, all.data() + magic.size(), sizeof found);
  if (all.size() >= head && found != version)
    throw InputError(path + format(": the checkpoint has version %u, expected %u", found, version));
  if (all.size() < head + tail) throw InputError(path + ": the checkpoint is damaged");
  std::uint64_t sum = 0;
  std::memcpy(&sum, all.data() + all.size() - tail, tail);
  if (sum != checksum_of(all.substr(0, all.size() - tail)))
    throw InputError(path + ": the checkpoint is damaged: its checksum is wrong");
  return all.substr(head, all.size() - head - tail);
}

std::string previous_of(const std::string& path) { return path + ".previous"; }

// The state of a file, if it is a whole checkpoint of this problem.
std::optional<State> usable(const std::string& path, std::uint64_t problem) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  try {
    return load_checkpoint(path, problem);
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace

void Fingerprint::add(const void* bytes, std::size_t count) {
  const auto* byte = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < count; ++i) hash_ = (hash_ ^ byte[i]) * 0x100000001b3u;
}

void save_checkpoint(const std::string& path, const State& state) {
  Writer writer;
  writer.bytes = magic;
  writer(version);
  fields(writer, state);
  writer(checksum_of(writer.bytes));
  write_file(path, writer.bytes);
}

State load_checkpoint(const std::string& path, std::uint64_t problem) {
  const std::string all = read_whole(path);
  Reader reader(checked_body(path, all), path);
  State state;
  fields(reader, state);
  reader.finish();
  if (state.problem != problem)
    throw InputError(path +
                     ": the checkpoint is of another problem: its settings, its images or the number of ranks differ "
                     "from the present ones");
  return state;
}

void keep_previous(const std::string& path, const State& next) {
  const std::optional<State> there = usable(path, next.problem);
  if (there && position_of(*there) < position_of(next)) write_file(previous_of(path), read_whole(path));
}

std::vector<State> load_checkpoints(const std::string& path, std::uint64_t problem) {
  std::optional<State> earlier = usable(previous_of(path), problem);
  std::vector<State> found;
  try {
    found.push_back(load_checkpoint(path, problem));
  } catch (const InputError& error) {
    if (!earlier) throw;
    throw InputError(error.what() + format("; %s is whole and older: copy it to %s to go on from it",
                                           previous_of(path).c_str(), path.c_str()));
  }
  if (earlier) found.push_back(std::move(*earlier));
  return found;
}

}  // namespace cli::mtip
