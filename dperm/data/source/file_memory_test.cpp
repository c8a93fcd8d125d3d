// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/source/file_memory.hpp"

#include <arrow/buffer.h>
#include <gtest/gtest.h>

namespace dperm::data {
namespace {

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

TEST(FileMemory, ASmallFileCannotAskForMuch) {
  InputFile file;
  file.facts.size = 1000;
  const FileMemory memory(file);
  EXPECT_TRUE(arrow::AllocateBuffer(100 * kMebibyte, memory.pool()).ok());
  EXPECT_FALSE(arrow::AllocateBuffer(1100 * kMebibyte, memory.pool()).ok());
  const auto first = arrow::AllocateBuffer(600 * kMebibyte, memory.pool());
  EXPECT_TRUE(first.ok());
  EXPECT_FALSE(arrow::AllocateBuffer(600 * kMebibyte, memory.pool()).ok()) << "what is in use counts";
}

TEST(FileMemory, ALargeOneGetsWhatItsSizeExplains) {
  InputFile file;
  file.facts.size = static_cast<std::uint64_t>(100 * kMebibyte);
  const FileMemory memory(file);
  EXPECT_TRUE(arrow::AllocateBuffer(2000 * kMebibyte, memory.pool()).ok());
}

}  // namespace
}  // namespace dperm::data
