// SPDX-License-Identifier: Apache-2.0
// A SQLite file that is changed by one transaction at a time and has each of them on the disk before it says so.
// Internal to this room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace dperm::ledger {

enum class Access { read, write };

// Every failure is a DataError that names the file, what was tried and what to do.
class Database {
 public:
  // The file must exist. For writing it must lie where locks keep processes apart (locks.hpp).
  Database(const std::string& path, Access access);
  ~Database();
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;

  const std::string& path() const { return path_; }
  void execute(const char* sql);
  [[noreturn]] void fail(const char* verb, int code) const;
  sqlite3* handle() const { return handle_; }

 private:
  std::string path_;
  sqlite3* handle_ = nullptr;
};

class Statement {
 public:
  Statement(const Database& database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int place, std::string_view text);
  Statement& bind(int place, std::uint64_t number);
  bool step();  // false: no more rows
  std::string text(int column) const;
  std::uint64_t number(int column) const;

 private:
  const Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

// Holds the only right to write from its beginning; without commit nothing happened.
class Transaction {
 public:
  Transaction(Database& database, Access access);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();  // on the disk when it returns

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace dperm::ledger
