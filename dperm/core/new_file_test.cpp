// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/new_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "dperm/core/error.hpp"
#include "dperm/core/whole_file.hpp"

namespace dperm {
namespace {

class NewFiles : public testing::Test {
 protected:
  NewFiles() {
    std::string name = (std::filesystem::path(testing::TempDir()) / "dperm_new_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~NewFiles() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::ptrdiff_t files() const { return std::distance(std::filesystem::directory_iterator(folder_), {}); }
  static void write(const NewFile& file, const std::string& text) {
    ASSERT_EQ(::write(file.descriptor(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::filesystem::path folder_;
};

TEST_F(NewFiles, HasNoNameUntilItIsPublished) {
  {
    const NewFile file(path("a"));
    ASSERT_TRUE(file.is_open());
    write(file, "records");
    EXPECT_FALSE(std::filesystem::exists(path("a")));
  }
  EXPECT_EQ(files(), 0);
  NewFile file(path("a"));
  write(file, "one");
  ASSERT_TRUE(file.publish(NewFile::Existing::keep));
  EXPECT_EQ(whole_file(path("a")), "one");
  struct stat facts{};
  stat(path("a").c_str(), &facts);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
}

TEST_F(NewFiles, KeepsWhatCameMeanwhile) {
  NewFile first(path("a")), second(path("a"));
  write(first, "one");
  write(second, "two");
  EXPECT_TRUE(first.publish(NewFile::Existing::keep));
  EXPECT_FALSE(second.publish(NewFile::Existing::keep));
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(whole_file(path("a")), "one");
  EXPECT_TRUE(second.publish_as(path("a.2"), NewFile::Existing::keep)) << "it can still be put elsewhere";
  EXPECT_EQ(whole_file(path("a.2")), "two");
  EXPECT_EQ(files(), 2);
}

TEST_F(NewFiles, ReplacesWhenAskedAndTouchesNothingElse) {
  std::ofstream(path("a")) << "old";
  std::ofstream(path("a." + std::to_string(getpid()))) << "someone else's";
  NewFile file(path("a"));
  write(file, "new");
  EXPECT_TRUE(file.publish(NewFile::Existing::replace));
  EXPECT_EQ(whole_file(path("a")), "new");
  EXPECT_EQ(whole_file(path("a." + std::to_string(getpid()))), "someone else's");
  EXPECT_EQ(files(), 2);
}

TEST_F(NewFiles, AKilledProgramLeavesNothing) {
  const pid_t child = fork();
  if (child == 0) {
    const NewFile file(path("a"));
    if (::write(file.descriptor(), "records", 7) == 7) raise(SIGKILL);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(files(), 0);
}

TEST_F(NewFiles, ReservingMoreThanTheDiskHasFails) {
  const NewFile file(path("a"));
  EXPECT_TRUE(file.reserve(1000));
  EXPECT_FALSE(file.reserve(std::size_t{1} << 60));
}

TEST_F(NewFiles, WholeFilesEnd) {
  EXPECT_THROW(whole_file("/dev/zero"), DataError);
  EXPECT_THROW(whole_file(folder_.string()), DataError);
  EXPECT_THROW(whole_file(path("none")), DataError);
  std::ofstream(path("a")) << std::string(1000, 'x');
  EXPECT_EQ(whole_file(path("a"), 1000).size(), 1000u);
  EXPECT_THROW(whole_file(path("a"), 999), DataError);
}

}  // namespace
}  // namespace dperm
