// The few calls of HDF5 that are needed, with errors as InputError: open or make a file, read and write whole or partial
// arrays of numbers. Handles close themselves.
#pragma once

#include <hdf5.h>
#include <cstdint>

#include <span>
#include <string>
#include <vector>

namespace cli::mtip {

using Shape = std::vector<hsize_t>;

class Hdf5File {
 public:
  enum class Access { read, change, create };
  Hdf5File(const std::string& path, Access access);
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;
  ~Hdf5File();

  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] Shape shape(const std::string& name) const;

  // Rows first .. first+count of the slowest axis, converted to the type of `to`, which has room for them.
  void read_rows(const std::string& name, hsize_t first, hsize_t count, std::span<float> to) const;
  void read_rows(const std::string& name, hsize_t first, hsize_t count, std::span<double> to) const;

  void write(const std::string& name, const Shape& shape, std::span<const float> values);
  void write(const std::string& name, const Shape& shape, std::span<const double> values);
  void write(const std::string& name, const Shape& shape, std::span<const std::int32_t> values);

  // An array of zeros, and its rows along the slowest axis, from `first` on.
  void make_floats(const std::string& name, const Shape& shape);
  void make_doubles(const std::string& name, const Shape& shape);
  void write_rows(const std::string& name, hsize_t first, hsize_t count, std::span<const float> values);
  void write_rows(const std::string& name, hsize_t first, hsize_t count, std::span<const double> values);

  [[noreturn]] void refuse(const std::string& what) const;

 private:
  void read_as(hid_t type, const std::string& name, const Shape& first_and_count, void* to) const;
  void write_rows_as(hid_t type, const std::string& name, const Shape& first_and_count, const void* from);
  void write_as(hid_t type, const std::string& name, const Shape& shape, const void* values);

  std::string path_;
  hid_t file_ = -1;
};

}  // namespace cli::mtip
