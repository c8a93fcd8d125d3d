// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/arrow_columns.hpp"

#include <arrow/array.h>
#include <fmt/format.h>

#include <algorithm>

#include "dperm/core/error.hpp"
#include "dperm/data/source/cells.hpp"

namespace dperm::data {

namespace {

std::shared_ptr<arrow::DataType> bytes_type(const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::STRING:
      return arrow::binary();
    case arrow::Type::LARGE_STRING:
      return arrow::large_binary();
    case arrow::Type::STRING_VIEW:
      return arrow::binary_view();
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = static_cast<const arrow::DictionaryType&>(*type);
      return arrow::dictionary(dictionary.index_type(), bytes_type(dictionary.value_type()), dictionary.ordered());
    }
    case arrow::Type::DENSE_UNION:
    case arrow::Type::SPARSE_UNION: {
      const auto& several = static_cast<const arrow::UnionType&>(*type);
      arrow::FieldVector fields;
      for (const auto& field : several.fields()) fields.push_back(field->WithType(bytes_type(field->type())));
      if (type->id() == arrow::Type::DENSE_UNION) return arrow::dense_union(fields, several.type_codes());
      return arrow::sparse_union(fields, several.type_codes());
    }
    default:
      return type;
  }
}

}  // namespace

void require_supported(const InputFile& file, const arrow::Field& field) {
  if (is_supported(*field.type())) return;
  throw DataError(
      fmt::format("{}: column '{}' has type {}, which cannot be encoded; store it as a number, a text or a "
                  "boolean, or declare it with kind = \"ignore\"",
                  file.path, field.name(), field.type()->ToString()));
}

std::shared_ptr<arrow::RecordBatch> reordered(const arrow::RecordBatch& batch, const std::vector<int>& order) {
  std::vector<std::shared_ptr<arrow::Field>> fields;
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const int index : order) {
    fields.push_back(batch.schema()->field(index));
    columns.push_back(batch.column(index));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch.num_rows(), std::move(columns));
}

std::shared_ptr<arrow::ArrayData> as_bytes(const std::shared_ptr<arrow::ArrayData>& data) {
  auto copy = std::make_shared<arrow::ArrayData>(*data);
  copy->type = bytes_type(data->type);
  if (copy->dictionary) copy->dictionary = as_bytes(copy->dictionary);
  for (auto& child : copy->child_data) child = as_bytes(child);
  return copy;
}

std::shared_ptr<arrow::RecordBatch> validated_bytes(const InputFile& file, const arrow::RecordBatch& batch,
                                                    const std::vector<int>& order, std::string_view what,
                                                    std::string_view advice) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (const int index : order) {
    auto data = as_bytes(batch.column_data(index));
    fields.push_back(arrow::field(batch.column_name(index), data->type));
    columns.push_back(arrow::MakeArray(std::move(data)));
  }
  auto result = arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch.num_rows(), std::move(columns));
  const arrow::Status status = result->ValidateFull();
  if (!status.ok()) arrow_failed(file, status, what, advice);
  return result;
}

std::int64_t rows_per_batch(std::size_t columns) {
  constexpr std::size_t kBatchBytes = std::size_t{16} << 20;
  constexpr std::size_t kCellBytes = 16;
  const std::size_t rows = kBatchBytes / (kCellBytes * std::max<std::size_t>(1, columns));
  return static_cast<std::int64_t>(std::clamp<std::size_t>(rows, 16, std::size_t{1} << 16));
}

}  // namespace dperm::data
