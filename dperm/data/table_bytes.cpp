// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/table_bytes.hpp"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <arrow/util/compression.h>
#include <arrow/util/utf8.h>
#include <fmt/format.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include <algorithm>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm::data {

namespace {

std::size_t rows_of(const std::vector<ResultColumn>& columns) {
  ensure(!columns.empty(), "a table without columns");
  const auto rows = [](const ResultColumn& column) {
    return std::visit([](const auto& cells) { return cells.size(); }, column.cells);
  };
  for (const ResultColumn& each : columns) ensure(rows(each) == rows(columns.front()), "columns of unequal length");
  return rows(columns.front());
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

struct CsvCell {
  std::size_t row;
  int digits;
  std::string operator()(const std::vector<std::int64_t>& cells) const { return fmt::format("{}", cells[row]); }
  std::string operator()(const std::vector<double>& cells) const { return fmt::format("{:.{}g}", cells[row], digits); }
  std::string operator()(const std::vector<std::string>& cells) const { return quoted(cells[row]); }
};

void check(const arrow::Status& status) {
  // Arrow's own words may quote cells.
  if (!status.ok()) throw DataError(fmt::format("the table cannot be written (Arrow: {})", status.CodeAsString()));
}

template <class Builder, class Cells>
std::shared_ptr<arrow::Array> array_of(const Cells& cells) {
  Builder builder;
  check(builder.AppendValues(cells));
  std::shared_ptr<arrow::Array> result;
  check(builder.Finish(&result));
  return result;
}

struct ToArray {
  std::shared_ptr<arrow::Array> operator()(const std::vector<std::int64_t>& cells) const {
    return array_of<arrow::Int64Builder>(cells);
  }
  std::shared_ptr<arrow::Array> operator()(const std::vector<double>& cells) const {
    return array_of<arrow::DoubleBuilder>(cells);
  }
  std::shared_ptr<arrow::Array> operator()(const std::vector<std::string>& cells) const {
    arrow::util::InitializeUTF8();
    const bool text =
        std::ranges::all_of(cells, [](const std::string& each) { return arrow::util::ValidateUTF8(each); });
    return text ? array_of<arrow::StringBuilder>(cells) : array_of<arrow::BinaryBuilder>(cells);
  }
};

}  // namespace

std::string csv_bytes(const std::vector<ResultColumn>& columns) {
  const std::size_t rows = rows_of(columns);
  std::string out;
  for (const ResultColumn& each : columns) {
    if (&each != &columns.front()) out += ',';
    out += quoted(each.name);
  }
  out += '\n';
  for (std::size_t row = 0; row < rows; ++row) {
    for (const ResultColumn& each : columns) {
      if (&each != &columns.front()) out += ',';
      out += std::visit(CsvCell{row, each.digits}, each.cells);
    }
    out += '\n';
  }
  return out;
}

std::string parquet_bytes(const std::vector<ResultColumn>& columns) {
  rows_of(columns);
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const ResultColumn& each : columns) {
    arrays.push_back(std::visit(ToArray{}, each.cells));
    fields.push_back(arrow::field(each.name, arrays.back()->type(), false));
  }
  const auto table = arrow::Table::Make(arrow::schema(fields), arrays);
  const auto sink = arrow::io::BufferOutputStream::Create();
  check(sink.status());
  parquet::WriterProperties::Builder properties;
  if (arrow::util::Codec::IsAvailable(arrow::Compression::SNAPPY)) properties.compression(parquet::Compression::SNAPPY);
  check(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), *sink, std::int64_t{1} << 20,
                                   properties.build()));
  const auto bytes = (*sink)->Finish();
  check(bytes.status());
  return (*bytes)->ToString();
}

}  // namespace dperm::data
