// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/fingerprint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include "dperm/core/error.hpp"

namespace dperm::ledger {

namespace {

class KeyedHash {
 public:
  explicit KeyedHash(const std::string& key) {
    crypto_generichash_init(&state_, reinterpret_cast<const unsigned char*>(key.data()),
                            std::min<std::size_t>(key.size(), crypto_generichash_KEYBYTES_MAX), kSize);
  }
  void add(const char* bytes, std::size_t count) {
    crypto_generichash_update(&state_, reinterpret_cast<const unsigned char*>(bytes), count);
  }
  std::string text() {
    std::array<unsigned char, kSize> hash{};
    crypto_generichash_final(&state_, hash.data(), hash.size());
    std::array<char, 2 * kSize + 1> hex{};
    sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
    return hex.data();
  }

 private:
  static constexpr std::size_t kSize = 32;
  crypto_generichash_state state_;
};

}  // namespace

std::string keyed_digest(const std::string& key, std::string_view content) {
  KeyedHash hash(key);
  hash.add(content.data(), content.size());
  return hash.text();
}

std::string file_fingerprint(const std::string& key, const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  std::ifstream file(path, std::ios::binary);
  KeyedHash hash(key);
  std::vector<char> buffer(std::size_t{1} << 20);
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    hash.add(buffer.data(), static_cast<std::size_t>(file.gcount()));
  }
  return file.eof() ? hash.text() : "";
}

// An exact sum over rows at weights that only the ledger knows. Nothing of the schema but the encoding goes in: the
// name of its dataset may be what differs.
Sensitive<std::string> row_fingerprint(const std::string& key, const data::Dataset& rows) {
  std::vector<double> weights;
  while (weights.size() < rows.encoding().dimension()) {
    const std::string draw = keyed_digest(key, fmt::format("weight {}", weights.size()));
    weights.push_back(static_cast<double>(std::stoul(draw.substr(0, 8), nullptr, 16)) / 0x1p31 - 1);
  }
  const bool binary = rows.encoding().schema().target.kind == schema::TargetKind::binary;
  const loss::Loss loss{.kind = binary ? loss::LossKind::logistic : loss::LossKind::squared};
  return rows.sums().map([&](const engine::RowSums& sums) -> std::string {
    try {
      const auto total = sums.gradient({loss, 4, weights}, engine::Resolution::solver, {});
      return keyed_digest(key, fmt::format("{} {}", sums.rows(), fmt::join(total, " ")));
    } catch (const ArgumentError&) {
      return "";
    }
  });
}

Fingerprints table_fingerprints(const Ledger& ledger, const Mark& mark, const std::vector<std::string>& files,
                                const std::string& rows) {
  Fingerprints found;
  for (const std::string& path : files) {
    found.push_back({mark.dataset, "file", file_fingerprint(ledger.key(), path), mark.entry});
  }
  found.push_back({mark.dataset, "rows", rows, mark.entry});
  return found;
}

void try_to_remember(Ledger& ledger, const Fingerprints& fingerprints) {
  try {
    ledger.remember(fingerprints);
  } catch (const DataError&) {
  }
}

std::vector<std::string> same_tables(const Fingerprints& ours, const Fingerprints& all) {
  std::set<std::string> lines;
  for (const Ledger::Fingerprint& mine : ours) {
    for (const Ledger::Fingerprint& other : all) {
      if (mine.value.empty() || other.dataset == mine.dataset || other.kind != mine.kind || other.value != mine.value) {
        continue;
      }
      const auto [first, second] = std::minmax(mine.dataset, other.dataset);
      lines.insert(fmt::format("'{}' and '{}' hold the same {}: what is spent on both adds up, and no cap counts it",
                               first, second, mine.kind));
    }
  }
  return {lines.begin(), lines.end()};
}

}  // namespace dperm::ledger
