#include "mtip/files/hdf5_file.hpp"

#include <functional>
#include <numeric>

#include "text.hpp"

namespace cli::mtip {
namespace {

// A handle of HDF5 with the function that closes it.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

hsize_t elements(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), hsize_t{1}, std::multiplies<>());
}

}  // namespace

Hdf5File::Hdf5File(const std::string& path, Access access) : path_(path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // messages are ours
  if (access == Access::create)
    file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  else
    file_ = H5Fopen(path.c_str(), access == Access::read ? H5F_ACC_RDONLY : H5F_ACC_RDWR, H5P_DEFAULT);
  if (file_ < 0) refuse(access == Access::create ? "cannot make the HDF5 file" : "cannot open it as an HDF5 file");
}

Hdf5File::~Hdf5File() {
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5File::refuse(const std::string& what) const { throw InputError(path_ + ": " + what); }

bool Hdf5File::has(const std::string& name) const { return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0; }

Shape Hdf5File::shape(const std::string& name) const {
  if (!has(name)) refuse("it has no dataset \"" + name + "\"");
  const Handle set(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (set < 0) refuse("\"" + name + "\" is no dataset");
  const Handle space(H5Dget_space(set), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 1) refuse("\"" + name + "\" is no array");
  Shape shape(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  return shape;
}

void Hdf5File::read_as(hid_t type, const std::string& name, const Shape& first_and_count, void* to) const {
  Shape count = shape(name), first(count.size(), 0);
  if (first_and_count[0] + first_and_count[1] > count[0])
    refuse(format("\"%s\" has %llu rows, expected %llu", name.c_str(), static_cast<unsigned long long>(count[0]),
                  static_cast<unsigned long long>(first_and_count[0] + first_and_count[1])));
  first[0] = first_and_count[0];
  count[0] = first_and_count[1];
  const Handle set(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(set), H5Sclose);
  const Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
  const bool read = H5Sselect_hyperslab(space, H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr) >= 0 &&
                    H5Dread(set, type, memory, space, H5P_DEFAULT, to) >= 0;
  if (!read) refuse("cannot read \"" + name + "\" as numbers");
}

void Hdf5File::read_rows(const std::string& name, hsize_t first, hsize_t count, std::span<float> to) const {
  Shape part = shape(name);
  part[0] = count;
  if (elements(part) != to.size()) refuse("\"" + name + "\" has an unexpected shape");
  read_as(H5T_NATIVE_FLOAT, name, {first, count}, to.data());
}

void Hdf5File::read_rows(const std::string& name, hsize_t first, hsize_t count, std::span<double> to) const {
  Shape part = shape(name);
  part[0] = count;
  if (elements(part) != to.size()) refuse("\"" + name + "\" has an unexpected shape");
  read_as(H5T_NATIVE_DOUBLE, name, {first, count}, to.data());
}

void Hdf5File::write_as(hid_t type, const std::string& name, const Shape& shape, const void* values) {
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  const Handle set(H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  if (set < 0 || (values && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0))
    refuse("cannot write \"" + name + "\"");
}

void Hdf5File::write_rows_as(hid_t type, const std::string& name, const Shape& first_and_count, const void* from) {
  Shape count = shape(name), first(count.size(), 0);
  first[0] = first_and_count[0];
  count[0] = first_and_count[1];
  const Handle set(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(set), H5Sclose);
  const Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
  const bool written = H5Sselect_hyperslab(space, H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr) >= 0 &&
                       H5Dwrite(set, type, memory, space, H5P_DEFAULT, from) >= 0;
  if (!written) refuse("cannot write \"" + name + "\"");
}

void Hdf5File::write_rows(const std::string& name, hsize_t first, hsize_t count, std::span<const float> values) {
  write_rows_as(H5T_NATIVE_FLOAT, name, {first, count}, values.data());
}
void Hdf5File::write_rows(const std::string& name, hsize_t first, hsize_t count, std::span<const double> values) {
  write_rows_as(H5T_NATIVE_DOUBLE, name, {first, count}, values.data());
}
void Hdf5File::make_floats(const std::string& name, const Shape& shape) {
  write_as(H5T_NATIVE_FLOAT, name, shape, nullptr);
}
void Hdf5File::make_doubles(const std::string& name, const Shape& shape) {
  write_as(H5T_NATIVE_DOUBLE, name, shape, nullptr);
}

void Hdf5File::write(const std::string& name, const Shape& shape, std::span<const float> values) {
  write_as(H5T_NATIVE_FLOAT, name, shape, values.data());
}
void Hdf5File::write(const std::string& name, const Shape& shape, std::span<const double> values) {
  write_as(H5T_NATIVE_DOUBLE, name, shape, values.data());
}
void Hdf5File::write(const std::string& name, const Shape& shape, std::span<const std::int32_t> values) {
  write_as(H5T_NATIVE_INT32, name, shape, values.data());
}

}  // namespace cli::mtip
