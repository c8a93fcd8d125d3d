// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer: every file of a corpus, then changes of them by a fixed seed. Usage: TARGET
// FOLDER [CHANGES]
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "fuzz/target.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> corpus(const char* folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> all;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    all.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return all;
}

// Flips, removes, repeats, inserts, or takes over a piece of another file.
Bytes changed(Bytes bytes, const std::vector<Bytes>& all, std::mt19937_64& random) {
  const auto place = [&](const Bytes& of) { return static_cast<std::ptrdiff_t>(random() % (of.size() + 1)); };
  for (std::uint64_t times = 1 + random() % 4; times > 0; --times) {
    const std::ptrdiff_t at = place(bytes);
    const std::ptrdiff_t end = std::min<std::ptrdiff_t>(at + place(Bytes(32)), std::ssize(bytes));
    const Bytes piece(bytes.begin() + at, bytes.begin() + end);
    const Bytes& other = all[random() % all.size()];
    switch (random() % 5) {
      case 0:
        if (at < std::ssize(bytes))
          bytes[static_cast<std::size_t>(at)] ^= static_cast<std::uint8_t>(1u << random() % 8);
        break;
      case 1:
        bytes.erase(bytes.begin() + at, bytes.begin() + end);
        break;
      case 2:
        bytes.insert(bytes.begin() + at, piece.begin(), piece.end());
        break;
      case 3:
        bytes.insert(bytes.begin() + at, static_cast<std::uint8_t>("\"\n\r,:{}[]0-eN\0\xff "[random() % 17]));
        break;
      default: {
        const std::ptrdiff_t from = place(other);
        bytes.insert(bytes.begin() + at, other.begin() + from,
                     other.begin() + std::min<std::ptrdiff_t>(from + 64, std::ssize(other)));
      }
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::vector<Bytes> all = corpus(argv[1]);
  if (all.empty()) return 2;
  for (const Bytes& each : all) LLVMFuzzerTestOneInput(each.data(), each.size());
  std::mt19937_64 random(1);
  const long changes = argc > 2 ? std::atol(argv[2]) : 2000;
  for (long i = 0; i < changes; ++i) {
    const Bytes bytes = changed(all[random() % all.size()], all, random);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%zu files and %ld changes\n", all.size(), changes);
  return 0;
}
