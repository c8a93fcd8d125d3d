// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "dperm/core/error.hpp"

namespace dperm::model {
namespace {

class AtomicFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / "dperm_atomic_file_test";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  std::filesystem::path folder_;
};

TEST_F(AtomicFile, WritesWholeFilesAndReplacesOldOnes) {
  write_file_atomically(path("a"), "one");
  write_file_atomically(path("a"), "two");
  EXPECT_EQ(read_file(path("a")), "two");
  EXPECT_EQ(files(), 1u) << "no draft may be left behind";
}

TEST_F(AtomicFile, AFailedWriteNamesThePathAndLeavesNothing) {
  try {
    write_file_atomically(path("missing/a"), "x");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("missing/a"), std::string::npos);
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFile, CheckingLeavesNoTrace) {
  check_writable(path("a"));
  EXPECT_EQ(files(), 0u);
  EXPECT_THROW(check_writable(folder_.string()), DataError);
  EXPECT_THROW(check_writable(path("missing/a")), DataError);
}

TEST_F(AtomicFile, FollowsALinkAndKeepsIt) {
  write_file_atomically(path("a"), "one");
  std::filesystem::create_symlink("a", path("link"));
  write_file_atomically(path("link"), "two");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(read_file(path("a")), "two");
}

TEST_F(AtomicFile, NeverReplacesADeviceOrAPipe) {
  // Pipes of our own: code that got this wrong would, run as root, replace a real device for everyone.
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", path("link"));
  for (const char* name : {"pipe", "link"}) {
    EXPECT_THROW(check_writable(path(name)), DataError);
    EXPECT_THROW(write_file_atomically(path(name), "x"), DataError);
    EXPECT_FALSE(std::filesystem::is_regular_file(path(name)));
  }
}

TEST_F(AtomicFile, ALinkThatPointsNowhereIsNotReplaced) {
  std::filesystem::create_symlink("nowhere", path("link"));
  EXPECT_THROW(check_writable(path("link")), DataError);
  EXPECT_THROW(write_file_atomically(path("link"), "x"), DataError);
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(files(), 1u);
}

// Two fits with one name for their models: both have spent their budget, and neither model may vanish.
TEST_F(AtomicFile, NoResultIsLostToAnotherOfTheSameName) {
  ReservedFile first(path("a"), 10), second(path("a"), 10), third(path("a"), 10);
  EXPECT_EQ(files(), 0u) << "nothing is there before it is complete";
  EXPECT_EQ(first.write("one", false), "");
  EXPECT_EQ(second.write("two", false), path("a") + ".2");
  EXPECT_EQ(third.write("three", false), path("a") + ".3");
  EXPECT_EQ(read_file(path("a")), "one");
  EXPECT_EQ(read_file(path("a") + ".2"), "two");
  EXPECT_EQ(ReservedFile(path("a"), 10).write("four", true), "");
  EXPECT_EQ(read_file(path("a")), "four");
}

TEST_F(AtomicFile, AFullDiskIsNoticedBeforeAnythingIsSpent) {
  EXPECT_THROW(ReservedFile(path("a"), std::size_t{1} << 60), DataError);
  EXPECT_EQ(files(), 0u);
  ReservedFile(path("a"), std::size_t{1} << 20).write("short", false);
  struct stat facts{};
  stat(path("a").c_str(), &facts);
  EXPECT_EQ(facts.st_size, 5);
  EXPECT_LT(facts.st_blocks, 100) << "space that was set aside is given back";
}

TEST_F(AtomicFile, ReadingSaysWhatIsWrong) {
  EXPECT_THROW(read_file(path("none")), DataError);
  EXPECT_THROW(read_file(folder_.string()), DataError);
}

}  // namespace
}  // namespace dperm::model
