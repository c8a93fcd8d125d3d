// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/fingerprint.hpp"

#include <sodium.h>

#include <array>
#include <filesystem>
#include <fstream>

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

}  // namespace dperm::ledger
