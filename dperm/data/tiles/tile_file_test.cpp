// SPDX-License-Identifier: Apache-2.0
// The tile file as a cache: when it is used again, when rebuilt, and that no damage gets past the check.
#include "dperm/data/tiles/tile_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "tests/support/reading.hpp"

namespace dperm::data {
namespace {

const char* const kSchema = R"([target]
column = 'y'
kind = 'binary'
positive = 'p'
[[column]]
name = 'a'
kind = 'real'
lower = 0
upper = 10
[[column]]
name = 'c'
kind = 'category'
values = ['u', 'v', 'w']
)";

class TileFile : public testing::Test {
 protected:
  TileFile() {
    std::string text = "a,c,y\n";
    for (int i = 0; i < 100; ++i)
      text += std::to_string(i % 11) + "," + "uvwx"[i % 4] + "," + (i % 3 == 0 ? "p" : "n") + "\n";
    csv_ = folder_.write("d.csv", text);
    options_.tiles_path = folder_.path("tiles");
    options_.tile_height = 64;
  }

  // What became of the tile file. Rebuilt: another file lies there now.
  enum class Outcome { built, rebuilt, reused };

  std::vector<Row> read(Outcome expected, const char* toml = kSchema) {
    const auto before = file_number();
    const EncodedRows rows = read_tiles({csv_}, encoding_of(toml), options_);
    const Outcome outcome = !before ? Outcome::built : before == file_number() ? Outcome::reused : Outcome::rebuilt;
    EXPECT_EQ(static_cast<int>(outcome), static_cast<int>(expected));
    return rows_of(tiles_of(rows));
  }

  std::optional<ino_t> file_number() const {
    struct stat facts{};
    if (stat(options_.tiles_path.c_str(), &facts) != 0) return std::nullopt;
    return facts.st_ino;
  }

  std::string bytes() const {
    std::ifstream file(options_.tiles_path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void replace(const std::string& bytes) const { std::ofstream(options_.tiles_path, std::ios::binary) << bytes; }

  TemporaryFolder folder_;
  std::string csv_;
  ReadOptions options_;
};

TEST_F(TileFile, ASecondReadUsesTheTilesAgain) {
  const auto first = read(Outcome::built);
  EXPECT_EQ(read(Outcome::reused), first);
  EXPECT_EQ(read_rows({csv_}, encoding_of(kSchema)), first) << "in memory";
}

TEST_F(TileFile, AnotherSchemaRebuilds) {
  read(Outcome::built);
  std::string other = kSchema;
  other.replace(other.find("upper = 10"), 10, "upper = 20");
  const auto rows = read(Outcome::rebuilt, other.c_str());
  EXPECT_EQ(rows, read_rows({csv_}, encoding_of(other)));
  read(Outcome::reused, other.c_str());
  read(Outcome::rebuilt);
}

TEST_F(TileFile, ServesEveryShapeOfItsColumns) {
  const auto with = [](const std::string& lines) {
    std::string schema = kSchema;
    const std::string bound = "upper = 10\n";
    return schema.replace(schema.find(bound), bound.size(), bound + lines);
  };
  const auto first = read(Outcome::built);
  for (const char* lines : {"shape = 'linear'\n", "pieces = 8\n", "shape = 'steps'\npieces = 3\nmonotone = 'up'\n"}) {
    EXPECT_EQ(read(Outcome::reused, with(lines).c_str()), first) << lines;
  }
  // Knots that are given, and the place of zero, decide what a cell is.
  EXPECT_NE(read(Outcome::rebuilt, with("knots = [1, 2]\n").c_str()), first);
  EXPECT_NE(read(Outcome::rebuilt, with("knots = [1, 3]\n").c_str()), first);
  read(Outcome::reused, with("shape = 'steps'\nknots = [1, 3]\n").c_str());
  EXPECT_NE(read(Outcome::rebuilt, with("zero = 'lower'\n").c_str()), first);
}

TEST_F(TileFile, AChangedSourceRebuilds) {
  read(Outcome::built);
  std::filesystem::last_write_time(csv_, std::filesystem::last_write_time(csv_) - std::chrono::seconds(1));
  read(Outcome::rebuilt);
  read(Outcome::reused);
  folder_.write("d.csv", "a,c,y\n1,u,p\n");
  EXPECT_EQ(read(Outcome::rebuilt).size(), 1u);
}

TEST_F(TileFile, AnotherTileHeightRebuilds) {
  read(Outcome::built);
  options_.tile_height = 128;
  read(Outcome::rebuilt);
}

TEST_F(TileFile, StrictReadingLooksAtTheRecordsAgain) {
  read(Outcome::built);
  options_.strict = true;
  EXPECT_TRUE(mentions(refusal({csv_}, encoding_of(kSchema), options_), {"strict", "column 'c'"}));
}

TEST_F(TileFile, TilesWithoutTargetsDoNotServeAReaderThatNeedsThem) {
  folder_.write("d.csv", "a,c\n1,u\n");
  options_.target_required = false;
  read(Outcome::built);
  read(Outcome::reused);
  options_.target_required = true;
  EXPECT_TRUE(mentions(refusal({csv_}, encoding_of(kSchema), options_), {"no column 'y'"}));
  folder_.write("d.csv", "a,c,y\n1,u,p\n");
  read(Outcome::rebuilt);
  options_.target_required = false;
  read(Outcome::reused);
}

TEST_F(TileFile, AForeignFileIsLeftAlone) {
  replace("name,age\nsomeone,3\n");
  const std::string before = bytes();
  EXPECT_TRUE(mentions(refusal({csv_}, encoding_of(kSchema), options_), {"not a tile file", "another path"}));
  EXPECT_EQ(bytes(), before);
  replace("");
  EXPECT_TRUE(mentions(refusal({csv_}, encoding_of(kSchema), options_), {"not a tile file"}));
  options_.tiles_path = folder_.path("");
  EXPECT_TRUE(mentions(refusal({csv_}, encoding_of(kSchema), options_), {"not a file"}));
}

TEST_F(TileFile, APipeAndALinkToNowhereAreLeftAlone) {
  ASSERT_EQ(mkfifo(folder_.path("pipe").c_str(), 0600), 0);
  options_.tiles_path = folder_.path("pipe");
  EXPECT_TRUE(mentions(refusal({csv_}, encoding_of(kSchema), options_), {"pipe", "not a file"}));
  ASSERT_EQ(symlink("nowhere", folder_.path("link").c_str()), 0);
  options_.tiles_path = folder_.path("link");
  EXPECT_TRUE(mentions(refusal({csv_}, encoding_of(kSchema), options_), {"link", "does not exist"}));
  struct stat facts{};
  ASSERT_EQ(lstat(folder_.path("link").c_str(), &facts), 0);
  EXPECT_TRUE(S_ISLNK(facts.st_mode));
}

TEST_F(TileFile, EveryTruncationIsRefused) {
  read(Outcome::built);
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); size += 61) {
    replace(whole.substr(0, size));
    EXPECT_NE(refusal({csv_}, encoding_of(kSchema), options_), "no error") << size;
  }
  replace(whole + std::string(64, '\0'));
  EXPECT_TRUE(mentions(refusal({csv_}, encoding_of(kSchema), options_), {"damaged", "delete it"}));
}

TEST_F(TileFile, EveryFlippedBitIsNoticed) {
  const auto good = read(Outcome::built);
  const std::string whole = bytes();
  for (std::size_t at = 0; at < whole.size(); at += at < 4096 ? 41 : 2) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    replace(flipped);
    // Refused, or (a byte of the version) made anew.
    try {
      ASSERT_EQ(read_rows({csv_}, encoding_of(kSchema), options_), good);
      ASSERT_LT(at, 12u) << "a byte behind the version";
    } catch (const DataError&) {
    }
  }
}

TEST_F(TileFile, ASourceReplacedAtTheSameSizeAndTimeRebuilds) {
  const auto first = read(Outcome::built);
  const auto time = std::filesystem::last_write_time(csv_);
  std::ifstream old(csv_);
  std::string text{std::istreambuf_iterator<char>(old), {}};
  text[text.find("\n0,") + 1] = '9';
  folder_.write("d.csv", text);
  std::filesystem::last_write_time(csv_, time);
  EXPECT_NE(read(Outcome::rebuilt), first);
}

TEST_F(TileFile, CellsNoRecordCanProduceAreRefused) {
  read(Outcome::built);
  const std::string whole = bytes();
  const auto with = [&](std::size_t at, std::initializer_list<int> values) {
    std::string changed = whole;
    for (const int value : values) changed[at++] = static_cast<char>(value);
    replace(changed);
    return refusal({csv_}, encoding_of(kSchema), options_);
  };
  const std::size_t tile = 64 * (2 + 1 + 4);
  const std::size_t header = whole.size() - 2 * tile;
  const TileLayout layout(*encoding_of(kSchema), 64);
  EXPECT_TRUE(mentions(with(header, {0x02, 0x80}), {"digest"})) << "-32766 is a value, but not the one written";
  EXPECT_TRUE(mentions(with(header, {0x00, 0x80}), {"no record can produce"})) << "-32768 is not";
  EXPECT_TRUE(mentions(with(header + layout.category_offset(0), {3}), {"digest"})) << "no category";
  EXPECT_TRUE(mentions(with(header + layout.category_offset(0), {4}), {"no record can produce"}));
  EXPECT_TRUE(mentions(with(header + layout.target_offset(), {0, 0, 0, 0}), {"no record can produce"}));
  EXPECT_TRUE(mentions(with(header + layout.target_offset(), {2, 0, 0, 0}), {"no record can produce"}));
  const std::size_t padding_row = 100 - 64;
  EXPECT_TRUE(mentions(with(header + tile + 2 * padding_row, {1, 0}), {"no record can produce"}));
  EXPECT_TRUE(mentions(with(header + tile + layout.category_offset(0) + padding_row, {1}), {"no record can produce"}));
  EXPECT_TRUE(mentions(with(header + tile + layout.target_offset() + 4 * padding_row, {1}), {"no record can produce"}));
}

TEST_F(TileFile, TheHeaderLengthDoesNotDependOnTheRows) {
  TileFileHeader header;
  header.sources = {{"/a/b.csv", 10, 20, 30, 40}};
  const std::size_t before = header_bytes(header).size();
  header.rows = 1'000'000'000'000;
  EXPECT_EQ(header_bytes(header).size(), before);
}

}  // namespace
}  // namespace dperm::data
