// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/table_bytes.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "dperm/core/error.hpp"
#include "dperm/data/carried_columns.hpp"
#include "tests/support/open_sensitive.hpp"

namespace dperm::data {
namespace {

const std::vector<ResultColumn> kTable = {{"row", std::vector<std::int64_t>{1, 2}},
                                          {"p, q", std::vector<double>{0.123456789, 1e-9}, 3},
                                          {"city", std::vector<std::string>{"a \"b\", c", "two\nlines"}}};

class TableFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("dperm_table_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }
  static std::vector<CarriedColumn> read(const std::string& path, const std::vector<std::string>& names) {
    schema::TextFormat format;
    format.multi_line = true;  // a cell of the table holds a line end
    return SensitiveTestAccess::open(carried_columns({path}, format, names));
  }
  std::filesystem::path folder_;
};

TEST_F(TableFile, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(csv_bytes(kTable), "row,\"p, q\",city\n1,0.123,\"a \"\"b\"\", c\"\n2,1e-09,\"two\nlines\"\n");
  EXPECT_THROW(csv_bytes({}), InternalError);
  EXPECT_THROW(csv_bytes({{"a", std::vector<std::int64_t>{1}}, {"b", std::vector<std::int64_t>{}}}), InternalError);
}

TEST_F(TableFile, BothFormatsComeBackAsColumnsOfText) {
  for (const std::string& path : {write("t.parquet", parquet_bytes(kTable)), write("t.csv", csv_bytes(kTable))}) {
    const auto columns = read(path, {});
    ASSERT_EQ(columns.size(), 3u) << path;
    EXPECT_EQ(columns[0].cells, (std::vector<std::string>{"1", "2"}));
    EXPECT_EQ(columns[1].name, "p, q");
    EXPECT_EQ(columns[2].cells, std::get<std::vector<std::string>>(kTable[2].cells));
    const auto one = read(path, {"city"});
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].cells, columns[2].cells);
    EXPECT_THROW(read(path, {"height"}), DataError);
  }
}

// One record with a great index would decide what the result looks like, and how much memory it takes.
TEST_F(TableFile, RecordsDoNotSayWhichColumnsAreCarried) {
  const std::string path = write("t.libsvm", "1 1:5\n1 999999:1\n1 18446744073709551615:1\n");
  EXPECT_THROW(read(path, {}), ArgumentError);
  const auto columns = read(path, {"label", "1", "2"});
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_EQ(columns[1].cells, (std::vector<std::string>{"5", "0", "0"}));
  EXPECT_EQ(columns[2].cells, (std::vector<std::string>{"0", "0", "0"}));
}

TEST_F(TableFile, CellsThatAreNoUtf8AreCarriedAsBytes) {
  const std::vector<std::string> cells = {"plain", "\xff\xfe"};
  const auto columns = read(write("b.parquet", parquet_bytes({{"odd", cells}})), {});
  ASSERT_EQ(columns.size(), 1u);
  EXPECT_EQ(columns[0].cells, cells);
}

}  // namespace
}  // namespace dperm::data
