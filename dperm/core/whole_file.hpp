// SPDX-License-Identifier: Apache-2.0
// A small file as one text: schemas, models, lists of rules.
#pragma once

#include <cstddef>
#include <string>

namespace dperm {

// Larger files are none of ours: a model or schema of a million columns has less.
inline constexpr std::size_t kMostFileBytes = std::size_t{1} << 30;

// The whole file, a pipe too. Throws DataError naming the path and the reason: it cannot be read, it is a folder or a
// device (which may never end), or it has more than `most` bytes.
std::string whole_file(const std::string& path, std::size_t most = kMostFileBytes);

}  // namespace dperm
