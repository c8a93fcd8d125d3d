// SPDX-License-Identifier: Apache-2.0
// A table in parts that are asked and answer in bytes, as on other machines, the answers added up in pairs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dperm/engine/remote/part.hpp"
#include "dperm/engine/remote/remote_sums.hpp"
#include "tests/support/parted_sums.hpp"

namespace dperm::tests {

using RemoteParts = std::vector<std::shared_ptr<const engine::remote::Part>>;

// So many parts of unequal sizes; from three on the second has no row.
inline RemoteParts remote_parts(const EncodedTable& table, std::size_t count) {
  const auto encoding = std::make_shared<const schema::Encoding>(encoding_for(table));
  RemoteParts parts;
  std::size_t first = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t even = (i + 1) * (i + 1) * table.rows() / (count * count);
    const std::size_t end = i + 1 == count ? table.rows() : count >= 3 && i == 1 ? first : std::max(first, even);
    const auto rows =
        std::make_shared<const engine::TileSums>(build_tiles(slice(table, first, end - first), i % 2 == 0 ? 0 : 64));
    parts.push_back(std::make_shared<const engine::remote::Part>(rows, encoding, first));
    first = end;
  }
  return parts;
}

// Added up as a tree: last parts first.
inline std::string answer_of(const RemoteParts& parts, const std::string& question) {
  std::vector<std::string> answers;
  for (const auto& part : parts) answers.push_back(part->answer(question, {1}));
  while (answers.size() > 1) {
    const std::string last = answers.back();
    answers.pop_back();
    const std::size_t half = answers.size() / 2;
    answers[half] = engine::remote::add(last, answers[half]);
  }
  return answers.front();
}

inline engine::remote::RemoteSums remote_sums_of(const EncodedTable& table, std::size_t count) {
  return {std::make_shared<const schema::Encoding>(encoding_for(table)), table.rows(),
          [parts = remote_parts(table, count)](const std::string& question) { return answer_of(parts, question); }};
}

inline data::Dataset remote_dataset_of(const EncodedTable& table, std::size_t count) {
  const auto encoding = std::make_shared<const schema::Encoding>(encoding_for(table));
  const auto channel = [parts = remote_parts(table, count)](const std::string& question) {
    return answer_of(parts, question);
  };
  return {encoding,
          engine::SharedSums(std::make_shared<const engine::remote::RemoteSums>(encoding, table.rows(), channel))};
}

}  // namespace dperm::tests
