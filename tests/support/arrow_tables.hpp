// SPDX-License-Identifier: Apache-2.0
// Arrow tables made by hand, and files of them.
#pragma once

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <arrow/ipc/writer.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dperm::data {

template <class T>
T must(arrow::Result<T> result) {
  return std::move(result).ValueOrDie();
}
inline void must(const arrow::Status& status) { ASSERT_TRUE(status.ok()) << status.ToString(); }

template <class Builder, class Value>
std::shared_ptr<arrow::Array> array_of(const std::vector<std::optional<Value>>& values) {
  Builder builder;
  for (const auto& value : values) must(value ? builder.Append(*value) : builder.AppendNull());
  return must(builder.Finish());
}

inline std::shared_ptr<arrow::Table> table_of(std::vector<std::string> names,
                                              std::vector<std::shared_ptr<arrow::Array>> arrays) {
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (std::size_t i = 0; i < names.size(); ++i) fields.push_back(arrow::field(names[i], arrays[i]->type()));
  return arrow::Table::Make(arrow::schema(fields), arrays);
}

inline std::shared_ptr<arrow::Array> dictionary_encoded(const std::shared_ptr<arrow::Array>& texts) {
  arrow::DictionaryBuilder<arrow::StringType> builder(arrow::default_memory_pool());
  must(builder.AppendArray(*texts));
  return must(builder.Finish());
}

inline void write_parquet(const arrow::Table& table, const std::string& path, std::int64_t group) {
  auto out = must(arrow::io::FileOutputStream::Open(path));
  must(parquet::arrow::WriteTable(table, arrow::default_memory_pool(), out, group));
  must(out->Close());
}

inline void write_ipc(const arrow::Table& table, const std::string& path, bool stream) {
  auto out = must(arrow::io::FileOutputStream::Open(path));
  auto writer = must(stream ? arrow::ipc::MakeStreamWriter(out, table.schema())
                            : arrow::ipc::MakeFileWriter(out, table.schema()));
  must(writer->WriteTable(table, 3));
  must(writer->Close());
  must(out->Close());
}

}  // namespace dperm::data
