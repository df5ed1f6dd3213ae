// NPY files: what is read and written, and that no file, however broken, does more than raise InputError.
#include "files/npy.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>

#include "random.hpp"
#include "temporary_folder.hpp"

namespace {

using cli::InputError;
using cli::NpyArray;
using Sizes = std::vector<std::int64_t>;

// A file of the given version around `dictionary`, with `data_bytes` bytes of zeros behind it.
std::string npy(int version, const std::string& dictionary, std::size_t data_bytes) {
  std::string file = "\x93NUMPY";
  file += {static_cast<char>(version), '\0'};
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte)
    file += static_cast<char>(dictionary.size() >> (8 * byte) & 0xff);
  return file + dictionary + std::string(data_bytes, '\0');
}

std::string dictionary(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

cli::NpyHeader parse(const std::string& file) {
  return cli::parse_npy_header(std::as_bytes(std::span(file)), "file.npy");
}

std::string complaint(const std::string& file) {
  try {
    parse(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(NpyHeader, ReadsVersionsOneToThree) {
  for (const int version : {1, 2, 3}) {
    const auto header = parse(npy(version, dictionary("<c16", "(3, 4)"), 3 * 4 * 16));
    EXPECT_EQ(header.dtype, "c16");
    EXPECT_EQ(header.shape, (Sizes{3, 4}));
    EXPECT_FALSE(header.fortran_order);
    EXPECT_EQ(header.count(), 12u);
  }
}

TEST(NpyHeader, ReadsOtherSpellings) {
  EXPECT_TRUE(parse(npy(1, "{\"shape\":(2,),'fortran_order':True,'descr':'<f4'}", 8)).fortran_order);
  EXPECT_EQ(parse(npy(1, dictionary("<f8", "()"), 8)).count(), 1u);
  EXPECT_EQ(parse(npy(1, dictionary("<f8", "(0, 5)"), 0)).count(), 0u);
  EXPECT_EQ(parse(npy(1, dictionary("<f8", "(5L,)"), 40)).shape, (Sizes{5}));
}

TEST(NpyHeader, SaysWhatIsWrong) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "not an NPY file"},
      {"PK\x03\x04, a zip file of arrays", "not an NPY file"},
      {npy(4, dictionary("<f8", "(1,)"), 8), "version 4"},
      {npy(1, dictionary("<f8", "(2,)"), 8), "cut short"},
      {npy(1, dictionary("<i8", "(1,)"), 8), "'<i8'"},
      {npy(1, dictionary("|O", "(1,)"), 8), "'|O'"},
      {npy(1, dictionary(">f8", "(1,)"), 8), "big-endian"},
      {npy(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", 8), "structured"},
      {npy(1, dictionary("<f8", "(-1,)"), 8), "negative"},
      {npy(1, dictionary("<f8", "(99999999999999999999,)"), 8), "64 bits"},
      {npy(1, dictionary("<f8", "(4611686018427387904, 4611686018427387904)"), 8), "too large"},
      {npy(1, dictionary("<f8", "(2305843009213693952,)"), 8), "too large"},
      {npy(1, dictionary("<f8", "(1152921504606846976,)"), 8), "cut short"},
      {npy(1, dictionary("<f8", "(1.5,)"), 8), "expected"},
      {npy(1, "{'descr': '<f8', 'shape': (1,), }", 8), "missing"},
      {npy(1, "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", 8), "twice"},
      {npy(1, "{'descr': '<f8", 8), "does not end"},
      {npy(1, dictionary("<f8", "(1,)") + "rm", 8), "after the dictionary"},
      {npy(1, "", 8), "expected '{'"},
      {npy(1, dictionary("<f8", "(" + std::string(100, '1') + ",)"), 8), "64 bits"},
      {npy(2, dictionary("<f8", "(1,)"), 8).substr(0, 11), "cut short"},
      {npy(1, dictionary("<f8", "(1,)"), 8).substr(0, 30), "cut short"},
  };
  for (const auto& [file, expected] : cases)
    EXPECT_NE(complaint(file).find(expected), std::string::npos)
        << "expected \"" << expected << "\" in: " << complaint(file);
  std::string many = "(";
  for (int axis = 0; axis < 40; ++axis) many += "1, ";
  EXPECT_NE(complaint(npy(1, dictionary("<f8", many + ")"), 8)).find("axes"), std::string::npos);
}

// Whatever is accepted lies inside the file.
TEST(NpyHeader, SurvivesTenThousandMutations) {
  const std::string seeds[] = {npy(1, dictionary("<f8", "(3, 4)"), 96), npy(2, dictionary("<c8", "(12,)"), 96),
                               npy(3, dictionary("<f4", "(2, 3, 4)"), 96)};
  const cli::CounterRandom random(2024);
  std::uint64_t counter = 0;
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random.bits(counter++) % bound); };
  for (int round = 0; round < 10000; ++round) {
    std::string file = seeds[below(3)];
    for (std::size_t change = 1 + below(4); change > 0; --change)
      file[below(file.size())] = static_cast<char>(below(256));
    if (below(4) == 0) file.resize(below(file.size()));
    try {
      const auto header = parse(file);
      ASSERT_LE(header.data_offset, file.size());
      ASSERT_LE(header.count() * header.item_bytes, file.size() - header.data_offset);
    } catch (const InputError&) {
    }
  }
}

TEST(NpyArray, ReadsWhatItWrote) {
  const TemporaryFolder folder;
  const std::vector<std::complex<float>> values{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}};
  cli::write_npy<std::complex<float>>(folder.file("a.npy"), values, {3, 2});
  const NpyArray array(folder.file("a.npy"));
  EXPECT_EQ(array.dtype(), "c8");
  EXPECT_EQ(array.shape(), (Sizes{3, 2}));
  const auto read = array.values<std::complex<float>>();
  EXPECT_TRUE(read.in_place());
  EXPECT_TRUE(std::equal(values.begin(), values.end(), read.view().begin(), read.view().end()));
  EXPECT_THROW((void)array.values<std::complex<double>>(), InputError);
}

TEST(NpyArray, DataIsAlignedTo64) {
  for (std::int64_t size = 1; size < 100000000; size *= 7)
    EXPECT_EQ(cli::make_npy_header("f8", {size, 1, size}).size() % 64, 0u);
}

std::string doubles(const std::vector<double>& values) {
  std::string bytes(values.size() * sizeof(double), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(NpyArray, FortranOrderBecomesCOrder) {
  const TemporaryFolder folder;
  const std::string header = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }";
  const NpyArray array(folder.write("f.npy", npy(1, header, 0) + doubles({1, 4, 2, 5, 3, 6})));
  const auto to_vector = [](const auto& values) {
    return std::vector<double>(values.view().begin(), values.view().end());
  };
  EXPECT_EQ(to_vector(array.values<double>()), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(to_vector(array.column<double>(1)), (std::vector<double>{2, 5}));
  EXPECT_EQ(to_vector(array.row<double>(1)), (std::vector<double>{4, 5, 6}));
}

TEST(NpyArray, MisalignedDataIsCopied) {
  const TemporaryFolder folder;
  const std::string header = dictionary("<f8", "(2,)") + "  ";
  for (int shift = 0; shift < 8; ++shift) {
    const auto padded = header + std::string(static_cast<std::size_t>(shift), ' ');
    const NpyArray array(folder.write("m.npy", npy(1, padded, 0) + doubles({1.5, -2.5})));
    EXPECT_EQ(array.values<double>().view()[1], -2.5);
  }
}

TEST(NpyArray, RefusesWhatIsNoRegularFile) {
  const TemporaryFolder folder;
  EXPECT_THROW(NpyArray(folder.file("missing.npy")), InputError);
  EXPECT_THROW(NpyArray("/dev/zero"), InputError);
  EXPECT_THROW(NpyArray(folder.file("")), InputError);
  EXPECT_THROW(NpyArray(folder.write("empty.npy", "")), InputError);
  ASSERT_EQ(::mkfifo(folder.file("pipe.npy").c_str(), 0600), 0);
  EXPECT_THROW(NpyArray(folder.file("pipe.npy")), InputError);
}

TEST(NpyArray, AFailedWriteLeavesNothing) {
  EXPECT_THROW(cli::write_npy<double>("/nonexistent/a.npy", std::vector<double>{1}, {1}), InputError);
}

}  // namespace
