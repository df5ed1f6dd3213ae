// The ranks of a program, as an application sees them: sums, broadcasts, gathers of host arrays, and errors that all ranks
// agree on. `Alone` is a program of one rank and needs no MPI; `World` in mpi.hpp is the same over MPI.
//
//   ranks.together([&] { read_my_images(); });           // where one rank throws, all throw the same error
//   ranks.sum(std::span(kernel));                        // over all ranks, in place
//   const std::vector<double> all = ranks.gather(std::span<const double>(mine));   // on rank 0; elsewhere empty
#pragma once

#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "offgrid/offgrid.hpp"

namespace offgrid::mpi {
inline namespace api {

// What can be summed over the ranks. A complex number counts as two.
enum class Number { f32, f64, i32, i64 };

class Communicator {
 public:
  virtual ~Communicator() = default;
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  // The sum over all ranks replaces the values, the same bits on every rank. float, double, complex of both, int32, int64.
  template <class T> void sum(std::span<T> values) const {
    sum_numbers(values.data(), static_cast<std::int64_t>(values.size()) * parts<T>(), kind<T>());
  }
  template <class T> [[nodiscard]] T sum(T value) const {
    sum(std::span<T>(&value, 1));
    return value;
  }

  // From `root` to all ranks; every rank has a span of the same length.
  template <class T> void broadcast(std::span<T> values, int root = 0) const {
    static_assert(std::is_trivially_copyable_v<T>);
    broadcast_bytes(values.data(), static_cast<std::int64_t>(values.size_bytes()), root);
  }

  // The values of all ranks one after the other, on `root`; elsewhere an empty vector. Ranks may have different numbers.
  template <class T> [[nodiscard]] std::vector<T> gather(std::span<const T> values, int root = 0) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::int64_t total = sum(static_cast<std::int64_t>(values.size()));
    std::vector<T> all;
    together([&] { all.resize(rank() == root ? static_cast<std::size_t>(total) : 0); });  // may run out of memory
    gather_bytes({values.data(), static_cast<std::int64_t>(values.size_bytes())},
                 {all.data(), static_cast<std::int64_t>(all.size() * sizeof(T))}, root);
    return all;
  }

  // The same on every rank.
  template <class T> [[nodiscard]] std::vector<T> gather_all(std::span<const T> values) const {
    const std::int64_t total = sum(static_cast<std::int64_t>(values.size()));
    std::vector<T> all = gather(values);
    together([&] { all.resize(static_cast<std::size_t>(total)); });
    broadcast(std::span<T>(all));
    return all;
  }

  // Runs the body on every rank. Where it throws on some, all ranks throw what the lowest of them threw, with its rank in
  // the message. The body itself must not communicate: a rank that has thrown takes no part any more.
  template <class F> void together(F&& body) const {
    offgrid_status status = OFFGRID_OK;
    std::string message;
    try {
      body();
    } catch (const Error& error) {
      status = error.status();
      message = error.what();
    } catch (const std::bad_alloc&) {
      status = OFFGRID_OUT_OF_MEMORY;
      message = "out of memory";
    } catch (const std::exception& error) {
      status = OFFGRID_INTERNAL_ERROR;
      message = error.what();
    }
    agree(status, message);
  }

  // Throws everywhere where one rank has another status than OFFGRID_OK.
  virtual void agree(offgrid_status status, const std::string& message) const = 0;

  // Ends all ranks at once: for a rank that cannot go on and cannot reach the others.
  [[noreturn]] virtual void abort() const = 0;

 protected:
  struct Sent {
    const void* data;
    std::int64_t bytes;
  };
  struct Received {
    void* data;
    std::int64_t bytes;
  };
  virtual void sum_numbers(void* values, std::int64_t count, Number kind) const = 0;
  virtual void broadcast_bytes(void* data, std::int64_t bytes, int root) const = 0;
  virtual void gather_bytes(Sent mine, Received all, int root) const = 0;

 private:
  template <class T>
  static constexpr bool is_complex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

  template <class T> static constexpr std::int64_t parts() { return is_complex<T> ? 2 : 1; }

  template <class T> static constexpr Number kind() {
    constexpr bool integer = std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) >= 4;
    static_assert(integer || is_complex<T> || std::is_same_v<T, float> || std::is_same_v<T, double>,
                  "only float, double, complex numbers of them, and signed integers of 32 and 64 bits can be summed");
    if constexpr (integer) return sizeof(T) == 4 ? Number::i32 : Number::i64;
    return sizeof(T) / parts<T>() == 4 ? Number::f32 : Number::f64;
  }
};

// A program of one rank, without MPI.
class Alone final : public Communicator {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  void agree(offgrid_status status, const std::string& message) const override {
    if (status != OFFGRID_OK) throw Error(status, message);
  }
  [[noreturn]] void abort() const override { std::abort(); }

 protected:
  void sum_numbers(void*, std::int64_t, Number) const override {}
  void broadcast_bytes(void*, std::int64_t, int) const override {}
  void gather_bytes(Sent mine, Received all, int) const override {
    if (mine.bytes > 0) std::memcpy(all.data, mine.data, static_cast<std::size_t>(mine.bytes));
  }
};

}  // namespace api
}  // namespace offgrid::mpi
