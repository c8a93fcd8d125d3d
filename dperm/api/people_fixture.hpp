// SPDX-License-Identifier: Apache-2.0
// Tests of the public API: a small table of people in a file, and what is asked of it.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "dperm/dperm.hpp"

namespace dperm::api {

inline constexpr const char* kSchema = R"(version = 1
[[column]]
name = "age"
kind = "integer"
lower = 0
upper = 100
[[column]]
name = "city"
kind = "category"
values = ["north", "south"]
[target]
column = "sick"
kind = "binary"
positive = "yes"
)";

class PeopleFixture : public testing::Test {
 protected:
  PeopleFixture() : path_(testing::TempDir() + "dperm_api_people.csv"), schema_(parse_schema(kSchema, "schema")) {
    std::ofstream file(path_);
    file << "age,city,sick\n";
    for (int i = 0; i < 2000; ++i) {
      const int age = i * 37 % 101;
      file << age << (i % 3 == 0 ? ",north," : ",south,") << (age > 40 ? "yes" : "no") << "\n";
    }
  }
  ~PeopleFixture() override { std::remove(path_.c_str()); }

  Dataset people() const { return read_dataset({path_}, schema_); }
  Task task(double epsilon = 1, double delta = 1e-6) const {
    Task result{.schema = schema_, .rows = 2000, .budget = {epsilon, delta}};
    result.problem.loss = default_loss(schema_);
    return result;
  }

  std::string path_;
  Schema schema_;
};

}  // namespace dperm::api
