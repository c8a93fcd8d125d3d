// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/source/files.hpp"

#include <arrow/buffer.h>
#include <arrow/io/compressed.h>
#include <arrow/io/file.h>
#include <arrow/util/compression.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "dperm/core/error.hpp"
#include "dperm/data/source/standard_input.hpp"
#include "dperm/data/tiles/file_handle.hpp"

namespace dperm::data {

namespace {

struct GlobResult {
  glob_t matches{};
  ~GlobResult() { globfree(&matches); }
};

std::vector<std::string> expand(const std::string& pattern) {
  struct stat facts{};
  if (stat(pattern.c_str(), &facts) == 0) return {pattern};  // a path that happens to hold glob characters
  GlobResult result;
  const int status = glob(pattern.c_str(), GLOB_NOSORT, nullptr, &result.matches);
  if (status != 0 || result.matches.gl_pathc == 0) {
    throw ArgumentError(fmt::format("no file matches '{}'; check the path", pattern));
  }
  std::vector<std::string> paths(result.matches.gl_pathv, result.matches.gl_pathv + result.matches.gl_pathc);
  std::sort(paths.begin(), paths.end());  // by bytes: the same order in every locale
  return paths;
}

struct stat facts_of(const std::string& path) {
  struct stat facts{};
  if (stat(path.c_str(), &facts) != 0) {
    throw DataError(fmt::format("{}: the file cannot be read ({})", path, std::strerror(errno)));
  }
  if (S_ISDIR(facts.st_mode)) {
    throw DataError(fmt::format("{0}: this is a folder; name its files, for example '{0}/*.csv'", path));
  }
  if (!S_ISREG(facts.st_mode)) {
    throw DataError(fmt::format("{}: this is not a regular file; write the data to a file first", path));
  }
  if (facts.st_size == 0) throw DataError(fmt::format("{}: the file is empty; was it written completely?", path));
  return facts;
}

SourceFile source_of(const std::string& path, const struct stat& facts) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return {std::filesystem::absolute(path).lexically_normal().string(), static_cast<std::uint64_t>(facts.st_size),
          facts.st_mtim.tv_sec * kSecond + facts.st_mtim.tv_nsec,
          facts.st_ctim.tv_sec * kSecond + facts.st_ctim.tv_nsec, facts.st_ino};
}

std::string first_bytes(const std::string& path) {
  const FileHandle file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string bytes(8, '\0');
  if (!file.is_open()) {
    throw DataError(
        fmt::format("{}: the file cannot be opened ({}); check its permissions", path, std::strerror(errno)));
  }
  const std::size_t size = std::min<std::size_t>(bytes.size(), file.size());
  if (!file.read_at(0, std::as_writable_bytes(std::span(bytes.data(), size)))) {
    throw DataError(fmt::format("{}: the file cannot be read ({})", path, std::strerror(errno)));
  }
  return bytes;
}

bool decompresses_to_nothing(const InputFile& file) {
  if (file.compression == Compression::none) return false;  // an empty file was refused before
  const auto read = open_stream(file)->Read(1);
  if (!read.ok()) stream_failed(file, read.status());
  return (*read)->size() == 0;
}

std::string extension_of(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz" || name.extension() == ".bz2") name = name.stem();
  std::string extension = name.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension;
}

bool is_one_of(const std::string& extension, std::initializer_list<const char*> list) {
  return std::any_of(list.begin(), list.end(), [&](const char* item) { return extension == item; });
}

// A spreadsheet holds several tables, formulas and dates as numbers: which cells are the data, its owner has to say.
void refuse_spreadsheet(const std::string& path, const std::string& extension) {
  if (!is_one_of(extension, {".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers"})) return;
  throw ArgumentError(fmt::format("{}: {}", path, kSpreadsheet));
}

FileFormat format_of(const std::string& path, const std::string& extension, const std::string& kind) {
  if (kind == "libsvm") return FileFormat::libsvm;
  if (kind == "csv" || kind == "tsv") return FileFormat::csv;
  if (kind == "parquet") return FileFormat::parquet;
  if (kind == "arrow") return FileFormat::ipc_file;
  refuse_spreadsheet(path, extension);
  if (is_one_of(extension, {".libsvm", ".svm", ".svmlight"})) return FileFormat::libsvm;
  if (is_one_of(extension, {".csv", ".tsv", ".tab", ".data", ".test", ".dat", ".txt"})) return FileFormat::csv;
  if (is_one_of(extension, {".parquet", ".pq"})) return FileFormat::parquet;
  if (is_one_of(extension, {".arrow", ".feather", ".ipc", ".arrows"})) return FileFormat::ipc_file;
  throw ArgumentError(fmt::format(
      "{}: the name does not say what this file is; if it is text with a delimiter, say `format = csv` (also libsvm, "
      "parquet, arrow). Known extensions are .csv .tsv .data .test .dat .txt (text with a delimiter), .parquet, .arrow "
      ".feather .ipc (Arrow), .libsvm .svm .svmlight, each text also with .gz or .bz2; export other files as CSV or "
      "Parquet",
      path));
}

void require_plain(const InputFile& file, const char* what) {
  if (file.compression == Compression::none) return;
  throw DataError(fmt::format("{}: this is a compressed {} file; decompress it first", file.path, what));
}

// Whether an Arrow file is a stream is structure, not a record, so its first bytes may decide.
FileFormat arrow_format(const InputFile& file) {
  const std::string start = first_bytes(file.location());
  if (start.starts_with("ARROW1")) return FileFormat::ipc_file;
  if (start.starts_with("FEA1")) {
    throw DataError(
        fmt::format("{}: this is the old Feather format, version 1; write it again as version 2", file.path));
  }
  return FileFormat::ipc_stream;
}

void detect(InputFile& file, const std::string& kind) {
  const std::string outer = std::filesystem::path(file.path).extension().string();
  if (outer == ".gz") file.compression = Compression::gzip;
  if (outer == ".bz2") file.compression = Compression::bzip2;
  const std::string extension = extension_of(file.path);
  file.tabs = kind == "tsv" || is_one_of(extension, {".tsv", ".tab"});
  file.format = format_of(file.path, extension, kind);
  if (file.format == FileFormat::parquet) require_plain(file, "Parquet");
  if (file.format == FileFormat::ipc_file) {
    require_plain(file, "Arrow");
    file.format = arrow_format(file);
  }
  if (decompresses_to_nothing(file)) throw DataError(fmt::format("{}: the file is empty once decompressed", file.path));
}

}  // namespace

std::string file_kind(const std::string& given, const schema::TextFormat& format) {
  if (given.empty()) return format.file;
  if (!is_one_of(given, {"csv", "tsv", "libsvm", "parquet", "arrow"})) {
    throw ArgumentError("format", fmt::format("must be csv, tsv, libsvm, parquet or arrow; got '{}'", given));
  }
  return given;
}

std::vector<InputFile> find_files(const std::vector<std::string>& patterns, const std::string& kind) {
  if (patterns.empty()) throw ArgumentError("no data file given");
  std::vector<InputFile> files;
  std::set<std::pair<dev_t, ino_t>> seen;
  for (const std::string& pattern : patterns) {
    const bool stream = pattern == "-";
    for (const std::string& path : stream ? std::vector<std::string>{standard_input()} : expand(pattern)) {
      const struct stat facts = facts_of(path);
      if (!seen.emplace(facts.st_dev, facts.st_ino).second) {
        throw ArgumentError(
            fmt::format("'{}' is given twice; then one person's record would count twice and the "
                        "guarantee would not hold. Name each file once",
                        stream ? pattern : path));
      }
      InputFile file;
      file.path = stream ? "standard input" : path;
      if (stream) file.place = path;
      file.facts = source_of(path, facts);
      detect(file, stream && kind.empty() ? "csv" : kind);
      files.push_back(std::move(file));
    }
  }
  return files;
}

void require_unchanged(const InputFile& file) {
  struct stat facts{};
  if (stat(file.location().c_str(), &facts) != 0 || source_of(file.location(), facts) != file.facts) {
    throw DataError(
        fmt::format("{}: the file changed while it was being read; run again when it is complete", file.path));
  }
}

std::shared_ptr<arrow::io::InputStream> open_stream(const InputFile& file, arrow::MemoryPool* pool) {
  auto raw = arrow::io::ReadableFile::Open(file.location(), pool);
  if (!raw.ok()) arrow_failed(file, raw.status(), "the file cannot be opened", "check its permissions");
  if (file.compression == Compression::none) return *raw;
  const bool gzip = file.compression == Compression::gzip;
  auto codec = arrow::util::Codec::Create(gzip ? arrow::Compression::GZIP : arrow::Compression::BZ2);
  if (!codec.ok()) {
    arrow_failed(file, codec.status(), "this build cannot decompress the file", "decompress it first");
  }
  // The stream uses the codec for its whole life but does not own it.
  struct Owner {
    std::unique_ptr<arrow::util::Codec> codec;
    std::shared_ptr<arrow::io::InputStream> stream;
  };
  auto owner = std::make_shared<Owner>();
  owner->codec = std::move(*codec);
  auto stream = arrow::io::CompressedInputStream::Make(owner->codec.get(), *raw, pool);
  if (!stream.ok()) stream_failed(file, stream.status());
  owner->stream = *stream;
  return {owner, owner->stream.get()};
}

void arrow_failed(const InputFile& file, const arrow::Status& status, std::string_view what, std::string_view advice) {
  throw DataError(fmt::format("{}: {} (Arrow: {}); {}", file.path, what, status.CodeAsString(), advice));
}

void stream_failed(const InputFile& file, const arrow::Status& status) {
  if (file.compression == Compression::none) arrow_failed(file, status, "reading failed", "check the disk");
  arrow_failed(file, status, "the compressed file is damaged or cut short", "copy or download it again");
}

}  // namespace dperm::data
