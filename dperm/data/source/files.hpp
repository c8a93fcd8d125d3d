// SPDX-License-Identifier: Apache-2.0
// Which files a list of paths and globs means, and what each file is.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/data/tiles/tile_file.hpp"
#include "dperm/schema/schema.hpp"

namespace dperm::data {

enum class FileFormat { csv, parquet, ipc_file, ipc_stream, libsvm, stream };  // stream: in memory, no file
enum class Compression { none, gzip, bzip2 };

struct InputFile {
  std::string path;  // as the user wrote it: what messages show
  FileFormat format = FileFormat::csv;
  Compression compression = Compression::none;
  bool tabs = false;  // .tsv: the default delimiter is a tab
  SourceFile facts;
  std::string place = {};  // where it is opened, if not at its path: standard input lies in a file without a name
  const std::string& location() const { return place.empty() ? path : place; }
  bool is_stream() const { return !place.empty(); }
};

// What files are: `given` ("csv", "tsv", "libsvm", "parquet", "arrow"), else what the schema says; empty: by their
// names.
std::string file_kind(const std::string& given, const schema::TextFormat& format);

// Patterns in the order given, the matches of each sorted; "-" is standard input, read to its end once. What a file is
// follows from its name, or from `kind` of file_kind when that is not empty, never from its bytes: those may be a
// record's. Throws
// ArgumentError when a pattern matches nothing, a file is matched twice (its records would count twice) or its kind is
// unknown; DataError when one cannot be read.
std::vector<InputFile> find_files(const std::vector<std::string>& patterns, const std::string& kind);

// What to do with a spreadsheet.
inline constexpr std::string_view kSpreadsheet =
    "this is a spreadsheet; save the sheet with the data as CSV (in Excel: File, Save As, CSV UTF-8; in LibreOffice: "
    "File, "
    "Save As, Text CSV), one header line above the records and no totals below, and give that file";

// Throws DataError when the file is no longer the one that find_files saw.
void require_unchanged(const InputFile& file);

// The bytes of the file, decompressed.
std::shared_ptr<arrow::io::InputStream> open_stream(const InputFile& file,
                                                    arrow::MemoryPool* pool = arrow::default_memory_pool());

// Throws DataError "path: what (Arrow: CODE); advice". Arrow's own text is left out because it may quote records.
[[noreturn]] void arrow_failed(const InputFile& file, const arrow::Status& status, std::string_view what,
                               std::string_view advice);
// The same for a failed read from open_stream.
[[noreturn]] void stream_failed(const InputFile& file, const arrow::Status& status);

}  // namespace dperm::data
