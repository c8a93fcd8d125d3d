// SPDX-License-Identifier: Apache-2.0
// Signatures of files (Ed25519): who holds the public key can tell that the holder of the secret key vouched for these
// very bytes. Keys and signatures are one line of text each, so that they travel by mail and print.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace dperm {

inline constexpr std::size_t kKeySeedBytes = 32;

struct SigningKeys {
  std::string secret;  // "dperm-secret-key-1 ..."; whoever has it signs in your name
  std::string open;    // "dperm-public-key-1 ..."
};
// The keys that belong to these random bytes.
SigningKeys signing_keys(const std::array<unsigned char, kKeySeedBytes>& seed);

// "dperm-signature-1 ...". Throws ArgumentError naming `key_name` for a text that is no secret key.
std::string signature_of(std::string_view content, std::string_view secret_key, const std::string& key_name);

// Whether the owner of the public key signed this content. Throws ArgumentError for a text that is no public key (a
// secret one is named as such) and DataError for a text that is no signature, each with the name of its file.
bool is_signed_by(std::string_view content, std::string_view signature, const std::string& signature_name,
                  std::string_view public_key, const std::string& key_name);

}  // namespace dperm
