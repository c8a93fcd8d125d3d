// SPDX-License-Identifier: Apache-2.0
// Which files a list of paths and globs means, and what each file is.
#pragma once

#include <arrow/io/interfaces.h>

#include <memory>
#include <string>
#include <vector>

#include "dperm/data/tiles/tile_file.hpp"

namespace dperm::data {

enum class FileFormat { csv, parquet, ipc_file, ipc_stream, libsvm, stream };  // stream: in memory, no file
enum class Compression { none, gzip, bzip2 };

struct InputFile {
  std::string path;  // as the user wrote it: what messages show
  FileFormat format = FileFormat::csv;
  Compression compression = Compression::none;
  bool tabs = false;  // .tsv: the default delimiter is a tab
  SourceFile facts;
};

// Patterns in the order given, the matches of each sorted. What a text file is follows from its name, or from
// `text_kind` ("csv", "libsvm") when it is not empty, never from its bytes: those may be a record's. Throws
// ArgumentError when a pattern matches nothing, a file is matched twice (its records would count twice) or its kind is
// unknown; DataError when one cannot be read.
std::vector<InputFile> find_files(const std::vector<std::string>& patterns, const std::string& text_kind);

// Throws DataError when the file is no longer the one that find_files saw.
void require_unchanged(const InputFile& file);

// The bytes of the file, decompressed.
std::shared_ptr<arrow::io::InputStream> open_stream(const InputFile& file);

// Throws DataError "path: what (Arrow: CODE); advice". Arrow's own text is left out because it may quote records.
[[noreturn]] void arrow_failed(const InputFile& file, const arrow::Status& status, std::string_view what,
                               std::string_view advice);
// The same for a failed read from open_stream.
[[noreturn]] void stream_failed(const InputFile& file, const arrow::Status& status);

}  // namespace dperm::data
