// SPDX-License-Identifier: Apache-2.0
// Rows of a table that lie on this machine while others lie elsewhere: they answer questions that came as bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "dperm/engine/row_sums.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::engine::remote {

class Part {
 public:
  // Row 0 of `rows`, which may be none, is row `first` of the table. No row is blank.
  Part(std::shared_ptr<const RowSums> rows, std::shared_ptr<const schema::Encoding> encoding, std::size_t first);

  // The answer's bytes, as sensitive as the rows. InternalError for bytes that are no question for rows of this
  // encoding; ArgumentError as RowSums.
  std::string answer(std::string_view question, Threads threads) const;

 private:
  std::shared_ptr<const RowSums> read_as(const std::string& schema) const;

  std::shared_ptr<const RowSums> rows_;
  std::shared_ptr<const schema::Encoding> encoding_;
  std::size_t first_;
  // One schema is asked for again and again: its text, and the rows as it reads them.
  mutable std::mutex lock_;
  mutable std::string schema_;
  mutable std::shared_ptr<const RowSums> read_;
};

// The bytes of the answer for the rows of both; InternalError (answer_bytes.hpp).
std::string add(std::string_view a, std::string_view b);

}  // namespace dperm::engine::remote
