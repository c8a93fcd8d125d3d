// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.hpp"

#include <fmt/core.h>
#include <fnmatch.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "dperm/core/error.hpp"
#include "dperm/model/atomic_file.hpp"

namespace dperm::cli {

namespace {

bool same_file(const std::string& output, const std::string& input) {
  std::error_code ignored;
  if (std::filesystem::equivalent(output, input, ignored)) return true;
  const auto whole = [](const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
  };
  // Two outputs that do not exist yet can still be the same; and a glob is an input as well.
  return whole(output) == whole(input) || (std::filesystem::exists(output, ignored) &&
                                           fnmatch(whole(input).c_str(), whole(output).c_str(), FNM_PATHNAME) == 0);
}

}  // namespace

void check_output(const std::string& path, const std::vector<std::string>& inputs) {
  if (path.empty()) return;
  for (const std::string& input : inputs) {
    if (!input.empty() && same_file(path, input)) {
      throw ArgumentError(fmt::format("--output {} would overwrite '{}'; give another path", path, input));
    }
  }
  model::check_writable(path);
}

void refuse_to_replace(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) || std::filesystem::file_size(path, ignored) == 0) return;
  throw ArgumentError(
      fmt::format("--output {} already exists, and a model file is the record of a budget that is spent; give another "
                  "path, or --overwrite to replace it",
                  path));
}

void note(const std::string& line) {
  std::fflush(stdout);
  std::fputs((line + "\n").c_str(), stderr);
}

void finish_standard_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw DataError(fmt::format("standard output: not everything could be written ({}); free some space or use --output",
                              std::strerror(errno)));
}

}  // namespace dperm::cli
