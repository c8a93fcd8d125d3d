// SPDX-License-Identifier: Apache-2.0
// Files appear whole or not at all, and nothing half-made outlives the program.
#pragma once

#include <cstddef>
#include <string>

namespace dperm {

// A file under construction, readable by its owner only. It has no name where the file system can make one without, so
// that it vanishes with the program however that ends; elsewhere a temporary name beside its place.
class NewFile {
 public:
  NewFile() = default;
  explicit NewFile(std::string path);  // is_open() says whether it could be made (errno)
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&& other) noexcept;
  ~NewFile();

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

  // Sets disk space aside. False (errno set) where there is not enough; true also where that cannot be known.
  bool reserve(std::size_t bytes) const;

  // Flushes the content to disk and gives it its name, and the name to disk. `keep`: false with errno EEXIST where a
  // file of that name is there already, even if it came this moment; the new file can then be put at `path` elsewhere.
  enum class Existing { keep, replace };
  bool publish(Existing existing) { return publish_as(path_, existing); }
  bool publish_as(const std::string& path, Existing existing);

 private:
  bool give_temporary_name();
  bool put_at_free(const std::string& path) const;

  std::string path_, name_;  // name_: the temporary one, if there is one
  int descriptor_ = -1;
};

}  // namespace dperm
