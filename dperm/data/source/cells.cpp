// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/source/cells.hpp"

#include <algorithm>

namespace dperm::data {

std::string type_name(const arrow::DataType& type) {
  using arrow::Type;
  switch (type.id()) {
    case Type::BOOL:
      return "boolean";
    case Type::NA:
    case Type::STRING:
    case Type::BINARY:
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
    case Type::STRING_VIEW:
    case Type::BINARY_VIEW:
      return "text";
    case Type::INT8:
    case Type::INT16:
    case Type::INT32:
    case Type::INT64:
    case Type::UINT8:
    case Type::UINT16:
    case Type::UINT32:
    case Type::UINT64:
    case Type::HALF_FLOAT:
    case Type::FLOAT:
    case Type::DOUBLE:
    case Type::DATE32:
    case Type::DATE64:
    case Type::TIMESTAMP:
    case Type::DECIMAL32:
    case Type::DECIMAL64:
    case Type::DECIMAL128:
    case Type::DECIMAL256:
      return "number";
    case Type::DICTIONARY:
      return type_name(*static_cast<const arrow::DictionaryType&>(type).value_type());
    case Type::DENSE_UNION:
    case Type::SPARSE_UNION:
      return std::ranges::all_of(type.fields(), [](const auto& field) { return is_supported(*field->type()); })
                 ? "text"
                 : "unsupported";
    default:
      return "unsupported";
  }
}

bool is_supported(const arrow::DataType& type) { return type_name(type) != "unsupported"; }

}  // namespace dperm::data
