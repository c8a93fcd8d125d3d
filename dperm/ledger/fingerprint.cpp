// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/fingerprint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "dperm/core/error.hpp"
#include "dperm/random/bits.hpp"

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

constexpr const char* kHeading =
    "# Fingerprints of tables, written by dperm because their owner asked for them (dperm ledger fingerprints).\n"
    "# They are exact digests of records, with their key, and nothing protects anybody in them: whoever has this file\n"
    "# and all records of a table but one can find out that one by trying. Keep it as you keep the tables. The ledger\n"
    "# does not need it: delete it at any time.\n";

std::string path_beside(const Ledger& ledger) { return ledger.path() + ".fingerprints"; }

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw DataError(fmt::format("fingerprints {}: {}", path, why));
}

void write_all(const std::string& path, int flags, const std::string& text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  if (file < 0) fail(path, fmt::format("cannot be written ({})", std::strerror(errno)));
  const ssize_t written = ::write(file, text.data(), text.size());
  const bool closed = ::close(file) == 0;
  if (written != static_cast<ssize_t>(text.size()) || !closed) fail(path, "not everything could be written");
}

}  // namespace

FingerprintFile FingerprintFile::create(const Ledger& ledger) {
  random::SecureBits bits;
  FingerprintFile made(path_beside(ledger),
                       fmt::format("{:016x}{:016x}{:016x}{:016x}", bits.next(), bits.next(), bits.next(), bits.next()));
  write_all(made.path_, O_CREAT | O_EXCL,
            kHeading + nlohmann::ordered_json{{"ledger", ledger.id()}, {"key", made.key_}}.dump() + "\n");
  return made;
}

std::optional<FingerprintFile> FingerprintFile::find(const Ledger& ledger) {
  const std::string path = path_beside(ledger);
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return std::nullopt;
  std::ifstream file(path);
  FingerprintFile found(path, "");
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json each = nlohmann::json::parse(line, nullptr, false);
    if (!each.is_object()) continue;
    if (found.key_.empty()) {
      if (each.value("ledger", "") != ledger.id()) fail(path, "it belongs to another ledger; move it away");
      found.key_ = each.value("key", "");
    } else {
      found.all_.push_back({each.value("dataset", ""), each.value("kind", ""), each.value("value", ""),
                            each.value("entry", std::uint64_t{0})});
    }
  }
  if (found.key_.empty()) fail(path, "it cannot be read, or has no key; delete it, and ask for a new one");
  return found;
}

FingerprintFile FingerprintFile::needed(const Ledger& ledger) {
  if (auto found = find(ledger)) return std::move(*found);
  throw ArgumentError(fmt::format(
      "which tables are alike is known only where fingerprints of tables are kept, and ledger {0} has none: "
      "they are exact, and protect nobody. Where you want them all the same: dperm ledger fingerprints {0}",
      ledger.path()));
}

void FingerprintFile::add(const Fingerprints& fingerprints) const {
  std::string lines;
  for (const Fingerprint& each : fingerprints) {
    if (each.value.empty()) continue;
    lines +=
        nlohmann::ordered_json{
            {"dataset", each.dataset}, {"kind", each.kind}, {"value", each.value}, {"entry", each.entry}}
            .dump() +
        "\n";
  }
  if (!lines.empty()) write_all(path_, O_APPEND, lines);
}

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

void remember_table(const Ledger& ledger, const Mark& mark, const std::vector<std::string>& files,
                    const std::function<std::string(const std::string& key)>& rows) {
  try {
    const auto kept = FingerprintFile::find(ledger);
    if (!kept) return;
    Fingerprints found = {{mark.dataset, "rows", rows(kept->key()), mark.entry}};
    for (const std::string& path : files) {
      found.push_back({mark.dataset, "file", file_fingerprint(kept->key(), path), mark.entry});
    }
    kept->add(found);
  } catch (const DataError&) {
  }
}

std::vector<std::string> same_tables(const Fingerprints& ours, const Fingerprints& all) {
  std::set<std::string> lines;
  for (const Fingerprint& mine : ours) {
    for (const Fingerprint& other : all) {
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
