// SPDX-License-Identifier: Apache-2.0
// What an entry tells, and what it must not tell.
#include "dperm/ledger/entry.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <ctime>
#include <filesystem>
#include <regex>
#include <string>

#include "dperm/ledger/ledger.hpp"

namespace dperm::ledger {
namespace {

class LedgerEntries : public testing::Test {
 protected:
  LedgerEntries() {
    std::string name = testing::TempDir() + "entriesXXXXXX";
    folder_ = mkdtemp(name.data());
    path_ = folder_ + "/ledger.db";
    Ledger::create(path_).enlist("people", {.epsilon = 2, .delta = 1e-5});
  }
  ~LedgerEntries() override { std::filesystem::remove_all(folder_); }

  std::string folder_, path_;
};

// How long a request took may depend on records, and for a tuned fit on how often it ran, which must stay secret.
TEST_F(LedgerEntries, NoHourIsKeptAndNoDayOfAnEnd) {
  Ledger ledger = Ledger::open(path_);
  ledger.settle(ledger.reserve("people", {.command = "fit", .epsilon = 0.5}), "a model");
  ledger.look("people", "predict");
  for (const Entry& entry : ledger.entries()) {
    EXPECT_EQ(entry.date.size(), entry.kind == EntryKind::settle ? 0u : 10u) << entry.date;
  }
  const auto cells = [&](const std::string& table) {
    std::string all;
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    const auto collect = [](void* text, int count, char** values, char**) {
      for (int i = 0; i < count; ++i)
        *static_cast<std::string*>(text) += std::string(values[i] ? values[i] : "") + "\n";
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(handle, ("SELECT * FROM " + table).c_str(), collect, &all, nullptr), SQLITE_OK);
    sqlite3_close(handle);
    return all;
  };
  // Nowhere in the file: neither as 12:34 nor as seconds since 1970.
  const std::string seconds = std::to_string(std::time(nullptr)).substr(0, 6);
  for (const char* table : {"meta", "entry", "result"}) {
    EXPECT_FALSE(std::regex_search(cells(table), std::regex("\\b[0-9]{2}:[0-9]{2}"))) << cells(table);
    EXPECT_FALSE(std::regex_search(cells(table), std::regex("\\b" + seconds + "[0-9]{4}\\b"))) << cells(table);
  }
}

}  // namespace
}  // namespace dperm::ledger
