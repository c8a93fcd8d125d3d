// SPDX-License-Identifier: Apache-2.0
// A part's rows in a file of this machine.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "dperm/engine/remote/part.hpp"

struct ArrowArrayStream;

namespace dperm::engine::remote {

struct PartFile {
  std::size_t rows = 0;
  std::string digest = {};  // hexadecimal; computed from records
};

// As dperm/data/part_tiles.hpp.
PartFile write_part(ArrowArrayStream* stream, const schema::Encoding& encoding, const std::string& name,
                    const std::string& path, int threads);
std::shared_ptr<const Part> open_part(std::shared_ptr<const schema::Encoding> encoding, const std::string& name,
                                      const std::string& path, const PartFile& file, std::size_t first);

}  // namespace dperm::engine::remote
