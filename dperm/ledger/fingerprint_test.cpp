// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/fingerprint.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "dperm/core/error.hpp"

namespace dperm::ledger {
namespace {

class FingerprintsOfTables : public testing::Test {
 protected:
  FingerprintsOfTables() {
    std::string name = testing::TempDir() + "printsXXXXXX";
    folder_ = mkdtemp(name.data());
    path_ = folder_ + "/ledger.db";
    Ledger::create(path_).enlist("people", {.epsilon = 2, .delta = 1e-5});
  }
  ~FingerprintsOfTables() override { std::filesystem::remove_all(folder_); }

  std::string folder_, path_;
};

TEST_F(FingerprintsOfTables, TheLedgerHoldsNoDigestOfATable) {
  Ledger ledger = Ledger::open(path_);
  EXPECT_FALSE(FingerprintFile::find(ledger));
  EXPECT_THROW(FingerprintFile::needed(ledger), ArgumentError);
  const FingerprintFile made = FingerprintFile::create(ledger);
  EXPECT_EQ(made.path(), path_ + ".fingerprints");
  struct stat status{};
  ASSERT_EQ(stat(made.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_THROW(FingerprintFile::create(ledger), DataError);
  std::ofstream(folder_ + "/a.csv") << "x\n1\n";
  const std::string print = file_fingerprint(made.key(), folder_ + "/a.csv");
  EXPECT_EQ(print, keyed_digest(made.key(), "x\n1\n"));
  EXPECT_NE(print, keyed_digest("another key", "x\n1\n"));
  EXPECT_EQ(file_fingerprint(made.key(), folder_), "");
  const auto bytes = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string before = bytes(path_);
  made.add({{"people", "file", print, 3}, {"people", "rows", "", 3}});
  std::ofstream(made.path(), std::ios::app) << "{\"dataset\": \"cut sh";
  EXPECT_EQ(bytes(path_), before);
  EXPECT_EQ(before.find(made.key()), std::string::npos);
  const auto found = FingerprintFile::find(ledger);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key(), made.key());
  EXPECT_EQ(found->all(), (Fingerprints{{"people", "file", print, 3}}));
  EXPECT_EQ(bytes(made.path()).rfind("# Fingerprints of tables", 0), 0u) << "the file says what it is";
  // Of another ledger, or no such file.
  std::filesystem::copy_file(made.path(), folder_ + "/other.db.fingerprints");
  EXPECT_THROW(FingerprintFile::find(Ledger::create(folder_ + "/other.db")), DataError);
  std::ofstream(folder_ + "/third.db.fingerprints") << "nothing\n";
  EXPECT_THROW(FingerprintFile::find(Ledger::create(folder_ + "/third.db")), DataError);
}

}  // namespace
}  // namespace dperm::ledger
