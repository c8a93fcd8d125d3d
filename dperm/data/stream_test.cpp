// SPDX-License-Identifier: Apache-2.0
// Tables in memory give the same tiles as the same table in a file, and every stream is released exactly once.
#include "dperm/data/stream.hpp"

#include <arrow/api.h>
#include <arrow/c/abi.h>
#include <arrow/c/bridge.h>
#include <arrow/io/file.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include <cmath>
#include <optional>

#include "tests/support/reading.hpp"

namespace dperm::data {
namespace {

constexpr const char* kSchema =
    "[[column]]\nname='x'\nkind='real'\nlower=0\nupper=10\n"
    "[[column]]\nname='c'\nkind='category'\nvalues=['u','v']\nmissing='none'\n"
    "[target]\ncolumn='y'\nkind='binary'\npositive='1'\n";

template <class T>
T must(arrow::Result<T> result) {
  return std::move(result).ValueOrDie();
}

template <class Builder, class Value>
std::shared_ptr<arrow::Array> array_of(const std::vector<std::optional<Value>>& values) {
  Builder builder;
  for (const auto& value : values) EXPECT_TRUE((value ? builder.Append(*value) : builder.AppendNull()).ok());
  return must(builder.Finish());
}

std::shared_ptr<arrow::RecordBatch> batch_of(const std::vector<std::string>& names,
                                             const std::vector<std::shared_ptr<arrow::Array>>& arrays) {
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (std::size_t i = 0; i < names.size(); ++i) fields.push_back(arrow::field(names[i], arrays[i]->type()));
  return arrow::RecordBatch::Make(arrow::schema(fields), arrays.front()->length(), arrays);
}

// Cells of all kinds: out of bounds, missing, not a number, unknown, not UTF-8; a column that nobody asks for.
std::shared_ptr<arrow::RecordBatch> people() {
  return batch_of({"other", "c", "y", "x"},
                  {array_of<arrow::Int32Builder, int>({1, 2, 3, 4, 5}),
                   array_of<arrow::StringBuilder, std::string>({"u", "v", std::nullopt, "w", "\xff"}),
                   array_of<arrow::Int8Builder, std::int8_t>({1, 0, 1, std::nullopt, 7}),
                   array_of<arrow::DoubleBuilder, double>({2.5, -1e300, std::nullopt, std::nan(""), 11.0})});
}

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

// Yields its batches, then fails if asked to.
class Producer final : public arrow::RecordBatchReader {
 public:
  Producer(std::shared_ptr<arrow::Schema> schema, Batches batches, bool fails)
      : schema_(std::move(schema)), batches_(std::move(batches)), fails_(fails) {}
  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    if (next_ < batches_.size()) {
      *batch = batches_[next_++];
      return arrow::Status::OK();
    }
    *batch = nullptr;
    return fails_ ? arrow::Status::IOError("a text that quotes the record 12345") : arrow::Status::OK();
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  Batches batches_;
  bool fails_;
  std::size_t next_ = 0;
};

// A stream that counts how often it is released.
class CountedStream {
 public:
  explicit CountedStream(const Batches& batches, bool fails = false, std::shared_ptr<arrow::Schema> schema = nullptr) {
    if (schema == nullptr) schema = batches.front()->schema();
    EXPECT_TRUE(arrow::ExportRecordBatchReader(std::make_shared<Producer>(schema, batches, fails), &inner_).ok());
    stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
      return inner(self).get_schema(&inner(self), out);
    };
    stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) { return inner(self).get_next(&inner(self), out); };
    stream.get_last_error = [](ArrowArrayStream* self) { return inner(self).get_last_error(&inner(self)); };
    stream.release = [](ArrowArrayStream* self) {
      auto* owner = static_cast<CountedStream*>(self->private_data);
      ++owner->releases;
      if (owner->inner_.release != nullptr) owner->inner_.release(&owner->inner_);
      self->release = nullptr;
    };
    stream.private_data = this;
  }
  CountedStream(const CountedStream&) = delete;
  CountedStream& operator=(const CountedStream&) = delete;

  ArrowArrayStream stream{};
  int releases = 0;

 private:
  static ArrowArrayStream& inner(ArrowArrayStream* self) {
    return static_cast<CountedStream*>(self->private_data)->inner_;
  }
  ArrowArrayStream inner_{};
};

// The rows of a stream, which must be released exactly once.
std::vector<Row> rows_of_stream(const Batches& batches, const char* toml = kSchema, const ReadOptions& options = {}) {
  CountedStream counted(batches);
  const EncodedRows rows = read_stream_tiles(&counted.stream, encoding_of(toml), options);
  EXPECT_EQ(counted.releases, 1);
  EXPECT_EQ(counted.stream.release, nullptr);
  EXPECT_EQ(rows.rows, tiles_of(rows).rows());
  return rows_of(tiles_of(rows));
}

std::string refusal_of(CountedStream& counted, const char* toml = kSchema, const ReadOptions& options = {}) {
  std::string text = "no error";
  try {
    read_stream_tiles(&counted.stream, encoding_of(toml), options);
  } catch (const DataError& error) {
    text = error.what();
  } catch (const ArgumentError& error) {
    text = std::string("argument: ") + error.what();
  }
  EXPECT_EQ(counted.releases, 1) << text;
  EXPECT_EQ(counted.stream.release, nullptr);
  return text;
}

TEST(ReadStream, GivesTheBitsOfTheSameTableInAFile) {
  const TemporaryFolder folder;
  const auto table = must(arrow::Table::FromRecordBatches({people(), people()->Slice(1, 3)}));
  auto out = must(arrow::io::FileOutputStream::Open(folder.path("t.parquet")));
  ASSERT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), out, 4).ok());
  ASSERT_TRUE(out->Close().ok());
  const auto expected = read_rows({folder.path("t.parquet")}, encoding_of(kSchema));
  ASSERT_EQ(expected.size(), 8u);
  const Batches whole = {people(), people()->Slice(1, 3)};
  const Batches pieces = {people()->Slice(0, 0), people()->Slice(0, 1), people()->Slice(1), people()->Slice(1, 3)};
  EXPECT_EQ(rows_of_stream(whole), expected);
  EXPECT_EQ(rows_of_stream(pieces), expected) << "batches of other lengths, one of them empty";
  EXPECT_EQ(rows_of_stream(whole, kSchema, {.tile_height = 64, .threads = 3}), expected);
  EXPECT_EQ(rows_of(tiles_of(read_batch_tiles(pieces, encoding_of(kSchema), {}))), expected);
}

TEST(ReadStream, RefusesWhatFilesRefuseAndNamesTheStream) {
  const auto x = array_of<arrow::DoubleBuilder, double>({1.0});
  const auto list = must(arrow::MakeArrayOfNull(arrow::list(arrow::int32()), 1));
  const auto with = [&](const std::vector<std::string>& names,
                        const std::vector<std::shared_ptr<arrow::Array>>& arrays) {
    CountedStream counted({batch_of(names, arrays)});
    return refusal_of(counted);
  };
  EXPECT_TRUE(mentions(with({"x", "y"}, {x, x}), {"the stream: ", "no column 'c'", "2 columns"}));
  EXPECT_TRUE(mentions(with({"x", "c"}, {x, x}), {"no column 'y' (the target)"}));
  EXPECT_TRUE(mentions(with({"x", "x", "c", "y"}, {x, x, x, x}), {"the stream: ", "column 'x' appears twice"}));
  EXPECT_TRUE(mentions(with({"x", "c", "y"}, {list, x, x}), {"the stream: ", "column 'x' has type list"}));
  EXPECT_EQ(with({"x", "c", "y", "l"}, {x, x, x, list}), "no error") << "a column that nobody asks for";
  CountedStream loose({people()});
  EXPECT_TRUE(mentions(refusal_of(loose, kSchema, {.strict = true}), {"the stream: strict reading", "column 'x'"}));
  CountedStream kept({people()});
  EXPECT_TRUE(mentions(refusal_of(kept, kSchema, {.tiles_path = "/tmp/tiles"}), {"argument: `tiles_path`"}));
  CountedStream threads({people()});
  EXPECT_TRUE(mentions(refusal_of(threads, kSchema, {.threads = -1}), {"argument: "}));
}

TEST(ReadStream, WithoutItsTargetCanStillBePredictedOn) {
  const auto x = array_of<arrow::DoubleBuilder, double>({1.0, 2.0});
  const auto rows = rows_of_stream({batch_of({"x", "c"}, {x, x})}, kSchema, {.target_required = false});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].back(), -1);
}

TEST(ReadStream, WithoutRecordsIsADataError) {
  CountedStream none({}, false, people()->schema());
  EXPECT_TRUE(mentions(refusal_of(none), {"the stream: it holds no record"}));
  CountedStream empty({people()->Slice(0, 0)});
  EXPECT_TRUE(mentions(refusal_of(empty), {"the stream: it holds no record"}));
  EXPECT_THROW(read_batch_tiles({}, encoding_of(kSchema), {}), DataError);
}

TEST(ReadStream, ThatFailsMidwayIsADataErrorThatQuotesNothing) {
  CountedStream counted({people()}, true);
  const std::string text = refusal_of(counted);
  EXPECT_TRUE(mentions(text, {"the stream: ", "producer failed"}));
  EXPECT_EQ(text.find("12345"), std::string::npos) << text;
}

TEST(ReadStream, ThatIsNullOrReleasedIsRefused) {
  EXPECT_THROW(read_stream_tiles(nullptr, encoding_of(kSchema), {}), ArgumentError);
  ArrowArrayStream released{};
  EXPECT_THROW(read_stream_tiles(&released, encoding_of(kSchema), {}), ArgumentError);
}

// Offsets and indices of a producer are checked before they are followed.
TEST(ReadStream, WithOffsetsOrIndicesThatLeadOutIsADataError) {
  const auto x = array_of<arrow::DoubleBuilder, double>({1.0, 2.0});
  const std::vector<std::int32_t> wrong = {0, 1000, 2};
  const auto texts = arrow::MakeArray(
      arrow::ArrayData::Make(arrow::utf8(), 2, {nullptr, arrow::Buffer::Wrap(wrong), arrow::Buffer::FromString("ab")}));
  CountedStream offsets({batch_of({"x", "c", "y"}, {x, texts, x})});
  EXPECT_TRUE(mentions(refusal_of(offsets), {"the stream: ", "not well-formed"}));
  const auto keys = array_of<arrow::Int32Builder, int>({0, 9});
  const auto words = array_of<arrow::StringBuilder, std::string>({"u"});
  const auto outside =
      std::make_shared<arrow::DictionaryArray>(arrow::dictionary(arrow::int32(), arrow::utf8()), keys, words);
  CountedStream indices({batch_of({"x", "c", "y"}, {x, outside, x})});
  EXPECT_TRUE(mentions(refusal_of(indices), {"the stream: ", "not well-formed"}));
}

TEST(ReadBatches, WithDifferentColumnsAreRefused) {
  const auto x = array_of<arrow::DoubleBuilder, double>({1.0});
  const Batches mixed = {batch_of({"x", "c", "y"}, {x, x, x}), batch_of({"x", "y", "c"}, {x, x, x})};
  EXPECT_THROW(read_batch_tiles(mixed, encoding_of(kSchema), {}), DataError);
  EXPECT_THROW(read_batch_tiles({nullptr}, encoding_of(kSchema), {}), ArgumentError);
}

}  // namespace
}  // namespace dperm::data
