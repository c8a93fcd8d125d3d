// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/signature.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"

namespace dperm {
namespace {

// RFC 8032, section 7.1, test 1.
constexpr std::array<unsigned char, kKeySeedBytes> kSeed = {
    0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4,
    0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60};

TEST(Signature, TheKeyIsThatOfTheStandard) {
  // d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a in base 64
  EXPECT_EQ(signing_keys(kSeed).open, "dperm-public-key-1 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n");
}

TEST(Signature, HoldsForTheBytesThatWereSigned) {
  const SigningKeys keys = signing_keys(kSeed);
  const std::string content("model\0with a zero\n", 18), signature = signature_of(content, keys.secret, "k");
  EXPECT_TRUE(is_signed_by(content, signature, "s", keys.open, "k"));
  EXPECT_TRUE(is_signed_by(content, signature + "\r\n", "s", keys.open, "k")) << "mail adds line ends";
  for (std::size_t i = 0; i < content.size(); ++i) {
    std::string other = content;
    other[i] = static_cast<char>(other[i] ^ 1);
    EXPECT_FALSE(is_signed_by(other, signature, "s", keys.open, "k")) << i;
  }
  EXPECT_FALSE(is_signed_by(content + "x", signature, "s", keys.open, "k"));
  std::array<unsigned char, kKeySeedBytes> seed = kSeed;
  seed[0] ^= 1;
  EXPECT_FALSE(is_signed_by(content, signature, "s", signing_keys(seed).open, "k"));
}

TEST(Signature, OtherTextsAreRefusedByName) {
  const SigningKeys keys = signing_keys(kSeed);
  const std::string signature = signature_of("x", keys.secret, "k");
  EXPECT_THROW(signature_of("x", keys.open, "k"), ArgumentError);
  EXPECT_THROW(is_signed_by("x", signature, "s", keys.secret, "k"), ArgumentError) << "secret keys stay at home";
  EXPECT_THROW(is_signed_by("x", signature, "s", "", "k"), ArgumentError);
  EXPECT_THROW(is_signed_by("x", keys.open, "s", keys.open, "k"), DataError);
  for (const std::string& bad : {signature.substr(0, 40), signature + "AAAA", std::string("dperm-signature-1"),
                                 std::string("dperm-signature-1 ****"), std::string()}) {
    EXPECT_THROW(is_signed_by("x", bad, "s", keys.open, "k"), DataError) << bad;
  }
}

}  // namespace
}  // namespace dperm
