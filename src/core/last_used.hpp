// Values that are kept for whoever asks for the same again: the last few of them, each found by its key. Any number of
// threads may ask.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <utility>

namespace offgrid {

template <class Key, class Value> class LastUsed {
 public:
  explicit LastUsed(std::size_t most) : most_(most) {}

  // The value of the key, or make()'s. Two threads that ask at the same time may both make it.
  template <class Make> Value find_or(const Key& key, Make&& make) {
    {
      const std::scoped_lock lock(mutex_);
      for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
        if (!(entry->first == key)) continue;
        entries_.splice(entries_.begin(), entries_, entry);
        return entry->second;
      }
    }
    Value value = make();
    std::list<std::pair<Key, Value>> forgotten;  // ends outside the lock
    const std::scoped_lock lock(mutex_);
    entries_.emplace_front(key, value);
    if (entries_.size() > most_) forgotten.splice(forgotten.begin(), entries_, std::prev(entries_.end()));
    return value;
  }

  void clear() {
    std::list<std::pair<Key, Value>> forgotten;
    const std::scoped_lock lock(mutex_);
    forgotten.swap(entries_);
  }

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::list<std::pair<Key, Value>> entries_;  // the last one used first
};

}  // namespace offgrid
