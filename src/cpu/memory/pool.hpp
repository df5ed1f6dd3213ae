// Objects that are expensive to make, kept for the next who needs one. Any number of threads may take and give back.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace offgrid::cpu {

template <class Object> class Pool {
 public:
  // One that is idle, or make()'s.
  template <class Make> std::unique_ptr<Object> take(Make&& make) {
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Object> object = std::move(idle_.back());
        idle_.pop_back();
        return object;
      }
    }
    std::unique_ptr<Object> object = make();
    const std::scoped_lock lock(mutex_);
    idle_.reserve(made_ + 1);  // so that giving back needs no memory
    ++made_;
    return object;
  }

  void give_back(Object* object) noexcept {
    const std::scoped_lock lock(mutex_);
    idle_.emplace_back(object);
  }

  // Frees what is idle.
  void clear() noexcept {
    const std::scoped_lock lock(mutex_);
    made_ -= idle_.size();
    idle_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Object>> idle_;
  std::size_t made_ = 0;
};

}  // namespace offgrid::cpu
