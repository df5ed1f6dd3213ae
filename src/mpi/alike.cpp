#include "mpi/alike.hpp"

#include <array>
#include <charconv>

#include "core/options.hpp"
#include "mpi/handles.hpp"

namespace offgrid::mpi::inside {
namespace {

// As many digits as tell the number from its neighbours.
std::string words_of(double number) {
  std::array<char, 32> room{};
  const auto end = std::to_chars(room.data(), room.data() + room.size(), number).ptr;
  return {room.data(), end};
}

std::string words_of(const OptionRow& row, double value) {
  return row.words.empty() ? words_of(value) : std::string(row.words[static_cast<std::size_t>(value)]);
}

std::string sizes_of(const std::vector<std::int64_t>& modes) {
  std::string sizes;
  for (const std::int64_t n : modes) sizes += text(sizes.empty() ? "" : " x ", n);
  return sizes.empty() ? "none" : sizes;
}

std::string joined(const Given& given) {
  std::string lines;
  for (const std::string& entry : given) lines += entry + "\n";
  return lines;
}

Given lines_of(const std::string& words) {
  std::istringstream stream(words);
  Given lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string broadcast_words(const Ranks& ranks, std::string words) {
  auto length = static_cast<std::int64_t>(words.size());
  ranks.broadcast(&length, sizeof length, 0);
  words.resize(static_cast<std::size_t>(length));
  ranks.broadcast(words.data(), length, 0);
  return words;
}

std::string differences(const Given& mine, const Given& first) {
  std::string all;
  for (std::size_t i = 0; i < std::min(mine.size(), first.size()); ++i)
    if (mine[i] != first[i]) all += text(all.empty() ? "" : "; ", mine[i], " here, and ", first[i], " on rank 0");
  return all;
}

}  // namespace

Given given_of(const Request& request, offgrid_mpi_layout layout) {
  const bool slabs = layout == OFFGRID_MPI_SLABS;
  Given given{text("layout = ", slabs ? "slabs" : "replicated"),
              text("type = ", request.type),
              text("dim = ", request.dim),
              text("modes = ", sizes_of(request.modes)),
              text("tolerance = ", words_of(request.tolerance)),
              text("precision = ", request.precision == OFFGRID_F32 ? "f32" : "f64")};
  for (const OptionRow& row : option_table()) {
    const bool is_own = row.name == "threads" || row.name == "points_hint" || (row.name == "device" && !slabs);
    const std::string value = is_own ? "any" : words_of(row, option(request.options, row.name.data()));
    given.push_back(text(row.name, " = ", value));
  }
  return given;
}

void require_alike(const Ranks& ranks, const Given& mine) {
  if (ranks.size() == 1) return;
  const std::string lines = joined(mine), first = broadcast_words(ranks, lines);
  together(ranks, [&] {
    if (lines != first)
      throw Error(OFFGRID_INVALID_ARGUMENT,
                  "the arguments differ between the ranks: " + differences(mine, lines_of(first)));
  });
}

void require_same(const Ranks& ranks, std::initializer_list<Named> mine) {
  std::vector<std::int64_t> ends;  // of each number, and of its negative
  for (const Named& one : mine) ends.insert(ends.end(), {one.number, -one.number});
  ranks.least(ends);
  bool same = true;
  for (std::size_t i = 0; i < ends.size(); i += 2) same = same && ends[i] == -ends[i + 1];
  if (same) return;
  Given given;
  for (const Named& one : mine) given.push_back(text(one.name, " = ", one.number));
  require_alike(ranks, given);
}

std::vector<std::int64_t> number_of_each(const Ranks& ranks, std::int64_t mine) {
  return ranks.exchange_counts(std::vector<std::int64_t>(static_cast<std::size_t>(ranks.size()), mine));
}

std::string difference(const Ranks& ranks, const char* what, std::int64_t mine) {
  const std::vector<std::int64_t> all = number_of_each(ranks, mine);
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all[0]) return text("rank ", rank, " has ", all[rank], " ", what, ", and rank 0 has ", all[0]);
  return {};
}

}  // namespace offgrid::mpi::inside
