// SPDX-License-Identifier: Apache-2.0
// Files that cannot be used: each refusal names the file, the place and the way out, quotes no record and leaves no
// half-written file; oddities inside records never refuse.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "tests/support/reading.hpp"

namespace dperm::data {
namespace {

const char* const kSchema = R"([target]
column = 'y'
kind = 'real'
lower = 0
upper = 1
[[column]]
name = 'a'
kind = 'real'
lower = 0
upper = 10
[[column]]
name = 'c'
kind = 'category'
values = ['u', 'v']
)";

class Refusal : public testing::Test {
 protected:
  // Reads in memory and through a tile file; both must say the same and leave nothing.
  std::string of(const std::string& name, const std::string& text) {
    const std::string path = folder_.write(name, text);
    const std::size_t files = folder_.file_count();
    ReadOptions options;
    const std::string message = refusal({path}, encoding_of(kSchema), options);
    options.tiles_path = folder_.path("tiles");
    options.threads = 1;
    EXPECT_EQ(refusal({path}, encoding_of(kSchema), options), message);
    EXPECT_EQ(folder_.file_count(), files);
    EXPECT_EQ(message.find("secret"), std::string::npos) << message;
    return message;
  }
  TemporaryFolder folder_;
};

TEST_F(Refusal, EmptyFilesAndFilesWithoutRecords) {
  EXPECT_TRUE(mentions(of("t.csv", ""), {"t.csv", "empty"}));
  EXPECT_TRUE(mentions(of("t.csv", "a,c,y\n"), {"t.csv", "no records after its header"}));
  EXPECT_TRUE(mentions(of("t.csv", "a,c,y"), {"no records"}));
  EXPECT_TRUE(mentions(of("t.csv", "\n\n\n"), {"no header line"}));
  EXPECT_TRUE(mentions(of("t.csv", "\"a,c,y\n"), {"no header line"}));
}

TEST_F(Refusal, MissingAndDuplicateColumns) {
  EXPECT_TRUE(mentions(of("t.csv", "a,y,z\n1,1,1\n"), {"no column 'c'", "3 columns", "schema"}));
  EXPECT_TRUE(mentions(of("t.csv", "a,c,c,y\n1,u,u,1\n"), {"column 'c' appears twice"}));
  EXPECT_EQ(refusal({folder_.write("t.csv", "a,c,x,x,,,y\n1,u,1,1,1,1,1\n")}, encoding_of(kSchema)), "no error");
}

TEST_F(Refusal, WrongKindsOfFile) {
  EXPECT_TRUE(mentions(of("t.csv",
                          "\xff\xfe"
                          "a,c"),
                       {"UTF-16"}));
  EXPECT_TRUE(mentions(of("t.parquet", "a,c,y\n1,u,1\n"), {"not a complete Parquet file"}));
  EXPECT_TRUE(mentions(of("t.arrow", "a,c,y\n1,u,1\n"), {"not a complete Arrow IPC file"}));
  EXPECT_TRUE(mentions(of("t.feather", "FEA1...."), {"Feather", "version 2"}));
  EXPECT_TRUE(mentions(of("t.xlsx", "PK..secret"), {"argument:", "spreadsheet", "CSV"}));
  EXPECT_TRUE(mentions(of("t.json", "PK..secret"), {"argument:", ".csv", ".parquet", "`format = csv`"}));
  EXPECT_TRUE(mentions(of("t.csv",
                          "\x1f\x8b"
                          "secret"),
                       {"t.csv", "compressed", ".gz"}));
  EXPECT_TRUE(mentions(of("t.csv.gz",
                          "\x1f\x8b"
                          "secret"),
                       {"t.csv.gz", "damaged or cut short"}));
}

TEST_F(Refusal, PathsThatAreNoFiles) {
  const auto encoding = encoding_of(kSchema);
  EXPECT_TRUE(mentions(refusal({folder_.path("none*.csv")}, encoding), {"argument: no file matches", "none*.csv"}));
  EXPECT_TRUE(mentions(refusal({folder_.path("")}, encoding), {"this is a folder", "*.csv"}));
  EXPECT_TRUE(mentions(refusal({}, encoding), {"argument: no data file"}));
  EXPECT_TRUE(mentions(refusal({"/dev/null"}, encoding), {"not a regular file"}));
  const std::string path = folder_.write("t.csv", "a,c,y\n1,u,1\n");
  std::filesystem::create_symlink(path, folder_.path("link.csv"));
  EXPECT_TRUE(mentions(refusal({path, path}, encoding), {"argument:", "given twice", "count twice"}));
  EXPECT_TRUE(mentions(refusal({folder_.path("*.csv")}, encoding), {"given twice"}));
  if (geteuid() != 0) {
    std::filesystem::permissions(path, std::filesystem::perms::none);
    EXPECT_TRUE(mentions(refusal({path}, encoding), {"permissions"}));
  }
}

TEST_F(Refusal, OptionsOutOfRange) {
  const std::string path = folder_.write("t.csv", "a,c,y\n1,u,1\n");
  ReadOptions options;
  options.threads = -1;
  EXPECT_TRUE(mentions(refusal({path}, encoding_of(kSchema), options), {"argument: `threads`"}));
  options.threads = 1;
  options.tile_height = 100;
  EXPECT_TRUE(mentions(refusal({path}, encoding_of(kSchema), options), {"argument: `tile_height`"}));
}

TEST_F(Refusal, AMillionColumnsNeitherHangNorFail) {
  std::string header = "a,c,y";
  std::string record = "1,u,1";
  for (int i = 0; i < 1'000'000; ++i) {
    header += ",x" + std::to_string(i);
    record += ",1";
  }
  const auto start = std::chrono::steady_clock::now();
  const std::string path = folder_.write("t.csv", header + "\n" + record + "\n" + record + "\n" + record + "\n");
  EXPECT_EQ(read_rows({path}, encoding_of(kSchema)).size(), 3u);
  EXPECT_TRUE(mentions(of("u.csv", header.substr(2) + "\n" + record + "\n"), {"no column 'a'"}));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST_F(Refusal, NoContentOfACellRefusesOrChangesTheShape) {
  std::mt19937_64 random(5);
  const auto encoding = encoding_of(kSchema);
  for (int round = 0; round < 300; ++round) {
    std::string text = "a,c,y\n";
    for (int row = 0; row < 20; ++row) {
      for (int cell = 0; cell < 3; ++cell) {
        std::string bytes;
        for (std::size_t n = random() % 12; n > 0; --n) bytes += static_cast<char>(random());
        std::replace(bytes.begin(), bytes.end(), '\n', '\r');  // a line is a record
        text += cell > 0 ? ",\"" : "\"";
        for (const char c : bytes) text.append(c == '"' ? 2 : 1, c);
        text += '"';
      }
      text += '\n';
    }
    const std::string path = folder_.write("t.csv", text);
    ASSERT_EQ(refusal({path}, encoding), "no error");
    ASSERT_EQ(read_rows({path}, encoding).size(), 20u);
    ASSERT_EQ(check_dataset({path}, *encoding, {}).rows, 20u);
  }
}

TEST_F(Refusal, StrictNamesColumnAndRuleButNoValue) {
  ReadOptions options;
  options.strict = true;
  const auto strict = [&](const std::string& record) {
    options.tiles_path = folder_.path("tiles");
    const std::string path = folder_.write("t.csv", "a,c,y\n1,u,1\n" + record + "\n");
    const std::string message = refusal({path}, encoding_of(kSchema), options);
    std::filesystem::remove(folder_.path("tiles"));
    EXPECT_EQ(folder_.file_count(), 1u);
    return message;
  };
  EXPECT_EQ(strict("2,v,0.5"), "no error");
  EXPECT_TRUE(mentions(strict("77,v,0"), {"column 'a'", "outside the declared lower and upper", "says something"}));
  EXPECT_EQ(strict("77,v,0").find("77"), std::string::npos);
  EXPECT_TRUE(mentions(strict("x,v,0"), {"column 'a'", "cannot be read"}));
  EXPECT_TRUE(mentions(strict(",v,0"), {"column 'a'", "a missing cell"}));
  EXPECT_TRUE(mentions(strict("1,w,0"), {"column 'c'", "outside the declared list"}));
  EXPECT_TRUE(mentions(strict("1,v,2"), {"column 'y'", "outside the declared lower and upper"}));
}

TEST_F(Refusal, StrictAcceptsWhatTheSchemaHasAPlaceFor) {
  ReadOptions options;
  options.strict = true;
  const auto encoding = encoding_of(
      "[[column]]\nname='c'\nkind='category'\nvalues=['u']\nother=true\nmissing='category'\n[[column]]\nname='b'\n"
      "kind='boolean'\n");
  EXPECT_EQ(refusal({folder_.write("t.csv", "c,b\nzz,no\n,t\n")}, encoding, options), "no error");
  EXPECT_NE(refusal({folder_.write("t.csv", "c,b\nzz,maybe\n")}, encoding, options), "no error");
}

TEST_F(Refusal, StrictKnowsTheValuesOfAnOrderedCategory) {
  ReadOptions options;
  options.strict = true;
  const auto encoding =
      encoding_of("[[column]]\nname='c'\nkind='category'\nvalues=['low', '2', 'high']\nordered=true\n");
  EXPECT_EQ(refusal({folder_.write("t.csv", "c\nlow\n 2 \nhigh\n")}, encoding, options), "no error");
  EXPECT_TRUE(mentions(refusal({folder_.write("t.csv", "c\nlow\n1.5\n")}, encoding, options),
                       {"column 'c'", "outside the declared list"}));
  EXPECT_TRUE(
      mentions(refusal({folder_.write("t.csv", "c\nlow\n?\n")}, encoding, options), {"column 'c'", "a missing cell"}));
  const CheckReport report = check_dataset({folder_.write("t.csv", "c,d\nlow,\nmiddle,\n,\n")}, *encoding, {});
  ASSERT_EQ(report.columns.size(), 1u);
  EXPECT_EQ(report.columns[0].unknown_values, 1u);
  EXPECT_EQ(report.columns[0].missing, 1u);
  EXPECT_EQ(report.columns[0].unreadable, 0u);
}

}  // namespace
}  // namespace dperm::data
