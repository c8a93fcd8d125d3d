// SPDX-License-Identifier: Apache-2.0
// Reading is total in the records: whatever one line of a text file holds, it is one row, no other row changes, nothing
// is refused and nothing is said. Otherwise the way a command ends would tell about a record.
#include <arrow/util/compression.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/reading.hpp"

namespace dperm::data {
namespace {

constexpr int kRecords = 6000;
constexpr std::size_t kRows = 12;

const char* const kColumns = R"([target]
column = 'label'
kind = 'real'
lower = 0
upper = 1
[[column]]
name = '1'
kind = 'real'
lower = 0
upper = 10
[[column]]
name = '2'
kind = 'category'
values = ['u', 'v']
missing = 'category'
other = true
[[column]]
name = '3'
kind = 'category'
values = ['low', 'high']
ordered = true
)";

// Lines without a line feed. Most are put together from pieces that mean something to a reader of text.
class Lines {
 public:
  explicit Lines(std::uint64_t seed) : random_(seed) {}

  std::string next() {
    std::string line;
    const std::uint64_t kind = random_() % 16;
    if (kind == 0) return line;
    if (kind == 1) return std::string(1 + random_() % 3000, pick("\",;\t\r :#x"));
    for (std::size_t pieces = random_() % 14; pieces > 0; --pieces) line += kind < 4 ? bytes() : piece();
    return line;
  }

 private:
  char pick(std::string_view characters) { return characters[random_() % characters.size()]; }
  std::string bytes() {
    std::string text;
    for (std::size_t n = random_() % 9; n > 0; --n) {
      const char c = static_cast<char>(random_());
      text += c == '\n' ? '\0' : c;
    }
    return text;
  }
  std::string piece() {
    static const std::vector<std::string> pieces = {",",
                                                    ",",
                                                    ",",
                                                    "\t",
                                                    "\t",
                                                    ";",
                                                    ";",
                                                    "\"",
                                                    "\"\"",
                                                    "\"\"\"",
                                                    "\r",
                                                    " ",
                                                    "1",
                                                    "0.5",
                                                    "u",
                                                    "high",
                                                    "-1e400",
                                                    "nan",
                                                    "1:1",
                                                    "2:u",
                                                    "1:",
                                                    ":1",
                                                    ":",
                                                    "1:2:3",
                                                    "-1:1",
                                                    "99999999999999999999:1",
                                                    "18446744073709551615:1",
                                                    "1:1e999",
                                                    "qid:7",
                                                    "#",
                                                    "label",
                                                    "+1",
                                                    "\xff\xfe",
                                                    "\xef\xbb\xbf",
                                                    "\xc3",
                                                    "\xed\xa0\x80",
                                                    std::string(1, '\0'),
                                                    std::string("a\0b", 3),
                                                    "\x1a",
                                                    "\\",
                                                    "\\\"",
                                                    "'",
                                                    "\x1f\x8b",
                                                    "PK\x03\x04",
                                                    "ARROW1",
                                                    "=1+1",
                                                    "%s%n",
                                                    std::string(70, '9'),
                                                    "\"a\"\"b\"",
                                                    "\"x\",",
                                                    ",\"y",
                                                    "\"z\"w"};
    return pieces[random_() % pieces.size()];
  }
  std::mt19937_64 random_;
};

struct Format {
  std::string name, header, schema, record;
};

std::vector<Format> formats() {
  return {{"t.csv", "label,1,2,3\n", kColumns, "0.25,3,u,low"},
          {"t.tsv", "label\t1\t2\t3\n", kColumns, "0.25\t3\tu\tlow"},
          {"h.csv", "", std::string("[format]\nheader=false\ncolumn_names=['label','1','2','3']\n") + kColumns,
           "0.25,3,u,low"},
          {"q.csv", "\"label\",\"1\",\"2\",\"3\"\r\n", kColumns, "\"0.25\",\"3\",\"u\",\"low\"\r"},
          {"l.csv", "label,1,2,3\n", std::string("[format]\nskip_last_rows=2\n") + kColumns, "0.25,3,u,low"},
          {"s.csv", "label;1;2;3\n", std::string("[format]\ndelimiter=';'\n") + kColumns, "0.25;3;u;low"},
          {"z.csv.gz", "label,1,2,3\n", kColumns, "0.25,3,u,low"},
          {"z.libsvm.gz", "", kColumns, "0.25 1:3 2:u 3:low"},
          {"t.libsvm", "", kColumns, "0.25 1:3 2:u 3:low"}};
}

std::string text_of(const Format& format, std::size_t place, const std::string& line) {
  std::string text = format.header;
  for (std::size_t row = 0; row < kRows; ++row) text += (row == place ? line : format.record) + '\n';
  return text;
}

// Compressed where the name says so.
std::string written(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  if (!name.ends_with(".gz")) return folder.write(name, text);
  const auto codec = arrow::util::Codec::Create(arrow::Compression::GZIP, 1).ValueOrDie();
  std::string packed(static_cast<std::size_t>(codec->MaxCompressedLen(static_cast<std::int64_t>(text.size()), nullptr)),
                     '\0');
  const auto size =
      codec->Compress(static_cast<std::int64_t>(text.size()), reinterpret_cast<const std::uint8_t*>(text.data()),
                      static_cast<std::int64_t>(packed.size()), reinterpret_cast<std::uint8_t*>(packed.data()));
  packed.resize(static_cast<std::size_t>(size.ValueOrDie()));
  return folder.write(name, packed);
}

TEST(HostileRecords, OneLineIsOneRowAndChangesNoOther) {
  const TemporaryFolder folder;
  ReadOptions options;
  options.threads = 1;
  for (const Format& format : formats()) {
    const auto encoding = encoding_of(format.schema);
    const auto expected = read_rows({written(folder, format.name, text_of(format, kRows, ""))}, encoding, options);
    ASSERT_EQ(expected.size(), format.name == "l.csv" ? kRows - 2 : kRows) << format.name;
    Lines lines(11);
    for (int i = 0; i < kRecords; ++i) {
      const std::string line = lines.next();
      const std::size_t place = static_cast<std::size_t>(i) % kRows;
      const std::string path = written(folder, format.name, text_of(format, place, line));
      ASSERT_EQ(refusal({path}, encoding, options), "no error") << format.name << " " << testing::PrintToString(line);
      auto rows = read_rows({path}, encoding, options);
      ASSERT_EQ(rows.size(), expected.size()) << format.name << " " << testing::PrintToString(line);
      if (place < rows.size()) rows[place] = expected[place];
      ASSERT_EQ(rows, expected) << format.name << " " << testing::PrintToString(line);
    }
  }
}

TEST(HostileRecords, HugeLinesAreRowsToo) {
  const TemporaryFolder folder;
  for (const Format& format : formats()) {
    const auto encoding = encoding_of(format.schema);
    const auto expected = read_rows({written(folder, format.name, text_of(format, kRows, ""))}, encoding);
    for (const char filler : {'x', ',', '"', ' ', '\r', '\0'}) {
      // Longer than a block; one is longer than what is read of a line.
      const std::size_t length = filler == 'x' ? std::size_t{66} << 20 : std::size_t{5} << 20;
      for (const std::string& line : {std::string(length, filler), format.record + std::string(length, filler)}) {
        auto rows = read_rows({written(folder, format.name, text_of(format, 3, line))}, encoding);
        ASSERT_EQ(rows.size(), expected.size()) << format.name << " " << filler;
        rows[3] = expected[3];
        ASSERT_EQ(rows, expected) << format.name << " " << filler;
      }
    }
  }
}

TEST(HostileRecords, BlocksOnSeveralThreadsGiveTheSameRows) {
  const TemporaryFolder folder;
  Lines lines(12);
  std::string text = "label,1,2,3\n";
  std::size_t count = 0;
  for (; text.size() < (std::size_t{9} << 20); ++count) text += lines.next() + "\n";
  const std::string path = folder.write("t.csv", text);
  ReadOptions options;
  options.threads = 1;
  const auto one = read_rows({path}, encoding_of(kColumns), options);
  EXPECT_EQ(one.size(), count);
  options.threads = 2;
  EXPECT_EQ(read_rows({path}, encoding_of(kColumns), options), one);
}

// What the rules make of lines that are not as the others.
TEST(HostileRecords, CellsThatALineLacksAreMissingAndMoreAreIgnored) {
  const TemporaryFolder folder;
  const auto encoding = encoding_of(kColumns);
  const auto row_of = [&](const std::string& line) {
    return read_rows({folder.write("t.csv", "label,1,2,3\n" + line + "\n")}, encoding).at(0);
  };
  const Row full = row_of("0.25,3,u,low");
  const Row short_row = row_of("0.25,3");
  EXPECT_EQ(short_row, row_of("0.25,3,,"));
  EXPECT_EQ(row_of("0.25,3,u,low,9,\"9"), full);
  EXPECT_EQ(row_of(""), row_of(",,,"));
  EXPECT_EQ(row_of("0.25,3,\"u,low"), row_of("0.25,3,other,")) << "an open quote holds the rest of the line";
  EXPECT_EQ(row_of("0.25,3,\"u\",low"), full);
  EXPECT_EQ(row_of("\"0.2\"5,3,u,\"lo\"w"), full);
  EXPECT_EQ(row_of("0.25,3,\"u\"\"\",low"), row_of("0.25,3,other,low"));
  EXPECT_EQ(row_of("0.25,3,u,low\r"), full);
  EXPECT_EQ(row_of("0.25,3,u,\"low\"\r"), full);
  EXPECT_EQ(row_of("0.25,3,u,low\r1,2,u,high"), row_of("0.25,3,u,middle")) << "a carriage return alone ends no line";
}

TEST(HostileRecords, TokensOfLibsvmThatAreNoPairsAreIgnored) {
  const TemporaryFolder folder;
  const auto encoding = encoding_of(kColumns);
  const auto row_of = [&](const std::string& line) {
    return read_rows({folder.write("t.libsvm", line + "\n")}, encoding).at(0);
  };
  const Row full = row_of("0.25 1:3 2:u 3:low");
  EXPECT_EQ(row_of("0.25 x 1:3 y:1 :7 2:u 3 3:low"), full);
  EXPECT_EQ(row_of("0.25 -1:5 1:3 99999999999999999999:1 2:u 3:low # 1:9"), full);
  EXPECT_EQ(row_of("1:3 2:u 3:low"), row_of("text 1:3 2:u 3:low")) << "without a label it is missing";
  EXPECT_EQ(row_of(""), row_of("# remark"));
}

TEST(HostileRecords, TheSchemaSaysHowLinesEnd) {
  const TemporaryFolder folder;
  const auto encoding = encoding_of(kColumns);
  const auto expected = read_rows({folder.write("t.csv", "label,1,2,3\n0.25,3,u,low\n0.5,4,v,high\n")}, encoding);
  EXPECT_EQ(read_rows({folder.write("t.csv", "label,1,2,3\r\n0.25,3,u,low\r\n0.5,4,v,high")}, encoding), expected);
  const std::string old = "label,1,2,3\r0.25,3,u,low\r0.5,4,v,high";
  EXPECT_TRUE(mentions(refusal({folder.write("t.csv", old)}, encoding), {"t.csv:1:", "line_end"}));
  const auto returns = encoding_of(std::string("[format]\nline_end=\"\\r\"\n") + kColumns);
  EXPECT_EQ(read_rows({folder.write("t.csv", old)}, returns), expected);
  EXPECT_EQ(read_rows({folder.write("t.libsvm", "0.25 1:3 2:u 3:low\r0.5 1:4 2:v 3:high\r")}, returns), expected);
}

// A first record that begins with a line feed once made the header look as if it ended in both, and one row of all.
TEST(HostileRecords, NoByteOfARecordSaysHowLinesEnd) {
  const TemporaryFolder folder;
  const std::string format = "[format]\nline_end=\"\\r\"\n";
  const auto named = encoding_of(format + kColumns);
  const auto unnamed = encoding_of(format + "header=false\ncolumn_names=[\"label\",\"1\",\"2\",\"3\"]\n" + kColumns);
  for (const std::string first : {"0.25,3,u,low", "\n0.25,3,u,low", "\n", "", "\n\n\"", "0.25,3\n,u,low\n"}) {
    const std::string records = first + "\r0.5,4,v,high\r1,1,u,low\r";
    EXPECT_EQ(read_rows({folder.write("t.csv", "label,1,2,3\r" + records)}, named).size(), 3u);
    EXPECT_EQ(read_rows({folder.write("t.csv", records)}, unnamed).size(), 3u);
    EXPECT_EQ(read_rows({folder.write("t.libsvm", records)}, named).size(), 3u);
  }
}

TEST(HostileRecords, OnlyTheMultiLineModeJoinsLines) {
  const TemporaryFolder folder;
  const std::string text = "label,1,2,\"3\"\n0.25,3,u,low\n0.5,4,\"v\n\",high\n\n1,1,\"u\"\"\n,x\",low\n";
  EXPECT_EQ(read_rows({folder.write("t.csv", text)}, encoding_of(kColumns)).size(), 6u);
  const std::string multi = std::string("[format]\nmulti_line=true\n") + kColumns;
  const auto rows = read_rows({folder.write("t.csv", text)}, encoding_of(multi));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[1], read_rows({folder.write("u.csv", "label,1,2,3\n0.5,4,v,high\n")}, encoding_of(kColumns)).at(0));
  EXPECT_TRUE(mentions(refusal({folder.write("t.csv", text + "1,\"2,u,low\n1,2,u,low\n")}, encoding_of(multi)),
                       {"t.csv", "not closed", "multi_line"}));
  const auto skipping = encoding_of(std::string("[format]\nmulti_line=true\nskip_last_rows=2\n") + kColumns);
  EXPECT_EQ(read_rows({folder.write("t.csv", text)}, skipping).size(), 2u);
}

TEST(HostileRecords, TheOwnerIsToldOfIrregularLines) {
  const TemporaryFolder folder;
  const auto encoding = encoding_of(kColumns);
  const std::string csv = folder.write("t.csv", "label,1,2,3\n0.25,3,u,low\n\n1,2\n1,2,u,low,5\n1,2,u,\"low\n");
  EXPECT_EQ(check_dataset({csv}, *encoding, {}).irregular_lines, 4u);
  const std::string libsvm = folder.write("t.libsvm", "1 1:2 qid:1\n\n1:2\n1 x\n1 1:1 # remark\n");
  EXPECT_EQ(check_dataset({libsvm}, *encoding, {}).irregular_lines, 3u);
  ReadOptions strict;
  strict.strict = true;
  EXPECT_TRUE(mentions(refusal({csv}, encoding, strict), {"strict", "a line", "says something about the records"}));
}

}  // namespace
}  // namespace dperm::data
