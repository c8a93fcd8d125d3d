// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/bits.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <span>
#include <vector>

#include "tests/support/goodness_of_fit.hpp"

namespace dperm::random {
namespace {

using testing::test_event;

TEST(Bits, OnlyTheSystemsGeneratorCallsItselfSecure) {
  EXPECT_TRUE(SecureBits().secure());
  EXPECT_FALSE(SeededBits(1).secure());
}

// ChaCha20 of key (seed, block number, 0, 0), nonce "LibsodiumDRG", computed by a separate implementation.
TEST(Bits, SeededStreamIsTheDocumentedOne) {
  SeededBits bits(2026);
  EXPECT_EQ(bits.next(), 0xaa4d9f6f3112246du);
  EXPECT_EQ(bits.next(), 0xa995105f2acb4f5au);
  EXPECT_EQ(bits.next(), 0x742620b6a08a43f7u);
  for (int i = 3; i < 128; ++i) bits.next();
  EXPECT_EQ(bits.next(), 0x4464a147f0a4440fu);
  EXPECT_EQ(bits.next(), 0xfa13bab66f8f2503u);
}

TEST(Bits, WordsNeverRepeatAcrossBlocksSeedsAndSources) {
  std::set<std::uint64_t> seen;
  SecureBits first_secure;
  SecureBits second_secure;
  SeededBits first_seeded(1);
  SeededBits second_seeded(2);
  // 4000 words: a repetition by chance has probability below 4000^2 / 2^65 < 1e-12.
  for (int i = 0; i < 1000; ++i) {
    for (BitSource* source :
         std::initializer_list<BitSource*>{&first_secure, &second_secure, &first_seeded, &second_seeded}) {
      EXPECT_TRUE(seen.insert(source->next()).second);
    }
  }
}

TEST(Bits, FillGivesTheWordsThatNextWould) {
  SeededBits one_by_one(3), in_bulk(3);
  for (const std::size_t size : {0u, 1u, 126u, 3u, 128u, 1000u, 5u}) {
    std::vector<std::uint64_t> words(size + 1, 77);
    in_bulk.fill(std::span(words).first(size));
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(words[i], one_by_one.next()) << size;
    EXPECT_EQ(words[size], 77u) << "wrote beyond the end";
    EXPECT_EQ(in_bulk.next(), one_by_one.next());
  }
}

// Across many blocks and several seeds of one source; 160,000 words repeat by chance with probability below 1e-9.
TEST(Bits, SecureWordsNeverRepeatHoweverTheyAreDrawn) {
  std::set<std::uint64_t> seen;
  SecureBits bits;
  std::vector<std::uint64_t> words(1999);
  for (int i = 0; i < 80; ++i) {
    bits.fill(words);
    for (const std::uint64_t word : words) ASSERT_TRUE(seen.insert(word).second);
    ASSERT_TRUE(seen.insert(bits.next()).second);
  }
}

TEST(Bits, UsedWordsAreNoLongerInTheSourcesMemory) {
  SecureBits bits;
  for (const std::size_t size : {1u, 100u, 151u, 252u, 700u}) {
    std::vector<std::uint64_t> words(size);
    bits.fill(words);
    words.push_back(bits.next());
    std::array<std::uint64_t, sizeof bits / sizeof(std::uint64_t)> memory;
    std::memcpy(memory.data(), static_cast<const void*>(&bits), sizeof memory);
    for (const std::uint64_t word : words) EXPECT_EQ(std::count(memory.begin(), memory.end(), word), 0) << size;
  }
}

void expect_fair_bits(BitSource& bits) {
  constexpr std::uint64_t kWords = 100'000;
  std::array<std::uint64_t, 64> ones{};
  std::uint64_t equal_neighbours = 0;
  for (std::uint64_t i = 0; i < kWords; ++i) {
    const std::uint64_t word = bits.next();
    for (std::size_t bit = 0; bit < 64; ++bit) ones[bit] += (word >> bit) & 1;
    equal_neighbours += static_cast<std::uint64_t>(std::popcount(~(word ^ (word >> 1)) << 1));
  }
  for (const std::uint64_t count : ones)
    EXPECT_TRUE(test_event(count, kWords, 0.5)) << test_event(count, kWords, 0.5).text;
  // The 63 events "equal to the next bit" of a word of fair bits are independent.
  EXPECT_TRUE(test_event(equal_neighbours, kWords * 63, 0.5)) << test_event(equal_neighbours, kWords * 63, 0.5).text;
}

TEST(Bits, EveryBitIsFair) {
  SecureBits secure;
  expect_fair_bits(secure);
  SeededBits seeded(7);
  expect_fair_bits(seeded);
}

TEST(Bits, AForkedChildDoesNotRepeatItsParentsBits) {
  SecureBits bits;
  bits.next();  // the block is now filled, and the child inherits it
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  std::array<std::uint64_t, 4> words{};
  words[0] = bits.next();
  bits.fill(std::span(words).subspan(1));
  if (child == 0) {
    const bool written = write(ends[1], words.data(), sizeof words) == static_cast<ssize_t>(sizeof words);
    _exit(written ? 0 : 1);
  }
  std::array<std::uint64_t, 4> of_child{};
  EXPECT_EQ(read(ends[0], of_child.data(), sizeof of_child), static_cast<ssize_t>(sizeof of_child));
  int status = 1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(ends[0]);
  close(ends[1]);
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_NE(words[i], of_child[i]);
    EXPECT_NE(of_child[i], 0u) << "a wiped word was handed out";
  }
}

}  // namespace
}  // namespace dperm::random
