// SPDX-License-Identifier: Apache-2.0
// Parquet, Arrow IPC and LIBSVM: the same table in every format gives the same tiles.
#include <arrow/api.h>
#include <arrow/io/compressed.h>
#include <arrow/io/file.h>
#include <arrow/util/compression.h>
#include <gtest/gtest.h>

#include "tests/support/arrow_tables.hpp"
#include "tests/support/reading.hpp"

namespace dperm::data {
namespace {

std::string compressed(const TemporaryFolder& folder, const std::string& name, const std::string& text,
                       arrow::Compression::type kind) {
  auto codec = must(arrow::util::Codec::Create(kind));
  auto out = must(
      arrow::io::CompressedOutputStream::Make(codec.get(), must(arrow::io::FileOutputStream::Open(folder.path(name)))));
  must(out->Write(text));
  must(out->Close());
  return folder.path(name);
}

const char* const kSchema = R"([target]
column = 'y'
kind = 'binary'
positive = '1'
[[column]]
name = 'a'
kind = 'real'
lower = 0
upper = 10
[[column]]
name = 'c'
kind = 'category'
values = ['1', '2', 'z']
missing = 'category'
[[column]]
name = 'b'
kind = 'boolean'
)";

// Row by row what kSchema makes of the table below.
const std::vector<Row> kExpected = {{-32767, 0, 0, 1}, {0, 3, 1, -1}, {32767, 1, 1, -1}, {-26214, 2, 1, 1}};

std::shared_ptr<arrow::Array> texts_c() {
  return array_of<arrow::StringBuilder, std::string>({"1", std::nullopt, "2", "z"});
}

std::vector<std::shared_ptr<arrow::Table>> same_tables() {
  const auto a_double = array_of<arrow::DoubleBuilder, double>({0.0, std::nullopt, 99.0, 1.0});
  const auto a_int = array_of<arrow::Int64Builder, std::int64_t>({-5, std::nullopt, 10, 1});
  const auto a_text = array_of<arrow::StringBuilder, std::string>({"0", "rubbish", "1e9", " +1.0"});
  const auto b_bool = array_of<arrow::BooleanBuilder, bool>({true, false, std::nullopt, false});
  const auto b_int = array_of<arrow::UInt8Builder, std::uint8_t>({1, 0, 7, std::nullopt});
  const auto b_text = array_of<arrow::LargeStringBuilder, std::string>({"yes", "no", "", "perhaps"});
  const auto y_int = array_of<arrow::Int32Builder, std::int32_t>({1, 0, -1, 1});
  const auto y_float = array_of<arrow::FloatBuilder, float>({1.0F, std::nullopt, 0.5F, 1.0F});
  const auto y_text = array_of<arrow::BinaryBuilder, std::string>({"+1", "", "\xff", "1"});
  const auto list = must(arrow::MakeArrayOfNull(arrow::list(arrow::int32()), 4));
  return {table_of({"a", "c", "b", "y"}, {a_double, texts_c(), b_bool, y_int}),
          table_of({"y", "skipped", " b ", "c", "a"}, {y_float, list, b_int, dictionary_encoded(texts_c()), a_int}),
          table_of({"b", "y", "a", "c"}, {b_text, y_text, a_text, texts_c()})};
}

TEST(ReadFormats, EveryFormatAndColumnTypeGivesTheSameRows) {
  const TemporaryFolder folder;
  for (const auto& table : same_tables()) {
    write_parquet(*table, folder.path("t.parquet"), 2);
    write_ipc(*table, folder.path("t.arrow"), false);
    write_ipc(*table, folder.path("t.ipc"), true);
    for (const char* name : {"t.parquet", "t.arrow", "t.ipc"}) {
      for (const int threads : {1, 2}) {
        ReadOptions options;
        options.threads = threads;
        EXPECT_EQ(read_rows({folder.path(name)}, encoding_of(kSchema), options), kExpected)
            << name << "\n"
            << table->schema()->ToString();
      }
    }
  }
}

TEST(ReadFormats, OrderedCategoriesAreTheSameInEveryFormat) {
  const TemporaryFolder folder;
  const std::string schema = R"([[column]]
name = 'size'
kind = 'category'
values = ['1', '2', '10', 'many', 'all']
ordered = true
pieces = 2
[[column]]
name = 'a'
kind = 'real'
lower = 0
upper = 10
)";
  const std::vector<Row> expected = {{-32767, 0, 0}, {0, 0, 0},     {-16384, 0, 0}, {16384, 0, 0},
                                     {32767, 0, 0},  {0, 32767, 0}, {0, 0, 0}};
  const auto texts =
      array_of<arrow::StringBuilder, std::string>({"1", "10", " 2", "many", "all ", std::nullopt, "unknown"});
  const auto a = array_of<arrow::DoubleBuilder, double>({5, 5, 5, 5, 5, 99, 5});
  for (const auto& column : {texts, dictionary_encoded(texts)}) {
    write_parquet(*table_of({"a", "size"}, {a, column}), folder.path("t.parquet"), 3);
    EXPECT_EQ(read_rows({folder.path("t.parquet")}, encoding_of(schema)), expected);
  }
  const std::string csv = folder.write("t.csv", "size,a\n1,5\n\"10\",5\n 2,5\nmany,5\nall ,5\n,99\nunknown,5\n");
  EXPECT_EQ(read_rows({csv}, encoding_of(schema)), expected);
  const auto numbers = array_of<arrow::Int64Builder, std::int64_t>({1, 10, 2, 3, std::nullopt, -1, 1});
  write_parquet(*table_of({"size", "a"}, {numbers, a}), folder.path("n.parquet"), 3);
  EXPECT_EQ(read_rows({folder.path("n.parquet")}, encoding_of(schema)),
            (std::vector<Row>{
                {-32767, 0, 0}, {0, 0, 0}, {-16384, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 32767, 0}, {-32767, 0, 0}}))
      << "whole numbers are texts of their digits";
}

TEST(ReadFormats, NumbersOfASchemaMatchEveryTypeOfColumn) {
  const TemporaryFolder folder;
  const auto encoding = encoding_of(
      "[target]\ncolumn='y'\nkind='binary'\npositive=1\n[[column]]\nname='c'\nkind='category'\nvalues=[2, 5]\n");
  const std::vector<Row> expected = {{0, 1}, {1, -1}, {2, -1}};
  const auto numbers = table_of({"y", "c"}, {array_of<arrow::DoubleBuilder, double>({1.0, 0.0, 2.0}),
                                             array_of<arrow::Int32Builder, std::int32_t>({2, 5, 7})});
  const auto truths = table_of({"y", "c"}, {array_of<arrow::BooleanBuilder, bool>({true, false, std::nullopt}),
                                            array_of<arrow::StringBuilder, std::string>({"2.0", "5", "x"})});
  write_parquet(*numbers, folder.path("n.parquet"), 10);
  write_ipc(*truths, folder.path("t.arrow"), false);
  EXPECT_EQ(read_rows({folder.path("n.parquet")}, encoding), expected);
  EXPECT_EQ(read_rows({folder.path("t.arrow")}, encoding), expected);
  EXPECT_EQ(read_rows({folder.write("t.csv", "y,c\n1.0,2.00\n0.0,5\nyes,7\n")}, encoding), expected);
}

TEST(ReadFormats, DatesAreTheSameInEveryFormat) {
  const TemporaryFolder folder;
  const auto encoding = encoding_of(
      "[[column]]\nname='d'\nkind='date'\nlower=1970-01-01\nupper=1970-01-03\nparts=['month','weekday']\n"
      "format='%d.%m.%Y'\n[[column]]\nname='gap'\nkind='days'\nfrom='d'\nto='e'\nlower=0\nupper=2\nformat='%d.%m.%Y'"
      "\n");
  // 2 January 1970 was a Friday; the second date is one day later, the third row has no readable date.
  const std::vector<Row> expected = {{0, 0, 0, 4, 0}, {32767, -32767, 0, 5, 0}, {0, 0, 12, 7, 0}};
  const auto days = array_of<arrow::Date32Builder, std::int32_t>({1, 2, std::nullopt});
  const auto later = array_of<arrow::Date32Builder, std::int32_t>({2, -1, 1});
  write_parquet(*table_of({"e", "d"}, {later, days}), folder.path("d.parquet"), 10);
  EXPECT_EQ(read_rows({folder.path("d.parquet")}, encoding), expected);
  arrow::TimestampBuilder seconds(arrow::timestamp(arrow::TimeUnit::SECOND), arrow::default_memory_pool());
  ASSERT_TRUE(seconds.AppendValues({86400, 2 * 86400}).ok() && seconds.AppendNull().ok());
  write_ipc(*table_of({"d", "e"}, {must(seconds.Finish()), later}), folder.path("d.arrow"), false);
  EXPECT_EQ(read_rows({folder.path("d.arrow")}, encoding), expected);
  const std::string csv = "e,d\n1970-01-03,02.01.1970\n31.12.1969,1970-01-03\n1970-01-02,30.02.1970\n";
  EXPECT_EQ(read_rows({folder.write("d.csv", csv)}, encoding), expected);
}

TEST(ReadFormats, LargeIntegersAreExactCategories) {
  const TemporaryFolder folder;
  const auto table =
      table_of({"k"}, {array_of<arrow::Int64Builder, std::int64_t>({9007199254740993, 9007199254740992})});
  write_parquet(*table, folder.path("t.parquet"), 10);
  const auto encoding = encoding_of("[[column]]\nname='k'\nkind='category'\nvalues=['9007199254740993']\n");
  EXPECT_EQ(read_rows({folder.path("t.parquet")}, encoding), (std::vector<Row>{{0, 0}, {1, 0}}));
}

TEST(ReadFormats, TextThatIsNotUtf8IsStillACell) {
  const TemporaryFolder folder;
  const auto bad = array_of<arrow::StringBuilder, std::string>({"\xff\xfe", "z"});
  const auto table = table_of({"k", "d"}, {bad, dictionary_encoded(bad)});
  write_ipc(*table, folder.path("t.arrow"), false);
  write_parquet(*table, folder.path("t.parquet"), 10);
  const auto encoding = encoding_of("[[column]]\nnames=['k','d']\nkind='category'\nvalues=['z']\n");
  for (const char* name : {"t.parquet", "t.arrow"}) {
    EXPECT_EQ(read_rows({folder.path(name)}, encoding), (std::vector<Row>{{1, 1, 0}, {0, 0, 0}})) << name;
  }
}

TEST(ReadFormats, NestedColumnsAreRefusedOnlyWhenNeeded) {
  const TemporaryFolder folder;
  const auto list = must(arrow::MakeArrayOfNull(arrow::list(arrow::int32()), 1));
  const auto table = table_of({"l", "x"}, {list, array_of<arrow::DoubleBuilder, double>({1.0})});
  write_parquet(*table, folder.path("t.parquet"), 10);
  write_ipc(*table, folder.path("t.arrow"), false);
  for (const char* name : {"t.parquet", "t.arrow"}) {
    const std::string path = folder.path(name);
    EXPECT_EQ(read_rows({path}, encoding_of("[[column]]\nname='x'\nkind='real'\nlower=0\nupper=1\n")).size(), 1u);
    EXPECT_TRUE(mentions(refusal({path}, encoding_of("[[column]]\nname='l'\nkind='boolean'\n")),
                         {path, "column 'l' has type list", "ignore"}));
    const auto columns = read_columns({path}, {});
    EXPECT_EQ(columns[0].type, "unsupported");
    EXPECT_EQ(columns[1].type, "number");
  }
}

TEST(ReadFormats, MissingAndDuplicateColumnsAreNamed) {
  const TemporaryFolder folder;
  const auto x = array_of<arrow::DoubleBuilder, double>({1.0});
  const auto table = table_of({"x", "x", "z"}, {x, x, x});
  write_ipc(*table, folder.path("t.arrow"), false);
  write_parquet(*table, folder.path("t.parquet"), 10);
  for (const char* name : {"t.parquet", "t.arrow"}) {
    EXPECT_TRUE(mentions(refusal({folder.path(name)}, encoding_of("[[column]]\nname='x'\nkind='boolean'\n")),
                         {"column 'x' appears twice"}));
    EXPECT_TRUE(mentions(refusal({folder.path(name)}, encoding_of("[[column]]\nname='w'\nkind='boolean'\n")),
                         {"no column 'w'"}));
    EXPECT_EQ(refusal({folder.path(name)}, encoding_of("[[column]]\nname='z'\nkind='boolean'\n")), "no error");
  }
}

TEST(ReadFormats, EveryTruncationOfABinaryFileIsADataError) {
  const TemporaryFolder folder;
  const auto table = same_tables()[0];
  write_parquet(*table, folder.path("t.parquet"), 2);
  write_ipc(*table, folder.path("t.arrow"), false);
  for (const char* name : {"t.parquet", "t.arrow"}) {
    std::ifstream file(folder.path(name), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t size = 0; size < bytes.size(); size += 13) {
      const std::string message =
          refusal({folder.write(std::string("cut_") + name, bytes.substr(0, size))}, encoding_of(kSchema));
      EXPECT_TRUE(mentions(message, {"cut_"})) << name << " " << size;
      EXPECT_EQ(message.find("argument"), std::string::npos);
    }
  }
}

TEST(ReadFormats, FilesWithoutRecordsAreRefused) {
  const TemporaryFolder folder;
  const auto table = table_of({"x"}, {array_of<arrow::DoubleBuilder, double>({})});
  write_parquet(*table, folder.path("t.parquet"), 10);
  write_ipc(*table, folder.path("t.arrow"), false);
  const auto encoding = encoding_of("[[column]]\nname='x'\nkind='boolean'\n");
  EXPECT_TRUE(mentions(refusal({folder.path("t.parquet")}, encoding), {"t.parquet", "record"}));
  EXPECT_TRUE(mentions(refusal({folder.path("t.arrow")}, encoding), {"t.arrow", "record"}));
}

const char* const kSvmSchema = R"([target]
column = 'label'
kind = 'binary'
positive = '+1'
[[column]]
range = [1, 3]
kind = 'real'
lower = 0
upper = 1
[[column]]
name = '7'
kind = 'category'
values = ['0', '2']
)";

TEST(ReadLibsvm, AbsentValuesAreZeroAndLabelsAreNumbers) {
  const TemporaryFolder folder;
  const std::string text = "+1 1:1 3:0.5 9:4\n-1 2:1 7:2 # note\n1.0 qid:3 1:x\r\n1e0\n-1 7:5";
  const std::vector<Row> expected = {{32767, -32767, 0, 0, 1},
                                     {-32767, 32767, -32767, 1, -1},
                                     {0, -32767, -32767, 0, 1},
                                     {-32767, -32767, -32767, 0, 1},
                                     {-32767, -32767, -32767, 2, -1}};
  const auto encoding = encoding_of(kSvmSchema);
  EXPECT_EQ(read_rows({folder.write("t.libsvm", text)}, encoding), expected);
  const auto declared = encoding_of("[format]\nfile = 'libsvm'\n" + std::string(kSvmSchema));
  EXPECT_EQ(read_rows({folder.write("t.txt", text)}, declared), expected) << "because the schema says so";
  EXPECT_EQ(read_rows({folder.write("t", text)}, declared), expected) << "because the schema says so";
  EXPECT_EQ(read_rows({compressed(folder, "t.svm.gz", text, arrow::Compression::GZIP)}, encoding), expected);
  EXPECT_EQ(read_rows({compressed(folder, "t.trn.bz2", text, arrow::Compression::BZ2)}, declared), expected);
}

// The kind of a text file must not depend on its bytes: without a header the first of them belong to a record.
TEST(ReadCsv, NoFirstRecordChangesWhatTheFileIs) {
  const TemporaryFolder folder;
  const auto encoding = encoding_of(
      "[format]\nheader = false\ncolumn_names = ['a', 'b']\n[target]\ncolumn = 'b'\nkind = 'real'\nlower = 0\nupper = "
      "1\n"
      "[[column]]\nname = 'a'\nkind = 'category'\nvalues = ['x']\n");
  for (const std::string first : {"x", "PAR1", "ARROW1", "BZh9", "\x1f\x8b", "\xff\xfe", "\xef\xbb\xbf", "1 1:0.5"}) {
    for (const char* name : {"t.csv", "t.txt"}) {
      EXPECT_EQ(read_rows({folder.write(name, first + ",1\nx,0\n")}, encoding).size(), 2u) << first << " in " << name;
    }
  }
}

TEST(ReadLibsvm, ColumnsAreCalledByTheirIndex) {
  const TemporaryFolder folder;
  EXPECT_TRUE(
      mentions(refusal({folder.write("t.svm", "1 1:1\n")}, encoding_of("[[column]]\nname='age'\nkind='boolean'\n")),
               {"'age'", "index"}));
}

TEST(ReadLibsvm, ManyRecordsKeepTheirOrderAcrossBatches) {
  const TemporaryFolder folder;
  std::string text;
  std::vector<Row> expected;
  for (int i = 0; i < 100'000; ++i) {
    text += (i % 2 == 0 ? "1 1:" : "-1 2:") + std::to_string(i % 2) + "\n";
    expected.push_back({-32767, i % 2 == 0 ? -32767 : 32767, -32767, 0, i % 2 == 0 ? 1 : -1});
  }
  EXPECT_TRUE(read_rows({folder.write("t.svm", text)}, encoding_of(kSvmSchema)) == expected);
}

TEST(ReadCompressed, GzipIsFoundByItsNameAndTruncationIsADataError) {
  const TemporaryFolder folder;
  std::string text = "a,c,b,y\n";
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919 % 10007) + ",1,1,1\n";
  const std::string path = compressed(folder, "t.csv.gz", text, arrow::Compression::GZIP);
  EXPECT_EQ(read_rows({path}, encoding_of(kSchema)).size(), 20'000u);
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  for (const std::size_t size :
       {std::size_t{5}, std::size_t{20}, bytes.size() / 2, bytes.size() - 9, bytes.size() - 1}) {
    EXPECT_TRUE(
        mentions(refusal({folder.write("cut.csv.gz", bytes.substr(0, size))}, encoding_of(kSchema)), {"cut.csv.gz"}))
        << size;
  }
  EXPECT_EQ(read_rows({folder.write(
                          "two.csv.gz", bytes +
                                            [&] {
                                              std::ifstream more(
                                                  compressed(folder, "more", "3,1,1,1\n", arrow::Compression::GZIP),
                                                  std::ios::binary);
                                              return std::string{std::istreambuf_iterator<char>(more), {}};
                                            }())},
                      encoding_of(kSchema))
                .size(),
            20'001u)
      << "two gzip members make one file";
}

}  // namespace
}  // namespace dperm::data
