// SPDX-License-Identifier: Apache-2.0
// Files of the public datasets, which the project does not carry: tests that need one are skipped where it is missing.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace dperm::tests {

inline constexpr const char* kNoPublicData = "DPERM_DATA names no folder that holds this dataset";

// The file's path in the folder named by DPERM_DATA, or nothing.
inline std::string public_data(const std::string& name) {
  const char* folder = std::getenv("DPERM_DATA");
  const std::string path = folder == nullptr ? "" : std::string(folder) + "/" + name;
  return std::filesystem::exists(path) ? path : "";
}

}  // namespace dperm::tests
