// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/database.hpp"

#include <fmt/core.h>
#include <sqlite3.h>

#include <filesystem>
#include <utility>

#include "dperm/core/error.hpp"
#include "dperm/ledger/locks.hpp"

namespace dperm::ledger {

namespace {

constexpr int kPatience = 60 * 1000;  // milliseconds that a writer waits for others

std::string advice(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format("other processes have held it for {} seconds; try again", kPatience / 1000);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return "the file and its folder must be writable for you";
    case SQLITE_FULL:
      return "the disk is full; free some space and try again";
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return "it is no ledger, or it is damaged; do not repair it by hand, and restore no old copy: what was spent "
             "since "
             "would be forgotten";
    default:
      return "check the disk and try again";
  }
}

}  // namespace

Database::Database(const std::string& path, Access access) : path_(path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw DataError(fmt::format("ledger {}: there is no such file; make one with dperm ledger create {}", path, path));
  }
  if (access == Access::write) require_locks(path);
  // Also for reading: a transaction that was cut short is rolled back by whoever comes next.
  const int code = sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE, nullptr);
  try {
    if (code != SQLITE_OK) fail("be opened", code);
    sqlite3_busy_timeout(handle_, kPatience);
    if (access == Access::write && sqlite3_db_readonly(handle_, "main") != 0) fail("be written", SQLITE_READONLY);
    // A rollback journal works on every file system with locks, also between machines. EXTRA also syncs the folder
    // after the journal is gone, so that a commit cannot come undone.
    execute("PRAGMA synchronous = EXTRA");
    execute("PRAGMA trusted_schema = OFF");
    if (access == Access::write) execute("PRAGMA journal_mode = DELETE");
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

Database::~Database() { sqlite3_close(handle_); }

Database::Database(Database&& other) noexcept
    : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, nullptr)) {}

void Database::execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail("be used", code);
}

void Database::fail(const char* verb, int code) const {
  throw DataError(fmt::format("ledger {}: it cannot {} ({}); {}", path_, verb, sqlite3_errstr(code), advice(code)));
}

Statement::Statement(const Database& database, const char* sql) : database_(database) {
  const int code = sqlite3_prepare_v2(database.handle(), sql, -1, &statement_, nullptr);
  if (code != SQLITE_OK) database.fail("be used", code);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(int place, std::string_view text) {
  const int code = sqlite3_bind_text64(statement_, place, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) database_.fail("be used", code);
  return *this;
}

Statement& Statement::bind(int place, std::uint64_t number) {
  const int code = sqlite3_bind_int64(statement_, place, static_cast<sqlite3_int64>(number));
  if (code != SQLITE_OK) database_.fail("be used", code);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail("be used", code);
  return false;
}

std::string Statement::text(int column) const {
  const void* const bytes = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
}

std::uint64_t Statement::number(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column));
}

Transaction::Transaction(Database& database, Access access) : database_(database) {
  database.execute(access == Access::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace dperm::ledger
