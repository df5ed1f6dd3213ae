// What is too large for one message of MPI goes in several. Here the largest has five bytes, or five numbers of a sum.
#include "mpi/ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "world.hpp"

using offgrid::mpi::inside::Ranks;
using Bytes = std::vector<std::byte>;

namespace {

constexpr std::int64_t largest = 5;
constexpr std::array<std::int64_t, 7> lengths{0, 1, 4, 5, 6, 10, 23};

class Pieces : public testing::Test {
 protected:
  void SetUp() override { (void)world(); }  // it initialises MPI, and finalises it after all tests
};

// The bytes of the i-th message between two ranks, all messages one after the other.
std::byte byte_of(int from, int to, std::size_t i) {
  return std::byte(static_cast<unsigned char>(from * 83 + to * 31 + i));
}
constexpr std::int64_t all_bytes = 49;

Bytes bytes_between(int from, int to) {
  Bytes all(all_bytes);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = byte_of(from, to, i);
  return all;
}

void add_messages(std::vector<Ranks::Message>& messages, int peer, std::byte* at) {
  for (const std::int64_t length : lengths) {
    messages.push_back({.peer = peer, .data = at, .bytes = length});
    at += length;
  }
}

TEST_F(Pieces, OfAnExchangeBetweenAllRanks) {
  const Ranks ranks(nullptr, largest);
  std::vector<Bytes> sent, received(static_cast<std::size_t>(ranks.size()), Bytes(all_bytes));
  std::vector<Ranks::Message> to, from;
  for (int peer = 0; peer < ranks.size(); ++peer) {
    sent.push_back(bytes_between(ranks.rank(), peer));
    add_messages(to, peer, sent.back().data());
    add_messages(from, peer, received[static_cast<std::size_t>(peer)].data());
  }
  ranks.exchange(to, from);
  for (int peer = 0; peer < ranks.size(); ++peer)
    EXPECT_EQ(received[static_cast<std::size_t>(peer)], bytes_between(peer, ranks.rank())) << "from rank " << peer;
}

template <class T> void expect_sums(offgrid_mpi_number kind) {
  const Ranks ranks(nullptr, largest);
  const int last = ranks.size() - 1;
  for (const std::int64_t length : lengths) {
    std::vector<T> mine, expected;
    for (std::int64_t i = 0; i < length; ++i) {
      mine.push_back(static_cast<T>(i + ranks.rank()));
      expected.push_back(static_cast<T>(ranks.size() * i + ranks.size() * last / 2));
    }
    std::vector<T> everywhere = mine, on_last = mine;
    ranks.sum(everywhere.data(), length, kind);
    EXPECT_EQ(everywhere, expected);
    ranks.sum_on(last, on_last.data(), length, kind);
    EXPECT_EQ(on_last, ranks.rank() == last ? expected : mine);
  }
}

TEST_F(Pieces, OfASum) {
  expect_sums<float>(OFFGRID_MPI_F32);
  expect_sums<double>(OFFGRID_MPI_F64);
  expect_sums<std::int32_t>(OFFGRID_MPI_I32);
  expect_sums<std::int64_t>(OFFGRID_MPI_I64);
}

TEST_F(Pieces, OfABroadcast) {
  const Ranks ranks(nullptr, largest);
  for (int root = 0; root < ranks.size(); ++root)
    for (const std::int64_t length : lengths) {
      Bytes data = bytes_between(ranks.rank(), 0), expected = data;
      const Bytes of_root = bytes_between(root, 0);
      std::copy_n(of_root.begin(), length, expected.begin());
      ranks.broadcast(data.data(), length, root);
      EXPECT_EQ(data, expected);
    }
}

TEST_F(Pieces, OfAGatherOfDifferentLengths) {
  const Ranks ranks(nullptr, largest);
  const auto length_of = [](int rank) { return lengths[(static_cast<std::size_t>(rank) + 4) % lengths.size()]; };
  for (int root = 0; root < ranks.size(); ++root) {
    Bytes mine = bytes_between(ranks.rank(), 0), expected;
    mine.resize(static_cast<std::size_t>(length_of(ranks.rank())));
    for (int rank = 0; rank < ranks.size(); ++rank) {
      const Bytes of_rank = bytes_between(rank, 0);
      expected.insert(expected.end(), of_rank.begin(), of_rank.begin() + length_of(rank));
    }
    Bytes all(ranks.rank() == root ? expected.size() : 0);
    ranks.gather(mine, all, root);
    if (ranks.rank() == root) {
      EXPECT_EQ(all, expected);
    }
  }
}

// The words of an error are longer than the largest message.
TEST_F(Pieces, OfAnErrorsMessage) {
  const Ranks ranks(nullptr, largest);
  try {
    ranks.agree(OFFGRID_OUT_OF_MEMORY, "no room for the images");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::exception& error) {
    EXPECT_EQ(error.what(), std::string(ranks.size() == 1 ? "" : "rank 0: ") + "no room for the images");
  }
}

}  // namespace
