// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/signature.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <optional>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm {

namespace {

constexpr std::string_view kSecret = "dperm-secret-key-1", kPublic = "dperm-public-key-1",
                           kSignature = "dperm-signature-1";
// What is signed begins with this line, so that no signature made for another purpose can be passed off as one of ours.
constexpr std::string_view kPurpose = "dperm signature of a file, version 1\n";
constexpr int kBase64 = sodium_base64_VARIANT_ORIGINAL;

void start_sodium() { ensure(sodium_init() >= 0, "libsodium does not start"); }

std::string line(std::string_view kind, const unsigned char* bytes, std::size_t count) {
  std::string text(sodium_base64_encoded_len(count, kBase64), '\0');
  sodium_bin2base64(text.data(), text.size(), bytes, count, kBase64);
  text.pop_back();  // the terminating zero
  return fmt::format("{} {}\n", kind, text);
}

// The bytes behind "KIND base64", or nothing.
std::optional<std::vector<unsigned char>> bytes_of(std::string_view text, std::string_view kind, std::size_t count) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  if (!text.starts_with(kind) || text.size() <= kind.size() || text[kind.size()] != ' ') return std::nullopt;
  text.remove_prefix(kind.size() + 1);
  std::vector<unsigned char> bytes(count);
  std::size_t found = 0;
  const char* end = nullptr;
  const int failed =
      sodium_base642bin(bytes.data(), bytes.size(), text.data(), text.size(), nullptr, &found, &end, kBase64);
  if (failed != 0 || found != count || end != text.data() + text.size()) return std::nullopt;
  return bytes;
}

std::string message(std::string_view content) { return std::string(kPurpose).append(content); }

const unsigned char* unsigned_bytes(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

SigningKeys signing_keys(const std::array<unsigned char, kKeySeedBytes>& seed) {
  static_assert(kKeySeedBytes == crypto_sign_SEEDBYTES);
  start_sodium();
  std::array<unsigned char, crypto_sign_PUBLICKEYBYTES> open;
  std::array<unsigned char, crypto_sign_SECRETKEYBYTES> secret;
  crypto_sign_seed_keypair(open.data(), secret.data(), seed.data());
  SigningKeys keys{line(kSecret, secret.data(), secret.size()), line(kPublic, open.data(), open.size())};
  sodium_memzero(secret.data(), secret.size());
  return keys;
}

std::string signature_of(std::string_view content, std::string_view secret_key, const std::string& key_name) {
  start_sodium();
  auto key = bytes_of(secret_key, kSecret, crypto_sign_SECRETKEYBYTES);
  require(key.has_value(), fmt::format("{} is no secret key; dperm sign --new-key FILE makes one", key_name));
  const std::string text = message(content);
  std::array<unsigned char, crypto_sign_BYTES> signature;
  crypto_sign_detached(signature.data(), nullptr, unsigned_bytes(text), text.size(), key->data());
  sodium_memzero(key->data(), key->size());
  return line(kSignature, signature.data(), signature.size());
}

bool is_signed_by(std::string_view content, std::string_view signature, const std::string& signature_name,
                  std::string_view public_key, const std::string& key_name) {
  start_sodium();
  require(!public_key.starts_with(kSecret),
          fmt::format("{} is a secret key; check with the public one beside it, and give the secret one to nobody",
                      key_name));
  const auto key = bytes_of(public_key, kPublic, crypto_sign_PUBLICKEYBYTES);
  require(key.has_value(), fmt::format("{} is no public key of dperm", key_name));
  const auto bytes = bytes_of(signature, kSignature, crypto_sign_BYTES);
  if (!bytes) throw DataError(fmt::format("{} is no signature of dperm; get the original file", signature_name));
  const std::string text = message(content);
  return crypto_sign_verify_detached(bytes->data(), unsigned_bytes(text), text.size(), key->data()) == 0;
}

}  // namespace dperm
